//! Every program of `tests/mpi` prints the same under Open MPI and under weir, on any machine; so do those in C++ of
//! `tests/mpi/cxx` and those in Fortran of `tests/mpi/fortran`. Those of `tests/mpi/mpich` call what Open MPI does not
//! have: they are compared with MPICH, whose binary, which has the standard's interface, weir runs too.
//!
//! A program says in its first line with how many ranks it runs: `make test` takes the first and the last of these numbers, each on
//! some of the machines, and what the real MPI has printed from a table (`references.rs`); `make soak` takes all of them. Ranks print in any order: the lines are compared
//! sorted. Where Open MPI departs from the standard, the program goes round it and says so.

use crate::command::{
    Ended, check_all, compile_for_mpich, compile_for_open_mpi, compiled, files, is_long, mpich, mpirun,
    open_mpi, root, run, scratch,
};
use crate::{digests, references};
use std::cell::LazyCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options of `weir mpirun`: no network at all, and flows and packets on a torus.
const MACHINES: [&[&str]; 3] =
    [&[], &["--machine", "examples/torus.toml"], &["--machine", "examples/torus.toml", "--engine", "packet"]];

/// The numbers of ranks in a first line such as `/* ranks: 2 3 4 */`, or `! ranks: 2 3 4` in Fortran.
pub(crate) fn ranks(text: &str) -> Result<Vec<usize>, String> {
    let first = text.lines().next().unwrap_or_default();
    let of_c = first.strip_prefix("/* ranks:").and_then(|rest| rest.trim_end().strip_suffix("*/"));
    let numbers = of_c.or_else(|| first.strip_prefix("! ranks:"));
    let numbers = numbers.ok_or(format!("the first line must be like /* ranks: 2 3 */, not {first}"))?;
    let parsed: Result<Vec<usize>, _> = numbers.split_whitespace().map(str::parse).collect();
    match parsed {
        Ok(ranks) if !ranks.is_empty() && !ranks.contains(&0) => Ok(ranks),
        _ => Err(format!("no numbers of ranks: {first}")),
    }
}

/// The most ranks of a program; where there is little time, the fewest that are three.
pub(crate) fn enough(ranks: &[usize]) -> usize {
    let few = ranks.iter().find(|&&ranks| ranks >= 3 && !is_long());
    *few.or(ranks.last()).expect("there are some")
}

/// What is different between two outputs, or wrong with both; at most a few lines of it.
fn compare(reference: &Ended, run: &Ended) -> Result<(), String> {
    let (expected, found) = (reference.sorted_lines(), run.sorted_lines());
    let missing = expected.iter().filter(|line| !found.contains(line)).map(|line| format!("  - {line}"));
    let surplus = found.iter().filter(|line| !expected.contains(line)).map(|line| format!("  + {line}"));
    let mut mistakes: Vec<String> = missing.take(4).chain(surplus.take(4)).collect();
    if mistakes.is_empty() && expected != found {
        mistakes.push(format!("  {} lines instead of {}", found.len(), expected.len()));
    }
    let wrong = expected.iter().filter(|line| line.ends_with("WRONG"));
    mistakes.extend(wrong.take(4).map(|line| format!("  under the real MPI: {line}")));
    if (reference.code, run.code) != (0, 0) {
        let shown =
            run.stderr.lines().chain(reference.stderr.lines()).take(4).collect::<Vec<_>>().join("\n  ");
        mistakes
            .push(format!("  exit status {}, under the real MPI {}\n  {shown}", run.code, reference.code));
    }
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes.join("\n")) }
}

/// A real MPI to compare with.
#[derive(Clone, Copy, Debug)]
enum Reference {
    OpenMpi,
    Mpich,
}

impl Reference {
    fn compile(self, source: &Path, folder: &Path) -> PathBuf {
        match self {
            Self::OpenMpi => compile_for_open_mpi(source, folder),
            Self::Mpich => compile_for_mpich(source, folder),
        }
    }

    /// Runs a program that ends well. Both real MPIs fail or hang now and then on a busy computer, or where sessions make
    /// communicators: what fails begins again.
    fn run(self, ranks: usize, program: &Path, folder: &Path) -> Ended {
        const ATTEMPTS: usize = 4;
        let attempt = || {
            let mut command = match self {
                Self::OpenMpi => open_mpi(ranks),
                Self::Mpich => {
                    let mut mpiexec = mpich("mpiexec");
                    mpiexec.env("MPIEXEC_TIMEOUT", "20").args(["-n", &ranks.to_string()]);
                    mpiexec
                }
            };
            run(command.arg(program).current_dir(folder))
        };
        let mut ended = attempt();
        for _ in 1..ATTEMPTS {
            if ended.code == 0 {
                break;
            }
            ended = attempt();
        }
        ended
    }
}

