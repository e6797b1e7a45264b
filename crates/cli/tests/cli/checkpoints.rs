//! Runs that are lost, interrupted or over, and `weir resume`.

use crate::command::{Ended, check_all, compile_text, contents, files, run, scratch, weir};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

#[derive(Deserialize)]
struct Run {
    experiment: String,
    #[serde(default)]
    more: Vec<String>,
}

static RUNS: LazyLock<BTreeMap<String, Vec<Run>>> =
    LazyLock::new(|| toml::from_str(include_str!("checkpoints.toml")).expect("checkpoints.toml"));

fn runs() -> &'static [Run] {
    &RUNS["run"]
}

/// Small and large messages, from anybody, looked for and waited for, and collectives.
pub(crate) const PROGRAM: &str = include_str!("../programs/checkpoints_work.c");

/// An experiment, and for some of them the profile of a program.
fn experiment(folder: &Path, Run { experiment, .. }: &Run) -> PathBuf {
    let path = folder.join("experiment.toml");
    if experiment.contains("@/") {
        // Flows take less time than packets.
        let again = if experiment.contains("flow") {
            "for (int again = 0; again < 20; again++) for ("
        } else {
            "for ("
        };
        let text = PROGRAM.replacen("for (", again, 1);
        let program = compile_text(&text, "work", folder);
        let profile = folder.join("work.profile");
        run(weir(["log", "-q", "-n", "60", "-o"]).arg(profile).arg(program)).expect(0);
    }
    fs::write(&path, experiment.replace('@', &folder.display().to_string())).unwrap();
    path
}

/// What does not change from run to run, nor when a run goes on.
fn fixed(summary: &Value) -> Value {
    let mut summary = crate::together::fixed(summary);
    summary.as_object_mut().unwrap().retain(|key, _| !["checkpoints", "run"].contains(&key.as_str()));
    summary
}

