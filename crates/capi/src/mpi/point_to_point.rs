//! Sends and receives.

pub(crate) mod partitioned;

use crate::calls::Of;
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::datatypes::pieces::whole;
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::Delivery;
use crate::mpi::requests::persistent;
use crate::rank::{Awaited, Blocked};
use weir_message::{
    BufferOf, Completion, Exchange, MessageId, Mode, PROC_NULL, Receiving, RequestId, Selector, Status,
    asked, found,
};
use weir_operations::{Operation, PollFirst};

/// Writes a status where the program asks for it, if it does.
#[inline]
pub(crate) fn write_status(to: *mut CStatus, status: &Status) {
    if let Some(to) = Out::of(to) {
        to.change(|to| to.set(status));
    }
}

pub(crate) fn checked(status: Status) -> Result<Status> {
    match status.error {
        Some(error) => Err(*error),
        None => Ok(status),
    }
}

fn start_send(context: &mut Context, mode: Mode, buffer: &Buffer, to: Peer) -> Result<Option<RequestId>> {
    if mode == Mode::Buffered && to.rank != PROC_NULL {
        context.rank().process.check_send(to.comm, to.rank, to.tag)?;
        context.rank().process.check_room(to.comm, buffer.bytes as u64)?;
    }
    let data = buffer.message(context);
    let (rank, actions) = context.both();
    rank.process.send(actions, mode, to.comm, to.rank, to.tag, data)
}

/// A send that goes on, or is complete already.
fn going_send(context: &mut Context, mode: Mode, buffer: &Buffer, to: Peer) -> Result<RequestId> {
    let id = start_send(context, mode, buffer, to)?;
    Ok(id.unwrap_or_else(|| context.rank().process.completed()))
}

fn start_receive(context: &mut Context, buffer: &Buffer, from: Peer) -> Result<RequestId> {
    let (rank, actions) = context.both();
    let id = rank.process.receive(actions, from.comm, from.rank, from.tag, buffer.bytes as u64)?;
    context.rank().set_delivery(id, Delivery::Buffer(buffer.destination()));
    Ok(id)
}

pub(crate) fn end_receive(context: &mut Context, id: RequestId, status: *mut CStatus) -> Done {
    if !context.rank().process.is_complete(id)? {
        context.wait(Blocked::One(id));
    }
    let got = context.deliver(id)?;
    write_status(status, &got);
    checked(got).map(|_| ())
}

macro_rules! sends {
    ($($blocking:ident $starting:ident $preparing:ident: $mode:expr;)*) => {$(
        pub(crate) fn $blocking(context: &mut Context, buffer: Buffer, to: Peer) -> Done {
            if let Some(id) = start_send(context, $mode, &buffer, to)? {
                context.wait_for(id)?;
            }
            Ok(())
        }

        pub(crate) fn $starting(
            context: &mut Context, buffer: Buffer, to: Peer, request: Out<Handle>,
        ) -> Done {
            request.give(abi::request_handle(going_send(context, $mode, &buffer, to)?))
        }

        pub(crate) fn $preparing(
            context: &mut Context, buffer: Buffer, to: Peer, request: Out<Handle>,
        ) -> Done {
            context.rank().process.check_send(to.comm, to.rank, to.tag)?;
            let start = move |context: &mut Context| going_send(context, $mode, &buffer, to);
            request.give(persistent::create(context, None, start))
        }
    )*};
}

sends! {
    send isend send_init: Mode::Standard;
    ssend issend ssend_init: Mode::Synchronous;
    rsend irsend rsend_init: Mode::Ready;
    bsend ibsend bsend_init: Mode::Buffered;
}

/// Nothing else ends the request, so where its data go need not be kept with it.
pub(crate) fn recv(context: &mut Context, buffer: Buffer, from: Peer, status: *mut CStatus) -> Done {
    let (rank, actions) = context.both();
    let (room, of) = (buffer.bytes as u64, (from.rank, from.tag));
    let Completion { status: got, data, .. } =
        match rank.process.receive_blocking(actions, from.comm, of, room)? {
            Receiving::Over(completion) => completion,
            Receiving::Goes(id) => context.wait_for(id)?,
        };
    // SAFETY: the program gave this buffer, with as much room as the receive has.
    let got = unsafe { Delivery::Buffer(buffer.destination()).carry_out(context, got, &data) };
    write_status(status, &got);
    checked(got).map(|_| ())
}

pub(crate) fn irecv(context: &mut Context, buffer: Buffer, from: Peer, request: Out<Handle>) -> Done {
    request.give(abi::request_handle(start_receive(context, &buffer, from)?))
}

pub(crate) fn recv_init(context: &mut Context, buffer: Buffer, from: Peer, request: Out<Handle>) -> Done {
    context.rank().process.check_receive(from.comm, from.rank, from.tag)?;
    let start = move |context: &mut Context| start_receive(context, &buffer, from);
    request.give(persistent::create(context, None, start))
}

