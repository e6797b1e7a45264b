//! Communicators by what their ranks share, and between groups that know each other by name; memory that is attached.

use crate::harness::*;
use std::ffi::CStr;

fn info(pairs: &[(&CStr, &CStr)]) -> usize {
    let info = get_handle!(Info_create);
    pairs.iter().for_each(|(key, value)| mpi!(Info_set, info, *key, *value));
    info
}

/// Two ranks on each of two nodes. All that they can share is memory.
#[test]
fn split_by_what_is_shared() {
    const KEY: &CStr = c"mpi_hw_resource_type";
    Machine::free(4).on_nodes(&[0, 0, 1, 1]).finishes(|rank| {
        let none = MPI_INFO_NULL;
        let split = |comm: usize, kind: i32, key: i32, info: usize| {
            get_handle!(Comm_split_type, comm, kind, key, info)
        };
        // The size, and the own rank; the key orders.
        let shape = |comm: usize| if comm == MPI_COMM_NULL { (0, 0) } else { (size_of(comm), rank_in(comm)) };
        let (own, node) = (rank as i32 % 2, rank / 2);
        assert_eq!(shape(split(WORLD, MPI_COMM_TYPE_SHARED, 0, none)), (2, own));
        let on_node = split(WORLD, MPI_COMM_TYPE_SHARED, -own, none);
        assert_eq!(shape(on_node), (2, 1 - own));
        let told = info(&[]);
        assert_eq!(shape(split(WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, told)), (2, own));
        assert_eq!(hint(told, KEY).as_deref(), Some("mpi_shared_memory"));
        let untold = info(&[]);
        assert_eq!(shape(split(on_node, MPI_COMM_TYPE_HW_UNGUIDED, 0, untold)), (0, 0), "no smaller part");
        assert_eq!(hint(untold, KEY), None);
        let memory = info(&[(KEY, c"mpi_shared_memory")]);
        let other = info(&[(KEY, c"mpi_numa")]);
        for kind in [MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED] {
            assert_eq!(shape(split(WORLD, kind, 0, memory)), (2, own));
            assert_eq!(shape(split(WORLD, kind, 0, other)), (0, 0));
            assert_eq!(shape(split(WORLD, kind, 0, none)), (0, 0));
        }
        for (name, expected) in [(c"mpi://WORLD", (4, rank as i32)), (c"mpi://SELF", (1, 0))] {
            let set = info(&[(c"mpi_pset_name", name)]);
            assert_eq!(shape(split(WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, set)), expected);
        }
        let kind = if node == 0 { MPI_COMM_TYPE_SHARED } else { MPI_UNDEFINED };
        assert_eq!(shape(split(WORLD, kind, 0, none)), if node == 0 { (2, own) } else { (0, 0) });
        assert_eq!(code!(Comm_split_type, WORLD, 5, 0, none, &mut 0_usize), MPI_ERR_ARG);
        // Between the even and the odd ranks: one of each on a node.
        let local = get_handle!(Comm_split, WORLD, own, rank);
        let both = get_handle!(Intercomm_create, local, 0, WORLD, 1 - own, 9);
        let parts = split(both, MPI_COMM_TYPE_SHARED, 0, none);
        assert_eq!((size_of(parts), get!(Comm_remote_size, parts)), (1, 1));
        let mut partner = -1;
        mpi!(Allreduce, &(rank as i32), &mut partner, 1, MPI_INT, MPI_SUM, parts);
        assert_eq!(partner as usize, rank ^ 1);
    });
}

