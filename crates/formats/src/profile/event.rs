//! Events of a profile: one call each.

use super::one_sided::{Access, Side, WindowAct};
use super::{Choices, Combines};
use weir_units::Duration;

/// One thing that a rank does, and the time before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The rank's own work: from the end of the event before (or the start of the run) to the beginning of this one.
    pub compute: Duration,
    /// From the beginning of the call to its end, where the profile was logged; `None` where that is not known.
    pub took: Option<Duration>,
    /// The operation.
    pub act: Act,
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // fields of one name: see above
pub enum Act {
    /// It sends a message.
    Send {
        mode: Mode,
        /// To whom; `None`: to nobody (`MPI_PROC_NULL`).
        to: Option<u32>,
        tag: i32,
        bytes: u64,
        communicator: u32,
        request: Option<Request>,
    },
    /// It receives a message.
    Receive { from: ReceiveSource, bytes: u64, communicator: u32, request: Option<Request> },
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
        request: Option<Request>,
    },
    /// It gives up a request, which goes on.
    Release { request: Request },
    /// It has looked in vain, once or several times: so much time passes, and everything that happens in it is seen. What
    /// has come in it may have cost processor time: then the rank's clock is ahead at the end, and the event took longer.
    Poll {
        /// From the beginning of the first look until the rank goes on.
        time: Duration,
        /// The number of the thing that happened to the rank since, at whose coming it went on; more may have come at that
        /// instant. `None`: no thing of that instant.
        after: Option<u64>,
    },
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
        message: Request,
    },
    /// It receives a message that it has taken out of the queue.
    ReceiveMatched {
        /// Its number, which becomes that of the request.
        message: Request,
        bytes: u64,
        /// The request, which has the same number, or the call waits for the end.
        request: Option<Request>,
    },
    /// It cancels a request; whether it still is, hangs on the machine.
    Cancel { request: Request },
    /// It lets time come up to its clock, waits until requests are complete, and leaves them as they are.
    See { requests: Requests },
    /// It begins something of its own, whose end it says itself (a generalized request).
    Open { request: Request },
    /// It says that something of its own is over.
    Fulfil { request: Request },
    /// It reads or writes a file.
    File {
        direction: Direction,
        bytes: u64,
        /// The time that it took on the disks of the machine where it was logged, what others did there included.
        lasts: Duration,
        request: Option<Request>,
    },
    /// It reaches into the memory of another rank.
    Access { access: Access, target: u32, bytes: u64, communicator: u32, request: Option<Request> },
    /// It does something else at a window.
    Window { communicator: u32, act: Box<WindowAct> },
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
    StartSend { channel: u32, partitions: u32, request: Request },
    /// It starts a partitioned receive.
    StartReceive { channel: u32, bytes: u64, request: Request },
    /// It chooses how its messages are sent from now on.
    Choose(Box<Choices>),
    /// A partition of a send is ready.
    Ready {
        request: Request,
        /// Which partition, from 0.
        number: u32,
        bytes: u64,
    },
}

/// Which way data of a file move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Direction {
    Read,
    Write,
}

/// A request of a rank: free before it is started, and free again when it has been waited for or given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request(pub u32);

/// The modes in which a message is sent, as in the MPI standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the standard's names
pub enum Mode {
    Standard,
    Buffered,
    Synchronous,
    Ready,
}

/// Says whether a call first lets time come up to the rank's clock, to see what has come by then, as `MPI_Waitany`,
/// `MPI_Waitsome` and the tests do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PollFirst {
    #[default]
    No,
    Yes,
}

/// From whom a message is taken, and with which tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveSource {
    /// The rank that sent it; `None`: it is not known who (asked for any source, and not logged), or nobody.
    pub source: Option<u32>,
    /// Its tag; `None`: not known (asked for any tag, and not logged).
    pub tag: Option<i32>,
    /// The wildcards that the program gave.
    pub asked: Wildcards,
}

/// Source and tag that a receive or a probe asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wildcards {
    /// This source and this tag.
    Both,
    /// Any source (`MPI_ANY_SOURCE`) with this tag.
    AnySource,
    /// This source with any tag (`MPI_ANY_TAG`).
    AnyTag,
    /// Any source with any tag.
    Anything,
    /// Nothing from nobody (`MPI_PROC_NULL`).
    Nobody,
}

