//! Ranks in processes of their own: this test program itself, which does what a rank does when it is started as one.

#![allow(clippy::print_stdout, reason = "what these processes print is looked at")]

use super::apart::{apart, one_test};
use crate::harness::*;
use crate::remote::{self, ProcessError, Processes, RankProcess};
use std::ffi::{c_char, c_void};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::rc::Rc;
use std::time::{Duration, Instant};
use weir_collectives::{Choice, Condition, FromTo, Named, Parameters, Preset, Row};
use weir_network::{Ended, Limits, Outcome, Program, RunContext};
use weir_units::Rank;

/// Something of everything: both protocols, collectives, looks in vain, windows, own work.
pub(super) fn everything(rank: usize) {
    let (other, data, mut got) = (1 - rank, [rank as i32; 50], [0; 50]);
    for count in [2, 50] {
        mpi!(Sendrecv, &data, count, MPI_INT, other, 0, &mut got, count, MPI_INT, other, 0, WORLD, NULL);
        assert_eq!(got[count - 1], other as i32);
    }
    work(300 * rank as u64);
    let mut sum = 0;
    mpi!(Allreduce, &(rank as i32 + 1), &mut sum, 1, MPI_INT, MPI_SUM, WORLD);
    assert_eq!(sum, 3);
    let mut requests = [
        get_handle!(Irecv, &mut got, 50, MPI_INT, other, 1, WORLD),
        get_handle!(Isend, &data, 50, MPI_INT, other, 1, WORLD),
    ];
    let (mut flag, mut index) = (0, 0);
    while flag == 0 {
        mpi!(Testany, 2, &mut requests, &mut index, &mut flag, NULL);
    }
    mpi!(Waitany, 2, &mut requests, &mut index, NULL);
    let (mut base, mut win) = (std::ptr::null_mut::<i32>(), MPI_WIN_NULL);
    mpi!(Win_allocate, 8, 4, MPI_INFO_NULL, WORLD, &mut base, &mut win);
    mpi!(Win_fence, 0, win);
    mpi!(Put, &data, 2, MPI_INT, other, 0, 2, MPI_INT, win);
    mpi!(Win_fence, 0, win);
    // SAFETY: two ints are there.
    assert_eq!(unsafe { *base.add(1) }, other as i32);
    mpi!(Win_free, &mut win);
    if rank == 1 {
        mpi!(Send, &data, 1, MPI_INT, 0, 2, WORLD);
    } else {
        mpi!(Probe, MPI_ANY_SOURCE, 2, WORLD, NULL);
        mpi!(Recv, &mut got, 1, MPI_INT, 1, 2, WORLD, NULL);
    }
    // Time comes up to the rank's clock, so that nothing remains to do at its end.
    mpi!(Iprobe, other, 3, WORLD, &mut flag, NULL);
    let (mut name, mut length) = ([0 as c_char; 256], 0);
    mpi!(Get_processor_name, &mut name, &mut length);
    assert_eq!(text(&name), format!("node{rank}"));
}

/// Waits for a message that nobody sends.
fn waits_for_nothing(rank: usize) {
    if rank == 0 {
        mpi!(Recv, &mut 0, 1, MPI_INT, 1, 7, WORLD, NULL);
    }
}

/// Opens a file that is not there, and one that is only there where rank 0 looks, and writes and reads it in the order of ranks.
fn shares_a_file(rank: usize) {
    let mut shared = 0_usize;
    let code = code!(File_open, WORLD, c"/no/such/file", MPI_MODE_RDWR, MPI_INFO_NULL, &mut shared);
    assert_eq!(code, MPI_ERR_NO_SUCH_FILE);
    let mut shared = file(WORLD, "of_processes");
    let (mut size, mut got) = (0_i64, [0; 2]);
    for round in 1..3 {
        mpi!(File_write_ordered, shared, &[10 * round + rank as i32; 2], 1 + rank, MPI_INT, NULL);
        mpi!(File_get_position_shared, shared, &mut size);
        assert_eq!(size, 12 * i64::from(round));
    }
    mpi!(File_seek_shared, shared, 4, MPI_SEEK_SET);
    mpi!(File_read_ordered, shared, &mut got, 2, MPI_INT, NULL);
    assert_eq!(got, [[11, 11], [20, 21]][rank]);
    mpi!(File_get_size, shared, &mut size);
    assert_eq!(size, 24);
    mpi!(File_close, &mut shared);
}

