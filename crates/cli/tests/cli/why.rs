//! `output.causes` and `weir why`: what is said of a run is so when it runs again. Places of the program are in `cases/why.toml`.

use crate::command::{root, run, scratch, weir};
use std::fs;
use std::path::Path;

/// A summary that is cut off, that is no text, or whose account lacks a part or has another one in its place, is wrong input.
#[test]
fn damaged_summaries_are_wrong_input() {
    let folder = scratch();
    let path = folder.path();
    let run_it = ["run", "-q", "ring", "--set", "output.causes=true", "--out", "r"];
    run(weir(run_it).current_dir(path)).expect(0);
    let file = path.join("r/summary.json");
    let text = fs::read_to_string(&file).unwrap();
    let mut damaged = vec![Vec::new(), text.as_bytes()[..text.len() / 2].to_vec(), vec![0xff, 0xfe, b'{']];
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let parts = whole["causes"].as_object().unwrap().keys().map(|key| format!("/causes/{key}"));
    let parts = parts.chain(
        whole["causes"]["critical_path"]
            .as_object()
            .unwrap()
            .keys()
            .map(|key| format!("/causes/critical_path/{key}")),
    );
    let mut wrong = Vec::new();
    for part in parts.chain(["/simulated_ps", "/title", "/ranks"].map(str::to_owned)) {
        let mut other = whole.clone();
        *other.pointer_mut(&part).unwrap() = "x".into();
        fs::write(&file, other.to_string()).unwrap();
        // Some parts are for other readers, and a title is any text.
        let ended = run(weir(["why", "r"]).current_dir(path));
        assert!([0, 2].contains(&ended.code), "{part}: {}", ended.stderr);
        if ended.code == 2 {
            damaged.push(other.to_string().into_bytes());
            wrong.push(part);
        }
    }
    for part in ["/simulated_ps", "/ranks", "/causes/total_ps", "/causes/critical_path/causes_ps"] {
        assert!(wrong.iter().any(|wrong| wrong == part), "{part}: {wrong:?}");
    }
    for bytes in damaged {
        fs::write(&file, &bytes).unwrap();
        for more in [&[][..], &["--check"]] {
            let ended = run(weir(["why", "r"]).args(more).current_dir(path)).expect(2);
            ended.says(&["error: r/summary.json "]);
        }
    }
}

/// A run of the experiment in this folder, explained and run again.
fn explained(folder: &Path, more: &[&str]) -> serde_json::Value {
    run(weir(["run", "-q", "e.toml", "--out", "r", "--set", "output.causes=true"]).current_dir(folder))
        .expect(0);
    let explained = ["why", "r", "--check", "--json"].iter().chain(more);
    run(weir(explained).current_dir(folder)).expect(0).summary()
}

