//! Runs on the packet engine: times by hand, deadlocks of the network, synthetic traffic.

use crate::command::{compile, mpirun, run, scratch, weir};
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

/// Routers in a row or in a ring, 1 GB/s, 100 ns; of the routers what is the default.
fn machine(kind: &str, shape: &str) -> String {
    format!(
        "topology = {{ kind = '{kind}', shape = {shape}, bandwidth = '1 GB/s', latency = '100 ns' }}\n\
         engine = {{ kind = 'packet' }}\n"
    )
}

/// The same, with packets of 256 B.
fn small_packets(kind: &str, shape: &str) -> String {
    machine(kind, shape) + "packet = { mtu = '256 B' }\n"
}

/// A folder with an experiment in it, and with a pattern file that it may name.
fn experiment(text: &str, pattern: &str) -> (TempDir, PathBuf) {
    let folder = scratch();
    let path = folder.path().join("experiment.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::write(folder.path().join("x.pattern"), pattern).unwrap();
    (folder, path)
}

#[track_caller]
fn summary_of(text: &str, settings: &[&str]) -> Value {
    let (_folder, path) = experiment(text, "weir-pattern 1\nranks 3\n0 send 2 256\n");
    let set = settings.iter().flat_map(|setting| ["--set", setting]);
    run(weir(["run", "--json"]).args(set).arg(path)).expect(0).summary()
}

#[track_caller]
fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value / expected - 1.0).abs() < 1e-9, "{value}, not {expected}");
}

/// Node 0 sends to node 2 over three routers: a cable of 100 ns to the first, 6 ns before and 140 ns in each crossbar, two
/// links and the cable to the node of 100 ns each. 100 + 3 (6 + 140) + 2 100 + 100 = 838 ns, and a packet of 256 B takes
/// 256 ns on each link, all of which are alike. A message of 1000 B is four packets, one behind the other.
#[test]
fn one_message_takes_its_zero_load_latency() {
    let row = small_packets("mesh", "[3]") + "workload = { kind = 'pattern-file', file = 'x.pattern' }\n";
    let summary = summary_of(&row, &[]);
    assert_eq!((&summary["engine"], &summary["outcome"]), (&json!("packet"), &json!("finished")));
    assert_eq!(summary["simulated_ps"], 838_000 + 256_000);
    assert_eq!((&summary["packets"], &summary["packet_hops"]), (&json!(1), &json!(3)));
    assert_eq!((&summary["messages"], &summary["bytes"]), (&json!(1), &json!(256)));
    for latency in ["latency_mean_s", "latency_p99_s", "latency_min_s", "latency_max_s"] {
        near(&summary[latency], 1.094e-6);
    }
    // Four of ten links carry 256 B in 1,094 ns; they could carry 1,094 B, and are busy for 256 ns.
    near(&summary["max_link_utilization"], 256.0 / 1094.0);
    near(&summary["mean_link_utilization"], 0.4 * 256.0 / 1094.0);
    near(&summary["max_link_busy"], 256.0 / 1094.0);
    near(&summary["mean_link_busy"], 0.4 * 256.0 / 1094.0);
    near(&summary["mean_link_throughput_bytes_per_s"], 0.4 * 256.0 / 1.094e-6);
    assert_eq!((&summary["max_link_share"], &summary["busiest_link"]["packets"]), (&json!(0), &json!(1)));

    let long = row.replace(
        "kind = 'pattern-file', file = 'x.pattern'",
        "kind = 'broadcast', algorithm = 'flat', message_size = '1 kB', ranks = 2",
    );
    // From node 0 to node 1: one router and one link less, which is 246 ns.
    let summary = summary_of(&long, &[]);
    assert_eq!(summary["simulated_ps"], 838_000 - 246_000 + 1_000_000);
    assert_eq!((&summary["packets"], &summary["packet_hops"]), (&json!(4), &json!(8)));
}

/// A master hands out twelve tasks of 64 KiB to two workers, the next one to whoever has answered.
const MASTER: &str = include_str!("../programs/packet_master.c");

/// Who gets which task is decided by whose answer is there first, so by the network (paper 003, section 3.3): on a 2 x 2 mesh
/// the first worker is one hop away in x, the second one in y,
/// each behind an interface of its own: in one queue the slow messages would hold up the others.
#[test]
fn a_slower_link_changes_who_works() {
    let folder = scratch();
    let source = folder.path().join("master.c");
    std::fs::write(&source, MASTER).unwrap();
    let program = compile(&source, folder.path());
    let machine = folder.path().join("machine.toml");
    let text = "topology = { kind = 'mesh', shape = [2, 2], bandwidth = '1 GB/s', latency = '100 ns' }\n\
                node = { nic_bandwidth = '10 GB/s', nics = 'per-direction' }\nengine = { kind = 'packet' }\n";
    std::fs::write(&machine, text).unwrap();
    let tasks = |bandwidth: &str| {
        let set = ["--set", &format!("topology.bandwidth={bandwidth}")].map(str::to_owned);
        let ended = run(mpirun(3).arg("--machine").arg(&machine).args(set).arg(&program));
        let line = ended.expect(0).stdout;
        let counts: Vec<u32> = line.split_whitespace().map(|count| count.parse().unwrap()).collect();
        assert_eq!(counts.iter().sum::<u32>(), 12, "{line}");
        counts
    };
    assert_eq!(tasks("1 GB/s"), [6, 6]);
    let uneven = tasks("['1 GB/s', '0.25 GB/s']");
    assert!(uneven[0] >= 8, "{uneven:?}");
}

