//! Properties of windows: group, name, hints, attributes, error handlers.

use super::{id, object};
use crate::calls::output_arguments::give_text;
use crate::mpi::communicators::groups;
use crate::mpi::error_handlers;
use crate::mpi::info;
use crate::mpi::info::Info;
use crate::mpi::prelude::*;
use crate::mpi::windows::WindowId;
use crate::rank::errors::ErrorHandler;
use crate::rank::mistakes;

pub(crate) fn win_get_group(context: &mut Context, WindowId(id): WindowId, group: Out<Handle>) -> Done {
    let members = context.rank().process.communicator(id)?.group.clone();
    group.give(groups::add(context, members))
}

pub(crate) fn win_set_name(context: &mut Context, WindowId(id): WindowId, name: String) -> Done {
    context.rank().process.communicator_mut(id)?.name.clone_from(&name);
    object(context, id)?.name = name;
    Ok(())
}

pub(crate) fn win_get_name(
    context: &mut Context,
    win: Handle,
    name: *mut c_char,
    length: Out<c_int>,
) -> Done {
    if win as usize == abi::MPI_WIN_NULL {
        return give_text("MPI_WIN_NULL", abi::MPI_MAX_OBJECT_NAME as usize, name, length);
    }
    let id = id(context, win)?;
    let known = &object(context, id)?.name;
    give_text(known, abi::MPI_MAX_OBJECT_NAME as usize, name, length)
}

pub(crate) fn win_set_info(context: &mut Context, WindowId(id): WindowId, hints: Info) -> Done {
    info::add_hints(context, id, &hints);
    Ok(())
}

pub(crate) fn win_get_info(context: &mut Context, WindowId(id): WindowId, hints: Out<Handle>) -> Done {
    hints.give(info::handle_of_window_hints(context, id))
}

/// An attribute that every window has: its base, or where the value lies.
pub(crate) fn attribute(
    context: &mut Context,
    id: CommunicatorId,
    key: c_int,
) -> Result<Option<*mut c_void>, MpiError> {
    let window = object(context, id)?;
    let shown = &mut window.shown;
    Ok(Some(match key {
        MPI_WIN_BASE => window.base as *mut c_void,
        MPI_WIN_SIZE => (&raw mut shown.size).cast(),
        MPI_WIN_DISP_UNIT => (&raw mut shown.unit).cast(),
        MPI_WIN_CREATE_FLAVOR => (&raw mut shown.flavour).cast(),
        MPI_WIN_MODEL => (&raw mut shown.model).cast(),
        _ => return Ok(None),
    }))
}

pub(crate) fn win_set_errhandler(
    context: &mut Context,
    WindowId(id): WindowId,
    handler: ErrorHandler,
) -> Done {
    context.rank().set_error_handler(id, handler);
    Ok(())
}

pub(crate) fn win_get_errhandler(
    context: &mut Context,
    WindowId(id): WindowId,
    handler: Out<Handle>,
) -> Done {
    let known = context.rank().error_handler(id);
    handler.give(error_handlers::handle_of(context, known))
}

pub(crate) fn win_call_errhandler(context: &mut Context, win: Handle, code: c_int) -> Done {
    id(context, win)?;
    mistakes::handle(context, win, code, || {
        format!("it called MPI_Win_call_errhandler with error code {code}")
    });
    Ok(())
}
