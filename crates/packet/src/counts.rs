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
        self.links.iter_mut().zip(&other.links).for_each(|(own, other)| own.join(other));
    }

    /// Takes out the counts of links that have counted anything, with their numbers, in a process that sends them to the first one. Each process
    /// counts its own links of all that there are: the first one would read them all once for each process.
    pub(crate) fn links_to_send(&mut self, is_first: bool) -> Vec<(u32, LinkCounts)> {
        if is_first {
            return Vec::new();
        }
        let links = (0..).zip(std::mem::take(&mut self.links));
        links.filter(|(_, link)| *link != LinkCounts::default()).collect()
    }

    /// Adds those of another process; of links that there are.
    pub(crate) fn add_links(&mut self, links: &[(u32, LinkCounts)]) {
        for (number, counts) in links {
            if let Some(link) = self.links.get_mut(*number as usize) {
                link.join(counts);
            }
        }
    }
}

impl LinkCounts {
    fn join(&mut self, other: &Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.busy += other.busy;
        self.waited += other.waited;
        self.stalled += other.stalled;
        self.longest_queue = self.longest_queue.max(other.longest_queue);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processes that have counted different links, and one of them the same: what the second sends names its own only.
    #[test]
    fn links_of_processes_come_together() {
        let link = |packets| LinkCounts { packets, longest_queue: packets as u32, ..LinkCounts::default() };
        let counts = |packets: [u64; 4]| Counts { links: packets.map(link).into(), ..Counts::default() };
        let (mut first, mut second) = (counts([1, 0, 0, 5]), counts([0, 0, 7, 2]));
        assert_eq!((first.links_to_send(true), first.links.len()), (Vec::new(), 4));
        let sent = second.links_to_send(false);
        assert_eq!((&sent, second.links.len()), (&vec![(2, link(7)), (3, link(2))], 0));
        first.join(&second);
        first.add_links(&sent);
        let both = LinkCounts { packets: 7, longest_queue: 5, ..LinkCounts::default() };
        assert_eq!(first.links, [link(1), link(0), link(7), both]);
        first.add_links(&[(4, link(1))]);
        assert_eq!(first.links.len(), 4);
    }
}
