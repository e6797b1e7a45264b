//! Buffers for buffered sends, of the process, of communicators and of sessions. Messages do not lie in them, but take their room.

use crate::calls::abi::MPI_BUFFER_AUTOMATIC;
use crate::mpi::datatypes::sections::whole;
use crate::mpi::prelude::*;
use weir_message::BufferOf;

/// The buffers that are attached: of what, address and length as the program gave them.
#[derive(Default)]
struct SendBuffers(Vec<(BufferOf, usize, i64)>);

pub(crate) fn attach(context: &mut Context, of: BufferOf, buffer: *mut c_void, size: i64) -> Done {
    let room = u64::try_from(size).map_err(|_| MpiError::Argument(format!("a buffer of {size} bytes")))?;
    if buffer.is_null() && room > 0 {
        return Err(MpiError::NullPointer("buffer".into()));
    }
    let buffer = whole(buffer)?;
    let room = Some(room).filter(|_| buffer as usize != MPI_BUFFER_AUTOMATIC);
    context.rank().process.attach_buffer(of, room)?;
    context.rank().objects().of::<SendBuffers>().0.push((of, buffer as usize, size));
    Ok(())
}

/// Waits until the messages in a buffer have left.
pub(crate) fn flush(context: &mut Context, of: BufferOf) -> Done {
    let id = context.rank().process.flush_buffer(of)?;
    context.wait_for(id).map(|_| ())
}

pub(crate) fn start_flush(context: &mut Context, of: BufferOf, request: Out<Handle>) -> Done {
    request.give(abi::request_handle(context.rank().process.flush_buffer(of)?))
}

pub(crate) fn detach(
    context: &mut Context,
    of: BufferOf,
    address: Out<*mut c_void>,
    size: OutNumber,
) -> Done {
    flush(context, of)?;
    context.rank().process.detach_buffer(of)?;
    let buffers = &mut context.rank().objects().of::<SendBuffers>().0;
    if let Some(index) = buffers.iter().position(|(known, ..)| *known == of) {
        let (_, buffer, length) = buffers.remove(index);
        address.set(buffer as *mut c_void);
        size.set(Some(length));
    }
    Ok(())
}

pub(crate) fn buffer_attach(context: &mut Context, buffer: *mut c_void, size: i64) -> Done {
    attach(context, BufferOf::Process, buffer, size)
}

pub(crate) fn buffer_detach(context: &mut Context, address: Out<*mut c_void>, size: OutNumber) -> Done {
    detach(context, BufferOf::Process, address, size)
}

pub(crate) fn buffer_flush(context: &mut Context) -> Done {
    flush(context, BufferOf::Process)
}

pub(crate) fn buffer_iflush(context: &mut Context, request: Out<Handle>) -> Done {
    start_flush(context, BufferOf::Process, request)
}

pub(crate) fn comm_attach_buffer(
    context: &mut Context,
    comm: CommunicatorId,
    buffer: *mut c_void,
    size: i64,
) -> Done {
    attach(context, BufferOf::Communicator(comm), buffer, size)
}

pub(crate) fn comm_detach_buffer(
    context: &mut Context,
    comm: CommunicatorId,
    address: Out<*mut c_void>,
    size: OutNumber,
) -> Done {
    detach(context, BufferOf::Communicator(comm), address, size)
}

pub(crate) fn comm_flush_buffer(context: &mut Context, comm: CommunicatorId) -> Done {
    flush(context, BufferOf::Communicator(comm))
}

pub(crate) fn comm_iflush_buffer(context: &mut Context, comm: CommunicatorId, request: Out<Handle>) -> Done {
    start_flush(context, BufferOf::Communicator(comm), request)
}
