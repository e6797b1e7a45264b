//! The event queue of the sequential engines, and the order of events.

use crate::round::{EventKey, EventKind, Round};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use weir_units::{Duration, Time};

/// An event of a later instant: its key, and where its contents are. Compared by time alone, because a round sorts
/// its events.
#[derive(Clone, Copy)]
struct Later {
    key: EventKey,
    contents: u32,
}

impl PartialEq for Later {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Later {}

impl PartialOrd for Later {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Later {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.at.cmp(&other.key.at)
    }
}

/// [`Later::contents`] of an event that is nothing but its key.
const NOTHING: u32 = u32::MAX;

/// Events to come, taken out in order.
///
/// An instant has rounds: what is added for the current instant comes in its next round, after everything that is
/// there already. So ranks take turns also where nothing takes time, and none runs ahead because of its number.
/// Within a round the order is that of [`EventKey`].
///
/// A machine in which nothing but polls happens makes no progress. After [`Calendar::PATIENCE`] of simulated time
/// with polls alone the calendar says so ([`Calendar::is_stuck`]), and the engine ends the run as a deadlock.
pub struct Calendar<T> {
    /// Events of later instants.
    heap: BinaryHeap<Reverse<Later>>,
    /// The rest of the current round of the current instant, and the next round. They change places by [`Self::current`].
    rounds: [Round; 2],
    /// Which of them is the current one.
    current: usize,
    /// The number of that one among the rounds of its instant.
    round: u32,
    /// Contents of events: heap and rounds move only what they compare.
    contents: Vec<Option<T>>,
    free: Vec<u32>,
    last: Time,
    last_work: Time,
    work_left: usize,
}

impl<T> Calendar<T> {
    /// Simulated time for which ranks may poll in vain, with nothing else going on, before the run counts as stuck.
    pub const PATIENCE: Duration = Duration::from_ps(60_000_000_000_000);

    /// An empty calendar at time zero.
    pub fn new() -> Self {
        Self {
            heap: BinaryHeap::new(),
            rounds: Default::default(),
            current: 0,
            round: 0,
            contents: Vec::new(),
            free: Vec::new(),
            last: Time::ZERO,
            last_work: Time::ZERO,
            work_left: 0,
        }
    }

    /// Adds an event. O(log n) for a later instant, O(1) for the current one.
    ///
    /// # Panics
    /// When it lies before the last one taken out.
    pub fn add(&mut self, key: EventKey, what: T) {
        let contents = match self.free.pop() {
            Some(place) => {
                self.contents[place as usize] = Some(what);
                place
            }
            None => {
                self.contents.push(Some(what));
                let place = u32::try_from(self.contents.len() - 1).ok().filter(|&place| place != NOTHING);
                place.expect("fewer than 2^32 events at a time")
            }
        };
        self.put(key, contents);
    }

    fn current_round(&mut self) -> &mut Round {
        &mut self.rounds[self.current & 1]
    }

    fn next_round(&mut self) -> &mut Round {
        &mut self.rounds[self.current & 1 ^ 1]
    }

    /// Adds an event that is nothing but its key, as [`Calendar::add`] does.
    ///
    /// # Panics
    /// When it lies before the last one taken out.
    pub fn add_bare(&mut self, key: EventKey) {
        self.put(key, NOTHING);
    }

    fn put(&mut self, key: EventKey, contents: u32) {
        assert!(key.at >= self.last, "an event at {} is added after {}", key.at, self.last);
        self.work_left += usize::from(key.kind != EventKind::Poll);
        if key.at == self.last {
            self.next_round().add(key, contents);
        } else {
            self.heap.push(Reverse(Later { key, contents }));
        }
    }

    /// When the next event is.
    pub fn next_time(&self) -> Option<Time> {
        if self.rounds.iter().any(|round| !round.is_empty()) {
            return Some(self.last);
        }
        self.heap.peek().map(|later| later.0.key.at)
    }

    /// Goes on to an instant, so that what is added for it belongs to its first round, together with what is there
    /// already. Does nothing when earlier events remain.
    pub fn begin(&mut self, at: Time) {
        if at > self.last && self.next_time().is_none_or(|next| next >= at) {
            self.last = at;
            // Both rounds are empty: the one that was in use last has room, and is used again.
            self.current ^= 1;
            while let Some(&Reverse(later)) = self.heap.peek()
                && later.key.at == at
            {
                self.next_round().add(later.key, later.contents);
                self.heap.pop();
            }
        }
    }

    /// The next event: the rest of the current round, then the next round of the instant, then the next instant.
    fn next(&mut self) -> Option<(EventKey, u32)> {
        if self.current_round().is_empty() {
            let (before, next) = (self.last, self.next_time()?);
            self.begin(next);
            self.current ^= 1;
            self.round = if next == before { self.round.saturating_add(1) } else { 0 };
        }
        let at = self.last;
        self.current_round().take(at)
    }

    /// Which round of its instant the event belongs to that was taken out last: later rounds have larger numbers, whatever
    /// else is in the calendar. Not of an instant that [`Calendar::begin`] or [`Calendar::close_round`] has been called for.
    pub const fn round(&self) -> u32 {
        self.round
    }

    /// Takes out the next event: its key and, unless the key is all, its contents. O(log n).
    pub fn take(&mut self) -> Option<(EventKey, Option<T>)> {
        let (key, contents) = self.next()?;
        let what = (contents != NOTHING).then(|| {
            self.free.push(contents);
            self.contents[contents as usize].take().expect("an event in the queue has its contents")
        });
        if key.kind != EventKind::Poll {
            self.last_work = key.at;
            self.work_left -= 1;
        }
        Some((key, what))
    }

