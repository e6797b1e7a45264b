//! Sends and receives, and their requests: kept, partitioned, matched by probes, sent through buffers, or the program's own.

use crate::calls::abi::CStatus;
use crate::harness::*;
use std::ffi::c_void;

#[test]
fn every_mode_and_both_widths_deliver() {
    for name in ["Send", "Ssend", "Rsend", "Bsend", "Isend", "Issend", "Irsend", "Ibsend"] {
        for (width, receive) in [("", "MPI_Recv"), ("_c", "MPI_Recv_c")] {
            let send = format!("MPI_{name}{width}");
            run(2, move |rank| {
                let data = [1, -2, 3];
                if rank == 0 {
                    mpi!(Buffer_attach, MPI_BUFFER_AUTOMATIC, 0);
                    mpi!(Barrier, WORLD);
                    let mut words = vec![data.word(), 3, MPI_INT, 1, 7, WORLD];
                    let mut request = MPI_REQUEST_NULL;
                    if name.starts_with('I') {
                        words.push((&raw mut request) as usize);
                    }
                    assert_eq!(call(&send, &words), MPI_SUCCESS, "{send}");
                    mpi!(Wait, &mut request, NULL);
                    assert_eq!(request, MPI_REQUEST_NULL);
                } else {
                    mpi!(Barrier, WORLD);
                    let (mut got, mut told) = ([0; 4], status());
                    let words = [(&mut got).word(), 4, MPI_INT, 0, 7, WORLD, (&mut told).word()];
                    assert_eq!(call(receive, &words), MPI_SUCCESS);
                    assert_eq!(got, [1, -2, 3, 0], "{send}");
                    assert_eq!(says(&told), (0, 7, -80, 12, false), "{send}");
                    assert_eq!(get!(Get_count, &told, MPI_INT), 3);
                }
            });
        }
    }
}

/// A type with gaps: a message that ends within a number is a mistake.
#[test]
fn a_message_may_not_end_within_a_number() {
    run(2, |rank| {
        if rank == 0 {
            return mpi!(Send, &[7_u8; 6], 6, MPI_BYTE, 1, 0, WORLD);
        }
        let mut data = [0; 8];
        let mut spread = MPI_DATATYPE_NULL;
        mpi!(Type_vector, 2, 1, 2, MPI_INT, &mut spread);
        mpi!(Type_commit, &mut spread);
        assert_eq!(code!(Recv, &mut data, 1, spread, 0, 0, WORLD, NULL), MPI_ERR_TYPE);
        assert_eq!(data[..2], [0x0707_0707, 0]);
        mpi!(Type_free, &mut spread);
    });
}

#[test]
fn persistent_requests_start_again_and_again() {
    for name in ["Send", "Ssend", "Rsend", "Bsend"] {
        for width in ["", "_c"] {
            let prepare = format!("MPI_{name}_init{width}");
            let prepare_receive = format!("MPI_Recv_init{width}");
            let ran = run(2, move |rank| {
                let (mut data, mut request) = ([0; 2], MPI_REQUEST_NULL);
                if rank == 0 {
                    mpi!(Buffer_attach, MPI_BUFFER_AUTOMATIC, 0);
                    let words = [(&mut data).word(), 2, MPI_INT, 1, 4, WORLD, (&mut request).word()];
                    assert_eq!(call(&prepare, &words), MPI_SUCCESS);
                } else {
                    let words = [(&mut data).word(), 2, MPI_INT, 0, 4, WORLD, (&mut request).word()];
                    assert_eq!(call(&prepare_receive, &words), MPI_SUCCESS);
                }
                let handle = request;
                for round in 1..4 {
                    if rank == 0 {
                        data = [round, -round];
                        mpi!(Barrier, WORLD);
                        mpi!(Start, &mut request);
                    } else {
                        mpi!(Startall, 1, &mut request);
                        mpi!(Barrier, WORLD);
                    }
                    assert_eq!(code!(Start, &mut request), MPI_ERR_REQUEST, "it is active");
                    let mut told = status();
                    mpi!(Wait, &mut request, &mut told);
                    assert_eq!(request, handle, "it stays");
                    if rank == 1 {
                        assert_eq!((data, says(&told)), ([round, -round], (0, 4, -80, 8, false)));
                    }
                }
                mpi!(Request_free, &mut request);
                assert_eq!(request, MPI_REQUEST_NULL);
                // The place is used again.
                let again = get_handle!(Recv_init, 0, 0, MPI_INT, 0, 0, WORLD);
                assert_eq!(again, handle);
            });
            let left = ran.remnants(0);
            assert_eq!(left.len(), 1);
            let details = [("what", "persistent requests".to_owned()), ("not_freed", "1".to_owned())];
            assert_eq!((left[0].kind, &left[0].details[..]), ("object", &details[..]));
        }
    }
}

