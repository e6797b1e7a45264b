//! Who is on the same computer and does not know the secret path: neither the page nor the run depends on them.

use super::{Followed, LONG, SAMPLED};
use crate::command::{scratch, weir};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Longer than anything here takes on a busy computer, and shorter than what strangers would hold up.
const SOON: Duration = Duration::from_secs(10);

impl Followed {
    /// A connection of somebody who has said so much.
    fn stranger(&self, said: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream.write_all(said.as_bytes()).unwrap();
        stream
    }

    /// A file of the system on the process.
    fn system(&self, what: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{what}", self.child.id())).unwrap()
    }

    /// A number of the process: `VmRSS` in kB, `Threads`.
    fn number(&self, name: &str) -> u64 {
        let status = self.system("status");
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    fn files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }

    /// Stops the run; it ends soon, whoever is connected.
    fn stops_soon(self) {
        let begun = Instant::now();
        assert_eq!(self.own("POST", "stop").0, 200);
        let (status, text) = self.ends();
        assert_eq!((status, text.as_str()), (Some(130), "limit: interrupted by SIGINT\n"));
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }
}

/// Whether whoever is connected is sent away, with or without a word.
fn is_sent_away(stream: &mut TcpStream) -> bool {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"),
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

/// What announces a body, says nothing, or never comes to an end holds neither the page nor the end of the run. Each stays connected.
#[test]
fn who_stays_connected_holds_nothing() {
    let folder = scratch();
    let run = Followed::begin(folder.path(), LONG, &[]);
    let host = format!("Host: {}\r\n", run.address);
    let mut others = vec![
        run.stranger("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n"),
        run.stranger(&format!("POST /stop HTTP/1.1\r\n{host}Content-Length: 1000000000\r\n\r\nabc")),
        run.stranger(&format!("POST /stop HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n5\r\nab")),
        run.stranger(&format!("POST / HTTP/1.1\r\n{host}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n")),
        run.stranger(&format!("GET / HTTP/1.1\r\n{host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")),
        run.stranger("\x16\x03\x01\x02"),
        run.stranger("GET / HTT"),
        run.stranger(""),
    ];
    // Line after line, each in time.
    let mut slow = run.stranger("GET / HTTP/1.1\r\n");
    let begun = Instant::now();
    while slow.write_all(b"a: b\r\n").is_ok() {
        assert!(begun.elapsed() < SOON, "whoever is slow may go on");
        assert_eq!(run.state()["stopping"], false);
        std::thread::sleep(Duration::from_millis(100));
    }
    for (number, other) in others.iter_mut().enumerate() {
        assert!(is_sent_away(other), "{number}");
    }
    let silent: Vec<TcpStream> = (0..10).map(|_| run.stranger("POST")).collect();
    run.stops_soon();
    drop((others, silent));
}

/// 300 connections cost neither threads, files nor memory, and the page is answered between them; so it is while others come and go as fast as
/// they can.
#[test]
fn many_connections_are_few() {
    let folder = scratch();
    let run = Followed::begin(folder.path(), LONG, &[]);
    run.comes_to(|state| state["now"][2].as_u64() > Some(0));
    let (threads, files) = (run.number("Threads"), run.files());
    let mut others = Vec::new();
    for number in 0..300 {
        others.push(run.stranger(["", "GET / HTTP/1.1\r\n", "POST"][number % 3]));
        if number % 50 == 0 {
            assert_eq!(run.state()["stopping"], false, "{number}");
        }
    }
    assert_eq!(run.own("GET", "").0, 200);
    assert!(run.number("Threads") <= threads);
    assert!(run.files() <= files + 32, "{} after {files}", run.files());
    let address = &run.address;
    let stops = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stops.load(std::sync::atomic::Ordering::Relaxed) {
                // Whoever is not let in tries again.
                let _ = TcpStream::connect(address);
            }
        });
        for _ in 0..50 {
            assert_eq!(run.state()["stopping"], false);
        }
        stops.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    run.stops_soon();
    drop(others);
}

