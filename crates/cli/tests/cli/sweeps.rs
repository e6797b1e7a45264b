//! Commands that run MPI programs more than once: each run is a process of its own, and what comes out is what a single
//! run gives.

use crate::command::{compile_text, run, scratch, weir};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Does what a seed says: work, rings, reductions; with globals, and with lines that are printed in pieces.
const RANDOM: &str = include_str!("../programs/sweeps_random.c");

/// Globals that are left as they are by whoever runs in between; nothing depends on the seed of the experiment.
const EQUAL: &str = include_str!("../programs/sweeps_equal.c");

fn experiment(folder: &Path, program: &Path, more: &str) -> PathBuf {
    let path = folder.join("e.toml");
    let text = format!(
        "[topology]\nkind = 'torus'\nshape = [4, 2]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[engine]\nkind = 'flow'\n\
         [workload]\nkind = 'program'\nranks = 8\nprogram = '{}'\n{more}",
        program.display()
    );
    fs::write(&path, text).unwrap();
    path
}

fn points(swept: &str) -> Vec<Value> {
    let object: Value = serde_json::from_str(swept).unwrap_or_else(|error| panic!("{error}: {swept}"));
    object["points"].as_array().unwrap().clone()
}

#[test]
fn equal_points_have_equal_times_and_digests_on_any_number_of_threads() {
    let folder = scratch();
    let program = compile_text(EQUAL, "equal", folder.path());
    let experiment = experiment(folder.path(), &program, "");
    let mut seen = BTreeSet::new();
    for threads in ["1", "4"] {
        let arguments = ["--vary", "seed=1:12:1", "--json", "-q", "--threads", threads];
        let swept = run(weir(["sweep"]).arg(&experiment).args(arguments)).expect(0).stdout;
        for point in points(&swept) {
            assert_eq!(point["outcome"], "finished");
            seen.insert((point["simulated_ps"].to_string(), point["digest"].to_string()));
        }
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
}

/// A point of a sweep is what a single run is: time and digest. What ranks print is nowhere among the results.
#[test]
fn a_point_is_a_single_run() {
    let folder = scratch();
    let program = compile_text(RANDOM, "random", folder.path());
    let experiment = experiment(folder.path(), &program, "args = ['0']\n");
    let mut draw = 1_u32;
    for threads in 1..=4 {
        let seeds = [(); 4].map(|()| {
            draw = draw.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            draw >> 16
        });
        let values = seeds.map(|seed| format!("['{seed}']")).join("; ");
        let mut sweep = weir(["sweep"]);
        sweep.arg(&experiment).args(["--vary", &format!("workload.args={values}"), "--json", "-q"]);
        let swept = run(sweep.args(["--threads", &threads.to_string()])).expect(0).stdout;
        for (seed, point) in seeds.iter().zip(points(&swept)) {
            let single = ["--json", "-q", "--set", &format!("workload.args=['{seed}']")];
            let single = run(weir(["run"]).arg(&experiment).args(single)).expect(0).summary();
            for key in ["simulated_ps", "digest", "outcome"] {
                assert_eq!(point[key], single[key], "{key} of seed {seed} on {threads} threads");
            }
        }
    }
}

/// Rank 2 of the points above 2 crashes, or kills its process: the points say so, and how to repeat them; the others are as
/// they would be alone.
#[test]
fn a_point_that_crashes_or_is_killed_is_one_point() {
    const PROGRAM: &str = include_str!("../programs/sweeps_breaks.c");
    let folder = scratch();
    let program = compile_text(PROGRAM, "breaks", folder.path());
    let experiment = experiment(folder.path(), &program, "args = ['0']\n");
    let mut sweep = weir(["sweep"]);
    sweep.arg(&experiment).args([
        "--vary",
        "workload.args=['1'];['2'];['3'];['4'];['5']",
        "-q",
        "--threads",
        "2",
    ]);
    let ended = run(sweep.arg("--json")).expect(1);
    let points = points(&ended.stdout);
    let outcomes: Vec<&str> = points.iter().map(|point| point["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["finished", "finished", "aborted", "aborted", "finished"]);
    let why = |point: usize| points[point]["why"].as_str().unwrap();
    assert!(why(2).contains("rank 2: it crashed in or after MPI_Barrier"), "{}", why(2));
    assert!(why(3).contains("killed (signal 9)"), "{}", why(3));
    assert_eq!(points[3]["simulated_ps"], Value::Null);
    let repeat = format!("weir run {} --set 'workload.args=['\\''3'\\'']'", experiment.display());
    assert_eq!(points[2]["repeat"], repeat.as_str());
    ended.says(&[&format!("`{repeat}` repeats it"), "  | what is 3"]);
    assert!(!ended.stderr.contains("what is 1"), "{}", ended.stderr);
    let csv =
        run(weir(["sweep"]).arg(&experiment).args(["--vary", "workload.args=['4'];['5']", "-q", "--csv"]));
    let rows: Vec<&str> = csv.stdout.lines().collect();
    assert!(rows[1] == "['4'],aborted,,," && rows[2].starts_with("['5'],finished,"), "{rows:?}");
}

/// Whoever ends a sweep finds the points that were done.
#[test]
fn a_sweep_that_is_ended_has_the_rows_of_what_is_done() {
    const PROGRAM: &str = include_str!("../programs/sweeps_hangs.c");
    let folder = scratch();
    let program = compile_text(PROGRAM, "hangs", folder.path());
    let experiment = experiment(folder.path(), &program, "args = ['0']\n");
    for (signal, status) in [("KILL", None), ("INT", Some(130)), ("TERM", Some(143))] {
        let values = "workload.args=['1'];['2'];['3'];['4'];['5'];['6']";
        let mut sweep = weir(["sweep"]);
        sweep.arg(&experiment).args(["--vary", values, "--csv", "--threads", "1", "-q"]);
        let mut child =
            sweep.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut rows = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let seen: Vec<String> = rows.by_ref().take(4).collect();
        // The fourth point has begun, or is about to.
        std::thread::sleep(std::time::Duration::from_millis(300));
        run(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()])).expect(0);
        let ended = child.wait().unwrap();
        assert_eq!(ended.code(), status, "{signal}");
        assert!(seen[3].starts_with("['3'],finished,"), "{signal}: {seen:?}");
        assert_eq!(rows.next(), None, "{signal}");
    }
}
