//! `node.eager_messages`: a rank that only sends waits for its receiver now and then.

use crate::command::{compile_text, mpirun, run, scratch};
use std::path::Path;
use std::process::Command;

/// Rank 0 sends MESSAGES of 8 bytes to rank 1, which receives them from the last to the first where there is a second
/// argument: it needs all of them at once, as MPI does not promise.
const FLOOD: &str = include_str!("../programs/eager_messages_flood.c");

/// `weir mpirun` of the program on two ranks, with settings; the program's arguments are still missing.
fn flood(program: &Path, settings: &[&str]) -> Command {
    let mut command = mpirun(2);
    settings.iter().for_each(|setting| _ = command.args(["--set", setting]));
    command.arg("--json").arg(program);
    command
}

/// Peak memory in bytes and simulated time in picoseconds.
fn of_a_flood(program: &Path, messages: u32, settings: &[&str]) -> (u64, u64) {
    let ended = run(flood(program, settings).arg(messages.to_string()));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let summary = ended.summary();
    let number = |key: &str| summary[key].as_u64().expect("a summary has it");
    (number("peak_memory_bytes"), number("simulated_ps"))
}

/// Without a bound 300,000 messages took 130 MB: the sender was through before the receiver began.
#[test]
fn memory_does_not_grow_with_the_number_of_messages() {
    let folder = scratch();
    let program = compile_text(FLOOD, "flood", folder.path());
    let machines: [&[&str]; 2] = [
        &["engine.latency=1 us", "node.mpi_overhead=100 ns"],
        &["topology.kind=torus", "topology.shape=[2]", "topology.bandwidth=1 GB/s", "engine.kind=flow"],
    ];
    for machine in machines {
        let at = |messages, more: &[&str]| of_a_flood(&program, messages, &[machine, more].concat());
        let (few, _) = at(30_000, &[]);
        let (many, bounded) = at(300_000, &[]);
        assert!(many < few + 4_000_000, "{few} bytes for 30,000 messages, {many} for 300,000");
        // What the waiting costs: a message each way for every 16,384 of them.
        let (_, unbounded) = at(300_000, &["node.eager_messages=4294967295"]);
        assert!(
            bounded >= unbounded && bounded - unbounded <= unbounded / 100,
            "{unbounded} and {bounded} ps"
        );
    }
}

#[test]
fn a_program_that_needs_more_of_them_deadlocks_with_a_word_of_it() {
    let folder = scratch();
    let program = compile_text(FLOOD, "flood", folder.path());
    let with = |messages| run(flood(&program, &["node.eager_messages=10"]).args([messages, "backwards"]));
    // The eleventh waits, and is received: nothing is missing. The twelfth is never sent.
    assert_eq!(with("11").code, 0);
    let ended = with("12");
    assert_eq!(ended.code, 3, "{}", ended.stdout);
    let waiting = ended.summary()["explanation"].to_string();
    assert!(waiting.contains(r#""eager messages in a row before":"10""#), "{waiting}");
}

/// A ring: each rank sends MESSAGES to the right and receives as many from the left, in batches of so many, in one of several
/// ways. Who gets something else, or in another order, ends with an error.
const RING: &str = include_str!("../programs/eager_messages_ring.c");

const MACHINES: [&[&str]; 4] = [
    &["engine.latency=1 us", "node.mpi_overhead=100 ns"],
    &["engine.latency=1 us"],
    &["topology.kind=torus", "topology.shape=[4]", "topology.bandwidth=1 GB/s", "engine.kind=flow"],
    &["topology.kind=torus", "topology.shape=[4]", "topology.bandwidth=1 GB/s", "engine.kind=packet"],
];

/// How a ring ends on a machine.
fn ring(program: &Path, machine: &[&str], arguments: [&str; 3]) -> crate::command::Ended {
    let mut command = mpirun(4);
    machine.iter().for_each(|setting| _ = command.args(["--set", setting]));
    run(command.arg("--json").arg(program).args(arguments))
}

/// Every MPI library runs these: all ranks asked for room at once, and waited for each other.
#[test]
fn ranks_that_send_and_receive_in_turn_never_wait_for_room() {
    let folder = scratch();
    let program = compile_text(RING, "ring", folder.path());
    for machine in MACHINES {
        for arguments in [
            ["40000", "send", "1"],
            ["40000", "isend", "1"],
            ["40000", "sendrecv", "1"],
            ["24000", "send", "8000"],
        ] {
            let ended = ring(&program, machine, arguments);
            assert_eq!(ended.code, 0, "{machine:?} {arguments:?}: {}", ended.stderr);
        }
    }
}

/// Who sends more than is allowed before anything is received waits, on all machines alike.
#[test]
fn a_batch_longer_than_the_bound_deadlocks_unless_that_is_raised() {
    let folder = scratch();
    let program = compile_text(RING, "ring", folder.path());
    for machine in MACHINES {
        let batch = ["20000", "send", "20000"];
        let ended = ring(&program, machine, batch);
        assert_eq!(ended.code, 3, "{machine:?}: {}", ended.stderr);
        let waiting = ended.summary()["explanation"].to_string();
        assert_eq!(waiting.matches(r#""eager messages in a row before":"16384""#).count(), 4, "{waiting}");
        let raised = [machine, &["node.eager_messages=20000"]].concat();
        assert_eq!(ring(&program, &raised, batch).code, 0);
    }
}
