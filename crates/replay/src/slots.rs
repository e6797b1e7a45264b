//! The tasks of a graph that a rank has read: in which state each is, which ones wait for it, and those that are put aside.

use std::collections::VecDeque;
use weir_operations::Operation;

/// The number of tasks that have ended behind one that lasts, up to which none is put aside, however short the window is.
pub(crate) const ENDED_WITHIN: usize = 64;

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

/// Tasks before the window, which last while most of those behind them have ended, by their numbers.
#[derive(Default)]
pub(crate) struct Aside {
    pub(crate) slots: VecDeque<(u64, Slot)>,
    /// The number of them that have ended, fewer than half of them and a few.
    ended: usize,
}

impl Aside {
    pub(crate) fn under_way(&self) -> usize {
        self.slots.len() - self.ended
    }

    /// The place of a task. Most that are asked for are the first or the one behind it: a stream that lags behind goes on in order.
    pub(crate) fn place(&self, number: u64) -> Option<usize> {
        let near = self.slots.iter().take(2).position(|(other, _)| *other == number);
        near.or_else(|| self.slots.binary_search_by_key(&number, |(other, _)| *other).ok())
    }

    /// One of them has ended.
    pub(crate) fn end_one(&mut self) {
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
