//! Placements with few hop-bytes: greedy, and by exchanges.

use super::unfinished;
use crate::pattern_out::pattern_of;
use crate::refused;
use std::collections::{BTreeMap, BTreeSet};
use weir_experiment::{AnalysisError, Scenario};
use weir_topology::Topology;
use weir_units::{NodeId, Rank, mix};
use weir_workload::{Sequence, Totals};

/// No rank is in the slot.
const FREE: u32 = u32::MAX;

/// Up to so many slots a rank looks at all of them; beyond at those beside its partners, and at some others.
const ALL_SLOTS: usize = 1024;

/// Other slots that a rank looks at then.
const SOME_SLOTS: u64 = 48;

/// Exchanges end after so many rounds, in which hardly anything changes any more.
const MOST_ROUNDS: usize = 40;

/// Counts as the length of a route that is not there.
const NO_ROUTE: u16 = 10_000;

/// A machine with slots for ranks. A placement is the slot of each rank.
pub(super) struct Search<'a> {
    volumes: &'a Volumes,
    nodes: usize,
    ranks_per_node: usize,
    /// By pair of nodes: links of the routes there and back.
    lengths: Vec<u16>,
}

impl<'a> Search<'a> {
    /// Distances of so many nodes take 128 MiB.
    pub(super) const MOST_NODES: usize = 8192;

    /// Looks at all routes. O(nodes^2 hops).
    pub(super) fn new(volumes: &'a Volumes, machine: &Topology, ranks_per_node: usize) -> Self {
        let nodes = machine.nodes();
        let mut lengths = vec![0_u16; nodes * nodes];
        let mut route = Vec::new();
        for from in 0..nodes {
            for to in (0..nodes).filter(|to| *to != from) {
                route.clear();
                let found = machine.find_route(NodeId::new(from), NodeId::new(to), &mut route);
                let length = if found { route.len() as u16 } else { NO_ROUTE };
                lengths[from * nodes + to] += length;
                lengths[to * nodes + from] += length;
            }
        }
        Self { volumes, nodes, ranks_per_node, lengths }
    }

    fn length(&self, one: u32, other: u32) -> u64 {
        let node = |slot: u32| slot as usize / self.ranks_per_node;
        u64::from(self.lengths[node(one) * self.nodes + node(other)])
    }

    fn slots(&self) -> usize {
        self.nodes * self.ranks_per_node
    }

    pub(super) fn nodes(&self, place: &[u32]) -> Vec<NodeId> {
        place.iter().map(|slot| NodeId::new(*slot as usize / self.ranks_per_node)).collect()
    }

    pub(super) fn take(&self, nodes: &[NodeId]) -> Vec<u32> {
        let mut used = vec![0; self.nodes];
        let slot = |node: &NodeId| {
            let used: &mut usize = &mut used[node.index()];
            *used += 1;
            (node.index() * self.ranks_per_node + *used - 1) as u32
        };
        nodes.iter().map(slot).collect()
    }

    pub(super) fn linear(&self) -> Vec<u32> {
        (0..self.volumes.ranks() as u32).collect()
    }

    /// Bytes times links, over all pairs; of a pair the mean of both ways.
    pub(super) fn hop_bytes(&self, place: &[u32]) -> u128 {
        let of = |rank: u32| {
            let partners = self.volumes.partners(rank).iter();
            let one = |&(other, bytes): &(u32, u64)| {
                u128::from(bytes) * u128::from(self.length(place[rank as usize], place[other as usize]))
            };
            partners.map(one).sum::<u128>()
        };
        // Each pair has been counted from both sides, with both ways.
        (0..place.len() as u32).map(of).sum::<u128>() / 4
    }

    /// Cost of a rank in a slot, without its traffic with `but`: that stays if both change places.
    fn cost(&self, place: &[u32], rank: u32, slot: u32, but: u32) -> u64 {
        let partners = self.volumes.partners(rank).iter().filter(|(other, _)| *other != but);
        partners.map(|&(other, bytes)| bytes.saturating_mul(self.length(slot, place[other as usize]))).sum()
    }

