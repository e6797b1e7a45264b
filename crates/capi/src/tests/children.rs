//! Processes of ranks and what they have to do with ours: what they read, which group they are in, and that they end with us.

use super::apart::apart;
use super::processes::{run_processes, start};
use crate::harness::*;
use crate::process::signals::dies_with_us;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use weir_network::{Limits, Outcome, RunContext};
use weir_units::Rank;

/// Has this file stand for standard input, and SIGINT mean what it means at first: who started the tests may ignore it.
fn read_from(file: i32) {
    // SAFETY: the test has this process to itself.
    unsafe {
        assert_eq!(libc::dup2(file, 0), 0);
        libc::signal(libc::SIGINT, libc::SIG_DFL);
    }
}

/// Standard input is rank 0's: the others have none. Without a terminal each is the first of a group of its own.
#[test]
fn rank_0_reads_standard_input() {
    apart("children::rank_0_reads_standard_input", |folder| {
        std::fs::write(folder.join("input"), "12 words").unwrap();
        read_from(File::open(folder.join("input")).unwrap().as_raw_fd());
        let (ended, processes) = run_processes(2, "reads");
        assert_eq!((ended.outcome, processes.exit_codes()), (Outcome::Finished, vec![(Rank(0), 12)]));
        let (ended, processes) = run_processes(2, "is in a group");
        assert_eq!((ended.outcome, processes.exit_codes()), (Outcome::Finished, vec![]));
    });
}

/// A rank that reads from a terminal has to be in our group, and leaves it to us what a signal of the keyboard means.
#[test]
fn a_terminal_is_read_in_our_group() {
    apart("children::a_terminal_is_read_in_our_group", |_| {
        let (mut main, mut of_rank) = (-1, -1);
        let none = std::ptr::null_mut();
        // SAFETY: variables of our own; a new terminal.
        let made = unsafe { libc::openpty(&raw mut main, &raw mut of_rank, none, none.cast(), none.cast()) };
        if made < 0 {
            return; // The system has no terminals.
        }
        read_from(of_rank);
        let (ended, processes) = run_processes(2, "is in a group");
        assert_eq!((ended.outcome, processes.exit_codes()), (Outcome::Finished, vec![(Rank(0), 3)]));
    });
}

