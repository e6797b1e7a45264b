//! `weir report` and `weir compare`: the package, which `make setup` installs into the target folder, draws what runs have left.

use crate::command::{Ended, root, run, scratch, weir};
use std::fs;
use std::path::Path;

/// A command that draws, with the package.
fn draw(words: &[&str], folder: &Path) -> Ended {
    let python = root().join("target/python/bin/python");
    assert!(python.exists(), "there is no Python package: make setup installs it");
    run(weir(words)
        .args(["--language", "ja"])
        .current_dir(folder)
        .env("WEIR_PYTHON", &python)
        .env_remove("WEIR"))
}

/// The page has the title, and the lower bound, for which it asks this command; of two runs it has both names and what differs.
/// A folder that is none, and one alone to compare, are refused.
#[test]
fn reports_and_comparisons_are_drawn() {
    let folder = scratch();
    let folder = folder.path();
    let text = "title = 'all-to-all on a mesh'\n[topology]\nkind = 'mesh'\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n\
        [workload]\nkind = 'all-to-all'\nmessage_size = '20 kB'\nranks = 12\n";
    fs::write(folder.join("e.toml"), text).unwrap();
    for (name, shape) in [("wide", "topology.shape=[12]"), ("square", "topology.shape=[4,3]")] {
        let words = ["run", "-q", "--set", shape, "--out", name, "e.toml"];
        run(weir(words).current_dir(folder)).expect(0);
    }
    for (words, parts) in [
        (
            &["report", "-o", "page.html", "square"][..],
            ["<title>all-to-all on a mesh", "times the lower bound"],
        ),
        (&["compare", "--out", "page.html", "wide", "square"], ["<title>wide · square", "[4, 3]"]),
    ] {
        let ended = draw(words, folder).expect(0);
        assert!(ended.stderr.starts_with("written: page.html"), "{}", ended.stderr);
        let text = fs::read_to_string(folder.join("page.html")).unwrap();
        for part in [parts[0], parts[1], "data-language=\"ja\""] {
            assert!(text.contains(part), "{part}");
        }
    }
    for (words, says) in [
        (&["report", "nothing"][..], "there is no such folder"),
        (&["report", "."], "not a results folder"),
        (&["compare", "wide"], "one results folder cannot be compared"),
        (&["compare", "wide", "nothing"], "nothing: there is no such folder"),
    ] {
        draw(words, folder).expect(2).says(&[says]);
    }
}
