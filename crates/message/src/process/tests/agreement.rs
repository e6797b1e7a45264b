//! Collectives that do not meet their like, that are started in another order, and that a function of the program computes.

use super::*;
use crate::{Combine, Envelope, Meeting};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use weir_collectives::{Call, Choice, Function, OperandOrder, Place, Plan};
use weir_network::{Class, Message};
use weir_units::mix;

/// Rank 1 of three.
fn alone() -> (Process, Actions<Body>) {
    (Process::new(Rank(1), 3, Costs::default()), Actions::elsewhere(Time::ZERO, Rank(1), 0))
}

/// What is written on the messages of rank 0 in this call of the world, the first or a later one.
fn envelope(call: Call, place: i32) -> Envelope {
    Envelope { context: call.mark(mix(0)), source: 0, tag: place }
}

fn message(sequence: u64, body: Body) -> Message<Body> {
    Message {
        from: Rank(0),
        to: Rank(1),
        bytes: Bytes(4),
        class: Class::Data,
        sequence,
        replies_to: None,
        posted: Time::ZERO,
        started: Time::ZERO,
        way: None,
        trail: None,
        body,
    }
}

fn eager(envelope: Envelope) -> Body {
    Body::Eager { envelope, data: b"abcd"[..].into() }
}

const PLACE: Place = Place { rank: 1, size: 3 };

fn flat() -> Choice {
    let mut flat = Choice::default();
    ["bcast", "gather"].into_iter().for_each(|key| flat.set(key, "flat").expect("in the catalog"));
    flat
}

fn bcast(root: usize) -> Plan {
    Plan::bcast(&flat(), PLACE, root, 4)
}

fn start(process: &mut Process, actions: &mut Actions<Body>, plan: &Plan) -> Result<RequestId, MpiError> {
    let room = vec![0; plan.workspace];
    process.start_collective(actions, WORLD, Meeting::InOrder, plan, room, None)
}

/// A program may make and end as many communicators as it likes: nothing is kept of those that are freed.
#[test]
fn freed_communicators_are_forgotten() {
    let (mut process, mut actions) = alone();
    for _ in 0..10 {
        let copy = process.duplicate(WORLD).expect("there is a world");
        let plan = bcast(0);
        let room = vec![0; plan.workspace];
        let begun = process.start_collective(&mut actions, copy, Meeting::InOrder, &plan, room, None);
        begun.expect("nobody has called another one");
        assert_eq!(process.begun.last.len(), 1);
        process.free(copy).expect("it has just been made");
        assert_eq!(process.begun.last.len(), 0);
    }
}

/// A message of another collective in this place has come before: the collective is refused. Messages of the same one, of
/// later ones and of the program do not hinder it.
#[test]
fn a_collective_that_others_have_not_called_is_refused() {
    let own = Call::with_root(Function::Bcast, 0);
    for (wrong, refused) in [
        (envelope(Call::with_root(Function::Reduce, 0), 1), true),
        (envelope(Call::with_root(Function::Bcast, 2), 1), true),
        (envelope(own, 1), false),
        (envelope(Call::with_root(Function::Reduce, 0), 2), false),
        (Envelope { context: 0, source: 0, tag: 1 }, false),
    ] {
        let (mut process, mut actions) = alone();
        process.arrived(&mut actions, message(0, eager(wrong)));
        assert_eq!(process.unexpected(), 1, "it is kept until it is known what it is");
        let started = start(&mut process, &mut actions, &bcast(0));
        assert_eq!(started.is_err(), refused, "{wrong:?}: {started:?}");
        if let Err(error) = started {
            let said = error.to_string();
            assert!(said.contains("rank 0 calls") && said.contains("where this rank calls"), "{said}");
        }
    }
}

/// A message of another collective comes while this one waits: it ends with an error, with the workspace as it is, and waits
/// for nothing any more. What rank 0 had already promised comes to nobody.
#[test]
fn a_collective_that_others_do_not_call_fails() {
    let wrong = envelope(Call::with_root(Function::Bcast, 0), 1);
    for promised in [false, true] {
        let (mut process, mut actions) = alone();
        let gather = Plan::gather(&flat(), PLACE, 1, 4);
        let id = start(&mut process, &mut actions, &gather).expect("nobody has called another");
        let (peer, _) = process.explain(&[id]);
        assert_eq!(peer, Peer::Several);
        if promised {
            let right = envelope(Call::with_root(Function::Gather, 1), 1);
            let asks = Body::RequestToSend { envelope: right, bytes: 4, send: 9 };
            process.arrived(&mut actions, message(0, asks));
        }
        assert_eq!(process.is_complete(id), Ok(false));
        process.arrived(&mut actions, message(1, eager(wrong)));
        assert_eq!(process.unexpected(), 0);
        let ended = process.finish(id).expect("it has ended");
        let said = ended.status.error.expect("with an error").to_string();
        assert!(said.contains("rank 0 calls") && said.contains("where this rank calls"), "{said}");
        assert_eq!(ended.data.length() as usize, gather.workspace);
        // Its receives are withdrawn; one that was promised data goes on for nobody.
        assert_eq!(process.requests.iter().count(), usize::from(promised));
        assert!(!process.has_combinations());
        // The next collective is another place, and nothing of this one is in its way.
        assert!(start(&mut process, &mut actions, &bcast(0)).is_ok());
        let right = envelope(Call::with_root(Function::Bcast, 0), 2);
        process.arrived(&mut actions, message(2, eager(right)));
        assert_eq!(process.unexpected(), 0);
    }
}