/// Starts to send what is in `outgoing` and to receive into `into`, which may be the same.
fn start_exchange(
    context: &mut Context,
    (outgoing, to, send_tag): (&Buffer, c_int, c_int),
    (into, from): (&Buffer, Peer),
) -> Result<RequestId> {
    let (data, capacity) = (outgoing.message(context), into.bytes as u64);
    let Peer { rank: from, tag: receive_tag, comm } = from;
    let exchange = Exchange { to, send_tag, data, from, receive_tag, capacity };
    let (rank, actions) = context.both();
    let id = rank.process.exchange(actions, comm, exchange)?;
    context.rank().set_delivery(id, Delivery::Buffer(into.destination()));
    Ok(id)
}

fn starting_exchange(_: &mut Context, id: RequestId, request: Out<Handle>) -> Done {
    request.give(abi::request_handle(id))
}

/// The functions for a send and a receive together; `$last` is what they give back.
macro_rules! exchanges {
    ($($both:ident $replace:ident: $last:ident $kind:ty => $end:ident;)*) => {$(
        pub(crate) fn $both(
            context: &mut Context, outgoing: Buffer, to: c_int, send_tag: c_int,
            into: Buffer, from: Peer, $last: $kind,
        ) -> Done {
            let id = start_exchange(context, (&outgoing, to, send_tag), (&into, from))?;
            $end(context, id, $last)
        }

        pub(crate) fn $replace(
            context: &mut Context, both: Buffer, to: c_int, send_tag: c_int, from: Peer, $last: $kind,
        ) -> Done {
            let id = start_exchange(context, (&both, to, send_tag), (&both, from))?;
            $end(context, id, $last)
        }
    )*};
}

exchanges! {
    sendrecv sendrecv_replace: status *mut CStatus => end_receive;
    isendrecv isendrecv_replace: request Out<Handle> => starting_exchange;
}

/// Looks at messages that a receive with these arguments would take, and gives the status of the one it finds.
fn seen(context: &mut Context, selector: &Selector) -> Option<Status> {
    context.rank().process.probe(selector)
}

/// Takes the message that a receive would take out of the queue; gives it and its status.
fn matched(context: &mut Context, selector: &Selector) -> Option<(Handle, Status)> {
    let (id, status) = context.rank().process.match_message(selector)?;
    Some((abi::own_handle(id.0 as usize), status))
}

/// The message from the null process, which is there at once.
fn message_of_nobody() -> (Handle, Status) {
    (abi::predefined(MPI_MESSAGE_NO_PROC), Status::of_null_process())
}

/// The messages that a receive would take; none from the null process.
fn selector(context: &mut Context, from: Peer) -> Result<Option<Selector>> {
    if from.rank == PROC_NULL {
        return context.communicator(from.comm).map(|_| None);
    }
    context.rank().process.selector(from.comm, from.rank, from.tag).map(Some)
}

/// Waits for a message from a source with a tag, and returns what `find` finds of it. Another thread of the rank may have taken it
/// before this one goes on; then the next one is waited for.
fn wait_for_message<T>(
    context: &mut Context,
    from: Peer,
    of_nobody: impl FnOnce() -> T,
    find: impl Fn(&mut Context, &Selector) -> Option<T>,
) -> Result<T> {
    let communicator = from.comm;
    let Some(selector) = selector(context, from)? else { return Ok(of_nobody()) };
    loop {
        context.wait(Blocked::For(Awaited::Message { communicator, selector }));
        context.rank().process.makes_progress();
        if let Some(found) = find(context, &selector) {
            return Ok(found);
        }
    }
}

fn look_for_message<T>(
    context: &mut Context,
    from: Peer,
    of_nobody: impl FnOnce() -> T,
    find: impl Fn(&mut Context, &Selector) -> Option<T>,
) -> Result<Option<T>> {
    let communicator = from.comm;
    let Some(selector) = selector(context, from)? else { return Ok(Some(of_nobody())) };
    context.poll(Awaited::Message { communicator, selector }, |context| Ok(find(context, &selector)))
}

/// Passes what a probe has found to the observer, unless it is from the null process.
fn observe_probe(context: &mut Context, Peer { rank: source, tag, comm }: Peer, status: &Status) {
    if source != PROC_NULL {
        let (communicator, look) = (comm.0, PollFirst::No);
        context.rank().process.observe(|| {
            let from = found(asked(source, tag), status);
            Operation::Probe { from, communicator, look }
        });
    }
}

pub(crate) fn probe(context: &mut Context, from: Peer, status: *mut CStatus) -> Done {
    let found = wait_for_message(context, from, Status::of_null_process, seen)?;
    observe_probe(context, from, &found);
    write_status(status, &found);
    Ok(())
}