/// A run that writes a checkpoint again and again.
fn begin(experiment: &Path, out: &Path, every: &str) -> Child {
    let mut command = weir(["run", "-q", "--checkpoint-every", every, "--out"]);
    command.arg(out).arg(experiment).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Waits until there is a checkpoint, or the run is over; whether it goes on.
fn goes_on(child: &mut Child, out: &Path) -> bool {
    let started = Instant::now();
    while !out.join("checkpoint.json").exists() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        assert!(started.elapsed() < Duration::from_secs(120), "there is no checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

fn signal(child: &Child, name: &str) {
    // It may be over by now.
    _ = Command::new("kill").args([name, &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
}

/// Goes on to the end, without writing many checkpoints more.
fn resumed<S: AsRef<OsStr>>(out: &Path, more: &[S]) -> Ended {
    run(weir(["resume", "-q", "--json", "--checkpoint-every=1h"]).arg(out).args(more))
}

/// Killed by force somewhere, again and again, a run goes on from its last checkpoint; summary and tables are those of the run that was
/// never lost.
#[test]
fn a_run_that_is_killed_goes_on() {
    let numbered: Vec<_> = runs().iter().enumerate().collect();
    check_all(&numbered, |&(number, parts)| {
        let folder = scratch();
        let path = experiment(folder.path(), parts);
        let [whole, out] = ["whole", "out"].map(|name| folder.path().join(name));
        let expected = run(weir(["run", "-q", "--json", "--out"]).arg(&whole).arg(&path)).expect(0).summary();
        // Once with a checkpoint, whatever this computer does meanwhile; a run that was faster begins again.
        let was_lost = (0..20).any(|_| {
            let mut first = begin(&path, &out, "20ms");
            let goes_on = goes_on(&mut first, &out);
            signal(&first, "-9");
            !first.wait().unwrap().success() && goes_on && out.join("checkpoint.json").exists()
        });
        if !was_lost {
            return Err(format!("run {number} was over before it could be killed, 20 times"));
        }
        // And at any instant, so also when it comes to its end: there is a checkpoint until there is a summary.
        for kill in 0..3 {
            if !out.join("checkpoint.json").exists() {
                break;
            }
            let mut command = weir(["resume", "-q"]);
            command.arg(&out).args(&parts.more).stdout(Stdio::null()).stderr(Stdio::null());
            let mut next = command.spawn().unwrap();
            std::thread::sleep(Duration::from_millis(weir_units::mix(10 * number as u64 + kill) % 200));
            signal(&next, "-9");
            next.wait().unwrap();
        }
        let found = if out.join("checkpoint.json").exists() {
            resumed(&out, &parts.more).expect(0).summary()
        } else {
            serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap()
        };
        assert!(found["checkpoints"]["resumed_ps"].as_u64() > Some(0), "{}", found["checkpoints"]);
        assert_eq!(fixed(&found), fixed(&expected));
        let [expected, found] = [whole, out].map(|folder| contents(&folder));
        let tables = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "parquet");
        let mut all = expected.keys().chain(found.keys()).filter(tables);
        let different = all.find(|path| expected.get(*path) != found.get(*path));
        different.map_or(Ok(()), |path| Err(format!("{} is not the same", path.display())))
    });
}

/// A signal and a limit of the clock on the wall end a run with a checkpoint, also before the first one was due; and it says how
/// to go on.
#[test]
fn a_run_that_is_interrupted_goes_on() {
    check_all(&[&runs()[1], &runs()[5]], |&parts| {
        check_interrupted(parts);
        Ok(())
    });
}

fn check_interrupted(parts: &Run) {
    let folder = scratch();
    let path = experiment(folder.path(), parts);
    let expected = run(weir(["run", "-q", "--json"]).arg(&path)).expect(0).summary();
    let out = folder.path().join("out");
    let mut command = weir(["run", "-q", "--checkpoint-every", "1h", "--out"]);
    let first = command.arg(&out).arg(&path).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !out.join("begun.json").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(100));
    signal(&first, "-TERM");
    let ended = first.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(128 + 15), "{said}");
    assert!(said.contains(&format!("go on with: weir resume {}", out.display())), "{said}");
    let again = resumed(&out, &["--set", "limits.wall_time=0.1 s"]);
    assert_eq!(again.code, 4, "{}", again.stderr);
    let again = resumed(&out, &["--set", "limits.wall_time=1 h"]).expect(0).summary();
    assert_eq!(again["digest"], expected["digest"]);
    let left = files(&out, "state");
    assert!(left.is_empty(), "a run that is over needs no checkpoint: {left:?}");
    let over = resumed::<&str>(&out, &[]);
    over.expect(2).says(&["its run has come to its end"]);
}

/// What cannot be gone on with is refused, and nothing is changed.
#[test]
fn what_does_not_fit_is_refused() {
    check_all(
        &[(&runs()[3], "packet.input_buffer=7"), (&runs()[5], "engine.resolution=7 ps")],
        |&(parts, other)| {
            check_refused(parts, other);
            Ok(())
        },
    );
}

/// `other` is a key that the run does not have.
fn check_refused(parts: &Run, other: &str) {
    let folder = scratch();
    let path = experiment(folder.path(), parts);
    let out = folder.path().join("out");
    let mut first = begin(&path, &out, "20ms");
    assert!(goes_on(&mut first, &out));
    signal(&first, "-9");
    first.wait().unwrap();
    let before = contents(&out);
    let check = |change: &dyn Fn(), more: &[&str], expected: &str| {
        change();
        let ended = resumed(&out, more);
        assert_eq!(ended.code, 2, "{expected}: {}", ended.stderr);
        ended.says(&[expected, "hint: "]);
        for (path, bytes) in &before {
            fs::write(out.join(path), bytes).unwrap();
        }
    };
    let about = out.join("checkpoint.json");
    let replace = |from: &str, to: &str| {
        let text = fs::read_to_string(&about).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&about, text.replace(from, to)).unwrap();
    };
    let build = serde_json::from_slice::<Value>(&fs::read(&about).unwrap()).unwrap()["build"].clone();
    let state = files(&out, "state");
    check(&|| (), &["--set", other], "is of another experiment");
    check(&|| (), &["--set", "limits.simulated_time=1 s"], "is of another experiment");
    let otherwise = format!("output.causes={}", !parts.experiment.contains("causes"));
    check(&|| (), &["--set", &otherwise], "is of another experiment");
    check(&|| (), &["--set", "output.messages=true"], "does not go with output.messages");
    check(
        &|| replace(build.as_str().unwrap(), "0123456789abcdef"),
        &[],
        "was written by another build of weir",
    );
    check(&|| replace("\"weir_version\": \"", "\"weir_version\": \"9"), &[], "was written by weir 9");
    for place in &state {
        let bytes = fs::read(place).unwrap();
        fs::write(place, &bytes[..bytes.len() / 2]).unwrap();
    }
    check(&|| (), &[], "were written");
    check(&|| fs::remove_file(&about).unwrap(), &[], "there is no checkpoint");
    let profile = folder.path().join("work.profile");
    if let Ok(text) = fs::read_to_string(&profile) {
        fs::write(&profile, format!("{text}\n")).unwrap();
        check(&|| (), &[], "is of another experiment, or of files that have changed");
        fs::write(&profile, text).unwrap();
    }
    // With nothing changed it goes on; how such a run ends is seen elsewhere.
    let ended = resumed(&out, &["--set", "limits.wall_time=2 s"]);
    assert!([0, 4].contains(&ended.code), "{}", ended.stderr);
    let nowhere = run(weir(["resume"]).arg(folder.path().join("nowhere")));
    nowhere.expect(2).says(&["--checkpoint-every 10min"]);
}
