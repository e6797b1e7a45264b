//! The memory of windows, and what is done to it for other ranks, whatever the program is doing.

use super::{Window, Windows, shared::Segment};
use crate::mpi::datatypes::Datatype;
use crate::mpi::datatypes::pieces::{gather_pieces, scatter_pieces};
use crate::mpi::operations;
use crate::mpi::prelude::*;
use crate::rank::Rank;
use std::alloc::{Layout, alloc_zeroed};
use std::rc::Rc;
use weir_message::window::{Access, What};
use weir_message::{Body, Data, MemoryWork};
use weir_network::Actions;

/// Where the memory of a window comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    Create = 311,
    Allocate = 312,
    /// From the program, bit by bit.
    Dynamic = 313,
    /// From the library, for the ranks of one node.
    Shared = 314,
}

impl Flavour {
    pub(super) const fn value(self) -> c_int {
        self as c_int
    }
}

pub(crate) enum Memory {
    Own(#[expect(dead_code, reason = "it is only kept")] Vec<u128>),
    Shared(#[expect(dead_code, reason = "it is only kept")] Rc<Segment>),
}

/// Makes memory of so many bytes, all zero.
pub(super) fn zeroed(bytes: usize) -> Result<Vec<u128>, MpiError> {
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
pub(crate) fn serve(rank: &mut Rank, actions: &mut Actions<Body>) {
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
                if let Some(buffer) = rank.objects().of::<Windows>().take_result(operation) {
                    rank.world.activate(rank.process.rank());
                    buffer.write(data.bytes());
                }
            }
        }
    }
}

/// The address that an access names, if all its data are in the window.
fn place(window: &Window, access: &Access) -> Result<usize, MpiError> {
    let Some((lower, upper)) = access.layout.bounds() else { return Ok(window.base) };
    let start = i128::from(access.displacement) * window.unit as i128;
    let outside = |of: String| {
        let what = access.what.name();
        let displacement = access.displacement;
        MpiError::RmaRange(format!("a {what} of {} bytes at displacement {displacement} {of}", upper - lower))
    };
    if window.flavour == Flavour::Dynamic {
        // The displacement is an address.
        let address = access.displacement as usize;
        let (from, to) = (address as i128 + lower, address as i128 + upper);
        return match is_attached(&window.attached, from, to) {
            true => Ok(address),
            false => Err(outside("is not in memory that is attached".into())),
        };
    }
    if start + lower < 0 || start + upper > window.size as i128 {
        return Err(outside(format!(
            "in units of {} bytes leaves a window of {} bytes",
            window.unit, window.size
        )));
    }
    Ok(window.base.wrapping_add(start as usize))
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
fn carry_out(rank: &mut Rank, address: usize, access: &Access) -> Result<Box<[u8]>, MpiError> {
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
        What::Accumulate(update) | What::GetAccumulate(update) => {
            let before = if access.what.fetches() { read() } else { Box::default() };
            match update.operation {
                abi::OP_NO_OP => {}
                abi::OP_REPLACE => write(given),
                operation => {
                    let element = Datatype::predefined(update.element as usize)?;
                    let combine = operations::predefined_on(&rank.world, operation as usize, element)?;
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
