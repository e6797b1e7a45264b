//! Every function with each of its arguments wrong: it returns the class of the mistake.
//!
//! A call with good arguments is made up from the declarations of the headers; then one argument after the other is replaced. What
//! is expected follows from the type and the name of the parameter ([`expected`]); what is otherwise stands in [`EXCEPTIONS`].

use crate::harness::declarations::{self, DeclaredParameter};
use crate::harness::*;
use crate::rank::context::Context;
use std::cell::Cell;
use std::rc::Rc;

mod good;

use good::good;

/// Functions that end a rank, wait for others, return no code or free what they are given; and those of which a call on one
/// rank cannot succeed. Their arguments are wrong elsewhere.
const LEFT_OUT: [&str; 36] = [
    "MPI_Abort",
    "MPI_Address",
    "MPI_Aint_add",
    "MPI_Aint_diff",
    "MPI_Comm_accept",
    "MPI_Comm_connect",
    "MPI_Comm_create_from_group",
    "MPI_Comm_free_keyval",
    "MPI_Comm_join",
    "MPI_Comm_remote_group",
    "MPI_Comm_remote_size",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Finalize",
    "MPI_Free_mem",
    "MPI_Get_address",
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Intercomm_create",
    "MPI_Intercomm_create_from_groups",
    "MPI_Intercomm_merge",
    "MPI_Keyval_free",
    "MPI_Parrived",
    "MPI_Pcontrol",
    "MPI_Pready",
    "MPI_Pready_list",
    "MPI_Pready_range",
    "MPI_Register_datarep",
    "MPI_Session_detach_buffer",
    "MPI_Session_init",
    "MPI_Win_complete",
    "MPI_Win_delete_attr",
    "MPI_Win_detach",
    "MPI_Win_start",
    "MPI_Win_test",
    "MPI_Win_wait",
];

fn is_left_out(function: &str) -> bool {
    let parts = ["MPI_T_", "_toint", "_fromint", "_errhandler_c2f", "MPI_File_", "MPI_Abi_set", "MPI_Wti"];
    LEFT_OUT.contains(&function.strip_suffix("_c").unwrap_or(function))
        || parts.iter().any(|part| function.contains(part))
}

