//! Which kinds of memory messages may lie in (MPI 5.0, section 12.4.3): that of the system, and that of MPI's own functions.
//! Programs ask for kinds by the key `mpi_memory_alloc_kinds` when they open a session, and read there, and at
//! communicators, windows and files, which ones they have got.

use std::ffi::CStr;

/// Key of the kinds that programs ask for and are given.
pub(crate) const KINDS: &CStr = c"mpi_memory_alloc_kinds";
/// Key of the kinds that programs promise to use alone.
pub(crate) const ASSERTED: &CStr = c"mpi_assert_memory_alloc_kinds";

/// Kinds that are there without being asked for.
pub(crate) const ALWAYS: &CStr = c"mpi,system";

/// Those of a list, such as `mpi:alloc_mem,system`, that are offered, in its order.
pub(crate) fn offered(requested: &CStr) -> String {
    let requested = requested.to_string_lossy();
    let known: Vec<&str> = requested.split(',').map(str::trim).filter(|kind| is_offered(kind)).collect();
    known.join(",")
}

/// Those of a list that are offered, and those that are always there.
pub(crate) fn granted(requested: &CStr) -> String {
    let mut known = offered(requested);
    for kind in ALWAYS.to_string_lossy().split(',') {
        if !known.split(',').any(|one| one == kind) {
            known += if known.is_empty() { "" } else { "," };
            known += kind;
        }
    }
    known
}

/// A kind, and behind it what restricts it, one after the other.
fn is_offered(kind: &str) -> bool {
    let mut words = kind.split(':');
    match words.next() {
        Some("system") => words.next().is_none(),
        Some("mpi") => words.all(|word| ["alloc_mem", "win_allocate", "win_allocate_shared"].contains(&word)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_kinds_are_not_granted() {
        let cases = [
            (c"", "mpi,system"),
            (c"system", "system,mpi"),
            (c"cuda, mpi:alloc_mem:win_allocate ,system:pinned", "mpi:alloc_mem:win_allocate,mpi,system"),
            (c"mpi:nonsense,rocm:device", "mpi,system"),
        ];
        for (requested, expected) in cases {
            assert_eq!(granted(requested), expected, "{requested:?}");
        }
        assert_eq!(offered(c"level_zero,system"), "system");
    }
}
