//! Sends and receives.

use crate::abi::{self, CStatus, Handle};
use crate::buffer::Buffer;
use crate::context::{Context, call};
use crate::rank::{Blocked, Wants};
use std::ffi::{c_int, c_void};
use weir_message::{Mode, MpiError, RequestId, Status};

/// Writes a status where the program wants it.
///
/// # Safety
/// `to` is null or valid.
pub(crate) unsafe fn tell(to: *mut CStatus, status: &Status) {
    // SAFETY: the caller's promise.
    if let Some(to) = unsafe { to.as_mut() } {
        to.set(status);
    }
}

/// A mistake found when a message came.
pub(crate) fn checked(status: Status) -> Result<Status, MpiError> {
    match status.error {
        Some(error) => Err(error),
        None => Ok(status),
    }
}

fn start_send(
    context: Context,
    mode: Mode,
    buffer: &Buffer,
    to: c_int,
    tag: c_int,
    comm: Handle,
) -> Result<Option<RequestId>, MpiError> {
    let comm = abi::communicator(comm)?;
    context.rank().process.send(context.actions(), mode, comm, to, tag, buffer.read())
}

fn blocking_send(
    context: Context,
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
    context: Context,
    buffer: &Buffer,
    from: c_int,
    tag: c_int,
    comm: Handle,
) -> Result<RequestId, MpiError> {
    let comm = abi::communicator(comm)?;
    let id = context.rank().process.receive(context.actions(), comm, from, tag, buffer.bytes as u64)?;
    context.rank().set_destination(id, buffer.destination());
    Ok(id)
}

fn finish_receive(context: Context, id: RequestId) -> Result<Status, MpiError> {
    if !context.rank().process.is_complete(id)? {
        context.wait(Blocked::request(id));
    }
    context.deliver(id)
}

/// Receives into `buffer`, and says what came.
fn blocking_receive(
    context: Context,
    buffer: &Buffer,
    from: c_int,
    tag: c_int,
    comm: Handle,
    status: *mut CStatus,
) -> Result<(), MpiError> {
    let id = start_receive(context, buffer, from, tag, comm)?;
    let got = finish_receive(context, id)?;
    // SAFETY: the program's status.
    unsafe { tell(status, &got) };
    checked(got).map(|_| ())
}

macro_rules! sends {
    ($($blocking:ident $blocking_name:literal, $starting:ident $starting_name:literal: $mode:expr;)*) => {$(
        pub(crate) unsafe extern "C" fn $blocking(
            buf: *const c_void, count: c_int, datatype: Handle, to: c_int, tag: c_int, comm: Handle,
        ) -> c_int {
            call($blocking_name, comm, |context| {
                let buffer = Buffer::new(context, buf, count, datatype)?;
                blocking_send(context, $mode, &buffer, to, tag, comm)
            })
        }

        pub(crate) unsafe extern "C" fn $starting(
            buf: *const c_void, count: c_int, datatype: Handle, to: c_int, tag: c_int, comm: Handle,
            request: *mut Handle,
        ) -> c_int {
            call($starting_name, comm, |context| {
                let buffer = Buffer::new(context, buf, count, datatype)?;
                let id = start_send(context, $mode, &buffer, to, tag, comm)?;
                let id = id.unwrap_or_else(|| context.rank().process.completed());
                // SAFETY: the program's variable.
                unsafe { *request = abi::request_handle(id) };
                Ok(())
            })
        }
    )*};
}

// A ready send is a standard send: the receive that the program promises is not checked for.
sends! {
    send "MPI_Send", isend "MPI_Isend": Mode::Standard;
    ssend "MPI_Ssend", issend "MPI_Issend": Mode::Synchronous;
    rsend "MPI_Rsend", irsend "MPI_Irsend": Mode::Standard;
    bsend "MPI_Bsend", ibsend "MPI_Ibsend": Mode::Buffered;
}

pub(crate) unsafe extern "C" fn recv(
    buf: *mut c_void,
    count: c_int,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Recv", comm, |context| {
        let buffer = Buffer::new(context, buf, count, datatype)?;
        blocking_receive(context, &buffer, from, tag, comm, status)
    })
}

