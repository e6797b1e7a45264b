//! Programs whose ranks have threads of their own, made by OpenMP. Those made by the program itself are among the programs
//! that are compared with Open MPI.

use crate::command::{compile_text, mpirun, root, run, scratch, weir};
use std::path::{Path, PathBuf};

fn compile(name: &str, folder: &Path) -> PathBuf {
    let source = root().join("tests/mpi/threads").join(name).with_extension("c");
    let program = folder.join(name);
    run(weir(["cc", "-O1", "-fopenmp"]).arg(source).arg("-o").arg(&program)).expect(0);
    program
}

#[test]
fn threads_of_openmp_find_the_globals_of_the_rank_that_runs() {
    let folder = scratch();
    let program = compile("openmp", folder.path());
    for ranks in [1, 4, 9] {
        for threads in ["1", "2", "3"] {
            let ended = run(mpirun(ranks).env("OMP_NUM_THREADS", threads).arg(&program)).expect(0);
            let expected: Vec<String> = (0..ranks)
                .map(|rank| format!("rank {rank}: sum 49950000, {threads} threads, 0 mistakes"))
                .collect();
            assert_eq!(ended.sorted_lines(), expected, "{}", ended.stderr);
        }
    }
}

/// All threads call MPI, of OpenMP and of the program, in sections and beside each other: the same results and the same digest
/// every time, on every engine, however many processors the threads find.
#[test]
fn threads_that_call_mpi_do_so_in_an_order() {
    let folder = scratch();
    for (name, ranks) in
        [("multiple", 3), ("critical", 3), ("pthreads", 5), ("looks", 3), ("probes", 3), ("locks", 3)]
    {
        let program = compile(name, folder.path());
        let machine = root().join("examples/torus.toml");
        for engine in ["ideal", "flow", "packet"] {
            let once = || {
                let ranks = ranks.to_string();
                let mut command = weir(["mpirun", "-n", &ranks, "--json", "--engine", engine, "--machine"]);
                let ended = run(command.arg(&machine).arg(&program)).expect(0);
                assert_eq!(
                    ended.stderr.matches(": 0 mistakes").count(),
                    ranks.parse::<usize>().unwrap(),
                    "{}",
                    ended.stderr
                );
                ended.summary()["digest"].clone()
            };
            let first = once();
            for _ in 0..4 {
                assert_eq!(once(), first, "{name} on {engine}");
            }
        }
    }
}

#[test]
fn a_thread_that_may_not_call_mpi_ends_the_run() {
    let folder = scratch();
    let program = compile("funneled", folder.path());
    let ended = run(mpirun(2).arg(&program)).expect(1);
    let says = "called MPI_Barrier; only the thread that runs main may call MPI";
    let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(says), "{}", ended.stderr);
}

/// Asks for the highest level, of MPI_Init_thread and of a session, and makes no threads.
const NO_THREADS: &str = include_str!("../programs/threads_no_threads.c");

/// Whose program makes no threads gets the level that it asks for, wherever the globals of its ranks are.
#[test]
fn a_program_without_threads_gets_any_level() {
    let folder = scratch();
    let program = compile_text(NO_THREADS, "no_threads", folder.path());
    for ranks in [1, 4] {
        for globals in ["in-place", "instances"] {
            run(mpirun(ranks).env("WEIR_GLOBALS", globals).arg(&program)).expect(0);
        }
    }
}

/// Main waits in a loop for a thread that makes calls. They take no simulated time: main need not look after each of them.
const WAITS_BESIDE_CALLS: &str = include_str!("../programs/threads_waits_beside_calls.c");

/// A millisecond for each call where main looked after each of them.
#[test]
fn calls_beside_a_thread_that_waits_in_a_loop_do_not_wait_for_it() {
    let folder = scratch();
    let program = compile_text(WAITS_BESIDE_CALLS, "waits_beside_calls", folder.path());
    let machine = ["engine.kind=ideal", "limits.wall_time=60 s"];
    let mut command = mpirun(1);
    machine.iter().for_each(|setting| _ = command.args(["--set", setting]));
    run(command.arg(&program)).expect(0);
}

/// Four threads of rank 1 look for the same messages, which come one after the other: each takes one out of the queue.
const LOOK_FOR_THE_SAME: &str = include_str!("../programs/threads_look_for_the_same.c");

#[test]
fn threads_that_look_for_the_same_messages_get_one_each() {
    let folder = scratch();
    let program = compile_text(LOOK_FOR_THE_SAME, "look_for_the_same", folder.path());
    run(mpirun(2).args(["--set", "engine.latency=1 us"]).arg(&program)).expect(0);
}

/// Where the calls of one thread are followed, another one may not call.
#[test]
fn what_follows_one_thread_says_so() {
    let folder = scratch();
    let program = compile("pthreads", folder.path());
    run(mpirun(2).args(["--set", "output.causes=true"]).arg(&program))
        .expect(1)
        .says(&["another thread of the program than that of main called"]);
}

#[test]
fn a_thread_of_openmp_that_crashes_ends_the_run() {
    let folder = scratch();
    let program = compile("broken", folder.path());
    let ended = run(mpirun(2).env("OMP_NUM_THREADS", "2").arg(&program)).expect(1);
    let says = "rank 1: a thread that the program of rank 1 made crashed: segmentation fault: it used a null";
    let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(says), "{}", ended.stderr);
}

#[test]
fn threads_are_refused_where_they_would_see_the_globals_of_others() {
    let folder = scratch();
    let program = compile("openmp", folder.path());
    let in_place = |ranks| run(mpirun(ranks).env("WEIR_GLOBALS", "in-place").arg(&program));
    let ended = in_place(2);
    assert_ne!(ended.code, 0);
    ended.says(&["an instance of the program for each of 2 ranks"]);
    in_place(1).expect(0);
}

/// In an operation of the program, which the call of the thread of `main` or of another one carries out, or the engine does.
#[test]
fn a_rank_with_threads_ends_within_a_call() {
    let folder = scratch();
    let program = compile("leaves", folder.path());
    let left = "rank 1: it called exit(3) before MPI_Finalize";
    let aborted = "rank 1: it called MPI_Abort with error code 7";
    let crashed = "segmentation fault: it used a null pointer";
    for (thread, call) in
        [("0", "MPI_Reduce_local"), ("0", "MPI_Allreduce"), ("1", "MPI_Reduce_local"), ("1", "MPI_Allreduce")]
    {
        for (how, says) in [("exit", left), ("MPI_Abort", aborted), ("crash", crashed)] {
            let ended = run(mpirun(3).arg(&program).args([thread, call, how])).expect(1);
            let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains(says), "{thread} {call} {how}: {}", ended.stderr);
            let is_named =
                thread != "0" || how != "crash" || said.contains(&format!("it crashed in or after {call}"));
            assert!(is_named, "{call}: {}", ended.stderr);
        }
    }
}
