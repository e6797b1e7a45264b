//! Rows of `[[combining]]` and of `[[work]]`: how they are read, and what is resolved.

use crate::{TORUS, again, load, load_with};
use serde_json::json;
use weir_experiment::{WorkRow, Workers};
use weir_message::{CombiningRow, ElementName, OperationName};
use weir_units::{Bandwidth, Bytes};

fn combined(operations: &[&str], elements: &[&str], bandwidth: f64) -> CombiningRow {
    CombiningRow {
        operations: operations.iter().map(|name| OperationName::named(name).unwrap()).collect(),
        elements: elements.iter().map(|name| ElementName::named(name).unwrap()).collect(),
        up_to: None,
        vector_up_to: None,
        bandwidth: Bandwidth::new(bandwidth).unwrap(),
    }
}

#[test]
fn rows_of_combining() {
    let text = format!(
        "{TORUS}\n[[combining]]\noperation = 'MPI_SUM'\ntype = ['double', 'MPI_FLOAT']\nbandwidth = '12 GB/s'\n\
         [[combining]]\noperation = ['max', 'user']\nbandwidth = '3 GB/s'\n\
         [[combining]]\ntype = 'unsigned char'\nbandwidth = '2 GB/s'\n[[combining]]\nbandwidth = '1 GB/s'",
    );
    let scenario = load(&text).unwrap();
    let expected = [
        combined(&["sum"], &["double", "float"], 12e9),
        combined(&["max", "user"], &[], 3e9),
        combined(&[], &["uint8"], 2e9),
        combined(&[], &[], 1e9),
    ];
    assert_eq!(scenario.combining, expected);
    assert_eq!(again(&scenario), scenario);
    assert_eq!(scenario.resolved()["combining"][0]["type"], json!(["double", "float"]));
    assert!(load(TORUS).unwrap().resolved().get("combining").is_none());
    let overridden = load_with(&text, &["combining.1.bandwidth=5 GB/s"]).unwrap();
    assert_eq!(overridden.combining[1], combined(&["max", "user"], &[], 5e9));
}

/// The ranks of a node share its caches: a row for vectors up to 8 MiB is for those of 4 MiB with two ranks on each node, and of one for
/// operands of a vector that is as long or longer, the first leaves nothing to a second.
#[test]
fn rows_for_vectors_of_all_ranks_of_a_node() {
    let row = "[[combining]]\nvector_up_to = '8 MiB'\nbandwidth = '3 GB/s'\n";
    let text = format!("{TORUS}\n{row}");
    let limit = |keys: &[&str]| load_with(&text, keys).unwrap().message_costs().combining[0].vector_up_to;
    assert_eq!(limit(&[]), Some(Bytes(8 << 20)));
    assert_eq!(limit(&["mapping.ranks_per_node=2"]), Some(Bytes(4 << 20)));
    let covered = row.replace("8 MiB", "1 MiB").replace('3', "2");
    let problems = load(&format!("{text}{covered}")).unwrap_err().to_string();
    assert!(
        problems.contains("combining.1.bandwidth") && problems.contains("can never be reached"),
        "{problems}"
    );
}

/// Ranks of a ring that begin at different instants: each pauses first.
const STARTED: &str = "[topology]\nkind = 'torus'\nshape = [4, 2]\nbandwidth = '1 GB/s'\n[workload]\nkind = 'ring'\n\
                       message_size = '20 kB'\nstart_imbalance = '80 us'\n";

fn worked(of: Workers, factor: f64) -> WorkRow {
    WorkRow { of, factor }
}

#[test]
fn rows_of_work() {
    let text = format!(
        "{STARTED}[[work]]\nfactor = 2\n[[work]]\nranks = 3\nfactor = 0.5\n[[work]]\nranks = [1, '4 - 7']\nfactor = 0\n\
         [[work]]\nnodes = '0-1'\nfactor = 1.25\n"
    );
    let scenario = load(&text).unwrap();
    let expected = [
        worked(Workers::All, 2.0),
        worked(Workers::Ranks(vec![3..=3]), 0.5),
        worked(Workers::Ranks(vec![1..=1, 4..=7]), 0.0),
        worked(Workers::Nodes(vec![0..=1]), 1.25),
    ];
    assert_eq!(scenario.work, expected);
    let resolved = scenario.resolved();
    let rows = json!([
        { "factor": 2 }, { "ranks": 3, "factor": 0.5 }, { "ranks": [1, "4-7"], "factor": 0 }, { "nodes": "0-1", "factor": 1.25 }
    ]);
    assert_eq!(resolved["work"], rows);
    assert_eq!(again(&scenario), scenario);
    assert!(load(STARTED).unwrap().resolved().get("work").is_none());
    assert_eq!(load_with(&text, &["work.1.factor=4"]).unwrap().work[1].factor, 4.0);
    let inline = load_with(STARTED, &["work=[{ranks = 2, factor = 3}]"]).unwrap();
    assert_eq!(inline.work, [worked(Workers::Ranks(vec![2..=2]), 3.0)]);
}
