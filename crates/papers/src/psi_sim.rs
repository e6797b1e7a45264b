//! Paper 001: "Program Abstraction for Performance Evaluation of Large-Scale Parallel Systems" (PSI-SIM, BSIM-Logger).

mod class_c;
mod figure_5;
mod figure_6;
mod programs;

use crate::Item;
use crate::catalogue::Timing;

pub(crate) static ITEMS: [Item; 2] = [
    Item {
        paper: "001",
        name: "figure-5",
        title: "skeleton of two-electron integrals: error, logging time",
        takes: "40 s",
        takes_in_full: "2 min",
        timing: Timing::Reported,
        takes_sizes: false,
        compare: figure_5::compare,
    },
    Item {
        paper: "001",
        name: "figure-6",
        title: "skeletons of a 3-D FFT, levels 1 and 3",
        takes: "1.5 min",
        takes_in_full: "8 min",
        timing: Timing::Reported,
        takes_sizes: false,
        compare: figure_6::compare,
    },
];