pub(crate) unsafe extern "C" fn irecv(
    buf: *mut c_void,
    count: c_int,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    request: *mut Handle,
) -> c_int {
    call("MPI_Irecv", comm, |context| {
        let buffer = Buffer::new(context, buf, count, datatype)?;
        let id = start_receive(context, &buffer, from, tag, comm)?;
        // SAFETY: the program's variable.
        unsafe { *request = abi::request_handle(id) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn sendrecv(
    send_buf: *const c_void,
    send_count: c_int,
    send_type: Handle,
    to: c_int,
    send_tag: c_int,
    recv_buf: *mut c_void,
    recv_count: c_int,
    recv_type: Handle,
    from: c_int,
    recv_tag: c_int,
    comm: Handle,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Sendrecv", comm, |context| {
        let out = Buffer::new(context, send_buf, send_count, send_type)?;
        let into = Buffer::new(context, recv_buf, recv_count, recv_type)?;
        exchange(context, &out, to, send_tag, &into, from, recv_tag, comm, status)
    })
}

pub(crate) unsafe extern "C" fn sendrecv_replace(
    buf: *mut c_void,
    count: c_int,
    datatype: Handle,
    to: c_int,
    send_tag: c_int,
    from: c_int,
    recv_tag: c_int,
    comm: Handle,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Sendrecv_replace", comm, |context| {
        let buffer = Buffer::new(context, buf, count, datatype)?;
        exchange(context, &buffer, to, send_tag, &buffer, from, recv_tag, comm, status)
    })
}

#[allow(clippy::too_many_arguments)] // the arguments of MPI_Sendrecv
fn exchange(
    context: Context,
    out: &Buffer,
    to: c_int,
    send_tag: c_int,
    into: &Buffer,
    from: c_int,
    recv_tag: c_int,
    comm: Handle,
    status: *mut CStatus,
) -> Result<(), MpiError> {
    let receive = start_receive(context, into, from, recv_tag, comm)?;
    let send = start_send(context, Mode::Standard, out, to, send_tag, comm)?;
    let requests = std::iter::once(receive).chain(send).collect();
    context.wait(Blocked::All { requests, next: 0 });
    if let Some(send) = send {
        context.rank().process.finish(send)?;
    }
    let got = context.deliver(receive)?;
    // SAFETY: the program's status.
    unsafe { tell(status, &got) };
    checked(got).map(|_| ())
}

pub(crate) unsafe extern "C" fn probe(from: c_int, tag: c_int, comm: Handle, status: *mut CStatus) -> c_int {
    call("MPI_Probe", comm, |context| {
        let communicator = abi::communicator(comm)?;
        let found = if from == weir_message::PROC_NULL {
            null_process()
        } else {
            let wanted = context.rank().process.wanted(communicator, from, tag)?;
            context.wait(Blocked::Probe { communicator, wanted });
            context.rank().process.probe(&wanted).unwrap_or_else(Status::empty)
        };
        // SAFETY: the program's status.
        unsafe { tell(status, &found) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn iprobe(
    from: c_int,
    tag: c_int,
    comm: Handle,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Iprobe", comm, |context| {
        let communicator = abi::communicator(comm)?;
        let found = if from == weir_message::PROC_NULL {
            Some(null_process())
        } else {
            let wanted = context.rank().process.wanted(communicator, from, tag)?;
            let wants = Wants::Message { communicator, wanted };
            context.poll(wants, || Ok(context.rank().process.probe(&wanted)))?
        };
        // SAFETY: the program's variables.
        unsafe {
            *flag = c_int::from(found.is_some());
            if let Some(found) = found {
                tell(status, &found);
            }
        }
        Ok(())
    })
}

fn null_process() -> Status {
    Status { source: weir_message::PROC_NULL, ..Status::empty() }
}

pub(crate) unsafe extern "C" fn buffer_attach(buffer: *mut c_void, size: c_int) -> c_int {
    call("MPI_Buffer_attach", std::ptr::null_mut(), |context| {
        // Buffered messages are kept by the simulator; the buffer is only remembered to be given back.
        context.rank().send_buffer = (buffer as usize, size);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn buffer_detach(buffer: *mut *mut c_void, size: *mut c_int) -> c_int {
    call("MPI_Buffer_detach", std::ptr::null_mut(), |context| {
        let (address, bytes) = std::mem::take(&mut context.rank().send_buffer);
        // SAFETY: the program's variables.
        unsafe { (*buffer, *size) = (address as *mut c_void, bytes) };
        Ok(())
    })
}
