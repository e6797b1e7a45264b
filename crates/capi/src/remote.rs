//! Ranks that are processes of their own: programs built elsewhere, interpreters.
//!
//! Every rank is a process that has loaded our library of the standard's binary interface, `libmpi_abi.so.1` (the crate
//! `abi`), in which the same C functions run as in a program of `weir cc`. Only what is below them differs: instead of
//! being suspended as a coroutine, the process sends the simulator what it has answered and waits for the next event,
//! over a socket. One process runs at a time, while the simulator waits for it, so a run gives the same bytes as with
//! coroutines.
//!
//! ```text
//!   simulator: RankProcess::react --- ToRank::Event --->  Context::wait in the rank's process: Rank::take
//!                     ^                                        |  goes on when what it waits for is there
//!                     '------------- FromRank::Waits <---------'  ... and then waits for something else
//! ```

pub(crate) mod attached;
mod library;
mod link;
mod printed;
mod processes;

pub use attached::enable;
pub use processes::{ProcessError, Processes, RankProcess};

use crate::rank::Phase;
use crate::world::options::Compute;
use serde::{Deserialize, Serialize};
use weir_message::collective::Choice;
use weir_message::{Body, Costs, Interfaces, Moved};
use weir_network::{Answers, Event, Peer, Waiting};
use weir_units::{Rank, Time};

/// The environment variable with the number of a process's socket.
const SOCKET: &str = "WEIR_RANK_SOCKET";

/// The environment variable with the name of its node.
pub const HOST_NAME: &str = "WEIR_HOST_NAME";

/// Version of what is said below.
const PROTOCOL: u32 = 7;

/// Data that a rank's process needs before it calls MPI.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Startup {
    protocol: u32,
    rank: Rank,
    costs: Costs,
    choice: Choice,
    moved: Moved,
    compute: Compute,
    interfaces: Interfaces,
    /// The programs, their arguments, and how many ranks run each.
    programs: Vec<(Vec<u8>, Vec<Vec<u8>>, usize)>,
    /// The node of each rank.
    nodes: Vec<String>,
    /// The folder for what ranks share.
    shared: Vec<u8>,
}

#[derive(Debug, Serialize, Deserialize)]
enum ToRank {
    Startup(Box<Startup>),
    Event { now: Time, next_sequence: u64, event: Event<Body> },
    Explain,
}

#[derive(Debug, Serialize, Deserialize)]
enum FromRank {
    Waits(Progress),
    /// It ends; the socket closes next.
    Leaves(Progress),
    Explained(Option<Explanation>),
    /// The run ends, for this reason; a thread that is not the rank says so.
    Fails(String),
}

/// Actions of a rank since the last event.
#[derive(Debug, Serialize, Deserialize)]
struct Progress {
    answers: Answers<Body>,
    /// The rank's own clock.
    clock: Time,
    phase: Phase,
    /// The MPI function called last.
    call: String,
    /// MPI functions called so far.
    calls: u64,
}

/// [`Waiting`], as it travels.
#[derive(Debug, Serialize, Deserialize)]
struct Explanation {
    rank: Rank,
    call: String,
    peer: Peer,
    details: Vec<(String, String)>,
}

impl From<Waiting> for Explanation {
    fn from(waiting: Waiting) -> Self {
        let Waiting { rank, call, peer, details } = waiting;
        let details = details.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { rank, call, peer, details }
    }
}

impl From<Explanation> for Waiting {
    fn from(explanation: Explanation) -> Self {
        let Explanation { rank, call, peer, details } = explanation;
        // Names are few, and reported once, at the end of a run.
        let details = details.into_iter().map(|(name, value)| (&*name.leak(), value)).collect();
        Self { rank, call, peer, details }
    }
}
