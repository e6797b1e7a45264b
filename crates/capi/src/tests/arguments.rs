//! Every function with each of its arguments wrong: it returns the class of the mistake.
//!
//! A call with good arguments is made up from the declarations of the headers; then one argument after the other is replaced. What
//! is expected follows from the type and the name of the parameter ([`expected`]); what is otherwise stands in [`EXCEPTIONS`].

use crate::harness::declarations::{self, DeclaredParameter};
use crate::harness::*;
use crate::rank::context::Context;
use std::cell::Cell;
use std::rc::Rc;

/// Functions that end a rank, wait for others, return no code or free what they are given; and those of which a call on one
/// rank cannot succeed. Their arguments are wrong elsewhere.
const LEFT_OUT: &str = "\
    Abort Address Aint_add Aint_diff Comm_accept Comm_connect Comm_create_from_group \
    Comm_free_keyval Comm_join Comm_remote_group Comm_remote_size Comm_spawn Comm_spawn_multiple \
    Finalize Free_mem Get_address Init Init_thread Intercomm_create Intercomm_create_from_groups \
    Intercomm_merge Keyval_free Parrived Pcontrol Pready Pready_list Pready_range Register_datarep \
    Session_detach_buffer Session_init Win_complete Win_delete_attr Win_detach Win_start Win_test \
    Win_wait";

fn is_left_out(function: &str) -> bool {
    let parts = ["MPI_T_", "_toint", "_fromint", "_errhandler_c2f", "MPI_File_", "MPI_Abi_set", "MPI_Wti"];
    let name = function.strip_prefix("MPI_").unwrap_or(function);
    LEFT_OUT.split(' ').any(|left_out| left_out == name.strip_suffix("_c").unwrap_or(name))
        || parts.iter().any(|part| function.contains(part))
}

/// Parameters whose wrong values are not what the rules say: the code, and each function with its parameter behind a
/// point. A `*` at the end stands for any rest, one at the beginning for any beginning. The first line that fits counts.
const EXCEPTIONS: &[(i32, &str)] = &[
    // Nobody sends anything, so no tag is wrong.
    (MPI_SUCCESS, "Probe.tag Mprobe.tag Recv.tag Sendrecv*.recvtag"),
    // Any number may stand in a status.
    (MPI_ERR_ARG, "Status_set_*.status"),
    (MPI_SUCCESS, "Status_set_*.source Status_set_*.tag"),
    // Hints that nobody reads.
    (MPI_SUCCESS, "*_init.info Alloc_mem.info *_port.info *_name.info Session_get_n*.info"),
    // Null objects have names.
    (NAMED, "Comm_get_name.comm Type_get_name.type Win_get_name.win"),
    // Nothing is written there: there are no coordinates, neighbors, requests to report.
    (MPI_SUCCESS, "Cart_coords.coords Cart_get.dims Cart_get.periods Cart_get.coords"),
    (MPI_ERR_ARG, "Dist_graph_create_adjacent.newcomm"),
    (
        MPI_SUCCESS,
        "Dist_graph_create_adjacent.*s Dist_graph_neighbors.*s Graph_get.index Graph_get.edges \
         Graph_neighbors.neighbors Request_get_status_some.array_of_indices *some.indices \
         Type_get_contents.addresses Type_get_contents.array_of_addresses \
         Type_get_contents.array_of_large_counts Session_get_nth_pset.pset_name Info_get_string.value \
         Info_create_env.argv *xscan.recvbuf Exscan_init.recvbuf",
    ),
    // Values of attributes and what is passed on to the program's functions may be anything.
    (MPI_ERR_ARG, "*_get_attr.flag Win_get_attr.attribute_val"),
    (
        MPI_SUCCESS,
        "*_attr.attribute_val *_attr.value_address *_attr.value Attr_get.value_address Attr_put.value \
         *.extra *.extra_state",
    ),
    // Classes of their own.
    (MPI_ERR_PORT, "Close_port.port_name"),
    (MPI_ERR_ARG, "Info_get_nthkey.key"),
    (MPI_ERR_INFO_KEY, "Info_*.key"),
    (MPI_ERR_INFO_VALUE, "Info_set.value"),
    (MPI_ERR_ARG, "Info_get_nthkey.n Session_get_nth_pset.n Type_create_darray.rank"),
    (MPI_ERR_BASE, "Win_attach.base Win_create.base"),
    (MPI_ERR_WIN, "Win_free.win"),
    // Memory that results are written in, not that of messages.
    (
        MPI_ERR_ARG,
        "Abi_get_*.logical_true Abi_get_*.logical_false Buffer_*.buffer Buffer_*.buffer_address \
         Comm_*.buffer *.buffer_addr Session_*.buffer *.base_address *.baseptr",
    ),
];

