//! Collectives of one rank: which function, on how much data.

use crate::Combining;

/// A collective of one rank.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Collective {
    /// The function of MPI.
    pub function: Function,
    /// Which rank has a part of its own.
    pub root: Root,
    /// The lengths of its data, in bytes.
    pub lengths: Lengths,
    /// Operation and element, as far as they are known.
    pub combines: Combining,
}

impl Collective {
    /// One of this function, whose root and data are to be filled in.
    pub(crate) fn blank(function: Function) -> Self {
        let root = if function.has_root() { Root::Elsewhere } else { Root::None };
        Self::new(function, root, Lengths::None)
    }

    /// One of which it is not known what it combines, if it does.
    pub fn new(function: Function, root: Root, lengths: Lengths) -> Self {
        Self { function, root, lengths, combines: Combining::default() }
    }
}

/// The root of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
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

/// The functions, their words, and the words of those that go on.
const WORDS: [(Function, &str, &str); 18] = [
    (Function::Barrier, "barrier", "ibarrier"),
    (Function::Bcast, "bcast", "ibcast"),
    (Function::Reduce, "reduce", "ireduce"),
    (Function::Allreduce, "allreduce", "iallreduce"),
    (Function::Gather, "gather", "igather"),
    (Function::Gatherv, "gatherv", "igatherv"),
    (Function::Scatter, "scatter", "iscatter"),
    (Function::Scatterv, "scatterv", "iscatterv"),
    (Function::Allgather, "allgather", "iallgather"),
    (Function::Allgatherv, "allgatherv", "iallgatherv"),
    (Function::Alltoall, "alltoall", "ialltoall"),
    (Function::Alltoallv, "alltoallv", "ialltoallv"),
    (Function::Scan, "scan", "iscan"),
    (Function::Exscan, "exscan", "iexscan"),
    (Function::ReduceScatter, "reduce-scatter", "ireduce-scatter"),
    (Function::Neighbors, "neighbors", "ineighbors"),
    (Function::Split, "split", "isplit"),
    (Function::Merge, "merge", "imerge"),
];

impl Function {
    /// All of them, in the order of their declaration.
    pub const ALL: [Self; 18] = {
        let mut all = [Self::Barrier; 18];
        let mut place = 0;
        while place < all.len() {
            all[place] = WORDS[place].0;
            place += 1;
        }
        all
    };

    /// The word of a call that waits: `allreduce`.
    pub const fn word(self) -> &'static str {
        WORDS[self as usize].1
    }

    /// The word of a call that goes on: `iallreduce`.
    pub const fn word_of_request(self) -> &'static str {
        WORDS[self as usize].2
    }

    /// Returns whether one rank has a part of its own.
    pub const fn has_root(self) -> bool {
        matches!(
            self,
            Self::Bcast | Self::Reduce | Self::Gather | Self::Gatherv | Self::Scatter | Self::Scatterv
        )
    }

    /// Returns whether operands are combined.
    pub const fn combines(self) -> bool {
        matches!(self, Self::Reduce | Self::Allreduce | Self::Scan | Self::Exscan | Self::ReduceScatter)
    }

    /// Returns whether data have a length.
    pub const fn has_data(self) -> bool {
        !matches!(self, Self::Barrier | Self::Split | Self::Merge)
    }

    /// The words of the lists of blocks that it may have.
    pub const fn lists(self) -> &'static [&'static str] {
        match self {
            Self::Gatherv | Self::Scatterv | Self::Allgatherv | Self::ReduceScatter => &["blocks"],
            Self::Alltoallv => &["out", "in"],
            Self::Neighbors => &["list"],
            _ => &[],
        }
    }
}

/// Lengths of the data of a collective, in bytes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
        operands: OperandOrder,
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
        operands: OperandOrder,
    },
    /// The block for each rank and the block from each rank; one number each if all of both are equal.
    Exchange {
        /// The blocks that go.
        out: Box<[u64]>,
        /// The blocks that come.
        into: Box<[u64]>,
    },
    /// Blocks for and from neighbors.
    Neighbors(Box<NeighborBlocks>),
}

/// A collective among neighbors: ranks of the communicator and bytes; `None` for a block beyond an open end.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NeighborBlocks {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum OperandOrder {
    /// They may.
    Commute,
    /// The order of ranks is kept.
    Ordered,
}

impl OperandOrder {
    /// Both orders; files have a word for the second.
    pub const BOTH: [Self; 2] = [Self::Commute, Self::Ordered];
}

/// The lengths of a collective as numbers, in which form files hold them.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LengthCells {
    /// Bytes of all, or of each block; 0 where lists say all.
    pub bytes: u64,
    /// Bytes of an element that is combined; 0: none is.
    pub element: u32,
    /// Their order.
    pub operands: OperandOrder,
    /// Blocks, one list behind the other.
    pub list: Option<Vec<i64>>,
}

