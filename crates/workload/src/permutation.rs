//! Permutations: every rank sends to one other; among them rings, in the order of ranks or in random order (paper 002, section 3.1).

use crate::uniform::Moves;
use crate::{Entry, Period, Sequence, Steps, Totals, Uniform, WorkloadError, shifted, total};
use weir_topology::{Generator, permutation};
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
                let pairs = (0..).zip(permutation(ranks, seed, generator));
                return Ok(Self::table(ranks, bytes, pairs, messages, steps));
            }
        };
        Ok(Self { ranks: count, bytes, rule, messages, steps })
    }

    /// A ring: every rank sends to rank + 1, the last one to rank 0, `messages` messages of so many bytes. A single rank has no next one
    /// and sends nothing. A synchronised step is a send to the next rank, then the receipt of one message from the rank before.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn ring(ranks: usize, bytes: Bytes, messages: u64, steps: Steps) -> Self {
        Self::shift(ranks, bytes, 1, messages, steps)
    }

    /// A random [permutation] p closed to a ring: rank `p[i]` sends to rank `p[i + 1]`, the last one to `p[0]`, as in
    /// [`Self::ring`] (10 messages in paper 002).
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn random_ring(
        ranks: usize,
        bytes: Bytes,
        messages: u64,
        steps: Steps,
        seed: u64,
        generator: Generator,
    ) -> Self {
        let order = permutation(ranks, seed, generator);
        let next = order.iter().copied().cycle().skip(1);
        Self::table(ranks, bytes, order.iter().copied().zip(next), messages, steps)
    }

    /// The rank that a rank sends to: itself if it sends nothing.
    ///
    /// # Panics
    /// When there is no such rank.
    pub fn successor(&self, rank: Rank) -> Rank {
        self.neighbors(rank)[1]
    }

    /// Every rank sends to `rank + distance`, closed to a ring.
    fn shift(ranks: usize, bytes: Bytes, distance: u64, messages: u64, steps: Steps) -> Self {
        let ranks = Rank::new(ranks).0;
        let distance = (distance % u64::from(ranks.max(1))) as u32;
        Self { ranks, bytes, rule: Rule::Shift { distance }, messages, steps }
    }

    /// Every rank sends to the one that stands beside it in a pair.
    fn table(
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
    fn neighbors(&self, rank: Rank) -> [Rank; 2] {
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

impl Sequence for Permutation {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let [before, next] = self.neighbors(rank);
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

impl Totals for Permutation {
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
        let (grid, moves, awaited) =
            (vec![self.ranks], Moves::Same(vec![distance]), self.awaits().then_some(1));
        Some(Uniform { grid, steps: self.messages, bytes: self.bytes, awaited, moves })
    }
}
