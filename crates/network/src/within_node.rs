//! Messages between ranks of one node, which memory carries.
//!
//! # Model
//! Where nothing else is said each message passes by itself, in its bytes over a bandwidth. Those of one sender to one receiver keep their
//! order: a short one is not there before a long one that was handed over earlier.
//! [`Copying::InTurn`] is how MPI libraries do it through shared memory: the receiver copies, be it out of a buffer that both have
//! (Open MPI's `vader`/`sm`, MPICH's `posix`) or out of the sender's own memory (CMA, XPMEM; Moreaud, Goglin, Goodell, Namyst: "Optimizing
//! MPI communication within large multicore nodes with kernel assistance", 2010), and a core copies one message at a time.
//!
//! ```text
//!   handed over -- waits for the receiver's copies before it -- copied: bytes / bandwidth -- there: latency later
//!                                                             ^ here it has departed
//! ```
//! Each byte of such a message takes two of a memory with a limit: it is read and it is written. Here messages get it in the order in
//! which they are handed over: none is copied before memory that carries one after the other would have carried it. The flow engine
//! divides the memory of a node among all that passes it instead.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_units::{Bandwidth, Bytes, Duration, Time};

/// Model of messages between two ranks of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WithinNode {
    /// Speed of one message; `None` is infinitely fast.
    pub bandwidth: Option<Bandwidth>,
    /// Number of messages that are that fast at a time.
    pub copying: Copying,
    /// From the end of its copy to its being there.
    pub latency: Duration,
    /// Bytes per second that the memory of a node carries for all together; `None`: any. With one, copies are
    /// [in turn](Copying::InTurn).
    pub memory_limit: Option<Bandwidth>,
}

/// Number of messages that pass at a time between ranks of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copying {
    /// Any number.
    #[default]
    Apart,
    /// Each rank copies what comes for it, one message after the other in the order in which they are handed over.
    InTurn,
}

impl WithinNode {
    /// Number of times that each byte of a message within a node passes its memory: it is read, and it is written.
    pub const PASSES: u64 = 2;

    /// Each message by itself, so fast.
    pub fn apart(bandwidth: Option<Bandwidth>) -> Self {
        Self { bandwidth, ..Self::default() }
    }

    /// Returns whether each rank copies one message at a time.
    pub fn is_in_turn(&self) -> bool {
        self.copying == Copying::InTurn || self.memory_limit.is_some()
    }

    /// Time of one message, alone.
    pub fn time(&self, bytes: Bytes) -> Duration {
        self.bandwidth.map_or(Duration::ZERO, |bandwidth| bandwidth.serialization_time(bytes))
    }
}

/// Number of pairs that are kept before those are looked for that nothing is under way of.
const PAIRS: usize = 64;

/// The memories of some nodes: what they have to carry for their ranks. 8 bytes for each rank and each node, and memory for
/// each pair of ranks that a message is under way of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeMemory {
    /// By sender and receiver: when the last message of theirs is carried, where each passes by itself. Pairs whose messages are
    /// there already may have been forgotten.
    pub last: BTreeMap<(usize, usize), Time>,
    /// Number of pairs when those without a message under way were forgotten the last time.
    pub under_way: usize,
    /// By receiver: when its last copy ends. Empty where each message passes by itself.
    pub copied: Vec<Time>,
    /// By node: when its memory has carried everything. Empty without a limit.
    pub carried: Vec<Time>,
}

/// Whose message it is, by their places among those of a [`NodeMemory`].
#[derive(Clone, Copy, Debug)]
pub struct Neighbors {
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// The node of both.
    pub node: usize,
}

impl NodeMemory {
    /// Nothing has been carried for so many ranks of so many nodes.
    pub fn new(model: &WithinNode, ranks: usize, nodes: usize) -> Self {
        let of = |is: bool, count: usize| vec![Time::ZERO; if is { count } else { 0 }];
        Self {
            last: BTreeMap::new(),
            under_way: 0,
            copied: of(model.is_in_turn(), ranks),
            carried: of(model.memory_limit.is_some(), nodes),
        }
    }

    /// When a message departs and arrives that is handed over now; `now` does not go back.
    pub fn pass(
        &mut self,
        model: &WithinNode,
        now: Time,
        bytes: Bytes,
        Neighbors { from, to, node }: Neighbors,
    ) -> (Time, Time) {
        if !model.is_in_turn() {
            let departs = now + model.time(bytes);
            return (departs, self.in_order(now, departs, (from, to)) + model.latency);
        }
        let copied = &mut self.copied[to];
        let mut end = (*copied).max(now) + model.time(bytes);
        if let Some(limit) = model.memory_limit.filter(|_| bytes > Bytes::ZERO) {
            let carried = &mut self.carried[node];
            let passes = Bytes(bytes.0.saturating_mul(WithinNode::PASSES));
            *carried = (*carried).max(now) + limit.serialization_time(passes);
            end = end.max(*carried);
        }
        *copied = end;
        (end, end + model.latency)
    }

