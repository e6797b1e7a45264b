//! File pointers: each rank's own, and the shared one.

use super::access::view_of;
use super::agreement::together;
use super::host::SharedFile;
use super::{argument, call, not_sequential, open};
use crate::calls::abi::Handle;
use crate::calls::output_arguments::give;
use std::ffi::c_int;
use weir_message::{FileView, MpiError};

const SEEK_CUR: c_int = 401;
const SEEK_END: c_int = 402;
const SEEK_SET: c_int = 403;

/// Where a pointer goes that stands at `now`.
fn target(
    shared: &SharedFile,
    view: &FileView,
    offset: i64,
    whence: c_int,
    now: i64,
) -> Result<i64, MpiError> {
    let from = match whence {
        SEEK_SET => 0,
        SEEK_CUR => now,
        SEEK_END => view.units_in(shared.length()?),
        _ => {
            return Err(argument(format!("{whence} is none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END")));
        }
    };
    let to = from.checked_add(offset).filter(|&to| to >= 0);
    to.ok_or_else(|| argument(format!("offset {offset} from {from} lies before the view")))
}

pub(crate) unsafe extern "C" fn seek(file: Handle, offset: i64, whence: c_int) -> c_int {
    call("MPI_File_seek", file, |context| {
        not_sequential(open(context, file)?)?;
        // The end of the file is where others have left it by now.
        context.catch_up();
        let now = open(context, file)?.position;
        let (shared, view) = view_of(context, file)?;
        let to = target(&shared, &view, offset, whence, now)?;
        open(context, file)?.position = to;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn seek_shared(file: Handle, offset: i64, whence: c_int) -> c_int {
    call("MPI_File_seek_shared", file, |context| {
        let own = not_sequential(open(context, file)?);
        let (_, view) = view_of(context, file)?;
        together(context, file, own, &[offset, i64::from(whence)], |shared| {
            shared.set_pointer(target(shared, &view, offset, whence, shared.pointer()?)?)
        })
    })
}

pub(crate) unsafe extern "C" fn get_position(file: Handle, offset: *mut i64) -> c_int {
    call("MPI_File_get_position", file, |context| {
        let known = open(context, file)?;
        not_sequential(known)?;
        give(offset, "offset", known.position)
    })
}

pub(crate) unsafe extern "C" fn get_position_shared(file: Handle, offset: *mut i64) -> c_int {
    call("MPI_File_get_position_shared", file, |context| {
        not_sequential(open(context, file)?)?;
        context.catch_up();
        give(offset, "offset", open(context, file)?.shared.pointer()?)
    })
}

pub(crate) unsafe extern "C" fn get_byte_offset(file: Handle, offset: i64, place: *mut i64) -> c_int {
    call("MPI_File_get_byte_offset", file, |context| {
        let known = open(context, file)?;
        not_sequential(known)?;
        let position = known.view.position(offset, 0)?;
        give(place, "place", known.view.byte_offset(position) as i64)
    })
}
