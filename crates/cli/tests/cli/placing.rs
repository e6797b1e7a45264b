//! `weir advise mapping`.

use crate::command::{check_all, root, run, scratch, weir};
use std::fs;

const MACHINES: [&str; 5] = [
    "kind = 'torus', shape = [4, 3], bandwidth = ['1 GB/s', '700 MB/s']",
    "kind = 'mesh', shape = [5, 3], bandwidth = '1 GB/s'",
    "kind = 'fat-tree', radix = 4, bandwidth = '1 GB/s'",
    "kind = 'tofu', shape = [1, 1, 1], bandwidth = '5 GB/s'",
    "kind = 'hypercrossbar', shape = [4, 4], bandwidth = '1 GB/s'",
];
const WORK: [&str; 6] = [
    "kind = 'halo', grid = [3, 4], ranks = 12, message_size = '40 kB'",
    "kind = 'random-ring', ranks = 11, messages = 3, message_size = '20 kB', size_spread = 0.4",
    "kind = 'broadcast', ranks = 12, algorithm = 'binomial', root = 7, message_size = '30 kB'",
    "kind = 'collective', operation = 'allreduce', algorithm = 'recursive-doubling', ranks = 8, message_size = '64 KiB'",
    "kind = 'incast', ranks = 10, root = 3, message_size = '8 kB'",
    "kind = 'profile', file = '@'",
];
const MAPPINGS: [&str; 3] = ["kind = 'random'", "kind = 'linear'", "kind = 'random', ranks_per_node = 2"];
const ENGINES: [&str; 2] = ["flow", "packet"];

/// Whatever the machine, the work, what was given and the engine: the advice is a mapping that weir takes, the run with it is the run that was
/// promised, it is not slower than what was given, and the same request gives the same advice.
#[test]
fn the_advice_is_what_a_run_finds() {
    let folder = scratch();
    let profile = folder.path().join("recorded.profile");
    let ring = crate::command::compile(&root().join("examples/ring.c"), folder.path());
    run(weir(["log", "-q", "-n", "9", "-o"]).arg(&profile).arg(&ring)).expect(0);
    let mut cases = Vec::new();
    for (number, machine) in MACHINES.iter().enumerate() {
        for (index, work) in WORK.iter().enumerate() {
            cases.push((*machine, *work, MAPPINGS[(number + index) % 3], ENGINES[(number + index / 2) % 2]));
        }
    }
    check_all(&cases, |&(machine, work, mapping, engine)| {
        let folder = scratch();
        let path = folder.path().join("e.toml");
        let work = work.replace('@', &profile.display().to_string());
        let text = format!(
            "seed = 3\ntopology = {{ {machine}, latency = '200 ns' }}\nengine = {{ kind = '{engine}' }}\nmapping = {{ {mapping} }}\n\
             workload = {{ {work} }}\n"
        );
        fs::write(&path, &text).unwrap();
        let advise = || {
            let out = folder.path().join("mapping.txt");
            let args = ["advise", "mapping", "-q", "--json", "--runs", "12", "--out"];
            let advice = run(weir(args).arg(&out).arg(&path)).expect(0).summary();
            (advice, out)
        };
        let ((advice, out), (again, _)) = (advise(), advise());
        let at = |more: &[&str]| run(weir(["run", "--json", "-q"]).arg(&path).args(more)).expect(0).summary();
        let file = format!("mapping.file={}", out.display());
        let (given, advised) = (at(&[]), at(&["--set", "mapping.kind=file", "--set", &file]));
        let same = |name: &str, summary: &serde_json::Value| {
            ["simulated_ps", "digest"].iter().all(|key| advice[name][*key] == summary[*key])
        };
        let faster = advice["advised"]["simulated_ps"].as_u64() <= advice["given"]["simulated_ps"].as_u64();
        if advice != again || !same("given", &given) || !same("advised", &advised) || !faster {
            return Err(format!("{text}: {advice} {}", advised["simulated_ps"]));
        }
        Ok(())
    });
}

/// An MPI program is run once and logged; placed as advised it takes the time that was promised. What it prints is no part of the answer. Interfaces are in
/// order: where messages share them, the order in which this program takes messages of any sender, which its profile keeps, suits the first
/// placement alone, and no other one is faster.
#[test]
fn a_program_is_placed() {
    let folder = scratch();
    let (path, out) = (folder.path().join("e.toml"), folder.path().join("m"));
    let ring = crate::command::compile(&root().join("examples/ring.c"), folder.path());
    let machine = "topology = { kind = 'torus', shape = [4, 3], bandwidth = '1 GB/s', latency = '100 ns' }";
    let work = format!("kind = 'program', ranks = 12, program = '{}', args = ['4000']", ring.display());
    let text = format!(
        "{machine}\nengine = {{ kind = 'flow', sharing = 'max-min' }}\nmapping = {{ kind = 'random' }}\nnode = {{ interface = 'in-order' }}\nworkload = {{ {work} }}\n"
    );
    fs::write(&path, text).unwrap();
    let args = ["advise", "mapping", "--json", "-q", "--confirm", "--out"];
    let advice = run(weir(args).arg(&out).arg(&path)).expect(0).summary();
    let at = |more: &[&str]| run(weir(["run", "--json", "-q"]).arg(&path).args(more)).expect(0).summary();
    let file = format!("mapping.file={}", out.display());
    let (given, advised) = (at(&[]), at(&["--set", "mapping.kind=file", "--set", &file]));
    assert_eq!(advice["given"]["simulated_ps"], given["simulated_ps"]);
    assert_eq!(advice["advised"]["simulated_ps"], advised["simulated_ps"]);
    assert!(advised["simulated_ps"].as_u64() < given["simulated_ps"].as_u64(), "{advice}");
    assert!(advice["packets"]["advised_ps"].as_u64() < advice["packets"]["given_ps"].as_u64(), "{advice}");
}
