//! All-to-all by simple spread (paper 000, equation 1): in step p a rank sends to the one p places on and receives
//! from the one p places back. Blocks may have different lengths, and empty ones are not sent. Workspace: blocks to
//! send in rank order, then blocks received in rank order.

use super::{Blocks, Place, Round, Schedule};

pub(super) struct SimpleSpread {
    pub(super) place: Place,
    pub(super) out: Blocks,
    pub(super) into: Blocks,
}

impl Schedule for SimpleSpread {
    fn rounds(&self) -> usize {
        self.place.size
    }

    fn round(&self, index: usize, round: &mut Round) {
        exchange(
            round,
            &self.out,
            &self.into,
            self.place.rank,
            self.place.after(index),
            self.place.before(index),
        );
    }
}

/// One step of an all-to-all: the block for `to` goes, the block of `from` comes.
pub(super) fn exchange(round: &mut Round, out: &Blocks, into: &Blocks, own: usize, to: usize, from: usize) {
    let shift = |range: std::ops::Range<usize>| range.start + out.total()..range.end + out.total();
    if to == own {
        round.copy(out.range(own), shift(into.range(own)).start);
        return;
    }
    if out.length(to) > 0 {
        round.send(to, out.range(to));
    }
    if into.length(from) > 0 {
        round.receive(from, shift(into.range(from)));
    }
}
