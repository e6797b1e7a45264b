//! The functions that the C headers declare.

use weir_capi::headers::HEADERS;

/// A function of MPI.
#[derive(Debug, PartialEq)]
pub(super) struct Function {
    /// Without the prefix, as `Send`.
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
}

/// A parameter of C.
#[derive(Debug, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// Without `const` and stars, as `MPI_Comm`.
    pub(super) kind: String,
    pub(super) is_constant: bool,
    pub(super) stars: usize,
    pub(super) is_array: bool,
}

/// All functions that Fortran has, too, in the order of the headers: neither the tools interface nor variants of large
/// counts (which Fortran knows by other means), nor conversions of handles.
pub(super) fn all() -> Vec<Function> {
    let functions = HEADERS.iter().flat_map(|(_, text)| declarations(text));
    functions.filter(|function| has_binding(&function.name)).collect()
}

fn has_binding(name: &str) -> bool {
    const OF_C: [&str; 2] = ["Abi_get_fortran_booleans", "Abi_set_fortran_booleans"];
    let is_of_c = ["_c", "_toint", "_fromint"].iter().any(|end| name.ends_with(end));
    !is_of_c && !name.starts_with("T_") && !OF_C.contains(&name)
}

fn declarations(text: &str) -> Vec<Function> {
    let parts = text.split("\nWEIR_MPI(").skip(1);
    parts.filter_map(|part| declaration(part.split_once("));")?.0)).collect()
}

/// From what stands between `WEIR_MPI(` and the closing `));`.
fn declaration(text: &str) -> Option<Function> {
    let (_, rest) = text.split_once(',')?;
    let (name, parameters) = rest.split_once(',')?;
    let parameters = parameters.trim().strip_prefix('(')?.split(',').map(str::trim);
    let parameters = parameters.filter(|parameter| !matches!(*parameter, "void" | "...")).map(parameter);
    Some(Function { name: name.trim().to_owned(), parameters: parameters.collect() })
}

fn parameter(text: &str) -> Parameter {
    let (text, is_array) = text.split_once('[').map_or((text, false), |(rest, _)| (rest, true));
    let words: Vec<&str> = text.split(|sign: char| sign.is_whitespace() || sign == '*').collect();
    let mut words = words.into_iter().filter(|word| !word.is_empty());
    let is_constant = text.starts_with("const ");
    if is_constant {
        words.next();
    }
    let kind = words.next().unwrap_or_default().to_owned();
    let name = words.next_back().unwrap_or_default().to_owned();
    Parameter { name, kind, is_constant, stars: text.matches('*').count(), is_array }
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

    #[test]
    fn a_declaration_over_two_lines() {
        let text = "\n\nWEIR_MPI(int, Bcast, (void *buf, int count,\n    const MPI_Datatype types[]));\n";
        let parameter = |name: &str, kind: &str, is_constant, stars, is_array| Parameter {
            name: name.into(),
            kind: kind.into(),
            is_constant,
            stars,
            is_array,
        };
        let parameters = vec![
            parameter("buf", "void", false, 1, false),
            parameter("count", "int", false, 0, false),
            parameter("types", "MPI_Datatype", true, 0, true),
        ];
        assert_eq!(declarations(text), [Function { name: "Bcast".into(), parameters }]);
    }
}
