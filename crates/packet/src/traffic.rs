//! Synthetic traffic: packets from everywhere to everywhere by a rule, at a load, without programs.

use weir_units::{Bytes, Duration, NodeId};

/// Traffic without programs: every node sends packets to nodes that a pattern chooses, at random times.
#[derive(Clone, Debug, PartialEq)]
pub struct Synthetic {
    /// Where they go.
    pub pattern: TrafficPattern,
    /// The load each node offers, as a part of what its injection link can carry; above 0, at most 1.
    pub offered_load: f64,
    /// When it sends.
    pub injection: Injection,
    /// Treatment of packets to the own node.
    pub self_traffic: SelfTraffic,
    /// Bytes of each packet, at most the MTU.
    pub packet: Bytes,
    /// Nothing is measured before.
    pub warmup: Duration,
    /// Time for which it is measured then.
    pub duration: Duration,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Where packets go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrafficPattern {
    /// To all nodes alike.
    Uniform,
    /// Half of the nodes further, less one: node v sends to v + ceil(N / 2) - 1 (modulo N).
    Tornado,
    /// Node number with its two halves of bits exchanged; N is a power of four.
    Transpose,
    /// Node number with its bits in reverse order; N is a power of two.
    BitReverse,
    /// Node number with all bits inverted; N is a power of two.
    BitComplement,
    /// To the next node, modulo N.
    Neighbor,
    /// A number of nodes further: node v sends to v + shift (modulo N).
    Shift {
        /// Number of nodes.
        shift: u32,
    },
    /// To all nodes alike of the group so many groups further (modulo their number). A group is so many nodes in the order
    /// of their numbers; N is a multiple of it.
    GroupShift {
        /// Nodes of a group, at least 1.
        group: u32,
        /// Number of groups further.
        shift: u32,
    },
    /// To the node with the same place among the nodes of its router, at the router so many further (modulo their number): routers with
    /// nodes in the order of their numbers, each with as many nodes, and these in the order of theirs.
    RouterShift {
        /// Number of routers.
        shift: u32,
    },
    /// To one node each, in a random order of all of them that the seed decides.
    RandomPermutation,
    /// Node number with its digits in reverse order; N is a power of the base.
    DigitReversal {
        /// At least 2.
        base: u32,
    },
    /// The coordinate in each dimension mirrored: `k - 1 - c` of `k`, so in all node v sends to N - 1 - v.
    Complement,
    /// This part of all packets to one node, the others to all nodes alike.
    HotSpot {
        /// The node.
        node: NodeId,
        /// From 0 to 1.
        part: f64,
    },
}

/// When packets are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Injection {
    /// At the beginning of every slot of time with the same probability.
    Bernoulli {
        /// The length of a slot; `None`: the time of a flit ([`RouterModel::flit`](crate::RouterModel::flit)) on the injection
        /// link, or of a packet that is shorter.
        slot: Option<Duration>,
    },
    /// After times with an exponential distribution.
    Exponential,
}

/// Treatment of packets to the own node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfTraffic {
    /// They go to the router and back.
    Allowed,
    /// Another destination is drawn. Where the pattern has only one, nothing is sent.
    Skipped,
}
