//! The calendar in a checkpoint.

use super::{Calendar, Later, NOTHING};
use crate::EventKey;
use std::cmp::Reverse;
use weir_units::Time;

/// Events to come, and when the last ones were.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct SavedCalendar<T> {
    /// In no order; contents only where the key is not all.
    pub events: Vec<(EventKey, Option<T>)>,
    /// When the last event was.
    pub last: Time,
    /// When the last one was that was no poll.
    pub last_work: Time,
}

impl<T> Calendar<T> {
    /// What is in it between two instants, contents as `copy` makes them.
    ///
    /// # Panics
    /// When events of the current instant remain.
    pub fn save<'c, S>(&'c self, mut copy: impl FnMut(&'c T) -> S) -> SavedCalendar<S> {
        assert!(self.rounds.iter().all(crate::round::Round::is_empty), "the instant is over");
        let event = |&Reverse(Later { key, contents }): &'c Reverse<Later>| {
            let what = (contents != NOTHING)
                .then(|| copy(self.contents[contents as usize].as_ref().expect("an event has its contents")));
            (key, what)
        };
        SavedCalendar {
            events: self.heap.iter().map(event).collect(),
            last: self.last,
            last_work: self.last_work,
        }
    }

    /// The contents of all events, in no order.
    pub fn contents(&self) -> impl Iterator<Item = &T> {
        self.contents.iter().flatten()
    }

    /// Goes on after these instants if they are later than its own: of the last event, and of the last one that was no poll. For a
    /// calendar without events of the current instant.
    pub fn go_on_after(&mut self, last: Time, last_work: Time) {
        self.last = self.last.max(last);
        self.last_work = self.last_work.max(last_work);
    }
}