#[test]
fn probes_look_and_leave() {
    for width in ["", "_c"] {
        let (mrecv, imrecv) = (format!("MPI_Mrecv{width}"), format!("MPI_Imrecv{width}"));
        run(2, move |rank| {
            if rank == 0 {
                (0..4).for_each(|n| mpi!(Send, &[n, 7], 2, MPI_INT, 1, 10 + n, WORLD));
                return mpi!(Barrier, WORLD);
            }
            let (mut told, mut flag, mut got) = (status(), -1, [0; 3]);
            mpi!(Barrier, WORLD);
            let (mut first, mut second) = (MPI_MESSAGE_NULL, MPI_MESSAGE_NULL);
            mpi!(Mprobe, 0, MPI_ANY_TAG, WORLD, &mut first, &mut told);
            assert_eq!(says(&told), (0, 10, -80, 8, false));
            mpi!(Improbe, 0, 12, WORLD, &mut flag, &mut second, &mut told);
            assert_eq!((flag, says(&told)), (1, (0, 12, -80, 8, false)));
            mpi!(Improbe, 0, 12, WORLD, &mut flag, &mut MPI_MESSAGE_NULL.clone(), NULL);
            assert_eq!(flag, 0, "it is taken");
            // What is matched is no other receive's.
            mpi!(Recv, &mut got, 3, MPI_INT, 0, MPI_ANY_TAG, WORLD, &mut told);
            assert_eq!((got, told.tag), ([1, 7, 0], 11));
            let mut told = status();
            let words = [(&mut got).word(), 3, MPI_INT, (&mut second).word(), (&mut told).word()];
            assert_eq!(call(&mrecv, &words), MPI_SUCCESS);
            assert_eq!((got, second, says(&told)), ([2, 7, 0], MPI_MESSAGE_NULL, (0, 12, -80, 8, false)));
            let mut request = MPI_REQUEST_NULL;
            let words = [(&mut got).word(), 1, MPI_INT, (&mut first).word(), (&mut request).word()];
            assert_eq!(call(&imrecv, &words), MPI_SUCCESS);
            assert_eq!(code!(Wait, &mut request, NULL), MPI_ERR_TRUNCATE);
            assert_eq!((got, first), ([0, 7, 0], MPI_MESSAGE_NULL));
            assert_eq!(code!(Mrecv, &mut got, 1, MPI_INT, &mut first, NULL), MPI_ERR_REQUEST);
            assert_eq!(code!(Mrecv, &mut got, 1, MPI_INT, &mut (0x1_0000 + 9_usize), NULL), MPI_ERR_REQUEST);
            mpi!(Recv, &mut got, 3, MPI_INT, 0, 13, WORLD, NULL);
        });
    }
}

#[test]
fn probes_of_nobody() {
    run(1, |_| {
        let nobody = (MPI_PROC_NULL, MPI_ANY_TAG, -80, 0, false);
        let (mut told, mut flag, mut message, mut got) = (status(), -1, 0_usize, 5);
        mpi!(Probe, MPI_PROC_NULL, 3, WORLD, &mut told);
        assert_eq!(says(&told), nobody);
        told = status();
        mpi!(Iprobe, MPI_PROC_NULL, 3, WORLD, &mut flag, &mut told);
        assert_eq!((flag, says(&told)), (1, nobody));
        told = status();
        mpi!(Mprobe, MPI_PROC_NULL, 3, WORLD, &mut message, &mut told);
        assert_eq!((message, says(&told)), (MPI_MESSAGE_NO_PROC, nobody));
        (message, told) = (0, status());
        mpi!(Improbe, MPI_PROC_NULL, 3, WORLD, &mut flag, &mut message, &mut told);
        assert_eq!((flag, message, says(&told)), (1, MPI_MESSAGE_NO_PROC, nobody));
        told = status();
        mpi!(Mrecv, &mut got, 1, MPI_INT, &mut message, &mut told);
        assert_eq!((message, got, says(&told)), (MPI_MESSAGE_NULL, 5, nobody));
    });
}

