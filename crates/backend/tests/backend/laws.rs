//! What is stepped is what runs in one piece.

use crate::work::Work;
use crate::{open, source};
use proptest::prelude::*;
use std::fs;
use weir_experiment::Scenario;
use weir_network::{Digest, Outcome};
use weir_units::{Duration, Time};

const MACHINES: [&str; 9] = [
    "engine = { kind = 'ideal' }\n",
    "engine = { kind = 'ideal', latency = '1 us', bandwidth = '1 GB/s', message_gap = '300 ns' }\n",
    "engine = { kind = 'flow' }\ntopology = { kind = 'torus', shape = [3, 2], bandwidth = '1 GB/s', latency = '100 ns' }\n",
    "engine = { kind = 'flow', sharing = 'single-pass' }\ntopology = { kind = 'fat-tree', stages = [4, 4], bandwidth = '1 GB/s' }\n",
    "engine = { kind = 'flow', resolution = '200 ns' }\ntopology = { kind = 'mesh', shape = [6], bandwidth = '1 GB/s' }\n",
    "engine = { kind = 'flow' }\ntopology = { kind = 'mesh', shape = [3], bandwidth = '1 GB/s' }\nmapping = { ranks_per_node = 2 }\n\
     node = { memory_bandwidth = '5 GB/s' }\n",
    "engine = { kind = 'packet' }\ntopology = { kind = 'torus', shape = [3, 2], bandwidth = '1 GB/s', latency = '100 ns' }\n",
    "engine = { kind = 'packet' }\ntopology = { kind = 'fat-tree', stages = [4, 4], bandwidth = '1 GB/s' }\nnode = { interface = 'shared' }\n",
    "engine = { kind = 'packet' }\ntopology = { kind = 'mesh', shape = [2, 3], bandwidth = '1 GB/s' }\nnode = { nics = 2 }\n",
];

/// What nodes are like: keys that are set.
const NODES: [&[&str]; 4] = [
    &[],
    &["node.mpi_overhead=1 us", "node.eager_limit=100 B"],
    &["node.eager_limit=0 B"],
    &["node.mpi_overhead=700 ns"],
];

/// Digest, end, messages, events.
type Run = (Digest, Time, u64, u64);

fn overrides(of_node: usize) -> Vec<String> {
    NODES[of_node].iter().map(|&set| set.to_owned()).collect()
}

fn in_one_piece(machine: &str, of_node: usize, work: &Work) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("w.graph");
    fs::write(&file, work.graph()).unwrap();
    let mut source = source(machine);
    source.overrides = overrides(of_node);
    source.overrides.extend(["workload.kind=graph".into(), format!("workload.file={}", file.display())]);
    let scenario = Scenario::load(&source).unwrap();
    let report = weir_run::run(&scenario, &mut |_| ()).unwrap();
    assert_eq!(report.outcome, Outcome::Finished, "{work:?}");
    let summary = report.summary;
    (summary.digest, summary.simulated, summary.traffic.messages, summary.traffic.events)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// On each engine the events of a graph of work are those of the same requests, however time is cut.
    #[test]
    fn stepped_is_as_in_one_piece(
        work in Work::any(),
        machine in 0..MACHINES.len(),
        of_node in 0..NODES.len(),
        slices in prop::collection::vec(0..3_000_000_u64, 0..5),
    ) {
        let mut stepped = source(MACHINES[machine]);
        stepped.overrides = overrides(of_node);
        stepped.overrides.push(format!("workload.ranks={}", work.ranks()));
        let mut runs = Vec::new();
        for slices in [&[][..], &slices[..]] {
            let mut backend = weir_backend::Backend::open(stepped.clone()).unwrap();
            let mut cut = slices.iter().cycle().map(|&ps| Duration::from_ps(ps));
            let mut count = 0;
            // Slices of no time alone would not come to an end.
            let found = work.step(&mut backend, || {
                count += 1;
                if count % 7 == 0 { None } else { cut.next() }
            });
            let ended = &backend.finish().unwrap().summary;
            runs.push((found, (ended.digest, ended.simulated, ended.traffic.messages, ended.traffic.events)));
        }
        prop_assert_eq!(&runs[0], &runs[1], "slices");
        prop_assert_eq!(&runs[0].1, &in_one_piece(MACHINES[machine], of_node, &work), "in one piece");
    }
}

/// A backend that is opened anew is the same machine.
#[test]
fn nothing_happens_without_requests() {
    for machine in MACHINES {
        let mut backend = open(&format!("{machine}workload.ranks = 2\n"));
        assert_eq!(crate::next(&mut backend, None), None);
        assert_eq!(backend.now(), Time::ZERO);
        assert_eq!(crate::next(&mut backend, Some(Time::from_ps(5_000_000))), None);
        assert_eq!(backend.now(), Time::from_ps(5_000_000));
    }
}
