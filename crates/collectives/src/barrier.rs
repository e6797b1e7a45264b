//! Barriers.
//!
//! # Hardware
//! Barriers, and broadcasts and reductions of a few bytes, that the interfaces carry out by themselves, as the barrier interface of Tofu does
//! (Ajima et al.: "The Tofu Interconnect D", 2018): processors only begin them and see their end. The steps are not published; here
//! the ranks are a closed grid ([`JobGrid`]), and for each of its sides, in turn, the interfaces of a row send what they have to each
//! other. Between them rows of the first sides cover consecutive ranks, so that operands keep their order, and all ranks
//! combine them in the same one. In a broadcast only those send that have the data, to those of their row. Workspace: the data, then room
//! for those of a row.

use super::choice::{Barrier, Choice};
use super::folding::core;
use super::plan::asked;
use super::selection::Situation;
use super::{Call, Place, Plan, Round, Schedule, Side, doublings};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use weir_operations::{Function, Lengths};

/// The longest message of a broadcast, in bytes.
const BCAST: usize = 32;

/// The longest operand of a reduction.
const REDUCE: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// A barrier, and a reduction whose result all have.
    Combine,
    /// A broadcast from this rank.
    Broadcast(usize),
}

/// The schedule, and the bytes of its workspace. `None` if the interfaces cannot: the communicator has not one rank for each place of the
/// grid, or the data are too long.
pub(super) fn hardware(grid: &JobGrid, place: Place, bytes: usize, task: Task) -> Option<(Schedule, usize)> {
    let most = if task == Task::Combine { REDUCE } else { BCAST };
    if !grid.has_places_for(place.size) || bytes > most {
        return None;
    }
    let rank = place.rank;
    let mut distance = 1;
    let mut rows = Vec::new();
    for side in grid.sides().iter().map(|&side| side as usize) {
        let own = rank / distance % side;
        rows.push(Row { first: rank - own * distance, distance, side, own });
        distance *= side;
    }
    rows.retain(|row| row.side > 1);
    let longest = rows.iter().map(|row| row.side).max().unwrap_or(0);
    let workspace = bytes * if task == Task::Combine { 1 + longest } else { 1 };
    let schedule = Schedule::new(rows.len(), move |index, round| match task {
        Task::Combine => rows[index].combine(bytes, round),
        Task::Broadcast(root) => rows[index].broadcast(rank, root, bytes, round),
    });
    Some((schedule.with_memory([0; 3]), workspace))
}

/// The ranks along a side that this one is among.
struct Row {
    first: usize,
    /// Difference between the numbers of neighbors.
    distance: usize,
    side: usize,
    /// The place of this rank.
    own: usize,
}

impl Row {
    fn rank(&self, place: usize) -> usize {
        self.first + place * self.distance
    }

    fn others(&self, but: usize) -> impl Iterator<Item = usize> {
        (0..self.side).filter(move |&place| place != but)
    }

    /// Operands of each of the row, and their combination in the order of ranks.
    fn combine(&self, bytes: usize, round: &mut Round) {
        let room = |place: usize| bytes * (1 + place)..bytes * (2 + place);
        self.others(self.own).for_each(|place| round.exchange(self.rank(place), 0..bytes, room(place)));
        if bytes == 0 {
            return;
        }
        if self.own > 0 {
            round.copy(0..bytes, room(self.own).start);
            round.copy(room(0), 0);
        }
        (1..self.side).for_each(|place| round.reduce(room(place), 0, Side::Right));
    }

    /// From the one of the row that has the data to the others.
    fn broadcast(&self, rank: usize, root: usize, bytes: usize, round: &mut Round) {
        // Rows along earlier sides have been served; along later ones only that of the root has the data.
        if rank / (self.distance * self.side) != root / (self.distance * self.side) {
            return;
        }
        let has = root / self.distance % self.side;
        if has == self.own {
            self.others(has).for_each(|place| round.send(self.rank(place), 0..bytes));
        } else {
            round.receive(self.rank(has), 0..bytes);
        }
    }
}

/// A closed grid (a torus) whose places are the ranks of a job, one each, for algorithms that follow its sides; or none. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<u32>", into = "Vec<u32>")]
pub struct JobGrid(Option<Arc<[u32]>>);

impl From<Vec<u32>> for JobGrid {
    /// A grid of these sides, that along which ranks follow each other first; without sides none.
    fn from(sides: Vec<u32>) -> Self {
        Self((!sides.is_empty()).then(|| sides.into()))
    }
}

