//! All-gathers. But for Bruck's, the workspace has all blocks in rank order, and blocks may have different lengths.

use super::choice::{Allgather, Choice};
use super::folding::{Folding, Stage};
use super::plan::asked;
use super::schedule::strand;
use super::selection::Situation;
use super::{Blocks, Call, Place, Plan, Round, Schedule, doublings};
use weir_operations::{Collective, Function, Lengths};

impl Plan {
    /// A block of each goes to everybody.
    pub fn allgather(choice: &Choice, place: Place, bytes: usize) -> Self {
        let all = place.size * bytes;
        let collective = asked(Function::Allgather, Lengths::Bytes(bytes as u64));
        let plan = match choice.allgather {
            Allgather::Auto => {
                let call = Situation::moving(place.size, all);
                return Self::allgather(&choice.decided::<Allgather>(&call), place, bytes);
            }
            Allgather::Bruck => return Self::bruck(place, bytes, collective),
            Allgather::KBruck => return Self::k_bruck(place, bytes, collective),
            Allgather::Linear => {
                Self::gathered_then_sent(choice, place, Self::gather(choice, place, 0, bytes), all)
            }
            Allgather::Ring
            | Allgather::RecursiveDoubling
            | Allgather::NeighborExchange
            | Allgather::Sparbit => {
                Self::allgatherv(choice, place, Blocks::Even { count: place.size, bytes })
            }
        };
        Self { collective, ..plan }
    }

    /// Color and key of each, two numbers of 32 bits, go to everybody: for making communicators.
    pub fn split(place: Place) -> Self {
        Self::bruck(place, 8, asked(Function::Split, Lengths::None))
    }

    /// Who comes first in a merge goes to everybody of both groups.
    pub fn merge(place: Place) -> Self {
        let one = Self::allgather(&Choice::default(), place, 1);
        Self { collective: asked(Function::Merge, Lengths::None), ..one }
    }

    fn bruck(place: Place, bytes: usize, collective: Collective) -> Self {
        let Place { rank, size } = place;
        Self {
            call: Call::new(Function::Allgather),
            collective,
            schedule: bruck(place, bytes),
            workspace: bytes * if rank == 0 { size } else { 2 * size - rank },
            input: 0..bytes,
            result: 0..size * bytes,
        }
    }

    fn k_bruck(place: Place, bytes: usize, collective: Collective) -> Self {
        let all = place.size * bytes;
        let gathered = if place.rank == 0 { 0 } else { all };
        Self {
            call: Call::new(Function::Allgather),
            collective,
            schedule: k_bruck(place, bytes).with_memory([gathered, 0, 0]).touching([2 * gathered, 0, 0]),
            workspace: gathered + all,
            input: 0..bytes,
            result: gathered..gathered + all,
        }
    }

    /// A block of each, of its own length, goes to everybody. Bruck's algorithm knows blocks of one length only;
    /// recursive doubling takes its place. Neighbor exchange needs an even number of ranks, else a ring takes its
    /// place.
    pub fn allgatherv(choice: &Choice, place: Place, blocks: Blocks) -> Self {
        let (all, own) = (blocks.total(), blocks.range(place.rank));
        let collective = asked(Function::Allgatherv, Lengths::Blocks(blocks.listed()));
        let schedule = match choice.allgather {
            Allgather::Linear => {
                let gather = Self::gatherv(place, 0, blocks);
                return Self { collective, ..Self::gathered_then_sent(choice, place, gather, all) };
            }
            Allgather::Auto => {
                let call = Situation::moving(place.size, all);
                return Self::allgatherv(&choice.decided::<Allgather>(&call), place, blocks);
            }
            Allgather::Bruck | Allgather::KBruck | Allgather::RecursiveDoubling => {
                recursive_doubling(place, blocks)
            }
            Allgather::Sparbit => sparbit(place, blocks),
            Allgather::NeighborExchange if place.size.is_multiple_of(2) => neighbor_exchange(place, blocks),
            Allgather::NeighborExchange => ring(place, blocks, 1),
            Allgather::Ring => ring(place, blocks, choice.parameters.allgather.rings()),
        };
        let call = Call::new(Function::Allgather);
        Self { call, collective, schedule, workspace: all, input: own, result: 0..all }
    }

    /// A gather to rank 0, then a broadcast of the blocks of all.
    fn gathered_then_sent(choice: &Choice, place: Place, gather: Self, all: usize) -> Self {
        let bcast = Self::bcast(choice, place, 0, all);
        Self {
            call: Call::new(Function::Allgather),
            schedule: gather.schedule.then(bcast.schedule),
            workspace: gather.workspace.max(bcast.workspace),
            result: 0..all,
            ..gather
        }
    }
}

/// All-gather by Bruck's algorithm (Bruck et al.: "Efficient algorithms for all-to-all communications in multiport message-passing systems",
/// 1997): in round k a rank sends all blocks it has to the one 2^k places back; log2(size) rounds; then the blocks are turned into rank order,
/// one part of them by way of another place (as Open MPI 4.1 `coll/base` does). Workspace: blocks counted from the own on, which become those
/// in rank order, then room to turn them.
fn bruck(place: Place, bytes: usize) -> Schedule {
    let Place { rank, size } = place;
    Schedule::new(doublings(size) + 1, move |index, round| {
        if index < doublings(size) {
            hand_back_all(place, bytes, index, round);
        } else if rank > 0 {
            let (all, turn) = (size * bytes, (size - rank) * bytes);
            round.copy(0..turn, all);
            round.copy(turn..all, 0);
            round.copy(all..all + turn, rank * bytes);
        }
    })
}

