//! The Fortran form of a parameter of C.

use weir_capi::headers::{Function, Parameter};

/// A parameter of Fortran. All are passed by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Integers,
    Logical,
    Logicals,
    /// An integer of 8 bytes, with the name of its kind.
    Wide(&'static str),
    Wides(&'static str),
    /// A handle, with its type in C.
    Handle(&'static str),
    Handles(&'static str),
    /// A buffer of any type.
    Buffer,
    /// A pointer that the function sets.
    Pointer,
    Status,
    Statuses,
    Text,
    /// A list of texts, or a table of them.
    Texts,
    TextTable,
    Callback,
}

/// The way in which a binding hands a parameter to C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// The value.
    Value,
    /// The address as it is.
    Address,
    /// The address, or what it stands for: the C function of the runtime that says which.
    Special(&'static str),
    /// A handle.
    HandleValue,
    /// The address of a handle that C reads and writes.
    HandlePlace,
    /// Handles that C reads, or that it writes, too.
    HandleList {
        writes: bool,
    },
    TextIn,
    TextOut,
    /// Counts from 1 in Fortran.
    Index,
    Indices,
}

pub(super) const HANDLES: [&str; 11] = [
    "MPI_Comm",
    "MPI_Datatype",
    "MPI_Errhandler",
    "MPI_File",
    "MPI_Group",
    "MPI_Info",
    "MPI_Message",
    "MPI_Op",
    "MPI_Request",
    "MPI_Session",
    "MPI_Win",
];

/// Integers of C that are truth values.
const LOGICAL: [&str; 7] = ["flag", "periods", "reorder", "remain", "commute", "high", "weighted"];

/// Functions whose bindings end the run: their arguments would need more than is worth while nothing offers them.
pub(super) const REFUSED: [&str; 3] = ["Comm_spawn", "Comm_spawn_multiple", "Register_datarep"];

pub(super) fn of(parameter: &Parameter) -> (Kind, Passing) {
    let is_value = parameter.stars == 0 && !parameter.is_array;
    let name = parameter.name.as_str();
    let many = |one, list| if parameter.is_array { list } else { one };
    let passing = if is_value { Passing::Value } else { Passing::Address };
    if let Some(&handle) = HANDLES.iter().find(|handle| **handle == parameter.kind) {
        let how = match (is_value, parameter.is_array) {
            (true, _) => Passing::HandleValue,
            (false, false) => Passing::HandlePlace,
            (false, true) => Passing::HandleList { writes: !parameter.is_constant },
        };
        return (many(Kind::Handle(handle), Kind::Handles(handle)), how);
    }
    match parameter.kind.as_str() {
        "int" => match name {
            "index" | "indx" if !parameter.is_array => (Kind::Integer, Passing::Index),
            "indices" | "array_of_indices" => (Kind::Integers, Passing::Indices),
            _ if name.contains("weights") => (Kind::Integers, Passing::Special("weir_weights_or_none")),
            _ if name.contains("errcodes") => (Kind::Integers, Passing::Special("weir_codes_or_none")),
            _ if LOGICAL.contains(&name) => (many(Kind::Logical, Kind::Logicals), passing),
            _ => (many(Kind::Integer, Kind::Integers), passing),
        },
        "MPI_Aint" => (many(Kind::Wide("MPI_ADDRESS_KIND"), Kind::Wides("MPI_ADDRESS_KIND")), passing),
        "MPI_Count" => (many(Kind::Wide("MPI_COUNT_KIND"), Kind::Wides("MPI_COUNT_KIND")), passing),
        "MPI_Offset" => (many(Kind::Wide("MPI_OFFSET_KIND"), Kind::Wides("MPI_OFFSET_KIND")), passing),
        "MPI_Status" => {
            let is_list = parameter.is_array || name.contains("statuses");
            (if is_list { Kind::Statuses } else { Kind::Status }, Passing::Special("weir_status_or_none"))
        }
        "char" if parameter.is_constant => (Kind::Text, Passing::TextIn),
        "char" => (Kind::Text, Passing::TextOut),
        "void" if matches!(name, "base_address" | "baseptr") => (Kind::Pointer, Passing::Address),
        "void" => (Kind::Buffer, Passing::Special("weir_address")),
        _ => (Kind::Callback, Passing::Address),
    }
}

/// A parameter's name in Fortran, which is the standard's where keywords are likely.
pub(super) fn name(parameter: &Parameter) -> &str {
    match parameter.name.as_str() {
        "type" => "datatype",
        name => name,
    }
}

/// Length of a list of handles: an expression in the binding's own parameters.
pub(super) fn length(function: &Function, parameter: &Parameter) -> String {
    let has = |name: &str| function.parameters.iter().any(|other| other.name == name);
    let outward = i32::from(parameter.name.starts_with("send"));
    if function.name.to_lowercase().contains("neighbor_alltoallw") {
        format!("weir_neighbors(weir_handle(*comm), {outward})")
    } else if function.name.to_lowercase().contains("alltoallw") {
        "weir_on_all(weir_handle(*comm))".into()
    } else {
        format!("*{}", ["max_datatypes", "incount"].into_iter().find(|name| has(name)).unwrap_or("count"))
    }
}

/// Returns whether C goes on to read its arguments after the call.
pub(super) fn goes_on(function: &Function) -> bool {
    function.name.starts_with("Ialltoallw")
        || function.name.starts_with("Ineighbor")
        || function.name.ends_with("_init")
}

/// The way in which `mpi_f08` gives a function its buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// By their addresses; of what has gaps the compiler makes a copy for the time of the call.
    Addresses,
    /// With descriptors: the function uses them after it has returned, or keeps them.
    Sections,
    /// With descriptors, of which only the address counts.
    FirstElements,
}

pub(super) fn passed(function: &Function) -> Passed {
    const OF_WINDOWS: [&str; 6] =
        ["Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap"];
    const OF_REQUESTS: [&str; 4] = ["Rput", "Rget", "Raccumulate", "Rget_accumulate"];
    const KEEPING: [&str; 3] = ["Win_create", "Win_attach", "Buffer_attach"];
    let name = function.name.as_str();
    let of_file = name.starts_with("File_");
    let has_buffers = function.parameters.iter().any(|parameter| of(parameter).0 == Kind::Buffer);
    if !has_buffers || by_hand(name).is_some() {
        Passed::Addresses
    } else if ["Get_address", "Win_detach"].contains(&name) || of_file && name.ends_with("_end") {
        Passed::FirstElements
    } else if name.starts_with('I')
        || name.ends_with("_init")
        || of_file && (name.starts_with("File_i") || name.ends_with("_begin"))
        || OF_WINDOWS.contains(&name)
        || OF_REQUESTS.contains(&name)
        || KEEPING.contains(&name)
        || name.ends_with("_attach_buffer")
    {
        Passed::Sections
    } else {
        Passed::Addresses
    }
}

/// The parameters of bindings written by hand that differ from C's, before the error code, as the standard names them (MPI 5.0,
/// appendix A). Those with a `=` are integers where others of the name are addresses: MPI-1 knew no others.
const BY_HAND: &str = "
Init
Init_thread required provided
Info_create_env info
Address location address
Type_extent datatype extent
Type_lb datatype displacement
Type_ub datatype displacement
Type_hvector count blocklength stride oldtype newtype
Type_hindexed count blocklengths displs oldtype newtype
Type_struct count blocklengths displs types newtype
Errhandler_create function errhandler
Comm_create_keyval copy_attr_fn delete_attr_fn keyval extra_state
Type_create_keyval copy_attr_fn delete_attr_fn keyval extra_state
Win_create_keyval copy_attr_fn delete_attr_fn keyval extra_state
Keyval_create copy_fn delete_fn keyval =extra_state
Comm_set_attr comm keyval attribute_val
Type_set_attr datatype keyval attribute_val
Win_set_attr win keyval attribute_val
Attr_put comm keyval =attribute_val
Comm_get_attr comm keyval attribute_val flag
Type_get_attr datatype keyval attribute_val flag
Win_get_attr win keyval attribute_val flag
Attr_get comm keyval =attribute_val flag
Grequest_start query_fn free_fn cancel_fn extra_state request
Comm_spawn command argv maxprocs info root comm intercomm array_of_errcodes
Comm_spawn_multiple count array_of_commands array_of_argv array_of_maxprocs array_of_info root comm intercomm array_of_errcodes
";

/// The parameters of a binding written by hand.
pub(super) fn by_hand(function: &str) -> Option<Vec<(&'static str, Kind)>> {
    let words = |line: &'static str| line.split(' ');
    let line = BY_HAND.lines().find(|line| words(line).next() == Some(function) && !line.is_empty())?;
    let kind = |name: &'static str| match name.strip_prefix('=') {
        Some(name) => (name, Kind::Integer),
        None => (name, kind_by_hand(name)),
    };
    Some(words(line).skip(1).map(kind).collect())
}

fn kind_by_hand(name: &str) -> Kind {
    match name {
        "info" => Kind::Handle("MPI_Info"),
        "array_of_info" => Kind::Handles("MPI_Info"),
        "datatype" | "oldtype" | "newtype" => Kind::Handle("MPI_Datatype"),
        "types" => Kind::Handles("MPI_Datatype"),
        "comm" | "intercomm" => Kind::Handle("MPI_Comm"),
        "win" => Kind::Handle("MPI_Win"),
        "request" => Kind::Handle("MPI_Request"),
        "errhandler" => Kind::Handle("MPI_Errhandler"),
        "location" => Kind::Buffer,
        "flag" => Kind::Logical,
        "extra_state" | "attribute_val" => Kind::Wide("MPI_ADDRESS_KIND"),
        "blocklengths" | "displs" | "array_of_errcodes" | "array_of_maxprocs" => Kind::Integers,
        "command" => Kind::Text,
        "argv" | "array_of_commands" => Kind::Texts,
        "array_of_argv" => Kind::TextTable,
        _ if name.ends_with("_fn") || name == "function" => Kind::Callback,
        _ => Kind::Integer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fortran::functions;

    /// A parameter of C as it is written: `const int ranks[]`.
    fn parameter(text: &str) -> Parameter {
        let (text, is_constant) = text.strip_prefix("const ").map_or((text, false), |rest| (rest, true));
        let (kind, name) = text.split_once(' ').unwrap();
        let (stars, is_array) = (name.matches('*').count(), name.ends_with("[]"));
        let name = name.trim_matches(['*', '[', ']']).to_owned();
        Parameter { name, kind: kind.to_owned(), is_constant, stars, is_array }
    }

    #[test]
    fn parameters_of_c_in_fortran() {
        use Kind::*;
        use Passing::*;
        let list = |writes| HandleList { writes };
        let cases = [
            ("int count", Integer, Value),
            ("int *rank", Integer, Address),
            ("const int ranks[]", Integers, Address),
            ("int *flag", Logical, Address),
            ("int reorder", Logical, Value),
            ("const int periods[]", Logicals, Address),
            ("int *index", Integer, Index),
            ("int *indx", Integer, Index),
            ("const int index[]", Integers, Address),
            ("int array_of_indices[]", Integers, Indices),
            ("int indices[]", Integers, Indices),
            ("const int *sourceweights", Integers, Special("weir_weights_or_none")),
            ("int array_of_errcodes[]", Integers, Special("weir_codes_or_none")),
            ("MPI_Aint size", Wide("MPI_ADDRESS_KIND"), Value),
            ("const MPI_Aint displs[]", Wides("MPI_ADDRESS_KIND"), Address),
            ("MPI_Count *count", Wide("MPI_COUNT_KIND"), Address),
            ("MPI_Count counts[]", Wides("MPI_COUNT_KIND"), Address),
            ("MPI_Offset offset", Wide("MPI_OFFSET_KIND"), Value),
            ("MPI_Offset offsets[]", Wides("MPI_OFFSET_KIND"), Address),
            ("MPI_Status *status", Status, Special("weir_status_or_none")),
            ("MPI_Status *array_of_statuses", Statuses, Special("weir_status_or_none")),
            ("MPI_Status list[]", Statuses, Special("weir_status_or_none")),
            ("const char *name", Text, TextIn),
            ("char *name", Text, TextOut),
            ("void *baseptr", Pointer, Address),
            ("void *base_address", Pointer, Address),
            ("const void *buf", Buffer, Special("weir_address")),
            ("MPI_User_function *function", Callback, Address),
            ("MPI_Comm comm", Handle("MPI_Comm"), HandleValue),
            ("MPI_Comm *newcomm", Handle("MPI_Comm"), HandlePlace),
            ("MPI_Request requests[]", Handles("MPI_Request"), list(true)),
            ("const MPI_Datatype types[]", Handles("MPI_Datatype"), list(false)),
        ];
        for (text, kind, passing) in cases {
            assert_eq!(of(&parameter(text)), (kind, passing), "{text}");
        }
        assert_eq!(
            (name(&parameter("MPI_Datatype type")), name(&parameter("int types"))),
            ("datatype", "types")
        );
    }

    #[test]
    fn arguments_by_hand() {
        let (integer, address) = (Kind::Integer, Kind::Wide("MPI_ADDRESS_KIND"));
        assert_eq!((by_hand("Init"), by_hand("Send"), by_hand("")), (Some(vec![]), None, None));
        let last = |function| by_hand(function).unwrap().pop().unwrap();
        assert_eq!(last("Attr_put"), ("attribute_val", integer));
        assert_eq!(last("Win_set_attr"), ("attribute_val", address));
        // The handles of what each is called on.
        for (function, handle) in
            [("Comm_get_attr", "MPI_Comm"), ("Type_set_attr", "MPI_Datatype"), ("Win_get_attr", "MPI_Win")]
        {
            assert_eq!(by_hand(function).unwrap()[0].1, Kind::Handle(handle));
        }
    }

    #[test]
    fn buffers_with_descriptors() {
        let all = functions();
        for (how, names) in [
            (Passed::FirstElements, "Get_address Win_detach File_read_all_end File_write_ordered_end"),
            (
                Passed::Sections,
                "Isend Imrecv Isendrecv_replace Ssend_init Psend_init Ibcast Bcast_init Igather Iallgatherv",
            ),
            (
                Passed::Sections,
                "Ineighbor_alltoall Ialltoallw Ireduce Reduce_scatter_init File_iwrite_at File_read_all_begin",
            ),
            (Passed::Sections, "Put Rget Accumulate Rget_accumulate Fetch_and_op Compare_and_swap"),
            (
                Passed::Sections,
                "Win_create Win_attach Buffer_attach Comm_attach_buffer Session_attach_buffer",
            ),
            (
                Passed::Addresses,
                "Send Recv Sendrecv Mrecv Bcast Allreduce Reduce_local File_write_at Pack Free_mem",
            ),
            (
                Passed::Addresses,
                "Init Ibarrier Iprobe Barrier_init Info_get Buffer_detach Comm_set_attr Register_datarep",
            ),
        ] {
            for name in names.split(' ') {
                let function = all.iter().find(|function| function.name == name).expect("a function");
                assert_eq!(passed(function), how, "MPI_{name}");
            }
        }
    }
}
