//! The event queue of the sequential engines, and the order of events.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use weir_units::{Duration, Rank, Time};

/// Kinds of events, in the order in which those of one instant act. The order is part of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A rank starts.
    Start,
    /// A message reaches the interface of its sender's node.
    Injected,
    /// The last byte of a message has left its node.
    Departed,
    /// A message has arrived.
    Arrived,
    /// A timer fires.
    Timer,
    /// A timer fires that only looks whether something has come.
    Poll,
}

/// Order of the events of one round of one instant: by kind, the rank concerned, the sender, and the number within
/// the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventKey {
    /// When.
    pub at: Time,
    /// What.
    pub kind: Kind,
    /// Whom it concerns.
    pub rank: Rank,
    /// Who caused it.
    pub source: Rank,
    /// Which of the things it caused: a message's or a timer's number.
    pub sequence: u64,
}

/// An event in the queue: its key, and where its contents are.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    key: EventKey,
    contents: u32,
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    /// # Panics
    /// When two different entries have the same key: the order of the run would depend on chance.
    fn cmp(&self, other: &Self) -> Ordering {
        let order = self.key.cmp(&other.key);
        assert!(
            order != Ordering::Equal || self.contents == other.contents,
            "two events with the key {:?}",
            self.key
        );
        order
    }
}

/// Events to come, taken out in order.
///
/// An instant has rounds: what is added for the current instant comes in its next round, after everything that is
/// there already. So ranks take turns also where nothing takes time, and none runs ahead because of its number.
/// Within a round the order is that of [`EventKey`].
///
/// A machine in which nothing but polls happens makes no progress. After [`Calendar::PATIENCE`] of simulated time
/// with polls alone the calendar says so ([`Calendar::is_stuck`]), and the engine ends the run as a deadlock.
pub struct Calendar<T> {
    /// Events of later instants, and those that were there when the current instant began.
    heap: BinaryHeap<Reverse<Entry>>,
    /// What is left of the current round, if it is not the first; the next event last.
    current: Vec<Entry>,
    /// The next round of the current instant, in no order.
    next_round: Vec<Entry>,
    /// Contents of events: the heap moves only what it compares.
    contents: Vec<Option<T>>,
    free: Vec<u32>,
    last: Time,
    last_work: Time,
    work_left: usize,
}

impl<T> Calendar<T> {
    /// How long ranks may poll in vain, with nothing else going on, before the run counts as stuck.
    pub const PATIENCE: Duration = Duration::from_ps(60_000_000_000_000);

    /// An empty calendar at time zero.
    #[must_use]
    pub fn new() -> Self {
        Self {
            heap: BinaryHeap::new(),
            current: Vec::new(),
            next_round: Vec::new(),
            contents: Vec::new(),
            free: Vec::new(),
            last: Time::ZERO,
            last_work: Time::ZERO,
            work_left: 0,
        }
    }

    /// Adds an event. O(log n).
    ///
    /// # Panics
    /// When it lies before the last one taken out.
    pub fn add(&mut self, key: EventKey, what: T) {
        assert!(key.at >= self.last, "an event at {} is added after {}", key.at, self.last);
        self.work_left += usize::from(key.kind != Kind::Poll);
        let contents = match self.free.pop() {
            Some(place) => {
                self.contents[place as usize] = Some(what);
                place
            }
            None => {
                self.contents.push(Some(what));
                u32::try_from(self.contents.len() - 1).expect("fewer than 2^32 events at a time")
            }
        };
        let entry = Entry { key, contents };
        if key.at == self.last {
            self.next_round.push(entry);
        } else {
            self.heap.push(Reverse(entry));
        }
    }

    /// When the next event is.
    #[must_use]
    pub fn next_time(&self) -> Option<Time> {
        if !self.current.is_empty() || !self.next_round.is_empty() {
            return Some(self.last);
        }
        self.heap.peek().map(|entry| entry.0.key.at)
    }

    /// The next event: the rest of the current round, then what was there when the instant began, then its next
    /// round, then the next instant.
    fn next(&mut self) -> Option<Entry> {
        if let Some(entry) = self.current.pop() {
            return Some(entry);
        }
        if self.heap.peek().is_none_or(|entry| entry.0.key.at > self.last) && !self.next_round.is_empty() {
            std::mem::swap(&mut self.current, &mut self.next_round);
            self.current.sort_unstable_by(|a, b| b.cmp(a));
            return self.current.pop();
        }
        self.heap.pop().map(|entry| entry.0)
    }

    /// Takes out the next event. O(log n).
    pub fn take(&mut self) -> Option<(EventKey, T)> {
        let Entry { key, contents } = self.next()?;
        let what = self.contents[contents as usize].take().expect("an event in the queue has its contents");
        self.free.push(contents);
        self.last = key.at;
        if key.kind != Kind::Poll {
            self.last_work = key.at;
            self.work_left -= 1;
        }
        Some((key, what))
    }

    /// Takes out the next event if it is not later than `at`.
    pub fn take_until(&mut self, at: Time) -> Option<(EventKey, T)> {
        if self.next_time()? <= at { self.take() } else { None }
    }

    /// Whether only polls are left and have been alone for [`Calendar::PATIENCE`]. The caller knows whether
    /// messages are on their way outside the calendar.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.work_left == 0 && self.last.since(self.last_work) > Self::PATIENCE
    }
}

impl<T> Default for Calendar<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(at: u64, kind: Kind, rank: u32, source: u32, sequence: u64) -> EventKey {
        EventKey { at: Time::from_ps(at), kind, rank: Rank(rank), source: Rank(source), sequence }
    }

    #[test]
    fn events_of_one_instant_come_by_kind_rank_source_number() {
        let order = [
            key(1, Kind::Timer, 9, 9, 0),
            key(2, Kind::Departed, 3, 3, 0),
            key(2, Kind::Arrived, 1, 2, 0),
            key(2, Kind::Arrived, 1, 2, 1),
            key(2, Kind::Arrived, 1, 5, 0),
            key(2, Kind::Arrived, 2, 0, 0),
            key(2, Kind::Timer, 0, 0, 0),
            key(3, Kind::Start, 0, 0, 0),
        ];
        let mut calendar = Calendar::new();
        for (i, k) in order.iter().enumerate().rev() {
            calendar.add(*k, i);
        }
        let taken: Vec<usize> = std::iter::from_fn(|| calendar.take().map(|(_, i)| i)).collect();
        assert_eq!(taken, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn what_an_instant_brings_about_comes_in_its_next_round() {
        let mut calendar = Calendar::new();
        calendar.add(key(1, Kind::Arrived, 5, 0, 0), "first");
        calendar.add(key(1, Kind::Arrived, 6, 0, 0), "second");
        assert_eq!(calendar.take().map(|(_, what)| what), Some("first"));
        calendar.add(key(1, Kind::Start, 0, 0, 0), "brought about");
        calendar.add(key(2, Kind::Start, 0, 0, 1), "later");
        let rest: Vec<&str> = std::iter::from_fn(|| calendar.take().map(|(_, what)| what)).collect();
        assert_eq!(rest, ["second", "brought about", "later"]);
    }

    #[test]
    #[should_panic(expected = "two events with the key")]
    fn equal_keys_are_refused() {
        let mut calendar = Calendar::new();
        calendar.add(key(1, Kind::Timer, 0, 0, 0), 'a');
        calendar.add(key(1, Kind::Timer, 0, 0, 0), 'b');
    }
}
