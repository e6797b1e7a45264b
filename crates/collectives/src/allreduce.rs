//! All-reductions.

use super::barrier::{Task, hardware};
use super::choice::{Allreduce, Bcast, Choice, Reduce};
use super::folding::{Folding, Halves, Stage};
use super::plan::{asked, of_elements};
use super::schedule::{side_of, strand};
use super::selection::Situation;
use super::trees::{Part, parts};
use super::{Blocks, Call, Place, Plan, Schedule, Side, bcast, reduce};
use std::ops::Range;
use weir_operations::{Function, OperandOrder};

/// Bytes of a segment of the segmented ring, as Open MPI has it for long vectors (`coll/tuned`, fixed decisions).
const SEGMENT: usize = 1 << 20;

impl Plan {
    /// The data of all, `elements` of `extent` bytes each, are combined, and everybody gets the result.
    pub fn allreduce(
        choice: &Choice,
        place: Place,
        elements: usize,
        extent: usize,
        commutes: OperandOrder,
    ) -> Self {
        let (bytes, parameters) = (elements * extent, choice.parameters.allreduce);
        let instead = |choice: &Choice| Self::allreduce(choice, place, elements, extent, commutes);
        let (schedule, workspace) = match (choice.allreduce, commutes) {
            (Allreduce::Auto, _) => {
                let call = Situation::combining(place.size, elements, bytes, commutes);
                return instead(&choice.decided::<Allreduce>(&call));
            }
            (Allreduce::Hardware, _) => match hardware(&choice.grid, place, bytes, Task::Combine) {
                Some(hardware) => hardware,
                None => return instead(&choice.without_hardware()),
            },
            (Allreduce::Rabenseifner, _) => (rabenseifner(place, elements, extent), 2 * bytes),
            (Allreduce::BasicLinear, _) => {
                let linear = Choice { reduce: Reduce::Flat, bcast: Bcast::Flat, ..choice.clone() };
                return instead(&Choice { allreduce: Allreduce::ReduceBcast, ..linear });
            }
            (Allreduce::ReduceBcast, _) => {
                let reduce = Self::reduce(choice, place, 0, elements, extent, commutes);
                let bcast = Self::bcast(choice, place, 0, bytes);
                (reduce.schedule.then(bcast.schedule), reduce.workspace.max(bytes))
            }
            // Rings and several trees cannot keep the order of operands.
            (Allreduce::RecursiveDoubling, _) | (_, OperandOrder::Ordered) => {
                (recursive_doubling(place, bytes), 2 * bytes)
            }
            (Allreduce::MultiTree | Allreduce::DisjointTrees, OperandOrder::Commute) => {
                let is_disjoint = choice.allreduce == Allreduce::DisjointTrees;
                let grid = is_disjoint.then_some(&choice.grid);
                along_trees(parts(grid, parameters, place, 0, (elements, extent)), bytes)
            }
            (Allreduce::Ring, OperandOrder::Commute) => {
                Ring { place, elements, extent, phases: 1, rings: parameters.rings() }.schedule()
            }
            (Allreduce::SegmentedRing, OperandOrder::Commute) => {
                Ring::segmented(place, elements, extent, parameters.segment().unwrap_or(SEGMENT)).schedule()
            }
            (Allreduce::Bucket2d, OperandOrder::Commute) => bucket_2d(place, elements, extent),
        };
        let collective = asked(Function::Allreduce, of_elements(elements, extent, commutes));
        let call = Call::new(Function::Allreduce).by_interfaces(choice.allreduce == Allreduce::Hardware);
        Self { call, collective, schedule, workspace, input: 0..bytes, result: 0..bytes }
    }
}

