//! What a node does with its messages, from the keys to the times of a run, by hand: those within it, and those of several interfaces.

use crate::{Folder, load_with};
use weir_analysis::bounds;
use weir_run::run;

/// A message of 1,000 bytes from rank 0 to rank 3, both on one node, and back; half of its time is the summary's.
const PINGPONG: &str = r#"
[topology]
kind = "torus"
shape = [2]
bandwidth = "1 GB/s"
latency = "1 us"
[mapping]
ranks_per_node = 4
[node]
send_overhead = "300 ns"
receive_overhead = "400 ns"
message_gap = "10 us"
rendezvous_overhead = "6 us"
memory_bandwidth = "1 GB/s"
[workload]
kind = "collective"
operation = "pingpong"
message_size = "1 kB"
ranks = 4
"#;

/// In ns, on an engine.
fn time(engine: &str, sets: &[&str]) -> u64 {
    let sets: Vec<String> = std::iter::once(format!("engine.kind={engine}"))
        .chain(sets.iter().map(|set| format!("node.{set}")))
        .collect();
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let report = run(&load_with(PINGPONG, &sets).unwrap(), &mut |_| {}).unwrap();
    let json = report.summary.to_json();
    let repetitions = json["repetitions_ps"].as_array().expect("a collective has times");
    repetitions[0].as_u64().expect("it has ended") / 1000
}

/// Eager: overhead, a copy into the buffer of the library at 1 GB/s, what the message takes within the node, and the overhead of the receiver.
/// The ideal engine takes no time within a node unless a key says so.
#[test]
fn a_pingpong_within_a_node() {
    let own = [
        "local_send_overhead=20 ns",
        "local_receive_overhead=50 ns",
        "local_latency=7 ns",
        "local_bandwidth=2 GB/s",
    ];
    let limited = [&own[..], &["memory_limit=1 GB/s"]].concat();
    let rendezvous = [&own[..], &["local_eager_limit=999 B", "local_rendezvous_overhead=40 ns"]].concat();
    for engine in ["flow", "packet", "ideal"] {
        let default = if engine == "ideal" { 0 } else { 1000 };
        assert_eq!(time(engine, &[]), 300 + 1000 + default + 400, "{engine}");
        assert_eq!(time(engine, &own), 20 + 1000 + 500 + 7 + 50, "{engine}");
        // Twice the bytes, of a memory of 1 GB/s.
        assert_eq!(time(engine, &limited), 20 + 1000 + 2000 + 7 + 50, "{engine}");
        // Nothing is copied before, a request and a clearance go and come.
        assert_eq!(time(engine, &rendezvous), 20 + 7 + 40 + 7 + 500 + 7 + 50, "{engine}");
    }
}

/// Where nothing is said of messages within a node they cost what all do: the rendezvous takes 6 us.
#[test]
fn what_is_not_said_is_as_between_nodes() {
    let rendezvous = ["eager_limit=0 B"];
    let (default, own) = (300 + 6000 + 1000 + 400, 300 + 6000 + 500 + 400);
    assert_eq!(time("flow", &rendezvous), default);
    assert_eq!(time("flow", &["eager_limit=0 B", "local_bandwidth=2 GB/s"]), own);
    assert_eq!(time("flow", &["eager_limit=0 B", "local_message_gap=0 ns"]), default);
}

