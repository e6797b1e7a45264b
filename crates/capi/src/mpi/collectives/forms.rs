//! The C functions of a collective: three forms, each with both types of counts.

use super::own;
use super::prepared::{At, Prepared};
use crate::calls::output_arguments::out;
use crate::mpi::prelude::*;
use crate::mpi::requests::persistent;
use crate::rank::mpi_call::call;
use std::rc::Rc;
use weir_message::Meeting;

/// Takes part, and waits for the end; `own` calls a function of the program that takes the library's place.
pub(crate) fn blocking(
    name: &'static str,
    comm: Handle,
    own: impl FnOnce(*const c_void, Handle) -> c_int,
    prepare: impl FnOnce(&mut At<'_>) -> Result<Prepared, MpiError>,
) -> c_int {
    call(name, comm, |context| match own::chosen(context, name) {
        None => prepare(&mut At::new(context, comm)?)?.run(context),
        Some(function) => own::run(context, comm, |comm| own(function, comm)),
    })
}

/// Takes part and goes on; the request ends with the collective.
pub(crate) fn nonblocking(
    name: &'static str,
    comm: Handle,
    request: *mut Handle,
    prepare: impl FnOnce(&mut At<'_>) -> Result<Prepared, MpiError>,
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
    prepare: impl FnOnce(&mut At<'_>) -> Result<Prepared, MpiError>,
) -> c_int {
    call(name, comm, |context| {
        let request = out(request, "request")?;
        let prepared = Rc::new(prepare(&mut At::new(context, comm)?)?);
        let meeting = prepared.reserve(context)?;
        request.set(persistent::create(context, move |context| prepared.start(context, meeting)));
        Ok(())
    })
}
