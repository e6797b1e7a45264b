//! Max-min fair shares from scratch: progressive filling (Bertsekas and Gallager, "Data Networks", section 6.5).
//!
//! All flows grow alike until a link is full; the flows on it are frozen; the others grow on. This is what the
//! incremental rule of `max_min.rs` must agree with. It shares with it only who crosses what and the capacities, and
//! stands in for it when it does not come to rest.

use crate::crossings::{Crossings, Link};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weir_topology::Shares;
use weir_units::LinkId;

/// Result of progressive filling, in bytes per second.
#[derive(Debug)]
pub(crate) struct Filled {
    /// Per slot; zero where there is no flow.
    pub(crate) rates: Vec<f64>,
    /// Per link: the rate of the flows that were frozen on it; infinite if none was.
    pub(crate) levels: Vec<f64>,
}

/// Levels that differ by less than this part are the same where weights are summed up.
const ROUNDING: f64 = 1e-9;

/// Shares the links among the flows on them. O(hops log links). Only links that `can_fill` may become full; what the
/// others have is taken to be enough.
pub(crate) fn progressive_filling(crossings: &Crossings, can_fill: impl Fn(usize) -> bool) -> Filled {
    let mut rates = vec![0.0; crossings.slots()];
    let mut levels = vec![f64::INFINITY; crossings.links.len()];
    let mut residual: Vec<f64> = crossings.links.iter().map(|link| link.capacity).collect();
    let mut growing: Vec<usize> = crossings.links.iter().map(|link| link.count()).collect();
    // The weights of those that grow: their number where all weights are 1, exactly.
    let weight = |link: &Link| match crossings.weights(link.seats()) {
        Some(weights) => weights.iter().sum(),
        None => link.count() as f64,
    };
    let mut weights: Vec<f64> = crossings.links.iter().map(weight).collect();
    let level = |residual: f64, weight: f64| residual / weight;
    // Links that would be full at a level if no other were full before: by level, as bits, which order like numbers that are
    // not negative, and then by number.
    let candidate = |level: f64, link: usize| Reverse((level.max(0.0).to_bits(), link));
    let mut candidates: BinaryHeap<_> = (0..residual.len())
        .filter(|&link| growing[link] > 0 && can_fill(link))
        .map(|link| candidate(level(residual[link], weights[link]), link))
        .collect();
    while let Some(Reverse((expected, link))) = candidates.pop() {
        if growing[link] == 0 {
            continue;
        }
        let mut now = level(residual[link], weights[link]);
        let mut is_later = now > f64::from_bits(expected);
        if crossings.is_weighted() && !is_later {
            // Differences of weights are rounded, and those that are left may be small.
            (residual[link], weights[link]) = left(crossings, link, &rates);
            now = level(residual[link], weights[link]);
            is_later = now > f64::from_bits(expected) * (1.0 + ROUNDING);
        }
        if is_later {
            candidates.push(candidate(now, link));
            continue;
        }
        levels[link] = now;
        for seat in &crossings.seats[crossings.links[link].seats()] {
            let slot = seat.slot as usize;
            if rates[slot] > 0.0 {
                continue;
            }
            rates[slot] = now;
            for (crossed, weight) in crossings.weighted_route(slot) {
                residual[crossed] -= weight * now;
                weights[crossed] -= weight;
                growing[crossed] -= 1;
            }
        }
    }
    Filled { rates, levels }
}

/// Returns the capacity that flows with rates leave of a link, and the weights of its other flows.
fn left(crossings: &Crossings, link: usize, rates: &[f64]) -> (f64, f64) {
    let link = &crossings.links[link];
    crossings.seats[link.seats()].iter().fold((link.capacity, 0.0), |(capacity, weights), seat| {
        let (weight, rate) = (crossings.weight(seat.hop as usize), rates[seat.slot as usize]);
        if rate > 0.0 { (capacity - weight * rate, weights) } else { (capacity, weights + weight) }
    })
}

/// The same for flows of which those with lower levels share links first, the others what these leave: a part of less than 1e-9 of a link is
/// nothing. O(levels links + hops log links).
pub(crate) fn filling_by_level(crossings: &Crossings, levels: &[u8]) -> Filled {
    let slots = crossings.slots();
    let mut all = Filled { rates: vec![0.0; slots], levels: vec![f64::INFINITY; crossings.links.len()] };
    let mut left: Vec<f64> = crossings.links.iter().map(|link| link.capacity).collect();
    let active: Vec<usize> = crossings.active().collect();
    let mut next = active.iter().map(|&slot| levels[slot]).min();
    while let Some(level) = next {
        let mut alone = Crossings::new(left.iter().copied(), slots).weighted();
        let of_level = || active.iter().copied().filter(|&slot| levels[slot] == level);
        for slot in of_level().filter(|&slot| crossings.route(slot).all(|link| left[link] > 0.0)) {
            let mut hops: Vec<(usize, f64)> = crossings.weighted_route(slot).collect();
            hops.sort_by(|(_, one), (_, other)| one.total_cmp(other));
            let (links, weights): (Vec<_>, Vec<_>) =
                hops.into_iter().map(|(link, weight)| (LinkId::new(link), weight)).unzip();
            alone.attach(slot, &links, &weights);
        }
        let filled = progressive_filling(&alone, |_| true);
        for slot in of_level() {
            all.rates[slot] = filled.rates[slot];
            for (link, weight) in crossings.weighted_route(slot) {
                left[link] -= weight * filled.rates[slot];
            }
        }
        for (number, link) in crossings.links.iter().enumerate() {
            if left[number] < ROUNDING * link.capacity {
                left[number] = 0.0;
            }
            all.levels[number] = all.levels[number].min(filled.levels[number]);
        }
        next = active.iter().map(|&slot| levels[slot]).filter(|&other| other > level).min();
    }
    all
}

