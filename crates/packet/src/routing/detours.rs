//! Machines with failed links: packets that can go their usual way do, by the rule of the whole machine; the others carry a
//! stored detour.
//!
//! # No circles
//! In the whole machine the channels, which are links with a class, have an *order* in which every packet goes up
//! ([`Routing::order`]): in a torus dimension by dimension, in each of them class 1 before class 0, in each class as the links
//! follow from behind the closing link on (see [`super::grid`]); in a fat tree up stage by stage and then down; in a
//! hypercrossbar dimension by dimension, to the crossbar and from it. A detour goes up in this order as far as it can, in the
//! lowest channel of each link that is above the one before. From the first link that has none, its packets are in classes
//! of their own, behind all others; among these [`super::classes`] finds as few as it can. So packets wait only for those
//! that are further on in one order of all channels, and there is no circle.
//!
//! A detour the other way round a ring needs no class of its own, nor does one that goes up and down a fat tree once. One
//! that goes back to a dimension of a torus does.

use super::classify::{Piece, fewest};
use super::stored::{CLASS_SHIFT, EJECTION, MOST_CLASSES, MOST_HOPS, MOST_PORTS};
use super::{Hop, Routing, too_large};
use crate::Refusal;
use crate::network::{Channel, Poll};
use weir_topology::{Degraded, End, Link};
use weir_units::{LinkId, NodeId};

/// The rule of the whole machine, and the detours.
#[derive(Clone, Debug)]
pub(crate) struct Detours {
    /// That of the packets that take no detour.
    pub(super) whole: Box<Routing>,
    /// Classes in all.
    pub(super) classes: u32,
    /// By source: where its destinations with detours begin; these ascend.
    first: Vec<u32>,
    to: Vec<u32>,
    /// By pair: the place of its first hop.
    place: Vec<u32>,
    /// Output port, and above it the class.
    hops: Vec<u16>,
    /// By destination: where the hops of detours to it end.
    ends: Vec<u32>,
}

/// An address with this bit is a place among the hops of detours.
const DETOUR: u32 = 1 << 31;

impl Detours {
    /// # Errors
    /// When there is too much to store, or there are too many classes. When `poll` stops it, with anything.
    pub(crate) fn new(
        whole: Routing,
        degraded: &Degraded,
        nics: u32,
        outputs: &[u16],
        poll: Poll<'_>,
    ) -> Result<Self, Refusal> {
        let machine = degraded.whole();
        if whole.address_bits() >= u32::BITS {
            return Err(too_large("needs all 32 bits of an address, and has failed links"));
        }
        let mut all = Listed::default();
        let mut fits = true;
        let add = |from: NodeId, to: NodeId, route: &[LinkId]| {
            fits &= all.links.len() + route.len() < MOST_HOPS;
            if fits {
                all.add(from, to, route);
            }
        };
        if !degraded.detours(add, &mut *poll) {
            return Err(too_large("is not built to its end"));
        }
        if !fits {
            return Err(too_large("has too many detours: their hops do not fit into 2 GiB"));
        }
        let port = |id: LinkId| u32::from(outputs[id.index()]);
        if all.links.iter().any(|&id| port(id) + nics > u32::from(MOST_PORTS)) {
            return Err(too_large(format!("needs more than {MOST_PORTS} ports at a router")));
        }
        let (mut hops, pieces) = all.usual_classes(&whole, degraded, outputs);
        let usual = whole.classes();
        let own = fewest(machine, &all, pieces, poll, &mut |pair, hop, class| {
            let place = all.between(pair).start + hop;
            hops[place] = (hops[place] % MOST_PORTS) | (usual as u16 + u16::from(class)) << CLASS_SHIFT;
        })?;
        let classes = usual + own;
        if classes > MOST_CLASSES {
            return Err(too_large(format!("needs more than {MOST_CLASSES} classes of virtual channels")));
        }
        Ok(all.into_detours(whole, classes, hops, machine.nodes()))
    }

    pub(crate) fn address(&self, from: NodeId, to: NodeId) -> u32 {
        self.detour(from, to).unwrap_or_else(|| self.whole.address(from, 0, to))
    }

    /// The address of a packet that begins a detour.
    pub(super) fn detour(&self, from: NodeId, to: NodeId) -> Option<u32> {
        let [begin, end] = [0, 1].map(|behind| self.first[from.index() + behind] as usize);
        let place = self.to[begin..end].binary_search(&to.0).ok()?;
        Some(DETOUR | self.place[begin + place])
    }

