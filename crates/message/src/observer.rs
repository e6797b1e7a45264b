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
use crate::window::{AfterFence, Conflicts, Lock, Until, What};
use crate::{
    BufferOf, Communicator, Group, Meeting, MessageId, Mode, Process, RequestId, SendChoices, Status,
};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use weir_units::{Duration, Rank, Time};

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
    /// ahead may be told of messages that come before it.
    fn takes(&mut self, _rank: Rank, _at: Time, _message: Taken) {}
}

/// A message on its way: short ones themselves, of others the request to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// To which rank of the world.
    pub to: Rank,
    /// Its number among the messages of its sender.
    pub sequence: u64,
    /// How many bytes the program, or the collective, sends.
    pub bytes: u64,
}

/// A message that a receive has taken: what [`Posted`] was at its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// From which rank of the world.
    pub from: Rank,
    /// Its number among the messages of its sender.
    pub sequence: u64,
    /// How many bytes it has, however many there is room for.
    pub bytes: u64,
    /// The request that is complete with it, or with it and others.
    pub request: RequestId,
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
        /// Which of the others' it meets.
        meeting: Meeting,
        /// Which, and with which arguments.
        plan: &'a Plan,
        /// Its request.
        request: RequestId,
    },
    /// It lets time come up to its clock, to look whether something has come by then. How much has happened to the rank
    /// so far ([`Process::changes`]).
    Look(u64),
    /// Time has come up to its clock. The clock may be ahead again, by what it cost to see what has come meanwhile.
    CaughtUp,
    /// It had found nothing, and has slept until something happened to it, or for a while; now it looks again.
    Slept {
        /// The instant. The rank's clock may be ahead, as above.
        now: Time,
        /// How much has happened to the rank so far, if the last of it has woken the rank.
        woken_by: Option<u64>,
    },
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
        /// From which rank.
        source: i32,
        /// With which tag.
        tag: i32,
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
    Choose(&'a SendChoices),
    /// It has looked at a request and seen that it is complete, without ending it.
    See(RequestId),
    /// It has made a request that is complete when it says so ([`Process::fulfil`]).
    Open(RequestId),
    /// It has completed such a request.
    Fulfil(RequestId),
    /// It has begun to read or to write a file.
    File {
        /// Which way.
        direction: Direction,
        /// How much.
        bytes: u64,
        /// How long the disks are busy with it from now on.
        lasts: Duration,
        /// The request.
        request: RequestId,
    },
    /// It has done something at a window.
    Window {
        /// The window's own communicator.
        communicator: &'a Communicator,
        /// What.
        deed: WindowDeed<'a>,
    },
    /// It has made a side of a partitioned operation, or done something with one.
    Partitioned {
        /// Which: a number of its own on each side, the same for both.
        channel: u64,
        /// What.
        deed: PartitionedDeed<'a>,
    },
}

/// Which way data of a file move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Direction {
    Read,
    Write,
}

