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
    if let Some(instead) = instead_of(result, expected) {
        panic!("{instead}");
    }
}

/// What is said instead of exactly these problems.
pub(crate) fn instead_of(result: Result<Scenario, Problems>, expected: &str) -> Option<String> {
    let Err(problems) = result else { return Some(format!("accepted; expected {expected}")) };
    let expected = each(expected);
    let agree = problems.list().len() == expected.len()
        && problems.list().iter().zip(&expected).all(|(problem, (key, part))| {
            let said = format!("{} {}", problem.what, problem.hint.as_deref().unwrap_or_default());
            problem.key == *key && said.contains(part)
        });
    (!agree).then(|| format!("expected {expected:#?}\n\ngot\n{problems}"))
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

/// The small model of paper 004.
pub(crate) mod nicam {
    use super::*;

    pub(crate) const SMALL: &str = r#"
    [topology]
    kind = "torus"
    shape = [5, 4, 2]
    tie = "direct"
    [mapping]
    kind = "nicam"
    [engine]
    kind = "packet"
    threads = 1
    [packet]
    preset = "nsim-torus"
    virtual_channels = 8
    [node]
    nics = 4
    [workload]
    kind = "nicam"
    rlevel = 2
    message_size = "96 KiB"
    "#;

    pub(crate) fn with(set: &[&str]) -> Scenario {
        load_with(SMALL, set).unwrap()
    }

    /// Six messages of 96 KiB at 8 GB/s.
    pub(crate) const THEORY_PS: u64 = 6 * 96 * 1024 * 125;
}

/// Graphs beside an experiment.
pub(crate) mod graph {
    use super::*;
    use weir_topology::Topology;
    use weir_units::{LinkId, NodeId};

    pub(crate) const REST: &str = "\n[workload]\nkind = 'ring'\nmessage_size = '1 kB'\n";

    /// An experiment on the network of a file.
    pub(crate) fn load_graph(files: &[(&str, &str)], keys: &str) -> Result<Scenario, Problems> {
        let experiment = format!("[topology]\nkind = 'graph'\n{keys}\n{REST}");
        let folder = Folder::with(&[&[("experiment.toml", experiment.as_str())], files].concat());
        folder.load("experiment.toml")
    }

    pub(crate) fn route(machine: &Topology, from: usize, to: usize) -> Vec<LinkId> {
        let mut route = Vec::new();
        machine.route(NodeId::new(from), NodeId::new(to), &mut route);
        route
    }

    pub(crate) fn names(machine: &Topology, from: usize, to: usize) -> Vec<String> {
        route(machine, from, to).into_iter().map(|id| machine.link_name(id)).collect()
    }
}

/// Collectives by name.
pub(crate) mod named {
    use super::*;

    /// One collective on a machine of eight nodes; with more keys of the sections.
    pub(crate) fn text(
        preset: &str,
        (operation, size): (&str, &str),
        collectives: &str,
        workload: &str,
    ) -> String {
        format!(
            "[topology]\nkind = 'torus'\nshape = [2, 2, 2]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[collectives]\n\
             preset = '{preset}'\n{collectives}\n[workload]\nkind = 'collective'\noperation = '{operation}'\n\
             message_size = '{size}'\n{workload}\n"
        )
    }

    pub(crate) fn experiment(
        preset: &str,
        operation: &str,
        size: &str,
        keys: &str,
    ) -> Result<Scenario, Problems> {
        load(&text(preset, (operation, size), keys, ""))
    }

    /// With the algorithm of the workload.
    pub(crate) fn named(
        preset: &str,
        operation: &str,
        size: &str,
        algorithm: &str,
    ) -> Result<Scenario, Problems> {
        load(&text(preset, (operation, size), "", &format!("algorithm = '{algorithm}'")))
    }
}

/// Servers with several switches.
pub(crate) mod plane {
    use super::*;

    pub(crate) fn load(files: &[(&str, &str)], sets: &[&str]) -> Result<Scenario, Problems> {
        Folder::with(files).load_with("planes.toml", sets)
    }

    /// Eight nodes on four planes of 1000, 800, 800 and 1000 Gb/s.
    pub(crate) fn server() -> String {
        let mut file = "source,target,bandwidth,latency,source_kind,target_kind\n".to_owned();
        for (plane, speed) in [1000, 800, 800, 1000].iter().enumerate() {
            (0..8).for_each(|gpu| file += &format!("gpu{gpu},nvsw{plane},{speed} Gb/s,25 ns,node,router\n"));
        }
        file
    }

    pub(crate) const RING: &str = "[topology]\nkind = 'graph'\nfile = 'planes.csv'\n[workload]\nkind = 'collective'\n\
                        operation = 'allreduce'\nalgorithm = 'ring'\nmessage_size = '64 MB'\n";
}