/// For [`EXCEPTIONS`]: the null handle will do, another one is as wrong as ever.
const NAMED: i32 = -1;

fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(beginning)) => name.starts_with(beginning),
        _ => pattern == name,
    }
}

/// Names of parameters that are ranks.
const RANKS: [&str; 6] = ["dest", "rank", "root", "source", "target", "target_rank"];

/// Wrong values for a parameter.
fn wrong(parameter: &DeclaredParameter) -> &'static [i64] {
    const STALE: i64 = 0x1_0000 + 999;
    match parameter.kind.as_str() {
        "MPI_Comm" => &[MPI_COMM_NULL as i64, STALE],
        "MPI_Datatype" => &[MPI_DATATYPE_NULL as i64, STALE],
        "MPI_Op" => &[MPI_OP_NULL as i64, STALE],
        "MPI_Errhandler" => &[MPI_ERRHANDLER_NULL as i64, STALE],
        "MPI_Group" => &[MPI_GROUP_NULL as i64, STALE],
        "MPI_Win" => &[MPI_WIN_NULL as i64, STALE],
        "MPI_Session" => &[MPI_SESSION_NULL as i64, STALE],
        "MPI_Info" | "MPI_Request" => &[STALE],
        "int" if RANKS.contains(&parameter.name.as_str()) => &[-9, 1],
        "MPI_Aint" | "MPI_Count" | "MPI_Offset" | "int" => &[-9],
        kind if kind.ends_with('*') => &[0],
        _ => &[],
    }
}

/// The class of the mistake, if the rules know one.
fn expected(parameter: &DeclaredParameter) -> Option<i32> {
    let name = parameter.name.as_str();
    Some(match parameter.kind.as_str() {
        "MPI_Comm" => MPI_ERR_COMM,
        "MPI_Datatype" => MPI_ERR_TYPE,
        "MPI_Op" => MPI_ERR_OP,
        "MPI_Errhandler" => MPI_ERR_ERRHANDLER,
        "MPI_Group" => MPI_ERR_GROUP,
        "MPI_Win" => MPI_ERR_WIN,
        "MPI_Session" => MPI_ERR_SESSION,
        "MPI_Info" => MPI_ERR_INFO,
        "MPI_Request" => MPI_ERR_REQUEST,
        "MPI_Status *" => MPI_SUCCESS,
        "void *" | "const void *" if !name.contains("value") && !name.contains("extra") => MPI_ERR_BUFFER,
        "int" | "MPI_Count" | "MPI_Aint" if name.contains("tag") => MPI_ERR_TAG,
        "int" | "MPI_Count" | "MPI_Aint" => match name {
            "root" => MPI_ERR_ROOT,
            name if RANKS.contains(&name) => MPI_ERR_RANK,
            "n" => MPI_ERR_COUNT,
            "keyval" | "type_keyval" | "win_keyval" => MPI_ERR_KEYVAL,
            "disp" | "target_disp" => MPI_ERR_DISP,
            _ if name.ends_with("count") => MPI_ERR_COUNT,
            _ => return None,
        },
        kind if kind.ends_with("_function *") && name != "function" => return None,
        kind if kind.ends_with('*') => MPI_ERR_ARG,
        _ => return None,
    })
}

/// What the running rank has made or started and not ended: numbers of objects by kind, and of requests.
fn made() -> Vec<(&'static str, usize)> {
    let mut context = Context::get().expect("a rank is running");
    let rank = context.rank();
    let requests = ("requests", rank.process.open_request_ids().count());
    crate::rank::program::objects_left(rank).into_iter().chain([requests]).collect()
}

/// What a function returns to one rank with good arguments, but for one of them. One that fails has made nothing.
fn returned(function: &'static str, wrong: Option<(usize, i64)>) -> i32 {
    let code = Rc::new(Cell::new(None));
    let note = Rc::clone(&code);
    let ran = Machine::free(1).run(move |_| {
        mpi!(Init, 0, 0);
        errors_return(MPI_COMM_WORLD);
        errors_return(MPI_COMM_SELF);
        let mut words = good(function);
        if let Some((index, word)) = wrong {
            words.set(index, word as usize);
        }
        let before = made();
        let code = call(function, words.get());
        let same = code == MPI_SUCCESS || made() == before;
        assert!(same, "{function} with {wrong:?}: {before:?} before, and then {:?}", made());
        note.set(Some(code));
        0
    });
    code.take().unwrap_or_else(|| panic!("{function} with {wrong:?} did not return: {:?}", ran.ended.outcome))
}

