//! Reaching into the memory of others: where it ends, what is refused, and when.

use crate::harness::*;
use std::ptr::null_mut;

const WORLD: usize = MPI_COMM_WORLD;

/// A window of eight ints, each 10 times the rank more than its place.
fn window(rank: usize) -> (usize, *mut i32) {
    let (mut base, mut win) = (null_mut::<i32>(), MPI_WIN_NULL);
    mpi!(Win_allocate, 32, 4, MPI_INFO_NULL, WORLD, &mut base, &mut win);
    mpi!(Win_set_errhandler, win, MPI_ERRORS_RETURN);
    // SAFETY: eight ints are there.
    (0..8).for_each(|place| unsafe { *base.add(place) = (10 * rank + place) as i32 });
    mpi!(Barrier, WORLD);
    (win, base)
}

fn read(base: *const i32) -> [i32; 8] {
    // SAFETY: eight ints are there.
    std::array::from_fn(|place| unsafe { *base.add(place) })
}

fn committed(mut datatype: usize) -> usize {
    mpi!(Type_commit, &mut datatype);
    datatype
}

/// Elements whose data begin before them: those of the first element of a window would be outside of it.
#[test]
fn elements_may_begin_before_their_place() {
    run(2, |rank| {
        let (mut win, base) = window(rank);
        // An int 8 bytes before its element.
        let before = committed(get_handle!(Type_create_hindexed, 1, &[1], &[-8_i64], MPI_INT));
        if rank == 0 {
            for (displacement, expected) in [
                (0, MPI_ERR_RMA_RANGE),
                (1, MPI_ERR_RMA_RANGE),
                (2, MPI_SUCCESS),
                (3, MPI_SUCCESS),
                (9, MPI_SUCCESS),
                (10, MPI_ERR_RMA_RANGE),
            ] {
                mpi!(Win_lock, MPI_LOCK_EXCLUSIVE, 1, 0, win);
                let code = code!(Put, &(70 + displacement), 1, MPI_INT, 1, displacement, 1, before, win);
                let unlocked = code!(Win_unlock, 1, win);
                let code = if code == MPI_SUCCESS { unlocked } else { code };
                assert_eq!(code, expected, "{displacement}");
            }
        }
        mpi!(Barrier, WORLD);
        if rank == 1 {
            assert_eq!(read(base), [72, 73, 12, 13, 14, 15, 16, 79]);
        }
        mpi!(Win_free, &mut win);
    });
}

/// Two elements of three ints each, which lie apart: two pieces of three blocks.
#[test]
fn pieces_of_several_blocks() {
    run(2, |rank| {
        let (mut win, mut base) = (MPI_WIN_NULL, null_mut::<i64>());
        mpi!(Win_allocate, 80, 8, MPI_INFO_NULL, WORLD, &mut base, &mut win);
        let all = || -> [i64; 10] {
            // SAFETY: ten longs are there.
            std::array::from_fn(|place| unsafe { *base.add(place) })
        };
        let spread = committed(get_handle!(Type_vector, 3, 1, 2, MPI_LONG));
        mpi!(Barrier, WORLD);
        let mut got = [0_i64; 6];
        mpi!(Win_fence, 0, win);
        if rank == 0 {
            mpi!(Put, &[1_i64, 2, 3, 4, 5, 6], 6, MPI_LONG, 1, 0, 2, spread, win);
        }
        mpi!(Win_fence, 0, win);
        if rank == 0 {
            mpi!(Get, &mut got, 6, MPI_LONG, 1, 0, 2, spread, win);
        }
        mpi!(Win_fence, 0, win);
        if rank == 0 {
            assert_eq!(got, [1, 2, 3, 4, 5, 6]);
        } else {
            assert_eq!(all(), [1, 0, 2, 0, 3, 4, 0, 5, 0, 6]);
        }
        mpi!(Win_free, &mut win);
    });
}

