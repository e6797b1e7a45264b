//! What tests of experiments, runs and analyses have in common.

#![allow(dead_code, reason = "each of them needs a part")]

use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weir_experiment::{Problems, Scenario, Source};

/// A folder with files in it.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> Option<PathBuf> {
        Some(self.path().join(name))
    }

    pub(crate) fn source(&self, experiment: &str) -> Source {
        Source { experiment: self.file(experiment), ..Source::default() }
    }

    pub(crate) fn load(&self, experiment: &str) -> Result<Scenario, Problems> {
        self.load_with(experiment, &[])
    }

    pub(crate) fn load_with(&self, experiment: &str, overrides: &[&str]) -> Result<Scenario, Problems> {
        let overrides = overrides.iter().map(|&text| text.to_owned()).collect();
        Scenario::load(&Source { overrides, ..self.source(experiment) })
    }
}

pub(crate) fn load(text: &str) -> Result<Scenario, Problems> {
    load_with(text, &[])
}

pub(crate) fn load_with(text: &str, overrides: &[&str]) -> Result<Scenario, Problems> {
    Folder::with(&[("experiment.toml", text)]).load_with("experiment.toml", overrides)
}

/// Loads what a scenario resolves to.
pub(crate) fn again(scenario: &Scenario) -> Scenario {
    Scenario::load(&Source::of_text("again.json", scenario.resolved().to_string())).unwrap()
}

/// Checks that the problems are exactly these, in this order: each `key: part` of what is said, with `&&` between them.
#[track_caller]
pub(crate) fn check_problems(result: Result<Scenario, Problems>, expected: &str) {
    let problems = match result {
        Ok(_) => panic!("accepted; expected {expected}"),
        Err(problems) => problems,
    };
    let expected = each(expected);
    let agree = problems.list().len() == expected.len()
        && problems.list().iter().zip(&expected).all(|(problem, (key, part))| {
            let said = format!("{} {}", problem.what, problem.hint.as_deref().unwrap_or_default());
            problem.key == *key && said.contains(part)
        });
    assert!(agree, "expected {expected:#?}\n\ngot\n{problems}");
}

pub(crate) fn each(problems: &str) -> Vec<(&str, &str)> {
    problems.split(" && ").map(|one| one.split_once(": ").expect("a problem has a key")).collect()
}

/// Cases of a table with one in each line: the text, in which `; ` ends a line, and behind `=>` the problems that it has.
pub(crate) fn table(cases: &str) -> Vec<(String, &str)> {
    let lines = cases.lines().map(str::trim).filter(|line| !line.is_empty());
    let cases = lines.map(|line| line.split_once("=> ").expect("a case has problems"));
    cases.map(|(text, problems)| (text.trim().replace("; ", "\n"), problems)).collect()
}

/// What passes for a program: whether it can be loaded turns out when it runs.
pub(crate) fn program() -> String {
    let mut bytes = vec![0; 512];
    bytes[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x00");
    // A shared object for x86-64 with two parts: one that is loaded, all of the file, and an empty table for the loader.
    (bytes[16], bytes[18], bytes[32], bytes[54], bytes[56]) = (3, 62, 64, 56, 2);
    for (part, kind, offset, size) in [(64, 1, 0, 512_u16), (120, 2, 256_u16, 64)] {
        bytes[part] = kind;
        for at in [8, 16] {
            bytes[part + at..part + at + 2].copy_from_slice(&offset.to_le_bytes());
        }
        for at in [32, 40] {
            bytes[part + at..part + at + 2].copy_from_slice(&size.to_le_bytes());
        }
        bytes[part + 49] = 16;
    }
    bytes.extend(b"weir program, runtime 1");
    String::from_utf8(bytes).unwrap()
}

/// A small experiment that is right.
pub(crate) const TORUS: &str = r#"
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
