//! Operations, and steps of a rank: an operation each, with its time.

use crate::{Access, Choices, Collective, Lengths, PollFirst, ReceiveSource, Side, WindowOperation};
use weir_units::Duration;

/// The number of `MPI_COMM_WORLD`: all ranks.
pub const WORLD: u32 = 0;
/// The number of `MPI_COMM_SELF`: each rank alone.
pub const ALONE: u32 = 1;

/// One thing that a rank does, and the time before it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    /// The rank's own work: from the end of the step before (or the start of the run) to the beginning of this one.
    pub compute: Duration,
    /// From the beginning of the call to its end, where the step was logged; `None` where that is not known.
    pub took: Option<Duration>,
    /// The operation.
    pub operation: Operation,
}

/// An operation of a rank. Ranks are those of the communicator, as the program gives them. Fields of one name mean the same
/// everywhere:
/// - `communicator`: the number of the communicator that ranks and tags belong to, or of the window
/// - `bytes`: the length of a message, an access or a partition; of a receive, the room for a message
/// - `tag`: at least 0
/// - `request`: a request by the rank's own number; `None`: the call waits for the end
/// - `look`: whether the call looks at the state of things at its beginning
/// - `target`: the rank whose memory is accessed
/// - `channel`: the number of a side of a partitioned operation among those of the rank
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)] // fields of one name: see above
pub enum Operation {
    /// It sends a message.
    Send {
        mode: Mode,
        /// To whom; `None`: to nobody (`MPI_PROC_NULL`).
        to: Option<u32>,
        tag: i32,
        bytes: u64,
        communicator: u32,
        request: Option<RequestId>,
    },
    /// It receives a message.
    Receive { from: ReceiveSource, bytes: u64, communicator: u32, request: Option<RequestId> },
    /// It waits until requests are complete, and ends them in this order. Of a call that waits for any of several, or
    /// tests them, those are named that were complete.
    Wait { requests: Requests, look: PollFirst },
    /// It waits until a message is there, and leaves it where it is.
    Probe { from: ReceiveSource, communicator: u32, look: PollFirst },
    /// It takes part in a collective.
    Collective {
        /// Which, and how much.
        collective: Box<Collective>,
        communicator: u32,
        /// Its number among the persistent ones of the communicator, from 1: it meets those with the same number each time
        /// they are started. `None`: it meets those at the same place among all that are started.
        persistent: Option<u32>,
        request: Option<RequestId>,
    },
    /// It gives up a request, which goes on.
    Release { request: RequestId },
    /// It has looked in vain, once or several times: so much time passes, and everything that happens in it is seen. What
    /// has come in it may have cost processor time: then the rank's clock is ahead at the end, and the event took longer.
    Poll {
        /// From the beginning of the first look until the rank goes on.
        time: Duration,
        /// The number of the thing that happened to the rank since, at whose coming it went on; more may have come at that
        /// instant. `None`: no thing of that instant.
        after: Option<u64>,
    },
    /// It computes: work of its own that stands by itself, not before another operation.
    Compute { time: Duration },
    /// It comes to its end.
    End,
    /// It waits until its buffered messages have left.
    Flush,
    /// It waits until a message is there, and takes it out of the queue.
    Match {
        from: ReceiveSource,
        communicator: u32,
        look: PollFirst,
        /// The number under which the message is received later.
        message: RequestId,
    },
    /// It receives a message that it has taken out of the queue.
    ReceiveMatched {
        /// Its number, which becomes that of the request.
        message: RequestId,
        bytes: u64,
        /// The request, which has the same number, or the call waits for the end.
        request: Option<RequestId>,
    },
    /// It cancels a request; whether it still is, hangs on the machine.
    Cancel { request: RequestId },
    /// It lets time come up to its clock, waits until requests are complete, and leaves them as they are.
    See { requests: Requests },
    /// It begins something of its own, whose end it says itself (a generalized request).
    Open { request: RequestId },
    /// It says that something of its own is over.
    Fulfil { request: RequestId },
    /// It reads or writes a file.
    File {
        direction: Direction,
        bytes: u64,
        /// The time that it took on the disks of the machine where it was logged, what others did there included.
        lasts: Duration,
        request: Option<RequestId>,
    },
    /// It reaches into the memory of another rank.
    Access { access: Access, target: u32, bytes: u64, communicator: u32, request: Option<RequestId> },
    /// It does something else at a window.
    Window { communicator: u32, operation: Box<WindowOperation> },
    /// It makes a side of a partitioned operation.
    Channel {
        /// Its number, new for the rank.
        channel: u32,
        side: Side,
        /// The other side; `None`: nobody.
        peer: Option<u32>,
        tag: i32,
        communicator: u32,
    },
    /// It starts a partitioned send.
    StartSend { channel: u32, partitions: u32, request: RequestId },
    /// It starts a partitioned receive.
    StartReceive { channel: u32, bytes: u64, request: RequestId },
    /// It chooses how its messages are sent from now on.
    Choose(Box<Choices>),
    /// A partition of a send is ready.
    Ready {
        request: RequestId,
        /// Which partition, from 0.
        number: u32,
        bytes: u64,
    },
}

