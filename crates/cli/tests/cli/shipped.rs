//! What ships with weir is listed, printed and copied, all of it, and the command beside each file works.

use crate::command::{Ended, run, scratch, weir};
use std::fs;
use std::path::Path;
use weir_experiment::{SHIPPED, Shipped, ShippedKind};

fn within(folder: &Path, words: &[&str]) -> Ended {
    run(weir(words).current_dir(folder))
}

/// Each file has a row with its name, a sentence and a command, and is printed as it is.
#[test]
fn examples_are_listed_and_printed() {
    let listed = run(&mut weir(["examples"])).expect(0).stdout;
    for shipped in SHIPPED {
        let line = format!("  {} ", shipped.name());
        let place = listed.find(&line).unwrap_or_else(|| panic!("{}: {listed}", shipped.path));
        let row = &listed[place..];
        assert!(row.contains(&shipped.about()) && row.contains(&shipped.how()), "{row}");
        assert_eq!(run(&mut weir(["examples", shipped.name()])).expect(0).stdout, shipped.text);
    }
}

/// All of them, each in its place, once.
#[test]
fn examples_are_copied() {
    let folder = scratch();
    within(folder.path(), &["examples", "--copy", "all"])
        .expect(0)
        .says(&[&format!("{} files written into all", SHIPPED.len())]);
    for shipped in SHIPPED {
        assert_eq!(fs::read_to_string(folder.path().join("all").join(shipped.path)).unwrap(), shipped.text);
    }
    within(folder.path(), &["examples", "ring.c", "--copy", "."])
        .expect(0)
        .says(&["1 file written into .: "]);
    within(folder.path(), &["examples", "--copy", "all"]).expect(0).says(&["0 files written into all, "]);
}

/// The command beside each file works in an empty folder, behind a copy where it is a program.
#[test]
fn the_command_of_each_example_works() {
    for shipped in SHIPPED {
        let folder = scratch();
        if shipped.kind() == ShippedKind::Program {
            within(folder.path(), &["examples", shipped.path, "--copy", "."]).expect(0);
        }
        for command in shipped.how().split("; ") {
            // Whole runs of experiments are among the tests of examples.
            let is_experiment = shipped.kind() == ShippedKind::Experiment && command.starts_with("weir run ");
            let command = format!("{command}{}", if is_experiment { " --dry-run" } else { "" });
            let words: Vec<&str> = command.split(' ').skip(1).collect();
            let ended = within(folder.path(), &words);
            assert_eq!(ended.code, 0, "{command}: {}", ended.stderr);
        }
    }
}

/// Programs read the same as people do.
#[test]
fn examples_are_listed_for_programs() {
    let json = |words: &[&str]| run(&mut weir(words)).expect(0).summary();
    let listed = json(&["examples", "--json"]);
    let names = |list: &serde_json::Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let lines = run(&mut weir(["examples"])).expect(0).stdout;
    let printed: Vec<String> = lines
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .map(|line| line.split("  ").next().unwrap().to_owned())
        .collect();
    assert_eq!(names(&listed), printed);
    let kinds = [
        ("experiment", ShippedKind::Experiment),
        ("study", ShippedKind::Study),
        ("machine", ShippedKind::Machine),
        ("program", ShippedKind::Program),
        ("network", ShippedKind::Network),
        ("table", ShippedKind::Table),
    ];
    for one in listed.as_array().unwrap() {
        let shipped = Shipped::named(one["name"].as_str().unwrap()).unwrap();
        assert_eq!((&one["path"], &one["command"]), (&shipped.path.into(), &shipped.how().into()));
        assert_eq!(one["about"], shipped.about());
        assert!(kinds.contains(&(one["kind"].as_str().unwrap(), shipped.kind())), "{one}");
        assert_eq!(one.get("text"), None);
    }
    let ring = json(&["examples", "ring", "ring.c", "--json"]);
    assert_eq!(names(&ring), ["ring", "ring.c"]);
    for (one, path) in ring.as_array().unwrap().iter().zip(["ring.toml", "ring.c"]) {
        assert_eq!(one["text"], Shipped::at(Path::new(path)).unwrap().text);
    }
    assert!(names(&json(&["examples", "skeletons", "--json"])).contains(&"skeletons/ft.c".to_owned()));
    let machines = json(&["machines", "--json"]);
    let is_machine = |one: &serde_json::Value| one["kind"] == "machine";
    assert!(
        machines.as_array().unwrap().iter().all(is_machine) && names(&machines).contains(&"fugaku".into())
    );
    assert_eq!(json(&["machines", "torus", "--json"])[0]["text"], Shipped::named("torus").unwrap().text);
}
