//! Scatters.

use super::Plan;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::backwards::Backwards;
use crate::collective::binomial_tree::BinomialTree;
use crate::collective::blocks::Blocks;
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Choice, Scatter};
use crate::collective::selection::Situation;
use crate::collective::{Place, gather_flat, gather_linear, scatter_binomial};
use std::rc::Rc;

impl Plan {
    /// A block goes from the root to each. A broadcast that brings every rank all blocks bounds what a scatter may take
    /// (Träff, Gropp, Thakur: "Self-consistent MPI performance guidelines", 2010): that is `use-bcast`.
    #[must_use]
    pub fn scatter(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        match choice.scatter {
            Scatter::Flat => {
                let blocks = Blocks::Even { count: place.size, bytes };
                let arguments = Arguments::rooted(root, Lengths::Bytes(bytes));
                Self { arguments, ..Self::scatterv(place, root, blocks) }
            }
            Scatter::Linear => {
                let blocks = Blocks::Even { count: place.size, bytes };
                Self {
                    arguments: Arguments::rooted(root, Lengths::Bytes(bytes)),
                    schedule: Rc::new(Backwards(gather_linear::Linear { place, root, bytes })),
                    ..Self::scatterv(place, root, blocks)
                }
            }
            Scatter::UseBcast => Self {
                call: Call::with_root(Function::Scatter, root),
                arguments: Arguments::rooted(root, Lengths::Bytes(bytes)),
                result: place.rank * bytes..(place.rank + 1) * bytes,
                ..Self::bcast(choice, place, root, place.size * bytes)
            },
            Scatter::Auto => {
                let call = Situation::moving(place.size, place.size * bytes);
                Self::scatter(&choice.decided::<Scatter>(&call), place, root, bytes)
            }
            Scatter::Binomial => {
                let all = place.size * bytes;
                let (workspace, input) = match (place.rank == root, root) {
                    (false, _) => (BinomialTree::new(place, root).subtree() * bytes, 0..0),
                    // Counted from rank 0 the blocks are in rank order already.
                    (true, 0) => (all, 0..all),
                    (true, _) => (2 * all, all..2 * all),
                };
                let schedule = Rc::new(scatter_binomial::Binomial { place, root, bytes });
                Self {
                    call: Call::with_root(Function::Scatter, root),
                    arguments: Arguments::rooted(root, Lengths::Bytes(bytes)),
                    schedule,
                    workspace,
                    input,
                    result: 0..bytes,
                }
            }
        }
    }

    /// A block, each of its own length, goes from the root to each (always flat: only the root knows all lengths).
    #[must_use]
    pub fn scatterv(place: Place, root: usize, blocks: Blocks) -> Self {
        let own = blocks.range(place.rank);
        let (workspace, input, result) = if place.rank == root {
            (blocks.total(), 0..blocks.total(), own)
        } else {
            (own.len(), 0..0, 0..own.len())
        };
        Self {
            call: Call::with_root(Function::Scatter, root),
            arguments: Arguments::rooted(root, Lengths::Blocks(blocks.clone())),
            schedule: Rc::new(Backwards(gather_flat::Flat { place, root, blocks })),
            workspace,
            input,
            result,
        }
    }
}
