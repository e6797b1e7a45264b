//! Collectives that combine data: `MPI_Reduce`, `MPI_Allreduce`, `MPI_Reduce_scatter`, `MPI_Scan` and `MPI_Exscan`.

use super::between;
use super::memory::{Memory, Numbers, is_in_place};
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer;
use crate::mpi::prelude::*;
use weir_collectives::{Blocks, Choice, Place, Plan};

pub(crate) fn reduce(
    at: &mut At<'_>,
    send: *const c_void,
    recv: Elements,
    op: Handle,
    root: i32,
) -> Result<Prepared> {
    let send = Elements { address: send, ..recv };
    if let Some(sides) = at.sides {
        return between::reduce(at, sides, send, recv, op, root);
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
) -> Result<Prepared> {
    let send = Elements { address: send, ..recv };
    if let Some(sides) = at.sides {
        return between::allreduce(at, sides, send, recv, op);
    }
    let (reduction, commutes) = at.operation(op, send.datatype)?;
    let (given, got) = (at.buffer(send.or(recv))?, at.buffer(recv)?);
    if !send.is_in_place() {
        given.apart_from(&got)?;
    }
    let plan = Plan::allreduce(&at.choice, at.place, given.count, given.datatype.size, commutes);
    Ok(at.prepared(plan, Memory::One(given), Memory::One(got)).combined_by(reduction, op))
}

pub(crate) fn reduce_scatter(
    at: &mut At<'_>,
    send: *const c_void,
    recv: *mut c_void,
    counts: Numbers,
    datatype: Handle,
    op: Handle,
) -> Result<Prepared> {
    let counts = counts.counts(at.place.size)?;
    scattered(at, (send, recv), &counts, datatype, op)
}

pub(crate) fn reduce_scatter_block(
    at: &mut At<'_>,
    send: *const c_void,
    recv: Elements,
    op: Handle,
) -> Result<Prepared> {
    let count = buffer::count(recv.count)?;
    scattered(at, (send, recv.address), &vec![count; at.place.size], recv.datatype, op)
}

fn scattered(
    at: &mut At<'_>,
    (send, recv): (*const c_void, *const c_void),
    counts: &[usize],
    datatype: Handle,
    op: Handle,
) -> Result<Prepared> {
    let (reduction, commutes) = at.operation(op, datatype)?;
    let total = counts.iter().try_fold(0i64, |sum, &count| sum.checked_add(count as i64));
    let total = total.ok_or_else(|| MpiError::Argument("the blocks are too long together".into()))?;
    let elements = |address, count: usize| Elements { address, count: count as i64, datatype };
    let got = at.buffer(elements(recv, counts[at.place.rank]))?;
    let all = Elements { address: send, count: total, datatype };
    let given =
        at.buffer(if at.sides.is_some() { all } else { all.or(Elements { address: recv, ..all }) })?;
    if !is_in_place(send) {
        given.apart_from(&got)?;
    }
    let size = given.datatype.size;
    let blocks = Blocks::uneven(counts.iter().map(|count| count * size));
    let plan = match &at.sides {
        None => Plan::reduce_scatter(&at.choice, at.place, blocks, size, commutes),
        Some(sides) => sides.reduce_scatter(&at.choice, blocks, size, commutes),
    };
    Ok(at.prepared(plan, Memory::One(given), Memory::One(got)).combined_by(reduction, op))
}

pub(crate) fn scan(
    at: &mut At<'_>,
    plan: fn(&Choice, Place, usize) -> Plan,
    send: *const c_void,
    recv: Elements,
    op: Handle,
) -> Result<Prepared> {
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
