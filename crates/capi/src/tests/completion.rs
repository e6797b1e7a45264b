//! Waiting and testing: indices and counts, statuses, null and inactive requests, mistakes in statuses, and how long polls sleep.

use crate::calls::abi::CStatus;
use crate::harness::*;
use weir_network::record::Keep;
use weir_units::Rank;

const EMPTY: (i32, i32, i32, u64, bool) = (MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, false);

/// A receive of one int with this tag from rank 0.
fn receive(into: &mut i32, tag: i32) -> usize {
    get_handle!(Irecv, into, 1, MPI_INT, 0, tag, WORLD)
}

/// Rank 0 sends its tags, each at its time in ns; rank 1 does the rest.
fn with_sender(tags: &'static [(u64, i32)], body: fn()) -> Ran {
    let machine = Machine::free(2);
    machine
        .run_mpi(move |rank| {
            if rank == 1 {
                return body();
            }
            for &(at, tag) in tags {
                work(at - now());
                mpi!(Send, &(100 + tag), 1, MPI_INT, 1, tag, WORLD);
            }
        })
        .finished()
}

fn statuses<const N: usize>() -> [CStatus; N] {
    std::array::from_fn(|_| status())
}

/// When nothing is complete it waits for the first.
#[test]
fn waitsome_ends_all_that_have_come() {
    with_sender(&[(100, 3), (150, 0), (300, 1), (300, 2)], || {
        let mut got = [0; 4];
        let [a, b, c, d] = &mut got;
        let mut requests = [receive(a, 0), receive(b, 1), receive(c, 2), receive(d, 3)];
        let (mut count, mut indices, mut told) = (-1, [-1; 4], statuses::<4>());
        mpi!(Waitsome, 4, &mut requests, &mut count, &mut indices, &mut told);
        assert_eq!((now(), count, indices), (100, 1, [3, -1, -1, -1]));
        assert_eq!((says(&told[0]), says(&told[1])), ((0, 3, 0, 4, false), UNTOUCHED));
        assert_eq!((requests[3], requests[0] != MPI_REQUEST_NULL), (MPI_REQUEST_NULL, true));
        work(300);
        mpi!(Waitsome, 4, &mut requests, &mut count, &mut indices, NULL);
        assert_eq!((now(), count, &indices[..3]), (400, 3, &[0, 1, 2][..]));
        assert_eq!((got, requests), ([100, 101, 102, 103], [MPI_REQUEST_NULL; 4]));
    });
}

/// A look in vain sleeps 100 ns, the next one 200, and so on up to a millisecond; whatever happens wakes it.
#[test]
fn polls_sleep_longer_and_longer() {
    with_sender(&[(2_000, 0)], || {
        let mut got = 0;
        let mut request = receive(&mut got, 0);
        let (mut seen, mut flag) = (Vec::new(), 0);
        while flag == 0 {
            mpi!(Test, &mut request, &mut flag, NULL);
            seen.push(now());
        }
        assert_eq!(seen, [100, 300, 700, 1500, 2000]);
        assert_eq!((got, request), (100, MPI_REQUEST_NULL));
    });
    with_sender(&[(20_000_000, 0)], || {
        let (mut got, mut flag, mut last, mut longest) = (0, 0, 0, 0);
        let mut request = receive(&mut got, 0);
        while flag == 0 {
            mpi!(Test, &mut request, &mut flag, NULL);
            longest = longest.max(now() - last);
            last = now();
        }
        assert_eq!((last, longest), (20_000_000, 1_000_000));
    });
}

#[test]
fn tests_of_several() {
    with_sender(&[(1000, 1), (3000, 0)], || {
        let mut got = [0; 2];
        let [a, b] = &mut got;
        let mut requests = [receive(a, 0), receive(b, 1)];
        let (mut flag, mut index, mut told) = (-1, -1, status());
        mpi!(Testany, 2, &mut requests, &mut index, &mut flag, &mut told);
        assert_eq!((flag, index, says(&told), now()), (0, MPI_UNDEFINED, UNTOUCHED, 100));
        let (mut count, mut indices, mut all) = (-1, [-1; 2], statuses::<2>());
        mpi!(Testsome, 2, &mut requests, &mut count, &mut indices, &mut all);
        assert_eq!((count, now()), (0, 300));
        work(1000);
        // Looking alone ends nothing.
        mpi!(Request_get_status_any, 2, &mut requests, &mut index, &mut flag, &mut told);
        assert_eq!((flag, index, says(&told)), (1, 1, (0, 1, -80, 4, false)));
        mpi!(Request_get_status_some, 2, &mut requests, &mut count, &mut indices, &mut all);
        assert_eq!((count, indices, says(&all[0])), (1, [1, -1], (0, 1, 0, 4, false)));
        told = status();
        mpi!(Request_get_status, requests[1], &mut flag, &mut told);
        assert_eq!((flag, b_is(&requests), says(&told)), (1, true, (0, 1, -80, 4, false)));
        mpi!(Request_get_status, MPI_REQUEST_NULL, &mut flag, &mut told);
        assert_eq!((flag, says(&told)), (1, EMPTY));
        mpi!(Testall, 2, &mut requests, &mut flag, &mut all);
        assert_eq!((flag, b_is(&requests)), (0, true));
        mpi!(Request_get_status_all, 2, &mut requests, &mut flag, &mut all);
        assert_eq!(flag, 0);
        mpi!(Testany, 2, &mut requests, &mut index, &mut flag, &mut told);
        assert_eq!((flag, index, requests[1], got[1]), (1, 1, MPI_REQUEST_NULL, 101));
        work(5000);
        mpi!(Request_get_status_all, 2, &mut requests, &mut flag, &mut all);
        assert_eq!((flag, says(&all[0]), says(&all[1])), (1, (0, 0, 0, 4, false), EMPTY));
        mpi!(Testsome, 2, &mut requests, &mut count, &mut indices, &mut all);
        assert_eq!((count, indices[0], requests[0]), (1, 0, MPI_REQUEST_NULL));
        mpi!(Testall, 2, &mut requests, &mut flag, NULL);
        assert_eq!((flag, got), (1, [100, 101]));
    });
    fn b_is(requests: &[usize; 2]) -> bool {
        requests[1] != MPI_REQUEST_NULL
    }
}