/// Round k of Bruck's algorithm: all blocks that a rank has, counted from its own on, go to the rank 2^k places back.
fn hand_back_all(place: Place, bytes: usize, index: usize, round: &mut Round) {
    let have = 1 << index;
    let blocks = have.min(place.size - have);
    round.send(place.before(have), 0..blocks * bytes);
    round.receive(place.after(have), have * bytes..(have + blocks) * bytes);
}

/// All-gather by Bruck's algorithm as MPICH has it (4.2, `allgather_intra_brucks`, and `allgather_intra_k_brucks` with radix 2): the same
/// messages, but all blocks come together in a temporary buffer, from which they are copied to their places. Rank 0, whose blocks lie in rank
/// order, needs none. Workspace: blocks counted from the own on, then, but at rank 0, those in rank order.
fn k_bruck(place: Place, bytes: usize) -> Schedule {
    let Place { rank, size } = place;
    Schedule::new(doublings(size) + usize::from(size > 1), move |index, round| {
        if index < doublings(size) {
            hand_back_all(place, bytes, index, round);
        } else if rank > 0 {
            let (all, turn) = (size * bytes, (size - rank) * bytes);
            round.copy(0..turn, all + rank * bytes);
            round.copy(turn..all, all);
        }
    })
}

/// All-gather by Sparbit (Loch, Koslovski: "Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather algorithm", 2021): the
/// distances of Bruck's algorithm from the farthest to 1. At distance d a rank has the blocks of the ranks 0, 2 d, 4 d, ... places back, and
/// sends those of them that the rank d places on lacks, each to its place in a message of its own, all at once; so nothing is turned at
/// the end. Blocks may have any lengths, and there may be any number of ranks.
fn sparbit(place: Place, blocks: Blocks) -> Schedule {
    let steps = doublings(place.size);
    Schedule::new(steps, move |index, round| {
        let distance = 1 << (steps - 1 - index);
        // Distances from which a block comes: odd multiples below the number of ranks.
        for from in (distance..place.size).step_by(2 * distance) {
            round.send(place.after(distance), blocks.range(place.before(from - distance)));
            round.receive(place.before(distance), blocks.range(place.before(from)));
        }
    })
}

/// All-gather by neighbor exchange (Chen, Zhang, Zhang, Yuan: "Performance evaluation of allgather algorithms on terascale Linux cluster with
/// fast Ethernet", 2005): ranks lie in a ring and deal with their two neighbors in turn. First pairs exchange their blocks; then each step
/// hands on the two blocks that the step before has brought. Half as many steps as along a ring; the number of ranks must be even.
fn neighbor_exchange(place: Place, blocks: Blocks) -> Schedule {
    let Place { rank, size } = place;
    // Even ranks look ahead in even steps and back in odd ones, odd ranks the other way round.
    let looks_ahead = move |index: usize| rank.is_multiple_of(2) == index.is_multiple_of(2);
    Schedule::new(size / 2, move |index, round| {
        let neighbor = if looks_ahead(index) { place.after(1) } else { place.before(1) };
        if index == 0 {
            return round.exchange(neighbor, blocks.range(rank), blocks.range(neighbor));
        }
        // The pair of blocks that a step brings; step 0 completes the own pair.
        let pair = |index: usize| {
            let own = Place { rank: rank - rank % 2, size };
            let distance = 2 * index.div_ceil(2);
            let first = if looks_ahead(index) { own.after(distance) } else { own.before(distance) };
            blocks.ranges(first..first + 2)
        };
        round.exchange(neighbor, pair(index - 1), pair(index));
    })
}

/// All-gather by recursive doubling (Thakur, Rabenseifner, Gropp 2005, section 4): partners at distance 1, 2, 4, ... exchange all they have.
/// If the number of ranks is not a power of two, the first ranks fold in pairs before, and unfold after.
pub(super) fn recursive_doubling(place: Place, blocks: Blocks) -> Schedule {
    let folding = Folding::new(place);
    folding.schedule(folding.doublings(), move |stage, round| match stage {
        Stage::Fold(fold) => fold.hand_over(round, |rank| blocks.range(rank)),
        Stage::Step(own, step) => {
            let distance = 1 << step;
            let other = own ^ distance;
            // The blocks that a member of the core has after the steps up to this distance.
            let has = |member: usize| {
                let first = member & !(distance - 1);
                blocks.ranges(folding.first_rank(first)..folding.first_rank(first + distance))
            };
            round.exchange(folding.rank_of(other), has(own), has(other));
        }
        Stage::Unfold(fold) => fold.hand_back(round, |_| 0..blocks.total()),
    })
}

/// All-gather along a ring: in each of size - 1 rounds every rank hands the block it got last to the next rank. With several rings each block
/// is cut into as many strands, which go around at the same time, each by a rail of its own.
pub(super) fn ring(place: Place, blocks: Blocks, rings: usize) -> Schedule {
    Schedule::new(place.size - 1, move |index, round| {
        let out = blocks.range(place.before(index));
        let into = blocks.range(place.before(index + 1));
        for ring in (0..rings).map(|ring| (ring, rings)) {
            round.send_around(ring, place.after(1), strand(&out, 1, ring));
            round.receive(place.before(1), strand(&into, 1, ring));
        }
    })
}
