//! When ranks that compute answer the protocols: by hand, and in random programs.

use super::*;
use crate::{Overhead, ProgressRule as P, Rendezvous};
use proptest::prelude::*;

const LATENCY: Duration = Duration::from_ns(1000);

fn costs(progress: P) -> Costs {
    Costs { progress, eager_limit: Bytes(50), ..Costs::default() }
}

fn compute(ns: u64) -> Step {
    step(move |process, _, _| process.compute(Duration::from_ns(ns)))
}

/// Rank 0 sends 100 bytes to rank 1 by rendezvous, at 1 byte per ns and with 1000 ns of latency, and both start at 0 and wait. In
/// between, rank `who` does something. The clocks of both behind it.
fn message(progress: P, who: usize, between: impl Fn() -> Vec<Step>) -> [u64; 2] {
    let behind = |rank| if rank == who { between() } else { Vec::new() };
    let scripts = [send(Mode::Standard, 1, 7, &[1; 100]), receive(0, 7, 100)];
    let script = |(rank, start)| [vec![start], behind(rank), vec![wait(0), clock()]].into_iter().flatten();
    let scripts = scripts.into_iter().enumerate().map(|start| script(start).collect()).collect();
    let network = Ideal { latency: LATENCY, bandwidth: Bandwidth::new(1e9), ..Ideal::default() };
    let (outcome, seen) = run_on(&network, costs(progress), scripts);
    assert_eq!(outcome, Outcome::Finished);
    [0, 1].map(|rank: usize| seen[rank][1].parse().expect("a clock"))
}

const POLLS: P = P::Polls(Duration::from_ns(800));

/// The request is at rank 1 at 1000. Seen then, the clearance is back at 2000, the data have left at 2100 and are there at
/// 3100. Seen at the wait at 5000, all is 4000 later; at the poll at 1600, 600 later.
#[test]
fn a_receiver_that_computes() {
    let found = [P::Always, P::Calls, POLLS].map(|rule| message(rule, 1, || vec![compute(5000)]));
    assert_eq!(found, [[2100, 5000], [6100, 7100], [2700, 5000]]);
    // Computing in two parts is computing, a thing of no time is nothing, and a call in between is one: at 2500.
    let parts = || vec![compute(2500), compute(0), compute(2500)];
    assert_eq!(message(P::Calls, 1, parts), [6100, 7100]);
    let call = || vec![compute(2500), receive(0, 8, 0), compute(2500)];
    assert_eq!(message(P::Calls, 1, call), [3600, 5000]);
    assert_eq!(message(P::Always, 1, call), [2100, 5000]);
}

/// The clearance is back at 2000. Seen then, the data have left at 2100; at the wait at 5000, at 5100; at the poll at 2400, at
/// 2500. They are there 1000 later.
#[test]
fn a_sender_that_computes() {
    let found = [P::Always, P::Calls, POLLS].map(|rule| message(rule, 0, || vec![compute(5000)]));
    assert_eq!(found, [[5000, 3100], [5100, 6100], [5000, 3500]]);
    let call = || vec![compute(2500), receive(1, 8, 0), compute(2500)];
    assert_eq!(message(P::Calls, 0, call), [5000, 3600]);
}

/// A message of a random program: between whom, how many bytes, how long both compute behind their starts, and which of their
/// earlier messages each waits for then.
type Drawn = (bool, u64, [u64; 2], [Option<usize>; 2]);

fn program() -> impl Strategy<Value = Vec<Drawn>> {
    let bytes = prop_oneof![Just(0_u64), Just(50), 51..5000_u64];
    let computes = || prop_oneof![Just(0_u64), 1..20_000_u64];
    let waits = || proptest::option::weighted(0.3, 0..8_usize);
    let drawn = (any::<bool>(), bytes, [computes(), computes()], [waits(), waits()]);
    proptest::collection::vec(drawn, 1..9)
}

