//! Broadcast along a binomial tree: counted from the root, a rank receives from the one without its lowest set bit,
//! and passes on to those with one lower bit more, the farthest first.

use super::binomial_tree::BinomialTree;
use super::{Place, Round, Schedule};

pub(super) struct Binomial {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Schedule for Binomial {
    fn rounds(&self) -> usize {
        if self.place.size == 1 { 0 } else { 2 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        let tree = BinomialTree::new(self.place, self.root);
        if index == 0 {
            tree.parent().into_iter().for_each(|parent| round.receive(parent, 0..self.bytes));
        } else {
            tree.children().for_each(|child| round.send(tree.absolute(tree.rank + child), 0..self.bytes));
        }
    }
}
