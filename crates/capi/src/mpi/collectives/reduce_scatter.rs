//! `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block`

use super::memory::{Memory, Numbers, is_in_place};
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer;
use crate::mpi::datatypes::buffer::Elements;
use crate::mpi::prelude::*;
use weir_message::collective::{Blocks, Plan};

pub(crate) fn reduce_scatter(
    at: &mut At<'_>,
    send: *const c_void,
    recv: *mut c_void,
    counts: Numbers,
    datatype: Handle,
    op: Handle,
) -> Result<Prepared, MpiError> {
    // SAFETY: the program's array has an element for each rank.
    let counts = unsafe { counts.counts(at.place.size)? };
    scattered(at, (send, recv), &counts, datatype, op)
}

pub(crate) fn reduce_scatter_block(
    at: &mut At<'_>,
    send: *const c_void,
    recv: Elements,
    op: Handle,
) -> Result<Prepared, MpiError> {
    let count = buffer::count(recv.count)?;
    scattered(at, (send, recv.address), &vec![count; at.place.size], recv.datatype, op)
}

fn scattered(
    at: &mut At<'_>,
    (send, recv): (*const c_void, *const c_void),
    counts: &[usize],
    datatype: Handle,
    op: Handle,
) -> Result<Prepared, MpiError> {
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