    /// When a message has been carried that is handed over now and takes up to `end`: not before those of its pair that came earlier.
    fn in_order(&mut self, now: Time, end: Time, pair: (usize, usize)) -> Time {
        if self.last.len() >= PAIRS.max(2 * self.under_way) {
            self.last.retain(|_, last| *last > now);
            self.under_way = self.last.len();
        }
        if end == now && self.last.is_empty() {
            return end;
        }
        let last = self.last.entry(pair).or_insert(end);
        *last = (*last).max(end);
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Messages as (handed over, sender, receiver, bytes), all in node 0, and when each departs and arrives, in ns.
    #[track_caller]
    fn check(model: WithinNode, messages: &[(u64, usize, usize, u64)], expected: &[(u64, u64)]) {
        let mut memory = NodeMemory::new(&model, 4, 1);
        let ns = |time: Time| time.as_ps() / 1000;
        let found: Vec<_> = messages
            .iter()
            .map(|&(at, from, to, bytes)| {
                let between = Neighbors { from, to, node: 0 };
                let (departs, arrives) =
                    memory.pass(&model, Time::ZERO + Duration::from_ns(at), Bytes(bytes), between);
                (ns(departs), ns(arrives))
            })
            .collect();
        assert_eq!(found, expected, "{model:?}");
    }

    fn gigabytes(rate: f64) -> Option<Bandwidth> {
        Bandwidth::new(rate * 1e9)
    }

    /// Messages under way are kept, however many pairs there are, and no more than twice of it.
    #[test]
    fn pairs_are_forgotten_when_their_messages_are_there() {
        let model = WithinNode::apart(gigabytes(1.0));
        let mut memory = NodeMemory::new(&model, 1000, 1);
        let mut pass = |at, from, to, bytes| {
            let now = Time::ZERO + Duration::from_ns(at);
            let (_, arrives) = memory.pass(&model, now, Bytes(bytes), Neighbors { from, to, node: 0 });
            (arrives.as_ps() / 1000, memory.last.len())
        };
        // Of every sender a long one, then of other pairs one after the other: of each a byte.
        (0..100).for_each(|from| assert_eq!(pass(0, from, 0, 1_000_000).0, 1_000_000));
        for step in 0..10_000 {
            let (arrives, kept) = pass(10 * step, 100 + (step as usize) % 800, 1, 1);
            assert_eq!(arrives, 10 * step + 1);
            assert!(kept <= 204, "{kept} pairs");
        }
        (0..100).for_each(|from| assert_eq!(pass(200_000, from, 0, 1).0, 1_000_000));
    }

    proptest! {
        /// The definition, message by message: where each passes by itself it is carried in its own time, and is there with the
        /// slowest of those of its pair up to it. So a pair's messages keep their order, and no other message delays one.
        #[test]
        fn messages_of_a_pair_keep_their_order_and_wait_for_no_other(
            messages in prop::collection::vec((0..400_u64, 0..12_usize, 0..12_usize, 0..3000_u64), 1..300),
            latency in 0..50_u64,
        ) {
            let latency = Duration::from_ns(latency);
            let model = WithinNode { latency, ..WithinNode::apart(gigabytes(1.0)) };
            let mut memory = NodeMemory::new(&model, 12, 1);
            let mut now = Time::ZERO;
            let mut before = Vec::new();
            for (later, from, to, bytes) in messages {
                now += Duration::from_ns(later / 20);
                let alone = now + Duration::from_ns(bytes);
                before.push(((from, to), alone));
                let of_pair = before.iter().filter(|(pair, _)| *pair == (from, to)).map(|(_, alone)| *alone);
                let found = memory.pass(&model, now, Bytes(bytes), Neighbors { from, to, node: 0 });
                prop_assert_eq!(found, (alone, of_pair.max().unwrap_or(alone) + latency));
            }
        }
    }

    /// In turn: rank 1 copies 100 bytes up to 100 ns and the 50 up to 150; the one for rank 3 waits for none. One of no bytes waits
    /// for the copies of its receiver and takes no time.
    #[test]
    fn a_rank_copies_one_message_at_a_time() {
        let model = WithinNode {
            copying: Copying::InTurn,
            latency: Duration::from_ns(7),
            ..WithinNode::apart(gigabytes(1.0))
        };
        let messages = [(0, 0, 1, 100), (0, 2, 1, 50), (10, 0, 3, 5), (20, 3, 1, 0), (400, 3, 1, 1)];
        check(model, &messages, &[(100, 107), (150, 157), (15, 22), (150, 157), (401, 408)]);
    }

    /// Memory of 1 GB/s, which a byte passes twice: 100 bytes for rank 1 and 100 for rank 2, handed over together and copied at
    /// 1 GB/s, end at 200 and 400 ns. At 4 GB/s memory holds back the second only if it is not copied in the meantime: both end at 100.
    #[test]
    fn memory_carries_one_after_the_other() {
        let model =
            |limit| WithinNode { memory_limit: gigabytes(limit), ..WithinNode::apart(gigabytes(1.0)) };
        let messages = [(0, 0, 1, 100), (0, 3, 2, 100), (0, 1, 0, 0)];
        check(model(1.0), &messages, &[(200, 200), (400, 400), (0, 0)]);
        check(model(4.0), &messages, &[(100, 100), (100, 100), (0, 0)]);
        // Copies that take no time: memory alone.
        let memory = WithinNode { memory_limit: gigabytes(4.0), ..WithinNode::default() };
        check(memory, &messages, &[(50, 50), (100, 100), (0, 0)]);
    }
}
