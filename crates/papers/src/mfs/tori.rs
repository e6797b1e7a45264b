//! The points of figure 4 and table 2: all-to-all on n x n tori in Mode F.

use crate::campaign::{Campaign, Experiment, Point};

/// The file of both.
static EXPERIMENT: Experiment = Experiment {
    name: "papers/000-mfs/figure-4.toml",
    text: include_str!("../../../../papers/000-mfs/figure-4.toml"),
};

const FEW: [usize; 2] = [10, 11];
const ALL: [usize; 7] = [10, 11, 12, 13, 14, 15, 16];

/// The side lengths n.
pub(super) fn sides(campaign: &Campaign<'_>) -> &'static [usize] {
    campaign.choose(&FEW, &ALL, &ALL)
}

/// The n x n torus as in the paper: no node awaits a message.
pub(super) fn point(n: usize) -> Point {
    Point {
        name: format!("{} nodes", n * n),
        experiment: &EXPERIMENT,
        overrides: vec![format!("topology.shape=[{n},{n}]")],
    }
}

/// The same, but each step sends and then receives, as on the packet engine.
pub(super) fn synchronised(n: usize) -> Point {
    let mut point = point(n);
    point.name += ", synchronised";
    point.overrides.push("workload.synchronised=true".into());
    point
}
