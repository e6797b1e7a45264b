//! Reduction by the root alone, one operand after the other, from the last rank to the first (Open MPI 4.1 `coll/base`,
//! `ompi_coll_base_reduce_intra_basic_linear`); keeps the order of operands. Workspace: the own operand, which becomes the result;
//! what the ranks behind the root have so far, if there are any; and room for one that comes.

use super::{Place, Round, Schedule, Side};

pub(super) struct Linear {
    pub(super) place: Place,
    pub(super) root: usize,
    pub(super) bytes: usize,
}

impl Linear {
    /// Bytes of the workspace.
    pub(super) fn workspace(&self) -> usize {
        let needs_room = self.behind() > 1 || self.root > 0;
        match self.place.rank == self.root {
            true => self.room() + if needs_room { self.bytes } else { 0 },
            false => self.bytes,
        }
    }

    /// How many ranks there are behind the root.
    fn behind(&self) -> usize {
        self.place.size - 1 - self.root
    }

    /// Where what comes goes: behind what the ranks behind the root have, if there are any.
    fn room(&self) -> usize {
        self.bytes * (1 + usize::from(self.behind() > 0))
    }
}

impl Schedule for Linear {
    fn rounds(&self) -> usize {
        if self.place.rank == self.root { self.place.size - 1 } else { 1 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Self { place: Place { rank, size }, root, bytes } = *self;
        if rank != root {
            round.send(root, 0..bytes);
            return;
        }
        let (behind, room) = (bytes..2 * bytes, self.room()..self.room() + bytes);
        let count_behind = self.behind();
        if index >= count_behind {
            round.receive(size - 2 - index, room.clone());
            round.reduce(room, 0, Side::Left);
            return;
        }
        let from = size - 1 - index;
        if index == 0 {
            round.receive(from, behind.clone());
        } else {
            round.receive(from, room.clone());
            round.reduce(room, behind.start, Side::Left);
        }
        if index + 1 == count_behind {
            round.reduce(behind, 0, Side::Right);
        }
    }
}
