//! Why a pattern cannot be built.

use std::fmt;
use weir_units::Rank;

/// One thing that is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkloadError {
    /// Pairwise all-to-all with a number of ranks that is not a power of two.
    NotPowerOfTwo {
        /// How many ranks there are.
        ranks: usize,
    },
    /// An entry that names a rank that does not exist.
    NoSuchPeer {
        /// Whose entry it is.
        rank: Rank,
        /// Which of the rank's entries, from zero.
        entry: usize,
        /// The rank it names.
        peer: Rank,
        /// How many ranks there are.
        ranks: usize,
    },
}

impl WorkloadError {
    /// Which key of the description is wrong.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::NotPowerOfTwo { .. } => "algorithm",
            Self::NoSuchPeer { .. } => "entries",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotPowerOfTwo { .. } => "use simple-spread, which takes any number of ranks",
            Self::NoSuchPeer { .. } => "ranks are counted from 0",
        }
    }
}

impl fmt::Display for WorkloadError {
    /// What is wrong, without key and hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPowerOfTwo { ranks } => {
                write!(f, "pairwise needs a number of ranks that is a power of two, and {ranks} is not")
            }
            Self::NoSuchPeer { rank, entry, peer, ranks } => {
                write!(f, "entry {entry} of rank {rank} names rank {peer}, but there are only {ranks} ranks")
            }
        }
    }
}

impl std::error::Error for WorkloadError {}
