//! `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block`

use super::forms::forms;
use super::memory::{Elements, Memory, Numbers, is_in_place};
use super::prepared::{At, Prepared};
use crate::calls::abi::Handle;
use crate::mpi::datatypes::buffer;
use std::ffi::c_void;
use weir_message::MpiError;
use weir_message::collective::{Blocks, Plan};

forms! {
    "Reduce_scatter" "Ireduce_scatter" [c_int i64]
        (send: *const c_void, recv: *mut c_void, counts: *const C, datatype: Handle, op: Handle)
        => |at| {
            // SAFETY: the program's array has an element for each rank.
            let counts = unsafe { Numbers::from(counts).counts(at.place.size)? };
            reduce_scatter(at, (send, recv), &counts, datatype, op)
        };
    "Reduce_scatter_block" "Ireduce_scatter_block" [c_int i64]
        (send: *const c_void, recv: *mut c_void, count: C, datatype: Handle, op: Handle)
        => |at| {
            let count = buffer::count(count)?;
            reduce_scatter(at, (send, recv), &vec![count; at.place.size], datatype, op)
        };
}

fn reduce_scatter(
    at: &mut At<'_>,
    (send, recv): (*const c_void, *mut c_void),
    counts: &[usize],
    datatype: Handle,
    op: Handle,
) -> Result<Prepared, MpiError> {
    let (reduction, commutes) = at.operation(op, datatype)?;
    let total = counts.iter().try_fold(0i64, |sum, &count| sum.checked_add(count as i64));
    let total = total.ok_or_else(|| MpiError::Argument("the blocks are too long together".into()))?;
    let got = at.buffer(Elements(recv, counts[at.place.rank] as i64, datatype))?;
    let all = Elements(send, total, datatype);
    let given = at.buffer(if at.sides.is_some() { all } else { all.or(Elements(recv, total, datatype)) })?;
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
