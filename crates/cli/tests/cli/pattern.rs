//! Pattern files: what `weir pattern` writes runs like the experiment it comes from.

use crate::command::{check_all, compile_text, run, scratch, weir};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Every kind of pattern, on 16 ranks.
const PATTERNS: [&str; 20] = [
    "kind = 'all-to-all'",
    "kind = 'all-to-all'\nalgorithm = 'simple-spread-2d'\nsynchronised = true",
    "kind = 'all-to-all'\nalgorithm = 'pairwise'\nmessages = 2",
    "kind = 'all-to-all'\nalgorithm = 'bruck'",
    "kind = 'ring'\nmessages = 3",
    "kind = 'ring'\nsynchronised = true\nsize_spread = 0.5",
    "kind = 'random-ring'",
    "kind = 'broadcast'\nroot = 5",
    "kind = 'broadcast'\nalgorithm = 'flat'",
    "kind = 'broadcast'\nalgorithm = 'ring-pipeline'\nsegments = 4",
    "kind = 'gather'",
    "kind = 'gather'\nalgorithm = 'flat'\nroot = 3",
    "kind = 'scatter'\nmessages = 2",
    "kind = 'halo'\nsynchronised = true\nmessages = 2",
    "kind = 'halo'\ngrid = [4, 2, 2]\nperiodic = [true, false, true]",
    "kind = 'permutation'\npermutation = 'bit-reverse'",
    "kind = 'permutation'\npermutation = 'random'\nsynchronised = true\nmessages = 3",
    "kind = 'permutation'\npermutation = 'shift'\ndistance = 3",
    "kind = 'incast'\nroot = 7\nmessages = 2",
    "kind = 'hot-spot'\nmessages = 20\nsize_spread = 0.2",
];

const MACHINE: &str =
    "[topology]\nkind = 'torus'\nshape = [4, 4]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n";

fn summary(experiment: &Path) -> Value {
    run(weir(["run", "--json"]).arg(experiment)).expect(0).summary()
}

fn check(workload: &str, folder: &Path) -> Result<(), String> {
    let path = |name: &str| folder.join(name);
    let workload = format!("[workload]\n{workload}\nmessage_size = '20 kB'\n");
    fs::write(path("original.toml"), format!("{MACHINE}{workload}")).unwrap();
    let original = summary(&path("original.toml"));
    for ending in ["pattern", "parquet"] {
        let file = path("x").with_extension(ending);
        run(weir(["pattern"]).arg(path("original.toml")).arg("--out").arg(&file)).expect(0);
        let again = format!("{MACHINE}[workload]\nkind = 'pattern-file'\nfile = 'x.{ending}'\n");
        fs::write(path("again.toml"), again).unwrap();
        let again = summary(&path("again.toml"));
        for field in ["digest", "simulated_ps", "messages", "bytes", "events", "ranks", "outcome"] {
            if again[field] != original[field] || again[field].is_null() {
                return Err(format!("{ending}: {field}: {} {}: {workload}", again[field], original[field]));
            }
        }
    }
    Ok(())
}

#[test]
fn a_written_pattern_gives_the_same_run() {
    let folder = scratch();
    let items: Vec<_> = PATTERNS.iter().enumerate().collect();
    check_all(&items, |(number, workload)| {
        let folder = folder.path().join(number.to_string());
        fs::create_dir(&folder).unwrap();
        check(workload, &folder)
    });
}

