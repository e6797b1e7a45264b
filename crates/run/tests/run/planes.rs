//! Nodes with several cables: the guide's example on both engines, and the cables of nodes as a file gives them.

use crate::check_problems;
use crate::common::plane::*;
use weir_record::Summary;

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

/// Messages of one node of a ring of two to the other one, 1 MB each at 1 GB/s, through two interfaces: a cable for each.
#[test]
fn interfaces_take_both_cables_of_a_ring_of_two() {
    let pattern = "weir-pattern 1\nranks 4\n0 send 2 1 MB\n1 send 3 1 MB\n2 send 0 1 MB\n3 send 1 1 MB\n";
    let ring = "[topology]\nkind = 'torus'\nshape = [2]\nbandwidth = '1 GB/s'\n[node]\nnic_bandwidth = '10 GB/s'\n[mapping]\n\
                ranks_per_node = 2\n[workload]\nkind = 'pattern-file'\nfile = 'm.pattern'\n";
    let took = |sets: &[&str]| {
        let found = milliseconds(&run(&[("planes.toml", ring), ("m.pattern", pattern)], sets));
        assert!((found / found.round() - 1.0).abs() < 0.01, "{found} ms");
        found.round()
    };
    for engine in ["engine.kind=flow", "engine.kind=packet"] {
        assert_eq!(took(&["node.nics=2", engine]), 1.0, "{engine}");
        assert_eq!(took(&[engine]), 2.0, "{engine}: all through one interface, and so by one cable");
        let cut = "faults=[{cable = 'router (0) - router (1)'}]";
        assert_eq!(took(&["node.nics=2", engine, cut]), 2.0, "{engine}: all by the cable that is left");
    }
}

/// Nodes with a cable of 10 GB/s in the file: `[node]` changes it if it says so, and not if it does not.
#[test]
fn node_keys_count_where_nodes_have_cables() {
    let file = "source,target,bandwidth,latency,source_kind,target_kind\na,s,10 GB/s,1 us,node,router\nb,s,5 GB/s,1 us,node,router\n";
    let shift = "[topology]\nkind = 'graph'\nfile = 'm.csv'\n[workload]\nkind = 'permutation'\npermutation = 'shift'\n\
                 distance = 1\nmessage_size = '1 MB'\n";
    let took =
        |sets: &[&str]| run(&[("planes.toml", shift), ("m.csv", file)], sets).simulated.as_ps() / 1_000_000;
    // Both ways over the slower cable: 200 us, and 2 us.
    assert_eq!(took(&[]), 202);
    assert_eq!(took(&["node.nic_bandwidth=20 GB/s"]), 52);
    assert_eq!(took(&["node.link_latency=4 us"]), 208);
    assert_eq!(took(&["node.dma_bandwidth=1 GB/s"]), 1002);
    assert_eq!(took(&["node.dma_bandwidth=8 GB/s"]), 202);
}
