//! Which functions of MPI communicate with nobody: an operation of the program may call them.

/// Beginnings of names: all functions that have one are local.
const BEGINNINGS: [&str; 26] = [
    "MPI_Abi_get",
    "MPI_Add_error_",
    "MPI_Aint_",
    "MPI_Attr_",
    "MPI_Cart_",
    "MPI_Dims_",
    "MPI_Dist_graph_neighbors",
    "MPI_Errhandler_",
    "MPI_Error_",
    "MPI_File_get_errhandler",
    "MPI_Get_",
    "MPI_Graph_get",
    "MPI_Graph_neighbors",
    "MPI_Graphdims_",
    "MPI_Group_",
    "MPI_Info_",
    "MPI_Keyval_",
    "MPI_Op_",
    "MPI_Pack",
    "MPI_Remove_error_",
    "MPI_Session_get_",
    "MPI_Status_",
    "MPI_T_",
    "MPI_Type_",
    "MPI_Unpack",
    "MPI_Win_get_",
];

const NAMES: [&str; 32] = [
    "MPI_Abort",
    "MPI_Address",
    "MPI_Alloc_mem",
    "MPI_Cartdim_get",
    "MPI_Comm_call_errhandler",
    "MPI_Comm_compare",
    "MPI_Comm_create_errhandler",
    "MPI_Comm_create_keyval",
    "MPI_Comm_delete_attr",
    "MPI_Comm_free_keyval",
    "MPI_Comm_get_attr",
    "MPI_Comm_get_errhandler",
    "MPI_Comm_get_info",
    "MPI_Comm_get_name",
    "MPI_Comm_get_parent",
    "MPI_Comm_group",
    "MPI_Comm_rank",
    "MPI_Comm_remote_group",
    "MPI_Comm_remote_size",
    "MPI_Comm_set_attr",
    "MPI_Comm_set_errhandler",
    "MPI_Comm_size",
    "MPI_Comm_test_inter",
    "MPI_Finalized",
    "MPI_Free_mem",
    "MPI_Initialized",
    "MPI_Is_thread_main",
    "MPI_Pcontrol",
    "MPI_Query_thread",
    "MPI_Reduce_local",
    "MPI_Reduce_local_c",
    "MPI_Topo_test",
];

/// Functions that begin as local ones and are not.
const NOT: [&str; 2] = ["MPI_Cart_create", "MPI_Cart_sub"];

/// Returns true if a function communicates with no other rank.
pub(crate) fn is_local(name: &str) -> bool {
    let begins = BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
    (begins || NAMES.contains(&name)) && !NOT.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    /// Every name stands for a function there is.
    #[test]
    fn names_are_of_functions() {
        let offered: Vec<&str> = table::functions().into_iter().map(|(name, _)| name).collect();
        for name in NAMES {
            assert!(offered.contains(&name), "{name}");
        }
        for beginning in BEGINNINGS {
            assert!(offered.iter().any(|name| name.starts_with(beginning)), "{beginning}");
        }
        for name in
            ["MPI_Comm_dup", "MPI_Barrier", "MPI_Finalize", "MPI_Cart_create", "MPI_Isend", "MPI_Win_fence"]
        {
            assert!(offered.contains(&name) && !is_local(name), "{name}");
        }
    }
}