#[test]
fn a_pattern_on_standard_output() {
    let folder = scratch();
    let path = folder.path().join("e.toml");
    let workload = "[workload]\nkind = 'ring'\nmessage_size = '1 kB'\nsynchronised = true\nranks = 2\n";
    fs::write(&path, format!("title = 'two'\n{MACHINE}{workload}")).unwrap();
    let ended = run(weir(["pattern", "--out", "-"]).arg(&path)).expect(0);
    let expected = "weir-pattern 1\ntitle two\nranks 2\n0 send 1 1000\n0 await 1\n1 send 0 1000\n1 await 0\n";
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), (expected, ""));
    let set = ["pattern", "--out", "-", "--set", "workload.messages=3"];
    assert_eq!(run(weir(set).arg(&path)).expect(0).stdout.lines().count(), 3 + 12);
    let file = folder.path().join("x.pattern");
    let ended = run(weir(["pattern"]).arg(&path).arg("--out").arg(&file)).expect(0);
    assert!(ended.stderr.ends_with("x.pattern: 4 entries, 2 of them messages\n"), "{}", ended.stderr);
    assert_eq!(fs::read_to_string(file).unwrap(), expected);
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("e.toml"), format!("{MACHINE}[workload]\nkind = 'ring'\nmessage_size = '1 kB'\n"))
        .unwrap();
    let to = |out: &str| run(weir(["pattern"]).arg(path("e.toml")).arg("--out").arg(path(out)));
    assert!(to("x.csv").expect(2).stderr.contains("ends in .pattern (text) or .parquet"));
    assert!(!path("x.csv").exists());
    assert!(to("no/x.pattern").expect(1).stderr.contains("no/x.pattern"));
    fs::write(path("bad.toml"), "[workload]\nkind = 'rings'\n").unwrap();
    run(weir(["pattern", "--out", "-"]).arg(path("bad.toml"))).expect(2).says(&["did you mean \"ring\"?"]);

    let program = compile_text("int main(void) { return 0; }", "nothing", folder.path());
    let text = format!("[workload]\nkind = 'program'\nranks = 2\nprogram = '{}'\n", program.display());
    fs::write(path("program.toml"), text).unwrap();
    run(weir(["pattern"]).arg(path("program.toml")).arg("--out").arg(path("x.pattern")))
        .expect(2)
        .says(&["the workload is an MPI program"]);
    assert!(!path("x.pattern").exists());
}

/// Runs a pattern given as text on the torus.
fn run_text(text: &str, folder: &Path) -> crate::command::Ended {
    fs::write(folder.join("x.pattern"), text).unwrap();
    let experiment = format!("{MACHINE}[workload]\nkind = 'pattern-file'\nfile = 'x.pattern'\n");
    fs::write(folder.join("e.toml"), experiment).unwrap();
    run(weir(["run", "--json"]).arg(folder.join("e.toml")))
}

/// 20 kB at 1 GB/s over three links of 100 ns (injection, one hop, ejection): 20 us + 300 ns, and what it waits first.
#[test]
fn a_wait_delays_a_message_by_exactly_its_time() {
    let folder = scratch();
    for (wait, ps) in
        [("", 0), (" wait 3 us", 3_000_000), (" wait 1.5 ns", 1500), (" wait 1234567 ps", 1_234_567)]
    {
        let text = format!("weir-pattern 1\nranks 2\n0 send 1 20 kB{wait}\n");
        let summary = run_text(&text, folder.path()).expect(0).summary();
        assert_eq!(summary["simulated_ps"], 20_300_000 + ps, "{wait}");
    }
}

#[test]
fn awaits_in_a_circle_are_a_deadlock_that_names_it() {
    let folder = scratch();
    let text = "weir-pattern 1\nranks 4\n0 await 1\n0 send 1 5\n1 await 3\n1 send 0 5\n3 await 1\n3 send 1 5\n2 send 0 5\n";
    let ended = run_text(text, folder.path()).expect(3);
    ended.says(&["in a circle: 1 waits for 3, 3 waits for 1"]);
    assert_eq!(ended.summary()["explanation"]["cycle"], serde_json::json!([1, 3]));
    assert_eq!(ended.summary()["explanation"]["waiting"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_message_that_is_never_sent_is_a_deadlock_without_a_circle() {
    let folder = scratch();
    let ended = run_text("weir-pattern 1\nranks 2\n0 await 1\n", folder.path()).expect(3);
    assert!(!ended.stderr.contains("circle"), "{}", ended.stderr);
    assert!(ended.summary()["explanation"].get("cycle").is_none());
}
