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
    /// Bit reversal with a number of ranks that is not a power of two.
    NoBits {
        /// How many ranks there are.
        ranks: usize,
    },
    /// Transposition with a number of ranks that is not a square.
    NotSquare {
        /// How many ranks there are.
        ranks: usize,
    },
    /// A grid with another number of places than there are ranks.
    GridSize {
        /// Its sizes, x first.
        grid: Vec<u32>,
        /// How many ranks there are.
        ranks: usize,
    },
    /// An icosahedral grid with more regions than can be numbered.
    Rlevel {
        /// How often its diamonds are cut into four.
        rlevel: u32,
        /// How often they can be.
        most: u32,
    },
    /// Regions on a node that are not a square block of a diamond.
    RegionsPerNode {
        /// How often diamonds are cut into four.
        rlevel: u32,
        /// How many regions there are to be on a node.
        regions: u64,
    },
    /// A root that does not exist.
    NoSuchRoot {
        /// The root.
        root: Rank,
        /// How many ranks there are.
        ranks: usize,
    },
    /// A random order of so many ranks that there is no memory for it.
    NoMemory {
        /// How many ranks there are.
        ranks: usize,
    },
    /// 2^64 messages or more.
    TooManyMessages,
    /// All messages together have 2^64 bytes or more.
    TooManyBytes,
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
            Self::NoBits { .. } | Self::NotSquare { .. } => "permutation",
            Self::GridSize { .. } => "grid",
            Self::Rlevel { .. } => "rlevel",
            Self::RegionsPerNode { .. } => "processes_per_node",
            Self::NoSuchRoot { .. } => "root",
            Self::NoMemory { .. } => "ranks",
            Self::TooManyMessages => "messages",
            Self::TooManyBytes => "message_size",
            Self::NoSuchPeer { .. } => "entries",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotPowerOfTwo { .. } => "use simple-spread, which takes any number of ranks",
            Self::NoBits { .. } | Self::NotSquare { .. } => {
                "use shift or random, which take any number of ranks"
            }
            Self::GridSize { .. } => "the product of its sizes must be the number of ranks",
            Self::Rlevel { .. } => "the NICAM pacing paper has rlevel 2 and rlevel 7",
            Self::RegionsPerNode { .. } => "the NICAM pacing paper puts blocks of 2 x 2 on a node: 4",
            Self::NoSuchRoot { .. } | Self::NoSuchPeer { .. } => "ranks are counted from 0",
            Self::NoMemory { .. } => "take fewer ranks",
            Self::TooManyMessages => "all ranks together can send at most 2^64 - 1 messages",
            Self::TooManyBytes => "all messages together can have at most 2^64 - 1 bytes",
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
            Self::NoBits { ranks } => {
                write!(f, "bit-reverse needs a number of ranks that is a power of two, and {ranks} is not")
            }
            Self::NotSquare { ranks } => {
                write!(f, "transpose needs a number of ranks that is a square, and {ranks} is not")
            }
            Self::GridSize { grid, ranks } => {
                let product: u128 = grid.iter().map(|&size| u128::from(size)).fold(1, u128::saturating_mul);
                write!(f, "a grid of {grid:?} has {product} places, but there are {ranks} ranks")
            }
            Self::Rlevel { rlevel, most } => {
                write!(f, "rlevel {rlevel} is too large: it can be at most {most}")
            }
            Self::RegionsPerNode { rlevel, regions } => {
                let most = 1_u64 << (2 * rlevel);
                write!(
                    f,
                    "{regions} regions are no square block of a diamond of {most} (rlevel {rlevel}): a node can have 1, 4, \
                     16, ... up to {most}"
                )
            }
            Self::NoSuchRoot { root, ranks } => {
                write!(f, "there is no rank {root} among {ranks} ranks")
            }
            Self::NoMemory { ranks } => write!(f, "there is no memory for a random order of {ranks} ranks"),
            Self::TooManyMessages => write!(f, "too many messages"),
            Self::TooManyBytes => write!(f, "sizes that overflow: all messages together are too large"),
            Self::NoSuchPeer { rank, entry, peer, ranks } => {
                write!(f, "entry {entry} of rank {rank} names rank {peer}, but there are only {ranks} ranks")
            }
        }
    }
}

impl std::error::Error for WorkloadError {}

/// Whether there is a root of this number.
pub(crate) fn root_of(ranks: usize, root: Rank) -> Result<Rank, WorkloadError> {
    if root.index() < ranks { Ok(root) } else { Err(WorkloadError::NoSuchRoot { root, ranks }) }
}
