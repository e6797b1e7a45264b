//! What the crate accepts, what it refuses and how, and what a run leaves.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod bad_input;
mod bounds;
mod graphs;
mod keys;
mod machines;
mod output;
mod pacing;
mod packets;
mod profiles;
mod resolved;
mod runs;
mod sources;
mod strictness;
mod topologies;

use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weir_scenario::{Problems, Scenario, Source};

/// What is expected of problems: key and a part of what is said.
type Expected<'a> = &'a [(&'a str, &'a str)];

/// A folder with files in it.
struct Folder(TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, name: &str) -> Option<PathBuf> {
        Some(self.path().join(name))
    }
}

fn load(text: &str) -> Result<Scenario, Problems> {
    load_with(text, &[])
}

fn load_with(text: &str, overrides: &[&str]) -> Result<Scenario, Problems> {
    let folder = Folder::with(&[("experiment.toml", text)]);
    let overrides = overrides.iter().map(|&text| text.to_owned()).collect();
    Scenario::load(&Source { experiment: folder.file("experiment.toml"), overrides, ..Source::default() })
}

/// Checks that the problems are exactly these: the key and a part of what is said, in this order.
#[track_caller]
fn check_problems(result: Result<Scenario, Problems>, expected: Expected<'_>) {
    let problems = match result {
        Ok(_) => panic!("accepted; expected {expected:#?}"),
        Err(problems) => problems,
    };
    let agree = problems.list().len() == expected.len()
        && problems.list().iter().zip(expected).all(|(problem, (key, part))| {
            let said = format!("{} {}", problem.what, problem.hint.as_deref().unwrap_or_default());
            problem.key == *key && said.contains(part)
        });
    assert!(agree, "expected {expected:#?}\n\ngot\n{problems}");
}

/// What passes for a program: whether it can be loaded turns out when it runs.
const PROGRAM: &str = "\x7fELF weir program, runtime 1";

/// A small experiment that is right.
const TORUS: &str = r#"
[topology]
kind = "torus"
shape = [4, 4]
bandwidth = "1 GB/s"

[engine]
kind = "flow"

[workload]
kind = "all-to-all"
message_size = "20 kB"
"#;
