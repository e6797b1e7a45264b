//! Ring: every rank sends to the next.

use crate::{Counted, Entry, Order, Period, Steps, Uniform, total};
use weir_units::{Bytes, Rank};

/// Every rank sends to rank + 1, the last one to rank 0, so many times. A single rank has no next one and sends
/// nothing.
#[derive(Clone, Debug)]
pub struct Ring {
    ranks: u32,
    bytes: Bytes,
    messages: u64,
    steps: Steps,
}

impl Ring {
    /// So many ranks, each of which sends `messages` messages of so many bytes. A synchronised step is a send to
    /// the next rank, then the receipt of one message from the rank before.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    #[must_use]
    pub fn new(ranks: usize, bytes: Bytes, messages: u64, steps: Steps) -> Self {
        Self { ranks: Rank::new(ranks).0, bytes, messages, steps }
    }
}

/// Messages along a closed stroke through all ranks, `each` per rank.
pub(crate) fn messages_of_stroke(ranks: u32, each: u64) -> u64 {
    if ranks < 2 { 0 } else { each.saturating_mul(u64::from(ranks)) }
}

/// Entry `index` of a rank that stands between two others on a closed stroke and sends `messages` messages.
pub(crate) fn entry_of_stroke(
    [before, next]: [Rank; 2],
    bytes: Bytes,
    messages: u64,
    steps: Steps,
    index: u64,
) -> Option<Entry> {
    if index / steps.entries() >= messages {
        return None;
    }
    Some(if index.is_multiple_of(steps.entries()) {
        Entry::send(next, bytes)
    } else {
        Entry::Await { from: before }
    })
}

impl Order for Ring {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        if self.ranks < 2 {
            return None;
        }
        let last = self.ranks - 1;
        let next = if rank.0 == last { 0 } else { rank.0 + 1 };
        let before = if rank.0 == 0 { last } else { rank.0 - 1 };
        entry_of_stroke([Rank(before), Rank(next)], self.bytes, self.messages, self.steps, index)
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

impl Counted for Ring {
    /// Messages of all ranks together: ranks times messages, none for a single rank; saturates.
    fn messages(&self) -> u64 {
        messages_of_stroke(self.ranks, self.messages)
    }

    /// Bytes of all messages together; saturates.
    fn bytes_total(&self) -> Bytes {
        total(self.messages(), self.bytes)
    }

    fn uniform(&self) -> Option<Uniform> {
        let ring = Uniform::same(vec![1], vec![self.ranks], self.messages, self.bytes);
        (self.ranks > 1).then(|| ring.with_awaited(self.awaits().then_some(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_sends_to_the_next() {
        let check = |steps, rank, expected: &[Entry]| {
            let ring = Ring::new(3, Bytes(7), 2, steps);
            let entries: Vec<_> = (0..).map_while(|index| ring.entry(Rank(rank), index)).collect();
            assert_eq!(entries, expected, "{steps:?}, rank {rank}");
        };
        let send = |to| Entry::send(Rank(to), Bytes(7));
        let receive = |from| Entry::Await { from: Rank(from) };
        check(Steps::FreeRunning, 0, &[send(1), send(1)]);
        check(Steps::FreeRunning, 2, &[send(0), send(0)]);
        check(Steps::Synchronised, 0, &[send(1), receive(2), send(1), receive(2)]);
        check(Steps::Synchronised, 2, &[send(0), receive(1), send(0), receive(1)]);
    }

    #[test]
    fn counts_equal_the_formulas() {
        let check = |ranks, messages, expected| {
            let ring = Ring::new(ranks, Bytes(3), messages, Steps::FreeRunning);
            assert_eq!((ring.messages(), ring.bytes_total()), (expected, Bytes(3 * expected)));
            let sent =
                (0..ranks).map(Rank::new).map(|rank| (0..).map_while(|i| ring.entry(rank, i)).count() as u64);
            assert_eq!(sent.sum::<u64>(), expected);
        };
        check(0, 10, 0);
        check(1, 10, 0);
        check(2, 10, 20);
        check(100, 0, 0);
        check(100, 10, 1000);
    }
}
