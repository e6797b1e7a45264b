//! The tasks of a graph that a rank has read: in which state each is, which ones wait for it, and those that are put aside.

use std::collections::VecDeque;
use weir_operations::Operation;

/// The number of tasks that have ended behind one that lasts, up to which none is put aside, however short the window is.
const ENDED_WITHIN: usize = 64;

/// A task in the window.
pub(crate) struct Slot {
    pub(crate) operation: Operation,
    pub(crate) stream: u32,
    /// The number of tasks that it still waits for.
    pub(crate) missing: u32,
    pub(crate) state: State,
    /// The first task that waits for it, and the others, each with the state in which it has to be.
    pub(crate) waits: Option<Waits>,
    pub(crate) also_wait: Vec<Waits>,
}

/// A task, and the state for which it waits.
#[derive(Clone, Copy)]
pub(crate) struct Waits {
    pub(crate) number: u64,
    pub(crate) until: State,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    Waits,
    Begun,
    Ended,
}

/// The tasks that are read and have not all ended, by their numbers: a window, and tasks before it.
#[derive(Default)]
pub(crate) struct Slots {
    /// The number of the first task in the window, and the window.
    first: u64,
    window: VecDeque<Slot>,
    aside: Aside,
    /// Tasks in the window that have ended.
    ended_within: usize,
}

impl Slots {
    /// A task; `None` if it has ended long since, or is not read.
    pub(crate) fn get(&self, number: u64) -> Option<&Slot> {
        match number.checked_sub(self.first) {
            Some(place) => self.window.get(usize::try_from(place).ok()?),
            None => Some(&self.aside.slots[self.aside.place(number)?].1),
        }
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut Slot> {
        match number.checked_sub(self.first) {
            Some(place) => self.window.get_mut(usize::try_from(place).ok()?),
            None => {
                let place = self.aside.place(number)?;
                Some(&mut self.aside.slots[place].1)
            }
        }
    }

    /// The number of the next task that is added.
    pub(crate) fn next(&self) -> u64 {
        self.first + self.window.len() as u64
    }

    /// Adds a task. Most ranks of a large graph have few at a time, and there are many ranks.
    pub(crate) fn push(&mut self, slot: Slot) {
        if self.window.len() == self.window.capacity() && self.window.len() < 4 {
            self.window.reserve_exact(1);
        }
        self.window.push_back(slot);
    }

    /// A task has ended, as its state says.
    pub(crate) fn end(&mut self, number: u64) {
        if number < self.first {
            return self.aside.end_one();
        }
        self.ended_within += 1;
        while let Some(slot) = self.window.front() {
            if slot.state == State::Ended {
                self.window.pop_front();
                self.ended_within -= 1;
            } else if self.ended_within > ENDED_WITHIN.max(self.window.len() / 2) {
                self.aside.slots.extend(self.window.pop_front().map(|slot| (self.first, slot)));
            } else {
                break;
            }
            self.first += 1;
        }
    }

    /// Number of tasks before the window that have ended.
    pub(crate) fn ended(&self) -> u64 {
        self.first - self.aside.under_way() as u64
    }

    /// Returns whether all tasks that are read have ended.
    pub(crate) fn is_empty(&self) -> bool {
        self.window.is_empty() && self.aside.slots.is_empty()
    }
}

/// Tasks before the window, which last while most of those behind them have ended, by their numbers.
#[derive(Default)]
struct Aside {
    slots: VecDeque<(u64, Slot)>,
    /// The number of them that have ended, fewer than half of them and a few.
    ended: usize,
}

impl Aside {
    fn under_way(&self) -> usize {
        self.slots.len() - self.ended
    }

    /// The place of a task. Most that are asked for are the first or the one behind it: a stream that lags behind goes on in order.
    fn place(&self, number: u64) -> Option<usize> {
        let near = self.slots.iter().take(2).position(|(other, _)| *other == number);
        near.or_else(|| self.slots.binary_search_by_key(&number, |(other, _)| *other).ok())
    }

    /// One of them has ended.
    fn end_one(&mut self) {
        self.ended += 1;
        while self.slots.front().is_some_and(|(_, slot)| slot.state == State::Ended) {
            self.slots.pop_front();
            self.ended -= 1;
        }
        if self.ended > ENDED_WITHIN.max(self.slots.len() / 2) {
            self.slots.retain(|(_, slot)| slot.state != State::Ended);
            self.ended = 0;
        }
    }
}
