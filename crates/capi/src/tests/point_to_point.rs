//! Sends and receives: what arrives, what statuses say, what is refused, and when things are over on the machine of
//! [`crate::harness`]: overhead 10 ns, copying 2 bytes/ns up to 64 bytes, 1 byte/ns and 1000 ns on the way.

use crate::harness::*;

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

/// A message of 4 bytes leaves at 10 ns and 2 for the copy, and is there 4 + 1000 ns later; nobody answers at once.
#[test]
fn an_exchange_sends_and_receives_at_once() {
    timed(2, |rank| {
        let (other, mut got, mut told) = (1 - rank, -1, status());
        mpi!(Sendrecv, &rank, 1, MPI_INT, other, 5, &mut got, 1, MPI_INT, other, 5, WORLD, &mut told);
        assert_eq!((got, says(&told)), (other as i32, (other as i32, 5, -80, 4, false)));
        let nobody = MPI_PROC_NULL;
        mpi!(Send, &5, 1, MPI_INT, nobody, 0, WORLD);
        mpi!(Ssend, &5, 1, MPI_INT, nobody, 0, WORLD);
        mpi!(Bsend, &5, 1, MPI_INT, nobody, 0, WORLD);
        mpi!(Recv, &mut got, 1, MPI_INT, nobody, 3, WORLD, &mut told);
        assert_eq!((got, says(&told)), (other as i32, (nobody, MPI_ANY_TAG, -80, 0, false)));
        assert_eq!(now(), 12 + 4 + 1000 + 10);
    });
}

#[test]
fn a_longer_message_is_cut_off() {
    run(2, |rank| {
        let mut data = [rank as i32 + 1; 4];
        if rank == 0 {
            mpi!(Send, &data, 4, MPI_INT, 1, 0, WORLD);
            return mpi!(Send, &data, 4, MPI_INT, 1, 1, WORLD);
        }
        let mut told = status();
        assert_eq!(code!(Recv, &mut data, 2, MPI_INT, 0, 0, WORLD, &mut told), MPI_ERR_TRUNCATE);
        assert_eq!((data, told.source, told.tag, told.bytes()), ([1, 1, 2, 2], 0, 0, 8));
        let mut request = MPI_REQUEST_NULL;
        mpi!(Irecv, &mut data, 3, MPI_INT, 0, 1, WORLD, &mut request);
        assert_eq!(code!(Wait, &mut request, &mut told), MPI_ERR_TRUNCATE);
        assert_eq!((data, request), ([1, 1, 1, 2], MPI_REQUEST_NULL));
    });
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

/// Without an error handler the run ends with the first mistake.
#[test]
fn mistakes_are_fatal_by_default() {
    let ran = Machine::free(2).run(|rank| {
        mpi!(Init, 0, 0);
        if rank == 1 {
            code!(Send, &0, 1, MPI_INT, 5, 0, WORLD);
        }
        mpi!(Barrier, WORLD);
        mpi!(Finalize);
        0
    });
    let (rank, why) = ran.aborted();
    assert_eq!(rank, 1);
    assert!(why.starts_with("MPI_Send failed: MPI_ERR_RANK"), "{why}");
}

/// Two ranks that each receive first: who waits for whom, in which call.
#[test]
fn a_deadlock_says_who_waits() {
    let ran = Machine::free(2).run_mpi(|rank| {
        let mut got = 0;
        let other = 1 - rank;
        if rank == 0 {
            mpi!(Recv, &mut got, 1, MPI_INT, other, 3, WORLD, NULL);
        } else {
            let mut request = MPI_REQUEST_NULL;
            mpi!(Irecv, &mut got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &mut request);
            mpi!(Wait, &mut request, NULL);
        }
    });
    use weir_network::Peer;
    let waiting: Vec<(usize, &str, Peer)> =
        ran.deadlock().iter().map(|one| (one.rank.index(), one.call.as_str(), one.peer)).collect();
    assert_eq!(waiting, [(0, "MPI_Recv", Peer::Rank(weir_units::Rank(1))), (1, "MPI_Wait", Peer::Any)]);
    assert_eq!(
        ran.deadlock()[0].details,
        [("tag", "3".to_owned()), ("communicator", "MPI_COMM_WORLD".into())]
    );
}

/// Only lengths are moved: what is received is as long, and the buffer stays as it is.
#[test]
fn lengths_alone_may_move() {
    for bytes in [8, 200] {
        let mut machine = Machine::timed(2);
        machine.options.moved = weir_message::Moved::LengthsOnly;
        machine.finishes(move |rank| {
            let (mut data, mut told) = (vec![rank as u8; bytes], status());
            if rank == 0 {
                mpi!(Send, &data[..], bytes, MPI_BYTE, 1, 0, WORLD);
            } else {
                mpi!(Recv, &mut data[..], bytes, MPI_BYTE, 0, 0, WORLD, &mut told);
                assert_eq!(says(&told), (0, 0, -80, bytes as u64, false));
                assert_eq!(data, vec![1; bytes]);
                assert_eq!(now(), if bytes == 8 { 14 + 8 + 1010 } else { 10 + 2000 + 200 + 1010 });
            }
        });
    }
}

/// A million messages of 2 GB have lengths that do not fit an `int`.
#[test]
fn counts_beyond_two_to_the_31() {
    let mut machine = Machine::free(2);
    machine.options.moved = weir_message::Moved::LengthsOnly;
    machine.finishes(|rank| {
        const COUNT: i64 = (1 << 31) + 5;
        let (mut byte, mut told) = (0_u8, status());
        if rank == 0 {
            mpi!(Send_c, &byte, COUNT, MPI_BYTE, 1, 0, WORLD);
            return;
        }
        mpi!(Recv_c, &mut byte, COUNT, MPI_BYTE, 0, 0, WORLD, &mut told);
        assert_eq!(told.bytes(), COUNT as u64);
        assert_eq!(get!(Get_count, &told, MPI_BYTE), MPI_UNDEFINED);
        let mut count = 0_i64;
        mpi!(Get_count_c, &told, MPI_BYTE, &mut count);
        assert_eq!(count, COUNT);
        mpi!(Get_elements_x, &told, MPI_BYTE, &mut count);
        assert_eq!(count, COUNT);
        mpi!(Get_elements_c, &told, MPI_INT, &mut count);
        assert_eq!(count, i64::from(MPI_UNDEFINED));
    });
}