/// What a rank does, by name; what its process ends with.
fn carry_out(body: &str) -> i32 {
    let begin = || {
        mpi!(Init, 0, 0);
        errors_return(WORLD);
        errors_return(MPI_COMM_SELF);
        rank_in(WORLD) as usize
    };
    match body {
        "everything" => {
            everything(begin());
            mpi!(Finalize);
        }
        "waits for nothing" => {
            waits_for_nothing(begin());
            mpi!(Finalize);
        }
        "shares a file" => {
            shares_a_file(begin());
            mpi!(Finalize);
        }
        "works on" => {
            begin();
            mpi!(Finalize);
            mpi!(Initialized, &mut 0);
            work(700);
        }
        "ends with its rank" => {
            let rank = begin();
            mpi!(Finalize);
            return 3 * rank as i32;
        }
        "is not over" => {
            if begin() == 1 {
                return 5;
            }
            mpi!(Barrier, WORLD);
        }
        "calls by a second thread" => {
            if begin() == 1 {
                std::thread::spawn(|| mpi!(Barrier, WORLD)).join().expect("the process ends");
            }
            mpi!(Barrier, WORLD);
        }
        "crashes" => {
            let rank = begin();
            mpi!(Barrier, WORLD);
            if rank == 1 {
                // SAFETY: ends the process.
                unsafe { libc::abort() };
            }
            mpi!(Barrier, WORLD);
        }
        "aborts" => {
            if begin() == 1 {
                call("MPI_Abort", &[WORLD, 9]);
            }
            mpi!(Barrier, WORLD);
        }
        "shares nothing" => {
            begin();
            let (mut made, mut base) = (0_usize, 0_usize);
            let code = code!(Publish_name, c"service", MPI_INFO_NULL, c"port");
            assert_eq!(code, MPI_ERR_UNSUPPORTED_OPERATION);
            let code = code!(Win_allocate_shared, 8, 4, MPI_INFO_NULL, WORLD, &mut base, &mut made);
            assert_eq!(code, MPI_ERR_RMA_SHARED);
            let argv = hint(MPI_INFO_ENV, c"argv").expect("there are words");
            assert!(argv.ends_with("does=shares nothing"), "{argv}");
            mpi!(Finalize);
        }
        "has no MPI" => return 4,
        "reads" => {
            let mut text = String::new();
            begin();
            std::io::stdin().read_to_string(&mut text).unwrap();
            mpi!(Finalize);
            return text.split(' ').next().unwrap().parse().unwrap_or(0);
        }
        "is in a group" => {
            begin();
            mpi!(Finalize);
            // SAFETY: questions about this process.
            unsafe {
                let is_in_ours = libc::getpgrp() != libc::getpid();
                let ignores = libc::signal(libc::SIGINT, libc::SIG_DFL) == libc::SIG_IGN;
                return i32::from(is_in_ours) + 2 * i32::from(ignores);
            }
        }
        "prints and waits" => {
            begin();
            let text = b"the beginning of a line";
            // SAFETY: bytes of our own.
            unsafe {
                libc::write(1, text.as_ptr().cast(), text.len());
                libc::puts(c", held back".as_ptr());
            }
            mpi!(Recv, &mut 0, 1, MPI_INT, 0, 7, WORLD, NULL);
        }
        "starts another" => {
            let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
            std::fs::write("note", child.id().to_string()).unwrap();
            begin();
            child.wait().unwrap();
        }
        "sleeps for ever" => {
            begin();
            std::thread::sleep(Duration::from_secs(60));
        }
        "prints" => {
            let rank = begin();
            print!("begun {rank}, ");
            if rank == 0 {
                mpi!(Recv, &mut 0, 1, MPI_INT, 1, 0, WORLD, NULL);
            }
            println!("ended {rank}");
            if rank == 1 {
                mpi!(Send, &0, 1, MPI_INT, 0, 0, WORLD);
            }
            mpi!(Finalize);
            print!("last of {rank}");
        }
        other => panic!("no rank does {other}"),
    }
    0
}

extern "C" fn no_long_doubles(_: i32, _: i32, _: i64, _: *const c_void, _: *mut c_void) -> i32 {
    1
}

/// The process of a rank; no test otherwise.
#[test]
fn a_rank() {
    let Some(body) = std::env::args().find_map(|argument| argument.strip_prefix("does=").map(str::to_owned))
    else {
        return;
    };
    remote::enable(no_long_doubles as *mut c_void);
    let code = std::panic::catch_unwind(|| carry_out(&body)).unwrap_or(101);
    std::process::exit(code)
}

/// Processes that do this, on the machine of [`Machine::timed`].
pub(super) fn start(
    ranks: usize,
    body: &str,
    limits: Limits,
) -> Result<(Rc<Processes>, Vec<RankProcess>), ProcessError> {
    start_on(Machine::timed(ranks), body, limits)
}

