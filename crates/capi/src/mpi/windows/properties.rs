//! What windows are: group, name, hints, attributes, error handlers.

use super::{Window, id, object};
use crate::calls::abi::{self, Handle};
use crate::calls::output_arguments::{give, give_new, give_text, out, string};
use crate::mpi::attributes::{self, DeleteFunction, KeyOf};
use crate::mpi::communicators::groups;
use crate::mpi::error_handlers;
use crate::mpi::info;
use crate::rank::errors::HandlerFunction;
use crate::rank::mistakes;
use crate::rank::mpi_call::call;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;

/// The attributes that every window has.
const BASE: c_int = 601;
const DISP_UNIT: c_int = 602;
const SIZE: c_int = 603;
const CREATE_FLAVOR: c_int = 604;
const MODEL: c_int = 605;

pub(crate) unsafe extern "C" fn win_get_group(win: Handle, group: *mut Handle) -> c_int {
    call("MPI_Win_get_group", win, |context| {
        let id = id(context, win)?;
        let members = context.rank().process.communicator(id)?.group.clone();
        give_new(group, "group", || groups::add(context, members))
    })
}

pub(crate) unsafe extern "C" fn win_set_name(win: Handle, name: *const c_char) -> c_int {
    call("MPI_Win_set_name", win, |context| {
        let id = id(context, win)?;
        // SAFETY: the program's string.
        let name = string(name, "name")?.to_string_lossy().into_owned();
        context.rank().process.communicator_mut(id)?.name.clone_from(&name);
        object(context, id)?.name = name;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_get_name(win: Handle, name: *mut c_char, length: *mut c_int) -> c_int {
    call("MPI_Win_get_name", win, |context| {
        if win as usize == abi::WIN_NULL {
            return give_text("MPI_WIN_NULL", abi::MAX_OBJECT_NAME, name, length);
        }
        let id = id(context, win)?;
        let known = &object(context, id)?.name;
        give_text(known, abi::MAX_OBJECT_NAME, name, length)
    })
}

pub(crate) unsafe extern "C" fn win_set_info(win: Handle, hints: Handle) -> c_int {
    call("MPI_Win_set_info", win, |context| {
        let id = id(context, win)?;
        let hints = info::get(context, hints)?;
        info::add_hints(context, id, &hints);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_get_info(win: Handle, hints: *mut Handle) -> c_int {
    call("MPI_Win_get_info", win, |context| {
        let id = id(context, win)?;
        give_new(hints, "hints", || info::handle_of_window_hints(context, id))
    })
}

pub(crate) unsafe extern "C" fn win_create_keyval(
    copy: *const c_void,
    delete: Option<DeleteFunction>,
    key: *mut c_int,
    extra: *mut c_void,
) -> c_int {
    attributes::create_keyval("MPI_Win_create_keyval", KeyOf::Windows, copy, delete, key, extra)
}

pub(crate) unsafe extern "C" fn win_free_keyval(key: *mut c_int) -> c_int {
    attributes::free_keyval("MPI_Win_free_keyval", KeyOf::Windows, key)
}

pub(crate) unsafe extern "C" fn win_set_attr(win: Handle, key: c_int, value: *mut c_void) -> c_int {
    call("MPI_Win_set_attr", win, |context| {
        let id = id(context, win)?;
        attributes::check_key(context, key, KeyOf::Windows)?;
        attributes::set_on(context, id, key, value)
    })
}

pub(crate) unsafe extern "C" fn win_delete_attr(win: Handle, key: c_int) -> c_int {
    call("MPI_Win_delete_attr", win, |context| {
        let id = id(context, win)?;
        attributes::check_key(context, key, KeyOf::Windows)?;
        attributes::delete_on(context, id, key)
    })
}

/// An attribute that every window has: its base, or where the value lies.
fn predefined(window: &mut Window, key: c_int) -> Option<*mut c_void> {
    let shown = &mut window.shown;
    Some(match key {
        BASE => window.base as *mut c_void,
        SIZE => (&raw mut shown.size).cast(),
        DISP_UNIT => (&raw mut shown.unit).cast(),
        CREATE_FLAVOR => (&raw mut shown.flavour).cast(),
        MODEL => (&raw mut shown.model).cast(),
        _ => return None,
    })
}

pub(crate) unsafe extern "C" fn win_get_attr(
    win: Handle,
    key: c_int,
    value: *mut *mut c_void,
    flag: *mut c_int,
) -> c_int {
    call("MPI_Win_get_attr", win, |context| {
        let id = id(context, win)?;
        let found = match predefined(object(context, id)?, key) {
            Some(known) => Some(known),
            None => {
                attributes::check_key(context, key, KeyOf::Windows)?;
                attributes::get_on(context, id, key)?
            }
        };
        // A value is of any pointer type.
        let value = out(value, "attribute_val")?;
        give(flag, "flag", c_int::from(found.is_some()))?;
        if let Some(found) = found {
            value.set(found);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_create_errhandler(
    function: Option<HandlerFunction>,
    handler: *mut Handle,
) -> c_int {
    call("MPI_Win_create_errhandler", ptr::null_mut(), |context| {
        give(handler, "handler", error_handlers::create(context, function)?)
    })
}

pub(crate) unsafe extern "C" fn win_set_errhandler(win: Handle, handler: Handle) -> c_int {
    call("MPI_Win_set_errhandler", win, |context| {
        let id = id(context, win)?;
        let known = error_handlers::of_handle(context, handler)?;
        context.rank().set_error_handler(id, known);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_get_errhandler(win: Handle, handler: *mut Handle) -> c_int {
    call("MPI_Win_get_errhandler", win, |context| {
        let id = id(context, win)?;
        let known = context.rank().error_handler(id);
        give(handler, "handler", error_handlers::handle_of(context, known))
    })
}

pub(crate) unsafe extern "C" fn win_call_errhandler(win: Handle, code: c_int) -> c_int {
    call("MPI_Win_call_errhandler", ptr::null_mut(), |context| {
        id(context, win)?;
        mistakes::handle(context, win, code, || {
            format!("it called MPI_Win_call_errhandler with error code {code}")
        });
        Ok(())
    })
}
