//! Limits of MPI programs that docs/concepts/limitations.md states: what ranks of one process share, what belongs to libraries, and
//! what several processes cannot do.

use crate::command::{compile_for_mpich, compile_text, mpirun, root, run, scratch, weir};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program: what stands before `main`, and what each rank does between beginning and end.
fn text(before: &str, body: &str) -> String {
    format!(
        "#define _GNU_SOURCE\n#include <mpi.h>\n#include <weir.h>\n#include <locale.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         #include <string.h>\n#include <unistd.h>\n{before}\nint main(int argc, char **argv)\n{{\n    int rank, size;\n    \
         MPI_Init(&argc, &argv);\n    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    MPI_Comm_size(MPI_COMM_WORLD, &size);\n    \
         {body}\n    MPI_Finalize();\n    return 0;\n}}\n"
    )
}

fn program(before: &str, body: &str, name: &str, folder: &Path) -> PathBuf {
    compile_text(&text(before, body), name, folder)
}

/// Rank 0 changes what belongs to the process, and rank 1 finds it changed.
#[test]
fn ranks_are_one_process() {
    let folder = scratch();
    let body = r#"
    char where[4096];
    long number = getpid(), least, most;
    MPI_Allreduce(&number, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&number, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        setenv("OF_ALL", "changed", 1);
        if (chdir("/"))
            return 1;
        setlocale(LC_CTYPE, "C.UTF-8");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d %s %s %s\n", least == most, getenv("OF_ALL"), getcwd(where, sizeof where), setlocale(LC_CTYPE, NULL));"#;
    let program = program("", body, "shared", folder.path());
    let ended = run(mpirun(2).arg(&program)).expect(0);
    assert_eq!(ended.sorted_lines(), ["1 changed / C.UTF-8"; 2]);
}

/// A variable of a shared library counts all ranks, one of a static archive each rank alone; and so do their constructors.
#[test]
fn libraries_belong_to_all_ranks_and_archives_to_each() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    for name in ["library", "archive"] {
        let part = format!(
            "static int seen, made;\n__attribute__((constructor)) static void make(void) {{ made++; }}\n\
             int {name}_seen(void) {{ return ++seen; }}\nint {name}_made(void) {{ return made; }}\n"
        );
        fs::write(path(name).with_extension("c"), part).unwrap();
    }
    let library = path("libshared.so");
    run(Command::new("cc").args(["-shared", "-fPIC"]).arg(path("library.c")).arg("-o").arg(&library))
        .expect(0);
    run(weir(["cc", "-c"]).arg(path("archive.c")).arg("-o").arg(path("archive.o"))).expect(0);
    run(Command::new("ar").arg("rcs").arg(path("libown.a")).arg(path("archive.o"))).expect(0);
    let before = "int library_seen(void), library_made(void), archive_seen(void), archive_made(void);";
    let body = "int own = archive_seen(), all = library_seen(), most;
    MPI_Allreduce(&all, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    printf(\"%d of the rank, %d of all, made %d and %d\\n\", own, most, archive_made(), library_made());";
    fs::write(path("main.c"), text(before, body)).unwrap();
    let mut compiler = weir(["cc"]);
    compiler.arg(path("main.c")).arg(path("libown.a")).arg(&library).arg("-o").arg(path("main"));
    run(&mut compiler).expect(0);
    let ended = run(mpirun(3).arg(path("main"))).expect(0);
    assert_eq!(ended.sorted_lines(), ["1 of the rank, 3 of all, made 1 and 1"; 3]);
}

/// A `rand` of the program is its own where it is called in the same source file, and weir's elsewhere.
#[test]
fn wrapped_functions_go_by_their_names() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("own.c"), "int rand(void) { return 7; }\nint from_here(void) { return rand(); }\n")
        .unwrap();
    let body = "printf(\"%d %d\\n\", from_here() == 7, rand() == 7);";
    fs::write(path("main.c"), text("int from_here(void);", body)).unwrap();
    run(weir(["cc", "-O0"]).arg(path("main.c")).arg(path("own.c")).arg("-o").arg(path("main"))).expect(0);
    assert_eq!(run(mpirun(1).arg(path("main"))).expect(0).stdout, "1 0\n");
}

