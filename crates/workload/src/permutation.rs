//! Permutation: every rank sends to one other.

use crate::{Counted, Entry, Order, Period, Steps, Uniform, WorkloadError, shifted, total};
use weir_topology::Generator;
use weir_units::{Bytes, Rank};

/// Whom each rank sends to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermutationRule {
    /// The rank with the bits in the opposite order; the number of ranks must be a power of two.
    BitReverse,
    /// Ranks stand in a square, `rank = column + n row`; column and row change places. The number of ranks must be a
    /// square.
    Transpose,
    /// `rank + distance`, closed to a ring.
    Shift {
        /// The distance.
        distance: u64,
    },
    /// The rank at this place of a [permutation](weir_topology::permutation).
    Random {
        /// Seed of the permutation.
        seed: u64,
        /// Generator of the permutation.
        generator: Generator,
    },
}

/// The permutation pattern. Ranks that would send to themselves send nothing.
#[derive(Clone, Debug)]
pub struct Permutation {
    ranks: u32,
    bytes: Bytes,
    rule: Rule,
    messages: u64,
    steps: Steps,
}

/// A rule that has been checked, with what it needs to be fast.
#[derive(Clone, Debug)]
enum Rule {
    BitReverse {
        bits: u32,
    },
    Transpose {
        side: u32,
    },
    Shift {
        distance: u32,
    },
    /// The rank that sends to each rank, and the one it sends to.
    Table(Vec<[Rank; 2]>),
}

impl Permutation {
    /// A pattern of so many ranks, each of which sends `messages` messages of so many bytes. A synchronised step is a send, then the
    /// receipt of one message. Only a random permutation is stored.
    ///
    /// # Errors
    /// When the rule does not take this number of ranks.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn new(
        ranks: usize,
        bytes: Bytes,
        rule: PermutationRule,
        messages: u64,
        steps: Steps,
    ) -> Result<Self, WorkloadError> {
        let count = Rank::new(ranks).0;
        let refused = |name: &str, needed: &str| {
            let what = format!("{name} needs a number of ranks that is {needed}, and {ranks} is not");
            let hint = "use shift or random, which take any number of ranks";
            Err(WorkloadError::new("permutation", what, hint))
        };
        let rule = match rule {
            PermutationRule::BitReverse if !count.is_power_of_two() => {
                return refused("bit-reverse", "a power of two");
            }
            PermutationRule::BitReverse => Rule::BitReverse { bits: count.ilog2() },
            PermutationRule::Transpose => {
                let side = count.isqrt();
                if side * side != count {
                    return refused("transpose", "a square");
                }
                Rule::Transpose { side }
            }
            PermutationRule::Shift { distance } => {
                return Ok(Self::shift(ranks, bytes, distance, messages, steps));
            }
            PermutationRule::Random { seed, generator } => {
                let pairs = (0..).zip(weir_topology::permutation(ranks, seed, generator));
                return Ok(Self::table(ranks, bytes, pairs, messages, steps));
            }
        };
        Ok(Self { ranks: count, bytes, rule, messages, steps })
    }

    /// Every rank sends to `rank + distance`, closed to a ring.
    pub(crate) fn shift(ranks: usize, bytes: Bytes, distance: u64, messages: u64, steps: Steps) -> Self {
        let ranks = Rank::new(ranks).0;
        let distance = (distance % u64::from(ranks.max(1))) as u32;
        Self { ranks, bytes, rule: Rule::Shift { distance }, messages, steps }
    }

    /// Every rank sends to the one that stands beside it in a pair.
    pub(crate) fn table(
        ranks: usize,
        bytes: Bytes,
        pairs: impl Iterator<Item = (u32, u32)>,
        messages: u64,
        steps: Steps,
    ) -> Self {
        let mut table = vec![[Rank(0); 2]; ranks];
        for (from, to) in pairs {
            table[from as usize][1] = Rank(to);
            table[to as usize][0] = Rank(from);
        }
        Self { ranks: Rank::new(ranks).0, bytes, rule: Rule::Table(table), messages, steps }
    }

    /// Who sends to a rank, and whom it sends to: itself where it is not moved.
    pub(crate) fn neighbours(&self, rank: Rank) -> [Rank; 2] {
        match &self.rule {
            Rule::BitReverse { bits: 0 } => [rank; 2],
            Rule::BitReverse { bits } => [Rank(rank.0.reverse_bits() >> (32 - bits)); 2],
            Rule::Transpose { side } => [Rank(rank.0 % side * side + rank.0 / side); 2],
            Rule::Shift { distance } => {
                let by = |distance| Rank(shifted(rank.0, distance, self.ranks));
                [by(self.ranks - distance), by(*distance)]
            }
            Rule::Table(table) => table[rank.index()],
        }
    }

    /// Number of ranks that stay where they are.
    fn unmoved(&self) -> u64 {
        match &self.rule {
            // The first half of the bits says what the second is.
            Rule::BitReverse { bits } => 1 << bits.div_ceil(2),
            Rule::Transpose { side } => u64::from(*side),
            Rule::Shift { distance: 0 } => u64::from(self.ranks),
            Rule::Shift { .. } => 0,
            Rule::Table(table) => {
                let unmoved = table.iter().enumerate().filter(|(rank, [_, to])| to.index() == *rank);
                unmoved.count() as u64
            }
        }
    }
}

