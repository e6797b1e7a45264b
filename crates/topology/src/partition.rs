//! Halves of a machine with little between them, and an order of routers in which those near to each other stand together.
//!
//! Halves: the search of Fiduccia and Mattheyses (DAC 1982).
//!
//! Routers move with all their nodes, so the halves are as equal as the routers' nodes allow. A pass moves every router
//! once, always the one that saves most, and keeps the best state it has come through; passes repeat until one brings
//! nothing. Several beginnings, which do not depend on anything but the graph, and ties by number make the result the same
//! on every run.

use crate::torus::Wrap;
use crate::{Cut, End, Generator, Link, Topology, Torus, permutation};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};
use weir_units::{LinkId, NodeId, RouterId};

/// Beginnings that grow around routers drawn by lot.
const DRAWN_BEGINNINGS: usize = 6;

/// With more links there are none of these, and a pass that gains less than a thousandth is the last one: of a PolarFly of 16,257 routers,
/// with 2 million links, the whole search took 136 s and takes 14 s so, for halves that are 0.1 % wider.
const MANY_LINKS: usize = 1 << 20;

/// The narrowest cut into halves found; `None` for a single node.
pub(crate) fn bisect(machine: &Topology) -> Option<Cut> {
    halves(machine).map(Cut::searched)
}

fn halves(machine: &Topology) -> Option<Cut> {
    if machine.nodes() < 2 {
        return None;
    }
    if machine.most_cables() > 1 {
        return Some(halves_of_nodes(machine, "the cables of one half of the nodes"));
    }
    let search = Search::new(machine);
    if search.weights.iter().filter(|&&weight| weight > 0).count() < 2 {
        return Some(halves_of_nodes(machine, "the cables of one half of the nodes, all at one router"));
    }
    let routers = machine.routers();
    let mut orders = vec![(0..routers).collect(), search.around(0)];
    let drawn = permutation(routers, 1, Generator::SplitMix);
    let drawn_beginnings = if machine.links() > MANY_LINKS { 0 } else { DRAWN_BEGINNINGS };
    orders.extend(drawn.iter().take(drawn_beginnings).map(|&router| search.around(router as usize)));
    let states = orders.iter().map(|order| search.improve(search.first_half(order)));
    let best = states.min_by(|a, b| a.compare(b)).expect("there is at least one beginning");
    let first = (0..machine.nodes()).map(|v| best.first[home(machine, v)]);
    let first: Vec<bool> = first.collect();
    let (mut forward, mut backward) = (0.0, 0.0);
    for link in (0..machine.links()).map(|id| machine.link(LinkId::new(id))) {
        let (End::Router(from), End::Router(to)) = (link.from, link.to) else { continue };
        match (best.first[from.index()], best.first[to.index()]) {
            (true, false) => forward += link.capacity.bytes_per_second(),
            (false, true) => backward += link.capacity.bytes_per_second(),
            _ => {}
        }
    }
    Some(Cut::listed("the halves found by a search".into(), first, forward, backward))
}

/// The router of a node's first cable.
fn home(machine: &Topology, node: usize) -> usize {
    machine.link(LinkId::new(node)).to.router() as usize
}

/// By router: one of its nodes, if it has some.
pub(crate) fn nodes_of_routers(machine: &Topology) -> Vec<Option<NodeId>> {
    let mut nodes = vec![None; machine.routers()];
    for node in 0..machine.nodes() {
        nodes[home(machine, node)].get_or_insert(NodeId::new(node));
    }
    nodes
}

/// Where all nodes are at one router only their own cables can be cut; where they have several, what is between them is no part of
/// either half.
fn halves_of_nodes(machine: &Topology, name: &str) -> Cut {
    let half = machine.nodes() / 2;
    let first: Vec<bool> = (0..machine.nodes()).map(|v| v < half).collect();
    let (mut out, mut into) = ([0.0; 2], [0.0; 2]);
    for link in (0..machine.links()).map(|id| machine.link(LinkId::new(id))) {
        let capacity = link.capacity.bytes_per_second();
        match (link.from, link.to) {
            (End::Node(node), _) => out[usize::from(node.index() >= half)] += capacity,
            (_, End::Node(node)) => into[usize::from(node.index() >= half)] += capacity,
            _ => {}
        }
    }
    Cut::listed(name.to_owned(), first, out[0].min(into[1]), out[1].min(into[0])).through_nodes()
}

