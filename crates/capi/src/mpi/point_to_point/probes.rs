//! Looking at messages before receiving them, and taking out of the queue what was looked at.

use crate::calls::abi::{self, CStatus, Handle, MESSAGE_NO_PROC, MESSAGE_NULL};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::{give, out};
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::point_to_point::{checked, finish_receive, write_status};
use crate::mpi::requests::delivery::Delivery;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use crate::rank::{Blocked, Polled};
use std::ffi::{c_int, c_void};
use std::ptr;
use weir_message::{CommunicatorId, Deed, MessageId, MpiError, PROC_NULL, RequestId, Selector, Status};

/// What is found of a message that a receive with these arguments would take, when one has come. Another thread of the rank may
/// have taken it before this one goes on; then the next one is waited for.
fn wait_for_message<T>(
    context: &mut Context,
    communicator: CommunicatorId,
    (from, tag): (c_int, c_int),
    find: impl Fn(&mut Context, &Selector) -> Option<T>,
) -> Result<T, MpiError> {
    let selector = context.rank().process.selector(communicator, from, tag)?;
    loop {
        context.wait(Blocked::Probe { communicator, selector });
        context.rank().process.makes_progress();
        if let Some(found) = find(context, &selector) {
            return Ok(found);
        }
    }
}

/// Passes what a probe has found to the observer.
fn observe_probe(
    context: &mut Context,
    communicator: CommunicatorId,
    (source, tag): (c_int, c_int),
    status: &Status,
) {
    let process = &context.rank().process;
    if process.is_observed()
        && let Ok(communicator) = process.communicator(communicator)
    {
        process.observe(Deed::Probe { communicator, source, tag, status });
    }
}

pub(crate) unsafe extern "C" fn probe(from: c_int, tag: c_int, comm: Handle, status: *mut CStatus) -> c_int {
    call("MPI_Probe", comm, |context| {
        let communicator = abi::communicator(comm)?;
        let found = if from == PROC_NULL {
            context.rank().process.communicator(communicator)?;
            Status::of_null_process()
        } else {
            let look = |context: &mut Context, selector: &Selector| context.rank().process.probe(selector);
            let found = wait_for_message(context, communicator, (from, tag), look)?;
            observe_probe(context, communicator, (from, tag), &found);
            found
        };
        write_status(status, &found);
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
        let found = if from == PROC_NULL {
            context.rank().process.communicator(communicator)?;
            Some(Status::of_null_process())
        } else {
            let selector = context.rank().process.selector(communicator, from, tag)?;
            let polled = Polled::Message { communicator, selector };
            let found = context.poll(polled, |context| Ok(context.rank().process.probe(&selector)))?;
            if let Some(found) = &found {
                observe_probe(context, communicator, (from, tag), found);
            }
            found
        };
        give(flag, "flag", c_int::from(found.is_some()))?;
        if let Some(found) = found {
            write_status(status, &found);
        }
        Ok(())
    })
}

/// What a matched probe gives: the message and its status. From nobody comes a message that is there at once.
fn matched(context: &mut Context, selector: &Selector) -> Option<(Handle, Status)> {
    let (id, status) = context.rank().process.match_message(selector)?;
    Some((abi::own_handle(id.0 as usize), status))
}

fn message_of_nobody() -> (Handle, Status) {
    (abi::predefined(MESSAGE_NO_PROC), Status::of_null_process())
}

pub(crate) unsafe extern "C" fn mprobe(
    from: c_int,
    tag: c_int,
    comm: Handle,
    message: *mut Handle,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Mprobe", comm, |context| {
        let message = out(message, "message")?;
        let communicator = abi::communicator(comm)?;
        let found = if from == PROC_NULL {
            context.rank().process.communicator(communicator)?;
            message_of_nobody()
        } else {
            wait_for_message(context, communicator, (from, tag), matched)?
        };
        message.set(found.0);
        write_status(status, &found.1);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn improbe(
    from: c_int,
    tag: c_int,
    comm: Handle,
    flag: *mut c_int,
    message: *mut Handle,
    status: *mut CStatus,
) -> c_int {
    call("MPI_Improbe", comm, |context| {
        let (flag, message) = (out(flag, "flag")?, out(message, "message")?);
        let communicator = abi::communicator(comm)?;
        let found = if from == PROC_NULL {
            context.rank().process.communicator(communicator)?;
            Some(message_of_nobody())
        } else {
            let selector = context.rank().process.selector(communicator, from, tag)?;
            let polled = Polled::Message { communicator, selector };
            context.poll(polled, |context| Ok(matched(context, &selector)))?
        };
        flag.set(c_int::from(found.is_some()));
        if let Some((found, of)) = found {
            message.set(found);
            write_status(status, &of);
        }
        Ok(())
    })
}

/// Starts to receive a message that a probe has found; the program's variable is null then.
fn start_matched(
    context: &mut Context,
    buffer: &Buffer,
    message: *mut Handle,
) -> Result<RequestId, MpiError> {
    let message = out(message, "message")?;
    let (rank, actions) = context.both();
    let id = match message.get() as usize {
        MESSAGE_NO_PROC => rank.process.receive_nothing(),
        _ => {
            let number = abi::own_index(message.get()).and_then(|index| u32::try_from(index).ok());
            let found = MessageId(number.ok_or(MpiError::Request)?);
            rank.process.receive_matched(actions, found, buffer.bytes as u64)?
        }
    };
    message.set(abi::predefined(MESSAGE_NULL));
    context.rank().set_delivery(id, Delivery::Buffer(buffer.destination()));
    Ok(id)
}

pub(crate) unsafe extern "C" fn mrecv<C: CountArgument>(
    buf: *mut c_void,
    count: C,
    datatype: Handle,
    message: *mut Handle,
    status: *mut CStatus,
) -> c_int {
    call(name_of!(C, "MPI_Mrecv"), ptr::null_mut(), |context| {
        let buffer = Buffer::new(context, buf, count, datatype)?;
        let id = start_matched(context, &buffer, message)?;
        let got = finish_receive(context, id)?;
        write_status(status, &got);
        checked(got).map(|_| ())
    })
}

pub(crate) unsafe extern "C" fn imrecv<C: CountArgument>(
    buf: *mut c_void,
    count: C,
    datatype: Handle,
    message: *mut Handle,
    request: *mut Handle,
) -> c_int {
    call(name_of!(C, "MPI_Imrecv"), ptr::null_mut(), |context| {
        let buffer = Buffer::new(context, buf, count, datatype)?;
        let request = out(request, "request")?;
        request.set(abi::request_handle(start_matched(context, &buffer, message)?));
        Ok(())
    })
}
