//! `output.causes` and `weir explain FOLDER`: the guide, and what is refused.

use crate::command::{root, run, scratch, weir};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The blocks of the guide in this language, without the first and last line.
fn blocks(language: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("docs/guide/why.md")).unwrap();
    let begin = format!("```{language}\n");
    let parts = text.split(&begin).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

fn folder() -> TempDir {
    let folder = scratch();
    for (name, text) in ["allreduce.toml", "shuffle.toml"].iter().zip(blocks("toml")) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The words of a command: what is in quotation marks is one.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let glued =
        parts.map(|(place, part)| if place % 2 == 1 { part.replace(' ', "\u{1}") } else { part.into() });
    let glued: String = glued.collect();
    glued.split_whitespace().skip(1).map(|word| word.replace('\u{1}', " ")).collect()
}

/// What the guide shows is what is printed, line by line.
#[test]
fn the_guide_is_true() {
    let folder = folder();
    for (commands, shown) in blocks("sh").iter().zip(blocks("text")) {
        let printed: String = commands
            .lines()
            .map(|line| run(weir(words(line)).current_dir(folder.path())).expect(0).stdout)
            .collect();
        for line in shown.lines() {
            assert!(printed.lines().any(|printed| printed == line), "{line}\nis not in\n{printed}");
        }
    }
    let explained = run(weir(["explain", "why/summary.json"]).current_dir(folder.path())).expect(0).stdout;
    assert_eq!(explained, blocks("text")[0]);
}

fn refused(folder: &Path, arguments: &[&str], words: &[&str]) {
    let ended = run(weir(arguments).current_dir(folder)).expect(2);
    words.iter().for_each(|word| assert!(ended.stderr.contains(word), "{word} is not in {}", ended.stderr));
}

/// Where nothing can be accounted for, the key is refused with a reason; and a folder without an account says how to get one.
#[test]
fn what_is_refused() {
    let folder = folder();
    let path = folder.path();
    let method =
        ["run", "shuffle.toml", "--set", "engine.method=sweep", "--set", "engine.sharing=single-pass"];
    refused(path, &method, &["output.causes", "does not follow single messages"]);
    let every = ["run", "shuffle.toml", "--set", "output.checkpoint_every=1 s", "--out", "x"];
    refused(path, &every, &["output.causes", "checkpoint"]);
    let processes = ["run", "shuffle.toml", "--set", "engine.kind=packet", "--processes", "2"];
    refused(path, &processes, &["output.causes", "one process"]);
    run(weir(["run", "-q", "shuffle.toml", "--set", "output.causes=false", "--out", "plain"])
        .current_dir(path))
    .expect(0);
    refused(path, &["explain", "plain"], &["does not say what time went into", "output.causes"]);
}

/// A run of the experiment on this engine, explained: what it takes at best and what it takes when run again, in picoseconds, by cause.
fn checked(text: &str, engine: &str, less: &str) -> Vec<(String, u64, u64)> {
    let folder = scratch();
    fs::write(folder.path().join("e.toml"), text).unwrap();
    let kind = format!("engine.kind={engine}");
    let ran = ["run", "-q", "e.toml", "--out", "r", "--set", "output.causes=true", "--set", &kind];
    run(weir(ran).current_dir(folder.path())).expect(0);
    let explained = ["explain", "r", "--check", "--json", "--less", less];
    let answer = run(weir(explained).current_dir(folder.path())).expect(0).summary();
    let remedies = answer["what_if"].as_array().unwrap();
    let tried = remedies.iter().filter(|remedy| !remedy["again_ps"].is_null());
    tried
        .map(|remedy| {
            let of = |key: &str| remedy[key].as_u64().unwrap();
            (remedy["cause"].as_str().unwrap().to_owned(), of("at_best_ps"), of("again_ps"))
        })
        .collect()
}

const MACHINE: &str = "[topology]\nkind = 'torus'\nshape = [4, 4]\nbandwidth = '10 GB/s'\nlatency = '300 ns'\n\
                       [node]\nsend_overhead = '500 ns'\nreceive_overhead = '400 ns'\n";

fn collective(operation: &str, algorithm: &str, size: &str) -> String {
    format!(
        "{MACHINE}[workload]\nkind = 'collective'\noperation = '{operation}'\nalgorithm = '{algorithm}'\nmessage_size = '{size}'\n"
    )
}

/// On the ideal engine no run is faster than its critical path with less of a cause; and a small change does just what the path says.
#[test]
fn a_run_is_never_better_than_at_best() {
    let cases = [
        ("allreduce", "recursive-doubling", "2 kB"),
        ("allreduce", "ring", "100 kB"),
        ("bcast", "binomial", "30 kB"),
        ("alltoall", "pairwise", "16 kB"),
        ("allgather", "ring", "16 kB"),
        ("reduce", "binomial", "1 kB"),
    ];
    crate::command::check_all(&cases, |&(operation, algorithm, size)| {
        let text = collective(operation, algorithm, size);
        // A thousandth, for instants are whole picoseconds.
        for (less, off) in [("60", u64::MAX), ("0.1", 200)] {
            let found = checked(&text, "ideal", less);
            let is_wrong =
                |(_, best, again): &(String, u64, u64)| again + 200 < *best || again - best.min(again) > off;
            if found.is_empty() || found.iter().any(is_wrong) {
                return Err(format!("{operation} {algorithm}, {less} %: {found:?}"));
            }
        }
        Ok(())
    });
}

/// Where no message meets another, the engines with a network say the same: one message across 16 nodes, 1 % less of each cause.
#[test]
fn without_contention_predictions_hold_on_all_engines() {
    for engine in ["flow", "packet"] {
        let found = checked(&collective("bcast", "binomial", "4 kB"), engine, "1");
        assert!(found.len() >= 2, "{engine}: {found:?}");
        for (cause, best, again) in found {
            let off = best.abs_diff(again) as f64 / again as f64;
            assert!(off < 1e-4, "{engine}, {cause}: {best} and {again}");
        }
    }
}

/// With --keys each key alone, of a list each entry; keys of an experiment have none of these options.
#[test]
fn keys_one_by_one() {
    let folder = scratch();
    let text = collective("allreduce", "ring", "100 kB").replace("'10 GB/s'", "['10 GB/s', '5 GB/s']");
    fs::write(folder.path().join("e.toml"), text).unwrap();
    let ran =
        ["run", "-q", "e.toml", "--out", "r", "--set", "output.causes=true", "--set", "engine.kind=flow"];
    run(weir(ran).current_dir(folder.path())).expect(0);
    let text = run(weir(["explain", "r", "--check", "--keys"]).current_dir(folder.path())).expect(0).stdout;
    for key in [
        "topology.bandwidth[0] alone",
        "topology.bandwidth[1] alone",
        "node.send_overhead alone",
        "run again",
    ] {
        assert!(text.contains(key), "{key} is not in {text}");
    }
    refused(folder.path(), &["explain", "engine.kind", "--check"], &["--check is for a results folder"]);
    refused(folder.path(), &["explain", "r", "--less", "100"], &["between 0 and 100"]);
    fs::write(folder.path().join("r/summary.json"), changed(&folder.path().join("r/summary.json"))).unwrap();
    refused(folder.path(), &["explain", "r", "--check"], &["run again as it was it takes"]);
}

/// A summary of a run that took one picosecond more.
fn changed(summary: &Path) -> String {
    let mut run: serde_json::Value = serde_json::from_str(&fs::read_to_string(summary).unwrap()).unwrap();
    run["simulated_ps"] = (run["simulated_ps"].as_u64().unwrap() + 1).into();
    run.to_string()
}
