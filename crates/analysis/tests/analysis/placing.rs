//! Better places for ranks, by runs of the experiment.

use crate::{Folder, load_with, program};
use weir_analysis::{PlacingRequest, advise_placing};
use weir_experiment::Scenario;
use weir_run::run;
use weir_units::Time;

const RING: &str = "[topology]\nkind = 'mesh'\nshape = [4, 2]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[engine]\nkind = 'flow'\n\
                    [mapping]\nkind = 'random'\n[workload]\nkind = 'ring'\nmessage_size = '10 kB'\n";

fn simulated(scenario: &Scenario) -> Time {
    run(scenario, &mut |_| ()).unwrap().summary.simulated
}

/// A ring of eight ranks has a way round a mesh of 4 x 2 in which each message passes one link between routers, and two of nodes. A run of
/// the advised places takes the time that was promised; so many runs are made as are allowed, and what is best so far is told after each.
#[test]
fn advice_is_what_a_run_of_it_takes() {
    for (seed, ranks, per_node, runs) in [(1, 8, 1, 7), (2, 8, 1, 12), (3, 12, 2, 9), (4, 8, 1, 1)] {
        let keys = [
            format!("seed={seed}"),
            format!("workload.ranks={ranks}"),
            format!("mapping.ranks_per_node={per_node}"),
        ];
        let scenario = load_with(RING, &keys.each_ref().map(String::as_str)).unwrap();
        let mut told = Vec::new();
        let request = PlacingRequest { runs, seed: 5 };
        let advice = advise_placing(&scenario, request, &mut |run, time| told.push((run, time))).unwrap();
        assert_eq!(
            told.iter().map(|(run, _)| *run).collect::<Vec<_>>(),
            (1..=advice.runs).collect::<Vec<_>>()
        );
        assert!(told.is_sorted_by(|one, next| one.1 >= next.1) && told.last().unwrap().1 == advice.best.time);
        assert_eq!((advice.given.time, told[0].1), (simulated(&scenario), advice.given.time));
        assert_eq!(advice.runs, runs, "{advice:?}");
        let is_better = advice.best.time < advice.given.time;
        assert_eq!((is_better, advice.how != "as given"), (runs > 1, runs > 1), "{advice:?}");
        let lines: String =
            advice.nodes.iter().enumerate().map(|(rank, node)| format!("{rank} {}\n", node.0)).collect();
        let folder = Folder::with(&[("nodes", &lines), ("e.toml", RING)]);
        let file = format!("mapping.file=\"{}\"", folder.path().join("nodes").display());
        let sets: [&str; 5] = [&keys[0], &keys[1], &keys[2], "mapping.kind=file", &file];
        let placed = folder.load_with("e.toml", &sets).unwrap();
        assert_eq!((placed.placement().nodes(), simulated(&placed)), (&advice.nodes[..], advice.best.time));
        for node in &advice.nodes {
            assert!(advice.nodes.iter().filter(|other| *other == node).count() <= per_node);
        }
        if (ranks, runs) == (8, 12) {
            assert_eq!(advice.best.hop_bytes, 8 * 3 * 10_000, "{advice:?}");
        }
        let again = advise_placing(&scenario, request, &mut |_, _| ()).unwrap();
        assert_eq!(again, advice);
    }
}

#[test]
fn who_gets_no_advice_on_places() {
    let folder = Folder::with(&[("p", &program())]);
    let program = format!("workload.program={}", folder.path().join("p").display());
    for (sets, why) in [
        ("engine.kind=ideal", "without a topology all places are alike"),
        (
            "engine.method=quotient mapping.kind=linear topology.kind=torus topology.shape=[8]",
            "engine.method must be incremental",
        ),
        ("workload.messages=3000000", "the pattern has 24000000 messages; at most 20000000"),
        ("topology.shape=[91,91]", "the machine has 8281 nodes; at most 8192"),
        (
            "engine.kind=packet workload.kind=synthetic workload.offered_load=0.3 workload.duration=10us -workload.message_size mapping.kind=linear",
            "the workload is synthetic traffic",
        ),
        (
            &format!("workload.kind=program {program} workload.ranks=2 -workload.message_size"),
            "the workload is an MPI program",
        ),
    ] {
        let scenario = load_with(RING, &sets.split(' ').collect::<Vec<_>>()).unwrap();
        let advice = advise_placing(&scenario, PlacingRequest { runs: 2, seed: 1 }, &mut |_, _| ());
        let said = advice.map_or_else(|error| error.to_string(), |_| String::new());
        assert!(said.starts_with(why), "{sets}: {said}");
    }
}
