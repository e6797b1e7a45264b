//! All-to-all: every rank sends one message to every other, straight or by Bruck's few steps, in which blocks travel by way of other ranks.

use crate::order::{Half, in_round};
use crate::uniform::Moves;
use crate::{Entry, Period, Sequence, Steps, Totals, Uniform, WorkloadError, shifted, total};
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
        self.peer(rank, step, |by, _| by)
    }

    /// Who sends to a rank in a step.
    fn source(&self, rank: Rank, step: u32) -> Rank {
        self.peer(rank, step, |by, size| size - by)
    }

    /// `way`: a distance along a side of so many ranks, forwards or back.
    fn peer(&self, rank: Rank, step: u32, way: impl Fn(u32, u32) -> u32) -> Rank {
        match self.algorithm {
            Algorithm::SimpleSpread => Rank(shifted(rank.0, way(step, self.ranks), self.ranks)),
            Algorithm::SimpleSpread2d { grid: [x, y] } => {
                let column = shifted(rank.0 % x, way(step % x, x), x);
                Rank(column + x * shifted(rank.0 / x, way(step / x, y), y))
            }
            Algorithm::Pairwise => Rank(rank.0 ^ step),
        }
    }
}

impl Sequence for AllToAll {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let (step, half) = self.steps.place(index);
        let step = (in_round(step, self.others(), self.exchanges)? + 1) as u32;
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

impl Totals for AllToAll {
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
        let awaited = self.awaits().then_some(1);
        Some(Uniform { grid, steps, bytes: self.bytes, awaited, moves: Moves::Spread })
    }

    fn is_all_to_all(&self) -> bool {
        true
    }
}

/// All-to-all in ceil(log2 N) steps (Bruck et al., "Efficient algorithms for all-to-all communications in multiport
/// message-passing systems", IEEE TPDS 8 (1997), with radix 2). A rank numbers its blocks by the distance to their
/// destinations, 0 to N - 1. In step k it sends all blocks whose number has bit k to rank + 2^k, in one message, and
/// awaits the message of rank - 2^k, which has blocks that it passes on later.
#[derive(Clone, Debug)]
pub struct Bruck {
    ranks: u32,
    bytes: Bytes,
    exchanges: u64,
}

impl Bruck {
    /// A pattern of so many ranks with a block of so many bytes for each other, `exchanges` times.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn new(ranks: usize, bytes: Bytes, exchanges: u64) -> Self {
        Self { ranks: Rank::new(ranks).0, bytes, exchanges }
    }
}

impl Sequence for Bruck {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let (step, half) = Steps::Synchronised.place(index);
        let bit = in_round(step, bits_for(self.ranks).into(), self.exchanges)? as u32;
        let (distance, ranks) = (1_u64 << bit, u64::from(self.ranks));
        Some(match half {
            Half::Send => {
                let to = (u64::from(rank.0) + distance) % ranks;
                Entry::send(Rank(to as u32), total(numbers_with_bit(self.ranks, bit), self.bytes))
            }
            Half::Await => {
                let from = (u64::from(rank.0) + ranks - distance) % ranks;
                Entry::Await { from: Rank(from as u32) }
            }
        })
    }

    fn period(&self, _rank: Rank) -> Option<Period> {
        Period::of(u64::from(bits_for(self.ranks)) * Steps::Synchronised.entries())
    }

    fn ranks(&self) -> usize {
        self.ranks as usize
    }
}

impl Totals for Bruck {
    /// `N ceil(log2 N)` per exchange.
    fn messages(&self) -> u64 {
        (u64::from(self.ranks) * u64::from(bits_for(self.ranks))).saturating_mul(self.exchanges)
    }

    /// A block travels once for every bit of its number.
    fn bytes_total(&self) -> Bytes {
        let blocks = u64::from(self.ranks).saturating_mul(bits_below(self.ranks));
        total(blocks.saturating_mul(self.exchanges), self.bytes)
    }
}

/// Counts the numbers of `0 .. n` that have this bit set, counted from the lowest. Each full period of 2^(bit + 1) numbers
/// has 2^bit of them, the half that comes last.
///
/// # Panics
/// When the bit is not below 32.
pub(crate) fn numbers_with_bit(n: u32, bit: u32) -> u64 {
    assert!(bit < 32, "a rank has 32 bits");
    let (n, period) = (u64::from(n), 2_u64 << bit);
    n / period * (period / 2) + (n % period).saturating_sub(period / 2)
}

/// All bits that are set in the numbers `0 .. n` together.
pub(crate) fn bits_below(n: u32) -> u64 {
    (0..32).map(|bit| numbers_with_bit(n, bit)).sum()
}

/// Number of bits of the numbers `0 .. n`: ceil(log2 n).
pub(crate) fn bits_for(n: u32) -> u32 {
    n.saturating_sub(1).checked_ilog2().map_or(0, |highest| highest + 1)
}
