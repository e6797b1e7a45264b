//! The packet side of figures 4 and 6 and of table 2: all-to-all on n x n tori on the packet engine.

use crate::campaign::{Experiment, Point};

/// The file of all three.
static EXPERIMENT: Experiment = Experiment {
    name: "papers/000-mfs/packets.toml",
    text: include_str!("../../../../papers/000-mfs/packets.toml"),
};

/// The message sizes whose difference is what the messages themselves take (section 5.1).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// 20 kB.
    Whole,
    /// 1 B: all that does not grow with the size.
    OneByte,
}

impl Size {
    fn key(self) -> &'static str {
        match self {
            Self::Whole => "20 kB",
            Self::OneByte => "1 B",
        }
    }
}

/// The all-to-all on the n x n torus.
pub(super) fn point(n: usize, algorithm: &str, size: Size) -> Point {
    Point {
        name: format!("{} nodes, {algorithm}, packets, {}", n * n, size.key()),
        experiment: &EXPERIMENT,
        overrides: vec![
            format!("topology.shape=[{n},{n}]"),
            format!("workload.algorithm={algorithm}"),
            format!("workload.message_size='{}'", size.key()),
        ],
    }
}
