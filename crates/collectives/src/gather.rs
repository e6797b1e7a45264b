//! Gathers and scatters. The workspace of those by the root alone has all blocks in rank order at the root, and elsewhere the own block.

use super::choice::{Choice, Gather, Scatter};
use super::plan::rooted;
use super::schedule::shifted;
use super::selection::Situation;
use super::tree::BinomialTree;
use super::{Blocks, Call, Place, Plan, Schedule};
use weir_operations::{Function, Lengths};

/// Bytes of the first segment of a gather that asks, as Open MPI has it for small blocks (`coll/tuned`, fixed decisions).
const FIRST_SEGMENT: usize = 1024;

impl Plan {
    /// A block of each goes to the root.
    pub fn gather(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        let collective = rooted(Function::Gather, root, Lengths::Bytes(bytes as u64));
        let blocks = Blocks::Even { count: place.size, bytes };
        let schedule = match choice.gather {
            Gather::Auto => {
                let call = Situation::moving(place.size, place.size * bytes);
                return Self::gather(&choice.decided::<Gather>(&call), place, root, bytes);
            }
            Gather::Flat => flat(place, root, blocks.clone()),
            Gather::Linear => linear(place, root, bytes),
            Gather::LinearSync => {
                let first = choice.parameters.gather.segment().unwrap_or(FIRST_SEGMENT);
                linear_sync(place, root, bytes, first)
            }
            Gather::Binomial => {
                let (schedule, call) =
                    (binomial(place, root, bytes), Call::with_root(Function::Gather, root));
                let (workspace, result) = BinomialTree::new(place, root).workspace(bytes);
                return Self { call, collective, schedule, workspace, input: 0..bytes, result };
            }
        };
        Self { collective, schedule, ..Self::gatherv(place, root, blocks) }
    }

    /// A block of each, of its own length, goes to the root (always flat: only the root knows all lengths).
    pub fn gatherv(place: Place, root: usize, blocks: Blocks) -> Self {
        let (own, total) = (blocks.range(place.rank), blocks.total());
        let call = Call::with_root(Function::Gather, root);
        let collective = rooted(Function::Gatherv, root, blocks.known(place.rank == root, place.rank));
        let schedule = flat(place, root, blocks);
        match place.rank == root {
            true => Self { call, collective, schedule, workspace: total, input: own, result: 0..total },
            false => Self::giving(call, collective, schedule, own.len()),
        }
    }

    /// A block goes from the root to each. A broadcast that brings every rank all blocks bounds what a scatter may take
    /// (Träff, Gropp, Thakur: "Self-consistent MPI performance guidelines", 2010): that is `use-bcast`.
    pub fn scatter(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        let collective = rooted(Function::Scatter, root, Lengths::Bytes(bytes as u64));
        let call = Call::with_root(Function::Scatter, root);
        let flat = || Self::scatterv(place, root, Blocks::Even { count: place.size, bytes });
        match choice.scatter {
            Scatter::Auto => {
                let call = Situation::moving(place.size, place.size * bytes);
                Self::scatter(&choice.decided::<Scatter>(&call), place, root, bytes)
            }
            Scatter::Flat => Self { collective, ..flat() },
            Scatter::Linear => {
                let schedule = linear(place, root, bytes).backwards();
                Self { collective, schedule, ..flat() }
            }
            Scatter::UseBcast => {
                let result = place.rank * bytes..(place.rank + 1) * bytes;
                Self { call, collective, result, ..Self::bcast(choice, place, root, place.size * bytes) }
            }
            Scatter::Binomial => {
                let schedule = scatter_binomial(place, root, bytes);
                let (workspace, input) = BinomialTree::new(place, root).workspace(bytes);
                Self { call, collective, schedule, workspace, input, result: 0..bytes }
            }
        }
    }

    /// A block, each of its own length, goes from the root to each (always flat: only the root knows all lengths).
    pub fn scatterv(place: Place, root: usize, blocks: Blocks) -> Self {
        let known = blocks.known(place.rank == root, place.rank);
        let collective = rooted(Function::Scatterv, root, known);
        let gather = Self::gatherv(place, root, blocks);
        Self { collective, ..gather.backwards(Call::with_root(Function::Scatter, root)) }
    }
}

/// Gather by the root alone: one message from each whose block is not empty.
fn flat(place: Place, root: usize, blocks: Blocks) -> Schedule {
    Schedule::new(1, move |_, round| {
        let others = (0..place.size).filter(|&rank| rank != root && blocks.length(rank) > 0);
        if place.rank == root {
            others.for_each(|rank| round.receive(rank, blocks.range(rank)));
        } else if blocks.length(place.rank) > 0 {
            round.send(root, 0..blocks.length(place.rank));
        }
    })
}

