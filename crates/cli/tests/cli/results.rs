//! Results folders: parts of a run that was killed, and two runs at a time.

use crate::command::{run, scratch, weir};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

const TORUS: &str = "topology = { kind = 'torus', shape = [4, 4, 4], bandwidth = '4 GB/s', latency = '100 ns' }\n\
                     engine = { kind = 'packet' }\n\
                     workload = { kind = 'all-to-all', message_size = '2 kB' }\n";

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// A run without an end is killed when it has left two parts: these are whole, and so are the tables of the machine, which
/// are written at the beginning.
#[test]
fn a_run_that_is_killed_leaves_its_parts() {
    let folder = scratch();
    let experiment = folder.path().join("e.toml");
    let workload =
        "kind = 'synthetic', pattern = 'uniform', offered_load = 0.3, warmup = '1 us', duration = '1 s'";
    fs::write(&experiment, TORUS.replace("kind = 'all-to-all', message_size = '2 kB'", workload)).unwrap();
    let out = folder.path().join("out");
    let mut command = weir(["run", "-q", "--set", "output.sample_interval=1 us", "--out"]);
    let mut running = command.arg(&out).arg(&experiment).spawn().unwrap();
    let second = out.join("series/links/00001.parquet");
    let patience = Instant::now();
    let there = || second.exists() && out.join("links.parquet").exists();
    while !there() && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(!out.join("summary.json").exists());
    for part in ["00000", "00001"] {
        let bytes = fs::read(out.join(format!("series/links/{part}.parquet"))).unwrap();
        assert!(bytes.len() > 10_000 && bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{part}");
    }
    for table in ["places.parquet", "links.parquet"] {
        let bytes = fs::read(out.join(table)).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table}");
    }
    let begun = json(&out.join("begun.json"));
    assert_eq!((&begun["engine"], &begun["links"]), (&"packet".into(), &512.into()));
    assert_eq!(begun["experiment"]["output"]["sample_interval"], "1 us");
}

/// While one run writes into a folder, whatever its name, another one is refused, and the folder is that of the first.
#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = scratch();
    let (long, short) = (folder.path().join("long.toml"), folder.path().join("short.toml"));
    let workload =
        "kind = 'synthetic', pattern = 'uniform', offered_load = 0.3, warmup = '1 us', duration = '1 s'";
    fs::write(&long, TORUS.replace("kind = 'all-to-all', message_size = '2 kB'", workload)).unwrap();
    fs::write(&short, TORUS).unwrap();
    let out = folder.path().join(OsStr::from_bytes(b"out-\xff"));
    let mut running = weir(["run", "-q", "--out"]).arg(&out).arg(&long).spawn().unwrap();
    let patience = Instant::now();
    while !out.join("links.parquet").exists() && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let refused = run(weir(["run", "-q", "--out"]).arg(&out).arg(&short)).expect(2);
    let begun = json(&out.join("begun.json"));
    running.kill().unwrap();
    running.wait().unwrap();
    refused.says(&["another run writes into"]);
    assert_eq!(begun["title"], "long");
    // The lock ends with the process.
    run(weir(["run", "-q", "--out"]).arg(&out).arg(&short)).expect(0);
    assert_eq!(json(&out.join("summary.json"))["title"], "short");
}
