//! In which order messages of the same two ranks are there.
//!
//! A message that leaves before one that was handed over earlier waits for it at the receiver, as MPI asks, and as libraries do it that
//! number the messages of a connection. So does one that leaves later, and is there sooner by a shorter route: messages of two ranks have several
//! where a rule weighs queues, and where nodes have several cables. What [keeps no order](Message::keeps_order) goes its own way.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use weir_network::Message;
use weir_units::{Rank, Time};

/// Messages that have been handed over and are not on their way, where they may leave in another order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ArrivalOrder<B> {
    senders: Vec<Handing>,
    /// By sender; only as long as the last one that had several.
    lists: Vec<List<B>>,
}

/// Messages that a sender has handed over: 16 bytes, since it is looked at for each message.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
enum Handing {
    #[default]
    Nothing,
    /// A message with its receiver.
    One(u64, Rank),
    Several,
}

/// The messages of a sender.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct List<B> {
    /// In the order in which they were handed over.
    handed: VecDeque<Handed<B>>,
    /// Number of them that have left.
    held: usize,
}

/// A message that has been handed over.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Handed<B> {
    sequence: u64,
    to: Rank,
    /// The message once it has left, and when it would be there.
    left: Option<Box<(Message<B>, Time)>>,
}

impl<B> Default for ArrivalOrder<B> {
    fn default() -> Self {
        Self { senders: Vec::new(), lists: Vec::new() }
    }
}

impl<B> ArrivalOrder<B> {
    /// A message has been handed over, behind all others of its sender.
    pub(crate) fn hand_over(&mut self, message: &Message<B>) {
        let from = message.from.index();
        if self.senders.len() <= from {
            self.senders.resize(from + 1, Handing::Nothing);
        }
        let own = (message.sequence, message.to);
        let before = match self.senders[from] {
            Handing::Nothing => {
                self.senders[from] = Handing::One(own.0, own.1);
                return;
            }
            Handing::One(sequence, to) => Some((sequence, to)),
            Handing::Several => None,
        };
        self.senders[from] = Handing::Several;
        if self.lists.len() <= from {
            self.lists.resize_with(from + 1, || List { handed: VecDeque::new(), held: 0 });
        }
        let handed =
            before.into_iter().chain([own]).map(|(sequence, to)| Handed { sequence, to, left: None });
        self.lists[from].handed.extend(handed);
    }

    /// A message that was handed over has left, and would be there at an instant. Hands out those that are there now that it has, each
    /// with its instant, in their order. O(messages of its sender that were handed over before it).
    pub(crate) fn leave(&mut self, message: Message<B>, at: Time, mut arrives: impl FnMut(Message<B>, Time)) {
        let (to, sequence) = (message.to, message.sequence);
        let from = message.from.index();
        if let Handing::One(only, _) = self.senders[from] {
            debug_assert_eq!(only, sequence, "what leaves has been handed over");
            self.senders[from] = Handing::Nothing;
            return arrives(message, at);
        }
        let List { handed, held } = &mut self.lists[from];
        let is_alike = |other: &Handed<B>| other.to == to;
        let mut place = handed.iter().position(is_alike).expect("what leaves has been handed over");
        if handed[place].sequence != sequence {
            let own = handed.iter_mut().find(|other| other.sequence == sequence);
            own.expect("what leaves has been handed over").left = Some(Box::new((message, at)));
            *held += 1;
            return;
        }
        handed.remove(place);
        arrives(message, at);
        let mut last = at;
        while *held > 0
            && let Some(next) = handed.range(place..).position(is_alike)
        {
            place += next;
            let Some(left) = handed[place].left.take() else { return };
            handed.remove(place);
            *held -= 1;
            last = last.max(left.1);
            arrives(left.0, last);
        }
        if handed.is_empty() {
            self.senders[from] = Handing::Nothing;
        }
    }
}

/// The last arrivals of two ranks each, where routes from one to the other may have different latencies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LastArrivals {
    by_pair: BTreeMap<(Rank, Rank), Time>,
    /// With more of them, those that are over are forgotten.
    most: usize,
}

impl LastArrivals {
    /// When a message is there that leaves now and would be there at an instant: not before those that its sender has sent to the same receiver
    /// earlier.
    pub(crate) fn behind<B>(&mut self, message: &Message<B>, at: Time, now: Time) -> Time {
        if self.by_pair.len() > self.most {
            // A message that leaves now or later is not there before now.
            self.by_pair.retain(|_, last| *last > now);
            self.most = 2 * self.by_pair.len() + 64;
        }
        let last = self.by_pair.entry((message.from, message.to)).or_insert(at);
        *last = at.max(*last);
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use weir_network::Class;
    use weir_units::Bytes;

    fn message(to: u32, sequence: u64) -> Message<()> {
        Message {
            from: Rank(2),
            to: Rank(to),
            bytes: Bytes(1),
            class: Class::Data,
            sequence,
            replies_to: None,
            posted: Time::ZERO,
            started: Time::ZERO,
            way: None,
            trail: None,
            body: (),
        }
    }

    /// A message with a shorter route waits for the one before it, and not for those of another receiver. What has come is forgotten.
    #[test]
    fn a_shorter_route_is_no_way_to_overtake() {
        let mut last = LastArrivals::default();
        let mut behind = |to, at, now| {
            let at = last.behind(&message(to, 0), Time::from_ps(at), Time::from_ps(now));
            (at.as_ps(), last.by_pair.len())
        };
        assert_eq!([behind(1, 50, 10), behind(1, 30, 11), behind(3, 30, 11)].map(|(at, _)| at), [50, 50, 30]);
        assert_eq!(behind(1, 51, 12).0, 51);
        let lengths = (4..200).map(|to| behind(to, 100 + u64::from(to), 99 + u64::from(to)).1);
        assert!(lengths.max().expect("there are some") < 80);
    }

    proptest! {
        /// In whatever order messages leave, those of two ranks are there in the order in which they were handed over, each at the latest
        /// of the instants of those up to it, and as soon as that is known.
        #[test]
        fn messages_of_two_ranks_keep_their_order(
            receivers in prop::collection::vec(0u32..3, 1..12),
            order in prop::collection::vec(any::<prop::sample::Index>(), 12),
            mut times in prop::collection::vec(0u64..50, 12),
        ) {
            // What leaves later takes the same route.
            times.sort_unstable();
            let mut at_of = [0; 12];
            let mut arrivals = ArrivalOrder::default();
            (0..).zip(&receivers).for_each(|(number, &to)| arrivals.hand_over(&message(to, number)));
            let mut waiting: Vec<u64> = (0..receivers.len() as u64).collect();
            let (mut gone, mut there) = (Vec::new(), Vec::new());
            for which in &order[..receivers.len()] {
                let number = waiting.remove(which.index(waiting.len()));
                gone.push(number);
                let own = message(receivers[number as usize], number);
                at_of[number as usize] = times[gone.len() - 1];
                let at = Time::from_ps(at_of[number as usize]);
                arrivals.leave(own, at, |message, at| there.push((message.to.0, message.sequence, at.as_ps())));
                for to in 0..3 {
                    let of_pair = |number: &u64| receivers[*number as usize] == to;
                    let mut last = 0;
                    let all = (0..receivers.len() as u64).filter(of_pair).take_while(|number| gone.contains(number));
                    let expected: Vec<_> = all
                        .map(|number| {
                            last = last.max(at_of[number as usize]);
                            (to, number, last)
                        })
                        .collect();
                    let found: Vec<_> = there.iter().copied().filter(|&(receiver, ..)| receiver == to).collect();
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
