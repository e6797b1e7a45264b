//! The node to which a packet of synthetic traffic goes.

use crate::TrafficPattern;
use crate::network::PacketNetwork;
use weir_topology::{Generator, permutation};
use weir_units::{GOLDEN, NodeId, mix, pick};

/// The destinations of a pattern in a network.
#[derive(Debug)]
pub(crate) struct Destinations {
    pattern: TrafficPattern,
    nodes: u64,
    /// By node: the only destination, where that follows from more than the number of the node; else empty.
    only: Vec<u32>,
}

impl Destinations {
    pub(crate) fn new(network: &PacketNetwork, pattern: TrafficPattern, seed: u64) -> Self {
        let only = match pattern {
            TrafficPattern::RouterShift { shift } => {
                let nics = network.nics.iter().step_by(network.nics_per_node as usize);
                router_shift(&nics.map(|nic| network.numbers[nic.router as usize]).collect::<Vec<_>>(), shift)
            }
            TrafficPattern::RandomPermutation => permutation(network.nodes(), seed, Generator::SplitMix),
            _ => Vec::new(),
        };
        Self { pattern, nodes: network.nodes() as u64, only }
    }

    /// The destination of the next packet of a node.
    pub(crate) fn draw(&self, node: NodeId, state: &mut u64) -> NodeId {
        match self.only.get(node.index()) {
            Some(&only) => NodeId(only),
            None => drawn(self.pattern, node, self.nodes, state),
        }
    }
}

/// By node, of which the routers are given: the node with the same place at the router so many further, counted in the order of
/// their numbers among routers with nodes.
fn router_shift(routers: &[u32], shift: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(routers.len()).collect();
    order.sort_by_key(|&node| routers[node as usize]);
    let alike = order.chunk_by(|&one, &next| routers[one as usize] == routers[next as usize]);
    let each = alike.clone().next().map_or(0, <[u32]>::len);
    assert!(
        alike.clone().all(|nodes| nodes.len() == each),
        "routers with nodes have the same number of them"
    );
    let places = shift as usize % alike.count().max(1) * each;
    let mut to = vec![0; routers.len()];
    for (place, &node) in order.iter().enumerate() {
        to[node as usize] = order[(place + places) % order.len()];
    }
    to
}

/// A random number of SplitMix64.
pub(crate) fn next(state: &mut u64) -> u64 {
    let number = mix(*state);
    *state = state.wrapping_add(GOLDEN);
    number
}

/// Where a packet of a node goes by a pattern for which the number of the node, and chance, say all.
fn drawn(pattern: TrafficPattern, node: NodeId, count: u64, state: &mut u64) -> NodeId {
    let bits = count.trailing_zeros();
    let anywhere = |state: &mut u64| pick(next(state), count as usize) as u64;
    let own = u64::from(node.0);
    let to = match pattern {
        TrafficPattern::Uniform => anywhere(state),
        TrafficPattern::Tornado => (own + count.div_ceil(2) - 1) % count,
        TrafficPattern::Transpose => {
            assert!(
                count.is_power_of_two() && bits.is_multiple_of(2),
                "a transpose needs a power of four nodes"
            );
            let half = bits / 2;
            (own >> half | own << half) & (count - 1)
        }
        TrafficPattern::BitReverse => {
            assert!(count.is_power_of_two(), "bits are reversed among a power of two nodes");
            own.reverse_bits().checked_shr(u64::BITS - bits).unwrap_or(0)
        }
        TrafficPattern::BitComplement => {
            assert!(count.is_power_of_two(), "bits are inverted among a power of two nodes");
            !own & (count - 1)
        }
        TrafficPattern::Neighbor => (own + 1) % count,
        TrafficPattern::Shift { shift } => (own + u64::from(shift)) % count,
        TrafficPattern::GroupShift { group, shift } => {
            let group = u64::from(group);
            assert!(group > 0 && count.is_multiple_of(group), "nodes are in groups of the same size");
            let target = (own / group + u64::from(shift)) % (count / group);
            target * group + pick(next(state), group as usize) as u64
        }
        TrafficPattern::RouterShift { .. } | TrafficPattern::RandomPermutation => {
            unreachable!("these have a table")
        }
        TrafficPattern::DigitReversal { base } => digits_reversed(own, base.into(), count),
        TrafficPattern::Complement => count - 1 - own,
        TrafficPattern::HotSpot { node, part } => {
            let uniform = (next(state) >> 11) as f64 * 2f64.powi(-53);
            if uniform < part { u64::from(node.0) } else { anywhere(state) }
        }
    };
    NodeId::new(to as usize)
}

