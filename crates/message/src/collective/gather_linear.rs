//! Gather by the root alone, one message after the other, in rank order (Open MPI 4.1 `coll/base`,
//! `ompi_coll_base_gather_intra_basic_linear`): the root asks for a block when it has the one before, so most of them have come
//! before they are asked for. Workspace: at the root all blocks in rank order, elsewhere the own block.

use super::{Place, Round, Schedule};

pub(super) struct Linear {
    pub(super) place: Place,
    pub(super) root: usize,
    /// Bytes of a block.
    pub(super) bytes: usize,
}

impl Schedule for Linear {
    fn rounds(&self) -> usize {
        if self.place.rank == self.root { self.place.size - 1 } else { 1 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        if self.place.rank != self.root {
            round.send(self.root, 0..self.bytes);
            return;
        }
        let from = if index < self.root { index } else { index + 1 };
        round.receive(from, from * self.bytes..(from + 1) * self.bytes);
    }
}