impl Order for Permutation {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let [before, next] = self.neighbours(rank);
        if next == rank || index / self.steps.entries() >= self.messages {
            return None;
        }
        Some(if index.is_multiple_of(self.steps.entries()) {
            Entry::send(next, self.bytes)
        } else {
            Entry::Await { from: before }
        })
    }

    fn period(&self, _rank: Rank) -> Option<Period> {
        Period::of(self.steps.entries())
    }

    fn ranks(&self) -> usize {
        self.ranks as usize
    }

    fn awaits(&self) -> bool {
        self.steps == Steps::Synchronised
    }
}

impl Counted for Permutation {
    /// `messages` for each rank that does not stay where it is: of N = 2^b ranks 2^ceil(b / 2) stay in a bit reversal,
    /// of n^2 ranks n in a transposition, all or none in a shift.
    fn messages(&self) -> u64 {
        (u64::from(self.ranks) - self.unmoved()).saturating_mul(self.messages)
    }

    fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }

    fn uniform(&self) -> Option<Uniform> {
        let Rule::Shift { distance: distance @ 1.. } = self.rule else { return None };
        let shift = Uniform::same(vec![distance], vec![self.ranks], self.messages, self.bytes);
        Some(shift.with_awaited(self.awaits().then_some(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whom each rank sends to; itself if it sends nothing.
    #[track_caller]
    fn check(rule: PermutationRule, expected: &[u32]) {
        let pattern = Permutation::new(expected.len(), Bytes(3), rule, 2, Steps::Synchronised).unwrap();
        let mut messages = 0;
        for (rank, &to) in (0..).map(Rank).zip(expected) {
            let entries: Vec<_> = (0..).map_while(|index| pattern.entry(rank, index)).collect();
            let from = expected.iter().position(|&to| to == rank.0).unwrap();
            let step = [Entry::send(Rank(to), Bytes(3)), Entry::Await { from: Rank::new(from) }];
            let expected = if to == rank.0 { Vec::new() } else { step.repeat(2) };
            assert_eq!(entries, expected, "rank {rank}");
            messages += expected.len() as u64 / 2;
        }
        assert_eq!((pattern.messages(), pattern.bytes_total()), (messages, Bytes(3 * messages)));
    }

    #[test]
    fn rules_by_hand() {
        check(PermutationRule::BitReverse, &[0]);
        check(PermutationRule::BitReverse, &[0, 1]);
        check(PermutationRule::BitReverse, &[0, 4, 2, 6, 1, 5, 3, 7]);
        check(PermutationRule::BitReverse, &[0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]);
        check(PermutationRule::Transpose, &[0, 3, 6, 1, 4, 7, 2, 5, 8]);
        check(PermutationRule::Shift { distance: 2 }, &[2, 3, 4, 0, 1]);
        check(PermutationRule::Shift { distance: 9 }, &[4, 0, 1, 2, 3]);
        check(PermutationRule::Shift { distance: 5 }, &[0, 1, 2, 3, 4]);
        // The permutations of 5 and of 8 with seeds 1 and 0: one moves all ranks but 4, the other keeps 4 and 5.
        check(PermutationRule::Random { seed: 1, generator: Generator::Lcg }, &[3, 2, 0, 1, 4]);
        check(PermutationRule::Random { seed: 0, generator: Generator::Lcg }, &[3, 0, 2, 4, 5, 6, 1, 7]);
    }

    #[test]
    fn rules_that_do_not_take_a_number_of_ranks() {
        let check = |ranks, rule, expected: &str| {
            let error = Permutation::new(ranks, Bytes(1), rule, 1, Steps::FreeRunning).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.key()), (expected, "permutation"));
        };
        let bits = "bit-reverse needs a number of ranks that is a power of two, and 12 is not";
        check(12, PermutationRule::BitReverse, bits);
        let square = "transpose needs a number of ranks that is a square, and 32 is not";
        check(32, PermutationRule::Transpose, square);
    }
}
