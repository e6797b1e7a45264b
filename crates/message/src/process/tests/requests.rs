//! Requests of every kind: when they are complete, what they leave, and who still knows them.

use super::*;
use crate::window::{Conflicts, Lock};
use crate::{ANY_SOURCE, ANY_TAG, Completion, Data, Fate, Meeting, PROC_NULL};
use weir_collectives::{Choice, Place, Plan};

/// Rank 0 of two, which nobody answers, at 100 ns.
fn alone(eager_limit: u64) -> (Process, Actions<Body>) {
    let costs = Costs { eager_limit: Bytes(eager_limit), ..Costs::default() };
    (Process::new(Rank(0), 2, costs), Actions::elsewhere(Time::from_ps(100_000), Rank(0), 0))
}

/// A request for something beside messages is complete when that is over, with what was said of it at the beginning. Whoever
/// looks does not end it; who ends it has come up to that instant.
#[test]
fn what_is_done_outside_ends_when_it_is_over() {
    let (mut process, mut actions) = alone(9);
    let status = Status { bytes: 2, ..Status::empty() };
    let id = process.start_outside(Completion { status: status.clone(), data: b"ab"[..].into(), from: None });
    let before = process.changes();
    assert_eq!(
        (process.is_complete(id), process.completion(id).map(|it| it.is_some())),
        (Ok(false), Ok(false))
    );
    process.end_outside(&mut actions, id);
    assert!(process.changes() > before, "whoever waits looks again");
    for _ in 0..2 {
        let seen = process.completion(id).expect("a request").expect("it is complete");
        assert_eq!((&seen.status, seen.data.bytes()), (&status, &b"ab"[..]));
    }
    assert_eq!(process.clock(), Time::ZERO);
    assert_eq!(process.finish(id).expect("it is complete").data.bytes(), b"ab");
    assert_eq!(process.clock(), Time::from_ps(100_000));
    assert_eq!(process.completion(id).err(), Some(MpiError::Request));
}

/// A request of the program itself is complete when it says so, once; others cannot be completed so.
#[test]
fn what_the_program_opens_it_fulfils() {
    let (mut process, mut actions) = alone(9);
    let (open, done) = (process.open(), process.completed());
    assert_eq!(process.fulfil(&mut actions, done), Err(MpiError::Request));
    assert_eq!(process.is_complete(open), Ok(false));
    assert_eq!(process.fulfil(&mut actions, open), Ok(()));
    assert_eq!(process.is_complete(open), Ok(true));
    assert_eq!(process.fulfil(&mut actions, open), Err(MpiError::Request));
    assert_eq!(process.finish(open).map(|ended| ended.status), Ok(Status::empty()));
}

/// A receive that no message has come for is withdrawn at once, and the message that comes then is for others.
#[test]
fn a_receive_that_nobody_has_answered_is_withdrawn() {
    let scripts = || {
        let cancel = step(|process, actions, notes| {
            process.cancel(actions, notes.requests[0]).expect("a request");
            assert_eq!(process.is_complete(notes.requests[0]), Ok(true));
        });
        let receiver = vec![
            receive(0, 1, 1),
            cancel,
            wait(0),
            send(Mode::Standard, 0, 2, b""),
            receive(0, 1, 1),
            wait(2),
        ];
        vec![vec![receive(1, 2, 0), wait(0), send(Mode::Standard, 1, 1, b"x"), wait(1)], receiver]
    };
    check(scripts, &["-1 -2 [] cancelled", "0 1 [120]"]);
}

/// One that a request to send has met goes on.
#[test]
fn a_receive_that_is_answered_is_not_withdrawn() {
    let cancel: Step = Box::new(|process, actions, notes| {
        if process.changes() == 0 {
            return false;
        }
        process.cancel(actions, notes.requests[0]).expect("a request");
        true
    });
    let scripts =
        vec![vec![send(Mode::Standard, 1, 1, b"x"), wait(0)], vec![receive(0, 1, 1), cancel, wait(0)]];
    let (outcome, seen) = run(0, scripts);
    assert_eq!((outcome, seen[1].as_slice()), (Outcome::Finished, &["0 1 [120]".to_owned()][..]));
}

/// Of sends, only those by rendezvous await a clearance, until it has come.
#[test]
fn sends_that_await_their_clearance() {
    let (mut process, mut actions) = alone(1);
    let long = process.send(&mut actions, Mode::Standard, WORLD, 1, 0, &b"ab"[..]).expect("valid");
    let long = long.expect("by rendezvous");
    let receive = process.receive(&mut actions, WORLD, 1, 0, 9).expect("valid");
    assert_eq!([long, receive].map(|id| process.awaits_clearance(id)), [true, false]);
    process.cleared(&mut actions, long, 7);
    assert_eq!((process.awaits_clearance(long), process.is_complete(long)), (false, Ok(false)));
}

