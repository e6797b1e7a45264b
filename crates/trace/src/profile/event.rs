//! What a profile says of one call.

use weir_units::Duration;

/// One thing that a rank does, and the time before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The rank's own work: from the end of the event before (or the start of the run) to the beginning of this one.
    pub compute: Duration,
    /// From the beginning of the call to its end, where the profile was logged; `None` where that is not known.
    pub took: Option<Duration>,
    /// What the rank does.
    pub act: Act,
}

/// What a rank can do. Ranks are those of the communicator, as the program gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// It sends a message.
    Send {
        /// How.
        mode: Mode,
        /// To whom; `None`: to nobody (`MPI_PROC_NULL`).
        to: Option<u32>,
        /// With which tag, at least 0.
        tag: i32,
        /// How long the message is.
        bytes: u64,
        /// Where.
        communicator: u32,
        /// The request, or the call waits for the end.
        request: Option<Request>,
    },
    /// It receives a message.
    Receive {
        /// From whom, and with which tag.
        from: From,
        /// Room for so many bytes.
        bytes: u64,
        /// Where.
        communicator: u32,
        /// The request, or the call waits for the end.
        request: Option<Request>,
    },
    /// It waits until requests are complete, and ends them in this order. Of a call that waits for any of several, or
    /// tests them, those are named that were complete.
    Wait {
        /// Which.
        requests: Requests,
        /// Whether the call looks at the state of things at its beginning.
        look: Look,
    },
    /// It waits until a message is there, and leaves it where it is.
    Probe {
        /// From whom, and with which tag.
        from: From,
        /// Where.
        communicator: u32,
        /// Whether the call looks at the state of things at its beginning.
        look: Look,
    },
    /// It takes part in a collective.
    Collective {
        /// Which, and how much.
        collective: Box<Collective>,
        /// Where.
        communicator: u32,
        /// The request, or the call waits for the end.
        request: Option<Request>,
    },
    /// It gives up a request, which goes on.
    Release {
        /// Which.
        request: Request,
    },
    /// It has looked in vain, once or several times: so much time passes, and everything that happens in it is seen.
    Poll {
        /// How long.
        time: Duration,
    },
    /// It comes to its end.
    End,
    /// It waits until its buffered messages have left.
    Flush,
}

/// A request of a rank: free before it is started, and free again when it has been waited for or given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request(pub u32);

/// How a message is sent, as in the MPI standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the standard's names
pub enum Mode {
    Standard,
    Buffered,
    Synchronous,
    Ready,
}

/// Whether a call first lets time come up to the rank's clock, to see what has come by then, as `MPI_Waitany`,
/// `MPI_Waitsome` and the tests do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Look {
    #[default]
    No,
    Yes,
}

/// From whom a message is taken, and with which tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct From {
    /// The rank that sent it; `None`: it is not known who (asked for any source, and not logged), or nobody.
    pub source: Option<u32>,
    /// Its tag; `None`: not known (asked for any tag, and not logged).
    pub tag: Option<i32>,
    /// What the program asked for.
    pub asked: Asked,
}

/// What a receive or a probe asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// This source and this tag.
    Both,
    /// Any source (`MPI_ANY_SOURCE`) with this tag.
    AnySource,
    /// This source with any tag (`MPI_ANY_TAG`).
    AnyTag,
    /// Anything.
    Anything,
    /// Nothing from nobody (`MPI_PROC_NULL`).
    Nobody,
}

/// Requests that are waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requests {
    /// One.
    One(Request),
    /// None, or several.
    Several(Box<[Request]>),
}

impl Requests {
    /// These, in this order.
    #[must_use]
    pub fn new(requests: &[Request]) -> Self {
        match requests {
            [one] => Self::One(*one),
            several => Self::Several(several.into()),
        }
    }

    /// All of them, in their order.
    #[must_use]
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
    /// Which.
    pub function: Function,
    /// The root's rank in the communicator; 0 where there is none.
    pub root: u32,
    /// How much.
    pub lengths: Lengths,
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
    Neighbours,
    /// The exchange of colours and keys in `MPI_Comm_split` and its like.
    Split,
}

/// How long the data of a collective are, in bytes.
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
        /// Whether operands may change places.
        operands: Operands,
    },
    /// The block of each rank; one number if all are equal.
    Blocks(Box<[u64]>),
    /// Data that are combined, of which each rank gets a block.
    Combined {
        /// The block of each rank; one number if all are equal.
        blocks: Box<[u64]>,
        /// One element.
        element: u32,
        /// Whether operands may change places.
        operands: Operands,
    },
    /// The block for each rank and the block from each rank; one number each if all of both are equal.
    Exchange {
        /// What goes.
        out: Box<[u64]>,
        /// What comes.
        into: Box<[u64]>,
    },
    /// Blocks for and from neighbours.
    Neighbours(Box<Neighbours>),
}

