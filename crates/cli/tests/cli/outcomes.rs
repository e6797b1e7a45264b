//! What becomes of runs that do not go well: deadlocks, crashes, aborts, limits. The simulator outlives them all, says
//! which rank and why, and keeps what was printed before.

use crate::command::{check_all, compile, compile_text, files, mpirun, root, run, scratch, weir};
use serde_json::{Value, json};
use std::path::Path;

/// How a program of `tests/mpi/failing` ends.
struct Case {
    program: &'static str,
    ranks: usize,
    code: i32,
    /// Lines of standard error must hold these texts, runs of blanks counting as one.
    says: &'static [&'static str],
    /// Lines of standard output.
    prints: &'static [&'static str],
}

const fn case(
    program: &'static str,
    ranks: usize,
    code: i32,
    says: &'static [&'static str],
    prints: &'static [&'static str],
) -> Case {
    Case { program, ranks, code, says, prints }
}

const ENDS: &[Case] = &[
    case(
        "spawn",
        2,
        1,
        &["MPI_Comm_spawn failed: MPI_ERR_SPAWN: weir's number of ranks is fixed for a run, here 2"],
        &[],
    ),
    case(
        "deadlock_recv_recv",
        2,
        3,
        &[
            "deadlock at",
            "2 of 2 ranks wait for ever",
            "rank waits in for tag communicator",
            "0 MPI_Recv rank 1 11 MPI_COMM_WORLD",
            "1 MPI_Recv rank 0 10 MPI_COMM_WORLD",
            "in a circle: 0 waits for 1, 1 waits for 0",
        ],
        &[],
    ),
    case(
        "deadlock_ring",
        4,
        3,
        &[
            "4 of 4 ranks wait for ever",
            "0 MPI_Ssend rank 1 5 MPI_COMM_WORLD",
            "1 MPI_Ssend rank 2 5 MPI_COMM_WORLD",
            "2 MPI_Ssend rank 3 5 MPI_COMM_WORLD",
            "3 MPI_Ssend rank 0 5 MPI_COMM_WORLD",
            "in a circle: 0 waits for 1, 1 waits for 2, 2 waits for 3, 3 waits for 0",
        ],
        &[],
    ),
    case(
        "deadlock_barrier",
        3,
        3,
        &["3 of 3 ranks wait for ever", "0 MPI_Barrier rank", "1 MPI_Recv rank 0", "2 MPI_Barrier rank"],
        &[],
    ),
    case(
        "deadlock_lock",
        3,
        3,
        &[
            "3 of 3 ranks wait for ever",
            "1 MPI_Win_lock rank 0 the lock window on MPI_COMM_WORLD",
            "2 MPI_Win_lock rank 0 the lock window on MPI_COMM_WORLD",
        ],
        &[],
    ),
    case(
        "deadlock_window",
        3,
        3,
        &[
            "3 of 3 ranks wait for ever",
            "0 MPI_Win_start rank 1 MPI_Win_post tank",
            "1 MPI_Win_wait rank 2 MPI_Win_complete tank",
            "2 MPI_Win_sync any rank a change of its memory tank",
        ],
        &[],
    ),
    case(
        "beyond_the_window",
        2,
        1,
        &[
            "rank 1: MPI_Win_fence failed: MPI_ERR_RMA_RANGE: a put of 4 bytes at displacement 4 in units of 4 bytes \
             leaves a window of 16 bytes",
        ],
        &[],
    ),
    case(
        "ready_send",
        2,
        1,
        &[
            "aborted at",
            "rank 1: rank 0 sent to it in ready mode (MPI_Rsend or the like, tag 5 in MPI_COMM_WORLD), but it had posted \
             no receive for the message",
        ],
        &[],
    ),
    // Asking in vain is no progress: nothing happens any more, whatever simulated time does.
    case(
        "spin_forever",
        2,
        3,
        &["2 of 2 ranks wait for ever", "0 MPI_Barrier rank 1", "1 MPI_Iprobe rank 0"],
        &[],
    ),
    case(
        "null_pointer",
        2,
        1,
        &["aborted at", "rank 1: it crashed in or after MPI_Barrier: segmentation fault", "null pointer"],
        &["0: before", "1: before"],
    ),
    case("stack_overflow", 2, 1, &["rank 0: it crashed", "stack overflow"], &[]),
    case("division", 2, 1, &["rank 1: it crashed in or after MPI_Barrier", "division by zero"], &[]),
    case("abort", 2, 1, &["rank 1: it called MPI_Abort with error code 7"], &["0: before", "1: before"]),
    case("exit_three", 3, 1, &["rank 2: it called exit(3) before MPI_Finalize"], &[]),
    case("no_finalize", 2, 1, &["rank 0", "returned 0 before MPI_Finalize"], &[]),
    case("return_code", 2, 1, &["rank 1 ended with exit code 5"], &[]),
    case("truncate", 2, 1, &["rank 1: MPI_Recv failed: MPI_ERR_TRUNCATE", "40 bytes", "12 bytes"], &[]),
    case(
        "mismatched_collectives",
        3,
        1,
        &["failed: MPI_ERR_OTHER: rank", "MPI_Allreduce", "MPI_Reduce to root 1"],
        &[],
    ),
    case("mismatched_roots", 2, 1, &["the collectives of rank", "a message of MPI_Bcast from root"], &[]),
    case("mismatched_returned", 2, 1, &["MPI_Abort with error code 7"], &["rank 1: other"]),
    case(
        "uneven_bcast",
        2,
        1,
        &[
            "rank 1: MPI_Bcast failed: MPI_ERR_OTHER: the ranks give different counts: rank 1 calls MPI_Bcast from root 0 with \
             8 bytes, and rank 0 with 16",
        ],
        &[],
    ),
    case(
        "uneven_gather",
        3,
        1,
        &[
            "the ranks give different counts: rank 2 calls MPI_Gather or MPI_Gatherv to root 0 with 4 bytes, and rank 0 with 8",
        ],
        &[],
    ),
    case(
        "mismatched_operations",
        2,
        1,
        &[
            "MPI_Reduce failed: MPI_ERR_OP: the ranks do not agree: rank 1 calls MPI_Reduce to root 0 with MPI_SUM, and rank 0 \
             with MPI_PROD",
        ],
        &[],
    ),
    case("uneven_returned", 4, 0, &[], &["right ones refused: 0, wrong ones found: 18 of 18"]),
    case(
        "too_many_communicators",
        2,
        1,
        &[
            "MPI_Comm_dup failed: MPI_ERR_OTHER: a rank of this communicator holds 32768 communicators",
            "MPI_Comm_free",
        ],
        &[],
    ),
    case(
        "too_many_returned",
        4,
        0,
        &[],
        &["way 0: together", "way 1: together", "way 2: together", "way 3: together", "way 4: together"],
    ),
    case("tools_refused", 1, 0, &[], &["0 wrong"]),
    case(
        "part_of_an_element",
        2,
        1,
        &["rank 1: MPI_Recv failed: MPI_ERR_TYPE: a message of 3 bytes ends within a basic element"],
        &[],
    ),
    case("bad_rank", 2, 1, &["rank 0: MPI_Send failed: MPI_ERR_RANK", "rank 5"], &[]),
    case("uncommitted", 2, 1, &["rank 0: MPI_Send failed: MPI_ERR_TYPE: the datatype is not committed"], &[]),
    case("freed_type", 1, 1, &["rank 0: MPI_Bcast failed: MPI_ERR_TYPE: not a datatype"], &[]),
    case(
        "beyond_the_grid",
        2,
        1,
        &["rank 1: MPI_Cart_rank failed: MPI_ERR_ARG: coordinate 1 is 2, and the side has open ends"],
        &[],
    ),
    case("call_errhandler", 2, 1, &["rank 1: it called MPI_Comm_call_errhandler with error code 11"], &[]),
    case(
        "operation_sends",
        2,
        1,
        &[
            "MPI_Isend was called in an operation of the program (MPI_Op_create), within MPI_Allreduce: there only \
             functions may be called that communicate with nobody",
        ],
        &[],
    ),
    case("operation_exits", 3, 1, &["it called exit(4) before MPI_Finalize"], &[]),
];

fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check(case: &Case, folder: &Path) -> Result<(), String> {
    let program = compile(&root().join("tests/mpi/failing").join(case.program).with_extension("c"), folder);
    for machine in [&[][..], &["--machine", "examples/torus.toml"]] {
        let ended = run(mpirun(case.ranks).args(machine).arg(&program));
        let said: Vec<String> = ended.stderr.lines().map(single_blanks).collect();
        let missing: Vec<_> =
            case.says.iter().filter(|text| !said.iter().any(|line| line.contains(*text))).collect();
        if ended.code != case.code || ended.sorted_lines() != case.prints || !missing.is_empty() {
            return Err(format!(
                "{} {}: exit status {} (expected {}), unsaid {missing:?}\n--- stdout\n{}\n--- stderr\n{}",
                case.program,
                machine.join(" "),
                ended.code,
                case.code,
                ended.stdout,
                ended.stderr
            ));
        }
    }
    Ok(())
}

#[test]
fn every_failing_program_ends_with_its_exit_status_and_reason() {
    let folder = scratch();
    let listed: Vec<&str> = ENDS.iter().map(|case| case.program).collect();
    for program in files(&root().join("tests/mpi/failing"), "c") {
        let name = program.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(listed.contains(&name.as_str()), "say how tests/mpi/failing/{name}.c ends");
    }
    check_all(ENDS, |case| check(case, folder.path()));
}