/// A set of flows on links of given capacities, of which nothing moves: the rates of one instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    crossings: Crossings,
}

impl Snapshot {
    /// Links of these capacities, in bytes per second, and room for so many flows.
    pub fn new(capacities: impl IntoIterator<Item = f64>, flows: usize) -> Self {
        Self { crossings: Crossings::new(capacities, flows) }
    }

    /// Puts a flow on the links of its route, which are all different.
    ///
    /// # Panics
    /// When this flow has a route already, or the route is empty.
    pub fn add(&mut self, flow: usize, route: &[LinkId]) {
        self.crossings.attach(flow, route, &[]);
    }

    /// The same, for flows that [take several routes](Self::add_shares) at once.
    pub fn weighted(capacities: impl IntoIterator<Item = f64>, flows: usize) -> Self {
        Self { crossings: Crossings::new(capacities, flows).weighted() }
    }

    /// Puts parts of a flow on links.
    ///
    /// # Panics
    /// When this flow has a route already, there are no links, or the snapshot is not [weighted](Self::weighted).
    pub fn add_shares(&mut self, flow: usize, shares: &Shares) {
        self.crossings.attach(flow, &shares.links, &shares.weights);
    }

    /// Number of flows that cross a link.
    pub fn share(&self, link: LinkId) -> usize {
        self.crossings.links[link.index()].count()
    }

    /// The max-min fair rate of each flow in bytes per second, by progressive filling; 0 of those without a route. O(hops
    /// log links).
    pub fn max_min_rates(&self) -> Vec<f64> {
        progressive_filling(&self.crossings, |_| true).rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::Index;

    /// Link 0 has 12 bytes per second for three flows; one of them crosses link 1 as well, which has 2, so the others
    /// share 10. A fourth one is alone on link 2.
    #[test]
    fn what_one_flow_cannot_use_others_get() {
        let mut snapshot = Snapshot::new([12.0, 2.0, 7.0], 5);
        for (flow, route) in [(0, vec![0]), (1, vec![0, 1]), (2, vec![0]), (4, vec![2])] {
            snapshot.add(flow, &route.into_iter().map(LinkId).collect::<Vec<_>>());
        }
        assert_eq!(snapshot.max_min_rates(), [5.0, 2.0, 5.0, 0.0, 7.0]);
        assert_eq!([0, 1, 2].map(|link| snapshot.share(LinkId(link))), [3, 1, 1]);
    }

    proptest! {
        /// Flows of the first level are as if they were alone; no link carries more than it can; and each flow crosses a link that flows of
        /// its level and of those before fill.
        #[test]
        fn levels_share_one_after_the_other(
            capacities in prop::collection::vec(1..9_u32, 1..6),
            flows in prop::collection::vec((prop::collection::vec(any::<Index>(), 1..4), 0..3_u8, 1..4_u32), 1..9),
        ) {
            let capacities: Vec<f64> = capacities.into_iter().map(f64::from).collect();
            let links = || capacities.iter().copied();
            let (mut all, mut first) =
                (Crossings::new(links(), flows.len()).weighted(), Crossings::new(links(), flows.len()).weighted());
            let levels: Vec<u8> = flows.iter().map(|(_, level, _)| *level).collect();
            let least = levels.iter().min().copied();
            for (slot, (route, level, weight)) in flows.iter().enumerate() {
                let mut route: Vec<LinkId> =
                    route.iter().map(|link| LinkId::new(link.index(capacities.len()))).collect();
                route.sort_unstable();
                route.dedup();
                let weights = vec![f64::from(*weight) / 3.0; route.len()];
                all.attach(slot, &route, &weights);
                if Some(*level) == least {
                    first.attach(slot, &route, &weights);
                }
            }
            let rates = filling_by_level(&all, &levels).rates;
            let alone = progressive_filling(&first, |_| true).rates;
            let load = |link: usize, up_to: u8| -> f64 {
                let of = |slot: usize| all.weighted_route(slot).find(|&(other, _)| other == link);
                (0..flows.len()).filter(|&slot| levels[slot] <= up_to).filter_map(|slot| Some(of(slot)?.1 * rates[slot])).sum()
            };
            for (link, capacity) in capacities.iter().enumerate() {
                prop_assert!(load(link, u8::MAX) <= capacity * (1.0 + 1e-9));
            }
            for slot in 0..flows.len() {
                if Some(levels[slot]) == least {
                    prop_assert_eq!(rates[slot], alone[slot]);
                }
                let is_full = |link: usize| load(link, levels[slot]) >= capacities[link] * (1.0 - 1e-8);
                prop_assert!(all.route(slot).any(is_full), "flow {}: {:?}", slot, rates);
            }
        }
    }
}
