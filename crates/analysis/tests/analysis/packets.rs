//! The packet engine and synthetic traffic.

use crate::{check_problems, load};
use weir_analysis::{bounds, write_pattern_to};
use weir_run::run;

/// Synthetic traffic on a machine of these nodes.
fn synthetic(topology: &str, keys: &str) -> String {
    format!(
        "seed = 5\n[topology]\nbandwidth = '1 GB/s'\n{topology}\n[engine]\nkind = 'packet'\n\
         [workload]\nkind = 'synthetic'\noffered_load = 0.3\nduration = '100 us'\n{keys}\n"
    )
}

const MESH: &str = "kind = 'mesh'\nshape = [4, 4]";

/// Delays longer than a run can be: whichever they are, the run ends at the last instant that the engine counts.
#[test]
fn delays_longer_than_a_run() {
    let keys =
        ["route_delay", "vc_allocation_delay", "switch_allocation_delay", "turnaround_delay", "switch_delay"];
    for allocation in ["with-switch", "before-switch"] {
        for long in 0..1 << keys.len() {
            let is_long = |(number, _): &(usize, &&str)| long >> number & 1 == 1;
            let long_ones = keys.iter().enumerate().filter(is_long);
            let delays: String = long_ones.map(|(_, key)| format!("{key} = '5000 h'\n")).collect();
            for latency in ["100 ns", "5000 h"] {
                let network = "kind = 'mesh'\nshape = [3]\nbandwidth = '1 GB/s'";
                let text = format!(
                    "[topology]\n{network}\nlatency = '{latency}'\n[engine]\nkind = 'packet'\n[workload]\n\
                     kind = 'all-to-all'\nmessage_size = '1 kB'\n[packet]\nmtu = '256 B'\nvc_allocation = '{allocation}'\n{delays}"
                );
                let report = run(&load(&text).unwrap(), &mut |_| {}).unwrap();
                let outcome = &report.summary.to_json()["outcome"];
                let expected = if long == 0 && latency == "100 ns" { "finished" } else { "limit" };
                assert_eq!(outcome, expected, "{text}");
            }
        }
    }
}

#[test]
fn synthetic_traffic_needs_the_packet_engine() {
    let flow = synthetic(MESH, "").replace("'packet'", "'flow'");
    let expected = "needs engine.kind = \"packet\"; with \"flow\" there are no packets to generate";
    check_problems(load(&flow), &format!("workload.kind: {expected}"));
    let ideal =
        "[engine]\nkind = 'ideal'\n[workload]\nkind = 'synthetic'\noffered_load = 0.1\nduration = '1 us'\n";
    check_problems(load(ideal), "workload.kind: needs engine.kind = \"packet\"; with \"ideal\"");
    let scenario = load(&synthetic(MESH, "")).unwrap();
    let why = bounds(&scenario, &mut |_, _| {}).unwrap_err().to_string();
    assert!(why.contains("synthetic traffic"), "{why}");
    let why = write_pattern_to(&scenario, Vec::new()).unwrap_err().to_string();
    assert!(why.contains("synthetic traffic"), "{why}");
}
