//! What led to where messages are, where the causes of time are kept.

use super::{Happening, Hosts};
use crate::zero_load::Way;
use std::collections::BTreeMap;
use weir_network::causes::Trail;
use weir_network::{EventKey, EventKind, Message, Notice, Program};
use weir_pdes::Window;
use weir_units::{Duration, Rank, Time};

/// Of messages whose senders ask for their departure: what led to the interface, and how long that takes for them alone.
pub(super) type Leaving = BTreeMap<(Rank, u64), (Box<Trail>, Duration)>;

/// By interface, by its number: where its last message went, and the way. Most messages go where the one before them went.
pub(super) type Ways<'a> = BTreeMap<u32, (u32, Way<'a>)>;

impl<P: Program> Hosts<'_, P> {
    /// An interface, by its number, has got a message.
    #[inline]
    pub(super) fn account_for_injection(
        &mut self,
        message: &mut Message<P::Body>,
        notice: Notice,
        number: u32,
        address: Option<u32>,
    ) {
        let Some(trail) = &mut message.trail else { return };
        if notice == Notice::Departed {
            let alone = self.network.injection(number, message.bytes);
            self.leaving.insert((message.from, message.sequence), (trail.clone(), alone));
        }
        if let Some(address) = address {
            let way = || (address, self.network.way(number, address));
            let last = self.ways.entry(number).or_insert_with(way);
            if last.0 != address {
                *last = way();
            }
            trail.expect(self.network.carriage(last.1, message.bytes));
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
        let key = EventKey { at, kind: EventKind::Departed, rank, source: rank, sequence };
        match self.leaving.remove(&(rank, sequence)) {
            None => self.calendar.add_bare(key),
            Some((mut trail, alone)) => {
                trail.transfer_with_stalls(alone, stalled, at);
                self.calendar.add(key, Happening::Departure(trail));
            }
        }
    }
}