/// Routers with weights, and what joins them.
pub(crate) struct Search {
    /// Nodes of each router.
    weights: Vec<i64>,
    /// Neighbors of each router, and the capacity of all links between, both ways.
    neighbors: Vec<Vec<(usize, f64)>>,
    heaviest: i64,
}

/// Routers in two parts.
#[derive(Clone)]
struct State {
    first: Vec<bool>,
    /// Nodes on the first side less those on the second.
    difference: i64,
    /// Capacity between the parts, both ways.
    between: f64,
}

impl State {
    fn compare(&self, other: &Self) -> Ordering {
        self.difference.abs().cmp(&other.difference.abs()).then(self.between.total_cmp(&other.between))
    }
}

/// A gain in the order of size; the lower number wins a tie.
#[derive(PartialEq)]
struct Candidate(f64, Reverse<usize>);

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl Search {
    fn new(machine: &Topology) -> Self {
        let mut weights = vec![0; machine.routers()];
        (0..machine.nodes()).for_each(|v| weights[home(machine, v)] += 1);
        let heaviest = weights.iter().copied().max().unwrap_or_default();
        let neighbors = neighbors(machine, |link| link.capacity.bytes_per_second());
        Self { weights, neighbors, heaviest }
    }

    /// All routers alike, joined by their links.
    pub(crate) fn of_routers(machine: &Topology) -> Self {
        Self { weights: vec![1; machine.routers()], neighbors: neighbors(machine, |_| 1.0), heaviest: 1 }
    }

    /// Some of the routers alone, numbered in this order. `places` is [`usize::MAX`] for every router, before and after.
    fn of_some(&self, routers: &[u32], places: &mut [usize]) -> Self {
        (0..).zip(routers).for_each(|(place, &router)| places[router as usize] = place);
        let near = |&router: &u32| {
            let near = self.neighbors[router as usize].iter();
            near.map(|&(other, links)| (places[other], links))
                .filter(|&(place, _)| place != usize::MAX)
                .collect()
        };
        let neighbors = routers.iter().map(near).collect();
        let weights = routers.iter().map(|&router| self.weights[router as usize]).collect();
        routers.iter().for_each(|&router| places[router as usize] = usize::MAX);
        Self { weights, neighbors, heaviest: self.heaviest }
    }

    /// All routers, half by half, in each of them likewise, until there are `few` (at least 1) or fewer; these are in the order of their numbers.
    pub(crate) fn halves_of_halves(&self, few: usize) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.weights.len());
        let mut places = vec![usize::MAX; self.weights.len()];
        let mut open: Vec<Vec<u32>> = vec![(0..self.weights.len() as u32).collect()];
        while let Some(routers) = open.pop() {
            if routers.len() <= few {
                order.extend(routers);
                continue;
            }
            let some = self.of_some(&routers, &mut places);
            let beginnings = [(0..routers.len()).collect(), some.around(0), some.grown(0)];
            let states = beginnings.iter().map(|order| some.improve(some.first_half(order)));
            let best = states.min_by(State::compare).expect("there are beginnings");
            let half = |first: bool| {
                let of_half = routers.iter().zip(&best.first).filter(|&(_, &is_first)| is_first == first);
                of_half.map(|(&router, _)| router).collect()
            };
            open.extend([half(false), half(true)]);
        }
        order
    }

    /// All routers: always the one that the ones before it have most links to, less those to the others.
    fn grown(&self, start: usize) -> Vec<usize> {
        let mut gains: Vec<f64> =
            self.neighbors.iter().map(|near| -near.iter().map(|near| near.1).sum::<f64>()).collect();
        let mut taken = vec![false; gains.len()];
        let mut heap: BinaryHeap<_> =
            gains.iter().enumerate().map(|(router, &gain)| Candidate(gain, Reverse(router))).collect();
        heap.push(Candidate(f64::INFINITY, Reverse(start)));
        gains[start] = f64::INFINITY;
        let mut order = Vec::with_capacity(gains.len());
        while let Some(Candidate(gain, Reverse(router))) = heap.pop() {
            // What was changed since it was put there is stale.
            if taken[router] || gains[router] != gain {
                continue;
            }
            taken[router] = true;
            order.push(router);
            for &(near, links) in self.neighbors[router].iter().filter(|&&(near, _)| !taken[near]) {
                gains[near] += 2.0 * links;
                heap.push(Candidate(gains[near], Reverse(near)));
            }
        }
        order
    }

    /// All routers, the nearest to one first; those that cannot be reached last.
    fn around(&self, start: usize) -> Vec<usize> {
        let mut seen = vec![false; self.weights.len()];
        let mut order = Vec::with_capacity(seen.len());
        for root in std::iter::once(start).chain(0..seen.len()) {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            let mut next = order.len();
            order.push(root);
            while let Some(&router) = order.get(next) {
                next += 1;
                for &(neighbor, _) in &self.neighbors[router] {
                    if !std::mem::replace(&mut seen[neighbor], true) {
                        order.push(neighbor);
                    }
                }
            }
        }
        order
    }

    /// The first routers of an order, until they have half of the nodes or would have more.
    fn first_half(&self, order: &[usize]) -> State {
        let total: i64 = self.weights.iter().sum();
        let mut first = vec![false; order.len()];
        let mut weight = 0;
        for &router in order {
            if 2 * (weight + self.weights[router]) <= total {
                weight += self.weights[router];
                first[router] = true;
            }
        }
        let crossing = |router: usize| {
            let across = self.neighbors[router].iter().filter(|&&(other, _)| first[other] != first[router]);
            across.map(|&(_, capacity)| capacity).sum::<f64>()
        };
        let between = (0..first.len()).map(crossing).sum::<f64>() / 2.0;
        State { first, difference: 2 * weight - total, between }
    }

    fn improve(&self, mut state: State) -> State {
        let links: usize = self.neighbors.iter().map(Vec::len).sum();
        let least_gain = if links > MANY_LINKS { 1e-3 } else { 1e-9 };
        loop {
            let better = self.pass(&state);
            let gained = better.difference.abs() < state.difference.abs()
                || (better.difference.abs() == state.difference.abs()
                    && better.between < state.between * (1.0 - least_gain));
            if !gained {
                return state;
            }
            state = better;
        }
    }

    /// Moves every router once, as far as the halves stay near to equal; the best state on the way.
    fn pass(&self, start: &State) -> State {
        let mut state = start.clone();
        let mut gains: Vec<f64> =
            (0..self.weights.len()).map(|router| self.gain(router, &state.first)).collect();
        let mut moved = vec![false; gains.len()];
        let mut heaps = [BinaryHeap::new(), BinaryHeap::new()];
        for (router, &gain) in gains.iter().enumerate() {
            heaps[usize::from(state.first[router])].push(Candidate(gain, Reverse(router)));
        }
        let (mut moves, mut best) = (Vec::new(), (0, state.difference, state.between));
        loop {
            let mut choice: Option<(f64, usize)> = None;
            for heap in &mut heaps {
                // What was changed since it was put there is stale.
                while heap.peek().is_some_and(|top| moved[top.1.0] || gains[top.1.0] != top.0) {
                    heap.pop();
                }
                let Some(&Candidate(gain, Reverse(router))) = heap.peek() else { continue };
                let after = self.difference_after(router, &state);
                let allowed = after.abs() <= 2 * self.heaviest || after.abs() < state.difference.abs();
                if allowed && choice.is_none_or(|(best, _)| gain > best) {
                    choice = Some((gain, router));
                }
            }
            let Some((gain, router)) = choice else { break };
            state.difference = self.difference_after(router, &state);
            state.between -= gain;
            state.first[router] = !state.first[router];
            moved[router] = true;
            moves.push(router);
            for &(neighbor, capacity) in &self.neighbors[router] {
                if !moved[neighbor] {
                    let together = state.first[neighbor] == state.first[router];
                    gains[neighbor] += if together { -2.0 * capacity } else { 2.0 * capacity };
                    let candidate = Candidate(gains[neighbor], Reverse(neighbor));
                    heaps[usize::from(state.first[neighbor])].push(candidate);
                }
            }
            let order = state.difference.abs().cmp(&best.1.abs()).then(state.between.total_cmp(&best.2));
            if order == Ordering::Less {
                best = (moves.len(), state.difference, state.between);
            }
        }
        for &router in &moves[best.0..] {
            state.first[router] = !state.first[router];
        }
        State { first: state.first, difference: best.1, between: best.2 }
    }

    /// The capacity between the parts that a router saves when it moves.
    fn gain(&self, router: usize, first: &[bool]) -> f64 {
        let signed = |&(other, capacity): &(usize, f64)| {
            if first[other] == first[router] { -capacity } else { capacity }
        };
        self.neighbors[router].iter().map(signed).sum()
    }

    fn difference_after(&self, router: usize, state: &State) -> i64 {
        let sign = if state.first[router] { -2 } else { 2 };
        state.difference + sign * self.weights[router]
    }
}

