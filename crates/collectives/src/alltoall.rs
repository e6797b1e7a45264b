//! All-to-alls and exchanges with neighbors. But for Bruck's, the workspace has the blocks to send in rank order, then the blocks received in
//! rank order.

use super::choice::{Alltoall, Choice};
use super::plan::asked;
use super::schedule::shifted;
use super::selection::Situation;
use super::{Blocks, Call, Place, Plan, Round, Schedule, doublings};
use crate::Neighbors;
use std::ops::Range;
use weir_operations::{Function, Lengths, NeighborBlocks};

/// Messages that a rank has under way in each direction when the steps of simple spread are scattered, at most, as MPICH has it
/// (`MPIR_CVAR_ALLTOALL_THROTTLE`).
const AT_ONCE: usize = 32;

impl Plan {
    /// A block of each goes to each.
    ///
    /// # Errors
    /// When pairwise exchange is chosen and the number of ranks is not a power of two.
    pub fn alltoall(choice: &Choice, place: Place, bytes: usize) -> Result<Self, String> {
        let all = place.size * bytes;
        let collective = asked(Function::Alltoall, Lengths::Bytes(bytes as u64));
        match choice.alltoall {
            Alltoall::Auto => {
                let call = Situation::moving(place.size, all);
                Self::alltoall(&choice.decided::<Alltoall>(&call), place, bytes)
            }
            Alltoall::Bruck => {
                let bruck = Bruck { place, bytes };
                let workspace = bruck.workspace();
                let schedule =
                    Schedule::new(doublings(place.size) + 2, move |index, round| bruck.round(index, round));
                let plan = Self::exchanging(Call::new(Function::Alltoall), collective, schedule, (all, all));
                Ok(Self { workspace, ..plan })
            }
            _ => {
                let blocks = Blocks::Even { count: place.size, bytes };
                Ok(Self { collective, ..Self::alltoallv(choice, place, blocks.clone(), blocks)? })
            }
        }
    }

    /// A block of each, of its own length, goes to each. Bruck's algorithm knows blocks of one length only; simple
    /// spread takes its place. No rank knows all lengths, so a row that asks for bytes decides nothing.
    ///
    /// # Errors
    /// When pairwise exchange is chosen and the number of ranks is not a power of two.
    pub fn alltoallv(choice: &Choice, place: Place, out: Blocks, into: Blocks) -> Result<Self, String> {
        let (Place { rank, size }, totals) = (place, (out.total(), into.total()));
        let is_power_of_two = size.is_power_of_two();
        let collective = asked(Function::Alltoallv, of_exchange(&out, &into));
        let blocks = (out, into);
        let forwards = move |step| (place.after(step), place.before(step));
        let schedule = match choice.alltoall {
            Alltoall::Pairwise if !is_power_of_two => {
                return Err(format!(
                    "collectives.alltoall = \"pairwise\" needs a power of two, and the communicator has {size} ranks"
                ));
            }
            Alltoall::Auto => {
                let call = Situation::unknown(size);
                let (out, into) = blocks;
                return Self::alltoallv(&choice.decided::<Alltoall>(&call), place, out, into);
            }
            // Pairwise exchange (paper 000, equation 3): in step p a rank exchanges with the one whose number differs in the bits of p.
            Alltoall::Pairwise | Alltoall::Paper000 if is_power_of_two => {
                in_steps(place, blocks, 1, move |step| (rank ^ step, rank ^ step))
            }
            // Many messages under way (Thakur, Rabenseifner, Gropp 2005, section 4).
            Alltoall::Scattered => in_steps(place, blocks, AT_ONCE, forwards),
            Alltoall::Linear => linear(place, blocks, usize::MAX),
            Alltoall::LinearSync => linear(place, blocks, choice.parameters.alltoall.fan_out_or(usize::MAX)),
            // Simple spread (paper 000, equation 1): in step p a rank sends to the one p places on and receives from the one p places back.
            _ => in_steps(place, blocks, 1, forwards),
        };
        Ok(Self::exchanging(Call::new(Function::Alltoall), collective, schedule, totals))
    }

    /// Blocks go to the neighbors of a virtual topology, and blocks of theirs come, in the neighbors' order: all messages at once, in one
    /// round. The workspace has the blocks to send, then those received, both in the order of the neighbors.
    ///
    /// # Panics
    /// When started, if there are fewer blocks than neighbors.
    pub fn neighbors(neighbors: Neighbors, out: Blocks, into: Blocks) -> Self {
        let (given, got) = (out.total(), into.total());
        let ranks = |ranks: &[i32]| ranks.iter().map(|&rank| u32::try_from(rank).ok()).collect();
        let around = NeighborBlocks {
            destinations: ranks(&neighbors.destinations),
            sources: ranks(&neighbors.sources),
            arrival: neighbors.arrival.iter().map(|&place| place as u32).collect(),
            out: out.each(neighbors.destinations.len()).collect(),
            into: into.each(neighbors.sources.len()).collect(),
        };
        let collective = asked(Function::Neighbors, Lengths::Neighbors(Box::new(around)));
        let schedule = Schedule::new(1, move |_, round| {
            for (block, &to) in neighbors.destinations.iter().enumerate() {
                if let Ok(to) = usize::try_from(to) {
                    round.send(to, out.range(block));
                }
            }
            for &block in &neighbors.arrival {
                if let Ok(from) = usize::try_from(neighbors.sources[block]) {
                    round.receive(from, shifted(into.range(block), given));
                }
            }
        });
        Self::exchanging(Call::new(Function::Neighbors), collective, schedule, (given, got))
    }
}

