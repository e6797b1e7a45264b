//! What becomes of runs that do not go well: deadlocks, crashes, aborts, limits. The simulator outlives them all, says
//! which rank and why, and keeps what was printed before.

use crate::command::{Ended, check_all, compile, compile_text, files, mpirun, root, run, scratch, weir};
use serde_json::{Value, json};
use std::path::Path;

/// How a program of `tests/mpi/failing` ends, as the comments at its beginning say: `ends: status 3 on 2 ranks`; each `says`,
/// in which blanks count as one, is in a line of standard error; the lines of standard output are those of `prints`.
struct Ending {
    code: i32,
    ranks: usize,
    says: Vec<String>,
    prints: Vec<String>,
}

impl Ending {
    fn of(source: &Path) -> Self {
        let text = std::fs::read_to_string(source).unwrap();
        let comments: Vec<(&str, &str)> = text
            .lines()
            .map_while(|line| {
                let of_c = line.strip_prefix("/* ").and_then(|rest| rest.strip_suffix(" */"));
                of_c.or_else(|| line.strip_prefix("! "))?.split_once(": ")
            })
            .collect();
        let all = |key| {
            comments.iter().filter(|(own, _)| *own == key).map(|(_, text)| (*text).to_owned()).collect()
        };
        let ends: Vec<String> = all("ends");
        let [_, code, _, ranks, _] = ends
            .concat()
            .split(' ')
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .try_into()
            .unwrap_or_else(|_| panic!("{}: \"ends: status N on N ranks\" is missing", source.display()));
        Self {
            code: code.parse().unwrap(),
            ranks: ranks.parse().unwrap(),
            says: all("says"),
            prints: all("prints"),
        }
    }
}

fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn check(source: &Path, folder: &Path) -> Result<(), String> {
    let expected = Ending::of(source);
    let program = compile(source, folder);
    for machine in [&[][..], &["--machine", "examples/torus.toml"]] {
        let ended = run(mpirun(expected.ranks).args(machine).arg(&program));
        let said: Vec<String> = ended.stderr.lines().map(single_blanks).collect();
        let is_missing = |text: &&String| !said.iter().any(|line| line.contains(text.as_str()));
        let missing: Vec<_> = expected.says.iter().filter(is_missing).collect();
        if ended.code != expected.code || ended.sorted_lines() != expected.prints || !missing.is_empty() {
            let (machine, code) = (machine.join(" "), expected.code);
            let Ended { code: found, stdout, stderr } = ended;
            return Err(format!(
                "{} {machine}: exit status {found} (expected {code}), unsaid {missing:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}",
                source.display()
            ));
        }
    }
    Ok(())
}

#[test]
fn every_failing_program_ends_with_its_exit_status_and_reason() {
    let folder = scratch();
    let programs = files(&root().join("tests/mpi/failing"), "c");
    assert!(programs.len() > 30, "only {} programs", programs.len());
    check_all(&programs, |program| check(program, folder.path()));
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
const PING_PONG: &str = include_str!("../programs/outcomes_ping_pong.c");

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
        ended.says(&[key]);
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
    for (engine, limit) in ["--engine=flow", "--engine=packet"]
        .into_iter()
        .flat_map(|engine| [(engine, "wall_time=300 ms"), (engine, "simulated_time=1 ms")])
    {
        let set = format!("limits.{limit}");
        let summary = run(weir(["run", "--json", engine, "--set", &set]).arg(&path)).expect(4).summary();
        assert_eq!(summary["outcome"], "limit", "{engine} {limit}");
        assert!(limit.starts_with("wall") || summary["simulated_ps"] == 1_000_000_000, "{engine}");
    }
}

#[test]
fn what_is_left_behind_is_listed_where_asked_for() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/verify/leaves_much.c"), folder.path());
    run(mpirun(2).arg(&program)).expect(0);
    run(mpirun(2).arg("--verify").arg(&program)).expect(1).says(&[
        "left behind at the end (5):",
        "rank 0: a request of MPI_Irecv: never completed, called in main+0x",
        "of leaves_much, peer any, tag 7, in MPI_COMM_WORLD",
        "rank 0: a message was never received, source 1, tag 9, in MPI_COMM_WORLD, 4 bytes",
        "rank 0: datatypes not freed: 1",
        "rank 1: a request of MPI_Isend: complete, neither waited for nor freed, called in main+0x",
        "rank 1: datatypes not freed: 1",
    ]);
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
    ended.says(&["MPI_ERR_RANK", " (called in "]);
    assert!(
        ended.stderr.contains(" of misplaced)") || ended.stderr.contains("misplaced+0x"),
        "{}",
        ended.stderr
    );
}
