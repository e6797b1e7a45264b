//! Which messages interfaces send now, and which wait.

use super::{Network, State};
use crate::accounting::BehindOthers;
use crate::flows::Flows;
use crate::interfaces::{Interfaces, PASSES};
use crate::queues::Queued;
use weir_topology::{End, Topology};
use weir_units::{Bytes, Duration, LinkId, Time};

impl<B> Network<'_, B> {
    /// Something is to be sent by an interface, or copied by a rank: at once, or when one of those before it has left.
    pub(super) fn queue(&mut self, now: Time, home: usize, what: Queued<B>) {
        let takes_place = self.state.lanes.takes_place(home, what.bytes());
        if takes_place && self.state.lanes.is_full(home) {
            return self.state.queues.push(home, what);
        }
        let slot = self.state.lanes.take(home, takes_place);
        if slot == self.state.flows.slots() {
            self.state.flows.add_slot();
            if self.services.have_levels() {
                self.state.flows.set_level(slot, self.services.level(self.interfaces.service(home)));
            }
            self.state.active.add();
            self.state.accounting.add_slot();
            self.state.route_latency.push(Duration::ZERO);
        }
        self.state.active.push(slot, what);
        self.activate(now, slot);
    }

    /// The message of a slot has left: the next one that waits takes its place, if there is one.
    pub(super) fn take_next(&mut self, slot: usize) {
        let home = self.state.lanes.home(slot);
        if self.state.lanes.is_full(home) {
            return self.state.lanes.free(slot);
        }
        match self.state.queues.pop(home) {
            Some(next) => {
                self.state.lanes.keep(slot);
                self.state.active.push(slot, next);
            }
            None => self.state.lanes.free(slot),
        }
    }

    /// The flow of a slot is about to end.
    #[inline]
    pub(super) fn note_end(&mut self, slot: usize) {
        let Some(front) = self.state.active.front(slot) else { return };
        let bytes = front.bytes();
        self.state.behind.end(bytes);
        // Those of another service class would not wait for them.
        if bytes <= BehindOthers::SHORT
            && self.services.count() == 1
            && front.is_data()
            && !self.interfaces.is_of_memory(self.state.lanes.home(slot))
        {
            let Self { machines, interfaces, state: State { behind, flows, .. }, .. } = self;
            let links = flows.links(slot).map(|(link, _, weight)| (link, weight));
            behind.note(|| filled(slot, links, flows, (machines.topology, interfaces)));
        }
    }

    /// The message of a slot becomes active; and the next, while there is nothing to carry.
    pub(super) fn activate(&mut self, now: Time, slot: usize) {
        let home = self.state.lanes.home(slot);
        while let Some(front) = self.state.active.front(slot) {
            let (of, to, bytes) = match front {
                Queued::Whole(message, _) => {
                    message.started = now;
                    self.state.accounting.start(slot, message, now);
                    ((message.from, message.sequence), message.to, message.bytes)
                }
                Queued::Part(part) => {
                    self.state.stripes.starts(part, now);
                    (part.of, part.to, part.bytes)
                }
            };
            let to = self.placement.node(to);
            let is_within = self.interfaces.is_of_memory(home);
            if bytes > Bytes::ZERO {
                let jitter = self.ties.jitter(bytes.as_f64(), self.fastest);
                self.state.jitter = self.state.jitter.max(jitter);
                let size = self.ties.size(of, bytes, jitter);
                self.state.behind.begin(bytes);
                let size = match is_within {
                    true => PASSES * size,
                    false => size / self.services.weight(self.interfaces.service(home)),
                };
                self.state.flows.begin_waiting(slot, of.0, now);
                self.state.flows.start(slot, size, to, now);
                return;
            }
            let is_data = front.is_data();
            let way = self.state.accounting.way(slot);
            if is_within {
                if self.state.accounting.is_on() {
                    self.state.accounting.take_way_within(slot, None);
                }
                self.depart(now, slot, self.node.within.latency);
                self.state.accounting.give_back(slot, way);
                self.take_next(slot);
                continue;
            }
            let (from, interface) = (self.interfaces.node(home), self.interfaces.number(home));
            if !self.machines.topology.find_shares_by(from, interface, to, &mut self.route) {
                self.state.waiting.push(slot as u32);
                return;
            }
            let latency = self.latencies.along(&self.route, self.machines.topology.links());
            if is_data && self.services.count() == 1 {
                let Self { machines, interfaces, route, state: State { behind, flows, .. }, .. } = self;
                let links = route.iter().map(|(link, weight)| (link.index(), weight));
                behind.note(|| filled(slot, links, flows, (machines.topology, interfaces)));
            }
            if self.state.accounting.is_on() {
                self.state.accounting.take_way(slot, (&self.route, latency), &self.latencies);
            }
            self.depart(now, slot, latency);
            self.state.accounting.give_back(slot, way);
            self.take_next(slot);
        }
    }
}

/// The first link of a message of a slot that a long flow of another slot fills: it has half of it, or is held back by it or by the link into its
/// receiver. Links of interfaces do not count: there the message takes turns with others; nor do links that less than half of it passes.
fn filled(
    slot: usize,
    links: impl Iterator<Item = (usize, f64)>,
    flows: &Flows,
    (topology, interfaces): (&Topology, &Interfaces),
) -> Option<usize> {
    let mut links = links.filter(|&(_, weight)| weight >= 0.5).map(|(link, _)| link);
    links.find(|&link| {
        let Some((long, weight)) =
            flows.long_on(link, slot, BehindOthers::LONG).filter(|_| link < topology.links())
        else {
            return false;
        };
        let here = topology.link(LinkId::new(link));
        let has_half = 2.0 * weight * flows.rate(long) >= here.capacity.bytes_per_second();
        let is_held = |at: usize| at == link || interfaces.is_into_node(topology, at);
        !matches!(here.from, End::Node(_)) && (has_half || flows.held_up_at(long).is_some_and(is_held))
    })
}
