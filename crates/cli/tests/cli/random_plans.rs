//! Random MPI programs on every engine and many machines: the same data, and the same messages for each receive where the
//! standard leaves no choice. `tests/mpi/random_plans.c` makes a program of each seed and checks itself what it receives; the
//! line that it prints for a seed does not depend on the machine. `make soak` runs thousands of seeds.

use crate::command::{check_all, compile, mpirun, root, scratch};
use std::path::Path;

/// How many seeds run on each machine: as many as this variable says.
const PLANS: &str = "WEIR_RANDOM_PLANS";
const FEW_PLANS: usize = 8;

/// Engines and machines. With a torus and the tree, two threads have enough to do.
const MACHINES: &str = "\
engine.kind=ideal; engine.latency=1 us; engine.bandwidth=1 GB/s; engine.message_gap=300 ns; node.eager_messages=1
engine.kind=ideal; engine.bandwidth=5 GB/s; node.eager_limit=0 B
engine.kind=flow; TORUS; mapping.kind=random
engine.kind=flow; MESH; mapping.ranks_per_node=2; node.eager_limit=300 B
engine.kind=flow; TREE; engine.sharing=iterative; mapping.kind=random; node.eager_messages=2
engine.kind=flow; CROSSBARS; engine.sharing=single-pass
engine.kind=packet; TORUS; mapping.kind=random
engine.kind=packet; TORUS; mapping.kind=random; mapping.seed=5; node.nics=3; packet.virtual_channels=4
engine.kind=packet; TORUS; mapping.ranks_per_node=2; node.nics=per-direction; node.eager_limit=300 B
engine.kind=packet; MESH; mapping.kind=random; packet.mtu=64 B; packet.input_buffer=1
engine.kind=packet; MESH; mapping.ranks_per_node=3; node.packet_gap=0.7; node.eager_limit=1 MB
engine.kind=packet; TREE; mapping.kind=random; node.eager_messages=1; packet.arbiter=fixed-priority
engine.kind=packet; TREE; node.nics=2; packet.virtual_channels=3; packet.mtu=2 KiB
engine.kind=packet; CROSSBARS; mapping.kind=random; packet.arbiter=oldest-first; node.eager_limit=0 B
";
const NAMED: &str = "\
TORUS: topology.kind=torus; topology.shape=[8,8]; topology.bandwidth=8 GB/s; topology.latency=100 ns
MESH: topology.kind=mesh; topology.shape=[3,2]; topology.bandwidth=['1 GB/s', '9 GB/s']; topology.latency=10 ns
TREE: topology.kind=fat-tree; topology.radix=8; topology.bandwidth=2 GB/s; topology.latency=1 us
CROSSBARS: topology.kind=hypercrossbar; topology.shape=[3,3]; topology.bandwidth=4 GB/s; topology.latency=50 ns
";

/// The settings of each machine; with costs that let a rank's clock run ahead of what comes for it.
fn machines() -> Vec<String> {
    let named: Vec<_> = NAMED.lines().filter_map(|line| line.split_once(": ")).collect();
    let written_out = |line: &str| {
        let whole = named.iter().fold(line.to_owned(), |text, (name, settings)| text.replace(name, settings));
        format!("{whole}; node.mpi_overhead=200 ns; node.memory_bandwidth=10 GB/s")
    };
    MACHINES.lines().map(written_out).collect()
}

/// What the seeds print on a machine, in their order, and the digest of the run.
fn run(program: &Path, ranks: usize, plans: usize, on: &str, threads: usize) -> (Vec<String>, String) {
    let on_packets = on.starts_with("engine.kind=packet");
    let on_threads = format!("engine.threads={threads}");
    let settings = on.split("; ").chain(on_packets.then_some(on_threads.as_str()));
    let mut command = mpirun(ranks);
    command.arg("--json").args(settings.flat_map(|setting| ["--set", setting]));
    let ended = crate::command::run(command.arg(program).args(["1", &plans.to_string()])).expect(0);
    let summary = ended.summary();
    let digest = summary["digest"].to_string();
    let cores = std::thread::available_parallelism().unwrap().get();
    if on_packets && on.contains("topology.kind=torus") {
        assert_eq!(summary["threads"], threads.min(cores), "{on}");
    }
    // A buffer of one packet is too small for its link, which is said as well.
    let lines = ended.stderr.lines().filter(|line| !line.starts_with("warning: the buffers of "));
    (lines.map(str::to_owned).collect(), digest)
}

/// The first plan that does not do as it should.
fn check(
    program: &Path,
    (ranks, plans): (usize, usize),
    on: &str,
    expected: &[String],
) -> Result<(), String> {
    let (found, digest) = run(program, ranks, plans, on, 1);
    let different = expected.iter().zip(&found).find(|(expected, found)| expected != found);
    if let Some((expected, found)) = different {
        return Err(format!("{on}, {ranks} ranks: {found}, not {expected}"));
    }
    if found.len() != plans {
        return Err(format!("{on}, {ranks} ranks: {} plans", found.len()));
    }
    if on.starts_with("engine.kind=packet") && run(program, ranks, plans, on, 2) != (found, digest) {
        return Err(format!("{on}, {ranks} ranks: two threads run otherwise"));
    }
    Ok(())
}

#[test]
fn random_programs_do_the_same_on_every_machine() {
    let plans = std::env::var(PLANS).map_or(FEW_PLANS, |text| text.parse().unwrap());
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/random_plans.c"), folder.path());
    let machines = machines();
    let plain = "engine.kind=ideal; node.mpi_overhead=200 ns; node.memory_bandwidth=10 GB/s";
    let expected = [2, 5, 6].map(|ranks| (ranks, run(&program, ranks, plans, plain, 1).0));
    for (ranks, lines) in &expected {
        assert_eq!(lines.len(), plans, "{ranks} ranks");
        assert!(!lines.iter().any(|line| line.contains("WRONG")), "{lines:?}");
    }
    let cases: Vec<_> =
        expected.iter().flat_map(|expected| machines.iter().map(move |on| (on, expected))).collect();
    check_all(&cases, |&(on, (ranks, lines))| check(&program, (*ranks, plans), on, lines));
}
