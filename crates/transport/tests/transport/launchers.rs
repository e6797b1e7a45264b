//! Processes under launchers of MPI: what they do together, and what becomes of them when one is lost.

use crate::command::{Launcher, clean_up, root};
use crate::{LONG, TASK, go_on_here, grow, lose};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;
use weir_pdes::{Lost, OneProcess, Transport, check_transport};
use weir_transport::MpiProcesses;

/// A process of another test, which says what it does; alone, a run of one process.
#[test]
fn member() {
    let Ok(task) = std::env::var(TASK) else {
        check_transport(&mut OneProcess);
        return;
    };
    bind(&task);
    let transport = match MpiProcesses::join() {
        Ok(Some(transport)) => transport,
        Ok(None) => {
            println!("alone");
            return;
        }
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(2);
        }
    };
    if let Err(lost) = run(&task, transport) {
        eprintln!("lost: {lost:?}");
        std::process::exit(3);
    }
}

/// Where the task names cores, processes take one each, in turn.
fn bind(task: &str) {
    let Some(cores) = task.strip_prefix("cores ") else { return };
    let cores: Vec<usize> = cores.split(' ').map(|core| core.parse().unwrap()).collect();
    let number = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].iter().find_map(|name| std::env::var(name).ok());
    let number: usize = number.expect("a launcher says the number of a process").parse().unwrap();
    let mut own = CpuSet::new();
    own.set(cores[number % cores.len()]);
    sched_setaffinity(None, &own).unwrap();
}

/// The beginning of a line in which a process names a file of MPICH's in memory.
const MEMORY: &str = "memory: /dev/shm/mpich_shm_";

/// What a process does in a run.
fn run(task: &str, mut transport: MpiProcesses) -> Result<(), Lost> {
    let mut words = task.split(' ');
    let name = words.next().unwrap();
    let numbers: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
    match name {
        "check" => {
            check_transport(&mut transport);
            println!("process {} by {}", transport.process(), transport.library());
        }
        "grow" => grow(&mut transport, 0, usize::MAX),
        "cores" => println!("process {} shares with {}", transport.process(), transport.on_this_host()),
        "pieces" => {
            transport = transport.with_pieces(1_000);
            grow(&mut transport, 3, 300_001); // 301 pieces
        }
        way => {
            // MPICH's files in memory outlive processes that are killed: who has started this one takes them away.
            let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
            let files = maps.lines().filter_map(|line| line.split_once("/dev/shm/mpich_shm_"));
            files.for_each(|(_, file)| println!("{MEMORY}{file}"));
            return lose(&mut transport, way, numbers[0] as usize, numbers[1]);
        }
    }
    transport.finish().unwrap();
    Ok(())
}

/// How processes have ended, and all that they and the launcher have written.
struct Ended {
    status: ExitStatus,
    text: String,
}

/// Starts processes that do something, and waits for them.
fn launch(launcher: Launcher, processes: usize, task: &str) -> Ended {
    finish(this_program(launcher, processes).env(TASK, task))
}

/// Starts processes that end well, and returns what they write.
fn succeed(launcher: Launcher, processes: usize, task: &str) -> String {
    let Ended { status, text } = launch(launcher, processes, task);
    assert!(status.success(), "{launcher:?}, {processes}, {task}: {status}\n{text}");
    text
}

fn this_program(launcher: Launcher, processes: usize) -> Command {
    let mut command = launcher.command(processes);
    command.arg(std::env::current_exe().unwrap());
    go_on_here(command, "launchers::member")
}

fn finish(command: &mut Command) -> Ended {
    let since = Instant::now();
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; is `make setup` done?"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    // A process that hangs would keep the pipe open: the launcher is ended then, and with it all.
    let (done, is_done) = std::sync::mpsc::channel();
    let reading = std::thread::spawn(move || {
        let mut text = Vec::new();
        reader.read_to_end(&mut text).unwrap();
        _ = done.send(());
        String::from_utf8_lossy(&text).into_owned()
    });
    let hangs = is_done.recv_timeout(LONG).is_err();
    if hangs {
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }
    let status = child.wait().unwrap();
    let text = reading.join().unwrap();
    clean_up(command);
    for file in text.lines().filter_map(|line| line.split_once(MEMORY)?.1.split_whitespace().next()) {
        // Each process has named it, and the first time it is taken away.
        _ = std::fs::remove_file(format!("/dev/shm/mpich_shm_{file}"));
    }
    assert!(!hangs, "{command:?} goes on after {:?}:\n{text}", since.elapsed());
    Ended { status, text }
}