/// One of several receives is too short: the call says so, and the statuses say which.
#[test]
fn mistakes_in_statuses() {
    for name in ["MPI_Waitall", "MPI_Testall", "MPI_Waitsome", "MPI_Testsome"] {
        run(2, move |rank| {
            if rank == 0 {
                mpi!(Send, &[1, 2], 2, MPI_INT, 1, 0, WORLD);
                mpi!(Send, &3, 1, MPI_INT, 1, 1, WORLD);
                return mpi!(Barrier, WORLD);
            }
            mpi!(Barrier, WORLD);
            let (mut got, mut told) = ([0; 2], statuses::<2>());
            let [a, b] = &mut got;
            let mut requests = [receive(a, 0), receive(b, 1)];
            let (mut count, mut indices) = (-1, [-1; 2]);
            let mut words = vec![2, (&mut requests).word()];
            if name != "MPI_Waitall" {
                words.push((&mut count).word());
            }
            if name.ends_with("some") {
                words.push((&mut indices).word());
            }
            words.push((&mut told).word());
            assert_eq!(call(name, &words), MPI_ERR_IN_STATUS, "{name}");
            assert_eq!((told[0].error, told[1].error), (MPI_ERR_TRUNCATE, MPI_SUCCESS));
            assert_eq!((got, requests), ([1, 3], [MPI_REQUEST_NULL; 2]));
        });
    }
    // Calls for one request return the mistake itself.
    run(2, |rank| {
        if rank == 0 {
            (0..3).for_each(|_| mpi!(Send, &[1, 2], 2, MPI_INT, 1, 0, WORLD));
            return mpi!(Barrier, WORLD);
        }
        mpi!(Barrier, WORLD);
        let (mut got, mut index, mut flag, mut told) = (0, -1, -1, status());
        let mut requests = [receive(&mut got, 0)];
        assert_eq!(code!(Waitany, 1, &mut requests, &mut index, &mut told), MPI_ERR_TRUNCATE);
        assert_eq!((index, requests, told.error), (0, [MPI_REQUEST_NULL], -80));
        requests = [receive(&mut got, 0)];
        assert_eq!(code!(Testany, 1, &mut requests, &mut index, &mut flag, &mut told), MPI_ERR_TRUNCATE);
        assert_eq!((index, flag, requests), (0, 1, [MPI_REQUEST_NULL]));
        requests = [receive(&mut got, 0)];
        assert_eq!(code!(Test, &mut requests, &mut flag, &mut told), MPI_ERR_TRUNCATE);
        assert_eq!((flag, requests), (1, [MPI_REQUEST_NULL]));
    });
}

/// A receive that is cancelled in time never happens; one that has begun does. A send takes its receiver's word: the
/// question costs 10 ns as any message, and is on the way there and back for 1000 ns each.
#[test]
fn cancelling() {
    run(1, |_| {
        let (mut got, mut told, mut flag) = (5, status(), -1);
        let mut request = receive(&mut got, 0);
        mpi!(Cancel, &mut request);
        mpi!(Wait, &mut request, &mut told);
        mpi!(Test_cancelled, &told, &mut flag);
        assert_eq!((flag, told.cancelled(), told.bytes(), got), (1, true, 0, 5));
        mpi!(Send, &6, 1, MPI_INT, 0, 0, WORLD);
        mpi!(Probe, 0, 0, WORLD, NULL);
        request = receive(&mut got, 0);
        mpi!(Cancel, &mut request);
        mpi!(Wait, &mut request, &mut told);
        mpi!(Test_cancelled, &told, &mut flag);
        assert_eq!((flag, told.cancelled(), got), (0, false, 6));
    });
    timed(2, |rank| {
        if rank == 1 {
            work(5000);
            return mpi!(Barrier, WORLD);
        }
        let (mut request, mut told) = (get_handle!(Issend, &6, 1, MPI_INT, 1, 0, WORLD), status());
        assert_eq!(now(), 10);
        mpi!(Cancel, &mut request);
        assert_eq!(now(), 10 + 10 + 2000);
        mpi!(Wait, &mut request, &mut told);
        assert!(told.cancelled());
        mpi!(Barrier, WORLD);
    });
}