fn check(source: &Path, real: Reference, folder: &Path) -> Result<(), String> {
    let name = source.file_stem().unwrap().to_string_lossy();
    let text = std::fs::read_to_string(source).unwrap();
    let mut ranks = ranks(&text).map_err(|mistake| format!("{name}: {mistake}"))?;
    // What takes time is to start the ranks of the real MPI.
    if !is_long() {
        ranks = vec![ranks[0], *ranks.last().expect("there are some")];
        ranks.dedup();
    }
    let (one, most) = (ranks.len() == 1, ranks.last().copied());
    let program = compiled(source);
    let reference = LazyCell::new(|| real.compile(source, folder));
    let mut mistakes = Vec::new();
    for ranks in ranks {
        let run_name = format!("{} {real:?} {ranks}", digests::name(source));
        let expected = LazyCell::new(|| real.run(ranks, &reference, folder));
        // Files that programs write go into the same folder.
        let mut check_on = |machine: &[&str], program: &Path, what: &str| {
            let options = machine.iter().map(|&option| match Path::new(option).extension() {
                Some(_) => root().join(option).into(),
                None => OsString::from(option),
            });
            let found = run(mpirun(ranks).args(options).arg(program).current_dir(folder));
            if found.code == 0 && references::are_known(&run_name, &text, &found.sorted_lines()) {
                return;
            }
            match compare(&expected, &found) {
                Ok(()) => references::record(&run_name, &text, &found.sorted_lines()),
                Err(mistake) => {
                    mistakes.push(format!("{name} on {ranks} ranks {}{what}\n{mistake}", machine.join(" ")));
                }
            }
        };
        // Where there is little time, flows have the fewest ranks, and the other engines the most.
        let few = Some(&ranks) != most.as_ref();
        let some = |machine: &&&[&str]| is_long() || one || (**machine == MACHINES[1]) == few;
        for machine in MACHINES.iter().filter(some) {
            check_on(machine, &program, "");
        }
        if matches!(real, Reference::Mpich) {
            check_on(MACHINES[1], &reference, ", the same binary");
        }
    }
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes.join("\n")) }
}

#[test]
fn every_program_prints_the_same_as_under_open_mpi() {
    let folder = scratch();
    let programs: Vec<PathBuf> = files(&root().join("tests/mpi"), "c");
    assert!(programs.len() > 20, "only {} programs found", programs.len());
    check_all(&programs, |source| check(source, Reference::OpenMpi, folder.path()));
}

#[test]
fn every_program_in_cxx_prints_the_same_as_under_open_mpi() {
    let folder = scratch();
    let programs = files(&root().join("tests/mpi/cxx"), "cpp");
    assert!(programs.len() > 3, "only {} programs found", programs.len());
    check_all(&programs, |source| check(source, Reference::OpenMpi, folder.path()));
}

#[test]
fn every_program_in_fortran_prints_the_same_as_under_open_mpi() {
    let folder = scratch();
    let mut programs = files(&root().join("tests/mpi/fortran"), "f90");
    programs.extend(files(&root().join("tests/mpi/fortran"), "f"));
    assert!(programs.len() > 8, "only {} programs found", programs.len());
    check_all(&programs, |source| check(source, Reference::OpenMpi, folder.path()));
}

#[test]
fn every_program_prints_the_same_as_under_mpich() {
    let folder = scratch();
    let programs: Vec<PathBuf> = files(&root().join("tests/mpi/mpich"), "c");
    assert!(!programs.is_empty());
    check_all(&programs, |source| check(source, Reference::Mpich, folder.path()));
}

/// A program built for the standard's binary interface runs with a process for each rank, and prints what it prints
/// when all its ranks are in one process.
#[test]
fn every_program_prints_the_same_in_processes_of_its_own() {
    let folder = scratch();
    let mut programs: Vec<PathBuf> = files(&root().join("tests/mpi"), "c");
    programs.retain(|path| !path.ends_with("files_errors.c"));
    check_all(&programs, |source| {
        let text = std::fs::read_to_string(source).unwrap();
        let ranks = enough(&ranks(&text)?);
        let apart = run(mpirun(ranks).args(MACHINES[1]).arg(compile_for_mpich(source, folder.path())));
        let run_name = format!("{} {:?} {ranks}", digests::name(source), Reference::OpenMpi);
        if apart.code == 0 && references::are_known(&run_name, &text, &apart.sorted_lines()) {
            return Ok(());
        }
        let here = run(mpirun(ranks).args(MACHINES[1]).arg(compiled(source)));
        compare(&here, &apart).map_err(|mistake| format!("{} on {ranks} ranks\n{mistake}", source.display()))
    });
}

/// Whether globals are put in place or each rank has an instance of the program.
#[test]
fn both_ways_of_globals_give_the_same() {
    for name in [
        "global_buffers.c",
        "thread_locals.c",
        "cxx/exceptions.cpp",
        "cxx/globals.cpp",
        "fortran/globals.f90",
    ] {
        let source = root().join("tests/mpi").join(name);
        let program = compiled(&source);
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
fn the_comparison_sees_what_differs() {
    let ended = |code, stdout: &str| Ended { code, stdout: stdout.into(), stderr: "why".into() };
    let right = ended(0, "0: a\n1: b\n");
    let cases = [
        (ended(0, "1: b\n0: a\n"), ""),
        (ended(0, "0: a\n1: c\n"), "  - 1: b\n  + 1: c"),
        (ended(0, "0: a\n1: b\n1: b\n"), "  3 lines instead of 2"),
        (ended(3, "0: a\n1: b\n"), "  exit status 3, under the real MPI 0\n  why\n  why"),
    ];
    for (found, mistake) in cases {
        assert_eq!(compare(&right, &found).err().unwrap_or_default(), mistake);
    }
    let wrong = ended(0, "0: sum WRONG\n");
    assert_eq!(compare(&wrong, &wrong).unwrap_err(), "  under the real MPI: 0: sum WRONG");
    assert_eq!(ranks("/* ranks: 1 12 */\n").unwrap(), [1, 12]);
    assert!(ranks("/* ranks: */").is_err() && ranks("int main").is_err() && ranks("/* ranks: 0 */").is_err());
}
