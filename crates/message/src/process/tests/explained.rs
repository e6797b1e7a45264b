//! Whom a rank waits for, in the words of the table of a deadlock.

use super::*;
use crate::{ANY_SOURCE, ANY_TAG, Data, Meeting};
use weir_collectives::{Choice, Place, Plan};

/// Rank 0 of three, which nobody answers: messages of one byte are eager, two in a row.
fn alone() -> (Process, Actions<Body>) {
    let costs = Costs { eager_limit: Bytes(1), eager_messages: 2, ..Costs::default() };
    (Process::new(Rank(0), 3, costs), Actions::elsewhere(Time::ZERO, Rank(0), 0))
}

#[track_caller]
fn explains(process: &Process, ids: &[RequestId], peer: Peer, details: &[(&'static str, &str)]) {
    let (found, said) = process.explain(ids);
    let said: Vec<_> = said.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!((found, said.as_slice()), (peer, details));
}

const ON_THE_WORLD: (&str, &str) = ("communicator", "MPI_COMM_WORLD");

/// What is complete is not waited for; of several others their number is reported.
#[test]
fn one_or_several_requests() {
    let (mut process, mut actions) = alone();
    let any = process.receive(&mut actions, WORLD, ANY_SOURCE, ANY_TAG, 1).expect("valid");
    let one = process.receive(&mut actions, WORLD, 2, 7, 1).expect("valid");
    let done = process.completed();
    explains(&process, &[any], Peer::Any, &[("tag", "any"), ON_THE_WORLD]);
    explains(&process, &[done, one], Peer::Rank(Rank(2)), &[("tag", "7"), ON_THE_WORLD]);
    explains(&process, &[any, done, one], Peer::Several, &[("requests", "2")]);
    let open = process.open();
    explains(&process, &[open], Peer::Any, &[("request", "generalized, or of buffered messages")]);
    let copy = process.duplicate(WORLD).expect("the world");
    let there = process.receive(&mut actions, copy, 1, 7, 1).expect("valid");
    process.free(copy).expect("it is there");
    explains(&process, &[there], Peer::Any, &[("tag", "7"), ("communicator", "freed")]);
}

/// The third message in a row asks, and it is said why. A longer one would ask in any case, and so would one to whom nothing
/// has been sent.
#[test]
fn messages_that_ask_because_of_those_before() {
    let (mut process, mut actions) = alone();
    let mut send = |process: &mut Process, mode, to, bytes| {
        process.send(&mut actions, mode, WORLD, to, 4, Data::Length(bytes)).expect("valid")
    };
    assert_eq!([1, 1].map(|to| send(&mut process, Mode::Standard, to, 1)), [None, None]);
    let third = send(&mut process, Mode::Standard, 1, 1).expect("it asks");
    let usual = [("tag", "4"), ON_THE_WORLD];
    let in_a_row = [usual[0], usual[1], ("eager messages in a row before", "2")];
    explains(&process, &[third], Peer::Rank(Rank(1)), &in_a_row);
    let long = send(&mut process, Mode::Standard, 1, 2).expect("it asks");
    explains(&process, &[long], Peer::Rank(Rank(1)), &usual);
    let other = send(&mut process, Mode::Synchronous, 2, 1).expect("it asks");
    explains(&process, &[other], Peer::Rank(Rank(2)), &usual);
}

/// An exchange waits for its parts: with one rank, or with two.
#[test]
fn exchanges() {
    let (mut process, mut actions) = alone();
    let mut exchange = |process: &mut Process, to, bytes, from| {
        let data = Data::Length(bytes);
        let exchange = Exchange { to, send_tag: 3, data, from, receive_tag: 4, capacity: 9 };
        process.exchange(&mut actions, WORLD, exchange).expect("valid")
    };
    let same = exchange(&mut process, 1, 5, 1);
    explains(&process, &[same], Peer::Rank(Rank(1)), &[("tag", "4"), ON_THE_WORLD]);
    let two = exchange(&mut process, 1, 5, 2);
    explains(&process, &[two], Peer::Several, &[("requests", "2")]);
    // What is sent eagerly is over.
    let one = exchange(&mut process, 1, 1, 2);
    explains(&process, &[one], Peer::Rank(Rank(2)), &[("tag", "4"), ON_THE_WORLD]);
}

/// A partitioned send waits for partitions to be ready, and then for its receiver.
#[test]
fn partitions() {
    let (mut process, mut actions) = alone();
    let channel = process.partitioned_send(WORLD, 2, 6).expect("valid");
    let id = process.start_partitioned_send(&mut actions, &channel, 3);
    let usual = [("tag", "6"), ON_THE_WORLD];
    for (number, missing) in [(0, "3"), (1, "2"), (2, "1")] {
        let not_ready = [usual[0], usual[1], ("partitions not ready", missing)];
        explains(&process, &[id], Peer::Rank(Rank(2)), &not_ready);
        process.partition_ready(&mut actions, id, &channel, number, Data::Length(5));
    }
    explains(&process, &[id], Peer::Rank(Rank(2)), &usual);
}

/// A collective waits for those that its round waits for.
#[test]
fn collectives() {
    let (mut process, mut actions) = alone();
    let copy = process.duplicate(WORLD).expect("the world");
    let mut flat = Choice::default();
    flat.set("gather", "flat").expect("in the catalog");
    let place = Place { rank: 0, size: 3 };
    let mut start = |process: &mut Process, plan: &Plan| {
        let room = vec![0; plan.workspace];
        process.start_collective(&mut actions, copy, Meeting::InOrder, plan, room, None).expect("valid")
    };
    let on = ("communicator", "dup of MPI_COMM_WORLD");
    // In the first round of a dissemination rank 0 gets a message of rank 2.
    let barrier = start(&mut process, &Plan::barrier(&Choice::default(), place));
    explains(&process, &[barrier], Peer::Rank(Rank(2)), &[("round", "1 of 2"), on]);
    let gather = start(&mut process, &Plan::gather(&flat, place, 0, 4));
    explains(&process, &[gather], Peer::Several, &[("round", "1 of 1"), on]);
    process.free(copy).expect("it is there");
    explains(&process, &[barrier], Peer::Rank(Rank(2)), &[("round", "1 of 2"), ("communicator", "freed")]);
}