#[test]
fn the_summary_of_a_deadlock_says_who_waits_for_whom() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/failing/deadlock_recv_recv.c"), folder.path());
    let results = folder.path().join("results");
    let ended = run(mpirun(2).arg("--json").arg("--out").arg(&results).arg(&program)).expect(3);
    let waiting = |rank, peer, tag: &str| {
        json!({ "rank": rank, "call": "MPI_Recv", "peer": peer,
                "details": { "tag": tag, "communicator": "MPI_COMM_WORLD" } })
    };
    let summary = ended.summary();
    assert_eq!(summary["outcome"], "deadlock");
    let expected = json!({ "cycle": [0, 1], "waiting": [waiting(0, 1, "11"), waiting(1, 0, "10")] });
    assert_eq!(summary["explanation"], expected);
    let mut written: Value =
        serde_json::from_str(&std::fs::read_to_string(results.join("summary.json")).unwrap()).unwrap();
    assert!(written.as_object_mut().unwrap().remove("run").is_some());
    assert_eq!(written, summary);
}

#[test]
fn the_summary_of_a_crash_names_the_rank() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/failing/null_pointer.c"), folder.path());
    let summary = run(mpirun(2).arg("--json").arg(&program)).expect(1).summary();
    assert_eq!(summary["outcome"], "aborted");
    assert_eq!(summary["explanation"]["rank"], 1);
    assert!(summary["explanation"]["why"].as_str().unwrap().contains("segmentation fault"), "{summary}");
}

