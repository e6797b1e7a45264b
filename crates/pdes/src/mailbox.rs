//! Mail between parts of a model.

use std::sync::Mutex;

/// Boxes from every part to every part. What is put into one while a window is run can be taken out in the next window
/// that is run (the next *turn*), not before.
#[derive(Debug)]
pub struct Mailbox<T> {
    parts: usize,
    /// By parity of the turn in which they are filled, by sender, by receiver. Never contended.
    boxes: [Vec<Mutex<Vec<T>>>; 2],
}

impl<T> Mailbox<T> {
    /// For so many parts.
    #[must_use]
    pub fn new(parts: usize) -> Self {
        let boxes = || (0..parts * parts).map(|_| Mutex::new(Vec::new())).collect();
        Self { parts, boxes: [boxes(), boxes()] }
    }

    /// Puts all of `things` into the box from one part to another, behind what is there, and leaves `things` empty.
    pub fn put(&self, turn: u64, from: usize, to: usize, things: &mut Vec<T>) {
        if !things.is_empty() {
            self.open(turn, from, to, |inside| {
                if inside.is_empty() { std::mem::swap(inside, things) } else { inside.append(things) }
            });
        }
    }

    /// Hands everything that was put for a part in the turn before to `take`: senders in their order, and what each has
    /// put in the order of putting.
    pub fn take(&self, turn: u64, to: usize, mut take: impl FnMut(usize, T)) {
        let Some(before) = turn.checked_sub(1) else { return };
        for from in 0..self.parts {
            self.open(before, from, to, |inside| inside.drain(..).for_each(|thing| take(from, thing)));
        }
    }

    fn open(&self, turn: u64, from: usize, to: usize, mut work: impl FnMut(&mut Vec<T>)) {
        let place = &self.boxes[(turn % 2) as usize][from * self.parts + to];
        // A thread that panics while it holds the lock ends the run; until then its things are whole.
        work(&mut place.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_comes_in_the_next_turn() {
        let mailbox = Mailbox::new(2);
        mailbox.put(0, 1, 0, &mut vec!["a", "b"]);
        mailbox.put(0, 0, 0, &mut vec!["c"]);
        mailbox.put(1, 1, 0, &mut vec!["later"]);
        let take = |turn| {
            let mut taken = Vec::new();
            mailbox.take(turn, 0, |from, thing| taken.push((from, thing)));
            taken
        };
        assert_eq!(take(0), []);
        assert_eq!(take(1), [(0, "c"), (1, "a"), (1, "b")]);
        assert_eq!(take(2), [(1, "later")]);
        assert_eq!(take(3), []);
    }
}
