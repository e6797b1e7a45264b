//! Max-min fair shares, kept up to date: the cost of a change is proportional to what changes.
//!
//! Every link that its flows fill has a *level* (`water_level.rs`); the others have none, written as infinity. A flow
//! runs at the lowest of the levels on its route and of its *bound*, the least capacity on the route. Its *limit* at
//! a link is what it could use there if that link did not hold it back: the lowest of its bound and of the levels of
//! its other links. So
//!
//! ```text
//!   rate of a flow       =  min(bound, levels on its route)
//!   limit of a flow at k =  min(bound, levels on its route without k)
//!   level of link k      :  sum over its flows of min(limit at k, level) = capacity; infinite if they do not fill it
//! ```
//!
//! Rates with these levels are max-min fair, because each flow has a full link on which no flow is faster: the one
//! with the lowest level on its route. An undisturbed link keeps its level. When flows come and go, the links they
//! crossed are looked at again; a link whose level moves passes it on to its flows, a flow whose limits move to its other
//! links, and so on until nothing moves.
//!
//! # Links that are watched
//! Most links can never hold a flow back, and are left out of all this: a link with one flow, whose capacity is part of
//! the flow's bound; and a link whose flows all end on the same last link, if that has no more capacity, for then the
//! last link, which all of a flow passes, is full no later. Others are *watched*, until they are empty. The hops of a flow at watched links come
//! first. In a fat tree with routes by destination all links down but the last are never watched.
//!
//! Invariants whenever no link is queued:
//! - `levels[hop]` of every flow and watched link equals the share of that hop's link; other links have no level;
//! - the lowest of bound and levels of a flow is `lowest`, found at hop `at` (or nowhere: the bound), and the lowest
//!   without that hop is `second`; so the limit at hop `at` is `second` and everywhere else `lowest`;
//! - `limits[seat]` is that limit, for watched links;
//! - every watched link's level satisfies its equation, to a relative 1e-13.
//!
//! # Weights
//! Where a flow takes several routes at once, it loads a link with its rate times the weight of its hop there:
//!
//! ```text
//!   bound of a flow      =  min over its links of capacity / weight
//!   level of link k      :  sum over its flows of weight at k * min(limit at k, level) = capacity
//! ```
//!
//! All else is as above, since levels and limits are rates of flows. There are no crowds then. And where routes have more than
//! [`WIDE`] links, nearly every flow meets nearly every other, so that no change is local: all is filled from scratch at once.
//!
//! # Crowds
//! Where a link holds back many flows, and no other link on their routes has a level, they are its *crowd* (`crowds.rs`,
//! `max_min/crowd.rs`): they sit in its first seats, they are not looked at one by one when the level moves, and they have it
//! changed together.
//!
//! # Guards
//! There is no proof that the search comes to rest when links tie to the last digit. After [`ALLOWANCE`] relaxations in
//! one change everything is filled from scratch, which counts as one more. Builds with debug assertions also compare
//! with progressive filling every 1,024 changes.

use crate::crossings::{Crossings, Seat};
use crate::crowds::CrowdChange;
use crate::progressive_filling::progressive_filling;
use crate::water_level::{Worklist, lower, two_lowest, water_level, weighted_level};
use serde::{Deserialize, Serialize};
use spare::Spare;
use std::collections::BTreeMap;
use std::ops::Range;
use weir_units::LinkId;

/// Levels that differ by less than this part are the same: without it, tied links pass the last digit to and fro.
const SAME: f64 = 1e-13;

/// State of a flow; rates are in bytes per second.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Flow {
    lowest: f64,
    second: f64,
    bound: f64,
    /// The rate reported last, in bytes per second.
    reported: f64,
    at: u32,
    first: u32,
    /// Number of hops at watched links.
    watched: u32,
    /// True if the flow is in the list of flows whose rate may have changed.
    marked: bool,
    /// True if it is in the crowd of the link at its first hop; then its level there, `lowest` and `second` are out of date.
    crowded: bool,
}

