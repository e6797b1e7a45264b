//! Processes under launchers of MPI: what they do together, and what becomes of them when one is lost. Each is this program
//! again, running the one test that is named `member`.
#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use weir_pdes::{Lost, OneProcess, Transport, check_transport};
use weir_transport::MpiProcesses;

/// What a process does is the content of this environment variable.
const TASK: &str = "WEIR_TRANSPORT_TASK";
/// Nothing here takes as long, on a busy machine of two cores.
const LONG: Duration = Duration::from_secs(60);

/// A process of another test, which says what it does; alone, a run of one process.
#[test]
fn member() {
    let Ok(task) = std::env::var(TASK) else {
        check_transport(&mut OneProcess);
        return;
    };
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

/// What a process does in a run.
fn run(task: &str, mut transport: MpiProcesses) -> Result<(), Lost> {
    let own = transport.process();
    let (name, number) = task.split_once(' ').unwrap_or((task, "0"));
    let number: usize = number.parse().unwrap();
    match name {
        "check" => {
            check_transport(&mut transport);
            println!("process {own} of {} by {}", transport.processes(), transport.library());
        }
        "grow" => grow(&mut transport),
        "pieces" => {
            transport = transport.with_pieces(1_000);
            grow(&mut transport);
        }
        "kill" | "exit" | "panic" | "drop" => {
            for meeting in 0.. {
                exchange(&mut transport, meeting)?;
                if own == number && meeting == 40 {
                    match name {
                        "kill" => kill_this_process(),
                        "exit" => std::process::exit(7),
                        "panic" => panic!("as the test has asked"),
                        _ => return Ok(()),
                    }
                }
            }
        }
        other => panic!("no task {other}"),
    }
    transport.finish().unwrap();
    Ok(())
}

fn kill_this_process() {
    use rustix::process::{Signal, getpid, kill_process};
    kill_process(getpid(), Signal::KILL).unwrap();
}

fn exchange(transport: &mut MpiProcesses, meeting: u64) -> Result<(), Lost> {
    let mut letters: Vec<Vec<u8>> = (0..transport.processes()).map(|to| vec![to as u8; 100]).collect();
    let mut words = [meeting, 5];
    transport.meet(&mut words, &mut letters, &mut |_, letter| assert_eq!(letter.len(), 100))?;
    assert_eq!(words, [meeting, 5]);
    Ok(())
}

/// Letters from nothing to 20 MB, up and down, and meetings without words.
fn grow(transport: &mut MpiProcesses) {
    let (own, count) = (transport.process(), transport.processes());
    for (meeting, size) in [0, 1, 999, 1_000, 1_001, 60_000, 20_000_000, 0, 3].into_iter().enumerate() {
        let byte = |from: usize, to: usize| (from * 64 + to * 8 + meeting) as u8;
        let size_from = |from: usize| if from == meeting % count { size } else { size.min(5_000) };
        let mut letters: Vec<Vec<u8>> = (0..count).map(|to| vec![byte(own, to); size_from(own)]).collect();
        let mut senders = Vec::new();
        let received = &mut |from, letter: &[u8]| {
            assert_eq!(letter.len(), size_from(from));
            assert!(letter.iter().all(|&found| found == byte(from, own)));
            senders.push(from);
        };
        transport.meet(&mut [], &mut letters, received).unwrap();
        let expected = if size == 0 { Vec::new() } else { (0..count).collect() };
        assert_eq!(senders, expected);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Launcher {
    /// MPICH 5, which `make setup` unpacks: by the standard's binary interface, or by MPICH's own.
    Mpich,
    MpichOwn,
    /// The system's Open MPI.
    OpenMpi,
}

const ALL: [Launcher; 3] = [Launcher::Mpich, Launcher::MpichOwn, Launcher::OpenMpi];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

impl Launcher {
    /// The beginning of a command that starts processes.
    fn command(self, processes: usize) -> Command {
        let mut command = match self {
            Self::Mpich | Self::MpichOwn => {
                let mut command = Command::new(root().join("target/mpich/bin/mpirun"));
                command.env("UCX_TLS", "self,shm");
                command
            }
            Self::OpenMpi => {
                let own = Path::new("/usr/bin/mpirun.openmpi");
                let mut command = Command::new(if own.exists() { own } else { Path::new("mpirun") });
                command.args(["--allow-run-as-root", "--oversubscribe"]);
                // What the launcher writes is taken away at its end; those of runs at the same time are apart.
                command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "emulated");
                command
            }
        };
        if self == Self::MpichOwn {
            command.env("WEIR_MPI_LIBRARY", root().join("target/mpich/lib/libmpi.so.12"));
        }
        command.args(["-n", &processes.to_string()]);
        command
    }
}

/// How processes have ended, and all that they and the launcher have written.
struct Ended {
    status: ExitStatus,
    text: String,
}

/// Starts processes that do something, and waits for them.
fn launch(launcher: Launcher, processes: usize, task: &str) -> Ended {
    finish(this_program(launcher.command(processes)).env(TASK, task))
}

fn this_program(mut command: Command) -> Command {
    command.arg(std::env::current_exe().unwrap());
    command.args(["--exact", "member", "--nocapture", "--test-threads=1"]);
    command
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
    assert!(!hangs, "{command:?} goes on after {:?}:\n{text}", since.elapsed());
    Ended { status, text }
}

#[test]
fn letters_and_words_go_between_processes() {
    for launcher in ALL {
        for processes in [2, 3, 4] {
            let Ended { status, text } = launch(launcher, processes, "check");
            assert!(status.success(), "{launcher:?}, {processes}: {status}\n{text}");
            let lines: Vec<&str> = text.lines().filter(|line| line.contains(" by ")).collect();
            assert_eq!(lines.len(), processes, "{launcher:?}\n{text}");
            let library = match launcher {
                Launcher::Mpich => "target/mpich/lib/libmpi_abi.so.1",
                Launcher::MpichOwn => "target/mpich/lib/libmpi.so.12",
                Launcher::OpenMpi => "libmpi.so.40",
            };
            assert!(lines.iter().all(|line| line.ends_with(library)), "{launcher:?}\n{text}");
        }
    }
}

#[test]
fn one_process_is_alone() {
    for launcher in ALL {
        let Ended { status, text } = launch(launcher, 1, "check");
        assert!(status.success() && text.contains("alone\n"), "{launcher:?}: {status}\n{text}");
    }
}

#[test]
fn more_processes_than_cores_go_on() {
    for launcher in [Launcher::Mpich, Launcher::OpenMpi] {
        let Ended { status, text } = launch(launcher, 8, "check");
        assert!(status.success(), "{launcher:?}: {status}\n{text}");
    }
}

#[test]
fn letters_may_be_long_and_go_in_pieces() {
    for launcher in ALL {
        for task in ["grow", "pieces"] {
            let Ended { status, text } = launch(launcher, 3, task);
            assert!(status.success(), "{launcher:?}, {task}: {status}\n{text}");
        }
    }
}

#[test]
fn a_lost_process_ends_the_run_of_all() {
    for launcher in [Launcher::Mpich, Launcher::OpenMpi] {
        for task in ["kill 0", "kill 2", "exit 1", "panic 0", "panic 1", "drop 1"] {
            let Ended { status, text } = launch(launcher, 3, task);
            assert!(!status.success(), "{launcher:?}, {task}: {status}\n{text}");
        }
    }
}

#[test]
fn the_library_of_another_mpi_is_refused() {
    let abi = root().join("target/mpich/lib/libmpi_abi.so.1");
    let other = [
        (Launcher::OpenMpi, abi, "is no library of Open MPI, which the launcher belongs to"),
        (
            Launcher::Mpich,
            PathBuf::from("libmpi.so.40"),
            "2 processes, but libmpi.so.40 knows of 1: it belongs to another",
        ),
    ];
    for (launcher, library, expected) in other {
        let mut command = this_program(launcher.command(2));
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
        let mut command = this_program(Launcher::Mpich.command(2));
        let Ended { status, text } = finish(command.env(TASK, "check").env("WEIR_MPI_LIBRARY", library));
        assert!(!status.success(), "{text}");
        assert!(text.contains(why) && text.contains("hint: install the MPI"), "{text}");
    }
}
