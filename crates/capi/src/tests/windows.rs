//! Windows: what accesses do to the memory of others, epochs, and their times.

use crate::harness::*;

/// A window of eight ints on every rank, with `10 * rank + place` in it; its memory, which lives as long as the window.
fn window(rank: usize) -> (usize, *mut i32) {
    let (win, base) = allocated::<i32>(32, 4);
    for place in 0..8 {
        // SAFETY: eight ints are there.
        unsafe { *base.add(place) = 10 * rank as i32 + place as i32 };
    }
    mpi!(Barrier, WORLD);
    (win, base)
}

fn read(base: *const i32) -> [i32; 8] {
    // SAFETY: eight ints are there.
    std::array::from_fn(|place| unsafe { *base.add(place) })
}

/// Rank 0 carries out an access in one width under a lock; then what rank 1 has.
fn at_one(access: impl Fn(usize, &str) + Clone + 'static, expected: [i32; 8]) {
    for wide in ["", "_c"] {
        let access = access.clone();
        run(2, move |rank| {
            let (mut win, base) = window(rank);
            if rank == 0 {
                mpi!(Win_lock, MPI_LOCK_EXCLUSIVE, 1, 0, win);
                access(win, wide);
                mpi!(Win_unlock, 1, win);
            }
            mpi!(Barrier, WORLD);
            assert_eq!(read(base), if rank == 1 { expected } else { [0, 1, 2, 3, 4, 5, 6, 7] });
            mpi!(Win_free, &mut win);
            assert_eq!(win, MPI_WIN_NULL);
        });
    }
}

#[test]
fn accesses() {
    at_one(
        |win, wide| {
            for (op, place) in [(MPI_SUM, 0), (MPI_MAX, 1), (MPI_REPLACE, 2)] {
                let words = [(&5).word(), 1, MPI_INT, 1, place, 1, MPI_INT, op, win];
                assert_eq!(call(&format!("MPI_Accumulate{wide}"), &words), MPI_SUCCESS);
            }
            let words = [(&5).word(), 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_NO_OP, win];
            assert_eq!(call(&format!("MPI_Accumulate{wide}"), &words), MPI_ERR_OP);
        },
        [15, 11, 5, 13, 14, 15, 16, 17],
    );
    at_one(
        |win, _| {
            let mut got = 0;
            mpi!(Fetch_and_op, &5, &mut got, MPI_INT, 1, 4, MPI_PROD, win);
            mpi!(Win_flush, 1, win);
            assert_eq!(got, 14);
            mpi!(Compare_and_swap, &99, &70, &mut got, MPI_INT, 1, 4, win);
            mpi!(Win_flush, 1, win);
            assert_eq!(got, 70);
            mpi!(Compare_and_swap, &98, &70, &mut got, MPI_INT, 1, 5, win);
            mpi!(Win_flush_all, win);
            assert_eq!(got, 15);
            let pair = committed(get_handle!(Type_contiguous, 2, MPI_INT));
            assert_eq!(code!(Fetch_and_op, &[5; 2], &mut [0; 2], pair, 1, 4, MPI_SUM, win), MPI_ERR_TYPE);
            let code = code!(Compare_and_swap, &1.0, &2.0, &mut 0.0, MPI_DOUBLE, 1, 0, win);
            assert_eq!(code, MPI_ERR_TYPE);
        },
        [10, 11, 12, 13, 99, 15, 16, 17],
    );
    // With requests, and datatypes with gaps.
    at_one(
        |win, wide| {
            let mut got = [0; 3];
            let call = |name: &str, words: &[usize]| {
                let mut request = MPI_REQUEST_NULL;
                let words = [words, words![&mut request]].concat();
                assert_eq!(call(&format!("MPI_{name}{wide}"), &words), MPI_SUCCESS);
                mpi!(Wait, &mut request, NULL);
            };
            let spread = committed(get_handle!(Type_vector, 3, 1, 2, MPI_INT));
            call("Rput", words![&[1, 2, 3], 3, MPI_INT, 1, 0, 1, spread, win]);
            mpi!(Win_flush, 1, win);
            call("Rget", words![&mut got, 3, MPI_INT, 1, 0, 1, spread, win]);
            assert_eq!(got, [1, 2, 3]);
            call("Raccumulate", words![&[7; 3], 3, MPI_INT, 1, 0, 1, spread, MPI_SUM, win]);
            let (from, into, int) = (&[9; 3], &mut got, MPI_INT);
            call("Rget_accumulate", words![from, 3, int, into, 3, int, 1, 0, 1, spread, MPI_SUM, win]);
            assert_eq!(got, [8, 9, 10]);
        },
        [17, 11, 18, 13, 19, 15, 16, 17],
    );
}

