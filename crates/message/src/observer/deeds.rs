//! What a rank does, for an observer.

use crate::collective::Plan;
use crate::window::{AfterFence, Conflicts, Lock, Until, What};
use crate::{
    BufferOf, Combining, Communicator, Group, Meeting, MessageId, Mode, RequestId, SendChoices, Status,
};
use weir_units::{Duration, Rank, Time};

/// What a rank can do within a call. Ranks and tags are as the program gave them, wildcards too.
#[derive(Clone, Copy)]
pub enum Deed<'a> {
    /// It has started a send.
    Send {
        /// The mode of the send: standard, buffered, synchronous, ready.
        mode: Mode,
        /// The communicator that ranks and tags belong to.
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
        /// The communicator that ranks and tags belong to.
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
    /// It has started a receive and a send under one request ([`Process::exchange`](crate::Process::exchange)).
    Exchange {
        /// The communicator that ranks and tags belong to.
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
        /// The communicator that ranks and tags belong to.
        communicator: &'a Communicator,
        /// Which of the others' it meets.
        meeting: Meeting,
        /// Which, and with which arguments.
        plan: &'a Plan,
        /// What it does to its operands, if it combines any.
        combining: Combining,
        /// Its request.
        request: RequestId,
    },
    /// It lets time come up to its clock, to look whether something has come by then. How much has happened to the rank
    /// so far ([`Process::changes`](crate::Process::changes)).
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
        /// The communicator that ranks and tags belong to.
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
        /// The communicator that ranks and tags belong to.
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
        /// The request, by its number in this rank.
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
    /// It cancels a request.
    Cancel(RequestId),
    /// It has chosen how its messages are sent from now on.
    Choose(&'a SendChoices),
    /// It has looked at a request and seen that it is complete, without ending it.
    See(RequestId),
    /// It has made a request that is complete when it says so ([`Process::fulfil`](crate::Process::fulfil)).
    Open(RequestId),
    /// It has completed such a request.
    Fulfil(RequestId),
    /// It has begun to read or to write a file.
    File {
        /// Which way.
        direction: Direction,
        /// What is read or written, in bytes.
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
        /// What the rank has done at the window.
        deed: WindowDeed<'a>,
    },
    /// It has made a side of a partitioned operation, or done something with one.
    Partitioned {
        /// Which: a number of its own on each side, the same for both.
        channel: u64,
        /// What the rank has done with the channel.
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
    /// It has made an access that others get a message about.
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
    /// It has sent those it has started with that it is through.
    Complete,
    /// Those it has posted for are through.
    EndExposure,
    /// It has asked for a lock.
    Lock {
        /// The target: a rank of the window's communicator.
        rank: i32,
        /// Whether the lock is shared or exclusive.
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
        /// The communicator that ranks and tags belong to.
        communicator: &'a Communicator,
        /// To which rank.
        to: i32,
        /// With which tag.
        tag: i32,
    },
    /// It has made the receiving side.
    Receive {
        /// The communicator that ranks and tags belong to.
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
        /// The number of the partition, from 0.
        number: u32,
        /// How long it is.
        bytes: u64,
        /// The request of the send.
        request: RequestId,
    },
}