#[test]
fn programs_are_started_by_weir_only() {
    let folder = scratch();
    let program = program("", "printf(\"it runs\\n\");", "alone", folder.path());
    assert_eq!(run(mpirun(1).arg(&program)).expect(0).stdout, "it runs\n");
    // A shared object has no beginning that the shell could start: it fails in one way or another.
    let ended = Command::new(&program).output().unwrap();
    assert!(!ended.status.success() && ended.stdout.is_empty(), "{ended:?}");
}

/// 20 MB of each of 8 ranks, also where messages carry no data.
#[test]
fn ranks_need_memory_for_their_own_data() {
    let folder = scratch();
    let body = "char *own = malloc(20000000);
    memset(own, rank + 1, 20000000);
    MPI_Barrier(MPI_COMM_WORLD);
    if (own[rank] != rank + 1)
        return 1;";
    let program = program("", body, "large", folder.path());
    for options in [&["--json"][..], &["--json", "--no-data"]] {
        let summary = run(mpirun(8).args(options).arg(&program)).expect(0).summary();
        let peak = summary["peak_memory_bytes"].as_u64().unwrap();
        assert!(peak > 160_000_000, "{peak}");
    }
}

/// Simulated disks, and calls of all ranks in one table, are for one process.
#[test]
fn several_processes_share_no_disks_and_keep_no_calls() {
    let folder = scratch();
    let program = program("", "MPI_Barrier(MPI_COMM_WORLD);", "plain", folder.path());
    let out = folder.path().join("out");
    let start = |keys: &[&str]| {
        let mut command = mpirun(4);
        command
            .args(["--machine", "examples/torus.toml", "--engine", "packet", "--processes=2", "--out"])
            .arg(&out);
        keys.iter().for_each(|key| _ = command.args(["--set", key]));
        run(command.arg(&program))
    };
    start(&[]).expect(0);
    for (keys, says) in [
        (&["storage.latency=10 us", "storage.bandwidth=1 GB/s"][..], "storage is simulated in one process"),
        (&["output.calls=true"], "calls of ranks (output.calls, output.trace) are kept by one process"),
        (&["output.trace=true"], "calls of ranks (output.calls, output.trace) are kept by one process"),
    ] {
        let ended = start(keys);
        ended.expect(2).says(&[says]);
    }
}

/// A skeleton that looks more often and puts more bytes starts the same, and one that sends more does not. Programs that run as
/// processes cannot be compared.
#[test]
fn a_skeleton_may_look_and_reach_otherwise() {
    let folder = scratch();
    let of = |name: &str, looks: u32, put: u32, sent: u32| {
        let body = format!(
            "static char memory[100]; int flag; MPI_Win window;
    MPI_Win_create(memory, 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(memory, {put}, MPI_CHAR, 1 - rank, 0, {put}, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < {looks}; i++)
        MPI_Iprobe(1 - rank, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(memory, {sent}, MPI_CHAR, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_free(&window);"
        );
        program("", &body, name, folder.path())
    };
    let check = |skeleton: &Path| {
        let original = of("original", 1, 10, 20);
        let mut command = weir(["skeleton", "check", "-n", "2", "--compute", "none"]);
        run(command.arg(original).arg(skeleton))
    };
    check(&of("same", 9, 90, 20)).expect(0).prints(&["the same on every rank"]);
    check(&of("other", 1, 10, 21)).expect(1);
    let source = root().join("examples/ring.c");
    check(&compile_for_mpich(&source, folder.path()))
        .expect(2)
        .says(&["only programs of weir cc can be compared"]);
}
