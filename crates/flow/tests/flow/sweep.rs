//! The parallel sweep: the same result for any number of threads, and the same as that of the engine.

use crate::common::{fat_tree, run, torus};
use std::sync::Arc;
use weir_flow::sweep::{Sending, Sweep, SweepEnded};
use weir_flow::{BarrierWait, Flow, Sharing};
use weir_network::{Limits, Placement};
use weir_topology::{Generator, Topology, Wrap, permutation};
use weir_units::{Bytes, Duration, NodeId, Rank, Time};
use weir_workload::{Algorithm, AllToAll, Entry, Permutation, Queue, Script, Sequence, Steps};

fn sending<O: Sequence>(order: &O) -> impl Fn(NodeId, u64) -> Option<Sending> + Sync {
    |node, index| match order.entry(Rank(node.0), index)? {
        Entry::Send { to, bytes, wait } => Some(Sending { to: NodeId(to.0), bytes, wait }),
        Entry::Post { .. } | Entry::Await { .. } | Entry::Pause { .. } => panic!("the sweep has no awaits"),
    }
}

fn sweep<O: Sequence>(
    topology: &Topology,
    order: &O,
    threads: usize,
    resolution: Duration,
    limits: Limits,
) -> SweepEnded {
    let sweep = Sweep { threads, waiting: BarrierWait::Spin, resolution };
    sweep.run(topology, &sending(order), limits, &mut |_| ())
}

/// For one to eight threads the same, and what the engine says.
#[track_caller]
fn check<O: Sequence + Clone + 'static>(topology: &Topology, order: O, resolution: Duration) {
    let one = sweep(topology, &order, 1, resolution, Limits::default());
    for threads in 2..=8 {
        let many = sweep(topology, &order, threads, resolution, Limits::default());
        assert_eq!(
            (many.digest, many.until, many.cycles),
            (one.digest, one.until, one.cycles),
            "{threads} threads"
        );
        assert_eq!((many.link_bytes, many.link_share), (one.link_bytes.clone(), one.link_share.clone()));
        assert_eq!((many.messages, many.bytes), (one.messages, one.bytes));
    }
    let mut programs = Queue::all(Arc::new(order));
    let flow = Flow { sharing: Sharing::SinglePass, resolution, ..Flow::default() };
    let engine = run(flow, topology, &Placement::one_per_node(topology.nodes()), &mut programs);
    assert_eq!(one.until, engine.ended.at);
    assert_eq!((one.messages, one.bytes), (engine.ended.traffic.messages, engine.ended.traffic.bytes));
    assert_eq!((one.link_bytes, one.link_share), (engine.link_bytes, engine.link_share));
}

#[test]
fn all_to_all_on_a_torus() {
    let topology = torus(&[5, 4], Wrap::Torus, Duration::ZERO);
    let order = AllToAll::new(20, Bytes(3), Algorithm::SimpleSpread, Steps::FreeRunning).unwrap();
    check(&topology, order, Duration::ZERO);
}

#[test]
fn regular_all_to_all_and_ring_on_a_fat_tree() {
    let topology = fat_tree(3);
    let order = AllToAll::new(54, Bytes(1), Algorithm::SimpleSpread, Steps::FreeRunning).unwrap();
    check(&topology, order, Duration::ZERO);
    let order = Permutation::random_ring(54, Bytes(7), 10, Steps::FreeRunning, 1, Generator::Lcg);
    check(&topology, order, Duration::ZERO);
}

/// One after the other: with a resolution the engine delivers an arrival at the end of the cycle in which it falls.
#[test]
fn resolution_and_latency() {
    for (latency, resolution) in [(1_000_000, 0), (0, 300_000_000_000)] {
        let topology = torus(&[4, 3], Wrap::Mesh, Duration::from_ps(latency));
        let order = AllToAll::new(12, Bytes(2), Algorithm::SimpleSpread, Steps::FreeRunning).unwrap();
        check(&topology, order, Duration::from_ps(resolution));
    }
}

