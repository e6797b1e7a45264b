//! NICAM as a workload and as a program; `weir advise pacing`; `weir sweep`.

use crate::command::{compile, mpirun, root, run, scratch, weir};
use serde_json::Value;
use std::path::Path;

/// The small model of paper 004, with short messages.
fn small() -> String {
    root().join("papers/004-pacing/small.toml").to_string_lossy().into_owned()
}

const SHORT: &str = "workload.message_size=32 KiB";

/// Simulated picoseconds of the workload, with these keys set.
fn workload(set: &[&str]) -> u64 {
    let mut command = weir(["run", "--json", "-q"]);
    command.arg(small());
    for set in [SHORT].iter().chain(set) {
        command.args(["--set", set]);
    }
    run(&mut command).expect(0).summary()["simulated_ps"].as_u64().unwrap()
}

/// The same of the program.
fn program(program: &Path, machine: &Path, set: &[&str]) -> u64 {
    let mut command = mpirun(40);
    command.args(["--json", "--no-data", "--machine"]).arg(machine);
    for set in ["node.mpi_overhead=0", "node.memory_bandwidth=1e9 GB/s"].iter().chain(set) {
        command.args(["--set", set]);
    }
    let ended = run(command.arg(program).args(["2", "32768"]));
    ended.expect(0).summary()["simulated_ps"].as_u64().unwrap()
}

/// On the packet engine with and without gaps, and with one interface and no links at all.
#[test]
fn the_program_takes_the_time_of_the_workload() {
    let folder = scratch();
    let built = compile(&root().join("examples/nicam.c"), folder.path());
    let text = std::fs::read_to_string(small()).unwrap();
    let machine = folder.path().join("machine.toml");
    let tables = &text[text.find("[topology]").unwrap()..text.find("[workload]").unwrap()];
    std::fs::write(&machine, tables).unwrap();
    for gap in ["0", "2.125", "3"] {
        let set = format!("node.packet_gap={gap}");
        assert_eq!(program(&built, &machine, &[&set]), workload(&[&set]), "gap {gap}");
    }
    let bare = folder.path().join("bare.toml");
    let experiment = "[workload]\nkind = 'nicam'\nrlevel = 2\nmessage_size = '32 KiB'\n\
                      [engine]\nkind = 'ideal'\nlatency = '1 us'\nbandwidth = '8 GB/s'\n";
    std::fs::write(&bare, experiment).unwrap();
    let workload = run(weir(["run", "--json", "-q"]).arg(&bare)).expect(0).summary()["simulated_ps"].as_u64();
    // Eight messages one after the other, and the latency.
    assert_eq!(workload, Some(8 * 32_768 * 125 + 1_000_000));
    let mut command = mpirun(40);
    command.args(["--json", "--no-data", "--set", "engine.latency=1 us", "--set", "engine.bandwidth=8 GB/s"]);
    let ended = run(command.arg(&built).args(["2", "32768"])).expect(0);
    assert_eq!(ended.summary()["simulated_ps"].as_u64(), workload);
}

#[test]
fn the_program_says_how_many_ranks_it_needs() {
    let folder = scratch();
    let built = compile(&root().join("examples/nicam.c"), folder.path());
    let ended = run(mpirun(39).arg(&built).args(["2", "8"]));
    assert_ne!(ended.code, 0);
    ended.says(&["rlevel 2 needs 40 ranks"]);
}

#[test]
fn advice_is_printed_and_written_and_runs() {
    let folder = scratch();
    let file = folder.path().join("paced.parquet");
    run(weir(["advise", "pacing", &small(), "--set", SHORT, "-o"]).arg(&file)).expect(0).prints(&[
        "sharing flows",
        "2.24",
        "router (",
        "predicted time at these gaps",
        "--set node.packet_gap=2.25",
    ]);
    let text = std::fs::read_to_string(small()).unwrap();
    let paced = format!(
        "{}[workload]\nkind = 'pattern-file'\nfile = 'paced.parquet'\n",
        text.split("[workload]").next().unwrap()
    );
    let path = folder.path().join("paced.toml");
    std::fs::write(&path, paced).unwrap();
    let from_file =
        run(weir(["run", "--json", "-q"]).arg(&path)).expect(0).summary()["simulated_ps"].as_u64();
    let derived = workload(&["node.packet_gap=max-min"]);
    assert_eq!(from_file, Some(derived));
    let searched = ["2", "2.125", "2.25"].map(|gap| workload(&[&format!("node.packet_gap={gap}")]));
    let best = searched.into_iter().min().unwrap();
    // Their margin makes the time between two packets 8 % longer.
    assert!(derived as f64 <= 1.08 * best as f64, "{derived} {best}");
    assert!(1.2 * (derived as f64) < workload(&[]) as f64);
}

#[test]
fn advice_as_json() {
    let ended = run(&mut weir(["advise", "pacing", &small(), "--json", "--margin", "0"])).expect(0);
    let advice: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&advice["gap_for_all"], &advice["busiest_link_messages"]), (&2.0.into(), &3.into()));
    let messages: u64 =
        advice["classes"].as_array().unwrap().iter().map(|class| class["messages"].as_u64().unwrap()).sum();
    assert_eq!(messages, 320);
    let csv = ["advise", "pacing", &small(), "-o", "x.csv"];
    run(&mut weir(csv)).expect(2).says(&["ends in .pattern"]);
}

/// Two sizes, five gaps: the rows, and the best gap of each size.
#[test]
fn a_sweep_finds_the_best_gap_of_each_size() {
    let small = small();
    let points = [
        "sweep",
        &small,
        "-q",
        "--vary",
        "node.packet_gap=1:3:0.5",
        "--vary",
        "workload.message_size=16 KiB; 32 KiB",
    ];
    let csv = run(weir(points).arg("--csv")).expect(0).stdout;
    assert_eq!(csv.lines().count(), 1 + 5 * 2, "{csv}");
    assert!(csv.starts_with(
        "node.packet_gap,workload.message_size,outcome,simulated_s,simulated_ps,digest\n1,16 KiB,"
    ));
    let json = |threads| run(weir(points).args(["--json", "--threads", threads])).expect(0).stdout;
    let one = json("1");
    assert_eq!(one, json("3"));
    let swept: Value = serde_json::from_str(&one).unwrap();
    let best: Vec<&str> = swept["best"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["values"]["node.packet_gap"].as_str().unwrap())
        .collect();
    assert_eq!((&swept["best_of"], best), (&"node.packet_gap".into(), vec!["2", "2"]));
    let text = run(&mut weir(points)).expect(0).stdout;
    assert!(text.contains("\n  best node.packet_gap\n"), "{text}");
}