/// The direction in which data of a file move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub enum Direction {
    Read,
    Write,
}

/// A request of a rank: free before it is started, and free again when it has been waited for or given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct RequestId(pub u32);

/// The mode of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Mode {
    /// Eager up to the eager limit, else rendezvous.
    Standard,
    /// Complete when the receiver has begun to receive: always rendezvous.
    Synchronous,
    /// Complete at once, however long: the data are copied into a buffer that the program has attached
    /// (`MPI_Buffer_attach`), and sent from there as a standard send.
    Buffered,
    /// The standard mode, but a message that finds no receive posted ends the run: the program is wrong.
    Ready,
}

/// Requests that are waited for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Requests {
    /// A single request.
    One(RequestId),
    /// None, or several.
    Several(Box<[RequestId]>),
}

impl Requests {
    /// These, in this order.
    pub fn new(requests: &[RequestId]) -> Self {
        match requests {
            [one] => Self::One(*one),
            several => Self::Several(several.into()),
        }
    }

    /// All of them, in their order.
    pub fn as_slice(&self) -> &[RequestId] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}

impl Step {
    /// From the beginning of the call to its end, as far as that is known.
    pub fn time_in_call(&self) -> Duration {
        match self.operation {
            Operation::Poll { time, .. } | Operation::Compute { time } => self.took.unwrap_or(time),
            _ => self.took.unwrap_or(Duration::ZERO),
        }
    }
}

/// The request of an operation as a reference, shared (`as_ref`) or not (`as_mut`).
macro_rules! request_of {
    ($operation:expr, $reference:ident) => {
        match $operation {
            Operation::Send { request, .. }
            | Operation::Receive { request, .. }
            | Operation::Collective { request, .. }
            | Operation::ReceiveMatched { request, .. }
            | Operation::File { request, .. }
            | Operation::Access { request, .. } => request.$reference(),
            Operation::Open { request }
            | Operation::StartSend { request, .. }
            | Operation::StartReceive { request, .. } => Some(request),
            _ => None,
        }
    };
}

impl Operation {
    /// The request that goes on behind it, if it starts one.
    pub fn request(&self) -> Option<RequestId> {
        request_of!(self, as_ref).copied()
    }

    /// The place of the request that goes on behind it, if it starts one.
    pub fn request_mut(&mut self) -> Option<&mut RequestId> {
        request_of!(self, as_mut)
    }

    /// The place of the number of its communicator, if it has one.
    pub fn communicator_mut(&mut self) -> Option<&mut u32> {
        match self {
            Self::Send { communicator, .. }
            | Self::Receive { communicator, .. }
            | Self::Probe { communicator, .. }
            | Self::Collective { communicator, .. }
            | Self::Match { communicator, .. }
            | Self::Access { communicator, .. }
            | Self::Window { communicator, .. }
            | Self::Channel { communicator, .. } => Some(communicator),
            _ => None,
        }
    }

    /// Bytes that this rank gives away here, as far as its arguments show: of messages it sends, its own data in
    /// collectives, what it puts into the memory of others or gets from there, what it writes or reads.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Send { bytes, to: Some(_), .. } => *bytes,
            Self::Collective { collective, .. } => match &collective.lengths {
                Lengths::Bytes(bytes) | Lengths::Elements { bytes, .. } => *bytes,
                Lengths::Given { bytes, .. } => *bytes,
                _ => 0,
            },
            Self::File { bytes, .. } | Self::Access { bytes, .. } | Self::Ready { bytes, .. } => *bytes,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long profiles are read into memory.
    #[test]
    fn steps_are_small() {
        assert!(size_of::<Step>() <= 72, "{}", size_of::<Step>());
    }
}
