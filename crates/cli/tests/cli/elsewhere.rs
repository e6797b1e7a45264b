//! What other tools have and weir has not: answered in a sentence, with the way there is and the status of a wrong input.

use crate::command::{Ended, run, scratch, weir};
use crate::shipped::RUNS;
use std::fs;
use std::path::Path;

fn within(folder: &Path, words: &[&str]) -> Ended {
    run(weir(words).current_dir(folder))
}

fn refused(folder: &Path, words: &[&str], what: &str) {
    let ended = within(folder, words).expect(2);
    let line = ended.stderr.lines().find(|line| line.contains(what));
    assert!(
        line.is_some_and(|line| line.contains("weir") || line.contains("--")),
        "{words:?}: {}",
        ended.stderr
    );
    for wrong in ["not TOML", "did you mean", "not UTF-8", "unknown key", "must be one of"] {
        assert!(!ended.stderr.contains(wrong), "{words:?}: {}", ended.stderr);
    }
}

/// A file of another tool, given to whatever reads a file.
#[test]
fn files_of_other_tools() {
    let folder = scratch();
    let files: [(&str, &[u8], &str); 6] = [
        ("a.goal", b"num_ranks 2\n\nrank 0 {\nl1: send 1b to 1 tag 0\n}\n", "is a schedule in GOAL"),
        ("platform.xml", b"<?xml version='1.0'?>\n<platform version=\"4.1\"/>\n", "is a platform of SimGrid"),
        ("a.0.et", b"\x07\x0a\x050.0.4\x08\x12\x03abc\x42\x01\x01", "is a Chakra trace"),
        ("network.yml", b"topology: [ Ring ]\nnpus_count: [ 8 ]\n", "is a network of ASTRA-sim"),
        ("ns3.txt", b"3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n", "is a topology of ns-3"),
        ("a.c", b"#include <mpi.h>\nint main(void) { return 0; }\n", "is the source of an MPI program"),
    ];
    let torus = "[topology]\nkind = \"torus\"\nshape = [4]\nbandwidth = \"1 GB/s\"\n";
    for (name, bytes, what) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
        let pattern = format!("{torus}[workload]\nkind = \"pattern-file\"\nfile = \"{name}\"\n");
        fs::write(folder.path().join("pattern.toml"), pattern).unwrap();
        let profile = format!("{torus}[workload]\nkind = \"profile\"\nfile = \"{name}\"\n");
        fs::write(folder.path().join("profile.toml"), profile).unwrap();
        let file = format!("topology.file={name}");
        let mapping = format!("mapping.file={name}");
        for words in [
            &["run", name][..],
            &["bound", name],
            &["topology", name],
            &["run", "ring", "--machine", name],
            &["replay", name],
            &["profile", name],
            &["run", "dragonfly", "--set", &file],
            &["run", "ring", "--set", "mapping.kind=file", "--set", &mapping],
            &["run", "pattern.toml"],
            &["run", "profile.toml"],
            &["mpirun", "-n", "2", &format!("./{name}")],
            &["calibrate", name, "torus", "--fit", "node.mpi_overhead"],
        ] {
            refused(folder.path(), words, what);
        }
    }
    // A mistake in a file of one's own stays one.
    fs::write(folder.path().join("own.toml"), "[topology]\nkind = torus\n").unwrap();
    within(folder.path(), &["run", "own.toml"]).expect(2).says(&["own.toml:2: not TOML"]);
    // What is nothing known is no experiment.
    fs::write(folder.path().join("notes.txt"), "one\ntwo\n").unwrap();
    refused(folder.path(), &["run", "notes.txt"], "is no experiment and no machine");
}

/// `--engine` and `--threads` are short for keys, in every command that runs; they are refused beside another value of these.
#[test]
fn engine_and_threads() {
    let folder = scratch();
    let json = |words: &[&str]| within(folder.path(), words).expect(0).summary();
    let packets = json(&["run", "ring", "-q", "--json", "--engine", "packet", "--threads", "2"]);
    assert_eq!((&packets["engine"], &packets["threads"]), (&"packet".into(), &2.into()));
    assert_eq!(
        json(&["run", "ring", "-q", "--json", "--engine=ideal", "--set", "engine.kind=ideal"])["engine"],
        "ideal"
    );
    for words in RUNS {
        // Nothing runs for a bound.
        let threads: &[&str] = if words[0] == "bound" { &[] } else { &["--threads", "1"] };
        within(folder.path(), &[words, &["--engine", "packet"], threads].concat()).expect(0);
    }
}
