//! `node.eager_messages`: a rank that only sends waits for its receiver now and then.

use crate::command::{compile_text, mpirun, run, scratch};
use std::path::Path;
use std::process::Command;

/// Rank 0 sends MESSAGES of 8 bytes to rank 1, which receives them from the last to the first where there is a second
/// argument: it needs all of them at once, as MPI does not promise.
const FLOOD: &str = r#"
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    double data = 0;
    int rank, messages = atoi(argv[1]), backwards = argc > 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < messages; i++)
        if (rank == 0) {
            MPI_Send(&data, 1, MPI_DOUBLE, 1, backwards ? i : 0, MPI_COMM_WORLD);
        } else {
            int tag = backwards ? messages - 1 - i : 0;
            MPI_Recv(&data, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    MPI_Finalize();
    return 0;
}
"#;

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
    // The eleventh asks, and is received: nothing is missing. The twelfth is never sent.
    assert_eq!(with("11").code, 0);
    let ended = with("12");
    assert_eq!(ended.code, 3, "{}", ended.stdout);
    let waiting = ended.summary()["explanation"].to_string();
    assert!(waiting.contains(r#""eager messages in a row before":"10""#), "{waiting}");
}
