//! Runs of eager messages from a rank to one receiver before it waits: the bound of what a receiver has to
//! keep, and of how far a rank that only sends runs ahead.
//!
//! ```text
//!   sent to the receiver   0 ........ half ............. all
//!                          | eager     |  eager           |
//!                                      one asks, and the  one asks, and the sender waits until
//!                                      sender goes on     this one or the one at half is cleared
//! ```
//! The clearance of the one at half shows that the receiver has come that far: what has been sent since then is what
//! counts. So ranks that send and receive in turn, in whatever order, never wait.

use weir_units::Rank;

/// The protocol of a message that is short enough to be sent eagerly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// Eagerly.
    Eager,
    /// By rendezvous, while the sender goes on: [`EagerRun::asks`] takes its number.
    Ahead,
    /// By rendezvous; the sender waits until this message is cleared or the one that has gone [`Self::Ahead`].
    Full,
    /// By rendezvous, and no other message is to be cleared.
    Alone,
}

/// Counts of eager messages by receiver, in memory that does not grow with the number of receivers.
///
/// The count of a receiver is never below the number of messages sent to it since one was cleared or waited for, and above
/// it only for ranks that send to many: the first quarter of what
/// [`Costs::eager_messages`](crate::Costs::eager_messages) allows is counted for all receivers together, and receivers
/// with low counts give way to others when there are more than [`Self::MOST`] (as in the lossy counting of Manku and
/// Motwani, VLDB 2002: whoever is not in the table has at most `floor`).
#[derive(Debug, Default)]
pub(super) struct EagerRun {
    /// To all receivers, up to a quarter of what is allowed.
    sent: u32,
    /// Where `sent` has come to its end.
    table: Option<Box<Table>>,
}

#[derive(Debug)]
struct Table {
    /// Sorted by receiver.
    counts: Vec<Count>,
    /// The most that a receiver which is not in `counts` has been sent.
    floor: u32,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    to: Rank,
    sent: u32,
    /// The number of the send that has gone ahead and is not cleared.
    ahead: Option<u32>,
    since: u32,
}

impl EagerRun {
    /// The most receivers that are counted one by one.
    const MOST: usize = 1024;

    /// Counts a message that is to go eagerly to `to`, to which `most` may go in a row.
    #[inline]
    pub(super) fn admit(&mut self, to: Rank, most: u32) -> Admission {
        if self.sent < most / 4 {
            self.sent += 1;
            return Admission::Eager;
        }
        self.admit_by_table(to, most)
    }

    /// The message that has just been admitted to go ahead is the send with this number.
    pub(super) fn asks(&mut self, to: Rank, id: u32) {
        if let Some(count) = self.count(to) {
            (count.ahead, count.since) = (Some(id), 0);
        }
    }

    /// A send to `to` is cleared; whether it is the one that has gone ahead.
    #[inline]
    pub(super) fn is_cleared(&mut self, to: Rank, id: u32) -> bool {
        let Some(count) = self.count(to).filter(|count| count.ahead == Some(id)) else { return false };
        count.ahead = None;
        count.sent = count.sent.min(count.since);
        true
    }

    /// A sender that waited because the run was full goes on: what was sent since the cleared message counts.
    pub(super) fn goes_on(&mut self, to: Rank) {
        if let Some(count) = self.count(to) {
            count.sent = count.since;
        }
    }

    /// Returns whether the last message that was to go eagerly to `to` had to ask, and its sender to wait.
    pub(super) fn asked(&self, to: Rank) -> bool {
        let table = self.table.as_deref();
        table.and_then(|table| Some(table.counts[table.place(to).ok()?].sent == 0)).unwrap_or(false)
    }

    fn count(&mut self, to: Rank) -> Option<&mut Count> {
        let table = self.table.as_deref_mut()?;
        let place = table.place(to).ok()?;
        Some(&mut table.counts[place])
    }

