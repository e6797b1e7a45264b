//! Everything shown to readers runs: the files of `examples`, and the experiments in the documentation.
//!
//! In the documentation a block of TOML whose first line begins with `# experiment` is a whole experiment. It may name
//! the files of `examples` by that path, and its programs by the names of their sources there: `program = "ring"`.

use crate::command::{Ended, check_all, compiled, files, mpirun, root, run, scratch, weir};
use crate::digests;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The examples and the folders within, the outermost first.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(folder) = found.get(next) {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut inner: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        inner.sort_unstable();
        found.extend(inner);
        next += 1;
    }
    found
}

fn example_files(extension: &str) -> Vec<PathBuf> {
    folders(&root().join("examples")).iter().flat_map(|folder| files(folder, extension)).collect()
}

/// A folder with all example programs, compiled, and with the examples under their own name.
fn workplace() -> TempDir {
    let folder = scratch();
    // Those that step a backend are no MPI programs: crates/backend tests them.
    for source in example_files("c").iter().filter(|path| !path.parent().unwrap().ends_with("backend")) {
        std::os::unix::fs::symlink(compiled(source), folder.path().join(source.file_stem().unwrap()))
            .unwrap();
    }
    std::os::unix::fs::symlink(root().join("examples"), folder.path().join("examples")).unwrap();
    folder
}

/// The value of `key = "value"` in a text, if the key begins a line.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.split('=').next().is_some_and(|start| start.trim() == key))?;
    line.split('"').nth(1)
}

/// Whether a file is an experiment; otherwise it is a machine.
fn is_experiment(text: &str) -> bool {
    text.lines().any(|line| ["[workload]", "[[jobs]]"].contains(&line.trim()) || line.starts_with("workload"))
}

/// Runs an experiment; its program, if it has one, is one of the examples.
fn run_experiment(path: &Path, text: &str, folder: &Path) -> Ended {
    let mut command = weir(["run", "--json"]);
    command.arg(path).current_dir(folder);
    if let Some(program) = value(text, "program") {
        command.arg("--").arg(folder.join(Path::new(program).file_name().unwrap()));
    }
    run(&mut command)
}

fn finished(name: &str, ended: &Ended) -> Result<(), String> {
    match ended.code {
        0 if ended.summary()["outcome"] == "finished" => digests::check(name, &ended.summary()),
        code => Err(format!("{name}: exit status {code}\n{}", ended.stderr)),
    }
}

#[test]
fn every_example_runs() {
    let folder = workplace();
    let examples = example_files("toml");
    assert!(examples.len() >= 3, "{examples:?}");
    check_all(&examples, |path| {
        let text = std::fs::read_to_string(path).unwrap();
        if text.contains("[study]") {
            let ended = run(weir(["sweep", "-q"]).arg(path));
            return if ended.code == 0 {
                Ok(())
            } else {
                Err(format!("{}: {}", path.display(), ended.stderr))
            };
        }
        let ended = if is_experiment(&text) {
            run_experiment(path, &text, folder.path())
        } else {
            let nodes = run(weir(["topology", "--json"]).arg(path)).summary()["nodes"].as_u64();
            let ranks = nodes.map_or(64, |nodes| nodes.min(64)) as usize;
            run(mpirun(ranks).arg("--json").arg("--machine").arg(path).arg(folder.path().join("ring")))
        };
        finished(&digests::name(path), &ended)
    });
}

/// The experiments in a text of documentation, each with the number of its first line.
fn experiments(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        if line.trim_start().starts_with("```") && line.trim() != "```" {
            let block: Vec<&str> =
                lines.by_ref().map(|(line, _)| line).take_while(|line| line.trim() != "```").collect();
            let is_toml = line.trim() == "```toml";
            if is_toml && block.first().is_some_and(|first| first.trim().starts_with("# experiment")) {
                found.push((number + 1, block.join("\n") + "\n"));
            }
        }
    }
    found
}

#[test]
fn every_experiment_of_the_documentation_runs() {
    let folder = workplace();
    let mut texts = files(&root(), "md");
    texts.extend(folders(&root().join("docs")).iter().flat_map(|folder| files(folder, "md")));
    let blocks = texts.iter().flat_map(|path| {
        let blocks = experiments(&std::fs::read_to_string(path).unwrap());
        blocks
            .into_iter()
            .enumerate()
            .map(|(number, (_, text))| (format!("{}#{}", digests::name(path), number + 1), text))
            .collect::<Vec<_>>()
    });
    let blocks: Vec<(usize, (String, String))> = blocks.enumerate().collect();
    check_all(&blocks, |(number, (name, text))| {
        let path = folder.path().join(format!("block{number}.toml"));
        std::fs::write(&path, text).unwrap();
        finished(name, &run_experiment(&path, text, folder.path()))
    });
}

/// The examples of keys, each in a folder of its own with the files that its first lines make.
#[test]
fn examples_of_keys_run() {
    let all = run(&mut weir(["keys"])).expect(0).stdout;
    let mut examples = BTreeSet::new();
    for key in all.lines() {
        let text = run(&mut weir(["keys", key])).expect(0).stdout;
        for part in text.split("  example, to be run by weir run\n").skip(1) {
            let lines = part.lines().map_while(|line| line.strip_prefix("    "));
            examples.insert(lines.map(|line| format!("{line}\n")).collect::<String>());
        }
    }
    assert!(examples.len() > 30, "{}", examples.len());
    let programs = Path::new(env!("CARGO_BIN_EXE_weir")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    for example in examples {
        let folder = scratch();
        std::fs::write(folder.path().join("example.toml"), &example).unwrap();
        let commands: Vec<&str> = example.lines().filter_map(|line| line.strip_prefix("# $ ")).collect();
        let script = format!("set -e\n{}\nweir run example.toml", commands.join("\n"));
        run(Command::new("sh").args(["-c", &script]).current_dir(folder.path()).env("PATH", &path)).expect(0);
    }
}

#[test]
fn blocks_are_found_by_language_and_first_line() {
    let text = "a\n```toml\n# experiment: one\nx = 1\n```\n```sh\n# experiment\n```\n```toml\ny = 2\n```\n\
                - list\n  ```toml\n  # experiment\n  ```\n";
    let expected = [(3, "# experiment: one\nx = 1\n".to_owned()), (14, "  # experiment\n".to_owned())];
    assert_eq!(experiments(text), expected);
    assert_eq!(value("[workload]\nprogram = \"a/b\" # c\n", "program"), Some("a/b"));
    assert_eq!(value("kind = \"program\"\n", "program"), None);
}
