//! Which flow crosses which link: the two-sided graph that all sharing rules work on.
//!
//! ```text
//!   slot  --route-->  hop  hop  hop       one hop per link of a flow's route, side by side
//!                      |    |    |
//!   link  --flows-->  seat seat seat      one seat per flow of a link, side by side
//! ```
//! A flow has a *slot*, which belongs to the interface that sends it (`lanes.rs`). A hop knows its seat
//! and a seat its hop, so that taking a flow away needs no search. A rule may put the hops of a flow into another order. The order of the seats of a link, and with it the
//! order in which floating-point sums are taken, follows from the order of the calls alone.
//!
//! Where a rule spreads the bytes of a flow over several routes, only a part of them passes a link: the *weight* of the hop, above 0
//! and at most 1. A flow loads a link with its rate times that. Where every flow has one route no weights are kept.

mod blocks;

use blocks::{Blocks, order_for, size};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use weir_topology::Shares;
use weir_units::LinkId;

/// One link as the rules see it: 40 bytes, so that a visit most often reads one cache line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Link {
    /// Bytes per second.
    pub(crate) capacity: f64,
    /// The most that the rule gives a flow here, in bytes per second: `eb` of paper 000, the water level of max-min.
    /// Infinite until the rule has looked at the link.
    pub(crate) share: f64,
    first: u32,
    count: u32,
    /// The most flows at one time.
    pub(crate) most: u32,
    /// The last link of the routes of all its flows; [`Link::NO_END`] if they end on different links, or did since the
    /// link was last empty.
    end: u32,
    order: u8,
    /// Number of its flows, those in its first seats, that are its crowd in max-min; nothing in the other rules.
    pub(crate) crowd: u32,
    /// True if max-min watches the link; nothing in the other rules.
    pub(crate) watched: bool,
    /// True if the link is in the rule's list of links to look at.
    pub(crate) queued: bool,
    /// True if some of its flows may be in the crowds of other links, in max-min; nothing in the other rules.
    pub(crate) has_guests: bool,
}

impl Link {
    const NO_END: u32 = u32::MAX;

    fn new(capacity: f64) -> Self {
        Self {
            capacity,
            share: f64::INFINITY,
            first: 0,
            count: 0,
            most: 0,
            end: Self::NO_END,
            crowd: 0,
            watched: false,
            order: NO_BLOCK,
            queued: false,
            has_guests: false,
        }
    }

    /// The one link on which all flows of this link end, if that is so.
    pub(crate) fn end(&self) -> Option<usize> {
        (self.end != Self::NO_END).then_some(self.end as usize)
    }

    /// Number of flows that cross the link.
    pub(crate) fn count(&self) -> usize {
        self.count as usize
    }

    pub(crate) fn seats(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }

    /// Where the seats of its crowd are: the first ones.
    pub(crate) fn crowd_seats(&self) -> Range<usize> {
        self.first as usize..(self.first + self.crowd) as usize
    }

    /// Where the seats of the flows are that are not in its crowd.
    pub(crate) fn seats_beside_crowd(&self) -> Range<usize> {
        (self.first + self.crowd) as usize..(self.first + self.count) as usize
    }

    fn room(&self) -> u32 {
        if self.order == NO_BLOCK { 0 } else { size(self.order) as u32 }
    }
}

/// A flow's passage over one link.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Hop {
    pub(crate) link: u32,
    /// The flow's seat there.
    pub(crate) seat: u32,
}

/// A link's place for one flow.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Seat {
    /// Which flow.
    pub(crate) slot: u32,
    pub(crate) hop: u32,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Route {
    first: u32,
    len: u32,
}

/// Links, flows and who crosses what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Crossings {
    pub(crate) links: Vec<Link>,
    /// Per link: bytes carried by flows that have left it.
    pub(crate) link_bytes: Vec<f64>,
    routes: Vec<Route>,
    pub(crate) hops: Vec<Hop>,
    /// Beside each hop: what max-min knows of the link's level there; nothing in the other rules.
    pub(crate) levels: Vec<f64>,
    /// Beside each hop: its weight; empty where all are 1.
    hop_weights: Vec<f64>,
    hop_blocks: Blocks,
    pub(crate) seats: Vec<Seat>,
    /// Beside each seat: what the flow could use of the link in max-min; nothing in the other rules.
    pub(crate) limits: Vec<f64>,
    /// Beside each seat: the weight of its hop; empty where all are 1.
    seat_weights: Vec<f64>,
    is_weighted: bool,
    seat_blocks: Blocks,
    least_order: u8,
    /// Number of the links that are not those of one slot alone; these come behind them, if there are any.
    shared: usize,
    is_bounded: bool,
}

