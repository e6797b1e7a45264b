//! Parts of a trace that are left out so that it can be opened, and the note about them.
//!
//! # Model
//! All ranks are drawn until the trace is as long as it may be. Then every second block of ranks next to each other is left
//! out, from the beginning of the run on, and so again: patterns between neighbors stay, and so do all parts of the machine.
//! When few ranks are drawn, calls that begin later are left out.

use weir_units::{Bytes, Rank, Time};

/// Ranks that are drawn or left out together.
const BLOCK: usize = 8;
/// Blocks that are drawn in any case.
const LEAST_BLOCKS: usize = 2;

/// Which ranks are drawn, and until when.
#[derive(Debug)]
pub(super) struct Limit {
    most: u64,
    /// Bytes of each rank that is drawn, and of all of them.
    written: Vec<u64>,
    sum: u64,
    /// Number of blocks of which the first one is drawn.
    stride: usize,
    /// Calls that begin later are not drawn.
    until: Option<Time>,
}

impl Limit {
    pub(super) fn new(most: Bytes, ranks: usize) -> Self {
        Self { most: most.0, written: vec![0; ranks], sum: 0, stride: 1, until: None }
    }

    pub(super) fn draws(&self, rank: Rank) -> bool {
        self.has(rank.index())
    }

    fn has(&self, rank: usize) -> bool {
        (rank / BLOCK).is_multiple_of(self.stride)
    }

    pub(super) fn draws_call(&self, rank: Rank, start: Time) -> bool {
        self.draws(rank) && self.until.is_none_or(|until| start <= until)
    }

    /// So much more has been written of a rank that is drawn, at an instant.
    pub(super) fn count(&mut self, rank: Rank, bytes: usize, at: Time) {
        self.written[rank.index()] += bytes as u64;
        self.sum += bytes as u64;
        while self.sum > self.most && self.until.is_none() {
            let blocks = self.written.len().div_ceil(BLOCK);
            if blocks.div_ceil(2 * self.stride) < LEAST_BLOCKS {
                self.until = Some(at);
                return;
            }
            self.stride *= 2;
            self.sum =
                (0..self.written.len()).filter(|&rank| self.has(rank)).map(|rank| self.written[rank]).sum();
        }
    }

    /// Returns whether the file has something that is to be taken out again.
    pub(super) fn has_dropped(&self) -> bool {
        self.stride > 1
    }

    /// Description of the parts that have been left out, for people.
    pub(super) fn left_out(&self) -> Option<String> {
        let ranks = self.written.len();
        let drawn = (0..ranks).filter(|&rank| self.has(rank)).count();
        let some = (self.stride > 1).then(|| {
            let every = self.stride;
            format!("{drawn} of {ranks} ranks are drawn: of {every} times {BLOCK} ranks next to each other the first {BLOCK}")
        });
        let until = self.until.map(|until| format!("calls that begin after {until} are left out"));
        let parts: Vec<String> = some.into_iter().chain(until).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(limit: &Limit) -> Vec<usize> {
        (0..limit.written.len()).filter(|&rank| limit.has(rank)).collect()
    }

    /// 40 ranks, 5 blocks, room for 100 bytes. The 101st leaves every second block out, which takes 24 of 40 ranks; two of five
    /// blocks are the fewest.
    #[test]
    fn ranks_are_left_out_by_blocks() {
        let mut limit = Limit::new(Bytes(100), 40);
        let at = Time::from_ps;
        (0..40).for_each(|rank| limit.count(Rank(rank), 2, at(1)));
        limit.count(Rank(9), 20, at(2));
        assert_eq!((limit.left_out(), limit.sum), (None, 100));
        limit.count(Rank(0), 1, at(3));
        let expected: Vec<usize> = (0..8).chain(16..24).chain(32..40).collect();
        assert_eq!((drawn(&limit), limit.sum), (expected, 49));
        assert!(limit.has_dropped() && !limit.draws(Rank(9)));
        limit.count(Rank(0), 52, at(4));
        let expected: Vec<usize> = (0..8).chain(32..40).collect();
        assert_eq!((drawn(&limit), limit.sum), (expected, 85));
        limit.count(Rank(39), 16, at(5_000_000));
        assert!(limit.draws_call(Rank(39), at(5_000_000)) && !limit.draws_call(Rank(39), at(5_000_001)));
        assert!(!limit.draws_call(Rank(9), at(0)));
        let said = "16 of 40 ranks are drawn: of 4 times 8 ranks next to each other the first 8; calls that begin after 5 us are \
                    left out";
        assert_eq!(limit.left_out().unwrap(), said);
    }

    /// Few ranks are all drawn, up to an instant.
    #[test]
    fn few_ranks_are_cut_in_time() {
        let mut limit = Limit::new(Bytes(10), 16);
        limit.count(Rank(3), 11, Time::from_ps(7_000_000));
        assert!(!limit.has_dropped() && limit.draws(Rank(15)));
        assert_eq!(limit.left_out().unwrap(), "calls that begin after 7 us are left out");
    }
}
