//! `weir skeleton make`: skeletons by the tool start the same sends, receives and collectives as their programs.

mod random;

use crate::command::{Ended, check_all, root, run, scratch, weir};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the command finds in a program; the skeleton is in `NAME-skeleton`, the program in `NAME`, the measuring one in
/// `NAME-measure`, all of them compiled.
fn made(source: &Path, folder: &Path, more: &[&str]) -> (Value, PathBuf) {
    let name = source.file_stem().unwrap().to_str().unwrap();
    let [program, skeleton, measure] =
        ["", "-skeleton", "-measure"].map(|end| folder.join(format!("{name}{end}")));
    let [skeleton_text, measure_text] = [&skeleton, &measure].map(|path| path.with_extension("c"));
    let mut make = weir(["skeleton", "make", "--json", "--times", "none"]);
    make.args(more).arg(source).arg("-o").arg(&skeleton_text).arg("--measure").arg(&measure_text);
    let found = run(&mut make).expect(0).summary();
    // The skeleton has no warnings of its own making.
    let strict: &[&str] = &["-Wall", "-Werror", "-Wno-unused-result", "-Wno-misleading-indentation"];
    let compiled =
        [(source, &program, &[][..]), (&skeleton_text, &skeleton, strict), (&measure_text, &measure, &[])];
    for (text, to, options) in compiled {
        let mut compiler = weir(["cc", "-O1"]);
        compiler.args(options).arg("-I").arg(source.parent().unwrap()).arg(text).arg("-o").arg(to).arg("-lm");
        run(&mut compiler).expect(0);
    }
    (found, program)
}

/// The check of a program against its skeleton.
fn checked(program: &Path, ranks: usize, args: &str) -> Ended {
    let skeleton = format!("{}-skeleton {args}", program.display());
    let program = format!("{} {args}", program.display());
    let options = ["skeleton", "check", "--json", "-q", "--compute", "none", "-n", &ranks.to_string()];
    run(weir(options).args([program.trim(), skeleton.trim()]))
}

/// Checks that a skeleton without any charges sends what its program sends, and that the measuring program runs; returns
/// what the command has found.
fn same(source: &Path, folder: &Path, ranks: usize, (args, more): (&str, &[&str])) -> Result<Value, String> {
    let (found, program) = made(source, folder, more);
    let ended = checked(&program, ranks, args);
    let name = source.display();
    let Some(line) = ended.stdout.lines().find(|line| line.starts_with('{')) else {
        return Err(format!("{name}: {}", ended.stderr));
    };
    let result: Value = serde_json::from_str(line).unwrap();
    if result["same_messages"] != true || ended.code != 0 {
        return Err(format!("{name}: {} {}", result["differences"][0], ended.stderr));
    }
    let measure = format!("{}-measure", program.display());
    let measured =
        run(weir(["mpirun", "-q", "-n", &ranks.to_string(), &measure]).args(args.split_whitespace()));
    match measured.code {
        0 => Ok(found),
        _ => Err(format!("{measure}: {}", measured.stderr)),
    }
}