/// The neighbors of each router, with the sum of the weights of the links between, both ways.
fn neighbors(machine: &Topology, weight: impl Fn(&Link) -> f64) -> Vec<Vec<(usize, f64)>> {
    let mut neighbors = vec![BTreeMap::new(); machine.routers()];
    for link in (0..machine.links()).map(|id| machine.link(LinkId::new(id))) {
        if let (End::Router(from), End::Router(to)) = (link.from, link.to) {
            for (a, b) in [(from, to), (to, from)] {
                *neighbors[a.index()].entry(b.index()).or_insert(0.0) += weight(&link);
            }
        }
    }
    neighbors.into_iter().map(|map| map.into_iter().collect()).collect()
}

/// Largest number of places of a grid whose order is that of their numbers.
const FEW_OF_GRID: u32 = 256;

/// A row of a grid, in its first dimension, that is no longer stays whole unless a cut across it has this many times fewer links
/// than others. Whoever runs one router after the other steps regularly through memory then; without that the packet engine
/// took up to a tenth longer (decision 29).
const ROW: u32 = 64;
const ROW_WEIGHT: u64 = 8;

/// The same of the routers of a graph.
const FEW_OF_GRAPH: usize = 32;

impl Topology {
    /// All routers, in an order in which every range has few links to the others: halves, quarters and so on are compact.
    /// It depends on the machine alone, not on faults.
    ///
    /// - Torus, mesh, Tofu: blocks. A block is cut into halves where it has the least links, of equal ones across its
    ///   longest dimension, of these across the one that has been cut the least, until it has 256 routers or fewer; these
    ///   are in the order of their numbers. Rows of 64 routers or fewer in the first dimension mostly stay whole: a link in
    ///   them counts as eight.
    /// - Hypercrossbar: the same; each crossbar beside one of its routers, those of a plane beside different ones.
    /// - Fat tree: along the leaves, so by pods; the switches above are spread evenly along the leaves that they have below
    ///   them.
    /// - Networks with a choice of ways: group by group, the spines of a group behind its leaves; the racks of a Slim Fly, which are two
    ///   rows of routers each; the planes of a HyperX.
    /// - Several networks: one after the other.
    /// - Graph: halves of halves, each found by a search as in [`Self::bisection`], which counts links and routers, until there
    ///   are 32 routers or fewer.
    ///
    /// O(routers log routers); in a graph O(links log² routers).
    pub fn compact_order(&self) -> Vec<RouterId> {
        let routers = self.routers() as u32;
        let mut order: Vec<u32> = match self.whole() {
            Self::Torus(torus) => blocks(&Axis::of(torus)),
            Self::FatTree(tree) => {
                let mut order: Vec<u32> = (0..routers).collect();
                order.sort_by_cached_key(|&router| tree.place_along_leaves(RouterId(router)));
                order
            }
            Self::Hypercrossbar(machine) => {
                let axis = |size| Axis { size, wraps: false };
                let axes: Vec<_> = machine.dimensions().map(|dimension| axis(dimension.size)).collect();
                let places = inverse(&blocks(&axes));
                let beside = |router| (places[machine.beside(RouterId(router)).index()], router);
                let mut order: Vec<u32> = (0..routers).collect();
                order.sort_by_cached_key(|&router| beside(router));
                order
            }
            Self::Switched(machine) => {
                let mut order: Vec<u32> = (0..routers).collect();
                order.sort_by_key(|&router| machine.rack(RouterId(router)));
                order
            }
            Self::Rails(machine) => machine.compact_order(),
            Self::Graph(_) | Self::Degraded(_) => {
                Search::of_routers(self.whole()).halves_of_halves(FEW_OF_GRAPH)
            }
        };
        debug_assert_eq!(order.len(), self.routers());
        order.shrink_to_fit();
        order.into_iter().map(RouterId).collect()
    }
}

