//! What ships with weir is listed, printed, copied and found by name, in a folder that has nothing else; and what is of another tool.

use crate::command::{Ended, root, run, scratch, weir};
use std::fs;
use std::path::Path;
use weir_scenario::{SHIPPED, Shipped, ShippedKind};

/// Commands beside `weir run` that run something, which are done soon.
const RUNS: [&[&str]; 5] = [
    &["bound", "ring"],
    &["advise", "mapping", "ring", "--runs", "2"],
    &["advise", "pacing", "nicam"],
    &["sweep", "-q", "ring", "--vary", "seed=1:2:1"],
    &["collectives", "-q", "--machine", "torus", "--operation", "bcast", "--sizes", "8 B", "--ranks", "8"],
];

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
    let machines = run(&mut weir(["machines"])).expect(0).stdout;
    assert!(machines.contains("  fugaku ") && !machines.contains("weir run"), "{machines}");
    let fugaku = fs::read_to_string(root().join("examples/machines/fugaku.toml")).unwrap();
    assert_eq!(run(&mut weir(["machines", "fugaku"])).expect(0).stdout, fugaku);
    for (words, hint) in [
        (["examples", "rng"], "did you mean ring? these ship with weir: all-to-all, "),
        (["machines", "sumit"], "did you mean summit? these ship with weir: fat-tree, "),
        (["machines", "ring"], "these ship with weir: fat-tree, "),
    ] {
        run(&mut weir(words)).expect(2).says(&[hint, "ships with weir\n\nhint: "]);
    }
}

/// Nothing that is there is replaced; nothing is written then.
#[test]
fn examples_are_copied() {
    let folder = scratch();
    within(folder.path(), &["examples", "--copy", "all"])
        .expect(0)
        .says(&[&format!("{} files written into all", SHIPPED.len())]);
    for shipped in SHIPPED {
        assert_eq!(fs::read_to_string(folder.path().join("all").join(shipped.path)).unwrap(), shipped.text);
    }
    within(folder.path(), &["examples", "--copy", "all"]).expect(0).says(&["0 files written into all, "]);
    fs::write(folder.path().join("ring.c"), "mine").unwrap();
    within(folder.path(), &["examples", "ring.c", "torus", "--copy", "."])
        .expect(2)
        .says(&["ring.c would be replaced: nothing is written"]);
    assert!(!folder.path().join("torus.toml").exists());
    assert_eq!(fs::read_to_string(folder.path().join("ring.c")).unwrap(), "mine");
    within(folder.path(), &["examples", "skeletons", "torus", "--copy", "."]).expect(0);
    assert!(folder.path().join("skeletons/eri.c").is_file() && folder.path().join("torus.toml").is_file());
    within(folder.path(), &["examples", "skeletons"]).expect(2);
    // What a file names comes along.
    within(folder.path(), &["examples", "gallery", "--copy", "some"]).expect(0);
    for file in
        ["gallery/halo.toml", "tofu.toml", "fat-tree.toml", "studies/load.toml", "gallery/dragonfly.csv"]
    {
        assert!(folder.path().join("some").join(file).is_file(), "{file}");
    }
    assert!(!folder.path().join("some/ring.c").exists());
}

/// The command beside each file works in an empty folder, behind a copy where it is a program.
#[test]
fn the_command_of_each_example_works() {
    // These take minutes here.
    let smaller = |shipped: &Shipped| match shipped.name() {
        "bruck" => " --set topology.shape=[4,4,4]",
        "torus-uniform" => " --set topology.shape=[4,4,4]",
        _ => "",
    };
    for shipped in SHIPPED {
        let folder = scratch();
        if shipped.kind() == ShippedKind::Program {
            within(folder.path(), &["examples", shipped.path, "--copy", "."]).expect(0);
        }
        for command in shipped.how().split("; ") {
            let command = format!("{command}{}", smaller(shipped));
            let words: Vec<&str> = command.split(' ').skip(1).collect();
            let ended = within(folder.path(), &words);
            assert_eq!(ended.code, 0, "{command}: {}", ended.stderr);
        }
    }
}

