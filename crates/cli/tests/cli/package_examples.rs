//! Example programs of MPICH and Open MPI, from outside this project, compiled and run unchanged.
//!
//! Those whose MPI functions weir offers print the same as under Open MPI on a few ranks, and what they must on many.
//! The others compile, and stop with a message that names the function. `make setup` fetches them.

use crate::command::{
    Ended, check_all, compile_for_open_mpi, files, mpirun, open_mpi, root, run, run_with_input, scratch, weir,
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

impl Run {
    /// Whether so many ranks have printed what they must.
    fn right(&self, ranks: usize, lines: &[String]) -> bool {
        let with = |word: &str| lines.iter().filter(|line| line.contains(word)).cloned().collect::<Vec<_>>();
        match self.program.as_str() {
            "mpich/cpi" => {
                let greeted = |rank| {
                    lines.iter().any(|line| line.starts_with(&format!("Process {rank} of {ranks} is on ")))
                };
                (0..ranks).all(greeted) && lines.len() == ranks + 2 && pi_within(lines, 1e-9) == 1
            }
            "mpich/icpi" | "mpich/ircpi" => pi_within(lines, 1e-6) == 2,
            "mpich/hellow" => {
                one_each(ranks, lines, |rank| format!("Hello world from process {rank} of {ranks}"))
            }
            "mpich/srtest" => {
                let received = |rank| format!("{rank} received 'hello there' ");
                lines.len() == 3 * ranks && one_each(ranks, &with("received"), received)
            }
            "mpich/mpiexectest" => {
                let last = |rank| format!("[{rank}] argv[4]=\"é\"");
                lines.len() == 7 * ranks && one_each(ranks, &with("argv[4]"), last)
            }
            "openmpi/hello_c" => {
                let starts = lines.iter().map(|line| line.split(", (").next().unwrap().to_owned());
                one_each(ranks, &starts.collect::<Vec<_>>(), |rank| {
                    format!("Hello, world, I am {rank} of {ranks}")
                })
            }
            "openmpi/ring_c" => {
                one_each(ranks, &with("exiting"), |rank| format!("Process {rank} exiting"))
                    && one_each(10, &with("decremented"), |left| {
                        format!("Process 0 decremented value: {left}")
                    })
            }
            "openmpi/connectivity_c" if self.args.is_empty() => {
                lines == [format!("Connectivity test on {ranks} processes PASSED.")]
            }
            _ => lines.len() == ranks * (ranks - 1) / 2 + 1,
        }
    }
}

/// How many lines say what pi is, this accurately; none if one of them is wrong.
fn pi_within(lines: &[String], tolerance: f64) -> usize {
    let said = lines.iter().filter_map(|line| line.split_once("pi is approximately ")).map(|(_, rest)| rest);
    let numbers: Vec<f64> = said.map(|rest| rest.split(',').next().unwrap().parse().unwrap_or(0.0)).collect();
    let right = numbers.iter().all(|pi| (pi - std::f64::consts::PI).abs() < tolerance);
    if right { numbers.len() } else { 0 }
}

/// Whether the lines are these, one for each number, in any order.
fn one_each(count: usize, lines: &[String], line: impl Fn(usize) -> String) -> bool {
    let mut expected: Vec<String> = (0..count).map(line).collect();
    let mut found = lines.to_vec();
    expected.sort_unstable();
    found.sort_unstable();
    expected == found
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
        let (compiled, _) = compile(&source(program), folder.path());
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

#[test]
fn programs_do_what_they_must_on_many_ranks() {
    let folder = scratch();
    check_all(&FATES.run, |case| {
        let Run { program, args, input, .. } = case;
        let folder = tempfile::tempdir_in(folder.path()).unwrap();
        let (compiled, _) = compile(&source(program), folder.path());
        let torus = ["--machine", "examples/torus.toml", "--set"];
        let small = [&torus[..], &["topology.shape=[4,4]"]].concat();
        let large = [&torus[..], &["topology.shape=[16,8,8]"]].concat();
        let runs: [(usize, &[&str]); 4] = [(16, &[]), (16, &small), (64, &[]), (1024, &large)];
        for (ranks, machine) in runs {
            let ended = run_with_input(mpirun(ranks).args(machine).arg(&compiled).args(args), input);
            let lines: Vec<String> = ended.stdout.lines().map(str::to_owned).collect();
            if ended.code != 0 || !case.right(ranks, &lines) {
                let some = lines.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
                return Err(format!("{program} on {ranks} ranks {machine:?}\n{some}\n{}", ended.stderr));
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
    let (ours, _) = compile(&source(program), folder.path());
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
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(pi_within(&lines("pi is approximately 3.14159, Error"), 1e-5), 1);
    assert_eq!(pi_within(&lines("pi is approximately 3.15, Error"), 1e-5), 0);
    assert!(one_each(2, &lines("b1\nb0"), |n| format!("b{n}")));
    assert!(!one_each(2, &lines("b1\nb1"), |n| format!("b{n}")));
}
