//! What led to where messages are, where the causes of time are kept.

use std::collections::BTreeMap;
use weir_network::causes::{Carriage, Cause, Path, Trail};
use weir_network::{Message, Notice};
use weir_units::{Bandwidth, Bytes, Duration, Rank, Time};

/// What is kept of messages that have left, for those behind them and for their senders.
#[derive(Debug, Default)]
pub(crate) struct Accounting {
    /// By slot: what led to the end of its last message, if another one waits behind that.
    ends: BTreeMap<usize, Path>,
    /// What led to departures that are delivered without going through the calendar.
    departures: BTreeMap<(Rank, u64), Box<Trail>>,
}

/// How long bytes take on links with these capacities, in bytes per second, if nothing else is on them.
pub(crate) fn alone(bytes: Bytes, capacities: impl Iterator<Item = f64>) -> Duration {
    let slowest = capacities.fold(f64::INFINITY, f64::min);
    Bandwidth::new(slowest).map_or(Duration::ZERO, |slowest| slowest.serialization_time(bytes))
}

impl Accounting {
    /// A message becomes the active one of its slot.
    pub(crate) fn start<B>(&mut self, slot: usize, message: &mut Message<B>, now: Time) {
        let Some(trail) = &mut message.trail else { return };
        if trail.end() < now
            && let Some(behind) = self.ends.remove(&slot)
        {
            trail.wait_behind(&behind);
        }
        trail.extend(Cause::Contention, now);
    }

    /// The active message of a slot has left it.
    /// If there is one behind it, that has waited for it.
    pub(crate) fn leave<B>(
        &mut self,
        (slot, has_next): (usize, bool),
        message: &mut Message<B>,
        now: Time,
        carriage: Carriage,
    ) {
        let Some(trail) = &mut message.trail else { return };
        trail.extend(Cause::Contention, message.started);
        trail.transfer(carriage.alone, now);
        if has_next {
            self.ends.insert(slot, trail.path().clone());
        }
    }

    /// The departure of a message will be delivered at once, if its sender asks for it.
    pub(crate) fn depart<B>(&mut self, message: &Message<B>, notice: Notice) {
        if let Some(trail) = message.trail.as_ref().filter(|_| notice == Notice::Departed) {
            self.departures.insert((message.from, message.sequence), trail.clone());
        }
    }

    /// What led to such a departure.
    pub(crate) fn departed(&mut self, of: (Rank, u64)) -> Option<Box<Trail>> {
        self.departures.remove(&of)
    }

    /// The message has left and is on its way.
    pub(crate) fn arrive<B>(message: &mut Message<B>, now: Time, carriage: Carriage) {
        if let Some(trail) = &mut message.trail {
            trail.arrive(now + carriage.latency, carriage.links);
        }
    }
}
