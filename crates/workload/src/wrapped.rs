//! Patterns that are made of another one, some of them with numbers that look random and follow from where they are used.

use crate::order::in_round;
use crate::{Entry, Gap, Period, Sequence, Totals};
use std::sync::Arc;
use weir_network::WorkFactors;
use weir_units::{Bytes, Duration, Rank, mix};

/// The start of the ranks of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The largest delay: each rank pauses first for a time drawn uniformly from 0 up to this. The imbalance factor of
    /// paper 004.
    pub imbalance: Duration,
    /// Seed of the draws.
    pub seed: u64,
    /// Says whether ranks begin when they leave a barrier.
    pub barrier: Barrier,
}

/// A step of ranks before a pattern, behind their delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Barrier {
    /// No barrier.
    #[default]
    None,
    /// A dissemination barrier in software (Hensgen, Finkel, Manber: "Two algorithms for barrier synchronization", 1988):
    /// in step k rank r sends an empty message to rank r + 2^k and awaits that of rank r - 2^k.
    Dissemination,
}

/// Another pattern, begun at different instants.
#[derive(Clone, Debug)]
pub struct WithStartTimes<O> {
    order: O,
    start: Start,
    /// Steps of the barrier.
    steps: u32,
}

impl<O: Totals> WithStartTimes<O> {
    /// The pattern `order`, behind what `start` says.
    pub fn new(order: O, start: Start) -> Self {
        let ranks = order.ranks();
        let steps = match start.barrier {
            Barrier::Dissemination if ranks > 1 => usize::BITS - (ranks - 1).leading_zeros(),
            Barrier::Dissemination | Barrier::None => 0,
        };
        Self { order, start, steps }
    }

    /// Entries before those of the pattern.
    fn before(&self) -> u64 {
        u64::from(self.pauses()) + 2 * u64::from(self.steps)
    }

    /// Returns whether ranks pause first.
    fn pauses(&self) -> bool {
        self.start.imbalance > Duration::ZERO
    }

    fn delay(&self, rank: Rank) -> Duration {
        let drawn = fraction(bits(self.start.seed, rank, 0, Purpose::Start));
        Duration::from_ps((self.start.imbalance.as_ps() as f64 * drawn).round() as u64)
    }

    fn step(&self, rank: Rank, number: u64) -> Entry {
        let ranks = self.order.ranks() as u64;
        let distance = (1_u64 << (number / 2)) % ranks;
        let other = |shift: u64| Rank::new(((u64::from(rank.0) + shift) % ranks) as usize);
        if number.is_multiple_of(2) {
            Entry::Post { to: other(distance), bytes: Bytes::ZERO, wait: Duration::ZERO }
        } else {
            Entry::Await { from: other(ranks - distance) }
        }
    }
}

impl<O: Totals> Sequence for WithStartTimes<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let pauses = u64::from(self.pauses());
        match index {
            0 if self.pauses() => Some(Entry::Pause { time: self.delay(rank) }),
            _ if index < self.before() => Some(self.step(rank, index - pauses)),
            _ => self.order.entry(rank, index - self.before()),
        }
    }

    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        self.order.gap(rank, index.checked_sub(self.before())?)
    }

    fn period(&self, rank: Rank) -> Option<Period> {
        let Period { before, entries } = self.order.period(rank)?;
        Some(Period { before: self.before() + before, entries })
    }

    fn awaits(&self) -> bool {
        self.steps > 0 || self.order.awaits()
    }

    fn only_sends(&self) -> bool {
        self.before() == 0 && self.order.only_sends()
    }

    fn computes(&self) -> bool {
        self.pauses() || self.order.computes()
    }

    fn within(&self) -> Option<&dyn Totals> {
        Some(&self.order)
    }
}

impl<O: Totals> Totals for WithStartTimes<O> {
    fn messages(&self) -> u64 {
        let barrier = self.ranks() as u64 * u64::from(self.steps);
        self.order.messages().saturating_add(barrier)
    }
}

/// Another pattern with the size of each message drawn anew: uniformly from size x [1 - spread, 1 + spread), rounded to
/// whole bytes, at least 1 where it was not 0. A function of the seed, the sender and the number of its entry.
#[derive(Clone, Debug)]
pub struct RandomSizes<O> {
    order: O,
    spread: f64,
    seed: u64,
}

