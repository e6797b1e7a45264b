//! Programs in C, compiled and loaded as `weir cc` and `weir mpirun` do it. A process loads one program, so each run has one of
//! its own: this test program, started again.

#![allow(clippy::print_stdout, reason = "what these processes print is looked at")]

use crate::{Language, run};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use weir_capi::executable::{Kind, kind};
use weir_capi::harness::Machine;
use weir_capi::harness::apart::{apart, one_test};
use weir_capi::{InstructionTime, ProcessWorld, World, WorldError, signals};
use weir_network::Limits;
use weir_network::RunContext;

const SOURCE: &str = include_str!("program.c");

/// What a process says of its run, at its end.
const OUTCOME: &str = "the outcome: ";

/// What it prints behind that, as C does.
const AFTERWARD: &std::ffi::CStr = c"afterward";

fn compile(folder: &Path) {
    std::fs::write(folder.join("program.c"), SOURCE).unwrap();
    let words = ["-g", "-pthread", "program.c", "-o", "program"].map(Into::into);
    assert!(run(Language::C, &words).unwrap().success());
    assert_eq!(kind(&folder.join("program")), Ok(Kind::Loadable));
}

/// Runs the program in the current folder on two ranks; no test unless its arguments are given.
#[test]
fn a_run() {
    let words: Vec<String> =
        std::env::args().filter_map(|word| word.strip_prefix("word=").map(str::to_owned)).collect();
    let Some(what) = words.first() else { return };
    let mut machine = Machine::timed(2);
    machine.options.programs[0].path = std::env::current_dir().unwrap().join("program");
    machine.options.programs[0].args = words.iter().map(Into::into).collect();
    machine.options.instruction_time = Some(InstructionTime { cpi: 1.5, clock_hz: 3e9 });
    if what == "spins" || what == "calls for ever" {
        machine.limits = Limits { wall: Duration::from_millis(100), ..Limits::default() };
    }
    let (network, placement, limits) = (machine.network, machine.placement, machine.limits);
    signals::take();
    let world = World::load(machine.options, ProcessWorld::claim().unwrap()).unwrap();
    let mut ranks = world.ranks();
    let ended = {
        let _watched = world.watched(limits);
        network.run(&mut ranks, RunContext::new(&placement).limits(limits))
    };
    drop(ranks);
    let codes: Vec<_> = world.exit_codes().into_iter().map(|(_, rank, code)| (rank, code)).collect();
    let without = world.without_mpi();
    let skeleton = world.skeleton();
    // A thousand calls that cost nothing would be a mistake of who has measured one.
    let is_short = |seconds: f64| (1e-10..1e-5).contains(&seconds);
    assert!(skeleton.as_ref().is_none_or(|counts| is_short(counts.call_cost_s)), "{skeleton:?}");
    if what == "clock calls" {
        let counts = skeleton.as_ref().unwrap();
        assert!((counts.charged_s - 2.0 * 1.001e-3).abs() < 1e-12, "{counts:?}");
        assert_eq!(counts.instructions, 4000.0);
    }
    let calls = skeleton.map_or(0, |counts| counts.clock_calls);
    drop(world);
    println!("{OUTCOME}{:?}, {codes:?}, {without} without MPI, {calls} clock calls", ended.outcome);
    // The C library has its own stream back.
    // SAFETY: a text of our own.
    unsafe { libc::puts(AFTERWARD.as_ptr()) };
}

/// What is printed by a run with these arguments, how it has ended in its own words, and what it has said to standard error.
fn ran(words: &[&str]) -> (String, String, String) {
    let mut command: Command = one_test("programs::a_run");
    command.args(words.iter().map(|word| format!("word={word}")));
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (printed, said) = (text(&output.stdout), text(&output.stderr));
    let from_begin = printed.split_once("a_run ... ").map_or(printed.as_str(), |(_, rest)| rest);
    let (lines, rest) = from_begin.split_once(OUTCOME).unwrap_or((from_begin, ""));
    // Where a program is given up nothing of C's is put in order.
    assert!(rest.contains("\nafterward\n") || !rest.starts_with("Finished"), "{printed}");
    let outcome = rest.lines().next().map_or_else(|| output.status.to_string(), str::to_owned);
    (lines.to_owned(), outcome, said)
}

const FINISHED: &str = "Finished, [], 0 without MPI, 0 clock calls";
const ENDS: &str = "end of 0\nend of 1\n";