/// Every command that takes an experiment or a machine takes a name, and says so; a file is stronger, but no program is.
#[test]
fn names_stand_for_files() {
    let folder = scratch();
    let here = folder.path();
    for words in [
        &["run", "ring"][..],
        &["run", "all-to-all"],
        &["run", "shuffle", "--machine", "torus"],
        &["run", "halo"],
        &["run", "dragonfly"],
        &["topology", "torus"],
        &["topology", "ring"],
        &["routes", "fugaku", "0", "1", "--set", "mapping.job=[2,2,2]"],
        &["pattern", "ring", "--out", "-"],
    ]
    .into_iter()
    .chain(RUNS)
    {
        let ended = within(here, words);
        assert_eq!(ended.code, 0, "{words:?}: {}", ended.stderr);
        let silent = ["sweep", "collectives"].contains(&words[0]);
        assert!(
            silent || ended.stderr.contains("ships with weir (weir examples "),
            "{words:?}: {}",
            ended.stderr
        );
    }
    let summary = within(here, &["run", "-q", "--json", "ring"]).expect(0).summary();
    assert_eq!(summary["shipped"], serde_json::json!(["ring.toml", "torus.toml"]));
    within(here, &["examples", "ring.c", "--copy", "."]).expect(0);
    within(here, &["cc", "ring.c", "-o", "ring"]).expect(0);
    assert_eq!(
        within(here, &["run", "-q", "--json", "ring"]).expect(0).summary()["digest"],
        summary["digest"]
    );
    let program = within(here, &["run", "-q", "--json", "ring", "--", "./ring"]).expect(0).summary();
    assert_eq!((&program["ranks"], program["mpi_calls"].is_u64()), (&serde_json::json!(128), true));
    fs::write(
        here.join("mine.toml"),
        "machine = 'torus'\nworkload = { kind = 'ring', message_size = '16 kB' }\n",
    )
    .unwrap();
    let machine = "topology = { kind = 'torus', shape = [9], bandwidth = '1 GB/s' }\n";
    for name in ["torus.toml", "torus"] {
        fs::write(here.join(name), machine).unwrap();
        let own = within(here, &["run", "--json", "mine"]).expect(0);
        assert_eq!(own.summary()["nodes"], 9);
        assert!(!own.stderr.contains("ships") && own.summary().get("shipped").is_none(), "{}", own.stderr);
        // What ships names what ships.
        let shipped = within(here, &["run", "-q", "--json", "ring"]).expect(0).summary();
        assert_eq!(shipped["digest"], summary["digest"]);
        fs::remove_file(here.join(name)).unwrap();
    }
    for (words, hint) in [
        (["run", "rng", "-q"], "hint: did you mean ring? these ship with weir: "),
        (["topology", "earth-simulator", "--json"], "hint: these ship with weir: "),
        (["run", "ring", "--machine=sumit"], "hint: did you mean summit? these ship with weir: fat-tree, "),
    ] {
        within(here, &words).expect(2).says(&["no such file", hint]);
    }
}

/// The example reads its own network where no file is.
#[test]
fn a_resolved_example_runs_again() {
    let folder = scratch();
    let first = within(folder.path(), &["run", "-q", "dragonfly", "--out", "out"]).expect(0);
    assert!(first.stdout.is_empty());
    let again = within(folder.path(), &["run", "-q", "--json", "out/summary.json", "--out", "again"])
        .expect(0)
        .summary();
    let text = fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["digest"], again["digest"]);
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
    run(&mut weir(["examples", "--json", "--copy", "x"])).expect(2);
    run(&mut weir(["examples", "rng", "--json"])).expect(2);
}

/// Its answer is a sentence that says which way weir has.
fn is_of_another_tool(folder: &Path, words: &[&str], what: &str) {
    let ended = within(folder, words).expect(2);
    let line = ended.stderr.lines().find(|line| line.contains(what));
    assert!(
        line.is_some_and(|line| line.contains("weir") || line.contains("--")),
        "{words:?}: {}",
        ended.stderr
    );
    for wrong in ["not TOML", "did you mean", "not UTF-8", "unknown key", "must be one of"] {
        assert!(!ended.stderr.contains(wrong), "{words:?}: {}", ended.stderr);
    }
}

/// A file of another tool, given to whatever reads a file.
#[test]
fn files_of_other_tools() {
    let folder = scratch();
    let files: [(&str, &[u8], &str); 6] = [
        ("a.goal", b"num_ranks 2\n\nrank 0 {\nl1: send 1b to 1 tag 0\n}\n", "is a schedule in GOAL"),
        ("platform.xml", b"<?xml version='1.0'?>\n<platform version=\"4.1\"/>\n", "is a platform of SimGrid"),
        ("a.0.et", b"\x07\x0a\x050.0.4\x08\x12\x03abc\x42\x01\x01", "is a Chakra trace"),
        ("network.yml", b"topology: [ Ring ]\nnpus_count: [ 8 ]\n", "is a network of ASTRA-sim"),
        ("ns3.txt", b"3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n", "is a topology of ns-3"),
        ("a.c", b"#include <mpi.h>\nint main(void) { return 0; }\n", "is the source of an MPI program"),
    ];
    let torus = "[topology]\nkind = \"torus\"\nshape = [4]\nbandwidth = \"1 GB/s\"\n";
    for (name, bytes, what) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
        let pattern = format!("{torus}[workload]\nkind = \"pattern-file\"\nfile = \"{name}\"\n");
        fs::write(folder.path().join("pattern.toml"), pattern).unwrap();
        let profile = format!("{torus}[workload]\nkind = \"profile\"\nfile = \"{name}\"\n");
        fs::write(folder.path().join("profile.toml"), profile).unwrap();
        let file = format!("topology.file={name}");
        let mapping = format!("mapping.file={name}");
        for words in [
            &["run", name][..],
            &["bound", name],
            &["topology", name],
            &["run", "ring", "--machine", name],
            &["replay", name],
            &["profile", name],
            &["run", "dragonfly", "--set", &file],
            &["run", "ring", "--set", "mapping.kind=file", "--set", &mapping],
            &["run", "pattern.toml"],
            &["run", "profile.toml"],
            &["mpirun", "-n", "2", &format!("./{name}")],
            &["calibrate", name, "torus", "--fit", "node.mpi_overhead"],
        ] {
            is_of_another_tool(folder.path(), words, what);
        }
    }
}
