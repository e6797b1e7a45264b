//! The tools interface, `MPI_T` (MPI 5.0, chapter 15). weir has no counters, settings, categories, events or sources of
//! them to show, and says so: there are none of each, and every question about one is answered as the standard asks
//! for an index, a name or a handle that does not exist. Errors are returned, whatever the error handlers.

use crate::calls::abi::{self, Handle};
use crate::calls::output_arguments::out;
use crate::mpi::environment;
use crate::rank::context::Context;
use crate::rank::mpi_call::enter;
use std::ffi::c_int;
use std::ptr;

const NOT_INITIALIZED: c_int = 1003;
const INVALID: c_int = 1006;
const INVALID_INDEX: c_int = 1007;
const INVALID_SESSION: c_int = 1009;
const INVALID_HANDLE: c_int = 1010;
const INVALID_NAME: c_int = 1011;

/// `MPI_T_PVAR_ALL_HANDLES`
const ALL_HANDLES: usize = 1;
/// The handle of a session: sessions have nothing in them to distinguish them by.
const SESSION: usize = 2;

/// A program's use of the tools interface.
#[derive(Default)]
pub(crate) struct Tools {
    /// How often it has been initialised and not yet finalised.
    users: u32,
}

/// Why a call fails.
struct Refused(c_int);

fn tools(context: &mut Context) -> &mut Tools {
    context.rank().objects().of::<Tools>()
}

/// Carries out a function of the interface at any time.
fn at_any_time(name: &'static str, body: impl FnOnce(&mut Context) -> Result<(), Refused>) -> c_int {
    let mut code = abi::SUCCESS;
    enter(name, ptr::null_mut(), |context| {
        if let Err(Refused(why)) = body(context) {
            code = why;
        }
        Ok(())
    });
    code
}

/// Carries out a function that needs an initialised interface.
fn tool(name: &'static str, body: impl FnOnce(&mut Tools) -> Result<(), Refused>) -> c_int {
    at_any_time(name, |context| {
        let tools = tools(context);
        if tools.users > 0 { body(tools) } else { Err(Refused(NOT_INITIALIZED)) }
    })
}

fn give<T: Copy>(pointer: *mut T, result: T) -> Result<(), Refused> {
    out(pointer, "result").map_err(|_| Refused(INVALID))?.set(result);
    Ok(())
}

pub(crate) unsafe extern "C" fn init_thread(required: c_int, provided: *mut c_int) -> c_int {
    at_any_time("MPI_T_init_thread", |context| {
        give(provided, abi::THREAD_SINGLE)?;
        give(provided, environment::let_threads_call(context, required))?;
        tools(context).users += 1;
        Ok(())
    })
}

pub(crate) extern "C" fn finalize() -> c_int {
    tool("MPI_T_finalize", |tools| {
        tools.users -= 1;
        Ok(())
    })
}

/// Functions that return a number, which is zero.
macro_rules! numbers {
    ($($function:ident $name:literal;)*) => {$(
        pub(crate) unsafe extern "C" fn $function(number: *mut c_int) -> c_int {
            tool($name, |_| give(number, 0))
        }
    )*};
}

numbers! {
    pvar_get_num "MPI_T_pvar_get_num";
    cvar_get_num "MPI_T_cvar_get_num";
    category_get_num "MPI_T_category_get_num";
    event_get_num "MPI_T_event_get_num";
    source_get_num "MPI_T_source_get_num";
    category_changed "MPI_T_category_changed";
}

/// Functions about something that does not exist. Their arguments do not matter, and C's calling convention lets a
/// function take none of them.
macro_rules! refusals {
    ($($function:ident $name:literal: $why:expr;)*) => {$(
        pub(crate) extern "C" fn $function() -> c_int {
            tool($name, |_| Err(Refused($why)))
        }
    )*};
}

