//! First-in-first-out queues, all in one array.

use serde::{Deserialize, Serialize};

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
