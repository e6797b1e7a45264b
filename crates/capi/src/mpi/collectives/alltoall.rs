//! `MPI_Alltoall`, `MPI_Alltoallv` and `MPI_Alltoallw`

use super::between;
use super::forms::forms;
use super::memory::{Elements, Memory, Mixed, Uneven, is_in_place};
use super::prepared::{At, Prepared};
use crate::calls::abi::Handle;
use weir_message::MpiError;
use weir_message::collective::Plan;

forms! {
    "Alltoall" "Ialltoall" [c_int i64]
        (send: *const c_void, send_count: C, send_type: Handle,
         recv: *mut c_void, recv_count: C, recv_type: Handle)
        => |at| {
            let send = Elements(send, send_count.into(), send_type);
            alltoall(at, send, Elements(recv, recv_count.into(), recv_type))
        };
    "Alltoallv" "Ialltoallv" [c_int i64]
        (send: *const c_void, send_counts: *const C, send_displacements: *const C,
         send_type: Handle,
         recv: *mut c_void, recv_counts: *const C, recv_displacements: *const C,
         recv_type: Handle)
        => |at| {
            let (counts, displacements) = (send_counts.into(), send_displacements.into());
            let send = Uneven { address: send, counts, displacements, datatype: send_type };
            let (counts, displacements) = (recv_counts.into(), recv_displacements.into());
            alltoallv(at, send, Uneven { address: recv, counts, displacements, datatype: recv_type })
        };
    "Alltoallw" "Ialltoallw" [c_int i64]
        (send: *const c_void, send_counts: *const C, send_displacements: *const C,
         send_types: *const Handle,
         recv: *mut c_void, recv_counts: *const C, recv_displacements: *const C,
         recv_types: *const Handle)
        => |at| {
            let (counts, displacements) = (send_counts.into(), send_displacements.into());
            let send = Mixed { address: send, counts, displacements, datatypes: send_types };
            let (counts, displacements) = (recv_counts.into(), recv_displacements.into());
            alltoallw(at, send, Mixed { address: recv, counts, displacements, datatypes: recv_types })
        };
}

fn alltoall(at: &mut At<'_>, send: Elements, recv: Elements) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::alltoall(at, &sides, send, recv);
    }
    let given = at.blocks(send.or(recv), at.place.size)?;
    let got = at.blocks(recv, at.place.size)?;
    if !send.is_in_place() {
        given.apart_from(&got)?;
    }
    let (bytes, block) = (given.bytes / at.place.size, got.bytes / at.place.size);
    let plan = Plan::alltoall(&at.choice, at.place, bytes)?;
    Ok(at.prepared(plan, Memory::One(given), Memory::One(got)).with_blocks_of(bytes, block))
}

fn alltoallv(at: &mut At<'_>, send: Uneven, recv: Uneven) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::alltoallv(at, &sides, send, recv);
    }
    let got = at.uneven(recv)?;
    let given = if is_in_place(send.address) { got.clone() } else { at.uneven(send)? };
    check_apart(at, is_in_place(send.address), &given, &got)?;
    exchange(at, given, got)
}

fn alltoallw(at: &mut At<'_>, send: Mixed, recv: Mixed) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::alltoallw(at, &sides, send, recv);
    }
    let got = at.mixed(recv)?;
    let given = if is_in_place(send.address) { got.clone() } else { at.mixed(send)? };
    check_apart(at, is_in_place(send.address), &given, &got)?;
    exchange(at, given, got)
}

/// No block goes to where a block of the same rank comes, but for in place.
fn check_apart(at: &mut At<'_>, in_place: bool, given: &Memory, got: &Memory) -> Result<(), MpiError> {
    if in_place {
        return Ok(());
    }
    (0..at.place.size).try_for_each(|block| given.block(block).apart_from(&got.block(block)))
}

fn exchange(at: &mut At<'_>, given: Memory, got: Memory) -> Result<Prepared, MpiError> {
    let own = |memory: &Memory| memory.lengths().length(at.place.rank);
    if own(&given) > own(&got) {
        return Err(MpiError::Truncate { message: own(&given) as u64, buffer: own(&got) as u64 });
    }
    let plan = Plan::alltoallv(&at.choice, at.place, given.lengths(), got.lengths())?;
    Ok(at.prepared(plan, given, got))
}
