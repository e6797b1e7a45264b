//! The trees of Open MPI's broadcasts and reductions, by their parents and children, these in the order in which they
//! are served. Shapes and orders are those of Open MPI 4.1 (`coll/base`, topologies: the function is named at each),
//! after Pjesivac-Grbovic et al.: "Performance analysis of MPI collective operations", 2007, section 3. All but the
//! in-order binary tree count ranks from the root.

use super::{MemoryBlocks, Place, Schedule, doublings};
use std::ops::Range;

/// One rank's place in a tree. Ranks are those of the communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) parent: Option<usize>,
    /// In the order in which they are served.
    pub(super) children: Vec<usize>,
}

impl Tree {
    /// A tree of ranks that are counted from the root: rank 0 has no parent.
    fn counted_from(root: usize, size: usize, parent: Option<usize>, children: Vec<usize>) -> Self {
        let absolute = |rank: usize| (rank + root) % size;
        Self { parent: parent.map(absolute), children: children.into_iter().map(absolute).collect() }
    }

    /// The same tree, its children served the other way round.
    pub(super) fn reversed(mut self) -> Self {
        self.children.reverse();
        self
    }

    /// Up to `fan_out` chains that begin at the root and are as long as each other or one shorter, the longer ones first
    /// (`ompi_coll_base_topo_build_chain`). With a fan-out of 1 a pipeline.
    pub(super) fn chains(place: Place, root: usize, fan_out: usize) -> Self {
        let Place { rank, size } = place.relative_to(root);
        let others = size - 1;
        let chains = fan_out.clamp(1, others.max(1));
        let (short, longer) = (others / chains, others % chains);
        if rank == 0 {
            let heads = (0..chains).map(|chain| 1 + chain * short + chain.min(longer));
            return Self::counted_from(root, size, None, heads.filter(|&head| head < size).collect());
        }
        // Where the rank is in its chain, and how long that is.
        let in_longer = longer * (short + 1);
        let (place, length) = if rank <= in_longer {
            ((rank - 1) % (short + 1), short + 1)
        } else {
            ((rank - 1 - in_longer) % short, short)
        };
        let parent = if place == 0 { 0 } else { rank - 1 };
        let child = (place + 1 < length).then_some(rank + 1);
        Self::counted_from(root, size, Some(parent), child.into_iter().collect())
    }

    /// Two children a rank: level after level is filled, and neighbors have different parents. The left half of the tree
    /// has the odd ranks, the right half the even ones (`ompi_coll_base_topo_build_tree` with a fan-out of 2).
    pub(super) fn binary(place: Place, root: usize) -> Self {
        let Place { rank, size } = place.relative_to(root);
        // The ranks of a level are those from 2^level - 1 on, and as many: rank + 1 has `level` as its highest bit.
        let width = |rank: usize| 1 << (rank + 1).ilog2();
        let children = [1, 2].map(|side| rank + side * width(rank)).into_iter();
        let parent = (rank != 0).then(|| {
            let above = width(rank) / 2;
            // One or two widths of the level above back, whichever comes to lie in it.
            if rank - above < 2 * above - 1 { rank - above } else { rank - 2 * above }
        });
        Self::counted_from(root, size, parent, children.filter(|&child| child < size).collect())
    }

    /// A binomial tree in which the parent of a rank is the one without its highest set bit: the root's children are 1, 2,
    /// 4, ..., the nearest first (`ompi_coll_base_topo_build_bmtree`).
    pub(super) fn binomial_by_highest_bit(place: Place, root: usize) -> Self {
        let Place { rank, size } = place.relative_to(root);
        let bits = if rank == 0 { 0 } else { rank.ilog2() as usize + 1 };
        let parent = (rank != 0).then(|| rank ^ (1 << (bits - 1)));
        let children = (bits..doublings(size)).map(|bit| rank + (1 << bit)).filter(|&child| child < size);
        Self::counted_from(root, size, parent, children.collect())
    }

