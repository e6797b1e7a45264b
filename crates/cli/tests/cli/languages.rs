//! What `weir c++` and `weir fort` do beyond C, where a real MPI is no reference: ends that are not good, lines in
//! pieces, functions that are not offered.

use crate::command::{check_all, compile, files, mpirun, root, run, scratch, weir};
use crate::outcomes;
use std::fs;

/// Programs of `tests/mpi/failing` in these languages, which say themselves how they end.
#[test]
fn programs_in_cxx_and_fortran_end_as_they_say() {
    let (folder, programs) = (scratch(), root().join("tests/mpi/failing"));
    let programs = [files(&programs, "cpp"), files(&programs, "f90")].concat();
    assert!(programs.len() >= 6, "{programs:?}");
    check_all(&programs, |program| outcomes::check(program, folder.path()));
}

/// Sections of arrays in calls of `mpi_f08` that go on, on three engines; what no call can have is an error of MPI.
#[test]
fn sections_of_arrays_are_no_copies() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/sections/sections.f90"), folder.path());
    for (ranks, engine) in [(3, "ideal"), (3, "flow"), (3, "packet"), (2, "ideal")] {
        let mut command = mpirun(ranks);
        command.args(["--machine", "torus", "--engine", engine]).arg(&program).current_dir(folder.path());
        let lines = run(&mut command).expect(0).sorted_lines();
        let expected: Vec<_> = (0..ranks).map(|rank| format!("{rank} : 0 mistakes")).collect();
        let words = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(lines.iter().map(words).collect::<Vec<_>>(), expected, "{engine}");
    }
    let with_gaps = "MPI_ERR_BUFFER: a section of an array with gaps between its elements";
    for (which, call, says) in [
        (
            "few",
            "MPI_Isend",
            "MPI_ERR_BUFFER: 12 elements of the datatype take bytes 0 to 48 of a section of an array, which has 16",
        ),
        (
            "blocks",
            "MPI_Igather",
            "MPI_ERR_BUFFER: 12 elements of the datatype take bytes 0 to 48 of a section of an array, which has 32",
        ),
        ("buffer", "MPI_Buffer_attach", with_gaps),
        ("window", "MPI_Win_create", with_gaps),
        (
            "class",
            "MPI_Irecv",
            "MPI_ERR_BUFFER: an array of class(*) whose elements are not one behind the other",
        ),
    ] {
        let ended = run(mpirun(3).arg(&program).arg(which)).expect(1);
        ended.says(&[&format!("{call} failed: {says}")]);
        // The place is the program's, not that of the bindings.
        let place = if which == "class" { "__checks_MOD_polymorphic" } else { "MAIN__" };
        ended.says(&[&format!("(called in {place}")]);
    }
}

/// The compiler refuses what has no descriptor; calls that are over when they return take it.
#[test]
fn arrays_of_unknown_size_and_type_are_not_passed_on_to_calls_that_go_on() {
    let folder = scratch();
    let text = |call: &str| {
        format!(
            "subroutine passes(a)\n  use mpi_f08\n  type(*), dimension(*), asynchronous :: a\n  type(MPI_Request) :: request\n  \
             call {call}\nend subroutine\nprogram p\nend program\n"
        )
    };
    let of_isend = "MPI_Isend(a, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request)";
    let of_send = "MPI_Send(a, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF)";
    for (call, code) in [(of_isend, 1), (of_send, 0)] {
        let source = folder.path().join("passes.f90");
        fs::write(&source, text(call)).unwrap();
        let mut command = weir(["fort"]);
        let ended = run(command.arg(&source).args(["-o", "passes"]).current_dir(folder.path())).expect(code);
        assert_eq!(ended.stderr.contains("Assumed-type actual argument"), code == 1, "{}", ended.stderr);
    }
}

#[test]
fn random_numbers_of_fortran_are_the_same_in_every_run_and_others_at_every_rank() {
    let folder = scratch();
    let source = folder.path().join("random.f90");
    let text = "program random\n  use mpi\n  integer :: ierr\n  real :: x\n  call MPI_Init(ierr)\n  \
                call random_number(x)\n  print *, x\n  call MPI_Finalize(ierr)\nend program\n";
    fs::write(&source, text).unwrap();
    let program = compile(&source, folder.path());
    let [once, again] = [(); 2].map(|()| run(mpirun(3).arg(&program)).expect(0).sorted_lines());
    assert_eq!(once, again);
    assert!(once.len() == 3 && once[0] != once[1] && once[1] != once[2], "{once:?}");
}

#[test]
fn a_compiler_that_is_not_there_is_named_with_the_variable_that_names_another() {
    let folder = scratch();
    for (wrapper, variable, file) in [("c++", "WEIR_CXX", "a.cpp"), ("fort", "WEIR_FC", "a.f90")] {
        let ended = run(weir([wrapper, file]).env(variable, "no-such-compiler").current_dir(folder.path()));
        let stderr = ended.expect(1).stderr;
        assert!(stderr.contains("no-such-compiler") && stderr.contains(variable), "{stderr}");
    }
}