/// Every access with less room than it brings, or fetches, is refused.
#[test]
fn accesses_fit_their_room() {
    run(2, |rank| {
        let (mut win, base) = window(rank);
        if rank == 0 {
            let (given, mut got) = ([7; 4], [-1; 4]);
            let (give, get) = ((&given).word(), (&mut got).word());
            let (int, target) = (MPI_INT, |count: usize| [1, 0, count, MPI_INT]);
            mpi!(Win_lock, MPI_LOCK_EXCLUSIVE, 1, 0, win);
            let cases: [(&str, Vec<usize>); 5] = [
                ("Put", [&[give, 2, int][..], &target(1), &[win]].concat()),
                ("Get", [&[get, 1, int][..], &target(2), &[win]].concat()),
                ("Accumulate", [&[give, 2, int][..], &target(1), &[MPI_SUM, win]].concat()),
                ("Get_accumulate", [&[give, 2, int, get, 1, int][..], &target(2), &[MPI_SUM, win]].concat()),
                ("Get_accumulate", [&[give, 2, int, get, 2, int][..], &target(1), &[MPI_SUM, win]].concat()),
            ];
            for (name, words) in cases {
                assert_eq!(call(&format!("MPI_{name}"), &words), MPI_ERR_TRUNCATE, "{name}");
            }
            let words = [&[NULL, 0, int, get, 1, int][..], &target(2), &[MPI_NO_OP, win]].concat();
            assert_eq!(call("MPI_Get_accumulate", &words), MPI_ERR_TRUNCATE);
            // What is replaced and nothing is fetched, and the other way round.
            mpi!(Accumulate, &given, 2, MPI_INT, 1, 2, 2, MPI_INT, MPI_REPLACE, win);
            mpi!(
                Get_accumulate,
                &[8, 8],
                2,
                MPI_INT,
                &mut got,
                2,
                MPI_INT,
                1,
                3,
                2,
                MPI_INT,
                MPI_REPLACE,
                win
            );
            mpi!(Win_unlock, 1, win);
            assert_eq!(got, [7, 14, -1, -1]);
        }
        mpi!(Barrier, WORLD);
        if rank == 1 {
            assert_eq!(read(base), [10, 11, 7, 8, 8, 15, 16, 17]);
        }
        mpi!(Win_free, &mut win);
    });
}

/// An end of an epoch that has not begun is a mistake at once, whatever else is under way at the window.
#[test]
fn ends_without_a_beginning() {
    timed(2, |rank| {
        let (mut base, mut win) = (null_mut::<i64>(), MPI_WIN_NULL);
        mpi!(Win_allocate, 80, 8, MPI_INFO_NULL, WORLD, &mut base, &mut win);
        mpi!(Win_set_errhandler, win, MPI_ERRORS_RETURN);
        if rank == 0 {
            mpi!(Win_lock, MPI_LOCK_SHARED, 1, 0, win);
            mpi!(Put, &[1_i64; 4], 4, MPI_LONG, 1, 0, 4, MPI_LONG, win);
            let begin = now();
            assert_eq!(code!(Win_complete, win), MPI_ERR_RMA_SYNC);
            assert_eq!(code!(Win_unlock_all, win), MPI_ERR_RMA_SYNC);
            assert_eq!(code!(Win_unlock, 0, win), MPI_ERR_RMA_SYNC);
            assert_eq!(code!(Win_wait, win), MPI_ERR_RMA_SYNC);
            assert_eq!(now(), begin);
            mpi!(Win_unlock, 1, win);
            assert!(now() > begin + 1000);
        }
        mpi!(Win_free, &mut win);
    });
}

/// Shared memory of all ranks is there for each of them when the window is made, and any word for its hint but one is no.
#[test]
fn shared_memory_is_there_at_once() {
    for (value, is_apart) in [(None, false), (Some(c"true"), true), (Some(c"false"), false)] {
        let machine = Machine::timed(3).on_nodes(&[0, 0, 0]);
        let ran = machine.run_mpi(move |rank| {
            let (mut win, mut base, info) = (MPI_WIN_NULL, 0_usize, get_handle!(Info_create));
            if let Some(value) = value {
                mpi!(Info_set, info, c"alloc_shared_noncontig", value);
            }
            work(5000 * rank as u64);
            mpi!(Win_allocate_shared, 24, 8, info, WORLD, &mut base, &mut win);
            let parts = [0, 1, 2].map(|of| {
                let (mut size, mut unit, mut there) = (-1_isize, -1, 0_usize);
                mpi!(Win_shared_query, win, of, &mut size, &mut unit, &mut there);
                assert_eq!((size, unit), (24, 8), "{of} at {rank}");
                there
            });
            assert_eq!(parts[rank], base);
            assert_eq!(parts[1] - parts[0], if is_apart { 4096 } else { 24 });
            mpi!(Win_free, &mut win);
        });
        ran.finished();
    }
}

/// An exposure is over when a test has found it so; another can begin.
#[test]
fn exposures_end_with_their_test() {
    run(2, |rank| {
        let (mut win, base) = window(rank);
        let group = get_handle!(Group_incl, get_handle!(Comm_group, WORLD), 1, &[1 - rank as i32]);
        for round in 0..2 {
            if rank == 0 {
                mpi!(Win_start, group, 0, win);
                mpi!(Put, &(70 + round), 1, MPI_INT, 1, 3, 1, MPI_INT, win);
                mpi!(Win_complete, win);
            } else {
                let mut flag = 0;
                mpi!(Win_post, group, 0, win);
                while flag == 0 {
                    mpi!(Win_test, win, &mut flag);
                }
                assert_eq!(read(base)[3], 70 + round);
                assert_eq!(code!(Win_test, win, &mut flag), MPI_ERR_RMA_SYNC);
                assert_eq!(code!(Win_wait, win), MPI_ERR_RMA_SYNC);
            }
        }
        mpi!(Win_free, &mut win);
    });
}
