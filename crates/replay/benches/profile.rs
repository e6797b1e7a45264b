//! How fast profiles are written, read and replayed: `cargo bench -p weir-replay --bench profile`.
//!
//! The profile is that of 64 ranks that exchange messages with changing partners, compute for times of their own between,
//! and add up now and then: two sends, two receives and their waits for each step.
#![allow(clippy::print_stdout)] // benches print

use std::fs::File;
use std::sync::Arc;
use weir_flow::{Flow, NodeModel};
use weir_formats::graph::GraphBuilder;
use weir_formats::profile::{Communicators, Format, Profile, Writer, read};
use weir_network::{Ideal, Limits, Outcome, Placement, RunContext};
use weir_operations::{
    Collective, Function, Lengths, Mode, OperandOrder, Operation, PollFirst, ReceiveSource, RequestId,
    Requests, Root, Step, Task, Wildcards,
};
use weir_replay::{GraphReplay, GraphSetting, Replay, Setting, window_of};
use weir_topology::{Dimension, NodeLink, Tie, Topology, Torus, Wrap};
use weir_units::{Bandwidth, Duration, Rank, mix};

const RANKS: u32 = 64;

fn main() {
    // Under `cargo test` there is no --bench: a short run to see that it works.
    let quick = !std::env::args().any(|word| word == "--bench");
    let steps = if quick { 20 } else { 10_000_000 / u64::from(RANKS) / 8 };
    let ranks: Vec<Vec<Step>> = (0..RANKS).map(|rank| events(rank, steps)).collect();
    let events = ranks.iter().map(|events| events.len() as f64).sum::<f64>();
    let folder = std::env::temp_dir().join(format!("weir-bench-profile-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the files");
    println!("{events} events of {RANKS} ranks");
    println!("{:<28} {:>9} {:>14} {:>12}", "", "CPU s", "events/s", "bytes/event");
    let row = |what: &str, started: f64, bytes: Option<f64>| {
        let seconds = processor_seconds() - started;
        let bytes = bytes.map_or_else(String::new, |bytes| format!("{bytes:.2}"));
        println!("{what:<28} {seconds:>9.3} {:>14.3e} {bytes:>12}", events / seconds);
    };
    let mut kept = None;
    for (name, format) in [("p.parquet", Format::Parquet), ("p.profile", Format::Text)] {
        let path = folder.join(name);
        // As they are logged: the ranks take turns.
        let started = processor_seconds();
        let mut writer = Writer::new(format, RANKS as usize, "bench", File::create(&path).expect("a file"))
            .expect("a file");
        for turn in 0..ranks[0].len() {
            for (rank, events) in (0..).zip(&ranks) {
                writer.add(Rank(rank), events[turn].clone()).expect("the disk is not full");
            }
        }
        writer.finish().expect("the disk is not full");
        let bytes = std::fs::metadata(&path).expect("it is written").len() as f64 / events;
        row(&format!("write {format:?}"), started, Some(bytes));
        let started = processor_seconds();
        let profile = read(&path).expect("it is a profile");
        row(&format!("read {format:?}"), started, None);
        kept = Some(profile);
    }
    let profile = Arc::new(kept.expect("two were read"));
    assert_eq!(
        Profile::new("bench", Communicators::default(), ranks).as_ref(),
        Ok(&*profile),
        "read as written"
    );
    let ideal = Ideal::default();
    let loggp = Ideal { latency: Duration::from_ns(1000), ..Ideal::default() };
    for (what, engine) in [("replay, ideal", ideal), ("replay, ideal, latency", loggp)] {
        let mut programs = Replay::all(Arc::clone(&profile), Setting::default());
        let placement = Placement::one_per_node(RANKS as usize);
        let limits = Limits::default();
        let started = processor_seconds();
        let ended = engine.run(&mut programs, RunContext::new(&placement).limits(limits));
        row(what, started, None);
        assert_eq!(ended.outcome, Outcome::Finished);
    }
    graphs(if quick { 20 } else { 4_000_000 / u64::from(RANKS) / 4 });
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

/// The tasks of the same exchanges as a graph of two streams: made, and carried out while they are read.
fn graphs(steps: u64) {
    let tasks = steps as f64 * 4.0 * f64::from(RANKS);
    let row = |what: &str, started: f64| {
        let seconds = processor_seconds() - started;
        println!("{what:<28} {seconds:>9.3} {:>14.3e}", tasks / seconds);
    };
    let started = processor_seconds();
    let mut builder = GraphBuilder::new(RANKS).expect("room for temporary files");
    for step in 0..steps {
        for rank in 0..RANKS {
            let distance = 1 + (mix(step) % u64::from(RANKS - 1)) as u32;
            let (next, before) = ((rank + distance) % RANKS, (rank + RANKS - distance) % RANKS);
            let bytes = 8 << (mix(step + 7) % 10);
            let time = Duration::from_ps(mix(u64::from(rank) << 40 | step) % 100_000_000);
            let from = ReceiveSource { source: Some(before), tag: Some(1), asked: Wildcards::Both };
            let (mode, communicator, request) = (Mode::Standard, 0, None);
            let operations = [
                (Operation::Compute { time }, 0),
                (Operation::Send { mode, to: Some(next), tag: 1, bytes, communicator, request }, 0),
                (Operation::Receive { from, bytes, communicator, request }, 0),
                (Operation::Compute { time: time + time }, 1),
            ];
            for (operation, stream) in operations {
                let task = Task { operation, stream, requires: None };
                builder.add(Rank(rank), task, &mut |what| panic!("{what}")).expect("the disk is not full");
            }
        }
    }
    let graph = builder.finish("bench".into()).expect("the disk is not full");
    row("make a graph", started);
    let placement = Placement::one_per_node(RANKS as usize);
    let replays = || {
        let setting = GraphSetting { replay: Setting::default(), window: window_of(RANKS as usize) };
        let read = Box::new(Arc::clone(&graph.tasks).tasks());
        GraphReplay::all(read, &graph.communicators, setting)
    };
    let ideal = Ideal::default();
    let loggp = Ideal { latency: Duration::from_ns(1000), ..Ideal::default() };
    for (what, engine) in [("graph, ideal", ideal), ("graph, ideal, latency", loggp)] {
        let started = processor_seconds();
        let ended = engine.run(&mut replays(), RunContext::new(&placement));
        row(what, started);
        assert_eq!(ended.outcome, Outcome::Finished);
    }
    let torus = torus();
    let started = processor_seconds();
    let ended =
        Flow::default().run(&torus, &[], &mut replays(), &NodeModel::default(), RunContext::new(&placement));
    row("graph, flow", started);
    assert_eq!(ended.ended.outcome, Outcome::Finished);
}

/// A node for each rank, and links of 10 GB/s.
fn torus() -> Topology {
    let (bandwidth, latency) = (Bandwidth::new(10e9).expect("above 0"), Duration::from_ns(100));
    let dimension = Dimension { size: 4, wrap: Wrap::Torus, bandwidth, latency };
    let torus = Torus::new(vec![dimension; 3], Tie::Spread, NodeLink { bandwidth, latency });
    Topology::Torus(torus.expect("a torus"))
}

/// Processor time of this process so far, which does not depend on what else the computer does. The kernel counts it in
/// hundredths of a second.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux says what a process has used");
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// What a rank does in so many steps: eight events each.
fn events(rank: u32, steps: u64) -> Vec<Step> {
    let mut events = Vec::new();
    for step in 0..steps {
        let distance = 1 + (mix(step) % u64::from(RANKS - 1)) as u32;
        let (next, before) = ((rank + distance) % RANKS, (rank + RANKS - distance) % RANKS);
        let bytes = 8 << (mix(step + 7) % 10);
        let mut add = |operation| {
            let compute = Duration::from_ps(mix(u64::from(rank) << 40 | events.len() as u64) % 100_000_000);
            events.push(Step { compute, took: Some(Duration::ZERO), operation });
        };
        let receive = |source, tag, request| {
            let from = ReceiveSource { source: Some(source), tag: Some(tag), asked: Wildcards::Both };
            Operation::Receive { from, bytes, communicator: 0, request: Some(RequestId(request)) }
        };
        let send = |to, tag, request| {
            let request = Some(RequestId(request));
            Operation::Send { mode: Mode::Standard, to: Some(to), tag, bytes, communicator: 0, request }
        };
        add(receive(before, 1, 0));
        add(receive(next, 2, 1));
        add(send(next, 1, 2));
        add(send(before, 2, 3));
        for one in [0, 1] {
            add(Operation::Wait { requests: Requests::One(RequestId(one)), look: PollFirst::No });
        }
        add(Operation::Wait { requests: Requests::new(&[RequestId(2), RequestId(3)]), look: PollFirst::No });
        if step % 64 == 0 {
            let lengths = Lengths::Elements { bytes: 8, element: 8, operands: OperandOrder::Commute };
            let collective = Box::new(Collective::new(Function::Allreduce, Root::None, lengths));
            add(Operation::Collective { collective, communicator: 0, persistent: None, request: None });
        } else {
            add(Operation::Send {
                mode: Mode::Standard,
                to: None,
                tag: 0,
                bytes: 0,
                communicator: 0,
                request: None,
            });
        }
    }
    events
}
