//! Runs that several processes carry out together: started by `--processes`, by MPICH and by Open MPI.

use crate::command::{
    check_all, compile_text, compiled, contents, files, is_long, mpich, mpirun, open_mpi, root, run, scratch,
    weir,
};
use crate::dual_run;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Machine, workload and outputs, on packets.
const LONG: (&str, &str, &str) = (
    "kind = 'torus', shape = [6, 5, 4]",
    "kind = 'all-to-all', message_size = '600 B'",
    "messages = true, pairs = true, causes = true, sample_interval = '2 us', packets = { routers = [0, 59, 60, 119] }",
);
const SHORT: (&str, &str, &str) = (
    "kind = 'mesh', shape = [9, 7]",
    "kind = 'permutation', permutation = 'random', message_size = '9 kB'",
    "",
);

/// Mappings, workloads and outputs without a network.
const IDEAL_RUNS: [(&str, &str, &str); 2] = [
    (
        "ranks_per_node = 3",
        "kind = 'all-to-all', ranks = 50, message_size = '600 B'",
        "messages = true, pairs = true, causes = true",
    ),
    (
        "kind = 'random'",
        "kind = 'random-ring', ranks = 60, message_size = '5 kB', messages = 12, synchronised = true",
        "causes = true",
    ),
];

/// An experiment of messages that arrive after a while.
fn ideal_experiment(folder: &Path, (mapping, workload, output): (&str, &str, &str)) -> PathBuf {
    let path = folder.join("experiment.toml");
    let text = format!(
        "engine = {{ kind = 'ideal', latency = '1 us', message_gap = '70 ns', bandwidth = '1 GB/s' }}\n\
         mapping = {{ {mapping} }}\nworkload = {{ {workload} }}\noutput = {{ {output} }}\n"
    );
    fs::write(&path, text).unwrap();
    path
}

/// An experiment on packets, many of each message, so that much passes between processes.
fn experiment(folder: &Path, (machine, workload, output): (&str, &str, &str)) -> PathBuf {
    let path = folder.join("experiment.toml");
    let text = format!(
        "topology = {{ {machine}, bandwidth = '1 GB/s', latency = '50 ns' }}\nengine = {{ kind = 'packet' }}\n\
         packet = {{ mtu = '256 B' }}\nworkload = {{ {workload} }}\noutput = {{ {output} }}\n"
    );
    fs::write(&path, text).unwrap();
    path
}

/// How several processes are started, each with the command line of weir that is given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    Processes(usize),
    Mpich(usize),
    OpenMpi(usize),
}

impl Start {
    pub(crate) fn command(self, args: &[&str]) -> Command {
        let under = |mut launcher: Command| {
            let own = weir(args);
            launcher.arg(own.get_program()).args(own.get_args()).current_dir(own.get_current_dir().unwrap());
            launcher
        };
        match self {
            Self::Processes(count) => {
                let mut command = weir(args);
                command.arg(format!("--processes={count}"));
                command
            }
            Self::Mpich(count) => {
                let mut launcher = mpich("mpirun");
                launcher.args(["-n", &count.to_string()]);
                under(launcher)
            }
            Self::OpenMpi(count) => under(open_mpi(count)),
        }
    }
}

/// What does not change from run to run.
pub(crate) fn fixed(summary: &Value) -> Value {
    let mut object = summary.as_object().unwrap().clone();
    let volatile =
        ["wall_s", "peak_memory_bytes", "packet_hops_per_s", "threads", "processes", "mail", "experiment"];
    object.retain(|key, _| !volatile.contains(&key.as_str()));
    object.into()
}

/// On the ideal engine; on packets that is a test of [`crate::divisions`].
#[test]
fn digest_and_tables_are_those_of_one_process() {
    let starts = [Start::Processes(2), Start::Processes(4), Start::Mpich(2), Start::OpenMpi(3)];
    check_all(&IDEAL_RUNS, |&parts| {
        let folder = scratch();
        let path = ideal_experiment(folder.path(), parts);
        let into = |out: &str, start: Option<Start>| {
            let out = folder.path().join(out);
            let args = ["run", "-q", "--json", "--out", out.to_str().unwrap(), path.to_str().unwrap()];
            let mut command = start.map_or_else(|| weir(args), |start| start.command(&args));
            (run(&mut command).expect(0).summary(), contents(&out))
        };
        let (whole, tables) = into("whole", None);
        assert_eq!((&whole["processes"], whole.get("mail")), (&1.into(), None));
        for (number, start) in starts.into_iter().enumerate() {
            let (summary, parts) = into(&number.to_string(), Some(start));
            let (Start::Processes(count) | Start::Mpich(count) | Start::OpenMpi(count)) = start;
            assert_eq!(summary["processes"], count, "{start:?}");
            assert!(summary["mail"]["things"].as_u64() > Some(100), "{start:?}: {}", summary["mail"]);
            assert_eq!(fixed(&summary), fixed(&whole), "{start:?}");
            let differs =
                tables.keys().chain(parts.keys()).find(|path| tables.get(*path) != parts.get(*path));
            if let Some(path) = differs {
                return Err(format!("{start:?}: {} is not the same", path.display()));
            }
        }
        Ok(())
    });
}

