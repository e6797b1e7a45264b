//! The C functions of a collective: three forms, each with both types of counts.

use super::own;
use super::prepared::{At, Prepared};
use crate::calls::abi::{self, Handle};
use crate::calls::output_arguments::out;
use crate::mpi::requests::persistent;
use crate::rank::mpi_call::call;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use weir_message::{Meeting, MpiError};

/// Defines `list`: names and C functions of collectives. Each is given by its name, the name of the form that goes on,
/// its types of counts, its arguments up to the communicator, and what prepares it at a place in a communicator.
macro_rules! forms {
    ($($name:literal $goes_on:literal [$($count:ident)*] ($($argument:ident: $type:ty),* $(,)?) => $prepare:expr;)*) => {
        /// The C functions of this file.
        pub(super) fn list() -> Vec<$crate::calls::Function> {
            use super::forms;
            use $crate::calls::count_argument::{CountArgument, name_of};
            use std::ffi::{c_int, c_void};
            let mut list = Vec::new();
            $({
                unsafe extern "C" fn blocking<C: CountArgument>($($argument: $type,)* comm: Handle) -> c_int {
                    let own = |function: *const c_void, comm: Handle| {
                        // SAFETY: the program says that its function has the arguments of the collective.
                        unsafe {
                            std::mem::transmute::<
                                *const c_void,
                                unsafe extern "C" fn($($type,)* Handle) -> c_int,
                            >(function)($($argument,)* comm)
                        }
                    };
                    forms::blocking(name_of!(C, concat!("MPI_", $name)), comm, own, $prepare)
                }
                unsafe extern "C" fn nonblocking<C: CountArgument>(
                    $($argument: $type,)* comm: Handle, request: *mut Handle
                ) -> c_int {
                    forms::nonblocking(name_of!(C, concat!("MPI_", $goes_on)), comm, request, $prepare)
                }
                unsafe extern "C" fn persistent<C: CountArgument>(
                    $($argument: $type,)* comm: Handle, _info: Handle, request: *mut Handle
                ) -> c_int {
                    forms::persistent(name_of!(C, concat!("MPI_", $name, "_init")), comm, request, $prepare)
                }
                $(
                    list.extend([
                        (name_of!($count, concat!("MPI_", $name)), blocking::<$count> as *const c_void),
                        (name_of!($count, concat!("MPI_", $goes_on)), nonblocking::<$count> as *const c_void),
                        (name_of!($count, concat!("MPI_", $name, "_init")), persistent::<$count> as *const c_void),
                    ]);
                )*
            })*
            list
        }
    };
}
pub(super) use forms;

/// Takes part, and waits for the end; `own` calls a function of the program that takes the library's place.
pub(super) fn blocking(
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
pub(super) fn nonblocking(
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
pub(super) fn persistent(
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
