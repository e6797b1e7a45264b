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

use crate::collective::Plan;
use crate::{BufferOf, Communicator, MessageId, Mode, Process, RequestId, Status};
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
}

/// What a rank can do within a call. Ranks and tags are as the program gave them, wildcards too.
#[derive(Clone, Copy)]
pub enum Deed<'a> {
    /// It has started a send.
    Send {
        /// How.
        mode: Mode,
        /// Where.
        communicator: &'a Communicator,
        /// To which rank of the communicator.
        to: i32,
        /// With which tag.
        tag: i32,
        /// How long the message is.
        bytes: u64,
        /// Its request; `None`: it is complete already.
        request: Option<RequestId>,
    },
    /// A request that is complete from the beginning: of the send before, if that has none, else of nothing.
    Completed(RequestId),
    /// It has posted a receive.
    Receive {
        /// Where.
        communicator: &'a Communicator,
        /// From which rank of the communicator.
        source: i32,
        /// With which tag.
        tag: i32,
        /// Room for so many bytes.
        capacity: u64,
        /// Its request.
        request: RequestId,
    },
    /// It has started a receive and a send under one request ([`Process::exchange`]).
    Exchange {
        /// Where.
        communicator: &'a Communicator,
        /// To which rank.
        to: i32,
        /// With which tag.
        send_tag: i32,
        /// How long the message is.
        bytes: u64,
        /// From which rank.
        source: i32,
        /// With which tag.
        receive_tag: i32,
        /// Room for so many bytes.
        capacity: u64,
        /// Their request.
        request: RequestId,
    },
    /// It takes part in a collective.
    Collective {
        /// Where.
        communicator: &'a Communicator,
        /// Which, and with which arguments.
        plan: &'a Plan,
        /// Its request.
        request: RequestId,
    },
    /// It has let time come up to its clock, to look whether something has come by then.
    Look,
    /// It has found a message and left it where it is.
    Probe {
        /// Where.
        communicator: &'a Communicator,
        /// From which rank.
        source: i32,
        /// With which tag.
        tag: i32,
        /// What was found.
        status: &'a Status,
    },
    /// It has found a message and taken it out of the queue.
    Match {
        /// The message's name.
        message: MessageId,
        /// What is written on it.
        status: &'a Status,
        /// Where.
        communicator: &'a Communicator,
    },
    /// It has begun to receive a message taken out of the queue before; `None`: the message of nobody.
    ReceiveMatched {
        /// The message's name.
        message: Option<MessageId>,
        /// Room for so many bytes.
        capacity: u64,
        /// The request.
        request: RequestId,
    },
    /// It has seen that a request is complete, and ended it.
    Finish {
        /// Which.
        request: RequestId,
        /// What was received, if anything was.
        status: &'a Status,
    },
    /// It waits until the messages in a buffer for buffered sends have left.
    Flush {
        /// Whose buffer.
        of: BufferOf,
        /// The request.
        request: RequestId,
    },
    /// It has given up a request, which goes on.
    Release(RequestId),
    /// It wants a request not to be carried out.
    Cancel(RequestId),
    /// It has chosen how its messages are sent from now on.
    Choose,
}

/// The observer of all ranks of a run.
pub type SharedObserver = Rc<RefCell<dyn Observer>>;

/// The observer of a rank, if there is one.
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

    /// Whether anybody watches.
    #[must_use]
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.observer.0.is_some()
    }

    /// Tells the observer what this rank has done, if there is one. The process tells what it does itself; its owner
    /// tells of looks and probes.
    #[inline]
    pub fn observe(&self, deed: Deed<'_>) {
        if let Some(observer) = &self.observer.0 {
            observer.borrow_mut().does(self.rank(), self.clock(), deed);
        }
    }

    /// The rank calls a function now.
    ///
    /// # Errors
    /// Why the observer ends the run.
    pub fn begin_call(&self, name: &'static str) -> Result<(), String> {
        let Some(observer) = &self.observer.0 else { return Ok(()) };
        observer.borrow_mut().begins(self.rank(), name, self.clock())
    }

    /// The call is over.
    ///
    /// # Errors
    /// Why the observer ends the run.
    pub fn end_call(&self) -> Result<(), String> {
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
mod tests {
    use super::*;
    use crate::{CommunicatorId, Costs, Data};
    use weir_network::Actions;

    /// Notes in words what it is told.
    #[derive(Default)]
    struct Notes(Vec<String>);

    impl Observer for Notes {
        fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
            self.0.push(format!("{rank} begins {call} at {}", at.as_ps()));
            Ok(())
        }

        fn does(&mut self, _: Rank, _: Time, deed: Deed<'_>) {
            self.0.push(match deed {
                Deed::Send { to, tag, bytes, request, .. } => {
                    format!("send {to} {tag} {bytes} {request:?}")
                }
                Deed::Receive { source, tag, capacity, .. } => format!("receive {source} {tag} {capacity}"),
                Deed::Completed(_) => "completed".into(),
                Deed::Finish { status, .. } => format!("finish {} {}", status.source, status.bytes),
                _ => "something else".into(),
            });
        }

        fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
            Err("enough".into())
        }

        fn over(&mut self, rank: Rank, _: Time) {
            self.0.push(format!("{rank} is over"));
        }
    }

    #[test]
    fn an_observer_is_told_what_a_rank_does_between_the_ends_of_a_call() {
        let costs = Costs { eager_limit: weir_units::Bytes(100), ..Costs::default() };
        let notes = Rc::new(RefCell::new(Notes::default()));
        let mut process = Process::new(Rank(1), 2, costs).observed_by(Rc::clone(&notes) as SharedObserver);
        let mut actions = Actions::elsewhere(Time::ZERO, Rank(1), 0);
        let world = CommunicatorId::WORLD;
        assert_eq!(process.begin_call("MPI_Isend"), Ok(()));
        let sent = process.send(&mut actions, Mode::Standard, world, 0, 7, Data::Length(20));
        assert_eq!(sent, Ok(None));
        let done = process.completed();
        assert_eq!(process.end_call(), Err("enough".into()));
        process.finish(done).expect("it is complete");
        process.receive(&mut actions, world, crate::PROC_NULL, 3, 8).expect("it is a receive");
        process.end_program();
        let told = [
            "1 begins MPI_Isend at 0",
            "send 0 7 20 None",
            "completed",
            "finish -1 0",
            "receive -2 3 8",
            "1 is over",
        ];
        let any = crate::ANY_SOURCE.to_string();
        let nobody = crate::PROC_NULL.to_string();
        let told = told.map(|line| line.replace("finish -1", &format!("finish {any}")));
        let told = told.map(|line| line.replace("receive -2", &format!("receive {nobody}")));
        assert_eq!(notes.borrow().0, told);
    }

    #[test]
    fn nobody_is_told_where_nobody_watches() {
        let process = Process::new(Rank(0), 1, Costs::default());
        assert!(!process.is_observed());
        assert_eq!((process.begin_call("MPI_Send"), process.end_call()), (Ok(()), Ok(())));
    }
}