/// Eight routers in a ring, one virtual channel with room for one packet, and every node sends three places on. When each
/// first packet has taken the one place behind its first link, each waits for the place that the next one holds.
#[test]
fn packets_that_wait_in_a_circle_are_a_deadlock() {
    let text = machine("torus", "[8]")
        + "packet = { virtual_channels = 1, input_buffer = 1, allow_deadlock = true }\n\
           workload = { kind = 'permutation', permutation = 'shift', distance = 3, message_size = '10 kB' }\n";
    let (_folder, path) = experiment(&text, "");
    let ended = run(weir(["run", "--json"]).arg(&path)).expect(3);
    let summary = ended.summary();
    assert_eq!(summary["outcome"], "deadlock");
    let channels = summary["explanation"]["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 8, "{channels:#?}");
    for (channel, next) in channels.iter().zip(channels.iter().cycle().skip(1)) {
        assert_eq!(channel["waits_for_link"], next["link"]);
        assert_eq!((&channel["virtual_channel"], &channel["packets"]), (&json!(0), &json!(1)));
    }
    ended.says(&["packets wait in a circle of 8 virtual channels"]);
    let said =
        "channel 0 of router (0) -> router (1): 1 packet waits for channel 0 of router (1) -> router (2)";
    ended.says(&[said]);
    run(weir(["run", "--set", "packet.allow_deadlock=false"]).arg(&path))
        .expect(2)
        .says(&["packet.virtual_channels = 1"]);
    run(weir(["run", "--set", "packet.virtual_channels=2"]).arg(&path)).expect(0);
}

#[test]
fn synthetic_traffic_below_and_beyond_saturation() {
    let text = small_packets("mesh", "[8]")
        + "workload = { kind = 'synthetic', offered_load = 0.1, duration = '200 us' }\n";
    let low = summary_of(&text, &[]);
    let [offered, accepted] = ["offered_load", "accepted_load"].map(|load| low[load].as_f64().unwrap());
    assert!((offered - 0.1).abs() < 0.01 && (accepted - offered).abs() < 0.005, "{offered} {accepted}");
    assert_eq!(low["saturated"], false);
    // To a neighbor, over two routers: 100 + 2 (6 + 140) + 100 + 100 + 256 ns.
    let least = low["latency_min_s"].as_f64().unwrap();
    assert!((least / 8.48e-7 - 1.0).abs() < 1e-4, "{least}");
    let [network, all] =
        ["latency_mean_s", "generation_latency_mean_s"].map(|latency| low[latency].as_f64().unwrap());
    assert!(network > least && all > 0.99 * network, "{network} {all}");
    // Half of the traffic of eight nodes has to cross the middle, which a link carries each way.
    let high = summary_of(&text, &["workload.offered_load=1"]);
    assert_eq!(high["saturated"], true);
    let accepted = high["accepted_load"].as_f64().unwrap();
    assert!((0.2..0.6).contains(&accepted), "{accepted}");
    let hot = summary_of(&text, &["workload.pattern=hot-spot", "workload.root=3", "workload.fraction=0.5"]);
    assert_eq!(hot["experiment"]["workload"]["fraction"], 0.5);
}

#[test]
fn people_read_packets_latencies_and_links() {
    let text =
        small_packets("torus", "[4, 4]") + "workload = { kind = 'all-to-all', message_size = '2 kB' }\n";
    let (_folder, path) = experiment(&text, "");
    let said = run(weir(["run"]).arg(&path)).expect(0).stdout;
    let all = run(weir(["run", "--verbose"]).arg(&path)).expect(0).stdout;
    for part in
        ["packet latency", "99 % within", "busiest links", "% busy", "longest queue", "most contended link"]
    {
        assert!(said.contains(part) && all.contains(part), "{part}: {said}");
    }
    for part in ["packet-hops ", " per second)", "windows ", "mean over all links"] {
        assert!(!said.contains(part) && all.contains(part), "{part}: {said}\n{all}");
    }
    let synthetic = ["workload.kind=synthetic", "workload.offered_load=0.2", "workload.duration=10 us"];
    let text = text.replace("message_size = '2 kB'", "seed = 1");
    let (_folder, path) = experiment(&text, "");
    let set = synthetic.iter().flat_map(|setting| ["--set", setting]);
    let said = run(weir(["run"]).args(set).arg(&path)).expect(0).stdout;
    for part in ["offered load", "accepted load", "not saturated", "from generation"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
