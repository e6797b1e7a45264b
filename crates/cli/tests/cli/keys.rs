//! What weir says of itself: keys, their schema, the command line.

use crate::command::{run, scratch, weir};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn a_key_is_explained() {
    let text = run(&mut weir(["keys", "workload.algorithm"])).expect(0).stdout;
    assert!(text.contains("  kinds    broadcast\n"), "{text}");
    assert!(
        text.contains("\"flat\", \"binomial\" or \"ring-pipeline\"\n  default  \"binomial\"\n"),
        "{text}"
    );
    let old = run(&mut weir(["explain", "workload.algorithm"])).expect(0);
    assert_eq!((old.stdout, &*old.stderr), (text, "note: weir explain KEY is weir keys KEY now\n"));
    let all = run(&mut weir(["keys"])).expect(0).stdout;
    for key in all.lines() {
        run(&mut weir(["keys", key])).expect(0);
    }
    assert!(all.lines().count() > 100, "{all}");
    let unknown = run(&mut weir(["keys", "packet.virtual_chanels"])).expect(2);
    unknown.says(&["did you mean packet.virtual_channels?"]);
    assert_eq!(unknown.stdout, "");
    // Words of other tools, with their table or without one, keys and values.
    for word in ["jobs", "workload.jobs"] {
        let elsewhere = run(&mut weir(["keys", word])).expect(2);
        let sentence =
            format!("error: {word} is a job beside others on one machine, for which weir has no key");
        assert!(elsewhere.stderr.starts_with(&sentence), "{}", elsewhere.stderr);
    }
    run(&mut weir(["keys", "dragonfly"])).expect(2).says(&["which weir does not generate"]);
}

/// The examples, each in a folder of its own with the files that its first lines make.
#[test]
fn examples_of_keys_run() {
    let all = run(&mut weir(["keys"])).expect(0).stdout;
    let mut examples = BTreeSet::new();
    for key in all.lines() {
        let text = run(&mut weir(["keys", key])).expect(0).stdout;
        for part in text.split("  example, to be run by weir run\n").skip(1) {
            let lines = part.lines().map_while(|line| line.strip_prefix("    "));
            examples.insert(lines.map(|line| format!("{line}\n")).collect::<String>());
        }
    }
    assert!(examples.len() > 30, "{}", examples.len());
    let programs = PathBuf::from(env!("CARGO_BIN_EXE_weir")).parent().unwrap().to_owned();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    for example in examples {
        let folder = scratch();
        std::fs::write(folder.path().join("example.toml"), &example).unwrap();
        let commands: Vec<&str> = example.lines().filter_map(|line| line.strip_prefix("# $ ")).collect();
        let script = format!("set -e\n{}\nweir run example.toml", commands.join("\n"));
        run(Command::new("sh").args(["-c", &script]).current_dir(folder.path()).env("PATH", &path)).expect(0);
    }
}

/// A real shell completes commands, and keys where they stand.
#[test]
fn bash_completes_keys() {
    let folder = scratch();
    let script = folder.path().join("weir.bash");
    std::fs::write(&script, run(&mut weir(["completion", "bash"])).expect(0).stdout).unwrap();
    let completed = |words: &[&str]| {
        let (last, before) = (words.len() - 1, words.len() - 2);
        let text = format!(
            "source {}; COMP_WORDS=({}); COMP_CWORD={last}; _weir weir '{}' '{}'; echo ${{COMPREPLY[@]}}",
            script.display(),
            words.join(" "),
            words[last],
            words[before]
        );
        run(Command::new("bash").args(["--norc", "-c", &text])).expect(0).stdout.trim().to_owned()
    };
    assert_eq!(completed(&["weir", "run", "--set", "engine.sha"]), "engine.sharing=");
    assert_eq!(completed(&["weir", "keys", "packet.credits"]), "packet.credits");
    assert_eq!(completed(&["weir", "swe"]), "sweep");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = scratch();
    let man = folder.path().join("share/man1");
    run(weir(["man"]).arg(&man)).expect(0);
    for page in ["weir", "weir-run", "weir-skeleton-check", "weir-c++"] {
        let text = std::fs::read_to_string(man.join(page).with_extension("1")).unwrap();
        assert!(text.starts_with(".ie") || text.contains(".TH "), "{text}");
    }
    let run_page = std::fs::read_to_string(man.join("weir-run.1")).unwrap();
    assert!(run_page.contains("Set a key, for example engine.sharing=iterative"), "{run_page}");
    std::fs::write(folder.path().join("file"), "").unwrap();
    run(weir(["man"]).arg(folder.path().join("file/man1"))).expect(1).says(&["file/man1 cannot be made"]);
}
