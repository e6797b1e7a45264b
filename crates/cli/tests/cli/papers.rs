//! `weir papers`

use crate::command::{root, run, scratch, weir};
use serde_json::Value;

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

/// The points of an item are those of `weir sweep` with its study. It needs no file of the project: it runs in an empty folder.
/// `--figure 4` is the item `figure-4`.
#[test]
fn studies_are_those_of_weir_sweep() {
    let study = root().join("papers/003-nsim/items/figure-4.toml");
    let swept = run(weir(["sweep", "-q", "--json"]).arg(study)).expect(0);
    let folder = scratch();
    let ended =
        run(weir(["papers", "003", "--figure", "4", "-q", "--json"]).current_dir(folder.path())).expect(0);
    let [swept, own]: [Value; 2] =
        [swept.stdout, ended.stdout].map(|text| serde_json::from_str(&text).unwrap());
    let digests = |points: &Value| -> Vec<Value> {
        points.as_array().unwrap().iter().map(|point| point["digest"].clone()).collect()
    };
    let points = digests(&own[0]["studies"][0]["points"]);
    assert_eq!((points.len(), digests(&swept["points"])), (8 * 5, points));
}