/// A collective among neighbours: ranks of the communicator and bytes; `None` for a block beyond an open end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
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

/// Whether the operands of a reduction may change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// They may.
    Commute,
    /// The order of ranks is kept.
    Ordered,
}

/// The names of the functions in both forms of a profile.
pub(super) const FUNCTIONS: [(&str, Function); 17] = [
    ("barrier", Function::Barrier),
    ("bcast", Function::Bcast),
    ("reduce", Function::Reduce),
    ("allreduce", Function::Allreduce),
    ("gather", Function::Gather),
    ("gatherv", Function::Gatherv),
    ("scatter", Function::Scatter),
    ("scatterv", Function::Scatterv),
    ("allgather", Function::Allgather),
    ("allgatherv", Function::Allgatherv),
    ("alltoall", Function::Alltoall),
    ("alltoallv", Function::Alltoallv),
    ("scan", Function::Scan),
    ("exscan", Function::Exscan),
    ("reduce-scatter", Function::ReduceScatter),
    ("neighbors", Function::Neighbours),
    ("split", Function::Split),
];

/// The names of all kinds of events, in the order of [`Act::kind`]. Collectives with a request follow, with an `i` before.
pub(super) const KINDS: [&str; 17] = [
    "send", "bsend", "ssend", "rsend", "isend", "ibsend", "issend", "irsend", "recv", "irecv", "wait",
    "test", "probe", "release", "poll", "end", "flush",
];

impl Act {
    /// The number of its kind: a place in [`KINDS`], behind them the collectives that wait, then those that go on.
    pub(super) fn kind(&self) -> usize {
        match self {
            Self::Send { mode, request, .. } => {
                let mode = match mode {
                    Mode::Standard => 0,
                    Mode::Buffered => 1,
                    Mode::Synchronous => 2,
                    Mode::Ready => 3,
                };
                mode + 4 * usize::from(request.is_some())
            }
            Self::Receive { request, .. } => 8 + usize::from(request.is_some()),
            Self::Wait { look: Look::No, .. } => 10,
            Self::Wait { look: Look::Yes, .. } => 11,
            Self::Probe { .. } => 12,
            Self::Release { .. } => 13,
            Self::Poll { .. } => 14,
            Self::End => 15,
            Self::Flush => 16,
            Self::Collective { collective, request, .. } => {
                KINDS.len()
                    + collective.function as usize
                    + if request.is_some() { FUNCTIONS.len() } else { 0 }
            }
        }
    }

    /// The name of its kind: `send`, `irecv`, `wait`, `allreduce`, `iallreduce`, ...
    #[must_use]
    pub fn name(&self) -> &'static str {
        kind_name(self.kind())
    }

    /// Bytes that this rank gives away here, as far as its arguments tell: of messages it sends, and its own data in
    /// collectives.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Send { bytes, to: Some(_), .. } => *bytes,
            Self::Collective { collective, .. } => match &collective.lengths {
                Lengths::Bytes(bytes) | Lengths::Elements { bytes, .. } => *bytes,
                _ => 0,
            },
            _ => 0,
        }
    }
}

/// Names of collectives that go on, in the order of [`FUNCTIONS`].
const GOING_ON: [&str; 17] = [
    "ibarrier",
    "ibcast",
    "ireduce",
    "iallreduce",
    "igather",
    "igatherv",
    "iscatter",
    "iscatterv",
    "iallgather",
    "iallgatherv",
    "ialltoall",
    "ialltoallv",
    "iscan",
    "iexscan",
    "ireduce-scatter",
    "ineighbors",
    "isplit",
];

/// How many kinds there are.
pub(super) const ALL_KINDS: usize = KINDS.len() + 2 * FUNCTIONS.len();

/// The name of a kind.
pub(super) fn kind_name(kind: usize) -> &'static str {
    match kind.checked_sub(KINDS.len()) {
        None => KINDS[kind],
        Some(function) if function < FUNCTIONS.len() => FUNCTIONS[function].0,
        Some(function) => GOING_ON[function - FUNCTIONS.len()],
    }
}

/// The kind of this name.
pub(super) fn kind_of(name: &[u8]) -> Option<usize> {
    (0..ALL_KINDS).find(|&kind| kind_name(kind).as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_of_their_own() {
        for kind in 0..ALL_KINDS {
            assert_eq!(kind_of(kind_name(kind).as_bytes()), Some(kind));
        }
        for (place, (name, function)) in FUNCTIONS.iter().enumerate() {
            assert_eq!(*function as usize, place);
            assert_eq!(GOING_ON[place], format!("i{name}"));
        }
        assert_eq!(kind_of(b"sendd"), None);
    }

    /// Long profiles are read into memory.
    #[test]
    fn events_are_small() {
        assert!(size_of::<Event>() <= 72, "{}", size_of::<Event>());
    }
}
