//! Paper 000: "Development of a Message Flow Simulator for Evaluation of Communication Algorithms" (MFS).

mod fat_trees;
mod figure_2;
mod figure_3;
mod figure_4;
mod figure_6;
mod packets;
mod table_2;
mod tori;

use crate::Item;
use crate::catalogue::Timing;

pub(crate) static ITEMS: [Item; 5] = [
    Item {
        paper: "000",
        name: "figure-2",
        title: "simulated time of the all-to-all on fat trees",
        takes: "25 s",
        takes_in_full: "7 min",
        timing: Timing::Unused,
        takes_sizes: false,
        compare: figure_2::compare,
    },
    Item {
        paper: "000",
        name: "figure-3",
        title: "wall-clock time of the all-to-all on fat trees",
        takes: "30 s",
        takes_in_full: "7 min",
        timing: Timing::Reported,
        takes_sizes: false,
        compare: figure_3::compare,
    },
    Item {
        paper: "000",
        name: "figure-4",
        title: "simulated time of the all-to-all on tori, both engines",
        takes: "10 s",
        takes_in_full: "10 s",
        timing: Timing::Unused,
        takes_sizes: false,
        compare: figure_4::compare,
    },
    Item {
        paper: "000",
        name: "table-2",
        title: "wall-clock time of the all-to-all on tori, both engines",
        takes: "10 s",
        takes_in_full: "10 s",
        timing: Timing::Reported,
        takes_sizes: false,
        compare: table_2::compare,
    },
    Item {
        paper: "000",
        name: "figure-6",
        title: "three algorithms of the all-to-all on the 16 x 16 torus",
        takes: "10 s",
        takes_in_full: "40 s",
        timing: Timing::Unused,
        takes_sizes: false,
        compare: figure_6::compare,
    },
];
