//! The C text of the bindings.

use super::rules::{self, Passed, Passing};
use std::fmt::Write;
use weir_capi::headers::Function;

/// Bindings written by hand, and what all bindings use.
const BY_HAND: &str = concat!(
    include_str!("../../runtime/fortran_arguments.c"),
    include_str!("../../runtime/fortran_special.c")
);

/// The text for these functions, of which some are offered.
pub(super) fn text(functions: &[Function], is_offered: impl Fn(&str) -> bool) -> String {
    let (mut text, by_hand) = written_by_hand(&is_offered);
    for function in functions {
        let lower = function.name.to_lowercase();
        if by_hand.contains(&lower) {
            continue;
        }
        if is_offered(&function.name) && !rules::REFUSED.contains(&function.name.as_str()) {
            text.push_str(&binding(function));
        } else {
            _ = writeln!(text, "REFUSED({lower}, \"MPI_{}\")", function.name);
        }
    }
    text.push_str(SECTIONS);
    let descriptors = |function: &&Function| rules::passed(function) != Passed::Addresses;
    let with = functions.iter().filter(descriptors).filter(|function| is_offered(&function.name));
    with.for_each(|function| text.push_str(&with_descriptors(function)));
    text
}

/// The part that is written by hand, without what calls functions that are not offered; and the names of the bindings in it.
fn written_by_hand(is_offered: impl Fn(&str) -> bool) -> (String, Vec<String>) {
    let (mut text, mut names) = (String::new(), Vec::new());
    let mut rest = BY_HAND;
    while let Some(start) = rest.find("\nBINDING(").into_iter().chain(rest.find("\nFUNCTION(")).min() {
        let (before, block) = rest.split_at(start + 1);
        let end = block.find("\n}\n").map_or(block.len(), |end| end + 3);
        text.push_str(before);
        if calls(&block[..end]).all(&is_offered) {
            text.push_str(&block[..end]);
            let inside = block.split_once('(').map_or("", |(_, rest)| rest);
            // The type of a function comes first.
            let place = usize::from(block.starts_with("FUNCTION("));
            names.extend(inside.split(',').nth(place).map(|name| name.trim().to_owned()));
        }
        rest = &block[end..];
    }
    text.push_str(rest);
    (text, names)
}

/// Names of the MPI functions that a text calls, without the prefix.
fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.split("PMPI_")
        .skip(1)
        .filter_map(|rest| rest.split(|sign: char| !sign.is_alphanumeric() && sign != '_').next())
}

/// C code that the functions with descriptors use.
const SECTIONS: &str = include_str!("../../runtime/fortran_sections.c");

/// The name that `mpi_f08` calls a function by whose buffers have descriptors (MPI 5.0, section 19.1.5, table 19.1).
pub(super) fn name_with_descriptors(function: &Function) -> String {
    format!("mpi_{}_f08ts_", function.name.to_lowercase())
}

/// A function that takes its buffers with descriptors and calls the binding.
fn with_descriptors(function: &Function) -> String {
    let (mut formal, mut actual, mut before) = (Vec::new(), Vec::new(), String::new());
    for parameter in &function.parameters {
        let name = parameter.name.as_str();
        if rules::of(parameter).0 != rules::Kind::Buffer {
            formal.push(format!("void *{name}"));
            actual.push(name.to_owned());
            continue;
        }
        formal.push(format!("CFI_cdesc_t *{name}"));
        if rules::passed(function) == Passed::FirstElements {
            actual.push(format!("{name}->base_addr"));
        } else {
            _ = writeln!(before, "    struct weir_section {name}_;");
            actual.push(format!("weir_section({name}, &{name}_)"));
        }
    }
    let (name, lower) = (name_with_descriptors(function), function.name.to_lowercase());
    let (formal, actual) = (formal.join(", "), actual.join(", "));
    format!("\nvoid {name}({formal}, integer *ierror) {{\n{before}    mpi_{lower}_({actual}, ierror);\n}}\n")
}

