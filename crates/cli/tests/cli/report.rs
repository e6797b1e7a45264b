//! `weir report` and `weir routes --over`.

use crate::command::{root, run, run_with_input, scratch, weir};
use std::fs;
use std::path::Path;

/// Runs an experiment into a folder.
#[track_caller]
fn results(experiment: &str, folder: &Path) {
    let file = folder.join("experiment.toml");
    fs::write(&file, experiment).unwrap();
    run(weir(["run", "--quiet", "--out"]).arg(folder.join("results")).arg(&file)).expect(0);
}

const MESH: &str = r#"
title = "all-to-all on a mesh"
[topology]
kind = "mesh"
shape = [4, 3]
bandwidth = "1 GB/s"
latency = "100 ns"
[engine]
kind = "flow"
[workload]
kind = "all-to-all"
message_size = "20 kB"
"#;

/// The package, which `make setup` installs into the target folder, draws what the run has left; the page has the title,
/// and the lower bound, for which it asks this command.
#[test]
fn a_report_is_drawn() {
    let folder = scratch();
    results(MESH, folder.path());
    let python = root().join("target/python/bin/python");
    assert!(python.exists(), "there is no Python package: make setup installs it");
    let page = folder.path().join("page.html");
    let report = |from: &Path| {
        let mut command = weir(["report", "--language", "ja", "-o"]);
        command.arg(&page).arg(from).env("WEIR_PYTHON", &python).env_remove("WEIR");
        run(&mut command)
    };
    let ended = report(&folder.path().join("results")).expect(0);
    assert!(ended.stderr.starts_with("written: ") && ended.stderr.contains("page.html"), "{}", ended.stderr);
    let text = fs::read_to_string(&page).unwrap();
    for expected in ["<title>all-to-all on a mesh", "times the lower bound", "data-language=\"ja\""] {
        assert!(text.contains(expected), "{expected}");
    }
    report(&folder.path().join("nothing")).expect(2).says(&["there is no such folder"]);
    report(folder.path()).expect(2).says(&["not a results folder"]);
}

#[test]
fn without_the_package_it_says_how_to_install_it() {
    let mut command = weir(["report", "results"]);
    run(command.env("WEIR_PYTHON", "/nonexistent/python")).expect(1).says(&[
        "/nonexistent/python has no package weir",
        "-m pip install .",
        "WEIR_PYTHON=PATH",
    ]);
}

/// On a mesh of 4 x 3 routes go along x first: link 24 is from (0,0) to (1,0). Node 0 sends over it to the 9 nodes of the
/// other columns, and no other node does; rank 0 to rank 5 is through (1,0).
#[test]
fn routes_say_who_crosses_a_link() {
    let folder = scratch();
    results(MESH, folder.path());
    let experiment = folder.path().join("experiment.toml");
    let routes = |options: &[&str], input: &str| {
        run_with_input(weir(["routes"]).arg(&experiment).args(["--pairs", "-"]).args(options), input)
    };
    let mut pairs = String::new();
    for from in 0..12 {
        (0..12).filter(|&to| to != from).for_each(|to| pairs += &format!("{from} {to} 20000\n"));
    }
    let crossing = routes(&["--over", "24", "--json"], &pairs).expect(0).summary();
    assert_eq!(crossing["name"], "router (0,0) -> router (1,0)");
    assert_eq!((&crossing["pairs"], &crossing["bytes"]), (&9.into(), &180_000.into()));
    assert_eq!(crossing["routes"].as_array().unwrap().len(), 5);
    let text = routes(&["--over", "24,0"], "0 5 20000\n").expect(0).stdout;
    let expected = "link 24, router (0,0) -> router (1,0): 1 pairs, 20 kB\n  \
        rank 0 to rank 5, 20 kB: -> router (0,0) -> router (1,0) -> router (1,1) -> node 5\n";
    assert!(text.starts_with(expected), "{text}");
    // Rank 7 is at (3,1): along x, then y. Links 24 to 26 lead along the first row.
    let route = routes(&["--json"], "0 7 5\n3 3\n").expect(0).stdout;
    let lines: Vec<serde_json::Value> =
        route.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["from_node"], &lines[0]["to_node"]), (&0.into(), &7.into()));
    let links = lines[0]["links"].as_array().unwrap();
    assert_eq!((links.len(), &links[0]), (6, &0.into()));
    assert_eq!(links[1..4], [24.into(), 25.into(), 26.into()] as [serde_json::Value; 3]);
    assert_eq!(lines[1]["links"], serde_json::json!([]));
    let text = routes(&["--set", "mapping.ranks_per_node=2"], "0 2\n0 1\n").expect(0).stdout;
    let expected = "rank 0 (node 0) to rank 2 (node 1): -> router (0,0) -> router (1,0) -> node 1\n\
        rank 0 (node 0) to rank 1 (node 0): within the node\n";
    assert_eq!(text, expected);
    for (options, input, expected) in [
        (&["--ranks", "4"][..], "0 5\n", "there is no rank 5; ranks are 0 to 3"),
        (&["--over", "24"], "0 x\n", "-:1: \"0 x\" is not a pair of ranks"),
        (&["--over", "999"], "0 1\n", "there is no link 999"),
        (&["--over", "24"], "0 12\n", "13 ranks do not fit 12 nodes"),
        (&["--over", "24", "--ranks", "4"], "0 5\n", "there is no rank 5; ranks are 0 to 3"),
    ] {
        routes(options, input).expect(2).says(&[expected]);
    }
}
