//! The binomial tree of collective patterns.

use crate::bits::bits_for;
use weir_units::Rank;

/// A binomial tree over all ranks. Ranks are counted from the root: v = (rank - root) mod N. The parent of v is v
/// without its lowest bit; its children are v + 2^j for every j below that bit, as long as there are such ranks. So the
/// tree below v has the ranks v, v + 1, ... without gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    pub(crate) ranks: u32,
    pub(crate) root: Rank,
}

impl Tree {
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

    /// The parent of a rank counted from the root, which has none.
    pub(crate) fn parent(self, v: u32) -> Option<u32> {
        (v > 0).then(|| v & (v - 1))
    }

    /// How many children a rank counted from the root has; the one with number j is v + 2^j.
    pub(crate) fn children(self, v: u32) -> u32 {
        let below = if v == 0 { 32 } else { v.trailing_zeros() };
        below.min(bits_for(self.ranks - v))
    }

    /// How many ranks the tree below this one has, itself among them.
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
        let tree = Tree { ranks: 6, root: Rank(4) };
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
            let tree = Tree { ranks, root: Rank(0) };
            let children = |v| (0..tree.children(v)).map(move |j| v + (1 << j));
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
