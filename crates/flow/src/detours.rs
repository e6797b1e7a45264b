//! Rules that weigh queues, on a fluid: which part of each flow goes around.
//!
//! ```text
//!   n   rate of a flow if links between routers had no limits: max-min over links of nodes
//!   m   its rate if all of it took shortest ways: max-min over all links
//!   d   for each flow that routers hold back, m < n, and each of its ways around: max-min over what the flows leave of links between
//!       routers at rates m, where all ways of a flow together get n - m at most
//!
//!   part of the flow on each way  =  d / (m + sum of d);  the rest takes shortest ways
//! ```
//! The rates of the run are then max-min with these parts for weights. Rates m and d together fit on all links, so the slowest flow is never
//! slower than on shortest ways alone. Where nothing is held back there are no detours.
//!
//! # Model
//! A rule that weighs queues sends a packet around if what waits on the shortest way is more than what waits on the other, by weights
//! and a threshold. A fluid has queues only before links that are full, so flows go around where their shortest ways are full, as far as
//! other ways have room. Shortest ways have precedence: what goes around gets what they leave. Weights and threshold, and what a router
//! cannot know of links further on, are no part of it.
//!
//! Parts are rounded to [`STEPS`], so that what only differs by rounding leaves flows where they are.
//!
//! # When
//! Parts of all flows are found anew when an eighth of them has come or gone, or the machine changes; in between those that have come get theirs out of
//! what the others leave, and the others keep theirs, while rates are always those of the moment. Fewer than eight flows have what
//! follows from them alone. Nothing depends on threads; in a checkpoint is what has been found.

use crate::crossings::Crossings;
use crate::max_min::MaxMin;
use crate::progressive_filling::progressive_filling;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use weir_topology::{Shares, Topology};
use weir_units::{LinkId, NodeId};

/// Parts of a flow are multiples of one by this number.
const STEPS: f64 = 4096.0;
/// Parts of all flows are found anew when this part of them has come or gone: one by this number.
const ALL_AFTER: usize = 8;
/// Rates that differ by less than this part are the same.
const SAME: f64 = 1e-9;

/// The parts of flows that go around.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Detours {
    /// The links between routers.
    between: Range<usize>,
    /// Flows on the links of nodes alone.
    nodes: MaxMin,
    /// Flows on shortest ways.
    shortest: MaxMin,
    /// By slot.
    flows: Vec<Flow>,
    /// Slots with a flow, and those where it has come since parts were found.
    present: BTreeSet<u32>,
    fresh: BTreeSet<u32>,
    /// Number of flows that have come or gone since parts of all were found.
    moved: usize,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Flow {
    /// Its rate on the links of nodes alone, and that on shortest ways, in bytes per second.
    nodes: f64,
    shortest: f64,
    /// Its ways around, when they have been asked for.
    ways: Option<Vec<Vec<LinkId>>>,
    /// By way: [`STEPS`] of the flow; empty if nothing goes around.
    parts: Vec<u16>,
}

impl Flow {
    fn ways(&self) -> &[Vec<LinkId>] {
        self.ways.as_deref().unwrap_or_default()
    }
}

/// The part of a flow that goes around, and the part of it that passes each link.
pub(crate) type Around = (f64, Vec<(LinkId, f64)>);

impl Detours {
    /// No flows yet on the links of these crossings, of which some are between routers.
    pub(crate) fn new(crossings: &Crossings, between: Range<usize>) -> Self {
        Self {
            nodes: MaxMin::new(crossings.emptied()),
            shortest: MaxMin::new(crossings.emptied()),
            flows: vec![Flow::default(); crossings.slots()],
            present: BTreeSet::new(),
            fresh: BTreeSet::new(),
            moved: 0,
            between,
        }
    }

    pub(crate) fn add_slot(&mut self) {
        self.nodes.add_slot();
        self.shortest.add_slot();
        self.flows.push(Flow::default());
    }

