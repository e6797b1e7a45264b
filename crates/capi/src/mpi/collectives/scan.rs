//! `MPI_Scan` and `MPI_Exscan`

use super::forms::forms;
use super::memory::{Elements, Memory};
use super::prepared::{At, Prepared};
use crate::calls::abi::Handle;
use weir_message::MpiError;
use weir_message::collective::{Choice, Place, Plan};

forms! {
    "Scan" "Iscan" [c_int i64]
        (send: *const c_void, recv: *mut c_void, count: C, datatype: Handle, op: Handle)
        => |at| {
            let [send, recv] = [send, recv.cast_const()].map(|buffer| Elements(buffer, count.into(), datatype));
            scan(at, Plan::scan, send, recv, op)
        };
    "Exscan" "Iexscan" [c_int i64]
        (send: *const c_void, recv: *mut c_void, count: C, datatype: Handle, op: Handle)
        => |at| {
            let [send, recv] = [send, recv.cast_const()].map(|buffer| Elements(buffer, count.into(), datatype));
            scan(at, Plan::exscan, send, recv, op)
        };
}

fn scan(
    at: &mut At<'_>,
    plan: fn(&Choice, Place, usize) -> Plan,
    send: Elements,
    recv: Elements,
    op: Handle,
) -> Result<Prepared, MpiError> {
    at.one_group()?;
    let (reduction, _) = at.operation(op, send.2)?;
    let given = at.buffer(send.or(recv))?;
    let plan = plan(&at.choice, at.place, given.bytes);
    // The first rank of an exclusive scan gets nothing, and its buffer is not looked at.
    let got = if plan.result.is_empty() { Memory::None } else { Memory::One(at.buffer(recv)?) };
    // So that all ranks find it, also the first one, which gets nothing of an exclusive scan.
    if send.0 == recv.0 && !recv.0.is_null() {
        given.apart_from(&at.buffer(recv)?)?;
    }
    Ok(at.prepared(plan, Memory::One(given), got).combined_by(reduction, op))
}
