//! Prefix reductions. The workspace has the inclusive prefix, room for what comes, and the exclusive prefix.

use super::choice::{Choice, Scan};
use super::selection::Situation;
use super::{Arguments, Call, Function, Lengths, Place, Plan, Schedule, Side, doublings};

impl Plan {
    /// Each gets the combination of the data of the ranks up to itself.
    #[must_use]
    pub fn scan(choice: &Choice, place: Place, bytes: usize) -> Self {
        let schedule = match choice.scan {
            Scan::Auto => {
                let call = Situation::moving(place.size, bytes);
                return Self::scan(&choice.decided::<Scan>(&call), place, bytes);
            }
            Scan::RecursiveDoubling => recursive_doubling(place, bytes),
            Scan::Linear => linear(place, bytes),
        };
        let (call, arguments) = (Call::new(Function::Scan), Arguments::new(Lengths::Bytes(bytes)));
        Self { call, arguments, schedule, workspace: 3 * bytes, input: 0..bytes, result: 0..bytes }
    }

    /// Each gets the combination of the data of the ranks before itself; rank 0 gets nothing.
    #[must_use]
    pub fn exscan(choice: &Choice, place: Place, bytes: usize) -> Self {
        let result = if place.rank == 0 { 0..0 } else { 2 * bytes..3 * bytes };
        Self { call: Call::new(Function::Exscan), result, ..Self::scan(choice, place, bytes) }
    }
}

/// Prefix reduction one rank after the other.
fn linear(Place { rank, size }: Place, bytes: usize) -> Schedule {
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
fn recursive_doubling(Place { rank, size }: Place, bytes: usize) -> Schedule {
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