/// Programs that are another story in several processes: they open files together, or their ranks do not agree on what a
/// collective is, which is seen where one process has them all.
const OTHERWISE: [&str; 5] =
    ["files_errors", "mismatched_operations", "uneven_bcast", "uneven_gather", "uneven_returned"];

/// How many ranks the first line of a program asks for; if it says nothing, so many as will do.
fn ranks_of(source: &Path) -> usize {
    let numbers = dual_run::ranks(&fs::read_to_string(source).unwrap());
    dual_run::enough(&numbers.unwrap_or_else(|_| vec![4]))
}

/// What ranks count that go on to the end of the window when one of another process has ended the run.
const OF_OTHER_RANKS: [&str; 9] = [
    "causes",
    "digest",
    "events",
    "messages",
    "bytes",
    "effective_bandwidth",
    "control_messages",
    "mpi_calls",
    "context_switches",
];

/// Engines that run programs on several processes.
const ENGINES: [&[&str]; 2] = [
    // Ranks are anywhere, so in all processes.
    &["--machine", "examples/torus.toml", "--engine", "packet", "--set", "mapping.kind=random"],
    &["--engine", "ideal", "--set", "engine.latency=1 us", "--set", "engine.bandwidth=4 GB/s"],
];

/// Programs of all kinds, also those that fail or wait for ever, print the same bytes, do the same, and end alike.
#[test]
fn programs_do_the_same_in_several_processes() {
    let of = |folder: &str| files(&root().join(folder), "c");
    let folders = ["tests/mpi", "tests/mpi/failing", "tests/mpi/leaving", "tests/mpi/verify"];
    let mut programs: Vec<_> = folders.into_iter().flat_map(of).collect();
    programs.retain(|path| !OTHERWISE.contains(&path.file_stem().unwrap().to_str().unwrap()));
    assert!(programs.len() > 85, "{}", programs.len());
    // It makes communicators for seconds, in one process too (`outcomes.rs`).
    programs.retain(|path| is_long() || !path.ends_with("too_many_returned.c"));
    // Each on one of the engines, one as often as the other; where there is time on both.
    let mut runs: Vec<_> =
        programs.iter().flat_map(|source| ENGINES.map(|engine| (source, engine))).collect();
    if !is_long() {
        runs = runs.chunks(2).zip(0..).map(|(both, number)| both[number % 2]).collect();
    }
    check_all(&runs, |&(source, engine)| {
        let (program, folder) = (compiled(source), scratch());
        let most = if engine.contains(&"ideal") { ranks_of(source) } else { 3 };
        let run_in = |processes: usize| {
            let out = folder.path().join(processes.to_string());
            let mut command = mpirun(ranks_of(source));
            command.args(engine).args(["--set", "output.causes=true", "--out"]).arg(&out);
            let ended = run(command.arg(format!("--processes={processes}")).arg(&program));
            let summary = fs::read(out.join("summary.json")).map_err(|error| error.to_string())?;
            let mut summary = fixed(&serde_json::from_slice(&summary).unwrap());
            if summary["outcome"] == "aborted" {
                let counts = summary.as_object_mut().unwrap();
                counts.retain(|key, _| !OF_OTHER_RANKS.contains(&key.as_str()));
            }
            Ok::<_, String>((ended.code, ended.stdout, ended.stderr, summary))
        };
        let (one, several) = (run_in(1)?, run_in(most.min(2 + source.as_os_str().len() % 2))?);
        if one == several {
            Ok(())
        } else {
            Err(format!("{} {engine:?}: {one:?} and {several:?}", source.display()))
        }
    });
}

