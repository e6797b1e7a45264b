//! Runs that a program outside of them steps: it decides how far time may pass, and has ranks woken between two events.
//!
//! ```text
//!   engine --- nothing happens before `next` --> Ranks::pause_before --> Stepper::pause, which returns when time may pass on
//!          <-- timers of ranks that are to be woken ----------
//! ```
//! A pause is no event: a run that has been paused, and in which no rank was woken, is the same run.

use weir_units::{Rank, Time};

/// The program outside that steps a run; ranks give it to their engine ([`Program::stepper`](crate::Program::stepper)).
pub trait Stepper {
    /// The instant up to which time may pass, that instant included; [`Time::MAX`]: as far as anything happens.
    fn until(&self) -> Time;

    /// All up to [`Self::until`] has happened, or nothing is left to happen at all; the last event was at `last`. Returns when time may pass on.
    fn pause(&self, last: Time, is_idle: bool);

    /// Takes the next rank that is to be woken, and when, which is not in the past: it gets a timer with the token [`WAKE`].
    fn next_woken(&self) -> Option<(Rank, Time)>;

    /// Returns whether the run is to end.
    fn is_over(&self) -> bool;
}

/// The token of the timer of a rank that is woken.
pub const WAKE: u64 = u64::MAX;
