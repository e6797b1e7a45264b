//! The functions that the C headers declare.

use weir_capi::headers;
pub(super) use weir_capi::headers::{Function, Parameter};

/// All functions that Fortran has, too, in the order of the headers: neither the tools interface nor variants of large
/// counts (which Fortran knows by other means), nor conversions of handles.
pub(super) fn all() -> Vec<Function> {
    headers::functions().filter(|function| has_binding(&function.name)).collect()
}

fn has_binding(name: &str) -> bool {
    const OF_C: [&str; 2] = ["Abi_get_fortran_booleans", "Abi_set_fortran_booleans"];
    let is_of_c = ["_c", "_toint", "_fromint"].iter().any(|end| name.ends_with(end));
    !is_of_c && !name.starts_with("T_") && !OF_C.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fortran has no variants of large counts, no conversions of handles, and no tools interface.
    #[test]
    fn functions_of_both_languages() {
        let is_there = |name: &str| all().iter().any(|function| function.name == name);
        for name in
            ["Send", "Comm_rank", "Win_allocate", "Abi_get_version", "Type_get_extent_x", "Status_set_tag"]
        {
            assert!(is_there(name), "{name}");
        }
        for name in [
            "Send_c",
            "Comm_toint",
            "Comm_fromint",
            "T_init_thread",
            "Abi_get_fortran_booleans",
            "Abi_set_fortran_booleans",
        ] {
            assert!(!is_there(name), "{name}");
        }
    }
}
