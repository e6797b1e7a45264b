//! `[[work]]`: what is accepted, what is refused and how, and what it makes of a run on each engine.

use crate::{Folder, TORUS, again, check_problems, load, load_with, table};
use serde_json::json;
use weir_experiment::{WorkRow, Workers};

/// Ranks of a ring that begin at different instants: each pauses first.
const STARTED: &str = "[topology]\nkind = 'torus'\nshape = [4, 2]\nbandwidth = '1 GB/s'\n[workload]\nkind = 'ring'\n\
                       message_size = '20 kB'\nstart_imbalance = '80 us'\n";

fn row(of: Workers, factor: f64) -> WorkRow {
    WorkRow { of, factor }
}

#[test]
fn rows_are_read() {
    let text = format!(
        "{STARTED}[[work]]\nfactor = 2\n[[work]]\nranks = 3\nfactor = 0.5\n[[work]]\nranks = [1, '4 - 7']\nfactor = 0\n\
         [[work]]\nnodes = '0-1'\nfactor = 1.25\n"
    );
    let scenario = load(&text).unwrap();
    let expected = [
        row(Workers::All, 2.0),
        row(Workers::Ranks(vec![3..=3]), 0.5),
        row(Workers::Ranks(vec![1..=1, 4..=7]), 0.0),
        row(Workers::Nodes(vec![0..=1]), 1.25),
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
    assert_eq!(inline.work, [row(Workers::Ranks(vec![2..=2]), 3.0)]);
}

#[test]
fn what_is_refused() {
    let form = "must be a number, a text with the first and the last of several, or a list of both";
    let check = |experiment: &str, rows: &str, expected: &str| {
        check_problems(load(&format!("{experiment}{rows}\n")), expected);
    };
    let cases = r#"
        [work]; x = 1 => work: must be a list of tables begin each with [[work]]
        [[work]] => work.0.factor: is missing write factor = 1.5
        [[work]]; factor = -1 => work.0.factor: must be a number from 0 to 1,000,000
        [[work]]; factor = 1; rank = 3 => work.0.rank: did you mean ranks?
        [[work]]; factor = 1; ranks = [0, '6-8'] => work.0.ranks: there is no rank 8: there are 8, counted from 0
        [[work]]; factor = 1; nodes = 8 => work.0.nodes: there is no node 8: there are 8, counted from 0
        [[work]]; factor = 1; ranks = 1; nodes = 1 => work.0.nodes: does not go with ranks
    "#;
    for (rows, expected) in table(cases) {
        check(STARTED, &rows, expected);
    }
    for wrong in ["-1", "'7-4'", "'a'", "[]", "[1, 2.5]", "4294967296", "true"] {
        check(STARTED, &format!("[[work]]\nfactor = 1\nranks = {wrong}"), &format!("work.0.ranks: {form}"));
    }
    // Where nobody works there is nothing that could take longer.
    let row = "[[work]]\nfactor = 2";
    let said =
        "work.0.factor: does not fit: ranks of this pattern compute nothing leave it out, or let them begin";
    check(TORUS, row, said);
    let torus = TORUS.split("[workload]").next().unwrap();
    let collective = format!("{torus}[workload]\nkind = 'collective'\noperation = 'barrier'\n");
    check(&collective, row, "work.0.factor: does not fit: ranks of a collective compute nothing");
    let load = "[workload]\nkind = 'synthetic'\noffered_load = 0.1\nduration = '1 us'\n";
    let synthetic = torus.replace("flow", "packet") + load;
    check(&synthetic, row, "work.0.factor: does not fit: nodes of synthetic traffic");
    let folder = Folder::with(&[("p.pattern", "weir-pattern 1\nranks 2\n0 send 1 5\n")]);
    let file = folder.path().join("p.pattern");
    let file = format!("[workload]\nkind = 'pattern-file'\nfile = '{}'\n", file.display());
    check(&format!("{torus}{file}"), row, "work.0.factor: does not fit: no rank of this pattern file pauses");
}
