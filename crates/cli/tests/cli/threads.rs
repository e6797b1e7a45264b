//! Programs whose ranks have threads of their own, made by OpenMP. Those made by the program itself are among the programs
//! that are compared with Open MPI.

use crate::command::{mpirun, root, run, scratch, weir};
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

#[test]
fn a_thread_of_openmp_that_crashes_ends_the_run() {
    let folder = scratch();
    let program = compile("broken", folder.path());
    let ended = run(mpirun(2).env("OMP_NUM_THREADS", "2").arg(&program)).expect(1);
    let says = "rank 1: a thread that the program or one of its libraries made crashed: segmentation fault: it used a null";
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
    assert!(ended.stderr.contains("an instance of the program for each of 2 ranks"), "{}", ended.stderr);
    in_place(1).expect(0);
}
