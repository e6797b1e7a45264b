//! A schedule run backwards: what it sends is received and what it receives is sent, round by round. A gather by the root alone is so a scatter by
//! the root alone, with the same workspace (all at once, or one after the other in rank order, as Open MPI 4.1 `coll/base` has it in
//! `ompi_coll_base_scatter_intra_basic_linear`).

use super::{Round, Schedule};

pub(super) struct Backwards<S>(pub(super) S);

impl<S: Schedule> Schedule for Backwards<S> {
    fn rounds(&self) -> usize {
        self.0.rounds()
    }

    fn round(&self, index: usize, round: &mut Round) {
        self.0.round(index, round);
        std::mem::swap(&mut round.sends, &mut round.receives);
    }
}
