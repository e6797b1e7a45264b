//! Paper 003: "NSIM: Communication Simulator for Next Generation Extreme-scale Interconnection Networks".

mod bruck;
mod figure_4;
mod figure_5;

use crate::Item;
use crate::catalogue::Timing;

pub(crate) static ITEMS: [Item; 2] = [
    Item {
        paper: "003",
        name: "figure-4",
        title: "random ring of HPC Challenge on InfiniBand",
        takes: "3 s",
        takes_in_full: "3 min",
        timing: Timing::Unused,
        takes_sizes: false,
        compare: figure_4::compare,
    },
    Item {
        paper: "003",
        name: "figure-5",
        title: "Bruck's all-to-all on 3-D tori, time and memory",
        takes: "15 s",
        takes_in_full: "20 min",
        timing: Timing::Reported,
        takes_sizes: false,
        compare: figure_5::compare,
    },
];