/// Programs in which something decides about messages in a way that is easily overlooked, with the blocks that remain.
const CASES: [(&str, &str, &str); 19] = [
    ("plain", "double", "for (int i = 0; i < 1000; i++) x[i] = i; MPI_Bcast(x, 1000, MPI_DOUBLE, 0, W);"),
    (
        "residual",
        "none",
        "double all = 1; while (all > 1e-3) { double own = 0; for (int i = 0; i < 1000; i++) { x[i] = 0.5 * x[i] + 1e-5; own += x[i] / 1e3; }
         MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, W); all = all > 1 ? all / 8 : 0; }",
    ),
    (
        "count by broadcast",
        "double",
        "int n = 0; if (rank == 0) for (int i = 0; i < 30; i++) n += i % 2; MPI_Bcast(&n, 1, MPI_INT, 0, W);
         for (int i = 0; i < n; i++) { x[i] = 1; for (int j = 0; j < 90; j++) x[i] += j; } MPI_Bcast(x, n, MPI_DOUBLE, 0, W);",
    ),
    (
        "alias",
        "double",
        "int n = 1, *p = &n, **q = &p; for (int i = 0; i < 9; i++) **q += i; for (int i = 0; i < n; i++) x[i] = i; MPI_Bcast(x, n, MPI_DOUBLE, 0, W);",
    ),
    (
        "pointer to function",
        "none",
        "void (*set[2])(int *) = {five, seven}; int n; for (int i = 0; i < 2; i++) set[i](&n); MPI_Bcast(x, n, MPI_DOUBLE, 0, W);",
    ),
    (
        "goto",
        "double",
        "int k = 0; again: for (int i = 0; i < 1000; i++) x[i] += k; MPI_Bcast(x, ++k, MPI_DOUBLE, 0, W); if (k < 5) goto again;",
    ),
    (
        "variables that stay",
        "double",
        "for (int i = 0; i < 3; i++) { static int calls; calls++; counter += calls; } for (int i = 0; i < 99; i++) x[i] = i;
         MPI_Bcast(x, counter, MPI_DOUBLE, 0, W);",
    ),
    ("macro with MPI", "double", "for (int i = 0; i < 5; i++) { for (int j = 0; j < 99; j++) x[j] = i; SPREAD(x, i + 1); }"),
    ("MPI in a callee", "double", "for (int i = 0; i < 5; i++) { spread(x, i + 1); for (int j = 0; j < 99; j++) x[j] *= i; }"),
    ("recursion", "double", "descend(x, 5);"),
    (
        "switch",
        "double double",
        "for (int i = 0; i < 9; i++) switch (i % 3) { case 0: for (int j = 0; j < 99; j++) x[j] = i; break;
         case 1: MPI_Bcast(x, i, MPI_DOUBLE, 0, W); for (int j = 0; j < 99; j++) x[j] += i; }",
    ),
    (
        "exit in a branch",
        "none",
        "double sum = 0; for (int i = 0; i < 1000; i++) sum += i; if (sum > 1e3) { MPI_Finalize(); exit(0); } MPI_Barrier(W);",
    ),
    (
        "number from a file",
        "double",
        "FILE *f = tmpfile(); fprintf(f, \"3 4 5\"); rewind(f); int n = 0, other; for (int i = 0; i < 2; i++) fscanf(f, \"%d\", &other);
         fscanf(f, \"%d\", &n); for (int i = 0; i < 99; i++) x[i] = i; MPI_Bcast(x, n, MPI_DOUBLE, 0, W);",
    ),
    (
        "arguments",
        "double",
        "int n = 2; for (int k = 1; k < argc; k++) n += atoi(argv[k]); for (int i = 0; i < 99; i++) x[i] = n; MPI_Bcast(x, n, MPI_DOUBLE, 0, W);",
    ),
    (
        "struct",
        "double",
        "struct grid g = {2, x}, *p = &g; for (int i = 0; i < 4; i++) p->n += i; struct grid h = g; for (int i = 0; i < 99; i++) h.data[i] = i;
         MPI_Bcast(h.data, h.n, MPI_DOUBLE, 0, W);",
    ),
    (
        "one counter for all loops",
        "double double",
        "int i; for (i = 0; i < 99; i++) x[i] = i; for (i = 0; i < 3; i++) MPI_Bcast(x, i, MPI_DOUBLE, 0, W); for (i = 0; i < 99; i++) x[i] *= 2;",
    ),
    (
        "a counter that is read later",
        "none",
        "int i; for (i = 0; i < 99; i++) if (x[i] != 0) break; MPI_Bcast(x, i % 7, MPI_DOUBLE, 0, W);",
    ),
    (
        "random numbers",
        "none",
        "for (int i = 0; i < 99; i++) x[i] = rand(); MPI_Bcast(x, rand() % 9, MPI_DOUBLE, 0, W);",
    ),
    (
        "copied bytes",
        "none",
        "int n = 3, m; char room[8]; memcpy(room, &n, sizeof n); for (int i = 0; i < 4; i++) room[4 + i] = i; memcpy(&m, room, sizeof m);
         MPI_Bcast(x, m, MPI_DOUBLE, 0, W);",
    ),
];

