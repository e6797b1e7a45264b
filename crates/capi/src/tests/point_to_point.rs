//! Sends and receives: what arrives, what statuses say, what is refused, and when things are over on the machine of
//! [`crate::harness`]: overhead 10 ns, copying 2 bytes/ns up to 64 bytes, 1 byte/ns and 1000 ns on the way.

use crate::harness::*;
use std::cell::RefCell;
use std::rc::Rc;

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

/// Where a test of times notes what each rank has seen.
fn times(machine: Machine, body: impl Fn(usize) -> u64 + 'static) -> Vec<u64> {
    let ranks = machine.options.ranks;
    let seen = Rc::new(RefCell::new(vec![0; ranks]));
    let note = Rc::clone(&seen);
    machine
        .run_mpi(move |rank| {
            let at = body(rank);
            note.borrow_mut()[rank] = at;
        })
        .finished();
    seen.take()
}

fn send_and_receive(send: &'static str, bytes: usize) -> Vec<u64> {
    times(Machine::timed(2), move |rank| {
        let mut data = vec![rank as u8; bytes];
        match rank {
            0 => {
                if send == "MPI_Bsend" {
                    mpi!(Buffer_attach, MPI_BUFFER_AUTOMATIC, 0);
                }
                assert_eq!(call(send, &[data.as_mut_ptr() as usize, bytes, MPI_BYTE, 1, 0, WORLD]), 0);
            }
            _ => mpi!(Recv, &mut data[..], bytes, MPI_BYTE, 0, 0, WORLD, NULL),
        }
        now()
    })
}

/// The sender: 10 for the message, half a ns for each byte of the copy. Then the bytes leave, 1000 ns on the way, and the
/// receiver's 10.
#[test]
fn an_eager_message_is_copied() {
    assert_eq!(send_and_receive("MPI_Send", 0), [10, 1020]);
    assert_eq!(send_and_receive("MPI_Send", 2), [11, 11 + 2 + 1000 + 10]);
    assert_eq!(send_and_receive("MPI_Send", 64), [42, 42 + 64 + 1000 + 10]);
    assert_eq!(send_and_receive("MPI_Bsend", 64), [42, 42 + 64 + 1000 + 10]);
    assert_eq!(send_and_receive("MPI_Rsend", 64), [42, 42 + 64 + 1000 + 10]);
}

/// The sender asks (10, then 1000 on the way), the receiver answers (1000 back), and the 66 bytes go without a copy.
#[test]
fn a_long_message_asks_first() {
    let asked = 10 + 1000;
    let cleared = asked + 1000;
    let sent = cleared + 66;
    assert_eq!(send_and_receive("MPI_Send", 66), [sent, sent + 1000 + 10]);
    assert_eq!(send_and_receive("MPI_Ssend", 66), [sent, sent + 1000 + 10]);
    // A synchronous send asks however short it is.
    assert_eq!(send_and_receive("MPI_Ssend", 2), [cleared + 2, cleared + 2 + 1010]);
    // A buffered one is copied however long it is, and its sender goes on.
    assert_eq!(send_and_receive("MPI_Bsend", 66)[0], 10 + 33);
}

/// The receiver comes 5000 ns late: an eager message waits for it, one by rendezvous is asked for then.
#[test]
fn a_late_receiver() {
    let late = |bytes: usize| {
        times(Machine::timed(2), move |rank| {
            let mut data = vec![0_u8; bytes];
            match rank {
                0 => mpi!(Send, &data[..], bytes, MPI_BYTE, 1, 0, WORLD),
                _ => {
                    work(5000);
                    mpi!(Recv, &mut data[..], bytes, MPI_BYTE, 0, 0, WORLD, NULL);
                }
            }
            now()
        })
    };
    assert_eq!(late(4), [12, 5010]);
    assert_eq!(late(100), [5000 + 1000 + 100, 5000 + 1000 + 100 + 1000 + 10]);
}

