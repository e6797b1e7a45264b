//! Which messages interfaces send now, and which wait.

use super::Network;
use crate::behind::BehindOthers;
use crate::memory::PASSES;
use crate::stripes::Queued;
use weir_units::{Bytes, Duration, Time};

impl<B> Network<'_, B> {
    /// Something is to be sent by an interface, or copied by a rank: at once, or when one of those before it has left.
    pub(super) fn queue(&mut self, now: Time, home: usize, what: Queued<B>) {
        let takes_place = self.lanes.takes_place(home, what.bytes());
        if takes_place && self.lanes.is_full(home) {
            return self.queues.push(home, what);
        }
        let slot = self.lanes.take(home, takes_place);
        if slot == self.flows.slots() {
            self.flows.add_slot();
            self.active.add();
            self.accounting.add_slot();
            self.route_latency.push(Duration::ZERO);
        }
        self.active.push(slot, what);
        self.activate(now, slot);
    }

    /// The message of a slot has left: the next one that waits takes its place, if there is one.
    pub(super) fn take_next(&mut self, slot: usize) {
        let home = self.lanes.home(slot);
        if self.lanes.is_full(home) {
            return self.lanes.free(slot);
        }
        match self.queues.pop(home) {
            Some(next) => {
                self.lanes.keep(slot);
                self.active.push(slot, next);
            }
            None => self.lanes.free(slot),
        }
    }

    /// The flow of a slot is about to end.
    #[inline]
    pub(super) fn note_end(&mut self, slot: usize) {
        let Some(front) = self.active.front(slot) else { return };
        let bytes = front.bytes();
        self.behind.end(bytes);
        if bytes <= BehindOthers::SHORT
            && front.is_data()
            && !self.interfaces.is_of_memory(self.lanes.home(slot))
        {
            let links = self.flows.links(slot).map(|(link, _)| link);
            self.behind.note((slot, links), &self.flows, (self.machines.topology, &self.interfaces));
        }
    }

    /// The message of a slot becomes active; and the next, while there is nothing to carry.
    pub(super) fn activate(&mut self, now: Time, slot: usize) {
        let home = self.lanes.home(slot);
        while let Some(front) = self.active.front(slot) {
            let (of, to, bytes) = match front {
                Queued::Whole(message, _) => {
                    message.started = now;
                    self.accounting.start(slot, message, now);
                    ((message.from, message.sequence), message.to, message.bytes)
                }
                Queued::Part(part) => {
                    self.stripes.starts(part, now);
                    (part.of, part.to, part.bytes)
                }
            };
            let to = self.placement.node(to);
            let is_within = self.interfaces.is_of_memory(home);
            if bytes > Bytes::ZERO {
                let jitter = self.ties.jitter(bytes.as_f64(), self.fastest);
                self.jitter = self.jitter.max(jitter);
                let size = self.ties.size(of, bytes, jitter);
                self.behind.begin(bytes);
                self.flows.start(slot, if is_within { PASSES * size } else { size }, to, now);
                return;
            }
            let is_data = front.is_data();
            let way = self.accounting.way(slot);
            if is_within {
                if self.accounting.is_on() {
                    self.accounting.take_way_within(slot, None);
                }
                self.depart(now, slot, self.node.within.latency);
                self.accounting.give_back(slot, way);
                self.take_next(slot);
                continue;
            }
            let (from, interface) = (self.interfaces.node(home), self.interfaces.number(home));
            if !self.machines.topology.find_route_by(from, interface, to, &mut self.route) {
                self.waiting.push(slot as u32);
                return;
            }
            let latency = self.latencies.along(&self.route);
            if is_data {
                let links = self.route.iter().map(|link| link.index());
                self.behind.note((slot, links), &self.flows, (self.machines.topology, &self.interfaces));
            }
            if self.accounting.is_on() {
                self.accounting.take_way(slot, &self.route, &self.latencies);
            }
            self.depart(now, slot, latency);
            self.accounting.give_back(slot, way);
            self.take_next(slot);
        }
    }
}
