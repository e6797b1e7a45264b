//! Counts of a run.

use crate::Latencies;
use crate::network::PacketNetwork;
use crate::routers::RouterStates;
use crate::stuck::StuckChannel;
use weir_network::JobWaits;
use weir_units::{Duration, Time};

/// Counts of a run.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Packets that have arrived at their nodes.
    pub packets: u64,
    /// Packets that are in the network, if they have stopped moving.
    pub remaining: u64,
    /// A packet through one router and the link behind it, ejection links included.
    pub packet_hops: u64,
    /// Windows of simulated time in which packets moved.
    pub windows: u64,
    /// Their width.
    pub window: Duration,
    /// Threads that ran them, in each process.
    pub threads: usize,
    /// From the start of a packet on the injection link to its tail at the node.
    pub latency: Latencies,
    /// By link.
    pub links: Vec<LinkCounts>,
    /// For whose packets those of jobs have waited at links, all packets together, if that was asked for: [`LinkCounts::waited`] of
    /// the links by jobs.
    pub waits: JobWaits,
}

impl Counts {
    /// Adds what another process has counted of the same run.
    pub(crate) fn join(&mut self, other: &Self) {
        self.packets += other.packets;
        self.packet_hops += other.packet_hops;
        self.latency.join(&other.latency);
        self.waits.join(&other.waits);
        for (own, other) in self.links.iter_mut().zip(&other.links) {
            own.packets += other.packets;
            own.bytes += other.bytes;
            own.busy += other.busy;
            own.waited += other.waited;
            own.stalled += other.stalled;
            own.longest_queue = own.longest_queue.max(other.longest_queue);
        }
    }
}

/// Counts of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LinkCounts {
    /// Packets it has begun to carry.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time for which packets held it: their serialization time, or longer where their bytes came in more slowly.
    pub busy: Duration,
    /// Time for which its packets, all together, could have been granted it and were not. Injection links: zero.
    pub waited: Duration,
    /// Injection links: how long its packets, all together, could have left the interface and had no credit.
    pub stalled: Duration,
    /// The most packets that waited at a time in one virtual channel of the input buffer behind it, seen whenever one of them
    /// was granted. Ejection links: zero.
    pub longest_queue: u32,
}

impl Counts {
    /// Counts of the routers of all parts.
    pub(crate) fn gather(
        network: &PacketNetwork,
        left: &Left,
        parts: impl IntoIterator<Item = RouterStates>,
    ) -> Self {
        let mut counts = Self {
            threads: left.threads,
            windows: left.windows,
            window: network.window(),
            links: vec![LinkCounts::default(); network.links],
            ..Self::default()
        };
        parts.into_iter().for_each(|part| part.count(network, &mut counts));
        counts
    }
}

/// Results of a run beside its counts; the same in all processes.
#[derive(Clone)]
pub(crate) struct Left {
    /// The limit of the clock on the wall that ended it.
    pub(crate) limit: Option<String>,
    /// In how many windows packets moved.
    pub(crate) windows: u64,
    /// Number of threads that have run it in each process.
    pub(crate) threads: usize,
    /// If packets remain that nothing will move: channels that wait for each other. Empty if it is the nodes that wait.
    pub(crate) stuck: Option<Vec<StuckChannel>>,
    pub(crate) in_buffers: u64,
    /// When the last packet has left an interface or a router.
    pub(crate) last: Time,
}