/// Rank 0 hands over 100 kB for rank 1 and 1 kB for rank 2 at once; rank 2 awaits it and then sends 120 kB to rank 3, at 1 GB/s. A message to
/// one rank does not wait for that to another: 1 + 120 us, whether each passes by itself or the receivers copy. To the same rank the
/// short one is behind: with 2 for 1 it is there at 100 us where each passes by itself, and at 101 where the rank copies in turn.
#[test]
fn messages_to_different_ranks_of_a_node_do_not_wait_for_each_other() {
    let text = "[topology]\nkind = 'torus'\nshape = [2]\nbandwidth = '1 GB/s'\n[mapping]\nranks_per_node = 4\n[node]\nmemory_bandwidth = '1 GB/s'\n\
                [workload]\nkind = 'pattern-file'\nfile = 'order.pattern'\n";
    let in_turn = &["node.local_bandwidth=1 GB/s"][..];
    for (receiver, engine, sets, us) in [
        (1, "flow", &[][..], 121),
        (1, "packet", &[], 121),
        (1, "flow", in_turn, 121),
        (1, "packet", in_turn, 121),
        (1, "ideal", in_turn, 121),
        (2, "flow", &[], 220),
        (2, "packet", &[], 220),
        (2, "flow", in_turn, 221),
        (2, "packet", in_turn, 221),
        (2, "ideal", in_turn, 221),
    ] {
        let pattern = format!(
            "weir-pattern 1\nranks 4\n0 post {receiver} 100 kB\n0 post 2 1 kB\n{}2 await 0\n2 send 3 120 kB\n",
            if receiver == 2 { "2 await 0\n" } else { "" }
        );
        let folder = Folder::with(&[("experiment.toml", text), ("order.pattern", &pattern)]);
        let engine_kind = format!("engine.kind={engine}");
        let scenario =
            folder.load_with("experiment.toml", &[sets, &[engine_kind.as_str()]].concat()).unwrap();
        let summary = run(&scenario, &mut |_| {}).unwrap().summary;
        assert_eq!(summary.simulated.as_ps(), us * 1_000_000, "to {receiver} on {engine}, {sets:?}");
    }
}

/// Interfaces of 1 GB/s and links of 4: rank 0 sends 8 kB to rank 1. Through one interface 8 us, striped over two 4 us, over four 2 us, and no bound is
/// above that. Two interfaces that are no faster together: 8 us.
#[test]
fn a_message_is_striped_over_interfaces() {
    let text = "[topology]\nkind = 'mesh'\nshape = [2]\nbandwidth = '4 GB/s'\n[node]\nnic_bandwidth = '1 GB/s'\nnics = 4\n\
                [workload]\nkind = 'broadcast'\nalgorithm = 'flat'\nmessage_size = '8 kB'\n";
    let limited = "node.injection_limit=1 GB/s";
    for (sets, us) in [
        (&["node.nics=4"][..], 8),
        (&["node.stripe=2"], 4),
        (&["node.stripe=4"], 2),
        (&["node.stripe=4", "node.stripe_from=8 kB"], 2),
        (&["node.stripe=4", "node.stripe_from=8001 B"], 8),
        (&["node.stripe=2", limited], 8),
    ] {
        let scenario = load_with(text, sets).unwrap();
        let time = run(&scenario, &mut |_| {}).unwrap().summary.simulated;
        assert_eq!(time.as_ps(), us * 1_000_000, "{sets:?}");
        let bounds = bounds(&scenario, &mut |_, _| {}).unwrap();
        let alone =
            bounds.bounds.iter().find(|bound| bound.kind == weir_analysis::BoundKind::Message).unwrap();
        assert!(alone.time.as_ps() <= time.as_ps(), "{sets:?}: {alone:?}");
        if !sets.contains(&limited) {
            assert_eq!(alone.time.as_ps(), time.as_ps(), "{sets:?}");
        }
    }
}

/// The same on packets: 32 of 256 B, which take an interface 256 ns each. Striped over two, half of 8,192 ns; but the last packet of the second
/// interface waits for that of the first, whose tail is on the link no sooner than the interface has sent it: 256 ns, in 6 of which it would
/// have been routed.
#[test]
fn packets_are_striped_over_interfaces() {
    let text = "[topology]\nkind = 'mesh'\nshape = [2]\nbandwidth = '4 GB/s'\n[engine]\nkind = 'packet'\n\
                [node]\nnic_bandwidth = '1 GB/s'\nnics = 2\n[packet]\nmtu = '256 B'\n\
                [workload]\nkind = 'broadcast'\nalgorithm = 'flat'\nmessage_size = '8192 B'\n";
    let time =
        |sets: &[&str]| run(&load_with(text, sets).unwrap(), &mut |_| {}).unwrap().summary.simulated.as_ps();
    assert_eq!(time(&["node.stripe=1"]), time(&[]));
    assert_eq!(time(&[]) - time(&["node.stripe=2"]), 4_096_000 - 250_000);
}