/// What a wrong value of a parameter has to give.
fn expected_code(function: &str, parameter: &DeclaredParameter, value: i64) -> Option<i32> {
    let function = function.strip_prefix("MPI_")?;
    let function = function.strip_suffix("_c").unwrap_or(function);
    let is_it = |place: &str| {
        place.split_once('.').is_some_and(|(of, name)| fits(of, function) && fits(name, &parameter.name))
    };
    match EXCEPTIONS.iter().find(|(_, places)| places.split(' ').any(is_it)) {
        Some((NAMED, _)) if value < 0x1_0000 => Some(MPI_SUCCESS),
        Some((code, _)) if *code != NAMED => Some(*code),
        _ => expected(parameter),
    }
}

#[test]
fn wrong_arguments_give_their_class() {
    let (mut mistakes, mut tried) = (Vec::new(), 0);
    for (function, parameters) in declarations::all().iter().filter(|(name, _)| !is_left_out(name)) {
        let code = returned(function, None);
        if code != MPI_SUCCESS {
            mistakes.push(format!("{function} with good arguments: {}", why(code)));
        }
        for (index, parameter) in parameters.iter().enumerate() {
            for &value in wrong(parameter) {
                let Some(expected) = expected_code(function, parameter, value) else { continue };
                let code = returned(function, Some((index, value)));
                tried += 1;
                if code != expected {
                    let DeclaredParameter { kind, name } = parameter;
                    mistakes.push(format!("{function}, {kind} {name} = {value}: {code} and not {expected}"));
                }
            }
        }
    }
    assert!(mistakes.is_empty(), "{} mistakes\n{}", mistakes.len(), mistakes.join("\n"));
    assert!(tried > 3000, "only {tried} wrong arguments");
}

/// `MPI_IN_PLACE` is for collectives of one group: elsewhere it is no buffer.
#[test]
fn nothing_else_is_in_place() {
    let beginnings = "\
        Send Ssend Bsend Rsend Isend Issend Ibsend Irsend Recv Irecv Isendrecv Ssend_init Put Rput \
        Get_accumulate Rget Accumulate Raccumulate Fetch_and_op Bcast Ibcast Reduce_local";
    let mut tried = 0;
    for (function, parameters) in declarations::all() {
        if is_left_out(function)
            || !beginnings.split(' ').any(|beginning| function[4..].starts_with(beginning))
        {
            continue;
        }
        for (index, parameter) in parameters.iter().enumerate() {
            if parameter.kind.ends_with("void *") {
                tried += 1;
                let code = returned(function, Some((index, MPI_IN_PLACE as i64)));
                assert_eq!(code, MPI_ERR_BUFFER, "{function}, {}", parameter.name);
            }
        }
    }
    assert!(tried > 60, "only {tried} buffers");
}

/// Words that pointers among the arguments of a call point to: so many for each.
const ROOM: usize = 512;

/// The arguments of a call, and what they point to.
struct Words {
    memory: Vec<usize>,
    words: Vec<usize>,
}

impl Words {
    fn get(&self) -> &[usize] {
        &self.words
    }

    fn set(&mut self, index: usize, word: usize) {
        self.words[index] = word;
    }

    /// Has an argument point to these words.
    fn point(&mut self, index: usize, words: [usize; 2]) {
        let memory = &mut self.memory[index * ROOM..][..2];
        memory.copy_from_slice(&words);
        self.words[index] = memory.as_ptr() as usize;
    }
}

/// Arguments with which the function succeeds on one rank.
fn good(function: &str) -> Words {
    let parameters = declarations::parameters(function);
    let memory = vec![0; (parameters.len() + 1) * ROOM];
    let mut words = Words { memory, words: vec![0; parameters.len()] };
    let name = function.strip_prefix("MPI_").expect("a function of MPI");
    let name = name.strip_suffix("_c").unwrap_or(name);
    for (index, parameter) in parameters.iter().enumerate() {
        if let Some(word) = number(name, parameter).or_else(|| handle(name, parameter)) {
            words.set(index, word);
        } else if parameter.kind == "const char *" {
            words.set(index, text(name, parameter).as_ptr() as usize);
        } else if parameter.kind.ends_with('*') || parameter.kind.ends_with(']') {
            words.point(index, pointed(name, parameter));
        }
    }
    if name == "Close_port" {
        words.point(0, [0; 2]);
        mpi!(Open_port, MPI_INFO_NULL, words.words[0]);
    }
    words
}

