//! Collectives. Each is written once, in the file of its family, as a function that takes the program's arguments and
//! returns a [`Prepared`](prepared::Prepared): a plan, and the memory that goes into its workspace and comes out of it. The build
//! script makes the C functions of it by [`blocking`], [`nonblocking`] (`MPI_I...`) and [`persistent`](fn@persistent)
//! (`MPI_..._init`), each with counts of C's `int` and of `MPI_Count` (`..._c`).
//!
//! In the place of a blocking one a C function of the program may be called ([`OwnAlgorithms`]): it has the collective's
//! arguments and is built of messages. It gets a communicator of its own with the same ranks, so that its messages meet
//! no others.

mod agreements;
mod between;
pub(crate) mod combining;
pub(crate) mod memory;
pub(crate) mod moving;
mod prepared;

use crate::calls::output_arguments::{out, string};
pub(crate) use crate::mpi::collectives::agreements::TogetherAgreements;
use crate::mpi::collectives::prepared::{At, Prepared};
use crate::mpi::prelude::*;
use crate::mpi::requests::persistent;
use crate::rank::mpi_call::{call, enter};
use crate::table;
pub(crate) use prepared::{place, place_of_all, run};
use std::rc::Rc;
use weir_message::Meeting;

/// Makes a collective of the program's arguments.
pub(crate) trait Prepare: FnOnce(&mut At<'_>) -> Result<Prepared> {}

impl<T: FnOnce(&mut At<'_>) -> Result<Prepared>> Prepare for T {}

/// Takes part, and waits for the end; `own` calls a function of the program that takes the library's place.
pub(crate) fn blocking(
    name: &'static str,
    comm: Handle,
    own: impl FnOnce(*const c_void, Handle) -> c_int,
    prepare: impl Prepare,
) -> c_int {
    call(name, comm, |context| {
        let Some(function) = chosen(context, name) else {
            return prepare(&mut At::new(context, comm)?)?.run(context);
        };
        let shadow = abi::communicator_handle(Some(shadow(context, abi::communicator(comm)?)?));
        context.of::<OwnAlgorithms>().running = true;
        let code = context.callback(|| own(function, shadow));
        context.of::<OwnAlgorithms>().running = false;
        abi::returned(code)
    })
}

/// Takes part and goes on; the request ends with the collective.
pub(crate) fn nonblocking(
    name: &'static str,
    comm: Handle,
    request: *mut Handle,
    prepare: impl Prepare,
) -> c_int {
    call(name, comm, |context| {
        let request = out(request, "request")?;
        let id = Rc::new(prepare(&mut At::new(context, comm)?)?).start(context, Meeting::InOrder)?;
        request.set(abi::request_handle(id));
        Ok(())
    })
}

/// Takes part whenever the request is started. Ranks may start several of them in different orders: those meet that were
/// made at the same place (MPI 5.0, section 6.13).
pub(crate) fn persistent(
    name: &'static str,
    comm: Handle,
    request: *mut Handle,
    prepare: impl Prepare,
) -> c_int {
    call(name, comm, |context| {
        let request = out(request, "request")?;
        let prepared = Rc::new(prepare(&mut At::new(context, comm)?)?);
        let meeting = prepared.reserve(context)?;
        request.set(persistent::create(context, None, move |context| prepared.start(context, meeting)));
        Ok(())
    })
}

#[derive(Debug, Default)]
pub(crate) struct OwnAlgorithms {
    set: Vec<(&'static str, *const c_void)>,
    /// One is being carried out: collectives that it calls are the library's.
    running: bool,
    /// Communicators, and those whose messages the algorithms use for them.
    pub(crate) shadows: Vec<(CommunicatorId, CommunicatorId)>,
}

impl OwnAlgorithms {
    /// Sets the function for a collective; none, if it is null.
    fn set(&mut self, name: &'static str, function: *const c_void) {
        self.set.retain(|(known, _)| *known != name);
        if !function.is_null() {
            self.set.push((name, function));
        }
    }
}

/// The function that the program has set for a collective, if it is to be called now.
fn chosen(context: &mut Context, name: &str) -> Option<*const c_void> {
    let own = context.rank().known::<OwnAlgorithms>()?;
    if own.running {
        return None;
    }
    own.set.iter().find(|(known, _)| *known == name).map(|&(_, function)| function)
}

/// The communicator of the same ranks that algorithms use; made at the first use, which is collective.
fn shadow(context: &mut Context, id: CommunicatorId) -> Result<CommunicatorId> {
    let shadows = &context.of::<OwnAlgorithms>().shadows;
    if let Some(&(_, shadow)) = shadows.iter().find(|(of, _)| *of == id) {
        return Ok(shadow);
    }
    let shadow = context.rank().process.duplicate(id)?;
    context.rank().inherit_errors(id, Some(shadow));
    context.of::<OwnAlgorithms>().shadows.push((id, shadow));
    Ok(shadow)
}

/// The name of a collective that waits: only those have algorithms of the program's own.
fn known(name: &str) -> Option<&'static str> {
    table::collectives().iter().copied().find(|known| *known == name)
}

pub(crate) unsafe extern "C" fn weir_collective_set(name: *const c_char, function: *const c_void) -> c_int {
    enter("weir_collective_set", std::ptr::null_mut(), |context| {
        // SAFETY: the program's string.
        let name = string(name, "name")?;
        let name = name.to_string_lossy();
        let known = known(&name).ok_or_else(|| {
            MpiError::Argument(format!(
                "\"{name}\" is not the name of a collective, for example \"MPI_Allreduce\""
            ))
        })?;
        context.of::<OwnAlgorithms>().set(known, function);
        Ok(())
    })
}
