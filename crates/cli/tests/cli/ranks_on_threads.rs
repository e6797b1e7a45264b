//! Ranks of MPI programs on several threads of one process: what a run says and prints is what it says and prints with one thread.
//!
//! How many threads run ranks is seen in the programs' own variables: each thread has its own instance of a program.

use crate::command::{Ended, check_all, compile_text, compiled, mpirun, root, run, scratch};
use crate::together::fixed;
use serde_json::Value;
use std::path::Path;

/// Two threads have enough routers, and enough ranks.
const RANKS: usize = 64;

/// Runs a program with so many threads at most.
fn run_with(threads: usize, ranks: usize, settings: &[&str], program: &Path, args: &[&str]) -> Ended {
    let mut command = mpirun(ranks);
    let threads = format!("engine.threads={threads}");
    let machine =
        ["engine.kind=packet", "topology.kind=torus", "topology.shape=[8,8]", "mapping.kind=random"];
    let links = ["topology.bandwidth=4 GB/s", "topology.latency=100 ns"];
    let all = machine.iter().chain(&links).chain(settings).copied().chain([threads.as_str()]);
    command.arg("--json").args(all.flat_map(|setting| ["--set", setting]));
    run(command.arg(program).args(args))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Programs of `tests/mpi`, of which most can run on several threads, and some cannot.
const PROGRAMS: [&str; 16] = [
    "barrier",
    "cancel",
    "completion",
    "datatypes_shapes",
    "errors",
    "files_errors",
    "globals",
    "libc_random",
    "libc_strtok",
    "master_worker",
    "matched_probe",
    "message_order",
    "output_lines",
    "persistent",
    "reductions",
    "user_operations",
];

/// The summary and what ranks print, in its order, are those of one thread.
#[test]
fn programs_do_the_same_on_any_number_of_threads() {
    check_all(&PROGRAMS, |name| {
        let program = compiled(&root().join("tests/mpi").join(name).with_extension("c"));
        let of = |ended: Ended| (ended.code, fixed(&ended.summary()), ended.stderr);
        let whole = of(run_with(1, RANKS, &[], &program, &[]));
        let ways: &[(usize, &[&str])] = &[(2, &[]), (4, &[])];
        for &(threads, settings) in ways {
            let found = of(run_with(threads, RANKS, settings, &program, &[]));
            if found != whole {
                return Err(format!("{name}, {threads} threads: {} and {}", found.1, whole.1));
            }
        }
        Ok(())
    });
}

/// So are those of random programs of many ranks, with the causes of their times.
#[test]
fn random_programs_do_the_same_on_any_number_of_threads() {
    let program = compiled(&root().join("tests/mpi/random_plans.c"));
    let seeds: Vec<String> = (1..5).map(|seed: u32| seed.to_string()).collect();
    check_all(&seeds, |seed| {
        let args = [seed.as_str(), "2"];
        let settings = ["node.mpi_overhead=200 ns", "node.eager_limit=300 B", "output.causes=true"];
        let whole = run_with(1, RANKS, &settings, &program, &args).expect(0);
        let parts = run_with(2, RANKS, &settings, &program, &args).expect(0);
        if fixed(&whole.summary()) == fixed(&parts.summary()) && whole.stderr == parts.stderr {
            Ok(())
        } else {
            Err(format!("seed {seed}: {} and {}", whole.summary(), parts.summary()))
        }
    });
}

/// A program that counts at how many addresses its ranks have a variable, and that uses something, without ever coming to it.
fn counting(uses: &str) -> String {
    format!(
        r#"#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int variable;
int main(int argc, char **argv) {{
    int rank, size, distinct = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 100) {{
        {uses};
    }}
    void *own = &variable, **all = malloc(size * sizeof own);
    MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {{
        for (int one = 0; one < size; one++) {{
            int before = 0;
            while (before < one && all[before] != all[one])
                before++;
            distinct += before == one;
        }}
        printf("%d\n", distinct);
    }}
    MPI_Finalize();
    return 0;
}}
"#
    )
}