/// Change that settling reports.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RateChange {
    /// A flow that is in no crowd has another rate: its slot, and bytes per second.
    Rate(usize, f64),
    /// Something about a crowd.
    Crowd(CrowdChange),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MaxMin {
    pub(crate) crossings: Crossings,
    flows: Vec<Flow>,
    /// Spare capacity of links without a level.
    spare: Spare,
    /// Links to look at again; the last one first.
    queue: Worklist,
    marked: Worklist,
    /// From how many flows on a link may have a crowd.
    crowd_from: usize,
    crowd_changes: Vec<CrowdChange>,
    /// By link with a crowd: up to which level, in bytes per second, all flows of the crowd find room on their other links.
    ceilings: BTreeMap<u32, f64>,
    allowance: Allowance,
    changes: u64,
    /// Number of flows on more than [`WIDE`] links.
    wide: usize,
    /// By slot: flows with lower numbers share links first. Empty if all share them at once.
    levels: Vec<u8>,
}

/// Number of relaxations that a change may take before everything is filled from scratch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Allowance {
    once: u64,
    per_queued_link: u64,
}

/// The most seen is a few for each link queued at the start of a change, and thousands for a change of one flow; but where tens of
/// thousands of flows come to a torus at once, a hundred for each link were not enough, and took seconds.
const ALLOWANCE: Allowance = Allowance { once: 20_000, per_queued_link: 10 };

/// From how many links on, with weights, a route is one of those that meet nearly all others.
const WIDE: usize = 96;

impl MaxMin {
    pub(crate) fn new(crossings: Crossings) -> Self {
        let flows = vec![Flow::default(); crossings.slots()];
        let spare = Spare::new(crossings.links.len());
        let (queue, marked) = (Worklist::default(), Worklist::default());
        Self {
            crossings,
            flows,
            spare,
            queue,
            marked,
            crowd_from: usize::MAX,
            crowd_changes: Vec::new(),
            ceilings: BTreeMap::new(),
            allowance: ALLOWANCE,
            changes: 0,
            wide: 0,
            levels: Vec::new(),
        }
    }

    /// The same, with crowds on links with so many flows. [`MaxMin::settle_reporting`] reports them.
    pub(crate) fn with_crowds(crossings: Crossings, crowd_from: usize) -> Self {
        let crowd_from = if crossings.is_weighted() { usize::MAX } else { crowd_from };
        Self { crowd_from, ..Self::new(crossings) }
    }

