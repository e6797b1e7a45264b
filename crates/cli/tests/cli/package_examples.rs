//! Example programs of MPICH and Open MPI, from outside this project, compiled and run unchanged.
//!
//! Those whose MPI functions weir offers print the same as under Open MPI on a few ranks, and what they must on many.
//! The others compile, and stop with a message that names the function. `make setup` fetches them.

use crate::command::{
    Ended, check_all, compile_for_open_mpi, files, mpirun, open_mpi, root, run, run_with_input, scratch, weir,
};
use std::path::{Path, PathBuf};

/// What becomes of a program.
enum Fate {
    /// It does not compile, for a reason of its own; the compiler names this.
    NoProgram(&'static str),
    /// It compiles; the reason why it is not run.
    CompilesOnly(#[allow(dead_code, reason = "for readers")] &'static str),
    /// It compiles, and on so many ranks it stops with exit status 1 and a message with this in it.
    Stops { ranks: usize, args: &'static [&'static str], says: &'static str },
    /// It runs as everywhere; [`RUNS`] says how.
    Runs,
}
use Fate::{CompilesOnly, NoProgram, Runs, Stops};

const MPICH: [(&str, Fate); 21] = [
    ("child", CompilesOnly("without a parent it does nothing")),
    ("cpi", Runs),
    ("crashtest", CompilesOnly("rank 0 computes for ever: the crash of rank 2 never gets its turn")),
    ("exittest", Stops { ranks: 2, args: &[], says: "rank 1 ended with exit code -1" }),
    ("hellow", Runs),
    ("icpi", Runs),
    ("infloop", CompilesOnly("every rank computes for ever")),
    ("ircpi", Runs),
    ("mpiexectest", Runs),
    ("parent", Stops { ranks: 4, args: &[], says: "weir's number of ranks is fixed" }),
    ("pmandel", Runs),
    ("pmandel_fence", Runs),
    ("pmandel_service", CompilesOnly("it waits for a program of its own that connects")),
    ("pmandel_spaserv", NoProgram("conflicting types for")), // it declares `parent` twice
    ("pmandel_spawn", NoProgram("conflicting types for")),
    ("sendrecv_ult", NoProgram("abt.h")), // of Argobots
    // There is no parent to merge with.
    ("spawn_merge_child1", Stops { ranks: 2, args: &[], says: "MPI_ERR_COMM" }),
    ("spawn_merge_child2", Stops { ranks: 2, args: &[], says: "MPI_ERR_COMM" }),
    ("spawn_merge_parent", Stops { ranks: 2, args: &[], says: "weir's number of ranks is fixed" }),
    ("srtest", Runs),
    ("threads", Runs),
];

const OPEN_MPI: [(&str, Fate); 11] = [
    ("connectivity_c", Runs),
    ("hello_c", Runs),
    ("hello_oshmem_c", NoProgram("shmem.h")), // of OpenSHMEM
    ("oshmem_circular_shift", NoProgram("shmem.h")),
    ("oshmem_max_reduction", NoProgram("shmem.h")),
    ("oshmem_shmalloc", NoProgram("shmem.h")),
    ("oshmem_strided_puts", NoProgram("shmem.h")),
    ("oshmem_symmetric_data", NoProgram("shmem.h")),
    ("ring_c", Runs),
    ("ring_oshmem_c", NoProgram("shmem.h")),
    ("spc_example", Stops { ranks: 2, args: &["10", "10"], says: "it called MPI_Abort with error code -1" }),
];

/// What two right outputs may differ in.
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

/// A program that runs as everywhere.
struct Run {
    program: &'static str,
    args: &'static [&'static str],
    input: &'static str,
    masks: &'static [Mask],
    /// Whether so many ranks have printed what they must.
    right: fn(ranks: usize, lines: &[String]) -> bool,
}

const RUNS: [Run; 10] = [
    Run {
        program: "mpich/cpi",
        args: &[],
        input: "",
        masks: &[Mask::NodeName, Mask::Clock, Mask::LastDigits],
        right: |ranks, lines| {
            let greeted = |rank| {
                lines.iter().any(|line| line.starts_with(&format!("Process {rank} of {ranks} is on ")))
            };
            (0..ranks).all(greeted) && lines.len() == ranks + 2 && pi_within(lines, 1e-9) == 1
        },
    },
    Run {
        program: "mpich/icpi",
        args: &[],
        input: "1000\n100000\n0\n",
        masks: &[Mask::Clock, Mask::LastDigits],
        right: |_, lines| pi_within(lines, 1e-6) == 2,
    },
    Run {
        program: "mpich/ircpi",
        args: &[],
        input: "1000\n100000\n0\n",
        masks: &[Mask::Clock, Mask::LastDigits],
        right: |_, lines| pi_within(lines, 1e-6) == 2,
    },
    Run {
        program: "mpich/hellow",
        args: &[],
        input: "",
        masks: &[],
        right: |ranks, lines| {
            one_each(ranks, lines, |rank| format!("Hello world from process {rank} of {ranks}"))
        },
    },
    Run {
        program: "mpich/srtest",
        args: &[],
        input: "",
        masks: &[],
        right: |ranks, lines| {
            let received: Vec<String> =
                lines.iter().filter(|line| line.contains("received")).cloned().collect();
            lines.len() == 3 * ranks
                && one_each(ranks, &received, |rank| format!("{rank} received 'hello there' "))
        },
    },
    Run {
        program: "mpich/mpiexectest",
        args: &["-a", "two words", "--", "é"],
        input: "",
        masks: &[Mask::NodeName, Mask::Parentheses],
        right: |ranks, lines| {
            let last: Vec<String> = lines.iter().filter(|line| line.contains("argv[4]")).cloned().collect();
            lines.len() == 7 * ranks && one_each(ranks, &last, |rank| format!("[{rank}] argv[4]=\"é\""))
        },
    },
    Run {
        program: "openmpi/hello_c",
        args: &[],
        input: "",
        masks: &[Mask::Parentheses],
        right: |ranks, lines| {
            let starts: Vec<String> =
                lines.iter().map(|line| line.split(", (").next().unwrap().to_owned()).collect();
            one_each(ranks, &starts, |rank| format!("Hello, world, I am {rank} of {ranks}"))
        },
    },
    Run {
        program: "openmpi/ring_c",
        args: &[],
        input: "",
        masks: &[],
        right: |ranks, lines| {
            let of =
                |word: &str| lines.iter().filter(|line| line.contains(word)).cloned().collect::<Vec<_>>();
            one_each(ranks, &of("exiting"), |rank| format!("Process {rank} exiting"))
                && one_each(10, &of("decremented"), |left| format!("Process 0 decremented value: {left}"))
        },
    },
    Run {
        program: "openmpi/connectivity_c",
        args: &[],
        input: "",
        masks: &[],
        right: |ranks, lines| lines == [format!("Connectivity test on {ranks} processes PASSED.")],
    },
    Run {
        program: "openmpi/connectivity_c",
        args: &["-v"],
        input: "",
        masks: &[Mask::NodeName],
        right: |ranks, lines| lines.len() == ranks * (ranks - 1) / 2 + 1,
    },
];

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

fn check_fate(source: &Path, fate: &Fate, folder: &Path) -> Result<(), String> {
    let name = source.display();
    let (program, compiled) = compile(source, folder);
    if let NoProgram(reason) = fate {
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
    let Stops { ranks, args, says } = fate else { return Ok(()) };
    let ended = run(mpirun(*ranks).arg(program).args(*args).current_dir(folder));
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
    for (name, fates) in [("mpich", &MPICH[..]), ("openmpi", &OPEN_MPI[..])] {
        // Another version of the package may have other programs: a new one must compile.
        let fate = |path: &PathBuf| {
            let stem = path.file_stem().unwrap().to_string_lossy();
            fates.iter().find(|(program, _)| *program == stem).map_or(&Runs, |(_, fate)| fate)
        };
        check_all(&files(&library(name), "c"), |path| check_fate(path, fate(path), folder.path()));
    }
}

#[test]
fn programs_print_the_same_as_under_open_mpi() {
    let folder = scratch();
    check_all(&RUNS, |Run { program, args, input, masks, .. }| {
        // A folder of their own, because two runs share a program.
        let folder = tempfile::tempdir_in(folder.path()).unwrap();
        let reference = compile_for_open_mpi(&source(program), folder.path());
        let (compiled, _) = compile(&source(program), folder.path());
        for ranks in [2, 4] {
            let mut ours = mpirun(ranks);
            let mut theirs = open_mpi(ranks);
            let [ours, theirs] =
                [(&mut ours, &compiled), (&mut theirs, &reference)].map(|(command, path)| {
                    run_with_input(command.arg(path).args(*args).current_dir(folder.path()), input).expect(0)
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
    check_all(&RUNS, |Run { program, args, input, right, .. }| {
        let folder = tempfile::tempdir_in(folder.path()).unwrap();
        let (compiled, _) = compile(&source(program), folder.path());
        let torus = ["--machine", "examples/torus.toml", "--set"];
        let small = [&torus[..], &["topology.shape=[4,4]"]].concat();
        let large = [&torus[..], &["topology.shape=[16,8,8]"]].concat();
        let runs: [(usize, &[&str]); 6] =
            [(16, &[]), (16, &small), (64, &[]), (256, &[]), (1024, &[]), (1024, &large)];
        for (ranks, machine) in runs {
            let ended = run_with_input(mpirun(ranks).args(machine).arg(&compiled).args(*args), input);
            let lines: Vec<String> = ended.stdout.lines().map(str::to_owned).collect();
            if ended.code != 0 || !right(ranks, &lines) {
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
