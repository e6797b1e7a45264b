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
        (0..doublings(place.size)).map(|bit| Self::travelling(place, bit).count()).max().unwrap_or(0)
    }

    fn travelling(place: Place, bit: usize) -> impl Iterator<Item = usize> {
        (0..place.size).filter(move |distance| distance & (1 << bit) != 0)
    }

    fn turning(&self, distance: usize) -> Range<usize> {
        let start = (2 * self.place.size + distance) * self.bytes;
        start..start + self.bytes
    }

    fn packed(&self, number: usize) -> usize {
        (3 * self.place.size + number) * self.bytes
    }

    fn pack(&self, bit: usize, round: &mut Round) {
        if bit < doublings(self.place.size) {
            for (number, distance) in Self::travelling(self.place, bit).enumerate() {
                round.copy(self.turning(distance), self.packed(number));
            }
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
            for distance in 0..size {
                let to = self.place.after(distance);
                round.copy(to * self.bytes..(to + 1) * self.bytes, self.turning(distance).start);
            }
            self.pack(0, round);
        } else if index <= doublings(size) {
            let bit = index - 1;
            let blocks = Self::travelling(self.place, bit).count();
            let most = Self::most(self.place);
            round.send(self.place.after(1 << bit), self.packed(0)..self.packed(blocks));
            round.receive(self.place.before(1 << bit), self.packed(most)..self.packed(most + blocks));
            for (number, distance) in Self::travelling(self.place, bit).enumerate() {
                round.copy(
                    self.packed(most + number)..self.packed(most + number + 1),
                    self.turning(distance).start,
                );
            }
            self.pack(bit + 1, round);
        } else {
            for distance in 0..size {
                let from = self.place.before(distance);
                round.copy(self.turning(distance), (size + from) * self.bytes);
            }
        }
    }
}