/// Under all launchers at the same time: most of what one takes is waiting.
fn under_each(check: impl Fn(Launcher) + Sync) {
    std::thread::scope(|scope| {
        for launcher in Launcher::ALL {
            let check = &check;
            scope.spawn(move || check(launcher));
        }
    });
}

#[test]
fn letters_and_words_go_between_processes() {
    for launcher in Launcher::ALL {
        for processes in [2, 3, 4] {
            let text = succeed(launcher, processes, "check");
            let lines: Vec<&str> = text.lines().filter(|line| line.contains(" by ")).collect();
            assert_eq!(lines.len(), processes, "{launcher:?}\n{text}");
            assert!(lines.iter().all(|line| line.ends_with(launcher.library())), "{launcher:?}\n{text}");
        }
    }
}

/// Those that share cores are counted, as where a host is busy with several processes, or a launcher binds each to its own
/// cores: of three processes on two cores the first and the last are on one.
#[test]
fn processes_that_share_cores_are_counted() {
    let own = sched_getaffinity(None).unwrap();
    let cores: Vec<String> =
        (0..CpuSet::MAX_CPU).filter(|&core| own.is_set(core)).take(2).map(|core| core.to_string()).collect();
    let expected = if cores.len() == 2 { [2, 1, 2] } else { [3, 3, 3] };
    for launcher in Launcher::ALL {
        let text = succeed(launcher, 3, &format!("cores {}", cores.join(" ")));
        for (process, count) in expected.into_iter().enumerate() {
            let line = format!("process {process} shares with {count}\n");
            assert!(text.contains(&line), "{launcher:?}: {line}{text}");
        }
    }
}

#[test]
fn one_process_is_alone_and_more_than_cores_go_on() {
    for launcher in Launcher::ALL {
        let text = succeed(launcher, 1, "check");
        assert!(text.contains("alone\n"), "{launcher:?}: {text}");
        succeed(launcher, 8, "check");
    }
}

#[test]
fn letters_may_be_long_and_go_in_pieces() {
    under_each(|launcher| {
        for task in ["grow", "pieces"] {
            succeed(launcher, 3, task);
        }
    });
}

#[test]
fn a_lost_process_ends_the_run_of_all() {
    under_each(|launcher| {
        for task in ["kill 0 0", "kill 1 90", "kill 2 170", "exit 1 0", "panic 0 0", "panic 1 0", "drop 1 0"]
        {
            let Ended { status, text } = launch(launcher, 3, task);
            assert!(!status.success(), "{launcher:?}, {task}: {status}\n{text}");
        }
    });
}

#[test]
fn the_library_of_another_mpi_is_refused() {
    let abi = root().join("target/mpich/lib/libmpi_abi.so.1");
    let other = [
        (Launcher::OpenMpi5, abi.clone(), "is no library of Open MPI, which the launcher belongs to"),
        (Launcher::OpenMpi, abi, "is no library of Open MPI, which the launcher belongs to"),
        (
            Launcher::Mpich,
            PathBuf::from("libmpi.so.40"),
            "2 processes, but libmpi.so.40 knows of 1: it belongs to another",
        ),
    ];
    for (launcher, library, expected) in other {
        let mut command = this_program(launcher, 2);
        let Ended { status, text } = finish(command.env(TASK, "check").env("WEIR_MPI_LIBRARY", &library));
        assert!(!status.success(), "{launcher:?}: {text}");
        assert!(text.contains(expected) && text.contains("hint: "), "{launcher:?}: {text}");
    }
}

#[test]
fn without_a_library_it_is_said_what_to_install() {
    let weir = std::env::current_exe().unwrap().with_file_name("libmpi_abi.so");
    assert!(weir.exists(), "{}", weir.display());
    let other = [
        ("/no/such/library.so", "cannot open shared object file"),
        (weir.to_str().unwrap(), "is weir's own"),
    ];
    for (library, why) in other {
        let mut command = this_program(Launcher::Mpich, 2);
        let Ended { status, text } = finish(command.env(TASK, "check").env("WEIR_MPI_LIBRARY", library));
        assert!(!status.success(), "{text}");
        assert!(text.contains(why) && text.contains("hint: install the MPI"), "{text}");
    }
}
