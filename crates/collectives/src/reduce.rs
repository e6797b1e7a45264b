//! Reductions to a root, and prefix reductions. The workspace of the latter has the inclusive prefix, room for what comes, and the exclusive
//! prefix.

use super::barrier::{Task, hardware};
use super::choice::{Choice, Reduce, Scan};
use super::folding::{Folding, Halves, Stage};
use super::plan::{asked, of_elements, rooted};
use super::schedule::Segments;
use super::selection::Situation;
use super::tree::{BinomialTree, Tree};
use super::trees::{Part, parts};
use super::{Call, Place, Plan, Schedule, Side, doublings};
use weir_operations::{Function, Lengths, OperandOrder};

/// Chains where no fan-out is chosen, as in Open MPI (`coll_tuned_reduce_algorithm_chain_fanout`).
const CHAINS: usize = 4;

impl Plan {
    /// The data of all, `elements` of `extent` bytes each, are combined at the root. Binary trees, and several at once, cannot keep the order
    /// of operands; where it must be kept, the one in order takes its place.
    pub fn reduce(
        choice: &Choice,
        place: Place,
        root: usize,
        elements: usize,
        extent: usize,
        commutes: OperandOrder,
    ) -> Self {
        let (bytes, parameters) = (elements * extent, choice.parameters.reduce);
        // Where subtrees are consecutive ranks, operands keep their order only in a tree rooted at rank 0.
        let first = if commutes == OperandOrder::Commute { root } else { 0 };
        let along = |tree, top, side| -> (Schedule, usize) {
            let segments = Segments::of_elements(elements, extent, parameters.segment());
            let (schedule, workspace) = along_tree(tree, segments, bytes, side);
            (schedule.then(hand_over(place.rank, top, root, bytes)), workspace)
        };
        let instead = |choice: &Choice| Self::reduce(choice, place, root, elements, extent, commutes);
        let (schedule, workspace) = match (choice.reduce, commutes) {
            (Reduce::Auto, _) => {
                let call = Situation::combining(place.size, elements, bytes, commutes);
                return instead(&choice.decided::<Reduce>(&call));
            }
            (Reduce::Hardware, _) => match hardware(&choice.grid, place, bytes, Task::Combine) {
                Some(hardware) => hardware,
                None => return instead(&choice.without_hardware()),
            },
            (Reduce::Rabenseifner, _) => (rabenseifner(place, root, elements, extent), 2 * bytes),
            (Reduce::Flat, _) => {
                let operands = if place.rank == root { place.size + 1 } else { 1 };
                (flat(place, root, bytes), operands * bytes)
            }
            (Reduce::Linear, _) => linear(place, root, bytes),
            (Reduce::Binomial, _) if parameters.segment.is_some() => {
                along(BinomialTree::new(place, first).tree().reversed(), first, Side::Right)
            }
            (Reduce::Binomial, _) => {
                let tree = binomial(place, first, bytes);
                (tree.then(hand_over(place.rank, first, root, bytes)), 2 * bytes)
            }
            (Reduce::Pipeline, _) => along(Tree::chains(place, first, 1), first, Side::Right),
            (Reduce::Chain, _) => {
                along(Tree::chains(place, first, parameters.fan_out_or(CHAINS)), first, Side::Right)
            }
            (Reduce::Binary, OperandOrder::Commute) => along(Tree::binary(place, root), root, Side::Right),
            (Reduce::MultiTree | Reduce::DisjointTrees, OperandOrder::Commute) => {
                let is_disjoint = choice.reduce == Reduce::DisjointTrees;
                let grid = is_disjoint.then_some(&choice.grid);
                along_trees(parts(grid, parameters, place, root, (elements, extent)), bytes)
            }
            (Reduce::InOrderBinary, _)
            | (Reduce::Binary | Reduce::MultiTree | Reduce::DisjointTrees, OperandOrder::Ordered) => {
                along(Tree::binary_in_order(place), place.size - 1, Side::Left)
            }
        };
        let result = if place.rank == root { 0..bytes } else { 0..0 };
        let call = Call::with_root(Function::Reduce, root).by_interfaces(choice.reduce == Reduce::Hardware);
        let collective = rooted(Function::Reduce, root, of_elements(elements, extent, commutes));
        Self { call, collective, schedule, workspace, input: 0..bytes, result }
    }

