//! Messages within a node: what they cost where that is something else than between nodes, and the memory that carries them.

use super::costs::{given_overheads, read_overheads};
use super::{
    LOCAL_BANDWIDTH, LOCAL_EAGER_LIMIT, LOCAL_LATENCY, LOCAL_MESSAGE_GAP, LOCAL_RECEIVE_OVERHEAD,
    LOCAL_RENDEZVOUS_OVERHEAD, LOCAL_SEND_OVERHEAD, MEMORY_LIMIT, NodeSection,
};
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_message::LocalCosts;
use weir_network::{Copying, Placement, WithinNode};
use weir_units::{Bandwidth, Bytes, Duration};

/// What messages within a node cost; by default what messages between nodes do, and memory has no limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeLocal {
    /// Processor time at the sender, for each piece of sizes, or one for all; empty: as between nodes.
    pub send_overhead: Vec<Duration>,
    /// Likewise at the receiver.
    pub receive_overhead: Vec<Duration>,
    /// From when both sides are ready to when a message beyond the eager limit is let go; `None`: as between nodes.
    pub rendezvous_overhead: Option<Duration>,
    /// Least time between two of a rank; `None`: they have their turn among all its messages.
    pub message_gap: Option<Duration>,
    /// The longest that is sent without asking the receiver first; `None`: as between nodes.
    pub eager_limit: Option<Bytes>,
    /// From the end of the copy to the message being there.
    pub latency: Duration,
    /// How fast a rank copies, one message after the other; `None`: each by itself, as fast as the memory.
    pub bandwidth: Option<Bandwidth>,
    /// What the memory of a node carries together; `None`: whatever there is.
    pub memory_limit: Option<Bandwidth>,
}

impl NodeLocal {
    /// With overheads of so many pieces of sizes.
    pub(super) fn read(section: &mut Section<'_>, pieces: usize) -> Self {
        Self {
            send_overhead: read_overheads(section, &LOCAL_SEND_OVERHEAD, pieces),
            receive_overhead: read_overheads(section, &LOCAL_RECEIVE_OVERHEAD, pieces),
            rendezvous_overhead: section.get(&LOCAL_RENDEZVOUS_OVERHEAD),
            message_gap: section.get(&LOCAL_MESSAGE_GAP),
            eager_limit: section.get(&LOCAL_EAGER_LIMIT),
            latency: section.get_or_default(&LOCAL_LATENCY),
            bandwidth: section.get(&LOCAL_BANDWIDTH),
            memory_limit: section.get(&MEMORY_LIMIT),
        }
    }

    /// What is not as it is by default.
    pub(super) fn put(&self, node: &mut Resolved) {
        node.put_some(&LOCAL_SEND_OVERHEAD, given_overheads(&self.send_overhead));
        node.put_some(&LOCAL_RECEIVE_OVERHEAD, given_overheads(&self.receive_overhead));
        node.put_some(&LOCAL_RENDEZVOUS_OVERHEAD, self.rendezvous_overhead);
        node.put_some(&LOCAL_MESSAGE_GAP, self.message_gap);
        node.put_some(&LOCAL_EAGER_LIMIT, self.eager_limit);
        node.put_some(&LOCAL_LATENCY, (self.latency > Duration::ZERO).then_some(self.latency));
        node.put_some(&LOCAL_BANDWIDTH, self.bandwidth);
        node.put_some(&MEMORY_LIMIT, self.memory_limit);
    }
}

impl NodeSection {
    /// How messages pass between ranks of a node, on an engine where they pass so fast if nothing else is said.
    pub(crate) fn within(&self, default: Option<Bandwidth>) -> WithinNode {
        let NodeLocal { latency, bandwidth, memory_limit, .. } = self.local;
        let in_turn = bandwidth.is_some() || memory_limit.is_some();
        let copying = if in_turn { Copying::InTurn } else { Copying::Apart };
        WithinNode { bandwidth: bandwidth.or(default), copying, latency, memory_limit }
    }

    /// What the message layer does otherwise between ranks of one node; `None` if nothing.
    pub(super) fn local_costs(&self, placement: &Placement) -> Option<LocalCosts> {
        let (local, costs) = (&self.local, &self.costs);
        let NodeLocal {
            send_overhead, receive_overhead, rendezvous_overhead, message_gap, eager_limit, ..
        } = local;
        let lists = [send_overhead, receive_overhead];
        let times = [rendezvous_overhead, message_gap];
        if lists.iter().all(|list| list.is_empty()) && times == [&None; 2] && eager_limit.is_none() {
            return None;
        }
        let overhead = |own: &[Duration], between: &[Duration]| {
            self.overhead(if own.is_empty() { between } else { own })
        };
        Some(LocalCosts {
            nodes: placement.nodes().into(),
            send: overhead(send_overhead, &costs.send_overhead),
            receive: overhead(receive_overhead, &costs.receive_overhead),
            rendezvous: rendezvous_overhead.unwrap_or(costs.rendezvous_overhead),
            gap: *message_gap,
            eager_limit: eager_limit.unwrap_or(self.eager_limit),
        })
    }
}