/// Heads without end are refused when they are longer than any of a browser, and are not kept.
#[test]
fn long_heads_are_not_kept() {
    let folder = scratch();
    let run = Followed::begin(folder.path(), LONG, &[]);
    run.comes_to(|state| state["now"][2].as_u64() > Some(0));
    let before = run.number("VmRSS");
    for begin in ["GET /", "GET / HTTP/1.1\r\na: ", ""] {
        let mut stream = run.stranger(begin);
        let chunk = vec![b'a'; 1 << 20];
        let sent = (0..10).take_while(|_| stream.write_all(&chunk).is_ok()).count();
        assert!(sent < 10, "10 MB are taken");
    }
    let mut many = run.stranger("GET / HTTP/1.1\r\n");
    let lines = "a: b\r\n".repeat(100_000);
    assert!(many.write_all(lines.as_bytes()).is_err() || is_sent_away(&mut many));
    let after = run.number("VmRSS");
    assert!(after < before + 4096, "{before} kB became {after} kB");
    run.stops_soon();
}

/// Nothing is shown or done without the path, whatever else is right: each action, each character of it, and each header that names a host.
#[test]
fn the_path_is_needed_for_everything() {
    let folder = scratch();
    let run = Followed::begin(folder.path(), LONG, &[]);
    let host = format!("Host: {}\r\n", run.address);
    let digits = run.path.trim_matches('/').to_owned();
    assert!(digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
    for place in [0, 15, 31] {
        let mut other = digits.clone().into_bytes();
        other[place] = if other[place] == b'0' { b'1' } else { b'0' };
        let other = String::from_utf8(other).unwrap();
        for (method, what) in
            [("GET", ""), ("GET", "style.css"), ("GET", "script.js"), ("GET", "state"), ("POST", "stop")]
        {
            for path in [format!("/{other}/{what}"), format!("/{what}"), format!("/{}/{what}", &digits[..31])]
            {
                assert_eq!(run.ask(method, &path, &host).0, 404, "{method} {path}");
            }
        }
    }
    let stop = format!("{}stop", run.path);
    for headers in [
        format!("{host}Host: example.org\r\n"),
        format!("Host: example.org\r\n{host}"),
        format!("{host}Origin: null\r\n"),
        format!("{host}Origin: https://{}\r\n", run.address),
        format!("{host}Origin: http://{}\r\nOrigin: http://example.org\r\n", run.address),
    ] {
        assert_eq!(run.ask("POST", &stop, &headers).0, 403, "{headers}");
    }
    assert_eq!(run.state()["stopping"], false);
    // Another run has another path.
    let other = Followed::begin(folder.path(), LONG, &[]);
    assert_ne!(run.path, other.path);
    other.stops_soon();
    run.stops_soon();
}

/// A command that may have so many files open at a time.
fn with_files(folder: &Path, number: usize, args: &[&str]) -> Command {
    let limited = format!("ulimit -n {number}; exec \"$0\" \"$@\"");
    let command = weir(["run", "-q", "e.toml", "--live"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &limited]).arg(command.get_program()).args(command.get_args()).args(args);
    shell.current_dir(folder);
    shell
}

/// Where a process may have few files open, a run ends well or with a sentence; strangers that take those that are left end nothing.
#[test]
fn few_files_are_no_mistake() {
    let folder = scratch();
    let short = [LONG, SAMPLED].concat().replace("messages = 1000000", "messages = 2");
    fs::write(folder.path().join("e.toml"), &short).unwrap();
    let mut statuses = Vec::new();
    for number in 4..14 {
        let out = format!("r{number}");
        let ended = with_files(folder.path(), number, &["--out", &out]).output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(!said.contains("mistake"), "{number}: {said}");
        let is_said = said.contains("error: ") && said.contains("Too many open files");
        assert!(ended.status.code() == Some(0) || is_said, "{number}: {said}");
        statuses.push(ended.status.code());
    }
    assert!(statuses.contains(&Some(0)) && statuses.contains(&Some(1)), "{statuses:?}");
    fs::write(folder.path().join("e.toml"), LONG).unwrap();
    let run = Followed::follow(folder.path(), &mut with_files(folder.path(), 16, &[]));
    let others: Vec<TcpStream> = (0..20).map(|_| run.stranger("")).collect();
    // They are sent away after two seconds, and the page is there again.
    std::thread::sleep(Duration::from_secs(1));
    let state = run.state();
    assert_eq!((&state["stopping"], &state["ended"]), (&false.into(), &serde_json::Value::Null));
    assert_eq!(run.own("POST", "stop").0, 200);
    let (status, said) = run.ends();
    assert_eq!(status, Some(130), "{said}");
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(
        said.starts_with(
            "warning: the page of --live cannot be reached for now, the run goes on: Too many open files"
        ),
        "{said}"
    );
    drop(others);
}