/// Numbers that are reserved count from one, and say which collectives meet, in whatever order they are started, and each
/// time.
#[test]
fn collectives_with_reserved_numbers_meet_in_any_order() {
    fn begin(number: u32) -> Step {
        step(move |process, actions, notes| {
            let place = Place { rank: process.rank().index(), size: 2 };
            let plan = Plan::bcast(&Choice::default(), place, 0, 1);
            let data = if place.rank == 0 { vec![number as u8 + 64] } else { vec![0] };
            let meeting = Meeting::Reserved(number);
            let started = process.start_collective(actions, WORLD, meeting, &plan, data, None);
            notes.requests.push(started.expect("the world exists"));
        })
    }
    let reserve = || {
        step(|process, _, _| {
            assert_eq!([(); 2].map(|()| process.reserve_collective(WORLD)), [Ok(1), Ok(2)]);
            assert_eq!(process.reserve_collective(CommunicatorId(9)), Err(MpiError::Communicator));
        })
    };
    let scripts = || {
        let first = vec![reserve(), begin(2), begin(1), wait(0), wait(1), begin(1), wait(2)];
        let second = vec![reserve(), begin(1), begin(2), wait(0), wait(1), begin(1), wait(2)];
        vec![first, second]
    };
    check(scripts, &["-1 -2 [65]", "-1 -2 [66]", "-1 -2 [65]"]);
}

/// A function of the program: the sum, which counts its calls.
struct Sum(Arc<AtomicU32>);

impl Combine for Sum {
    fn combine(&self, from: &[u8], into: &mut [u8]) {
        _ = self.0.fetch_add(1, Ordering::Relaxed);
        from.iter().zip(into).for_each(|(from, into)| *into += from);
    }

    fn commutes(&self) -> bool {
        true
    }

    fn is_of_program(&self) -> bool {
        true
    }
}

/// A function of the program is called only when the owner of the rank says so: the collective waits for it, once a round.
#[test]
fn functions_of_the_program_are_called_by_the_owner_of_the_rank() {
    let calls = [0, 1].map(|_| Arc::new(AtomicU32::new(0)));
    let script = |rank: usize| {
        let calls = Arc::clone(&calls[rank]);
        let begin = step(move |process, actions, notes| {
            let place = Place { rank, size: 2 };
            let plan = Plan::allreduce(&Choice::default(), place, 2, 1, OperandOrder::Commute);
            let mut room = vec![0; plan.workspace];
            room[plan.input.clone()].copy_from_slice(&[1 + rank as u8, 10]);
            let sum = Some(Arc::new(Sum(Arc::clone(&calls))) as Arc<dyn Combine + Send + Sync>);
            let started = process.start_collective(actions, WORLD, Meeting::InOrder, &plan, room, sum);
            notes.requests.push(started.expect("the world exists"));
        });
        let combine: Step = Box::new(|process, actions, notes| {
            if !process.has_combinations() {
                return false;
            }
            assert_eq!(process.is_complete(notes.requests[0]), Ok(false));
            let mut combination = process.next_combination().expect("there is one");
            assert!(!process.has_combinations());
            combination.carry_out();
            process.combined(actions, combination);
            assert!(process.next_combination().is_none());
            true
        });
        let end: Step = Box::new(|process, _, notes| {
            let ended = process.finish(notes.requests[0]).expect("it is complete");
            notes.seen.push(format!("{:?}", &ended.data.bytes()[..2]));
            true
        });
        vec![begin, combine, end]
    };
    let (outcome, seen) = run(1000, vec![script(0), script(1)]);
    assert_eq!(outcome, Outcome::Finished);
    assert_eq!(seen, [["[3, 20]"], ["[3, 20]"]]);
    assert_eq!(calls.map(|calls| calls.load(Ordering::Relaxed)), [1, 1]);
}