/// A rank may send to itself by rendezvous: the send is complete with the receive.
#[test]
fn a_send_to_oneself_is_complete_when_it_is_received() {
    let both: Step = Box::new(|process, _, notes| {
        let complete = [0, 1].map(|index| process.is_complete(notes.requests[index]) == Ok(true));
        notes.seen.push(format!("{complete:?}"));
        complete == [true; 2]
    });
    let scripts = vec![vec![send(Mode::Synchronous, 0, 3, b"x"), receive(0, 3, 1), both, wait(1)]];
    let (outcome, seen) = run(9, scripts);
    assert_eq!(outcome, Outcome::Finished);
    assert_eq!(seen[0].last().map(String::as_str), Some("0 3 [120]"));
    assert!(seen[0].iter().all(|line| !line.contains("[false, true]")), "{:?}", seen[0]);
}

/// A probe finds the first message that fits, and leaves it there: of short messages themselves and of requests to send.
#[test]
fn a_probe_leaves_the_message() {
    for eager_limit in [9, 0] {
        let look: Step = Box::new(|process, _, notes| {
            assert_eq!(process.selector(WORLD, 0, -3).err(), Some(MpiError::Tag(-3)));
            let error = MpiError::Rank { rank: 2, size: 2 };
            assert_eq!(process.selector(WORLD, 2, ANY_TAG).err(), Some(error));
            let selector = |source, tag| process.selector(WORLD, source, tag).expect("valid");
            assert_eq!(process.probe(&selector(1, ANY_TAG)), None);
            if process.unexpected() < 2 {
                return false;
            }
            for (source, tag) in [(0, 5), (ANY_SOURCE, ANY_TAG), (0, ANY_TAG), (ANY_SOURCE, 4)] {
                let found = process.probe(&selector(source, tag)).expect("it is there");
                notes.seen.push(format!("{} {} {}", found.source, found.tag, found.bytes));
            }
            true
        });
        let scripts = vec![
            vec![send(Mode::Standard, 1, 4, b"abc"), send(Mode::Standard, 1, 5, b"d")],
            vec![look, receive(0, 4, 9), wait(0)],
        ];
        let (outcome, seen) = run(eager_limit, scripts);
        assert_eq!(outcome, Outcome::Finished);
        assert_eq!(seen[1], ["0 5 1", "0 4 3", "0 4 3", "0 4 3", "0 4 [97, 98, 99]"]);
    }
}