/// Blocks out and in; one number each where those of both are equal.
fn of_exchange(out: &Blocks, into: &Blocks) -> Lengths {
    let (short_out, short_into) = (out.listed(), into.listed());
    if short_out.len() == 1 && short_into.len() == 1 {
        return Lengths::Exchange { out: short_out, into: short_into };
    }
    Lengths::Exchange { out: out.each(out.count()).collect(), into: into.each(into.count()).collect() }
}

/// An all-to-all in one step for each rank, so many steps in a round; `peers`: to whom and from whom in a step.
fn in_steps(
    place: Place,
    (out, into): (Blocks, Blocks),
    at_once: usize,
    peers: impl Fn(usize) -> (usize, usize) + Send + Sync + 'static,
) -> Schedule {
    Schedule::new(place.size.div_ceil(at_once), move |index, round| {
        for step in index * at_once..((index + 1) * at_once).min(place.size) {
            exchange(round, &out, &into, place.rank, peers(step));
        }
    })
}

/// All-to-all with all messages at once, or a window of them (Open MPI 4.1 `coll/base`, `ompi_coll_base_alltoall_intra_basic_linear` and
/// `..._linear_sync`): receives from the next rank on, upwards, and sends from the rank before on, downwards, so that messages come in the
/// order in which they are awaited. Where Open MPI replaces each message of its window as soon as it is through, here the window is through
/// as a whole. `window`: messages under way at a time in each direction, at most.
fn linear(place: Place, (out, into): (Blocks, Blocks), window: usize) -> Schedule {
    let others = place.size - 1;
    let window = window.clamp(1, others.max(1));
    // The own block is copied in the first round, also where there is no other.
    Schedule::new(others.div_ceil(window).max(1), move |index, round| {
        let first = if index == 0 { 0 } else { index * window + 1 };
        for step in first..((index + 1) * window + 1).min(place.size) {
            exchange(round, &out, &into, place.rank, (place.before(step), place.after(step)));
        }
    })
}

/// One step of an all-to-all: the block for `to` goes, the block of `from` comes. Empty blocks are not sent.
fn exchange(round: &mut Round, out: &Blocks, into: &Blocks, own: usize, (to, from): (usize, usize)) {
    if to == own {
        round.copy(out.range(own), into.range(own).start + out.total());
        return;
    }
    if out.length(to) > 0 {
        round.send(to, out.range(to));
    }
    if into.length(from) > 0 {
        round.receive(from, shifted(into.range(from), out.total()));
    }
}

/// All-to-all by Bruck's algorithm (Bruck et al., 1997; paper 003, section 6.3): blocks are counted by how far they
/// have to go; in round k all blocks whose distance has bit k set travel 2^k places together. log2(size) rounds,
/// each with about half of all data. Workspace: four areas of all blocks: to send, received (the result), turning,
/// and packed (first half what goes, second half what comes).
#[derive(Clone, Copy)]
struct Bruck {
    place: Place,
    bytes: usize,
}

impl Bruck {
    fn workspace(self) -> usize {
        (3 * self.place.size + 2 * self.most()) * self.bytes
    }

    fn most(self) -> usize {
        (0..doublings(self.place.size)).map(|bit| self.traveling(bit)).max().unwrap_or(0)
    }

    /// Number of blocks that travel in the round of this bit: those whose distance has it.
    fn traveling(self, bit: usize) -> usize {
        let (half, period) = (1 << bit, 2 << bit);
        self.place.size / period * half + (self.place.size % period).saturating_sub(half)
    }

    /// Distances that have this bit, in runs: they lie one behind the other, packed too.
    fn runs(self, bit: usize) -> impl Iterator<Item = Range<usize>> {
        let (half, size) = (1 << bit, self.place.size);
        (half..size).step_by(2 * half).map(move |first| first..(first + half).min(size))
    }

    /// Start of the block that has so far to go.
    fn turning(self, distance: usize) -> usize {
        (2 * self.place.size + distance) * self.bytes
    }

    fn packed(self, number: usize) -> usize {
        (3 * self.place.size + number) * self.bytes
    }

    fn pack(self, bit: usize, round: &mut Round) {
        // Behind the last round no distance has the bit.
        let mut number = 0;
        for run in self.runs(bit) {
            let count = run.len();
            round.copy(self.turning(run.start)..self.turning(run.end), self.packed(number));
            number += count;
        }
    }

    fn round(self, index: usize, round: &mut Round) {
        let Place { rank, size } = self.place;
        if index == 0 {
            // Two runs: from the own rank to the last, then from rank 0 on.
            round.copy(rank * self.bytes..size * self.bytes, self.turning(0));
            round.copy(0..rank * self.bytes, self.turning(size - rank));
            self.pack(0, round);
        } else if index <= doublings(size) {
            let bit = index - 1;
            let (blocks, most) = (self.traveling(bit), self.most());
            round.send(self.place.after(1 << bit), self.packed(0)..self.packed(blocks));
            round.receive(self.place.before(1 << bit), self.packed(most)..self.packed(most + blocks));
            let mut number = most;
            for run in self.runs(bit) {
                let count = run.len();
                round.copy(self.packed(number)..self.packed(number + count), self.turning(run.start));
                number += count;
            }
            self.pack(bit + 1, round);
        } else {
            for distance in 0..size {
                let from = self.place.before(distance);
                round.copy(self.turning(distance)..self.turning(distance + 1), (size + from) * self.bytes);
            }
        }
    }
}
