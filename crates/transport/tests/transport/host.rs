//! Processes of one host: what they do together, and what becomes of them when one is lost.

use crate::{LONG, TASK, exchange, go_on_here, grow, lose};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;
use weir_pdes::{Lost, OneProcess, Transport, check_transport};
use weir_transport::{Error, HostProcesses};

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
    let mut command = go_on_here(Command::new(std::env::current_exe().unwrap()), "host::member");
    command.env(TASK, task).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs a task in all processes, this one too.
fn run_all(processes: usize, task: &str) -> Result<Vec<ExitStatus>, Lost> {
    run(task, HostProcesses::start(processes, |_| this_program(task)).unwrap())
}

/// What a process does in a run.
fn run(task: &str, mut transport: HostProcesses) -> Result<Vec<ExitStatus>, Lost> {
    let mut words = task.split(' ');
    let name = words.next().unwrap();
    let numbers: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
    match name {
        "check" => {
            check_transport(&mut transport);
            // What a process starts does not inherit the memory.
            let files = Command::new("ls").args(["-l", "/proc/self/fd"]).output().unwrap();
            assert!(!String::from_utf8_lossy(&files.stdout).contains("memfd"), "{files:?}");
        }
        "grow" => grow(&mut transport, 40, usize::MAX),
        // The others wait until they are ended.
        "wait" => {
            if transport.process() != 0 {
                std::thread::sleep(LONG);
            }
            exchange(&mut transport, 0)?;
        }
        way => {
            lose(&mut transport, way, numbers[0] as usize, numbers[1])?;
            if way == "drop" {
                return Ok(Vec::new());
            }
        }
    }
    Ok(transport.finish().unwrap())
}

/// Also with more processes than there are cores.
#[test]
fn letters_and_words_go_between_processes() {
    for processes in [1, 2, 3, 4, 8] {
        let since = Instant::now();
        let statuses = run_all(processes, "check").unwrap();
        assert_eq!(statuses.len(), processes - 1);
        assert!(statuses.iter().all(ExitStatus::success), "{statuses:?}");
        assert!(since.elapsed() < LONG, "{:?}", since.elapsed());
    }
}

#[test]
fn outboxes_grow() {
    for processes in [2, 3] {
        let statuses = run_all(processes, "grow").unwrap();
        assert!(statuses.iter().all(ExitStatus::success), "{statuses:?}");
    }
}

/// What this process sees when one of those that it has started is lost.
fn check_lost(way: &str, process: usize, micros: u64, why: &str) {
    let task = format!("{way} {process} {micros}");
    let since = Instant::now();
    let lost = run_all(4, &task).unwrap_err();
    assert!(since.elapsed() < LONG, "{task}: {:?}", since.elapsed());
    assert_eq!(lost, Lost { process: Some(process), why: why.into() }, "{task}");
}

#[test]
fn a_lost_process_ends_the_run_of_all() {
    for process in 1..4 {
        check_lost("exit", process, 0, "has ended with status 7");
        check_lost("panic", process, 0, "has given up");
        check_lost("drop", process, 0, "has given up");
        check_lost("finish", process, 0, "is done, but others are not");
        for micros in (0..400).step_by(20) {
            check_lost("kill", process, micros, "was ended by signal 9");
        }
    }
}

/// A run of which this process is no part: process 0 is a child, and has the others.
#[test]
fn when_process_0_is_lost_the_others_end() {
    let kills = (0..400).step_by(20).map(|micros| format!("kill 0 {micros}"));
    for task in kills.chain(["exit 0 0", "panic 0 0", "drop 0 0", "finish 0 0"].map(String::from)) {
        let mut command = go_on_here(Command::new(std::env::current_exe().unwrap()), "host::leader");
        // The others inherit this end of a pipe; when it is read to its end all have ended.
        let (mut reader, writer) = std::io::pipe().unwrap();
        command.env(TASK, &task).stdin(Stdio::null()).stdout(writer).stderr(Stdio::null());
        let since = Instant::now();
        let mut child = command.spawn().unwrap();
        drop(command);
        std::io::Read::read_to_end(&mut reader, &mut Vec::new()).unwrap();
        let status = child.wait().unwrap();
        assert!(since.elapsed() < LONG, "{task}: {:?}", since.elapsed());
        assert_eq!(status.signal(), task.starts_with("kill").then_some(9), "{task}: {status}");
    }
}

/// Process 0 of the run of another test; alone, a run of one process.
#[test]
fn leader() {
    let Ok(task) = std::env::var(TASK) else {
        check_transport(&mut OneProcess);
        return;
    };
    let start = |_| {
        let mut command = this_program(&task);
        command.stdout(Stdio::inherit());
        command
    };
    // The others have been lost because of this one, or were ended by it.
    _ = run(&task, HostProcesses::start(4, start).unwrap());
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
