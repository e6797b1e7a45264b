//! Graphs in which nodes have several cables: the guide's example, both engines, and what does not fit.

use crate::{Folder, check_problems};
use weir_experiment::{Problems, Scenario, Source};
use weir_record::Summary;

fn load(files: &[(&str, &str)], sets: &[&str]) -> Result<Scenario, Problems> {
    let folder = Folder::with(files);
    let overrides = sets.iter().map(|&set| set.to_owned()).collect();
    Scenario::load(&Source { overrides, ..folder.source("planes.toml") })
}

fn run(files: &[(&str, &str)], sets: &[&str]) -> Summary {
    let scenario = load(files, sets).unwrap_or_else(|problems| panic!("{problems}"));
    weir_run::run(&scenario, &mut |_| {}).unwrap().summary
}

fn milliseconds(summary: &Summary) -> f64 {
    summary.simulated.as_ps() as f64 / 1e9
}

/// The blocks of the guide in a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let guide = include_str!("../../../../docs/guide/planes.md");
    let begin = format!("```{language}\n");
    let behind = guide.split(begin.as_str()).skip(1);
    behind.map(|text| text.split("```").next().unwrap()).collect()
}

/// The guide's table of rules is what its files give, on both engines.
#[test]
fn the_example_of_the_guide() {
    let files = [("planes.csv", blocks("csv")[0]), ("planes.toml", blocks("toml")[0])];
    let guide = include_str!("../../../../docs/guide/planes.md");
    let rows = guide.lines().filter(|line| line.starts_with("| `\"") && line.ends_with(" ms |"));
    let mut count = 0;
    for row in rows {
        let rule = row.split('"').nth(1).unwrap();
        let said: f64 = row.rsplit('|').nth(1).unwrap().trim().trim_end_matches(" ms").parse().unwrap();
        for engine in ["flow", "packet"] {
            let sets = [format!("node.choose={rule}"), format!("engine.kind={engine}")];
            let found = milliseconds(&run(&files, &[&sets[0], &sets[1]]));
            assert!((found - said).abs() <= 0.06, "{rule} on {engine}: {found}, not {said}");
        }
        count += 1;
    }
    assert_eq!(count, 5);
}

/// Two rings use both planes without striping, on both engines.
#[test]
fn rings_use_all_planes() {
    let experiment = blocks("toml")[0].replace("choose = \"stripe\"", "");
    let files =
        [("planes.csv", blocks("csv")[0]), ("planes.toml", &format!("{experiment}{}", blocks("toml")[1]))];
    for engine in ["engine.kind=flow", "engine.kind=packet"] {
        let found = milliseconds(&run(&files, &[engine]));
        assert!((3.84..3.9).contains(&found), "{engine}: {found}");
        for (operation, time) in [("allgather", 1.92), ("reduce_scatter", 1.92)] {
            let sets =
                [format!("workload.operation={operation}"), format!("collectives.{operation}_rings=2")];
            let sets = [&sets[0], &sets[1], "-collectives.allreduce_rings", engine];
            let found = milliseconds(&run(&files, &sets));
            assert!((time..time * 1.02).contains(&found), "{operation}, {engine}: {found}");
        }
    }
    let files = [("planes.csv", blocks("csv")[0]), ("planes.toml", blocks("toml")[0])];
    let unused = ["collectives.allreduce_rings=2", "workload.algorithm=rabenseifner"];
    check_problems(load(&files, &unused), "collectives.allreduce_rings: is not used by allreduce");
}

/// Eight nodes on four planes of 1000, 800, 800 and 1000 Gb/s.
fn server() -> String {
    let mut file = "source,target,bandwidth,latency,source_kind,target_kind\n".to_owned();
    for (plane, speed) in [1000, 800, 800, 1000].iter().enumerate() {
        (0..8).for_each(|gpu| file += &format!("gpu{gpu},nvsw{plane},{speed} Gb/s,25 ns,node,router\n"));
    }
    file
}

const RING: &str = "[topology]\nkind = 'graph'\nfile = 'planes.csv'\n[workload]\nkind = 'collective'\n\
                    operation = 'allreduce'\nalgorithm = 'ring'\nmessage_size = '64 MB'\n";

/// 112 MB out of each node at 450 GB/s take 0.249 ms; engines agree on each rule.
#[test]
fn a_server_with_four_switches() {
    let server = server();
    let files = [("planes.csv", server.as_str()), ("planes.toml", RING)];
    for rule in ["round-robin", "hash", "by-destination", "stripe", "least-loaded"] {
        let rule = format!("node.choose={rule}");
        let [flow, packet] = ["engine.kind=flow", "engine.kind=packet"].map(|engine| {
            let summary = run(&files, &[&rule, engine]);
            milliseconds(&summary)
        });
        assert!((packet / flow - 1.0).abs() < 0.03, "{rule}: flow {flow}, packet {packet}");
        if rule.ends_with("stripe") {
            assert!((0.249..0.249 * 1.05).contains(&flow), "{flow}");
        }
    }
    // As well with a row for each of the 18 links of a node.
    let mut rows = "source,target,bandwidth,latency,source_kind,target_kind\n".to_owned();
    for gpu in 0..8 {
        for (plane, links) in [5, 4, 4, 5].into_iter().enumerate() {
            (0..links).for_each(|_| rows += &format!("gpu{gpu},nvsw{plane},200 Gb/s,25 ns,node,router\n"));
        }
    }
    let files = [("planes.csv", rows.as_str()), ("planes.toml", RING)];
    for engine in ["engine.kind=flow", "engine.kind=packet"] {
        let found = milliseconds(&run(&files, &["node.choose=stripe", engine]));
        assert!((0.249..0.249 * 1.05).contains(&found), "{engine}: {found}");
    }
}

#[test]
fn what_does_not_fit() {
    let server = server();
    let files = [("planes.csv", server.as_str()), ("planes.toml", RING)];
    for (sets, key, part) in [
        (&["node.nics=2"][..], "node.nics", "each cable is an interface"),
        (&["node.injection_limit=1 GB/s"], "node.injection_limit", "several cables"),
        (&["node.stripe=5"], "node.stripe", "no node has more than 4 cables"),
        (&["node.stripe=2", "node.choose=hash"], "node.choose", "does not fit stripe"),
        (&["node.stripe_from=1 kB"], "node.stripe_from", "belongs to stripe"),
    ] {
        let set: Vec<&str> = sets.to_vec();
        check_problems(load(&files, &set), &format!("{key}: {part}"));
    }
    let with_routes = RING.replace("file = 'planes.csv'", "file = 'planes.csv'\nroutes = 'planes.csv'");
    let files = [files[0], ("planes.toml", with_routes.as_str())];
    check_problems(load(&files, &[]), "topology.routes: a pair of nodes has several routes");
}

/// Of two cables one fails: messages take the other one.
#[test]
fn messages_take_the_cable_that_is_whole() {
    let files = [
        ("planes.csv", blocks("csv")[0]),
        ("planes.toml", &format!("{}[[faults]]\ncable = 'g1 - s1'\n", blocks("toml")[0])),
    ];
    for engine in ["engine.kind=flow", "engine.kind=packet"] {
        // g1 sends and gets all by the plane s0, where the others are as well for what they exchange with it.
        let found = milliseconds(&run(&files, &[engine]));
        assert!((7.6..8.1).contains(&found), "{engine}: {found}");
    }
}
