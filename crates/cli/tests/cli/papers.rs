//! `weir papers`

use crate::command::{root, run, scratch, weir};
use serde_json::Value;

#[test]
fn without_a_paper_it_lists_what_there_is() {
    let ended = run(&mut weir(["papers"]));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for item in [
        "figure-2",
        "figure-3",
        "figure-4",
        "table-2",
        "figure-6",
        "table-3-1",
        "random-ring",
        "barrier",
        "thread-scaling",
        "figure-5",
    ] {
        assert!(ended.stdout.contains(item), "{}", ended.stdout);
    }
}

#[test]
fn what_is_not_there_is_an_input_error_that_names_what_is() {
    let cases = [
        (vec!["papers", "007"], "there are 000, 001, 002, 003, 004"),
        (vec!["papers", "all", "figure-99"], "no paper has an item figure-99"),
        (vec!["papers", "000", "--built-from", "abc1234"], "--out"),
        (vec!["papers", "000", "figure-9"], "it has figure-2, figure-3, "),
        (vec!["papers", "000", "--figure", "5"], "no item figure-5"),
        (vec!["papers", "000", "table-2", "--figure", "4"], "cannot be used with"),
        (vec!["papers", "000", "--threads", "0"], "at least 1"),
    ];
    for (arguments, hint) in cases {
        let ended = run(&mut weir(&arguments));
        assert_eq!(ended.code, 2, "{arguments:?}");
        assert!(ended.stderr.contains(hint), "{}", ended.stderr);
    }
}

/// `--figure 4` is the item `figure-4`.
#[test]
fn a_figure_has_a_number() {
    let ended = run(&mut weir(["papers", "003", "--figure", "4", "-q", "--json"]));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let items: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&items[0]["item"], &items[0]["as_recorded"]), (&"figure-4".into(), &true.into()));
    assert_eq!(items.as_array().unwrap().len(), 1);
}

/// `all` puts what is compared with something into one table, of all papers that have such an item.
#[test]
fn all_papers_are_one_table() {
    let ended = run(&mut weir(["papers", "all", "table-3-1", "-q"])).expect(0);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let columns =
        ["paper", "item", "at", "value", "kind", "target", "own", "difference", "tolerance", "verdict"];
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), columns);
    assert!(lines[1].starts_with("002    table-3-1  8x8x16 machine    nodes "), "{}", lines[1]);
    let totals = &lines[lines.len() - 5..];
    assert_eq!(totals[0], "published numbers: 10 of 10 reproduced, 0 not reproduced");
    assert_eq!(totals[4], "own values had in a second way: 0 of 0 agree, 0 disagree");
}

/// It needs no file of the project: it runs in an empty folder.
#[test]
fn an_item_prints_its_values_and_writes_a_page() {
    let folder = scratch();
    let arguments = ["papers", "002", "table-3-1", "--json", "--out", "results"];
    let ended = run(weir(arguments).current_dir(folder.path()));
    if ended.code == 1 {
        // Other tests run beside it.
        assert!(ended.stderr.contains("other processes use"), "{}", ended.stderr);
        assert!(!folder.path().join("results").exists());
        return;
    }
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let items: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(items[0]["as_recorded"], true);
    let last = items[0]["rows"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["x"], &last["kind"], &last["target"], &last["own"]),
        (&"32x32x64".into(), &"published".into(), &196_608.0.into(), &196_608.0.into())
    );
    let page = std::fs::read_to_string(folder.path().join("results/papers.md")).unwrap();
    assert!(page.contains("![Paper 002, table 3.1"), "{page}");
}

/// The files of `papers` are experiments as any other.
#[test]
fn the_experiments_of_the_papers_run() {
    let files = [
        "000-mfs/figure-2",
        "000-mfs/figure-4",
        "000-mfs/figure-6",
        "000-mfs/packets",
        "002-parallel-mfs/random-ring",
        "003-nsim/figure-4",
        "003-nsim/figure-5",
    ];
    for file in files {
        let path = root().join("papers").join(format!("{file}.toml"));
        let ended = run(weir(["run", "--json"]).arg(path));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
    }
}

/// A process beside it that computes: no page is made, and values only if no page is asked for; what run times are worth is said.
#[test]
fn no_page_is_made_on_a_busy_computer() {
    struct Busy(std::process::Child);
    impl Drop for Busy {
        fn drop(&mut self) {
            // It goes on until it is ended.
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }
    let folder = scratch();
    let _busy = Busy(std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap());
    for item in [&["002", "table-3-1"][..], &["all"]] {
        let mut command = weir([&["papers"], item, &["--out", "results"]].concat());
        let ended = run(command.current_dir(folder.path())).expect(1);
        assert!(ended.stdout.is_empty() && !folder.path().join("results").exists(), "{}", ended.stdout);
        assert!(
            ended.stderr.starts_with("error: --out: other processes use ")
                && ended.stderr.contains("leave out --out: values are printed then"),
            "{}",
            ended.stderr
        );
    }
    let ended = run(&mut weir(["papers", "002", "table-3-1"])).expect(0);
    assert!(
        ended.stdout.contains("196,608") && !ended.stderr.contains("other processes"),
        "{}",
        ended.stderr
    );
    let ended = run(&mut weir(["papers", "002", "barrier", "-q"])).expect(0);
    let said = "warning: paper 002, barrier: other processes used ";
    assert!(ended.stdout.contains("cost of a barrier") && ended.stderr.contains(said), "{}", ended.stderr);
}

/// Sizes of messages are chosen where an item has some.
#[test]
fn sizes_are_chosen() {
    let ended = run(&mut weir(["papers", "004", "figure-11", "-q", "--json", "--sizes", "8,16"]));
    let items: Value = serde_json::from_str(&ended.stdout).unwrap();
    let theory = items[0]["rows"].as_array().unwrap().iter().find(|row| row["what"] == "theory").unwrap();
    // 3 x 2 messages of 24 KiB at 8 GB/s.
    let expected = 6.0 * 24.0 * 1024.0 / 8e9 * 1e6;
    assert!((theory["own"].as_f64().unwrap() / expected - 1.0).abs() < 1e-9, "{theory}");
    for (arguments, hint) in [
        (
            &["papers", "004", "congestion", "--sizes", "96"][..],
            "paper 004, congestion has no sizes to choose",
        ),
        (&["papers", "all", "--sizes", "96"], "has no sizes to choose"),
        (&["papers", "004", "figure-9", "--sizes", "0"], "'0'"),
    ] {
        let ended = run(&mut weir(arguments)).expect(2);
        assert!(ended.stderr.contains(hint), "{}", ended.stderr);
    }
}
