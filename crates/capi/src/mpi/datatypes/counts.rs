//! Lengths of messages that statuses report, in elements of a datatype.

use crate::calls::output_arguments::given;
use crate::mpi::datatypes::buffer;
use crate::mpi::datatypes::{Datatype, type_of};
use crate::mpi::prelude::*;

pub(crate) fn get_count(
    context: &mut Context,
    status: *const CStatus,
    datatype: Handle,
    count: OutNumber,
) -> Done {
    let size = Datatype::of(context, datatype)?.size as u64;
    count.give(whole(given(status, "status")?.bytes(), size))
}

/// Number of elements of a size in so many bytes; elements without data are none.
fn whole(bytes: u64, size: u64) -> Option<u64> {
    match size {
        0 => (bytes == 0).then_some(0),
        _ => bytes.is_multiple_of(size).then(|| bytes / size),
    }
}

pub(crate) fn get_elements(
    context: &mut Context,
    status: *const CStatus,
    datatype: Handle,
    count: OutNumber,
) -> Done {
    let of = type_of(context, datatype)?;
    count.give(of.elements_in(given(status, "status")?.bytes()))
}

pub(crate) fn status_set_elements(
    context: &mut Context,
    status: Out<CStatus>,
    datatype: Handle,
    count: i64,
) -> Done {
    let bytes = type_of(context, datatype)?.bytes_of(buffer::count(count)? as u64);
    status.change(|status| status.set_bytes(bytes));
    Ok(())
}
