//! Patterns whose ranks take longer, or not as long, for what they compute.

use crate::forward::forward;
use crate::{Counted, Entry, Order};
use weir_network::WorkFactors;
use weir_units::Rank;

/// Another pattern in which pauses, and what ranks wait before they send, take so many times as long.
#[derive(Clone, Debug)]
pub struct ScaledWork<O> {
    order: O,
    work: WorkFactors,
}

impl<O: Order> ScaledWork<O> {
    /// The pattern `order`, in which the work of each rank takes as long as `work` says.
    #[must_use]
    pub fn new(order: O, work: WorkFactors) -> Self {
        Self { order, work }
    }

    /// The pattern within.
    pub(crate) fn inner(&self) -> &O {
        &self.order
    }
}

impl<O: Order> Order for ScaledWork<O> {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let scaled = |time| self.work.scaled(rank, time);
        Some(match self.order.entry(rank, index)? {
            Entry::Send { to, bytes, wait } => Entry::Send { to, bytes, wait: scaled(wait) },
            Entry::Post { to, bytes, wait } => Entry::Post { to, bytes, wait: scaled(wait) },
            Entry::Pause { time } => Entry::Pause { time: scaled(time) },
            Entry::Await { from } => Entry::Await { from },
        })
    }

    forward!(self, self.order; gap period ranks awaits only_sends);
}

impl<O: Counted> Counted for ScaledWork<O> {
    forward!(self, self.order; counted);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pattern, Ring, Script, Start, Steps, WithStartTimes};
    use std::sync::Arc;
    use weir_units::{Bytes, Duration};

    /// Times of ranks 0 and 1, of which only those of rank 1 are half as long; messages are what they were.
    #[test]
    fn pauses_and_waits_of_its_ranks_change() {
        let (bytes, wait) = (Bytes(9), Duration::from_ns(4));
        let of = |to: u32, wait, time| {
            let to = Rank(to);
            vec![
                Entry::Send { to, bytes, wait },
                Entry::Post { to, bytes, wait },
                Entry::Await { from: to },
                Entry::Pause { time },
            ]
        };
        let entries = |pattern: &ScaledWork<Script>, rank| -> Vec<Entry> {
            (0..).map_while(|index| pattern.entry(Rank(rank), index)).collect()
        };
        let script = Script::new(vec![of(1, wait, wait * 5), of(0, wait, wait * 5)]).unwrap();
        let half = ScaledWork::new(script, WorkFactors::default().times(&[1..=1], 0.5));
        assert_eq!(entries(&half, 0), of(1, wait, wait * 5));
        assert_eq!(entries(&half, 1), of(0, Duration::from_ns(2), Duration::from_ns(10)));
        assert_eq!((half.messages(), half.bytes_total()), (4, Bytes(36)));
    }

    #[test]
    fn whether_ranks_compute() {
        let ring = || Pattern::Ring(Ring::new(3, Bytes(9), 1, Steps::FreeRunning));
        let started = |imbalance| {
            Pattern::WithStartTimes(Box::new(WithStartTimes::new(
                ring(),
                Start { imbalance, ..Start::default() },
            )))
        };
        let script = |entry| Pattern::Script(Arc::new(Script::new(vec![vec![entry], vec![]]).unwrap()));
        let wait = Duration::from_ns(1);
        let (to, bytes) = (Rank(1), Bytes(1));
        let found = [
            ring(),
            started(Duration::ZERO),
            started(wait),
            Pattern::ScaledWork(Box::new(ScaledWork::new(started(wait), WorkFactors::default()))),
            script(Entry::send(to, bytes)),
            script(Entry::Post { to, bytes, wait }),
            script(Entry::Pause { time: wait }),
        ];
        assert_eq!(found.map(|pattern| pattern.computes()), [false, false, true, true, false, true, true]);
    }
}
