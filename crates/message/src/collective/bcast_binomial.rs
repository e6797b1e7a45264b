//! Broadcast along a binomial tree: counted from the root, a rank receives from the one without its lowest set bit,
//! and passes on to those with one lower bit more, the farthest first: one round for each, because what is sent in one
//! round by rendezvous goes in the order in which it is cleared.

use super::binomial_tree::BinomialTree;
use super::{Place, Round, Schedule};

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
            round.send(tree.absolute(tree.rank + child), 0..self.bytes);
        } else if let Some(parent) = tree.parent() {
            round.receive(parent, 0..self.bytes);
        }
    }
}