impl<O: Totals> RandomSizes<O> {
    /// The pattern `order` with sizes spread around its own; `spread` is from 0 on, below 1.
    ///
    /// # Panics
    /// When the spread is not in its range.
    pub fn new(order: O, spread: f64, seed: u64) -> Self {
        assert!((0.0..1.0).contains(&spread), "a spread of {spread} leaves no size");
        Self { order, spread, seed }
    }

    fn size(&self, bytes: Bytes, rank: Rank, index: u64) -> Bytes {
        if bytes == Bytes::ZERO {
            return bytes;
        }
        let drawn = fraction(bits(self.seed, rank, index, Purpose::Size));
        let factor = 1.0 - self.spread + 2.0 * self.spread * drawn;
        Bytes(((bytes.as_f64() * factor).round() as u64).max(1))
    }
}

impl<O: Totals> Sequence for RandomSizes<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        Some(match self.order.entry(rank, index)? {
            Entry::Send { to, bytes, wait } => Entry::Send { to, bytes: self.size(bytes, rank, index), wait },
            Entry::Post { to, bytes, wait } => Entry::Post { to, bytes: self.size(bytes, rank, index), wait },
            other @ (Entry::Await { .. } | Entry::Pause { .. }) => other,
        })
    }

    /// Sizes do not come again.
    fn period(&self, _rank: Rank) -> Option<Period> {
        None
    }

    fn within(&self) -> Option<&dyn Totals> {
        Some(&self.order)
    }
}

impl<O: Totals> Totals for RandomSizes<O> {
    /// O(entries): there is no formula.
    fn bytes_total(&self) -> Bytes {
        let ranks = (0..self.ranks()).map(Rank::new);
        let entries = ranks.flat_map(|rank| (0..).map_while(move |index| self.entry(rank, index)));
        let sizes = entries.filter_map(|entry| Some(entry.message()?.1.0));
        Bytes(sizes.fold(0, u64::saturating_add))
    }

    /// Every message is less than double its size, or one byte.
    fn bytes_at_most(&self) -> Bytes {
        let doubled = self.order.bytes_at_most().0.saturating_mul(2);
        Bytes(doubled.saturating_add(self.messages()))
    }
}

/// Another pattern several times, one after the other: each rank begins anew when it has come to its end, without a pause.
#[derive(Clone, Debug)]
pub struct Repeated<O> {
    order: O,
    rounds: u64,
    /// Number of entries of each rank.
    entries: Vec<u64>,
}

impl<O: Totals> Repeated<O> {
    /// The pattern `order` so many times; `u64::MAX` stands for no end.
    pub fn new(order: O, rounds: u64) -> Self {
        let entries = (0..order.ranks()).map(|rank| order.entries(Rank::new(rank))).collect();
        Self { order, rounds, entries }
    }

    /// A rank that has something to do, and nothing in it that takes time: without an end it would never come to one.
    pub fn rank_without_time(&self) -> Option<Rank> {
        let takes_time = |entry: Entry| match entry {
            Entry::Send { .. } | Entry::Await { .. } => true,
            Entry::Pause { time } => time > Duration::ZERO,
            Entry::Post { .. } => false,
        };
        let entries = |rank| (0..).map_while(move |index| self.order.entry(rank, index));
        (0..self.ranks())
            .map(Rank::new)
            .find(|&rank| self.entries[rank.index()] > 0 && !entries(rank).any(takes_time))
    }

    /// The entry of the pattern that is this one here; `None` behind the last.
    fn index(&self, rank: Rank, index: u64) -> Option<u64> {
        in_round(index, self.entries[rank.index()], self.rounds)
    }
}

impl<O: Totals> Sequence for Repeated<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        self.order.entry(rank, self.index(rank, index)?)
    }

    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        self.order.gap(rank, self.index(rank, index)?)
    }

    fn period(&self, rank: Rank) -> Option<Period> {
        Period::of(self.entries[rank.index()])
    }

    fn within(&self) -> Option<&dyn Totals> {
        Some(&self.order)
    }
}

impl<O: Totals> Totals for Repeated<O> {
    fn messages(&self) -> u64 {
        self.order.messages().saturating_mul(self.rounds)
    }

    fn bytes_total(&self) -> Bytes {
        Bytes(self.order.bytes_total().0.saturating_mul(self.rounds))
    }

