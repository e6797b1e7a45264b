//! Every kind of work on every kind of machine, on packets, divided among processes and threads: the same bytes.
//!
//! A fifth of the pairs, in which each work meets some machines, are divided in a way that the number of the pair decides; `make soak`
//! divides all pairs in all ways. How many
//! threads a process has in the end depends on the cores of this computer; that any number of them in each of several
//! processes gives the same is a law of `weir-packet` (`invariance.rs`).

use crate::checkpoints::PROGRAM;
use crate::command::{check_all, compile_text, contents, is_long, run, scratch, weir};
use crate::together::{Start, fixed};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;

/// Kinds of machines and of work; and work for the first machine alone.
#[derive(serde::Deserialize)]
struct All {
    machines: Vec<String>,
    works: Vec<String>,
    of_digits: Vec<String>,
}

static ALL: LazyLock<All> =
    LazyLock::new(|| toml::from_str(include_str!("divisions.toml")).expect("divisions.toml"));

/// Processes, and the most threads of each.
const DIVISIONS: [(usize, usize); 8] = [(1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (4, 1), (4, 2), (4, 4)];

/// All works on all machines.
fn pairs() -> Vec<(usize, &'static str, &'static str)> {
    let All { machines, works, of_digits } = &*ALL;
    let all = machines.iter().flat_map(|machine| works.iter().map(move |work| (machine, work)));
    let pairs = all.chain(of_digits.iter().map(|work| (&machines[0], work)));
    pairs.enumerate().map(|(number, (machine, work))| (number, machine.as_str(), work.as_str())).collect()
}

/// A folder with the files that machines and works name.
fn workplace() -> TempDir {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    let around = (0..68).map(|vertex| (vertex, (vertex + 1) % 68, 40));
    let across = (0..34).map(|vertex| (vertex, (7 * vertex + 31) % 68, 90 + vertex));
    let cables = around.chain(across).filter(|(from, to, _)| from != to);
    let mut seen = BTreeSet::new();
    let cables = cables.filter(|&(from, to, _)| seen.insert((from.min(to), from.max(to))));
    let rows: String = cables.map(|(from, to, latency)| format!("v{from},v{to},{latency} ns\n")).collect();
    fs::write(at("network.csv"), format!("source,target,latency\n{rows}")).unwrap();
    fs::write(at("work.graph"), graph(48, 4)).unwrap();
    let base = at("base.toml");
    let work = "kind = 'random-ring', ranks = 48, messages = 5, message_size = '4 kB', size_spread = 0.4";
    fs::write(&base, format!("workload = {{ {work} }}\n")).unwrap();
    let program = compile_text(PROGRAM, "program", folder.path());
    for (pattern, profile) in [("work.pattern", "recorded.profile"), ("work.parquet", "recorded.parquet")] {
        run(weir(["pattern", "--out"]).arg(at(pattern)).arg(&base)).expect(0);
        run(weir(["log", "-q", "-n", "20", "-o"]).arg(at(profile)).arg(&program)).expect(0);
    }
    folder
}

/// A graph of work: in each step every rank computes, and sends to one rank while it receives from another.
fn graph(ranks: usize, steps: usize) -> String {
    let of_rank = |rank: usize| {
        (0..steps).map(move |step| {
            let (time, distance) = (1 + (7 * rank + step) % 5, 1 + 11 * step);
            let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
            let waits = |task: usize| format!(" requires {task}");
            let begins = step.checked_sub(1).map_or(String::new(), |before| waits(3 * before + 2));
            let sends = waits(3 * step);
            format!("{rank} compute {time} us{begins}\n{rank} send {to} 9 kB tag {step}{sends}\n{rank} recv {from} 9 kB tag {step}\n")
        })
    };
    let tasks: String = (0..ranks).flat_map(of_rank).collect();
    format!("weir-graph 1\nranks {ranks}\n{tasks}")
}

/// The experiment, with ranks at random nodes and all tables that the work can have.
fn experiment(fixtures: &Path, machine: &str, work: &str) -> String {
    let (mapping, tables) = if work.contains("'synthetic'") {
        ("linear", "")
    } else {
        ("random", "messages = true, pairs = true, ")
    };
    let faults = if machine == ALL.machines[8] {
        "faults = [{ cable = 'router (3,1,1) - router (4,1,1)' }, { random_cables = 5, speed = 0.4 }, \
         { cable = 'router (0,0,1) - router (1,0,1)', at = '2 us', until = '6 us' }]\n"
    } else {
        ""
    };
    // Long messages go over both interfaces of these nodes, and programs answer in calls alone.
    let several = machine == ALL.machines[2] || machine == ALL.machines[4];
    let has_processes = work.contains("'program'") || work.contains("'profile'");
    let node = match (several, has_processes) {
        (true, true) => "node = { nics = 2, stripe = 2, stripe_from = '1 kB', progress = 'calls' }\n",
        (true, false) if !work.contains("'synthetic'") => {
            "node = { nics = 2, stripe = 2, stripe_from = '1 kB' }\n"
        }
        _ => "",
    };
    let text = format!(
        "seed = 5\n{faults}{node}topology = {{ {machine}, latency = '150 ns' }}\nengine = {{ kind = 'packet' }}\n\
         packet = {{ virtual_channels = 8, input_buffer = 3 }}\nmapping = {{ kind = '{mapping}' }}\nworkload = {{ {work} }}\n\
         output = {{ {tables}sample_interval = '2 us', packets = {{ routers = [0, 31, 32, 63] }} }}\n"
    );
    text.replace('@', &fixtures.display().to_string())
}

/// One of the pairs, with its experiment in a folder of its own.
struct Setting {
    folder: TempDir,
    experiment: PathBuf,
    /// Groups of neighbors send within themselves: none of them need cross a border.
    may_stay: bool,
}

impl Setting {
    fn new(fixtures: &Path, machine: &str, work: &str) -> Self {
        let folder = scratch();
        let path = folder.path().join("experiment.toml");
        fs::write(&path, experiment(fixtures, machine, work)).unwrap();
        Self { folder, experiment: path, may_stay: work.contains("group = ") }
    }

    /// Summary and tables of a run with so many threads at most.
    fn run(&self, threads: usize, start: Start) -> Result<(Value, BTreeMap<PathBuf, Vec<u8>>), String> {
        let out = self.folder.path().join(format!("{start:?}-{threads}"));
        let threads = format!("engine.threads={threads}");
        let paths = [&out, &self.experiment].map(|path| path.to_str().unwrap());
        let args = ["run", "-q", "--json", "--set", &threads, "--out", paths[0], paths[1]];
        let ended = run(&mut start.command(&args));
        if ended.code == 0 {
            Ok((ended.summary(), contents(&out)))
        } else {
            Err(format!("{start:?}: status {}: {}", ended.code, ended.stderr))
        }
    }

    /// Whether these divisions have what one process with one thread has.
    fn same(&self, divisions: &[(usize, Start)]) -> Result<(), String> {
        let (whole, tables) = self.run(1, Start::Processes(1))?;
        for &(threads, start) in divisions {
            let (summary, parts) = self.run(threads, start)?;
            let (Start::Processes(count) | Start::Mpich(count) | Start::OpenMpi(count)) = start;
            let sent = summary["mail"]["things"].as_u64();
            let as_expected = (count > 1) == (sent > Some(0)) || self.may_stay;
            if summary["processes"] != count || !as_expected {
                return Err(format!("{start:?}: {} processes, mail {sent:?}", summary["processes"]));
            }
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            if count == 1 && summary["threads"].as_u64() < Some(threads.min(cores).min(2) as u64) {
                return Err(format!("of {threads} threads {} were used", summary["threads"]));
            }
            if fixed(&summary) != fixed(&whole) {
                return Err(format!("{start:?} of {threads} threads: {summary}\n{whole}"));
            }
            let all = tables.keys().chain(parts.keys());
            if let Some(path) = all.into_iter().find(|path| tables.get(*path) != parts.get(*path)) {
                return Err(format!("{start:?} of {threads} threads: {} is not the same", path.display()));
            }
        }
        Ok(())
    }
}

#[test]
fn every_work_on_every_machine() {
    let fixtures = workplace();
    // The number of works is no multiple of five: with the next machine other works come.
    let every = if is_long() { 1 } else { 5 };
    let some: Vec<_> = pairs().into_iter().step_by(every).collect();
    check_all(&some, |&(number, machine, work)| {
        let drawn = weir_units::mix(number as u64) as usize % DIVISIONS.len();
        let divisions = if is_long() { &DIVISIONS[..] } else { &DIVISIONS[drawn..=drawn] };
        let divisions: Vec<_> =
            divisions.iter().map(|&(processes, threads)| (threads, Start::Processes(processes))).collect();
        let same = Setting::new(fixtures.path(), machine, work).same(&divisions);
        same.map_err(|mistake| format!("{machine}; {work}: {mistake}"))
    });
}

/// Some of them under launchers of MPI.
#[test]
fn works_under_launchers_of_mpi() {
    let fixtures = workplace();
    let every = if is_long() { 5 } else { 67 };
    let some: Vec<_> = pairs().into_iter().step_by(every).collect();
    check_all(&some, |&(number, machine, work)| {
        let starts = [Start::Mpich(2), Start::OpenMpi(3), Start::Mpich(4), Start::OpenMpi(2)];
        let divisions = [(1, starts[number % 2]), (4, starts[2 + number % 2])];
        let same = Setting::new(fixtures.path(), machine, work).same(&divisions);
        same.map_err(|mistake| format!("{machine}; {work}: {mistake}"))
    });
}
