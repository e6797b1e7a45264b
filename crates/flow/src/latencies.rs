//! How long a message is on its way beside what its bytes take: the latencies of the links on its route.

use weir_topology::Topology;
use weir_units::{Duration, LinkId};

/// The latency of every link.
#[derive(Clone, Debug)]
pub(crate) enum Latencies {
    /// All links have the same; most machines, and a machine of a million nodes has millions of links.
    Same(Duration),
    /// By link.
    Each(Vec<Duration>),
}

impl Latencies {
    pub(crate) fn of(topology: &Topology) -> Self {
        let latency = |link| topology.link(LinkId::new(link)).latency;
        let mut all = (0..topology.links()).map(latency);
        let first = all.next().unwrap_or_default();
        if all.all(|latency| latency == first) {
            Self::Same(first)
        } else {
            Self::Each((0..topology.links()).map(latency).collect())
        }
    }

    /// The sum along a route.
    pub(crate) fn along(&self, route: &[LinkId]) -> Duration {
        match self {
            Self::Same(latency) => *latency * route.len() as u64,
            Self::Each(latencies) => {
                route.iter().fold(Duration::ZERO, |sum, link| sum + latencies[link.index()])
            }
        }
    }
}