/// By number: its place in an order.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    (0..).zip(order).for_each(|(place, &number)| places[number as usize] = place);
    places
}

/// A dimension of a grid.
struct Axis {
    size: u32,
    wraps: bool,
}

impl Axis {
    fn of(torus: &Torus) -> Vec<Self> {
        let axis = |(size, wrap)| Self { size, wraps: wrap == Wrap::Torus };
        torus.dimensions().map(|dimension| axis((dimension.size, dimension.wrap))).collect()
    }
}

/// The numbers of all places of a grid, block by block.
fn blocks(axes: &[Axis]) -> Vec<u32> {
    let mut order = Vec::new();
    // Of each block: where it begins and how long it is in each dimension.
    let mut open = vec![axes.iter().map(|axis| (0, axis.size)).collect::<Vec<_>>()];
    while let Some(block) = open.pop() {
        let volume: u32 = block.iter().map(|&(_, length)| length).product();
        if volume <= FEW_OF_GRID {
            list(&block, axes, volume, &mut order);
            continue;
        }
        // A ring that is whole is cut at two places.
        let cut = |dimension: usize| {
            let (axis, length) = (&axes[dimension], block[dimension].1);
            let places = if axis.wraps && length == axis.size { 2 } else { 1 };
            let is_row = dimension == 0 && length <= ROW;
            let weight = if is_row { ROW_WEIGHT } else { 1 };
            (u64::from(volume / length) * places * weight, is_row, u32::MAX - length, axis.size)
        };
        let longer = (0..axes.len()).rev().filter(|&dimension| block[dimension].1 > 1);
        let dimension = longer.min_by_key(|&dimension| cut(dimension)).expect("a block of several places");
        let (start, length) = block[dimension];
        let half = length.div_ceil(2);
        let [mut first, mut second] = [block.clone(), block];
        (first[dimension], second[dimension]) = ((start, half), (start + half, length - half));
        open.extend([second, first]);
    }
    order
}

/// Adds the numbers of the places of a block in ascending order.
fn list(block: &[(u32, u32)], axes: &[Axis], volume: u32, order: &mut Vec<u32>) {
    order.extend((0..volume).map(|place| {
        let (mut rest, mut number, mut stride) = (place, 0, 1);
        for (&(start, length), axis) in block.iter().zip(axes) {
            number += (start + rest % length) * stride;
            (rest, stride) = (rest / length, stride * axis.size);
        }
        number
    }));
}

#[cfg(test)]
mod tests;