impl LengthCells {
    /// Those of a collective.
    pub fn of(lengths: &Lengths) -> Self {
        let numbers = |blocks: &[u64]| blocks.iter().map(|&bytes| bytes.cast_signed()).collect::<Vec<i64>>();
        let mut cells = Self { bytes: 0, element: 0, operands: OperandOrder::Commute, list: None };
        match lengths {
            Lengths::None => {}
            Lengths::Bytes(bytes) => cells.bytes = *bytes,
            Lengths::Elements { bytes, element, operands } => {
                (cells.bytes, cells.element, cells.operands) = (*bytes, *element, *operands);
            }
            Lengths::Blocks(blocks) => cells.list = Some(numbers(blocks)),
            Lengths::Given { bytes, into } => (cells.bytes, cells.list) = (*bytes, Some(numbers(into))),
            Lengths::Combined { blocks, element, operands } => {
                (cells.element, cells.operands, cells.list) = (*element, *operands, Some(numbers(blocks)));
            }
            Lengths::Exchange { out, into } => cells.list = Some([numbers(out), numbers(into)].concat()),
            Lengths::Neighbors(around) => cells.list = Some(around.to_list()),
        }
        cells
    }

    /// The lengths of a collective of this function that these are.
    ///
    /// # Errors
    /// When something is missing, or makes no sense.
    pub fn lengths(self, function: Function) -> Result<Lengths, String> {
        let name = function.word();
        let Self { bytes, element, operands, list } = self;
        let blocks = || {
            let list = list.as_deref().ok_or_else(|| format!("{name} needs a list of blocks"))?;
            let bytes = |&bytes: &i64| u64::try_from(bytes);
            let blocks = list.iter().map(bytes).collect::<Result<Box<[u64]>, _>>();
            blocks.map_err(|_| format!("{name}: a block has less than 0 bytes"))
        };
        Ok(match function {
            Function::Barrier | Function::Split | Function::Merge => Lengths::None,
            Function::Bcast
            | Function::Gather
            | Function::Scatter
            | Function::Allgather
            | Function::Alltoall
            | Function::Scan
            | Function::Exscan => Lengths::Bytes(bytes),
            Function::Reduce | Function::Allreduce => Lengths::Elements { bytes, element, operands },
            Function::Gatherv | Function::Scatterv if list.is_none() => Lengths::Bytes(bytes),
            Function::Allgatherv if bytes > 0 => Lengths::Given { bytes, into: blocks()? },
            Function::Gatherv | Function::Scatterv | Function::Allgatherv => Lengths::Blocks(blocks()?),
            Function::ReduceScatter => Lengths::Combined { blocks: blocks()?, element, operands },
            Function::Alltoallv => {
                let both = blocks()?;
                if both.is_empty() || both.len() % 2 == 1 {
                    return Err(format!("{name} needs as many blocks to send as to receive"));
                }
                let (out, into) = both.split_at(both.len() / 2);
                Lengths::Exchange { out: out.into(), into: into.into() }
            }
            Function::Neighbors => {
                let around = NeighborBlocks::of_list(list.as_deref().unwrap_or_default());
                let around = around.ok_or_else(|| format!("{name}: a list that makes no sense"))?;
                Lengths::Neighbors(Box::new(around))
            }
        })
    }
}

/// In a list: a block beyond an open end has no rank.
const NOBODY: i64 = -1;

impl NeighborBlocks {
    /// Counts and ranks of destinations and sources, the order of arrival, blocks out, blocks in.
    fn to_list(&self) -> Vec<i64> {
        let rank = |rank: &Option<u32>| rank.map_or(NOBODY, i64::from);
        let mut list = vec![self.destinations.len() as i64];
        list.extend(self.destinations.iter().map(rank));
        list.push(self.sources.len() as i64);
        list.extend(self.sources.iter().map(rank));
        list.extend(self.arrival.iter().map(|&place| i64::from(place)));
        list.extend(self.out.iter().chain(&self.into).map(|bytes| bytes.cast_signed()));
        list
    }

    /// Reads a list of [`Self::to_list`].
    fn of_list(list: &[i64]) -> Option<Self> {
        let mut rest = list.iter().copied();
        let mut counted = || -> Option<Vec<i64>> {
            let count = usize::try_from(rest.next()?).ok().filter(|&count| count <= list.len())?;
            let ranks: Vec<i64> = rest.by_ref().take(count).collect();
            (ranks.len() == count).then_some(ranks)
        };
        let (destinations, sources) = (counted()?, counted()?);
        let (there, here) = (destinations.len(), sources.len());
        let arrival =
            rest.by_ref().take(here).map(|place| u32::try_from(place).ok().filter(|&p| (p as usize) < here));
        let arrival = arrival.collect::<Option<Vec<u32>>>()?;
        let bytes = rest.map(|bytes| u64::try_from(bytes).ok()).collect::<Option<Vec<u64>>>()?;
        if arrival.len() != here || bytes.len() != there + here {
            return None;
        }
        let rank = |number: i64| match number {
            NOBODY => Some(None),
            number => u32::try_from(number).ok().map(Some),
        };
        Some(Self {
            destinations: destinations.into_iter().map(rank).collect::<Option<_>>()?,
            sources: sources.into_iter().map(rank).collect::<Option<_>>()?,
            arrival,
            out: bytes[..there].to_vec(),
            into: bytes[there..].to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_stand_in_the_order_of_their_declaration() {
        for (place, (function, ..)) in WORDS.iter().enumerate() {
            assert_eq!(*function as usize, place);
        }
    }
}
