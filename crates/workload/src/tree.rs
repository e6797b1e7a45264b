//! The trees of collective patterns.

use crate::WorkloadError;
use crate::bits::bits_for;
use crate::error::root_of;
use weir_units::Rank;

/// The shape of a tree. Ranks are counted from the root: v = (rank - root) mod N.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// All others are children of the root.
    Flat,
    /// The parent of v is v without its lowest bit; its children are v + 2^j for every j below that bit, as long as there
    /// are such ranks. So the tree below v has the ranks v, v + 1, ... without gaps.
    Binomial,
    /// The child of v is v + 1.
    Chain,
}

/// A tree over all ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    pub(crate) ranks: u32,
    pub(crate) root: Rank,
    pub(crate) shape: Shape,
}

impl Tree {
    /// # Errors
    /// When there is no such root.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub(crate) fn new(ranks: usize, root: Rank, shape: Shape) -> Result<Self, WorkloadError> {
        Ok(Self { ranks: Rank::new(ranks).0, root: root_of(ranks, root)?, shape })
    }

    /// A rank as counted from the root.
    pub(crate) fn relative(self, rank: Rank) -> u32 {
        let (n, v) = (u64::from(self.ranks), u64::from(rank.0) + u64::from(self.ranks));
        ((v - u64::from(self.root.0)) % n) as u32
    }

    /// The other way round.
    pub(crate) fn rank(self, relative: u32) -> Rank {
        let sum = u64::from(relative) + u64::from(self.root.0);
        Rank((sum % u64::from(self.ranks)) as u32)
    }

    pub(crate) fn others(self) -> u64 {
        u64::from(self.ranks - 1)
    }

    pub(crate) fn parent(self, v: u32) -> Option<u32> {
        (v > 0).then(|| match self.shape {
            Shape::Flat => 0,
            Shape::Binomial => v & (v - 1),
            Shape::Chain => v - 1,
        })
    }

    /// Number of children.
    pub(crate) fn children(self, v: u32) -> u64 {
        match self.shape {
            Shape::Flat if v == 0 => self.others(),
            Shape::Flat => 0,
            Shape::Binomial => {
                let below = if v == 0 { 32 } else { v.trailing_zeros() };
                below.min(bits_for(self.ranks - v)).into()
            }
            Shape::Chain => u64::from(v + 1 < self.ranks),
        }
    }

    /// A child by its number from 0: the smallest subtree first.
    pub(crate) fn child(self, v: u32, number: u64) -> u32 {
        match self.shape {
            Shape::Flat => (number + 1) as u32,
            Shape::Binomial => v + (1 << number),
            Shape::Chain => v + 1,
        }
    }

    /// The same with the largest subtree first; children that are alike keep their order.
    pub(crate) fn child_from_largest(self, v: u32, number: u64) -> u32 {
        match self.shape {
            Shape::Binomial => self.child(v, self.children(v) - 1 - number),
            Shape::Flat | Shape::Chain => self.child(v, number),
        }
    }

    /// Size of a binomial tree below this rank, with itself.
    pub(crate) fn size(self, v: u32) -> u32 {
        let whole = if v == 0 { u32::MAX } else { 1 << v.trailing_zeros() };
        whole.min(self.ranks - v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```text
    ///       0
    ///     / | \
    ///    1  2  4
    ///       |  |
    ///       3  5
    /// ```
    #[test]
    fn six_ranks_by_hand() {
        let tree = Tree { ranks: 6, root: Rank(4), shape: Shape::Binomial };
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|v| tree.parent(v)),
            [None, Some(0), Some(0), Some(2), Some(0), Some(4)]
        );
        assert_eq!([0, 1, 2, 3, 4, 5].map(|v| tree.children(v)), [3, 0, 1, 0, 1, 0]);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|v| tree.size(v)), [6, 1, 2, 1, 2, 1]);
        assert_eq!([4, 5, 0, 3].map(|rank| tree.relative(Rank(rank))), [0, 1, 2, 5]);
        assert_eq!([0, 1, 2, 5].map(|v| tree.rank(v).0), [4, 5, 0, 3]);
    }

    #[test]
    fn every_rank_is_the_child_of_its_parent() {
        for ranks in 1..70 {
            let tree = Tree { ranks, root: Rank(0), shape: Shape::Binomial };
            let children = |v| (0..tree.children(v)).map(move |j| tree.child(v, j));
            let mut reached: Vec<u32> = (0..ranks).flat_map(children).collect();
            reached.sort_unstable();
            assert_eq!(reached, (1..ranks).collect::<Vec<_>>());
            for v in 0..ranks {
                assert!(children(v).all(|child| tree.parent(child) == Some(v)));
                assert_eq!(tree.size(v), 1 + children(v).map(|child| tree.size(child)).sum::<u32>());
            }
        }
    }
}
