//! What the interfaces of a node send and receive together, on flows and on packets; and the machines that say it, on every engine.

use crate::Folder;
use weir_experiment::{SHIPPED, Scenario, ShippedKind, Source};
use weir_network::Outcome;
use weir_run::run;

fn load(text: &str, machine: Option<&str>, overrides: &[&str]) -> Scenario {
    let folder = Folder::with(&[("experiment.toml", text)]);
    let overrides = overrides.iter().map(|&text| text.to_owned()).collect();
    let (experiment, machine) = (folder.file("experiment.toml"), machine.map(Into::into));
    Scenario::load(&Source { experiment, machine, overrides, ..Source::default() }).unwrap()
}

/// In seconds; the run has come to its end.
fn time(scenario: &Scenario) -> f64 {
    let report = run(scenario, &mut |_| {}).unwrap();
    assert_eq!(report.outcome, Outcome::Finished);
    report.summary.simulated.as_secs_f64()
}

/// Nodes below one switch, with four interfaces of 8 GB/s: a message alone, one from each of four ranks to a rank of its own, and those of
/// seven nodes to one. The limit is below one interface, above one, and above all.
#[test]
fn packets_and_flows_agree_on_limits() {
    let star = "[topology]\nkind = 'fat-tree'\nstages = [8]\nbandwidth = '8 GB/s'\nlatency = '100 ns'\n[node]\nnics = 4\n";
    let message = 4_000_000;
    for (workload, at_once) in [("1\nranks = 2", 1), ("4\nranks = 32\n[mapping]\nranks_per_node = 4", 4)] {
        let workload = format!("kind = 'permutation'\npermutation = 'shift'\ndistance = {workload}");
        for key in ["injection_limit", "ejection_limit"] {
            for limit in [3, 12, 40] {
                let workload = workload.replacen("\n", &format!("\nmessage_size = '{message} B'\n"), 1);
                let text = format!("{star}{key} = '{limit} GB/s'\n[workload]\n{workload}\n");
                let [flow, packet] = ["flow", "packet"]
                    .map(|kind| time(&load(&text, None, &[&format!("engine.kind={kind}")])));
                let rate = f64::from(8 * at_once).min(f64::from(limit)) * 1e9;
                let expected = f64::from(message * at_once) / rate;
                assert!((flow / expected - 1.0).abs() < 0.001, "{text}: {flow} s by flow, not {expected} s");
                assert!((packet / flow - 1.0).abs() < 0.02, "{text}: {packet} s by packet, {flow} s by flow");
            }
        }
    }
}

/// Each shipped machine on each engine: long messages, a collective, and a pattern of many partners. With long messages packets are within a
/// quarter of flows.
#[test]
fn every_shipped_machine_runs_on_every_engine() {
    let long = "[workload]\nkind = 'permutation'\npermutation = 'shift'\ndistance = 1\nranks = 8\nmessage_size = '4 MB'\n";
    let collective =
        "[workload]\nkind = 'collective'\noperation = 'allreduce'\nranks = 8\nmessage_size = '64 KiB'\n";
    let pattern = "[workload]\nkind = 'all-to-all'\nranks = 8\nmessage_size = '20 kB'\n";
    let of_studies = |path: &str| path.starts_with("studies/");
    let machines =
        SHIPPED.iter().filter(|shipped| shipped.kind() == ShippedKind::Machine && !of_studies(shipped.path));
    for machine in machines {
        // The same links, on as few nodes as a test needs.
        let few: &[&str] = match machine.name() {
            "fugaku" => &["mapping.job=[2,2,2]"],
            "k-computer" => &["topology.shape=[2,2,2]"],
            _ => &[],
        };
        for workload in [long, collective, pattern] {
            let times = ["ideal", "flow", "packet"].map(|kind| {
                let kind = format!("engine.kind={kind}");
                time(&load(workload, Some(machine.name()), &[few, &[&kind, "engine.threads=1"]].concat()))
            });
            let [ideal, flow, packet] = times;
            assert!(ideal <= flow && flow > 0.0, "{}: {times:?}", machine.path);
            if workload == long {
                assert!((packet / flow - 1.0).abs() < 0.25, "{}: {times:?}", machine.path);
            } else {
                assert!((0.8..4.0).contains(&(packet / flow)), "{}: {times:?}", machine.path);
            }
        }
    }
}
