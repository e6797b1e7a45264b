//! Reductions whose result is scattered. The workspace has all blocks in rank order, then room for what comes.

use super::choice::{Choice, ReduceScatter};
use super::folding::{Folding, Halves, Stage};
use super::plan::{asked, of_combined};
use super::schedule::{shifted, side_of, strand};
use super::selection::Situation;
use super::{Blocks, Call, Place, Plan, Preset, Round, Schedule, Side, allreduce};
use weir_operations::{Function, OperandOrder};

impl Plan {
    /// The data of all, elements of `extent` bytes each, are combined, and each gets its block. Recursive halving
    /// and the ring cannot keep the order of operands; where it must be kept, pairwise exchange takes their place.
    pub fn reduce_scatter(
        choice: &Choice,
        place: Place,
        blocks: Blocks,
        extent: usize,
        commutes: OperandOrder,
    ) -> Self {
        let (bytes, own) = (blocks.total(), blocks.range(place.rank));
        let elements = bytes.checked_div(extent).unwrap_or(0);
        let collective = asked(Function::ReduceScatter, of_combined(&blocks, extent, commutes));
        let (schedule, workspace, result) = match (choice.reduce_scatter, commutes) {
            (ReduceScatter::Auto, _) => {
                let call = Situation::combining(place.size, elements, bytes, commutes);
                let choice = choice.decided::<ReduceScatter>(&call);
                return Self::reduce_scatter(&choice, place, blocks, extent, commutes);
            }
            (ReduceScatter::RecursiveHalving, OperandOrder::Commute) => {
                (recursive_halving(place, blocks), 2 * bytes, own)
            }
            (ReduceScatter::Ring, OperandOrder::Commute) => {
                let (schedule, room) = ring(place, blocks, extent, choice.parameters.reduce_scatter.rings());
                (schedule, bytes + room, own)
            }
            (ReduceScatter::Butterfly, _) => (butterfly(place, blocks), 2 * bytes, own),
            (ReduceScatter::Pairwise, _)
            | (ReduceScatter::RecursiveHalving | ReduceScatter::Ring, OperandOrder::Ordered) => {
                (pairwise(place, blocks), bytes + 2 * own.len(), own)
            }
            (ReduceScatter::RecursiveDoubling, _) => {
                (allreduce::recursive_doubling(place, bytes), 2 * bytes, own)
            }
            (ReduceScatter::ReduceScatterv, _) => {
                let reduce = Self::reduce(choice, place, 0, elements, extent, commutes);
                let scatter = Self::scatterv(place, 0, blocks);
                let workspace = reduce.workspace.max(scatter.workspace);
                (reduce.schedule.then(scatter.schedule), workspace, scatter.result)
            }
        };
        // Calls of this library show no fresh memory: on Fugaku a reduce-scatter of 512 MiB takes eight times as long as one of 64 MiB.
        let schedule = if choice.preset == Preset::Fujitsu { schedule.with_memory([0; 3]) } else { schedule };
        let call = Call::new(Function::ReduceScatter);
        Self { call, collective, schedule, workspace, input: 0..bytes, result }
    }
}

/// Reduce-scatter along a butterfly (Träff: "An improved algorithm for (non-commutative) reduce-scatter with an application", 2005; Open MPI
/// 4.1 `coll/base`, `ompi_coll_base_reduce_scatter_intra_butterfly`): partners at distance 1, 2, 4, ... exchange halves of what they share
/// ([`Halves`]), so the order of operands is kept; a rank ends with the part whose number is its own with the bits turned around, and hands
/// the blocks in it to the ranks they are for. Ranks beyond a power of two fold before.
fn butterfly(place: Place, blocks: Blocks) -> Schedule {
    let folding = Folding::new(place);
    let of_member = move |member| folding.first_rank(member)..folding.first_rank(member + 1);
    let parts = Blocks::uneven((0..folding.core).map(|member| blocks.ranges(of_member(member)).len()));
    let (halves, total, steps) = (Halves { folding, parts }, blocks.total(), folding.doublings());
    let room = folding.room(total, |own| halves.shared(own, 1).len());
    // The member that has the part of this one, and the other way round.
    let mirrored = move |member: usize| -> usize {
        (0..steps).filter(|bit| member & (1 << bit) != 0).map(|bit| 1 << (steps - 1 - bit)).sum()
    };
    let hand_over = move |round: &mut Round| {
        let part = folding.own().map(|own| of_member(mirrored(own))).unwrap_or_default();
        part.filter(|&rank| rank != place.rank).for_each(|rank| round.send(rank, blocks.range(rank)));
        let from = folding.rank_of(mirrored(folding.member(place.rank)));
        if from != place.rank {
            round.receive(from, blocks.range(place.rank));
        }
    };
    // The last round of the folding is there for ranks that leave; here all need it, if there are two members or more.
    let hands_over = usize::from(steps > 1 && folding.rounds(0) == 0);
    let schedule =
        folding.schedule_of(folding.rounds(steps) + hands_over, steps, move |stage, round| match stage {
            Stage::Fold(fold) => fold.combine(round, total),
            Stage::Step(own, step) => halves.halve(own, step, round),
            Stage::Unfold(_) => hand_over(round),
        });
    // The operands that are combined, and those that come (Open MPI 4.1, `tmpbuf`).
    schedule.with_memory([total, total, 0]).touching([2 * total, room, 0])
}

