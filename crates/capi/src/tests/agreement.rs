//! Collectives whose ranks do not agree on what all of them have to give alike (MPI 5.0, section 6.1).

use super::forms::{Width, array};
use crate::harness::*;

const WORLD: usize = MPI_COMM_WORLD;

/// Ends a request, if the call has made one; the code of the two.
fn ended(code: i32, request: &mut usize) -> i32 {
    if code == MPI_SUCCESS && *request != MPI_REQUEST_NULL { code!(Wait, request, NULL) } else { code }
}

/// A program that goes on has its mistake at the end of the collective, at every rank that waits for both, and the next one
/// is good.
#[test]
fn programs_go_on_behind_a_mistake() {
    run(2, |rank| {
        let (given, mut got, alone) = ([rank as i32 + 1; 4], [0; 4], MPI_COMM_SELF);
        let op = [MPI_SUM, MPI_MAX][rank];
        let one_each = [rank as i32 + 1; 2];
        for _ in 0..2 {
            assert_eq!(code!(Allreduce, &given, &mut got, 1, MPI_INT, op, WORLD), MPI_ERR_OP);
            let mut request = MPI_REQUEST_NULL;
            let code = code!(Iallreduce, &given, &mut got, 1, MPI_INT, op, WORLD, &mut request);
            assert_eq!(ended(code, &mut request), MPI_ERR_OP);
            // Both have come before one may go on, and there is no message with which they come.
            let mut kept = MPI_REQUEST_NULL;
            let code =
                code!(Allreduce_init, &given, &mut got, 1, MPI_INT, op, WORLD, MPI_INFO_NULL, &mut kept);
            assert_eq!(code, if rank == 0 { MPI_SUCCESS } else { MPI_ERR_OP });
            mpi!(Barrier, WORLD);
            let code = code!(Allgather, &given, 2 - rank, MPI_INT, &mut got, 2 - rank, MPI_INT, WORLD);
            assert!([MPI_ERR_OTHER, MPI_ERR_TRUNCATE].contains(&code), "{code}");
            // A rank that gives itself another length than it takes.
            let code = code!(Alltoall, &one_each, 1, MPI_INT, &mut got, 2, MPI_INT, WORLD);
            assert_eq!(code, MPI_ERR_OTHER);
            mpi!(Allreduce, &given, &mut got, 1, MPI_INT, MPI_SUM, WORLD);
            assert_eq!(got[0], 3);
            mpi!(Allreduce, &given, &mut got, 1, MPI_INT, op, alone);
            assert_eq!(got[0], rank as i32 + 1, "alone there is nobody to agree with");
        }
        // Operations of the program are numbered by each rank, and blocks of different lengths are no mistake.
        extern "C" fn nothing(_: usize, _: usize, _: usize, _: usize) {}
        let mut own = get_handle!(Op_create, nothing as *const (), 1);
        if rank == 1 {
            own = get_handle!(Op_create, nothing as *const (), 1);
        }
        mpi!(Allreduce, &given, &mut got, 1, MPI_INT, own, WORLD);
        let (counts, places) = (array(&[1, 2], Width::Int), array(&[0, 1], Width::Int));
        let (counts, places) = (counts.word(), places.word());
        mpi!(Allgatherv, &given, rank + 1, MPI_INT, &mut got, counts, places, MPI_INT, WORLD);
        assert_eq!(got[..3], [1, 2, 2]);
    });
}

/// Where mistakes end the run the first that finds one does, in words.
#[test]
fn mistakes_end_the_run() {
    type Body = fn(usize, usize);
    let cases: [(Body, &str); 3] = [
        (
            |rank, comm| {
                let op = [MPI_SUM, MPI_MAX][rank];
                mpi!(Allreduce, &1, &mut 0, 1, MPI_INT, op, comm);
            },
            "MPI_Allreduce failed: MPI_ERR_OP: ",
        ),
        (
            |rank, comm| mpi!(Bcast, &mut [0; 2], rank + 1, MPI_INT, 0, comm),
            "MPI_Bcast failed: MPI_ERR_OTHER: ",
        ),
        (
            |_, comm| mpi!(Alltoall, &[1; 2], 1, MPI_INT, &mut [0; 4], 2, MPI_INT, comm),
            "MPI_Alltoall failed: MPI_ERR_OTHER: ",
        ),
    ];
    for (body, words) in cases {
        for handler in [MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT] {
            let ran = Machine::free(2).run_mpi(move |rank| {
                mpi!(Comm_set_errhandler, WORLD, handler);
                body(rank, WORLD);
                mpi!(Barrier, WORLD);
            });
            let (_, why) = ran.aborted();
            assert!(why.starts_with(words), "{why}");
        }
    }
}

/// The library's own collectives do not take another's longer message for theirs.
#[test]
fn messages_of_other_collectives_are_refused() {
    run(2, |rank| {
        let part = get_handle!(Comm_dup, WORLD);
        errors_return(part);
        let (given, mut got) = ([7_i64; 40], [0_i64; 80]);
        if rank == 0 {
            code!(Allgather, &given, 40, MPI_LONG, &mut got, 40, MPI_LONG, part);
        } else {
            assert_eq!(code!(Comm_split, part, 0, 0, &mut 0_usize), MPI_ERR_TRUNCATE);
        }
    });
}