/// Requests that are waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requests {
    /// A single request.
    One(Request),
    /// None, or several.
    Several(Box<[Request]>),
}

impl Requests {
    /// These, in this order.
    pub fn new(requests: &[Request]) -> Self {
        match requests {
            [one] => Self::One(*one),
            several => Self::Several(several.into()),
        }
    }

    /// All of them, in their order.
    pub fn as_slice(&self) -> &[Request] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}

/// A collective of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// The function of MPI.
    pub function: Function,
    /// Which rank has a part of its own.
    pub root: Root,
    /// The lengths of its data, in bytes.
    pub lengths: Lengths,
    /// Operation and element, as far as they are known.
    pub combines: Combines,
}

impl Collective {
    /// One of which it is not known what it combines, if it does.
    pub fn new(function: Function, root: Root, lengths: Lengths) -> Self {
        Self { function, root, lengths, combines: Combines::default() }
    }
}

/// The root of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// There is none.
    None,
    /// This rank of the communicator; of an intercommunicator, of the other group.
    Rank(u32),
    /// The rank itself, between two groups (`MPI_ROOT`).
    Here,
    /// Another rank of its own group, between two groups, so that it has no part (`MPI_PROC_NULL`).
    Elsewhere,
}

/// The collectives. Those with a `v` have blocks of their own lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the standard's names
pub enum Function {
    Barrier,
    Bcast,
    Reduce,
    Allreduce,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Scan,
    Exscan,
    ReduceScatter,
    Neighbors,
    /// The exchange of colors and keys in `MPI_Comm_split` and its like.
    Split,
    /// The exchange of who comes first in `MPI_Intercomm_merge`.
    Merge,
}

/// Lengths of the data of a collective, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// None to speak of: a barrier, a split.
    None,
    /// All of them (broadcast, scans), or each block, or (gatherv and scatterv away from the root) the rank's own block.
    Bytes(u64),
    /// Data that are combined.
    Elements {
        /// All of them.
        bytes: u64,
        /// One element.
        element: u32,
        /// Their order.
        operands: Operands,
    },
    /// The block of each rank; one number if all are equal.
    Blocks(Box<[u64]>),
    /// Between two groups: the own data, and the block from each rank of the other; one number if all are equal.
    Given {
        /// The block that goes to each.
        bytes: u64,
        /// The blocks that come.
        into: Box<[u64]>,
    },
    /// Data that are combined, of which each rank gets a block.
    Combined {
        /// The block of each rank; one number if all are equal.
        blocks: Box<[u64]>,
        /// One element.
        element: u32,
        /// Their order.
        operands: Operands,
    },
    /// The block for each rank and the block from each rank; one number each if all of both are equal.
    Exchange {
        /// The blocks that go.
        out: Box<[u64]>,
        /// The blocks that come.
        into: Box<[u64]>,
    },
    /// Blocks for and from neighbors.
    Neighbors(Box<Neighbors>),
}

/// A collective among neighbors: ranks of the communicator and bytes; `None` for a block beyond an open end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbors {
    /// For whom blocks are.
    pub destinations: Vec<Option<u32>>,
    /// From whom blocks come.
    pub sources: Vec<Option<u32>>,
    /// In which order the blocks of the sources are received.
    pub arrival: Vec<u32>,
    /// The block for each destination.
    pub out: Vec<u64>,
    /// The block from each source.
    pub into: Vec<u64>,
}

/// Says whether the operands of a reduction may change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// They may.
    Commute,
    /// The order of ranks is kept.
    Ordered,
}

impl Act {
    /// The request that goes on behind it, if it starts one.
    pub fn request(&self) -> Option<Request> {
        match self {
            Self::Send { request, .. }
            | Self::Receive { request, .. }
            | Self::Collective { request, .. }
            | Self::ReceiveMatched { request, .. }
            | Self::File { request, .. }
            | Self::Access { request, .. } => *request,
            Self::Open { request } | Self::StartSend { request, .. } | Self::StartReceive { request, .. } => {
                Some(*request)
            }
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
    fn events_are_small() {
        assert!(size_of::<Event>() <= 72, "{}", size_of::<Event>());
    }
}
