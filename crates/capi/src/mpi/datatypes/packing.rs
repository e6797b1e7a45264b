//! Packing and unpacking by hand, as data travel or in the external representation.

use crate::calls::abi::{self, Handle};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::{copy, give, out, string};
use crate::mpi::datatypes::buffer::{Buffer, count};
use crate::mpi::datatypes::{Datatype, type_of};
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
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

fn check_communicator(context: &mut Context, comm: Handle) -> Result<(), MpiError> {
    context.rank().process.communicator(abi::communicator(comm)?).map(|_| ())
}

pub(crate) unsafe extern "C" fn pack<C: CountArgument>(
    from: *const c_void,
    given: C,
    datatype: Handle,
    packed: *mut c_void,
    size: C,
    position: *mut C,
    comm: Handle,
) -> c_int {
    call(name_of!(C, "MPI_Pack"), comm, |context| {
        check_communicator(context, comm)?;
        let buffer = Buffer::new(context, from, given, datatype)?;
        let position = out(position, "position")?;
        let (to, end) = next(packed, size.into() as isize, position.get().into() as isize, buffer.bytes)?;
        if buffer.bytes > 0 {
            // SAFETY: the program's packed buffer has room for so many bytes, apart from what is packed.
            unsafe { buffer.pack(to) };
        }
        position.set(C::from_count(u64::try_from(end).ok()));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn unpack<C: CountArgument>(
    packed: *const c_void,
    size: C,
    position: *mut C,
    to: *mut c_void,
    given: C,
    datatype: Handle,
    comm: Handle,
) -> c_int {
    call(name_of!(C, "MPI_Unpack"), comm, |context| {
        check_communicator(context, comm)?;
        let buffer = Buffer::new(context, to, given, datatype)?;
        let position = out(position, "position")?;
        let (from, end) = next(packed, size.into() as isize, position.get().into() as isize, buffer.bytes)?;
        if buffer.bytes > 0 {
            // SAFETY: the program's packed buffer has so many bytes, apart from where they go.
            unsafe { buffer.unpack(from, buffer.bytes) };
        }
        position.set(C::from_count(u64::try_from(end).ok()));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn pack_size<C: CountArgument>(
    given: C,
    datatype: Handle,
    comm: Handle,
    size: *mut C,
) -> c_int {
    call(name_of!(C, "MPI_Pack_size"), comm, |context| {
        check_communicator(context, comm)?;
        let bytes = Datatype::of(context, datatype)?.size.saturating_mul(count(given)?);
        give(size, "size", C::from_count(u64::try_from(bytes).ok()))
    })
}

fn check_representation(name: *const c_char) -> Result<(), MpiError> {
    let name = string(name, "datarep")?;
    if name == c"external32" {
        return Ok(());
    }
    Err(MpiError::Argument(format!("the data representation is {name:?}, not \"external32\"")))
}

/// Bytes of so many elements in the external representation.
fn external_size<C: CountArgument>(
    context: &mut Context,
    given: C,
    datatype: Handle,
) -> Result<usize, MpiError> {
    let bytes = type_of(context, datatype)?.external_size(count(given)?);
    bytes.ok_or_else(|| MpiError::Argument(format!("{given} elements are too many")))
}

pub(crate) unsafe extern "C" fn pack_external<C: CountArgument>(
    representation: *const c_char,
    from: *const c_void,
    given: C,
    datatype: Handle,
    packed: *mut c_void,
    size: isize,
    position: *mut isize,
) -> c_int {
    call(name_of!(C, "MPI_Pack_external"), ptr::null_mut(), |context| {
        check_representation(representation)?;
        let position = out(position, "position")?;
        let buffer = Buffer::new(context, from, given, datatype)?;
        let mut external = vec![0; external_size(context, given, datatype)?];
        let (to, end) = next(packed, size, position.get(), external.len())?;
        type_of(context, datatype)?.write_external(count(given)?, &buffer.read(), &mut external);
        // SAFETY: the program's packed buffer has room for so many bytes.
        unsafe { copy(external.as_ptr(), to, external.len()) };
        position.set(end);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn unpack_external<C: CountArgument>(
    representation: *const c_char,
    packed: *const c_void,
    size: isize,
    position: *mut isize,
    to: *mut c_void,
    given: C,
    datatype: Handle,
) -> c_int {
    call(name_of!(C, "MPI_Unpack_external"), ptr::null_mut(), |context| {
        check_representation(representation)?;
        let position = out(position, "position")?;
        let buffer = Buffer::new(context, to, given, datatype)?;
        let mut external = vec![0; external_size(context, given, datatype)?];
        let (from, end) = next(packed, size, position.get(), external.len())?;
        // SAFETY: the program's packed buffer has so many bytes.
        unsafe { copy(from, external.as_mut_ptr(), external.len()) };
        let mut data = vec![0; buffer.bytes];
        type_of(context, datatype)?.read_external(count(given)?, &external, &mut data);
        buffer.write(&data);
        position.set(end);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn pack_external_size<C: CountArgument>(
    representation: *const c_char,
    given: C,
    datatype: Handle,
    size: *mut isize,
) -> c_int {
    call(name_of!(C, "MPI_Pack_external_size"), ptr::null_mut(), |context| {
        check_representation(representation)?;
        let bytes = external_size(context, given, datatype)?;
        give(size, "size", bytes as isize)
    })
}