#[test]
fn kinds_of_windows() {
    run(2, |_| {
        let (mut memory, mut base) = ([0; 8], 0_usize);
        let (mut win, _) = allocated::<i32>(32, 4);
        assert_eq!(code!(Win_attach, win, &mut memory, 32), MPI_ERR_RMA_FLAVOR);
        let no_locks = |win: usize| hint(get_handle!(Win_get_info, win), c"no_locks");
        assert_eq!(no_locks(win).as_deref(), Some("false"), "as the standard has it");
        mpi!(Win_free, &mut win);
        mpi!(Win_create, NULL, 0, 1, MPI_INFO_NULL, WORLD, &mut win);
        mpi!(Win_free, &mut win);
        let info = get_handle!(Info_create);
        mpi!(Info_set, info, c"no_locks", c"true");
        mpi!(Win_create_dynamic, info, WORLD, &mut win);
        assert_eq!(no_locks(win).as_deref(), Some("true"));
        mpi!(Win_set_errhandler, win, MPI_ERRORS_RETURN);
        assert_eq!(code!(Win_detach, win, &mut memory), MPI_ERR_RMA_ATTACH);
        // It has no memory of its own (MPI 5.0, section 12.2.4).
        let value = |key: i32| {
            let (mut value, mut flag) = (1_usize, 0);
            mpi!(Win_get_attr, win, key, &mut value, &mut flag);
            assert_eq!(flag, 1);
            value
        };
        // SAFETY: variables of the library.
        let (size, unit) =
            unsafe { (*(value(MPI_WIN_SIZE) as *const isize), *(value(MPI_WIN_DISP_UNIT) as *const i32)) };
        assert_eq!((value(MPI_WIN_BASE), size, unit), (0, 0, 1));
        mpi!(Win_free, &mut win);
        let code = code!(Win_allocate_shared, 8, 4, MPI_INFO_NULL, WORLD, &mut base, &mut win);
        assert_eq!(code, MPI_ERR_RMA_SHARED, "not of one node");
    });
}

/// Whoever synchronizes over and over though nothing happens looks at its memory: from the 18th time in a row on it sleeps.
#[test]
fn synchronizing_in_vain_takes_time() {
    type Sync = fn(usize);
    let all: [Sync; 4] = [
        |win| mpi!(Win_flush, 0, win),
        |win| mpi!(Win_flush_all, win),
        |win| mpi!(Win_flush_local_all, win),
        |win| mpi!(Win_sync, win),
    ];
    for synchronize in all {
        run(1, move |_| {
            let (mut win, base) = window(0);
            mpi!(Win_lock_all, 0, win);
            for _ in 0..2 {
                let begin = now();
                // An access is something that happens.
                mpi!(Put, &7, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
                mpi!(Win_flush, 0, win);
                (0..16).for_each(|_| synchronize(win));
                let before = now();
                assert_eq!(before, begin);
                for slept in [100, 300, 700, 1500] {
                    synchronize(win);
                    assert!(now() <= before + slept, "{} after {before}", now());
                }
                assert!(now() >= before + 700, "{} after {before}", now());
            }
            assert_eq!(read(base)[0], 7);
            mpi!(Win_unlock_all, win);
            mpi!(Win_free, &mut win);
        });
    }
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
            mpi!(Get_accumulate, &[8, 8], 2, int, &mut got, 2, int, 1, 3, 2, int, MPI_REPLACE, win);
            mpi!(Win_flush, 1, win);
            assert_eq!(got, [7, 14, -1, -1]);
            // An int that lies 8 bytes before its element.
            let before = committed(get_handle!(Type_create_hindexed, 1, &[1], &[-8_i64], MPI_INT));
            for (displacement, is_inside) in [(1, false), (2, true), (9, true), (10, false)] {
                let put = code!(Put, &9, 1, MPI_INT, 1, displacement, 1, before, win);
                let code = put.max(code!(Win_flush, 1, win));
                assert_eq!(code, if is_inside { MPI_SUCCESS } else { MPI_ERR_RMA_RANGE }, "{displacement}");
            }
            mpi!(Win_unlock, 1, win);
        }
        mpi!(Barrier, WORLD);
        if rank == 1 {
            assert_eq!(read(base), [9, 11, 7, 8, 8, 15, 16, 9]);
        }
        mpi!(Win_free, &mut win);
    });
}

/// An end of an epoch that has not begun is a mistake at once, whatever else is under way at the window.
#[test]
fn ends_without_a_beginning() {
    timed(2, |rank| {
        let (mut win, _) = allocated::<i64>(80, 8);
        if rank == 0 {
            mpi!(Win_lock, MPI_LOCK_SHARED, 1, 0, win);
            mpi!(Put, &[1_i64; 4], 4, MPI_LONG, 1, 0, 4, MPI_LONG, win);
            let begin = now();
            assert_eq!(code!(Win_complete, win), MPI_ERR_RMA_SYNC);
            assert_eq!(code!(Win_unlock_all, win), MPI_ERR_RMA_SYNC);
            assert_eq!(code!(Win_unlock, 0, win), MPI_ERR_RMA_SYNC);
            assert_eq!(code!(Win_wait, win), MPI_ERR_RMA_SYNC);
            assert_eq!(code!(Win_test, win, &mut 0), MPI_ERR_RMA_SYNC);
            assert_eq!(code!(Win_fence, 0, win), MPI_ERR_RMA_SYNC);
            assert_eq!(code!(Win_free, &mut { win }), MPI_ERR_RMA_SYNC);
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
    for (value, is_child) in [(None, false), (Some(c"true"), true), (Some(c"false"), false)] {
        Machine::timed(3).on_nodes(&[0, 0, 0]).finishes(move |rank| {
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
            assert_eq!(parts[1] - parts[0], if is_child { 4096 } else { 24 });
            mpi!(Win_free, &mut win);
        });
    }
}
