//! Calls of the ranks of a program.

use weir_units::{Bytes, Duration, Rank, Time};

/// A call of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The rank that calls, in `MPI_COMM_WORLD`.
    pub rank: Rank,
    /// The function.
    pub name: &'static str,
    /// Instant at which it began, by the rank's own clock.
    pub start: Time,
    /// Instant at which it was over, and the time in which the rank had nothing to do meanwhile. `None`: it was not over when the run
    /// ended.
    pub end: Option<(Time, Duration)>,
    /// The rank of the world on the other side, if there is just one.
    pub peer: Option<Rank>,
    /// The tag, if there is just one.
    pub tag: Option<i32>,
    /// Bytes of the messages that it has sent.
    pub sent: Bytes,
    /// Bytes of the messages of the requests that it has ended.
    pub received: Bytes,
}
