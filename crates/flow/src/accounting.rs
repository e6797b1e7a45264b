//! What led to where messages are, where the causes of time are kept.

use std::collections::BTreeMap;
use weir_network::Message;
use weir_network::causes::{Carriage, Cause, Path};
use weir_units::{Bandwidth, Bytes, Duration, Time};

/// The way of a slot's active message.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    links: u64,
    /// What its narrowest part carries.
    narrowest: Option<Bandwidth>,
}

/// What is kept of ways, and of messages that have left for those behind them.
#[derive(Debug)]
pub(crate) struct Accounting {
    /// By slot; empty where no causes are kept.
    ways: Vec<Way>,
    /// By slot: what led to the end of its last message, if another one waits behind that.
    ends: BTreeMap<usize, Path>,
}

impl Accounting {
    /// Of so many slots, if causes are kept.
    pub(crate) fn new(slots: usize, keeps_causes: bool) -> Self {
        Self { ways: vec![Way::default(); if keeps_causes { slots } else { 0 }], ends: BTreeMap::new() }
    }

    /// Whether causes are kept.
    #[inline]
    pub(crate) const fn is_on(&self) -> bool {
        !self.ways.is_empty()
    }

    /// The active message of a slot goes over so many links with a latency, and over parts with these capacities, in bytes per second.
    pub(crate) fn take_way(&mut self, slot: usize, links: usize, capacities: impl Iterator<Item = f64>) {
        let narrowest = Bandwidth::new(capacities.fold(f64::INFINITY, f64::min));
        self.ways[slot] = Way { links: links as u64, narrowest };
    }

    /// How so many bytes get to the receiver on the way of a slot.
    pub(crate) fn carriage(&self, slot: usize, bytes: Bytes, latency: Duration) -> Carriage {
        let Way { links, narrowest } = self.ways[slot];
        let alone = narrowest.map_or(Duration::ZERO, |narrowest| narrowest.serialization_time(bytes));
        Carriage { alone, latency, links }
    }

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
            self.ends.insert(slot, *trail.path());
        }
    }

    /// The message has left and is on its way.
    pub(crate) fn arrive<B>(message: &mut Message<B>, now: Time, carriage: Carriage) {
        if let Some(trail) = &mut message.trail {
            trail.arrive(now + carriage.latency, carriage.links);
        }
    }
}