/// All-reduce by recursive doubling (Thakur, Rabenseifner, Gropp: "Optimization of collective communication operations in MPICH", 2005,
/// section 4.5): partners at distance 1, 2, 4, ... exchange partial results. If the number of ranks is not a power of two, the first ranks
/// fold in pairs before, and unfold after. Every partial result covers consecutive ranks, so the order of operands is kept. Workspace: the
/// result, then room for what comes.
pub(super) fn recursive_doubling(place: Place, bytes: usize) -> Schedule {
    let folding = Folding::new(place);
    folding.schedule(folding.doublings(), move |stage, round| match stage {
        Stage::Fold(fold) => fold.combine(round, bytes),
        Stage::Step(own, step) => {
            let other = own ^ (1 << step);
            round.send(folding.rank_of(other), 0..bytes);
            round.receive_operand(folding.rank_of(other), bytes..2 * bytes, 0, side_of(other, own));
        }
        Stage::Unfold(fold) => fold.hand_back(round, |_| 0..bytes),
    })
}

/// All-reduce by Rabenseifner's algorithm (Rabenseifner: "Optimization of collective reduction operations", 2004; Thakur, Rabenseifner, Gropp
/// 2005, section 4.5): a reduce-scatter by recursive halving, then an all-gather by recursive doubling ([`Halves`]). Ranks beyond a power of
/// two fold before and unfold after. The order of operands is kept. Workspace: the result, then room for what comes.
fn rabenseifner(place: Place, elements: usize, extent: usize) -> Schedule {
    let folding = Folding::new(place);
    let (halves, bytes, steps) =
        (Halves::new(folding, elements, extent), elements * extent, folding.doublings());
    let room = folding.room(bytes, |own| halves.shared(own, 1).len());
    let schedule = folding.schedule(2 * steps, move |stage, round| match stage {
        Stage::Fold(fold) => fold.combine(round, bytes),
        Stage::Step(own, step) if step < steps => halves.halve(own, step, round),
        Stage::Step(own, step) => halves.double(own, 2 * steps - 1 - step, round),
        Stage::Unfold(fold) => fold.hand_back(round, |_| 0..bytes),
    });
    schedule.touching([room, 0, 0])
}

/// All-reduce along several trees at once (Sanders, Speck, Träff: "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
/// 2009): each part is reduced along its tree to rank 0 and broadcast along the same, segment by segment: the root sends one down in the step
/// behind that in which it has combined it.
fn along_trees(parts: Vec<Part>, bytes: usize) -> (Schedule, usize) {
    let down = bcast::along_trees(parts.clone(), |branch| branch.height);
    let (up, workspace) = reduce::along_trees(parts, bytes);
    (up.beside(down), workspace)
}

/// All-reduce along a ring (Patarasuk, Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009): the vector is cut
/// into as many parts as there are ranks; size - 1 rounds reduce each part on its way around the ring, and size - 1 more hand the results
/// around. Operands meet in ring order, so the operation must commute. In segments (Open MPI 4.1 `coll/base`,
/// `ompi_coll_base_allreduce_intra_ring_segmented`) each part is cut in its turn, and its segments are reduced in as many phases, each once
/// around the ring; the results are handed around whole. With several rings each part is cut into as many strands, which go around at the
/// same time, each by a rail of its own, as in NCCL's channels. Workspace: the vector, then room for one part or segment.
#[derive(Clone, Copy)]
struct Ring {
    place: Place,
    elements: usize,
    /// Bytes of an element: parts are whole elements.
    extent: usize,
    /// Number of times that the reduction goes around the ring.
    phases: usize,
    rings: usize,
}

impl Ring {
    /// In segments of about so many bytes, at least an element: as many phases as segments of all ranks fit into the vector,
    /// and one more if more than half of one is left.
    fn segmented(place: Place, elements: usize, extent: usize, segment: usize) -> Self {
        let each = (segment / extent.max(1)).max(1).saturating_mul(place.size);
        let (whole, left) = (elements / each, elements % each);
        let more = left >= place.size && left > each / 2;
        let phases = if whole == 0 { 1 } else { whole + usize::from(more) };
        Self { place, elements, extent, phases, rings: 1 }
    }

    fn part(self, number: usize) -> Range<usize> {
        Blocks::Shares { count: self.place.size, elements: self.elements, extent: self.extent }.range(number)
    }