    /// Gives links other capacities, while there are no flows on them.
    pub(crate) fn set_capacities(&mut self, capacity: impl Fn(usize) -> f64) {
        self.nodes.crossings.set_capacities(&capacity);
        self.shortest.crossings.set_capacities(&capacity);
    }

    /// A flow has come, whose shortest ways these are.
    pub(crate) fn attach(&mut self, slot: usize, shares: &Shares) {
        let is_of_node = |link: &LinkId| !self.between.contains(&link.index());
        let of_nodes: Vec<LinkId> = shares.links.iter().copied().filter(is_of_node).collect();
        self.nodes.attach(slot, &of_nodes, &[]);
        self.shortest.attach(slot, &shares.links, &shares.weights);
        self.present.insert(slot as u32);
        self.fresh.insert(slot as u32);
        self.moved += 1;
    }

    /// A flow has gone.
    pub(crate) fn detach(&mut self, slot: usize) {
        self.nodes.detach(slot, 0.0);
        self.shortest.detach(slot, 0.0);
        self.flows[slot] = Flow::default();
        self.present.remove(&(slot as u32));
        self.fresh.remove(&(slot as u32));
        self.moved += 1;
    }

    /// Finds the parts of flows that go around now: of all, or of those that have come. Returns the slots where they are others than
    /// before. `ways_of` finds the ways around of a slot, each as its links between routers, and `load` what a link carries of the
    /// flows that have come before, in bytes per second. O(ways of the flows that are looked at), and what the changes cost in max-min.
    pub(crate) fn settle(
        &mut self,
        load: impl Fn(usize) -> f64,
        mut ways_of: impl FnMut(usize) -> Vec<Vec<LinkId>>,
    ) -> Vec<u32> {
        let Self { nodes, shortest, flows, .. } = self;
        nodes.settle(|slot, rate| flows[slot].nodes = rate);
        shortest.settle(|slot, rate| flows[slot].shortest = rate);
        let is_for_all = ALL_AFTER * self.moved >= self.present.len();
        let fresh = std::mem::take(&mut self.fresh);
        let slots = if is_for_all { &self.present } else { &fresh };
        let is_held = |flow: &Flow| flow.shortest < flow.nodes * (1.0 - SAME);
        let (mut changed, mut held) = (BTreeSet::new(), Vec::new());
        for &slot in slots {
            let flow = &mut self.flows[slot as usize];
            if !is_held(flow) {
                if !std::mem::take(&mut flow.parts).is_empty() {
                    changed.insert(slot);
                }
                continue;
            }
            held.push(slot);
            flow.ways.get_or_insert_with(|| ways_of(slot as usize));
        }
        let parts = match is_for_all {
            true => self.parts(&held, |link| self.on_shortest(link)),
            false => self.parts(&held, load),
        };
        for (slot, parts) in parts {
            let flow = &mut self.flows[slot as usize];
            if flow.parts != parts {
                flow.parts = parts;
                changed.insert(slot);
            }
        }
        if is_for_all {
            self.moved = 0;
        }
        changed.into_iter().collect()
    }

    /// Returns the part of a flow that goes around, if some does.
    pub(crate) fn around(&self, slot: usize) -> Option<Around> {
        let flow = &self.flows[slot];
        let parts = &flow.parts;
        let mut links = BTreeMap::<LinkId, u32>::new();
        for (way, &part) in flow.ways().iter().zip(parts).filter(|&(_, &part)| part > 0) {
            way.iter().for_each(|&link| *links.entry(link).or_default() += u32::from(part));
        }
        let whole: u32 = parts.iter().copied().map(u32::from).sum();
        let part = |steps: u32| f64::from(steps) / STEPS;
        (whole > 0)
            .then(|| (part(whole), links.into_iter().map(|(link, steps)| (link, part(steps))).collect()))
    }

