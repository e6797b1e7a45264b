//! Rules that decide for each packet where it goes on: `minimal-adaptive` and `ugal-l`, from the page that has their formulas.
//!
//! A packet has the links that have been decided; the next one is decided when it is the first of its lane and eligible, before
//! grants of that instant. A queue is what has passed the crossbar to a link less what is known to have passed the next one. The
//! crossbar and all links are equally fast, so a packet passes in the time that its bytes take. Where interfaces decide, they know what
//! waited at the beginning of the interval before the last one, where an interval is the time in which nothing is learned.

use super::network::Network;
use super::packet::{Packet, Way};
use super::router::Router;
use weir_topology::{Adaptive, Candidates, Decide, Rule, Switched, Topology};
use weir_units::{LinkId, NodeId, RouterId, mix, pick};

/// A packet in front of a link.
struct Passing {
    packet: usize,
    bytes: u64,
    /// From when until when it passes the crossbar, and, when that is known, as the sender learns that it passes the next one.
    crosses: (u64, u64),
    leaves: Option<(u64, u64)>,
}

/// The bytes that have passed at an instant.
fn passed(bytes: u64, (begins, ends): (u64, u64), now: u64) -> u64 {
    if now >= ends {
        bytes
    } else if now <= begins {
        0
    } else {
        bytes * (now - begins) / (ends - begins)
    }
}

pub(crate) struct Ruling<'a> {
    network: &'a Switched,
    /// By link.
    queues: Vec<Vec<Passing>>,
    /// The sender learns nothing sooner.
    least: u64,
}

impl<'a> Ruling<'a> {
    /// `None` where routes are fixed.
    pub(crate) fn of(topology: &'a Topology, least: u64) -> Option<Self> {
        let Topology::Switched(network) = topology else { return None };
        let queues = (0..topology.links()).map(|_| Vec::new()).collect();
        network.rule().decides().then_some(Self { network, queues, least })
    }

    /// Number of classes of virtual channels: as many as links can be passed.
    pub(crate) fn classes(&self) -> usize {
        let diameter = self.network.diameter().max(1) as usize;
        if self.network.rule() == Rule::MinimalAdaptive { diameter } else { 2 * diameter }
    }

    fn ejection(&self, node: NodeId) -> LinkId {
        LinkId::new(self.network.homes() as usize * self.network.nodes_per_router() as usize + node.index())
    }

    /// A place that is given back early is known to be free before its packet has passed the crossbar to it, so the difference is
    /// of all packets, and never below zero.
    fn waits(&self, link: LinkId, now: u64) -> u64 {
        let queue = &self.queues[link.index()];
        let come: u64 = queue.iter().map(|passing| passed(passing.bytes, passing.crosses, now)).sum();
        let gone = |passing: &Passing| passing.leaves.map_or(0, |leaves| passed(passing.bytes, leaves, now));
        come.saturating_sub(queue.iter().map(gone).sum())
    }

    /// A packet is granted from one link to another: it passes the crossbar in `passes`, and its place is known to be free after so
    /// long, which is `credit` after it is.
    pub(crate) fn granted(
        &mut self,
        packet: usize,
        bytes: u64,
        (from, to): (usize, usize),
        (now, passes): (u64, u64),
        (known, credit): (u64, u64),
    ) {
        if let Some(before) = self.queues[from].iter_mut().find(|passing| passing.packet == packet) {
            before.leaves = Some((now + credit.max(self.least), known));
        }
        let crosses = (now, now + passes);
        self.queues[to].push(Passing { packet, bytes, crosses, leaves: None });
    }

    /// The next link of a packet at a router, in so many lanes of which it is in the one with this number.
    pub(crate) fn next(
        &self,
        (router, lane): (usize, usize),
        to: NodeId,
        way: &mut Way,
        now: u64,
    ) -> Option<LinkId> {
        let (here, home) = (RouterId::new(router), self.network.home(to));
        let draw = mix(mix((router as u64) << 16 | lane as u64).wrapping_add(now));
        if *way == Way::By(here) {
            *way = Way::Straight;
        }
        if let Way::By(via) = *way {
            return Some(self.best(here, via, draw, Some(now)).1);
        }
        if here == home {
            return None;
        }
        let (chosen, link) = match self.network.rule() {
            Rule::UgalL(weights) if *way == Way::Open => self.weigh((here, home), weights, draw, Some(now)),
            _ => (Way::Straight, self.best(here, home, draw, Some(now)).1),
        };
        *way = chosen;
        Some(link)
    }

