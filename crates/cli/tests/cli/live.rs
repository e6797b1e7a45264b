//! `--live`: the page of a run, over HTTP. In a browser: python/tests/test_live.py.

use crate::command::{compile_text, run, scratch, weir};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

mod strangers;

/// A run that is far from its end when the test has seen enough: rounds of messages without end.
const LONG: &str = "title = 'without end'\n[topology]\nkind = 'torus'\nshape = [4, 4]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n\
                    [engine]\nkind = 'flow'\n[workload]\nkind = 'all-to-all'\nalgorithm = 'pairwise'\nmessage_size = '10 kB'\n\
                    messages = 1000000\n";
const SAMPLED: &str = "[output]\nsample_interval = '1 ms'\n";

/// A run that is followed.
struct Followed {
    child: Child,
    stderr: BufReader<ChildStderr>,
    address: String,
    path: String,
}

impl Followed {
    fn begin(folder: &Path, experiment: &str, more: &[&str]) -> Self {
        fs::write(folder.join("e.toml"), experiment).unwrap();
        Self::follow(folder, weir(["run", "-q", "e.toml", "--live"]).args(more))
    }

    fn follow(folder: &Path, command: &mut Command) -> Self {
        command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("follow it: http://").unwrap_or_else(|| panic!("{line}"));
        let (address, path) = url.split_at(url.find('/').unwrap());
        assert!(address.starts_with("127.0.0.1:") && path.len() == 34, "{url}");
        Self { stderr, child, address: address.to_owned(), path: path.to_owned() }
    }

