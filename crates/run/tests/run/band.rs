//! Between which times a run lies by the intervals of its keys.

use crate::{check_problems, load};
use proptest::prelude::*;
use serde_json::{Value, json};
use weir_run::{RunOptions, run_with};

fn run(text: &str) -> Result<Value, String> {
    let scenario = load(text).unwrap();
    let report = run_with(&scenario, &RunOptions::default(), &mut weir_pdes::OneProcess, &mut |_| ());
    report.map(|report| report.summary.to_json()).map_err(|error| error.to_string())
}

/// An empty message goes along a chain: of so many ranks each but the last spends `o`, each but the first `p`, and there are as many
/// ways of length `l` between them.
fn chain(ranks: u64, [o, p, l]: [u64; 3], calibrated: &str) -> String {
    format!(
        "engine = {{ kind = 'ideal', latency = '{l} ns' }}\nnode = {{ send_overhead = ['{o} ns', '1 s'], receive_overhead = '{p} ns', overhead_limits = '9 B' }}\n\
         workload = {{ kind = 'collective', operation = 'bcast', algorithm = 'pipeline', ranks = {ranks}, message_size = '0 B' }}\n\
         output = {{ band = true }}\n[calibrated]\n{calibrated}"
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The time is (n - 1) (o + l + p): linear in each key. So the band is the quadrature of the slopes times the widths to each side.
    #[test]
    fn of_a_linear_model_it_is_the_quadrature(
        ranks in 2..9_u64,
        values in [100..900_u64, 100..900, 100..900],
        less in [0..90_u64, 0..90, 0..90],
        more in [0..90_u64, 0..90, 0..90],
    ) {
        let keys = ["node.send_overhead.0", "node.receive_overhead", "engine.latency"];
        let line = |key: usize| {
            let (low, high) = (values[key] - less[key], values[key] + more[key]);
            format!("\"{}\" = ['{low} ns', '{high} ns']\n", keys[key])
        };
        let summary = run(&chain(ranks, values, &(0..3).map(line).collect::<String>())).unwrap();
        let slope = (ranks - 1) as f64 * 1e-9;
        let time = slope * values.iter().sum::<u64>() as f64;
        let quadrature = |widths: [u64; 3]| {
            slope * widths.iter().map(|&width| (width * width) as f64).sum::<f64>().sqrt()
        };
        let close = |found: &Value, expected: f64| (found.as_f64().unwrap() - expected).abs() < 1e-12;
        prop_assert!(close(&summary["simulated_s"], time), "{summary}");
        prop_assert!(close(&summary["band_s"][0], time - quadrature(less)), "{summary}");
        prop_assert!(close(&summary["band_s"][1], time + quadrature(more)), "{summary}");
        for key in 0..3 {
            let ends = &summary["band_by_key_s"][keys[key]];
            prop_assert!(close(&ends[0], time - slope * less[key] as f64), "{summary}");
            prop_assert!(close(&ends[1], time + slope * more[key] as f64), "{summary}");
        }
    }
}

/// Keys whose values are from elsewhere, outside of their intervals, and those that are not there, have no part in it; a bandwidth that is
/// larger makes the time shorter.
#[test]
fn what_is_not_in_force_has_no_part_in_it() {
    let calibrated = "'node.receive_overhead' = ['500 ns', '600 ns']\n'node.send_overhead.0' = ['100 ns', '200 ns']\n'topology.latency' = ['1 ns', '2 ns']\n";
    let summary = run(&chain(2, [100, 300, 1000], calibrated)).unwrap();
    assert_eq!(summary["band_s"], json!([1.4e-6, 1.5e-6]));
    assert_eq!(summary["band_by_key_s"], json!({ "node.send_overhead.0": [1.4e-6, 1.5e-6] }));
    assert_eq!(summary["experiment"]["calibrated"]["topology.latency"], json!(["1 ns", "2 ns"]));
    let text = "engine = { kind = 'ideal', bandwidth = '1 GB/s' }\nworkload = { kind = 'all-to-all', ranks = 2, message_size = '1 kB' }\n\
                output = { band = true }\ncalibrated = { 'engine.bandwidth' = ['500 MB/s', '2 GB/s'] }\n";
    assert_eq!(run(text).unwrap()["band_s"], json!([5e-7, 2e-6]));
    let why = run(&chain(2, [100, 300, 1000], "'node.receive_overhead' = ['500 ns', '600 ns']")).unwrap_err();
    assert!(why.contains("no band: nothing that holds here has an interval in [calibrated]"), "{why}");
    let without = chain(2, [100, 300, 1000], "").replace("band = true", "");
    assert_eq!(run(&without).unwrap()["band_s"], Value::Null);
}

#[test]
fn intervals_that_are_none() {
    let ascending = "node.link_latency: must be two quantities of one kind, the lower one first";
    for (line, said) in [
        ("'node.latencies' = ['1 ns', '2 ns']", "node.latencies: unknown key"),
        ("'node.link_latency' = '1 ns'", "node.link_latency: must be a list of two values"),
        ("'node.link_latency' = ['1 ns']", "node.link_latency: must be a list of two values"),
        ("'node.link_latency' = ['2 ns', '1 ns']", ascending),
        ("'node.link_latency' = ['1 ns', '1 GB/s']", ascending),
    ] {
        check_problems(load(&chain(2, [1, 1, 1], line)), &format!("calibrated: {said}"));
    }
}
