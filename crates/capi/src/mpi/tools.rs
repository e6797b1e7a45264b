//! The tools interface, `MPI_T` (MPI 5.0, chapter 15). weir has no counters, settings, categories, events or sources of
//! them to show, and says so: there are none of each, and every question about one is answered as the standard asks
//! for an index, a name or a handle that does not exist. Errors are returned, whatever the error handlers.

use crate::calls::output_arguments::give;
use crate::mpi::environment;
use crate::mpi::prelude::*;
use crate::rank::mpi_call::enter;
use std::ptr;

/// The handle of a session: sessions have nothing in them to distinguish them by.
const SESSION: usize = 2;

#[derive(Default)]
pub(crate) struct Tools {
    /// Number of times that it has been initialized and not yet finalized.
    users: u32,
}

fn tools(context: &mut Context) -> Result<&mut Tools> {
    let tools = context.of::<Tools>();
    if tools.users > 0 { Ok(tools) } else { Err(MpiError::OfProgram(MPI_T_ERR_NOT_INITIALIZED)) }
}

/// Carries out a function of the interface, which may be called at any time.
pub(crate) fn tool(name: &'static str, body: impl FnOnce(&mut Context) -> Done) -> c_int {
    let mut code = MPI_SUCCESS;
    enter(name, ptr::null_mut(), |context| {
        code = match body(context) {
            Ok(()) => MPI_SUCCESS,
            Err(MpiError::OfProgram(why)) => why,
            Err(_) => MPI_T_ERR_INVALID,
        };
        Ok(())
    });
    code
}

/// Returns a number of things, of which there are none.
pub(crate) fn none(context: &mut Context, number: *mut c_int) -> Done {
    tools(context)?;
    give(number, "number", 0)
}

/// Refuses a function about something that does not exist, for this reason.
pub(crate) fn refuse(context: &mut Context, why: c_int) -> Done {
    tools(context)?;
    Err(MpiError::OfProgram(why))
}

pub(crate) fn t_init_thread(context: &mut Context, required: c_int, provided: Out<c_int>) -> Done {
    provided.set(environment::let_threads_call(context, required));
    context.of::<Tools>().users += 1;
    Ok(())
}

pub(crate) fn t_finalize(context: &mut Context) -> Done {
    tools(context)?.users -= 1;
    Ok(())
}

pub(crate) fn t_pvar_session_create(context: &mut Context, session: Out<Handle>) -> Done {
    tools(context)?;
    session.give(abi::predefined(SESSION))
}

fn check_session(context: &mut Context, session: Handle) -> Done {
    tools(context)?;
    if session as usize == SESSION { Ok(()) } else { Err(MpiError::OfProgram(MPI_T_ERR_INVALID_SESSION)) }
}

pub(crate) fn t_pvar_session_free(context: &mut Context, session: Out<Handle>) -> Done {
    check_session(context, session.get())?;
    session.give(ptr::null_mut())
}

pub(crate) fn t_pvar_handle_alloc(context: &mut Context, session: Handle) -> Done {
    check_session(context, session)?;
    Err(MpiError::OfProgram(MPI_T_ERR_INVALID_INDEX))
}

/// Starts one counter of a session, or all of them, of which there are none; stopping and resetting them is the same.
pub(crate) fn t_pvar_start(context: &mut Context, session: Handle, handle: Handle) -> Done {
    check_session(context, session)?;
    if handle as usize == MPI_T_PVAR_ALL_HANDLES {
        Ok(())
    } else {
        Err(MpiError::OfProgram(MPI_T_ERR_INVALID_HANDLE))
    }
}
