//! Reduction along a binomial tree: in round k a rank whose bit k is set hands its partial result to the one without
//! it. Counted from rank 0 a partial result covers consecutive ranks, so the order of operands is kept; for a root
//! other than 0 ranks are counted from the root, which only operations that commute allow (`Plan::reduce` sees to
//! it). Workspace: the partial result, then room for the one that comes.

use super::binomial_tree::BinomialTree;
use super::{MemoryBlocks, Place, Round, Schedule, Side};

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
            round.send(tree.absolute(tree.rank - bit), 0..self.bytes);
        } else if tree.rank + bit < tree.size {
            round.receive(tree.absolute(tree.rank + bit), self.bytes..2 * self.bytes);
            round.reduce(self.bytes..2 * self.bytes, 0, Side::Right);
        }
    }

    /// What is combined, where it is not the result, and two rooms for what comes, of which one child needs one (Open MPI 4.1,
    /// `ompi_coll_base_reduce_generic`: `accumbuf` and `inbuf`).
    fn blocks(&self) -> Option<MemoryBlocks> {
        let tree = BinomialTree::new(self.place, self.root);
        let children = tree.children().count();
        let needed = |is_needed: bool| if is_needed { self.bytes } else { 0 };
        Some([needed(tree.rank > 0 && children > 0), needed(children > 0), needed(children > 1)])
    }
}
