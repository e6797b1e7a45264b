//! Rules that choose among ways, on whole programs of messages.

use crate::command::{run, scratch, weir};

/// What a fluid does not see of `ugal-l` and what it finds too late is little where messages follow each other: an all-to-all on a dragonfly of 72 nodes
/// takes as long on flows as on packets, within 5 %, and on shortest ways nearly twice as long.
#[test]
fn an_all_to_all_takes_as_long_on_flows_as_on_packets() {
    let scratch = scratch();
    let path = scratch.path().join("all-to-all.toml");
    let experiment = r#"
        topology = { kind = "dragonfly", nodes_per_router = 2, routers_per_group = 4, global_links = 2, bandwidth = "25 GB/s", latency = ["50 ns", "300 ns"] }
        workload = { kind = "all-to-all", algorithm = "simple-spread", message_size = "100 kB" }
    "#;
    std::fs::write(&path, experiment).expect("scratch can be written");
    let time = |settings: &[&str]| {
        let mut command = weir(["run", "--json"]);
        command.arg(&path).args(settings);
        run(&mut command).expect(0).summary()["simulated_ps"].as_u64().expect("a time") as f64
    };
    let (flow, packet) = (time(&["--engine", "flow"]), time(&["--engine", "packet"]));
    assert!((flow / packet - 1.0).abs() < 0.05, "{flow} ps on flows, {packet} ps on packets");
    let shortest = time(&["--engine", "flow", "--set", "topology.routing=minimal"]);
    assert!(shortest > 1.5 * flow, "{shortest} ps on shortest ways, {flow} ps with ways around");
}
