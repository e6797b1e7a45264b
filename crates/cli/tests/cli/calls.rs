//! The calls of MPI programs: their table adds up, and the trace shows it. What calls take and wait for is in `cases/calls.toml`.

mod trace;

use crate::command::{Ended, compile, mpirun, root, run, scratch, weir};
use crate::tables;
use std::fs;
use std::path::Path;
use trace::check_trace;

/// A link each way between two nodes: 1 GB/s, 1 us per link. A message of n kB takes 3 us and n us.
const PAIR: &str = "topology = { kind = 'torus', shape = [2], bandwidth = '1 GB/s', latency = '1 us' }\n\
                    engine = { kind = 'flow' }\n";

/// Rows of a table: the values of these columns, with blanks between.
fn rows(folder: &Path, table: &str, columns: &[&str]) -> Vec<String> {
    tables::lines(&tables::rows(folder, table), columns)
}

/// The sum of a column without its nulls.
fn sum(folder: &Path, table: &str, column: &str) -> u64 {
    rows(folder, table, &[column]).iter().filter_map(|value| value.parse::<u64>().ok()).sum()
}

/// Runs a program on the machine with this text, into the folder `out`, with everything that can be kept of calls.
fn kept(program: &Path, ranks: usize, machine: &str, folder: &Path, more: &[&str]) -> Ended {
    let file = folder.join("machine.toml");
    fs::write(&file, machine).unwrap();
    let mut command = mpirun(ranks);
    command.arg("--json").arg("--machine").arg(file).arg("--out").arg(folder.join("out"));
    for key in ["calls", "trace", "messages"] {
        command.args(["--set", &format!("output.{key}=true")]);
    }
    run(command.args(more).arg(program))
}

const TORUS: &str = "topology = { kind = 'torus', shape = [2, 4], bandwidth = '4 GB/s', latency = '100 ns' }\n\
                     engine = { kind = 'packet' }\n";

/// The same bytes with one thread and with two; nothing changes in the run; and the tables add up: to the calls of the
/// summary, to its bytes, and each call to waiting and to what the processor did, which costs nothing here.
#[test]
fn calls_and_trace_are_the_same_for_any_number_of_threads_and_add_up() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/collectives_all.c"), folder.path());
    let read = |folder: &Path, name: &str| fs::read(folder.join("out").join(name)).unwrap();
    let all = ["1", "2"].map(|threads| {
        let threads = format!("engine.threads={threads}");
        let more = ["--set", &threads, "--set", "output.sample_interval=1 us"];
        let ended = kept(&program, 8, TORUS, folder.path(), &more);
        let summary = ended.expect(0).summary();
        let files = ["trace.perfetto", "calls/00000.parquet", "messages/00000.parquet"];
        (summary["digest"].clone(), files.map(|name| read(folder.path(), name)))
    });
    assert!(all[0] == all[1], "calls depend on threads");
    let out = folder.path().join("out");
    let machine = folder.path().join("machine.toml");
    let plain = run(mpirun(8).arg("--json").arg("--machine").arg(machine).arg(&program)).expect(0).summary();
    assert_eq!(plain["digest"], all[0].0, "keeping calls changes the run");
    let rows = rows(&out, "calls", &["start_ps", "end_ps", "waited_ps"]);
    assert_eq!(rows.len() as u64, plain["mpi_calls"].as_u64().unwrap());
    for row in rows {
        let numbers: Vec<u64> = row.split(' ').map(|number| number.parse().unwrap()).collect();
        assert_eq!(numbers[1] - numbers[0], numbers[2], "{row}");
    }
    let bytes = plain["bytes"].as_u64().unwrap();
    assert!(bytes > 0);
    let found = ["sent_bytes", "received_bytes"].map(|column| sum(&out, "calls", column));
    assert_eq!(found, [bytes, bytes]);
    check_trace(&out);
}

/// What a program is logged as, and its calls, in one run; replayed on the same machine its calls take as long.
#[test]
fn a_profile_has_the_calls_of_its_program() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/message_sizes.c"), folder.path());
    let profile = folder.path().join("p.profile");
    let keys = ["output.calls=true", "output.trace=true"].iter().flat_map(|key| ["--set", *key]);
    let keys: Vec<&str> = keys.collect();
    let mut command = weir(["log", "--quiet", "-n", "4", "--out"]);
    command.arg(folder.path().join("logged")).args(&keys).arg("-o").arg(&profile).arg(&program);
    run(&mut command).expect(0);
    let mut command = weir(["replay", "--quiet", "--out"]);
    command.arg(folder.path().join("replayed")).args(&keys).arg(&profile);
    run(&mut command).expect(0);
    let all = ["logged", "replayed"].map(|name| {
        let out = folder.path().join(name);
        check_trace(&out);
        ["waited_ps", "sent_bytes", "received_bytes"].map(|column| sum(&out, "calls", column))
    });
    assert!(all[0][1] > 0);
    assert_eq!(all[0], all[1]);
    let names = rows(&folder.path().join("replayed"), "calls", &["name"]);
    assert!(names.iter().any(|name| name == "send" || name == "isend"), "{names:?}");
}
