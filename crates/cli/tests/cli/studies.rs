//! Studies: `weir sweep` with a study file and a folder.

use crate::command::{Ended, compile_text, root, run, scratch, weir};
use crate::tables::{Row, rows};
use serde_json::Value;
use std::fs;
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

/// Points that go wrong are listed with the commands that repeat them; they stay as they are, until they are to run again.
#[test]
fn what_goes_wrong_is_listed_and_can_run_again() {
    const PROGRAM: &str = include_str!("../programs/studies_fails.c");
    let folder = scratch();
    let program = compile_text(PROGRAM, "fails", folder.path());
    let flag = folder.path().join("flag");
    let experiment = format!(
        "[topology]\nkind = 'torus'\nshape = [2]\nbandwidth = '1 GB/s'\n[engine]\nkind = 'flow'\n[workload]\nkind = 'program'\n\
         ranks = 2\nprogram = '{}'\nargs = ['0']\n",
        program.display()
    );
    fs::write(folder.path().join("e.toml"), experiment).unwrap();
    let args = |what: u32| format!("['{what}', '{}']", flag.display());
    let grid = [1, 2, 3, 4].map(args).join(", ");
    let path = folder.path().join("study.toml");
    fs::write(&path, format!("[study]\nexperiment = 'e.toml'\n[study.grid]\n'workload.args' = [{grid}]\n"))
        .unwrap();
    let out = folder.path().join("out");
    let ended = sweep(&path, &out, &["--json"]).expect(1);
    let found: Value = serde_json::from_str(&ended.stdout).unwrap();
    let outcomes: Vec<&str> =
        found["points"].as_array().unwrap().iter().map(|point| point["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["finished", "deadlock", "aborted", "finished"]);
    let failures = fs::read_to_string(out.join("failures.txt")).unwrap();
    let commands: Vec<&str> = failures.lines().filter_map(|line| line.strip_prefix("  weir ")).collect();
    assert_eq!(commands.len(), 2, "{failures}");
    for (command, status) in commands.iter().zip([3, 1]) {
        let weir = weir([""; 0]).get_program().to_string_lossy().into_owned();
        let ended = run(Command::new("sh").arg("-c").arg(format!("{weir} {command}")));
        assert_eq!(ended.code, status, "{command}: {}", ended.stderr);
        assert!(failures.contains("deadlock") || failures.contains("crashed"), "{failures}");
    }
    fs::write(&flag, "").unwrap();
    sweep(&path, &out, &[]).expect(1);
    assert_eq!(ran(&out), 4);
    sweep(&path, &out, &["--again"]).expect(1);
    assert_eq!(ran(&out), 6);
    let outcomes: Vec<String> = table(&out).iter().map(|row| row["outcome"].clone()).collect();
    assert_eq!(outcomes, ["finished", "deadlock", "finished", "finished"]);
    assert!(!fs::read_to_string(out.join("failures.txt")).unwrap().contains("abort"));
}

/// A ring of 8 nodes has 16 links between routers, each 2 GB/s; a line 14, a mesh of 4 x 2 20. Both halves of the ring are joined by 4 GB/s,
/// those of the line by 2, of the mesh by 4.
#[test]
fn machines_are_made_comparable() {
    let folder = scratch();
    let text = "machine = 'm.toml'\nworkload = { kind = 'ring', ranks = 8, message_size = '80 kB' }\nengine = { kind = 'flow' }\n";
    fs::write(folder.path().join("e.toml"), text).unwrap();
    let machine = "topology = { kind = 'torus', shape = [8], bandwidth = '2 GB/s' }\nnode = { nic_bandwidth = '100 GB/s' }\n";
    fs::write(folder.path().join("m.toml"), machine).unwrap();
    let path = folder.path().join("study.toml");
    let mesh = "{ 'topology.kind' = 'mesh', 'topology.shape' = [4, 2], 'topology.bandwidth' = ['2 GB/s', '2 GB/s'] }";
    for (same, expected) in [("links", [16.0 / 14.0, 16.0 / 20.0]), ("bisection", [2.0, 1.0])] {
        let points = format!("[{{ label = 'ring' }}, {{ 'topology.kind' = 'mesh' }}, {mesh}]");
        fs::write(&path, format!("[study]\nexperiment = 'e.toml'\nsame = '{same}'\npoints = {points}\n"))
            .unwrap();
        let out = folder.path().join(same);
        sweep(&path, &out, &[]).expect(0);
        let times: Vec<f64> = table(&out).iter().map(|row| row["simulated_s"].parse().unwrap()).collect();
        // 80 kB at 2 GB/s; the line sends one message back over all its links, at its own bandwidth; the mesh has rows of four.
        let alone = |factor: f64| 40e-6 / factor;
        assert!((times[0] - alone(1.0)).abs() < 1e-9, "{same}: {times:?}");
        for (time, factor) in times[1..].iter().zip(expected) {
            let shares = (time / alone(factor)).round();
            assert!(
                (time / alone(factor) - shares).abs() < 1e-3 && (1.0..4.0).contains(&shares),
                "{same}: {times:?}"
            );
        }
    }
    fs::write(&path, "[study]\nexperiment = 'e.toml'\nsame = 'bisection'\npoints = [{ 'topology.shape' = [1], 'workload.ranks' = 1 }]\n").unwrap();
    sweep(&path, &folder.path().join("one"), &[]).expect(2).says(&["study.same"]);
}

/// The curve of latency over load has a mark where it passes three times the latency at the least load; a picture of another number over
/// load has none.
#[test]
fn a_load_latency_curve_is_marked_where_it_is_saturated() {
    let folder = scratch();
    let study = |value: &str| {
        let path = folder.path().join("load.toml");
        let experiment = root().join("examples/studies/load.toml");
        let text = format!(
            "[study]\nexperiment = '{}'\ngrid = {{ 'workload.offered_load' = [0.1, 0.2, 0.3, 0.6] }}\n\
             set = ['workload.pattern=tornado']\npicture = {{ value = '{value}' }}\n",
            experiment.display()
        );
        fs::write(&path, text).unwrap();
        let out = folder.path().join(value);
        sweep(&path, &out, &[]).expect(0);
        (fs::read_to_string(out.join("picture.svg")).unwrap(), table(&out))
    };
    let (svg, rows) = study("latency_mean_s");
    let number = |row: usize| rows[row]["latency_mean_s"].parse::<f64>().unwrap();
    let latency = 3.0 * number(0);
    assert!(number(2) < latency && number(3) > latency, "{} {} {}", number(0), number(2), number(3));
    let load = 0.3 + 0.3 * (latency - number(2)) / (number(3) - number(2));
    for text in ["latency_mean [us]", "saturated: 3 x that at 0.1", &format!("latency_mean_s: {load:.3}")] {
        assert!(svg.contains(text), "{text} is not in\n{svg}");
    }
    let (svg, _) = study("accepted_load");
    assert!(svg.contains("accepted_load") && !svg.contains("saturated"), "{svg}");
}

/// A heat map has times in a unit that suits the greatest of them: what stands in the table, to three digits.
#[test]
fn a_heat_map_has_times_in_a_unit_that_suits_them() {
    let folder = scratch();
    let path = folder.path().join("map.toml");
    let text = format!(
        "[study]\nexperiment = '{}'\ngrid = {{ 'topology.latency' = ['0 ns', '1 us'], 'mapping.kind' = ['linear', 'random'] }}\n\
         picture = {{ x = 'topology.latency', rows = 'mapping.kind' }}\n",
        root().join("examples/studies/stencil.toml").display()
    );
    fs::write(&path, text).unwrap();
    let out = folder.path().join("map");
    sweep(&path, &out, &["--set", "workload.message_size=1 KiB"]).expect(0);
    let svg = fs::read_to_string(out.join("picture.svg")).unwrap();
    assert!(svg.contains("\nsimulated [us] over topology.latency and mapping.kind\n"), "{svg}");
    for row in table(&out) {
        let shown: f64 = format!("{:.2e}", 1e6 * row["simulated_s"].parse::<f64>().unwrap()).parse().unwrap();
        assert!(svg.contains(&format!("\n{shown}\n</text>")), "{shown} is not in\n{svg}");
    }
}
