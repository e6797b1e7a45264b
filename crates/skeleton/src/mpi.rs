//! This says which arguments of MPI functions are buffers, and which are results: as the headers declare them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// This is what a function does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// Data that leave: their values decide nothing for MPI.
    Sent,
    /// Data that arrive; those that a reduction in place sends are the same.
    Received,
    /// Only a result.
    Result,
    /// All that can be reached from it may decide.
    Deep,
}

const HEADERS: [&str; 9] = [
    include_str!("../../../include/weir/mpi_collectives.h"),
    include_str!("../../../include/weir/mpi_communicators.h"),
    include_str!("../../../include/weir/mpi_datatypes.h"),
    include_str!("../../../include/weir/mpi_environment.h"),
    include_str!("../../../include/weir/mpi_files.h"),
    include_str!("../../../include/weir/mpi_handles.h"),
    include_str!("../../../include/weir/mpi_point_to_point.h"),
    include_str!("../../../include/weir/mpi_tools.h"),
    include_str!("../../../include/weir/mpi_windows.h"),
];

/// Functions whose `void *` are no data: they return memory, or take addresses apart.
const NO_DATA: [&str; 12] = [
    "Alloc_mem",
    "Free_mem",
    "Win_allocate",
    "Win_allocate_shared",
    "Win_shared_query",
    "Win_get_attr",
    "Comm_get_attr",
    "Type_get_attr",
    "Buffer_attach",
    "Buffer_detach",
    "Comm_set_attr",
    "Win_set_attr",
];

/// For each argument of a function: its use, and whether it is a datatype.
type Declared = (Vec<Argument>, Vec<bool>);

/// All functions by name, without `MPI_`.
static FUNCTIONS: LazyLock<BTreeMap<String, Declared>> = LazyLock::new(|| {
    let mut found = BTreeMap::new();
    for header in HEADERS {
        for declared in header.split("WEIR_MPI(").skip(1) {
            let Some((head, rest)) = declared.split_once('(') else { continue };
            let Some((arguments, _)) = rest.split_once(')') else { continue };
            let Some(name) = head.split(',').nth(1).map(str::trim) else { continue };
            let uses = arguments.split(',').map(|argument| role(name, argument)).collect();
            let are_types = arguments.split(',').map(|argument| argument.contains("MPI_Datatype ")).collect();
            found.insert(name.to_owned(), (uses, are_types));
        }
    }
    found
});

fn role(function: &str, argument: &str) -> Argument {
    const RESULTS: [&str; 6] = ["int", "double", "char", "MPI_Aint", "MPI_Count", "MPI_Offset"];
    let words: Vec<&str> = argument.split_whitespace().collect();
    let is_constant = words.first() == Some(&"const");
    let kind = words.get(usize::from(is_constant)).copied().unwrap_or_default();
    let stars = argument.matches('*').count() + argument.matches('[').count();
    let name = words.last().map_or("", |name| name.trim_start_matches('*'));
    // Lists are given, and so are places that a function moves on and lengths that it cuts down.
    let is_given = argument.contains('[') || name == "position" || name.ends_with("len");
    match (kind, stars) {
        ("void", 1) if NO_DATA.contains(&function.trim_end_matches("_c")) => Argument::Deep,
        ("void", 1) if is_constant => Argument::Sent,
        ("void", 1) => Argument::Received,
        _ if !is_constant && !is_given && stars == 1 && RESULTS.contains(&kind) => Argument::Result,
        _ => Argument::Deep,
    }
}

/// This is what `MPI_name` does with its arguments; `None` if the headers have no such function.
pub(crate) fn arguments(name: &str) -> Option<&'static [Argument]> {
    let name = name.strip_prefix('P').unwrap_or(name).strip_prefix("MPI_")?;
    FUNCTIONS.get(name).map(|(uses, _)| uses.as_slice())
}

/// This says whether an argument of `MPI_name` is a datatype.
pub(crate) fn is_type(name: &str, argument: usize) -> bool {
    let name = name.strip_prefix('P').unwrap_or(name).trim_start_matches("MPI_");
    FUNCTIONS.get(name).is_some_and(|(_, are_types)| are_types.get(argument) == Some(&true))
}

/// This says which calls can meet: data that one of a group receives are data that one of the same group has sent.
pub(crate) fn group(name: &str) -> String {
    let name = name.strip_prefix('P').unwrap_or(name).trim_start_matches("MPI_").trim_end_matches("_c");
    if name.starts_with("File_") {
        return "files".to_owned();
    }
    const SIDED: [&str; 10] = [
        "Put",
        "Rput",
        "Get",
        "Rget",
        "Accumulate",
        "Raccumulate",
        "Get_accumulate",
        "Rget_accumulate",
        "Fetch_and_op",
        "Compare_and_swap",
    ];
    if name.starts_with("Win_") || SIDED.contains(&name) {
        return "windows".to_owned();
    }
    if ["send", "Send", "recv", "Recv"].iter().any(|word| name.contains(word)) {
        return "messages".to_owned();
    }
    name.trim_end_matches("_init").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_those_of_the_headers() {
        use Argument::{Deep, Received, Result, Sent};
        assert_eq!(arguments("MPI_Send"), Some(&[Sent, Deep, Deep, Deep, Deep, Deep][..]));
        assert_eq!(arguments("PMPI_Bcast"), Some(&[Received, Deep, Deep, Deep, Deep][..]));
        assert_eq!(arguments("MPI_Comm_rank"), Some(&[Deep, Result][..]));
        assert_eq!(arguments("MPI_Alloc_mem"), Some(&[Deep, Deep, Deep][..]));
        assert_eq!(arguments("MPI_Nothing"), None);
        assert!(arguments("MPI_Alltoallv").is_some_and(|uses| uses[1] == Deep && uses[4] == Received));
        assert!(FUNCTIONS.len() > 400, "{}", FUNCTIONS.len());
    }

    #[test]
    fn sends_meet_receives_and_collectives_their_own() {
        assert_eq!(group("MPI_Isend"), group("MPI_Mrecv"));
        assert_eq!(group("MPI_Allreduce"), group("PMPI_Allreduce_c"));
        assert_ne!(group("MPI_Bcast"), group("MPI_Allreduce"));
    }
}
