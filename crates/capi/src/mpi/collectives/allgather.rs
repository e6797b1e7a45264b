//! `MPI_Allgather` and `MPI_Allgatherv`

use super::between::{self, AtRoot};
use super::forms::forms;
use super::gather::{own_block, own_uneven_block};
use super::memory::{Elements, Memory, Uneven};
use super::prepared::{At, Prepared};
use crate::calls::abi::Handle;
use weir_message::MpiError;
use weir_message::collective::Plan;

forms! {
    "Allgather" "Iallgather" [c_int i64]
        (send: *const c_void, send_count: C, send_type: Handle,
         recv: *mut c_void, recv_count: C, recv_type: Handle)
        => |at| {
            let send = Elements(send, send_count.into(), send_type);
            allgather(at, send, Elements(recv, recv_count.into(), recv_type))
        };
    "Allgatherv" "Iallgatherv" [c_int i64]
        (send: *const c_void, send_count: C, send_type: Handle,
         recv: *mut c_void, recv_counts: *const C, displacements: *const C, recv_type: Handle)
        => |at| {
            let (counts, displacements) = (recv_counts.into(), displacements.into());
            let recv = Uneven { address: recv, counts, displacements, datatype: recv_type };
            allgatherv(at, Elements(send, send_count.into(), send_type), recv)
        };
}

fn allgather(at: &mut At<'_>, send: Elements, recv: Elements) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::allgather(at, &sides, send, AtRoot::Even(recv));
    }
    let all = at.blocks(recv, at.place.size)?;
    let own = own_block(at, send, &all)?;
    let (bytes, block) = (own.bytes, all.bytes / at.place.size);
    let plan = Plan::allgather(&at.choice, at.place, bytes);
    Ok(at.prepared(plan, Memory::One(own), Memory::One(all)).with_blocks_of(bytes, block))
}

fn allgatherv(at: &mut At<'_>, send: Elements, recv: Uneven) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::allgather(at, &sides, send, AtRoot::Uneven(recv));
    }
    let all = at.uneven(recv)?;
    let own = own_uneven_block(at, send, &all)?;
    let plan = Plan::allgatherv(&at.choice, at.place, all.lengths());
    Ok(at.prepared(plan, Memory::One(own), all))
}