    /// Each gets the combination of the data of the ranks up to itself.
    pub fn scan(choice: &Choice, place: Place, bytes: usize) -> Self {
        let schedule = match choice.scan {
            Scan::Auto => {
                let call = Situation::moving(place.size, bytes);
                return Self::scan(&choice.decided::<Scan>(&call), place, bytes);
            }
            Scan::RecursiveDoubling => scan_by_doubling(place, bytes),
            Scan::Linear => linear_scan(place, bytes),
        };
        let call = Call::new(Function::Scan);
        let collective = asked(Function::Scan, Lengths::Bytes(bytes as u64));
        Self { call, collective, schedule, workspace: 3 * bytes, input: 0..bytes, result: 0..bytes }
    }

    /// Each gets the combination of the data of the ranks before itself; rank 0 gets nothing.
    pub fn exscan(choice: &Choice, place: Place, bytes: usize) -> Self {
        let result = if place.rank == 0 { 0..0 } else { 2 * bytes..3 * bytes };
        let collective = asked(Function::Exscan, Lengths::Bytes(bytes as u64));
        Self { call: Call::new(Function::Exscan), collective, result, ..Self::scan(choice, place, bytes) }
    }
}

/// The result of a reduction goes from the top of its tree to the root, in place.
fn hand_over(rank: usize, top: usize, root: usize, bytes: usize) -> Schedule {
    let takes_part = top != root && (rank == top || rank == root);
    Schedule::new(usize::from(takes_part), move |_, round| {
        if rank == top {
            round.send(root, 0..bytes);
        } else {
            round.receive(top, 0..bytes);
        }
    })
}

/// Reduction by the root alone: it receives from all and combines in rank order. Workspace: the result, then room
/// for one operand of every rank.
fn flat(Place { rank, size }: Place, root: usize, bytes: usize) -> Schedule {
    let slot = move |rank: usize| bytes * (rank + 1)..bytes * (rank + 2);
    Schedule::new(1, move |_, round| {
        if rank != root {
            return round.send(root, 0..bytes);
        }
        round.copy(0..bytes, slot(root).start);
        (0..size).filter(|&rank| rank != root).for_each(|rank| round.receive(rank, slot(rank)));
        round.copy(slot(0), 0);
        (1..size).for_each(|rank| round.reduce(slot(rank), 0, Side::Right));
    })
}

/// Reduction by the root alone, one operand after the other, from the last rank to the first (Open MPI 4.1 `coll/base`,
/// `ompi_coll_base_reduce_intra_basic_linear`); keeps the order of operands. Workspace: the own operand, which becomes the result; the
/// combination of the ranks behind the root, if there are any; and room for one operand that comes. Returns its bytes, too.
fn linear(Place { rank, size }: Place, root: usize, bytes: usize) -> (Schedule, usize) {
    let count_behind = size - 1 - root;
    let (behind, room) = (bytes..2 * bytes, bytes * (1 + usize::from(count_behind > 0)));
    let needs_room = count_behind > 1 || root > 0;
    let workspace = match rank == root {
        true => room + if needs_room { bytes } else { 0 },
        false => bytes,
    };
    let room = room..room + bytes;
    let schedule = Schedule::new(if rank == root { size - 1 } else { 1 }, move |index, round| {
        if rank != root {
            return round.send(root, 0..bytes);
        }
        if index >= count_behind {
            return round.receive_operand(size - 2 - index, room.clone(), 0, Side::Left);
        }
        let from = size - 1 - index;
        if index == 0 {
            round.receive(from, behind.clone());
        } else {
            round.receive_operand(from, room.clone(), behind.start, Side::Left);
        }
        if index + 1 == count_behind {
            round.reduce(behind.clone(), 0, Side::Right);
        }
    });
    (schedule, workspace)
}

