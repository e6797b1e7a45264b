//! Several programs that run as one job (MPMD), in processes of their own. In one process: `cases/shipped.toml`.

use crate::command::{Ended, compile, compile_for_mpich, run, scratch, weir};
use std::fs;
use std::path::Path;

/// Compiles the program as a or b, for MPICH or for weir.
fn make(name: &str, for_mpich: bool, folder: &Path) {
    let source = folder.join(format!("{name}.c"));
    let program = include_str!("../programs/several_programs.c");
    fs::write(&source, format!("#define NAME \"{name}\"\n#define SIZE 10\n{program}")).unwrap();
    if for_mpich {
        fs::rename(compile_for_mpich(&source, folder), folder.join(name)).unwrap();
    } else {
        compile(&source, folder);
    }
}

fn both(folder: &Path) -> Ended {
    let words = ["mpirun", "-q", "-np", "2", "./a", ":", "-n", "3", "./b", "-x", "y"];
    run(weir(words).current_dir(folder))
}

/// Beside a program of another kind they are refused.
#[test]
fn several_programs_run_in_processes_of_their_own() {
    let folder = scratch();
    make("b", true, folder.path());
    make("a", false, folder.path());
    both(folder.path()).expect(2).says(&["runs beside a program of another kind"]);
    make("a", true, folder.path());
    let of_a = (0..2).map(|rank| format!("a {rank} of 5: 0 with 2 (2), 0 arguments, none, sum 30, 3 calls"));
    let of_b = (2..5).map(|rank| format!("b {rank} of 5: 1 with 3 (3), 2 arguments, -x, sum 30, 3 calls"));
    assert_eq!(both(folder.path()).expect(0).sorted_lines(), of_a.chain(of_b).collect::<Vec<_>>());
}
