//! The routes of a pair of nodes as shares: the part of what one sends to the other that passes each link, in the mean over all that a
//! [`Rule`] may draw.
//!
//! ```text
//!   minimal            the one route; hashed: that of the pair and its interface
//!   minimal-random     at every router equal parts go by each of its candidates
//!   minimal-adaptive   the same: without queues none is better than another; so do random-up and adaptive-up
//!   ugal-l, ugal-g,    the same, before they take ways around (`detours.rs`); of dimwar the ways of the first dimension
//!   par, dimwar,       that differs
//!   omniwar
//!   valiant            1 / n goes by each of the n routers with nodes: a shortest way there, and a shortest way on
//!   valiant-group      likewise, but the second part begins with the first router of that router's group
//! ```
//! Where links have failed there are only the shortest ways that are left, and the routers in between by which some are.
//!
//! # Many routers
//! A machine with more than [`MOST`] routers with nodes takes [`SAMPLED`] of them in between for each pair, at equal distances from one that
//! is drawn from the numbers of both nodes. Each router is in between for as many pairs as any other; what a pair sends passes fewer
//! links than in truth, with larger parts.

use super::{Remaining, Rule, Switched};
use crate::Candidates;
use std::collections::BTreeMap;
use weir_units::{LinkId, NodeId, RouterId, mix, pick};

/// The most routers with nodes of which each is in between.
const MOST: u32 = 1024;
/// Number of routers in between beyond.
const SAMPLED: u32 = 64;

/// The links that what one node sends to another passes, each once, from the first to the last, which all of it passes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    /// The links.
    pub links: Vec<LinkId>,
    /// By link: the part that passes it, above 0 and at most 1. Empty where there is one route.
    pub weights: Vec<f64>,
}

impl Shares {
    /// The links with their parts.
    pub fn iter(&self) -> impl Iterator<Item = (LinkId, f64)> + '_ {
        let weight = |place: usize| self.weights.get(place).copied().unwrap_or(1.0);
        self.links.iter().enumerate().map(move |(place, &link)| (link, weight(place)))
    }

    /// Gives links that have been put before and behind the others, as many at each end, their weight: all passes them.
    pub fn frame(&mut self) {
        if !self.weights.is_empty() {
            let before = (self.links.len() - self.weights.len()) / 2;
            self.weights.splice(0..0, std::iter::repeat_n(1.0, before));
            self.weights.resize(self.links.len(), 1.0);
        }
    }

    /// Multiplies the weights of all links.
    pub fn scale(&mut self, by: f64) {
        if by != 1.0 {
            self.weights.resize(self.links.len(), 1.0);
            self.weights.iter_mut().for_each(|weight| *weight *= by);
        }
    }
}

impl Switched {
    /// Replaces what is in `shares` by the parts of what an interface of one node sends to another; where links have failed, of the ways that
    /// are left, and where none is, of those of the whole machine.
    ///
    /// # Panics
    /// When a node does not exist.
    pub(crate) fn shares(
        &self,
        (from, interface, to): (NodeId, u32, NodeId),
        remaining: Option<&Remaining>,
        shares: &mut Shares,
    ) {
        let (first, last) = (self.home(from), self.home(to));
        let straight = remaining.filter(|remaining| remaining.leads(first, last));
        shares.weights.clear();
        match self.rule() {
            Rule::Minimal => return self.route(from, to, &mut shares.links),
            Rule::Hashed => {
                let hash = Candidates::hash(from, interface, to);
                let choose = |found: &Candidates, here| found.hashed(hash, here);
                return self.route_choosing((from, to), straight, &mut shares.links, choose);
            }
            _ => {}
        }
        assert!(from.0.max(to.0) < self.0.nodes, "there is no route from node {from} to node {to}");
        shares.links.clear();
        if from == to {
            return;
        }
        let mut spread = Spread {
            network: self,
            remaining: straight,
            to,
            parts: BTreeMap::new(),
            found: Candidates::default(),
        };
        match self.rule() {
            Rule::Valiant | Rule::ValiantGroup if first != last => {
                spread.around(from, (first, last), remaining)
            }
            Rule::Valiant | Rule::ValiantGroup => {}
            _ => spread.evenly(first, last),
        }
        let all = [(LinkId(from.0), 1.0)].into_iter().chain(spread.parts);
        // Sums of parts are rounded.
        let all = all.chain([(self.ejection(to), 1.0)]).map(|(link, part)| (link, part.min(1.0)));
        (shares.links, shares.weights) = all.unzip();
    }
}

/// Parts while they are added up, in the order of links.
struct Spread<'n> {
    network: &'n Switched,
    remaining: Option<&'n Remaining>,
    to: NodeId,
    parts: BTreeMap<LinkId, f64>,
    found: Candidates,
}

impl<'n> Spread<'n> {
    /// All goes from a router to another, in equal parts by the candidates of each router in between.
    fn evenly(&mut self, from: RouterId, to: RouterId) {
        let mut here = BTreeMap::from([(from, 1.0)]);
        while !here.is_empty() {
            let mut next = BTreeMap::new();
            for (router, part) in here.into_iter().filter(|&(router, _)| router != to) {
                self.network.candidates_left(self.remaining, (router, to), &mut self.found);
                let in_order = matches!(self.network.rule(), Rule::DimWar(_));
                let count = if in_order { self.found.leading } else { self.found.ports.len() };
                let each = part / count as f64;
                for &port in &self.found.ports[..count] {
                    *self.parts.entry(self.network.link_at(router, port)).or_default() += each;
                    *next.entry(self.network.neighbor(router, port)).or_default() += each;
                }
            }
            here = next;
        }
    }

    /// Equal parts go by each router that may be in between, of those by which ways are left; or all the shortest way.
    fn around(
        &mut self,
        from: NodeId,
        (first, last): (RouterId, RouterId),
        remaining: Option<&'n Remaining>,
    ) {
        let homes = self.network.homes();
        let count = if homes <= MOST { homes } else { SAMPLED };
        let pair = u64::from(from.0) << u32::BITS | u64::from(self.to.0);
        let begin = pick(mix(pair), homes as usize) as u64;
        let to_group = self.network.rule() == Rule::ValiantGroup;
        let mut ways = Vec::new();
        for number in 0..u64::from(count) {
            let via = begin + number * u64::from(homes) / u64::from(count);
            let via = RouterId((via % u64::from(homes)) as u32);
            let leads = |from, to| remaining.is_none_or(|remaining| remaining.leads(from, to));
            if !leads(first, via) {
                continue;
            }
            let straight = std::mem::replace(&mut self.remaining, remaining);
            let (turn, mut way) = self.along(first, via, to_group);
            if leads(turn, last) {
                way.extend(self.along(turn, last, false).1);
                ways.push(way);
            }
            self.remaining = straight;
        }
        if ways.is_empty() {
            ways.push(self.along(first, last, false).1);
        }
        let part = 1.0 / ways.len() as f64;
        ways.into_iter().flatten().for_each(|link| *self.parts.entry(link).or_default() += part);
    }

    /// A shortest way to a router, or to the first one of its group: the router where that ends, and its links.
    fn along(&mut self, from: RouterId, to: RouterId, to_group: bool) -> (RouterId, Vec<LinkId>) {
        let network = self.network;
        let (mut here, mut way) = (from, Vec::new());
        while here != to && !(to_group && network.group(here) == network.group(to)) {
            network.candidates_left(self.remaining, (here, to), &mut self.found);
            let port = self.found.fixed(self.to);
            way.push(network.link_at(here, port));
            here = network.neighbor(here, port);
        }
        (here, way)
    }
}

#[cfg(test)]
mod tests;
