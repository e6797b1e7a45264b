//! Trails of messages, where the causes of time are kept.

use super::Hosts;
use crate::zero_load::UnloadedRoute;
use std::collections::BTreeMap;
use weir_network::causes::Trail;
use weir_network::{EventKey, EventKind, Message, Neighbors, Notice, Pending, Program};
use weir_pdes::Window;
use weir_units::{Duration, Rank, Time};

/// Per message with a departure notice: its trail at injection and its injection time alone.
pub(super) type Leaving = BTreeMap<(Rank, u64), (Box<Trail>, Duration)>;

/// By interface, by its number: until when the machine is as its last message found it, where that went, and the way. Most messages go where the
/// one before them went.
pub(super) type Ways<'a> = BTreeMap<u32, ((u64, u32), UnloadedRoute<'a>)>;

impl<P: Program> Hosts<'_, P> {
    /// An interface, by its number, has got a message at an instant.
    ///
    /// The time expected of it alone follows from the machine as it is at this instant.
    #[inline]
    pub(super) fn account_for_injection(
        &mut self,
        at: Time,
        message: &mut Message<P::Body>,
        notice: Notice,
        number: u32,
    ) {
        let Some(trail) = &mut message.trail else { return };
        let network = self.network_at(at);
        if notice == Notice::Departed {
            let alone = network.injection(number, message.bytes);
            self.state.leaving.insert((message.from, message.sequence), (trail.clone(), alone));
        }
        let [from, to] = [message.from, message.to].map(|rank| self.placement.node(rank));
        if let Some(address) = network.address(from, number % network.nics_per_node, to) {
            let key = (network.changes_at(), address);
            let way = || (key, network.way(number, address));
            let last = self.ways.entry(number).or_insert_with(way);
            if last.0 != key {
                *last = way();
            }
            trail.expect(network.carriage(last.1, message.bytes));
        }
    }

    /// All of a message is there at an instant, and its last packet has stalled for some time.
    #[inline]
    pub(super) fn account_for_arrival(message: &mut Message<P::Body>, at: Time, stalled: Duration) {
        if let Some(trail) = &mut message.trail {
            trail.arrive_as_expected(message.started, at, stalled);
        }
    }

    /// Answers what the time of these ranks went into so far, if that has been asked.
    #[inline]
    pub(super) fn answer_so_far(&mut self, window: &Window) {
        let Self { shared, ranks, part, .. } = self;
        shared.so_far.answer(shared.division.local(*part), || ranks.so_far(window.start));
    }

    /// A message of a rank leaves its node at an instant, and has stalled for some time.
    pub(super) fn depart(&mut self, at: Time, stalled: Duration, rank: Rank, sequence: u64) {
        let key = EventKey::of_own(at, EventKind::Departed, rank, sequence);
        match self.state.leaving.remove(&(rank, sequence)) {
            None => self.state.calendar.add_bare(key),
            Some((mut trail, alone)) => {
                trail.transfer_with_stalls(alone, stalled, at);
                self.state.calendar.add(key, Pending::Departure(trail));
            }
        }
    }
}

impl<P: Program> Hosts<'_, P> {
    pub(super) fn copy_within_node(&mut self, now: Time, mut message: Message<P::Body>, notice: Notice) {
        let Message { from, to, bytes, sequence, .. } = message;
        let node = self.node_place[self.placement.node(to).index()] as usize;
        let [sender, receiver] = [from, to].map(|rank| self.place_of[rank.index()] as usize);
        let between = Neighbors { from: sender, to: receiver, node };
        let (departs, arrives) = self.state.node_memory.pass(&self.network.node.within, now, bytes, between);
        let alone = self.network.node.within.time(bytes);
        if notice == Notice::Departed {
            let trail = message.trail.clone().map(|trail| (trail, alone));
            self.state.leaving.extend(trail.map(|trail| ((from, sequence), trail)));
            self.depart(departs, Duration::ZERO, from, sequence);
        }
        if let Some(trail) = &mut message.trail {
            trail.transfer(alone, departs);
            trail.arrive(arrives, 0);
        }
        self.state.calendar.add_arrival(message, arrives, None);
    }
}