/// The value of a parameter that is a number.
fn number(function: &str, parameter: &DeclaredParameter) -> Option<usize> {
    if !["int", "const int", "MPI_Count", "MPI_Aint", "MPI_Offset"].contains(&parameter.kind.as_str()) {
        return None;
    }
    Some(match (function, parameter.name.as_str()) {
        ("Info_get_nthkey", "n") => 0,
        ("Cart_coords" | "Graph_neighbors" | "Graph_neighbors_count", "rank") => 0,
        ("Type_create_darray" | "Type_create_subarray", "order") => MPI_ORDER_C as usize,
        ("Type_match_size", "typeclass") => MPI_TYPECLASS_INTEGER as usize,
        ("Type_match_size" | "Abi_get_fortran_booleans", _) => 4,
        ("Comm_split_type", "split_type") => MPI_COMM_TYPE_SHARED as usize,
        ("Win_lock", "lock") => MPI_LOCK_SHARED as usize,
        ("Remove_error_code", "code") => {
            let class = get!(Add_error_class);
            get!(Add_error_code, class) as usize
        }
        (of, "code" | "error_class") if of.contains("_error_") => get!(Add_error_class) as usize,
        (_, "key" | "keyval" | "type_keyval" | "win_keyval") if function.contains("ttr") => keyval(function),
        // Nobody, where the call would wait for another rank.
        ("Bsend" | "Ibsend" | "Mprobe" | "Probe" | "Recv" | "Ssend", "dest" | "source") => {
            MPI_PROC_NULL as usize
        }
        (of, "dest" | "source") if of.starts_with("Sendrecv") => MPI_PROC_NULL as usize,
        (_, "insize" | "outsize" | "size") if function.contains("ack") => 64,
        ("Type_get_contents", "max_integers" | "max_datatypes") => 1,
        (_, name) => {
            let ones =
                ["n", "size", "unit", "disp_unit", "ndims", "length", "extent", "partitions", "nnodes"];
            usize::from(ones.contains(&name) || name.ends_with("count"))
        }
    })
}

/// A key of attributes.
fn keyval(function: &str) -> usize {
    let mut key = 0;
    match function {
        _ if function.starts_with("Type") => mpi!(Type_create_keyval, 0, 0, &mut key, 0),
        _ if function.starts_with("Win") => mpi!(Win_create_keyval, 0, 0, &mut key, 0),
        _ => mpi!(Comm_create_keyval, 0, 0, &mut key, 0),
    }
    if function.contains("elete") {
        match function {
            "Type_delete_attr" => mpi!(Type_set_attr, MPI_INT, key, 0),
            "Win_delete_attr" => {}
            _ => mpi!(Comm_set_attr, MPI_COMM_WORLD, key, 0),
        }
    }
    key as usize
}

/// The value of a parameter that is a handle.
fn handle(function: &str, parameter: &DeclaredParameter) -> Option<usize> {
    Some(match parameter.kind.as_str() {
        "MPI_Comm" => communicator(function),
        "MPI_Datatype" if function == "Type_get_contents" => get_handle!(Type_contiguous, 1, MPI_INT),
        "MPI_Datatype" => MPI_INT,
        "MPI_Op" => MPI_SUM,
        "MPI_Errhandler" => MPI_ERRORS_RETURN,
        "MPI_Group" => get_handle!(Comm_group, MPI_COMM_WORLD),
        "MPI_Info" => info(),
        "MPI_Win" => window(function),
        "MPI_Session" => get_handle!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN),
        "MPI_Request" if function == "Grequest_complete" => {
            get_handle!(Grequest_start, nothing as *const (), nothing as *const (), nothing as *const (), 0)
        }
        "MPI_Request" => MPI_REQUEST_NULL,
        _ => return None,
    })
}

/// A function of a generalized request that does nothing.
extern "C" fn nothing() -> i32 {
    0
}

fn communicator(function: &str) -> usize {
    let mut made = MPI_COMM_NULL;
    let is_of = |parts: &[&str]| parts.iter().any(|part| function.starts_with(part));
    if is_of(&["Cart_create", "Cart_map", "Graph_create", "Graph_map", "Dist_graph_create"]) {
        return MPI_COMM_WORLD;
    } else if is_of(&["Cart", "Neighbor", "Ineighbor"]) {
        mpi!(Cart_create, MPI_COMM_WORLD, 1, &[1], &[1], 0, &mut made);
    } else if is_of(&["Graph"]) {
        mpi!(Graph_create, MPI_COMM_WORLD, 1, &[1], &[0], 0, &mut made);
    } else if is_of(&["Dist_graph"]) {
        mpi!(
            Dist_graph_create_adjacent,
            MPI_COMM_WORLD,
            1,
            &[0],
            &[1],
            1,
            &[0],
            &[1],
            MPI_INFO_NULL,
            0,
            &mut made
        );
    } else {
        if function == "Comm_detach_buffer" {
            mpi!(Comm_attach_buffer, MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0);
        }
        return MPI_COMM_WORLD;
    }
    errors_return(made);
    made
}