/// A number below `count`, a power of the base, with its digits in reverse order.
fn digits_reversed(number: u64, base: u64, count: u64) -> u64 {
    let (mut rest, mut reversed, mut numbers) = (number, 0, 1);
    while numbers < count {
        reversed = reversed * base + rest % base;
        rest /= base;
        numbers *= base;
    }
    assert!(numbers == count, "digits are reversed among a power of the base");
    reversed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(pattern: TrafficPattern, nodes: u32) -> Vec<u32> {
        let mut state = 1;
        (0..nodes).map(|node| drawn(pattern, NodeId(node), nodes.into(), &mut state).0).collect()
    }

    #[test]
    fn patterns_with_one_destination() {
        assert_eq!(all(TrafficPattern::Shift { shift: 7 }, 5), [2, 3, 4, 0, 1]);
        assert_eq!(all(TrafficPattern::Complement, 5), [4, 3, 2, 1, 0]);
        assert_eq!(all(TrafficPattern::DigitReversal { base: 3 }, 9), [0, 3, 6, 1, 4, 7, 2, 5, 8]);
        assert_eq!(all(TrafficPattern::DigitReversal { base: 2 }, 8), all(TrafficPattern::BitReverse, 8));
        assert_eq!(all(TrafficPattern::GroupShift { group: 1, shift: 2 }, 4), [2, 3, 0, 1]);
        assert_eq!(all(TrafficPattern::Neighbor, 3), [1, 2, 0]);
        assert_eq!(all(TrafficPattern::Tornado, 4), [1, 2, 3, 0]);
        assert_eq!(all(TrafficPattern::Tornado, 5), [2, 3, 4, 0, 1]);
        assert_eq!(all(TrafficPattern::BitComplement, 8), [7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(all(TrafficPattern::BitReverse, 8), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(all(TrafficPattern::BitReverse, 1), [0]);
        // Rows and columns of a table of four by four.
        let transposed: Vec<u32> =
            (0..4).flat_map(|row| (0..4).map(move |column| 4 * column + row)).collect();
        assert_eq!(all(TrafficPattern::Transpose, 16), transposed);
    }

    /// Each node of seven gets a seventh of what is sent to all alike, one of them half of all more where that is asked for.
    #[test]
    fn patterns_by_chance() {
        let mut state = 1;
        let hot_spot = TrafficPattern::HotSpot { node: NodeId(2), part: 0.5 };
        for (pattern, more) in [(TrafficPattern::Uniform, 0.0), (hot_spot, 0.5)] {
            let mut counts = [0_u32; 7];
            for _ in 0..70_000 {
                counts[drawn(pattern, NodeId(3), 7, &mut state).index()] += 1;
            }
            for (node, count) in counts.into_iter().enumerate() {
                let expected = 70_000.0 * ((1.0 - more) / 7.0 + if node == 2 { more } else { 0.0 });
                // Five times the standard deviation.
                let far = (f64::from(count) - expected).abs();
                assert!(far < 5.0 * expected.sqrt(), "{pattern:?}, node {node}: {count}, not {expected}");
            }
        }
    }

    #[test]
    fn a_shift_by_groups_reaches_all_nodes_of_the_group() {
        let mut state = 1;
        let pattern = TrafficPattern::GroupShift { group: 4, shift: 2 };
        let mut found: Vec<_> = (0..99).map(|_| drawn(pattern, NodeId(9), 12, &mut state).0).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, [4, 5, 6, 7]);
    }

    /// Nodes 0 to 5 at routers 7, 3, 7, 9, 3, 9, in the order 3, 7, 9: at 3 are 1 and 4, at 7 are 0 and 2, at 9 are 3 and 5.
    #[test]
    fn a_shift_by_routers_keeps_the_place() {
        let routers = [7, 3, 7, 9, 3, 9];
        assert_eq!(router_shift(&routers, 0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(router_shift(&routers, 1), [3, 0, 5, 1, 2, 4]);
        assert_eq!(router_shift(&routers, 2), [1, 3, 4, 0, 5, 2]);
        assert_eq!(router_shift(&routers, 4), router_shift(&routers, 1));
    }

    /// With one node on each router, in the order of routers, it is a shift of nodes.
    #[test]
    fn a_shift_by_routers_of_a_node_is_a_shift() {
        let routers: Vec<u32> = (10..15).collect();
        for shift in 0..7 {
            assert_eq!(router_shift(&routers, shift), all(TrafficPattern::Shift { shift }, 5));
        }
    }

    proptest! {
        /// Routers of any numbers with nodes in any order: each node gets one other's packets, nodes of a router send to one router, the
        /// first of them to its first and so on, and two shifts after each other are their sum.
        #[test]
        fn a_shift_by_routers_is_a_permutation(
            routers in prop::collection::btree_set(0_u32..50, 1..8), each in 1_usize..5, seed: u64, (a, b) in (0_u32..20, 0_u32..20)
        ) {
            let numbers: Vec<u32> = routers.iter().copied().collect();
            let nodes = numbers.len() * each;
            let order = permutation(nodes, seed, Generator::SplitMix);
            let at: Vec<u32> = order.iter().map(|&place| numbers[place as usize / each]).collect();
            let to = router_shift(&at, a);
            let mut sorted = to.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..nodes as u32).collect::<Vec<_>>());
            for (from, &to) in to.iter().enumerate() {
                let router = |node: u32| numbers.iter().position(|&number| number == at[node as usize]).unwrap();
                let place = |node: u32| (0..node).filter(|&other| at[other as usize] == at[node as usize]).count();
                let from = from as u32;
                prop_assert_eq!(router(to), (router(from) + a as usize) % numbers.len());
                prop_assert_eq!(place(to), place(from));
            }
            let then = router_shift(&at, b);
            let both: Vec<u32> = to.iter().map(|&first| then[first as usize]).collect();
            prop_assert_eq!(both, router_shift(&at, a + b));
        }
    }
}
