//! Processes of one host: what they do together, and what becomes of them when one is lost. Each is this program again,
//! running the one test that is named `member`.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use weir_pdes::{Lost, OneProcess, Transport, check_transport};
use weir_transport::{Error, HostProcesses};

/// What a process does is the content of this environment variable.
const TASK: &str = "WEIR_TRANSPORT_TASK";
/// Nothing here takes as long.
const LONG: Duration = Duration::from_secs(30);

/// A process of another test, which says what it does; alone, a run of one process.
#[test]
fn member() {
    let Some(transport) = HostProcesses::join().unwrap() else {
        check_transport(&mut OneProcess);
        return;
    };
    let task = std::env::var(TASK).unwrap();
    match run(&task, transport) {
        Ok(_) => {}
        Err(lost) => {
            eprintln!("{lost:?}");
            std::process::exit(3);
        }
    }
}

/// This program, as a process that does something.
fn this_program(task: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "member", "--nocapture", "--test-threads=1"]).env(TASK, task);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs a task in all processes, this one too.
fn run_all(processes: usize, task: &str) -> Result<Vec<ExitStatus>, Lost> {
    run(task, HostProcesses::start(processes, |_| this_program(task)).unwrap())
}

/// What a process does in a run.
fn run(task: &str, mut transport: HostProcesses) -> Result<Vec<ExitStatus>, Lost> {
    let own = transport.process();
    let (name, number) = task.split_once(' ').unwrap_or((task, "0"));
    let number: usize = number.parse().unwrap();
    match name {
        "check" => check_transport(&mut transport),
        "grow" => grow(&mut transport),
        // One process meets no more after a while, in one way or another.
        "kill" | "exit" | "panic" | "finish" | "drop" => {
            for meeting in 0.. {
                exchange(&mut transport, meeting)?;
                if own == number && meeting == 40 {
                    match name {
                        "kill" => rustix::process::kill_process(
                            rustix::process::getpid(),
                            rustix::process::Signal::KILL,
                        )
                        .unwrap(),
                        "exit" => std::process::exit(7),
                        "panic" => panic!("as the test has asked"),
                        "finish" => return Ok(transport.finish().unwrap()),
                        _ => return Ok(Vec::new()),
                    }
                }
            }
        }
        // The others wait until they are ended.
        "wait" => {
            if own != 0 {
                std::thread::sleep(LONG);
            }
            exchange(&mut transport, 0)?;
        }
        other => panic!("no task {other}"),
    }
    Ok(transport.finish().unwrap())
}

fn exchange(transport: &mut HostProcesses, meeting: u64) -> Result<(), Lost> {
    let mut letters: Vec<Vec<u8>> = (0..transport.processes()).map(|to| vec![to as u8; 100]).collect();
    let mut words = [meeting, 5];
    transport.meet(&mut words, &mut letters, &mut |_, letter| assert_eq!(letter.len(), 100))?;
    assert_eq!(words, [meeting, 5]);
    Ok(())
}

/// Letters from nothing to 20 MB, up and down.
fn grow(transport: &mut HostProcesses) {
    let (own, count) = (transport.process(), transport.processes());
    let sizes = [0, 1, 60_000, 70_000, 10, 1_000_000, 20_000_000, 0, 3, 20_000_001];
    for (meeting, size) in sizes.into_iter().enumerate() {
        let byte = |from: usize, to: usize| (from * 64 + to * 8 + meeting) as u8;
        // Only one process has large ones, another one in each meeting.
        let size_from = |from: usize| if from == meeting % count { size } else { size.min(5_000) };
        let mut letters: Vec<Vec<u8>> = (0..count).map(|to| vec![byte(own, to); size_from(own)]).collect();
        let mut senders = Vec::new();
        let received = &mut |from, letter: &[u8]| {
            assert_eq!(letter.len(), size_from(from));
            assert!(letter.iter().all(|&found| found == byte(from, own)));
            senders.push(from);
        };
        transport.meet(&mut [meeting as u64; 40], &mut letters, received).unwrap();
        let expected = if size == 0 { Vec::new() } else { (0..count).collect() };
        assert_eq!(senders, expected);
    }
}

