//! `MPI_Gather` and `MPI_Gatherv`

use super::between::{self, AtRoot};
use super::memory::{Memory, Uneven};
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::datatypes::buffer::Elements;
use weir_message::MpiError;
use weir_message::collective::{Blocks, Plan};

pub(crate) fn gather(
    at: &mut At<'_>,
    send: Elements,
    recv: Elements,
    root: i32,
) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::gather(at, &sides, send, AtRoot::Even(recv), root);
    }
    let root = at.root(root)?;
    let (own, block, got) = if at.place.rank == root {
        let all = at.blocks(recv, at.place.size)?;
        (own_block(at, send, &all)?, all.bytes / at.place.size, Memory::One(all))
    } else {
        let own = at.buffer(send)?;
        (own.clone(), own.bytes, Memory::None)
    };
    let bytes = own.bytes;
    let plan = Plan::gather(&at.choice, at.place, root, bytes);
    Ok(at.prepared(plan, Memory::One(own), got).with_blocks_of(bytes, block))
}

/// The buffer that the rank gives: in place, its own block of the receive buffer.
pub(super) fn own_block(at: &mut At<'_>, send: Elements, all: &Buffer) -> Result<Buffer, MpiError> {
    if send.is_in_place() {
        let count = all.count / at.place.size;
        Ok(all.part((at.place.rank * count) as i64, count))
    } else {
        let own = at.buffer(send)?;
        let count = all.count / at.place.size;
        own.apart_from(&all.part((at.place.rank * count) as i64, count))?;
        Ok(own)
    }
}

/// The same where each block has its own length; it must be long enough.
pub(super) fn own_uneven_block(at: &mut At<'_>, send: Elements, all: &Memory) -> Result<Buffer, MpiError> {
    let block = all.block(at.place.rank);
    if send.is_in_place() {
        return Ok(block);
    }
    let own = at.buffer(send)?;
    own.apart_from(&block)?;
    if own.bytes > block.bytes {
        return Err(MpiError::Truncate { message: own.bytes as u64, buffer: block.bytes as u64 });
    }
    Ok(own)
}

pub(crate) fn gatherv(
    at: &mut At<'_>,
    send: Elements,
    recv: Uneven,
    root: i32,
) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::gather(at, &sides, send, AtRoot::Uneven(recv), root);
    }
    let root = at.root(root)?;
    if at.place.rank == root {
        let all = at.uneven(recv)?;
        let own = own_uneven_block(at, send, &all)?;
        let plan = Plan::gatherv(at.place, root, all.lengths());
        Ok(at.prepared(plan, Memory::One(own), all))
    } else {
        let own = at.buffer(send)?;
        let plan = Plan::gatherv(at.place, root, only_own(at, &own));
        Ok(at.prepared(plan, Memory::One(own), Memory::None))
    }
}

/// Blocks as a rank that is not the root sees them: only its own matters.
pub(super) fn only_own(at: &mut At<'_>, own: &Buffer) -> Blocks {
    Blocks::uneven((0..at.place.size).map(|rank| if rank == at.place.rank { own.bytes } else { 0 }))
}