    /// The schedule, and the bytes of its workspace.
    fn schedule(self) -> (Schedule, usize) {
        let Self { place, elements, extent, phases, rings } = self;
        let room = elements.div_ceil(place.size).div_ceil(phases) * extent;
        let rounds = (phases + 1) * (place.size - 1);
        let schedule = Schedule::new(rounds, move |index, round| {
            let (next, previous) = (place.after(1), place.before(1));
            let (phase, step) = (index / (place.size - 1), index % (place.size - 1));
            // Step i hands on the part i places back. The last step of a phase completes, at every rank, the part of the
            // next rank; that is where the handing around begins.
            let reduces = phase < phases;
            let first = if reduces { place } else { Place { rank: next, size: place.size } };
            let part = |step: usize| {
                let part = self.part(first.before(step));
                if reduces { strand(&part, extent, (phase, phases)) } else { part }
            };
            let (out, into) = (part(step), part(step + 1));
            for ring in (0..rings).map(|ring| (ring, rings)) {
                round.send_around(ring, next, strand(&out, extent, ring));
                let own = strand(&into, extent, ring);
                if reduces {
                    let room = elements * extent + own.start - into.start;
                    round.receive_operand(previous, room..room + own.len(), own.start, Side::Left);
                } else {
                    round.receive(previous, own);
                }
            }
        });
        // Two rooms for what comes (Open MPI 4.1, `inbuf`).
        let memory = [room, if place.size > 2 { room } else { 0 }, 0];
        (schedule.with_memory(memory), elements * extent + room)
    }
}

/// All-reduce by the bucket algorithm in two dimensions (Jain, Sabharwal: "Optimal bucket algorithms for large MPI collectives on torus
/// interconnects", 2010): ranks lie in a grid, row after row, as square as their number allows. Rings in the rows reduce and scatter the
/// vector, rings in the columns reduce what a row has left to each and hand the results around, and the rows hand them around again. Operands
/// meet in ring order, so the operation must commute. Workspace: the vector, then room for what comes.
fn bucket_2d(place: Place, elements: usize, extent: usize) -> (Schedule, usize) {
    let Place { rank, size } = place;
    let rows = (1..=size.isqrt()).rev().find(|&rows| size.is_multiple_of(rows)).unwrap_or(1);
    let columns = size / rows;
    let row = Place { rank: rank % columns, size: columns };
    let column = Place { rank: rank / columns, size: rows };
    // The vector in as many blocks as there are ranks: for each place in a row, one for each place in a column.
    let blocks = Blocks::Shares { count: size, elements, extent };
    // The blocks that travel along rows together.
    let of_row = {
        let blocks = blocks.clone();
        move |number: usize| blocks.ranges(number * rows..(number + 1) * rows)
    };
    let room = (0..columns).map(|number| of_row(number).len()).max().unwrap_or(0);
    let bytes = blocks.total();
    let (half_row, of_columns) = (columns - 1, 2 * (rows - 1));
    let schedule = Schedule::new(2 * half_row + of_columns, move |index, round| {
        let in_columns = (half_row..half_row + of_columns).contains(&index);
        let (ring, step) = match index {
            _ if in_columns => (column, index - half_row),
            _ if index < half_row => (row, index),
            _ => (row, index - of_columns),
        };
        let rank =
            |place| if in_columns { place * columns + row.rank } else { column.rank * columns + place };
        // Along columns go the blocks that the row has left to each.
        let part = |place| if in_columns { blocks.range(row.after(1) * rows + place) } else { of_row(place) };
        let (out, into) = (part(ring.before(step)), part(ring.before(step + 1)));
        round.send(rank(ring.after(1)), out);
        let previous = rank(ring.before(1));
        // One round less than there are places reduces, as many hand around.
        if step + 1 < ring.size {
            round.receive_operand(previous, bytes..bytes + into.len(), into.start, Side::Left);
        } else {
            round.receive(previous, into);
        }
    });
    (schedule, bytes + room)
}
