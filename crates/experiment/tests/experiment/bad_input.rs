//! Every mistake is found, all at once, and named.

use crate::{Folder, TORUS, check_problems, load};
use weir_experiment::{Scenario, Source};

#[test]
fn all_mistakes_of_an_experiment_are_listed_at_once() {
    let text = r#"
title = "bad"
sed = 3

[topology]
kind = "torus"
shape = [15, 15]
bandwith = "1 GB/s"
bandwidth = "1"
latency = "-100 ns"
radix = 8

[mapping]
kind = "file"
file = "ranks.map"

[engine]
kind = "flow"
threshold = 0.01

[workload]
kind = "all-to-all"
algorithm = "pairwise"
message_size = "-20 kB"

[output]
sample_interval = "1 us"

[nodes]
nics = 1
"#;
    let map = "0 0\n1 1\n1 2\n";
    let folder = Folder::with(&[("bad.toml", text), ("ranks.map", map)]);
    let said = "sed: unknown key did you mean seed? && topology.bandwith: unknown key did you mean bandwidth? && topology.bandwidth: the unit is missing; write one of B/s, kB/s && topology.latency: must not be negative && topology.radix: belongs to kind = \"fat-tree\" && engine.threshold: belongs to sharing = \"iterative\" && workload.algorithm: 225 is not use simple-spread && workload.message_size: must not be negative && output.sample_interval: needs a results folder, and there is none set output.dir && nodes: unknown table did you mean node? && mapping.file: ranks 2 to 224 have no node && mapping.file: rank 1 has a node already, from line 2";
    check_problems(folder.load("bad.toml"), said);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is written");
}

#[test]
fn problems_name_file_line_value_and_hint() {
    let folder = Folder::with(&[("e.toml", &TORUS.replace("shape", "shpae"))]);
    let path = folder.path().join("e.toml");
    let source = Source { experiment: Some(path.clone()), ..Source::default() };
    let problems = Scenario::load(&source).unwrap_err();
    let expected = format!(
        "{0}:2: topology.shape: is missing\n{0}:4: topology.shpae = [4, 4]: unknown key\n\n\
         hint: topology.shape: write one size per dimension: shape = [16, 16]\n\
         hint: topology.shpae: did you mean shape?",
        path.display()
    );
    assert_eq!(problems.to_string(), expected);
}

#[test]
fn mistakes_in_a_mapping_file_have_their_own_file_and_line() {
    let text =
        TORUS.replace("shape = [4, 4]", "shape = [2, 2]") + "\n[mapping]\nkind = 'file'\nfile = 'r.map'\n";
    let folder =
        Folder::with(&[("e.toml", &text), ("r.map", "# map\n0 (0,0)\n1 (1,0)\n0 (0,1)\n3 (7,7)\n2 1\n")]);
    let problems = folder.load("e.toml").unwrap_err();
    let shown: Vec<_> = problems
        .list()
        .iter()
        .map(|p| (p.file.ends_with("r.map"), p.line, p.value.as_str(), p.hint.is_some()))
        .collect();
    let expected =
        [(true, Some(4), "0 (0,1)", false), (true, Some(5), "3 (7,7)", false), (true, Some(6), "2 1", true)];
    assert_eq!(shown, expected, "{problems}");
}

#[test]
fn what_is_not_toml_is_reported_with_its_lines() {
    let result = load("[topology]\nkind = torus\nshape = [4, 4]\nbandwidth = 1 GB/s\n");
    let problems = result.unwrap_err();
    assert!(problems.list().iter().all(|p| p.what.starts_with("not TOML: ")), "{problems}");
    let lines: Vec<_> = problems.list().iter().filter_map(|p| p.line).collect();
    assert!(lines.contains(&2) && lines.contains(&4), "{problems}");
}

#[test]
fn a_file_that_is_not_there_is_reported() {
    let source = Source {
        experiment: Some("no/such.toml".into()),
        machine: Some("nor.toml".into()),
        ..Source::default()
    };
    let problems = Scenario::load(&source).unwrap_err();
    let files: Vec<_> = problems.list().iter().map(|p| p.file.as_str()).collect();
    assert_eq!(files, ["no/such.toml", "nor.toml"], "{problems}");
}

#[test]
fn mistakes_in_a_pattern_file_have_their_own_file_and_line() {
    let pattern = "weir-pattern 1\nranks 3\n0 send 1 1\n0 send 3 1 kB # far\n1 send 1 1\n2 sent 0 1\n";
    let text = TORUS.replace(
        "kind = \"all-to-all\"\nmessage_size = \"20 kB\"",
        "kind = 'pattern-file'\nfile = 'x.pattern'",
    );
    let folder = Folder::with(&[("e.toml", &text), ("x.pattern", pattern)]);
    let problems = folder.load("e.toml").unwrap_err();
    let shown: Vec<_> = problems
        .list()
        .iter()
        .map(|p| (p.file.ends_with("x.pattern"), p.line, p.key.as_str(), p.value.as_str()))
        .collect();
    let key = "workload.file";
    let expected = [
        (true, Some(4), key, "0 send 3 1 kB"),
        (true, Some(5), key, "1 send 1 1"),
        (true, Some(6), key, "2 sent 0 1"),
    ];
    assert_eq!(shown, expected, "{problems}");

    let many = format!("weir-pattern 1\nranks 2\n{}", "0 send 0 1\n".repeat(25));
    let folder = Folder::with(&[("e.toml", &text), ("x.pattern", &many)]);
    let source = folder.source("e.toml");
    let problems = Scenario::load(&source).unwrap_err();
    assert_eq!(problems.list().len(), 21);
    assert_eq!(problems.list()[20].what, "and 5 more mistakes in this file");
}

/// Rows multiply, and each is within what is allowed: all that make a link too fast are named, however many there are.
#[test]
fn each_row_that_is_too_much_is_named() {
    let row = "[[upgrades]]\nlink = 'router (1,1) -> router (2,1)'\nspeed = 1000000\n";
    let many = format!("{TORUS}{}", row.repeat(60));
    assert_eq!(load(&many).unwrap_err().list().len(), 59);
}
