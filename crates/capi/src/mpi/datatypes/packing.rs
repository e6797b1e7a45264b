//! Packing and unpacking by hand, as data travel or in the external representation.

use crate::calls::output_arguments::{copy, given, out, string};
use crate::mpi::datatypes::buffer::{self, count};
use crate::mpi::datatypes::{Datatype, type_of};
use crate::mpi::prelude::*;
use weir_message::datatype::Type;

/// Where in a packed buffer of `size` bytes the next `bytes` bytes are, and where they end.
fn next(buffer: *const c_void, size: i64, position: OutNumber, bytes: usize) -> Result<(*mut u8, i64)> {
    let position = position.get();
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
    Ok((buffer.cast_mut().cast::<u8>().wrapping_offset(position as isize), position + bytes as i64))
}

pub(crate) fn pack(context: &mut Context, args: Pack) -> Done {
    let buffer = args.inbuf.buffer(context)?;
    context.communicator(args.comm)?;
    let (to, end) = next(args.outbuf, args.outsize, args.position, buffer.bytes)?;
    if buffer.bytes > 0 {
        // SAFETY: the program's packed buffer has room for so many bytes, apart from what is packed.
        unsafe { buffer.pack(to) };
    }
    args.position.give(Some(end))
}

pub(crate) fn unpack(context: &mut Context, args: Unpack) -> Done {
    let buffer = args.outbuf.buffer(context)?;
    context.communicator(args.comm)?;
    let (from, end) = next(args.inbuf, args.insize, args.position, buffer.bytes)?;
    if buffer.bytes > 0 {
        // SAFETY: the program's packed buffer has so many bytes, apart from where they go.
        unsafe { buffer.unpack(from, buffer.bytes) };
    }
    args.position.give(Some(end))
}

pub(crate) fn pack_size(context: &mut Context, args: PackSize) -> Done {
    context.communicator(args.comm)?;
    args.size.give(Some(Datatype::of(context, args.datatype)?.size.saturating_mul(count(args.incount)?)))
}

fn check_representation(name: *const c_char) -> Done {
    let name = string(name, "datarep")?;
    if name.as_c_str() == c"external32" {
        return Ok(());
    }
    Err(MpiError::Argument(format!("the data representation is {name:?}, not \"external32\"")))
}

/// Bytes of so many elements in the external representation.
fn external_size(of: &Type, given: i64) -> Result<usize> {
    let bytes = of.external_size(count(given)?);
    bytes.ok_or_else(|| MpiError::Argument(format!("{given} elements are too many")))
}

pub(crate) fn pack_external(context: &mut Context, args: PackExternal) -> Done {
    check_representation(args.datarep)?;
    let (buffer, of) = (args.inbuf.buffer(context)?, type_of(context, args.inbuf.datatype)?);
    let mut external = vec![0; external_size(&of, args.inbuf.count)?];
    let (to, end) = next(args.outbuf, args.outsize as i64, args.position, external.len())?;
    of.write_external(buffer.count, &buffer.read(), &mut external);
    // SAFETY: the program's packed buffer has room for so many bytes.
    unsafe { copy(external.as_ptr(), to, external.len()) };
    args.position.give(Some(end))
}

pub(crate) fn unpack_external(context: &mut Context, args: UnpackExternal) -> Done {
    check_representation(args.datarep)?;
    let (buffer, of) = (args.outbuf.buffer(context)?, type_of(context, args.outbuf.datatype)?);
    let mut external = vec![0; external_size(&of, args.outbuf.count)?];
    let (from, end) = next(args.inbuf, args.insize as i64, args.position, external.len())?;
    // SAFETY: the program's packed buffer has so many bytes.
    unsafe { copy(from, external.as_mut_ptr(), external.len()) };
    let mut data = vec![0; buffer.bytes];
    of.read_external(buffer.count, &external, &mut data);
    buffer.write(&data);
    args.position.give(Some(end))
}

pub(crate) fn pack_external_size(context: &mut Context, args: PackExternalSize) -> Done {
    check_representation(args.datarep)?;
    let of = type_of(context, args.datatype)?;
    args.size.give(Some(external_size(&of, args.incount)?))
}

pub(crate) fn get_count(context: &mut Context, args: GetCount) -> Done {
    let size = Datatype::of(context, args.datatype)?.size as u64;
    args.count.give(whole(given(args.status, "status")?.bytes(), size))
}

/// Number of elements of a size in so many bytes; elements without data are none.
fn whole(bytes: u64, size: u64) -> Option<u64> {
    match size {
        0 => (bytes == 0).then_some(0),
        _ => bytes.is_multiple_of(size).then(|| bytes / size),
    }
}

pub(crate) fn get_elements(context: &mut Context, args: GetElements) -> Done {
    let of = type_of(context, args.datatype)?;
    args.count.give(of.elements_in(given(args.status, "status")?.bytes()))
}

pub(crate) fn status_set_elements(context: &mut Context, args: StatusSetElements) -> Done {
    let bytes = type_of(context, args.datatype)?.bytes_of(buffer::count(args.count)? as u64);
    out(args.status, "status")?.change(|status| status.set_bytes(bytes));
    Ok(())
}
