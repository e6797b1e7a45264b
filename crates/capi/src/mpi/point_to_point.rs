//! Sends and receives.

pub(crate) mod partitioned;
pub(crate) mod probes;
pub(crate) mod send_buffers;

use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::Delivery;
use crate::mpi::requests::persistent;
use crate::rank::Blocked;
use weir_message::{Exchange, Mode, PROC_NULL, RequestId, Status};

/// Whom a message goes to, or comes from, and by which tag.
#[derive(Clone, Copy)]
pub(crate) struct Peer {
    rank: c_int,
    tag: c_int,
    comm: CommunicatorId,
}

impl Argument<(c_int, c_int, Handle)> for Peer {
    #[inline]
    fn of(_: &mut Context, _: &str, (rank, tag, comm): (c_int, c_int, Handle)) -> Result<Self, MpiError> {
        Ok(Self { rank, tag, comm: abi::communicator(comm)? })
    }
}

/// Writes a status where the program asks for it, if it does.
#[inline]
pub(crate) fn write_status(to: *mut CStatus, status: &Status) {
    if let Some(to) = Out::of(to) {
        to.change(|to| to.set(status));
    }
}

pub(crate) fn checked(status: Status) -> Result<Status, MpiError> {
    match status.error {
        Some(error) => Err(*error),
        None => Ok(status),
    }
}

fn start_send(
    context: &mut Context,
    mode: Mode,
    buffer: &Buffer,
    to: Peer,
) -> Result<Option<RequestId>, MpiError> {
    if mode == Mode::Buffered && to.rank != PROC_NULL {
        context.rank().process.check_send(to.comm, to.rank, to.tag)?;
        context.rank().process.check_room(to.comm, buffer.bytes as u64)?;
    }
    let data = buffer.message(context);
    let (rank, actions) = context.both();
    rank.process.send(actions, mode, to.comm, to.rank, to.tag, data)
}

/// A send that goes on, or is complete already.
fn going_send(context: &mut Context, mode: Mode, buffer: &Buffer, to: Peer) -> Result<RequestId, MpiError> {
    let id = start_send(context, mode, buffer, to)?;
    Ok(id.unwrap_or_else(|| context.rank().process.completed()))
}

fn blocking_send(context: &mut Context, mode: Mode, buffer: &Buffer, to: Peer) -> Done {
    if let Some(id) = start_send(context, mode, buffer, to)? {
        context.wait_for(id)?;
    }
    Ok(())
}

fn start_receive(context: &mut Context, buffer: &Buffer, from: Peer) -> Result<RequestId, MpiError> {
    let (rank, actions) = context.both();
    let id = rank.process.receive(actions, from.comm, from.rank, from.tag, buffer.bytes as u64)?;
    context.rank().set_delivery(id, Delivery::Buffer(buffer.destination()));
    Ok(id)
}

#[inline]
pub(crate) fn finish_receive(context: &mut Context, id: RequestId) -> Result<Status, MpiError> {
    if !context.rank().process.is_complete(id)? {
        context.wait(Blocked::request(id));
    }
    context.deliver(id)
}

/// Waits for a receive, and gives the program its status.
pub(crate) fn end_receive(context: &mut Context, id: RequestId, status: *mut CStatus) -> Done {
    let got = finish_receive(context, id)?;
    write_status(status, &got);
    checked(got).map(|_| ())
}

macro_rules! sends {
    ($($blocking:ident $starting:ident $preparing:ident: $mode:expr;)*) => {$(
        pub(crate) fn $blocking(context: &mut Context, buffer: Buffer, to: Peer) -> Done {
            blocking_send(context, $mode, &buffer, to)
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
            request.give(persistent::create(context, start))
        }
    )*};
}

sends! {
    send isend send_init: Mode::Standard;
    ssend issend ssend_init: Mode::Synchronous;
    rsend irsend rsend_init: Mode::Ready;
    bsend ibsend bsend_init: Mode::Buffered;
}

pub(crate) fn recv(context: &mut Context, buffer: Buffer, from: Peer, status: *mut CStatus) -> Done {
    let id = start_receive(context, &buffer, from)?;
    end_receive(context, id, status)
}

pub(crate) fn irecv(context: &mut Context, buffer: Buffer, from: Peer, request: Out<Handle>) -> Done {
    request.give(abi::request_handle(start_receive(context, &buffer, from)?))
}

pub(crate) fn recv_init(context: &mut Context, buffer: Buffer, from: Peer, request: Out<Handle>) -> Done {
    context.rank().process.check_receive(from.comm, from.rank, from.tag)?;
    let start = move |context: &mut Context| start_receive(context, &buffer, from);
    request.give(persistent::create(context, start))
}

/// Starts to send what is in `outgoing` and to receive into `into`, which may be the same.
fn start_exchange(
    context: &mut Context,
    (outgoing, to, send_tag): (&Buffer, c_int, c_int),
    (into, from): (&Buffer, Peer),
) -> Result<RequestId, MpiError> {
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
