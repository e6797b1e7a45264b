//! Machines without a workload: what is said of them, what is refused, and files of them.

use crate::Folder;
use weir_experiment::{MachineDescription, Problems, Source};

fn load(files: &[(&str, &str)], overrides: &[&str]) -> Result<MachineDescription, Problems> {
    let folder = Folder::with(files);
    let overrides = overrides.iter().map(|&text| text.to_owned()).collect();
    MachineDescription::load(&Source { overrides, ..folder.source(files[0].0) })
}

const MACHINE: &str =
    "[topology]\nkind = 'torus'\nshape = [4, 2]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n";

#[test]
fn all_mistakes_of_a_machine_at_once() {
    let check = |text: &str, expected: &[(&str, &str)]| {
        let problems = load(&[("m.toml", text)], &[]).unwrap_err();
        let found: Vec<(&str, &str)> =
            problems.list().iter().map(|problem| (&*problem.key, &*problem.what)).collect();
        assert_eq!(found.len(), expected.len(), "{problems}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.0 == expected.0 && found.1.contains(expected.1), "{expected:?}\n{problems}");
        }
    };
    check("", &[("topology", "is missing")]);
    check("topology = 3\n", &[("topology", "must be a table")]);
    check(
        "[topology]\nkind = 'torus'\nshape = [0]\n[nodes]\n[node]\nnic_bandwidth = 'fast'\n",
        &[
            ("topology.bandwidth", "is missing"),
            ("topology.shape", "must be a list"),
            ("nodes", "unknown table"),
            ("node.nic_bandwidth", "not a number"),
        ],
    );
    let links = "[topology]\nkind = 'torus'\nshape = [100000, 100000]\nbandwidth = '1 GB/s'\n";
    check(links, &[("topology.shape", "more than the")]);
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let folder = Folder::with(&[("m.toml", MACHINE)]);
    let path = |name: &str| folder.path().join(name);
    let source = folder.source("m.toml");
    let machine = MachineDescription::load(&source).unwrap();
    let error = machine.write_graph(&path("m.xml")).unwrap_err().to_string();
    assert!(error.contains(".graphml, .json (node-link) or .csv"), "{error}");
    assert!(machine.write_graph(&path("no/m.csv")).is_err());
    // A folder of that name cannot be replaced by a file.
    std::fs::create_dir_all(path("m.csv/in")).unwrap();
    let error = machine.write_graph(&path("m.csv")).unwrap_err().to_string();
    assert!(error.starts_with("cannot write "), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    let large = Source { overrides: vec!["topology.shape=[1000, 1000]".into()], ..source };
    let error =
        MachineDescription::load(&large).unwrap().write_routes(&path("r.csv")).unwrap_err().to_string();
    assert!(error.contains("999999000000 routes"), "{error}");
}

/// Also without an engine: it says that its buffers are too small, if it says its buffers, or its preset does.
#[test]
fn a_machine_says_that_its_buffers_are_too_small() {
    let tree = "[topology]\nkind = 'fat-tree'\nstages = [2]\nbandwidth = '200 Gb/s'\nlatency = '500 ns'\n";
    let said = |packet: &str| load(&[("m.toml", &format!("{tree}{packet}"))], &[]).unwrap().warnings();
    assert_eq!(said(""), Vec::<String>::new());
    assert_eq!(said("[packet]\nmtu = '256 B'\n"), Vec::<String>::new());
    let one = said("[packet]\nmtu = '256 B'\ninput_buffer = 1\n");
    assert!(one[0].starts_with("the buffers of node 0 -> leaf 0 hold 512 B"), "{one:?}");
    // 16 packets of 256 B of the preset.
    let preset = said("[packet]\npreset = 'nsim-torus'\n");
    assert!(preset[0].contains("hold 8.192 kB"), "{preset:?}");
}
