//! Memory that the ranks of a node share. All ranks live in one process, so each of them can reach what the library
//! has allocated for another; only what a program keeps in its globals is at one address for all.

use super::memory::zeroed;
use std::cell::RefCell;
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

/// Whether the parts of a segment touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    Contiguous,
    /// Each begins a page (`alloc_shared_noncontig`).
    Apart,
}

const PAGE: usize = 4096;

impl Segment {
    /// One with parts of these sizes and units.
    fn new(wanted: &[(usize, usize)], parts: Parts) -> Result<Self, MpiError> {
        let room = |size: usize| match parts {
            Parts::Contiguous => size,
            Parts::Apart => size.next_multiple_of(PAGE),
        };
        let bytes = wanted.iter().try_fold(PAGE, |sum: usize, &(size, _)| sum.checked_add(room(size)));
        let memory = zeroed(bytes.ok_or(MpiError::NoMemory(usize::MAX))?)?;
        let mut next = (memory.as_ptr() as usize).next_multiple_of(PAGE);
        let part = |&(size, unit): &(usize, usize)| {
            let part = Part { address: next, size, unit };
            next += room(size);
            part
        };
        Ok(Self { parts: wanted.iter().map(part).collect(), _memory: memory })
    }
}

/// The shared memory of all ranks of a run.
#[derive(Default)]
pub(crate) struct SharedMemory {
    /// By the number that all members know a window by.
    segments: RefCell<BTreeMap<u64, Weak<Segment>>>,
    /// Memory that the library has allocated for one rank, by window and rank.
    allocated: RefCell<BTreeMap<(u64, Rank), Part>>,
}

impl SharedMemory {
    /// The memory of a window: made by the first rank that asks, and kept as long as a rank has it.
    pub(super) fn segment(
        &self,
        window: u64,
        wanted: &[(usize, usize)],
        parts: Parts,
    ) -> Result<Rc<Segment>, MpiError> {
        let mut segments = self.segments.borrow_mut();
        if let Some(known) = segments.get(&window).and_then(Weak::upgrade) {
            return Ok(known);
        }
        segments.retain(|_, known| known.strong_count() > 0);
        let made = Rc::new(Segment::new(wanted, parts)?);
        segments.insert(window, Rc::downgrade(&made));
        Ok(made)
    }

    /// What a rank has at a window of this number, if the ranks on its node can reach it.
    pub(super) fn find(&self, window: u64, rank: Rank) -> Option<Part> {
        self.allocated.borrow().get(&(window, rank)).copied()
    }

    pub(super) fn add(&self, window: u64, rank: Rank, part: Part) {
        self.allocated.borrow_mut().insert((window, rank), part);
    }

    pub(super) fn remove(&self, window: u64, rank: Rank) {
        self.allocated.borrow_mut().remove(&(window, rank));
    }
}