pub(crate) fn iprobe(context: &mut Context, from: Peer, flag: Out<c_int>, status: *mut CStatus) -> Done {
    let found = look_for_message(context, from, Status::of_null_process, seen)?;
    flag.set(c_int::from(found.is_some()));
    if let Some(found) = found {
        observe_probe(context, from, &found);
        write_status(status, &found);
    }
    Ok(())
}

pub(crate) fn mprobe(context: &mut Context, from: Peer, message: Out<Handle>, status: *mut CStatus) -> Done {
    let (found, of) = wait_for_message(context, from, message_of_nobody, matched)?;
    message.set(found);
    write_status(status, &of);
    Ok(())
}

pub(crate) fn improbe(context: &mut Context, args: Improbe) -> Done {
    let found = look_for_message(context, args.source, message_of_nobody, matched)?;
    args.flag.set(c_int::from(found.is_some()));
    if let Some((found, of)) = found {
        args.message.set(found);
        write_status(args.status, &of);
    }
    Ok(())
}

/// Starts to receive a message that a probe has found; the program's variable is null then.
fn start_matched(context: &mut Context, buffer: &Buffer, message: Out<Handle>) -> Result<RequestId> {
    let (rank, actions) = context.both();
    let id = match message.get() as usize {
        MPI_MESSAGE_NO_PROC => rank.process.receive_nothing(),
        _ => {
            let number = abi::own_index(message.get()).and_then(|index| u32::try_from(index).ok());
            let found = MessageId(number.ok_or(MpiError::Request)?);
            rank.process.receive_matched(actions, found, buffer.bytes as u64)?
        }
    };
    message.set(abi::predefined(MPI_MESSAGE_NULL));
    context.rank().set_delivery(id, Delivery::Buffer(buffer.destination()));
    Ok(id)
}

pub(crate) fn mrecv(context: &mut Context, args: Mrecv) -> Done {
    let buffer = args.buf.buffer(context)?;
    let id = start_matched(context, &buffer, args.message)?;
    end_receive(context, id, args.status)
}

pub(crate) fn imrecv(context: &mut Context, args: Imrecv) -> Done {
    let buffer = args.buf.buffer(context)?;
    args.request.give(abi::request_handle(start_matched(context, &buffer, args.message)?))
}

/// The buffers that are attached for buffered sends, of the process, of communicators and of sessions: of what, address and length
/// as the program gave them. Messages do not lie in them, but take their room.
#[derive(Default)]
struct SendBuffers(Vec<(BufferOf, usize, i64)>);

impl SendBuffers {
    fn of(context: &mut Context) -> &mut Vec<(BufferOf, usize, i64)> {
        &mut context.of::<Self>().0
    }
}

/// The buffer of this object, which is the program's.
fn buffer_of(of: Of, object: Handle) -> Result<BufferOf> {
    match of {
        Of::Comm => Ok(BufferOf::Communicator(abi::communicator(object)?)),
        Of::Session => Ok(BufferOf::Session(abi::own_index(object).ok_or(MpiError::Session)? as u32)),
        _ => Ok(BufferOf::Process),
    }
}

pub(crate) fn attach_buffer(
    context: &mut Context,
    of: Of,
    object: Handle,
    at: *mut c_void,
    size: i64,
) -> Done {
    let room = u64::try_from(size).map_err(|_| MpiError::Argument(format!("a buffer of {size} bytes")))?;
    if at.is_null() && room > 0 {
        return Err(MpiError::NullPointer("buffer".into()));
    }
    let (of, buffer) = (buffer_of(of, object)?, whole(at)?);
    let room = Some(room).filter(|_| buffer as usize != MPI_BUFFER_AUTOMATIC);
    context.rank().process.attach_buffer(of, room)?;
    SendBuffers::of(context).push((of, buffer as usize, size));
    Ok(())
}

/// Waits until the messages in a buffer have left.
pub(crate) fn flush_buffer(context: &mut Context, of: Of, object: Handle) -> Done {
    let id = context.rank().process.flush_buffer(buffer_of(of, object)?)?;
    context.wait_for(id).map(|_| ())
}

pub(crate) fn iflush_buffer(context: &mut Context, of: Of, object: Handle, request: Out<Handle>) -> Done {
    request.give(abi::request_handle(context.rank().process.flush_buffer(buffer_of(of, object)?)?))
}

pub(crate) fn detach_buffer(
    context: &mut Context,
    of: Of,
    object: Handle,
    address: Out<*mut c_void>,
    size: OutNumber,
) -> Done {
    flush_buffer(context, of, object)?;
    let of = buffer_of(of, object)?;
    context.rank().process.detach_buffer(of)?;
    let buffers = SendBuffers::of(context);
    if let Some(index) = buffers.iter().position(|(known, ..)| *known == of) {
        let (_, buffer, length) = buffers.remove(index);
        address.set(buffer as *mut c_void);
        size.set(Some(length));
    }
    Ok(())
}
