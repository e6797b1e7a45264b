//! Collectives that combine data: `MPI_Reduce`, `MPI_Allreduce`, `MPI_Reduce_scatter`, `MPI_Scan` and `MPI_Exscan`.

use super::between;
use super::memory::{Memory, Numbers};
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer;
use crate::mpi::prelude::*;
use weir_collectives::{Blocks, Choice, Place, Plan};

pub(crate) fn reduce(at: &mut At<'_>, given: Operands, root: i32) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::reduce(at, sides, given, root);
    }
    let Operands { send, recv, op } = given;
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

pub(crate) fn allreduce(at: &mut At<'_>, given: Operands) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::allreduce(at, sides, given);
    }
    let Operands { send, recv, op } = given;
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
    scattered(at, Operands::new(send, recv, 0, datatype, op), &counts)
}

pub(crate) fn reduce_scatter_block(at: &mut At<'_>, given: Operands) -> Result<Prepared> {
    let count = buffer::count(given.recv.count)?;
    scattered(at, given, &vec![count; at.place.size])
}

/// A block of the result for each rank, of these counts.
fn scattered(at: &mut At<'_>, Operands { send, recv, op }: Operands, counts: &[usize]) -> Result<Prepared> {
    let (reduction, commutes) = at.operation(op, send.datatype)?;
    let total = counts.iter().try_fold(0i64, |sum, &count| sum.checked_add(count as i64));
    let count = total.ok_or_else(|| MpiError::Argument("the blocks are too long together".into()))?;
    let got = at.buffer(Elements { count: counts[at.place.rank] as i64, ..recv })?;
    let (all, in_place) = (Elements { count, ..send }, Elements { count, ..recv });
    let given = at.buffer(if at.sides.is_some() { all } else { all.or(in_place) })?;
    if !send.is_in_place() {
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

/// Makes the plan of an inclusive or an exclusive scan of so many bytes.
type MakePlan = fn(&Choice, Place, usize) -> Plan;

pub(crate) fn scan(at: &mut At<'_>, plan: MakePlan, given: Operands) -> Result<Prepared> {
    let Operands { send, recv, op } = given;
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
