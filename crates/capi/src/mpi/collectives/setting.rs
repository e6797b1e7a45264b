//! Setting an algorithm of the program's own for a collective.

use super::list;
use super::own::OwnAlgorithms;
use crate::calls::output_arguments::string;
use crate::rank::mpi_call::enter;
use std::ffi::{c_char, c_int, c_void};
use weir_message::MpiError;

/// The name of a collective that waits: only those have algorithms of the program's own.
fn known(name: &str) -> Option<&'static str> {
    let waits = |known: &str| !known.starts_with("MPI_I") && !known.contains("_init");
    list().into_iter().map(|(known, _)| known).find(|known| *known == name && waits(known))
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
        context.rank().objects().of::<OwnAlgorithms>().set(known, function);
        Ok(())
    })
}