fn info() -> usize {
    let info = get_handle!(Info_create);
    mpi!(Info_set, info, c"1", c"1");
    info
}

/// A window in the epoch that the function needs.
fn window(function: &str) -> usize {
    let (mut base, mut win) = (0_usize, MPI_WIN_NULL);
    match function {
        "Win_attach" | "Win_detach" => mpi!(Win_create_dynamic, MPI_INFO_NULL, MPI_COMM_WORLD, &mut win),
        "Win_shared_query" => {
            mpi!(Win_allocate_shared, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mut base, &mut win)
        }
        _ => mpi!(Win_allocate, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mut base, &mut win),
    }
    mpi!(Win_set_errhandler, win, MPI_ERRORS_RETURN);
    match function {
        "Win_unlock" => mpi!(Win_lock, MPI_LOCK_SHARED, 0, 0, win),
        "Win_unlock_all" => mpi!(Win_lock_all, 0, win),
        _ if function.starts_with("Win_flush") || function.starts_with('R') => mpi!(Win_lock_all, 0, win),
        _ if !function.starts_with("Win") => mpi!(Win_fence, 0, win),
        _ => {}
    }
    win
}

/// The value of a parameter that is a text.
fn text(function: &str, parameter: &DeclaredParameter) -> &'static std::ffi::CStr {
    match (function, parameter.name.as_str()) {
        (_, "datarep") => c"external32",
        (_, "pset_name") => c"mpi://WORLD",
        ("Lookup_name" | "Unpublish_name", "service_name") => {
            mpi!(Publish_name, c"1", MPI_INFO_NULL, c"1");
            c"1"
        }
        _ => c"1",
    }
}

/// What a pointer points to.
fn pointed(function: &str, parameter: &DeclaredParameter) -> [usize; 2] {
    let name = parameter.name.as_str();
    let one = match parameter.kind.as_str() {
        "MPI_Comm *" => get_handle!(Comm_dup, MPI_COMM_WORLD),
        "MPI_Datatype *" => get_handle!(Type_contiguous, 2, MPI_INT),
        "const MPI_Datatype *" => return [MPI_INT; 2],
        "MPI_Request *" | "const MPI_Request *" => request(function),
        "MPI_Group *" => get_handle!(Comm_group, MPI_COMM_WORLD),
        "MPI_Info *" => info(),
        "MPI_Errhandler *" => MPI_ERRORS_RETURN,
        "MPI_Message *" => MPI_MESSAGE_NO_PROC,
        "MPI_Op *" => get_handle!(Op_create, nothing as *const (), 1),
        "MPI_Session *" => get_handle!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN),
        "MPI_Win *" => window(function),
        "void *" if function == "Buffer_detach" => {
            mpi!(Buffer_attach, MPI_BUFFER_AUTOMATIC, 0);
            0
        }
        "int *" if function.ends_with("free_keyval") => keyval(function),
        // First, last and stride.
        "int *" if name == "ranges" => return [0, 1],
        "const int *" => return [numbers(name) | numbers(name) << 32; 2],
        "const MPI_Count *" | "const MPI_Aint *" => return [numbers(name); 2],
        _ => 0,
    };
    [one, 0]
}

/// The elements of an array of numbers.
fn numbers(name: &str) -> usize {
    match name {
        "distribs" | "array_of_distribs" => MPI_DISTRIBUTE_BLOCK as usize,
        "dargs" | "array_of_dargs" => MPI_DISTRIBUTE_DFLT_DARG as usize,
        _ => {
            let ones = ["counts", "sizes", "dims", "blocklengths", "degrees", "index"];
            usize::from(ones.iter().any(|one| name.ends_with(one)))
        }
    }
}

fn request(function: &str) -> usize {
    match function {
        "Start" | "Startall" => {
            get_handle!(Send_init, 0, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
        }
        "Cancel" | "Request_free" => get_handle!(Irecv, 0, 0, MPI_INT, 0, 0, MPI_COMM_WORLD),
        _ => MPI_REQUEST_NULL,
    }
}