/// What a rank can do at a window. Ranks are those of the window.
#[derive(Clone, Copy)]
pub enum WindowDeed<'a> {
    /// It has opened it.
    Open,
    /// It has closed it.
    Close,
    /// It has made an access that others hear of.
    Access {
        /// What is done.
        what: What,
        /// To whose memory.
        target: i32,
        /// Bytes of the data that come with it.
        given: u64,
        /// Bytes of the target's memory.
        bytes: u64,
        /// Its request, if it has one that is not complete.
        request: Option<RequestId>,
    },
    /// It has waited for this.
    Wait(Until),
    /// The barrier of a fence is over.
    Fence(AfterFence),
    /// It lets a group reach in.
    Post(&'a Group, Conflicts),
    /// It begins to reach the memory of a group.
    Start(&'a Group, Conflicts),
    /// It has told those it has started with that it is through.
    Complete,
    /// Those it has posted for are through.
    EndExposure,
    /// It has asked for a lock.
    Lock {
        /// Whose.
        rank: i32,
        /// Which.
        lock: Lock,
        /// Whether anybody is asked at all.
        conflicts: Conflicts,
    },
    /// It has given a lock back.
    Unlock(i32),
    /// It has locked all ranks: those named here have been asked for it at once.
    LockAll(&'a [Rank], Conflicts),
    /// It has given all locks back.
    UnlockAll,
}

/// What a rank can do with a side of a partitioned operation.
#[derive(Clone, Copy)]
pub enum PartitionedDeed<'a> {
    /// It has made the sending side.
    Send {
        /// Where.
        communicator: &'a Communicator,
        /// To which rank.
        to: i32,
        /// With which tag.
        tag: i32,
    },
    /// It has made the receiving side.
    Receive {
        /// Where.
        communicator: &'a Communicator,
        /// From which rank.
        source: i32,
        /// With which tag.
        tag: i32,
    },
    /// It has started the sending side.
    StartSend {
        /// How many partitions will be ready.
        partitions: usize,
        /// The request.
        request: RequestId,
    },
    /// It has started the receiving side.
    StartReceive {
        /// Room for so many bytes.
        capacity: u64,
        /// The request.
        request: RequestId,
    },
    /// A partition is ready.
    Ready {
        /// Which.
        number: u32,
        /// How long it is.
        bytes: u64,
        /// The request of the send.
        request: RequestId,
    },
}

/// The observer of all ranks of a run.
pub type SharedObserver = Rc<RefCell<dyn Observer>>;

/// Several observers, who are told everything one after the other. The first that wants the run to end is heard.
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

    /// Tells the observer that the rank's clock is about to come up to a later instant.
    #[cold]
    pub(crate) fn observe_waiting(&self, until: Time) {
        if let Some(observer) = &self.observer.0 {
            observer.borrow_mut().waits(self.rank(), self.clock(), until);
        }
    }

    /// Tells the observer of a message on its way.
    #[inline]
    pub(crate) fn observe_post(&self, to: Rank, sequence: u64, bytes: u64) {
        if let Some(observer) = &self.observer.0 {
            observer.borrow_mut().posts(self.rank(), self.clock(), Posted { to, sequence, bytes });
        }
    }

    /// Tells the observer of a message that a receive has taken.
    #[inline]
    pub(crate) fn observe_take(&self, at: Time, taken: Taken) {
        if let Some(observer) = &self.observer.0 {
            let request = self.whole_of(taken.request);
            observer.borrow_mut().takes(self.rank(), at, Taken { request, ..taken });
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
    use weir_network::{Actions, Class, Message};

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

    /// Two observers are told of a message that is sent, of one that is taken, and of the waiting for it.
    #[test]
    fn observers_are_told_of_messages_and_of_waiting() {
        #[derive(Default)]
        struct Told(Vec<String>);
        impl Observer for Told {
            fn begins(&mut self, _: Rank, _: &'static str, _: Time) -> Result<(), String> {
                Ok(())
            }
            fn does(&mut self, _: Rank, _: Time, _: Deed<'_>) {}
            fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
                Ok(())
            }
            fn over(&mut self, _: Rank, _: Time) {}
            fn waits(&mut self, rank: Rank, from: Time, until: Time) {
                self.0.push(format!("{rank} waits {} to {}", from.as_ps(), until.as_ps()));
            }
            fn posts(&mut self, rank: Rank, at: Time, message: Posted) {
                self.0.push(format!("{rank} at {} {message:?}", at.as_ps()));
            }
            fn takes(&mut self, rank: Rank, at: Time, message: Taken) {
                self.0.push(format!("{rank} at {} {message:?}", at.as_ps()));
            }
        }
        let both = [Rc::new(RefCell::new(Told::default())), Rc::new(RefCell::new(Told::default()))];
        let shared = both.iter().map(|each| Rc::clone(each) as SharedObserver).collect();
        let costs = Costs { overhead: weir_units::Duration::from_ps(5), ..Costs::default() };
        let observers = Rc::new(RefCell::new(Observers(shared)));
        let mut process = Process::new(Rank(1), 2, costs).observed_by(observers);
        let world = CommunicatorId::WORLD;
        let mut actions = Actions::elsewhere(Time::ZERO, Rank(1), 3);
        let id = process.receive(&mut actions, world, 0, 7, 20).expect("it is a receive");
        process.send(&mut actions, Mode::Standard, world, 0, 8, Data::Length(9)).expect("it is a send");
        let now = Time::from_ps(100);
        let mut actions = Actions::elsewhere(now, Rank(1), 4);
        let envelope = crate::Envelope { context: 0, source: 0, tag: 7 };
        let body = crate::Body::Eager { envelope, data: Data::Length(20) };
        let meant = process.meant(&body);
        assert_eq!(meant, Some(crate::Meant::Request(id)));
        let message = Message {
            from: Rank(0),
            to: Rank(1),
            bytes: weir_units::Bytes(20),
            class: Class::Data,
            sequence: 2,
            replies_to: None,
            posted: Time::ZERO,
            started: Time::ZERO,
            way: None,
            body,
        };
        process.arrived(&mut actions, message);
        process.finish(id).expect("it is complete");
        let expected = [
            "1 at 5 Posted { to: Rank(0), sequence: 3, bytes: 9 }",
            "1 at 100 Taken { from: Rank(0), sequence: 2, bytes: 20, request: RequestId(0) }",
            "1 waits 5 to 100",
        ];
        for each in both {
            assert_eq!(each.borrow().0, expected);
        }
        assert_eq!(process.clock(), Time::from_ps(105));
    }

    /// All observers are told of the end, and of calls until one of them wants the run to end.
    #[test]
    fn the_first_observer_that_wants_the_end_is_heard() {
        struct Stops(Vec<&'static str>, bool);
        impl Observer for Stops {
            fn begins(&mut self, _: Rank, call: &'static str, _: Time) -> Result<(), String> {
                self.0.push(call);
                if self.1 { Err(format!("no {call}")) } else { Ok(()) }
            }
            fn does(&mut self, _: Rank, _: Time, _: Deed<'_>) {
                self.0.push("does");
            }
            fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
                self.0.push("ends");
                if self.1 { Err("no more".into()) } else { Ok(()) }
            }
            fn over(&mut self, _: Rank, _: Time) {
                self.0.push("over");
            }
        }
        let each = [false, true, false].map(|stops| Rc::new(RefCell::new(Stops(Vec::new(), stops))));
        let shared = each.iter().map(|each| Rc::clone(each) as SharedObserver).collect();
        let observers = Rc::new(RefCell::new(Observers(shared)));
        let mut process = Process::new(Rank(0), 1, Costs::default()).observed_by(observers);
        assert_eq!(process.begin_call("MPI_Send"), Err("no MPI_Send".into()));
        process.open();
        assert_eq!(process.end_call(), Err("no more".into()));
        process.end_program();
        let told = each.map(|each| each.borrow().0.join(" "));
        assert_eq!(told, ["MPI_Send does ends over", "MPI_Send does ends over", "does over"]);
    }

    #[test]
    fn nobody_is_told_where_nobody_watches() {
        let process = Process::new(Rank(0), 1, Costs::default());
        assert!(!process.is_observed());
        assert_eq!((process.begin_call("MPI_Send"), process.end_call()), (Ok(()), Ok(())));
    }
}
