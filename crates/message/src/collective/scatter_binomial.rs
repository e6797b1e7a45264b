//! Scatter along a binomial tree: the way of the binomial gather backwards. Counted from the root, a rank receives
//! the blocks of its subtree and hands on those of its children, the largest subtree first, in a round each. Workspace:
//! blocks counted from the own on; at a root that is not rank 0 then all blocks in rank order, where they come from.

use super::binomial_tree::BinomialTree;
use super::{MemoryBlocks, Place, Round, Schedule};

pub(super) struct Binomial {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Schedule for Binomial {
    fn rounds(&self) -> usize {
        BinomialTree::new(self.place, self.root).rounds_downwards()
    }

    fn round(&self, index: usize, round: &mut Round) {
        let tree = BinomialTree::new(self.place, self.root);
        if let Some(child) = tree.child_of_round(index) {
            let blocks = child..child + tree.behind(child);
            let bytes = blocks.start * self.bytes..blocks.end * self.bytes;
            round.send(tree.absolute(tree.rank + child), bytes);
        } else if let Some(parent) = tree.parent() {
            round.receive(parent, 0..tree.subtree() * self.bytes);
        } else if self.root > 0 {
            let (all, turn) = (tree.size * self.bytes, (tree.size - self.root) * self.bytes);
            round.copy(all + self.root * self.bytes..2 * all, 0);
            round.copy(all..all + self.root * self.bytes, turn);
        }
    }

    fn blocks(&self) -> Option<MemoryBlocks> {
        Some(BinomialTree::new(self.place, self.root).on_their_way(self.bytes))
    }
}
