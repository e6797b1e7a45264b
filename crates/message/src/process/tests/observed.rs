//! What an observer gets of each call, in the order of the calls.

use super::*;
use crate::observer::{Deed, Observer, PartitionedDeed, SharedObserver};
use crate::process::Ending;
use crate::window::{AfterFence, Conflicts, Lock, What};
use crate::{Group, Meeting, PROC_NULL, Protocol, SendChoices};
use std::cell::RefCell;
use std::rc::Rc;
use weir_collectives::{Choice, Place, Plan};

/// By rank: what it has got, in words.
#[derive(Default)]
struct Observed(Vec<Vec<String>>);

impl Observer for Observed {
    fn begins(&mut self, _: Rank, _: &'static str, _: Time) -> Result<(), String> {
        Ok(())
    }

    fn does(&mut self, rank: Rank, _: Time, deed: Deed<'_>) {
        self.0[rank.index()].push(in_words(deed));
    }

    fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
        Ok(())
    }

    fn over(&mut self, _: Rank, _: Time) {}
}

fn in_words(deed: Deed<'_>) -> String {
    match deed {
        Deed::Send { mode, to, tag, bytes, request, .. } => {
            format!("{mode:?} send to {to}, tag {tag}, {bytes} bytes: {request:?}")
        }
        Deed::Completed(id) => format!("complete {}", id.0),
        Deed::Receive { source, tag, capacity, request, .. } => {
            format!("receive from {source}, tag {tag}, {capacity} bytes: {}", request.0)
        }
        Deed::Exchange { to, send_tag, bytes, source, receive_tag, capacity, request, .. } => format!(
            "exchange to {to}, tag {send_tag}, {bytes} bytes; from {source}, tag {receive_tag}, {capacity}: {}",
            request.0
        ),
        Deed::Collective { communicator, meeting, request, .. } => {
            format!("collective {meeting:?} on {}: {}", communicator.name, request.0)
        }
        Deed::Match { source, tag, message, status, .. } => {
            format!("match from {source}, tag {tag}: message {}, {} bytes", message.0, status.bytes)
        }
        Deed::ReceiveMatched { message, capacity, request } => {
            format!("receive {message:?}, {capacity} bytes: {}", request.0)
        }
        Deed::Finish { request, .. } => format!("finish {}", request.0),
        Deed::Flush { of, request } => format!("flush {of:?}: {}", request.0),
        Deed::Release(id) => format!("release {}", id.0),
        Deed::Cancel(id) => format!("cancel {}", id.0),
        Deed::Choose(choices) => format!("choose {:?}", choices.protocol),
        Deed::Open(id) => format!("open {}", id.0),
        Deed::Fulfil(id) => format!("fulfil {}", id.0),
        Deed::Window { communicator, deed } => format!("{}: {deed:?}", communicator.name),
        Deed::Partitioned { deed, .. } => match deed {
            PartitionedDeed::Send { to, tag, .. } => format!("partitioned to {to}, tag {tag}"),
            PartitionedDeed::Receive { source, tag, .. } => format!("partitioned from {source}, tag {tag}"),
            PartitionedDeed::StartSend { partitions, request } => {
                format!("start {partitions} partitions: {}", request.0)
            }
            PartitionedDeed::StartReceive { capacity, request } => {
                format!("start to receive {capacity}: {}", request.0)
            }
            PartitionedDeed::Ready { number, bytes, request } => {
                format!("partition {number} of {} is ready, {bytes} bytes", request.0)
            }
        },
        _ => "something else".into(),
    }
}

/// A rank of so many that is watched, and what is observed of it.
fn watched(rank: u32, size: usize) -> (Process, Rc<RefCell<Observed>>) {
    let observed = Rc::new(RefCell::new(Observed(vec![Vec::new(); size])));
    let process = Process::new(Rank(rank), size, Costs::default());
    (process.observed_by(Rc::clone(&observed) as SharedObserver), observed)
}

/// What is observed of a rank that calls these functions at the beginning, while nobody answers.
#[track_caller]
fn check(size: usize, calls: impl FnOnce(&mut Process, &mut Actions<Body>), expected: &[&str]) {
    let (mut process, observed) = watched(0, size);
    let mut actions = Actions::elsewhere(Time::ZERO, Rank(0), 0);
    calls(&mut process, &mut actions);
    assert_eq!(observed.borrow().0[0], expected);
}

#[test]
fn requests() {
    let calls = |process: &mut Process, actions: &mut Actions<Body>| {
        process.send(actions, Mode::Standard, WORLD, PROC_NULL, 3, &b"abc"[..]).expect("to nobody");
        process.send(actions, Mode::Synchronous, WORLD, 1, 4, &b"abcd"[..]).expect("a rank");
        let (data, capacity) = (b"to"[..].into(), 7);
        let exchange = Exchange { to: 1, send_tag: 5, data, from: PROC_NULL, receive_tag: 6, capacity };
        let exchanged = process.exchange(actions, WORLD, exchange).expect("valid");
        let received = process.receive(actions, WORLD, 1, 8, 9).expect("valid");
        process.cancel(actions, received).expect("a request");
        process.release(received).expect("a request");
        let open = process.open();
        process.fulfil(actions, open).expect("it is open");
        process.finish(exchanged).expect("it is complete");
        process.receive_nothing();
        process.attach_buffer(BufferOf::Process, Some(1000)).expect("there is none");
        process.send(actions, Mode::Buffered, WORLD, 1, 4, &b"x"[..]).expect("there is room");
        process.flush_buffer(BufferOf::Process).expect("there is one");
        process.choose(SendChoices { protocol: Protocol::Eager, ..SendChoices::default() });
    };
    // The exchange is request 1, its receive from nobody is none.
    let expected = [
        "Standard send to -3, tag 3, 3 bytes: None",
        "Synchronous send to 1, tag 4, 4 bytes: Some(RequestId(0))",
        "exchange to 1, tag 5, 2 bytes; from -3, tag 6, 7: 1",
        "receive from 1, tag 8, 9 bytes: 2",
        "cancel 2",
        "release 2",
        "open 3",
        "fulfil 3",
        "finish 1",
        "receive None, 0 bytes: 1",
        "Buffered send to 1, tag 4, 1 bytes: None",
        "flush Process: 5",
        "choose Eager",
    ];
    check(2, calls, &expected);
}

