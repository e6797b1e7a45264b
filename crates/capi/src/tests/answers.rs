//! What calls leave when they fail, and what they leave alone; and answers that only rare arguments show.

use super::apart::apart;
use crate::harness::*;
use crate::rank::context::Context;
use std::ffi::CStr;

const STALE: usize = 0x1_0000 + 999;

/// Communicators and other objects that the running rank has.
fn held() -> Vec<usize> {
    let mut context = Context::get().expect("a rank is running");
    let rank = context.rank();
    let objects = crate::rank::program::objects_left(rank).into_iter().map(|(_, count)| count);
    objects.chain([rank.process.communicators_held()]).collect()
}

/// Buffers that no memory has, and the smallest: a status has eight words, of which the last two are nobody's; blocks are no longer
/// than memory; the null pointer and `MPI_IN_PLACE` are no buffers for a single byte either; and of buffers of which one is empty none
/// overlap.
#[test]
fn buffers_at_their_limits() {
    run(1, |_| {
        // SAFETY: a status is eight words.
        let words = unsafe { std::mem::transmute::<crate::calls::abi::CStatus, [i32; 8]>(status()) };
        assert_eq!(words, [-77, -78, -80, 79, 0, 0, 0, 0]);
        let (n, p, mut data) = (&[i64::MAX], &[0_i64], [5_i32; 2]);
        let (data, more) = ((&mut data).word(), (&mut data[1]).word());
        let (long, int, sum, alone) = (i64::MAX, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        let calls: [(&str, &[usize]); 8] = [
            ("Send_c", words![data, long, int, 0, 0, alone]),
            ("Gather_c", words![data, long, int, data, 1, int, 0, alone]),
            ("Gatherv_c", words![data, 1, int, data, n, p, int, 0, alone]),
            ("Scatterv_c", words![data, n, p, int, data, 1, int, 0, alone]),
            ("Allgatherv_c", words![data, 1, int, data, n, p, int, alone]),
            ("Alltoallv_c", words![data, n, p, int, data, n, p, int, alone]),
            ("Reduce_scatter_c", words![data, more, n, int, sum, alone]),
            ("Reduce_scatter_block_c", words![data, more, long, int, sum, alone]),
        ];
        for (name, words) in calls {
            assert_eq!(call(&format!("MPI_{name}"), words), MPI_ERR_ARG, "{name}");
        }
        for (address, bytes) in [NULL, MPI_IN_PLACE].into_iter().flat_map(|at| [(at, 0), (at, 1)]) {
            let code = code!(Send, address, bytes, MPI_BYTE, MPI_PROC_NULL, 0, WORLD);
            assert_eq!(code, if bytes == 0 { MPI_SUCCESS } else { MPI_ERR_BUFFER }, "{bytes} at {address}");
        }
        for (given, got, expected) in
            [(0, 1, MPI_SUCCESS), (0, 0, MPI_SUCCESS), (1, 1, MPI_ERR_BUFFER), (1, 0, MPI_ERR_TRUNCATE)]
        {
            let code = code!(Alltoallv, data, &given, &0, int, data, &got, &0, int, alone);
            assert_eq!(code, expected, "{given} and {got}");
        }
    });
}

/// An accumulate is of elements of one predefined type, however they are put together (MPI 5.0, section 12.3.4).
#[test]
fn accumulates_are_of_one_type() {
    run(1, |_| {
        let (mut win, _) = allocated::<i32>(64, 4);
        mpi!(Win_lock_all, 0, win);
        let made = |types: [usize; 3]| {
            let mut made = 0_usize;
            mpi!(Type_create_struct, 3, &[1, 1, 1], &[0_isize, 4, 8], &types, &mut made);
            committed(made)
        };
        let alike = made([MPI_INT; 3]);
        for (kind, op, expected) in [
            (alike, MPI_SUM, MPI_SUCCESS),
            (made([MPI_INT, MPI_INT, MPI_FLOAT]), MPI_SUM, MPI_ERR_TYPE),
            (made([MPI_INT, MPI_FLOAT, MPI_INT]), MPI_SUM, MPI_ERR_TYPE),
            (made([MPI_FLOAT, MPI_INT, MPI_INT]), MPI_SUM, MPI_ERR_TYPE),
            (made([alike, MPI_INT, MPI_INT]), MPI_SUM, MPI_SUCCESS),
            (made([MPI_INT, MPI_FLOAT, MPI_INT]), MPI_REPLACE, MPI_SUCCESS),
        ] {
            let data = [1_i32; 16];
            assert_eq!(code!(Accumulate, &data, 1, kind, 0, 0, 1, kind, op, win), expected, "{op:#x}");
        }
        // A rank that is none is found before a displacement that is none.
        assert_eq!(code!(Put, &1, 1, MPI_INT, 1, -1, 1, MPI_INT, win), MPI_ERR_RANK);
        assert_eq!(code!(Put, &1, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
        assert_eq!(code!(Put, &1, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_SUCCESS);
        mpi!(Put, &1, 1, MPI_INT, MPI_PROC_NULL, -1, 1, MPI_INT, win);
        mpi!(Win_unlock_all, win);
        mpi!(Win_free, &mut win);
    });
}

/// What is refused leaves no object, not even a hidden one; all ranks find the mistake.
#[test]
fn nothing_is_left_of_what_is_refused() {
    run(2, |rank| {
        let world = get_handle!(Comm_group, WORLD);
        let (part, rest) = (group_of(rank), group_of(1 - rank));
        let (mut made, abort, none) = (MPI_COMM_NULL, MPI_ERRORS_RETURN, MPI_INFO_NULL);
        let to = (&mut made).word();
        let (mode, nowhere) = (MPI_MODE_RDONLY, c"/nowhere/at all");
        let refused: [(&str, &[usize], i32); 9] = [
            ("File_delete", words![nowhere, STALE], MPI_ERR_INFO),
            ("Comm_create_from_group", words![world, c"tag", STALE, abort, to], MPI_ERR_INFO),
            ("Comm_create_from_group", words![world, NULL, none, abort, to], MPI_ERR_ARG),
            ("Comm_create_from_group", words![STALE, c"tag", none, abort, to], MPI_ERR_GROUP),
            (
                "Intercomm_create_from_groups",
                words![part, 0, rest, 0, c"tag", STALE, abort, to],
                MPI_ERR_INFO,
            ),
            ("Intercomm_create_from_groups", words![part, 0, rest, 1, c"tag", none, abort, to], MPI_ERR_RANK),
            ("File_open", words![WORLD, nowhere, mode, none, to], MPI_ERR_NO_SUCH_FILE),
            ("File_open", words![WORLD, nowhere, 0, none, to], MPI_ERR_AMODE),
            ("File_open", words![WORLD, nowhere, mode, STALE, to], MPI_ERR_INFO),
        ];
        let before = held();
        for (name, words, expected) in refused {
            assert_eq!(call(&format!("MPI_{name}"), words), expected, "{name}");
            assert_eq!(held(), before, "{name}: {expected}");
        }
    });
}

/// Without a place for what a call finds nothing is found: requests stay, and what has been said stays as it was.
#[test]
fn requests_stay_where_their_ends_have_no_place() {
    run(2, |rank| {
        if rank == 0 {
            mpi!(Send, &7, 1, MPI_INT, 1, 0, WORLD);
            return mpi!(Barrier, WORLD);
        }
        mpi!(Barrier, WORLD);
        let (mut got, mut count, mut indices, mut told) = (0, -1, [-1], status());
        let mut request = get_handle!(Irecv, &mut got, 1, MPI_INT, 0, 0, WORLD);
        let handle = request;
        let (list, n, at, to) =
            ((&mut request).word(), (&mut count).word(), (&mut indices).word(), (&mut told).word());
        for (name, places) in [
            ("Waitsome", &[[NULL, at], [n, NULL]][..]),
            ("Testsome", &[[NULL, at], [n, NULL]]),
            ("Request_get_status_some", &[[NULL, at], [n, NULL]]),
            ("Request_get_status_any", &[[NULL, n], [at, NULL]]),
            ("Testany", &[[NULL, n], [at, NULL]]),
        ] {
            for places in places {
                let words = [&[1, list], &places[..], &[to]].concat();
                assert_eq!(call(&format!("MPI_{name}"), &words), MPI_ERR_ARG, "{name}");
            }
        }
        assert_eq!(code!(Waitany, 1, list, NULL, to), MPI_ERR_ARG);
        assert_eq!((count, indices, says(&told)), (-1, [-1], UNTOUCHED));
        assert_eq!(request, handle);
        mpi!(Wait, &mut request, &mut told);
        assert_eq!((got, says(&told)), (7, (0, 0, -80, 4, false)));
    });
}

extern "C" fn fails(_: usize, _: i32, _: usize, _: i32, comm: usize) -> i32 {
    code!(Send, &1, 1, MPI_INT, 9, 0, comm)
}

/// Errors within an algorithm of the program's own are handled as those of the communicator that it works for.
#[test]
fn errors_of_own_algorithms() {
    run(2, |_| {
        let comm = get_handle!(Comm_dup, WORLD);
        let function = fails as *const () as usize;
        assert_eq!(call_unchecked("weir_collective_set", &[c"MPI_Bcast".as_ptr() as usize, function]), 0);
        assert_eq!(code!(Bcast, &mut 0, 1, MPI_INT, 0, comm), MPI_ERR_RANK);
    });
}

/// The parts of shared memory: a rank's own size, unit and place; of nobody the first that is not empty (MPI 5.0, section 12.2.3).
#[test]
fn parts_of_shared_memory() {
    for second in [1, 24] {
        Machine::free(3).on_nodes(&[0, 0, 0]).finishes(move |rank| {
            let (mut win, mut base) = (MPI_WIN_NULL, 0_usize);
            let bytes = [0, second, 40][rank];
            mpi!(Win_allocate_shared, bytes, 1 + rank, MPI_INFO_NULL, WORLD, &mut base, &mut win);
            let mut bases = [0_usize; 3];
            mpi!(Allgather, &base, 1, MPI_AINT, &mut bases, 1, MPI_AINT, WORLD);
            for (of, expected) in [
                (0, (0, 1, bases[0])),
                (1, (second, 2, bases[1])),
                (2, (40, 3, bases[2])),
                (MPI_PROC_NULL, (second, 2, bases[1])),
            ] {
                let (mut size, mut unit, mut long, mut there) = (-1_isize, -1, -1_i64, 0_usize);
                mpi!(Win_shared_query, win, of, &mut size, &mut unit, &mut there);
                assert_eq!((size, unit, there), expected);
                mpi!(Win_shared_query_c, win, of, &mut size, &mut long, &mut there);
                assert_eq!((size, long as i32, there), expected);
            }
            mpi!(Win_free, &mut win);
        });
    }
    // Of a rank on another node there is none.
    run(2, |rank| {
        let (mut win, base) = allocated::<i64>(24, 8);
        for of in 0..2 {
            let (mut size, mut unit, mut there) = (-1_isize, -1, 7_usize);
            mpi!(Win_shared_query, win, of, &mut size, &mut unit, &mut there);
            assert_eq!((size, unit, there), if of == rank { (24, 8, base.word()) } else { (0, 0, 0) });
        }
        mpi!(Win_free, &mut win);
    });
}

/// A single rank may have another file for its standard output.
#[test]
fn a_rank_alone_reopens_its_output() {
    const PATH: &CStr = c"printed";
    let ran = apart("answers::a_rank_alone_reopens_its_output", |folder| {
        let ran = Machine::free(2).run_mpi(|rank| {
            if rank == 1 {
                // SAFETY: the C library's variable.
                let file = unsafe { crate::c_library::leaving::stdout } as usize;
                call_unchecked("__wrap_freopen", &[PATH.as_ptr() as usize, c"w".as_ptr() as usize, file]);
            }
        });
        let (rank, why) = ran.aborted();
        assert!(rank == 1 && why.starts_with("it called freopen on standard output"), "{why}");
        run(1, |_| {
            // SAFETY: as above.
            let file = unsafe { crate::c_library::leaving::stdout } as usize;
            let words = [PATH.as_ptr() as usize, c"w".as_ptr() as usize, file];
            assert_ne!(call_unchecked("__wrap_freopen", &words), 0);
            // SAFETY: a text of our own.
            unsafe { libc::puts(c"here".as_ptr()) };
            crate::process::stdio::flush();
        });
        assert_eq!(std::fs::read_to_string(folder.join("printed")).unwrap(), "here\n");
    });
    assert!(ran.is_none_or(|ran| !ran.printed.contains("here")));
}

/// Where ranks read and write each other's memory by themselves, all locks are there when `MPI_Win_lock_all` returns.
#[test]
fn locks_on_shared_memory_are_there_at_once() {
    Machine::free(2).on_nodes(&[0, 0]).finishes(|rank| {
        let (mut win, mut base) = (MPI_WIN_NULL, 0_usize);
        mpi!(Win_allocate_shared, 8, 8, MPI_INFO_NULL, WORLD, &mut base, &mut win);
        if rank == 1 {
            mpi!(Win_lock, MPI_LOCK_EXCLUSIVE, 1, 0, win);
            mpi!(Barrier, WORLD);
            work(3000);
            mpi!(Win_unlock, 1, win);
        } else {
            mpi!(Barrier, WORLD);
            mpi!(Win_lock_all, 0, win);
            assert_eq!(now(), 3000);
            mpi!(Win_unlock_all, win);
        }
        mpi!(Win_free, &mut win);
    });
}

/// `MPI_Win_sync` shows what has come by the rank's own time.
#[test]
fn what_has_come_is_seen_when_synchronised() {
    run(2, |rank| {
        let (mut win, base) = allocated::<i64>(8, 8);
        mpi!(Win_lock_all, 0, win);
        if rank == 1 {
            work(1000);
            mpi!(Put, &7_i64, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        } else {
            // SAFETY: a long is there.
            let seen = || unsafe { std::ptr::read_volatile(base) };
            work(500);
            mpi!(Win_sync, win);
            assert_eq!(seen(), 0);
            work(1000);
            mpi!(Win_sync, win);
            assert_eq!(seen(), 7);
        }
        mpi!(Win_unlock_all, win);
        mpi!(Win_free, &mut win);
    });
}

/// The end of a session waits for what is in its buffer: 66 bytes, as where a buffer is detached.
#[test]
fn sessions_end_behind_their_messages() {
    timed(2, |rank| {
        let mut data = [0_u8; 66];
        let mut session = get_handle!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN);
        if rank == 0 {
            mpi!(Session_attach_buffer, session, MPI_BUFFER_AUTOMATIC, 0);
            mpi!(Bsend, &data, 66, MPI_BYTE, 1, 0, WORLD);
            assert_eq!(now(), 43);
            mpi!(Session_finalize, &mut session);
            assert_eq!(now(), 43 + 2000 + 66);
        } else {
            mpi!(Recv, &mut data, 66, MPI_BYTE, 0, 0, WORLD, NULL);
            mpi!(Session_finalize, &mut session);
        }
    });
}

/// A file of the rank's own is closed, and its number is free again; what belongs to all stays open.
#[test]
fn own_files_are_closed() {
    // SAFETY: files of our own, and numbers of files.
    unsafe {
        let file = libc::fopen(c"/dev/null".as_ptr(), c"r".as_ptr());
        let number = libc::fileno(file);
        let is_open = |number: i32| libc::fcntl(number, libc::F_GETFD) != -1;
        // Another test may get the number at once; files of this name are only of this test.
        let path = std::fs::read_link(format!("/proc/self/fd/{number}")).unwrap();
        assert!(is_open(number) && path.ends_with("null"));
        assert_eq!(crate::c_library::leaving::fclose(file), 0);
        let is_same = std::fs::read_link(format!("/proc/self/fd/{number}")).is_ok_and(|now| now == path);
        assert!(!is_same, "it is closed");
        assert_eq!(crate::c_library::leaving::fclose(crate::c_library::leaving::stdout), 0);
        assert!(is_open(1));
    }
}

/// A process that a rank forks knows that it is none.
#[test]
fn forked_processes_know_what_they_are() {
    apart("answers::forked_processes_know_what_they_are", |_| {
        run(1, |_| {
            assert!(!crate::process::is_forked());
            let mut status = -1;
            // SAFETY: the child ends at once.
            unsafe {
                let child = libc::fork();
                if child == 0 {
                    libc::_exit(if crate::process::is_forked() { 6 } else { 5 });
                }
                libc::waitpid(child, &raw mut status, 0);
            }
            assert_eq!(libc::WEXITSTATUS(status), 6);
        });
    });
}

/// While a world lives, long pieces of memory come from the heap, which keeps them; before and afterward from the system.
#[cfg(target_env = "gnu")]
#[test]
fn memory_is_kept_while_programs_run() {
    apart("answers::memory_is_kept_while_programs_run", |_| {
        use crate::process::kept_memory::KeptMemory;
        /// How many pieces of memory are mapped one by one when there is a long one more; bytes that the heap has then.
        fn measured(bytes: usize) -> (usize, usize) {
            // SAFETY: memory of our own.
            unsafe {
                let before = libc::mallinfo2().hblks;
                let memory = std::hint::black_box(libc::malloc(bytes));
                let mapped = libc::mallinfo2().hblks - before;
                libc::free(memory);
                (mapped, libc::mallinfo2().arena)
            }
        }
        // Longer than what is mapped before it changes the C library's own thresholds, and no more than a heap may have.
        const BYTES: usize = 52 << 20;
        const MORE: usize = 4 << 20;
        let (mapped, heap) = measured(BYTES - MORE);
        assert_eq!(mapped, 1);
        let (first, second) = (KeptMemory::begin(), KeptMemory::begin());
        for _ in 0..2 {
            let (mapped, kept) = measured(BYTES);
            assert!(mapped == 0 && kept >= heap + BYTES / 2, "{mapped}, {kept} after {heap}");
        }
        drop(first);
        assert_eq!(measured(BYTES + MORE).0, 0, "there is another world");
        drop(second);
        assert_eq!(measured(2 * BYTES).0, 1);
    });
}
