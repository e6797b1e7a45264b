//! What the sequential engines keep in their calendar.

use crate::causes::Trail;
use crate::{Calendar, Doing, Event, EventKey, EventKind, Message, Notice};
use weir_units::{Rank, Time};

/// What an event is beside its key. Starts and departures are nothing but their key.
#[derive(serde::Serialize, serde::Deserialize)]
pub enum Pending<B> {
    /// A message for the interface of its sender's node, and whether the sender asks for an event at its departure.
    Injection(Message<B>, Notice),
    /// A message that has arrived.
    Arrival(Message<B>),
    /// The token of a timer.
    Timer(u64),
    /// A departure, with what led to it.
    Departure(Box<Trail>),
}

/// What to do about an event that is due.
pub enum Due<B> {
    /// Give the message to the interface.
    Inject(Message<B>, Notice),
    /// An event for the rank's program, and what [led to it](crate::Ranks::lead) beside what a message has with it.
    Deliver(Event<B>, Option<Box<Trail>>),
}

impl<B> Pending<B> {
    /// What to do about an event that [`Calendar::take`] has returned.
    #[must_use]
    pub fn due(key: EventKey, what: Option<Self>) -> Due<B> {
        match what {
            Some(Self::Injection(message, notice)) => Due::Inject(message, notice),
            Some(Self::Arrival(message)) => Due::Deliver(Event::Arrived(message), None),
            Some(Self::Timer(token)) => Due::Deliver(Event::Timer { token }, None),
            Some(Self::Departure(trail)) => {
                Due::Deliver(Event::Departed { sequence: key.sequence }, Some(trail))
            }
            None if key.kind == EventKind::Departed => {
                Due::Deliver(Event::Departed { sequence: key.sequence }, None)
            }
            None => Due::Deliver(Event::Start, None),
        }
    }
}

impl EventKey {
    /// Of the arrival of a message. What causes a reply is the receiver's own message that it replies to.
    #[must_use]
    pub fn of_arrival<B>(at: Time, message: &Message<B>) -> Self {
        let &Message { from, to, sequence, replies_to, .. } = message;
        let (source, sequence) = replies_to.map_or((from, sequence), |number| (to, number.sequence()));
        Self { at, kind: EventKind::Arrived, rank: to, source, sequence }
    }
}

impl<B> Calendar<Pending<B>> {
    /// Adds the start of so many ranks, at time zero.
    ///
    /// # Panics
    /// When something has been taken out that was later.
    pub fn add_starts(&mut self, ranks: usize) {
        for rank in (0..ranks).map(Rank::new) {
            let key = EventKey { at: Time::ZERO, kind: EventKind::Start, rank, source: rank, sequence: 0 };
            self.add_bare(key);
        }
    }

    /// Adds what a rank does.
    ///
    /// # Panics
    /// When it lies before the last event taken out.
    pub fn add_doing(&mut self, rank: Rank, doing: Doing<B>) {
        match doing {
            Doing::Inject(at, message, notice) => {
                let sequence = message.sequence;
                let key = EventKey { at, kind: EventKind::Injected, rank, source: rank, sequence };
                self.add(key, Pending::Injection(message, notice));
            }
            Doing::Timer(at, kind, sequence, token) => {
                let key = EventKey { at, kind, rank, source: rank, sequence };
                self.add(key, Pending::Timer(token));
            }
        }
    }

    /// Adds the departure of a message, if its sender asks for that event, and its arrival.
    ///
    /// # Panics
    /// When one of them lies before the last event taken out.
    pub fn add_delivery(&mut self, message: Message<B>, notice: Notice, departs: Time, arrives: Time) {
        self.add_departure(&message, notice, departs);
        self.add_arrival(message, arrives);
    }

    /// Adds the departure of a message, if its sender asks for that event. What led to it is what the message has with it.
    ///
    /// # Panics
    /// When it lies before the last event taken out.
    pub fn add_departure(&mut self, message: &Message<B>, notice: Notice, departs: Time) {
        let &Message { from, sequence, .. } = message;
        if notice == Notice::Departed {
            let (at, kind) = (departs, EventKind::Departed);
            let key = EventKey { at, kind, rank: from, source: from, sequence };
            match &message.trail {
                None => self.add_bare(key),
                Some(trail) => self.add(key, Pending::Departure(trail.clone())),
            }
        }
    }

    /// Adds the arrival of a message.
    ///
    /// # Panics
    /// When it lies before the last event taken out.
    pub fn add_arrival(&mut self, message: Message<B>, arrives: Time) {
        self.add(EventKey::of_arrival(arrives, &message), Pending::Arrival(message));
    }
}