/// [`Link::order`] of a link that never had a flow.
const NO_BLOCK: u8 = u8::MAX;
/// Up to how many links of a machine each starts with eight seats, and each flow with eight hops, which keeps them off
/// each other's cache lines; beyond, with as few as are needed.
const FEW_LINKS: usize = 1 << 14;
/// Order of blocks of eight.
const EIGHT: u8 = 5;

impl Crossings {
    /// Links with these capacities (bytes per second), nothing on them, and so many slots.
    pub(crate) fn new(capacities: impl IntoIterator<Item = f64>, slots: usize) -> Self {
        let links: Vec<Link> = capacities.into_iter().map(Link::new).collect();
        let least_order = if links.len() <= FEW_LINKS { EIGHT } else { 0 };
        Self {
            link_bytes: vec![0.0; links.len()],
            shared: links.len(),
            links,
            routes: vec![Route::default(); slots],
            hops: Vec::new(),
            levels: Vec::new(),
            hop_weights: Vec::new(),
            hop_blocks: Blocks::default(),
            seats: Vec::new(),
            limits: Vec::new(),
            seat_weights: Vec::new(),
            is_weighted: false,
            seat_blocks: Blocks::default(),
            least_order,
            is_bounded: false,
        }
    }

    /// The same, for flows that load links with parts of their rates.
    pub(crate) fn weighted(self) -> Self {
        assert!(self.hops.is_empty(), "there are no flows yet");
        Self { is_weighted: true, ..self }
    }

    /// The same, with a link for each slot alone, which [bounds](Self::bound) its flow.
    pub(crate) fn bounded(mut self) -> Self {
        self.is_bounded = true;
        (0..self.slots()).for_each(|_| self.add_own_link());
        self
    }

    fn add_own_link(&mut self) {
        self.links.push(Link::new(f64::INFINITY));
        self.link_bytes.push(0.0);
    }

    /// Adds the link of a slot alone to the route of its next flow, which gets this rate there at most, in bytes per second, unless that is
    /// infinite.
    ///
    /// # Panics
    /// When links are not [bounded](Self::bounded).
    pub(crate) fn bound(&mut self, slot: usize, most: f64, route: &mut Shares) {
        if most == f64::INFINITY {
            return;
        }
        let own = self.shared + slot;
        self.links[own].capacity = most;
        let last = route.links.len() - 1;
        route.links.insert(last, LinkId::new(own));
        route.weights.insert(last, 1.0);
    }

    /// The same links and as many slots, with nothing on them.
    pub(crate) fn emptied(&self) -> Self {
        let capacities = self.links[..self.shared].iter().map(|link| link.capacity);
        let emptied = Self { is_weighted: self.is_weighted, ..Self::new(capacities, self.slots()) };
        if self.is_bounded { emptied.bounded() } else { emptied }
    }

    /// Returns whether hops may have weights other than 1.
    pub(crate) fn is_weighted(&self) -> bool {
        self.is_weighted
    }

    /// The part of its flow's bytes that passes a hop.
    #[inline]
    pub(crate) fn weight(&self, hop: usize) -> f64 {
        if self.is_weighted { self.hop_weights[hop] } else { 1.0 }
    }

    /// The weights of the flows in some seats, where there are any.
    pub(crate) fn weights(&self, seats: Range<usize>) -> Option<&[f64]> {
        self.is_weighted.then(|| &self.seat_weights[seats])
    }

    /// Gives links other capacities.
    ///
    /// # Panics
    /// When there is a flow on a link: rules know what it could use.
    pub(crate) fn set_capacities(&mut self, capacity: impl Fn(usize) -> f64) {
        for (number, link) in self.links[..self.shared].iter_mut().enumerate() {
            assert!(link.count == 0, "a flow is on a link whose capacity changes");
            link.capacity = capacity(number);
        }
    }

    pub(crate) fn slots(&self) -> usize {
        self.routes.len()
    }

    pub(crate) fn add_slot(&mut self) {
        self.routes.push(Route::default());
        if self.is_bounded {
            self.add_own_link();
        }
    }

    /// Number of the links that are not those of one slot alone.
    pub(crate) fn shared(&self) -> usize {
        self.shared
    }

    /// Where the hops of a slot's flow are; empty if it has no flow.
    pub(crate) fn hops(&self, slot: usize) -> Range<usize> {
        let Route { first, len } = self.routes[slot];
        first as usize..first as usize + len as usize
    }

