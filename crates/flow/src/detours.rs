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
//! The rates of the run are then max-min with these parts for weights, and m + sum of d for a flow at most. Rates m and d together fit on all links, so
//! the slowest flow is never slower than on shortest ways alone. Where nothing is held back there are no detours.
//!
//! # Model
//! A rule that weighs queues sends a packet around if what waits on the shortest way is more than what waits on the other, by weights
//! and a threshold. A fluid has queues only before links that are full, so flows go around where their shortest ways are full, as far as
//! other ways have room. Shortest ways have precedence: what goes around gets what they leave. Weights and threshold, and what a router
//! cannot know of links further on, are no part of it.
//!
//! Flows of one pair of routers have the same ways around. They are one flow with as many shares, and each gets a part like what it lacks.
//!
//! # When
//! Parts of all flows are found anew when a quarter of them has come or gone, or a quarter of those that are held back, or the machine changes. In
//! between, one that has come where another of the same pair of routers has just gone has the parts of that, others that have come get theirs out of
//! what all others leave, and those that stay keep theirs. A flow that gets no more than what was found for it is left as it is when another one
//! ends; without that bound each end would change the rates of most others. Fewer than four flows have what follows from them alone. Nothing
//! depends on threads; in a checkpoint is what has been found.

use crate::crossings::Crossings;
use crate::max_min::MaxMin;
use crate::progressive_filling::progressive_filling;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use ways::Ways;
use weir_topology::{End, Shares, Topology};
use weir_units::{LinkId, NodeId};

mod ways;

/// No way takes less than this part of a flow: one by this number.
const LEAST: f64 = 4096.0;
/// Parts of all flows are found anew when this part of them has come or gone: one by this number.
const ALL_AFTER: usize = 4;
/// Rates that differ by less than this part are the same.
const SAME: f64 = 1e-9;
/// A flow gets this part less than what was found for it, so that links which it and others fill to the last byte hold none of them back.
const MARGIN: f64 = 1e-12;
/// The most pairs of routers whose ways are kept.
const KNOWN: usize = 1 << 16;

/// The routers at which a flow enters and leaves the network; flows of one pair have the same ways around.
pub(crate) type Pair = (u32, u32);

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
    /// Slots with a flow, those where one of another pair of routers has come since rates were shared, and those that one has left since.
    present: BTreeSet<u32>,
    fresh: BTreeSet<u32>,
    left: BTreeSet<u32>,
    /// Number of slots whose flow has come or gone since parts of all were found, and of those with a flow that routers held back.
    moved: usize,
    moved_held: usize,
    /// Number of flows that routers held back when parts of all were found.
    held: usize,
    /// Ways that have been asked for.
    #[serde(skip)]
    known: BTreeMap<Pair, Ways>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Flow {
    pair: Pair,
    /// Its shortest ways.
    links: Vec<LinkId>,
    weights: Vec<f64>,
    /// Its rate on the links of nodes alone, and that on shortest ways, in bytes per second.
    nodes: f64,
    shortest: f64,
    /// Its ways around, when they have been asked for.
    ways: Option<Ways>,
    /// By way: its rate there, in bytes per second; empty if nothing goes around.
    rates: Vec<f64>,
}

impl Flow {
    /// The part of its rate that shortest ways hold back, in bytes per second.
    fn lacks(&self) -> f64 {
        self.nodes - self.shortest
    }

    /// Returns whether routers hold it back.
    fn is_held(&self) -> bool {
        self.lacks() > SAME * self.nodes
    }

    /// Takes these rates by way. Returns whether they are others than before.
    fn take(&mut self, mut rates: Vec<f64>) -> bool {
        let least = (self.shortest + rates.iter().sum::<f64>()) / LEAST;
        rates.iter_mut().filter(|rate| **rate < least).for_each(|rate| *rate = 0.0);
        if rates.iter().all(|&rate| rate == 0.0) {
            rates.clear();
        }
        let is_same = |(new, old): (&f64, &f64)| (new - old).abs() <= SAME * old;
        let differ = rates.len() != self.rates.len() || !rates.iter().zip(&self.rates).all(is_same);
        if differ {
            self.rates = rates;
        }
        differ
    }
}

impl Detours {
    /// No flows yet on the links of these crossings, of which some are between routers.
    pub(crate) fn new(crossings: &Crossings, between: Range<usize>) -> Self {
        Self {
            nodes: MaxMin::new(crossings.emptied()),
            shortest: MaxMin::new(crossings.emptied()),
            flows: vec![Flow::default(); crossings.slots()],
            present: BTreeSet::new(),
            fresh: BTreeSet::new(),
            left: BTreeSet::new(),
            moved: 0,
            moved_held: 0,
            held: 0,
            known: BTreeMap::new(),
            between,
        }
    }

    pub(crate) fn add_slot(&mut self) {
        self.nodes.add_slot();
        self.shortest.add_slot();
        self.flows.push(Flow::default());
    }