impl From<JobGrid> for Vec<u32> {
    fn from(grid: JobGrid) -> Self {
        grid.sides().to_vec()
    }
}

impl JobGrid {
    /// Ranks along each side, that along which ranks follow each other first; empty if there is no grid.
    pub fn sides(&self) -> &[u32] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Returns whether there is a grid, and it has just one place for each of so many ranks.
    pub fn has_places_for(&self, ranks: usize) -> bool {
        let places = self.sides().iter().try_fold(1_u64, |places, &side| places.checked_mul(side.into()));
        self.0.is_some() && places == Some(ranks as u64)
    }
}

impl Plan {
    /// A barrier: no rank goes on before all have come.
    pub fn barrier(choice: &Choice, place: Place) -> Self {
        let schedule = match choice.barrier {
            Barrier::Auto => {
                let call = Situation::unknown(place.size);
                return Self::barrier(&choice.decided::<Barrier>(&call), place);
            }
            Barrier::Dissemination => dissemination(place),
            Barrier::RecursiveDoubling => recursive_doubling(place),
            Barrier::DoubleRing => double_ring(place),
            Barrier::Linear => linear(place),
            Barrier::Hardware => match hardware(&choice.grid, place, 0, Task::Combine) {
                Some((schedule, _)) => schedule,
                None => return Self::barrier(&choice.without_hardware(), place),
            },
        };
        let call = Call::new(Function::Barrier).by_interfaces(choice.barrier == Barrier::Hardware);
        Self::exchanging(call, asked(Function::Barrier, Lengths::None), schedule, (0, 0))
    }
}

/// Dissemination barrier (Hensgen, Finkel, Manber: "Two algorithms for barrier synchronization", 1988): in round k every rank sends to
/// the one 2^k places on; after log2(size) rounds each depends, through others, on all.
fn dissemination(place: Place) -> Schedule {
    Schedule::new(doublings(place.size), move |index, round| {
        round.send(place.after(1 << index), 0..0);
        round.receive(place.before(1 << index), 0..0);
    })
}

/// Barrier along a ring (Open MPI 4.1 `coll/base`, `ompi_coll_base_barrier_intra_doublering`): an empty message goes around the ring from
/// rank 0 twice; the first time each rank holds it until it has come itself, the second time it releases them.
fn double_ring(place: Place) -> Schedule {
    Schedule::new(if place.size == 1 { 0 } else { 4 }, move |index, round| {
        // Rank 0 begins each time around; the others wait for it first.
        if (place.rank == 0) == index.is_multiple_of(2) {
            round.send(place.after(1), 0..0);
        } else {
            round.receive(place.before(1), 0..0);
        }
    })
}

/// Barrier at rank 0 (Open MPI 4.1 `coll/base`, `ompi_coll_base_barrier_intra_basic_linear`): all report to it, and when all have, it
/// releases them.
fn linear(place: Place) -> Schedule {
    let rounds = if place.size == 1 { 0 } else { 2 };
    Schedule::new(rounds, move |index, round| match (place.rank, index) {
        (0, 0) => (1..place.size).for_each(|rank| round.receive(rank, 0..0)),
        (0, _) => (1..place.size).for_each(|rank| round.send(rank, 0..0)),
        (_, 0) => round.send(0, 0..0),
        (_, _) => round.receive(0, 0..0),
    })
}

/// Barrier by recursive doubling (Open MPI 4.1 `coll/base`, `ompi_coll_base_barrier_intra_recursivedoubling`): partners at distance 1, 2,
/// 4, ... exchange empty messages. Ranks from the greatest power of two on report to the rank that is so far below before, and are released
/// by it after.
fn recursive_doubling(place: Place) -> Schedule {
    let (Place { rank, size }, core) = (place, core(place.size));
    let reports = rank >= core;
    let partner = if reports { Some(rank - core) } else { Some(rank + core).filter(|&other| other < size) };
    let steps = if reports { 0 } else { core.trailing_zeros() as usize };
    let rounds = steps + if partner.is_some() { 2 } else { 0 };
    Schedule::new(rounds, move |index, round| match partner {
        Some(other) if index == 0 || index + 1 == rounds => {
            if reports == (index == 0) {
                round.send(other, 0..0);
            } else {
                round.receive(other, 0..0);
            }
        }
        partner => {
            let step = index - usize::from(partner.is_some());
            round.exchange(rank ^ (1 << step), 0..0, 0..0);
        }
    })
}
