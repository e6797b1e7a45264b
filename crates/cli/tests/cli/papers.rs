//! `weir papers`

use crate::command::{root, run, scratch, weir};
use serde_json::{Value, json};

#[test]
fn without_a_paper_it_lists_what_there_is() {
    let ended = run(&mut weir(["papers"])).expect(0);
    let list = std::fs::read_to_string(root().join("papers/items.toml")).unwrap();
    let names: Vec<&str> =
        list.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    assert_eq!(names.len(), 21);
    for (name, line) in names.iter().zip(ended.stdout.lines().skip(1)) {
        assert_eq!(line.split_whitespace().nth(1), Some(*name), "{line}");
    }
    assert_eq!(ended.stdout.matches("(make papers)").count(), 3 + 1, "{}", ended.stdout);
}

/// It needs no file of the project: it runs in an empty folder. `--figure 4` is the item `figure-4`.
#[test]
fn an_item_is_its_studies() {
    let folder = scratch();
    let arguments = ["papers", "000", "--figure", "4", "-q", "--json"];
    let ended = run(weir(arguments).current_dir(folder.path())).expect(0);
    let items: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((items.as_array().unwrap().len(), &items[0]["item"]), (1, &json!("figure-4")));
    let times: Vec<Value> = (0..2).map(|study| items[0]["studies"][study]["points"].clone()).collect();
    let points = times.iter().flat_map(|points| points.as_array().unwrap());
    assert_eq!(points.filter(|point| point["outcome"] == "finished").count(), 14 + 14);
    assert_eq!(times[0][0]["values"]["topology.shape"], "[10, 10]");
    // As the table of digests has it.
    assert_eq!(times[0][0]["simulated_ps"], json!(9_853_223_559_u64));
}

/// Published numbers stand beside those of the run.
#[test]
fn published_numbers_stand_beside_own_ones() {
    let ended = run(&mut weir(["papers", "002", "table-3-1", "-q"])).expect(0);
    let lines: Vec<Vec<&str>> = ended.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(ended.stdout.starts_with("paper 002, table-3-1: nodes and cables"), "{}", ended.stdout);
    let (head, last) = (lines[3].join(" "), lines.iter().rfind(|line| !line.is_empty()).unwrap());
    assert_eq!(head, "topology.radix simulated time nodes nodes, published links links, published");
    assert_eq!(last[last.len() - 4..], ["65536", "65536", "393216", "393216"]);
}

/// The points of an item are those of `weir sweep` with its study.
#[test]
fn studies_are_those_of_weir_sweep() {
    let study = root().join("papers/003-nsim/items/figure-4.toml");
    let swept = run(weir(["sweep", "-q", "--json"]).arg(study)).expect(0);
    let ended = run(&mut weir(["papers", "003", "figure-4", "-q", "--json"])).expect(0);
    let [swept, own]: [Value; 2] =
        [swept.stdout, ended.stdout].map(|text| serde_json::from_str(&text).unwrap());
    let digests = |points: &Value| -> Vec<Value> {
        points.as_array().unwrap().iter().map(|point| point["digest"].clone()).collect()
    };
    let points = digests(&own[0]["studies"][0]["points"]);
    assert_eq!((points.len(), digests(&swept["points"])), (8 * 5, points));
}
