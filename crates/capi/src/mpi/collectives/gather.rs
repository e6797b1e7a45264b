//! `MPI_Gather` and `MPI_Gatherv`

use super::between::{self, AtRoot};
use super::forms::forms;
use super::memory::{Elements, Memory, Uneven};
use super::prepared::{At, Prepared};
use crate::calls::abi::Handle;
use crate::mpi::datatypes::buffer::Buffer;
use weir_message::MpiError;
use weir_message::collective::{Blocks, Plan};

forms! {
    "Gather" "Igather" [c_int i64]
        (send: *const c_void, send_count: C, send_type: Handle,
         recv: *mut c_void, recv_count: C, recv_type: Handle, root: c_int)
        => |at| {
            let send = Elements(send, send_count.into(), send_type);
            gather(at, send, Elements(recv, recv_count.into(), recv_type), root)
        };
    "Gatherv" "Igatherv" [c_int i64]
        (send: *const c_void, send_count: C, send_type: Handle,
         recv: *mut c_void, recv_counts: *const C, displacements: *const C, recv_type: Handle,
         root: c_int)
        => |at| {
            let (counts, displacements) = (recv_counts.into(), displacements.into());
            let recv = Uneven { address: recv, counts, displacements, datatype: recv_type };
            gatherv(at, Elements(send, send_count.into(), send_type), recv, root)
        };
}

fn gather(at: &mut At<'_>, send: Elements, recv: Elements, root: i32) -> Result<Prepared, MpiError> {
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

/// What the rank gives: in place, it is its own block of what it gets.
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

fn gatherv(at: &mut At<'_>, send: Elements, recv: Uneven, root: i32) -> Result<Prepared, MpiError> {
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