    #[inline(never)]
    fn admit_by_table(&mut self, to: Rank, most: u32) -> Admission {
        let sent = self.sent;
        let table = self.table.get_or_insert_with(|| Box::new(Table { counts: Vec::new(), floor: sent }));
        let count = table.count(to, most);
        count.since = count.since.saturating_add(1);
        if count.sent >= most {
            count.sent = 0;
            return if count.ahead.is_some() { Admission::Full } else { Admission::Alone };
        }
        count.sent += 1;
        // Of one message there is no half.
        let asks = count.ahead.is_none() && most > 1 && count.sent > most / 2;
        if asks { Admission::Ahead } else { Admission::Eager }
    }
}

impl Table {
    fn place(&self, to: Rank) -> Result<usize, usize> {
        self.counts.binary_search_by_key(&to, |count| count.to)
    }

    /// The count of a receiver, put in its place if it has none.
    fn count(&mut self, to: Rank, most: u32) -> &mut Count {
        let place = match self.place(to) {
            Ok(place) => place,
            Err(mut place) => {
                if self.counts.len() == EagerRun::MOST {
                    self.forget_the_lower_half(most);
                    place = self.counts.partition_point(|count| count.to < to);
                }
                self.counts.insert(place, Count { to, sent: self.floor, ahead: None, since: 0 });
                place
            }
        };
        &mut self.counts[place]
    }

    fn forget_the_lower_half(&mut self, most: u32) {
        let mut counts: Vec<u32> = self.counts.iter().map(|count| count.sent).collect();
        let (_, &mut median, _) = counts.select_nth_unstable(EagerRun::MOST / 2);
        self.floor = self.floor.max(median).min(most);
        self.counts.retain(|count| count.sent > median);
    }
}

#[cfg(test)]
mod tests {
    use super::Admission::{Ahead, Alone, Eager, Full};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Messages that nobody receives: one asks after half, the one after the allowed ones waits.
    #[test]
    fn to_one_receiver_that_does_not_receive() {
        let of = |most, count| {
            let mut run = EagerRun::default();
            let mut admit = |id| {
                let admission = run.admit(Rank(3), most);
                if admission == Ahead {
                    run.asks(Rank(3), id);
                }
                admission
            };
            (0..count).map(&mut admit).collect::<Vec<_>>()
        };
        assert_eq!(of(1, 4), [Eager, Alone, Eager, Alone]);
        assert_eq!(of(2, 4), [Eager, Ahead, Full, Eager]);
        assert_eq!(of(3, 4), [Eager, Ahead, Eager, Full]);
        assert_eq!(
            of(8, 10),
            [[Eager; 4], [Ahead, Eager, Eager, Eager]]
                .concat()
                .into_iter()
                .chain([Full, Eager])
                .collect::<Vec<_>>()
        );
    }

    /// The run goes on from the message that was cleared, whether the sender has waited or not.
    #[test]
    fn what_was_sent_since_the_cleared_one_counts() {
        let mut run = EagerRun::default();
        let admit = |run: &mut EagerRun, count| (0..count).map(|_| run.admit(Rank(3), 8)).collect::<Vec<_>>();
        assert_eq!(admit(&mut run, 5).pop(), Some(Ahead));
        run.asks(Rank(3), 7);
        assert_eq!(admit(&mut run, 2), [Eager; 2]);
        assert!(!run.is_cleared(Rank(3), 6) && !run.is_cleared(Rank(2), 7));
        assert!(run.is_cleared(Rank(3), 7) && !run.is_cleared(Rank(3), 7));
        // Two since then, two more to the half, and one that asks.
        assert_eq!(admit(&mut run, 3), [Eager, Eager, Ahead]);
        run.asks(Rank(3), 9);
        assert_eq!(admit(&mut run, 4), [Eager, Eager, Eager, Full]);
        assert!(run.asked(Rank(3)) && run.is_cleared(Rank(3), 9));
        run.goes_on(Rank(3));
        // Four since then, the one that waited among them.
        assert_eq!(admit(&mut run, 1), [Ahead]);
    }