const AROUND: &str = r"#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define W MPI_COMM_WORLD
#define SPREAD(data, count) do { if ((count) > 0) MPI_Bcast(data, count, MPI_DOUBLE, 0, W); } while (0)
struct grid { int n; double *data; };
static double x[1000];
static int counter;
void five(int *n) { *n = 5; }
void seven(int *n) { *n = 7; }
void spread(double *data, int count) { for (int i = 0; i < 2; i++) MPI_Bcast(data, count, MPI_DOUBLE, 0, W); }
void descend(double *data, int depth)
{
    for (int i = 0; i < 99; i++) data[i] += depth;
    MPI_Bcast(data, depth, MPI_DOUBLE, 0, W);
    if (depth > 1) descend(data, depth - 1);
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    BODY
    MPI_Finalize();
    return x[0] > 1e300 || counter < 0;
}
";

#[test]
fn what_decides_stays_however_it_does() {
    let folder = scratch();
    check_all(&CASES, |(name, blocks, body)| {
        let source = folder.path().join(name.replace(' ', "_")).with_extension("c");
        std::fs::write(&source, AROUND.replace("BODY", body)).unwrap();
        let found = same(&source, folder.path(), 3, ("", &[]))?;
        let expected = blocks.split(' ').filter(|word| *word != "none").count();
        let count = found["blocks"].as_array().unwrap().len();
        if count == expected {
            Ok(())
        } else {
            Err(format!("{name}: {count} blocks, not {expected}: {found}"))
        }
    });
}

/// Examples and other programs of the project, with their ranks, their arguments, and the least number of blocks.
const PROGRAMS: [(&str, usize, &str, &[&str], usize); 9] = [
    ("examples/skeletons/eri.c", 4, "-n 30", &[], 5),
    ("examples/skeletons/eri.c", 4, "-n 30", &["--keep", "compute_row"], 4),
    ("examples/skeletons/ft.c", 4, "-n 16,16,16", &[], 9),
    ("examples/skeletons/levels.c", 4, "", &[], 2),
    ("examples/skeletons/neighbours.c", 8, "cg 8 2", &[], 0),
    ("examples/ring.c", 4, "", &[], 0),
    ("tests/mpi/random_plans.c", 5, "1 3", &[], 0),
    ("tests/mpi/transpose.c", 4, "", &[], 0),
    ("tests/mpi/datatypes.c", 4, "", &[], 0),
];

#[test]
fn skeletons_of_examples_send_what_they_send() {
    check_all(&PROGRAMS, |&(path, ranks, args, more, least)| {
        let folder = scratch();
        let found = same(&root().join(path), folder.path(), ranks, (args, more))?;
        let count = found["blocks"].as_array().unwrap().len();
        if count >= least { Ok(()) } else { Err(format!("{path}: {count} blocks: {found}")) }
    });
}

/// How many random programs are tried: as many as this variable says.
const CASES_OF_LAW: &str = "WEIR_RANDOM_SKELETONS";
const FEW: usize = 12;

/// Programs at random, whose variables hang on each other in many ways: the messages of their skeletons are theirs.
#[test]
fn skeletons_of_random_programs_send_what_they_send() {
    let count = std::env::var(CASES_OF_LAW).map_or(FEW, |text| text.parse().unwrap());
    let seeds: Vec<usize> = (1..=count).collect();
    let removed = std::sync::atomic::AtomicUsize::new(0);
    check_all(&seeds, |&seed| {
        let folder = scratch();
        let source = folder.path().join(format!("random_{seed}.c"));
        std::fs::write(&source, random::program(seed as u64)).unwrap();
        let found = same(&source, folder.path(), 3, ("", &[]))?;
        let blocks = found["blocks"].as_array().unwrap().len();
        removed.fetch_add(blocks, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    });
    // A tool that leaves out nothing would keep the law.
    assert!(removed.into_inner() > count / 2);
}