/// Likewise on another machine.
fn start_on(
    Machine { mut options, .. }: Machine,
    body: &str,
    limits: Limits,
) -> Result<(Rc<Processes>, Vec<RankProcess>), ProcessError> {
    let command = one_test("processes::a_rank");
    options.programs[0].path = command.get_program().into();
    options.programs[0].args = command.get_args().map(Into::into).collect();
    options.programs[0].args.push(format!("does={body}").into());
    Processes::start(&options, limits)
}

pub(super) fn run_processes(ranks: usize, body: &str) -> (Ended, Rc<Processes>) {
    let (processes, mut programs) = start(ranks, body, Limits::default()).unwrap();
    let Machine { network, placement, limits, .. } = Machine::timed(ranks);
    (network.run(&mut programs, RunContext::new(&placement).limits(limits)), processes)
}

/// What decides about algorithms goes to the processes: the preset, and a table.
#[test]
fn ranks_in_processes_have_the_table() {
    apart("processes::ranks_in_processes_have_the_table", |_| {
        let machine = |preset, algorithm: Option<&str>| {
            let mut machine = Machine::timed(2);
            let row = |name| Row {
                when: Condition { ranks: Some(FromTo { from: 2, to: 8 }), ..Condition::default() },
                algorithm: Named::new("allreduce", name).unwrap(),
                parameters: Parameters::default(),
            };
            let selection = algorithm.map(row).into_iter().collect::<Vec<_>>().into();
            machine.options.choice = Choice { preset, selection, ..Choice::default() };
            machine
        };
        let mut ends = Vec::new();
        for (preset, algorithm) in
            [(Preset::Mpich, None), (Preset::Mpich, Some("basic-linear")), (Preset::Fujitsu, Some("ring"))]
        {
            let machine = || machine(preset, algorithm);
            let (_, mut programs) = start_on(machine(), "everything", Limits::default()).unwrap();
            let Machine { network, placement, limits, .. } = machine();
            let ended = network.run(&mut programs, RunContext::new(&placement).limits(limits));
            assert_eq!(ended, machine().run_mpi(everything).ended, "{preset:?} {algorithm:?}");
            ends.push((ended.at, ended.traffic.messages));
        }
        assert_ne!(ends[0], ends[1]);
        assert_ne!(ends[0], ends[2]);
    });
}

/// In processes of their own ranks do the same as coroutines, to the last event.
#[test]
fn ranks_are_the_same_in_processes() {
    apart("processes::ranks_are_the_same_in_processes", |_| {
        let (ended, processes) = run_processes(2, "everything");
        let ran = timed(2, everything);
        assert_eq!(ended, ran.ended);
        // A process asks for its rank.
        assert_eq!(processes.mpi_calls(), ran.world.mpi_calls() + 2);
        assert!(processes.context_switches() >= ran.world.context_switches());
        assert_eq!((processes.without_mpi(), processes.exit_codes()), (0, vec![]));
        // Whom a rank waits for, and in which words.
        let (ended, _) = run_processes(2, "waits for nothing");
        assert_eq!(ended, Machine::timed(2).run_mpi(waits_for_nothing).ended);
        assert!(matches!(ended.outcome, Outcome::Deadlock(_)));
        // Ranks of one node that are processes have no memory, files or names in common.
        let (ended, processes) = run_processes(2, "shares nothing");
        assert_eq!((ended.outcome, processes.exit_codes()), (Outcome::Finished, vec![]));
        let (ended, _) = run_processes(2, "shares a file");
        assert_eq!((ended.outcome, ended.at), (Outcome::Finished, timed(2, shares_a_file).ended.at));
        // Its own work goes on behind the end of MPI.
        let (ended, _) = run_processes(2, "works on");
        assert_eq!((ended.outcome, ended.at.as_ps()), (Outcome::Finished, 700_000));
    });
}