/// What ranks share, and what not: globals, lines, options, clocks, threads and their own processes.
#[test]
fn ranks_of_a_program() {
    apart("programs::ranks_of_a_program", |folder| {
        compile(folder);
        let check = |words: &[&str], lines: &str, outcome: &str| {
            let (printed, ended, said) = ran(words);
            assert_eq!((printed.as_str(), ended.as_str()), (lines, outcome), "{words:?}: {said}");
        };
        let (lines, ended, _) = ran(&["globals", "word"]);
        assert_eq!(ended, FINISHED);
        for part in ["begun 0, word 10\n", "begun 1, word 20\n", "flushed 0", "flushed 1", ENDS] {
            assert!(lines.contains(part), "{part:?} is not in {lines:?}");
        }
        let (lines, ended, _) = ran(&["options", "-ab", "-n", "five", "six"]);
        assert_eq!(ended, FINISHED);
        for rank in 0..2 {
            let own: Vec<&str> =
                lines.lines().filter_map(|line| line.strip_prefix(&format!("rank {rank}: "))).collect();
            assert_eq!(own, ["a -", "b -", "n five", "rest six"]);
        }
        for kind in ["long options", "only long options"] {
            let size = if kind == "long options" { "--size=5" } else { "-size=5" };
            let (lines, ended, said) = ran(&[kind, size, "-q", "rest"]);
            assert_eq!(ended, FINISHED, "{said}");
            for rank in 0..2 {
                let own: Vec<&str> =
                    lines.lines().filter_map(|line| line.strip_prefix(&format!("rank {rank}: "))).collect();
                assert_eq!(own, ["s 5", "q -", "rest rest"], "{kind}");
            }
        }
        check(
            &["long double"],
            &format!("0: 4.00 3.75 2.50\n0: 1\n1: 4.00 3.75 2.50\n1: 1\n{ENDS}"),
            FINISHED,
        );
        // 1 ms, and 2000 instructions of 1.5 cycles at 3 GHz.
        let calls = "Finished, [], 0 without MPI, 2002 clock calls";
        check(
            &["clock calls"],
            &format!("0: 1.001000 ms\n1: 1.001000 ms\n0: 400 ns\n1: 400 ns\n{ENDS}"),
            calls,
        );
        check(&["threads"], &format!("0: 11 5\n1: 12 5\n{ENDS}"), FINISHED);
        check(&["no thread"], &format!("0: 1\n1: 1\n{ENDS}"), FINISHED);
        let (lines, ended, said) = ran(&["forks"]);
        assert_eq!(ended, FINISHED, "{said}");
        for (what, code) in [
            ("exits", 9),
            ("calls MPI", 1),
            ("crashes", 1),
            ("executes", 6),
            ("vfork", 6),
            ("prints", 9),
            ("quick", 7),
            ("at once", 8),
        ] {
            for rank in 0..2 {
                let line = format!("once {rank}, {what}: {code}\n");
                assert_eq!(lines.matches(&line).count(), 1, "{line}: {lines}");
            }
        }
        // What is begun of a line both have; what is complete is printed once.
        for rank in 0..2 {
            let line = format!("once {rank}, by the child of {rank}\n");
            assert_eq!(lines.matches(&line).count(), 1, "{line}: {lines}");
        }
        let refused = "a process that it has forked called MPI_Barrier; only the rank itself may call MPI";
        assert!(said.contains(&format!("error: rank 1: {refused}")), "{said}");
        assert!(said.contains("error: rank 0: a process that it has forked crashed: "), "{said}");
        check(&["closes"], &format!("before\n{ENDS}"), FINISHED);
    });
}

/// Where all ranks have the addresses of their globals in common, each has its own values while it runs, and there are no
/// threads; with an instance of the program for each there are.
#[test]
fn globals_in_place_and_in_instances() {
    apart("programs::globals_in_place_and_in_instances", |folder| {
        compile(folder);
        for way in ["in-place", "instances"] {
            // SAFETY: the test has this process to itself.
            unsafe { std::env::set_var("WEIR_GLOBALS", way) };
            let (lines, ended, _) = ran(&["globals", "word"]);
            assert_eq!(ended, FINISHED, "{way}");
            for part in ["begun 0, word 10\n", "begun 1, word 20\n", ENDS] {
                assert!(lines.contains(part), "{way}: {part:?} is not in {lines:?}");
            }
            // What others put there is the rank's own, whoever runs then.
            let (lines, ended, said) = ran(&["one-sided"]);
            assert_eq!(
                (lines.as_str(), ended.as_str()),
                (&*format!("0: 0 101 0\n1: 0 100 0\n{ENDS}"), FINISHED),
                "{said}"
            );
            let (_, ended, said) = ran(&["threads"]);
            let refused = "it called pthread_create: threads would see the globals of other ranks: a program that makes threads \
                           has an instance for each rank, but here ";
            assert_eq!(ended.contains(refused), way == "in-place", "{ended} {said}");
            assert_eq!(ended == FINISHED, way == "instances", "{ended} {said}");
        }
    });
}

