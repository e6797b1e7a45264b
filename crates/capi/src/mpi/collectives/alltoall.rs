//! `MPI_Alltoall`, `MPI_Alltoallv` and `MPI_Alltoallw`

use super::between;
use super::memory::{Memory, Mixed, Uneven, is_in_place};
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::Elements;
use crate::mpi::prelude::*;
use weir_message::collective::Plan;

pub(crate) fn alltoall(at: &mut At<'_>, send: Elements, recv: Elements) -> Result<Prepared, MpiError> {
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

pub(crate) fn alltoallv(at: &mut At<'_>, send: Uneven, recv: Uneven) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::alltoallv(at, &sides, send, recv);
    }
    let got = at.uneven(recv)?;
    let given = if is_in_place(send.address) { got.clone() } else { at.uneven(send)? };
    check_apart(at, is_in_place(send.address), &given, &got)?;
    exchange(at, given, got)
}

pub(crate) fn alltoallw(at: &mut At<'_>, send: Mixed, recv: Mixed) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::alltoallw(at, &sides, send, recv);
    }
    let got = at.mixed(recv)?;
    let given = if is_in_place(send.address) { got.clone() } else { at.mixed(send)? };
    check_apart(at, is_in_place(send.address), &given, &got)?;
    exchange(at, given, got)
}

/// No block goes to where a block of the same rank comes, but for in place.
fn check_apart(at: &mut At<'_>, in_place: bool, given: &Memory, got: &Memory) -> Done {
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