    /// The node to which a packet goes that is on a detour.
    pub(super) fn destination(&self, address: u32) -> Option<NodeId> {
        let place = address.checked_sub(DETOUR)?;
        Some(NodeId(self.ends.partition_point(|&end| end <= place) as u32))
    }

    #[inline(never)]
    pub(crate) fn hop(&self, here: u32, address: u32, nic: u32, channel: Channel) -> Hop {
        if address & DETOUR == 0 {
            return self.whole.hop(here, address, nic, channel);
        }
        let hop = self.hops[(address & !DETOUR) as usize];
        let port = hop % MOST_PORTS;
        match hop >> CLASS_SHIFT {
            EJECTION => Hop { output: port + nic as u16, class: 0 },
            class => Hop { output: port, class: class as u8 },
        }
    }

    /// The address behind a router.
    pub(crate) fn onward(&self, address: u32) -> u32 {
        if address & DETOUR == 0 { address } else { address + 1 }
    }
}

/// Detours, while they are being classified: by destination, then by source.
#[derive(Default)]
pub(super) struct Listed {
    pairs: Vec<(u32, u32)>,
    /// By pair: where its links end.
    ends: Vec<u32>,
    /// Links of each detour: those between routers and the one to the node.
    links: Vec<LinkId>,
}

impl Listed {
    fn add(&mut self, from: NodeId, to: NodeId, route: &[LinkId]) {
        self.pairs.push((from.0, to.0));
        self.links.extend_from_slice(&route[1..]);
        self.ends.push(self.links.len() as u32);
    }

    /// Where the hops of a detour between routers are.
    fn between(&self, pair: u32) -> std::ops::Range<usize> {
        let begin = pair.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        begin as usize..self.ends[pair as usize] as usize - 1
    }

    /// The links of a detour between routers.
    pub(super) fn links(&self, pair: u32) -> &[LinkId] {
        &self.links[self.between(pair)]
    }

    /// The hops with the classes of the whole machine, as far as they get; and of each detour what is left.
    fn usual_classes(&self, whole: &Routing, degraded: &Degraded, outputs: &[u16]) -> (Vec<u16>, Vec<Piece>) {
        let mut hops: Vec<u16> = self.links.iter().map(|&id| outputs[id.index()]).collect();
        let mut pieces = Vec::new();
        for pair in 0..self.pairs.len() as u32 {
            let between = self.between(pair);
            hops[between.end] |= EJECTION << CLASS_SHIFT;
            let mut last = None;
            for (number, place) in between.clone().enumerate() {
                let Link { from: End::Router(router), .. } = degraded.whole().link(self.links[place]) else {
                    unreachable!("these links are between routers")
                };
                let port = hops[place];
                let classes =
                    (0..whole.classes() as u8).map(|class| (whole.order(router.0, port, class), class));
                let Some((order, class)) = classes.filter(|&(order, _)| Some(order) > last).min() else {
                    pieces.push((pair, number as u32, between.len() as u32));
                    break;
                };
                hops[place] |= u16::from(class) << CLASS_SHIFT;
                last = Some(order);
            }
        }
        (hops, pieces)
    }

    fn into_detours(self, whole: Routing, classes: u32, hops: Vec<u16>, nodes: usize) -> Detours {
        let mut order: Vec<u32> = (0..self.pairs.len() as u32).collect();
        order.sort_unstable_by_key(|&pair| self.pairs[pair as usize]);
        let mut first = vec![0; nodes + 1];
        self.pairs.iter().for_each(|&(from, _)| first[from as usize + 1] += 1);
        (0..nodes).for_each(|node| first[node + 1] += first[node]);
        let to = order.iter().map(|&pair| self.pairs[pair as usize].1).collect();
        let place = order.iter().map(|&pair| self.between(pair).start as u32).collect();
        let mut ends = vec![0; nodes];
        self.pairs.iter().zip(&self.ends).for_each(|(&(_, to), &end)| ends[to as usize] = end);
        (1..nodes).for_each(|node| ends[node] = ends[node].max(ends[node - 1]));
        Detours { whole: Box::new(whole), classes, first, to, place, hops, ends }
    }
}
