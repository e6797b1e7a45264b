//! Arguments of collectives: enough to plan them anew.

use super::blocks::Blocks;
use crate::Neighbours;

/// The arguments of a collective, as far as its messages depend on them.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The root; 0 if there is none.
    pub root: usize,
    /// Lengths of the data.
    pub lengths: Lengths,
}

impl Arguments {
    /// Those of a collective without a root.
    pub(super) const fn new(lengths: Lengths) -> Self {
        Self { root: 0, lengths }
    }

    /// Those of a collective with a root.
    pub(super) const fn rooted(root: usize, lengths: Lengths) -> Self {
        Self { root, lengths }
    }
}

/// Lengths of the data of a collective. `elements` have `extent` bytes each; `out` are blocks that are sent, `into` those that are received.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // as the arguments of the functions of `Plan`
pub enum Lengths {
    /// There are none.
    None,
    /// Color and key of each rank, for making communicators: always by Bruck's algorithm.
    Split,
    /// Bytes of all (broadcast, scans), or of each block.
    Bytes(usize),
    /// Elements that are combined.
    Elements { elements: usize, extent: usize, commutes: Commutes },
    /// A block of its own length for each rank; where only the root knows them, others know their own.
    Blocks(Blocks),
    /// Elements that are combined, of which each rank gets a block.
    Combined { blocks: Blocks, extent: usize, commutes: Commutes },
    /// Blocks to and from each rank.
    Exchange { out: Blocks, into: Blocks },
    /// Data that one rank of an intercommunicator gives and gets.
    Between(Between),
    /// Blocks to and from neighbors.
    Neighbours { neighbours: Neighbours, out: Blocks, into: Blocks },
}

/// The arguments of a collective between two groups.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // as those of the functions of `Sides`
pub enum Between {
    Bcast { root: Root, bytes: usize },
    Gather { root: Root, blocks: Blocks },
    Scatter { root: Root, blocks: Blocks },
    Allgather { bytes: usize, into: Blocks },
    Alltoall { out: Blocks, into: Blocks },
    Reduce { root: Root, elements: usize, extent: usize, commutes: Commutes },
    Allreduce { elements: usize, extent: usize, commutes: Commutes },
    ReduceScatter { blocks: Blocks, extent: usize, commutes: Commutes },
}

/// Where data between two groups begin or end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// At this rank (`MPI_ROOT`).
    Here,
    /// At another rank of this rank's group, which takes no part (`MPI_PROC_NULL`).
    Local,
    /// At a rank of the other group.
    Remote(usize),
}

/// Commutativity of a reduction: permission for its operands to change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commutes {
    /// They may.
    Yes,
    /// The order of ranks is kept.
    No,
}
