//! Good arguments for a call of any function on one rank.

use crate::harness::declarations::{self, DeclaredParameter};
use crate::harness::*;

/// Words that pointers among the arguments of a call point to: so many for each.
const ROOM: usize = 512;

/// The arguments of a call, and what they point to.
pub(super) struct Words {
    memory: Vec<usize>,
    words: Vec<usize>,
}

impl Words {
    pub(super) fn get(&self) -> &[usize] {
        &self.words
    }

    pub(super) fn set(&mut self, index: usize, word: usize) {
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
pub(super) fn good(function: &str) -> Words {
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

/// A function of a generalised request that does nothing.
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
