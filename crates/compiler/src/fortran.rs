//! Fortran: the bindings of MPI, made from the declarations of the C headers.
//!
//! `weir fort` compiles, once, the library's glue ([`RUNTIME`]), one C function for each MPI function ([`bindings`])
//! and the modules `mpi` and `mpi_f08` ([`modules`]); `mpif.h` is text ([`include_file`]). Functions of `mpi_f08` that use a buffer
//! after they have returned get it with a descriptor (`runtime/fortran_sections.c`). What a parameter is in
//! Fortran follows from its type and name in C ([`rules`]); where it does not, the binding is written by hand, in
//! `runtime/fortran_special.c`.

mod bindings;
mod constants;
mod modules;
mod rules;

use crate::jump_table::declared_only;
use weir_capi::headers::{self, Function};

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

/// All functions that Fortran has, too, in the order of the headers: neither the tools interface nor variants of large
/// counts (which Fortran knows by other means), nor conversions of handles.
fn functions() -> Vec<Function> {
    const OF_C: [&str; 2] = ["Abi_get_fortran_booleans", "Abi_set_fortran_booleans"];
    let is_of_c = |name: &str| ["_c", "_toint", "_fromint"].iter().any(|end| name.ends_with(end));
    let has_binding = |name: &str| !is_of_c(name) && !name.starts_with("T_") && !OF_C.contains(&name);
    headers::functions().filter(|function| has_binding(&function.name)).collect()
}

pub(crate) fn bindings() -> String {
    let missing = declared_only();
    bindings::text(&functions(), |name| !missing.iter().any(|absent| absent[4..] == *name))
}

/// Name and text of each module.
pub(crate) fn modules() -> [(&'static str, String); 2] {
    let (functions, constants) = (functions(), constants::all());
    [("mpi.f90", modules::mpi(&functions)), ("mpi_f08.f90", modules::mpi_f08(&functions, &constants))]
}

/// The text of `mpif.h`.
pub(crate) fn include_file() -> String {
    modules::include_file(&constants::all())
}

#[cfg(test)]
mod tests {
    use super::Function;

    /// The functions of these names.
    pub(super) fn named(names: &str) -> Vec<Function> {
        let mut functions = super::functions();
        functions.retain(|function| names.split(' ').any(|name| function.name == name));
        functions
    }

    /// A text is that of the file. If it is not, it is in the folder of temporary files.
    #[track_caller]
    pub(super) fn check(name: &str, text: &str) {
        let file = format!("{}/tests/fortran/{name}", env!("CARGO_MANIFEST_DIR"));
        let made = std::env::temp_dir().join(name);
        let agree = std::fs::read_to_string(file).is_ok_and(|expected| expected == text);
        if !agree {
            std::fs::write(&made, text).unwrap();
        }
        assert!(agree, "{} is not crates/compiler/tests/fortran/{name}", made.display());
    }

    /// Fortran has no variants of large counts, no conversions of handles, and no tools interface.
    #[test]
    fn functions_of_both_languages() {
        let all = super::functions();
        let is_there = |name: &&str| all.iter().any(|function| function.name == **name);
        let both = ["Send", "Comm_rank", "Win_allocate", "Abi_get_version", "Type_get_extent_x"];
        let of_c = ["Send_c", "Comm_toint", "Comm_fromint", "T_init_thread", "Abi_set_fortran_booleans"];
        assert_eq!((both.iter().all(&is_there), of_c.iter().any(is_there)), (true, false));
    }

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
