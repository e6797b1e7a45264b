//! What an observer gets of each call, in the order of the calls.

use super::*;
use crate::observer::{Observation, Observer, SharedObserver, Watched};
use crate::process::Ending;
use crate::window::{AfterFence, Conflicts, Lock, What};
use crate::{Group, Meeting, PROC_NULL, Protocol, SendChoices};
use std::sync::{Arc, Mutex};
use weir_collectives::{Choice, Place, Plan};
use weir_operations::Operation;

/// By rank: what it has got, in words.
#[derive(Default)]
struct Observed(Vec<Vec<String>>);

impl Observer for Observed {
    fn begins(&mut self, _: Rank, _: &'static str, _: Time) -> Result<(), String> {
        Ok(())
    }

    fn does(&mut self, process: &dyn Watched, operation: &Operation) {
        self.0[process.rank().index()].push(format!("{operation:?}"));
    }

    fn notices(&mut self, process: &dyn Watched, observation: Observation<'_>) {
        self.0[process.rank().index()].push(match observation {
            Observation::Completed(id) => format!("completed {}", id.0),
            Observation::Finished(id, _) => format!("finished {}", id.0),
            Observation::Flushes(of, id) => format!("flushes {of:?}: {}", id.0),
            more => format!("{more:?}"),
        });
    }

    fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
        Ok(())
    }

    fn over(&mut self, _: Rank, _: Time) {}
}

/// A rank of so many that is watched, and what is observed of it.
fn watched(rank: u32, size: usize) -> (Process, Arc<Mutex<Observed>>) {
    let observed = Arc::new(Mutex::new(Observed(vec![Vec::new(); size])));
    let process = Process::new(Rank(rank), size, Costs::default());
    (process.observed_by(Arc::clone(&observed) as SharedObserver), observed)
}

/// What is observed of a rank that calls these functions at the beginning, while nobody answers.
#[track_caller]
fn check(size: usize, calls: impl FnOnce(&mut Process, &mut Actions<Body>), expected: &[&str]) {
    let (mut process, observed) = watched(0, size);
    let mut actions = Actions::elsewhere(Time::ZERO, Rank(0), 0);
    calls(&mut process, &mut actions);
    assert_eq!(observed.lock().unwrap().0[0], expected);
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
    let nobody = "ReceiveSource { source: None, tag: None, asked: Nobody }";
    let nothing = |bytes| {
        format!("Receive {{ from: {nobody}, bytes: {bytes}, communicator: 0, request: Some(RequestId(1)) }}")
    };
    let expected = [
        "Send { mode: Standard, to: None, tag: 3, bytes: 3, communicator: 0, request: None }",
        "Send { mode: Synchronous, to: Some(1), tag: 4, bytes: 4, communicator: 0, request: Some(RequestId(0)) }",
        &nothing(7),
        "Send { mode: Standard, to: Some(1), tag: 5, bytes: 2, communicator: 0, request: Some(RequestId(1)) }",
        "Receive { from: ReceiveSource { source: Some(1), tag: Some(8), asked: Both }, bytes: 9, communicator: 0, request: Some(RequestId(2)) }",
        "Cancel { request: RequestId(2) }",
        "Release { request: RequestId(2) }",
        "Open { request: RequestId(3) }",
        "Fulfil { request: RequestId(3) }",
        "finished 1",
        &nothing(0),
        "Send { mode: Buffered, to: Some(1), tag: 4, bytes: 1, communicator: 0, request: None }",
        "flushes Process: 5",
        "Choose(Choices { protocol: Eager, copying: Auto, nic: None, gap: None })",
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
        "Channel { channel: 0, side: Send, peer: Some(1), tag: 5, communicator: 0 }",
        "StartSend { channel: 0, partitions: 2, request: RequestId(0) }",
        "Ready { request: RequestId(0), number: 1, bytes: 3 }",
        "Channel { channel: 1, side: Receive, peer: Some(1), tag: 6, communicator: 0 }",
        // Request 2 is that of its first message.
        "StartReceive { channel: 1, bytes: 4, request: RequestId(1) }",
        "Channel { channel: 2, side: Receive, peer: None, tag: 6, communicator: 0 }",
        "StartReceive { channel: 2, bytes: 3, request: RequestId(3) }",
        "Collective { collective: Collective { function: Barrier, root: None, lengths: None, combines: Combining { operation: None, element: None } }, communicator: 2, persistent: None, request: Some(RequestId(4)) }",
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
    let expected = [
        "Window { communicator: 2, operation: Open }",
        "Window { communicator: 2, operation: Fence { after: Nothing } }",
        "Window { communicator: 2, operation: Post { group: [1, 2], conflicts: RuledOut } }",
        "Window { communicator: 2, operation: Wait { look: No } }",
        "Window { communicator: 2, operation: Start { group: [1, 2], conflicts: RuledOut } }",
        "Window { communicator: 2, operation: Complete }",
        "Window { communicator: 2, operation: Lock { rank: 1, lock: Shared, conflicts: RuledOut } }",
        // The put is over at once, request 0; the get is not.
        "completed 0",
        "Access { access: Put, target: 1, bytes: 2, communicator: 2, request: None }",
        "Access { access: Get, target: 1, bytes: 3, communicator: 2, request: Some(RequestId(1)) }",
        "Window { communicator: 2, operation: Unlock { rank: 1 } }",
        "Window { communicator: 2, operation: LockAll { asks: AtOnce, conflicts: Possible } }",
        "Window { communicator: 2, operation: UnlockAll }",
        "Window { communicator: 2, operation: Close }",
    ];
    check(3, calls, &expected);
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
    let expected = [
        "Match { from: ReceiveSource { source: Some(0), tag: Some(7), asked: Both }, communicator: 0, look: No, message: RequestId(0) }",
        "ReceiveMatched { message: RequestId(0), bytes: 9, request: Some(RequestId(0)) }",
        "finished 0",
    ];
    assert_eq!(observed.lock().unwrap().0[1], expected);
}