/// Gather by the root alone, one message after the other, in rank order (Open MPI 4.1 `coll/base`,
/// `ompi_coll_base_gather_intra_basic_linear`): the root asks for a block when it has the one before, so most of them have come before they
/// are asked for. Backwards it is `ompi_coll_base_scatter_intra_basic_linear`.
fn linear(Place { rank, size }: Place, root: usize, bytes: usize) -> Schedule {
    Schedule::new(if rank == root { size - 1 } else { 1 }, move |index, round| {
        if rank == root {
            let from = asked(root, index);
            round.receive(from, from * bytes..(from + 1) * bytes);
        } else {
            round.send(root, 0..bytes);
        }
    })
}

/// The rank whose block the root asks for in this round.
const fn asked(root: usize, index: usize) -> usize {
    if index < root { index } else { index + 1 }
}

/// Gather by the root alone, which asks each in turn (Open MPI 4.1 `coll/base`, `ompi_coll_base_gather_intra_linear_sync`): an empty message
/// asks a rank for its block, of which the first segment comes, and then the rest. The rest of one comes while the next is asked; in Open MPI
/// the root goes on without having the rest. `first`: bytes of the first segment, at most.
fn linear_sync(Place { rank, size }: Place, root: usize, bytes: usize, first: usize) -> Schedule {
    let rounds = match rank == root {
        // One more for the rest of the last.
        true if size > 1 => size,
        true => 0,
        false => 3,
    };
    // The first segment and the rest of a block.
    let parts = [0..first.min(bytes), first.min(bytes)..bytes];
    Schedule::new(rounds, move |index, round| {
        if rank != root {
            match index {
                0 => round.receive(root, 0..0),
                _ => round.send(root, parts[index - 1].clone()),
            }
            return;
        }
        if index + 1 < size {
            let from = asked(root, index);
            round.exchange(from, 0..0, shifted(parts[0].clone(), from * bytes));
        }
        if index > 0 {
            let from = asked(root, index - 1);
            round.receive(from, shifted(parts[1].clone(), from * bytes));
        }
    })
}

/// Gather along a binomial tree: counted from the root, in round k a rank whose bit k is set hands the blocks of its subtree, which are those
/// of consecutive ranks, to the one without that bit. Workspace: blocks counted from the root on, beginning with the own; at a root other
/// than rank 0 then all blocks in rank order.
fn binomial(place: Place, root: usize, bytes: usize) -> Schedule {
    let tree = BinomialTree::new(place, root);
    let rounds = tree.rounds_upwards();
    let schedule = Schedule::new(rounds, move |index, round| {
        let bit = 1 << index;
        if tree.rank & bit != 0 {
            round.send(tree.absolute(tree.rank - bit), 0..tree.subtree() * bytes);
        } else if tree.rank + bit < tree.size {
            let blocks = bit..bit + tree.behind(bit);
            round.receive(tree.absolute(tree.rank + bit), blocks.start * bytes..blocks.end * bytes);
        }
        // Counted from another root than 0 the blocks stand as root, root + 1, ..., 0, 1, ...: turn them, behind.
        if place.rank == root && root != 0 && index + 1 == rounds {
            let (all, turn) = (tree.size * bytes, (tree.size - root) * bytes);
            round.copy(turn..all, all);
            round.copy(0..turn, all + root * bytes);
        }
    });
    schedule.with_memory(tree.on_their_way(bytes))
}

/// Scatter along a binomial tree: the way of the binomial gather backwards. Workspace: blocks counted from the own on; at a root that is not
/// rank 0 then all blocks in rank order, where they come from.
fn scatter_binomial(place: Place, root: usize, bytes: usize) -> Schedule {
    let tree = BinomialTree::new(place, root);
    let own = tree.rank;
    let down = tree.downwards(move |first, count| (first - own) * bytes..(first - own + count) * bytes);
    let schedule = Schedule::new(down.rounds(), move |index, round| {
        down.round(index, round);
        if index == 0 && own == 0 && root > 0 {
            let (all, turn) = (tree.size * bytes, (tree.size - root) * bytes);
            round.copy(all + root * bytes..2 * all, 0);
            round.copy(all..all + root * bytes, turn);
        }
    });
    schedule.with_memory(tree.on_their_way(bytes))
}