/// How runs end whose processes do not end as they should.
#[test]
fn odd_ends_of_processes() {
    let ran = apart("processes::odd_ends_of_processes", |_| {
        let (ended, processes) = run_processes(3, "ends with its rank");
        assert_eq!((ended.outcome, processes.without_mpi()), (Outcome::Finished, 0));
        assert_eq!(processes.exit_codes(), [(Rank(1), 3), (Rank(2), 6)]);
        let (ended, processes) = run_processes(2, "has no MPI");
        assert_eq!((ended.outcome, processes.without_mpi()), (Outcome::Finished, 2));
        assert_eq!(processes.exit_codes(), [(Rank(0), 4), (Rank(1), 4)]);
        for (body, expected) in [
            ("is not over", "its process ended with 5 before MPI_Finalize"),
            ("crashes", "its process died by signal 6, after MPI_Barrier"),
            (
                "calls by a second thread",
                "it called MPI_Barrier by a second thread; in ranks that are processes of their own only the thread that \
                 called MPI first may do so (MPI_THREAD_FUNNELED)",
            ),
            ("aborts", "it called MPI_Abort with error code 9"),
        ] {
            let (ended, _) = run_processes(2, body);
            let Outcome::Aborted { rank, why } = ended.outcome else { panic!("{:?}", ended.outcome) };
            assert_eq!((rank, why.as_str()), (Rank(1), expected));
        }
        // A limit of the clock on the wall ends one that does not come back.
        let limits = Limits { wall: Duration::from_millis(300), ..Limits::default() };
        let begin = Instant::now();
        let (_, mut programs) = start(1, "sleeps for ever", limits).unwrap();
        let Machine { network, placement, .. } = Machine::timed(1);
        let ended = network.run(&mut programs, RunContext::new(&placement).limits(limits));
        assert!(matches!(ended.outcome, Outcome::Limit(_)), "{:?}", ended.outcome);
        assert!(programs[0].waiting().is_none());
        drop(programs);
        assert!(begin.elapsed() < Duration::from_secs(20), "it was not awaited");
    });
    assert!(ran.is_none_or(|ran| !ran.errors.contains("panicked")));
}

/// What ranks print comes out in whole lines; what remains of one comes when the process has ended.
#[test]
fn processes_print_whole_lines() {
    let ran = apart("processes::processes_print_whole_lines", |_| {
        let (ended, _) = run_processes(2, "prints");
        assert_eq!(ended.outcome, Outcome::Finished);
    });
    let Some(ran) = ran else { return };
    for line in ["begun 0, ended 0", "begun 1, ended 1", "last of 0", "last of 1"] {
        assert_eq!(ran.printed.matches(line).count(), 1, "{line}: {}", ran.printed);
    }
    let at = |line: &str| ran.printed.find(line).unwrap();
    assert!(at("ended 1") < at("ended 0"), "the message comes first: {}", ran.printed);
}

/// What cannot be started, in words.
#[test]
fn processes_that_cannot_start() {
    apart("processes::processes_that_cannot_start", |folder| {
        let mut options = Machine::timed(2).options;
        options.programs[0].path = "/no/such/program".into();
        let why = |options| Processes::start(options, Limits::default()).err().unwrap().to_string();
        assert!(why(&options).starts_with("cannot start /no/such/program for rank 0: "), "{}", why(&options));
        // The library has a place in the cache, and keeps it.
        let cache = folder.join("cache/weir");
        let names =
            || -> Vec<_> { std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect() };
        let [place] = &names()[..] else { panic!("one folder: {:?}", names()) };
        assert!(place.file_name().unwrap().to_string_lossy().starts_with("mpi-abi-"));
        let library = std::fs::canonicalize(folder.join("libmpi_abi.so")).unwrap();
        for name in ["libmpi_abi.so.1", "libmpi_abi.so.0"].map(|name| place.join(name)) {
            assert_eq!(std::fs::canonicalize(&name).unwrap(), library);
            // One that leads elsewhere is mended.
            std::fs::remove_file(&name).unwrap();
            std::os::unix::fs::symlink("/dev/null", &name).unwrap();
            why(&options);
            assert_eq!(std::fs::canonicalize(&name).unwrap(), library);
        }
        assert_eq!(names().len(), 1);
        std::fs::remove_file(folder.join("libmpi_abi.so")).unwrap();
        assert!(
            why(&options)
                .contains("libmpi_abi.so, which the environment variable WEIR_MPI_ABI names, is no file")
        );
    });
}

/// A program that uses our library, started by nobody who knows it, or by another version.
#[test]
fn ranks_without_a_simulator() {
    let mut alone = one_test("processes::a_rank");
    let output = alone.arg("does=everything").env_remove("WEIR_RANK_SOCKET").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("this program uses the MPI library of weir, and was not started by it"), "{said}");
    let (mut own, theirs) = UnixStream::pair().unwrap();
    let number = theirs.as_raw_fd();
    let mut other = one_test("processes::a_rank");
    other.arg("does=everything").env("WEIR_RANK_SOCKET", number.to_string());
    // SAFETY: a system call between fork and exec: the socket stays open.
    unsafe {
        other.pre_exec(move || {
            libc::fcntl(number, libc::F_SETFD, 0);
            Ok(())
        });
    }
    use std::io::Write;
    // Something that is no beginning.
    own.write_all(&[1, 0, 0, 0, 0, 0, 0, 0, 2]).unwrap();
    let output = other.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("weir and its library libmpi_abi.so.1 are of different versions"), "{said}");
    drop(theirs);
    let mut rest = Vec::new();
    assert_eq!(own.read_to_end(&mut rest).unwrap(), 0, "it has said nothing");
}
