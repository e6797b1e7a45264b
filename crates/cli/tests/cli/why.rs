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
