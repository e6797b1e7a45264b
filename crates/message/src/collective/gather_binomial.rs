//! Gather along a binomial tree: counted from the root, in round k a rank whose bit k is set hands the blocks of its
//! subtree, which are those of consecutive ranks, to the one without that bit. Workspace: blocks counted from the
//! root on, beginning with the own; at a root other than rank 0 then all blocks in rank order.

use super::binomial_tree::BinomialTree;
use super::{MemoryBlocks, Place, Round, Schedule};

pub(super) struct Binomial {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Schedule for Binomial {
    fn rounds(&self) -> usize {
        BinomialTree::new(self.place, self.root).rounds_upwards()
    }

    fn round(&self, index: usize, round: &mut Round) {
        let tree = BinomialTree::new(self.place, self.root);
        let bit = 1 << index;
        if tree.rank & bit != 0 {
            round.send(tree.absolute(tree.rank - bit), 0..tree.subtree() * self.bytes);
        } else if tree.rank + bit < tree.size {
            let blocks = bit..bit + tree.behind(bit);
            round.receive(tree.absolute(tree.rank + bit), blocks.start * self.bytes..blocks.end * self.bytes);
        }
        // Counted from another root than 0 the blocks stand as root, root + 1, ..., 0, 1, ...: turn them, behind.
        if self.place.rank == self.root && self.root != 0 && index + 1 == self.rounds() {
            let (all, turn) = (tree.size * self.bytes, (tree.size - self.root) * self.bytes);
            round.copy(turn..all, all);
            round.copy(0..turn, all + self.root * self.bytes);
        }
    }

    fn blocks(&self) -> Option<MemoryBlocks> {
        Some(BinomialTree::new(self.place, self.root).on_their_way(self.bytes))
    }
}