/// What a program leaves behind: complete and open requests, and those it has freed that go on; not those that are parts of
/// others, nor those that are freed and complete.
#[test]
fn requests_left_open() {
    let (mut process, mut actions) = alone(0);
    let copy = process.duplicate(WORLD).expect("the world");
    let mut receive = |process: &mut Process, on, from, tag| {
        process.receive(&mut actions, on, from, tag, 1).expect("valid")
    };
    let any = receive(&mut process, copy, ANY_SOURCE, ANY_TAG);
    let freed = receive(&mut process, WORLD, 1, 7);
    let nobody = receive(&mut process, WORLD, PROC_NULL, 3);
    let gone = process.open();
    for id in [freed, gone] {
        process.release(id).expect("a request");
    }
    process.fulfil(&mut actions, gone).expect("it is open");
    assert_eq!(process.next_released(), Some(gone));
    let exchange =
        Exchange { to: 1, send_tag: 4, data: Data::Length(3), from: 1, receive_tag: 5, capacity: 1 };
    let exchanged = process.exchange(&mut actions, WORLD, exchange).expect("valid");
    let world = "communicator MPI_COMM_WORLD";
    let left: Vec<_> = process
        .open_requests()
        .map(|open| {
            let details = open.details.iter().map(|(name, value)| format!("{name} {value}"));
            (open.id, open.fate, details.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let expected = [
        (any, Fate::Open, "peer any, tag any, communicator dup of MPI_COMM_WORLD".to_owned()),
        (freed, Fate::Freed, format!("peer 1, tag 7, {world}")),
        (nobody, Fate::Complete, world.to_owned()),
        (exchanged, Fate::Open, format!("peer 1, tag 5, {world}")),
    ];
    assert_eq!(left, expected);
    assert!(process.open_request_ids().eq([any, freed, nobody, exchanged]));
    // Of these, those of a communicator that go on; the parts of the exchange are its own.
    assert_eq!((process.pending(WORLD), process.pending(copy)), (vec![freed, exchanged], vec![any]));
    process.free(copy).expect("it is there");
    let details = process.open_requests().next().expect("the first").details;
    assert_eq!(details.last(), Some(&("communicator", "freed".to_owned())));
}

/// Operations of the same ranks, communicator and tag meet in their order: two at once, the second of which is ready first.
/// What is there of a complete receive can be looked at as well.
#[test]
fn partitioned_operations_meet_in_order() {
    let scripts = || {
        let sender = vec![step(|process, actions, notes| {
            let [first, second] = [(); 2].map(|()| process.partitioned_send(WORLD, 1, 5).expect("valid"));
            for (channel, data) in [(second, b"CD"), (first, b"AB")] {
                let id = process.start_partitioned_send(actions, &channel, 2);
                (0..2).for_each(|part| {
                    process.partition_ready(actions, id, &channel, part, &data[part as usize..][..1]);
                });
                notes.requests.push(id);
            }
        })];
        // The messages are there before a receive matches them.
        let later: Step = Box::new(|process, _, _| process.unexpected() == 4);
        let start = step(|process, actions, notes| {
            for _ in 0..2 {
                let channel = process.partitioned_receive(WORLD, 0, 5).expect("valid");
                let room = vec![0; 2].into();
                notes.requests.push(process.start_partitioned_receive(actions, &channel, room));
            }
        });
        let look: Step = Box::new(|process, _, notes| {
            let id = notes.requests[0];
            let complete = process.is_complete(id) == Ok(true);
            if complete {
                assert_eq!(process.partition(id, 1..2), Ok(Some(&b"B"[..])));
                assert_eq!(process.partition(id, 0..2), Ok(Some(&b"AB"[..])));
            }
            complete
        });
        vec![sender, vec![later, start, look, wait(0), wait(1)]]
    };
    check(scripts, &["0 5 [65, 66]", "0 5 [67, 68]"]);
}

/// Operations with other tags are others, in whatever order the two sides make them.
#[test]
fn partitioned_operations_are_made_in_any_order() {
    let scripts = || {
        let sender = step(|process, actions, notes| {
            for tag in [5, 6, 7] {
                let channel = process.partitioned_send(WORLD, 1, tag).expect("valid");
                let id = process.start_partitioned_send(actions, &channel, 1);
                process.partition_ready(actions, id, &channel, 0, vec![tag as u8]);
                notes.requests.push(id);
            }
        });
        let receiver = step(|process, actions, notes| {
            for tag in [7, 5, 6] {
                let channel = process.partitioned_receive(WORLD, 0, tag).expect("valid");
                let id = process.start_partitioned_receive(actions, &channel, vec![0].into());
                notes.requests.push(id);
            }
        });
        vec![vec![sender], vec![receiver, wait(0), wait(1), wait(2)]]
    };
    check(scripts, &["0 7 [7]", "0 5 [5]", "0 6 [6]"]);
}

/// To nobody, and without partitions, there is nothing to wait for.
#[test]
fn partitioned_sends_of_nothing() {
    let (mut process, mut actions) = alone(9);
    for (to, partitions, complete) in [(PROC_NULL, 3, true), (1, 0, true), (1, 1, false)] {
        let channel = process.partitioned_send(WORLD, to, 5).expect("valid");
        let id = process.start_partitioned_send(&mut actions, &channel, partitions);
        assert_eq!(process.is_complete(id), Ok(complete), "{partitions} to {to}");
    }
}

/// Whatever a rank starts, it starts no earlier than now, however long it has slept.
#[test]
fn a_rank_that_does_something_is_not_behind() {
    type Call = fn(&mut Process, &mut Actions<Body>);
    let calls: [Call; 9] = [
        |process, actions| drop(process.send(actions, Mode::Standard, WORLD, 1, 0, &b"x"[..])),
        |process, actions| drop(process.receive(actions, WORLD, 1, 0, 1)),
        |process, actions| {
            let (to, from, data) = (1, 1, Data::Length(1));
            let exchange = Exchange { to, send_tag: 0, data, from, receive_tag: 0, capacity: 1 };
            drop(process.exchange(actions, WORLD, exchange));
        },
        |process, actions| {
            let id = process.open();
            drop(process.cancel(actions, id));
        },
        |process, actions| {
            let channel = process.partitioned_send(WORLD, 1, 5).expect("valid");
            process.start_partitioned_send(actions, &channel, 1);
        },
        |process, actions| {
            let channel = process.partitioned_send(WORLD, 1, 5).expect("valid");
            let mut before = Actions::elsewhere(Time::ZERO, Rank(0), 0);
            let id = process.start_partitioned_send(&mut before, &channel, 1);
            process.partition_ready(actions, id, &channel, 0, Data::Length(1));
        },
        |process, actions| {
            let channel = process.partitioned_receive(WORLD, 1, 5).expect("valid");
            process.start_partitioned_receive(actions, &channel, vec![0].into());
        },
        |process, actions| {
            let plan = Plan::barrier(&Choice::default(), Place { rank: 0, size: 2 });
            let meeting = Meeting::InOrder;
            drop(process.start_collective(actions, WORLD, meeting, &plan, vec![], None));
        },
        |process, actions| {
            let id = process.open_window(WORLD).expect("the world");
            process.lock_window(actions, id, 1, Lock::Shared, Conflicts::Possible).expect("no epoch");
        },
    ];
    for (number, call) in calls.into_iter().enumerate() {
        let (mut process, mut actions) = alone(9);
        call(&mut process, &mut actions);
        assert_eq!(process.clock(), Time::from_ps(100_000), "call {number}");
    }
}