/// A run of the experiment on this engine, explained: the estimate of what it takes and what it takes when run again, in picoseconds, by cause and by
/// class of links, link and rank that works.
fn checked(text: &str, engine: &str, less: &str) -> Vec<(String, u64, u64)> {
    let folder = scratch();
    fs::write(folder.path().join("e.toml"), format!("{text}[engine]\nkind = '{engine}'\n")).unwrap();
    let answer = explained(folder.path(), &["--less", less]);
    let remedies = answer["what_if"].as_array().unwrap();
    let tried =
        remedies.iter().filter(|remedy| !remedy["again_ps"].is_null() && remedy["algorithm"].is_null());
    tried
        .map(|remedy| {
            let of = |key: &str| remedy[key].as_u64().unwrap();
            let name = ["cause", "class", "link"].iter().find_map(|kind| remedy[*kind].as_str());
            let name = name.map_or_else(|| format!("work of rank {}", remedy["work_of_rank"]), str::to_owned);
            (name, of("at_best_ps"), of("again_ps"))
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

/// All send to one node, half of them over one cable: with that link a little faster the run takes what the path says.
#[test]
fn one_link_runs_again() {
    let folder = scratch();
    let edges: String =
        (0..8).map(|node| format!("n{node},{},100 GB/s,10 ns\n", if node < 4 { "a" } else { "b" })).collect();
    let csv = format!("source,target,bandwidth,latency\n{edges}a,b,1 GB/s,10 ns\n");
    fs::write(folder.path().join("two.csv"), csv).unwrap();
    let file = folder.path().join("two.csv");
    let text = format!(
        "[topology]\nkind = 'graph'\nfile = '{}'\n[node]\nnic_bandwidth = '100 GB/s'\n[workload]\nkind = 'incast'\nmessage_size = '1 MB'\n",
        file.display()
    );
    for engine in ["flow", "packet"] {
        let found = checked(&text, engine, "1");
        let link = found.iter().find(|(name, ..)| name == "router b -> router a");
        let (_, best, again) = link.unwrap_or_else(|| panic!("{engine}: {found:?}"));
        // What waits behind others at the link takes less, too; the path has that as contention.
        assert!(again <= best && *again * 1000 > *best * 980, "{engine}: {best} and {again}");
    }
}

/// A call that is a collective has other algorithms, of which the best is named, with what it needs.
#[test]
fn algorithms_are_tried() {
    let folder = scratch();
    let write = |text: &str| fs::write(folder.path().join("e.toml"), text).unwrap();
    write(&format!("{}[engine]\nkind = 'flow'\n", collective("bcast", "flat", "1 kB")));
    let answer = explained(folder.path(), &["--keys"]);
    let of_call = |answer: &serde_json::Value| {
        let remedies = answer["what_if"].as_array().unwrap();
        remedies.iter().find(|remedy| remedy["call"] == "bcast").unwrap().clone()
    };
    let call = of_call(&answer);
    let (again, whole) = (call["again_ps"].as_u64().unwrap(), answer["simulated_ps"].as_u64().unwrap());
    assert!(again < whole, "{call}");
    let best = call["algorithm"].as_str().unwrap();
    let set: Vec<&str> = call["set"].as_array().unwrap().iter().map(|set| set.as_str().unwrap()).collect();
    assert_eq!(set, [format!("collectives.bcast={best:?}"), format!("workload.algorithm={best:?}")]);
    let text = run(weir(["why", "r", "--check"]).current_dir(folder.path())).expect(0).stdout;
    assert!(text.contains(&format!("; with algorithm {best} ")), "{text}");
    // Run again it writes its own results into the same folder.
    fs::copy(folder.path().join("r/summary.json"), folder.path().join("again.json")).unwrap();
    let repeated = ["run", "-q", "again.json", "--out", "other", "--json", "--set", set[0], "--set", set[1]];
    assert_eq!(run(weir(repeated).current_dir(folder.path())).expect(0).summary()["simulated_ps"], again);
    let times: Vec<u64> =
        call["keys"].as_array().unwrap().iter().map(|key| key["simulated_ps"].as_u64().unwrap()).collect();
    assert!(times.len() > 5 && times[0] == again && times.is_sorted(), "{times:?}");
    // Two ranks have nothing better than a message.
    write(&format!("{}ranks = 2\n", collective("bcast", "binomial", "1 B")));
    explained(folder.path(), &[]);
    let text = run(weir(["why", "r", "--check"]).current_dir(folder.path())).expect(0).stdout;
    assert!(text.contains(" other algorithms is faster\n"), "{text}");
}

/// A torus whose second dimension is slow: what less of its links is said to save is saved, on both engines.
#[test]
fn links_of_a_class_run_again() {
    let text = collective("bcast", "binomial", "40 kB").replace("'10 GB/s'", "['10 GB/s', '4 GB/s']");
    for engine in ["flow", "packet"] {
        let found = checked(&text, engine, "1");
        let classes: Vec<_> = found.iter().filter(|(name, ..)| name.starts_with("dimension")).collect();
        assert!(!classes.is_empty(), "{engine}: {found:?}");
        for (class, best, again) in classes {
            let off = best.abs_diff(*again) as f64 / *again as f64;
            assert!(off < 1e-4, "{engine}, {class}: {best} and {again}");
        }
    }
}

/// Exchanges with 26 neighbors as of LULESH and of HPCG: the slope of the run time over the latency is the number of messages on the
/// critical path.
#[test]
fn neighbors_of_a_cube() {
    let folder = scratch();
    let source = root().join("examples/skeletons/neighbours.c");
    run(weir(["cc", "-O1"]).arg(source).args(["-o", "neighbours"]).current_dir(folder.path())).expect(0);
    for (kind, ranks) in ["hydro", "cg"].into_iter().flat_map(|kind| [8, 27, 64].map(|ranks| (kind, ranks))) {
        let ran = |latency: u64| -> serde_json::Value {
            let mut command = weir(["mpirun", "-q", "--json", "--set", "engine.bandwidth=10 GB/s"]);
            command.args(["--set", "node.mpi_overhead=500 ns", "--set", "output.causes=true"]);
            command.args(["-n", &ranks.to_string(), "--set", &format!("engine.latency={latency} ps")]);
            let program = ["./neighbours", kind, "30", "3"];
            run(command.args(program).current_dir(folder.path())).expect(0).summary()
        };
        let time = |summary: &serde_json::Value| summary["simulated_ps"].as_u64().unwrap();
        let (found, longer) = (ran(1_000_000), ran(1_000_001));
        let messages = found["causes"]["critical_path"]["messages"].as_u64().unwrap();
        assert!(messages > 3, "{kind}, {ranks}: {messages}");
        assert_eq!(time(&longer) - time(&found), messages, "{kind}, {ranks}");
    }
}