    fn residents(&self, place: &[u32]) -> Vec<u32> {
        let mut residents = vec![FREE; self.slots()];
        for (rank, slot) in (0..).zip(place) {
            residents[*slot as usize] = rank;
        }
        residents
    }

    /// By the greedy rule of Hoefler and Snir (section 3.2): the rank that exchanges most with those that have a place gets the free slot in which
    /// that costs least. Of equals the first.
    pub(super) fn greedy(&self) -> Vec<u32> {
        let ranks = self.volumes.ranks();
        let mut place = vec![FREE; ranks];
        let mut attraction = vec![0_u64; ranks];
        // By what a rank exchanges with those that are placed, most first.
        let mut waiting: BTreeSet<(u64, u32)> = (0..ranks as u32).map(|rank| (u64::MAX, rank)).collect();
        let mut free: Vec<u32> = (0..self.slots() as u32).collect();
        while let Some((pull, mut rank)) = waiting.first().copied() {
            if pull == u64::MAX {
                // No rank with a place exchanges anything with them: the one with most to exchange.
                let rest = waiting.iter().map(|(_, rank)| *rank);
                rank = rest
                    .max_by_key(|rank| (self.volumes.total(*rank), std::cmp::Reverse(*rank)))
                    .unwrap_or(rank);
            }
            waiting.remove(&(u64::MAX - attraction[rank as usize], rank));
            let partners = self.volumes.partners(rank).iter();
            let partners = partners.map(|&(other, bytes)| (place[other as usize], bytes));
            let placed: Vec<(u32, u64)> = partners.filter(|(place, _)| *place != FREE).collect();
            let cost = |slot: u32| -> u64 {
                placed.iter().map(|&(other, bytes)| bytes.saturating_mul(self.length(slot, other))).sum()
            };
            let Some(index) = (0..free.len()).min_by_key(|&index| cost(free[index])) else { break };
            place[rank as usize] = free.remove(index);
            for &(other, bytes) in self.volumes.partners(rank) {
                if place[other as usize] == FREE {
                    let pull = &mut attraction[other as usize];
                    waiting.remove(&(u64::MAX - *pull, other));
                    *pull += bytes;
                    waiting.insert((u64::MAX - *pull, other));
                }
            }
        }
        place
    }