#[test]
fn partitions_and_collectives() {
    let calls = |process: &mut Process, actions: &mut Actions<Body>| {
        let out = process.partitioned_send(WORLD, 1, 5).expect("valid");
        let sent = process.start_partitioned_send(actions, &out, 2);
        process.partition_ready(actions, sent, &out, 1, &b"abc"[..]);
        let into = process.partitioned_receive(WORLD, 1, 6).expect("valid");
        process.start_partitioned_receive(actions, &into, vec![0; 4].into());
        let nobody = process.partitioned_receive(WORLD, PROC_NULL, 6).expect("valid");
        process.start_partitioned_receive(actions, &nobody, vec![0; 3].into());
        let copy = process.duplicate(WORLD).expect("the world");
        let plan = Plan::barrier(&Choice::default(), Place { rank: 0, size: 2 });
        process.start_collective(actions, copy, Meeting::InOrder, &plan, vec![], None).expect("valid");
    };
    let expected = [
        "partitioned to 1, tag 5",
        "start 2 partitions: 0",
        "partition 1 of 0 is ready, 3 bytes",
        "partitioned from 1, tag 6",
        // Request 2 is that of its first message.
        "start to receive 4: 1",
        "partitioned from -3, tag 6",
        "start to receive 3: 3",
        "collective InOrder on dup of MPI_COMM_WORLD: 4",
    ];
    check(2, calls, &expected);
}

#[test]
fn windows() {
    let calls = |process: &mut Process, actions: &mut Actions<Body>| {
        let id = process.open_window(WORLD).expect("the world");
        let group = Group::new(&[Rank(1), Rank(2)]);
        process.end_fence(id, AfterFence::Nothing).expect("a window");
        process.post_window(actions, id, &group, Conflicts::RuledOut).expect("nothing is in the way");
        process.end_exposure(id).expect("it is exposed");
        process.start_window(id, group, Conflicts::RuledOut).expect("no epoch");
        process.complete_window(actions, id).expect("it is started");
        process.lock_window(actions, id, 1, Lock::Shared, Conflicts::RuledOut).expect("no epoch");
        for (what, bytes, data) in [(What::Put, 2, &b"ab"[..]), (What::Get, 3, b"")] {
            let ending = Ending::Requested;
            let access = super::windows::access_of(what, 0, data, bytes);
            process.access(actions, id, 1, access, ending).expect("it is locked");
        }
        process.unlock_window(actions, id, 1).expect("it is locked");
        process.lock_all(actions, id, &[Rank(2)], Conflicts::Possible).expect("no epoch");
        process.unlock_all(actions, id).expect("all are locked");
        process.close_window(id).expect("a window");
    };
    let observed = [
        "Open",
        "Fence(Nothing)",
        "Post(Strided { first: 1, stride: 1, size: 2 }, RuledOut)",
        "EndExposure",
        "Start(Strided { first: 1, stride: 1, size: 2 }, RuledOut)",
        "Complete",
        "Lock { rank: 1, lock: Shared, conflicts: RuledOut }",
        // The put is over at once, request 0; the get is not.
        "Access { what: Put, target: 1, given: 2, bytes: 2, request: None }",
        "Access { what: Get, target: 1, given: 0, bytes: 3, request: Some(RequestId(1)) }",
        "Unlock(1)",
        "LockAll([Rank(2)], Possible)",
        "UnlockAll",
        "Close",
    ];
    let mut expected: Vec<String> =
        observed.iter().map(|line| format!("window on MPI_COMM_WORLD: {line}")).collect();
    expected.insert(7, "complete 0".into());
    check(3, calls, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

/// A message that is found, and received by its name.
#[test]
fn a_matched_message() {
    let (process, observed) = watched(1, 2);
    let steps = vec![
        match_message(0, 7),
        step(|process, actions, notes| {
            let id = notes.messages[0];
            notes.requests.push(process.receive_matched(actions, id, 9).expect("it is matched"));
        }),
        wait(0),
    ];
    let sender = Process::new(Rank(0), 2, Costs::default());
    let script = |process, steps| Scripted { process, steps, next: 0, notes: Notes::default() };
    let mut ranks = [script(sender, vec![send(Mode::Standard, 1, 7, b"ab")]), script(process, steps)];
    let placement = Placement::one_per_node(2);
    let ended = Ideal::default().run(&mut ranks, RunContext::new(&placement));
    assert_eq!(ended.outcome, Outcome::Finished);
    let expected =
        ["match from 0, tag 7: message 0, 2 bytes", "receive Some(MessageId(0)), 9 bytes: 0", "finish 0"];
    assert_eq!(observed.borrow().0[1], expected);
}
