//! All-to-all by pairwise exchange (paper 000, equation 3): in step p a rank exchanges with the one whose number
//! differs in the bits of p. The number of ranks must be a power of two. Workspace as for simple spread.

use super::alltoall_simple_spread::exchange;
use super::{Blocks, Place, Round, Schedule};

pub(super) struct Pairwise {
    pub(super) place: Place,
    pub(super) out: Blocks,
    pub(super) into: Blocks,
}

impl Schedule for Pairwise {
    fn rounds(&self) -> usize {
        self.place.size
    }

    fn round(&self, index: usize, round: &mut Round) {
        let partner = self.place.rank ^ index;
        exchange(round, &self.out, &self.into, self.place.rank, partner, partner);
    }
}
