//! `weir run --dry-run`: what a run takes, before it.

use crate::command::{compile_text, run, scratch, weir};
use serde_json::Value;
use std::fs;

const TORUS: [&str; 5] = [
    "topology.kind=torus",
    "topology.shape=[8,8]",
    "topology.bandwidth=1 GB/s",
    "workload.kind=all-to-all",
    "workload.message_size=1 kB",
];

/// The words of a dry run of an empty experiment in a folder with these keys.
fn dry<'a>(file: &'a str, keys: &[&'a str]) -> Vec<&'a str> {
    let keys = keys.iter().flat_map(|key| ["--set", key]);
    ["run", "--dry-run", file].into_iter().chain(keys).collect()
}

#[test]
fn a_dry_run_says_what_the_run_takes_and_writes_nothing() {
    let folder = scratch();
    let path = folder.path().join("empty.toml");
    fs::write(&path, "").unwrap();
    let file = path.to_str().unwrap();
    let out = folder.path().join("out");
    let mut words = dry(file, &TORUS);
    words.extend([
        "--set",
        "engine.kind=packet",
        "--set",
        "packet.mtu=256 B",
        "--out",
        out.to_str().unwrap(),
    ]);
    run(&mut weir(&words)).expect(0).prints(&[
        "nodes     64\n",
        "messages  4,032 (4.032 MB)\n",
        "packets   16,128, ",
        "time      ",
    ]);
    words.push("--json");
    let said: Value = serde_json::from_str(&run(&mut weir(&words)).expect(0).stdout).unwrap();
    assert!(!out.exists());
    words.retain(|&word| word != "--dry-run");
    let ran: Value = serde_json::from_str(&run(&mut weir(&words)).expect(0).stdout).unwrap();
    for (before, after) in
        [("messages", "messages"), ("bytes", "bytes"), ("packets", "packets"), ("packet_hops", "packet_hops")]
    {
        assert!(said[before].is_u64() && said[before] == ran[after], "{before}: {said} {ran}");
    }
    assert_eq!(said["counts_are_exact"], true, "{said}");
    let done = said["done"].as_f64().unwrap();
    assert!(done > 0.0 && done <= 1.0 && said["wall_s"].as_f64().unwrap() > 0.0, "{said}");
}

/// So few messages are sent within the beginning, however busy the computer is.
#[test]
fn a_short_run_is_run_whole() {
    let folder = scratch();
    let path = folder.path().join("empty.toml");
    fs::write(&path, "").unwrap();
    let mut words = dry(path.to_str().unwrap(), &TORUS);
    words.extend(["--set", "topology.shape=[2,2]"]);
    let table = run(&mut weir(&words)).expect(0).stdout;
    assert!(table.contains(": it has been run\n"), "{table}");
}

#[test]
fn what_takes_too_much_is_refused_with_the_numbers() {
    let folder = scratch();
    let path = folder.path().join("empty.toml");
    fs::write(&path, "").unwrap();
    let file = path.to_str().unwrap();
    let long = [&TORUS[..], &["workload.messages=100000000"]].concat();
    for words in
        [dry(file, &long), dry(file, &long).into_iter().filter(|&word| word != "--dry-run").collect()]
    {
        let words = [&words[..], &["--max-wall", "1min"]].concat();
        run(&mut weir(&words)).expect(2).says(&["expected to take", "limits.expected_wall_time = 60 s"]);
    }
    let words = [&dry(file, &TORUS)[..], &["--max-memory", "10kB"]].concat();
    run(&mut weir(&words)).expect(2).says(&["limits.memory = 10 kB"]);
}

/// What is not certain is not shown as if it were: packets of synthetic traffic are drawn. 64 nodes at a tenth of 1 GB/s send 256 B in 12,000 s:
/// 3e11 packets, and at most ten times as many, and one more of each node.
#[test]
fn what_is_drawn_is_about_so_much() {
    let folder = scratch();
    let path = folder.path().join("empty.toml");
    fs::write(&path, "").unwrap();
    let keys = [
        &TORUS[..3],
        &[
            "engine.kind=packet",
            "workload.kind=synthetic",
            "workload.offered_load=0.1",
            "workload.warmup=2000 s",
            "workload.duration=10000 s",
            "workload.packet_size=256 B",
        ],
    ]
    .concat();
    let mut words = dry(path.to_str().unwrap(), &keys);
    let table = run(&mut weir(&words)).expect(0).stdout;
    let row = "packets   about 300,000,000,000 (at most 3,000,000,000,064)\n";
    assert!(table.contains(row), "{table}");
    words.push("--json");
    let said: Value = serde_json::from_str(&run(&mut weir(&words)).expect(0).stdout).unwrap();
    assert_eq!(
        (&said["counts_are_exact"], &said["packets_at_most"]),
        (&false.into(), &3_000_000_000_064_u64.into())
    );
}

/// It might write files, and how long it takes is not known.
#[test]
fn a_program_is_not_run() {
    let folder = scratch();
    let program = compile_text(
        "#include <mpi.h>\n#include <stdio.h>\nint main(void) { MPI_Init(0, 0); puts(\"ran\"); MPI_Finalize(); return 0; }",
        "ran",
        folder.path(),
    );
    let ended = run(weir(["mpirun", "--dry-run", "-n", "4"]).arg(&program)).expect(0);
    assert!(ended.stdout.contains("ranks     4\n") && !ended.stdout.contains("ran\n"), "{}", ended.stdout);
    ended.prints(&["time      known only when the program runs\n"]);
}
