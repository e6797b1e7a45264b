//! Fortran: the bindings of MPI, made from the declarations of the C headers.
//!
//! `weir fort` compiles, once, the library's glue ([`RUNTIME`]), one C function for each MPI function ([`bindings`])
//! and the modules `mpi` and `mpi_f08` ([`modules`]); `mpif.h` is text ([`include_file`]). Functions of `mpi_f08` that use a buffer
//! after they have returned get it with a descriptor (`runtime/fortran_sections.c`). What a parameter is in
//! Fortran follows from its type and name in C ([`rules`]); where it does not, the binding is written by hand, in
//! `runtime/fortran_special.c`.

mod bindings;
mod constants;
mod declarations;
mod modules;
mod rules;

use crate::jump_table::declared_only;

/// Replacements for parts of the Fortran library.
pub(crate) const RUNTIME: &str = include_str!("../runtime/fortran.c");

/// Functions and variables that [`RUNTIME`] stands before.
pub(crate) const WRAPPED: &[&str] = &[
    "signal",
    "stdin",
    "stdout",
    "stderr",
    "write",
    "writev",
    "pthread_key_create",
    "__pthread_key_create",
    "pthread_key_delete",
    "pthread_getspecific",
    "pthread_setspecific",
];

/// The C text of all bindings.
pub(crate) fn bindings() -> String {
    let missing = declared_only();
    bindings::text(&declarations::all(), |name| !missing.iter().any(|absent| absent[4..] == *name))
}

/// Name and text of each module.
pub(crate) fn modules() -> [(&'static str, String); 2] {
    let (functions, constants) = (declarations::all(), constants::all());
    [("mpi.f90", modules::mpi(&functions)), ("mpi_f08.f90", modules::mpi_f08(&functions, &constants))]
}

/// The text of `mpif.h`.
pub(crate) fn include_file() -> String {
    modules::include_file(&constants::all())
}

#[cfg(test)]
mod tests {
    /// All texts are there, each under its name, with something of everything in it.
    #[test]
    fn texts_for_the_compiler() {
        let bindings = super::bindings();
        assert!(bindings.contains("\nBINDING(send, (") && bindings.contains("weir_handle"));
        let refused = bindings.lines().filter(|line| line.starts_with("REFUSED(")).count();
        assert_eq!(refused, super::rules::REFUSED.len() + crate::jump_table::declared_only().len());
        let [(one, mpi), (other, mpi_f08)] = super::modules();
        assert_eq!((one, other), ("mpi.f90", "mpi_f08.f90"));
        assert!(mpi.contains("\nend module mpi\n") && mpi_f08.contains("\nend module mpi_f08\n"));
        assert!(mpi_f08.contains("  integer, parameter :: MPI_ANY_SOURCE = -1\n"));
        assert!(super::include_file().contains("PARAMETER (MPI_COMM_WORLD=257)"));
    }
}
