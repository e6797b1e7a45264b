//! Buffers for buffered sends, of the process, of communicators and of sessions: functions get what makes it of an id. Messages do not lie in them, but take their room.

use crate::calls::abi::MPI_BUFFER_AUTOMATIC;
use crate::mpi::datatypes::sections::whole;
use crate::mpi::prelude::*;
use weir_message::BufferOf;

/// The buffers that are attached: of what, address and length as the program gave them.
#[derive(Default)]
struct SendBuffers(Vec<(BufferOf, usize, i64)>);

impl SendBuffers {
    fn of(context: &mut Context) -> &mut Vec<(BufferOf, usize, i64)> {
        &mut context.rank().objects().of::<Self>().0
    }
}

pub(crate) fn attach_buffer<Id>(
    context: &mut Context,
    of: impl Fn(Id) -> BufferOf,
    id: Id,
    buffer: *mut c_void,
    size: i64,
) -> Done {
    let room = u64::try_from(size).map_err(|_| MpiError::Argument(format!("a buffer of {size} bytes")))?;
    if buffer.is_null() && room > 0 {
        return Err(MpiError::NullPointer("buffer".into()));
    }
    let (of, buffer) = (of(id), whole(buffer)?);
    let room = Some(room).filter(|_| buffer as usize != MPI_BUFFER_AUTOMATIC);
    context.rank().process.attach_buffer(of, room)?;
    SendBuffers::of(context).push((of, buffer as usize, size));
    Ok(())
}

/// Waits until the messages in a buffer have left.
pub(crate) fn flush_buffer<Id>(context: &mut Context, of: impl Fn(Id) -> BufferOf, id: Id) -> Done {
    let id = context.rank().process.flush_buffer(of(id))?;
    context.wait_for(id).map(|_| ())
}

pub(crate) fn iflush_buffer<Id>(
    context: &mut Context,
    of: impl Fn(Id) -> BufferOf,
    id: Id,
    request: Out<Handle>,
) -> Done {
    request.give(abi::request_handle(context.rank().process.flush_buffer(of(id))?))
}

pub(crate) fn detach_buffer<Id: Copy>(
    context: &mut Context,
    of: impl Fn(Id) -> BufferOf,
    id: Id,
    address: Out<*mut c_void>,
    size: OutNumber,
) -> Done {
    flush_buffer(context, &of, id)?;
    let of = of(id);
    context.rank().process.detach_buffer(of)?;
    let buffers = SendBuffers::of(context);
    if let Some(index) = buffers.iter().position(|(known, ..)| *known == of) {
        let (_, buffer, length) = buffers.remove(index);
        address.set(buffer as *mut c_void);
        size.set(Some(length));
    }
    Ok(())
}