/// Reduce-scatter by pairwise exchange (Thakur, Rabenseifner, Gropp 2005, section 4): in step p a rank sends the one p places on its block,
/// and combines what comes from the one p places back. Operands come from the ranks before, the nearest first, then from the last rank down
/// to the next; these two are combined apart and meet at the end, so the order of operands is kept. In the workspace the combination of the
/// ranks behind comes before the room for what comes.
fn pairwise(place: Place, blocks: Blocks) -> Schedule {
    let Place { rank, size } = place;
    let own = blocks.range(rank);
    let length = own.len();
    let schedule = Schedule::new(size - 1, move |index, round| {
        let (to, from) = (place.after(index + 1), place.before(index + 1));
        let behind = blocks.total()..blocks.total() + length;
        let room = shifted(behind.clone(), length);
        round.send(to, blocks.range(to));
        if from < rank {
            round.receive_operand(from, room, own.start, Side::Left);
        } else if from == size - 1 {
            round.receive(from, behind.clone());
        } else {
            round.receive_operand(from, room, behind.start, Side::Left);
        }
        if index + 2 == size && rank + 1 < size {
            round.reduce(behind, own.start, Side::Right);
        }
    });
    // Room for what comes (MPICH 4.2, `tmp_recvbuf`).
    schedule.with_memory([length, 0, 0])
}

/// Reduce-scatter by recursive halving (Thakur, Rabenseifner, Gropp 2005, section 4): partners at distance n/2, n/4, ..., 1 exchange the blocks
/// of each other's half, so that the last step leaves each its own. Ranks beyond a power of two fold before; after, the one that stayed hands
/// over the other's block. Operands of distant ranks meet first, so the operation must commute.
fn recursive_halving(place: Place, blocks: Blocks) -> Schedule {
    let folding = Folding::new(place);
    let (steps, total) = (folding.doublings(), blocks.total());
    let half = |own: usize| {
        let first = if own < folding.core / 2 { 0 } else { folding.core / 2 };
        blocks.ranges(folding.first_rank(first)..folding.first_rank(first + folding.core / 2)).len()
    };
    let room = folding.room(total, half);
    let schedule = folding.schedule(steps, move |stage, round| match stage {
        Stage::Fold(fold) => fold.combine(round, total),
        Stage::Step(own, step) => {
            let distance = 1 << (steps - 1 - step);
            let other = own ^ distance;
            // Blocks of the ranks that `distance` members of the core stand for, those around this one.
            let around = |member: usize| {
                let first = member & !(distance - 1);
                blocks.ranges(folding.first_rank(first)..folding.first_rank(first + distance))
            };
            let keep = around(own);
            round.send(folding.rank_of(other), around(other));
            let room = total..total + keep.len();
            round.receive_operand(folding.rank_of(other), room, keep.start, side_of(other, own));
        }
        Stage::Unfold(fold) => fold.hand_back(round, |rank| blocks.range(rank)),
    });
    // The operands that are combined, and those that come (Open MPI 4.1 `coll/base`, `recv_buf` and `result_buf`; MPICH 4.2 does the same).
    schedule.with_memory([total, total, 0]).touching([2 * total, room, 0])
}

/// Reduce-scatter along a ring (Patarasuk, Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009; Open MPI 4.1
/// `coll/base`, `ompi_coll_base_reduce_scatter_intra_ring`): the partial result for a rank begins at the one behind it, goes once around the
/// ring, and ends at that rank. Operands meet in ring order, so the operation must commute. With several rings each block is cut into as many
/// strands of whole elements, which go around at the same time, each by a rail of its own. Returns the bytes of the room for a block, too.
fn ring(place: Place, blocks: Blocks, extent: usize, rings: usize) -> (Schedule, usize) {
    let total = blocks.total();
    let longest = |but: Option<usize>| {
        let ranks = (0..place.size).filter(|&rank| Some(rank) != but);
        ranks.map(|rank| blocks.length(rank)).max().unwrap_or(0)
    };
    // All blocks come here but the one that begins here.
    let (room, longest) = (longest(Some(place.before(1))), longest(None));
    let schedule = Schedule::new(place.size - 1, move |index, round| {
        let out = blocks.range(place.before(index + 1));
        let into = blocks.range(place.before(index + 2));
        for ring in (0..rings).map(|ring| (ring, rings)) {
            let own = strand(&into, extent, ring);
            round.send_around(ring, place.after(1), strand(&out, extent, ring));
            let room = total + own.start - into.start;
            round.receive_operand(place.before(1), room..room + own.len(), own.start, Side::Left);
        }
    });
    // The operands that are combined, and two rooms for what comes (Open MPI 4.1, `accumbuf` and `inbuf`).
    let second = if place.size > 2 { longest } else { 0 };
    (schedule.with_memory([total, longest, second]).touching([2 * total, longest, second]), room)
}
