//! The ways around of a pair of nodes, for a fluid: those that a [`Rule`] which weighs queues might take instead of a shortest way.
//!
//! ```text
//!   ugal-l     shortest ways to each of so many routers with nodes, and shortest ways on
//!   par        the same, without routers of the groups of source and destination
//!   dimwar     dimension by dimension, with a detour of one link in some of those that differ
//!   omniwar    the same, and dimensions in any order
//! ```
//! A pair of routers has [`WAYS`] of them at most, whose routers in between are at equal distances, so that each is in between for as many pairs as
//! any other. Where several ports begin a shortest way, each detour takes one that is drawn for it.

use super::{Candidates, HyperX, Rule, Switched, Wiring};
use weir_units::{LinkId, NodeId, RouterId, mix, pick};

/// The most ways around that a pair of routers has on a fluid, and that on machines of more than [`MANY`] routers with nodes, where the pairs
/// of two groups have enough of them together. Within lines they are half as long, and twice as many.
const WAYS: u32 = 16;
const FEWER_WAYS: u32 = 8;
/// See there.
const MANY: u32 = 64;

/// A number for a pair of numbers, for [`pick`], such that those of the pairs of any rectangle are spread evenly: multiples of 1 / p and 1 / p^2 with p^3 = p + 1
/// (Roberts: "The unreasonable effectiveness of quasirandom sequences", 2018).
const fn spread(one: u32, other: u32) -> u64 {
    (one.wrapping_mul(0xc13f_a9a9).wrapping_add(other.wrapping_mul(0x91e1_0da5)) as u64) << u32::BITS
}

impl Switched {
    /// The ways around from one node to another, each as its links between routers; none where the rule takes none.
    ///
    /// # Panics
    /// When a node does not exist.
    pub(crate) fn detours(&self, from: NodeId, to: NodeId) -> Vec<Vec<LinkId>> {
        assert!(from.0.max(to.0) < self.0.nodes, "there is no way from node {from} to node {to}");
        let (first, last) = (self.home(from), self.home(to));
        if first == last {
            return Vec::new();
        }
        let pair = mix(u64::from(first.0) << u32::BITS | u64::from(last.0));
        let (homes, groups) = (self.homes(), [first, last].map(|router| self.group(router)));
        let most = if homes > MANY { FEWER_WAYS } else { WAYS };
        let mut ways: Vec<Vec<LinkId>> = match (self.rule(), self.wiring()) {
            (Rule::UgalL(_) | Rule::UgalG(_) | Rule::Par(_), _) => {
                let count = homes.min(most);
                let via = |number| (number, self.between([first, last], (number, count)));
                let fits = |via: RouterId| match self.rule() {
                    Rule::Par(_) => !groups.contains(&self.group(via)),
                    _ => ![first, last].contains(&via),
                };
                let vias = (0..count).map(via).filter(|&(_, via)| fits(via));
                vias.map(|(number, via)| self.by(&[first, via, last], mix(pair.wrapping_add(number.into()))))
                    .collect()
            }
            (Rule::DimWar(_) | Rule::OmniWar(_), Wiring::HyperX(hyper_x)) => {
                let way = |number| self.within_lines(hyper_x, [first, last], (number, 2 * most), pair);
                (0..2 * most).map(way).collect()
            }
            _ => Vec::new(),
        };
        let is_once = |way: &Vec<LinkId>| {
            let mut links = way.clone();
            links.sort_unstable();
            links.windows(2).all(|pair| pair[0] != pair[1])
        };
        ways.retain(is_once);
        ways.sort_unstable();
        ways.dedup();
        ways
    }

    /// The router of this number, of so many, that is in between for two others: those of a pair are at equal distances, and so are those of all routers of
    /// a group to a router together, from one that is drawn for the two groups.
    fn between(&self, [first, last]: [RouterId; 2], (number, of): (u32, u32)) -> RouterId {
        let homes = self.homes();
        let of_group = homes / (self.group(RouterId(homes - 1)) + 1);
        let drawn = pick(spread(self.group(first), self.group(last)), homes as usize) as u64;
        let place = u64::from(number * of_group + first.0 % of_group);
        let via = drawn + place * u64::from(homes) / u64::from(of * of_group);
        RouterId((via % u64::from(homes)) as u32)
    }

    /// Shortest ways from each of these routers to the next.
    fn by(&self, routers: &[RouterId], drawn: u64) -> Vec<LinkId> {
        let (mut way, mut found, mut here) = (Vec::new(), Candidates::default(), routers[0]);
        for &next in &routers[1..] {
            while here != next {
                self.candidates(here, next, &mut found);
                let port = found.ports[pick(mix(drawn ^ u64::from(here.0)), found.ports.len())];
                way.push(self.link_at(here, port));
                here = self.neighbor(here, port);
            }
        }
        way
    }

    /// The way of this number, of so many, with detours within lines of a grid.
    fn within_lines(
        &self,
        grid: &HyperX,
        [first, last]: [RouterId; 2],
        (number, of): (u32, u32),
        pair: u64,
    ) -> Vec<LinkId> {
        let differs = |&at: &usize| grid.coordinate(first.0, at) != grid.coordinate(last.0, at);
        let mut differing: Vec<usize> = (0..grid.shape().len()).filter(differs).collect();
        let is_ordered = matches!(self.rule(), Rule::DimWar(_));
        // Which dimensions have a detour: each set of them in turn, also that of none if there are several orders.
        let none = u32::from(!is_ordered && differing.len() > 1);
        let sets = (1_u32 << differing.len().min(16)) - 1 + none;
        let (set, turn) = (number % sets + 1 - none, number / sets);
        let in_set: Vec<usize> = differing
            .iter()
            .copied()
            .enumerate()
            .filter(|(at, _)| set >> at & 1 == 1)
            .map(|(_, axis)| axis)
            .collect();
        if !is_ordered {
            let begin = pick(mix(pair ^ u64::from(number)), differing.len());
            differing.rotate_left(begin);
        }
        let (mut stops, mut here) = (vec![first], first.0);
        for axis in differing {
            let size = grid.shape().nth(axis).expect("a dimension");
            let (from, to) = (grid.coordinate(here, axis), grid.coordinate(last.0, axis));
            if in_set.contains(&axis) && size > 2 {
                // The others of the line, in turn from one that is drawn.
                let others = (0..size).filter(|&other| other != from && other != to);
                let begin = pick(mix(pair.wrapping_add(axis as u64)), size as usize - 2) as u32;
                let stride = (size - 2).div_ceil(of.div_ceil(sets)).max(1);
                let other = others.clone().nth(((begin + turn * stride) % (size - 2)) as usize);
                here = grid.moved(here, axis, other.expect("another router of the line"));
                stops.push(RouterId(here));
            }
            here = grid.moved(here, axis, to);
            stops.push(RouterId(here));
        }
        self.by(&stops, mix(pair.wrapping_add(number.into())))
    }
}

#[cfg(test)]
mod tests;
