//! Sends and receives.

pub(crate) mod partitioned;
pub(crate) mod probes;
pub(crate) mod send_buffers;

use crate::calls::abi::{self, CStatus, Handle};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::{Out, out};
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::requests::delivery::Delivery;
use crate::mpi::requests::persistent;
use crate::rank::Blocked;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{c_int, c_void};
use weir_message::{Exchange, Mode, MpiError, PROC_NULL, RequestId, Status};

/// Writes a status where the program asks for it, if it does.
#[inline]
pub(crate) fn write_status(to: *mut CStatus, status: &Status) {
    if let Some(to) = Out::of(to) {
        to.change(|to| to.set(status));
    }
}

/// A mistake found when a message came.
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
    to: c_int,
    tag: c_int,
    comm: Handle,
) -> Result<Option<RequestId>, MpiError> {
    let comm = abi::communicator(comm)?;
    if mode == Mode::Buffered && to != PROC_NULL {
        context.rank().process.check_send(comm, to, tag)?;
        context.rank().process.check_room(comm, buffer.bytes as u64)?;
    }
    let data = buffer.message(context);
    let (rank, actions) = context.both();
    rank.process.send(actions, mode, comm, to, tag, data)
}

/// A send that goes on, or is complete already.
fn going_send(
    context: &mut Context,
    mode: Mode,
    buffer: &Buffer,
    to: c_int,
    tag: c_int,
    comm: Handle,
) -> Result<RequestId, MpiError> {
    let id = start_send(context, mode, buffer, to, tag, comm)?;
    Ok(id.unwrap_or_else(|| context.rank().process.completed()))
}

fn blocking_send(
    context: &mut Context,
    mode: Mode,
    buffer: &Buffer,
    to: c_int,
    tag: c_int,
    comm: Handle,
) -> Result<(), MpiError> {
    if let Some(id) = start_send(context, mode, buffer, to, tag, comm)? {
        context.wait_for(id)?;
    }
    Ok(())
}