fn binding(function: &Function) -> String {
    let (mut formal, mut lengths, mut actual) = (Vec::new(), Vec::new(), Vec::new());
    let (mut before, mut after) = (String::new(), String::new());
    for parameter in &function.parameters {
        let (name, c_type) = (parameter.name.as_str(), parameter.kind.as_str());
        let (_, passing) = rules::of(parameter);
        let (own_type, argument) = match passing {
            Passing::Value if c_type == "int" => ("integer *", format!("*{name}")),
            Passing::Value => ("MPI_Count *", format!("*{name}")),
            Passing::Address if c_type == "int" && !parameter.is_array => ("integer *", name.to_owned()),
            Passing::Address => ("void *", name.to_owned()),
            Passing::Special(which) => ("void *", format!("{which}({name})")),
            Passing::HandleValue => ("integer *", format!("weir_handle(*{name})")),
            Passing::HandlePlace => {
                _ = writeln!(before, "    void *{name}_ = weir_handle(*{name});");
                _ = writeln!(after, "    *{name} = weir_number({name}_);");
                ("integer *", format!("({c_type} *)&{name}_"))
            }
            Passing::HandleList { writes } => {
                let length = rules::length(function, parameter);
                _ = writeln!(before, "    long {name}_length = {length};");
                _ = writeln!(before, "    void **{name}_ = weir_handles({name}, {name}_length);");
                if writes {
                    _ = writeln!(after, "    weir_give_numbers({name}, {name}_, {name}_length);");
                }
                if !rules::goes_on(function) {
                    _ = writeln!(after, "    free({name}_);");
                }
                ("integer *", format!("({c_type} *){name}_"))
            }
            Passing::TextIn => {
                let counts = i32::from(!function.name.starts_with("Info_"));
                _ = writeln!(before, "    char *{name}_ = weir_text({name}, {name}_length, {counts});");
                _ = writeln!(after, "    free({name}_);");
                ("char *", format!("{name}_"))
            }
            Passing::TextOut => {
                let length =
                    if function.name == "Info_get" { "*length" } else { "MPI_MAX_LIBRARY_VERSION_STRING" };
                _ = writeln!(before, "    char *{name}_ = weir_room({length});");
                _ = writeln!(after, "    weir_give_text({name}, {name}_length, {name}_);");
                ("char *", format!("{name}_"))
            }
            Passing::Index => {
                _ = writeln!(after, "    if (*{name} != MPI_UNDEFINED)\n        ++*{name};");
                _ = writeln!(before, "    *{name} = MPI_UNDEFINED;");
                ("integer *", name.to_owned())
            }
            Passing::Indices => {
                _ = writeln!(before, "    *outcount = 0;");
                _ = writeln!(after, "    for (int i = 0; i < *outcount; i++)\n        ++{name}[i];");
                ("integer *", name.to_owned())
            }
        };
        if matches!(passing, Passing::TextIn | Passing::TextOut) {
            lengths.push(format!("size_t {name}_length"));
        }
        formal.push(format!("{own_type}{name}"));
        actual.push(argument);
    }
    formal.push("integer *ierror".into());
    formal.extend(lengths);
    let (lower, name) = (function.name.to_lowercase(), &function.name);
    let (formal, actual) = (formal.join(", "), actual.join(", "));
    format!("\nBINDING({lower}, ({formal})) {{\n{before}    GIVE(PMPI_{name}({actual}));\n{after}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fortran::functions;
    use crate::fortran::tests::{check, named};

    #[test]
    fn every_function_has_a_binding() {
        let functions = functions();
        let text = text(&functions, |_| true);
        for function in &functions {
            let lower = function.name.to_lowercase();
            let heads = ["BINDING(", "REFUSED(", "FUNCTION(double, ", "FUNCTION(MPI_Aint, "];
            let count: usize =
                heads.iter().map(|head| text.matches(&format!("{head}{lower},")).count()).sum();
            assert_eq!(count, 1, "MPI_{}", function.name);
        }
        assert!(functions.len() > 350, "{}", functions.len());
    }

    /// Handles of a list are numbers while Fortran has them, indices count from 1, and texts have their lengths at the end.
    #[test]
    fn the_bindings_of_some_functions() {
        let names = "Alltoallw_init Bcast_init Cart_create Comm_dup Comm_set_name Comm_spawn Dist_graph_neighbors File_write_at \
                     Get_address Get_processor_name Group_incl Ialltoallw Ineighbor_alltoallw Info_get Info_get_nthkey Isend \
                     Neighbor_alltoallw Op_create Send Startall Type_create_hvector Type_get_contents Waitall Waitany Waitsome \
                     Win_allocate";
        let text = text(&named(names), |name| name != "Info_get_nthkey");
        check("bindings.c", &text.replace(BY_HAND, "// BY_HAND\n").replace(SECTIONS, "// SECTIONS\n"));
    }

    /// Where everything is offered nothing of what is written by hand is left out.
    #[test]
    fn all_that_is_written_by_hand_is_there() {
        let (text, names) = written_by_hand(|_| true);
        assert_eq!(text, BY_HAND);
        let heads =
            BY_HAND.lines().filter(|line| line.starts_with("BINDING(") || line.starts_with("FUNCTION("));
        assert_eq!(names.len(), heads.count());
        assert!(super::text(&functions(), |_| true).starts_with(BY_HAND));
    }

    #[test]
    fn what_calls_functions_not_offered_is_refused() {
        let text = text(&functions(), |name| name != "Win_get_attr");
        assert!(text.contains("REFUSED(win_get_attr, \"MPI_Win_get_attr\")"));
        assert!(!text.contains("PMPI_Win_get_attr"));
    }
}
