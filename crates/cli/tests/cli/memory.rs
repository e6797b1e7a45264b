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