/// Reduction along a binomial tree: in round k a rank whose bit k is set hands its partial result to the one without it. Counted from rank 0
/// a partial result covers consecutive ranks, so the order of operands is kept; for a root other than 0 ranks are counted from the root,
/// which only operations that commute allow ([`Plan::reduce`] sees to it). Workspace: the partial result, then room for the one that comes.
fn binomial(place: Place, root: usize, bytes: usize) -> Schedule {
    let tree = BinomialTree::new(place, root);
    let schedule = Schedule::new(tree.rounds_upwards(), move |index, round| {
        let bit = 1 << index;
        if tree.rank & bit != 0 {
            round.send(tree.absolute(tree.rank - bit), 0..bytes);
        } else if tree.rank + bit < tree.size {
            round.receive_operand(tree.absolute(tree.rank + bit), bytes..2 * bytes, 0, Side::Right);
        }
    });
    // The operands that are combined, where that is not the result, and two rooms for what comes, of which one child needs one (Open MPI
    // 4.1, `ompi_coll_base_reduce_generic`: `accumbuf` and `inbuf`).
    let children = tree.children().count();
    let needed = |is_needed: bool| if is_needed { bytes } else { 0 };
    let (own, second) = (needed(tree.rank > 0 && children > 0), needed(children > 1));
    let memory = [own, needed(children > 0), second];
    schedule.with_memory(memory).touching([2 * own, memory[1], second])
}

/// Reduction by Rabenseifner's algorithm (Rabenseifner: "Optimization of collective reduction operations", 2004; Thakur, Rabenseifner, Gropp
/// 2005, section 4.5): a reduce-scatter by recursive halving ([`Halves`]), then a gather of the parts along a binomial tree to the root. Ranks
/// beyond a power of two fold before; in its pair the root is the one that stays. The order of operands is kept. Workspace: the result, then
/// room for what comes.
fn rabenseifner(place: Place, root: usize, elements: usize, extent: usize) -> Schedule {
    let folding = Folding::keeping(place, root);
    let (halves, bytes, steps) =
        (Halves::new(folding, elements, extent), elements * extent, folding.doublings());
    let room = folding.room(bytes, |own| halves.shared(own, 1).len());
    let schedule = folding.schedule(2 * steps, move |stage, round| match stage {
        Stage::Fold(fold) => fold.combine(round, bytes),
        Stage::Step(own, step) if step < steps => halves.halve(own, step, round),
        // Half of those that still have parts hand them to the others: in each step those on the other side of the root.
        Stage::Step(own, step) => {
            let step = 2 * steps - 1 - step;
            let (apart, other) = (own ^ folding.member(root), own ^ (1 << step));
            if apart >> step == 1 {
                round.send(folding.rank_of(other), halves.shared(own, step + 1));
            } else if apart >> step == 0 {
                round.receive(folding.rank_of(other), halves.shared(other, step + 1));
            }
        }
        // Those that have left get no result.
        Stage::Unfold(_) => {}
    });
    // The operands that come, and those that are combined where that is not the result (Open MPI 4.1, `tmp_buf` and `rbuf`).
    let own = if place.rank == root { 0 } else { bytes };
    schedule.with_memory([bytes, own, 0]).touching([room, 2 * own, 0])
}

