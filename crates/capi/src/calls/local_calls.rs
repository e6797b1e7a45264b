//! Functions of MPI that communicate with no other rank: an operation of the program may call them.

/// Names of local functions without `MPI_`; a star stands for any rest.
const LOCAL: &str = "\
    Abi_get* Add_error_* Aint_* Attr_* Cart_* Dims_* Dist_graph_neighbors* Errhandler_* Error_* \
    File_get_errhandler* Get_* Graph_get* Graph_neighbors* Graphdims_* Group_* Info_* Keyval_* Op_* \
    Pack* Remove_error_* Session_get_* Status_* T_* Type_* Unpack* Win_get_* Abort Address Alloc_mem \
    Cartdim_get Comm_call_errhandler Comm_compare Comm_create_errhandler Comm_create_keyval \
    Comm_delete_attr Comm_free_keyval Comm_get_attr Comm_get_errhandler Comm_get_info Comm_get_name \
    Comm_get_parent Comm_group Comm_rank Comm_remote_group Comm_remote_size Comm_set_attr \
    Comm_set_errhandler Comm_size Comm_test_inter Finalized Free_mem Initialized Is_thread_main Pcontrol \
    Query_thread Reduce_local Reduce_local_c Topo_test";

/// Functions that begin as local ones and are not.
const NOT: [&str; 2] = ["Cart_create", "Cart_sub"];

fn fits(name: &str, local: &str) -> bool {
    local.strip_suffix('*').map_or(name == local, |beginning| name.starts_with(beginning))
}

/// Returns true if a function communicates with no other rank.
pub(crate) fn is_local(name: &str) -> bool {
    let Some(name) = name.strip_prefix("MPI_") else { return false };
    !NOT.contains(&name) && LOCAL.split(' ').any(|local| fits(name, local))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    /// Every name stands for a function there is.
    #[test]
    fn names_are_of_functions() {
        let offered: Vec<&str> = table::functions().into_iter().map(|(name, _)| name).collect();
        for local in LOCAL.split(' ') {
            let is_it = |name: &&str| name.strip_prefix("MPI_").is_some_and(|name| fits(name, local));
            assert!(offered.iter().any(is_it), "{local}");
        }
        for name in
            ["MPI_Comm_dup", "MPI_Barrier", "MPI_Finalize", "MPI_Cart_create", "MPI_Isend", "MPI_Win_fence"]
        {
            assert!(offered.contains(&name) && !is_local(name), "{name}");
        }
    }
}
