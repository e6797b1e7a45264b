//! What a profile says of looks in vain, and of what is never known; and programs whose lines say little, which are replayed to the
//! picosecond.

use crate::acts::{check, four, two};
use crate::logged;
use weir_capi::harness::*;

const WORLD: usize = MPI_COMM_WORLD;

/// Memory for an int that comes when the call is long over.
fn room() -> &'static mut i32 {
    Box::leak(Box::new(0))
}

/// Looks in vain in a row are one, unless the rank has done something between them.
#[test]
fn looks_in_vain() {
    // 100, 200 and 400 ns, work, and 800 ns.
    let tests = |rank: usize| {
        if rank == 0 {
            work(20_000);
            return mpi!(Send, &1, 1, MPI_INT, 1, 0, WORLD);
        }
        let (mut request, mut flag) = (get_handle!(Irecv, room(), 1, MPI_INT, 0, 0, WORLD), 0);
        (0..3).for_each(|_| mpi!(Test, &mut request, &mut flag, NULL));
        work(50);
        mpi!(Test, &mut request, &mut flag, NULL);
        mpi!(Wait, &mut request, NULL);
    };
    // The freed request is complete at 1016 ns: its message has come, and it has ended, the second thing since that look.
    // Looks of 1600 and 3200 ns follow.
    let freed = |rank: usize| {
        if rank == 0 {
            mpi!(Send, &1, 1, MPI_INT, 1, 1, WORLD);
            work(9000);
            return mpi!(Send, &1, 1, MPI_INT, 1, 2, WORLD);
        }
        let mut freed = get_handle!(Irecv, room(), 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD);
        mpi!(Request_free, &mut freed);
        let (mut request, mut flag) = (get_handle!(Irecv, room(), 1, MPI_INT, 0, 2, WORLD), 0);
        (0..6).for_each(|_| mpi!(Test, &mut request, &mut flag, NULL));
        mpi!(Wait, &mut request, NULL);
    };
    // What is not known at the end of a rank is written as it was asked.
    let lost = |rank: usize| {
        let mut lost = get_handle!(Irecv, room(), 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD);
        mpi!(Request_free, &mut lost);
        work(rank as u64);
        let mut cancelled = get_handle!(Irecv, room(), 1, MPI_INT, MPI_ANY_SOURCE, 3, WORLD);
        mpi!(Cancel, &mut cancelled);
        mpi!(Wait, &mut cancelled, NULL);
    };
    check(two, tests, &["1: irecv 0 4 request 0; poll 700 ns; poll 800 ns; wait 0"]);
    check(
        two,
        freed,
        &["1: irecv any 4 tag 1 from 0 request 0; release 0; irecv 0 4 tag 2 request 0; poll 700 ns;
            poll 316 ns after 2; poll 4800 ns; wait 0"],
    );
    check(
        two,
        lost,
        &[
            "0: irecv any 4 tag any request 0; release 0; irecv any 4 tag 3 request 0; cancel 0; wait 0",
            "1: irecv any 4 tag any request 0; release 0; irecv any 4 tag 3 request 0; cancel 0; wait 0",
        ],
    );
}

/// Looks of calls that look at several things, and of windows.
#[test]
fn looks_at_several_things_and_at_windows() {
    // From the 18th in a row on, whoever synchronizes for nothing sleeps.
    let flushes = |rank: usize| {
        let (mut base, mut win) = (0_usize, MPI_WIN_NULL);
        mpi!(Win_allocate, 8, 4, MPI_INFO_NULL, WORLD, &mut base, &mut win);
        mpi!(Win_lock, MPI_LOCK_SHARED, 1 - rank, MPI_MODE_NOCHECK, win);
        (0..20).for_each(|_| mpi!(Win_flush, 1 - rank, win));
        mpi!(Win_unlock, 1 - rank, win);
        mpi!(Win_free, &mut win);
    };
    let all = |rank: usize| {
        let mut requests = [0, 1].map(|tag| get_handle!(Irecv, room(), 1, MPI_INT, 1 - rank, tag, WORLD));
        (0..2).for_each(|tag| mpi!(Send, &1, 1, MPI_INT, 1 - rank, tag, WORLD));
        work(5000);
        mpi!(Request_get_status_all, 2, &mut requests, &mut 0, NULL);
        mpi!(Waitall, 2, &mut requests, NULL);
    };
    // One call starts what is known and what is not.
    let several = |rank: usize| {
        let mut kept = [MPI_REQUEST_NULL; 2];
        mpi!(Send_init, &1, 1, MPI_INT, 1 - rank, 0, WORLD, &mut kept[0]);
        mpi!(Recv_init, room(), 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &mut kept[1]);
        for _ in 0..2 {
            mpi!(Startall, 2, &mut kept);
            mpi!(Waitall, 2, &mut kept, NULL);
        }
    };
    check(
        two,
        several,
        &["0: isend 1 4 request 0; irecv any 4 from 1 request 1; wait 0 1;
            isend 1 4 request 1; irecv any 4 from 1 request 0; wait 1 0"],
    );
    check(
        two,
        all,
        &["0: irecv 1 4 request 0; irecv 1 4 tag 1 request 1; send 1 4; send 1 4 tag 1; see 0 1; wait 0 1"],
    );
    check(
        two,
        flushes,
        &["0: communicator 2: 0-1; win-open comm 2; barrier comm 2; win-lock 1 nocheck comm 2;
            win-flush 1 comm 2; win-flush 1 comm 2; win-flush 1 comm 2; win-flush 1 comm 2;
            win-flush 1 comm 2; win-flush 1 comm 2; win-flush 1 comm 2; win-flush 1 comm 2;
            win-flush 1 comm 2; win-flush 1 comm 2; win-flush 1 comm 2; win-flush 1 comm 2;
            win-flush 1 comm 2; win-flush 1 comm 2; win-flush 1 comm 2; win-flush 1 comm 2;
            win-flush 1 comm 2; win-flush 1 comm 2;
            poll 100 ns; win-flush 1 comm 2; poll 200 ns; win-flush 1 comm 2; poll 400 ns;
            win-unlock 1 comm 2; win-flush comm 2; barrier comm 2; win-close comm 2"],
    );
}

#[test]
fn requests_in_every_way() {
    logged::check(four, |rank| {
        let (me, mut got) = (rank as i32, [0_i32; 4]);
        let mut requests = [MPI_REQUEST_NULL; 8];
        for other in 0..4 {
            work(10);
            requests[other] = get_handle!(Irecv, &mut got[other], 1, MPI_INT, other, 0, WORLD);
            requests[4 + other] = get_handle!(Isend, &me, 1, MPI_INT, other, 0, WORLD);
        }
        let (mut index, mut count, mut flag, mut indices) = (0, 0, 0, [0; 8]);
        mpi!(Waitany, 8, &mut requests, &mut index, NULL);
        mpi!(Waitsome, 8, &mut requests, &mut count, &mut indices, NULL);
        mpi!(Testany, 8, &mut requests, &mut index, &mut flag, NULL);
        work(2000);
        mpi!(Testsome, 8, &mut requests, &mut count, &mut indices, NULL);
        mpi!(Waitall, 8, &mut requests, NULL);
        assert_eq!(got, [0, 1, 2, 3]);
        // A freed one, and one that is looked at.
        let mut freed = get_handle!(Isend, &me, 1, MPI_INT, (rank + 1) % 4, 1, WORLD);
        mpi!(Request_free, &mut freed);
        let mut seen = get_handle!(Irecv, &mut got, 1, MPI_INT, (rank + 3) % 4, 1, WORLD);
        work(3000);
        mpi!(Request_get_status, seen, &mut flag, NULL);
        mpi!(Wait, &mut seen, NULL);
    });
}

#[test]
fn files() {
    let path = std::env::temp_dir().join(format!("weir-replay-{}", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    logged::check(
        || two().with_a_disk(),
        move |rank| {
            let mut file = MPI_FILE_NULL;
            let mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
            mpi!(File_open, WORLD, &*name, mode, MPI_INFO_NULL, &mut file);
            let mut data = [0_u8; 300];
            mpi!(File_write_at, file, 300 * rank, &data, 300, MPI_BYTE, NULL);
            mpi!(Barrier, WORLD);
            let mut request = MPI_REQUEST_NULL;
            mpi!(File_iread_at, file, 0, &mut data, 300, MPI_BYTE, &mut request);
            work(100);
            mpi!(Wait, &mut request, NULL);
            mpi!(File_write_at_all, file, 300 * rank, &data, 300, MPI_BYTE, NULL);
            mpi!(File_close, &mut file);
        },
    );
}

/// Choices for messages: rendezvous however short, eager however long, copied or not.
#[test]
fn choices() {
    logged::check(two, |rank| {
        for (protocol, copy) in [(2, 0), (1, 11), (1, 12), (0, 0)] {
            assert_eq!(call_unchecked("weir_send_protocol", &[protocol]) as i32, 0);
            assert_eq!(call_unchecked("weir_send_copy", &[copy]) as i32, 0);
            for bytes in [8, 200] {
                let mut data = [0_u8; 200];
                match rank {
                    0 => mpi!(Send, &data, bytes, MPI_BYTE, 1, 0, WORLD),
                    _ => mpi!(Recv, &mut data, bytes, MPI_BYTE, 0, 0, WORLD, NULL),
                }
            }
        }
    });
}

/// A program may go on after its mistakes; so does its profile.
#[test]
fn mistakes_that_a_program_survives() {
    logged::check(two, |rank| {
        let mut data = [0; 8];
        if rank == 0 {
            mpi!(Send, &data, 8, MPI_INT, 1, 0, WORLD);
        } else {
            assert_eq!(code!(Recv, &mut data, 2, MPI_INT, 0, 0, WORLD, NULL), MPI_ERR_TRUNCATE);
        }
        assert_eq!(code!(Send, &data, 8, MPI_INT, 7, 0, WORLD), MPI_ERR_RANK);
        mpi!(Barrier, WORLD);
    });
}