/// Starts a send or a receive of so many bytes.
fn start(sends: bool, peer: i32, tag: i32, bytes: u64) -> Step {
    step(move |process, actions, notes| {
        let request = if sends {
            let data = crate::Data::Length(bytes);
            let sent = process.send(actions, Mode::Standard, WORLD, peer, tag, data).expect("valid");
            sent.unwrap_or_else(|| process.completed())
        } else {
            process.receive(actions, WORLD, peer, tag, bytes).expect("valid")
        };
        notes.requests.push(request);
    })
}

/// Waits for a request, unless that was done before.
fn wait_once(index: usize) -> Step {
    Box::new(move |process, _, notes| {
        let id = notes.requests[index];
        if notes.requests[index] == RequestId(u32::MAX) {
            return true;
        }
        if !process.is_complete(id).expect("it is a request") {
            return false;
        }
        process.finish(id).expect("it is complete");
        notes.requests[index] = RequestId(u32::MAX);
        true
    })
}

/// Both ranks start everything in the same order and wait only for what was started before, so they never block each other for
/// ever. How it ended, when, the digest, and the clocks behind every step.
fn run_program(
    network: &Ideal,
    costs: &Costs,
    drawn: &[Drawn],
    computes: bool,
) -> (Time, weir_network::Digest, Vec<Vec<u64>>) {
    let script = |rank: usize| {
        let mut steps = Vec::new();
        for (index, &(forth, bytes, compute_ns, waits)) in drawn.iter().enumerate() {
            steps.push(start(forth == (rank == 0), 1 - rank as i32, index as i32, bytes));
            if computes {
                steps.push(compute(compute_ns[rank]));
            }
            steps.extend(waits[rank].filter(|&earlier| earlier < index).map(wait_once));
            steps.push(clock());
        }
        steps.extend((0..drawn.len()).map(wait_once));
        steps.push(clock());
        steps
    };
    let mut ranks = scripted(costs, vec![script(0), script(1)], &Notes::default);
    let ended = network.run(&mut ranks, RunContext::new(&Placement::one_per_node(2)));
    assert_eq!(ended.outcome, Outcome::Finished);
    let clocks =
        |rank: Scripted| rank.notes.seen.iter().map(|clock| clock.parse().expect("a clock")).collect();
    (ended.at, ended.digest, ranks.into_iter().map(clocks).collect())
}

proptest! {
    /// Where nobody computes, and where a thread polls every picosecond, nothing is other than with progress always.
    #[test]
    fn rules_differ_only_where_ranks_compute(drawn in program(), overhead in 0..500_u64) {
        let network = Ideal { latency: LATENCY, bandwidth: Bandwidth::new(1e9), ..Ideal::default() };
        let of = |progress| Costs {
            progress,
            eager_limit: Bytes(50),
            unexpected: Overhead::fixed(Duration::from_ns(overhead / 2)),
            rendezvous: Rendezvous::fixed(Duration::from_ns(overhead)),
            ..Costs::of_overhead(Duration::from_ns(overhead))
        };
        let idle = |rule| run_program(&network, &of(rule), &drawn, false);
        prop_assert_eq!(idle(P::Always), idle(P::Calls));
        prop_assert_eq!(idle(P::Always), idle(POLLS));
        let busy = |rule| run_program(&network, &of(rule), &drawn, true);
        prop_assert_eq!(busy(P::Always), busy(P::Polls(Duration::from_ps(1))));
    }

    /// On a network that is so fast that no message gets in another's way, every time is the latest of others and a delay; waiting for
    /// calls or polls makes none of them earlier. Picoseconds do not count: a message takes one.
    #[test]
    fn nothing_is_sooner_than_with_progress_always(drawn in program(), overhead in 0..500_u64) {
        let network = Ideal { latency: LATENCY, bandwidth: Bandwidth::new(1e18), ..Ideal::default() };
        let of = |progress| Costs {
            progress,
            eager_limit: Bytes(50),
            ..Costs::of_overhead(Duration::from_ns(overhead))
        };
        let run = |rule| run_program(&network, &of(rule), &drawn, true).2;
        let always = run(P::Always);
        for rule in [P::Calls, POLLS] {
            let later = run(rule);
            for (soonest, found) in always.iter().flatten().zip(later.iter().flatten()) {
                prop_assert!(*soonest <= found + 1, "{rule:?}: {always:?} {later:?}");
            }
        }
    }
}