    /// Ranks change places, or move into a free one, as long as that lowers hop-bytes.
    pub(super) fn exchanged(&self, mut place: Vec<u32>) -> Vec<u32> {
        let mut residents = self.residents(&place);
        for round in 0..MOST_ROUNDS {
            let mut changed = false;
            for rank in 0..place.len() as u32 {
                let here = place[rank as usize];
                let gain = |slot: u32| -> i128 {
                    let other = residents[slot as usize];
                    let before = self.cost(&place, rank, here, other);
                    let after = self.cost(&place, rank, slot, other);
                    let gain = i128::from(before) - i128::from(after);
                    if other == FREE {
                        return gain;
                    }
                    let (before, after) =
                        (self.cost(&place, other, slot, rank), self.cost(&place, other, here, rank));
                    gain + i128::from(before) - i128::from(after)
                };
                let slots = self.candidates(&place, rank, round as u64).into_iter();
                let gains =
                    slots.filter(|slot| *slot != here).map(|slot| (gain(slot), std::cmp::Reverse(slot)));
                let best = gains.max();
                if let Some((gain, std::cmp::Reverse(slot))) = best
                    && gain > 0
                {
                    let other = std::mem::replace(&mut residents[slot as usize], rank);
                    residents[here as usize] = other;
                    place[rank as usize] = slot;
                    if other != FREE {
                        place[other as usize] = here;
                    }
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        place
    }

    /// Slots that a rank looks at: all, or those beside its heaviest partners and some others.
    fn candidates(&self, place: &[u32], rank: u32, round: u64) -> Vec<u32> {
        let slots = self.slots();
        if slots <= ALL_SLOTS {
            return (0..slots as u32).collect();
        }
        let mut partners: Vec<(u32, u64)> = self.volumes.partners(rank).to_vec();
        partners.sort_by_key(|&(other, bytes)| (std::cmp::Reverse(bytes), other));
        let near = partners.iter().take(8).flat_map(|&(other, _)| {
            let theirs = self.volumes.partners(other).iter().take(8).map(|(third, _)| place[*third as usize]);
            let slot = place[other as usize];
            theirs.chain([slot.saturating_sub(1), (slot + 1).min(slots as u32 - 1)]).collect::<Vec<_>>()
        });
        let some = (0..SOME_SLOTS)
            .map(|number| (mix(mix(u64::from(rank)) ^ mix(round << 16 | number)) % slots as u64) as u32);
        near.chain(some).collect()
    }

    /// Some ranks go to slots drawn at random; who is there comes in return.
    pub(super) fn moved(&self, mut place: Vec<u32>, count: usize, seed: u64) -> Vec<u32> {
        let mut residents = self.residents(&place);
        for number in 0..count as u64 {
            let draw = |what: u64, below: usize| (mix(seed ^ mix(2 * number + what)) % below as u64) as usize;
            let (rank, slot) = (draw(0, place.len()), draw(1, self.slots()));
            let here = place[rank] as usize;
            residents.swap(here, slot);
            place[rank] = slot as u32;
            if residents[here] != FREE && here != slot {
                place[residents[here] as usize] = here as u32;
            }
        }
        place
    }
}

/// Bytes by pair of ranks, both ways together.
pub(super) struct Volumes {
    /// For each rank the others it exchanges something with, in their order, and how many bytes.
    partners: Vec<Vec<(u32, u64)>>,
}

impl Volumes {
    pub(super) const MOST_MESSAGES: u64 = 20_000_000;

    pub(super) fn of(scenario: &Scenario) -> Result<Self, AnalysisError> {
        let ranks = scenario.workload.ranks;
        if let Some(pattern) = scenario.pattern.as_deref() {
            if pattern.messages() > Self::MOST_MESSAGES {
                let (messages, most) = (pattern.messages(), Self::MOST_MESSAGES);
                return refused(format!(
                    "the pattern has {messages} messages; at most {most} are looked at\n\nhint: fewer repetitions exchange the same"
                ));
            }
            return Self::counted(pattern, ranks);
        }
        if scenario.workload.kind.profile().is_none() {
            return refused("there is nothing to run");
        }
        Self::counted(&pattern_of(scenario).or_else(unfinished)?, ranks)
    }

    fn counted(order: &dyn Sequence, ranks: usize) -> Result<Self, AnalysisError> {
        let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for rank in (0..ranks).map(Rank::new) {
            for entry in (0_u64..).map_while(|index| order.entry(rank, index)) {
                let Some((to, bytes)) = entry.message() else { continue };
                if to != rank {
                    // An empty message has a header: it is better near than far.
                    *pairs.entry((rank.0.min(to.0), rank.0.max(to.0))).or_default() += bytes.0.max(1);
                }
            }
        }
        if pairs.is_empty() {
            return refused("no rank sends anything to another: all placements are alike");
        }
        let mut partners = vec![Vec::new(); ranks];
        for ((one, other), bytes) in pairs {
            partners[one as usize].push((other, bytes));
            partners[other as usize].push((one, bytes));
        }
        Ok(Self { partners })
    }

    pub(super) const fn ranks(&self) -> usize {
        self.partners.len()
    }

    pub(super) fn partners(&self, rank: u32) -> &[(u32, u64)] {
        &self.partners[rank as usize]
    }

    pub(super) fn total(&self, rank: u32) -> u64 {
        self.partners(rank).iter().map(|(_, bytes)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use weir_experiment::Source;

    fn load(text: &str) -> Scenario {
        Scenario::load(&Source::of_text("e", text)).unwrap()
    }

    /// All placements of some ranks in some slots.
    fn placements(ranks: usize, slots: u32) -> Vec<Vec<u32>> {
        if ranks == 0 {
            return vec![Vec::new()];
        }
        let longer = |place: Vec<u32>| {
            (0..slots)
                .filter(|slot| !place.contains(slot))
                .map(|slot| [place.clone(), vec![slot]].concat())
                .collect::<Vec<_>>()
        };
        placements(ranks - 1, slots).into_iter().flat_map(longer).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

        /// Hop-bytes are those of the messages over their routes; exchanges never raise them, and end where no single one lowers
        /// them; every placement has each rank in a slot of its own; none has fewer than the best of all.
        #[test]
        fn exchanges_lower_hop_bytes(
            seed in 0_u64..1000, sides in (1_u32..4, 1_u32..4), per_node in 1_u32..3, messages in 1_u32..4,
        ) {
            let places = sides.0 * sides.1 * per_node;
            let ranks = places.clamp(2, 6).min(places);
            prop_assume!(places >= 2);
            let scenario = load(&format!(
                "seed = {seed}\n[topology]\nkind = 'torus'\nshape = [{}, {}]\nbandwidth = '1 GB/s'\n[engine]\nkind = 'flow'\n\
                 [mapping]\nranks_per_node = {per_node}\n[workload]\nkind = 'random-ring'\nranks = {ranks}\nmessages = {messages}\n\
                 message_size = '1 kB'\nsize_spread = 0.5\n",
                sides.0, sides.1
            ));
            let volumes = Volumes::of(&scenario).unwrap();
            let machine = scenario.machine().unwrap();
            let search = Search::new(&volumes, machine, per_node as usize);
            let by_hand = |place: &[u32]| {
                let nodes = search.nodes(place);
                let length = |from: usize, to: usize| {
                    let mut route = Vec::new();
                    machine.route(nodes[from], nodes[to], &mut route);
                    route.len() as u64
                };
                let pair = |rank: usize| {
                    let partners = volumes.partners(rank as u32).iter();
                    partners.map(|&(other, bytes)| bytes * (length(rank, other as usize) + length(other as usize, rank))).sum::<u64>()
                };
                (0..place.len()).map(pair).sum::<u64>() / 4
            };
            let valid = |place: &[u32]| {
                let mut slots = place.to_vec();
                slots.sort_unstable();
                slots.dedup();
                slots.len() == ranks as usize && slots.iter().all(|slot| *slot < places)
            };
            let starts = [search.linear(), search.greedy(), search.moved(search.linear(), 7, seed)];
            // The greedy rule begins with the rank that has most to exchange, in the first slot.
            let first = (0..ranks).max_by_key(|&rank| (volumes.partners(rank).iter().map(|(_, bytes)| bytes).sum::<u64>(), std::cmp::Reverse(rank)));
            prop_assert_eq!(starts[1][first.unwrap() as usize], 0);
            for start in starts {
                let end = search.exchanged(start.clone());
                prop_assert!(valid(&start) && valid(&end), "{start:?} {end:?}");
                prop_assert_eq!(search.hop_bytes(&start), u128::from(by_hand(&start)));
                prop_assert!(search.hop_bytes(&end) <= search.hop_bytes(&start));
                if places <= 6 {
                    let best = placements(ranks as usize, places).iter().map(|place| search.hop_bytes(place)).min();
                    prop_assert!(Some(search.hop_bytes(&end)) >= best);
                }
                for rank in 0..ranks as usize {
                    for slot in 0..places {
                        let mut other = end.clone();
                        if let Some(resident) = end.iter().position(|taken| *taken == slot) {
                            other[resident] = end[rank];
                        }
                        other[rank] = slot;
                        prop_assert!(search.hop_bytes(&other) + 1 >= search.hop_bytes(&end), "{end:?} {other:?}");
                    }
                }
                prop_assert_eq!(&search.take(&search.nodes(&end)).len(), &end.len());
            }
        }
    }
}