refusals! {
    pvar_get_info "MPI_T_pvar_get_info": INVALID_INDEX;
    pvar_get_index "MPI_T_pvar_get_index": INVALID_NAME;
    pvar_handle_free "MPI_T_pvar_handle_free": INVALID_HANDLE;
    pvar_read "MPI_T_pvar_read": INVALID_HANDLE;
    pvar_readreset "MPI_T_pvar_readreset": INVALID_HANDLE;
    pvar_write "MPI_T_pvar_write": INVALID_HANDLE;
    cvar_get_index "MPI_T_cvar_get_index": INVALID_NAME;
    cvar_get_info "MPI_T_cvar_get_info": INVALID_INDEX;
    cvar_handle_alloc "MPI_T_cvar_handle_alloc": INVALID_INDEX;
    cvar_handle_free "MPI_T_cvar_handle_free": INVALID_HANDLE;
    cvar_read "MPI_T_cvar_read": INVALID_HANDLE;
    cvar_write "MPI_T_cvar_write": INVALID_HANDLE;
    enum_get_info "MPI_T_enum_get_info": INVALID_HANDLE;
    enum_get_item "MPI_T_enum_get_item": INVALID_HANDLE;
    category_get_categories "MPI_T_category_get_categories": INVALID_INDEX;
    category_get_cvars "MPI_T_category_get_cvars": INVALID_INDEX;
    category_get_events "MPI_T_category_get_events": INVALID_INDEX;
    category_get_index "MPI_T_category_get_index": INVALID_NAME;
    category_get_info "MPI_T_category_get_info": INVALID_INDEX;
    category_get_num_events "MPI_T_category_get_num_events": INVALID_INDEX;
    category_get_pvars "MPI_T_category_get_pvars": INVALID_INDEX;
    event_callback_get_info "MPI_T_event_callback_get_info": INVALID_HANDLE;
    event_callback_set_info "MPI_T_event_callback_set_info": INVALID_HANDLE;
    event_copy "MPI_T_event_copy": INVALID_HANDLE;
    event_get_index "MPI_T_event_get_index": INVALID_NAME;
    event_get_info "MPI_T_event_get_info": INVALID_INDEX;
    event_get_source "MPI_T_event_get_source": INVALID_HANDLE;
    event_get_timestamp "MPI_T_event_get_timestamp": INVALID_HANDLE;
    event_handle_alloc "MPI_T_event_handle_alloc": INVALID_INDEX;
    event_handle_free "MPI_T_event_handle_free": INVALID_HANDLE;
    event_handle_get_info "MPI_T_event_handle_get_info": INVALID_HANDLE;
    event_handle_set_info "MPI_T_event_handle_set_info": INVALID_HANDLE;
    event_read "MPI_T_event_read": INVALID_HANDLE;
    event_register_callback "MPI_T_event_register_callback": INVALID_HANDLE;
    event_set_dropped_handler "MPI_T_event_set_dropped_handler": INVALID_HANDLE;
    source_get_info "MPI_T_source_get_info": INVALID_INDEX;
    source_get_timestamp "MPI_T_source_get_timestamp": INVALID_INDEX;
}

pub(crate) unsafe extern "C" fn pvar_session_create(session: *mut Handle) -> c_int {
    tool("MPI_T_pvar_session_create", |_| give(session, abi::predefined(SESSION)))
}

fn check_session(session: Handle) -> Result<(), Refused> {
    if session as usize == SESSION { Ok(()) } else { Err(Refused(INVALID_SESSION)) }
}

pub(crate) unsafe extern "C" fn pvar_session_free(session: *mut Handle) -> c_int {
    tool("MPI_T_pvar_session_free", |_| {
        let session = out(session, "session").map_err(|_| Refused(INVALID))?;
        check_session(session.get())?;
        session.set(ptr::null_mut());
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn pvar_handle_alloc(session: Handle) -> c_int {
    tool("MPI_T_pvar_handle_alloc", |_| {
        check_session(session)?;
        Err(Refused(INVALID_INDEX))
    })
}

/// Functions for one handle or all of a session; a session has none.
macro_rules! for_handles {
    ($($function:ident $name:literal;)*) => {$(
        pub(crate) unsafe extern "C" fn $function(session: Handle, handle: Handle) -> c_int {
            tool($name, |_| {
                check_session(session)?;
                if handle as usize == ALL_HANDLES { Ok(()) } else { Err(Refused(INVALID_HANDLE)) }
            })
        }
    )*};
}

for_handles! {
    pvar_start "MPI_T_pvar_start";
    pvar_stop "MPI_T_pvar_stop";
    pvar_reset "MPI_T_pvar_reset";
}