/// So do MPI programs that are jobs beside others, of which a process may have none: prints, counts of jobs, and for whom these wait.
#[test]
fn jobs_of_programs_do_the_same_in_several_processes() {
    let folder = scratch();
    let job = |name: &str| {
        let source = root().join("tests/mpi").join(name);
        let (ranks, program) = (ranks_of(&source), compiled(&source));
        format!(
            "[[jobs]]\nname = '{name}'\nplacement = 'random'\nworkload = {{ kind = 'program', program = '{}', ranks = {ranks} }}\n",
            program.display()
        )
    };
    let jobs = [job("conjugate_gradient.c"), job("message_order.c"), job("wildcards.c")].concat();
    let pattern =
        "[[jobs]]\nname = 'pattern'\nworkload = { kind = 'all-to-all', ranks = 5, message_size = '9 kB' }\n";
    let engines = [
        "topology = { kind = 'torus', shape = [6, 6], bandwidth = '1 GB/s', latency = '50 ns' }\nengine = { kind = 'packet' }\n",
        "engine = { kind = 'ideal', latency = '1 us', bandwidth = '4 GB/s' }\n",
    ];
    for engine in engines {
        let jobs =
            if engine.contains("torus") { jobs.clone() } else { jobs.replace("placement = 'random'\n", "") };
        let path = folder.path().join("experiment.toml");
        fs::write(&path, format!("{engine}output = {{ causes = true }}\n{jobs}{pattern}")).unwrap();
        let run_in = |processes: usize| {
            let out = folder.path().join(format!("{processes} {}", engine.contains("torus")));
            let args = ["run", "-q", "--out", out.to_str().unwrap(), path.to_str().unwrap()];
            let ended = run(&mut Start::Processes(processes).command(&args)).expect(0);
            let summary = fs::read(out.join("summary.json")).unwrap();
            (ended.stdout, ended.stderr, fixed(&serde_json::from_slice(&summary).unwrap()))
        };
        let one = run_in(1);
        assert!(one.2["mpi_calls"].as_u64() > Some(100), "{}", one.2);
        for processes in [2, 3] {
            assert_eq!(run_in(processes), one, "{processes} processes: {engine}");
        }
    }
}

/// A file that ranks of several processes open together: the run ends there, also if the program would pass over an error.
#[test]
fn files_are_for_one_process() {
    let program = compiled(&root().join("crates/cli/tests/cli/crossed/program.c"));
    let folder = scratch();
    let mut command = mpirun(4);
    command.args(["--machine", "examples/torus.toml", "--engine", "packet", "--processes=2"]);
    let ended = run(command.arg(&program).arg(folder.path()));
    assert_ne!(ended.code, 0);
    ended.says(&["MPI_File_open by several ranks is for ranks of one process"]);
}

/// A program of MPI inside a simulator that uses MPI itself: neither meets the other.
#[test]
fn two_mpis_in_one_run() {
    let folder = scratch();
    let text = include_str!("../programs/together_two.c");
    let program = compile_text(text, "two", folder.path());
    let machine = ["--machine", "examples/torus.toml", "--engine", "packet", "--set", "mapping.kind=random"];
    let args = [&["mpirun", "-n", "16", "-q"], &machine[..], &[program.to_str().unwrap()]].concat();
    let one = run(&mut weir(&args)).expect(0).stdout;
    assert!(one.contains("15 of 16: 120, weir"), "{one}");
    for start in [Start::Mpich(2), Start::OpenMpi(4)] {
        assert_eq!(run(&mut start.command(&args)).expect(0).stdout, one, "{start:?}");
    }
}

/// What is wrong is said once, by one process, with the status of a wrong input.
#[test]
fn what_several_processes_cannot_run_is_refused() {
    let folder = scratch();
    let path = experiment(folder.path(), SHORT);
    let path = path.to_str().unwrap();
    let check = |start: Start, more: &[&str], says: &str| {
        let ended = run(&mut start.command(&[&["run", "-q", path], more].concat()));
        ended.says(&[says]);
        assert_eq!(ended.stderr.matches("error: ").count(), 1, "{}", ended.stderr);
        assert_eq!(ended.code, 2, "{start:?} {more:?}");
    };
    for start in [Start::Processes(2), Start::Mpich(2), Start::OpenMpi(2)] {
        check(start, &["--set", "engine.kind=flow"], "engine.kind = \"flow\" runs in one process");
        check(start, &["--set", "topology.shape=[]"], "topology.shape");
    }
    check(Start::Processes(100), &["--set", "workload.ranks=2"], "100 processes for 63 routers");
    let ideal = ["--set", "engine.kind=ideal"];
    check(Start::Processes(2), &ideal, "give engine.latency");
    let latency = ["--set", "engine.latency=1 us", "--set", "workload.ranks=7"];
    check(Start::Processes(8), &[&ideal[..], &latency].concat(), "8 processes for ranks on 7 nodes");
    let ended = run(&mut Start::Mpich(2).command(&["run", "-q", path, "--processes=2"]));
    assert!(ended.code != 0 && ended.stderr.contains("leave one of the two out"), "{}", ended.stderr);
}

