//! Operations of a rank, for an observer.

use crate::window::{AfterFence, Conflicts, Lock, Until, What};
use crate::{
    BufferOf, Combining, Communicator, Group, Meeting, MessageId, Mode, RequestId, SendChoices, Status,
};
use weir_collectives::Plan;
use weir_units::{Duration, Rank, Time};

/// An operation of a rank within a call. Ranks and tags are as the program gave them, wildcards too, and belong to the communicator;
/// `bytes` is the length of a message, `capacity` the room for one in bytes.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // fields have the names of the arguments of the functions of `Process`
pub enum Deed<'a> {
    /// It has started a send. Without a request it is complete already.
    Send {
        mode: Mode,
        communicator: &'a Communicator,
        to: i32,
        tag: i32,
        bytes: u64,
        request: Option<RequestId>,
    },
    /// A request that is complete from the beginning: of the send before, if that has none, else of nothing.
    Completed(RequestId),
    /// It has posted a receive.
    Receive { communicator: &'a Communicator, source: i32, tag: i32, capacity: u64, request: RequestId },
    /// It has started a receive and a send under one request ([`Process::exchange`](crate::Process::exchange)).
    Exchange {
        communicator: &'a Communicator,
        to: i32,
        send_tag: i32,
        bytes: u64,
        source: i32,
        receive_tag: i32,
        capacity: u64,
        request: RequestId,
    },
    /// It takes part in a collective; `combining` is the operation on its operands, if it combines any.
    Collective {
        communicator: &'a Communicator,
        meeting: Meeting,
        plan: &'a Plan,
        combining: Combining,
        request: RequestId,
    },
    /// It lets time come up to its clock, to look whether something has come by then. The number counts the changes of the rank
    /// so far ([`Process::changes`](crate::Process::changes)).
    Look(u64),
    /// Time has come up to its clock. The clock may be ahead again, by what it cost to see what has come meanwhile.
    CaughtUp,
    /// It had found nothing, and has slept until something happened to it, or for a while; now it looks again, at the instant `now`
    /// (the rank's clock may be ahead, as above). `woken_by` counts the changes of the rank so far, if the last of them has woken it.
    Slept { now: Time, woken_by: Option<u64> },
    /// It has found a message and left it where it is.
    Probe { communicator: &'a Communicator, source: i32, tag: i32, status: &'a Status },
    /// It has found a message and taken it out of the queue.
    Match { source: i32, tag: i32, message: MessageId, status: &'a Status, communicator: &'a Communicator },
    /// It has begun to receive a message taken out of the queue before; `None`: the message of nobody.
    ReceiveMatched { message: Option<MessageId>, capacity: u64, request: RequestId },
    /// It has seen that a request is complete, and ended it.
    Finish { request: RequestId, status: &'a Status },
    /// It waits until the messages in a buffer for buffered sends have left.
    Flush { of: BufferOf, request: RequestId },
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
    /// It has begun to read or to write bytes of a file; `lasts`: for so long the disks are busy with it from now on.
    File { direction: Direction, bytes: u64, lasts: Duration, request: RequestId },
    /// It has done something at a window, which is named by its own communicator.
    Window { communicator: &'a Communicator, deed: WindowDeed<'a> },
    /// It has made a side of a partitioned operation, or done something with one. The channel is a number of the operation's own on each
    /// side, the same for both.
    Partitioned { channel: u64, deed: PartitionedDeed<'a> },
}

/// Direction in which data of a file move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Direction {
    Read,
    Write,
}

/// An operation of a rank at a window. Ranks are those of the window.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // fields have the names of the arguments of the functions of `Process`
pub enum WindowDeed<'a> {
    /// It has opened it.
    Open,
    /// It has closed it.
    Close,
    /// It has made an access that others get a message about, with `given` bytes of data, to `bytes` of the memory of `target`. A request
    /// that is complete is not named.
    Access { what: What, target: i32, given: u64, bytes: u64, request: Option<RequestId> },
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
    /// It has asked for the lock of a rank; no rank is asked where conflicts are ruled out.
    Lock { rank: i32, lock: Lock, conflicts: Conflicts },
    /// It has given a lock back.
    Unlock(i32),
    /// It has locked all ranks: those named here have been asked for it at once.
    LockAll(&'a [Rank], Conflicts),
    /// It has given all locks back.
    UnlockAll,
}

/// An operation of a rank with a side of a partitioned operation.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // fields have the names of the arguments of the functions of `Process`
pub enum PartitionedDeed<'a> {
    /// It has made the sending side.
    Send { communicator: &'a Communicator, to: i32, tag: i32 },
    /// It has made the receiving side.
    Receive { communicator: &'a Communicator, source: i32, tag: i32 },
    /// It has started the sending side, of so many partitions.
    StartSend { partitions: usize, request: RequestId },
    /// It has started the receiving side, with room for so many bytes.
    StartReceive { capacity: u64, request: RequestId },
    /// A partition, numbered from 0, is ready; the request is that of the send.
    Ready { number: u32, bytes: u64, request: RequestId },
}