#[test]
fn partitions_come_one_by_one() {
    run(2, |rank| {
        let (mut data, mut request, mut flag) = ([0; 6], MPI_REQUEST_NULL, -1);
        if rank == 0 {
            mpi!(Psend_init, &mut data, 3, 2, MPI_INT, 1, 5, WORLD, MPI_INFO_NULL, &mut request);
            assert_eq!(code!(Pready, 0, request), MPI_ERR_REQUEST, "it is not active");
            assert_eq!(code!(Parrived, request, 0, &mut flag), MPI_ERR_REQUEST, "it sends");
        } else {
            mpi!(Precv_init, &mut data, 3, 2, MPI_INT, 0, 5, WORLD, MPI_INFO_NULL, &mut request);
            mpi!(Parrived, request, 2, &mut flag);
            assert_eq!(flag, 1, "nothing is under way");
        }
        for round in 1..3 {
            mpi!(Start, &mut request);
            if rank == 0 {
                data = [1, 2, 3, 4, 5, 6].map(|n| n * round);
                mpi!(Pready, 1, request);
                assert_eq!(code!(Pready, 1, request), MPI_ERR_ARG, "it is ready already");
                assert_eq!(code!(Pready, 3, request), MPI_ERR_ARG);
                assert_eq!(code!(Pready, -1, request), MPI_ERR_ARG);
                mpi!(Barrier, WORLD);
                mpi!(Barrier, WORLD);
                match round {
                    1 => mpi!(Pready_list, 2, &[2, 0], request),
                    _ => {
                        mpi!(Pready_range, 0, 0, request);
                        mpi!(Pready_range, 2, 2, request);
                    }
                }
            } else {
                data = [0; 6];
                assert_eq!(code!(Pready, 0, request), MPI_ERR_REQUEST, "it receives");
                mpi!(Barrier, WORLD);
                mpi!(Parrived, request, 0, &mut flag);
                assert_eq!(flag, 0);
                assert_eq!(code!(Parrived, request, 3, &mut flag), MPI_ERR_ARG);
                mpi!(Parrived, request, 1, &mut flag);
                let there = [0, 0, 3 * round, 4 * round, 0, 0];
                assert_eq!((flag, data), (1, if flag == 1 { there } else { [0; 6] }));
                mpi!(Barrier, WORLD);
            }
            mpi!(Wait, &mut request, NULL);
            assert_eq!(data, [1, 2, 3, 4, 5, 6].map(|n| n * round));
        }
        mpi!(Request_free, &mut request);
    });
}

/// From nobody come no partitions, and what is sent to nobody is complete.
#[test]
fn partitions_of_nobody() {
    run(1, |_| {
        let (mut data, mut flag, mut told) = ([5, 6], -1, status());
        let (mut receive, mut send) = (MPI_REQUEST_NULL, MPI_REQUEST_NULL);
        let (nobody, info) = (MPI_PROC_NULL, MPI_INFO_NULL);
        mpi!(Precv_init, &mut data, 2, 1, MPI_INT, nobody, 0, WORLD, info, &mut receive);
        mpi!(Psend_init, &[1, 2], 2, 1, MPI_INT, nobody, 0, WORLD, info, &mut send);
        for _ in 0..2 {
            mpi!(Startall, 2, &mut [receive, send]);
            mpi!(Pready_range, 0, 1, send);
            mpi!(Wait, &mut send, NULL);
            mpi!(Wait, &mut receive, &mut told);
            assert_eq!((data, told.source, told.bytes()), ([5, 6], nobody, 0));
            mpi!(Parrived, receive, 1, &mut flag);
            assert_eq!(flag, 1, "it is inactive");
        }
        mpi!(Request_free, &mut receive);
        mpi!(Request_free, &mut send);
    });
}

