//! Processes that run one simulation together, for real: each is this program again, which runs the one test that is
//! named `member`. Alone that is a run of one process.
#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "processes say what they have seen")]

mod command;
mod host;
mod launchers;

use std::process::Command;
use std::time::Duration;
use weir_pdes::{Lost, Transport};

/// What a process does is the content of this environment variable.
const TASK: &str = "WEIR_TRANSPORT_TASK";
/// Nothing here takes as long, on a busy machine of two cores.
const LONG: Duration = Duration::from_secs(60);

/// Has a command go on with this program, for the test of a name alone.
fn go_on_here(mut command: Command, test: &str) -> Command {
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command
}

/// A meeting at which all get the same.
fn exchange(transport: &mut dyn Transport, meeting: u64) -> Result<(), Lost> {
    let mut letters: Vec<Vec<u8>> = (0..transport.processes()).map(|to| vec![to as u8; 100]).collect();
    let mut words = [meeting, 5];
    transport.meet(&mut words, &mut letters, &mut |_, letter| assert_eq!(letter.len(), 100))?;
    assert_eq!(words, [meeting, 5]);
    Ok(())
}

/// Letters from nothing to 20 MB, or to the longest that is wanted, up and down.
fn grow(transport: &mut dyn Transport, words: usize, longest: usize) {
    let (own, count) = (transport.process(), transport.processes());
    let sizes = [0, 1, 999, 1_000, 60_000, 70_000, 10, 1_000_000, 20_000_000, 0, 3, 20_000_001]
        .map(|size: usize| size.min(longest));
    for (meeting, size) in sizes.into_iter().enumerate() {
        let byte = |from: usize, to: usize| (from * 64 + to * 8 + meeting) as u8;
        // Only one process has large ones, another one in each meeting.
        let size_from = |from: usize| if from == meeting % count { size } else { size.min(5_000) };
        let mut letters: Vec<Vec<u8>> = (0..count).map(|to| vec![byte(own, to); size_from(own)]).collect();
        let mut senders = Vec::new();
        let received = &mut |from, letter: &[u8]| {
            assert!(letter == vec![byte(from, own); size_from(from)]);
            senders.push(from);
        };
        transport.meet(&mut vec![meeting as u64; words], &mut letters, received).unwrap();
        let expected = if size == 0 { Vec::new() } else { (0..count).collect() };
        assert_eq!(senders, expected);
    }
}

/// Meets until a process is lost: the one of this number ends in some way. After some meetings, or, if it is killed, after
/// some microseconds: anywhere in a meeting.
fn lose(transport: &mut dyn Transport, way: &str, process: usize, micros: u64) -> Result<(), Lost> {
    let own = transport.process();
    for meeting in 0.. {
        exchange(transport, meeting)?;
        if own != process || meeting != 40 {
            continue;
        }
        match way {
            "kill" => _ = std::thread::spawn(move || kill_this_process(micros)),
            "exit" => std::process::exit(7),
            "panic" => panic!("as the test has asked"),
            _ => break,
        }
    }
    Ok(())
}

fn kill_this_process(micros: u64) {
    use rustix::process::{Signal, getpid, kill_process};
    std::thread::sleep(Duration::from_micros(micros));
    kill_process(getpid(), Signal::KILL).unwrap();
}