    /// The machine has become another one, in which links have these capacities, while there are no flows on them.
    pub(crate) fn set_capacities(&mut self, capacity: impl Fn(usize) -> f64) {
        self.nodes.crossings.set_capacities(&capacity);
        self.shortest.crossings.set_capacities(&capacity);
        self.known.clear();
        self.forget_left();
    }

    /// A flow has come, whose shortest ways these are. It takes over what goes around of the one that it follows, if that is of the same pair.
    pub(crate) fn attach(&mut self, slot: usize, pair: Pair, shares: &Shares) {
        let is_of_node = |link: &LinkId| !self.between.contains(&link.index());
        let of_nodes: Vec<LinkId> = shares.links.iter().copied().filter(is_of_node).collect();
        self.nodes.attach(slot, &of_nodes, &[]);
        self.shortest.attach(slot, &shares.links, &shares.weights);
        let follows = self.left.remove(&(slot as u32)) && self.flows[slot].pair == pair;
        let flow = &mut self.flows[slot];
        if !follows {
            *flow = Flow { pair, ..Flow::default() };
            self.fresh.insert(slot as u32);
        }
        flow.links.clone_from(&shares.links);
        flow.weights.clone_from(&shares.weights);
        self.present.insert(slot as u32);
    }

    /// A flow has gone.
    pub(crate) fn detach(&mut self, slot: usize) {
        self.nodes.detach(slot, 0.0);
        self.shortest.detach(slot, 0.0);
        self.present.remove(&(slot as u32));
        self.fresh.remove(&(slot as u32));
        self.left.insert(slot as u32);
    }

    fn forget_left(&mut self) {
        for slot in std::mem::take(&mut self.left) {
            self.flows[slot as usize] = Flow::default();
        }
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
        let came = self.fresh.iter().filter(|&&slot| self.flows[slot as usize].is_held()).count();
        let went = self.left.iter().filter(|&&slot| self.flows[slot as usize].is_held()).count();
        self.moved += self.left.len() + self.fresh.len();
        self.moved_held += came + went;
        self.forget_left();
        let is_for_all = ALL_AFTER * self.moved >= self.present.len()
            || self.moved_held > 0 && ALL_AFTER * self.moved_held >= self.held;
        let fresh = std::mem::take(&mut self.fresh);
        let slots = if is_for_all { &self.present } else { &fresh };
        let (mut changed, mut held) = (Vec::new(), Vec::<u32>::new());
        for &slot in slots {
            let flow = &mut self.flows[slot as usize];
            if !flow.is_held() {
                if flow.take(Vec::new()) {
                    changed.push(slot);
                }
                continue;
            }
            held.push(slot);
            if self.known.len() == KNOWN {
                self.known.clear();
            }
            let known = &mut self.known;
            let ways =
                || known.entry(flow.pair).or_insert_with(|| Ways::new(&ways_of(slot as usize))).clone();
            flow.ways.get_or_insert_with(ways);
        }
        let number = held.len();
        held.sort_unstable_by_key(|&slot| (self.flows[slot as usize].pair, slot));
        let pair = |slot: &u32| self.flows[*slot as usize].pair;
        let crews: Vec<&[u32]> = held.chunk_by(|one, other| pair(one) == pair(other)).collect();
        let found = match is_for_all {
            true => self.rates(&crews, |link| self.on_shortest(link)),
            false => self.rates(&crews, load),
        };
        for (crew, rates) in crews.into_iter().zip(found) {
            let lack: f64 = crew.iter().map(|&slot| self.flows[slot as usize].lacks()).sum();
            for &slot in crew {
                let flow = &mut self.flows[slot as usize];
                let part = flow.lacks() / lack;
                if flow.take(rates.iter().map(|rate| rate * part).collect()) {
                    changed.push(slot);
                }
            }
        }
        if is_for_all {
            (self.moved, self.moved_held, self.held) = (0, 0, number);
        }
        changed.sort_unstable();
        changed
    }

    /// Replaces what is in `shares` by the links of a slot's flow, ways around included, and returns the most that it gets until parts are
    /// found anew, in bytes per second: infinity if nothing goes around.
    pub(crate) fn shares(&self, slot: usize, shares: &mut Shares) -> f64 {
        let Flow { links, weights, shortest, ways, rates, .. } = &self.flows[slot];
        shares.links.clone_from(links);
        shares.weights.clone_from(weights);
        let (Some(ways), false) = (ways, rates.is_empty()) else { return f64::INFINITY };
        let most = shortest + rates.iter().sum::<f64>();
        let mut parts = ways.parts(rates.iter().map(|rate| rate / most));
        shares.weights.resize(links.len(), 1.0);
        for (link, weight) in links.iter().zip(&mut shares.weights) {
            if self.between.contains(&link.index()) {
                let around = ways.place(*link).map_or(0.0, |place| std::mem::take(&mut parts[place]));
                *weight = (*weight * shortest / most + around).min(1.0);
            }
        }
        let last = (shares.links.pop().expect("a route"), shares.weights.pop().expect("its weights"));
        let others = ways.links().iter().copied().zip(parts).filter(|&(_, part)| part > 0.0);
        for (link, part) in others.chain([last]) {
            shares.links.push(link);
            shares.weights.push(part.min(1.0));
        }
        most * (1.0 - MARGIN)
    }

