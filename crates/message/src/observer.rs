//! Who watches what the ranks of a program do, call by call: profiles and tables of calls are made of it.
//!
//! ```text
//!   owner of the rank      Process                         Observer
//!   begin_call("MPI_Recv") ------------------------------> begins
//!   receive                posts the receive ------------> does(Receive)
//!   finish                 the message is there ---------> does(Finish)
//!   end_call               ------------------------------> ends
//! ```
//! Without an observer it costs one comparison at each of these places.

mod deeds;

use crate::RequestId;
pub use deeds::{Deed, Direction, PartitionedDeed, WindowDeed};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use weir_units::{Rank, Time};

/// Watches all ranks of a run. Times are those of the rank's own clock, and never go backwards for one rank.
pub trait Observer {
    /// A rank calls a function, which may call others in turn.
    ///
    /// # Errors
    /// Why the run cannot go on with this call.
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String>;

    /// A rank has done something within the call that began last; its clock is at `at` now.
    fn does(&mut self, rank: Rank, at: Time, deed: Deed<'_>);

    /// The call that began last is over.
    ///
    /// # Errors
    /// Why the run cannot go on after what was done in this call.
    fn ends(&mut self, rank: Rank, at: Time) -> Result<(), String>;

    /// The rank has come to the end of its program.
    fn over(&mut self, rank: Rank, at: Time);

    /// The rank had nothing to do from one instant to a later one: its clock has come up to something that has happened.
    fn waits(&mut self, _rank: Rank, _from: Time, _until: Time) {}

    /// The rank has handed a message to its node: one of the program, or of a collective.
    fn posts(&mut self, _rank: Rank, _at: Time, _message: Posted) {}

    /// A receive has taken a message that had come by then: one of the program, or of a collective. A rank whose clock is
    /// ahead may get messages that come before it.
    fn takes(&mut self, _rank: Rank, _at: Time, _message: Taken) {}
}

/// A message on its way: short ones themselves, of others the request to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// To which rank of the world.
    pub to: Rank,
    /// Its number among the messages of its sender.
    pub sequence: u64,
    /// Bytes that the program, or the collective, sends.
    pub bytes: u64,
}

/// A message that a receive has taken: what [`Posted`] was at its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// From which rank of the world.
    pub from: Rank,
    /// Its number among the messages of its sender.
    pub sequence: u64,
    /// Its bytes, however many there is room for.
    pub bytes: u64,
    /// The request that is complete with it, or with it and others.
    pub request: RequestId,
}

/// The observer of all ranks of a run.
pub type SharedObserver = Rc<RefCell<dyn Observer>>;

/// Several observers, which are called one after the other. The first that asks for the end of the run ends it.
#[derive(Default)]
pub struct Observers(pub Vec<SharedObserver>);

impl Observer for Observers {
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
        self.0.iter().try_for_each(|each| each.borrow_mut().begins(rank, call, at))
    }

    fn does(&mut self, rank: Rank, at: Time, deed: Deed<'_>) {
        self.0.iter().for_each(|each| each.borrow_mut().does(rank, at, deed));
    }

    fn ends(&mut self, rank: Rank, at: Time) -> Result<(), String> {
        self.0.iter().try_for_each(|each| each.borrow_mut().ends(rank, at))
    }

    fn over(&mut self, rank: Rank, at: Time) {
        self.0.iter().for_each(|each| each.borrow_mut().over(rank, at));
    }

    fn waits(&mut self, rank: Rank, from: Time, until: Time) {
        self.0.iter().for_each(|each| each.borrow_mut().waits(rank, from, until));
    }

    fn posts(&mut self, rank: Rank, at: Time, message: Posted) {
        self.0.iter().for_each(|each| each.borrow_mut().posts(rank, at, message));
    }

    fn takes(&mut self, rank: Rank, at: Time, message: Taken) {
        self.0.iter().for_each(|each| each.borrow_mut().takes(rank, at, message));
    }
}

#[derive(Clone, Default)]
pub(crate) struct Observed(pub(crate) Option<SharedObserver>);

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observed" } else { "Unobserved" })
    }
}

#[cfg(test)]
mod tests;