    /// Takes out the next event if it is not later than `at`.
    pub fn take_until(&mut self, at: Time) -> Option<(EventKey, Option<T>)> {
        let in_time = !self.current_round().is_empty() || self.next_time()? <= at;
        if in_time { self.take() } else { None }
    }

    /// Closes the round to which events of the current instant are added, so that the next ones belong to a later
    /// round. Does nothing when the round before it is not over.
    pub fn close_round(&mut self) {
        if self.current_round().is_empty() {
            self.current ^= 1;
        }
    }

    /// Returns whether only polls remain and have been alone for [`Calendar::PATIENCE`]. The caller knows whether
    /// messages are on their way outside the calendar.
    pub fn is_stuck(&self) -> bool {
        self.idle().is_some_and(|(last, last_work)| last.since(last_work) > Self::PATIENCE)
    }

    /// If only polls remain: when the last event was, and when the last that was none.
    pub fn idle(&self) -> Option<(Time, Time)> {
        (self.work_left == 0).then_some((self.last, self.last_work))
    }
}

impl<T> Default for Calendar<T> {
    fn default() -> Self {
        Self::new()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use weir_units::Rank;

    fn key(at: u64, kind: EventKind, rank: u32, source: u32, sequence: u64) -> EventKey {
        EventKey { at: Time::from_ps(at), kind, rank: Rank(rank), source: Rank(source), sequence }
    }

    #[test]
    fn what_an_instant_brings_about_comes_in_its_next_round() {
        let mut calendar = Calendar::new();
        calendar.add(key(1, EventKind::Arrived, 5, 0, 0), "first");
        calendar.add(key(1, EventKind::Arrived, 6, 0, 0), "second");
        assert_eq!(calendar.take().and_then(|(_, what)| what), Some("first"));
        calendar.add(key(1, EventKind::Start, 0, 0, 0), "brought about");
        calendar.add(key(2, EventKind::Start, 0, 0, 1), "later");
        let rest: Vec<&str> = std::iter::from_fn(|| calendar.take().and_then(|(_, what)| what)).collect();
        assert_eq!(rest, ["second", "brought about", "later"]);
    }

    /// At a later instant and at the current one.
    #[test]
    fn equal_keys_are_refused() {
        for at in [1, 0] {
            let refused = std::panic::catch_unwind(|| {
                let mut calendar = Calendar::new();
                calendar.add(key(at, EventKind::Timer, 0, 0, 0), 'a');
                calendar.add(key(at, EventKind::Timer, 0, 0, 0), 'b');
                while calendar.take().is_some() {}
            });
            let why = *refused.unwrap_err().downcast::<String>().unwrap();
            assert!(why.starts_with("two events with the key"), "{why}");
        }
    }

    /// A rank polls in vain for 200 s; stuck only once nothing else has been left to do for more than 60 s.
    #[test]
    fn polls_beside_work_are_not_stuck() {
        let second = 1_000_000_000_000;
        let mut calendar = Calendar::new();
        calendar.add(key(120 * second, EventKind::Timer, 1, 1, 0), ());
        let mut stuck = Vec::new();
        for now in 1..200 {
            calendar.add_bare(key(now * second, EventKind::Poll, 0, 0, now));
            while calendar.next_time().is_some_and(|next| next <= Time::from_ps(now * second)) {
                calendar.take();
            }
            stuck.extend(calendar.is_stuck().then_some(now));
        }
        assert_eq!(stuck, (181..200).collect::<Vec<_>>(), "the timer is work, at 120 s");
    }

    /// Takes the events until an instant, that one included; the rest stays.
    #[test]
    fn taking_until_an_instant() {
        let mut calendar = Calendar::new();
        [1, 1, 2, 4]
            .into_iter()
            .zip(0..)
            .for_each(|(at, i)| calendar.add(key(at, EventKind::Timer, 0, 0, i), i));
        let mut taken =
            |until| std::iter::from_fn(|| calendar.take_until(Time::from_ps(until))?.1).collect::<Vec<_>>();
        assert_eq!([taken(0), taken(2), taken(3), taken(4)], [vec![], vec![0, 1, 2], vec![], vec![3]]);
    }

    /// An event added behind a closed round comes behind it, though its key is less. While a round goes on there is nothing
    /// to close: then all that is added is one round.
    #[test]
    fn closing_a_round() {
        let mut calendar = Calendar::new();
        calendar.begin(Time::from_ps(1));
        calendar.add(key(1, EventKind::Timer, 5, 5, 0), "first");
        calendar.add(key(1, EventKind::Timer, 6, 6, 0), "first, too");
        calendar.close_round();
        calendar.add(key(1, EventKind::Timer, 4, 4, 0), "second");
        let mut taken = vec![calendar.take().and_then(|(_, what)| what)];
        calendar.close_round();
        calendar.add(key(1, EventKind::Timer, 3, 3, 0), "second, before");
        taken.extend(std::iter::from_fn(|| calendar.take().map(|(_, what)| what)));
        assert_eq!(taken, ["first", "first, too", "second, before", "second"].map(Some));
    }

    /// A run of many events takes the memory of those that are there at a time.
    #[test]
    fn places_are_used_again() {
        let mut calendar = Calendar::new();
        for at in 1..100 {
            calendar.add(key(at, EventKind::Timer, 0, 0, 0), at);
            calendar.add(key(at, EventKind::Timer, 0, 0, 1), at);
            assert!(calendar.take().is_some() && calendar.take().is_some());
        }
        assert_eq!(calendar.contents.len(), 2);
    }
}
