//! The binomial tree that broadcast, reduction, gather and scatter share: ranks are counted from the root, and the
//! parent of a rank is the one without its lowest set bit.

use super::{MemoryBlocks, Place, doublings};
use std::ops::Range;

#[derive(Clone, Copy)]
pub(super) struct BinomialTree {
    /// The rank, counted from the root.
    pub(super) rank: usize,
    pub(super) size: usize,
    root: usize,
}

impl BinomialTree {
    pub(super) fn new(place: Place, root: usize) -> Self {
        let Place { rank, size } = place.relative_to(root);
        Self { rank, size, root }
    }

    /// The rank in the communicator of one counted from the root.
    pub(super) fn absolute(self, rank: usize) -> usize {
        (rank + self.root) % self.size
    }

    /// Number of bits below the lowest set one: child number k is the rank with bit k set as well. The root has all.
    pub(super) fn lower_bits(self) -> usize {
        if self.rank == 0 { doublings(self.size) } else { self.rank.trailing_zeros() as usize }
    }

    /// The rank in the communicator of the parent; none for the root.
    pub(super) fn parent(self) -> Option<usize> {
        (self.rank != 0).then(|| self.absolute(self.rank & (self.rank - 1)))
    }

    /// Distances of the children, the farthest first.
    pub(super) fn children(self) -> impl Iterator<Item = usize> {
        (0..self.lower_bits())
            .rev()
            .map(|bit| 1 << bit)
            .filter(move |distance| self.rank + distance < self.size)
    }

    /// Rounds of an algorithm that goes down the tree: one to receive (the root has nothing to wait for), and one for each
    /// child.
    pub(super) fn rounds_downwards(self) -> usize {
        1 + self.children().count()
    }

    /// Distance of the child to which such an algorithm sends in this round; none in the round that receives.
    pub(super) fn child_of_round(self, index: usize) -> Option<usize> {
        self.children().nth(index.checked_sub(1)?)
    }

    /// Rounds of an algorithm that goes up the tree one bit a round: up to the one in which this rank hands over.
    pub(super) fn rounds_upwards(self) -> usize {
        self.lower_bits() + usize::from(self.rank != 0)
    }

    /// Number of ranks of the tree at this distance and beyond, up to as far again: those of the child there.
    pub(super) fn behind(self, distance: usize) -> usize {
        distance.min(self.size - self.rank - distance)
    }

    /// Number of ranks in the subtree of this rank, itself included: they are consecutive.
    pub(super) fn subtree(self) -> usize {
        (1 << self.lower_bits()).min(self.size - self.rank)
    }

    /// Bytes of the workspace of a gather or scatter along the tree, and where the root has all blocks in rank order: counted from rank 0 they
    /// are in it already, else they lie behind.
    pub(super) fn workspace(self, bytes: usize) -> (usize, Range<usize>) {
        let all = self.size * bytes;
        match (self.rank, self.root) {
            (0, 0) => (all, 0..all),
            (0, _) => (2 * all, all..2 * all),
            _ => (self.subtree() * bytes, 0..0),
        }
    }

    /// Memory for the blocks of a subtree, `bytes` each, that come to a rank and go on, and at a root that is not rank 0 for turning those of
    /// all (Open MPI 4.1 `coll/base`, `tempbuf`).
    pub(super) fn on_their_way(self, bytes: usize) -> MemoryBlocks {
        let of_root = if self.root == 0 { 0 } else { self.size };
        let blocks = match (self.rank, self.children().next()) {
            (0, _) => of_root,
            (_, Some(_)) => self.subtree(),
            (_, None) => 0,
        };
        [blocks * bytes, 0, 0]
    }
}
