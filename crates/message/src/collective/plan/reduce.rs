//! Reductions to a root.

use super::Plan;
use crate::collective::arguments::{Arguments, Commutes, Lengths};
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Choice, Reduce};
use crate::collective::hand_over::HandOver;
use crate::collective::sequence::Sequence;
use crate::collective::{Place, Schedule, auto, reduce_binomial, reduce_flat, reduce_rabenseifner};
use std::rc::Rc;

impl Plan {
    /// The data of all, `elements` of `extent` bytes each, are combined at the root.
    #[must_use]
    pub fn reduce(
        choice: &Choice,
        place: Place,
        root: usize,
        elements: usize,
        extent: usize,
        commutes: Commutes,
    ) -> Self {
        let bytes = elements * extent;
        let result = if place.rank == root { 0..bytes } else { 0..0 };
        let (schedule, workspace): (Rc<dyn Schedule>, usize) = match (choice.reduce, commutes) {
            (Reduce::Auto, _) => {
                let reduce = auto::reduce(place.size, elements, bytes, commutes);
                let choice = Choice { reduce, ..*choice };
                return Self::reduce(&choice, place, root, elements, extent, commutes);
            }
            (Reduce::Rabenseifner, _) => {
                let rabenseifner = reduce_rabenseifner::Rabenseifner::new(place, root, elements, extent);
                (Rc::new(rabenseifner), 2 * bytes)
            }
            (Reduce::Flat, _) => {
                let operands = if place.rank == root { place.size + 1 } else { 1 };
                (Rc::new(reduce_flat::Flat { place, root, bytes }), operands * bytes)
            }
            (Reduce::Binomial, Commutes::Yes) => {
                (Rc::new(reduce_binomial::Binomial { place, root, bytes }), 2 * bytes)
            }
            (Reduce::Binomial, Commutes::No) => {
                // Operands keep their order only in a tree rooted at rank 0; the result then goes to the root.
                let tree = Rc::new(reduce_binomial::Binomial { place, root: 0, bytes });
                let hand_over = Rc::new(HandOver { rank: place.rank, from: 0, to: root, bytes });
                (Rc::new(Sequence(tree, hand_over)), 2 * bytes)
            }
        };
        let call = Call::with_root(Function::Reduce, root);
        let arguments = Arguments::rooted(root, Lengths::Elements { elements, extent, commutes });
        Self { call, arguments, schedule, workspace, input: 0..bytes, result }
    }
}
