//! Options, summaries, exit status, and the two output streams.

use crate::command::{compile, compile_text, mpirun, root, run, scratch, weir};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// A pattern on a small torus.
const EXPERIMENT: &str = r#"
title = "all to all"
[topology]
kind = "torus"
shape = [4, 4]
bandwidth = "1 GB/s"
latency = "100 ns"
[workload]
kind = "all-to-all"
algorithm = "simple-spread"
message_size = "20 kB"
"#;

/// A program that prints its arguments on both streams.
const ARGUMENTS: &str = include_str!("../programs/command_line_arguments.c");

fn is_count(value: &Value) -> bool {
    value.is_u64()
}

fn is_fraction(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| (0.0..=1.0 + 1e-9).contains(&number))
}

fn is_time(value: &Value) -> bool {
    value.is_f64() && value.as_f64().is_some_and(|number| number >= 0.0)
}

fn is_digest(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

type Check = fn(&Value) -> bool;

/// The contract: these names, in this order, hold values of these kinds.
const FIELDS: [(&str, Check); 25] = [
    ("schema_version", is_count),
    ("weir_version", Value::is_string),
    ("title", Value::is_string),
    ("outcome", Value::is_string),
    ("engine", Value::is_string),
    ("nodes", is_count),
    ("routers", is_count),
    ("links", is_count),
    ("ranks", is_count),
    ("messages", is_count),
    ("bytes", is_count),
    ("simulated_s", is_time),
    ("simulated_ps", is_count),
    ("effective_bandwidth", |value| value.is_null() || value.is_f64()),
    ("wall_s", is_time),
    ("peak_memory_bytes", is_count),
    ("threads", is_count),
    ("processes", is_count),
    ("digest", is_digest),
    ("events", is_count),
    ("max_link_share", is_count),
    ("mean_link_utilization", is_fraction),
    ("max_link_utilization", is_fraction),
    ("experiment", Value::is_object),
    ("assumed", Value::is_array),
];
const FLOW_FIELDS: [(&str, Check); 4] = [
    ("method", Value::is_string),
    ("cycles", is_count),
    ("solver_iterations", is_count),
    ("solver_iterations_max", is_count),
];
const PROGRAM_FIELDS: [(&str, Check); 2] = [("mpi_calls", is_count), ("context_switches", is_count)];

#[track_caller]
fn check_fields(summary: &Value, groups: &[&[(&str, Check)]]) {
    let object = summary.as_object().unwrap();
    let expected: Vec<_> = groups.iter().copied().flatten().collect();
    let found: Vec<_> = object.keys().map(String::as_str).take(expected.len()).collect();
    assert_eq!(found, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (name, check) in expected {
        assert!(check(&object[*name]), "{name} = {}", object[*name]);
    }
    let (seconds, picoseconds) = (summary["simulated_s"].as_f64(), summary["simulated_ps"].as_f64());
    assert!((seconds.unwrap() * 1e12 - picoseconds.unwrap()).abs() <= 1.0, "{summary}");
}

/// Writes the experiment into a folder and returns its path.
fn experiment(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("experiment.toml");
    fs::write(&path, EXPERIMENT).unwrap();
    path
}

#[test]
fn json_is_one_object_with_all_that_is_promised() {
    let folder = scratch();
    let experiment = experiment(folder.path());
    let ended = run(weir(["run", "--json"]).arg(&experiment)).expect(0);
    assert_eq!(ended.stderr, "");
    let summary = ended.summary();
    check_fields(&summary, &[&FIELDS, &FLOW_FIELDS]);
    let facts = ["title", "outcome", "engine", "nodes", "routers", "ranks", "messages", "bytes", "threads"];
    let expected = ["\"all to all\"", "\"finished\"", "\"flow\"", "16", "16", "16", "240", "4800000", "1"];
    assert_eq!(facts.map(|name| summary[name].to_string()), expected);

    let ideal =
        run(weir(["run", "--json", "--set", "engine.kind=ideal"]).arg(&experiment)).expect(0).summary();
    check_fields(&ideal, &[&FIELDS]);
    assert_eq!((&ideal["engine"], ideal.get("cycles")), (&"ideal".into(), None));

    let program = compile(&root().join("examples/ring.c"), folder.path());
    let ring = run(mpirun(8).args(["--machine", "examples/torus.toml", "--json"]).arg(&program)).expect(0);
    check_fields(&ring.summary(), &[&FIELDS, &FLOW_FIELDS, &PROGRAM_FIELDS]);
    let ring = run(mpirun(8).arg("--json").arg(&program)).expect(0);
    check_fields(&ring.summary(), &[&FIELDS, &PROGRAM_FIELDS]);
}

#[test]
fn the_resolved_experiment_runs_again_with_the_same_digest() {
    let folder = scratch();
    let experiment = experiment(folder.path());
    let first = run(weir(["run", "--json"]).arg(&experiment)).expect(0).summary();
    let resolved = folder.path().join("resolved.json");
    fs::write(&resolved, first["experiment"].to_string()).unwrap();
    let second = run(weir(["run", "--json"]).arg(&resolved)).expect(0).summary();
    assert_eq!((&first["digest"], &first["experiment"]), (&second["digest"], &second["experiment"]));
}

#[test]
fn set_overrides_the_file() {
    let folder = scratch();
    let experiment = experiment(folder.path());
    let summary = |settings: &[&str]| {
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        run(weir(["run", "--json"]).args(settings).arg(&experiment)).expect(0).summary()
    };
    let plain = summary(&[]);
    let slow = summary(&["topology.bandwidth=500 MB/s", "title=slow", "engine.sharing=iterative"]);
    assert_eq!(slow["title"], "slow");
    assert_eq!(slow["experiment"]["engine"]["sharing"], "iterative");
    let ratio = slow["simulated_ps"].as_f64().unwrap() / plain["simulated_ps"].as_f64().unwrap();
    assert!((1.8..2.2).contains(&ratio), "half the bandwidth, {ratio} times as long");
    assert_eq!(summary(&["topology.shape=[2,2]"])["nodes"], 4);
    assert_eq!(summary(&["workload.message_size=1 kB", "workload.message_size=2 kB"])["bytes"], 480_000);
}

#[test]
fn out_writes_the_summary() {
    let folder = scratch();
    let experiment = experiment(folder.path());
    let results = folder.path().join("results/torus");
    let ended = run(weir(["run", "--json", "--out"]).arg(&results).arg(&experiment)).expect(0);
    let written: Value =
        serde_json::from_str(&fs::read_to_string(results.join("summary.json")).unwrap()).unwrap();
    // The file says which run its tables are of.
    let mut same = written.clone();
    assert!(same.as_object_mut().unwrap().remove("run").is_some_and(|run| run.is_string()));
    assert_eq!(same, ended.summary());
    // Nothing but the summary and the tables that it names, each as a file.
    let mut expected = vec!["summary.json".to_owned()];
    let tables = written["tables"].as_array().unwrap();
    expected.extend(tables.iter().map(|name| format!("{}.parquet", name.as_str().unwrap())));
    let names =
        fs::read_dir(&results).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    expected.sort();
    names.sort();
    assert_eq!(names, expected);
    // Into a place that is none.
    run(weir(["run", "--out"]).arg(experiment.join("results")).arg(&experiment))
        .expect(1)
        .says(&["experiment.toml"]);
}

#[test]
fn a_pattern_prints_its_table_and_a_program_has_standard_output_for_itself() {
    let folder = scratch();
    let ended = run(weir(["run"]).arg(experiment(folder.path()))).expect(0);
    ended.prints(&["simulated time", "messages", "busiest link", "digest"]);
    assert_eq!(ended.stderr, "");

    let program = compile_text(ARGUMENTS, "arguments", folder.path());
    let printed = ["0: x", "1: x"];
    let loud = run(weir(["mpirun", "-n", "2"]).arg(&program).arg("x")).expect(0);
    assert_eq!(loud.sorted_lines(), printed);
    assert!(loud.stderr.contains("simulated time") && loud.stderr.contains("1: to standard error"));
    let quiet = run(mpirun(2).arg(&program).arg("x")).expect(0);
    assert_eq!(quiet.sorted_lines(), printed);
    assert!(!quiet.stderr.contains("simulated time") && quiet.stderr.contains("1: to standard error"));
    let json = run(weir(["mpirun", "-n", "2", "--json"]).arg(&program).arg("x")).expect(0);
    assert_eq!(json.summary()["ranks"], 2);
    assert!(printed.iter().all(|line| json.stderr.contains(line)), "{}", json.stderr);
}

#[test]
fn arguments_of_the_program_are_its_own() {
    let folder = scratch();
    let program = compile_text(ARGUMENTS, "arguments", folder.path());
    let words = ["-n", "--json", "--", "two words", "", "--set=a=b", "é"];
    let expected = words.map(|word| format!("0: {word}"));
    for options in
        [&["mpirun", "-n", "1", "-q"][..], &["mpirun", "-np", "1", "-q"], &["mpirun", "-q", "-np", "1"]]
    {
        let ended = run(weir(options).arg(&program).args(words)).expect(0);
        assert_eq!(ended.stdout.lines().collect::<Vec<_>>(), expected, "{options:?}");
    }
    let mut command = weir(["run", "examples/ring.toml", "-q", "--set", "workload.ranks=1", "--"]);
    let ended = run(command.arg(&program).args(words)).expect(0);
    assert_eq!(ended.stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_run_repeats_itself_exactly() {
    let folder = scratch();
    let ring = compile(&root().join("examples/ring.c"), folder.path());
    let master = compile(&root().join("tests/mpi/master_worker.c"), folder.path());
    let experiment = experiment(folder.path());
    let torus = ["--machine", "examples/torus.toml", "--json"];
    let mut commands = [
        weir(["run", "--json"]),
        weir(["run", "--json", "--set", "mapping.kind=random"]),
        mpirun(64),
        mpirun(8),
        mpirun(8),
    ];
    for command in &mut commands[..2] {
        command.arg(&experiment);
    }
    commands[2].args(torus).arg(&ring).arg("1000");
    commands[3].args(torus).arg(&master);
    commands[4].arg("--json").arg(&master);
    let digests = commands.map(|mut command| {
        let mut runs = [(); 3].map(|()| run(&mut command).expect(0).summary());
        for summary in &mut runs {
            let object = summary.as_object_mut().unwrap();
            object.retain(|name, _| name != "wall_s" && name != "peak_memory_bytes");
        }
        assert_eq!(runs[0], runs[1], "{command:?}");
        assert_eq!(runs[0], runs[2], "{command:?}");
        runs[0]["digest"].to_string()
    });
    let mut different = digests.to_vec();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), digests.len(), "different runs have different digests: {digests:?}");
}

#[test]
fn cc_compiles_in_steps_and_shows_its_command() {
    let folder = scratch();
    let here = folder.path();
    fs::write(
        here.join("main.c"),
        "#include <mpi.h>\nint twice(int);\nint main(int c, char **v) { MPI_Init(&c, &v); \
        int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Finalize(); return twice(r) - 2 * r; }\n",
    )
    .unwrap();
    fs::write(here.join("twice.c"), "int twice(int x) { return 2 * x; }\n").unwrap();
    let cc = |args: &[&str]| run(weir(["cc"]).args(args).current_dir(here));
    cc(&["-O2", "-Wall", "-Werror", "-c", "main.c"]).expect(0);
    cc(&["-c", "twice.c", "-o", "other.o"]).expect(0);
    cc(&["main.o", "other.o", "-o", "linked"]).expect(0);
    run(mpirun(4).arg(here.join("linked"))).expect(0);
    cc(&["main.c", "twice.c"]).expect(0);
    run(mpirun(4).arg("./a.out").current_dir(here)).expect(0);

    let shown = cc(&["-show", "-O2", "main.c", "-o", "shown"]).expect(0).stdout;
    assert!(shown.contains("-O2 main.c -o shown") && shown.lines().count() == 1, "{shown}");
    assert!(!here.join("shown").exists());
    // The shown command is a real one.
    fs::write(
        here.join("empty.c"),
        "#include <mpi.h>\nint main(void) { return MPI_Init(0, 0) + MPI_Finalize(); }\n",
    )
    .unwrap();
    let shown = cc(&["-show", "empty.c", "-o", "shown"]).expect(0).stdout;
    run(std::process::Command::new("sh").args(["-c", &shown]).current_dir(here)).expect(0);
    run(mpirun(2).arg(here.join("shown"))).expect(0);

    fs::write(here.join("wrong.c"), "int main(void) { return undeclared; }\n").unwrap();
    let ended = cc(&["wrong.c", "-o", "wrong"]).expect(1);
    assert!(ended.stderr.contains("undeclared") && !here.join("wrong").exists());
    cc(&["-static", "main.c"]).expect(1).says(&["-static"]);
    run(weir(["cc", "main.c"]).env("WEIR_CC", "no-such-compiler").current_dir(here))
        .expect(1)
        .says(&["no-such-compiler", "hint:"]);
}

#[test]
fn compilers_that_start_together_do_not_disturb_each_other() {
    let folder = scratch();
    let source = folder.path().join("empty.c");
    fs::write(&source, "#include <mpi.h>\nint main(void) { return MPI_Init(0, 0) + MPI_Finalize(); }\n")
        .unwrap();
    let cache = folder.path().join("cache");
    let mut compilers: Vec<_> = (0..6)
        .map(|number| {
            let mut command = weir(["cc", "-o"]);
            command.arg(folder.path().join(number.to_string())).arg(&source);
            command.env("XDG_CACHE_HOME", &cache).stdin(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for compiler in &mut compilers {
        assert!(compiler.wait().unwrap().success());
    }
    for number in 0..6 {
        run(mpirun(2).arg(folder.path().join(number.to_string()))).expect(0);
    }
}

#[test]
fn too_many_ranks_are_refused_with_a_machine_that_would_do() {
    let folder = scratch();
    let program = compile(&root().join("examples/ring.c"), folder.path());
    let ended = run(mpirun(300).args(["--machine", "examples/torus.toml"]).arg(&program)).expect(2);
    ended.says(&["300 ranks do not fit 128 nodes"]);
    let hint = ended.stderr.lines().find(|line| line.contains("ranks_per_node")).unwrap();
    let shape = hint.split_once("topology.shape = ").unwrap().1;
    for setting in ["mapping.ranks_per_node=3".to_owned(), format!("topology.shape={shape}")] {
        run(mpirun(300).args(["--machine", "examples/torus.toml", "--set", &setting]).arg(&program))
            .expect(0);
    }
}

/// The reader has gone, or the disk is full: an error like others, not a crash.
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let folder = scratch();
    let experiment = experiment(folder.path());
    for option in ["--json", "--set=seed=2"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = weir(["run", option]).arg(&experiment).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{option}: {said}");
        assert!(said.starts_with("error: ") && !said.contains("panicked"), "{option}: {said}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let version = run(&mut weir(["--version"])).expect(0);
    assert_eq!(version.stdout, format!("weir {}\n", env!("CARGO_PKG_VERSION")));
    for args in [&["--help"][..], &["run", "--help"], &["mpirun", "--help"]] {
        run(&mut weir(args)).expect(0).prints(&["Usage: weir"]);
    }
}

/// What can be asked for beside the run: in the text, in the JSON, in a file; and refused where it makes no sense.
#[test]
fn comparisons_ties_and_cycles() {
    let folder = scratch();
    let path = experiment(folder.path());
    let cycles = folder.path().join("cycles.csv");
    let settings = ["--set=engine.sharing=single-pass", "--set=topology.latency=0 s"];
    let asked = [&["--compare-sharing", "--tie-sensitivity=3"], &settings[..], &["--cycles"]].concat();
    let text = run(weir(["run"]).args(&asked).arg(&cycles).arg(&path)).expect(0).stdout;
    for said in ["against max-min", "with max-min", "perturbed ties", "in 4 runs"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let json = run(weir(["run", "--json"]).args(&asked).arg(&cycles).arg(&path)).expect(0).stdout;
    let summary: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(summary["tie_sensitivity"]["simulated_s"].as_array().unwrap().len(), 4);
    assert!(summary["compared_with_max_min"]["max_min_simulated_s"].is_f64());
    let written = fs::read_to_string(&cycles).unwrap();
    assert_eq!(written.lines().count() as u64, 1 + summary["cycles"].as_u64().unwrap());
    let dts = written.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse::<u64>().unwrap());
    assert_eq!(dts.sum::<u64>(), summary["simulated_ps"].as_u64().unwrap());
    for option in ["--compare-sharing", "--tie-sensitivity", "--cycles=c.csv"] {
        for engine in ["--set=engine.kind=ideal", "--set=engine.kind=packet"] {
            let refused = run(weir(["run", option, engine]).arg(&path)).expect(2);
            assert!(refused.stderr.starts_with("error: "), "{option}: {}", refused.stderr);
        }
    }
}

/// `MPI_COMM_TYPE_SHARED` goes by the mapping: three nodes of two ranks, the key turning their order round.
#[test]
fn ranks_on_one_node_come_together() {
    const PROGRAM: &str = include_str!("../programs/command_line_nodes.c");
    let folder = scratch();
    let program = compile_text(PROGRAM, "nodes", folder.path());
    let machine = ["--machine", "examples/torus.toml", "--set", "mapping.ranks_per_node=2"];
    let ended = run(mpirun(6).args(machine).arg(&program)).expect(0);
    let expected = [
        "1 of 2, with 0",
        "0 of 2, with 0",
        "1 of 2, with 2",
        "0 of 2, with 2",
        "1 of 2, with 4",
        "0 of 2, with 4",
    ];
    let expected: Vec<String> =
        expected.iter().enumerate().map(|(rank, line)| format!("{rank}: {line}")).collect();
    assert_eq!(ended.sorted_lines(), expected);
}
