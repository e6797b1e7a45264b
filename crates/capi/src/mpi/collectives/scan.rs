//! `MPI_Scan` and `MPI_Exscan`

use super::memory::Memory;
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::Elements;
use crate::mpi::prelude::*;
use weir_message::collective::{Choice, Place, Plan};

pub(crate) fn scan(
    at: &mut At<'_>,
    send: *const c_void,
    recv: Elements,
    op: Handle,
) -> Result<Prepared, MpiError> {
    either(at, Plan::scan, send, recv, op)
}

pub(crate) fn exscan(
    at: &mut At<'_>,
    send: *const c_void,
    recv: Elements,
    op: Handle,
) -> Result<Prepared, MpiError> {
    either(at, Plan::exscan, send, recv, op)
}

fn either(
    at: &mut At<'_>,
    plan: fn(&Choice, Place, usize) -> Plan,
    send: *const c_void,
    recv: Elements,
    op: Handle,
) -> Result<Prepared, MpiError> {
    let send = Elements { address: send, ..recv };
    at.one_group()?;
    let (reduction, _) = at.operation(op, send.datatype)?;
    let given = at.buffer(send.or(recv))?;
    let plan = plan(&at.choice, at.place, given.bytes);
    // The first rank of an exclusive scan gets nothing, and its buffer is not looked at.
    let got = if plan.result.is_empty() { Memory::None } else { Memory::One(at.buffer(recv)?) };
    // So that all ranks find it, also the first one, which gets nothing of an exclusive scan.
    if send.address == recv.address && !recv.address.is_null() {
        given.apart_from(&at.buffer(recv)?)?;
    }
    Ok(at.prepared(plan, Memory::One(given), got).combined_by(reduction, op))
}
