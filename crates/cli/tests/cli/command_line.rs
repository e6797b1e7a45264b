//! Options, summaries, exit status, and the two output streams.

use crate::command::{compile, mpirun, root, run, scratch, weir};
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
