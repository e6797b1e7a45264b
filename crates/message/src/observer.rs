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

use crate::{ANY_SOURCE, ANY_TAG, BufferOf, Communicator, RequestId, Status};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_operations::{Operation, ReceiveSource, Wildcards};
use weir_units::{Rank, Time};

/// A rank as observers see it.
pub trait Watched {
    /// The rank in the world.
    fn rank(&self) -> Rank;

    /// Its clock.
    fn clock(&self) -> Time;

    /// Its communicator with this number; `None` where it has none.
    fn communicator(&self, number: u32) -> Option<&Communicator>;
}

/// Watches all ranks of a run. Times are those of the rank's own clock, and never go backwards for one rank.
pub trait Observer {
    /// A rank calls a function, which may call others in turn.
    ///
    /// # Errors
    /// Why the run cannot go on with this call.
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String>;

    /// A rank has done an operation within the call that began last, or has started it: its clock is behind it now. Requests and
    /// communicators have the numbers that this rank has for them. One that goes on has a request, also where the call waits for it; a receive
    /// and a send may have the same, which ends with both.
    fn does(&mut self, rank: &dyn Watched, operation: &Operation);

    /// A rank has noticed something within the call that began last.
    fn notices(&mut self, _rank: &dyn Watched, _observation: Observation<'_>) {}

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

/// Something that a rank notices beside the operations that it does.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'a> {
    /// A request is complete from the beginning: of the send before, if that has none, else of nothing.
    Completed(RequestId),
    /// A request is complete, and the rank has ended it.
    Finished(RequestId, &'a Status),
    /// The rank waits until the messages in a buffer for buffered sends have left.
    Flushes(BufferOf, RequestId),
    /// It lets time come up to its clock, to look whether something has come by then. The number counts the changes of the rank so far
    /// ([`crate::Process::changes`]).
    Looks(u64),
    /// Time has come up to its clock. The clock may be ahead again, by what it cost to see what has come meanwhile.
    CaughtUp,
    /// It had found nothing, and has slept until something happened to it, or for a while; now it looks again, at the instant `now`
    /// (the rank's clock may be ahead, as above). `woken_by` counts the changes of the rank so far, if the last of them has woken it.
    Slept {
        /// The instant.
        now: Time,
        /// The number of the change.
        woken_by: Option<u64>,
    },
}

/// Source and tag of a receive, as far as they are known from the beginning.
pub fn asked(source: i32, tag: i32) -> ReceiveSource {
    match source {
        ..0 if source != ANY_SOURCE => ReceiveSource::NOBODY,
        _ => ReceiveSource::asking(u32::try_from(source).ok(), Some(tag).filter(|&tag| tag != ANY_TAG)),
    }
}

/// The same with who and which a message turned out to be.
pub fn found(from: ReceiveSource, status: &Status) -> ReceiveSource {
    match from.asked {
        Wildcards::Nobody => from,
        _ => ReceiveSource { source: u32::try_from(status.source).ok(), tag: Some(status.tag), ..from },
    }
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
pub type SharedObserver = Arc<Mutex<dyn Observer + Send>>;

/// The observer, whose turn it is for no one else until the result is dropped.
pub(crate) fn lock(observer: &SharedObserver) -> MutexGuard<'_, dyn Observer + Send + 'static> {
    observer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Several observers, which are called one after the other. The first that asks for the end of the run ends it.
#[derive(Default)]
pub struct Observers(pub Vec<SharedObserver>);

impl Observer for Observers {
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
        self.0.iter().try_for_each(|each| lock(each).begins(rank, call, at))
    }

    fn does(&mut self, rank: &dyn Watched, operation: &Operation) {
        self.0.iter().for_each(|each| lock(each).does(rank, operation));
    }

    fn notices(&mut self, rank: &dyn Watched, observation: Observation<'_>) {
        self.0.iter().for_each(|each| lock(each).notices(rank, observation));
    }

    fn ends(&mut self, rank: Rank, at: Time) -> Result<(), String> {
        self.0.iter().try_for_each(|each| lock(each).ends(rank, at))
    }

    fn over(&mut self, rank: Rank, at: Time) {
        self.0.iter().for_each(|each| lock(each).over(rank, at));
    }

    fn waits(&mut self, rank: Rank, from: Time, until: Time) {
        self.0.iter().for_each(|each| lock(each).waits(rank, from, until));
    }

    fn posts(&mut self, rank: Rank, at: Time, message: Posted) {
        self.0.iter().for_each(|each| lock(each).posts(rank, at, message));
    }

    fn takes(&mut self, rank: Rank, at: Time, message: Taken) {
        self.0.iter().for_each(|each| lock(each).takes(rank, at, message));
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