#[test]
fn letters_and_words_go_between_processes() {
    for processes in 1..=4 {
        let statuses = run_all(processes, "check").unwrap();
        assert_eq!(statuses.len(), processes - 1);
        assert!(statuses.iter().all(ExitStatus::success), "{statuses:?}");
    }
}

#[test]
fn more_processes_than_cores_go_on() {
    let since = Instant::now();
    let statuses = run_all(8, "check").unwrap();
    assert!(statuses.iter().all(ExitStatus::success), "{statuses:?}");
    assert!(since.elapsed() < LONG, "{:?}", since.elapsed());
}

#[test]
fn outboxes_grow() {
    for processes in [2, 3] {
        let statuses = run_all(processes, "grow").unwrap();
        assert!(statuses.iter().all(ExitStatus::success), "{statuses:?}");
    }
}

/// Loses one of the processes that this one has started; what this one sees.
fn lose(processes: usize, task: &str) -> String {
    let since = Instant::now();
    let lost = run_all(processes, task).unwrap_err();
    assert!(since.elapsed() < LONG, "{task}: {:?}", since.elapsed());
    assert_eq!(lost.process, Some(task.split_once(' ').unwrap().1.parse().unwrap()), "{task}: {lost:?}");
    lost.why
}

#[test]
fn a_lost_process_ends_the_run_of_all() {
    for process in 1..4 {
        assert_eq!(lose(4, &format!("kill {process}")), "was ended by signal 9");
        assert_eq!(lose(4, &format!("exit {process}")), "has ended with status 7");
        assert_eq!(lose(4, &format!("panic {process}")), "has given up");
        assert_eq!(lose(4, &format!("drop {process}")), "has given up");
        assert_eq!(lose(4, &format!("finish {process}")), "is done, but others are not");
    }
}

/// A run of which this process is no part: process 0 is a child, and has the others.
#[test]
fn when_process_0_is_lost_the_others_end() {
    for task in ["kill 0", "exit 0", "panic 0", "drop 0"] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "leader", "--nocapture", "--test-threads=1"]).env(TASK, task);
        // The others inherit this end of a pipe; when it is read to its end all have ended.
        let (mut reader, writer) = std::io::pipe().unwrap();
        command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::null()).env("WEIR_TRANSPORT_PIPE", "1");
        let since = Instant::now();
        let mut child = command.spawn().unwrap();
        drop(command);
        std::io::Read::read_to_end(&mut reader, &mut Vec::new()).unwrap();
        let status = child.wait().unwrap();
        assert!(since.elapsed() < LONG, "{task}: {:?}", since.elapsed());
        assert_eq!(status.signal(), (task == "kill 0").then_some(9), "{task}: {status}");
    }
}

/// Process 0 of the run of another test; alone, a run of one process.
#[test]
fn leader() {
    let Ok(task) = std::env::var(TASK) else {
        check_transport(&mut OneProcess);
        return;
    };
    let started = HostProcesses::start(4, |_| {
        let mut command = this_program(&task);
        command.stdout(Stdio::inherit());
        command
    });
    assert!(run(&task, started.unwrap()).is_ok_and(|_| task == "drop 0"), "the run is lost");
}

#[test]
fn signals_are_passed_on() {
    let transport = HostProcesses::start(3, |_| this_program("wait")).unwrap();
    let mut asked = 0;
    let mut transport = transport.forwarding(move || {
        asked += 1;
        (asked > 3).then_some(15)
    });
    let lost = exchange(&mut transport, 0).unwrap_err();
    assert_eq!(lost.why, "was ended by signal 15");
}

#[test]
fn a_process_that_cannot_be_started_ends_the_others() {
    let since = Instant::now();
    let error = HostProcesses::start(3, |process| {
        if process == 1 { this_program("check") } else { Command::new("/no/such/program") }
    });
    assert!(matches!(error, Err(Error::Start { process: 2, .. })), "{error:?}");
    assert!(since.elapsed() < LONG);
}

#[test]
fn an_environment_that_names_no_run_is_refused() {
    for invitation in ["", "yes", "1 2 1 100 101 102 103 104"] {
        let mut command = this_program("check");
        let ended = command.env("WEIR_PROCESS", invitation).stderr(Stdio::piped()).output().unwrap();
        assert!(!ended.status.success(), "{invitation}");
        let text = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(text.contains("Invitation"), "{invitation}: {text}");
    }
}
