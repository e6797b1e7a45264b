//! Programs that can be saved because all that has happened to them is kept.
//!
//! Programs are deterministic: replaying the logged events into a new one restores the state of the old one, and its outputs, which
//! have been done already, are dropped. In message passing this is called message
//! logging (Elnozahy et al., "A survey of rollback-recovery protocols in message-passing systems", ACM Computing Surveys 34,
//! 2002). It needs a few bytes for each event and nothing of what a program is inside. Nothing that a program does depends on the account
//! of its time: that is kept as it is, and the events are repeated without one.

use crate::causes::Ledger;
use crate::{Actions, Event, Program, Waiting};
use serde::Serialize;
use serde::de::DeserializeOwned;
use weir_units::{Rank, Time};

/// A program with all events that it has got.
#[derive(Debug)]
pub struct EventLogged<P> {
    program: P,
    rank: Rank,
    /// Instant, number of its next message, event; one behind the other.
    events: Vec<u8>,
}

impl<P> EventLogged<P> {
    /// Wraps a program that has got no event.
    pub fn new(program: P) -> Self {
        Self { program, rank: Rank(0), events: Vec::new() }
    }

    /// The program.
    pub fn program(&self) -> &P {
        &self.program
    }

    /// The program alone.
    pub fn into_program(self) -> P {
        self.program
    }
}

impl<P: Program> EventLogged<P>
where
    P::Body: DeserializeOwned,
{
    /// Gives the program again what it has got; `None` if these are no events of it.
    fn repeat(&mut self, mut events: &[u8]) -> Option<()> {
        while !events.is_empty() {
            let ((now, number, event), rest) = postcard::take_from_bytes(events).ok()?;
            self.program.react(event, &mut Actions::elsewhere(now, self.rank, number));
            events = rest;
        }
        Some(())
    }
}

impl<P: Program> Program for EventLogged<P>
where
    P::Body: Serialize + DeserializeOwned,
{
    type Body = P::Body;

    fn react(&mut self, event: Event<P::Body>, actions: &mut Actions<P::Body>) {
        self.rank = actions.rank();
        let known: (Time, u64, &Event<P::Body>) = (actions.now(), actions.next_sequence(), &event);
        postcard::to_io(&known, &mut self.events).expect("memory takes all that is written");
        self.program.react(event, actions);
    }

    fn waiting(&self) -> Option<Waiting> {
        self.program.waiting()
    }

    fn is_over(&self) -> bool {
        self.program.is_over()
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        self.program.ledger()
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(postcard::to_stdvec(&(self.rank, &self.events)).expect("memory takes all that is written"))
    }

    fn restore(&mut self, saved: &[u8]) -> Option<()> {
        let (rank, events): (Rank, Vec<u8>) = postcard::from_bytes(saved).ok()?;
        self.rank = rank;
        self.repeat(&events)?;
        self.events = events;
        Some(())
    }
}

/// The place of checkpoints, as an engine sees it. What an engine keeps is bytes that only it understands; each process of a run
/// has such a place, but only that of the first one is given any.
pub trait Checkpoints: std::marker::Send {
    /// Takes the state from which the run goes on; `None` if it begins at its beginning. Called once, before the first event.
    fn take(&mut self) -> Option<Vec<u8>>;

    /// Returns whether the run is to be kept now. Asked every few milliseconds, where that costs nothing.
    fn is_due(&mut self) -> bool;

    /// Keeps what the run has reached: all that happens before this instant has happened.
    fn keep(&mut self, at: Time, state: &[u8]);
}