/// Ranks are on as many threads as the run has; on one where they are few, or where calls are recorded.
#[test]
fn each_thread_runs_the_ranks_of_its_nodes() {
    let folder = scratch();
    let program = compile_text(&counting(";"), "program", folder.path());
    let addresses = |threads: usize, ranks: usize, settings: &[&str]| {
        let ended = run_with(threads, ranks, settings, &program, &[]).expect(0);
        let of_run = ended.summary()["threads"].as_u64().unwrap();
        (of_run as usize, ended.stderr.trim().parse::<usize>().unwrap())
    };
    let two = cores().min(2);
    assert_eq!(addresses(1, RANKS, &[]), (1, 1));
    assert_eq!(addresses(2, RANKS, &[]), (two, two));
    assert_eq!(addresses(2, 20, &[]), (two, 1));
    let out = format!("output.dir={}", folder.path().join("out").display());
    assert_eq!(addresses(2, RANKS, &[&out, "output.calls=true"]), (two, 1));
}

/// What a program can use, and only one thread can run its ranks.
const FOR_ONE_THREAD: [&str; 9] = [
    "errno = 0",
    "optind = 1",
    "getopt(argc, argv, \"a\")",
    "MPI_File file; MPI_File_open(MPI_COMM_WORLD, \"f\", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)",
    "MPI_Publish_name(\"a\", MPI_INFO_NULL, \"b\")",
    "MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)",
    "int (*set)(MPI_Comm, MPI_Errhandler) = MPI_Comm_set_errhandler; printf(\"%p\", (void *)set)",
    "if (write(1, \"a\", 1) < 0) return 1",
    "static __thread int own; printf(\"%d\", own++)",
];

/// Programs that use what is for one thread, as the guide says, have all ranks on one.
#[test]
fn what_is_for_one_thread_is_run_by_one() {
    check_all(&FOR_ONE_THREAD, |uses| {
        let folder = scratch();
        let program = compile_text(&counting(uses), "program", folder.path());
        let ended = run_with(2, RANKS, &[], &program, &[]).expect(0);
        if ended.stderr.trim() == "1" { Ok(()) } else { Err(format!("{uses}: {}", ended.stderr)) }
    });
}

/// Without what a run costs, and without what ranks of other threads have done in the window in which one ended the run.
fn ending(summary: &Value) -> Value {
    let ends = ["outcome", "simulated_ps", "exit_codes", "ranks"];
    let kept = summary.as_object().unwrap().iter().filter(|(key, _)| ends.contains(&key.as_str()));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into()
}

/// Ranks that do not agree on what a collective is, end with a code or by a crash, do so in the same words.
#[test]
fn mistakes_are_found_in_the_same_words() {
    let folder = scratch();
    let bodies = [
        "int count = rank == 37 ? 2 : 1; int one = 1; MPI_Bcast(&one, count > 1 ? 0 : 1, MPI_INT, 0, MPI_COMM_WORLD)",
        "int one = 1, sum; MPI_Allreduce(&one, &sum, 1, MPI_INT, rank % 7 == 5 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD)",
        "if (rank % 20 == 11) MPI_Abort(MPI_COMM_WORLD, 3)",
        "if (rank == 41) *(volatile int *)0 = 1",
        "printf(\"%d\\n\", rank); fflush(stdout); if (rank == 50) return 1; MPI_Barrier(MPI_COMM_WORLD)",
        "printf(\"begin %d, \", rank); if (rank % 3 == 0) fflush(stdout); MPI_Barrier(MPI_COMM_WORLD); printf(\"end\\n\")",
        "MPI_Finalize(); exit(rank % 5)",
    ];
    let numbered: Vec<_> = bodies.iter().enumerate().collect();
    check_all(&numbered, |(number, body)| {
        let text = counting(";").replace("void *own", &format!("{body}; void *own"));
        let program = compile_text(&text, &format!("program{number}"), folder.path());
        let of = |threads| {
            let ended = run_with(threads, RANKS, &["node.mpi_overhead=100 ns"], &program, &[]);
            let words: Vec<String> = ended
                .stderr
                .lines()
                .filter(|line| line.parse::<usize>().is_err())
                .map(str::to_owned)
                .collect();
            (ended.code, words, ending(&ended.summary()))
        };
        let (one, two) = (of(1), of(2));
        if one == two { Ok(()) } else { Err(format!("{body}: {one:?} and {two:?}")) }
    });
}