/// Waits, and messages of no bytes.
#[test]
fn waits_and_empty_messages() {
    let topology = torus(&[4], Wrap::Torus, Duration::ZERO);
    let to = permutation(4, 3, Generator::Lcg);
    let send = |to: u32, bytes, wait| Entry::Send {
        to: Rank(to),
        bytes: Bytes(bytes),
        wait: Duration::from_ps(wait),
    };
    let other = |rank: u32| (rank + 1 + to[rank as usize] % 3) % 4;
    let entries = (0..4_u32).map(|rank| {
        vec![
            send(other(rank), 5, 0),
            send((rank + 1) % 4, 0, 10),
            send((rank + 2) % 4, 3, 1_500_000_000_000 * u64::from(rank)),
        ]
    });
    check(&topology, Script::new(entries.collect()).unwrap(), Duration::ZERO);
}

#[test]
fn a_limit_of_simulated_time_ends_the_run() {
    let topology = torus(&[4], Wrap::Torus, Duration::ZERO);
    let order = AllToAll::new(4, Bytes(1), Algorithm::SimpleSpread, Steps::FreeRunning).unwrap();
    for threads in [1, 3] {
        let limits = Limits { simulated: Time::from_ps(1_500_000_000_000), ..Limits::default() };
        let ended = sweep(&topology, &order, threads, Duration::ZERO, limits);
        assert_eq!(ended.limit.as_deref(), Some("limits.simulated_time = 1.5 s is over"));
        // At the limit, not at the last arrival before it.
        assert_eq!((ended.messages, ended.until), (4, limits.simulated));
    }
}

/// The watch is shown in every cycle what has arrived before it; the last look is before the last arrivals.
#[test]
fn the_watch_is_shown_what_has_arrived() {
    let topology = torus(&[4], Wrap::Torus, Duration::ZERO);
    let order = AllToAll::new(4, Bytes(5), Algorithm::SimpleSpread, Steps::FreeRunning).unwrap();
    for threads in [1, 2] {
        let mut seen = Vec::new();
        let sweep = Sweep { threads, waiting: BarrierWait::Park, resolution: Duration::ZERO };
        let ended = sweep.run(&topology, &sending(&order), Limits::default(), &mut |progress| {
            seen.push((progress.now, progress.messages, progress.bytes, progress.events));
        });
        assert_eq!((ended.messages, ended.bytes, seen.len() as u64), (12, Bytes(60), ended.cycles));
        assert_eq!(seen[0], (Time::ZERO, 0, Bytes::ZERO, 0));
        assert!(seen.is_sorted() && seen.last().is_some_and(|last| last.1 > 4 && last.1 < 12), "{seen:?}");
        assert!(
            seen.iter()
                .all(|&(_, messages, bytes, events)| bytes == Bytes(5 * messages) && events == messages)
        );
    }
}

/// Every thread measures all steps, and that it waits where other threads must have come: not behind steps 5 and 7.
#[test]
fn times_of_steps_and_of_barriers() {
    let topology = torus(&[5, 4], Wrap::Torus, Duration::ZERO);
    let order = AllToAll::new(20, Bytes(3), Algorithm::SimpleSpread, Steps::FreeRunning).unwrap();
    for threads in [1, 2, 3] {
        let ended = sweep(&topology, &order, threads, Duration::ZERO, Limits::default());
        assert_eq!(ended.times.len(), threads);
        for times in ended.times {
            assert!(times.work.iter().all(|time| !time.is_zero()), "{:?}", times.work);
            let waits = times.wait.map(|time| !time.is_zero());
            assert_eq!(waits, [true, true, true, true, false, true, false], "{:?}", times.wait);
        }
    }
}

/// The digest is part of the results: it stays the same from version to version unless the changelog says so.
#[test]
fn the_digest_stays() {
    let topology = torus(&[5, 4], Wrap::Torus, Duration::from_ps(700));
    let order = AllToAll::new(20, Bytes(3), Algorithm::SimpleSpread, Steps::FreeRunning).unwrap();
    let ended = sweep(&topology, &order, 3, Duration::ZERO, Limits::default());
    assert_eq!(format!("{:016x}", ended.digest), "90a2d5e1e7a18e04");
}