#[test]
fn buffers_for_sends_have_room() {
    run(1, |_| {
        let (mut memory, mut address, mut size, mut long) = ([0_u8; 300], 0_usize, -1, -1_i64);
        let mut got = [0_u8; 200];
        assert_eq!(code!(Bsend, &got, 1, MPI_BYTE, 0, 0, WORLD), MPI_ERR_BUFFER, "there is none");
        mpi!(Buffer_attach, &mut memory, 300);
        assert_eq!(code!(Buffer_attach, &mut memory, 300), MPI_ERR_BUFFER, "there is one");
        // 96 bytes besides the data.
        assert_eq!(code!(Bsend, &got, 205, MPI_BYTE, 0, 0, WORLD), MPI_ERR_BUFFER);
        mpi!(Bsend, &got, 200, MPI_BYTE, 0, 0, WORLD);
        mpi!(Recv, &mut got, 200, MPI_BYTE, 0, 0, WORLD, NULL);
        mpi!(Buffer_detach, &mut address, &mut size);
        mpi!(Buffer_attach_c, &mut memory, 200);
        mpi!(Buffer_detach_c, &mut address, &mut long);
        assert_eq!((address, long), ((&raw mut memory) as usize, 200));
        assert_eq!(code!(Buffer_detach, &mut address, &mut size), MPI_ERR_BUFFER);
        assert_eq!(code!(Buffer_attach, NULL, 5), MPI_ERR_ARG);
        mpi!(Buffer_attach, NULL, 0);
        mpi!(Buffer_detach, &mut address, &mut size);
        assert_eq!((address, size), (0, 0));
        // A communicator's own buffer, found before that of the process.
        mpi!(Comm_attach_buffer, WORLD, &mut memory, 200);
        mpi!(Bsend, &got, 100, MPI_BYTE, 0, 0, WORLD);
        assert_eq!(code!(Bsend, &got, 100, MPI_BYTE, 0, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
        mpi!(Recv, &mut got, 200, MPI_BYTE, 0, 0, WORLD, NULL);
        mpi!(Comm_detach_buffer, WORLD, &mut address, &mut size);
        mpi!(Comm_attach_buffer_c, WORLD, &mut memory, 250);
        mpi!(Comm_detach_buffer_c, WORLD, &mut address, &mut long);
        assert_eq!((address, long), ((&raw mut memory) as usize, 250));
    });
}

/// How often the functions of a generalized request were called.
#[derive(Default)]
struct Calls {
    queries: i32,
    frees: i32,
}

unsafe extern "C" fn query(extra: *mut c_void, status: *mut CStatus) -> i32 {
    // SAFETY: what the test has given.
    let (calls, status) = unsafe { (&mut *extra.cast::<Calls>(), &mut *status) };
    calls.queries += 1;
    (status.source, status.tag) = (31, 32);
    status.set_bytes(12);
    0
}

unsafe extern "C" fn free(extra: *mut c_void) -> i32 {
    // SAFETY: as above.
    unsafe { &mut *extra.cast::<Calls>() }.frees += 1;
    0
}

/// A generalized request that is given up and then complete is gone, and the next request has nothing of it.
#[test]
fn generalized_requests_that_are_given_up() {
    run(1, |_| {
        let mut calls = Calls::default();
        let (query, free) = (query as *const (), free as *const ());
        let mut request = get_handle!(Grequest_start, query, free, free, &mut calls);
        let given_up = request;
        mpi!(Request_free, &mut request);
        assert_eq!((request, calls.frees), (MPI_REQUEST_NULL, 0));
        mpi!(Grequest_complete, given_up);
        assert_eq!((calls.frees, calls.queries), (1, 0));
        let (mut got, mut told) = (0, status());
        let mut next = [
            get_handle!(Isend, &7, 1, MPI_INT, 0, 3, WORLD),
            get_handle!(Irecv, &mut got, 1, MPI_INT, 0, 3, WORLD),
        ];
        assert!(next.contains(&given_up), "the number of the request is used again");
        mpi!(Waitall, 2, &mut next, NULL);
        mpi!(Sendrecv, &8, 1, MPI_INT, 0, 4, &mut got, 1, MPI_INT, 0, 4, WORLD, &mut told);
        assert_eq!((got, told.tag, calls.frees, calls.queries), (8, 4, 1, 0));
        assert_eq!(code!(Grequest_complete, given_up), MPI_ERR_REQUEST);
    });
}
