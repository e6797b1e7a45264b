//! Gathers.

use super::Plan;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::binomial_tree::BinomialTree;
use crate::collective::blocks::Blocks;
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Choice, Gather};
use crate::collective::selection::Situation;
use crate::collective::{Place, gather_binomial, gather_flat, gather_linear, gather_linear_sync};
use std::rc::Rc;

impl Plan {
    /// A block of each goes to the root.
    #[must_use]
    pub fn gather(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        match choice.gather {
            Gather::Flat => {
                let blocks = Blocks::Even { count: place.size, bytes };
                let arguments = Arguments::rooted(root, Lengths::Bytes(bytes));
                Self { arguments, ..Self::gatherv(place, root, blocks) }
            }
            Gather::Linear => {
                let blocks = Blocks::Even { count: place.size, bytes };
                Self {
                    arguments: Arguments::rooted(root, Lengths::Bytes(bytes)),
                    schedule: Rc::new(gather_linear::Linear { place, root, bytes }),
                    ..Self::gatherv(place, root, blocks)
                }
            }
            Gather::LinearSync => {
                let blocks = Blocks::Even { count: place.size, bytes };
                let first = choice.parameters.gather.segment().unwrap_or(gather_linear_sync::FIRST_SEGMENT);
                Self {
                    arguments: Arguments::rooted(root, Lengths::Bytes(bytes)),
                    schedule: Rc::new(gather_linear_sync::LinearSync { place, root, bytes, first }),
                    ..Self::gatherv(place, root, blocks)
                }
            }
            Gather::Auto => {
                let call = Situation::moving(place.size, place.size * bytes);
                Self::gather(&choice.decided::<Gather>(&call), place, root, bytes)
            }
            Gather::Binomial => {
                let all = place.size * bytes;
                let at_root = place.rank == root;
                let through = BinomialTree::new(place, root).subtree() * bytes;
                let (workspace, result) = match (at_root, root) {
                    (false, _) => (through, 0..0),
                    // Counted from rank 0 the blocks are in rank order already.
                    (true, 0) => (all, 0..all),
                    (true, _) => (2 * all, all..2 * all),
                };
                let schedule = Rc::new(gather_binomial::Binomial { place, root, bytes });
                Self {
                    call: Call::with_root(Function::Gather, root),
                    arguments: Arguments::rooted(root, Lengths::Bytes(bytes)),
                    schedule,
                    workspace,
                    input: 0..bytes,
                    result,
                }
            }
        }
    }

    /// A block of each, of its own length, goes to the root (always flat: only the root knows all lengths).
    #[must_use]
    pub fn gatherv(place: Place, root: usize, blocks: Blocks) -> Self {
        let own = blocks.range(place.rank);
        let (workspace, input, result) = if place.rank == root {
            (blocks.total(), own, 0..blocks.total())
        } else {
            (own.len(), 0..own.len(), 0..0)
        };
        Self {
            call: Call::with_root(Function::Gather, root),
            arguments: Arguments::rooted(root, Lengths::Blocks(blocks.clone())),
            schedule: Rc::new(gather_flat::Flat { place, root, blocks }),
            workspace,
            input,
            result,
        }
    }
}