/// Reduction along any tree, in segments (Pjesivac-Grbovic et al.: "Performance analysis of MPI collective operations", 2007; Open MPI 4.1
/// `coll/base`, `ompi_coll_base_reduce_generic`): a rank receives a segment from all its children while it sends the one before, combined, to
/// its parent. Open MPI has two receives posted at a time; here all those of a segment are. The pipeline, the chains, the binary trees and the
/// binomial tree in segments are this with their trees; the operands of children stand on `side`, the first child is the nearest. Workspace,
/// whose bytes are returned, too: the partial result, then room for a segment of each child.
fn along_tree(tree: Tree, segments: Segments, bytes: usize, side: Side) -> (Schedule, usize) {
    let count = segments.count();
    let workspace = bytes + tree.children.len() * segments.longest();
    let lag = usize::from(!tree.children.is_empty());
    let rounds = match tree.parent {
        Some(_) => count + lag,
        None => count * lag,
    };
    let schedule = Schedule::new(rounds, move |index, round| {
        if let (Some(parent), Some(segment)) = (tree.parent, index.checked_sub(lag)) {
            round.send(parent, segments.range(segment));
        }
        if index == count {
            return;
        }
        let segment = segments.range(index);
        for (number, &child) in tree.children.iter().enumerate() {
            let room = bytes + number * segments.longest();
            round.receive_operand(child, room..room + segment.len(), segment.start, side);
        }
    });
    (schedule, workspace)
}

/// Reduction along several trees at once, the broadcast along them ([`super::bcast::along_trees`]) mirrored: of a tree of height h the root
/// receives segment s of the part, combined, in step s + h - 1, and a rank that is d steps from the root sends it in step s + h - d. Operands
/// meet in the order of children, so the operation must commute. Workspace, whose bytes are returned, too: the partial result, then room for
/// a segment of each child in each tree.
pub(super) fn along_trees(parts: Vec<Part>, bytes: usize) -> (Schedule, usize) {
    let rounds = parts.iter().map(|Part { branch, segments }| {
        segments.count() + branch.height - branch.depth - usize::from(branch.tree.parent.is_none())
    });
    let rounds = rounds.max().unwrap_or(0);
    let room = |Part { branch, segments }: &Part| branch.tree.children.len() * segments.longest();
    let workspace = bytes + parts.iter().map(room).sum::<usize>();
    let schedule = Schedule::new(rounds, move |index, round| {
        let mut first_room = bytes;
        for part in &parts {
            let Part { branch, segments } = part;
            let sends_first = branch.height - branch.depth;
            let segment = |first: usize| segments.in_step(index, first);
            if let (Some(parent), Some(segment)) = (branch.tree.parent, segment(sends_first)) {
                round.send_on(branch.up, parent, segment);
            }
            if !branch.tree.children.is_empty()
                && let Some(segment) = segment(sends_first - 1)
            {
                for (number, &child) in branch.tree.children.iter().enumerate() {
                    let room = first_room + number * segments.longest();
                    round.receive_operand(child, room..room + segment.len(), segment.start, Side::Right);
                }
            }
            first_room += room(part);
        }
    });
    (schedule, workspace)
}

/// Prefix reduction one rank after the other.
fn linear_scan(Place { rank, size }: Place, bytes: usize) -> Schedule {
    Schedule::new(2, move |index, round| {
        if index == 0 && rank > 0 {
            let room = bytes..2 * bytes;
            round.receive_operand(rank - 1, room.clone(), 0, Side::Left);
            round.copy(room, 2 * bytes);
        }
        if index == 1 && rank + 1 < size {
            round.send(rank + 1, 0..bytes);
        }
    })
}

/// Prefix reduction by doubling (Hillis, Steele: "Data parallel algorithms", 1986): in round k a rank hands what it has to the one 2^k
/// places on; log2(size) rounds.
fn scan_by_doubling(Place { rank, size }: Place, bytes: usize) -> Schedule {
    Schedule::new(doublings(size), move |index, round| {
        let (distance, room, exclusive) = (1 << index, bytes..2 * bytes, 2 * bytes);
        if rank + distance < size {
            round.send(rank + distance, 0..bytes);
        }
        if rank >= distance {
            round.receive_operand(rank - distance, room.clone(), 0, Side::Left);
            if index == 0 {
                round.copy(room, exclusive);
            } else {
                round.reduce(room, exclusive, Side::Left);
            }
        }
    })
}
