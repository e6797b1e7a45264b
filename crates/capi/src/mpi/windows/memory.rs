//! The memory of windows, and what is done to it for other ranks, whatever the program is doing.

use crate::mpi::datatypes::Datatype;
use crate::mpi::datatypes::pieces::{gather_pieces, scatter_pieces};
use crate::mpi::operations;
use crate::mpi::prelude::*;
use crate::mpi::windows::{Window, Windows};
use crate::rank;
use crate::world::World;
use std::alloc::{Layout, alloc_zeroed};
use std::cell::RefMut;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use weir_message::window::{Access, What};
use weir_message::{Body, Data, MemoryWork};
use weir_network::Actions;
use weir_units::Rank;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    Create = 311,
    Allocate = 312,
    /// From the program, bit by bit.
    Dynamic = 313,
    /// From the library, for the ranks of one node.
    Shared = 314,
}

pub(crate) enum Memory {
    OfProgram,
    Own(#[expect(dead_code, reason = "it is only kept")] Vec<u128>),
    Shared(#[expect(dead_code, reason = "it is only kept")] Rc<Segment>),
}

/// Makes memory of so many bytes, all zero.
pub(super) fn zeroed(bytes: usize) -> Result<Vec<u128>> {
    let words = bytes.div_ceil(size_of::<u128>());
    // The kernel gives pages when they are touched.
    let layout = Layout::array::<u128>(words.max(1)).map_err(|_| MpiError::NoMemory(bytes))?;
    // SAFETY: the layout is not empty; zero is a value of words, and the vector has got just this memory.
    unsafe {
        let start = alloc_zeroed(layout).cast::<u128>();
        if start.is_null() {
            Err(MpiError::NoMemory(bytes))
        } else {
            Ok(Vec::from_raw_parts(start, words.max(1), words.max(1)))
        }
    }
}

/// Does everything that has been asked of a rank's memory.
pub(crate) fn serve(rank: &mut rank::Rank, actions: &mut Actions<Body>) {
    while let Some(work) = rank.process.next_memory_work() {
        match work {
            MemoryWork::Access { window, asker, access } => {
                let done = match rank.objects().of::<Windows>().find(window) {
                    Some(known) => place(known, &access),
                    None => Err(MpiError::Window),
                };
                let done = done.and_then(|at| carry_out(rank, at, &access)).map(Data::from);
                rank.process.answer(actions, asker, done);
            }
            MemoryWork::Fetched { operation, data } => {
                if let Some(buffer) = rank.objects().of::<Windows>().results.remove(&operation) {
                    rank.world.activate(rank.process.rank());
                    buffer.write(data.bytes());
                }
            }
        }
    }
}

/// The address that an access names, if all its data are in the window.
fn place(window: &Window, access: &Access) -> Result<usize> {
    let Some((lower, upper)) = access.layout.bounds() else { return Ok(window.part.address) };
    let start = i128::from(access.displacement) * window.part.unit as i128;
    let outside = |of: String| {
        let what = access.what.name();
        let displacement = access.displacement;
        MpiError::RmaRange(format!("a {what} of {} bytes at displacement {displacement} {of}", upper - lower))
    };
    if window.flavor == Flavor::Dynamic {
        // The displacement is an address.
        let address = access.displacement as usize;
        let (from, to) = (address as i128 + lower, address as i128 + upper);
        return match is_attached(&window.attached, from, to) {
            true => Ok(address),
            false => Err(outside("is not in memory that is attached".into())),
        };
    }
    if start + lower < 0 || start + upper > window.part.size as i128 {
        return Err(outside(format!(
            "in units of {} bytes leaves a window of {} bytes",
            window.part.unit, window.part.size
        )));
    }
    Ok(window.part.address.wrapping_add(start as usize))
}

/// Returns true if all memory between two addresses is attached, in one piece or in several that touch each other.
fn is_attached(pieces: &[(usize, usize)], from: i128, to: i128) -> bool {
    let mut reached = from;
    while reached < to {
        let end = |&(start, length): &(usize, usize)| {
            let (start, end) = (start as i128, start as i128 + length as i128);
            (start <= reached && reached < end).then_some(end)
        };
        match pieces.iter().filter_map(end).max() {
            Some(end) => reached = end,
            None => return false,
        }
    }
    true
}

/// Does what another rank asks for at an address of this one; what is to be sent back.
fn carry_out(rank: &mut rank::Rank, address: usize, access: &Access) -> Result<Box<[u8]>> {
    rank.world.reach(rank.process.rank(), address, &access.layout);
    let at = address as *mut u8;
    let pieces = access.layout.pieces();
    let read = || {
        let mut data = vec![0; access.layout.bytes()].into_boxed_slice();
        // SAFETY: `place` has found all of it inside the window, which the program says is its memory.
        unsafe { gather_pieces(pieces, at, &mut data) };
        data
    };
    // SAFETY: as above.
    let write = |data: &[u8]| unsafe { scatter_pieces(pieces, at, data) };
    let given = access.data.bytes();
    match access.what {
        What::Put => write(given),
        What::Get => return Ok(read()),
        What::Accumulate | What::GetAccumulate => {
            let before = if access.what.fetches() { read() } else { Box::default() };
            match access.update.operation as usize {
                MPI_NO_OP => {}
                MPI_REPLACE => write(given),
                operation => {
                    let element = Datatype::predefined(access.update.element as usize)?;
                    let combine = operations::predefined_on(&rank.world, operation, element)?;
                    let mut after = read();
                    combine.combine(given, &mut after);
                    write(&after);
                }
            }
            return Ok(before);
        }
        What::CompareAndSwap => {
            let before = read();
            let (new, compared) = given.split_at(given.len() / 2);
            if *before == *compared {
                write(new);
            }
            return Ok(before);
        }
    }
    Ok(Box::default())
}

/// The memory of a window at one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) address: usize,
    pub(super) size: usize,
    /// Bytes that a displacement counts by.
    pub(super) unit: usize,
}

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
    fn new(sizes: &[(usize, usize)], parts: Parts) -> Result<Self> {
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
    pub(super) allocated: BTreeMap<(u64, Rank), Part>,
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
    ) -> Result<Rc<Segment>> {
        let segments = &mut self.segments;
        if let Some(known) = segments.get(&window).and_then(Weak::upgrade) {
            return Ok(known);
        }
        segments.retain(|_, known| known.strong_count() > 0);
        let made = Rc::new(Segment::new(sizes, parts)?);
        segments.insert(window, Rc::downgrade(&made));
        Ok(made)
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
    }
}