/// What a process has printed of a line when the run ends comes out; and one that does not end is ended, with those that it
/// has started.
#[test]
fn processes_end_with_the_run() {
    let ran = apart("children::processes_end_with_the_run", |folder| {
        let (ended, _) = run_processes(1, "prints and waits");
        assert!(matches!(ended.outcome, Outcome::Deadlock(_)));
        std::fs::write(folder.join("note"), "").unwrap();
        let limits = Limits { wall: Duration::from_millis(100), ..Limits::default() };
        let (_, mut programs) = start(1, "starts another", limits).unwrap();
        let Machine { network, placement, .. } = Machine::timed(1);
        let ended = network.run(&mut programs, RunContext::new(&placement).limits(limits));
        assert!(matches!(ended.outcome, Outcome::Limit(_)), "{:?}", ended.outcome);
        let note = std::fs::read_to_string(folder.join("note")).unwrap();
        let stat = format!("/proc/{}/stat", note.trim());
        let begin = Instant::now();
        let lives = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        while lives() {
            assert!(begin.elapsed() < Duration::from_secs(10), "{note} lives on");
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let Some(ran) = ran else { return };
    assert!(ran.printed.contains("the beginning of a line, held back\n"), "{}", ran.printed);
}

/// A process that is to end with us does so, however we end.
#[test]
fn processes_die_with_us() {
    apart("children::processes_die_with_us", |_| {
        let mut command = Command::new("sleep");
        command.arg("60").stdin(Stdio::null());
        dies_with_us(&mut command);
        // It is the thread that counts.
        let mut child = std::thread::spawn(move || command.spawn().unwrap()).join().unwrap();
        let begin = Instant::now();
        let ended = loop {
            if let Some(ended) = child.try_wait().unwrap() {
                break ended;
            }
            if begin.elapsed() > Duration::from_secs(10) {
                child.kill().unwrap();
                panic!("it lives on");
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        assert_eq!(ended.signal(), Some(libc::SIGKILL));
    });
}

/// The process of all ranks is not taken to the background.
#[test]
fn no_rank_makes_a_daemon() {
    let ran = apart("children::no_rank_makes_a_daemon", |_| {
        let ran = Machine::free(1).run_mpi(|_| {
            call_unchecked("__wrap_daemon", &[1, 1]);
        });
        let why = ran.aborted().1;
        assert!(
            why.starts_with("it called daemon: the process that would end is that of all ranks"),
            "{why}"
        );
        crate::process::stdio::error_line("refused");
    });
    assert!(ran.is_none_or(|ran| ran.errors.contains("refused")));
}

/// A thread that is no rank calls MPI: there is nobody to return an error to.
#[test]
fn calls_without_a_rank() {
    // Nor is one where a rank has run before.
    run(1, |_| ());
    let mut flag = 7;
    mpi!(Is_thread_main, &mut flag);
    assert_eq!((flag, code!(Is_thread_main, NULL)), (0, MPI_ERR_ARG));
    let output = super::apart::one_test("children::a_call_without_a_rank").arg("calls").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("error: MPI_Barrier was called while no rank was running; only the thread"),
        "{said}"
    );
}

/// What a process does that calls MPI without a rank; no test otherwise.
#[test]
fn a_call_without_a_rank() {
    if std::env::args().any(|argument| argument == "calls") {
        mpi!(Barrier, MPI_COMM_WORLD);
    }
}

/// Where no rank is running the functions of C are the C library's own.
#[test]
fn functions_of_c_without_a_rank() {
    apart("children::functions_of_c_without_a_rank", |_| {
        let int = |name: &str, words: &[usize]| call_unchecked(&format!("__wrap_{name}"), words) as i32;
        let long = |name: &str, words: &[usize]| call_unchecked(&format!("__wrap_{name}"), words) as i64;
        // SAFETY: functions of the C library.
        unsafe {
            let (mut told, before) = (0_i64, libc::time(std::ptr::null_mut()));
            assert!((before..before + 60).contains(&long("time", &[(&mut told).word()])) && told >= before);
            let mut day = libc::timeval { tv_sec: 0, tv_usec: 0 };
            assert_eq!(int("gettimeofday", &[(&mut day).word(), 0]), 0);
            assert!(day.tv_sec >= before);
            let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            assert_eq!(int("clock_gettime", &[libc::CLOCK_REALTIME as usize, (&mut time).word()]), 0);
            assert!(time.tv_sec >= before);
            assert_eq!(int("timespec_get", &[(&mut time).word(), 1]), 1);
            assert!(time.tv_sec >= before);
            let (mut ticks, mut usage): (libc::tms, libc::rusage) = (std::mem::zeroed(), std::mem::zeroed());
            assert!(long("times", &[(&mut ticks).word()]) > 0 && long("clock", &[]) > 0);
            assert_eq!(int("getrusage", &[libc::RUSAGE_SELF as usize, (&mut usage).word()]), 0);
            assert!(usage.ru_utime.tv_sec > 0 || usage.ru_utime.tv_usec > 0 || usage.ru_stime.tv_usec > 0);
            // These take their time.
            let begin = Instant::now();
            let short = libc::timespec { tv_sec: 0, tv_nsec: 2_000_000 };
            assert_eq!((int("sleep", &[0]), int("usleep", &[2000])), (0, 0));
            assert_eq!(int("nanosleep", &[(&short).word(), 0]), 0);
            assert_eq!(int("clock_nanosleep", &[libc::CLOCK_MONOTONIC as usize, 0, (&short).word(), 0]), 0);
            assert!(begin.elapsed() >= Duration::from_millis(6));
            // These are generators that the process has alone.
            int("srand", &[1]);
            assert_eq!((int("rand", &[]), libc::rand()), (1_804_289_383, 846_930_886));
            int("srandom", &[1]);
            assert_eq!((long("random", &[]), libc::rand()), (1_804_289_383, 846_930_886));
            int("srand48", &[0]);
            assert_eq!((long("lrand48", &[]), libc::lrand48()), (366_850_414, 1_610_402_240));
            let next = libc::mrand48();
            int("srand48", &[0]);
            (0..2).for_each(|_| _ = long("lrand48", &[]));
            assert_eq!(long("mrand48", &[]), next);
            let mut bits = [0_u8; 64];
            assert_eq!(int("getentropy", &[(&mut bits).word(), 64]), 0);
            assert_ne!(bits, [0; 64]);
            let mut words = *b"one two\0";
            let begin = words.as_mut_ptr() as usize;
            let blank = c" ".as_ptr() as usize;
            assert_eq!(call_unchecked("__wrap_strtok", &[begin, blank]), begin);
            assert_eq!(libc::strtok(std::ptr::null_mut(), c" ".as_ptr()) as usize, begin + 4);
        }
    });
}

/// What programs have printed by then stands before a line on standard error.
#[test]
fn lines_on_standard_error_come_in_their_order() {
    let ran = apart("children::lines_on_standard_error_come_in_their_order", |_| {
        // SAFETY: the test has this process to itself.
        unsafe {
            libc::dup2(2, 1);
            libc::puts(c"of a program".as_ptr());
        }
        crate::process::stdio::error_line("of ours");
    });
    assert!(ran.is_none_or(|ran| ran.errors.contains("of a program\nof ours\n")));
}
