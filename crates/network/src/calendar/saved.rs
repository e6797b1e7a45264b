//! The calendar in a checkpoint: between two instants, as its events and the last instants.

use super::{Calendar, Later};
use crate::EventKey;
use crate::round::Round;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Reverse;
use weir_units::Time;

impl<T: Serialize> Serialize for Calendar<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        assert!(self.rounds.iter().all(Round::is_empty), "the instant is over");
        let event = |&Reverse(Later { key, contents })| (key, self.contents.get(contents as usize));
        let events: Vec<_> =
            self.heap.iter().map(event).map(|(key, what)| (key, what.and_then(Option::as_ref))).collect();
        (events, self.last, self.last_work).serialize(to)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Calendar<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (events, last, last_work): (Vec<(EventKey, Option<T>)>, Time, Time) =
            Deserialize::deserialize(from)?;
        if events.iter().any(|(key, _)| key.at <= last) {
            return Err(D::Error::custom("an event is over"));
        }
        let mut calendar = Self { last, last_work, ..Self::new() };
        events.into_iter().for_each(|(key, what)| calendar.insert(key, what));
        Ok(calendar)
    }
}

impl<T> Calendar<T> {
    /// Adds an event with or without contents.
    ///
    /// # Panics
    /// When it lies before the last one taken out.
    pub fn insert(&mut self, key: EventKey, what: Option<T>) {
        match what {
            Some(what) => self.add(key, what),
            None => self.add_bare(key),
        }
    }

    /// Adds the events of a part of the same run, as `take` leaves them; `None` if it fails. They are later than the last events of both. For a
    /// calendar without events of the current instant.
    pub fn take_over(
        &mut self,
        part: Self,
        mut take: impl FnMut(&EventKey, &mut Option<T>) -> Option<bool>,
    ) -> Option<()> {
        let Self { heap, mut contents, last, last_work, .. } = part;
        (self.last, self.last_work) = (self.last.max(last), self.last_work.max(last_work));
        for Reverse(Later { key, contents: place }) in heap {
            let mut what = contents.get_mut(place as usize).and_then(Option::take);
            if take(&key, &mut what)? {
                self.insert(key, what);
            }
        }
        Some(())
    }
}
