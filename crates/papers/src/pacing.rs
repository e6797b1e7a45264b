//! Paper 004: "Application and Evaluation of Packet Pacing for Large-scale Parallel Programs by Simulation".
//!
//! The link speed, the packets, the routers and the sizes but two are not stated, so its milliseconds cannot be had. What
//! can be had are the shares of links, the best gaps, and times in units of a message time.

mod best_gap;
mod congestion;
mod grid;
mod imbalance;
mod model;
mod size_and_distance;
mod totals;

use crate::Item;
use crate::catalogue::Timing;

pub(crate) static ITEMS: [Item; 8] = [
    Item {
        paper: "004",
        name: "figure-7",
        title: "time against the gap, small model of NICAM",
        takes: "30 s",
        takes_in_full: "1 min",
        timing: Timing::Unused,
        takes_sizes: true,
        compare: |campaign, item| best_gap::compare(campaign, item, &model::SMALL),
    },
    Item {
        paper: "004",
        name: "figure-8",
        title: "time against the gap, large model of NICAM",
        takes: "2 min",
        takes_in_full: "2 h",
        timing: Timing::Unused,
        takes_sizes: true,
        compare: |campaign, item| best_gap::compare(campaign, item, &model::LARGE),
    },
    Item {
        paper: "004",
        name: "figure-9",
        title: "starts at different instants, large model",
        takes: "2 min",
        takes_in_full: "1 h",
        timing: Timing::Unused,
        takes_sizes: true,
        compare: |campaign, item| imbalance::compare(campaign, item, &model::LARGE),
    },
    Item {
        paper: "004",
        name: "figure-10",
        title: "starts at different instants, small model",
        takes: "2 min",
        takes_in_full: "8 min",
        timing: Timing::Unused,
        takes_sizes: true,
        compare: |campaign, item| imbalance::compare(campaign, item, &model::SMALL),
    },
    Item {
        paper: "004",
        name: "figure-11",
        title: "sums over sizes, small model",
        takes: "20 s",
        takes_in_full: "1 min",
        timing: Timing::Unused,
        takes_sizes: true,
        compare: |campaign, item| totals::compare(campaign, item, &model::SMALL),
    },
    Item {
        paper: "004",
        name: "figure-12",
        title: "sums over sizes, large model",
        takes: "2 min",
        takes_in_full: "1 h",
        timing: Timing::Unused,
        takes_sizes: true,
        compare: |campaign, item| totals::compare(campaign, item, &model::LARGE),
    },
    Item {
        paper: "004",
        name: "congestion",
        title: "where packets wait in the large model, and how long",
        takes: "1 min",
        takes_in_full: "2 min",
        timing: Timing::Unused,
        takes_sizes: false,
        compare: congestion::compare,
    },
    Item {
        paper: "004",
        name: "size-and-distance",
        title: "what pacing gains, by size of messages and length of routes",
        takes: "1 min",
        takes_in_full: "15 min",
        timing: Timing::Unused,
        takes_sizes: false,
        compare: size_and_distance::compare,
    },
];
