//! The order of events.

use weir_units::{Rank, Time};

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
