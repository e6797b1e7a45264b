//! First-in-first-out queues, all in one array.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::{Class, Message, Notice};
use weir_units::{Bytes, Rank, Time};

/// Queues of things. Eight bytes per queue, and as many places as things ever were in all of them at a time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Queues<T> {
    ends: Vec<Ends>,
    places: Vec<Place<T>>,
    free: u32,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Ends {
    front: u32,
    back: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Place<T> {
    what: Option<T>,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl<T> Queues<T> {
    pub(crate) fn new(queues: usize) -> Self {
        Self { ends: vec![Ends { front: NONE, back: NONE }; queues], places: Vec::new(), free: NONE }
    }

    /// Adds an empty queue, behind all others.
    pub(crate) fn add(&mut self) {
        self.ends.push(Ends { front: NONE, back: NONE });
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds something at the back of a queue. O(1).
    pub(crate) fn push(&mut self, queue: usize, what: T) {
        let place = self.take_place(what);
        let ends = &mut self.ends[queue];
        let back = std::mem::replace(&mut ends.back, place);
        if back == NONE {
            ends.front = place;
        } else {
            self.places[back as usize].next = place;
        }
    }

    pub(crate) fn front(&mut self, queue: usize) -> Option<&mut T> {
        self.places.get_mut(self.ends[queue].front as usize)?.what.as_mut()
    }

    /// Takes out what is at the front of a queue. O(1).
    pub(crate) fn pop(&mut self, queue: usize) -> Option<T> {
        let ends = &mut self.ends[queue];
        let front = ends.front;
        let place = self.places.get_mut(front as usize)?;
        let what = place.what.take();
        ends.front = std::mem::replace(&mut place.next, self.free);
        self.free = front;
        if ends.front == NONE {
            ends.back = NONE;
        }
        what
    }

    fn take_place(&mut self, what: T) -> u32 {
        let taken = Place { what: Some(what), next: NONE };
        if let Some(place) = self.places.get_mut(self.free as usize) {
            let free = std::mem::replace(&mut self.free, place.next);
            *place = taken;
            return free;
        }
        self.places.push(taken);
        u32::try_from(self.places.len() - 1)
            .ok()
            .filter(|&p| p != NONE)
            .expect("places of queues fit 32 bits")
    }
}

/// A message or a share of one that an interface sends, or is to send.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Queued<B> {
    /// A message, and whether its sender asks for an event at its departure.
    Whole(Message<B>, Notice),
    /// The share of a message that this interface sends.
    Part(Part),
}

impl<B> Queued<B> {
    pub(crate) fn bytes(&self) -> Bytes {
        match self {
            Self::Whole(message, _) => message.bytes,
            Self::Part(part) => part.bytes,
        }
    }

    /// Returns whether it is a whole message of the program.
    pub(crate) fn is_data(&self) -> bool {
        matches!(self, Self::Whole(message, _) if matches!(message.class, Class::Data | Class::UnorderedData))
    }

    pub(crate) fn whole(&mut self) -> Option<&mut Message<B>> {
        if let Self::Whole(message, _) = self { Some(message) } else { None }
    }
}

/// A share of a message.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The sender, and the number of the message among its messages.
    pub(crate) of: (Rank, u64),
    pub(crate) to: Rank,
    pub(crate) bytes: Bytes,
}

/// The messages of which parts have not left, by sender and number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stripes<B> {
    messages: BTreeMap<(Rank, u64), Striped<B>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Striped<B> {
    message: Message<B>,
    notice: Notice,
    has_started: bool,
    /// Parts that have not left.
    left: u32,
    /// When those that have are there.
    arrives: Time,
}

impl<B> Default for Stripes<B> {
    fn default() -> Self {
        Self { messages: BTreeMap::new() }
    }
}

impl<B> Stripes<B> {
    /// A message is handed over in so many parts.
    pub(crate) fn add(&mut self, message: Message<B>, notice: Notice, left: u32) {
        let of = (message.from, message.sequence);
        let arrives = Time::ZERO;
        self.messages.insert(of, Striped { message, notice, has_started: false, left, arrives });
    }

    /// A part becomes active; the first of a message is when it starts.
    pub(crate) fn starts(&mut self, part: &Part, now: Time) {
        if let Some(striped) = self.messages.get_mut(&part.of)
            && !std::mem::replace(&mut striped.has_started, true)
        {
            striped.message.started = now;
        }
    }

    /// A part has left, and is there at an instant. With the last one: the message, and when all of it is there.
    pub(crate) fn leaves(&mut self, part: &Part, arrives: Time) -> Option<(Message<B>, Notice, Time)> {
        let striped = self.messages.get_mut(&part.of).expect("a message waits for all its parts");
        striped.left -= 1;
        striped.arrives = striped.arrives.max(arrives);
        if striped.left > 0 {
            return None;
        }
        let Striped { message, notice, arrives, .. } = self.messages.remove(&part.of)?;
        Some((message, notice, arrives))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        /// The queues in one array are queues.
        #[test]
        fn queues_are_queues(calls in prop::collection::vec((0usize..4, any::<bool>()), 0..100)) {
            let mut queues = Queues::new(4);
            let mut expected = vec![VecDeque::new(); 4];
            for (number, (node, push)) in calls.into_iter().enumerate() {
                if push {
                    queues.push(node, number);
                    expected[node].push_back(number);
                } else {
                    prop_assert_eq!(queues.pop(node), expected[node].pop_front());
                }
                prop_assert_eq!(queues.front(node), expected[node].front_mut());
            }
        }
    }
}
