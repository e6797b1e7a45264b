//! Example programs of MPICH and Open MPI, from outside this project, compiled and run unchanged.
//!
//! Those whose MPI functions weir offers print the same as under Open MPI on a few ranks, and what they must on many.
//! The others compile, and stop with a message that names the function. `make setup` fetches them.

use crate::command::{
    Ended, check_all, compile_for_open_mpi, compiled, files, is_long, mpirun, open_mpi, root, run,
    run_with_input, scratch, weir,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// What becomes of programs, by the folder and name of each.
#[derive(Deserialize)]
struct Fates {
    no_program: BTreeMap<String, String>,
    stops: BTreeMap<String, Stops>,
    run: Vec<Run>,
}

static FATES: LazyLock<Fates> =
    LazyLock::new(|| toml::from_str(include_str!("package_examples.toml")).expect("package_examples.toml"));

/// A program that stops on so many ranks.
#[derive(Deserialize)]
struct Stops {
    ranks: usize,
    #[serde(default)]
    args: Vec<String>,
    says: String,
}

/// A program that runs as everywhere.
#[derive(Deserialize)]
struct Run {
    program: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    input: String,
    #[serde(default)]
    masks: Vec<Mask>,
}

/// Parts of two right outputs that may differ.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mask {
    /// The word behind " on ": the name of a node.
    NodeName,
    /// What stands in parentheses: the name of the program, the version of the library.
    Parentheses,
    /// The rest of a line behind "wall clock time".
    Clock,
    /// Digits of a sum behind the twelfth decimal: they depend on the order of summation, which MPI leaves open.
    LastDigits,
}

fn masked(line: &str, masks: &[Mask]) -> String {
    let mut line = line.to_owned();
    for mask in masks {
        let range = match mask {
            Mask::NodeName => line.find(" on ").map(|start| {
                let start = start + " on ".len();
                start..line[start..].find(' ').map_or(line.len(), |length| start + length)
            }),
            Mask::Parentheses => line.find(" (").zip(line.rfind(')')).map(|(start, end)| start + 2..end),
            Mask::Clock => line.find("wall clock time").map(|start| start..line.len()),
            Mask::LastDigits => {
                line = without_last_digits(&line);
                None
            }
        };
        if let Some(range) = range {
            line.replace_range(range, "*");
        }
    }
    line
}

/// Every number of a line cut behind its twelfth decimal.
fn without_last_digits(line: &str) -> String {
    let mut decimals = None;
    let kept = line.chars().filter(|&letter| {
        decimals = match decimals {
            _ if letter == '.' => Some(0),
            Some(count) if letter.is_ascii_digit() => Some(count + 1),
            _ => None,
        };
        decimals.is_none_or(|count| count <= 12)
    });
    kept.collect()
}

fn masked_lines(ended: &Ended, masks: &[Mask]) -> Vec<String> {
    let mut lines: Vec<String> = ended.stdout.lines().map(|line| masked(line, masks)).collect();
    lines.sort_unstable();
    lines
}

/// The folder with a library's programs.
fn library(name: &str) -> PathBuf {
    let folder = root().join("target/mpi-examples").join(name);
    assert!(folder.is_dir(), "{} is not there: `make setup` fetches it", folder.display());
    folder
}

fn source(program: &str) -> PathBuf {
    let (name, file) = program.split_once('/').unwrap();
    library(name).join(file).with_extension("c")
}

fn compile(source: &Path, folder: &Path) -> (PathBuf, Ended) {
    let program = folder.join(source.file_stem().unwrap());
    let ended = run(weir(["cc", "-w", "-O1"]).arg(source).arg("-o").arg(&program).args(["-lm", "-lpthread"]));
    (program, ended)
}

fn check_fate(library: &str, source: &Path, folder: &Path) -> Result<(), String> {
    let name = source.display();
    let short = format!("{library}/{}", source.file_stem().unwrap().display());
    let (program, compiled) = compile(source, folder);
    if let Some(reason) = FATES.no_program.get(&short) {
        return match compiled.code != 0 && compiled.stderr.contains(reason) {
            true => Ok(()),
            false => {
                Err(format!("{name} was expected not to compile because of {reason}: {}", compiled.stderr))
            }
        };
    }
    if compiled.code != 0 {
        return Err(format!("{name} does not compile: {}", compiled.stderr));
    }
    let Some(Stops { ranks, args, says }) = FATES.stops.get(&short) else { return Ok(()) };
    let ended = run(mpirun(*ranks).arg(program).args(args).current_dir(folder));
    match ended.code == 1 && ended.stderr.contains(says) {
        true => Ok(()),
        false => {
            Err(format!("{name}: exit status {}, expected 1 and \"{says}\": {}", ended.code, ended.stderr))
        }
    }
}

#[test]
fn all_programs_compile_unchanged() {
    let folder = scratch();
    for name in ["mpich", "openmpi"] {
        check_all(&files(&library(name), "c"), |path| check_fate(name, path, folder.path()));
    }
}