fn start_receive(
    context: &mut Context,
    buffer: &Buffer,
    from: c_int,
    tag: c_int,
    comm: Handle,
) -> Result<RequestId, MpiError> {
    let comm = abi::communicator(comm)?;
    let (rank, actions) = context.both();
    let id = rank.process.receive(actions, comm, from, tag, buffer.bytes as u64)?;
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

/// Receives into `buffer`, and says what came.
fn blocking_receive(
    context: &mut Context,
    buffer: &Buffer,
    from: c_int,
    tag: c_int,
    comm: Handle,
    status: *mut CStatus,
) -> Result<(), MpiError> {
    let id = start_receive(context, buffer, from, tag, comm)?;
    let got = finish_receive(context, id)?;
    write_status(status, &got);
    checked(got).map(|_| ())
}

macro_rules! sends {
    ($($blocking:ident $blocking_name:literal, $starting:ident $starting_name:literal,
       $preparing:ident $preparing_name:literal: $mode:expr;)*) => {$(
        pub(crate) unsafe extern "C" fn $blocking<C: CountArgument>(
            buf: *const c_void, count: C, datatype: Handle, to: c_int, tag: c_int, comm: Handle,
        ) -> c_int {
            call(name_of!(C, $blocking_name), comm, |context| {
                let buffer = Buffer::new(context, buf, count, datatype)?;
                blocking_send(context, $mode, &buffer, to, tag, comm)
            })
        }

        pub(crate) unsafe extern "C" fn $starting<C: CountArgument>(
            buf: *const c_void, count: C, datatype: Handle, to: c_int, tag: c_int, comm: Handle,
            request: *mut Handle,
        ) -> c_int {
            call(name_of!(C, $starting_name), comm, |context| {
                let request = out(request, "request")?;
                let buffer = Buffer::new(context, buf, count, datatype)?;
                let id = going_send(context, $mode, &buffer, to, tag, comm)?;
                request.set(abi::request_handle(id));
                Ok(())
            })
        }

        pub(crate) unsafe extern "C" fn $preparing<C: CountArgument>(
            buf: *const c_void, count: C, datatype: Handle, to: c_int, tag: c_int, comm: Handle,
            request: *mut Handle,
        ) -> c_int {
            call(name_of!(C, $preparing_name), comm, |context| {
                let request = out(request, "request")?;
                let buffer = Buffer::new(context, buf, count, datatype)?;
                context.rank().process.check_send(abi::communicator(comm)?, to, tag)?;
                let start = move |context: &mut Context| going_send(context, $mode, &buffer, to, tag, comm);
                request.set(persistent::create(context, start));
                Ok(())
            })
        }
    )*};
}

sends! {
    send "MPI_Send", isend "MPI_Isend", send_init "MPI_Send_init": Mode::Standard;
    ssend "MPI_Ssend", issend "MPI_Issend", ssend_init "MPI_Ssend_init": Mode::Synchronous;
    rsend "MPI_Rsend", irsend "MPI_Irsend", rsend_init "MPI_Rsend_init": Mode::Ready;
    bsend "MPI_Bsend", ibsend "MPI_Ibsend", bsend_init "MPI_Bsend_init": Mode::Buffered;
}

pub(crate) unsafe extern "C" fn recv<C: CountArgument>(
    buf: *mut c_void,
    count: C,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    status: *mut CStatus,
) -> c_int {
    call(name_of!(C, "MPI_Recv"), comm, |context| {
        let buffer = Buffer::new(context, buf, count, datatype)?;
        blocking_receive(context, &buffer, from, tag, comm, status)
    })
}

pub(crate) unsafe extern "C" fn irecv<C: CountArgument>(
    buf: *mut c_void,
    count: C,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    request: *mut Handle,
) -> c_int {
    call(name_of!(C, "MPI_Irecv"), comm, |context| {
        let request = out(request, "request")?;
        let buffer = Buffer::new(context, buf, count, datatype)?;
        let id = start_receive(context, &buffer, from, tag, comm)?;
        request.set(abi::request_handle(id));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn recv_init<C: CountArgument>(
    buf: *mut c_void,
    count: C,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    request: *mut Handle,
) -> c_int {
    call(name_of!(C, "MPI_Recv_init"), comm, |context| {
        let request = out(request, "request")?;
        let buffer = Buffer::new(context, buf, count, datatype)?;
        context.rank().process.check_receive(abi::communicator(comm)?, from, tag)?;
        let start = move |context: &mut Context| start_receive(context, &buffer, from, tag, comm);
        request.set(persistent::create(context, start));
        Ok(())
    })
}

/// The arguments of `MPI_Sendrecv` and its like behind the buffers.
#[derive(Clone, Copy)]
struct Ends {
    to: c_int,
    send_tag: c_int,
    from: c_int,
    receive_tag: c_int,
    comm: Handle,
}

/// Starts to send what is in `outgoing` and to receive into `into`, which may be the same.
fn start_exchange(
    context: &mut Context,
    outgoing: &Buffer,
    into: &Buffer,
    ends: Ends,
) -> Result<RequestId, MpiError> {
    let Ends { to, send_tag, from, receive_tag, comm } = ends;
    let comm = abi::communicator(comm)?;
    let exchange = Exchange {
        to,
        send_tag,
        data: outgoing.message(context),
        from,
        receive_tag,
        capacity: into.bytes as u64,
    };
    let (rank, actions) = context.both();
    let id = rank.process.exchange(actions, comm, exchange)?;
    context.rank().set_delivery(id, Delivery::Buffer(into.destination()));
    Ok(id)
}

fn blocking_exchange(
    context: &mut Context,
    outgoing: &Buffer,
    into: &Buffer,
    ends: Ends,
    status: *mut CStatus,
) -> Result<(), MpiError> {
    let id = start_exchange(context, outgoing, into, ends)?;
    let got = finish_receive(context, id)?;
    write_status(status, &got);
    checked(got).map(|_| ())
}

fn going_exchange(
    context: &mut Context,
    outgoing: &Buffer,
    into: &Buffer,
    ends: Ends,
    request: *mut Handle,
) -> Result<(), MpiError> {
    let request = out(request, "request")?;
    let id = start_exchange(context, outgoing, into, ends)?;
    request.set(abi::request_handle(id));
    Ok(())
}

/// The functions for a send and a receive together; `$last` is what they give back.
macro_rules! exchanges {
    ($($both:ident $both_name:literal, $replace:ident $replace_name:literal: $last:ident $kind:ty, $run:expr;)*) => {$(
        pub(crate) unsafe extern "C" fn $both<C: CountArgument>(
            send_buf: *const c_void, send_count: C, send_type: Handle, to: c_int, send_tag: c_int,
            recv_buf: *mut c_void, recv_count: C, recv_type: Handle, from: c_int, receive_tag: c_int,
            comm: Handle, $last: *mut $kind,
        ) -> c_int {
            call(name_of!(C, $both_name), comm, |context| {
                let outgoing = Buffer::new(context, send_buf, send_count, send_type)?;
                let into = Buffer::new(context, recv_buf, recv_count, recv_type)?;
                $run(context, &outgoing, &into, Ends { to, send_tag, from, receive_tag, comm }, $last)
            })
        }

        pub(crate) unsafe extern "C" fn $replace<C: CountArgument>(
            buf: *mut c_void, count: C, datatype: Handle, to: c_int, send_tag: c_int, from: c_int,
            receive_tag: c_int, comm: Handle, $last: *mut $kind,
        ) -> c_int {
            call(name_of!(C, $replace_name), comm, |context| {
                let both = Buffer::new(context, buf, count, datatype)?;
                $run(context, &both, &both, Ends { to, send_tag, from, receive_tag, comm }, $last)
            })
        }
    )*};
}

exchanges! {
    sendrecv "MPI_Sendrecv", sendrecv_replace "MPI_Sendrecv_replace": status CStatus, blocking_exchange;
    isendrecv "MPI_Isendrecv", isendrecv_replace "MPI_Isendrecv_replace": request Handle, going_exchange;
}
