//! Random MPI programs on every engine and many machines: the same data, and the same messages for each receive where the
//! standard leaves no choice. `tests/mpi/random_plans.c` makes a program of each seed and checks itself what it receives; the
//! line that it prints for a seed does not depend on the machine. `make soak` runs thousands of seeds.

use crate::command::{check_all, compile, mpirun, root, scratch};
use std::path::Path;

/// How many seeds run on each machine: as many as this variable says.
const PLANS: &str = "WEIR_RANDOM_PLANS";
const FEW_PLANS: usize = 8;

/// Costs that let a rank's clock run ahead of what comes for it.
const COSTS: [&str; 2] = ["node.mpi_overhead=200 ns", "node.memory_bandwidth=10 GB/s"];
/// Large enough for two threads.
const TORUS: [&str; 4] =
    ["topology.kind=torus", "topology.shape=[8,8]", "topology.bandwidth=8 GB/s", "topology.latency=100 ns"];
const MESH: [&str; 4] = [
    "topology.kind=mesh",
    "topology.shape=[3,2]",
    "topology.bandwidth=['1 GB/s', '9 GB/s']",
    "topology.latency=10 ns",
];
/// Likewise.
const TREE: [&str; 4] =
    ["topology.kind=fat-tree", "topology.radix=8", "topology.bandwidth=2 GB/s", "topology.latency=1 us"];
const CROSSBARS: [&str; 4] = [
    "topology.kind=hypercrossbar",
    "topology.shape=[3,3]",
    "topology.bandwidth=4 GB/s",
    "topology.latency=50 ns",
];

/// An engine, a machine and what else is set.
type On = (&'static str, &'static [&'static str], &'static [&'static str]);

const MACHINES: [On; 14] = [
    (
        "ideal",
        &[],
        &[
            "engine.latency=1 us",
            "engine.bandwidth=1 GB/s",
            "engine.message_gap=300 ns",
            "node.eager_messages=1",
        ],
    ),
    ("ideal", &[], &["engine.bandwidth=5 GB/s", "node.eager_limit=0 B"]),
    ("flow", &TORUS, &["mapping.kind=random"]),
    ("flow", &MESH, &["mapping.ranks_per_node=2", "node.eager_limit=300 B"]),
    ("flow", &TREE, &["engine.sharing=iterative", "mapping.kind=random", "node.eager_messages=2"]),
    ("flow", &CROSSBARS, &["engine.sharing=single-pass"]),
    ("packet", &TORUS, &["mapping.kind=random"]),
    (
        "packet",
        &TORUS,
        &["mapping.kind=random", "mapping.seed=5", "node.nics=3", "packet.virtual_channels=4"],
    ),
    ("packet", &TORUS, &["mapping.ranks_per_node=2", "node.nics=per-direction", "node.eager_limit=300 B"]),
    ("packet", &MESH, &["mapping.kind=random", "packet.mtu=64 B", "packet.input_buffer=1"]),
    ("packet", &MESH, &["mapping.ranks_per_node=3", "node.packet_gap=0.7", "node.eager_limit=1 MB"]),
    ("packet", &TREE, &["mapping.kind=random", "node.eager_messages=1", "packet.arbiter=fixed-priority"]),
    ("packet", &TREE, &["node.nics=2", "packet.virtual_channels=3", "packet.mtu=2 KiB"]),
    ("packet", &CROSSBARS, &["mapping.kind=random", "packet.arbiter=oldest-first", "node.eager_limit=0 B"]),
];

/// What the seeds print on a machine, in their order, and the digest of the run.
fn run(program: &Path, ranks: usize, plans: usize, on: On, threads: usize) -> (Vec<String>, String) {
    let (engine, machine, more) = on;
    let on_threads = format!("engine.threads={threads}");
    let on_threads = (engine == "packet").then_some(on_threads.as_str());
    let settings = machine.iter().chain(more).chain(&COSTS).copied().chain(on_threads);
    let mut command = mpirun(ranks);
    command.args(["--json", "--engine", engine]).args(settings.flat_map(|setting| ["--set", setting]));
    let ended = crate::command::run(command.arg(program).args(["1", &plans.to_string()])).expect(0);
    let summary = ended.summary();
    let digest = summary["digest"].to_string();
    let cores = std::thread::available_parallelism().unwrap().get();
    if machine == TORUS && engine == "packet" {
        assert_eq!(summary["threads"], threads.min(cores), "{on:?}");
    }
    // A buffer of one packet is too small for its link, which is said as well.
    let lines = ended.stderr.lines().filter(|line| !line.starts_with("warning: the buffers of "));
    (lines.map(str::to_owned).collect(), digest)
}

/// The first plan that does not do as it should.
fn check(program: &Path, (ranks, plans): (usize, usize), on: On, expected: &[String]) -> Result<(), String> {
    let (found, digest) = run(program, ranks, plans, on, 1);
    let different = expected.iter().zip(&found).find(|(expected, found)| expected != found);
    if let Some((expected, found)) = different {
        return Err(format!("{on:?}, {ranks} ranks: {found}, not {expected}"));
    }
    if found.len() != plans {
        return Err(format!("{on:?}, {ranks} ranks: {} plans", found.len()));
    }
    if on.0 == "packet" && run(program, ranks, plans, on, 2) != (found, digest) {
        return Err(format!("{on:?}, {ranks} ranks: two threads run otherwise"));
    }
    Ok(())
}

#[test]
fn random_programs_do_the_same_on_every_machine() {
    let plans = std::env::var(PLANS).map_or(FEW_PLANS, |text| text.parse().unwrap());
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/random_plans.c"), folder.path());
    let expected = [2, 5, 6].map(|ranks| (ranks, run(&program, ranks, plans, ("ideal", &[], &[]), 1).0));
    for (ranks, lines) in &expected {
        assert_eq!(lines.len(), plans, "{ranks} ranks");
        assert!(!lines.iter().any(|line| line.contains("WRONG")), "{lines:?}");
    }
    let cases: Vec<_> =
        expected.iter().flat_map(|expected| MACHINES.iter().map(move |&on| (on, expected))).collect();
    check_all(&cases, |&(on, (ranks, lines))| check(&program, (*ranks, plans), on, lines));
}
