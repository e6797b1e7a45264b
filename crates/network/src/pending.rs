//! Contents of the engines' calendars.

use crate::causes::Trail;
use crate::{Calendar, Event, EventKey, EventKind, Message, Notice, Output};
use serde::{Deserialize, Serialize};
use weir_units::{Rank, Time};

/// Contents of an event beside its key, where an arrival has an `F` of its engine with it. Starts and departures are
/// nothing but their key.
#[derive(Serialize, Deserialize)]
pub enum Pending<B, F = ()> {
    /// A message for the interface of its sender's node, and whether the sender asks for an event at its departure.
    Injection(Message<B>, Notice),
    /// A message that has arrived.
    Arrival(Message<B>, F),
    /// The token of a timer.
    Timer(u64),
    /// A departure, with what led to it.
    Departure(Box<Trail>),
}

/// Work for an event that is due.
pub enum Due<B, F = ()> {
    /// Give the message to the interface.
    Inject(Message<B>, Notice),
    /// An event for the rank's program, what [led to it](crate::Ranks::set_cause) beside what a message has with it, and what an
    /// arrival has with it.
    Deliver(Event<B>, Option<Box<Trail>>, F),
}

impl<B, F: Default> Pending<B, F> {
    /// Work for an event that [`Calendar::take`] has returned.
    #[inline]
    pub fn due(key: EventKey, what: Option<Self>) -> Due<B, F> {
        let departed = Event::Departed { sequence: key.sequence };
        match what {
            Some(Self::Injection(message, notice)) => Due::Inject(message, notice),
            Some(Self::Arrival(message, with)) => Due::Deliver(Event::Arrived(message), None, with),
            Some(Self::Timer(token)) => Due::Deliver(Event::Timer { token }, None, F::default()),
            Some(Self::Departure(trail)) => Due::Deliver(departed, Some(trail), F::default()),
            None if key.kind == EventKind::Departed => Due::Deliver(departed, None, F::default()),
            None => Due::Deliver(Event::Start, None, F::default()),
        }
    }
}

impl<B> Pending<B> {
    /// The event for a rank's program, and what [led to it](crate::Ranks::set_cause) beside what a message has with it.
    ///
    /// # Panics
    /// When it is a message for an interface.
    #[inline]
    pub fn event(key: EventKey, what: Option<Self>) -> (Event<B>, Option<Box<Trail>>) {
        match what {
            Some(Self::Arrival(message, ())) => (Event::Arrived(message), None),
            Some(Self::Timer(token)) => (Event::Timer { token }, None),
            Some(Self::Departure(trail)) => (Event::Departed { sequence: key.sequence }, Some(trail)),
            None if key.kind == EventKind::Departed => (Event::Departed { sequence: key.sequence }, None),
            None => (Event::Start, None),
            Some(Self::Injection(..)) => unreachable!("no program gets it"),
        }
    }
}

impl EventKey {
    /// Key of the arrival of a message. The cause of a reply is the receiver's own message that it replies to.
    pub fn of_arrival<B>(at: Time, message: &Message<B>) -> Self {
        let &Message { from, to, sequence, replies_to, .. } = message;
        let (source, sequence) = replies_to.map_or((from, sequence), |number| (to, number.sequence()));
        Self { at, kind: EventKind::Arrived, rank: to, source, sequence }
    }
}

impl<B, F> Calendar<Pending<B, F>> {
    /// Adds the start of these ranks, at time zero.
    ///
    /// # Panics
    /// When a later event has been taken out.
    pub fn add_starts(&mut self, ranks: impl Iterator<Item = Rank>) {
        ranks.for_each(|rank| self.add_bare(EventKey::of_own(Time::ZERO, EventKind::Start, rank, 0)));
    }

    /// Adds the event of an output of a rank.
    ///
    /// # Panics
    /// When it lies before the last event taken out.
    pub fn add_output(&mut self, rank: Rank, output: Output<B>) {
        match output {
            Output::Inject(at, message, notice) => {
                let key = EventKey::of_own(at, EventKind::Injected, rank, message.sequence);
                self.add(key, Pending::Injection(message, notice));
            }
            Output::Timer(at, kind, sequence, token) => {
                self.add(EventKey::of_own(at, kind, rank, sequence), Pending::Timer(token));
            }
        }
    }

    /// Adds the departure of a message, if its sender asks for that event. Its cause is what the message has with it.
    ///
    /// # Panics
    /// When it lies before the last event taken out.
    pub fn add_departure(&mut self, message: &Message<B>, notice: Notice, departs: Time) {
        if notice == Notice::Departed {
            let key = EventKey::of_own(departs, EventKind::Departed, message.from, message.sequence);
            match &message.trail {
                None => self.add_bare(key),
                Some(trail) => self.add(key, Pending::Departure(trail.clone())),
            }
        }
    }

    /// Adds the arrival of a message, and what it has with it.
    ///
    /// # Panics
    /// When it lies before the last event taken out.
    pub fn add_arrival(&mut self, message: Message<B>, arrives: Time, with: F) {
        self.add(EventKey::of_arrival(arrives, &message), Pending::Arrival(message, with));
    }
}