/// Ranks 0 and 1, whose leader is rank 1, and rank 2.
#[test]
fn groups_that_know_each_other() {
    run(3, |rank| {
        let world = get_handle!(Comm_group, WORLD);
        let left = get_handle!(Group_incl, world, 2, &[0, 1]);
        let right = get_handle!(Group_incl, world, 1, &[2]);
        let mut made = MPI_COMM_NULL;
        let (own, own_leader, other, leader) =
            if rank == 2 { (right, 0, left, 1) } else { (left, 1, right, 0) };
        let mut make = |leader: i32, errors: usize| {
            let (tag, none) = (c"tag", MPI_INFO_NULL);
            code!(Intercomm_create_from_groups, own, own_leader, other, leader, tag, none, errors, &mut made)
        };
        assert_eq!(make(leader, MPI_ERRORS_RETURN), MPI_SUCCESS);
        assert_ne!(make(9, MPI_ERRORS_RETURN), MPI_SUCCESS, "there is no such leader");
        assert_eq!(make(leader, MPI_ERRORS_RETURN), MPI_SUCCESS, "as before");
        let (here, there) = if rank == 2 { (1, 2) } else { (2, 1) };
        assert_eq!((size_of(made), get!(Comm_remote_size, made)), (here, there));
        assert_eq!(rank_in(made), if rank == 2 { 0 } else { rank as i32 });
        let mut sum = 0;
        mpi!(Allreduce, &(rank as i32 + 1), &mut sum, 1, MPI_INT, MPI_SUM, made);
        assert_eq!(sum, 3, "1 + 2, or 3");
        assert_eq!(code!(Send, &1, 1, MPI_INT, 7, 0, made), MPI_ERR_RANK, "its errors are returned");
        assert_eq!(get_handle!(Comm_get_errhandler, made), MPI_ERRORS_RETURN);
    });
}

/// Pieces of memory may touch each other, and not overlap.
#[test]
fn memory_is_attached_once() {
    run(1, |_| {
        let win = get_handle!(Win_create_dynamic, MPI_INFO_NULL, WORLD);
        mpi!(Win_set_errhandler, win, MPI_ERRORS_RETURN);
        let memory = [0_u8; 100];
        let base = memory.as_ptr() as usize;
        let (again, good) = (MPI_ERR_RMA_ATTACH, MPI_SUCCESS);
        for (start, size, expected) in [
            (0, 20, good),
            (20, 20, good),
            (10, 5, again),
            (30, 40, again),
            (39, 1, again),
            (80, 20, good),
            (70, 10, good),
            (60, 11, again),
            (60, 10, good),
            (0, 0, again),
            (0, 100, again),
        ] {
            assert_eq!(code!(Win_attach, win, base + start, size), expected, "{size} bytes from {start}");
        }
        assert_eq!(code!(Win_detach, win, base + 5), MPI_ERR_RMA_ATTACH);
        mpi!(Win_detach, win, base + 20);
        mpi!(Win_attach, win, base + 20, 20);
        assert_eq!(code!(Win_attach, win, base + 20, 20), again);
        assert_eq!(code!(Win_attach, win, NULL, 8), MPI_ERR_BASE);
        assert_eq!(code!(Win_attach, win, NULL, 0), MPI_SUCCESS);
        assert_eq!(code!(Win_attach, win, base, -1), MPI_ERR_SIZE);
        assert_eq!(code!(Win_attach, win, usize::MAX - 3, 8), MPI_ERR_SIZE);
    });
}

#[test]
fn truth_values_of_fortran() {
    run(1, |_| {
        for size in [1, 2, 4, 8, 16] {
            let (mut yes, mut no, mut is_set) = ([0xff_u8; 16], [0xff_u8; 16], 0);
            mpi!(Abi_get_fortran_booleans, size, &mut yes, &mut no, &mut is_set);
            let expected = |first: u8| -> [u8; 16] {
                std::array::from_fn(|at| match at {
                    0 => first,
                    at if at < size => 0,
                    _ => 0xff,
                })
            };
            assert_eq!((yes, no, is_set), (expected(1), expected(0), 1), "{size}");
        }
        let (mut yes, mut no) = ([0_u8; 16], [0_u8; 16]);
        assert_eq!(code!(Abi_get_fortran_booleans, 3, &mut yes, &mut no, &mut 0), MPI_ERR_ARG);
        assert_eq!(code!(Abi_set_fortran_booleans, 4, &mut yes, &mut no), MPI_ERR_ABI);
        assert_eq!(code!(Abi_set_fortran_info, MPI_INFO_NULL), MPI_ERR_ABI);
    });
}
