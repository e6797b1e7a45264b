//! The parameters of C as arguments of Rust: their types, and which of them are one argument.

use crate::declarations::Parameter;

/// Parameters that no Rust function takes: of these functions, or of all.
const UNUSED: [(&str, &str); 8] = [
    ("", "reorder"),
    ("Init Init_thread", "argc argv"),
    ("Abi_set_fortran_info Abi_set_fortran_booleans", "info logical_size logical_true logical_false"),
    (
        "Alloc_mem Comm_accept Comm_connect Lookup_name Open_port Precv_init Psend_init Publish_name Unpublish_name",
        "info",
    ),
    (
        "Comm_spawn Comm_spawn_multiple",
        "command argv maxprocs info root count array_of_commands array_of_argv array_of_maxprocs array_of_info array_of_errcodes codes",
    ),
    ("Group_from_session_pset Session_get_pset_info", "session"),
    ("Session_get_nth_pset Session_get_num_psets", "info session"),
    ("T_pvar_handle_alloc", "index object handle count"),
];

/// Parameters that are one argument: its type, how it is made of them, and their types.
const TOGETHER: [(&str, &str, &str); 7] = [
    ("Operands", "Operands::new", "void* void* number MPI_Datatype MPI_Op"),
    ("Elements", "Elements::new", "void* number MPI_Datatype"),
    ("Uneven", "Uneven::new", "void* number* number* MPI_Datatype"),
    ("Uneven", "Uneven::each", "void* number* number* MPI_Datatype*"),
    ("TargetBuffer", "TargetBuffer::new", "number MPI_Aint number MPI_Datatype"),
    ("Array<Handle>", "Requests::new", "number MPI_Request*"),
    ("Peer", "", "number number MPI_Comm"),
];

/// Functions that make something with an error handler of its own, which is called for their mistakes, too.
pub(super) const WITH_ERRORS: [&str; 3] =
    ["Session_init", "Comm_create_from_group", "Intercomm_create_from_groups"];

/// Number of stars and brackets in a parameter's type.
fn depth(parameter: &Parameter) -> usize {
    parameter.stars + usize::from(parameter.is_array)
}

pub(super) fn is(parameter: &Parameter, kinds: &[&str], pointers: usize) -> bool {
    kinds.contains(&parameter.kind.as_str()) && depth(parameter) == pointers
}

/// The arguments of the Rust function: the first parameter of each, its type if it is made of several, and how it is made.
pub(super) fn arguments(
    function: &str,
    parameters: &[Parameter],
) -> Vec<(usize, Option<&'static str>, String)> {
    let (mut arguments, mut index) = (Vec::new(), 0);
    while index < parameters.len() {
        let group = together(&parameters[index..]);
        let count = group.map_or(1, |(.., count)| count);
        let parts: Vec<String> = (index..index + count).map(|index| format!("a{index}")).collect();
        if !is_unused(function, &parameters[index].name) {
            let made = match group {
                Some((_, made, _)) => format!("{made}({})", parts.join(", ")),
                None if WITH_ERRORS.contains(&function) && parameters[index].name == "errhandler" => {
                    "handler".into()
                }
                None => parts[0].clone(),
            };
            arguments.push((index, group.map(|(kind, ..)| kind), made));
        }
        index += count;
    }
    arguments
}

/// Several parameters that are one argument: its type, how it is made of them, and how many they are.
fn together(parameters: &[Parameter]) -> Option<(&'static str, &'static str, usize)> {
    let words: Vec<String> = parameters.iter().map(word).collect();
    let mut groups = TOGETHER.iter().map(|(kind, made, shape)| (*kind, *made, shape.split(' ')));
    let (kind, made, shape) = groups.find(|(.., shape)| {
        let count = shape.clone().count();
        words.get(..count).is_some_and(|words| shape.clone().eq(words))
    })?;
    Some((kind, made, shape.count()))
}

