//! Setting an algorithm of the program's own for a collective.

use super::own::OwnAlgorithms;
use crate::calls::output_arguments::string;
use crate::mpi::prelude::*;
use crate::rank::mpi_call::enter;
use crate::table;

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
        context.rank().objects().of::<OwnAlgorithms>().set(known, function);
        Ok(())
    })
}
