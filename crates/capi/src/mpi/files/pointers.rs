//! File pointers: each rank's own, and the shared one.

use super::access::view_of;
use super::agreement::together;
use super::host::SharedFile;
use super::{argument, not_sequential, open};
use crate::mpi::prelude::*;
use weir_message::FileView;

/// Where a pointer goes that stands at `now`.
fn target(
    shared: &SharedFile,
    view: &FileView,
    offset: i64,
    whence: c_int,
    now: i64,
) -> Result<i64, MpiError> {
    let from = match whence {
        MPI_SEEK_SET => 0,
        MPI_SEEK_CUR => now,
        MPI_SEEK_END => view.units_in(shared.length()?),
        _ => {
            return Err(argument(format!("{whence} is none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END")));
        }
    };
    let to = from.checked_add(offset).filter(|&to| to >= 0);
    to.ok_or_else(|| argument(format!("offset {offset} from {from} lies before the view")))
}

pub(crate) fn file_seek(context: &mut Context, file: Handle, offset: i64, whence: c_int) -> Done {
    not_sequential(open(context, file)?)?;
    // The end of the file is where others have left it by now.
    context.catch_up();
    let now = open(context, file)?.position;
    let (shared, view) = view_of(context, file)?;
    let to = target(&shared, &view, offset, whence, now)?;
    open(context, file)?.position = to;
    Ok(())
}

pub(crate) fn file_seek_shared(context: &mut Context, file: Handle, offset: i64, whence: c_int) -> Done {
    let own = not_sequential(open(context, file)?);
    let (_, view) = view_of(context, file)?;
    together(context, file, own, &[offset, i64::from(whence)], |shared| {
        shared.set_pointer(target(shared, &view, offset, whence, shared.pointer()?)?)
    })
}

pub(crate) fn file_get_position(context: &mut Context, file: Handle, offset: Out<i64>) -> Done {
    let known = open(context, file)?;
    not_sequential(known)?;
    offset.give(known.position)
}

pub(crate) fn file_get_position_shared(context: &mut Context, file: Handle, offset: Out<i64>) -> Done {
    not_sequential(open(context, file)?)?;
    context.catch_up();
    offset.give(open(context, file)?.shared.pointer()?)
}

pub(crate) fn file_get_byte_offset(
    context: &mut Context,
    file: Handle,
    offset: i64,
    place: Out<i64>,
) -> Done {
    let known = open(context, file)?;
    not_sequential(known)?;
    let position = known.view.position(offset, 0)?;
    place.give(known.view.byte_offset(position) as i64)
}