/// Parameters whose wrong values are not what the rules say: function, parameter, code. A `*` at the end stands for any rest, one
/// at the beginning for any beginning. The first line that fits counts.
const EXCEPTIONS: &[(&str, &str, i32)] = &[
    // Nobody sends anything, so no tag is wrong.
    ("Probe", "tag", MPI_SUCCESS),
    ("Mprobe", "tag", MPI_SUCCESS),
    ("Recv", "tag", MPI_SUCCESS),
    ("Sendrecv*", "recvtag", MPI_SUCCESS),
    // Any number may stand in a status.
    ("Status_set_*", "status", MPI_ERR_ARG),
    ("Status_set_*", "source", MPI_SUCCESS),
    ("Status_set_*", "tag", MPI_SUCCESS),
    // Hints that nobody reads.
    ("*_init", "info", MPI_SUCCESS),
    ("Alloc_mem", "info", MPI_SUCCESS),
    ("*_port", "info", MPI_SUCCESS),
    ("*_name", "info", MPI_SUCCESS),
    ("Session_get_n*", "info", MPI_SUCCESS),
    // Null objects have names.
    ("Comm_get_name", "comm", NAMED),
    ("Type_get_name", "type", NAMED),
    ("Win_get_name", "win", NAMED),
    // Nothing is written there: there are no coordinates, neighbours, requests to report.
    ("Cart_coords", "coords", MPI_SUCCESS),
    ("Cart_get", "dims", MPI_SUCCESS),
    ("Cart_get", "periods", MPI_SUCCESS),
    ("Cart_get", "coords", MPI_SUCCESS),
    ("Dist_graph_create_adjacent", "newcomm", MPI_ERR_ARG),
    ("Dist_graph_create_adjacent", "*s", MPI_SUCCESS),
    ("Dist_graph_neighbors", "*s", MPI_SUCCESS),
    ("Graph_get", "index", MPI_SUCCESS),
    ("Graph_get", "edges", MPI_SUCCESS),
    ("Graph_neighbors", "neighbors", MPI_SUCCESS),
    ("Request_get_status_some", "array_of_indices", MPI_SUCCESS),
    ("*some", "indices", MPI_SUCCESS),
    ("Type_get_contents", "addresses", MPI_SUCCESS),
    ("Type_get_contents", "array_of_addresses", MPI_SUCCESS),
    ("Type_get_contents", "array_of_large_counts", MPI_SUCCESS),
    ("Session_get_nth_pset", "pset_name", MPI_SUCCESS),
    ("Info_get_string", "value", MPI_SUCCESS),
    ("Info_create_env", "argv", MPI_SUCCESS),
    ("*xscan", "recvbuf", MPI_SUCCESS),
    ("Exscan_init", "recvbuf", MPI_SUCCESS),
    // Values of attributes and what is passed on to the program's functions may be anything.
    ("*_get_attr", "flag", MPI_ERR_ARG),
    ("Win_get_attr", "attribute_val", MPI_ERR_ARG),
    ("*_attr", "attribute_val", MPI_SUCCESS),
    ("*_attr", "value_address", MPI_SUCCESS),
    ("*_attr", "value", MPI_SUCCESS),
    ("Attr_get", "value_address", MPI_SUCCESS),
    ("Attr_put", "value", MPI_SUCCESS),
    ("*", "extra", MPI_SUCCESS),
    ("*", "extra_state", MPI_SUCCESS),
    // Classes of their own.
    ("Close_port", "port_name", MPI_ERR_PORT),
    ("Info_get_nthkey", "key", MPI_ERR_ARG),
    ("Info_*", "key", MPI_ERR_INFO_KEY),
    ("Info_set", "value", MPI_ERR_INFO_VALUE),
    ("Info_get_nthkey", "n", MPI_ERR_ARG),
    ("Session_get_nth_pset", "n", MPI_ERR_ARG),
    ("Type_create_darray", "rank", MPI_ERR_ARG),
    ("Win_attach", "base", MPI_ERR_BASE),
    ("Win_create", "base", MPI_ERR_BASE),
    ("Win_free", "win", MPI_ERR_WIN),
    // Memory that results are written in, not that of messages.
    ("Abi_get_*", "logical_true", MPI_ERR_ARG),
    ("Abi_get_*", "logical_false", MPI_ERR_ARG),
    ("Buffer_*", "buffer", MPI_ERR_ARG),
    ("Buffer_*", "buffer_address", MPI_ERR_ARG),
    ("Comm_*", "buffer", MPI_ERR_ARG),
    ("*", "buffer_addr", MPI_ERR_ARG),
    ("Session_*", "buffer", MPI_ERR_ARG),
    ("*", "base_address", MPI_ERR_ARG),
    ("*", "baseptr", MPI_ERR_ARG),
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
    let exception = EXCEPTIONS.iter().find(|(of, name, _)| fits(of, function) && fits(name, &parameter.name));
    match exception {
        Some(&(_, _, NAMED)) if value < 0x1_0000 => Some(MPI_SUCCESS),
        Some(&(_, _, code)) if code != NAMED => Some(code),
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
    let beginnings = [
        "MPI_Send",
        "MPI_Ssend",
        "MPI_Bsend",
        "MPI_Rsend",
        "MPI_Isend",
        "MPI_Issend",
        "MPI_Ibsend",
        "MPI_Irsend",
        "MPI_Recv",
        "MPI_Irecv",
        "MPI_Isendrecv",
        "MPI_Ssend_init",
        "MPI_Put",
        "MPI_Rput",
        "MPI_Get_accumulate",
        "MPI_Rget",
        "MPI_Accumulate",
        "MPI_Raccumulate",
        "MPI_Fetch_and_op",
        "MPI_Bcast",
        "MPI_Ibcast",
        "MPI_Reduce_local",
    ];
    let mut tried = 0;
    for (function, parameters) in declarations::all() {
        if is_left_out(function) || !beginnings.iter().any(|beginning| function.starts_with(beginning)) {
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
