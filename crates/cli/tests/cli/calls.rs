//! The calls of MPI programs: the table of them, how long ranks and messages were waited for, and the trace.

mod trace;

use crate::command::{Ended, compile, compile_text, mpirun, root, run, scratch, weir};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use trace::{Trace, check_trace};

/// A link each way between two nodes: 1 GB/s, 1 us per link. A message of n kB takes 3 us and n us.
const PAIR: &str = "topology = { kind = 'torus', shape = [2], bandwidth = '1 GB/s', latency = '1 us' }\n\
                    engine = { kind = 'flow' }\n";

/// What `main` does between beginning and end.
fn text(body: &str) -> String {
    format!(
        "#include <mpi.h>\n#include <weir.h>\nstatic char b[100000], c[100000];\nint main(int argc, char **argv)\n\
         {{\n    int rank, flag;\n    MPI_Request r, s;\n    MPI_Init(&argc, &argv);\n    \
         MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    {body}\n    MPI_Finalize();\n    return 0;\n}}\n"
    )
}

/// Each row of a table as `name=value` for these columns; what is null is `-`.
fn rows(folder: &Path, table: &str, columns: &[&str]) -> Vec<String> {
    let mut files: Vec<_> =
        fs::read_dir(folder.join(table)).unwrap().map(|part| part.unwrap().path()).collect();
    files.sort();
    let mut lines = Vec::new();
    for file in files {
        let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap().map(Result::unwrap) {
            let values: BTreeMap<&str, String> = row
                .get_column_iter()
                .map(|(name, field)| {
                    let value = match field {
                        Field::Null => "-".to_owned(),
                        Field::Str(text) => text.clone(),
                        other => other.to_string(),
                    };
                    (name.as_str(), value)
                })
                .collect();
            lines.push(columns.iter().map(|column| values[column].as_str()).collect::<Vec<_>>().join(" "));
        }
    }
    lines
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

const CALL: [&str; 9] =
    ["rank", "name", "start_ps", "end_ps", "waited_ps", "peer", "tag", "sent_bytes", "received_bytes"];

/// The calls of a program but for those that every program here has, in the order of ranks and times.
fn calls(folder: &Path) -> Vec<String> {
    let mut rows = rows(&folder.join("out"), "calls", &CALL);
    rows.retain(|row| !["MPI_Init", "MPI_Comm_rank", "MPI_Finalize"].iter().any(|name| row.contains(name)));
    rows.sort_by_key(|row| row.starts_with('1'));
    rows
}

/// Rank 0 sends 1 kB at 5 us, which arrives at 9 us: rank 1 has waited since 0. Then rank 0 sends 100 kB at 10 us by
/// rendezvous. Rank 1 has posted its receive at 9 us, computes, and waits from 10 us on: the request to send arrives at
/// 13 us and has been waited for 3 us, the clearance at 16 us (6 us since rank 0 stands still), and the data, that take
/// 103 us, at 119 us (109 us since rank 1 stands still). Rank 0 goes on when the last byte has left, at 116 us.
#[test]
fn calls_last_and_wait_as_long_as_computed_by_hand() {
    let folder = scratch();
    let body = "if (rank == 0) {
        weir_compute(5e-6);
        MPI_Send(b, 1000, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
        weir_compute(5e-6);
        MPI_Send(b, 100000, MPI_CHAR, 1, 8, MPI_COMM_WORLD);
    } else {
        MPI_Recv(b, 1000, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(b, 100000, MPI_CHAR, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &r);
        weir_compute(1e-6);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }";
    let program = compile_text(&text(body), "late_sender", folder.path());
    kept(&program, 2, PAIR, folder.path(), &[]).expect(0);
    let expected = [
        "0 MPI_Send 5000000 5000000 0 1 7 1000 0",
        "0 MPI_Send 10000000 116000000 106000000 1 8 100000 0",
        "1 MPI_Recv 0 9000000 9000000 0 7 0 1000",
        "1 MPI_Irecv 9000000 9000000 0 - 8 0 0",
        "1 MPI_Wait 10000000 119000000 109000000 0 8 0 100000",
    ];
    assert_eq!(calls(folder.path()), expected);
    check_trace(&folder.path().join("out"));
    let trace = Trace::read(&fs::read(folder.path().join("out/trace.perfetto")).unwrap());
    let expected = ["0 MPI_Send 5000 -> 1 message received 9000", "0 message sent 10000 -> 1 MPI_Wait 10000"];
    assert_eq!(trace.arrows(), expected);
    let columns = ["from", "class", "arrived_ps", "matched_ps", "waited_ps"];
    let expected = [
        "0 data 9000000 9000000 9000000",
        "0 control 13000000 13000000 3000000",
        "1 control 16000000 - 6000000",
        "0 data 119000000 - 109000000",
    ];
    assert_eq!(rows(&folder.path().join("out"), "messages", &columns), expected);
}

/// A processor overhead of 1 us for each message sent and received, and 1 ns for a copied byte. Rank 0 sends 1 kB
/// (0 to 2 us; there at 6 us), sends it again (to 4 us; the link is free at 5 us, there at 8 us). Rank 1 computes until
/// 7 us: it waits for neither the first, which has come, nor for the other while it does not look for it.
#[test]
fn processor_time_is_no_waiting() {
    let folder = scratch();
    let body = "if (rank == 0) {
        MPI_Isend(b, 1000, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &r);
        MPI_Isend(b, 1000, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &s);
        MPI_Wait(&s, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        weir_compute(7e-6);
        MPI_Recv(b, 1000, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(b, 1000, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        weir_compute(1e-6);
    }";
    let program = compile_text(&text(body), "overheads", folder.path());
    let costs = "[node]\nmpi_overhead = '1 us'\nmemory_bandwidth = '1 GB/s'\n";
    kept(&program, 2, &format!("{PAIR}{costs}"), folder.path(), &[]).expect(0);
    let expected = [
        "0 MPI_Isend 0 2000000 0 1 7 1000 0",
        "0 MPI_Isend 2000000 4000000 0 1 7 1000 0",
        "0 MPI_Wait 4000000 4000000 0 1 7 0 0",
        "0 MPI_Wait 4000000 4000000 0 1 7 0 0",
        "1 MPI_Recv 7000000 8000000 0 0 7 0 1000",
        "1 MPI_Recv 8000000 9000000 0 0 7 0 1000",
    ];
    assert_eq!(calls(folder.path()), expected);
    let out = folder.path().join("out");
    assert_eq!(rows(&out, "messages", &["arrived_ps", "waited_ps"]), ["6000000 0", "8000000 0"]);
}

/// A rank waits for what it has asked for: of two receives posted at 0, it waits for the second message (2 kB, sent at
/// 10 us, there at 15 us), and not for the first (there at 4 us), which comes meanwhile. A probe waits too.
#[test]
fn a_message_is_waited_for_only_where_the_rank_waits_for_it() {
    let folder = scratch();
    let body = "if (rank == 0) {
        MPI_Send(b, 1000, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        weir_compute(10e-6);
        MPI_Send(b, 2000, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        weir_compute(10e-6);
        MPI_Send(b, 1000, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(b, 1000, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &r);
        MPI_Recv(c, 2000, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(c, 1000, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }";
    let program = compile_text(&text(body), "asked", folder.path());
    kept(&program, 2, PAIR, folder.path(), &[]).expect(0);
    let found = calls(folder.path());
    let of_rank_1: Vec<&str> = found.iter().map(String::as_str).filter(|row| row.starts_with('1')).collect();
    let expected = [
        "1 MPI_Irecv 0 0 0 0 1 0 0",
        "1 MPI_Recv 0 15000000 15000000 0 2 0 2000",
        "1 MPI_Wait 15000000 15000000 0 0 1 0 1000",
        "1 MPI_Probe 15000000 24000000 9000000 0 3 0 0",
        // A look in vain sleeps for 100 ns.
        "1 MPI_Iprobe 24000000 24100000 100000 - - 0 0",
        "1 MPI_Recv 24100000 24100000 0 0 3 0 1000",
    ];
    assert_eq!(of_rank_1, expected);
    let expected = ["1000 0", "2000 15000000", "1000 9000000"];
    assert_eq!(rows(&folder.path().join("out"), "messages", &["bytes", "waited_ps"]), expected);
}

/// A barrier with 1 us of the processor for each message: rank 1 sends in it at 1 us, rank 0 at 6 us, since it comes at
/// 5 us. The message of rank 1 has come at 4 us: rank 0 takes it at 6 us and is over at 7 us. That of rank 0 comes at
/// 9 us: rank 1 has waited since 1 us, and is over at 10 us.
#[test]
fn a_collective_waits_between_its_messages() {
    let folder = scratch();
    let body = "if (rank == 0) weir_compute(5e-6); MPI_Barrier(MPI_COMM_WORLD);";
    let program = compile_text(&text(body), "late_barrier", folder.path());
    kept(&program, 2, &format!("{PAIR}[node]\nmpi_overhead = '1 us'\n"), folder.path(), &[]).expect(0);
    let expected = ["0 MPI_Barrier 5000000 7000000 0 - - 0 0", "1 MPI_Barrier 0 10000000 8000000 - - 0 0"];
    assert_eq!(calls(folder.path()), expected);
    let columns = ["from", "arrived_ps", "waited_ps"];
    let expected = ["1 4000000 0", "0 9000000 8000000"];
    assert_eq!(rows(&folder.path().join("out"), "messages", &columns), expected);
}

#[test]
fn ranks_that_are_processes_are_refused() {
    let folder = scratch();
    let mut command = mpirun(2);
    command.args(["--set", "output.trace=true", "--out"]).arg(folder.path().join("out")).arg("/bin/sh");
    let ended = run(&mut command).expect(2);
    let line = "output.trace = true: is not known of a program whose ranks are processes of their own";
    ended.says(&[line]);
}

/// In a deadlock the calls that block have no end.
#[test]
fn calls_that_are_not_over_have_no_end() {
    let folder = scratch();
    let body =
        "weir_compute(3e-6); MPI_Recv(b, 1, MPI_CHAR, 1 - rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    let program = compile_text(&text(body), "dead", folder.path());
    kept(&program, 2, PAIR, folder.path(), &[]).expect(3);
    let expected = ["0 MPI_Recv 3000000 - - 1 4 0 0", "1 MPI_Recv 3000000 - - 0 4 0 0"];
    assert_eq!(calls(folder.path()), expected);
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

#[test]
fn what_stands_in_the_place_of_a_trace_is_refused() {
    let folder = scratch();
    let program = compile_text(&text("MPI_Barrier(MPI_COMM_WORLD);"), "full", folder.path());
    let own = folder.path().join("out/trace.perfetto.partial/x");
    fs::create_dir_all(&own).unwrap();
    kept(&program, 2, PAIR, folder.path(), &[])
        .expect(2)
        .says(&["trace.perfetto.partial is no ordinary file"]);
    assert!(own.exists());
}

#[test]
fn workloads_without_calls_are_refused() {
    let folder = scratch();
    let experiment = folder.path().join("e.toml");
    fs::write(&experiment, format!("{PAIR}workload = {{ kind = 'ring', message_size = '1 kB' }}\n")).unwrap();
    let mut command =
        weir(["run", "-q", "--set", "output.calls=true", "--set", "output.trace=true", "--out"]);
    let ended = run(command.arg(folder.path().join("out")).arg(&experiment)).expect(2);
    for key in ["output.calls", "output.trace"] {
        let line = format!("{key} = true: is for MPI programs and profiles");
        ended.says(&[&line]);
    }
}

/// Two messages share the link, and are there after 5 and after 6 us. A run that ends in between has a row of the first one.
#[test]
fn messages_that_never_arrive_have_no_row() {
    let folder = scratch();
    let body = "if (rank == 0) MPI_Send(b, 1000, MPI_CHAR, 1, 8, MPI_COMM_WORLD);
        else MPI_Recv(b, 1000, MPI_CHAR, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0) MPI_Send(b, 2000, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
        weir_compute(1e-3);";
    let program = compile_text(&text(body), "lost", folder.path());
    for (limit, code, expected) in [("1 s", 0, &["1000", "2000"][..]), ("5.5 us", 4, &["1000"])] {
        let limit = format!("limits.simulated_time={limit}");
        kept(&program, 2, PAIR, folder.path(), &["--set", &limit]).expect(code);
        assert_eq!(rows(&folder.path().join("out"), "messages", &["bytes"]), expected, "{limit}");
    }
}

#[test]
fn calls_of_windows_have_no_bytes() {
    let folder = scratch();
    let body = "MPI_Win window;
        MPI_Win_create(b, 1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_fence(0, window);
        if (rank == 0) MPI_Put(c, 1000, MPI_CHAR, 1, 0, 1000, MPI_CHAR, window);
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);";
    let program = compile_text(&text(body), "window", folder.path());
    kept(&program, 2, PAIR, folder.path(), &[]).expect(0);
    let out = folder.path().join("out");
    let all = rows(&out, "calls", &["name", "sent_bytes", "received_bytes"]);
    let puts: Vec<_> = all.iter().filter(|row| row.starts_with("MPI_Put ")).collect();
    assert!(matches!(puts[..], [row] if ["MPI_Put - -", "MPI_Put 0 0"].contains(&row.as_str())), "{all:?}");
    assert_eq!(sum(&out, "messages", "bytes"), 1000);
}