    /// By slot: the steps of its flow that each of its ways gets of what links have beside these loads.
    fn parts(&self, slots: &[u32], load: impl Fn(usize) -> f64) -> Vec<(u32, Vec<u16>)> {
        let flow = |slot: &u32| &self.flows[*slot as usize];
        // The links of ways, in the order in which they are met.
        let mut places = vec![u32::MAX; if slots.is_empty() { 0 } else { self.between.len() }];
        let mut left = Vec::new();
        for &link in slots.iter().flat_map(|slot| flow(slot).ways()).flatten() {
            let place = &mut places[link.index() - self.between.start];
            if *place == u32::MAX {
                *place = left.len() as u32;
                let capacity = self.shortest.crossings.links[link.index()].capacity;
                let free = capacity - load(link.index());
                left.push(if free > SAME * capacity { free } else { 0.0 });
            }
        }
        let place = |link: &LinkId| places[link.index() - self.between.start];
        let more = slots.iter().map(flow).map(|flow| flow.nodes - flow.shortest);
        let ways = slots.iter().map(|slot| flow(slot).ways().len()).sum();
        let mut crossings = Crossings::new(left.iter().copied().chain(more), ways);
        let (mut number, mut route) = (0, Vec::new());
        for (own, slot) in slots.iter().enumerate() {
            for way in flow(slot).ways() {
                if way.iter().all(|link| left[place(link) as usize] > 0.0) {
                    route.clear();
                    route.extend(way.iter().map(|link| LinkId(place(link))));
                    route.push(LinkId::new(left.len() + own));
                    crossings.attach(number, &route, &[]);
                }
                number += 1;
            }
        }
        let mut rates = &progressive_filling(&crossings, |_| true).rates[..];
        let parts = slots.iter().map(|slot| {
            let own = rates.split_off(..flow(slot).ways().len()).expect("each way has a rate");
            let all = flow(slot).shortest + own.iter().sum::<f64>();
            let steps = |rate: &f64| (STEPS * rate / all).round() as u16;
            let mut parts: Vec<u16> = own.iter().map(steps).collect();
            if parts.iter().all(|&part| part == 0) {
                parts.clear();
            }
            (*slot, parts)
        });
        parts.collect()
    }

    /// The load of a link by shortest ways alone, in bytes per second.
    fn on_shortest(&self, link: usize) -> f64 {
        let crossings = &self.shortest.crossings;
        let seats = crossings.seats[crossings.links[link].seats()].iter();
        seats.map(|seat| crossings.weight(seat.hop as usize) * self.flows[seat.slot as usize].shortest).sum()
    }
}

/// The max-min fair rates of flows between pairs of different nodes, in bytes per second, on a machine where nothing else is, under its rule.
///
/// # Panics
/// When a node does not exist, both of a pair are the same, or there is no way between them.
pub fn rates_of_pairs(topology: &Topology, pairs: &[(NodeId, NodeId)]) -> Vec<f64> {
    let capacities =
        (0..topology.links()).map(|link| topology.link(LinkId::new(link)).capacity.bytes_per_second());
    let mut rule = MaxMin::new(Crossings::new(capacities, pairs.len()).weighted());
    let mut detours = Detours::new(&rule.crossings, topology.links_of_nodes()..topology.links());
    let (mut rates, mut shares) = (vec![0.0; pairs.len()], Shares::default());
    for (slot, &(from, to)) in pairs.iter().enumerate() {
        assert!(topology.find_shares_by(from, 0, to, &mut shares), "there is no way from {from} to {to}");
        detours.attach(slot, &shares);
    }
    detours.settle(|_| 0.0, |slot| topology.detours(pairs[slot].0, 0, pairs[slot].1));
    for (slot, &(from, to)) in pairs.iter().enumerate() {
        topology.find_shares_by(from, 0, to, &mut shares);
        if let Some((part, links)) = detours.around(slot) {
            shares.detour(part, &links);
        }
        rule.attach(slot, &shares.links, &shares.weights);
    }
    rule.settle(|slot, rate| rates[slot] = rate);
    rates
}
