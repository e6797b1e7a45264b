//! All-to-all with all messages at once, or a window of them (Open MPI 4.1 `coll/base`,
//! `ompi_coll_base_alltoall_intra_basic_linear` and `..._linear_sync`): receives from the next rank on, upwards, and sends from
//! the rank before on, downwards, so that messages come in the order in which they are awaited. Where Open MPI
//! replaces each message of its window as soon as it is through, here the window is through as a whole. Workspace as for
//! simple spread.

use super::alltoall_simple_spread::exchange;
use super::{Blocks, Place, Round, Schedule};

pub(super) struct Linear {
    place: Place,
    out: Blocks,
    into: Blocks,
    /// Messages under way at a time, in each direction; at least 1.
    window: usize,
}

impl Linear {
    /// `window`: messages under way at a time in each direction; `None` is all.
    pub(super) fn new(place: Place, out: Blocks, into: Blocks, window: Option<usize>) -> Self {
        let others = place.size.saturating_sub(1).max(1);
        Self { place, out, into, window: window.unwrap_or(others).clamp(1, others) }
    }
}

impl Schedule for Linear {
    fn rounds(&self) -> usize {
        // The own block is copied in the first round, also where there is no other.
        (self.place.size - 1).div_ceil(self.window).max(1)
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Place { rank, size } = self.place;
        if index == 0 {
            exchange(round, &self.out, &self.into, rank, rank, rank);
        }
        let first = index * self.window + 1;
        for step in first..(first + self.window).min(size) {
            let (to, from) = (self.place.before(step), self.place.after(step));
            exchange(round, &self.out, &self.into, rank, to, from);
        }
    }
}
