//! How long ranks wait for messages, and how long they sleep.

use crate::harness::*;
use weir_network::record::Keep;
use weir_units::{Duration, Rank};

const WORLD: usize = MPI_COMM_WORLD;

/// Rank 0 sends 8 bytes every 5014 ns: message `k` comes at 6022 + 5014 k. Rank 1 has the first at 6032, and waits for two
/// others since then, which cost 10 ns each at the end: the probe begins at 16070. Then it works on until after the last two.
#[test]
fn messages_are_waited_for() {
    let mut machine = Machine::timed(2);
    machine.messages = Keep::Yes;
    let ran = machine.run_mpi(|rank| {
        let mut got = 0_i64;
        if rank == 0 {
            return (0..6).for_each(|tag| {
                work(5000);
                mpi!(Send, &1_i64, 1, MPI_LONG, 1, tag, WORLD);
            });
        }
        mpi!(Recv, &mut got, 1, MPI_LONG, 0, 0, WORLD, NULL);
        let mut requests = [1, 2].map(|tag| get_handle!(Irecv, &mut got, 1, MPI_LONG, 0, tag, WORLD));
        mpi!(Waitall, 2, &mut requests, NULL);
        mpi!(Probe, 0, 3, WORLD, NULL);
        mpi!(Recv, &mut got, 1, MPI_LONG, 0, 3, WORLD, NULL);
        let mut last = [4, 5].map(|tag| get_handle!(Irecv, &mut got, 1, MPI_LONG, 0, tag, WORLD));
        work(50_000);
        mpi!(Waitall, 2, &mut last, NULL);
    });
    let waited = |sequence: u64| {
        let found =
            ran.messages.iter().find(|message| (message.from, message.sequence) == (Rank(0), sequence));
        found.and_then(|message| message.waited)
    };
    let expected = [6022, 5004, 10_018, 4994, 0, 0].map(|ns| Some(Duration::from_ns(ns)));
    assert_eq!([0, 1, 2, 3, 4, 5].map(waited), expected);
    ran.finished();
}

/// Of two messages that come one behind the other, the rank waits for the second: 6022 + 5014 ns.
#[test]
fn other_messages_are_not_waited_for() {
    let mut machine = Machine::timed(2);
    machine.messages = Keep::Yes;
    let ran = machine.run_mpi(|rank| {
        let mut got = [0_i64; 3];
        if rank == 0 {
            return (0..3).for_each(|tag| {
                work(5000);
                mpi!(Send, &1_i64, 1, MPI_LONG, 1, tag, WORLD);
            });
        }
        let mut requests = [0, 1].map(|tag| get_handle!(Irecv, &mut got[tag], 1, MPI_LONG, 0, tag, WORLD));
        mpi!(Wait, &mut requests[1], NULL);
        mpi!(Wait, &mut requests[0], NULL);
        mpi!(Recv, &mut got[2], 1, MPI_LONG, 0, 2, WORLD, NULL);
    });
    let of_sender = ran.messages.iter().filter(|message| message.from == Rank(0) && message.bytes.0 == 8);
    let mut waited: Vec<_> = of_sender.map(|message| (message.sequence, message.waited)).collect();
    waited.sort_unstable();
    let ns = |ns| Some(Duration::from_ns(ns));
    // The first costs 10 ns when the rank goes on, as the second does.
    assert_eq!(waited[..3], [(0, ns(0)), (1, ns(11_036)), (2, ns(16_050 - 11_056))]);
    ran.finished();
}

/// A rank that waits for one of several after long work finds the first in their order, for all have come by then.
#[test]
fn what_has_come_by_then_is_found() {
    timed(2, |rank| {
        let mut got = [0_i64; 2];
        if rank == 0 {
            return [1, 0].into_iter().for_each(|tag| {
                work(5000);
                mpi!(Send, &1_i64, 1, MPI_LONG, 1, tag, WORLD);
            });
        }
        let mut requests = [0, 1].map(|tag| get_handle!(Irecv, &mut got[tag], 1, MPI_LONG, 0, tag, WORLD));
        work(50_000);
        let (mut count, mut indices) = (-1, [-1; 2]);
        mpi!(Waitany, 2, &mut requests, &mut indices[0], NULL);
        assert_eq!((indices[0], now()), (0, 50_010));
        mpi!(Waitany, 2, &mut requests, &mut indices[0], NULL);
        assert_eq!((indices[0], now()), (1, 50_020));
        let mut again = [0, 1].map(|tag| get_handle!(Irecv, &mut got[tag], 0, MPI_LONG, 1, tag, WORLD));
        (0..2).for_each(|tag| mpi!(Send, NULL, 0, MPI_LONG, 1, tag, WORLD));
        work(50_000);
        mpi!(Waitsome, 2, &mut again, &mut count, &mut indices, NULL);
        assert_eq!((count, indices), (2, [0, 1]));
    });
}

/// Sleeps of the C library until an instant, by two clocks, or for a while.
#[test]
fn sleeps_until_an_instant() {
    Machine::free(1)
        .run_mpi(|_| {
            let sleep = |clock: i32, flags: i32, tv_sec: i64, tv_nsec: i64| {
                let (wanted, zero) = (libc::timespec { tv_sec, tv_nsec }, 0);
                let words = [clock as usize, flags as usize, (&wanted).word(), zero];
                assert_eq!(call_unchecked("__wrap_clock_nanosleep", &words) as i32, 0);
                now()
            };
            let (monotonic, real) = (libc::CLOCK_MONOTONIC, libc::CLOCK_REALTIME);
            assert_eq!(sleep(monotonic, 0, 2, 3), 2_000_000_003);
            assert_eq!(sleep(real, 0, 0, 7), 2_000_000_010);
            assert_eq!(sleep(monotonic, libc::TIMER_ABSTIME, 3, 5), 3_000_000_005);
            assert_eq!(sleep(real, libc::TIMER_ABSTIME, 1_000_000_004, 6), 4_000_000_006);
            assert_eq!(sleep(monotonic, libc::TIMER_ABSTIME, 1, 0), 4_000_000_006, "it is over");
            // SAFETY: zeroes are times.
            let mut times: libc::tms = unsafe { std::mem::zeroed() };
            assert_eq!(call_unchecked("__wrap_times", &[(&mut times).word()]), 400);
            assert_eq!((times.tms_utime, times.tms_stime, times.tms_cutime), (400, 0, 0));
        })
        .finished();
}
