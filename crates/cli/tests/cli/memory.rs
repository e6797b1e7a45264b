//! Memory that runs out on the way, and memory that does not grow.

use crate::command::{compiled, mpirun, root, run, scratch, weir};
use std::fs;
use std::process::Command;

const PACKETS: &str = "topology = { kind = 'torus', shape = [16, 16, 16], bandwidth = '1 GB/s', latency = '1 us' }\n\
                       engine = { kind = 'packet', threads = 2 }\nworkload = { kind = 'ring', message_size = '1 kB' }\n";

/// At one allocation or another: an error with the exit status of wrong input.
#[test]
fn what_turns_out_not_to_fit_is_an_error() {
    let folder = scratch();
    fs::write(folder.path().join("e.toml"), PACKETS).unwrap();
    let own = weir(["run", "-q", "e.toml"]);
    let mut finished = 0;
    for mib in (60..=300).step_by(4) {
        let mut limited = Command::new("sh");
        limited.args(["-c", &format!("ulimit -v {}; exec \"$0\" \"$@\"", mib * 1024)]);
        limited.arg(own.get_program()).args(own.get_args()).current_dir(folder.path());
        let ended = run(&mut limited);
        assert!([0, 2].contains(&ended.code), "{mib} MiB: {} {}", ended.code, ended.stderr);
        assert_eq!(ended.code == 2, ended.stderr.contains("memory"), "{mib} MiB: {}", ended.stderr);
        finished += usize::from(ended.code == 0);
    }
    assert!(finished > 0);
}

/// `node.eager_messages`: a rank that only sends waits for its receiver now and then. Without a bound 300,000 messages took
/// 130 MB: the sender was through before the receiver began.
#[test]
fn memory_does_not_grow_with_the_number_of_messages() {
    let program = compiled(&root().join("crates/cli/tests/programs/eager_messages_flood.c"));
    let machines: [&[&str]; 2] = [
        &["engine.latency=1 us", "node.mpi_overhead=100 ns"],
        &["topology.kind=torus", "topology.shape=[2]", "topology.bandwidth=1 GB/s", "engine.kind=flow"],
    ];
    for machine in machines {
        // Peak memory in bytes and simulated time in picoseconds.
        let at = |messages: &str, more: &[&str]| {
            let sets = machine.iter().chain(more).flat_map(|set| ["--set", set]);
            let summary =
                run(mpirun(2).args(sets).arg("--json").arg(&program).arg(messages)).expect(0).summary();
            ["peak_memory_bytes", "simulated_ps"].map(|key| summary[key].as_u64().expect("a summary has it"))
        };
        let [few, _] = at("30000", &[]);
        let [many, bounded] = at("300000", &[]);
        assert!(many < few + 4_000_000, "{few} bytes for 30,000 messages, {many} for 300,000");
        // What the waiting costs: a message each way for every 16,384 of them.
        let [_, unbounded] = at("300000", &["node.eager_messages=4294967295"]);
        assert!(
            bounded >= unbounded && bounded - unbounded <= unbounded / 100,
            "{unbounded} and {bounded} ps"
        );
    }
}

/// A graph of work: a task in the way of none that lasts until the end, tasks that are ready at once, and high numbers of streams.
#[test]
fn memory_does_not_grow_with_the_length_of_a_graph() {
    let folder = scratch();
    // Peak memory in bytes of a graph with so many computations.
    let at = |begin: &str, each: &str, computations: usize, end: &str| {
        let text = format!("weir-graph 1\nranks 2\n{begin}{}{end}", each.repeat(computations));
        fs::write(folder.path().join("x.graph"), text).unwrap();
        let mut replay = weir(["replay", "x.graph", "--engine", "ideal", "--json"]);
        run(replay.current_dir(folder.path())).expect(0).summary()["peak_memory_bytes"].as_u64().unwrap()
    };
    for (begin, each, end) in [
        (
            "0 recv 1 8 requires\n0 compute 1 us requires\n",
            "0 compute 1 us\n",
            "1 compute 10 s\n1 send 0 8\n",
        ),
        ("0 compute 1 us\n", "0 compute 1 us requires 0\n", ""),
    ] {
        let [few, many] = [150_000, 450_000].map(|tasks| at(begin, each, tasks, end));
        assert!(many < few + 4_000_000, "{each}: {few} bytes for 150,000 tasks, {many} for 450,000");
    }
    let [low, high] = [1, 65_535].map(|stream| at("", &format!("0 compute 1 us stream {stream}\n"), 1, ""));
    assert!(high < low + 1_000_000, "{low} bytes with stream 1, {high} with stream 65535");
}
