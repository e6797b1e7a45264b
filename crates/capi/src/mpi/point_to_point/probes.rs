//! Looking at messages before receiving them, and taking out of the queue what was looked at.

use crate::calls::abi::{MPI_MESSAGE_NO_PROC, MPI_MESSAGE_NULL};
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::point_to_point::{Peer, end_receive, write_status};
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::Delivery;
use crate::rank::{Blocked, Polled};
use weir_message::{Deed, MessageId, PROC_NULL, RequestId, Selector, Status};

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

/// Waits for a message from a source with a tag, and returns what `find` finds of it. Another thread of the rank may have taken it
/// before this one goes on; then the next one is waited for.
fn wait_for_message<T>(
    context: &mut Context,
    from: Peer,
    of_nobody: impl FnOnce() -> T,
    find: impl Fn(&mut Context, &Selector) -> Option<T>,
) -> Result<T, MpiError> {
    let communicator = from.comm;
    if from.rank == PROC_NULL {
        return context.rank().process.communicator(communicator).map(|_| of_nobody());
    }
    let selector = context.rank().process.selector(communicator, from.rank, from.tag)?;
    loop {
        context.wait(Blocked::Probe { communicator, selector });
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
) -> Result<Option<T>, MpiError> {
    let communicator = from.comm;
    if from.rank == PROC_NULL {
        return context.rank().process.communicator(communicator).map(|_| Some(of_nobody()));
    }
    let selector = context.rank().process.selector(communicator, from.rank, from.tag)?;
    context.poll(Polled::Message { communicator, selector }, |context| Ok(find(context, &selector)))
}

/// Passes what a probe has found to the observer, unless it is from the null process.
fn observe_probe(context: &mut Context, Peer { rank: source, tag, comm }: Peer, status: &Status) {
    let process = &context.rank().process;
    if source != PROC_NULL
        && process.is_observed()
        && let Ok(communicator) = process.communicator(comm)
    {
        process.observe(Deed::Probe { communicator, source, tag, status });
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

pub(crate) fn improbe(
    context: &mut Context,
    from: Peer,
    flag: Out<c_int>,
    message: Out<Handle>,
    status: *mut CStatus,
) -> Done {
    let found = look_for_message(context, from, message_of_nobody, matched)?;
    flag.set(c_int::from(found.is_some()));
    if let Some((found, of)) = found {
        message.set(found);
        write_status(status, &of);
    }
    Ok(())
}

/// Starts to receive a message that a probe has found; the program's variable is null then.
fn start_matched(
    context: &mut Context,
    buffer: &Buffer,
    message: Out<Handle>,
) -> Result<RequestId, MpiError> {
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

pub(crate) fn mrecv(
    context: &mut Context,
    buffer: Buffer,
    message: Out<Handle>,
    status: *mut CStatus,
) -> Done {
    let id = start_matched(context, &buffer, message)?;
    end_receive(context, id, status)
}

pub(crate) fn imrecv(
    context: &mut Context,
    buffer: Buffer,
    message: Out<Handle>,
    request: Out<Handle>,
) -> Done {
    request.give(abi::request_handle(start_matched(context, &buffer, message)?))
}
