//! All-to-all by Bruck's algorithm (Bruck et al., 1997; paper 003, section 6.3): blocks are counted by how far they
//! have to go; in round k all blocks whose distance has bit k set travel 2^k places together. log2(size) rounds,
//! each with about half of all data. Workspace: four areas of all blocks: to send, received (the result), turning,
//! and packed (first half what goes, second half what comes).

use super::{Place, Round, Schedule, doublings};
use std::ops::Range;

pub(super) struct Bruck {
    pub(super) place: Place,
    pub(super) bytes: usize,
}

impl Bruck {
    /// Bytes of the workspace.
    pub(super) fn workspace(place: Place, bytes: usize) -> usize {
        3 * place.size * bytes + 2 * Self::most(place) * bytes
    }

    /// The most blocks that travel in one round.
    fn most(place: Place) -> usize {
        (0..doublings(place.size)).map(|bit| Self::travelling(place, bit)).max().unwrap_or(0)
    }

    /// How many blocks travel in the round of this bit: those whose distance has it.
    fn travelling(place: Place, bit: usize) -> usize {
        let (half, period) = (1 << bit, 2 << bit);
        place.size / period * half + (place.size % period).saturating_sub(half)
    }

    /// Distances that have this bit, in runs: they lie one behind the other, packed too.
    fn runs(place: Place, bit: usize) -> impl Iterator<Item = Range<usize>> {
        let half = 1 << bit;
        (half..place.size).step_by(2 * half).map(move |first| first..(first + half).min(place.size))
    }

    /// Where the block is that has so far to go.
    fn turning(&self, distance: usize) -> usize {
        (2 * self.place.size + distance) * self.bytes
    }

    fn packed(&self, number: usize) -> usize {
        (3 * self.place.size + number) * self.bytes
    }

    fn pack(&self, bit: usize, round: &mut Round) {
        // Behind the last round no distance has the bit.
        let mut number = 0;
        for run in Self::runs(self.place, bit) {
            let count = run.len();
            round.copy(self.turning(run.start)..self.turning(run.end), self.packed(number));
            number += count;
        }
    }
}

impl Schedule for Bruck {
    fn rounds(&self) -> usize {
        doublings(self.place.size) + 2
    }

    fn round(&self, index: usize, round: &mut Round) {
        let size = self.place.size;
        if index == 0 {
            // Two runs: from the own rank to the last, then from rank 0 on.
            let turn = size - self.place.rank;
            round.copy(self.place.rank * self.bytes..size * self.bytes, self.turning(0));
            round.copy(0..self.place.rank * self.bytes, self.turning(turn));
            self.pack(0, round);
        } else if index <= doublings(size) {
            let bit = index - 1;
            let blocks = Self::travelling(self.place, bit);
            let most = Self::most(self.place);
            round.send(self.place.after(1 << bit), self.packed(0)..self.packed(blocks));
            round.receive(self.place.before(1 << bit), self.packed(most)..self.packed(most + blocks));
            let mut number = most;
            for run in Self::runs(self.place, bit) {
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