    /// By crew, flows of one pair of routers: the rate that each of their ways gets of what links have beside these loads, in bytes per second.
    /// O(hops log links).
    fn rates(&self, crews: &[&[u32]], load: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
        let ways =
            |crew: &&[u32]| self.flows[crew[0] as usize].ways.as_ref().expect("they have been asked for");
        // The links of ways, in the order in which they are met.
        let mut places = vec![u32::MAX; if crews.is_empty() { 0 } else { self.between.len() }];
        let mut left = Vec::new();
        for &link in crews.iter().map(ways).flat_map(Ways::links) {
            let place = &mut places[link.index() - self.between.start];
            if *place == u32::MAX {
                *place = left.len() as u32;
                let capacity = self.shortest.crossings.links[link.index()].capacity;
                let free = capacity - load(link.index());
                left.push(if free > SAME * capacity { free } else { 0.0 });
            }
        }
        let lack = crews.iter().map(|crew| crew.iter().map(|&slot| self.flows[slot as usize].lacks()).sum());
        let number = crews.iter().map(|crew| ways(crew).number()).sum();
        let mut crossings = Crossings::new(left.iter().copied().chain(lack), number).weighted();
        // Of so many flows all together each counts alike.
        let flows = crews.iter().map(|crew| crew.len()).sum::<usize>() as f64;
        let (mut number, mut route, mut weights) = (0, Vec::new(), Vec::new());
        for (own, crew) in crews.iter().enumerate() {
            for way in ways(crew).each() {
                route.clear();
                route.extend(way.map(|link| LinkId(places[link.index() - self.between.start])));
                if route.iter().all(|link| left[link.index()] > 0.0) {
                    route.push(LinkId::new(left.len() + own));
                    weights.clear();
                    weights.resize(route.len(), crew.len() as f64 / flows);
                    crossings.attach(number, &route, &weights);
                }
                number += 1;
            }
        }
        let mut rates = &progressive_filling(&crossings, |_| true).rates[..];
        let of_crew = crews.iter().map(|crew| {
            let own = rates.split_off(..ways(crew).number()).expect("each way has a rate");
            own.iter().map(|rate| rate * crew.len() as f64 / flows).collect()
        });
        of_crew.collect()
    }

    /// The load of a link by shortest ways alone, in bytes per second.
    fn on_shortest(&self, link: usize) -> f64 {
        let crossings = &self.shortest.crossings;
        let seats = crossings.seats[crossings.links[link].seats()].iter();
        seats.map(|seat| crossings.weight(seat.hop as usize) * self.flows[seat.slot as usize].shortest).sum()
    }
}

/// The routers at which these links of a machine, without those of interfaces, enter and leave the network.
///
/// # Panics
/// When one of them is not the link of a node.
pub(crate) fn pair(topology: &Topology, links: &[LinkId]) -> Pair {
    let router = |end| match end {
        End::Router(router) => router.0,
        End::Node(node) => panic!("{node} is not a router"),
    };
    let [first, last] =
        [links.first(), links.last()].map(|link| topology.link(*link.expect("a way has links")));
    (router(first.to), router(last.from))
}

/// The max-min fair rates of flows between pairs of different nodes, in bytes per second, on a machine where nothing else is, under its rule.
///
/// # Panics
/// When a node does not exist, both of a pair are the same, or there is no way between them.
pub fn rates_of_pairs(topology: &Topology, pairs: &[(NodeId, NodeId)]) -> Vec<f64> {
    let capacities =
        (0..topology.links()).map(|link| topology.link(LinkId::new(link)).capacity.bytes_per_second());
    let mut rule = MaxMin::new(Crossings::new(capacities, pairs.len()).bounded().weighted());
    let mut detours = Detours::new(&rule.crossings, topology.links_of_nodes()..topology.links());
    let (mut rates, mut shares) = (vec![0.0; pairs.len()], Shares::default());
    for (slot, &(from, to)) in pairs.iter().enumerate() {
        assert!(topology.find_shares_by(from, 0, to, &mut shares), "there is no way from {from} to {to}");
        detours.attach(slot, pair(topology, &shares.links), &shares);
    }
    detours.settle(|_| 0.0, |slot| topology.detours(pairs[slot].0, 0, pairs[slot].1));
    for slot in 0..pairs.len() {
        let most = detours.shares(slot, &mut shares);
        rule.crossings.bound(slot, most, &mut shares);
        rule.attach(slot, &shares.links, &shares.weights);
    }
    rule.settle(|slot, rate| rates[slot] = rate);
    rates
}