    /// Sends to receivers in this order, each of which receives all that it has been sent where `receives` says so; how
    /// many it has not received at most, and how many of them the sender has waited for.
    fn most_kept(
        order: impl Iterator<Item = u32>,
        most: u32,
        mut receives: impl FnMut(u32) -> bool,
    ) -> BTreeMap<u32, (u32, u32)> {
        let mut run = EagerRun::default();
        let mut kept: BTreeMap<u32, (u32, u32, u32, Option<u32>)> = BTreeMap::new();
        for (id, to) in (0..).zip(order) {
            let (now, highest, waited, ahead) = kept.entry(to).or_default();
            let admission = run.admit(Rank(to), most);
            *now += 1;
            *waited += u32::from(matches!(admission, Full | Alone));
            if admission == Ahead {
                run.asks(Rank(to), id);
                *ahead = Some(id);
            }
            *highest = (*highest).max(*now - u32::from(matches!(admission, Full | Alone)));
            // Who waits is received, and all before it.
            if matches!(admission, Full | Alone) || receives(to) {
                *now = 0;
                if let Some(id) = ahead.take()
                    && run.is_cleared(Rank(to), id)
                    && admission == Full
                {
                    run.goes_on(Rank(to));
                }
            }
        }
        kept.into_iter().map(|(to, (_, highest, waited, _))| (to, (highest, waited))).collect()
    }

    proptest! {
        /// Whatever the order of receivers, and whenever they receive, none has to keep more than is allowed.
        #[test]
        fn nobody_keeps_more_than_allowed(
            order in prop::collection::vec(prop_oneof![0_u32..4, 0_u32..300], 0..3000),
            most in 1_u32..60,
            every in 1_u32..200,
            seed: u32,
        ) {
            let random = |i: u32| (i ^ seed).wrapping_mul(2_654_435_761) >> 8;
            let mut step = 0;
            let receives = |_| { step += 1; random(step) % every == 0 };
            for (to, (highest, _)) in most_kept(order.into_iter(), most, receives) {
                prop_assert!(highest <= most, "{highest} kept by {to}");
            }
        }

        /// The same where there are more receivers than are counted one by one, some of them sent to more often.
        #[test]
        fn nobody_keeps_more_than_allowed_among_many(seed: u32, often in 0_u32..100, most in 2_u32..20) {
            let random = |i: u32| (i ^ seed).wrapping_mul(2_654_435_761) >> 8;
            let order = (0..30_000).map(|i| if random(i) % 100 < often { i % 3 } else { random(i) % 5000 });
            for (to, (highest, _)) in most_kept(order, most, |_| false) {
                prop_assert!(highest <= most, "{highest} kept by {to}");
            }
        }

        /// A sender whose receivers are never behind by more than half of what is allowed does not wait.
        #[test]
        fn who_is_received_does_not_wait(
            order in prop::collection::vec(0_u32..300, 0..3000),
            most in 2_u32..60,
        ) {
            let mut open = BTreeMap::<u32, u32>::new();
            let receives = |to| {
                let open = open.entry(to).or_default();
                *open = (*open + 1) % (most / 2).max(1);
                *open == 0
            };
            for (to, (_, waited)) in most_kept(order.into_iter(), most, receives) {
                prop_assert!(waited == 0, "waited {waited} times for {to}");
            }
        }
    }

    /// Most ranks send little: they need no table.
    #[test]
    fn up_to_a_quarter_of_what_is_allowed_needs_no_table() {
        let mut run = EagerRun::default();
        assert!((0..25).all(|to| run.admit(Rank(to), 100) == Eager) && run.table.is_none());
        assert!(run.admit(Rank(0), 100) == Eager && run.table.is_some());
    }

    #[test]
    fn the_table_does_not_grow_with_the_receivers() {
        let mut run = EagerRun::default();
        for i in 0..200_000 {
            run.admit(Rank(i % 50_000), 100);
        }
        assert!(run.table.expect("many messages have been sent").counts.len() <= EagerRun::MOST);
    }
}
