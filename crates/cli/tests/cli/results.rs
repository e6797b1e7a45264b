//! Results folders: parts of a run that was killed, what is refused.

use crate::command::{run, scratch, weir};
use std::fs;
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

/// While one run writes into a folder, another one is refused, and the folder is that of the first.
#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = scratch();
    let (long, short) = (folder.path().join("long.toml"), folder.path().join("short.toml"));
    let workload =
        "kind = 'synthetic', pattern = 'uniform', offered_load = 0.3, warmup = '1 us', duration = '1 s'";
    fs::write(&long, TORUS.replace("kind = 'all-to-all', message_size = '2 kB'", workload)).unwrap();
    fs::write(&short, TORUS).unwrap();
    let out = folder.path().join("out");
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

/// A second run leaves nothing of the first: not its causes, nor the page that was drawn of it. That it replaces results is said.
#[test]
fn a_second_run_replaces_the_first() {
    let folder = scratch();
    let (experiment, out) = (folder.path().join("e.toml"), folder.path().join("out"));
    fs::write(&experiment, TORUS).unwrap();
    let again =
        |more: &[&str]| run(weir(["run", "--out"]).arg(&out).arg(&experiment).args(more)).expect(0).stderr;
    let said = "the results of an earlier run are replaced";
    assert!(!again(&["--set", "output.causes=true"]).contains(said));
    assert!(out.join("causes.parquet").exists());
    let page = "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"weir\">\n";
    fs::write(out.join("report.html"), page).unwrap();
    fs::write(out.join("notes.html"), page).unwrap();
    assert!(again(&[]).contains(said));
    let left: Vec<_> = ["causes.parquet", "report.html", "notes.html", "summary.json"]
        .map(|name| out.join(name).exists())
        .into();
    assert_eq!(left, [false, false, true, true]);
    fs::write(out.join("report.html"), "<p>mine</p>").unwrap();
    assert!(!again(&["-q"]).contains(said));
    assert_eq!(fs::read_to_string(out.join("report.html")).unwrap(), "<p>mine</p>");
}

/// No output replaces what is read, by whatever name; folders have the names that were given; titles do not command
/// terminals.
#[test]
fn outputs_spare_inputs() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    let experiment = path("e.toml");
    let text = format!("title = \"a\\u001b[2Jb\"\n{}", TORUS.replace("'packet'", "'flow'"));
    fs::write(&experiment, &text).unwrap();
    let replaces = |command: &mut std::process::Command| {
        run(command).expect(2).says(&["would replace"]);
        assert_eq!(fs::read_to_string(&experiment).unwrap(), text);
    };
    std::os::unix::fs::symlink("e.toml", path("alias.csv")).unwrap();
    replaces(weir(["run", "-q"]).arg(&experiment).arg("--cycles").arg(&experiment));
    replaces(weir(["run", "-q"]).arg(&experiment).arg("--cycles").arg(path("alias.csv")));
    replaces(weir(["pattern"]).arg(&experiment).arg("--out").arg(&experiment));
    replaces(weir(["topology"]).arg(&experiment).arg("--out").arg(&experiment));
    run(weir(["pattern"]).arg(&experiment).arg("--out").arg(path("p.pattern"))).expect(0);
    let of_pattern = text
        .replace("kind = 'all-to-all', message_size = '2 kB'", "kind = 'pattern-file', file = 'p.pattern'");
    fs::write(path("p.toml"), of_pattern).unwrap();
    replaces(weir(["run", "-q"]).arg(path("p.toml")).arg("--cycles").arg(path("p.pattern")));
    replaces(weir(["run", "-q"]).arg(&experiment).arg("--progress").arg(&experiment));
    replaces(weir(["run", "-q"]).arg(path("p.toml")).arg("--progress").arg(path("p.pattern")));
    let profile = "weir profile 1\nranks 2\n";
    fs::write(path("w.profile"), profile).unwrap();
    let replay = run(weir(["replay", "-q"]).arg(path("w.profile")).arg("--progress").arg(path("w.profile")));
    assert_eq!((replay.code, fs::read_to_string(path("w.profile")).unwrap().as_str()), (2, profile));
    let name = std::os::unix::ffi::OsStringExt::from_vec(b"out-\xff".to_vec());
    let out = folder.path().join::<std::ffi::OsString>(name);
    let ended = run(weir(["run", "--out"]).arg(&out).arg(&experiment)).expect(0);
    assert!(out.join("summary.json").exists());
    assert!(ended.stdout.contains("a\u{fffd}[2Jb") && !ended.stdout.contains('\u{1b}'), "{}", ended.stdout);
    let summary = out.join("summary.json");
    replaces(weir(["run", "-q", "--out"]).arg(&out).arg(summary));
}

/// Paper 000, section 4.1: a ring with a bandwidth of 1 and messages of 1 takes 1, and no seconds.
#[test]
fn what_has_no_units_is_shown_without() {
    let folder = scratch();
    let experiment = folder.path().join("e.toml");
    fs::write(
        &experiment,
        "topology = { kind = 'torus', shape = [4], bandwidth = 1 }\nworkload = { kind = 'ring', message_size = 1 }\n",
    )
    .unwrap();
    let text = run(weir(["run"]).arg(&experiment)).expect(0).stdout;
    let row = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.trim_start().trim_start_matches(name).trim().to_owned()
    };
    assert_eq!([row("simulated time"), row("bytes")], ["1", "4 (4)"]);
    assert_eq!(row("units"), "none: numbers are in the units of the input");
    assert!(row("wall-clock time").ends_with(" s"));
    let bound = run(weir(["bound"]).arg(&experiment)).expect(0).stdout;
    assert!(bound.ends_with("  with these routes and this mapping no run can be faster than 1\n"), "{bound}");
    let json = run(weir(["run", "--json"]).arg(&experiment)).expect(0).stdout;
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&summary["units"], &summary["effective_bandwidth"]), (&"none".into(), &4.0.into()));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_of_the_run() {
    let folder = scratch();
    let experiment = folder.path().join("e.toml");
    fs::write(&experiment, TORUS).unwrap();
    run(weir(["run", "-q", "--out"]).arg(experiment.join("out")).arg(&experiment))
        .expect(1)
        .says(&["cannot make the folder"]);
}
