//! Memory that the ranks of a node share. All ranks live in one process, so each of them can reach what the library
//! has allocated for another; only what a program keeps in its globals is at one address for all.

use super::memory::zeroed;
use crate::world::World;
use std::cell::RefMut;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use weir_message::MpiError;
use weir_units::Rank;

/// A rank's part of shared memory, or memory of a rank that others on its node can reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) address: usize,
    pub(super) size: usize,
    pub(super) unit: usize,
}

/// Memory of all ranks of one window.
pub(crate) struct Segment {
    /// In the order of the ranks.
    pub(super) parts: Vec<Part>,
    _memory: Vec<u128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    Contiguous,
    /// Each begins a page (`alloc_shared_noncontig`).
    Apart,
}

const PAGE: usize = 4096;

impl Segment {
    /// One with parts of these sizes and units.
    fn new(sizes: &[(usize, usize)], parts: Parts) -> Result<Self, MpiError> {
        let room = |size: usize| match parts {
            Parts::Contiguous => size,
            Parts::Apart => size.next_multiple_of(PAGE),
        };
        let bytes = sizes.iter().try_fold(PAGE, |sum: usize, &(size, _)| sum.checked_add(room(size)));
        let memory = zeroed(bytes.ok_or(MpiError::NoMemory(usize::MAX))?)?;
        let mut next = (memory.as_ptr() as usize).next_multiple_of(PAGE);
        let part = |&(size, unit): &(usize, usize)| {
            let part = Part { address: next, size, unit };
            next += room(size);
            part
        };
        Ok(Self { parts: sizes.iter().map(part).collect(), _memory: memory })
    }
}

/// The shared memory of all ranks of a run.
#[derive(Default)]
pub(super) struct SharedMemory {
    /// By the number that all members know a window by.
    segments: BTreeMap<u64, Weak<Segment>>,
    /// Memory that the library has allocated for one rank, by window and rank.
    allocated: BTreeMap<(u64, Rank), Part>,
}

impl World {
    /// Memory that ranks of one node share.
    pub(super) fn shared_memory(&self) -> RefMut<'_, SharedMemory> {
        self.shared(|_| SharedMemory::default())
    }
}

impl SharedMemory {
    /// The memory of a window: made by the first rank that asks, and kept as long as a rank has it.
    pub(super) fn segment(
        &mut self,
        window: u64,
        sizes: &[(usize, usize)],
        parts: Parts,
    ) -> Result<Rc<Segment>, MpiError> {
        let segments = &mut self.segments;
        if let Some(known) = segments.get(&window).and_then(Weak::upgrade) {
            return Ok(known);
        }
        segments.retain(|_, known| known.strong_count() > 0);
        let made = Rc::new(Segment::new(sizes, parts)?);
        segments.insert(window, Rc::downgrade(&made));
        Ok(made)
    }

    /// Returns a rank's memory at a window of this number, if the ranks on its node can reach it.
    pub(super) fn find(&self, window: u64, rank: Rank) -> Option<Part> {
        self.allocated.get(&(window, rank)).copied()
    }

    pub(super) fn add(&mut self, window: u64, rank: Rank, part: Part) {
        self.allocated.insert((window, rank), part);
    }

    pub(super) fn remove(&mut self, window: u64, rank: Rank) {
        self.allocated.remove(&(window, rank));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(segment: &Segment) -> Vec<(usize, usize)> {
        segment.parts.iter().map(|part| (part.address, part.address + part.size)).collect()
    }

    /// Parts touch, unless each is to begin a page; none reaches into the next, and all of their memory is there.
    #[test]
    fn parts_of_segments() {
        let sizes = [(10, 1), (0, 4), (5000, 8), (4096, 2), (1, 1)];
        let together = Segment::new(&sizes, Parts::Contiguous).unwrap();
        let units: Vec<(usize, usize)> = together.parts.iter().map(|part| (part.size, part.unit)).collect();
        assert_eq!(units, sizes);
        assert!(ends(&together).windows(2).all(|pair| pair[0].1 == pair[1].0));
        let apart = Segment::new(&sizes, Parts::Apart).unwrap();
        assert!(ends(&apart).windows(2).all(|pair| pair[0].1 <= pair[1].0));
        assert!(apart.parts.iter().all(|part| part.address % 4096 == 0));
        for segment in [&together, &apart] {
            let memory = segment._memory.as_ptr_range();
            let (first, last) = (ends(segment)[0].0, ends(segment)[4].1);
            assert!(memory.start as usize <= first && last <= memory.end as usize);
            assert!(last - first < 6 * 4096, "no more than is needed");
        }
        assert!(Segment::new(&[(usize::MAX, 1), (1, 1)], Parts::Contiguous).is_err());
    }

    /// Segments are there for whoever asks while somebody has them; memory of ranks until it is taken away.
    #[test]
    fn memory_is_found_while_it_is_there() {
        let mut shared = SharedMemory::default();
        let sizes = [(8, 8)];
        let first = shared.segment(1, &sizes, Parts::Contiguous).unwrap();
        let again = shared.segment(1, &sizes, Parts::Contiguous).unwrap();
        assert!(Rc::ptr_eq(&first, &again));
        let other = shared.segment(2, &sizes, Parts::Contiguous).unwrap();
        assert!(!Rc::ptr_eq(&first, &other));
        drop((first, again));
        let _third = shared.segment(3, &sizes, Parts::Contiguous).unwrap();
        assert_eq!(shared.segments.keys().copied().collect::<Vec<_>>(), [2, 3], "no rank has the first");
        let part = Part { address: 64, size: 8, unit: 4 };
        shared.add(5, Rank(1), part);
        assert_eq!(shared.find(5, Rank(1)).map(|part| part.address), Some(64));
        assert!(shared.find(5, Rank(0)).is_none() && shared.find(4, Rank(1)).is_none());
        shared.remove(5, Rank(1));
        assert!(shared.find(5, Rank(1)).is_none());
    }
}
