//! What is not found out, not taken into account, or only allowed in part: docs/concepts/limitations.md says so.

use super::sampling::spin;
use crate::harness::*;
use crate::world::options::Compute;
use std::ffi::{c_int, c_void};

const WORLD: usize = MPI_COMM_WORLD;

#[test]
fn types_of_both_sides_may_differ() {
    run(2, |rank| {
        let (sent, mut got) = (1.5_f64, [0_u32; 2]);
        match rank {
            0 => mpi!(Send, &sent, 1, MPI_DOUBLE, 1, 0, WORLD),
            _ => {
                mpi!(Recv, &mut got, 2, MPI_INT, 0, 0, WORLD, NULL);
                assert_eq!(u64::from(got[0]) | u64::from(got[1]) << 32, sent.to_bits());
            }
        }
    });
}

/// A group of one session beside a group of another one, and a communicator of both that outlives the first.
#[test]
fn sessions_may_be_mixed() {
    run(2, |_| {
        let session = || get_handle!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN);
        let (mut one, mut other) = (session(), session());
        let all = get_handle!(Group_from_session_pset, one, c"mpi://WORLD");
        let own = get_handle!(Group_from_session_pset, other, c"mpi://SELF");
        let both = get_handle!(Group_union, all, own);
        let mut comm = MPI_COMM_NULL;
        mpi!(Comm_create_from_group, both, c"mixed", MPI_INFO_NULL, MPI_ERRORS_RETURN, &mut comm);
        let mut sum = 0;
        mpi!(Allreduce, &1, &mut sum, 1, MPI_INT, MPI_SUM, comm);
        assert_eq!(sum, 2);
        mpi!(Comm_free, &mut comm);
        mpi!(Session_finalize, &mut one);
        mpi!(Session_finalize, &mut other);
    });
}

/// Two ranks, an array of 60 elements in blocks of 19 and of 20: 19 stands for the default, blocks of one.
#[test]
fn blocks_of_nineteen_are_blocks_of_one() {
    run(1, |_| {
        let extent_of_data = |block: i32| {
            let mut made = MPI_DATATYPE_NULL;
            let (sizes, how, of_ranks) = ([60], [MPI_DISTRIBUTE_CYCLIC], [2]);
            mpi!(
                Type_create_darray,
                2,
                0,
                1,
                &sizes,
                &how,
                &[block],
                &of_ranks,
                MPI_ORDER_C,
                MPI_CHAR,
                &mut made
            );
            let (mut lower, mut extent) = (-1_isize, -1_isize);
            mpi!(Type_get_true_extent, made, &mut lower, &mut extent);
            (lower, extent)
        };
        assert_eq!(MPI_DISTRIBUTE_DFLT_DARG, 19);
        assert_eq!(extent_of_data(20), (0, 60), "0 to 19 and 40 to 59");
        assert_eq!(extent_of_data(18), (0, 54), "0 to 17 and 36 to 53");
        assert_eq!(extent_of_data(1), (0, 59), "every second one");
        assert_eq!(extent_of_data(19), extent_of_data(1));
    });
}

#[test]
fn a_grid_keeps_the_order_of_ranks() {
    run(6, |rank| {
        for reorder in [0, 1] {
            let made = get_handle!(Cart_create, WORLD, 2, &[3, 2], &[1, 1], reorder);
            assert_eq!(rank_in(made), rank as i32, "reorder = {reorder}");
        }
    });
}

extern "C" fn works_for_long(_: *mut c_void, _: *mut c_void, _: *mut c_int, _: *mut usize) {
    spin(20);
}

/// The same work costs time between two calls, and none within a reduction.
#[test]
fn work_of_operations_is_not_measured() {
    let mut machine = Machine::free(2);
    machine.options.compute = Compute::Measured(1000.0);
    machine
        .run_mpi(|_| {
            let operation = get_handle!(Op_create, works_for_long as *const (), 1);
            let second = 1_000_000_000_000;
            let begin = now_ps();
            mpi!(Allreduce, &1, &mut 0, 1, MPI_INT, operation, WORLD);
            let reduced = now_ps() - begin;
            assert!(reduced < 10 * second, "{reduced} ps of 20 s");
            spin(20);
            mpi!(Initialized, &mut 0);
            let worked = now_ps() - begin - reduced;
            assert!(worked >= 19 * second, "{worked} ps of 20 s");
        })
        .finished();
}