/// A freed request goes on: its message arrives, then or before.
#[test]
fn a_freed_request_goes_on() {
    for has_come in [false, true] {
        let ran = run(2, move |rank| {
            let mut got = Box::new(0);
            if rank == 0 {
                let mut request = get_handle!(Isend, &8, 1, MPI_INT, 1, 0, WORLD);
                mpi!(Request_free, &mut request);
                assert_eq!(request, MPI_REQUEST_NULL);
                return mpi!(Barrier, WORLD);
            }
            let mut request = receive(&mut got, 0);
            let free: fn(&mut usize) = |request| mpi!(Request_free, request);
            let wait: fn(&mut usize) = |_| mpi!(Barrier, WORLD);
            let steps = if has_come { [wait, free] } else { [free, wait] };
            steps.into_iter().for_each(|step| step(&mut request));
            assert_eq!(*got, 8);
        });
        assert_eq!(ran.remnants(0), []);
    }
}

/// Sends 8 bytes with each of these tags, every 5014 ns.
fn sends(tags: &[i32]) {
    for &tag in tags {
        work(5000);
        mpi!(Send, &1_i64, 1, MPI_LONG, 1, tag, WORLD);
    }
}

/// Starts to receive 8 bytes.
fn long(tag: i32, into: &mut i64) -> usize {
    get_handle!(Irecv, into, 1, MPI_LONG, 0, tag, WORLD)
}

/// How many ns rank 1 has waited for each message of 8 bytes that rank 0 has sent.
fn waited(main: fn(usize)) -> Vec<Option<u64>> {
    let mut machine = Machine::timed(2);
    machine.messages = Keep::Yes;
    let ran = machine.finishes(main);
    let of_sender = ran.messages.iter().filter(|message| message.from == Rank(0) && message.bytes.0 == 8);
    let mut all: Vec<_> = of_sender.map(|message| (message.sequence, message.waited)).collect();
    all.sort_unstable();
    all.into_iter().map(|(_, waited)| waited.map(|waited| waited.as_ps() / 1000)).collect()
}

/// Message `k` comes at 6022 + 5014 k. Rank 1 has the first at 6032, and waits for two others since then, which cost 10 ns each at the
/// end: the probe begins at 16070. Then it works on until after the last two.
#[test]
fn messages_are_waited_for() {
    let found = waited(|rank| {
        if rank == 0 {
            return sends(&[0, 1, 2, 3, 4, 5]);
        }
        let mut got = [0; 2];
        let [a, b] = &mut got;
        mpi!(Recv, &mut *a, 1, MPI_LONG, 0, 0, WORLD, NULL);
        let mut requests = [long(1, a), long(2, b)];
        mpi!(Waitall, 2, &mut requests, NULL);
        mpi!(Probe, 0, 3, WORLD, NULL);
        mpi!(Recv, &mut *a, 1, MPI_LONG, 0, 3, WORLD, NULL);
        requests = [long(4, a), long(5, b)];
        work(50_000);
        mpi!(Waitall, 2, &mut requests, NULL);
    });
    assert_eq!(found[..6], [6022, 5004, 10_018, 4994, 0, 0].map(Some));
}

/// Of two messages that come one behind the other, the rank waits for the second: 6022 + 5014 ns. The first costs 10 ns when the rank
/// goes on, as the second does. So it does not wait for one where it probes for another.
#[test]
fn other_messages_are_not_waited_for() {
    let found = waited(|rank| {
        if rank == 0 {
            return sends(&[0, 1, 2]);
        }
        let mut got = [0; 3];
        let [a, b, c] = &mut got;
        let mut requests = [long(0, a), long(1, b)];
        mpi!(Wait, &mut requests[1], NULL);
        mpi!(Wait, &mut requests[0], NULL);
        mpi!(Recv, c, 1, MPI_LONG, 0, 2, WORLD, NULL);
    });
    assert_eq!(found[..3], [0, 11_036, 16_050 - 11_056].map(Some));
    let found = waited(|rank| {
        if rank == 0 {
            return sends(&[9, 3]);
        }
        mpi!(Probe, 0, 3, WORLD, NULL);
        let mut got = 0_i64;
        [3, 9].iter().for_each(|tag| mpi!(Recv, &mut got, 1, MPI_LONG, 0, *tag, WORLD, NULL));
    });
    assert_eq!(found[..2], [0, 11_036].map(Some));
}
