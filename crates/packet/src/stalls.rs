//! Times for which packets have stood without a credit, for the account of causes: routers do not need to know.
//!
//! A packet *stalls* from the instant on at which it would have been granted with a credit, a free place in the next buffer, until it is
//! granted. What it has stood at all of its routers, and before that the packets of its message at
//! their interface, goes along with it.

use std::sync::atomic::{AtomicU64, Ordering};

/// By the number of a packet's label: how long it has stalled so far, in picoseconds. Written like a label, before the packet is put anywhere.
#[derive(Debug)]
pub(crate) struct Stalls(Vec<AtomicU64>);

impl Stalls {
    pub(crate) fn new(labels: usize) -> Self {
        Self((0..labels).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn write(&self, label: u32, stalled: u64) {
        self.0[label as usize].store(stalled, Ordering::Relaxed);
    }

    /// By the part that has the packet: it has stalled for so long again.
    pub(crate) fn add(&self, label: u32, stalled: u64) {
        // Most packets do not stall, and what they say is far away.
        if stalled > 0 {
            self.write(label, self.read(label) + stalled);
        }
    }

    pub(crate) fn read(&self, label: u32) -> u64 {
        self.0[label as usize].load(Ordering::Relaxed)
    }
}

/// Since when something has stood without a credit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stall(Option<u64>);

impl Stall {
    /// There is no credit at an instant, in picoseconds.
    #[inline]
    pub(crate) fn note(&mut self, now: u64) {
        self.0 = Some(self.0.map_or(now, |since| since.min(now)));
    }

    /// It goes on at an instant: how long it has stood.
    #[inline]
    pub(crate) fn end(&mut self, now: u64) -> u64 {
        self.0.take().map_or(0, |since| now - since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looked for at 5, at 3 (of a window before) and at 9; granted at 10. Then at once.
    #[test]
    fn a_stall_begins_with_the_first_look() {
        let mut stall = Stall::default();
        [5, 3, 9].into_iter().for_each(|now| stall.note(now));
        assert_eq!((stall.end(10), stall.end(11)), (7, 0));
        let stalls = Stalls::new(2);
        stalls.write(1, 4);
        stalls.add(1, 7);
        assert_eq!((stalls.read(0), stalls.read(1)), (0, 11));
    }
}
