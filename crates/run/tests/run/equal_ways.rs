//! Machines as people describe them: which of several equal ways routes take, whatever the listing, on flows and on packets.

use crate::Folder;
use weir_record::Summary;
use weir_units::{Duration, Time};

/// Sixteen nodes at four leaves, each joined to each of four spines; the lines of the file are in the order that `key` gives.
fn clos(key: impl Fn(usize, &str) -> usize) -> String {
    let mut lines = Vec::new();
    for leaf in 0..4 {
        lines.extend((0..4).map(|port| format!("h{leaf}.{port},leaf{leaf},node,router")));
        lines.extend((0..4).map(|spine| format!("leaf{leaf},spine{spine},router,router")));
    }
    let mut sorted: Vec<_> = lines.iter().enumerate().collect();
    sorted.sort_by_key(|&(line, text)| key(line, text));
    let lines: Vec<&str> = sorted.into_iter().map(|(_, text)| text.as_str()).collect();
    format!("source,target,source_kind,target_kind\n{}\n", lines.join("\n"))
}

fn run(topology: &str, file: &str, rest: &str) -> Summary {
    let experiment = format!("[topology]\n{topology}\n{rest}");
    let folder =
        Folder::with(&[("experiment.toml", experiment.as_str()), ("m.csv", file), ("m.pattern", file)]);
    let scenario = folder.load("experiment.toml").unwrap_or_else(|problems| panic!("{problems}"));
    weir_run::run(&scenario, &mut |_| {}).unwrap().summary
}

const GRAPH: &str = "kind = 'graph'\nfile = 'm.csv'\nbandwidth = '1 GB/s'\nlatency = '100 ns'";

/// Each node sends 15 messages of 100 kB at 1 GB/s one after the other, and none of them meets another: 1.5 ms, and what the last one
/// takes through four links. Packets take a little longer, through routers.
#[test]
fn any_listing_of_a_network_gives_the_same() {
    let scrambled = |line: usize, _: &str| (line * 13 + 5) % 32;
    let by_port = |line: usize, text: &str| text[3..].bytes().map(usize::from).sum::<usize>() * 100 + line;
    let listings = [clos(|line, _| line), clos(|line, _| 99 - line), clos(scrambled), clos(by_port)];
    for (engine, most) in [("flow", 1), ("packet", 20)] {
        let rest =
            format!("[engine]\nkind = '{engine}'\n[workload]\nkind = 'all-to-all'\nmessage_size = '100 kB'");
        let all: Vec<_> = listings.iter().map(|file| run(GRAPH, file, &rest)).collect();
        for summary in &all {
            assert_eq!(summary.digest, all[0].digest, "{engine}");
            let late = summary.simulated.as_ps() - 1_500_400_000;
            assert!(late <= most * 1_000_000, "{engine}: {late} ps later");
        }
    }
}

/// Two leaves with two nodes and two cables to one spine: each pair of nodes has a cable of its own, up and down.
#[test]
fn parallel_cables_are_used_on_both_engines() {
    let rows = "h0,a,node,router\nh1,a,node,router\nh2,b,node,router\nh3,b,node,router\na,s,router,router\na,s,router,router\n\
                b,s,router,router\nb,s,router,router\n";
    let file = format!("source,target,source_kind,target_kind\n{rows}");
    for engine in ["flow", "packet"] {
        let rest = format!(
            "[engine]\nkind = '{engine}'\n[workload]\nkind = 'permutation'\npermutation = 'shift'\ndistance = 2\nmessage_size = '1 MB'"
        );
        let took = run(GRAPH, &file, &rest).simulated.as_ps();
        assert!((1_000_400_000..1_010_000_000).contains(&took), "{engine}: {took} ps");
    }
}

/// Messages of one node of a ring of two to the other one, 1 MB each at 1 GB/s, through two interfaces: a cable for each.
#[test]
fn interfaces_take_both_cables_of_a_ring_of_two() {
    let pattern = "weir-pattern 1\nranks 4\n0 send 2 1 MB\n1 send 3 1 MB\n2 send 0 1 MB\n3 send 1 1 MB\n";
    let took = |engine: &str, nics: u32, faults: &str| {
        let rest = format!(
            "bandwidth = '1 GB/s'\n[node]\nnic_bandwidth = '10 GB/s'\nnics = {nics}\n[engine]\nkind = '{engine}'\n[mapping]\n\
             ranks_per_node = 2\n[workload]\nkind = 'pattern-file'\nfile = 'm.pattern'\n{faults}"
        );
        run("kind = 'torus'\nshape = [2]", pattern, &rest).simulated.as_ps() / 10_000_000
    };
    for engine in ["flow", "packet"] {
        assert_eq!(took(engine, 2, ""), 100, "{engine}: 1 ms, in units of 10 us");
        assert_eq!(took(engine, 1, ""), 200, "{engine}: all through one interface, and so by one cable");
        let cut = "[[faults]]\ncable = 'router (0) - router (1)'";
        assert_eq!(took(engine, 2, cut), 200, "{engine}: all by the cable that is left");
    }
}

/// Nodes with a cable of 10 GB/s in the file: `[node]` changes it if it says so, and not if it does not.
#[test]
fn node_keys_count_where_nodes_have_cables() {
    let file = "source,target,bandwidth,latency,source_kind,target_kind\na,s,10 GB/s,1 us,node,router\nb,s,5 GB/s,1 us,node,router\n";
    let took = |node: &str| {
        let rest = format!(
            "[node]\n{node}\n[workload]\nkind = 'permutation'\npermutation = 'shift'\ndistance = 1\nmessage_size = '1 MB'"
        );
        run("kind = 'graph'\nfile = 'm.csv'", file, &rest).simulated
    };
    let after = |ns: u64| Time::ZERO + Duration::from_ns(ns);
    // Both ways over the slower cable: 200 us, and 2 us.
    assert_eq!(took(""), after(202_000));
    assert_eq!(took("nic_bandwidth = '20 GB/s'"), after(52_000));
    assert_eq!(took("link_latency = '4 us'"), after(208_000));
    assert_eq!(took("dma_bandwidth = '1 GB/s'"), after(1_002_000));
    assert_eq!(took("dma_bandwidth = '8 GB/s'"), after(202_000));
}