    pub(crate) fn add_slot(&mut self) {
        self.crossings.add_slot();
        self.spare.grow(self.crossings.links.len());
        self.flows.push(Flow::default());
        if !self.levels.is_empty() {
            self.levels.push(0);
        }
    }

    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId], weights: &[f64]) {
        self.crossings.attach(slot, route, weights);
        self.wide += usize::from(self.is_wide(slot));
        let hops = self.crossings.hops(slot);
        let Flow { marked, .. } = self.flows[slot];
        self.flows[slot] = Flow { marked, first: hops.start as u32, ..Flow::default() };
        let mut bound = f64::INFINITY;
        for hop in hops {
            let number = self.crossings.hops[hop].link;
            bound = bound.min(self.crossings.links[number as usize].capacity / self.crossings.weight(hop));
            if self.crossings.links[number as usize].watched {
                self.bring_forward(slot, hop);
                let link = &mut self.crossings.links[number as usize];
                if link.count() > 1 {
                    self.queue.add(number, &mut link.queued);
                }
            } else if self.can_fill(number as usize) {
                self.watch(number);
            }
        }
        let Self { crossings, flows, .. } = self;
        let flow = &mut flows[slot];
        flow.bound = bound;
        let hops = flow.hops();
        (flow.lowest, flow.second, flow.at) = two_lowest(bound, &crossings.levels[hops.clone()], hops.start);
        for hop in hops {
            crossings.limits[crossings.hops[hop].seat as usize] = flow.limit(hop);
        }
        self.mark(slot);
    }

    fn is_wide(&self, slot: usize) -> bool {
        self.crossings.is_weighted() && self.crossings.hops(slot).len() > WIDE
    }

    /// Returns whether a link with these flows might ever be full before all of them are held back elsewhere.
    fn can_fill(&self, link: usize) -> bool {
        let links = &self.crossings.links;
        links[link].count() > 1
            && links[link].end().is_none_or(|end| end == link || links[link].capacity < links[end].capacity)
    }

    /// From now on a link has a level, and its flows limits there.
    fn watch(&mut self, number: u32) {
        let link = &mut self.crossings.links[number as usize];
        link.watched = true;
        self.queue.add(number, &mut link.queued);
        for seat in link.seats() {
            let Seat { slot, hop } = self.crossings.seats[seat];
            self.bring_forward(slot as usize, hop as usize);
            // The link has no level yet, so it is not what holds the flow back.
            self.crossings.limits[seat] = self.flows[slot as usize].lowest;
        }
    }

    /// Moves a hop to those at watched links.
    fn bring_forward(&mut self, slot: usize, hop: usize) {
        if self.flows[slot].crowded {
            self.leave_crowd(slot);
        }
        let Self { crossings, flows, .. } = self;
        let flow = &mut flows[slot];
        let place = flow.hops().end;
        flow.watched += 1;
        crossings.swap_hops(place, hop);
        crossings.levels[place] = crossings.links[crossings.hops[place].link as usize].share;
    }

    pub(crate) fn detach(&mut self, slot: usize, bytes: f64) {
        if self.flows[slot].crowded {
            self.leave_first_seats(slot);
        }
        for hop in self.flows[slot].hops() {
            let number = self.crossings.hops[hop].link;
            let link = &mut self.crossings.links[number as usize];
            if link.share < f64::INFINITY {
                self.queue.add(number, &mut link.queued);
            }
        }
        self.wide -= usize::from(self.is_wide(slot));
        self.crossings.detach(slot, bytes);
        let Flow { marked, .. } = self.flows[slot];
        self.flows[slot] = Flow { marked, ..Flow::default() };
    }

    /// Brings all levels and rates to rest and reports the rates that changed, but not those of crowds. Returns the number
    /// of relaxations.
    pub(crate) fn settle(&mut self, mut report: impl FnMut(usize, f64)) -> u64 {
        self.settle_reporting(|change| {
            if let RateChange::Rate(slot, rate) = change {
                report(slot, rate);
            }
        })
    }

    /// Brings all levels and rates to rest and reports what changed: first of crowds, in order, then the rates of the other
    /// flows. Returns the number of relaxations.
    pub(crate) fn settle_reporting(&mut self, mut report: impl FnMut(RateChange)) -> u64 {
        let Allowance { once, per_queued_link } = self.allowance;
        let allowed = if self.wide > 0 { 0 } else { once + per_queued_link * self.queue.len() as u64 };
        let mut relaxations = self.fill_by_level();
        while let Some(link) = self.queue.pop() {
            if relaxations == allowed {
                self.fill_from_scratch();
                relaxations += 1;
                break;
            }
            relaxations += 1;
            self.relax(link as usize);
        }
        self.changes += 1;
        debug_assert!(
            !self.levels.is_empty() || !self.changes.is_multiple_of(1024) || self.deviation() < 1e-9,
            "max-min shares went astray"
        );
        let Self { flows, marked, crowd_changes, .. } = self;
        crowd_changes.drain(..).for_each(|change| report(RateChange::Crowd(change)));
        for &slot in marked.as_slice() {
            let flow = &mut flows[slot as usize];
            flow.marked = false;
            if flow.lowest != flow.reported && !flow.crowded {
                flow.reported = flow.lowest;
                report(RateChange::Rate(slot as usize, flow.reported));
            }
        }
        marked.clear();
        relaxations
    }

    /// Computes the level of a link anew; if it moved, the flows there are looked at again.
    fn relax(&mut self, number: usize) {
        let link = &mut self.crossings.links[number];
        link.queued = false;
        if !link.watched {
            return; // It has been empty since it was queued.
        }
        let old = link.share;
        let has_crowd = link.count() >= self.crowd_from || link.crowd > 0;
        if has_crowd {
            self.gather_crowd(number);
        }
        let new = self.level_now(number);
        // By the smaller of the two: a part of infinity would be infinity, and nothing would ever differ from it.
        if new == old || (new - old).abs() <= SAME * new.min(old) {
            return;
        }
        if has_crowd {
            self.move_crowd(number, new);
        }
        let link = &mut self.crossings.links[number];
        link.share = new;
        for seat in link.seats_beside_crowd() {
            self.step(self.crossings.seats[seat], old, new);
        }
    }

    /// The level that the limits of a link give it.
    fn level_now(&mut self, number: usize) -> f64 {
        let link = &self.crossings.links[number];
        let (capacity, before, crowd) = (link.capacity, link.share, link.crowd as usize);
        let has_guests = link.has_guests;
        let seats = link.seats_beside_crowd();
        if let Some(weights) = self.crossings.weights(seats.clone()) {
            let found = weighted_level(&self.crossings.limits[seats], weights, capacity, before);
            return self.spare.level(number, capacity, found);
        }
        let level = |limits: &[f64]| water_level(limits, crowd, capacity, before);
        let mut found = level(&self.crossings.limits[seats.clone()]);
        if has_guests && self.lower_ceilings(number, found) {
            found = level(&self.crossings.limits[seats]);
        }
        self.spare.level(number, capacity, found)
    }

    /// The level at one hop of a flow has moved: corrects the flow's limits at its other links and queues those whose
    /// level may move by that.
    fn step(&mut self, seat: Seat, old: f64, new: f64) {
        let Self { crossings, flows, spare, queue, marked, .. } = self;
        let flow = &mut flows[seat.slot as usize];
        crossings.levels[seat.hop as usize] = new;
        if seat.hop != flow.at && old > flow.second && new >= flow.second {
            return;
        }
        let hops = flow.hops();
        let before = *flow;
        (flow.lowest, flow.second, flow.at) =
            two_lowest(flow.bound, &crossings.levels[hops.clone()], hops.start);
        let after = *flow;
        if after.lowest != before.lowest {
            marked.add(seat.slot, &mut flow.marked);
        }
        for hop in hops {
            let was = before.limit(hop);
            let is = after.limit(hop);
            if was == is {
                continue;
            }
            let place = crossings.hops[hop];
            crossings.limits[place.seat as usize] = is;
            // A limit at or above the level does not move it; nor do limits move a link that they do not fill yet.
            let level = crossings.levels[hop];
            let matters = if level == f64::INFINITY {
                spare.change(place.link, crossings.weight(hop) * (is - was))
            } else {
                lower(was, is) < level
            };
            if matters {
                let link = &mut crossings.links[place.link as usize];
                if link.count() > 1 {
                    queue.add(place.link, &mut link.queued);
                }
            }
        }
    }

    #[inline]
    fn mark(&mut self, slot: usize) {
        self.marked.add(slot as u32, &mut self.flows[slot].marked);
    }

    /// Replaces all levels by those of progressive filling.
    fn fill_from_scratch(&mut self) {
        for slot in 0..self.flows.len() {
            if self.flows[slot].crowded {
                self.leave_crowd(slot);
            }
        }
        self.queue.clear();
        let Self { crossings, flows, .. } = self;
        let can_fill = |link: usize| crossings.links[link].watched || crossings.links[link].count() == 1;
        let filled = progressive_filling(crossings, can_fill);
        self.spare.forget_all();
        for (link, level) in crossings.links.iter_mut().zip(filled.levels) {
            link.queued = false;
            link.share = if link.count() > 1 { level } else { f64::INFINITY };
        }
        for flow in flows {
            let hops = flow.hops();
            for hop in hops.clone() {
                crossings.levels[hop] = crossings.links[crossings.hops[hop].link as usize].share;
            }
            (flow.lowest, flow.second, flow.at) =
                two_lowest(flow.bound, &crossings.levels[hops.clone()], hops.start);
            for hop in hops {
                crossings.limits[crossings.hops[hop].seat as usize] = flow.limit(hop);
            }
        }
        for slot in 0..self.flows.len() {
            self.mark(slot);
        }
    }

    fn rate(&self, slot: usize) -> f64 {
        let flow = &self.flows[slot];
        if flow.crowded {
            self.crossings.links[self.crossings.hops[flow.first as usize].link as usize].share
        } else {
            flow.lowest
        }
    }

    /// The largest relative difference between a rate and that of progressive filling.
    fn deviation(&self) -> f64 {
        let filled = progressive_filling(&self.crossings, |_| true);
        let of = |slot: usize| (self.rate(slot) / filled.rates[slot] - 1.0).abs();
        self.crossings.active().map(of).fold(0.0, f64::max)
    }
}

impl Flow {
    /// Those at watched links.
    fn hops(&self) -> Range<usize> {
        self.first as usize..(self.first + self.watched) as usize
    }

    fn limit(&self, hop: usize) -> f64 {
        if hop as u32 == self.at { self.second } else { self.lowest }
    }
}

mod crowd;
mod levels;
mod spare;
#[cfg(test)]
mod work_tests;

#[cfg(test)]
mod tests;
