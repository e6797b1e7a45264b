//! Packing and unpacking by hand, as data travel or in the external representation.

use crate::abi::{self, Handle};
use crate::buffer::{Buffer, count};
use crate::context::{Context, call, copy_in, copy_out};
use crate::datatypes::{Datatype, type_of};
use crate::type_queries::int;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::slice;
use weir_message::MpiError;

/// Where in a packed buffer of `size` bytes the next `bytes` bytes are, and where they end.
fn next(
    buffer: *const c_void,
    size: isize,
    position: isize,
    bytes: usize,
) -> Result<(*mut u8, isize), MpiError> {
    if position < 0 || size < 0 {
        return Err(MpiError::Argument(format!("position {position} in a packed buffer of {size} bytes")));
    }
    let room = (size - position).max(0) as u64;
    if bytes as u64 > room {
        return Err(MpiError::Truncate { message: bytes as u64, buffer: room });
    }
    if buffer.is_null() && bytes > 0 {
        return Err(MpiError::Buffer(format!("a null pointer for {bytes} packed bytes")));
    }
    Ok((buffer.cast_mut().cast::<u8>().wrapping_offset(position), position + bytes as isize))
}

fn check_communicator(context: Context, comm: Handle) -> Result<(), MpiError> {
    context.rank().process.communicator(abi::communicator(comm)?).map(|_| ())
}

pub(crate) unsafe extern "C" fn pack(
    from: *const c_void,
    given: c_int,
    datatype: Handle,
    packed: *mut c_void,
    size: c_int,
    position: *mut c_int,
    comm: Handle,
) -> c_int {
    call("MPI_Pack", comm, |context| {
        check_communicator(context, comm)?;
        let buffer = Buffer::new(context, from, given, datatype)?;
        // SAFETY: the program's variable.
        let position = unsafe { &mut *position };
        let (to, end) = next(packed, size as isize, *position as isize, buffer.bytes)?;
        if buffer.bytes > 0 {
            // SAFETY: the program's packed buffer has room for so many bytes, apart from what is packed.
            buffer.read_into(unsafe { slice::from_raw_parts_mut(to, buffer.bytes) });
        }
        *position = end as c_int;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn unpack(
    packed: *const c_void,
    size: c_int,
    position: *mut c_int,
    to: *mut c_void,
    given: c_int,
    datatype: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Unpack", comm, |context| {
        check_communicator(context, comm)?;
        let buffer = Buffer::new(context, to, given, datatype)?;
        // SAFETY: the program's variable.
        let position = unsafe { &mut *position };
        let (from, end) = next(packed, size as isize, *position as isize, buffer.bytes)?;
        if buffer.bytes > 0 {
            // SAFETY: the program's packed buffer has so many bytes, apart from where they go.
            buffer.write(unsafe { slice::from_raw_parts(from, buffer.bytes) });
        }
        *position = end as c_int;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn pack_size(
    given: c_int,
    datatype: Handle,
    comm: Handle,
    size: *mut c_int,
) -> c_int {
    call("MPI_Pack_size", comm, |context| {
        check_communicator(context, comm)?;
        let bytes = Datatype::of(context, datatype)?.size.saturating_mul(count(given)?);
        // SAFETY: the program's variable.
        unsafe { *size = int(bytes) };
        Ok(())
    })
}

/// # Safety
/// `name` is a string.
unsafe fn check_representation(name: *const c_char) -> Result<(), MpiError> {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    if name == c"external32" {
        return Ok(());
    }
    Err(MpiError::Argument(format!("the data representation is {name:?}, not \"external32\"")))
}

/// Bytes of so many elements in the external representation.
fn external_size(context: Context, given: c_int, datatype: Handle) -> Result<usize, MpiError> {
    let bytes = type_of(context, datatype)?.external_size(count(given)?);
    bytes.ok_or_else(|| MpiError::Argument(format!("{given} elements are too many")))
}

pub(crate) unsafe extern "C" fn pack_external(
    representation: *const c_char,
    from: *const c_void,
    given: c_int,
    datatype: Handle,
    packed: *mut c_void,
    size: isize,
    position: *mut isize,
) -> c_int {
    call("MPI_Pack_external", ptr::null_mut(), |context| {
        // SAFETY: the program's string and variable.
        let position = unsafe {
            check_representation(representation)?;
            &mut *position
        };
        let buffer = Buffer::new(context, from, given, datatype)?;
        let mut external = vec![0; external_size(context, given, datatype)?];
        let (to, end) = next(packed, size, *position, external.len())?;
        type_of(context, datatype)?.write_external(count(given)?, &buffer.read(), &mut external);
        // SAFETY: the program's packed buffer has room for so many bytes.
        unsafe { copy_out(to, &external) };
        *position = end;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn unpack_external(
    representation: *const c_char,
    packed: *const c_void,
    size: isize,
    position: *mut isize,
    to: *mut c_void,
    given: c_int,
    datatype: Handle,
) -> c_int {
    call("MPI_Unpack_external", ptr::null_mut(), |context| {
        // SAFETY: the program's string and variable.
        let position = unsafe {
            check_representation(representation)?;
            &mut *position
        };
        let buffer = Buffer::new(context, to, given, datatype)?;
        let mut external = vec![0; external_size(context, given, datatype)?];
        let (from, end) = next(packed, size, *position, external.len())?;
        // SAFETY: the program's packed buffer has so many bytes.
        unsafe { copy_in(from, &mut external) };
        let mut data = vec![0; buffer.bytes];
        type_of(context, datatype)?.read_external(count(given)?, &external, &mut data);
        buffer.write(&data);
        *position = end;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn pack_external_size(
    representation: *const c_char,
    given: c_int,
    datatype: Handle,
    size: *mut isize,
) -> c_int {
    call("MPI_Pack_external_size", ptr::null_mut(), |context| {
        // SAFETY: the program's string.
        unsafe { check_representation(representation)? };
        let bytes = external_size(context, given, datatype)?;
        // SAFETY: the program's variable.
        unsafe { *size = bytes as isize };
        Ok(())
    })
}
