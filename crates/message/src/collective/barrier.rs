//! Barriers.

use super::choice::{Barrier, Choice};
use super::folding::core;
use super::hardware::{Task, hardware};
use super::selection::Situation;
use super::{Arguments, Call, Function, Lengths, Place, Plan, Schedule, doublings};

impl Plan {
    /// A barrier: no rank goes on before all have come.
    #[must_use]
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
        Self::exchanging(call, Arguments::new(Lengths::None), schedule, (0, 0))
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
