//! `weir compare`: the package draws what two runs have left.

use crate::command::{root, run, scratch, weir};
use std::fs;
use std::path::Path;

fn results(folder: &Path, name: &str, shape: &str) {
    let file = folder.join("experiment.toml");
    let text = "title = 'ring'\n[topology]\nkind = 'mesh'\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n\
        [workload]\nkind = 'all-to-all'\nmessage_size = '20 kB'\nranks = 12\n";
    fs::write(&file, text).unwrap();
    let mut command = weir(["run", "--quiet", "--set"]);
    command.arg(format!("topology.shape={shape}")).arg("--out").arg(folder.join(name)).arg(&file);
    run(&mut command).expect(0);
}

/// The page has both names and what differs; a folder that is none, and one alone, are refused.
#[test]
fn two_runs_are_drawn() {
    let folder = scratch();
    results(folder.path(), "wide", "[12]");
    results(folder.path(), "square", "[4,3]");
    let python = root().join("target/python/bin/python");
    assert!(python.exists(), "there is no Python package: make setup installs it");
    let compare = |folders: &[&str]| {
        let mut command = weir(["compare", "--language", "ja", "--out", "page.html"]);
        command.args(folders).current_dir(folder.path());
        run(command.env("WEIR_PYTHON", &python).env_remove("WEIR"))
    };
    let ended = compare(&["wide", "square"]).expect(0);
    assert!(ended.stderr.starts_with("written: page.html"), "{}", ended.stderr);
    let text = fs::read_to_string(folder.path().join("page.html")).unwrap();
    for expected in ["<title>wide · square", "topology.shape", "[4, 3]", "data-language=\"ja\""] {
        assert!(text.contains(expected), "{expected}");
    }
    compare(&["wide"]).expect(2).says(&["one results folder cannot be compared"]);
    compare(&["wide", "nothing"]).expect(2).says(&["nothing: there is no such folder"]);
}
