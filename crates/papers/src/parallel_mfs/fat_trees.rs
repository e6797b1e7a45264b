//! The machines of table 3.1: fat trees n x n x 2n of 2n-port switches.

use crate::campaign::{Campaign, Experiment, Point};

/// The random ring on one of them.
static EXPERIMENT: Experiment = Experiment {
    name: "papers/002-parallel-mfs/random-ring.toml",
    text: include_str!("../../../../papers/002-parallel-mfs/random-ring.toml"),
};

/// One line of table 3.1.
#[derive(Clone, Copy)]
pub(super) struct PublishedTree {
    /// Half of the ports of a switch.
    pub(super) n: usize,
    pub(super) nodes: usize,
    /// The column "links": cables, those of the nodes included.
    pub(super) cables: usize,
}

const TABLE: [PublishedTree; 5] = [
    PublishedTree { n: 8, nodes: 1024, cables: 3072 },
    PublishedTree { n: 12, nodes: 3456, cables: 10_368 },
    PublishedTree { n: 20, nodes: 16_000, cables: 48_000 },
    PublishedTree { n: 24, nodes: 27_648, cables: 82_944 },
    PublishedTree { n: 32, nodes: 65_536, cables: 196_608 },
];

pub(super) fn machines(campaign: &Campaign<'_>) -> &'static [PublishedTree] {
    campaign.choose(&TABLE[..2], &TABLE, &TABLE)
}

impl PublishedTree {
    /// As the paper writes it.
    pub(super) fn name(self) -> String {
        format!("{0}x{0}x{1}", self.n, 2 * self.n)
    }

    /// The random ring on this machine.
    pub(super) fn random_ring(self, sharing: &str) -> Point {
        let overrides = vec![format!("topology.radix={}", 2 * self.n), format!("engine.sharing={sharing}")];
        Point { name: format!("{} nodes, {sharing}", self.nodes), experiment: &EXPERIMENT, overrides }
    }
}
