//! `MPI_Reduce` and `MPI_Allreduce`

use super::between;
use super::memory::Memory;
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::Elements;
use crate::mpi::prelude::*;
use weir_message::collective::Plan;

pub(crate) fn reduce(
    at: &mut At<'_>,
    send: *const c_void,
    recv: Elements,
    op: Handle,
    root: i32,
) -> Result<Prepared, MpiError> {
    let send = Elements { address: send, ..recv };
    if let Some(sides) = at.sides {
        return between::reduce(at, &sides, send, recv, op, root);
    }
    let root = at.root(root)?;
    let is_root = at.place.rank == root;
    let (reduction, commutes) = at.operation(op, send.datatype)?;
    let given = at.buffer(if is_root { send.or(recv) } else { send })?;
    let got = if is_root { Some(at.buffer(recv)?) } else { None };
    if let Some(got) = got.as_ref().filter(|_| !send.is_in_place()) {
        given.apart_from(got)?;
    }
    let got = got.map_or(Memory::None, Memory::One);
    let (count, size) = (given.count, given.datatype.size);
    let plan = Plan::reduce(&at.choice, at.place, root, count, size, commutes);
    Ok(at.prepared(plan, Memory::One(given), got).combined_by(reduction, op))
}

pub(crate) fn allreduce(
    at: &mut At<'_>,
    send: *const c_void,
    recv: Elements,
    op: Handle,
) -> Result<Prepared, MpiError> {
    let send = Elements { address: send, ..recv };
    if let Some(sides) = at.sides {
        return between::allreduce(at, &sides, send, recv, op);
    }
    let (reduction, commutes) = at.operation(op, send.datatype)?;
    let (given, got) = (at.buffer(send.or(recv))?, at.buffer(recv)?);
    if !send.is_in_place() {
        given.apart_from(&got)?;
    }
    let plan = Plan::allreduce(&at.choice, at.place, given.count, given.datatype.size, commutes);
    Ok(at.prepared(plan, Memory::One(given), Memory::One(got)).combined_by(reduction, op))
}
