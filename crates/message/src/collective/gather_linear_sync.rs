//! Gather by the root alone, which asks each in turn (Open MPI 4.1 `coll/base`,
//! `ompi_coll_base_gather_intra_linear_sync`): an empty message asks a rank for its block, of which the first segment comes, and
//! then the rest. The rest of one comes while the next is asked; in Open MPI the root goes on without having the rest.
//! Workspace: at the root all blocks in rank order, elsewhere the own block.

use super::{Place, Round, Schedule};
use std::ops::Range;

/// Bytes of the first segment, as Open MPI has it for small blocks (`coll/tuned`, fixed decisions).
pub(super) const FIRST_SEGMENT: usize = 1024;

pub(super) struct LinearSync {
    pub(super) place: Place,
    pub(super) root: usize,
    /// Bytes of a block.
    pub(super) bytes: usize,
    /// Bytes of the first segment, at most.
    pub(super) first: usize,
}

impl LinearSync {
    /// The first segment and the rest of the block that begins there.
    fn parts(&self, start: usize) -> [Range<usize>; 2] {
        let cut = start + self.first.min(self.bytes);
        [start..cut, cut..start + self.bytes]
    }

    /// The rank that the root asks in this round.
    fn asked(&self, index: usize) -> usize {
        if index < self.root { index } else { index + 1 }
    }
}

impl Schedule for LinearSync {
    fn rounds(&self) -> usize {
        match self.place.rank == self.root {
            // One more for the rest of the last.
            true if self.place.size > 1 => self.place.size,
            true => 0,
            false => 3,
        }
    }

    fn round(&self, index: usize, round: &mut Round) {
        if self.place.rank != self.root {
            match index {
                0 => round.receive(self.root, 0..0),
                _ => round.send(self.root, self.parts(0)[index - 1].clone()),
            }
            return;
        }
        if index + 1 < self.place.size {
            let rank = self.asked(index);
            round.send(rank, 0..0);
            round.receive(rank, self.parts(rank * self.bytes)[0].clone());
        }
        if index > 0 {
            let rank = self.asked(index - 1);
            round.receive(rank, self.parts(rank * self.bytes)[1].clone());
        }
    }
}
