//! Scatters.

use super::binomial_tree::BinomialTree;
use super::choice::{Choice, Scatter};
use super::selection::Situation;
use super::{Arguments, Blocks, Call, Function, Lengths, Place, Plan, Schedule, gather};

impl Plan {
    /// A block goes from the root to each. A broadcast that brings every rank all blocks bounds what a scatter may take
    /// (Träff, Gropp, Thakur: "Self-consistent MPI performance guidelines", 2010): that is `use-bcast`.
    #[must_use]
    pub fn scatter(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        let arguments = Arguments::rooted(root, Lengths::Bytes(bytes));
        let call = Call::with_root(Function::Scatter, root);
        let flat = || Self::scatterv(place, root, Blocks::Even { count: place.size, bytes });
        match choice.scatter {
            Scatter::Auto => {
                let call = Situation::moving(place.size, place.size * bytes);
                Self::scatter(&choice.decided::<Scatter>(&call), place, root, bytes)
            }
            Scatter::Flat => Self { arguments, ..flat() },
            Scatter::Linear => {
                let schedule = gather::linear(place, root, bytes).backwards();
                Self { arguments, schedule, ..flat() }
            }
            Scatter::UseBcast => {
                let result = place.rank * bytes..(place.rank + 1) * bytes;
                Self { call, arguments, result, ..Self::bcast(choice, place, root, place.size * bytes) }
            }
            Scatter::Binomial => {
                let schedule = binomial(place, root, bytes);
                let (workspace, input) = BinomialTree::new(place, root).workspace(bytes);
                Self { call, arguments, schedule, workspace, input, result: 0..bytes }
            }
        }
    }

    /// A block, each of its own length, goes from the root to each (always flat: only the root knows all lengths).
    #[must_use]
    pub fn scatterv(place: Place, root: usize, blocks: Blocks) -> Self {
        Self::gatherv(place, root, blocks).backwards(Call::with_root(Function::Scatter, root))
    }
}

/// Scatter along a binomial tree: the way of the binomial gather backwards. Counted from the root, a rank receives the blocks of its subtree
/// and hands on those of its children, the largest subtree first, in a round each. Workspace: blocks counted from the own on; at a root that
/// is not rank 0 then all blocks in rank order, where they come from.
fn binomial(place: Place, root: usize, bytes: usize) -> Schedule {
    let tree = BinomialTree::new(place, root);
    let schedule = Schedule::new(tree.rounds_downwards(), move |index, round| {
        if let Some(child) = tree.child_of_round(index) {
            let blocks = child..child + tree.behind(child);
            round.send(tree.absolute(tree.rank + child), blocks.start * bytes..blocks.end * bytes);
        } else if let Some(parent) = tree.parent() {
            round.receive(parent, 0..tree.subtree() * bytes);
        } else if root > 0 {
            let (all, turn) = (tree.size * bytes, (tree.size - root) * bytes);
            round.copy(all + root * bytes..2 * all, 0);
            round.copy(all..all + root * bytes, turn);
        }
    });
    schedule.with_memory(tree.on_their_way(bytes))
}
