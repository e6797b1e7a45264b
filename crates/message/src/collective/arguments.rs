//! What a collective was asked for: enough to plan it anew.

use super::blocks::Blocks;
use crate::Neighbours;

/// The arguments of a collective, as far as its messages depend on them.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The root; 0 if there is none.
    pub root: usize,
    /// How long the data are.
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

/// How long the data of a collective are.
#[derive(Clone, Debug)]
pub enum Lengths {
    /// There are none.
    None,
    /// Colour and key of each rank, for making communicators: always by Bruck's algorithm.
    Split,
    /// So many bytes: of all (broadcast, scans), or of each block.
    Bytes(usize),
    /// Elements that are combined.
    Elements {
        /// The number of elements.
        elements: usize,
        /// Bytes of each.
        extent: usize,
        /// Whether operands may change places.
        commutes: Commutes,
    },
    /// A block of its own length for each rank; where only the root knows them, others know their own.
    Blocks(Blocks),
    /// Elements that are combined, of which each rank gets a block.
    Combined {
        /// The blocks.
        blocks: Blocks,
        /// Bytes of an element.
        extent: usize,
        /// Whether operands may change places.
        commutes: Commutes,
    },
    /// Blocks to and from each rank.
    Exchange {
        /// What goes.
        out: Blocks,
        /// What comes.
        into: Blocks,
    },
    /// Of an intercommunicator: what one rank gives and gets.
    Between(Between),
    /// Blocks to and from neighbours.
    Neighbours {
        /// Who they are.
        neighbours: Neighbours,
        /// What goes.
        out: Blocks,
        /// What comes.
        into: Blocks,
    },
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

/// Whether the operands of a reduction may change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commutes {
    /// They may.
    Yes,
    /// The order of ranks is kept.
    No,
}