/// How programs end: in every way there is, and what is said of those in which they should not.
#[test]
fn ends_of_programs() {
    apart("programs::ends_of_programs", |folder| {
        compile(folder);
        std::fs::write("ends.c", "#include <stdlib.h>\nvoid ends(int code) { exit(code); }\n").unwrap();
        let library = Command::new("cc").args(["-shared", "-fPIC", "ends.c", "-o", "libends.so"]).status();
        assert!(library.unwrap().success());
        let codes = |codes: &str| format!("Finished, [{codes}], 0 without MPI, 0 clock calls");
        let both = |code: i32| codes(&format!("(Rank(0), {code}), (Rank(1), {code})"));
        for (what, lines, outcome) in [
            ("exit", ENDS, codes("(Rank(1), 3)")),
            ("quick exit", "quick end of 0\nquick end of 1\n", both(5)),
            ("_exit", "", both(6)),
            ("library", ENDS, codes("(Rank(0), 3), (Rank(1), 4)")),
            ("pthread_exit", ENDS, FINISHED.to_owned()),
            ("nothing", ENDS, FINISHED.to_owned()),
            ("no MPI", "", "Finished, [(Rank(0), 2), (Rank(1), 2)], 2 without MPI, 0 clock calls".to_owned()),
        ] {
            let (printed, ended, said) = ran(&[what]);
            // What was registered is done in the first of these, and not in the other.
            if !["pthread_exit", "library"].contains(&what) {
                assert_eq!(printed, lines, "{what}: {said}");
            }
            assert_eq!(ended, outcome, "{what}: {said}");
        }
        // What is begun of a line comes out when another rank ends the run.
        let (printed, ended, said) = ran(&["half a line"]);
        assert!(ended.contains("it called MPI_Abort with error code 3"), "{ended} {said}");
        assert!(printed.ends_with("half of one"), "{printed}");
        let line = SOURCE.lines().position(|line| line.contains("/* the mistake */")).unwrap() + 1;
        let (_, ended, _) = ran(&["mistake"]);
        assert!(ended.contains(&format!(" of program (program.c:{line}))")), "{ended}");
        for (what, why) in [
            ("crash", "it crashed in or after MPI_Barrier: "),
            ("early library", "it called exit(4) by way of a library before MPI_Finalize"),
            ("mistake", "MPI_Send failed: MPI_ERR_RANK: "),
            ("mistake", " (called in main+0x"),
            ("early exit", "it called exit(4) before MPI_Finalize"),
            (
                "executes",
                "it called execvp(\\\"true\\\"): the process that would be replaced is that of all ranks",
            ),
            ("reopens", "it called freopen on standard output, which is that of all ranks"),
            ("thread calls", "called MPI_Barrier; only the thread that runs main may call MPI"),
            ("thread exits", "called exit(4)"),
            ("thread and library", "called exit(4) by way of a library"),
        ] {
            let (_, ended, said) = ran(&[what]);
            assert!(
                ended.starts_with("Aborted { rank: Rank(1), why: \"") && ended.contains(why),
                "{what}: {ended} {said}"
            );
        }
    });
}

/// Runs that are ended from outside: by a limit, by one signal, and at once by the second.
#[test]
fn programs_that_are_ended() {
    apart("programs::programs_that_are_ended", |folder| {
        compile(folder);
        for what in ["spins", "calls for ever"] {
            let (_, ended, said) = ran(&[what]);
            assert!(ended.starts_with("Limit("), "{what}: {ended} {said}");
        }
        let (_, ended, said) = ran(&["signals"]);
        assert!(ended.starts_with("Limit(") || ended.starts_with("Interrupted"), "{ended} {said}");
        let (_, ended, _) = ran(&["two signals"]);
        assert_eq!(ended, "exit status: 143");
    });
}

/// What cannot be loaded is refused in words.
#[test]
fn programs_that_cannot_be_loaded() {
    apart("programs::programs_that_cannot_be_loaded", |folder| {
        let load = |name: &str| {
            let mut options = Machine::timed(1).options;
            options.programs[0].path = folder.join(name);
            World::load(options, ProcessWorld::claim().unwrap()).err().unwrap()
        };
        std::fs::write("text.c", "int f(void) { return 1; }\n").unwrap();
        let compiled =
            Command::new("cc").args(["-shared", "-fPIC", "text.c", "-o", "other"]).status().unwrap();
        assert!(compiled.success());
        let error = load("other");
        assert!(matches!(error, WorldError::Load(_)), "{error}");
    });
}