/// The type of a parameter, as [`TOGETHER`] has it.
fn word(parameter: &Parameter) -> String {
    let kind = match (parameter.kind.as_str(), depth(parameter)) {
        ("int" | "MPI_Count", _) | ("MPI_Aint", 1) => "number",
        (kind, _) => kind,
    };
    kind.to_owned() + &"*".repeat(depth(parameter))
}

pub(super) fn rust_type(parameter: &Parameter) -> String {
    let kind = match parameter.kind.as_str() {
        "int" => "c_int",
        "char" => "c_char",
        "void" => "c_void",
        "double" => "f64",
        "MPI_Count" | "MPI_Offset" => "i64",
        "MPI_Aint" => "isize",
        "MPI_Status" => "CStatus",
        "MPI_User_function" => return "Option<UserFunction<c_int>>".into(),
        "MPI_User_function_c" => return "Option<UserFunction<i64>>".into(),
        "MPI_Grequest_query_function" => return "Option<Query>".into(),
        "MPI_Grequest_free_function" => return "Option<Free>".into(),
        "MPI_Grequest_cancel_function" => return "Option<Cancel>".into(),
        "MPI_Datarep_extent_function" => return "Option<ExtentFunction>".into(),
        "MPI_Delete_function" => return "Option<DeleteFunction>".into(),
        kind if kind.ends_with("_errhandler_function") => return "Option<HandlerFunction>".into(),
        kind if kind.ends_with("_delete_attr_function") => return "Option<DeleteFunction>".into(),
        kind if kind.ends_with("_function") || kind.ends_with("_function_c") => {
            return "*const c_void".into();
        }
        _ => "Handle",
    };
    let innermost = if parameter.is_constant { "*const " } else { "*mut " };
    match depth(parameter) {
        0 => kind.into(),
        pointers => "*mut ".repeat(pointers - 1) + innermost + kind,
    }
}

/// The type of a field in a struct of arguments. `large` is the same parameter of the form for large counts, which may be wider.
pub(super) fn field_type(parameter: &Parameter, large: Option<&Parameter>, wide: &str) -> String {
    let (kind, name) = (parameter.kind.as_str(), parameter.name.as_str());
    let is_wider = large.is_some_and(|large| large.kind != kind);
    match depth(parameter) {
        0 => match kind {
            // Only the leader's own are looked at.
            "MPI_Comm" if name != "peer" => "CommunicatorId".into(),
            "MPI_Group" if name != "remote_group" => "Group".into(),
            "MPI_Win" => "WindowId".into(),
            "MPI_Errhandler" => "ErrorHandler".into(),
            "MPI_Datatype" if name == "oldtype" => "Rc<Type>".into(),
            "int" if is_wider => wide.into(),
            _ => rust_type(parameter),
        },
        1 if name.starts_with("base_") || name == "baseptr" => "Out<*mut c_void>".into(),
        1 if parameter.is_constant && is_wider => {
            format!("*const {}", if kind == "MPI_Aint" { "isize" } else { wide })
        }
        1 if parameter.is_constant || parameter.is_array || name.ends_with("weights") => rust_type(parameter),
        1 if ["void", "char", "MPI_Status"].contains(&kind) || kind.contains("_function") => {
            rust_type(parameter)
        }
        1 if is_wider => "OutNumber".into(),
        1 => format!("Out<{}>", rust_type(&Parameter { stars: 0, ..parameter.clone() })),
        _ => rust_type(parameter),
    }
}

/// The name without the ending of the forms for large counts.
pub(super) fn short(name: &str) -> &str {
    // These two have more parameters for large counts.
    let own_form = ["Type_get_envelope_c", "Type_get_contents_c"].contains(&name);
    let short = name.strip_suffix("_c").or_else(|| name.strip_suffix("_x"));
    short.filter(|_| !own_form).unwrap_or(name)
}

fn is_unused(function: &str, parameter: &str) -> bool {
    let is_in = |words: &str, word: &str| words.split(' ').any(|known| known == word);
    UNUSED.iter().any(|(of, names)| (of.is_empty() || is_in(of, short(function))) && is_in(names, parameter))
}
