//! All-to-all with many messages under way (Thakur, Rabenseifner, Gropp 2005, section 4): the steps of simple
//! spread, up to 32 at once, as MPICH has it (`MPIR_CVAR_ALLTOALL_THROTTLE`). Workspace as for simple spread.

use super::alltoall_simple_spread::exchange;
use super::{Blocks, Place, Round, Schedule};

/// How many messages a rank has under way in each direction, at most.
const AT_ONCE: usize = 32;

pub(super) struct Scattered {
    pub(super) place: Place,
    pub(super) out: Blocks,
    pub(super) into: Blocks,
}

impl Schedule for Scattered {
    fn rounds(&self) -> usize {
        self.place.size.div_ceil(AT_ONCE)
    }

    fn round(&self, index: usize, round: &mut Round) {
        for step in index * AT_ONCE..((index + 1) * AT_ONCE).min(self.place.size) {
            let (to, from) = (self.place.after(step), self.place.before(step));
            exchange(round, &self.out, &self.into, self.place.rank, to, from);
        }
    }
}