/// One interface: the second message of 20 bytes leaves when the first has left.
#[test]
fn messages_queue_at_the_interface() {
    let at = times(Machine::timed(3), |rank| {
        let mut data = [0_u8; 64];
        match rank {
            0 => {
                mpi!(Send, &data, 64, MPI_BYTE, 1, 0, WORLD);
                mpi!(Send, &data, 64, MPI_BYTE, 2, 0, WORLD);
            }
            _ => mpi!(Recv, &mut data, 64, MPI_BYTE, 0, 0, WORLD, NULL),
        }
        now()
    });
    assert_eq!(at, [84, 42 + 64 + 1010, 42 + 64 + 64 + 1010]);
}

/// Ranks of one node: neither latency nor interface.
#[test]
fn ranks_of_one_node_are_near() {
    let at = times(Machine::timed(2).on_nodes(&[0, 0]), |rank| {
        let mut data = [0_u8; 64];
        match rank {
            0 => mpi!(Send, &data, 64, MPI_BYTE, 1, 0, WORLD),
            _ => mpi!(Recv, &mut data, 64, MPI_BYTE, 0, 0, WORLD, NULL),
        }
        now()
    });
    assert_eq!(at, [42, 52]);
}

/// Nonblocking calls cost the sender its part at once, the receiver its own when the message comes.
#[test]
fn nonblocking_calls_overlap_with_work() {
    let at = times(Machine::timed(2), |rank| {
        let (mut data, mut request) = ([0_u8; 64], MPI_REQUEST_NULL);
        match rank {
            0 => {
                mpi!(Isend, &data, 64, MPI_BYTE, 1, 0, WORLD, &mut request);
                assert_eq!(now(), 42);
            }
            _ => {
                mpi!(Irecv, &mut data, 64, MPI_BYTE, 0, 0, WORLD, &mut request);
                assert_eq!(now(), 0);
            }
        }
        work(500);
        mpi!(Wait, &mut request, NULL);
        now()
    });
    assert_eq!(at, [542, 42 + 64 + 1000 + 10]);
}

#[test]
fn an_exchange_sends_and_receives_at_once() {
    let at = times(Machine::timed(2), |rank| {
        let (mine, mut got, mut told) = ([rank as i32; 4], [-1; 4], status());
        let other = 1 - rank;
        mpi!(Sendrecv, &mine, 4, MPI_INT, other, 5, &mut got, 4, MPI_INT, other, 5, WORLD, &mut told);
        assert_eq!(got, [other as i32; 4]);
        assert_eq!(says(&told), (other as i32, 5, -80, 16, false));
        now()
    });
    // 10 and 8 for the copy, 16 bytes, 1000, and 10 for what comes.
    assert_eq!(at, [1044, 1044]);
}

#[test]
fn nobody_answers_at_once() {
    let at = times(Machine::timed(1), |_| {
        let (mut data, mut told) = (5, status());
        mpi!(Send, &data, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
        mpi!(Ssend, &data, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
        mpi!(Bsend, &data, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
        mpi!(Recv, &mut data, 1, MPI_INT, MPI_PROC_NULL, 3, WORLD, &mut told);
        assert_eq!((data, says(&told)), (5, (MPI_PROC_NULL, MPI_ANY_TAG, -80, 0, false)));
        now()
    });
    assert_eq!(at, [0]);
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
        let at = times(machine, move |rank| {
            let (mut data, mut told) = (vec![rank as u8; bytes], status());
            if rank == 0 {
                mpi!(Send, &data[..], bytes, MPI_BYTE, 1, 0, WORLD);
            } else {
                mpi!(Recv, &mut data[..], bytes, MPI_BYTE, 0, 0, WORLD, &mut told);
                assert_eq!(says(&told), (0, 0, -80, bytes as u64, false));
                assert_eq!(data, vec![1; bytes]);
            }
            now()
        });
        assert_eq!(at[1], if bytes == 8 { 14 + 8 + 1010 } else { 10 + 2000 + 200 + 1010 });
    }
}

/// A million messages of 2 GB have lengths that do not fit an `int`.
#[test]
fn counts_beyond_two_to_the_31() {
    let mut machine = Machine::free(2);
    machine.options.moved = weir_message::Moved::LengthsOnly;
    machine
        .run_mpi(|rank| {
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
        })
        .finished();
}
