//! One round of an instant: its events in their order.

use weir_units::{Rank, Time};

/// In the order in which they act.
const KINDS: [EventKind; 6] = [
    EventKind::Start,
    EventKind::Injected,
    EventKind::Departed,
    EventKind::Arrived,
    EventKind::Timer,
    EventKind::Poll,
];

/// Up to how many events are sorted by comparing.
const FEW: usize = 256;

/// One event: its key without time and kind, and where its contents are.
#[derive(Clone, Copy)]
struct Turn {
    /// The rank it concerns, then its source.
    whom: u64,
    sequence: u64,
    contents: u32,
}

/// Events of one instant, added in any order and then taken out in the order of [`EventKey`]. They are kept by kind,
/// and most often come in order already; sorting many costs O(n).
#[derive(Default)]
pub(crate) struct Round {
    turns: [Vec<Turn>; KINDS.len()],
    left: usize,
    /// The kind whose turn it is, and which of its events; zero while events are added.
    kind: usize,
    next: usize,
}

impl Round {
    pub(crate) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Adds an event; not when some have been taken out and some remain.
    pub(crate) fn add(&mut self, key: EventKey, contents: u32) {
        debug_assert!((self.kind, self.next) == (0, 0), "a round is complete before it begins");
        let whom = u64::from(key.rank.0) << 32 | u64::from(key.source.0);
        self.turns[key.kind as usize].push(Turn { whom, sequence: key.sequence, contents });
        self.left += 1;
    }

    /// Takes out the next event, of a round at this instant.
    ///
    /// # Panics
    /// When two events have the same key: the order of the run would depend on chance.
    pub(crate) fn take(&mut self, at: Time) -> Option<(EventKey, u32)> {
        if self.left == 0 {
            return None;
        }
        while self.next == self.turns[self.kind].len() {
            self.turns[self.kind].clear();
            (self.kind, self.next) = (self.kind + 1, 0);
        }
        if self.next == 0 {
            sort(&mut self.turns[self.kind]);
        }
        let Turn { whom, sequence, contents } = self.turns[self.kind][self.next];
        self.next += 1;
        self.left -= 1;
        let (rank, source) = (Rank((whom >> 32) as u32), Rank(whom as u32));
        let key = EventKey { at, kind: KINDS[self.kind], rank, source, sequence };
        let same = |turn: &Turn| (turn.whom, turn.sequence) == (whom, sequence);
        assert!(!self.turns[self.kind].get(self.next).is_some_and(same), "two events with the key {key:?}");
        if self.left == 0 {
            self.turns[self.kind].clear();
            (self.kind, self.next) = (0, 0);
        }
        Some((key, contents))
    }
}

fn sort(turns: &mut [Turn]) {
    if turns.is_sorted_by_key(|turn| (turn.whom, turn.sequence)) {
        return;
    }
    if turns.len() <= FEW {
        turns.sort_unstable_by_key(|turn| (turn.whom, turn.sequence));
    } else {
        radsort::sort_by_key(turns, |turn| (turn.whom, turn.sequence));
    }
}

/// Kinds of events, in the order in which those of one instant act. The order is part of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum EventKind {
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
/// the sender. Of a reply of a protocol sender and number are those of what it replies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct EventKey {
    /// The simulated time of the event.
    pub at: Time,
    /// Its kind, by which the events of one round of one instant are ordered first.
    pub kind: EventKind,
    /// The rank whose program gets it.
    pub rank: Rank,
    /// The rank that caused it.
    pub source: Rank,
    /// Which of the things it caused: a message's or a timer's number.
    pub sequence: u64,
}

/// The place of an event in the order of a whole run, whichever process has its rank. No two ranks have events at the same
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Moment {
    /// The simulated time of the event.
    pub at: Time,
    /// Which round of its instant: what an event brings about at the same instant belongs to the round after its own.
    pub round: u32,
    /// Its kind.
    pub kind: EventKind,
    /// The rank whose program gets it.
    pub rank: Rank,
}

impl Moment {
    /// After everything that happens.
    pub const fn after_all(rank: Rank) -> Self {
        Self { at: Time::MAX, round: u32::MAX, kind: EventKind::Poll, rank }
    }
}

impl EventKey {
    /// Key of an event that a rank causes for itself.
    pub const fn of_own(at: Time, kind: EventKind, rank: Rank, sequence: u64) -> Self {
        Self { at, kind, rank, source: rank, sequence }
    }

    /// Where it stands in the order of a run, in a round of its instant.
    pub const fn in_round(self, round: u32) -> Moment {
        let Self { at, kind, rank, .. } = self;
        Moment { at, round, kind, rank }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Whatever the order in which events are added, few or many, they come out in the order of their keys; and
        /// the round can be used again.
        #[test]
        fn events_come_in_the_order_of_their_keys(
            events in prop::collection::btree_set((0usize..6, 0u32..300, 0u32..300, 0u64..3), 0..2 * FEW),
            shuffle in any::<u64>(),
        ) {
            let key = |&(kind, rank, source, sequence): &(usize, u32, u32, u64)| EventKey {
                at: Time::from_ps(7), kind: KINDS[kind], rank: Rank(rank), source: Rank(source), sequence,
            };
            let sorted: BTreeSet<EventKey> = events.iter().map(key).collect();
            let mut mixed: Vec<EventKey> = sorted.iter().copied().collect();
            mixed.sort_by_key(|key| weir_units::mix(shuffle ^ u64::from(key.rank.0) << 20 ^ u64::from(key.source.0)));
            let mut round = Round::default();
            for _ in 0..2 {
                for (place, &key) in mixed.iter().enumerate() {
                    round.add(key, place as u32);
                }
                let taken: Vec<_> = std::iter::from_fn(|| round.take(Time::from_ps(7))).collect();
                prop_assert!(taken.iter().map(|(key, _)| key).eq(&sorted));
                prop_assert!(taken.iter().all(|&(key, place)| mixed[place as usize] == key));
            }
        }
    }
}
