//! `weir calibrate`: the guide, what is printed, what is refused. What fits find is tested in `crates/calibrate`.

use crate::command::{root, run, scratch, weir};
use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// The blocks of the guide in this language, without the first and last line.
fn blocks(language: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("docs/guide/calibration.md")).unwrap();
    let begin = format!("```{language}\n");
    let parts = text.split(&begin).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

/// A folder with the files of the guide.
fn folder() -> TempDir {
    let folder = scratch();
    fs::write(folder.path().join("machine.toml"), &blocks("toml")[0]).unwrap();
    fs::write(folder.path().join("measured.csv"), &blocks("csv")[0]).unwrap();
    folder
}

/// A command of the guide.
fn command(folder: &TempDir, line: &str) -> Command {
    let mut command = weir(line.split_whitespace().skip(1));
    command.current_dir(folder.path()).arg("--quiet");
    command
}

/// The files of the guide's command that writes some are those that it speaks of. What is printed is tested with all pages.
#[test]
fn files_of_a_fit() {
    let folder = folder();
    let line = blocks("sh").into_iter().find(|line| line.contains("--out fitted.toml")).unwrap();
    run(&mut command(&folder, &line)).expect(0);
    let fitted = fs::read_to_string(folder.path().join("fitted.toml")).unwrap();
    let value = &blocks("toml")[1];
    assert!(value.lines().all(|line| fitted.lines().any(|fitted| fitted.starts_with(line))), "{fitted}");
    run(weir(["topology", "fitted.toml"]).current_dir(folder.path())).expect(0);
    assert_eq!(fs::read_to_string(folder.path().join("errors.csv")).unwrap().lines().count(), 15);
    let picture = fs::read_to_string(folder.path().join("errors.svg")).unwrap();
    assert_eq!(picture.matches("<circle").count(), 14 + 2, "{picture}");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
}

/// The same object for any number of threads, and nothing else on standard output.
#[test]
fn json_is_alone() {
    let folder = folder();
    let line = "weir calibrate measured.csv machine.toml --fit node.send_overhead --json --folds 2";
    let printed = run(command(&folder, line).args(["--threads", "1"])).expect(0).stdout;
    let object: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(object["parameters"][0]["key"], "node.send_overhead");
    assert_eq!(object["parameters"][0]["determined"], true);
    assert_eq!(object["rows"].as_array().unwrap().len(), 14);
    assert!(object["errors"]["unseen"]["median"].as_f64().unwrap() > 0.0);
    assert_eq!(run(command(&folder, line).args(["--threads", "3"])).expect(0).stdout, printed);
}

#[test]
fn wrong_input_has_status_2() {
    let folder = folder();
    fs::write(folder.path().join("bad.csv"), "collective,bytes\nbcast,8\n").unwrap();
    for (line, what) in [
        ("weir calibrate none.csv machine.toml --fit node.send_overhead", "error: none.csv: "),
        ("weir calibrate measured.csv none.toml --fit node.send_overhead", "none.toml"),
        ("weir calibrate bad.csv machine.toml --fit node.send_overhead", "bad.csv: has no column a time"),
        (
            "weir calibrate measured.csv machine.toml --fit node.copy_overhead",
            "\n\nhint: write a first guess",
        ),
        ("weir calibrate measured.csv machine.toml --fit node.send_overhead --within 1", "above 1"),
        (
            "weir calibrate measured.csv machine.toml --fit auto,node.send_overhead",
            "auto: there is no such key",
        ),
        ("weir calibrate measured.csv machine.toml --ranks 0", "--ranks"),
        (
            "weir calibrate measured.csv machine.toml --fit node.send_overhead --out machine.toml",
            "machine.toml: would replace machine.toml",
        ),
    ] {
        let ended = run(&mut command(&folder, line)).expect(2);
        ended.says(&[what]);
        assert_eq!(ended.stdout, "", "{line}");
    }
}

/// Several files of several kinds, no keys named, and names in them that would act on a terminal.
#[test]
fn several_logs_and_keys_that_are_chosen() {
    let folder = folder();
    let log = "# OSU MPI Allreduce Latency Test v7.3\n# Size  Avg Latency(us)\n32 9.1\n2048 12.0\n16384 31,0\n1048576 700\n";
    fs::write(folder.path().join("osu.log"), log).unwrap();
    let strange = "collective,algorithm,bytes,ranks,time_us\nbcast,bin\u{1b}]0;pwn\u{7}omial,1024,4,12.3\nallreduce,ring,4096,8,20\n";
    fs::write(folder.path().join("strange.csv"), strange).unwrap();
    run(&mut command(&folder, "weir calibrate measured.csv osu.log machine.toml --folds 0"))
        .expect(2)
        .says(&["osu.log:3: how many ranks took part in Allreduce"]);
    run(&mut command(&folder, "weir calibrate measured.csv --ranks 8"))
        .expect(2)
        .says(&["measured times and a machine file are needed"]);
    // The machine file comes last, wherever options are.
    let line =
        "weir calibrate measured.csv osu.log --ranks 8 strange.csv --folds 0 machine.toml --out fitted.toml";
    let ended = run(&mut command(&folder, line)).expect(0);
    for part in [
        "not fitted",
        "only together with",
        "\"16384 31,0\" is not a row",
        "(line 5)",
        "bin\\u{1b}]0;pwn\\u{7}omial",
    ] {
        ended.prints(&[part]);
    }
    assert!(!ended.stdout.contains('\u{1b}'), "{}", ended.stdout);
    let fitted = fs::read_to_string(folder.path().join("fitted.toml")).unwrap();
    assert!(fitted.contains("measured.csv, osu.log, strange.csv"), "{fitted}");
}

/// A log of OSU goes in as it is; a message there and back takes twice its time.
#[test]
fn a_log_and_its_pingpong() {
    let folder = folder();
    let experiment = "[workload]\nkind = 'collective'\noperation = 'pingpong'\nmessage_size = '64 B'\nranks = 8\n\
                      repetitions = 3\n";
    let machine = fs::read_to_string(folder.path().join("machine.toml")).unwrap();
    fs::write(folder.path().join("e.toml"), machine + experiment).unwrap();
    let summary = run(weir(["run", "--json", "e.toml"]).current_dir(folder.path())).expect(0).summary();
    let times: Vec<u64> =
        summary["repetitions_ps"].as_array().unwrap().iter().map(|time| time.as_u64().unwrap()).collect();
    // One after the other, and nothing else takes time.
    assert_eq!(times.len(), 3);
    assert_eq!(summary["simulated_ps"].as_u64().unwrap(), 2 * times.iter().sum::<u64>());

    let log = "# weir: ranks = 8\n# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n64      2.40\n128     2.41\n\
               256     2.44\n";
    fs::write(folder.path().join("log.txt"), log).unwrap();
    let line = "weir calibrate log.txt machine.toml --fit node.send_overhead --json";
    let object: Value = serde_json::from_str(&run(&mut command(&folder, line)).expect(0).stdout).unwrap();
    assert!(object["errors"]["fitted"]["ninth"].as_f64().unwrap() < 0.02, "{object}");
}
