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

pub(super) fn points(sides: &[usize]) -> Vec<Point> {
    let point = |&n: &usize| Point {
        name: format!("{} nodes", n * n),
        experiment: &EXPERIMENT,
        overrides: vec![format!("topology.shape=[{n},{n}]")],
    };
    sides.iter().map(point).collect()
}
