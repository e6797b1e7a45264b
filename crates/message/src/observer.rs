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

use crate::process::OWN_WORK;
use crate::{Communicator, CommunicatorId, Process, RequestId};
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
pub(crate) struct Observed(Option<SharedObserver>);

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observed" } else { "Unobserved" })
    }
}

impl Process {
    /// The same rank, watched.
    #[must_use]
    pub fn observed_by(mut self, observer: SharedObserver) -> Self {
        self.observer = Observed(Some(observer));
        self
    }

    /// Returns whether the rank has an observer.
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.observer.0.is_some()
    }

    /// Passes what this rank has done to the observer, if there is one. The process passes on what it does itself; its owner
    /// passes on looks and probes.
    #[inline]
    pub fn observe(&self, deed: Deed<'_>) {
        if let Some(observer) = &self.observer.0 {
            observer.borrow_mut().does(self.rank(), self.clock(), deed);
        }
    }

    /// Passes an operation on a communicator that is there to the observer, if there is one.
    #[inline]
    pub(crate) fn observe_on<'a>(
        &'a self,
        communicator: CommunicatorId,
        deed: impl FnOnce(&'a Communicator) -> Deed<'a>,
    ) {
        if self.is_observed()
            && let Ok(communicator) = self.communicator(communicator)
        {
            self.observe(deed(communicator));
        }
    }

    #[cold]
    pub(crate) fn observe_waiting(&self, until: Time) {
        if let Some(observer) = &self.observer.0 {
            observer.borrow_mut().waits(self.rank(), self.clock(), until);
        }
    }

    #[inline]
    pub(crate) fn observe_post(&self, to: Rank, sequence: u64, bytes: u64) {
        if let Some(observer) = &self.observer.0 {
            observer.borrow_mut().posts(self.rank(), self.clock(), Posted { to, sequence, bytes });
        }
    }

    #[inline]
    pub(crate) fn observe_take(&self, at: Time, taken: Taken) {
        if let Some(observer) = &self.observer.0 {
            let request = self.whole_of(taken.request);
            observer.borrow_mut().takes(self.rank(), at, Taken { request, ..taken });
        }
    }

    /// The rank calls a function now: where, is a name that all calls there have; empty if it is not known.
    ///
    /// # Errors
    /// Why the observer ends the run.
    pub fn begin_call(&mut self, name: &'static str, site: &'static str) -> Result<(), String> {
        self.enter_call(name, site);
        let Some(observer) = &self.observer.0 else { return Ok(()) };
        observer.borrow_mut().begins(self.rank(), name, self.clock())
    }

    /// The call is over.
    ///
    /// # Errors
    /// Why the observer ends the run.
    pub fn end_call(&mut self) -> Result<(), String> {
        self.enter_call(OWN_WORK, "");
        let Some(observer) = &self.observer.0 else { return Ok(()) };
        observer.borrow_mut().ends(self.rank(), self.clock())
    }

    /// The rank is at its end.
    pub fn end_program(&self) {
        if let Some(observer) = &self.observer.0 {
            observer.borrow_mut().over(self.rank(), self.clock());
        }
    }
}

#[cfg(test)]
mod tests;