#[test]
fn processes_with_different_experiments_are_refused() {
    let folder = scratch();
    let path = experiment(folder.path(), SHORT);
    let own = weir(["run", "-q", path.to_str().unwrap()]);
    for mut command in [mpich("mpirun"), open_mpi(1)] {
        if !format!("{command:?}").contains("-np") {
            command.args(["-n", "1"]);
        }
        command.arg(own.get_program()).args(own.get_args());
        command.args([":", "-n", "1"]).arg(own.get_program()).args(own.get_args());
        command.args(["--set", "workload.message_size=9001 B"]);
        let ended = run(&mut command);
        ended.says(&["process 1 has another experiment than process 0"]);
        assert_ne!(ended.code, 0);
    }
}

/// Without a library of MPI a process that a launcher has started says what was looked for and what to install.
#[test]
fn a_launcher_without_its_library() {
    let folder = scratch();
    let path = experiment(folder.path(), SHORT);
    let mut command = weir(["run", "-q", path.to_str().unwrap()]);
    command.env("PMI_RANK", "0").env("PMI_SIZE", "2").env("WEIR_MPI_LIBRARY", "/nowhere/libmpi.so");
    let ended = run(&mut command);
    assert_ne!(ended.code, 0);
    ended.says(&["no library of MPI", "/nowhere/libmpi.so", "hint: install"]);
}

/// The processes of a run that goes on, beginning with the one that was started.
fn processes(first: &Child) -> Vec<u32> {
    let children = format!("/proc/{0}/task/{0}/children", first.id());
    let others = fs::read_to_string(children).unwrap_or_default();
    [first.id()].into_iter().chain(others.split_whitespace().map(|number| number.parse().unwrap())).collect()
}

fn is_there(process: u32) -> bool {
    // One that has ended and that nobody has asked for yet is not there either.
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z') && !rest.is_empty())
}

/// A process that is killed by force, whichever and whenever: the others end, and there is no result.
#[test]
fn a_process_that_is_killed_ends_the_others() {
    let folder = scratch();
    let path = experiment(folder.path(), LONG);
    let long = ["--set", "workload.message_size=6 kB", "--set", "workload.messages=100"];
    let kills: u64 = if is_long() { 100 } else { 8 };
    for kill in 0..kills {
        let out = folder.path().join(format!("out-{kill}"));
        let args = [
            &["run", "-q", "--processes=3", "--out", out.to_str().unwrap(), path.to_str().unwrap()],
            &long[..],
        ];
        let mut command = weir(args.concat());
        let mut first = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        while processes(&first).len() < 3 && started.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        // From the very beginning to the middle of the run.
        std::thread::sleep(Duration::from_millis(weir_units::mix(kill) % 300));
        let all = processes(&first);
        assert_eq!(all.len(), 3, "they have all begun");
        let victim = all[kill as usize % 3];
        let status = Command::new("kill").args(["-9", &victim.to_string()]).status().unwrap();
        assert!(status.success(), "{victim} goes on");
        let killed = Instant::now();
        let there = || all.iter().copied().filter(|&process| is_there(process)).collect::<Vec<_>>();
        while !there().is_empty() {
            assert!(killed.elapsed() < Duration::from_secs(60), "{:?} go on without {victim}", there());
            _ = first.try_wait();
            std::thread::sleep(Duration::from_millis(5));
        }
        let ended = first.wait_with_output().unwrap();
        assert!(!ended.status.success(), "{victim} of {all:?}");
        assert!(!out.join("summary.json").exists(), "a result that looks finished");
        if victim != all[0] {
            let said = String::from_utf8_lossy(&ended.stderr);
            assert!(said.contains("of 3 ") && said.contains("the run has no result"), "{said}");
        }
    }
}

/// A signal to the first process ends all, with what they have reached.
#[test]
fn a_signal_ends_all_processes() {
    let folder = scratch();
    let path = experiment(folder.path(), (LONG.0, LONG.1, ""));
    let mut command = weir(["run", "-q", "--json", "--processes=3", path.to_str().unwrap()]);
    command.args(["--set", "workload.message_size=6 kB", "--set", "workload.messages=1000"]);
    let first = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    while processes(&first).len() < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(500));
    let status = Command::new("kill").args(["-TERM", &first.id().to_string()]).status().unwrap();
    assert!(status.success());
    let ended = first.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(128 + 15));
    let summary: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!((&summary["outcome"], &summary["processes"]), (&"limit".into(), &3.into()));
}