    /// What is answered: status and body.
    fn ask(&self, method: &str, path: &str, headers: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!("{method} {path} HTTP/1.0\r\n{headers}Content-Length: 0\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn own(&self, method: &str, what: &str) -> (u16, String) {
        self.ask(method, &format!("{}{what}", self.path), &format!("Host: {}\r\n", self.address))
    }

    fn state(&self) -> Value {
        let (status, body) = self.own("GET", "state");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }

    /// The state when there is what is waited for.
    fn comes_to(&self, is_there: impl Fn(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            let state = self.state();
            if is_there(&state) {
                return state;
            }
            assert!(begin.elapsed() < Duration::from_secs(120), "{}", state["now"]);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Status and the rest of standard error.
    fn ends(mut self) -> (Option<i32>, String) {
        let mut text = String::new();
        self.stderr.read_to_string(&mut text).unwrap();
        (self.child.wait().unwrap().code(), text)
    }
}

/// Progress and links are seen while the run goes on; it is stopped on the page, which shows the end, and its results are kept.
#[test]
fn a_run_is_followed_and_stopped() {
    let folder = scratch();
    let run = Followed::begin(folder.path(), &[LONG, SAMPLED].concat(), &["--out", "r"]);
    let (status, page) = run.own("GET", "");
    assert!(status == 200 && page.contains("<title>weir: a run</title>"), "{page}");
    let state = run.comes_to(|state| {
        state["now"][2].as_u64() > Some(0)
            && state["heat"]["columns"].as_array().is_some_and(|all| all.len() > 2)
    });
    assert_eq!((&state["title"], &state["engine"]), (&"without end".into(), &"flow".into()));
    assert!(state["total"].as_u64() > state["now"][2].as_u64(), "{state}");
    assert_eq!(state["ended"], Value::Null);
    // Every link of the first column is as busy as it can be or less; some link is busy.
    let column = state["heat"]["columns"][0].as_array().unwrap();
    assert!(column.iter().any(|percent| percent.as_u64() > Some(20)), "{state}");
    assert!(column.iter().all(|percent| percent.as_u64() <= Some(100)), "{state}");
    assert!(
        state["heat"]["busiest"][0]["link"].as_str().is_some_and(|name| name.contains(" -> ")),
        "{state}"
    );
    assert_eq!(run.own("POST", "stop"), (200, "{}".to_owned()));
    let state = run.comes_to(|state| !state["ended"].is_null());
    assert_eq!((&state["stopping"], &state["ended"]["folder"]), (&true.into(), &"r".into()));
    let (status, text) = run.ends();
    assert_eq!(status, Some(130), "{text}");
    let summary: Value =
        serde_json::from_slice(&fs::read(folder.path().join("r/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["outcome"], "limit");
    assert!(
        summary["traffic"]["data_messages"].as_u64() > Some(0) || summary["messages"].as_u64() > Some(0),
        "{summary}"
    );
}

/// What the time of all ranks went into is seen while a run on an engine goes on, and at its end.
fn causes_are_seen_on(engine: &str, more: &[&str]) {
    let folder = scratch();
    let text = LONG.replace("kind = 'flow'", &format!("kind = '{engine}'"));
    let run = Followed::begin(folder.path(), &text, &[&["--set", "output.causes=true"], more].concat());
    let known = |state: &Value| -> Option<Vec<(String, f64)>> {
        let known = state["causes"]["known"].as_array()?;
        known.iter().map(|row| Some((row[0].as_str()?.to_owned(), row[1].as_f64()?))).collect()
    };
    let sum = |known: &[(String, f64)]| known.iter().map(|(_, time)| time).sum::<f64>();
    let far = |state: &Value| state["now"][1].as_f64().unwrap();
    let state = run.comes_to(|state| known(state).is_some_and(|known| known.len() > 1) && far(state) > 0.0);
    assert_eq!(state["ended"], Value::Null);
    let before = known(&state).unwrap();
    // Ranks that send one message after the other wait for their bytes.
    assert!(before.iter().any(|(cause, time)| cause == "serialization" && *time > 0.0), "{before:?}");
    // All 16 ranks up to an instant that is not behind the one that is shown.
    let all = sum(&before);
    assert!(all > 0.0 && all < 16.0 * 1.1 * far(&state) + 1e-3, "{engine}: {all} of {}", far(&state));
    run.comes_to(|state| known(state).is_some_and(|known| sum(&known) > all));
    assert_eq!(run.own("POST", "stop").0, 200);
    let state = run.comes_to(|state| !state["ended"].is_null());
    let end = known(&state).unwrap();
    assert!(end.iter().all(|(cause, _)| cause != "open"), "{end:?}");
    assert_eq!(run.ends().0, Some(130));
}

/// On each engine, and on several threads; without an account the page says how to get it.
#[test]
fn causes_are_seen_before_the_end() {
    std::thread::scope(|scope| {
        scope.spawn(|| causes_are_seen_on("flow", &[]));
        scope.spawn(|| causes_are_seen_on("packet", &["--set", "engine.threads=1"]));
        scope.spawn(|| causes_are_seen_on("packet", &["--set", "engine.threads=2"]));
        let slow = ["--set", "engine.latency=1 us", "--set", "engine.bandwidth=1 GB/s"];
        scope.spawn(move || causes_are_seen_on("ideal", &slow));
    });
    let folder = scratch();
    let run = Followed::begin(folder.path(), LONG, &[]);
    assert_eq!(run.comes_to(|state| state["now"][2].as_u64() > Some(0))["causes"], Value::Null);
    assert!(run.own("GET", "").1.contains("--set output.causes=true"));
    run.own("POST", "stop");
    run.ends();
}

/// Other hosts, other pages and other paths get nothing, and cannot stop the run.
#[test]
fn others_are_refused() {
    let folder = scratch();
    let run = Followed::begin(folder.path(), LONG, &[]);
    let own = format!("Host: {}\r\n", run.address);
    let stop = format!("{}stop", run.path);
    let foreign = format!("{own}Origin: http://example.org\r\n");
    for (method, path, headers, expected) in [
        ("GET", run.path.as_str(), "Host: example.org\r\n", 403),
        ("GET", run.path.as_str(), "", 403),
        ("POST", stop.as_str(), foreign.as_str(), 403),
        ("POST", "/stop", own.as_str(), 404),
        ("GET", "/", own.as_str(), 404),
        ("GET", "/state", own.as_str(), 404),
        ("GET", stop.as_str(), own.as_str(), 404),
        ("GET", &format!("{}../e.toml", run.path), own.as_str(), 404),
    ] {
        assert_eq!(run.ask(method, path, headers).0, expected, "{method} {path} {headers}");
    }
    assert_eq!(run.state()["stopping"], false);
    assert_eq!(run.state()["heat"], Value::Null, "nothing is recorded");
    let own_page = format!("{own}Origin: http://{}\r\n", run.address);
    assert_eq!(run.ask("POST", &stop, &own_page).0, 200);
    assert_eq!(run.ends().0, Some(130));
}

/// A run that is followed comes to the same, and does not wait for a page that is not open. A port that is taken is an error before it.
#[test]
fn results_are_the_same() {
    let folder = scratch();
    let short = [LONG, SAMPLED].concat().replace("messages = 1000000", "messages = 2");
    let followed = Followed::begin(folder.path(), &short, &["--out", "followed"]);
    let (status, text) = followed.ends();
    assert_eq!((status, text.as_str()), (Some(0), ""));
    run(weir(["run", "-q", "e.toml", "--out", "alone"]).current_dir(folder.path())).expect(0);
    let of = |name: &str, file: &str| fs::read(folder.path().join(name).join(file)).unwrap();
    for file in ["links.parquet", "series/links/00000.parquet"] {
        assert_eq!(of("followed", file), of("alone", file), "{file}");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = format!("--live={}", taken.local_addr().unwrap().port());
    run(weir(["run", "-q", "e.toml", "--out", "taken", &port]).current_dir(folder.path()))
        .expect(1)
        .says(&[&port, "--live alone"]);
    run(weir(["run", "e.toml", "--live", "--dry-run"]).current_dir(folder.path())).expect(2);
}

#[test]
fn a_file_says_how_far_a_run_is() {
    let folder = scratch();
    fs::write(folder.path().join("e.toml"), LONG).unwrap();
    let file = folder.path().join("progress.json");
    let mut command = weir(["run", "-q", "e.toml", "--progress", "progress.json"]);
    let mut child = command.current_dir(folder.path()).spawn().unwrap();
    let state = || -> Option<Value> { serde_json::from_str(&fs::read_to_string(&file).ok()?).ok() };
    let began = Instant::now();
    let far = loop {
        let messages = state().and_then(|state| state["messages"].as_u64());
        match messages {
            Some(messages) if messages > 0 => break messages,
            _ => assert!(began.elapsed() < Duration::from_secs(60), "nothing has arrived"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    while state().is_none_or(|state| state["messages"].as_u64() <= Some(far)) {
        assert!(began.elapsed() < Duration::from_secs(60), "the file stays as it was");
        std::thread::sleep(Duration::from_millis(20));
    }
    let last = state().unwrap();
    assert!(
        last["simulated_s"].as_f64() > Some(0.0) && last["bytes"].as_u64() >= Some(10_000 * far),
        "{last}"
    );
    assert!(last["stage"].is_null(), "{last}");
    child.kill().unwrap();
    child.wait().unwrap();
    let refused = run(weir(["run", "e.toml", "--progress", "no/such/file"]).current_dir(folder.path()));
    assert!(refused.expect(1).stderr.contains("--progress no/such/file: the file cannot be written"));
}

/// A program that samples what it computes, and sends for ever.
const SAMPLING: &str = include_str!("../programs/live_sampling.c");

/// Runs divided among processes, machines that change, and programs that are sampled: progress, links and the machine are seen, and the
/// page ends the run.
#[test]
fn runs_of_all_kinds_are_followed() {
    let folder = scratch();
    let packets = "[packet]\nvirtual_channels = 3\n";
    let long = [LONG, packets, "[output]\nsample_interval = '20 us'\n"].concat();
    let faults = "[[faults]]\ncable = 'router (0,0) - router (1,0)'\nat = '50 us'\nuntil = '100 us'\n";
    fs::write(folder.path().join("e.toml"), &long).unwrap();
    fs::write(folder.path().join("faults.toml"), [&long, faults].concat()).unwrap();
    let machine = "topology = { kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s', latency = '100 ns' }\nengine = { kind = 'flow' }\n";
    fs::write(folder.path().join("machine.toml"), machine).unwrap();
    let program = compile_text(SAMPLING, "sampling", folder.path());
    let packet = ["--set", "engine.kind=packet"];
    let mut kinds = [
        ("processes", weir(["run", "-q", "e.toml", "--processes", "2"])),
        ("faults", weir(["run", "-q", "faults.toml"])),
        ("faults on packets", weir(["run", "-q", "faults.toml"])),
        ("sampled", weir(["mpirun", "-q", "-n", "4", "--machine", "machine.toml"])),
    ];
    kinds[0].1.args(packet);
    kinds[2].1.args(packet);
    kinds[3].1.args(["--set", "output.sample_interval=20 us"]);
    for (kind, mut command) in kinds {
        command.args(["--live", "--out", kind]);
        let command = if kind == "sampled" { command.arg(&program) } else { &mut command };
        let run = Followed::follow(folder.path(), command);
        let state = run.comes_to(|state| {
            let columns = &state["heat"]["columns"];
            state["now"][2].as_u64() > Some(0) && columns.as_array().is_some_and(|all| all.len() > 6)
        });
        assert_eq!(state["heat"]["machine"]["percent"].as_array().map(Vec::len), Some(16), "{kind}");
        assert_eq!(run.own("POST", "stop").0, 200, "{kind}");
        run.comes_to(|state| state["ended"]["folder"] == kind);
        let (status, text) = run.ends();
        assert_eq!(status, Some(130), "{kind}: {text}");
        let summary = fs::read(folder.path().join(kind).join("summary.json")).unwrap();
        let summary: Value = serde_json::from_slice(&summary).unwrap();
        assert_eq!(summary["outcome"], "limit", "{kind}");
    }
}
