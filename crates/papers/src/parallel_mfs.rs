//! Paper 002: "A Communication Network Simulator Based on Message Flows and Its Parallelization".

mod barrier;
mod fat_trees;
mod random_ring;
mod steps;
mod table_3_1;
mod thread_scaling;

use crate::Item;
use crate::catalogue::Timing;

pub(crate) static ITEMS: [Item; 4] = [
    Item {
        paper: "002",
        name: "table-3-1",
        title: "nodes and cables of the fat trees",
        takes: "1 s",
        takes_in_full: "1 s",
        timing: Timing::Unused,
        takes_sizes: false,
        compare: table_3_1::compare,
    },
    Item {
        paper: "002",
        name: "random-ring",
        title: "random ring on fat trees, ten messages per node",
        takes: "10 s",
        takes_in_full: "10 s",
        timing: Timing::Reported,
        takes_sizes: false,
        compare: random_ring::compare,
    },
    Item {
        paper: "002",
        name: "barrier",
        title: "cost of a barrier",
        takes: "5 s",
        takes_in_full: "3 min",
        timing: Timing::Reported,
        takes_sizes: false,
        compare: barrier::compare,
    },
    Item {
        paper: "002",
        name: "thread-scaling",
        title: "speed-up of the parallel sweep",
        takes: "1 min",
        takes_in_full: "1 min",
        timing: Timing::Reported,
        takes_sizes: false,
        compare: thread_scaling::compare,
    },
];
