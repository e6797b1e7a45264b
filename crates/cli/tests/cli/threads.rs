//! Programs whose ranks have threads of their own, made by OpenMP. Those made by the program itself are among the programs
//! that are compared with Open MPI.

use crate::command::{root, run, scratch, weir};
use std::path::{Path, PathBuf};

fn compile(name: &str, folder: &Path) -> PathBuf {
    let source = root().join("tests/mpi/threads").join(name).with_extension("c");
    let program = folder.join(name);
    run(weir(["cc", "-O1", "-fopenmp"]).arg(source).arg("-o").arg(&program)).expect(0);
    program
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
            for _ in 0..2 {
                assert_eq!(once(), first, "{name} on {engine}");
            }
        }
    }
}
