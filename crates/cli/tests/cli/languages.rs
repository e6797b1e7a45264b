//! What `weir c++` and `weir fort` do beyond C, where a real MPI is no reference: ends that are not good, lines in
//! pieces, functions that are not offered.

use crate::command::{compile, mpirun, root, run, scratch, weir};
use std::fs;

/// A program, and how 2 ranks of it end.
struct Case {
    file: &'static str,
    text: &'static str,
    code: i32,
    says: &'static [&'static str],
    prints: &'static [&'static str],
}

const CASES: [Case; 6] = [
    Case {
        file: "uncaught.cpp",
        text: "#include <mpi.h>\n#include <stdexcept>\nint main(int c, char **v) {\n  MPI_Init(&c, &v);\n  \
               throw std::runtime_error(\"this is not caught\");\n}\n",
        code: 1,
        says: &["this is not caught", "rank 0: it crashed in or after MPI_Init: abort"],
        prints: &[],
    },
    Case {
        file: "pieces.cpp",
        text: "#include <iostream>\n#include <mpi.h>\nint main(int c, char **v) {\n  MPI_Init(&c, &v);\n  int rank;\n  \
               MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  std::cout << \"first \" << rank;\n  \
               MPI_Barrier(MPI_COMM_WORLD);\n  std::cout << \", second \" << rank << '\\n';\n  MPI_Finalize();\n}\n",
        code: 0,
        says: &[],
        prints: &["first 0, second 0", "first 1, second 1"],
    },
    Case {
        file: "pieces.f90",
        text: "program pieces\n  use mpi\n  integer :: ierr, rank\n  call MPI_Init(ierr)\n  \
               call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)\n  write (*, '(a, i0)', advance='no') 'first ', rank\n  \
               call MPI_Barrier(MPI_COMM_WORLD, ierr)\n  write (*, '(a, i0)') ', second ', rank\n  \
               call MPI_Finalize(ierr)\nend program\n",
        code: 0,
        says: &[],
        prints: &["first 0, second 0", "first 1, second 1"],
    },
    Case {
        file: "error_stop.f90",
        text: "program error_stop\n  use mpi\n  integer :: ierr, rank\n  call MPI_Init(ierr)\n  \
               call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)\n  print '(a, i0)', 'before ', rank\n  \
               call MPI_Barrier(MPI_COMM_WORLD, ierr)\n  if (rank == 1) error stop 'no more'\n  \
               call MPI_Barrier(MPI_COMM_WORLD, ierr)\nend program\n",
        code: 1,
        says: &["ERROR STOP no more", "rank 1: it called exit(1) before MPI_Finalize"],
        prints: &["before 0", "before 1"],
    },
    Case {
        file: "null_pointer.f90",
        text: "program null_pointer\n  use mpi\n  integer :: ierr\n  integer, pointer :: list(:)\n  \
               call MPI_Init(ierr)\n  nullify (list)\n  list(1) = ierr\n  print *, list(1)\nend program\n",
        code: 1,
        says: &["it crashed in or after MPI_Init: segmentation fault"],
        prints: &[],
    },
    Case {
        file: "stop_code.f90",
        text: "program stop_code\n  use mpi_f08\n  call MPI_Init()\n  call MPI_Finalize()\n  stop 7\nend program\n",
        code: 1,
        says: &["STOP 7", "rank 0 ended with exit code 7"],
        prints: &[],
    },
];

#[test]
fn programs_in_cxx_and_fortran_end_as_they_say() {
    let folder = scratch();
    for case in &CASES {
        let source = folder.path().join(case.file);
        fs::write(&source, case.text).unwrap();
        let ended = run(mpirun(2).arg(compile(&source, folder.path()))).expect(case.code);
        for text in case.says {
            ended.says(&[text]);
        }
        assert_eq!(ended.sorted_lines(), case.prints, "{}", case.file);
    }
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
