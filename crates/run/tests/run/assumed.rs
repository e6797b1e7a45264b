//! `assumed`: the defaults on which a result hangs, and which the input did not say.

use crate::{Folder, load};
use serde_json::Value;
use weir_experiment::Scenario;
use weir_run::run;

const TREE: &str =
    "[topology]\nkind = 'fat-tree'\nradix = 4\nstages = 2\nbandwidth = '10 GB/s'\nlatency = '100 ns'\n";

const ALLREDUCE: &str = "[workload]\nkind = 'collective'\noperation = 'allreduce'\nmessage_size = '64 KiB'\n";

const PACKET: &str = "[engine]\nkind = 'packet'\n";

fn keys(scenario: &Scenario) -> Vec<&str> {
    scenario.assumed().iter().map(|one| one.key.as_str()).collect()
}

/// The summary has them, and who runs its experiment again has not said them either.
#[test]
fn a_summary_that_is_run_again_has_the_same_list() {
    let text = [TREE, ALLREDUCE, PACKET, "[packet]\nmtu = '1 KiB'\n"].concat();
    let first = run(&load(&text).unwrap(), &mut |_| {}).unwrap().summary.to_json();
    let folder = Folder::with(&[("summary.json", &first.to_string())]);
    let again = folder.load("summary.json").unwrap();
    let second = run(&again, &mut |_| {}).unwrap().summary.to_json();
    assert_eq!(first["assumed"], second["assumed"]);
    let listed = |summary: &Value| summary["assumed"].as_array().unwrap().len();
    assert_eq!((listed(&first), first["experiment"]["node"]["interface"].as_str()), (6, Some("shared")));
    // As an experiment of its own it says everything.
    let folder = Folder::with(&[("experiment.json", &first["experiment"].to_string())]);
    let said = folder.load("experiment.json").unwrap();
    assert_eq!(keys(&said), ["packet.input_buffer", "packet.switch_bandwidth"]);
}