#[test]
fn programs_print_the_same_as_under_open_mpi() {
    let folder = scratch();
    check_all(&FATES.run, |Run { program, args, input, masks }| {
        // A folder of their own, because two runs share a program.
        let folder = tempfile::tempdir_in(folder.path()).unwrap();
        let reference = compile_for_open_mpi(&source(program), folder.path());
        let compiled = compiled(&source(program));
        for ranks in [2, 4] {
            let mut ours = mpirun(ranks);
            let mut theirs = open_mpi(ranks);
            let [ours, theirs] =
                [(&mut ours, &compiled), (&mut theirs, &reference)].map(|(command, path)| {
                    run_with_input(command.arg(path).args(args).current_dir(folder.path()), input).expect(0)
                });
            let (ours, theirs) = (masked_lines(&ours, masks), masked_lines(&theirs, masks));
            if ours != theirs {
                return Err(format!("{program} on {ranks} ranks\nweir: {ours:#?}\nOpen MPI: {theirs:#?}"));
            }
        }
        Ok(())
    });
}

/// On many ranks they print on a torus what they print without a network.
#[test]
fn programs_print_the_same_on_many_ranks() {
    check_all(&FATES.run, |Run { program, args, input, masks }| {
        let compiled = compiled(&source(program));
        let many =
            if is_long() { (1024, "topology.shape=[16,8,8]") } else { (128, "topology.shape=[8,4,4]") };
        for (ranks, shape) in [(16, "topology.shape=[4,4]"), many] {
            let torus = ["--machine", "examples/torus.toml", "--set", shape];
            let [without, on_torus] = [&[][..], &torus].map(|machine| {
                let mut command = mpirun(ranks);
                run_with_input(command.args(machine).arg(&compiled).args(args), input).expect(0)
            });
            let [without, on_torus] = [&without, &on_torus].map(|ended| masked_lines(ended, masks));
            if without != on_torus {
                return Err(format!(
                    "{program} on {ranks} ranks: {on_torus:?}, without a network {without:?}"
                ));
            }
        }
        Ok(())
    });
}

/// Runs a program that computes a picture under Open MPI and under weir: so many ranks, and many on a torus of this
/// shape.
#[track_caller]
fn check_picture(program: &str, ranks: usize, (many, shape): (usize, &str)) {
    let folder = scratch();
    let theirs = compile_for_open_mpi(&source(program), folder.path());
    let ours = compiled(&source(program));
    let machine = root().join("examples/torus.toml");
    let machine = machine.to_str().unwrap();
    let on_torus = |ranks, shape| {
        let mut command = mpirun(ranks);
        command.args(["--machine", machine, "--set", shape]);
        command
    };
    let commands = [
        (open_mpi(ranks), theirs),
        (mpirun(ranks), ours.clone()),
        (on_torus(ranks, "topology.shape=[3,2]"), ours.clone()),
        (on_torus(many, shape), ours),
    ];
    let pictures = commands.map(|(mut command, program)| {
        let picture = folder.path().join("picture.ppm");
        command.arg(program).args(["-i", "-xscale", "80", "-yscale", "80", "-out", "picture.ppm"]);
        let input = "-1.5 -1 0.5 1 100\n0 0 0 0 0\n";
        run_with_input(command.current_dir(folder.path()), input).expect(0);
        let bytes = std::fs::read(&picture).unwrap();
        std::fs::remove_file(&picture).unwrap();
        bytes
    });
    assert!(pictures[0].starts_with(b"P3") && pictures[0].len() > 30_000, "no picture");
    assert!(pictures.iter().all(|picture| *picture == pictures[0]), "the pictures differ");
}

/// Master and workers compute a picture in pieces. Which worker gets which piece depends on the network; the picture
/// does not, if it is a square: the program takes height for width.
#[test]
fn a_picture_is_the_same_on_every_machine() {
    check_picture("mpich/pmandel", 4, (256, "topology.shape=[16,16]"));
}

/// The same with puts between fences. A worker without a piece puts to a negative displacement, so the 400 pieces must
/// be shared evenly.
#[test]
fn a_picture_by_puts_is_the_same_on_every_machine() {
    check_picture("mpich/pmandel_fence", 5, (81, "topology.shape=[9,9]"));
}

#[test]
fn masks_hide_what_may_differ_and_nothing_else() {
    let check = |mask, line, expected| assert_eq!(masked(line, &[mask]), expected);
    check(Mask::NodeName, "Process 0 of 2 is on node0", "Process 0 of 2 is on *");
    check(Mask::NodeName, "rank 0 on a and rank 1", "rank 0 on * and rank 1");
    check(Mask::Parentheses, "I am 0 of 2, (weir (x), 27)!", "I am 0 of 2, (*)!");
    check(Mask::Clock, "wall clock time = 0.1", "*");
    check(Mask::Clock, "pi is 3", "pi is 3");
    check(
        Mask::LastDigits,
        "1.12345678901234, 0.5 a. 12345678901234",
        "1.123456789012, 0.5 a. 12345678901234",
    );
}
