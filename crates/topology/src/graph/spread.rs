//! Which of several equally short ways a pair of nodes takes: a number that no listing of the vertices changes.
//!
//! # The order of destinations
//! Nodes of a router follow each other, and routers as they are joined: first those under one switch, then those of
//! such groups under one switch above them, and so on. What is not decided so is by names. A walk takes the way numbered
//! `number mod ways` and hands on the rest of the number (see [`Ways::walk`](crate::shortest::Ways::walk)), so
//! destinations that follow each other are spread evenly over the ways up, and meet again on no way down: this is
//! destination-mod of fat trees, whatever the order of the vertices.
//!
//! # Sources
//! Where more links lead to a router than it has nodes, a node has as many numbers as there are links for it, and its sources
//! take them in turn: else a router with one node and four cables would get all its data through one of them. Where
//! there are fewer links than nodes, but not a whole part of them, sources of different routers begin in different places.

use super::check::Wiring;
use std::collections::VecDeque;
use weir_units::NodeId;

/// The numbers that decide, by node.
#[derive(Debug)]
pub(super) struct Spread(Vec<Place>);

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// In the order of nodes.
    of_node: u32,
    /// The place of its router in their order.
    of_router: u32,
    /// Its first number, and how many it has.
    first: u64,
    count: u32,
    /// By how many numbers the next router of sources begins later.
    later: u32,
}

impl Spread {
    /// Prepares a network whose vertices are in this order. Little more than O(links).
    pub(super) fn of(wiring: &Wiring, by_name: &[u32]) -> Self {
        let mut nodes_of = vec![Vec::new(); wiring.routers.len()];
        for &vertex in by_name {
            if let Some(&home) = wiring.home.get(wiring.node_of[vertex as usize] as usize) {
                nodes_of[home as usize].push(wiring.node_of[vertex as usize]);
            }
        }
        let routers = by_name.iter().map(|&vertex| wiring.router_of[vertex as usize]);
        let with_nodes =
            routers.filter(|&router| nodes_of.get(router as usize).is_some_and(|nodes| !nodes.is_empty()));
        let mut places = vec![Place::default(); wiring.home.len()];
        let (mut of_node, mut first) = (0, 0);
        for (of_router, router) in (0..).zip(as_joined(with_nodes.collect(), wiring)) {
            let nodes = &nodes_of[router as usize];
            let (links, count) = (wiring.wires.incoming(router).len() as u32, nodes.len() as u32);
            let numbers = (links / count).max(1);
            let later = if count > links { count.checked_rem(links).unwrap_or(0) } else { 0 };
            for &node in nodes {
                places[node as usize] = Place { of_node, of_router, first, count: numbers, later };
                of_node += 1;
                first += u64::from(numbers);
            }
        }
        Self(places)
    }

    /// The number that decides on the way of a pair.
    pub(super) fn number(&self, from: NodeId, to: NodeId) -> u64 {
        let (from, to) = (self.0[from.index()], self.0[to.index()]);
        // By how many nodes the source is before the one before the destination, in a ring of all: without gaps for the sources of
        // a node, and for its destinations.
        let apart =
            (self.0.len() as u64 + u64::from(to.of_node) - u64::from(from.of_node) - 1) % self.0.len() as u64;
        to.first + apart % u64::from(to.count) + u64::from(to.later) * u64::from(from.of_router)
    }

    /// Returns whether the number of a pair depends on where its source is.
    pub(super) fn depends_on_source(&self) -> bool {
        self.0.iter().any(|place| place.count != 1 || place.later != 0)
    }

    /// The number that decides on a detour of a pair: pairs that took one link are those of one destination, or of few.
    pub(super) fn number_of_detour(&self, from: NodeId, to: NodeId) -> u64 {
        self.number(from, to) + u64::from(self.0[from.index()].of_node)
    }
}

/// These routers, so that those joined by few steps away from nodes follow each other; else in the order given.
fn as_joined(mut routers: Vec<u32>, wiring: &Wiring) -> Vec<u32> {
    let steps = steps_from(&routers, wiring);
    let mut groups = Groups::new(&routers, wiring.wires.routers());
    let deepest = steps.iter().copied().filter(|&steps| steps != u32::MAX).max().unwrap_or(0);
    let mut by_depth = vec![Vec::new(); deepest as usize + 1];
    for link in (0..wiring.wires.routers() as u32).flat_map(|router| wiring.wires.out(router)) {
        let ends = (wiring.wires.tail(*link), wiring.wires.head(*link));
        let depth = steps[ends.0 as usize].max(steps[ends.1 as usize]);
        if let Some(links) = by_depth.get_mut(depth as usize) {
            links.push(ends);
        }
    }
    for links in by_depth {
        let before = groups.count;
        links.into_iter().for_each(|(a, b)| groups.join(a, b));
        if groups.count < before {
            // Those that were together stay so: a sort keeps the order of equal ones.
            routers.sort_by_cached_key(|&router| groups.first_of(router));
        }
    }
    routers
}

/// By router: how many steps it is from the nearest of these, along links in any direction.
fn steps_from(routers: &[u32], wiring: &Wiring) -> Vec<u32> {
    let mut steps = vec![u32::MAX; wiring.wires.routers()];
    routers.iter().for_each(|&router| steps[router as usize] = 0);
    let mut open: VecDeque<u32> = routers.iter().copied().collect();
    while let Some(router) = open.pop_front() {
        let heads = wiring.wires.out(router).iter().map(|&link| wiring.wires.head(link));
        let tails = wiring.wires.incoming(router).iter().map(|&link| wiring.wires.tail(link));
        for near in heads.chain(tails) {
            if steps[near as usize] == u32::MAX {
                steps[near as usize] = steps[router as usize] + 1;
                open.push_back(near);
            }
        }
    }
    steps
}

/// Routers that are together, each group with the first one of an order.
struct Groups {
    /// By router: one of the same group that is before it in the order, or itself.
    before: Vec<u32>,
    /// By router: its place in the order.
    place: Vec<u32>,
    /// Number of groups that have routers of the order.
    count: usize,
}

impl Groups {
    /// Each router is a group; these are in order, all others behind them.
    fn new(order: &[u32], routers: usize) -> Self {
        let mut place = vec![u32::MAX; routers];
        (0..).zip(order).for_each(|(number, &router)| place[router as usize] = number);
        Self { before: (0..routers as u32).collect(), place, count: order.len() }
    }

    fn first(&mut self, mut router: u32) -> u32 {
        while self.before[router as usize] != router {
            let next = self.before[self.before[router as usize] as usize];
            self.before[router as usize] = next;
            router = next;
        }
        router
    }

    /// The place of the first router of a group.
    fn first_of(&mut self, router: u32) -> u32 {
        let first = self.first(router);
        self.place[first as usize]
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        if a == b {
            return;
        }
        let [a_place, b_place] = [a, b].map(|router| self.place[router as usize]);
        let (first, other) = if a_place <= b_place { (a, b) } else { (b, a) };
        self.before[other as usize] = first;
        self.count -= usize::from(a_place.max(b_place) != u32::MAX);
    }
}

#[cfg(test)]
mod tests;