/// Two ranks that exchange messages for ever.
const PING_PONG: &str = r#"
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, data[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;)
        MPI_Sendrecv_replace(data, 64, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
"#;

#[test]
fn limits_end_what_would_not_end() {
    let folder = scratch();
    let endless = compile_text(PING_PONG, "ping_pong", folder.path());
    let spinning = compile(&root().join("tests/mpi/failing/spin_forever.c"), folder.path());
    let torus = ["--machine", "examples/torus.toml"];
    let cases: [(&Path, &[&str], &str); 5] = [
        (&endless, &torus, "limits.wall_time=300 ms"),
        (&endless, &[], "limits.wall_time=300 ms"),
        (&endless, &torus, "limits.simulated_time=1 ms"),
        (&spinning, &torus, "limits.simulated_time=1 ms"),
        (&spinning, &[], "limits.simulated_time=1 s"),
    ];
    for (program, machine, limit) in cases {
        let ended = run(mpirun(2).args(machine).args(["--json", "--set", limit]).arg(program)).expect(4);
        let key = limit.split_once('=').unwrap().0;
        assert!(ended.stderr.contains(key), "{limit}: {}", ended.stderr);
        assert_eq!(ended.summary()["outcome"], "limit", "{limit}");
    }
}

#[test]
fn limits_end_patterns_too() {
    let experiment = "
        topology = { kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s', latency = '0 s' }
        workload = { kind = 'ring', message_size = '1 kB', messages = 1000000000 }
    ";
    let folder = scratch();
    let path = folder.path().join("ring.toml");
    std::fs::write(&path, experiment).unwrap();
    for (limit, simulated_ps) in
        [("limits.wall_time=300 ms", None), ("limits.simulated_time=1 ms", Some(1e9))]
    {
        let summary = run(weir(["run", "--json", "--set", limit]).arg(&path)).expect(4).summary();
        assert_eq!(summary["outcome"], "limit", "{limit}");
        if simulated_ps.is_some() {
            assert_eq!(summary["simulated_ps"].as_f64(), simulated_ps, "{limit}");
        }
    }
}

#[test]
fn what_is_left_behind_is_listed_where_asked_for() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/verify/leaves_much.c"), folder.path());
    run(mpirun(2).arg(&program)).expect(0);
    let ended = run(mpirun(2).arg("--verify").arg(&program)).expect(1);
    for line in [
        "left behind at the end (5):",
        "rank 0: a request of MPI_Irecv: never completed, called in main+0x",
        "of leaves_much, peer any, tag 7, in MPI_COMM_WORLD",
        "rank 0: a message was never received, source 1, tag 9, in MPI_COMM_WORLD, 4 bytes",
        "rank 0: datatypes not freed: 1",
        "rank 1: a request of MPI_Isend: complete, neither waited for nor freed, called in main+0x",
        "rank 1: datatypes not freed: 1",
    ] {
        assert!(ended.stderr.contains(line), "no {line:?} in {}", ended.stderr);
    }
    let ended = run(mpirun(2).args(["--verify", "--json"]).arg(&program)).expect(1);
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    let remnants = summary["remnants"].as_array().unwrap();
    assert_eq!(remnants.len(), 5);
    assert_eq!((&remnants[1]["kind"], &remnants[1]["bytes"]), (&json!("message"), &json!("4")));
    // A tidy program has nothing to list.
    let tidy = compile(&root().join("tests/mpi/matched_probe.c"), folder.path());
    let ended = run(mpirun(2).args(["--verify", "--json"]).arg(&tidy)).expect(0);
    let printed = ended.stdout.lines().last().unwrap_or_default();
    assert_eq!(serde_json::from_str::<Value>(printed).unwrap()["remnants"], json!([]));
    run(&mut weir(["run", "examples/ring.toml", "--verify"])).expect(2);
}

#[test]
fn a_fatal_mistake_names_its_place() {
    let folder = scratch();
    let text = "#include <mpi.h>\n\
        static __attribute__((noinline)) void wrong(void) {\n\
            int data = 0;\n\
            MPI_Send(&data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);\n\
            data++;\n\
        }\n\
        int main(int argc, char **argv) { MPI_Init(&argc, &argv); wrong(); return MPI_Finalize(); }\n";
    let program = compile_text(text, "misplaced", folder.path());
    let ended = run(mpirun(2).arg(&program)).expect(1);
    assert!(
        ended.stderr.contains("MPI_ERR_RANK") && ended.stderr.contains(" (called in "),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains(" of misplaced)") || ended.stderr.contains("misplaced+0x"),
        "{}",
        ended.stderr
    );
}
