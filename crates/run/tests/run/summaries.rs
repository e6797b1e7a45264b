//! What summaries say of their experiments.

use crate::common::graph;
use crate::{Folder, TORUS, load};
use serde_json::Value;
use weir_run::run;

fn load_graph(name: &str, text: &str) -> Result<weir_experiment::Scenario, weir_experiment::Problems> {
    graph::load_graph(&[(name, text)], &format!("file = '{name}'\nbandwidth = '1 GB/s'"))
}

/// Vertices without kinds are routers with a node each. Where some have one neighbor and others several, that is said.
#[test]
fn leaves_without_a_kind() {
    let star = "source,target\na,r\nb,r\nc,r\n";
    let scenario = load_graph("m.csv", star).unwrap();
    let warnings = scenario.warnings();
    assert!(
        warnings[0].contains("no vertex has a kind") && warnings[0].contains("the 3 that"),
        "{warnings:?}"
    );
    let summary = run(&scenario, &mut |_| {}).unwrap().summary.to_json();
    assert_eq!(summary["warnings"][0], warnings[0]);
    let kinds = "source,target,source_kind,target_kind\na,r,node,router\nb,r,node,router\n";
    let ring = "source,target\na,b\nb,c\nc,a\n";
    for text in [kinds, ring] {
        let scenario = load_graph("m.csv", text).unwrap();
        assert!(scenario.warnings().is_empty());
        assert_eq!(run(&scenario, &mut |_| {}).unwrap().summary.to_json().get("warnings"), None);
    }
}

/// A summary is an experiment: what it says of one.
#[test]
fn a_whole_summary() {
    let scenario = load(TORUS).unwrap();
    let summary = run(&scenario, &mut |_| {}).unwrap().summary.to_json();
    let folder = Folder::with(&[("summary.json", &summary.to_string())]);
    let again = folder.load("summary.json").unwrap();
    assert_eq!(again, scenario);
    let bytes = summary["bytes"].as_f64().unwrap() / summary["simulated_s"].as_f64().unwrap();
    let effective = summary["effective_bandwidth"].as_f64().unwrap();
    assert!((effective / bytes - 1.0).abs() < 1e-12, "{effective} {bytes}");
}

/// The summary has the defaults on which it hangs, and who runs its experiment again has not said them either.
#[test]
fn a_summary_that_is_run_again_has_the_same_list() {
    let text = "[topology]\nkind = 'fat-tree'\nradix = 4\nstages = 2\nbandwidth = '10 GB/s'\nlatency = '100 ns'\n\
                [workload]\nkind = 'collective'\noperation = 'allreduce'\nmessage_size = '64 KiB'\n\
                [engine]\nkind = 'packet'\n[packet]\nmtu = '1 KiB'\n";
    let first = run(&load(text).unwrap(), &mut |_| {}).unwrap().summary.to_json();
    let folder = Folder::with(&[("summary.json", &first.to_string())]);
    let again = folder.load("summary.json").unwrap();
    let second = run(&again, &mut |_| {}).unwrap().summary.to_json();
    assert_eq!(first["assumed"], second["assumed"]);
    let listed = |summary: &Value| summary["assumed"].as_array().unwrap().len();
    assert_eq!((listed(&first), first["experiment"]["node"]["interface"].as_str()), (6, Some("shared")));
    // As an experiment of its own it says everything.
    let folder = Folder::with(&[("experiment.json", &first["experiment"].to_string())]);
    let said = folder.load("experiment.json").unwrap();
    let keys: Vec<_> = said.assumed().iter().map(|one| one.key.as_str()).collect();
    assert_eq!(keys, ["packet.input_buffer", "packet.switch_bandwidth"]);
}
