//! Globals of any size, and the ways in which ranks have their own.

use crate::command::{compile, compile_text, mpirun, root, run, scratch};

/// Every rank writes to every page of 40 MB before every message.
const LARGE: &str = include_str!("../programs/globals_large.c");

/// Putting 10,000 pages in place takes 12 ms, 1,600 turns 20 s; where nothing has to be put in place they take a second.
#[test]
fn a_turn_costs_the_same_at_any_size() {
    let folder = scratch();
    let program = compile_text(LARGE, "large", folder.path());
    let ended = run(mpirun(8).args(["--set", "limits.wall_time=15 s"]).arg(&program)).expect(0);
    let expected: Vec<String> = (0..8).map(|rank| format!("rank {rank}: 200 {}", 7 + 200 * rank)).collect();
    assert_eq!(ended.sorted_lines(), expected);
}

#[test]
fn both_ways_give_the_same() {
    let folder = scratch();
    for name in [
        "global_buffers.c",
        "thread_locals.c",
        "cxx/exceptions.cpp",
        "cxx/globals.cpp",
        "fortran/globals.f90",
    ] {
        let source = root().join("tests/mpi").join(name);
        let program = compile(&source, folder.path());
        let [in_place, instances] = ["in-place", "instances"].map(|way| {
            let command =
                |option| run(mpirun(4).env("WEIR_GLOBALS", way).args(option).arg(&program)).expect(0);
            let digest = command(&["--json"][..]).summary()["digest"].clone();
            assert!(digest.is_string(), "{digest}");
            (command(&[]).sorted_lines(), digest)
        });
        assert_eq!(in_place, instances, "{name}");
    }
}

#[test]
fn threads_are_refused_where_globals_are_put_in_place() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/thread_globals.c"), folder.path());
    let ended = run(mpirun(2).env("WEIR_GLOBALS", "in-place").arg(&program)).expect(1);
    let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("rank 0: it called pthread_create: threads would see the globals of other ranks"),
        "{said}"
    );
    run(mpirun(1).env("WEIR_GLOBALS", "in-place").arg(&program)).expect(0);
}
