//! `weir validate`: a study of a few rows from end to end, and what is refused. The numbers of the studies that ship are tested in `crates/calibrate`.

use crate::command::{run, scratch, weir};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

const STUDY: &str = "title = 'Four nodes'\nsource = 'made up'\nabout = 'A few rows.'\ndata = 'rows.csv'\nmachine = 'machine.toml'\n\
    notes = 'notes.md'\nlarge_from = '1 KiB'\n\
    [calibration]\njobs = ['2x2']\nkeys = ['node.send_overhead']\n\
    [published]\n'node.send_overhead' = '1 us (us)'\n\
    [fallback]\nwithin = 0.01\nshare = 0.5\n\
    [[target]]\nname = 'all'\ngoal = 'median'\nat_most = 0.05\n\
    [[target]]\nname = 'choices'\ngoal = 'best-within'\nwithin = 0.1\nat_least = 0.9\n\
    [[ablation]]\nname = 'send overhead'\nset = ['node.send_overhead=0 ns']\n";
const MACHINE: &str = "[topology]\nkind = 'torus'\nshape = [2, 2]\nbandwidth = '1 GB/s'\nlatency = '0 ns'\n\n\
    [node]\nsend_overhead = '1 us'\n\n[engine]\nkind = 'flow'\n";
/// A message takes a microsecond and its bytes; those of the tree follow each other. The flat algorithm of 2x4 is the library's choice.
const ROWS: &str = "job_shape,collective,bytes,algorithm,median_ns\n\
    2x2,bcast,4000,binomial,10000\n2x2,bcast,64,binomial,2128\n\
    2x4,bcast,64,default,3000\n2x4,bcast,4000,default,20000\n\
    2x4,bcast,64,binomial,3192\n2x4,bcast,4000,binomial,15000\n\
    2x4,bcast,64,chain,7000\n2x4,bcast,4000,chain,35000\n\
    2x4,bcast,64,linear,3000\n2x4,bcast,4000,linear,20010\n\
    2x4,bcast,64,secret,3000\n";

fn folder() -> TempDir {
    let folder = scratch();
    let notes = "## Where weir is wrong, and why\n\nNowhere.\n";
    for (name, text) in
        [("study.toml", STUDY), ("machine.toml", MACHINE), ("rows.csv", ROWS), ("notes.md", notes)]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_study_is_predicted_and_written() {
    let folder = folder();
    let mut command =
        weir(["validate", "study.toml", "--fit", "--ablations", "--out", "pages", "--built-from", "abc1234"]);
    let ended = run(command.current_dir(folder.path()).arg("--quiet")).expect(0);
    for line in [
        "Four nodes: made up",
        "Targets",
        "without",
        "bcast linear on 2x4: the library took its own choice instead",
    ] {
        assert!(ended.stdout.contains(line), "{line} is not in\n{}", ended.stdout);
    }
    let read = |name: &str| fs::read_to_string(folder.path().join("pages").join(name)).unwrap();
    let page = read("study.md");
    for text in [
        "# Four nodes: predicted and measured\n",
        "built from abc1234",
        "## Where weir is wrong, and why\n\nNowhere.\n",
        "![study-bcast.svg](study-bcast.svg)",
        "| node.send_overhead | 1 us | ",
        "| bcast has no algorithm secret |",
        "## What each part contributes",
    ] {
        assert!(page.contains(text), "{text} is not in\n{page}");
    }
    assert_eq!(read("study.csv").lines().count(), ROWS.lines().count());
    assert!(read("study.svg").starts_with("<svg") && read("study-bcast.svg").ends_with("</svg>\n"));
    assert!(!folder.path().join("pages/README.md").exists());
}

/// The errors are those of the rows that nothing was fitted to, and do not depend on the threads.
#[test]
fn numbers_are_those_of_the_rows() {
    let folder = folder();
    let of = |threads: &str| {
        let mut command = weir(["validate", "study.toml", "--json", "--quiet", "--threads", threads]);
        let ended = run(command.current_dir(folder.path())).expect(0);
        serde_json::from_str::<Value>(&ended.stdout).unwrap()[0].take()
    };
    let found = of("1");
    assert_eq!(found, of("3"));
    let rows = found["rows"].as_array().unwrap();
    let counted = rows.iter().filter(|row| row["counts"] == true && row["fitted_to"] == false);
    let mut errors: Vec<f64> = counted.map(|row| row["error"].as_f64().unwrap()).collect();
    errors.sort_by(f64::total_cmp);
    assert_eq!((errors.len(), rows.len()), (4, 8));
    assert_eq!(found["targets"][0]["value"].as_f64(), Some(errors[1]));
    assert_eq!(found["targets"][1]["of"], 2);
    let reasons: Vec<u64> = found["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reason| reason["lines"].as_array().unwrap().len() as u64)
        .collect();
    assert_eq!(reasons, [1, 2]);
}

#[test]
fn all_studies_have_a_page_of_all() {
    let folder = folder();
    fs::create_dir(folder.path().join("validation")).unwrap();
    for name in ["study.toml", "machine.toml", "rows.csv", "notes.md"] {
        fs::rename(folder.path().join(name), folder.path().join("validation").join(name)).unwrap();
    }
    fs::rename(folder.path().join("validation/machine.toml"), folder.path().join("machine.toml")).unwrap();
    let study = STUDY.replace("'machine.toml'", "'../machine.toml'");
    fs::write(folder.path().join("validation/study.toml"), study).unwrap();
    let listed = run(weir(["validate"]).current_dir(folder.path())).expect(0).stdout;
    assert!(listed.contains("study") && listed.contains("Four nodes"), "{listed}");
    run(weir(["validate", "all", "--out", "pages", "--quiet"]).current_dir(folder.path())).expect(0);
    let all = fs::read_to_string(folder.path().join("pages/README.md")).unwrap();
    assert!(all.contains("## [Four nodes](study.md)\n\n### Targets\n"), "{all}");
}

#[test]
fn what_is_wrong_is_said_at_once() {
    let folder = folder();
    let refused = |study: &str, hint: &str| {
        fs::write(folder.path().join("study.toml"), study).unwrap();
        let ended =
            run(weir(["validate", "study.toml", "--ablations", "--quiet"]).current_dir(folder.path()));
        assert_eq!(ended.code, 2, "{hint}");
        assert!(ended.stderr.contains(hint), "{hint} is not in\n{}", ended.stderr);
    };
    refused(&STUDY.replace("'median'", "'mean'"), "[[target]] number 1, goal = 'mean': is not known");
    refused(&STUDY.replace("'rows.csv'", "'none.csv'"), "none.csv: No such file");
    refused(&STUDY.replace("'notes.md'", "'notes.md'\nother = 1"), "other: is no key here");
    refused(&STUDY.replace("'node.send_overhead']", "'node.sent']"), "node.sent: there is no such key");
    refused(&STUDY.replace("=0 ns", "=much"), "[[ablation]] send overhead: no row can be run");
    refused(&STUDY.replace("jobs = ['2x2']", "jobs = []"), "no row is left that can be predicted");
    let ended = run(weir(["validate", "nothing"]).current_dir(folder.path()));
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("validation/nothing.toml"), "{}", ended.stderr);
    let ended = run(&mut weir(["validate", "--fit"]));
    assert_eq!(ended.code, 2);
}
