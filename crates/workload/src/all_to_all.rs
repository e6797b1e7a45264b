//! All-to-all: every rank sends one message to every other.

use crate::steps::Half;
use crate::{Counted, Entry, Order, Period, Steps, Uniform, WorkloadError, shifted, total};
use weir_units::{Bytes, Rank};

/// In which order a rank serves the others (paper 000, section 6.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Step p sends to `(src + p) mod N` (equation 1; A2ASS there).
    #[default]
    SimpleSpread,
    /// Ranks stand on a grid X x Y, rank = x + X y; step p sends `p mod X` along x and `p / X` along y, both closed to
    /// rings (equation 2, which has X = Y = n; A2ASS2D there).
    SimpleSpread2d {
        /// X and Y; their product must be the number of ranks.
        grid: [u32; 2],
    },
    /// Step p exchanges with `src xor p` (equation 3; A2APW there). N must be a power of two.
    Pairwise,
}

/// The all-to-all pattern: steps `p = 1 .. N - 1`, perhaps several times.
#[derive(Clone, Debug)]
pub struct AllToAll {
    ranks: u32,
    bytes: Bytes,
    algorithm: Algorithm,
    steps: Steps,
    exchanges: u64,
}

impl AllToAll {
    /// A pattern of so many ranks with a message of so many bytes for each other, once.
    ///
    /// # Errors
    /// When the algorithm is pairwise and the number of ranks is not a power of two, or when it is simple-spread-2d
    /// and the grid has another number of places.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn new(
        ranks: usize,
        bytes: Bytes,
        algorithm: Algorithm,
        steps: Steps,
    ) -> Result<Self, WorkloadError> {
        match algorithm {
            Algorithm::Pairwise if !ranks.is_power_of_two() => {
                let what =
                    format!("pairwise needs a number of ranks that is a power of two, and {ranks} is not");
                let hint = "use simple-spread, which takes any number of ranks";
                return Err(WorkloadError::new("algorithm", what, hint));
            }
            Algorithm::SimpleSpread2d { grid: [x, y] } if u64::from(x) * u64::from(y) != ranks as u64 => {
                return Err(WorkloadError::grid_size(&[x, y], ranks));
            }
            _ => {}
        }
        Ok(Self { ranks: Rank::new(ranks).0, bytes, algorithm, steps, exchanges: 1 })
    }

    /// The same, so many times one after the other.
    #[must_use]
    pub fn repeated(self, exchanges: u64) -> Self {
        Self { exchanges, ..self }
    }

    /// Messages of a rank in one exchange.
    fn others(&self) -> u64 {
        u64::from(self.ranks.saturating_sub(1))
    }

    /// Whom a rank sends to in a step.
    fn destination(&self, rank: Rank, step: u32) -> Rank {
        match self.algorithm {
            Algorithm::SimpleSpread => Rank(shifted(rank.0, step, self.ranks)),
            Algorithm::SimpleSpread2d { grid: [x, y] } => {
                let column = shifted(rank.0 % x, step % x, x);
                Rank(column + x * shifted(rank.0 / x, step / x, y))
            }
            Algorithm::Pairwise => Rank(rank.0 ^ step),
        }
    }

    /// Who sends to a rank in a step.
    fn source(&self, rank: Rank, step: u32) -> Rank {
        match self.algorithm {
            Algorithm::SimpleSpread => Rank(shifted(rank.0, self.ranks - step, self.ranks)),
            Algorithm::SimpleSpread2d { grid: [x, y] } => {
                let column = shifted(rank.0 % x, x - step % x, x);
                Rank(column + x * shifted(rank.0 / x, y - step / x, y))
            }
            Algorithm::Pairwise => Rank(rank.0 ^ step),
        }
    }
}

impl Order for AllToAll {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let (step, half) = self.steps.place(index);
        let others = self.others();
        if others == 0 || step / others >= self.exchanges {
            return None;
        }
        let step = (step % others + 1) as u32;
        Some(match half {
            Half::Send => Entry::send(self.destination(rank, step), self.bytes),
            Half::Await => Entry::Await { from: self.source(rank, step) },
        })
    }

    fn period(&self, _rank: Rank) -> Option<Period> {
        Period::of(self.others() * self.steps.entries())
    }

    fn ranks(&self) -> usize {
        self.ranks as usize
    }

    fn awaits(&self) -> bool {
        self.steps == Steps::Synchronised
    }
}

impl Counted for AllToAll {
    /// `N (N - 1)` per exchange.
    fn messages(&self) -> u64 {
        (u64::from(self.ranks) * self.others()).saturating_mul(self.exchanges)
    }

    fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }

    fn uniform(&self) -> Option<Uniform> {
        let grid = match self.algorithm {
            Algorithm::SimpleSpread => vec![self.ranks],
            Algorithm::SimpleSpread2d { grid } => grid.to_vec(),
            Algorithm::Pairwise => return None,
        };
        if self.others() == 0 {
            return None;
        }
        let steps = self.others().saturating_mul(self.exchanges);
        Some(Uniform::spread(grid, steps, self.bytes).with_awaited(self.awaits().then_some(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destinations(algorithm: Algorithm) -> Vec<u32> {
        let pattern = AllToAll::new(16, Bytes(1), algorithm, Steps::FreeRunning).unwrap();
        let entries = (0..).map_while(|index| pattern.entry(Rank(1), index));
        entries
            .map(|entry| match entry {
                Entry::Send { to, .. } => to.0,
                _ => panic!("free-running steps only send"),
            })
            .collect()
    }

    /// Paper 000, figure 5: node 1 of the 4 x 4 torus, 15 steps.
    #[test]
    fn the_order_is_that_of_figure_5() {
        assert_eq!(
            destinations(Algorithm::SimpleSpread),
            [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0]
        );
        assert_eq!(
            destinations(Algorithm::SimpleSpread2d { grid: [4, 4] }),
            [2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12]
        );
        assert_eq!(destinations(Algorithm::Pairwise), [0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]);
    }

    /// Rank 1 of 4: step 1 to 2 and from 0, step 2 to 3 and from 3, step 3 to 0 and from 2; pairwise with 0, 3, 2.
    #[test]
    fn synchronised_steps_await_their_own_message() {
        let check = |algorithm, expected: [(u32, u32); 3]| {
            let pattern = AllToAll::new(4, Bytes(5), algorithm, Steps::Synchronised).unwrap();
            let entries: Vec<_> = (0..).map_while(|index| pattern.entry(Rank(1), index)).collect();
            let step = |(to, from)| [Entry::send(Rank(to), Bytes(5)), Entry::Await { from: Rank(from) }];
            assert_eq!(entries, expected.map(step).concat(), "{algorithm:?}");
        };
        check(Algorithm::SimpleSpread, [(2, 0), (3, 3), (0, 2)]);
        check(Algorithm::Pairwise, [(0, 0), (3, 3), (2, 2)]);
        // On the grid 2 x 2 rank 1 is (1, 0): steps (1, 0), (0, 1), (1, 1).
        check(Algorithm::SimpleSpread2d { grid: [2, 2] }, [(0, 0), (3, 3), (2, 2)]);
    }

    #[test]
    fn pairwise_needs_a_power_of_two() {
        let error = AllToAll::new(225, Bytes(20), Algorithm::Pairwise, Steps::FreeRunning).unwrap_err();
        assert_eq!(
            error.to_string(),
            "pairwise needs a number of ranks that is a power of two, and 225 is not"
        );
        assert_eq!(
            (error.key(), error.hint()),
            ("algorithm", "use simple-spread, which takes any number of ranks")
        );
        assert!(AllToAll::new(225, Bytes(20), Algorithm::SimpleSpread, Steps::FreeRunning).is_ok());
        assert!(AllToAll::new(256, Bytes(20), Algorithm::Pairwise, Steps::FreeRunning).is_ok());
    }

    #[test]
    fn counts_equal_the_formulas() {
        let check = |ranks, messages, bytes| {
            let pattern =
                AllToAll::new(ranks, Bytes(20), Algorithm::SimpleSpread, Steps::FreeRunning).unwrap();
            assert_eq!(
                (pattern.messages(), pattern.bytes_total()),
                (messages, Bytes(bytes)),
                "{ranks} ranks"
            );
        };
        check(0, 0, 0);
        check(1, 0, 0);
        check(225, 225 * 224, 225 * 224 * 20);
        check(1_000_000, 999_999_000_000, 19_999_980_000_000);
    }

    /// A grid of 3 x 2: rank 4 is (1, 1). Steps (1,0), (2,0), (0,1), (1,1), (2,1).
    #[test]
    fn a_grid_need_not_be_square() {
        let algorithm = Algorithm::SimpleSpread2d { grid: [3, 2] };
        let pattern = AllToAll::new(6, Bytes(1), algorithm, Steps::Synchronised).unwrap();
        let entries: Vec<_> = (0..).map_while(|index| pattern.entry(Rank(4), index)).collect();
        let step = |(to, from)| [Entry::send(Rank(to), Bytes(1)), Entry::Await { from: Rank(from) }];
        assert_eq!(entries, [(5, 3), (3, 5), (1, 1), (2, 0), (0, 2)].map(step).concat());
        let error = AllToAll::new(7, Bytes(1), algorithm, Steps::FreeRunning).unwrap_err();
        assert_eq!(error.to_string(), "a grid of [3, 2] has 6 places, but there are 7 ranks");
    }

    #[test]
    fn exchanges_follow_each_other() {
        let once = AllToAll::new(5, Bytes(3), Algorithm::SimpleSpread, Steps::Synchronised).unwrap();
        let thrice = once.clone().repeated(3);
        let list = |pattern: &AllToAll| (0..).map_while(|i| pattern.entry(Rank(2), i)).collect::<Vec<_>>();
        assert_eq!(list(&thrice), [list(&once), list(&once), list(&once)].concat());
        assert_eq!((thrice.messages(), thrice.bytes_total()), (60, Bytes(180)));
    }
}
