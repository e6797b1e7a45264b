//! Patterns whose ranks do not start at the same instant (paper 004, section 5.3).

use crate::forward::forward;
use crate::gap::Gap;
use crate::random::{Purpose, bits, fraction};
use crate::{Counted, Entry, Order, Period};
use weir_units::{Bytes, Duration, Rank};

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

impl<O: Order> WithStartTimes<O> {
    /// The pattern `order`, behind what `start` says.
    #[must_use]
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
    pub(crate) fn pauses(&self) -> bool {
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

    /// The pattern within.
    pub(crate) fn inner(&self) -> &O {
        &self.order
    }
}

impl<O: Order> Order for WithStartTimes<O> {
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

    forward!(self, self.order; ranks);

    fn awaits(&self) -> bool {
        self.steps > 0 || self.order.awaits()
    }

    fn only_sends(&self) -> bool {
        self.before() == 0 && self.order.only_sends()
    }
}

impl<O: Counted> Counted for WithStartTimes<O> {
    fn messages(&self) -> u64 {
        let barrier = self.ranks() as u64 * u64::from(self.steps);
        self.order.messages().saturating_add(barrier)
    }

    forward!(self, self.order; bytes_total bytes_at_most);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ring, Steps};

    fn entries(ranks: usize, start: Start, rank: u32) -> Vec<Entry> {
        let pattern = WithStartTimes::new(Ring::new(ranks, Bytes(9), 1, Steps::FreeRunning), start);
        (0..).map_while(|index| pattern.entry(Rank(rank), index)).collect()
    }

    #[test]
    fn ranks_pause_for_times_of_their_own() {
        let most = Duration::from_ns(1000);
        let start = |seed| Start { imbalance: most, seed, barrier: Barrier::None };
        let pauses: Vec<u64> = (0..1000)
            .map(|rank| match entries(1000, start(1), rank)[..] {
                [Entry::Pause { time }, Entry::Send { .. }] => time.as_ps(),
                ref other => panic!("{other:?}"),
            })
            .collect();
        assert!(pauses.iter().all(|&time| time <= most.as_ps()));
        let mean = pauses.iter().sum::<u64>() / 1000;
        assert!((460_000..=540_000).contains(&mean), "{mean}");
        assert_ne!(entries(8, start(1), 3), entries(8, start(2), 3));
        assert_eq!(entries(8, start(1), 3), entries(8, start(1), 3));
    }

    /// Five ranks: three steps, distances 1, 2 and 4.
    #[test]
    fn a_barrier_has_a_message_each_way_in_every_step() {
        let start = Start { barrier: Barrier::Dissemination, ..Start::default() };
        let post = |to| Entry::Post { to: Rank(to), bytes: Bytes::ZERO, wait: Duration::ZERO };
        let receive = |from| Entry::Await { from: Rank(from) };
        let found = entries(5, start, 3);
        let barrier = [post(4), receive(2), post(0), receive(1), post(2), receive(4)];
        assert_eq!(found[..6], barrier);
        assert_eq!(found[6..], [Entry::send(Rank(4), Bytes(9))]);
        let pattern = WithStartTimes::new(Ring::new(5, Bytes(9), 1, Steps::FreeRunning), start);
        assert_eq!((pattern.messages(), pattern.bytes_total()), (5 + 15, Bytes(45)));
        assert!(pattern.awaits() && !pattern.only_sends());
    }

    #[test]
    fn without_anything_before_it_a_pattern_is_itself() {
        assert_eq!(entries(3, Start::default(), 0), [Entry::send(Rank(1), Bytes(9))]);
    }
}
