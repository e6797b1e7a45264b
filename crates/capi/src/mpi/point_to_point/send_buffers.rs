//! Buffers for buffered sends, of the process, of communicators and of sessions. Messages do not lie in them, but take their room.

use crate::calls::abi::{self, BUFFER_AUTOMATIC, Handle};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::out;
use crate::mpi::datatypes::sections::whole;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{c_int, c_void};
use std::ptr;
use weir_message::{BufferOf, MpiError};

/// The buffers that are attached: of what, address and length as the program gave them.
#[derive(Default)]
struct SendBuffers(Vec<(BufferOf, usize, i64)>);

pub(crate) fn attach(
    context: &mut Context,
    of: BufferOf,
    buffer: *mut c_void,
    size: i64,
) -> Result<(), MpiError> {
    let room = u64::try_from(size).map_err(|_| MpiError::Argument(format!("a buffer of {size} bytes")))?;
    if buffer.is_null() && room > 0 {
        return Err(MpiError::NullPointer("buffer".into()));
    }
    let buffer = whole(buffer)?;
    let room = Some(room).filter(|_| buffer as usize != BUFFER_AUTOMATIC);
    context.rank().process.attach_buffer(of, room)?;
    context.rank().objects().of::<SendBuffers>().0.push((of, buffer as usize, size));
    Ok(())
}

/// Waits until the messages in a buffer have left.
pub(crate) fn flush(context: &mut Context, of: BufferOf) -> Result<(), MpiError> {
    let id = context.rank().process.flush_buffer(of)?;
    context.wait_for(id).map(|_| ())
}

pub(crate) fn start_flush(context: &mut Context, of: BufferOf, request: *mut Handle) -> Result<(), MpiError> {
    let request = out(request, "request")?;
    request.set(abi::request_handle(context.rank().process.flush_buffer(of)?));
    Ok(())
}

/// `address` is where a pointer is written, in spite of its type.
pub(crate) fn detach<C: CountArgument>(
    context: &mut Context,
    of: BufferOf,
    address: *mut c_void,
    size: *mut C,
) -> Result<(), MpiError> {
    let (address, size) = (out(address.cast::<*mut c_void>(), "buffer_addr")?, out(size, "size")?);
    flush(context, of)?;
    context.rank().process.detach_buffer(of)?;
    let buffers = &mut context.rank().objects().of::<SendBuffers>().0;
    if let Some(index) = buffers.iter().position(|(known, ..)| *known == of) {
        let (_, buffer, length) = buffers.remove(index);
        address.set(buffer as *mut c_void);
        size.set(C::from_count(u64::try_from(length).ok()));
    }
    Ok(())
}

fn of(comm: Handle) -> Result<BufferOf, MpiError> {
    abi::communicator(comm).map(BufferOf::Communicator)
}

pub(crate) unsafe extern "C" fn buffer_attach<C: CountArgument>(buffer: *mut c_void, size: C) -> c_int {
    call(name_of!(C, "MPI_Buffer_attach"), ptr::null_mut(), |context| {
        attach(context, BufferOf::Process, buffer, size.into())
    })
}

pub(crate) unsafe extern "C" fn buffer_detach<C: CountArgument>(address: *mut c_void, size: *mut C) -> c_int {
    call(name_of!(C, "MPI_Buffer_detach"), ptr::null_mut(), |context| {
        detach(context, BufferOf::Process, address, size)
    })
}

pub(crate) unsafe extern "C" fn buffer_flush() -> c_int {
    call("MPI_Buffer_flush", ptr::null_mut(), |context| flush(context, BufferOf::Process))
}

pub(crate) unsafe extern "C" fn buffer_iflush(request: *mut Handle) -> c_int {
    call("MPI_Buffer_iflush", ptr::null_mut(), |context| start_flush(context, BufferOf::Process, request))
}

pub(crate) unsafe extern "C" fn comm_attach_buffer<C: CountArgument>(
    comm: Handle,
    buffer: *mut c_void,
    size: C,
) -> c_int {
    call(name_of!(C, "MPI_Comm_attach_buffer"), comm, |context| {
        attach(context, of(comm)?, buffer, size.into())
    })
}

pub(crate) unsafe extern "C" fn comm_detach_buffer<C: CountArgument>(
    comm: Handle,
    address: *mut c_void,
    size: *mut C,
) -> c_int {
    call(name_of!(C, "MPI_Comm_detach_buffer"), comm, |context| detach(context, of(comm)?, address, size))
}

pub(crate) unsafe extern "C" fn comm_flush_buffer(comm: Handle) -> c_int {
    call("MPI_Comm_flush_buffer", comm, |context| flush(context, of(comm)?))
}

pub(crate) unsafe extern "C" fn comm_iflush_buffer(comm: Handle, request: *mut Handle) -> c_int {
    call("MPI_Comm_iflush_buffer", comm, |context| start_flush(context, of(comm)?, request))
}
