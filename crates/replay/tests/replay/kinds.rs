//! Every kind of event: a program that does it is replayed to the picosecond.

use crate::logged::check;
use weir_capi::harness::*;

const WORLD: usize = MPI_COMM_WORLD;

fn two() -> Machine {
    Machine::timed(2)
}

fn four() -> Machine {
    Machine::timed(4)
}

#[test]
fn sends_and_receives() {
    for mode in ["MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend"] {
        for bytes in [0, 8, 500] {
            check(two, move |rank| {
                let mut data = vec![0_u8; bytes];
                mpi!(Barrier, WORLD);
                work(100 * rank as u64);
                if rank == 0 {
                    mpi!(Buffer_attach, 2, 0);
                    assert_eq!(call(mode, &[data.as_ptr() as usize, bytes, MPI_BYTE, 1, 5, WORLD]), 0);
                    mpi!(Send, 0, 0, MPI_BYTE, MPI_PROC_NULL, 0, WORLD);
                    mpi!(Buffer_flush);
                } else {
                    mpi!(Recv, &mut data[..], bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, NULL);
                    mpi!(Recv, 0, 0, MPI_BYTE, MPI_PROC_NULL, 0, WORLD, NULL);
                }
                work(50);
            });
        }
    }
}

#[test]
fn requests_in_every_way() {
    check(four, |rank| {
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

/// Probes in vain, each longer than the one before, until the message is there.
#[test]
fn polls() {
    check(two, |rank| {
        let (mut got, mut flag) = (0, 0);
        if rank == 0 {
            work(7777);
            return mpi!(Send, &1, 1, MPI_INT, 1, 0, WORLD);
        }
        while flag == 0 {
            mpi!(Iprobe, 0, 0, WORLD, &mut flag, NULL);
        }
        mpi!(Recv, &mut got, 1, MPI_INT, 0, 0, WORLD, NULL);
    });
}

/// What a rank waits for comes, and what it does not: a probe, one request, several, of which some are over.
#[test]
fn waits_for_some_of_the_messages() {
    check(two, |rank| {
        let mut got = [0_i64; 8];
        if rank == 0 {
            return (0..8).for_each(|tag| {
                work(5000);
                mpi!(Send, &1_i64, 1, MPI_LONG, 1, tag, WORLD);
            });
        }
        let mut requests: [usize; 8] =
            std::array::from_fn(|tag| get_handle!(Irecv, &mut got[tag], 1, MPI_LONG, 0, tag, WORLD));
        mpi!(Cancel, &mut requests[3]);
        mpi!(Wait, &mut requests[3], NULL);
        mpi!(Wait, &mut requests[1], NULL);
        // Its message comes when nobody has asked for it; those before are for other requests.
        mpi!(Probe, 0, 3, WORLD, NULL);
        mpi!(Recv, &mut got[3], 1, MPI_LONG, 0, 3, WORLD, NULL);
        mpi!(Waitall, 2, &mut [requests[0], requests[5]], NULL);
        mpi!(Waitall, 4, &mut [requests[2], requests[4], requests[6], requests[7]], NULL);
    });
}

#[test]
fn exchanges() {
    check(four, |rank| {
        let (mut got, left, right) = ([0; 40], (rank + 3) % 4, (rank + 1) % 4);
        for count in [1, 40] {
            let mine = [1; 40];
            mpi!(Sendrecv, &mine, count, MPI_INT, right, 0, &mut got, count, MPI_INT, left, 0, WORLD, NULL);
            mpi!(Sendrecv_replace, &mut got, count, MPI_INT, right, 0, left, 0, WORLD, NULL);
            let mut request = MPI_REQUEST_NULL;
            let (n, int) = (count, MPI_INT);
            mpi!(Isendrecv, &mine, n, int, right, 1, &mut got, n, int, left, 1, WORLD, &mut request);
            work(33);
            mpi!(Wait, &mut request, NULL);
        }
    });
}

/// Accesses of more than one packet, and looks whether an epoch is over.
#[test]
fn windows() {
    check(two, |rank| {
        let (mut base, mut win, mut got) = (0_usize, MPI_WIN_NULL, [0; 64]);
        let other = 1 - rank;
        mpi!(Win_allocate, 256, 4, MPI_INFO_NULL, WORLD, &mut base, &mut win);
        mpi!(Win_fence, 0, win);
        for count in [1, 40] {
            mpi!(Put, &got, count, MPI_INT, other, 0, count, MPI_INT, win);
            mpi!(Accumulate, &got, count, MPI_INT, other, 0, count, MPI_INT, MPI_SUM, win);
            mpi!(Get, &mut got, count, MPI_INT, other, 0, count, MPI_INT, win);
        }
        work(70);
        mpi!(Win_fence, 0, win);
        let mut group = get_handle!(Comm_group, WORLD);
        let partner = get_handle!(Group_incl, group, 1, &[other as i32]);
        if rank == 0 {
            mpi!(Win_start, partner, 0, win);
            mpi!(Put, &got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
            mpi!(Win_complete, win);
        } else {
            mpi!(Win_post, partner, 0, win);
            let mut flag = 0;
            while flag == 0 {
                mpi!(Win_test, win, &mut flag);
            }
        }
        mpi!(Win_lock, MPI_LOCK_EXCLUSIVE, other, 0, win);
        mpi!(Win_sync, win);
        mpi!(Win_unlock, other, win);
        mpi!(Win_free, &mut win);
        mpi!(Group_free, &mut group);
    });
}

#[test]
fn partitions() {
    check(two, |rank| {
        let (data, mut request, mut flag) = ([0_u8; 300], MPI_REQUEST_NULL, 0);
        match rank {
            0 => mpi!(Psend_init, &data, 3, 100, MPI_BYTE, 1, 5, WORLD, MPI_INFO_NULL, &mut request),
            _ => mpi!(Precv_init, &data, 3, 100, MPI_BYTE, 0, 5, WORLD, MPI_INFO_NULL, &mut request),
        }
        for _ in 0..2 {
            mpi!(Start, &mut request);
            if rank == 0 {
                for partition in [2, 0, 1] {
                    work(1000);
                    mpi!(Pready, partition, request);
                }
            } else {
                while flag == 0 {
                    mpi!(Parrived, request, 2, &mut flag);
                }
            }
            mpi!(Wait, &mut request, NULL);
        }
        mpi!(Request_free, &mut request);
    });
}

/// A message that its receiver lets go again.
#[test]
fn sends_that_are_taken_back() {
    check(two, |rank| {
        if rank == 0 {
            let mut taken_back = get_handle!(Issend, &0, 1, MPI_INT, 1, 5, WORLD);
            work(1500);
            mpi!(Cancel, &mut taken_back);
            mpi!(Wait, &mut taken_back, NULL);
        }
        mpi!(Barrier, WORLD);
    });
}

#[test]
fn files() {
    let path = std::env::temp_dir().join(format!("weir-replay-{}", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    check(
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
    check(two, |rank| {
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
    check(two, |rank| {
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
