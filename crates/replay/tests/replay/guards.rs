//! What cannot be logged or replayed is refused in words, with the call or the event and the rank.

use crate::logged::{replay, setting, try_log};
use std::sync::Arc;
use weir_capi::harness::*;
use weir_formats::profile::{
    Act, Collective, Communicators, Event, Function, Lengths, Mode, PollFirst, Profile, ReceiveSource,
    Request, Requests, Root, WORLD as WORLD_OF_PROFILE, Wildcards,
};
use weir_network::{Outcome, Peer};
use weir_replay::{Replay, Setting};
use weir_units::{Duration, Rank};

const WORLD: usize = MPI_COMM_WORLD;

#[test]
fn calls_that_a_profile_cannot_hold() {
    type Body = fn(usize);
    let cases: [(&str, Body); 3] = [
        ("MPI_Comm_attach_buffer", |_| mpi!(Comm_attach_buffer, WORLD, 2, 0)),
        ("MPI_Comm_attach_buffer_c", |_| mpi!(Comm_attach_buffer_c, WORLD, 2, 0)),
        ("MPI_Buffer_iflush", |_| mpi!(Wait, &mut get_handle!(Buffer_iflush), NULL)),
    ];
    for (call, body) in cases {
        let why = try_log(Machine::timed(2), body).err().expect("it cannot be logged");
        assert!(
            why.contains(&format!("{call}: this was called, which a profile cannot hold (rank 0)")),
            "{why}"
        );
    }
}

fn event(act: Act) -> Event {
    Event { compute: Duration::ZERO, took: None, act }
}

fn send(to: u32, tag: i32, bytes: u64) -> Event {
    let mode = Mode::Standard;
    event(Act::Send { mode, to: Some(to), tag, bytes, communicator: WORLD_OF_PROFILE, request: None })
}

fn receive(source: u32, tag: i32, bytes: u64) -> Event {
    let from = ReceiveSource { source: Some(source), tag: Some(tag), asked: Wildcards::Both };
    event(Act::Receive { from, bytes, communicator: WORLD_OF_PROFILE, request: None })
}

/// A profile of these events, with an end behind each.
fn profile(ranks: Vec<Vec<Event>>) -> Arc<Profile> {
    let with_end = |mut events: Vec<Event>| {
        events.push(event(Act::End));
        events
    };
    let ranks = ranks.into_iter().map(with_end).collect();
    Arc::new(Profile::new("a test", Communicators::default(), ranks).unwrap())
}

fn outcome(ranks: Vec<Vec<Event>>, choose: impl FnOnce(&mut Setting)) -> Outcome {
    let machine = Machine::timed(ranks.len());
    let mut setting = setting(&machine);
    choose(&mut setting);
    replay(&profile(ranks), &machine, setting).0.outcome
}

fn why(outcome: Outcome) -> (usize, String) {
    match outcome {
        Outcome::Aborted { rank, why } => (rank.index(), why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn events_that_cannot_be() {
    // A message that is longer than the room for it.
    let (rank, text) = why(outcome(vec![vec![send(1, 0, 9)], vec![receive(0, 0, 8)]], |_| {}));
    assert!(rank == 1 && text.starts_with("event 0 of its profile, recv: MPI_ERR_TRUNCATE"), "{text}");
    // A program that was logged has gone on after it.
    let mut gone_on = receive(0, 0, 8);
    gone_on.took = Some(Duration::ZERO);
    assert_eq!(outcome(vec![vec![send(1, 0, 9)], vec![gone_on]], |_| {}), Outcome::Finished);
    // An algorithm that is not possible with three ranks.
    let alltoall = || {
        let collective = Collective::new(Function::Alltoall, Root::None, Lengths::Bytes(8));
        let (communicator, persistent, request) = (WORLD_OF_PROFILE, None, None);
        vec![event(Act::Collective { collective: Box::new(collective), communicator, persistent, request })]
    };
    let pairwise = |setting: &mut Setting| setting.choice.set("alltoall", "pairwise").unwrap();
    let (_, text) = why(outcome(vec![alltoall(), alltoall(), alltoall()], pairwise));
    assert!(
        text.starts_with("event 0 of its profile, alltoall: ") && text.contains("power of two"),
        "{text}"
    );
    assert_eq!(outcome(vec![alltoall(), alltoall()], pairwise), Outcome::Finished);
}

/// Who waits, in which event, for whom; and how often the two sides name each other.
#[test]
fn a_deadlock_names_the_event() {
    let ranks = vec![vec![receive(1, 3, 8)], vec![send(0, 4, 8)]];
    let Outcome::Deadlock(waiting) = outcome(ranks, |_| {}) else { panic!("a deadlock") };
    let [one] = &waiting[..] else { panic!("one rank waits: {waiting:?}") };
    assert_eq!((one.rank, one.call.as_str(), one.peer), (Rank(0), "recv (event 0)", Peer::Rank(Rank(1))));
    let both = one.details.iter().find(|(name, _)| *name == "profile").map(|(_, words)| words.as_str());
    let words = "rank 1 sends 0 such messages to rank 0, which receives 1 of them by name";
    assert_eq!(both, Some(words));
    // A wait for two requests, of which one comes.
    let started = |tag, number| {
        let Event { act: Act::Receive { from, bytes, communicator, .. }, .. } = receive(1, tag, 8) else {
            unreachable!("it is a receive")
        };
        event(Act::Receive { from, bytes, communicator, request: Some(Request(number)) })
    };
    let requests = Requests::new(&[Request(0), Request(1)]);
    let wait = event(Act::Wait { requests, look: PollFirst::No });
    let ranks = vec![vec![started(3, 0), started(4, 1), wait], vec![send(0, 3, 8)]];
    let Outcome::Deadlock(waiting) = outcome(ranks, |_| {}) else { panic!("a deadlock") };
    assert_eq!(waiting[0].call, "wait (event 2)");
    // A probe.
    let from = ReceiveSource { source: Some(1), tag: Some(5), asked: Wildcards::Both };
    let probe = event(Act::Probe { from, communicator: WORLD_OF_PROFILE, look: PollFirst::Yes });
    let Outcome::Deadlock(waiting) = outcome(vec![vec![probe], vec![]], |_| {}) else { panic!("a deadlock") };
    assert_eq!((waiting[0].call.as_str(), waiting[0].peer), ("probe (event 0)", Peer::Rank(Rank(1))));
}

/// Times are kept where that is asked for only; how many events are over is known in any case.
#[test]
fn times_on_demand() {
    let machine = Machine::timed(2);
    let known = profile(vec![vec![send(1, 0, 8)], vec![receive(0, 0, 8)]]);
    let (_, ranks): (_, Vec<Replay>) = replay(&known, &machine, setting(&machine));
    assert_eq!((ranks[1].times().len(), ranks[1].done()), (2, 2));
    let costs = machine.options.costs.clone();
    let (ended, ranks) = replay(&known, &machine, Setting { costs, ..Setting::default() });
    assert_eq!((ranks[1].times().len(), ranks[1].done()), (0, 2));
    // 10 and a copy of 4, 8 bytes, 1000, 10.
    assert_eq!(ended.at.as_ps(), 1_032_000);
}