    /// The links of a flow, in the order of its hops.
    pub(crate) fn route(&self, slot: usize) -> impl Iterator<Item = usize> + '_ {
        self.hops[self.hops(slot)].iter().map(|hop| hop.link as usize)
    }

    /// The links of a flow with their weights, in the order of its hops.
    pub(crate) fn weighted_route(&self, slot: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.hops(slot).map(|hop| (self.hops[hop].link as usize, self.weight(hop)))
    }

    /// The weight of its class that a flow has, with which those of its hops have been multiplied: that of its last link. O(hops).
    pub(crate) fn scale(&self, slot: usize) -> f64 {
        if !self.is_weighted {
            return 1.0;
        }
        self.hop_weights[self.hops(slot)].iter().copied().reduce(f64::max).unwrap_or(1.0)
    }

    /// The slots that have a flow, ascending. O(slots).
    pub(crate) fn active(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.slots()).filter(|&slot| self.routes[slot].len > 0)
    }

    /// Puts a flow on the links of `route`, which are all different. `weights` are those of its hops, or none if all are 1; none is above
    /// that of the last. O(hops), amortized.
    ///
    /// # Panics
    /// When the slot has a flow already, or the route is empty, or when there are weights and the links are not [weighted](Self::weighted).
    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId], weights: &[f64]) {
        assert!(self.routes[slot].len == 0, "a slot has one flow at a time");
        assert!(
            weights.is_empty() || self.is_weighted && weights.len() == route.len(),
            "a weight for each hop"
        );
        debug_assert!(weights.iter().all(|&weight| weight > 0.0 && weight <= 1.0), "parts: {weights:?}");
        debug_assert!(
            weights.iter().all(|weight| Some(weight) <= weights.last()),
            "all of a flow ends on its last link: {weights:?}"
        );
        let end = route.last().expect("a flow crosses at least one link").0;
        let first = self.hop_blocks.take(order_for(route.len()).max(self.least_order));
        if self.hops.len() < self.hop_blocks.places() {
            self.hops.resize(self.hop_blocks.places(), Hop::default());
            self.levels.resize(self.hop_blocks.places(), 0.0);
            if self.is_weighted {
                self.hop_weights.resize(self.hop_blocks.places(), 0.0);
            }
        }
        self.routes[slot] = Route { first, len: route.len() as u32 };
        for (hop, link) in (first..).zip(route) {
            let seat = self.take_seat(link.index(), end);
            self.seats[seat as usize] = Seat { slot: slot as u32, hop };
            self.hops[hop as usize] = Hop { link: link.0, seat };
            if self.is_weighted {
                let weight = weights.get((hop - first) as usize).copied().unwrap_or(1.0);
                (self.hop_weights[hop as usize], self.seat_weights[seat as usize]) = (weight, weight);
            }
        }
    }

    /// Takes a slot's flow away, of which so many bytes have been carried, and by each link their part; the last flow of each of them moves to
    /// the free seat. O(hops).
    pub(crate) fn detach(&mut self, slot: usize, bytes: f64) {
        let hops = self.hops(slot);
        for hop in hops.clone() {
            let Hop { link: number, seat } = self.hops[hop];
            self.link_bytes[number as usize] += bytes * self.weight(hop);
            let link = &mut self.links[number as usize];
            link.count -= 1;
            if link.count == 0 {
                (link.share, link.watched) = (f64::INFINITY, false);
                continue;
            }
            let last = (link.first + link.count) as usize;
            let moved = self.seats[last];
            self.seats[seat as usize] = moved;
            self.limits[seat as usize] = self.limits[last];
            if self.is_weighted {
                self.seat_weights[seat as usize] = self.seat_weights[last];
            }
            self.hops[moved.hop as usize].seat = seat;
        }
        self.hop_blocks.give(hops.start as u32, order_for(hops.len()).max(self.least_order));
        self.routes[slot] = Route::default();
    }

    /// Lets the flows in two seats of a link change places.
    pub(crate) fn swap_seats(&mut self, a: usize, b: usize) {
        self.seats.swap(a, b);
        self.limits.swap(a, b);
        if self.is_weighted {
            self.seat_weights.swap(a, b);
        }
        for seat in [a, b] {
            self.hops[self.seats[seat].hop as usize].seat = seat as u32;
        }
    }

    /// Lets two hops of a flow change places, with what is known of their levels.
    pub(crate) fn swap_hops(&mut self, a: usize, b: usize) {
        self.hops.swap(a, b);
        self.levels.swap(a, b);
        if self.is_weighted {
            self.hop_weights.swap(a, b);
        }
        for hop in [a, b] {
            self.seats[self.hops[hop].seat as usize].hop = hop as u32;
        }
    }

    fn take_seat(&mut self, link: usize, end: u32) -> u32 {
        if self.links[link].count == self.links[link].room() {
            self.widen(link);
        }
        let link = &mut self.links[link];
        link.end = if link.count == 0 || link.end == end { end } else { Link::NO_END };
        link.count += 1;
        link.most = link.most.max(link.count);
        link.first + link.count - 1
    }

    /// Moves the seats of a full link to a larger block.
    fn widen(&mut self, link: usize) {
        let old = self.links[link].clone();
        let order = if old.order == NO_BLOCK { self.least_order } else { old.order + 1 };
        let first = self.seat_blocks.take(order);
        if self.seats.len() < self.seat_blocks.places() {
            self.seats.resize(self.seat_blocks.places(), Seat::default());
            self.limits.resize(self.seat_blocks.places(), 0.0);
            if self.is_weighted {
                self.seat_weights.resize(self.seat_blocks.places(), 0.0);
            }
        }
        if self.is_weighted {
            self.seat_weights.copy_within(old.seats(), first as usize);
        }
        self.seats.copy_within(old.seats(), first as usize);
        self.limits.copy_within(old.seats(), first as usize);
        for seat in first..first + old.count {
            self.hops[self.seats[seat as usize].hop as usize].seat = seat;
        }
        if old.order != NO_BLOCK {
            self.seat_blocks.give(old.first, old.order);
        }
        self.links[link].first = first;
        self.links[link].order = order;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn links(numbers: &BTreeSet<u32>) -> Vec<LinkId> {
        numbers.iter().copied().map(LinkId).collect()
    }

    proptest! {
        /// After any calls, hops and seats point at each other, and each link seats exactly the flows that cross it.
        #[test]
        fn hops_and_seats_agree(
            calls in prop::collection::vec((0usize..9, prop::collection::btree_set(0u32..14, 1..12)), 0..60),
        ) {
            let mut crossings = Crossings::new([1.0; 14], 9);
            crossings.least_order = 0;
            let mut expected: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); 9];
            for (slot, route) in &calls {
                if expected[*slot].is_empty() {
                    crossings.attach(*slot, &links(route), &[]);
                    expected[*slot] = route.clone();
                } else {
                    crossings.detach(*slot, 1.0);
                    expected[*slot].clear();
                }
            }
            for (slot, route) in expected.iter().enumerate() {
                prop_assert!(crossings.route(slot).eq(route.iter().map(|&link| link as usize)));
                for link in crossings.route(slot) {
                    let same = crossings.links[link].end().is_none_or(|end| Some(end as u32) == route.last().copied());
                    prop_assert!(same, "a link ends where its flows end");
                }
                for hop in crossings.hops(slot) {
                    let seat = crossings.seats[crossings.hops[hop].seat as usize];
                    prop_assert_eq!((seat.slot as usize, seat.hop as usize), (slot, hop));
                }
            }
            for (number, link) in crossings.links.iter().enumerate() {
                let as_large_as_needed = link.most == 0 || link.order == order_for(link.most as usize);
                prop_assert!(as_large_as_needed, "{} seats for {} flows", link.room(), link.most);
                let here: BTreeSet<usize> = crossings.seats[link.seats()].iter().map(|s| s.slot as usize).collect();
                let there: BTreeSet<usize> =
                    (0..9).filter(|&slot| expected[slot].contains(&(number as u32))).collect();
                prop_assert_eq!(here, there);
            }
        }
    }

    /// Room that routes and seats have given back is used again: flows that come and go, on longer and longer routes and to
    /// fuller and fuller links, need no more than there ever was at a time.
    #[test]
    fn room_is_used_again() {
        let mut crossings = Crossings::new([1.0; 14], 9);
        crossings.least_order = 0;
        let route = |links: u32| (0..links).map(LinkId).collect::<Vec<_>>();
        for _ in 0..20 {
            crossings.attach(0, &route(3), &[]);
            crossings.detach(0, 0.0);
        }
        assert_eq!((crossings.hops.len(), crossings.seats.len()), (3, 3));
        // Link 0 grows to 8 seats by way of 2, 3, 4 and 6; others get what it leaves.
        (0..8).for_each(|slot| crossings.attach(slot, &route(1), &[]));
        assert_eq!((crossings.links[0].room(), crossings.seats.len()), (8, 3 + 2 + 3 + 4 + 6 + 8));
        let places = crossings.seats.len();
        let growing = [9_u32, 10].map(LinkId);
        (0..8).for_each(|slot| crossings.detach(slot, 0.0));
        (0..6).for_each(|slot| crossings.attach(slot, &growing[..1], &[]));
        assert_eq!(crossings.links[9].room(), 6);
        assert_eq!(crossings.seats.len(), places, "1, 2, 3, 4 and 6 were there");
    }
}