    /// The [`BinomialTree`] with `radix` for 2: the parent of a rank is the one whose lowest digit other than 0 is 0, and children stand in
    /// order of their digit, the highest digit first (`ompi_coll_base_topo_build_kmtree`). The radix is at least 2.
    pub(super) fn knomial(place: Place, root: usize, radix: usize) -> Self {
        let Place { rank, size } = place.relative_to(root);
        let radix = radix.max(2);
        // The weights of the digits that are 0 in this rank, up to the lowest that is not.
        let mut weights = Vec::new();
        let mut weight = 1;
        while weight < size && rank.is_multiple_of(weight * radix) {
            weights.push(weight);
            weight *= radix;
        }
        let parent = (rank != 0).then(|| rank - rank % (weight * radix));
        let children =
            weights.into_iter().rev().flat_map(|weight| (1..radix).map(move |digit| digit * weight));
        let children = children.map(|distance| rank + distance).filter(|&child| child < size);
        Self::counted_from(root, size, parent, children.collect())
    }

    /// A binary tree whose root is the last rank. The ranks below the root of a subtree are cut in two: the lower half, its size
    /// half of the subtree's rounded down, is below the right child, the rest below the left, which is the next rank. So a
    /// rank stands behind all that are below it (`ompi_coll_base_topo_build_in_order_bintree`).
    pub(super) fn binary_in_order(place: Place) -> Self {
        let (mut first, mut count, mut parent) = (0, place.size, None);
        loop {
            // Of two ranks the lower one is the left child.
            let right = if count == 2 { 0 } else { count / 2 };
            let left = count - 1 - right;
            let top = first + count - 1;
            if place.rank == top {
                let left = (left > 0).then(|| top - 1);
                let right = (right > 0).then(|| first + right - 1);
                return Self { parent, children: left.into_iter().chain(right).collect() };
            }
            parent = Some(top);
            (first, count) = if place.rank < first + right { (first, right) } else { (first + right, left) };
        }
    }
}

/// The binomial tree that broadcast, reduction, gather and scatter share: ranks are counted from the root, and the parent of a rank is the one
/// without its lowest set bit, so that subtrees are consecutive ranks (`ompi_coll_base_topo_build_in_order_bmtree`).
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

    /// The rank's place in it, the farthest child first.
    pub(super) fn tree(self) -> Tree {
        let children = self.children().map(|distance| self.absolute(self.rank + distance)).collect();
        Tree { parent: self.parent(), children }
    }

    /// The rank in the communicator of one counted from the root.
    pub(super) fn absolute(self, rank: usize) -> usize {
        (rank + self.root) % self.size
    }

    /// Number of bits below the lowest set one: child number k is the rank with bit k set as well. The root has all.
    fn lower_bits(self) -> usize {
        if self.rank == 0 { doublings(self.size) } else { self.rank.trailing_zeros() as usize }
    }

    /// The rank in the communicator of the parent; none for the root.
    fn parent(self) -> Option<usize> {
        (self.rank != 0).then(|| self.absolute(self.rank & (self.rank - 1)))
    }

    /// Distances of the children, the farthest first.
    pub(super) fn children(self) -> impl Iterator<Item = usize> {
        (0..self.lower_bits())
            .rev()
            .map(|bit| 1 << bit)
            .filter(move |distance| self.rank + distance < self.size)
    }

    /// Down the tree: a rank receives from its parent, and passes on to its children, the farthest first: one round for each, because what is
    /// sent in one round by rendezvous goes in the order in which it is cleared. `part`: of the ranks of a subtree, by its first and their
    /// number, counted from the root.
    pub(super) fn downwards(
        self,
        part: impl Fn(usize, usize) -> Range<usize> + Send + Sync + 'static,
    ) -> Schedule {
        Schedule::new(1 + self.children().count(), move |index, round| {
            let distance = index.checked_sub(1).and_then(|number| self.children().nth(number));
            if let Some(distance) = distance {
                let child = self.rank + distance;
                round.send(self.absolute(child), part(child, self.behind(distance)));
            } else if let Some(parent) = self.parent() {
                round.receive(parent, part(self.rank, self.subtree()));
            }
        })
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

#[cfg(test)]
mod tests;
