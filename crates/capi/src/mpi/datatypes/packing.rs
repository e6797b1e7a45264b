//! Packing and unpacking by hand, as data travel or in the external representation.

use crate::calls::output_arguments::{copy, given};
use crate::mpi::datatypes::buffer::{self, Buffer, Elements, count};
use crate::mpi::datatypes::{Datatype, type_of};
use crate::mpi::prelude::*;
use std::ffi::{CStr, CString};
use std::rc::Rc;
use weir_message::datatype::Type;

/// Where in a packed buffer of `size` bytes the next `bytes` bytes are, and where they end.
fn next(buffer: *const c_void, size: isize, position: OutNumber, bytes: usize) -> Result<(*mut u8, i64)> {
    let position = position.get() as isize;
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
    Ok((buffer.cast_mut().cast::<u8>().wrapping_offset(position), position as i64 + bytes as i64))
}

pub(crate) fn pack(
    context: &mut Context,
    buffer: Buffer,
    packed: *mut c_void,
    size: isize,
    position: OutNumber,
    comm: CommunicatorId,
) -> Done {
    context.communicator(comm)?;
    let (to, end) = next(packed, size, position, buffer.bytes)?;
    if buffer.bytes > 0 {
        // SAFETY: the program's packed buffer has room for so many bytes, apart from what is packed.
        unsafe { buffer.pack(to) };
    }
    position.give(Some(end))
}

pub(crate) fn unpack(
    context: &mut Context,
    packed: *const c_void,
    size: isize,
    position: OutNumber,
    buffer: Buffer,
    comm: CommunicatorId,
) -> Done {
    context.communicator(comm)?;
    let (from, end) = next(packed, size, position, buffer.bytes)?;
    if buffer.bytes > 0 {
        // SAFETY: the program's packed buffer has so many bytes, apart from where they go.
        unsafe { buffer.unpack(from, buffer.bytes) };
    }
    position.give(Some(end))
}

pub(crate) fn pack_size(
    context: &mut Context,
    given: i64,
    datatype: Handle,
    comm: CommunicatorId,
    size: OutNumber,
) -> Done {
    context.communicator(comm)?;
    size.give(Some(Datatype::of(context, datatype)?.size.saturating_mul(count(given)?)))
}

fn check_representation(name: &CStr) -> Done {
    if name == c"external32" {
        return Ok(());
    }
    Err(MpiError::Argument(format!("the data representation is {name:?}, not \"external32\"")))
}

/// Bytes of so many elements in the external representation.
fn external_size(of: &Type, given: i64) -> Result<usize> {
    let bytes = of.external_size(count(given)?);
    bytes.ok_or_else(|| MpiError::Argument(format!("{given} elements are too many")))
}

pub(crate) fn pack_external(
    context: &mut Context,
    representation: CString,
    elements: Elements,
    packed: *mut c_void,
    size: isize,
    position: OutNumber,
) -> Done {
    check_representation(&representation)?;
    let (buffer, of) = (elements.buffer(context)?, type_of(context, elements.datatype)?);
    let mut external = vec![0; external_size(&of, elements.count)?];
    let (to, end) = next(packed, size, position, external.len())?;
    of.write_external(buffer.count, &buffer.read(), &mut external);
    // SAFETY: the program's packed buffer has room for so many bytes.
    unsafe { copy(external.as_ptr(), to, external.len()) };
    position.give(Some(end))
}

pub(crate) fn unpack_external(
    context: &mut Context,
    representation: CString,
    packed: *const c_void,
    size: isize,
    position: OutNumber,
    elements: Elements,
) -> Done {
    check_representation(&representation)?;
    let (buffer, of) = (elements.buffer(context)?, type_of(context, elements.datatype)?);
    let mut external = vec![0; external_size(&of, elements.count)?];
    let (from, end) = next(packed, size, position, external.len())?;
    // SAFETY: the program's packed buffer has so many bytes.
    unsafe { copy(from, external.as_mut_ptr(), external.len()) };
    let mut data = vec![0; buffer.bytes];
    of.read_external(buffer.count, &external, &mut data);
    buffer.write(&data);
    position.give(Some(end))
}

pub(crate) fn pack_external_size(
    _: &mut Context,
    representation: CString,
    given: i64,
    of: Rc<Type>,
    size: OutNumber,
) -> Done {
    check_representation(&representation)?;
    size.give(Some(external_size(&of, given)?))
}

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
