//! The lock of a window, kept by the rank whose window it is: first come, first served.

use std::collections::VecDeque;
use weir_units::Rank;

/// The kind of a lock, by the locks that it keeps out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Lock {
    /// Exclusive ones.
    Shared,
    /// All others.
    Exclusive,
}

/// Need of the rank that asks for a lock for the answer that it has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Answer {
    /// It does.
    Requested,
    /// It does not: its accesses follow right behind, and are held back until then.
    NotRequested,
}

/// Who holds the lock of a window, and who waits for it.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    exclusive: Option<Rank>,
    shared: u32,
    waiting: VecDeque<(Rank, Lock, Answer)>,
}

impl Locks {
    /// Returns whether a rank gets the lock at once. If not, it waits. A shared lock does not overtake an exclusive one that
    /// waits, or that would never come.
    pub(crate) fn ask(&mut self, from: Rank, lock: Lock, answer: Answer) -> bool {
        let granted = self.waiting.is_empty() && self.take(from, lock);
        if !granted {
            self.waiting.push_back((from, lock, answer));
        }
        granted
    }

    fn take(&mut self, from: Rank, lock: Lock) -> bool {
        match lock {
            _ if self.exclusive.is_some() => return false,
            Lock::Exclusive if self.shared > 0 => return false,
            Lock::Exclusive => self.exclusive = Some(from),
            Lock::Shared => self.shared += 1,
        }
        true
    }

    /// A rank gives its lock back: those who get theirs now, in the order in which they have asked.
    pub(crate) fn release(&mut self, from: Rank) -> Vec<(Rank, Answer)> {
        if self.exclusive == Some(from) {
            self.exclusive = None;
        } else {
            self.shared = self.shared.saturating_sub(1);
        }
        let mut granted = Vec::new();
        while let Some(&(next, lock, answer)) = self.waiting.front()
            && self.take(next, lock)
        {
            self.waiting.pop_front();
            granted.push((next, answer));
        }
        granted
    }

    pub(crate) fn waits(&self, from: Rank) -> bool {
        self.waiting.iter().any(|&(rank, ..)| rank == from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Lock::{Exclusive, Shared};

    fn granted(locks: &mut Locks, from: u32) -> Vec<u32> {
        locks.release(Rank(from)).into_iter().map(|(rank, _)| rank.0).collect()
    }

    #[test]
    fn first_come_first_served() {
        let mut locks = Locks::default();
        let mut ask = |rank, lock| locks.ask(Rank(rank), lock, Answer::Requested);
        assert!(ask(0, Shared) && ask(1, Shared));
        assert!(!ask(2, Exclusive), "two shared locks are held");
        assert!(!ask(3, Shared) && !ask(4, Shared), "they do not overtake the exclusive one");
        assert!(!ask(5, Exclusive));
        assert_eq!(granted(&mut locks, 0), []);
        assert_eq!(granted(&mut locks, 1), [2]);
        assert!(locks.waits(Rank(3)) && !locks.waits(Rank(2)));
        assert_eq!(granted(&mut locks, 2), [3, 4]);
        assert_eq!(granted(&mut locks, 4), []);
        assert_eq!(granted(&mut locks, 3), [5]);
        assert_eq!(granted(&mut locks, 5), []);
        assert!(locks.ask(Rank(9), Exclusive, Answer::NotRequested));
    }
}