    fn bytes_at_most(&self) -> Bytes {
        Bytes(self.order.bytes_at_most().0.saturating_mul(self.rounds))
    }
}

/// Another pattern in which pauses, and what ranks wait before they send, take so many times as long.
#[derive(Clone, Debug)]
pub struct ScaledWork<O> {
    order: O,
    work: WorkFactors,
}

impl<O: Totals> ScaledWork<O> {
    /// The pattern `order`, in which the work of each rank takes as long as `work` says.
    pub fn new(order: O, work: WorkFactors) -> Self {
        Self { order, work }
    }
}

impl<O: Totals> Sequence for ScaledWork<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let scaled = |time| self.work.scaled(rank, time);
        Some(match self.order.entry(rank, index)? {
            Entry::Send { to, bytes, wait } => Entry::Send { to, bytes, wait: scaled(wait) },
            Entry::Post { to, bytes, wait } => Entry::Post { to, bytes, wait: scaled(wait) },
            Entry::Pause { time } => Entry::Pause { time: scaled(time) },
            Entry::Await { from } => Entry::Await { from },
        })
    }

    fn within(&self) -> Option<&dyn Totals> {
        Some(&self.order)
    }
}

impl<O: Totals> Totals for ScaledWork<O> {}

/// Another pattern whose messages have gaps between their packets.
#[derive(Clone, Debug)]
pub struct WithGaps<O> {
    order: O,
    /// By rank and entry; a list is shorter where its last entries have none.
    gaps: Arc<Vec<Vec<Option<Gap>>>>,
}

impl<O: Totals> WithGaps<O> {
    /// The pattern `order`, in which entry `i` of rank `r` has the gap `gaps[r][i]`; `None` where the machine says it.
    pub fn new(order: O, gaps: impl Into<Arc<Vec<Vec<Option<Gap>>>>>) -> Self {
        Self { order, gaps: gaps.into() }
    }
}

impl<O: Totals> Sequence for WithGaps<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        self.order.entry(rank, index)
    }

    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        *self.gaps.get(rank.index())?.get(usize::try_from(index).ok()?)?
    }

    fn within(&self) -> Option<&dyn Totals> {
        Some(&self.order)
    }
}

impl<O: Totals> Totals for WithGaps<O> {}

/// One of so many entries of a pattern in which ranks only send: of every so many in a row one that is drawn, the same one for
/// all ranks, so that what ranks send together stays together. What a rank has at the end of its entries may be left out.
#[derive(Clone, Debug)]
pub struct Subsampled<O> {
    order: Arc<O>,
    one_of: u64,
}

impl<O: Sequence> Subsampled<O> {
    /// One of `one_of` entries of `order`.
    ///
    /// # Panics
    /// When `one_of` is 0, or ranks do more than send: an await would wait for a message that is left out.
    pub fn new(order: Arc<O>, one_of: u64) -> Self {
        assert!(one_of > 0 && order.only_sends());
        Self { order, one_of }
    }

    /// The entry of the pattern that is this one here.
    fn index(&self, index: u64) -> u64 {
        index.saturating_mul(self.one_of).saturating_add(mix(index) % self.one_of)
    }
}

impl<O: Sequence> Sequence for Subsampled<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        self.order.entry(rank, self.index(index))
    }

    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        self.order.gap(rank, self.index(index))
    }

    fn ranks(&self) -> usize {
        self.order.ranks()
    }

    fn awaits(&self) -> bool {
        false
    }
}

/// The purpose of a random number: the same place gives other bits for another purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Choice = 1,
    Destination = 2,
    Size = 3,
    Start = 4,
}

/// 64 bits that follow from the seed, the rank, the number of its entry and the purpose.
pub(crate) fn bits(seed: u64, rank: Rank, index: u64, purpose: Purpose) -> u64 {
    let of_rank = mix(mix(seed ^ purpose as u64) ^ u64::from(rank.0));
    mix(mix(of_rank) ^ index)
}

/// Bits as a number from 0 on, below 1, in steps of 2^-53.
pub(crate) fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 * (0.5_f64).powi(53)
}

/// Bits as a whole number below `n`. The bias is below n / 2^64.
pub(crate) fn below(bits: u64, n: u32) -> u32 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u32
}
