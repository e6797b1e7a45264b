//! Studies: `weir sweep` with a study file and a folder. What is made of points is in `cases/studies.toml`.

use crate::command::{Ended, compile_text, root, run, scratch, weir};
use crate::tables::{Row, rows};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The rows of the table, by point.
fn table(folder: &Path) -> Vec<Row> {
    rows(folder, "points")
}

/// The same without what changes from run to run.
fn fixed(folder: &Path) -> Vec<Row> {
    let mut rows = table(folder);
    rows.iter_mut()
        .for_each(|row| row.retain(|name, _| !["wall_s", "peak_memory_bytes"].contains(&&name[..])));
    rows
}

/// How many points the folder has run, each as often as it was.
fn ran(folder: &Path) -> usize {
    fs::read_to_string(folder.join("points.jsonl")).map_or(0, |text| text.lines().count().saturating_sub(1))
}

fn study(folder: &Path, text: &str) -> std::path::PathBuf {
    let stencil = fs::read_to_string(root().join("examples/studies/stencil.toml")).unwrap();
    let links = "topology = { bandwidth = '10 GB/s', latency = '100 ns' }";
    let stencil = stencil.replace("machine = \"torus.toml\"", links);
    fs::write(folder.join("stencil.toml"), stencil).unwrap();
    let path = folder.join("study.toml");
    fs::write(&path, format!("[study]\nexperiment = 'stencil.toml'\n{text}")).unwrap();
    path
}

fn sweep(study: &Path, out: &Path, more: &[&str]) -> Ended {
    run(weir(["sweep", "-q"]).arg(study).arg("--out").arg(out).args(more))
}

const EVERYTHING: &str = "seeds = [3, 8]
set = ['mapping.kind=random', 'topology.shape=[4, 4, 4]', 'workload.grid=[4, 4, 4]', 'workload.ranks=64']
grid = { 'workload.message_size' = '1000:3000:1000 B' }
zip = { 'topology.latency' = ['50 ns', '2 us'], 'workload.messages' = [2, 1] }
points = [{ label = 'ring', 'topology.kind' = 'torus' }, { 'topology.kind' = 'mesh' }]
random = { points = 2, keys = [{ key = 'topology.bandwidth', from = 1, to = 10, log = true, unit = 'GB/s' }] }
";

/// Every row is what `weir run` finds with the keys of the row; any number of points at a time finds the same; and standard output has
/// the same rows, and nothing else.
#[test]
fn a_study_is_its_points() {
    let folder = scratch();
    let path = study(folder.path(), EVERYTHING);
    let outs = ["1", "3"].map(|threads| {
        let out = folder.path().join(threads);
        let csv = sweep(&path, &out, &["--csv", "--threads", threads]).expect(0).stdout;
        (out, csv)
    });
    assert_eq!(outs[0].1, outs[1].1);
    let rows = fixed(&outs[0].0);
    assert_eq!((rows.len(), &rows), (3 * 2 * 2 * 2 * 2, &fixed(&outs[1].0)));
    let mut csv = csv::Reader::from_reader(outs[0].1.as_bytes());
    let digest = csv.headers().unwrap().iter().position(|name| name == "digest").unwrap();
    let digests: Vec<String> = csv.records().map(|record| record.unwrap()[digest].to_owned()).collect();
    assert_eq!(digests, rows.iter().map(|row| row["digest"].clone()).collect::<Vec<_>>());
    let keys = [
        "topology.kind",
        "topology.latency",
        "workload.messages",
        "workload.message_size",
        "topology.bandwidth",
        "seed",
    ];
    for row in rows.iter().step_by(5) {
        let sets = keys.iter().flat_map(|key| ["--set".to_owned(), format!("{key}={}", row[*key])]);
        let fixed = [
            "mapping.kind=random",
            "topology.shape=[4, 4, 4]",
            "workload.grid=[4, 4, 4]",
            "workload.ranks=64",
        ];
        let fixed = fixed.map(|set| ["--set", set]);
        let mut single = weir(["run", "--json", "-q"]);
        single.arg(folder.path().join("stencil.toml")).args(fixed.as_flattened()).args(sets);
        assert_eq!(run(&mut single).expect(0).summary()["digest"], row["digest"], "{row:?}");
    }
    assert_eq!(rows[0]["label"], "ring");
    assert_eq!(rows[1]["label"], "-");
}

/// Killed again and again, a study comes to what it comes to without; no point is lost, and none that was kept runs again.
#[test]
fn a_study_that_is_killed_goes_on() {
    let folder = scratch();
    let text = "set = ['topology.kind=torus', 'topology.shape=[8, 8, 8]', 'mapping.kind=random']
grid = { 'workload.message_size' = '100:2900:200 kB' }\nseeds = 2\n";
    let path = study(folder.path(), text);
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    sweep(&path, &whole, &[]).expect(0);
    assert_eq!(ran(&whole), 30);
    let mut before = 0;
    for kill in 1..=4 {
        let mut sweep = weir(["sweep", "-q", "--threads", "2"]);
        sweep.arg(&path).arg("--out").arg(&killed);
        let mut child = sweep.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while ran(&killed) < before + 4 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(ran(&killed) >= before + 4, "kill {kill}");
        before = ran(&killed);
    }
    let ended = run(weir(["sweep"]).arg(&path).arg("--out").arg(&killed)).expect(0);
    if before < 30 {
        ended.says(&[&format!("{before} of 30 points are in the folder")]);
    }
    assert_eq!((ran(&killed), fixed(&killed)), (30, fixed(&whole)));
    // More values run what is new.
    let longer = fs::read_to_string(&path).unwrap().replace("seeds = 2", "seeds = 3");
    fs::write(&path, longer).unwrap();
    sweep(&path, &killed, &[]).expect(0);
    let rows = fixed(&killed);
    assert_eq!((ran(&killed), &rows[..30]), (45, &fixed(&whole)[..]));
    // Another input is another work: all of it runs.
    let stencil = folder.path().join("stencil.toml");
    fs::write(&stencil, fs::read_to_string(&stencil).unwrap().replace("[8, 8, 8]", "[8, 16, 4]")).unwrap();
    sweep(&path, &killed, &[]).expect(0);
    assert_eq!(ran(&killed), 90);
}

/// Whoever ends a sweep finds the points that were done.
#[test]
fn a_sweep_that_is_ended_has_the_rows_of_what_is_done() {
    let folder = scratch();
    let program = compile_text(include_str!("../programs/sweeps_hangs.c"), "hangs", folder.path());
    let experiment = folder.path().join("e.toml");
    let workload = format!("kind = 'program', ranks = 8, program = '{}', args = ['0']", program.display());
    fs::write(&experiment, format!("engine = {{ latency = '1 us' }}\nworkload = {{ {workload} }}\n"))
        .unwrap();
    for (signal, status) in [("KILL", None), ("INT", Some(130)), ("TERM", Some(143))] {
        let values = "workload.args=['1'];['2'];['3'];['4'];['5'];['6']";
        let mut sweep = weir(["sweep"]);
        sweep.arg(&experiment).args(["--vary", values, "--csv", "--threads", "1", "-q"]);
        let mut child =
            sweep.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut rows = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let seen: Vec<String> = rows.by_ref().take(4).collect();
        // The fourth point has begun, or is about to.
        std::thread::sleep(Duration::from_millis(300));
        run(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()])).expect(0);
        let ended = child.wait().unwrap();
        assert_eq!(ended.code(), status, "{signal}");
        assert!(seen[3].starts_with("['3'],finished,"), "{signal}: {seen:?}");
        assert_eq!(rows.next(), None, "{signal}");
    }
}
