//! How many eager messages in a row a rank sends to one receiver before one asks first: the bound of what a receiver
//! has to keep, and of how far a rank that only sends runs ahead.

use weir_units::Rank;

/// Counts of eager messages by receiver, in memory that does not grow with the number of receivers.
///
/// The count of a receiver is never below the number of messages sent to it since one has asked, and above it only for
/// ranks that send to many: the first half of what [`Costs::eager_messages`](crate::Costs::eager_messages) allows is
/// counted for all receivers together, and receivers with low counts give way to others when there are more than
/// [`Self::MOST`] (as in the lossy counting of Manku and Motwani, VLDB 2002: whoever is not in the table has at most
/// `floor`).
#[derive(Debug, Default)]
pub(super) struct EagerRun {
    /// To all receivers, up to half of what is allowed.
    sent: u32,
    /// Where `sent` has come to its end.
    table: Option<Box<Table>>,
}

#[derive(Debug)]
struct Table {
    /// Sorted by receiver.
    counts: Vec<(Rank, u32)>,
    /// The most that a receiver which is not in `counts` has been sent.
    floor: u32,
}

impl EagerRun {
    /// The most receivers that are counted one by one.
    const MOST: usize = 1024;

    /// Counts a message that is to go eagerly to `to`; false: `most` have, and this one has to ask.
    #[inline]
    pub(super) fn admits(&mut self, to: Rank, most: u32) -> bool {
        if self.sent < most / 2 {
            self.sent += 1;
            return true;
        }
        self.admits_by_table(to, most)
    }

    /// Whether the last message that was to go eagerly to `to` had to ask.
    pub(super) fn asked(&self, to: Rank) -> bool {
        let table = self.table.as_deref();
        table.is_some_and(|table| {
            let place = table.counts.binary_search_by_key(&to, |&(rank, _)| rank);
            place.is_ok_and(|place| table.counts[place].1 == 0)
        })
    }

    #[inline(never)]
    fn admits_by_table(&mut self, to: Rank, most: u32) -> bool {
        let sent = self.sent;
        let table = self.table.get_or_insert_with(|| Box::new(Table { counts: Vec::new(), floor: sent }));
        let count = table.count(to, most);
        let admitted = *count < most;
        *count = if admitted { *count + 1 } else { 0 };
        admitted
    }
}

impl Table {
    /// The count of a receiver, put in its place if it has none.
    fn count(&mut self, to: Rank, most: u32) -> &mut u32 {
        let place = match self.counts.binary_search_by_key(&to, |&(rank, _)| rank) {
            Ok(place) => place,
            Err(mut place) => {
                if self.counts.len() == EagerRun::MOST {
                    self.forget_the_lower_half(most);
                    place = self.counts.partition_point(|&(rank, _)| rank < to);
                }
                self.counts.insert(place, (to, self.floor));
                place
            }
        };
        &mut self.counts[place].1
    }

    fn forget_the_lower_half(&mut self, most: u32) {
        let mut counts: Vec<u32> = self.counts.iter().map(|&(_, count)| count).collect();
        let (_, &mut median, _) = counts.select_nth_unstable(EagerRun::MOST / 2);
        self.floor = self.floor.max(median).min(most);
        self.counts.retain(|&(_, count)| count > median);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// How many messages of each receiver have gone eagerly since one has asked, at most.
    fn longest_runs(receivers: impl Iterator<Item = u32>, most: u32) -> BTreeMap<u32, (u32, u32)> {
        let mut run = EagerRun::default();
        let mut counts: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for to in receivers {
            let (now, longest) = counts.entry(to).or_default();
            *now = if run.admits(Rank(to), most) { *now + 1 } else { 0 };
            *longest = (*longest).max(*now);
        }
        counts
    }

    #[test]
    fn to_one_receiver_each_one_after_the_allowed_ones_asks() {
        for most in [0, 1, 2, 7, 100] {
            let mut run = EagerRun::default();
            let asked: Vec<u32> = (0..500).filter(|_| !run.admits(Rank(3), most)).collect();
            assert_eq!(asked, (0..500).filter(|i| i % (most + 1) == most).collect::<Vec<_>>(), "{most}");
        }
    }

    proptest! {
        /// Whatever the order of receivers, no receiver gets more in a row than is allowed, and none is asked who has been
        /// sent less than half of it, as long as the table holds all.
        #[test]
        fn nobody_gets_more_than_allowed(
            receivers in prop::collection::vec(prop_oneof![0_u32..4, 0_u32..300], 0..3000),
            most in 1_u32..60,
        ) {
            let mut run = EagerRun::default();
            let mut since: BTreeMap<u32, u32> = BTreeMap::new();
            for to in receivers {
                let count = since.entry(to).or_default();
                if run.admits(Rank(to), most) {
                    *count += 1;
                    prop_assert!(*count <= most);
                } else {
                    prop_assert!(*count >= most - most / 2, "asked after {count} of {most}");
                    prop_assert!(run.asked(Rank(to)));
                    *count = 0;
                }
            }
        }

        /// The same where there are more receivers than are counted one by one, some of them sent to more often.
        #[test]
        fn nobody_gets_more_than_allowed_among_many(seed: u32, often in 0_u32..100, most in 2_u32..20) {
            let random = |i: u32| (i ^ seed).wrapping_mul(2_654_435_761) >> 8;
            let receivers = (0..30_000).map(|i| if random(i) % 100 < often { i % 3 } else { random(i) % 5000 });
            for (to, (_, longest)) in longest_runs(receivers, most) {
                prop_assert!(longest <= most, "{longest} in a row to {to}");
            }
        }
    }

    /// Most ranks send little: they need no table.
    #[test]
    fn up_to_half_of_what_is_allowed_needs_no_table() {
        let mut run = EagerRun::default();
        assert!((0..50).all(|to| run.admits(Rank(to), 100)) && run.table.is_none());
        assert!(run.admits(Rank(0), 100) && run.table.is_some());
    }

    #[test]
    fn the_table_does_not_grow_with_the_receivers() {
        let mut run = EagerRun::default();
        for i in 0..200_000 {
            run.admits(Rank(i % 50_000), 100);
        }
        assert!(run.table.expect("many messages have been sent").counts.len() <= EagerRun::MOST);
    }
}