    /// The way of a packet that begins to leave a node.
    pub(crate) fn injected(&self, from: NodeId, to: NodeId, now: u64) -> Way {
        let ends = (self.network.home(from), self.network.home(to));
        match self.network.rule() {
            Rule::UgalL(weights) if weights.decide == Decide::Injection && ends.0 != ends.1 => {
                let announced = (now / self.least).checked_sub(2).map(|interval| interval * self.least);
                let draw = mix(mix(!u64::from(from.0)).wrapping_add(now));
                self.weigh(ends, weights, draw, announced).0
            }
            _ => Way::Open,
        }
    }

    /// The way of a packet from a router to another one, and its first link, by what waited at an instant, or when nothing did.
    fn weigh(
        &self,
        (here, home): (RouterId, RouterId),
        weights: Adaptive,
        draw: u64,
        at: Option<u64>,
    ) -> (Way, LinkId) {
        let Adaptive { threshold, minimal_weight, detour_weight, candidates, .. } = weights;
        let (least, link) = self.best(here, home, draw, at);
        let homes = self.network.homes() as usize;
        let drawn = (0..u64::from(candidates))
            .map(|number| RouterId::new(pick(mix(draw.wrapping_add(number)), homes)));
        let drawn = drawn.filter(|&via| via != here && via != home);
        let around = drawn.map(|via| (self.best(here, via, draw, at), via));
        match around.min_by_key(|((waits, _), _)| *waits) {
            Some(((waits, first), via))
                if u64::from(minimal_weight) * least > u64::from(detour_weight) * waits + threshold =>
            {
                (Way::By(via), first)
            }
            _ => (Way::Straight, link),
        }
    }

    /// What waits for the best of the links that begin a shortest way: of equal ones the first behind one that is drawn.
    fn best(&self, here: RouterId, to: RouterId, draw: u64, at: Option<u64>) -> (u64, LinkId) {
        let mut found = Candidates::default();
        self.network.candidates(here, to, &mut found);
        let count = found.ports.len();
        let ports = (0..count).map(|step| found.ports[(pick(draw, count) + step) % count]);
        let links = ports.map(|port| self.network.link_at(here, port));
        let waits = |link| at.map_or(0, |at| self.waits(link, at));
        links.map(|link| (waits(link), link)).min_by_key(|&(waits, _)| waits).expect("a way")
    }
}

/// Decides for all packets of a router that are the first of their lanes and eligible where they go on.
pub(super) fn decide_ways(
    (ruling, network): (&Option<Ruling<'_>>, &Network<'_>),
    (number, router): (usize, &Router),
    packets: &mut [Packet],
    now: u64,
) {
    let Some(ruling) = ruling else { return };
    for input in &router.inputs {
        for (channel, lane) in input.lanes.iter().enumerate() {
            let passes = input.passing.is_some_and(|(passing, _)| passing == channel);
            let Some(stay) = lane.get(usize::from(passes)).filter(|stay| stay.next <= now) else { continue };
            let packet = &mut packets[stay.packet];
            if packet.route.last() != Some(&input.link) {
                continue;
            }
            let place = (number, input.port * input.lanes.len() + channel);
            let next = ruling.next(place, packet.to, &mut packet.way, now);
            let hop = packet.route.len();
            let route = packet.route.iter().map(|&link| LinkId::new(link));
            let link = next.unwrap_or_else(|| ruling.ejection(packet.to));
            // Behind the last link of a route there is no class.
            let route: Vec<_> = route.chain([link; 2]).collect();
            packet.channels.push(next.map(|_| network.channels(&route, hop)));
            packet.route.push(link.index());
        }
    }
}
