//! Which algorithm of a collective is best where: every one of them, alone on a machine, with vectors of some sizes and so
//! many ranks.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use weir_collectives::{NameError, Preset};
use weir_experiment::{Problem, Problems, Scenario, Source, is_name, option_of};
use weir_network::{Digest, interrupted_by};
use weir_run::{run, why_unfinished};
use weir_units::{Bytes, Duration, side_by_side};

/// The collectives that can be run alone, by their keys in `[collectives]`.
pub const COLLECTIVES: [&str; 9] = [
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "reduce_scatter",
];

/// Sizes where none are asked for: 8 B to 2 MiB.
const SIZES: [u64; 7] = [8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20];

const AUTO: &str = "auto";
const HARDWARE: &str = "hardware";

/// A request for a comparison. Empty lists stand for all there is.
#[derive(Clone, Debug, Default)]
pub struct ContestRequest {
    /// The machine file, or the name of one.
    pub machine: PathBuf,
    /// Keys of the experiment, as `--set` has them.
    pub sets: Vec<String>,
    /// Collectives by their keys in `[collectives]`; all of [`COLLECTIVES`].
    pub operations: Vec<String>,
    /// Algorithms, by their names with the machine's preset; all of each collective.
    pub algorithms: Vec<String>,
    /// Bytes of the whole vector; 8 B to 2 MiB, each eight times the one before, where ranks can share them.
    pub sizes: Vec<Bytes>,
    /// Numbers of ranks; those of the machine, and each a fourth of the one before, rounded up to a power of two, down to 2.
    pub ranks: Vec<usize>,
    /// Number of runs at a time.
    pub threads: Option<NonZeroUsize>,
}

/// Time of an algorithm, or why it cannot be run.
pub type Time = Result<Duration, String>;

/// One collective with one size among so many ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The key of the collective.
    pub operation: &'static str,
    /// Bytes of the whole vector.
    pub bytes: Bytes,
    /// Number of ranks.
    pub ranks: usize,
    /// Every algorithm by its name with the preset, in the order of the names.
    pub times: Vec<(&'static str, Time)>,
    /// Time of `auto`.
    pub auto: Time,
    /// The algorithms that send the same messages at the same instants as `auto`: one of them is what it takes.
    pub auto_is: Vec<&'static str>,
}

impl Cell {
    /// The algorithms that can be run, the fastest first; of those that take as long, in the order of their names.
    pub fn ranked(&self) -> Vec<(&'static str, Duration)> {
        let times = self.times.iter();
        let mut ranked: Vec<_> =
            times.filter_map(|(name, time)| Some((*name, *time.as_ref().ok()?))).collect();
        ranked.sort_by_key(|(_, time)| *time);
        ranked
    }

    /// The fastest.
    pub fn best(&self) -> Option<(&'static str, Duration)> {
        self.ranked().first().copied()
    }
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmComparison {
    /// Whose names the algorithms have.
    pub preset: Preset,
    /// By collective, then size, then ranks.
    pub cells: Vec<Cell>,
    /// Collectives, sizes that were not asked for, and ranks which cannot have equal parts of them.
    pub left_out: Vec<(&'static str, Bytes, usize)>,
}

/// Why there is nothing.
#[derive(Debug)]
pub enum ContestError {
    /// The input is wrong.
    Input(Problems),
    /// A signal has come.
    Interrupted,
}

impl AlgorithmComparison {
    /// Runs all; `done` gets the number of runs that are through, and of all.
    ///
    /// # Errors
    /// All mistakes in the input; an interruption.
    pub fn run(request: &ContestRequest, done: &(dyn Fn(usize, usize) + Sync)) -> Result<Self, ContestError> {
        let plan = Plan::new(request).map_err(ContestError::Input)?;
        let jobs: Vec<(&Place, Option<&str>)> =
            plan.cells.iter().flat_map(|place| plan.jobs(place)).collect();
        let finished = AtomicUsize::new(0);
        let results = side_by_side(&jobs, request.threads, |&(place, name)| {
            if interrupted_by().is_some() {
                return Err(String::new());
            }
            let result = time(&source(request, place, overrides(request, place, name)));
            done(finished.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
            result
        });
        if interrupted_by().is_some() {
            return Err(ContestError::Interrupted);
        }
        Ok(plan.contest(results))
    }
}

/// The text of an experiment file that runs one algorithm of a cell alone, or what `auto` takes, and the arguments of `weir run`
/// behind its name.
pub fn repeated(request: &ContestRequest, cell: &Cell, name: Option<&str>) -> (String, Vec<String>) {
    let place = Place { operation: cell.operation, bytes: cell.bytes, ranks: cell.ranks };
    let machine = ["--machine".to_owned(), request.machine.display().to_string()];
    let sets = overrides(request, &place, name).into_iter().flat_map(|set| option_of(&set));
    (experiment(&place), machine.into_iter().chain(sets).collect())
}

struct Place {
    operation: &'static str,
    bytes: Bytes,
    ranks: usize,
}

fn experiment(place: &Place) -> String {
    let Place { operation, bytes: Bytes(bytes), .. } = place;
    let size =
        if *operation == "barrier" { String::new() } else { format!("message_size = \"{bytes} B\"\n") };
    format!("[workload]\nkind = \"collective\"\noperation = \"{operation}\"\n{size}")
}

fn overrides(request: &ContestRequest, place: &Place, name: Option<&str>) -> Vec<String> {
    let algorithm = format!("collectives.{}={}", place.operation, name.unwrap_or(AUTO));
    let own = [algorithm, format!("workload.ranks={}", place.ranks)];
    request.sets.iter().cloned().chain(own).collect()
}

struct Plan<'a> {
    request: &'a ContestRequest,
    preset: Preset,
    cells: Vec<Place>,
    left_out: Vec<(&'static str, Bytes, usize)>,
    names: Vec<(&'static str, Vec<&'static str>)>,
}

impl<'a> Plan<'a> {
    fn new(request: &'a ContestRequest) -> Result<Self, Problems> {
        let mut wrong = Vec::new();
        let mut operations: Vec<&'static str> = Vec::new();
        for name in &request.operations {
            match COLLECTIVES.iter().find(|known| is_name(known, name)) {
                Some(&known) if !operations.contains(&known) => operations.push(known),
                Some(_) => (),
                None => wrong.push(problem("--operation", name, "is no collective", one_of(&COLLECTIVES))),
            }
        }
        if operations.is_empty() {
            operations.extend(COLLECTIVES);
        }
        let any = Place { operation: "barrier", bytes: Bytes(0), ranks: 0 };
        let scenario = match Scenario::load(&source(request, &any, request.sets.clone())) {
            Ok(scenario) if wrong.is_empty() => scenario,
            Ok(_) => return Err(Problems::new(wrong)),
            Err(problems) => return Err(Problems::new([wrong, problems.list().to_vec()].concat())),
        };
        let preset = scenario.collectives.preset;
        let has_hardware = scenario.node.hardware_overhead.is_some();
        let names = |operation| {
            let mut names = names(request, preset, operation);
            names.retain(|name| *name != HARDWARE || has_hardware || !request.algorithms.is_empty());
            (operation, names)
        };
        let names = operations.into_iter().map(names).collect();
        let mut plan = Self { request, preset, cells: Vec::new(), left_out: Vec::new(), names };
        wrong.extend(plan.unknown_algorithms());
        plan.place_cells(scenario.workload.ranks, &mut wrong);
        if wrong.is_empty() { Ok(plan) } else { Err(Problems::new(wrong)) }
    }

    fn unknown_algorithms(&self) -> Vec<Problem> {
        let mut wrong = Vec::new();
        for name in &self.request.algorithms {
            let names = self.names.iter().map(|&(operation, _)| operation);
            let error = |operation| Some((operation, self.preset.known(operation, name).err()?));
            let errors: Vec<(&str, NameError)> = names.filter_map(error).collect();
            if errors.len() == self.names.len() {
                let unpublished = errors.iter().find(|(_, error)| matches!(error, NameError::Unpublished(_)));
                let (operation, error) = unpublished.unwrap_or(&errors[0]);
                let names = self.preset.names_of(operation).into_iter().filter(|name| *name != AUTO);
                let hint = one_of(&names.collect::<Vec<_>>());
                wrong.push(problem("--algorithms", name, &error.what(operation), hint));
            }
        }
        wrong
    }

    /// The cells; sizes that were asked for and cannot be shared among ranks are refused, others are left out.
    fn place_cells(&mut self, machine_ranks: usize, wrong: &mut Vec<Problem>) {
        let ranks = match &self.request.ranks[..] {
            [] => fourths(machine_ranks),
            ranks => sorted(ranks.to_vec()),
        };
        let default = SIZES.map(Bytes).to_vec();
        let sizes = if self.request.sizes.is_empty() { default } else { sorted(self.request.sizes.clone()) };
        for &(operation, _) in &self.names {
            let of_barrier = [Bytes(0)];
            let sizes = if operation == "barrier" { &of_barrier[..] } else { &sizes[..] };
            for &bytes in sizes {
                for &ranks in &ranks {
                    let place = Place { operation, bytes, ranks };
                    let loaded =
                        Scenario::load(&source(self.request, &place, overrides(self.request, &place, None)));
                    match loaded {
                        Ok(_) => self.cells.push(place),
                        Err(problems) if self.is_left_out(&problems) => {
                            self.left_out.push((operation, bytes, ranks));
                        }
                        Err(problems) => {
                            for problem in problems.list() {
                                if !wrong.contains(problem) {
                                    wrong.push(problem.clone());
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn is_left_out(&self, problems: &Problems) -> bool {
        let of_size = |problem: &Problem| problem.key == "workload.message_size";
        self.request.sizes.is_empty() && problems.list().iter().all(of_size)
    }

    fn names_of(&self, operation: &str) -> &[&'static str] {
        self.names.iter().find(|(known, _)| *known == operation).map_or(&[], |(_, names)| names)
    }

    /// The runs of a cell: of every algorithm, then of what `auto` takes.
    fn jobs<'p>(&'p self, place: &'p Place) -> impl Iterator<Item = (&'p Place, Option<&'static str>)> {
        let names = self.names_of(place.operation).iter().map(|&name| Some(name));
        names.chain([None]).map(move |name| (place, name))
    }

    fn contest(self, results: Vec<Ran>) -> AlgorithmComparison {
        let mut results = results.into_iter();
        let cell = |place: &Place| {
            let names = self.names_of(place.operation).iter().copied();
            let ran: Vec<(&'static str, Ran)> = names.zip(results.by_ref()).collect();
            let auto = results.next().expect("auto is run in every cell");
            let digest = |ran: &Ran| ran.as_ref().ok().map(|(_, digest)| *digest);
            let is_auto = |result: &Ran| auto.is_ok() && digest(result) == digest(&auto);
            let auto_is = ran.iter().filter(|(_, result)| is_auto(result)).map(|(name, _)| *name).collect();
            let time = |ran: Ran| ran.map(|(time, _)| time);
            let Place { operation, bytes, ranks } = *place;
            let times = ran.into_iter().map(|(name, result)| (name, time(result))).collect();
            Cell { operation, bytes, ranks, times, auto: time(auto), auto_is }
        };
        let cells = self.cells.iter().map(cell).collect();
        AlgorithmComparison { preset: self.preset, cells, left_out: self.left_out }
    }
}

/// The time of a run and its fingerprint, or why it does not come to its end.
type Ran = Result<(Duration, Digest), String>;

fn time(source: &Source) -> Ran {
    let scenario = Scenario::load(source).map_err(|problems| {
        let reasons = problems.list().iter().map(|problem| format!("{}: {}", problem.key, problem.what));
        reasons.collect::<Vec<_>>().join("; ")
    })?;
    let report = run(&scenario, &mut |_| ()).map_err(|error| error.to_string())?;
    if let Some(why) = why_unfinished(&report.outcome) {
        return Err(why);
    }
    let longest = report.summary.repetitions.iter().max().copied();
    Ok((longest.unwrap_or_default(), report.summary.digest))
}

fn source(request: &ContestRequest, place: &Place, overrides: Vec<String>) -> Source {
    Source {
        machine: Some(request.machine.clone()),
        overrides,
        ..Source::of_text(place.operation, experiment(place))
    }
}

fn names(request: &ContestRequest, preset: Preset, operation: &str) -> Vec<&'static str> {
    let all = preset.names_of(operation);
    if request.algorithms.is_empty() {
        return all.into_iter().filter(|name| *name != AUTO).collect();
    }
    let mut names = Vec::new();
    for name in &request.algorithms {
        let known = preset.known(operation, name).ok().map(|known| known.name);
        names.extend(known.filter(|known| !names.contains(known)));
    }
    names
}

/// The ranks, and a fourth of each before as a power of two, in rising order.
fn fourths(ranks: usize) -> Vec<usize> {
    let next = |&ranks: &usize| (ranks > 7).then(|| (ranks / 4).next_power_of_two());
    let last = |ranks: usize| if ranks > 2 { vec![2, ranks] } else { vec![ranks] };
    let list: Vec<usize> = std::iter::successors(Some(ranks), next).collect();
    let least = list.last().copied().unwrap_or(ranks);
    sorted([list, last(least)].concat())
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}

fn one_of(names: &[&str]) -> String {
    format!("choose among {}", names.join(", "))
}

fn problem(option: &str, value: &str, what: &str, hint: String) -> Problem {
    let [file, key, value, what] = ["command line", option, value, what].map(str::to_owned);
    Problem { file, line: None, key, value, what, hint: Some(hint) }
}

impl AlgorithmComparison {
    /// Rows of `[[selection]]` that take the best algorithm everywhere: a number of ranks stands for those up to the next that was
    /// run, and a size likewise, the first for all below and the last for all beyond. Sizes in a row with the same best are one. Names
    /// of algorithms are those of the preset.
    pub fn selection(&self) -> String {
        let mut text = String::new();
        let mut operations: Vec<&str> = self.cells.iter().map(|cell| cell.operation).collect();
        operations.dedup();
        for operation in operations {
            let of = |cell: &&Cell| cell.operation == operation && cell.best().is_some();
            let cells: Vec<&Cell> = self.cells.iter().filter(of).collect();
            let ranks = sorted(cells.iter().map(|cell| cell.ranks).collect());
            for (place, &count) in ranks.iter().enumerate() {
                let from = if place == 0 { 0 } else { count as u64 };
                let next = ranks.get(place + 1).map(|&next| next as u64);
                let range = range("ranks", (from, next), |count| count.to_string());
                let column: Vec<&Cell> = cells.iter().filter(|cell| cell.ranks == count).copied().collect();
                rows_of(&mut text, operation, &range, &column);
            }
        }
        text
    }
}

fn rows_of(text: &mut String, operation: &str, ranks: &str, column: &[&Cell]) {
    let best = |cell: &&Cell| cell.best().map(|(name, _)| name);
    let mut place = 0;
    while let Some(name) = column.get(place).and_then(best) {
        let same = column[place..].iter().take_while(|cell| best(cell) == Some(name)).count();
        let from = if place == 0 { 0 } else { column[place].bytes.0 };
        let to = column.get(place + same).map(|cell| cell.bytes.0);
        let bytes = range("bytes", (from, to), |bytes| format!("\"{bytes} B\""));
        let bytes = if operation == "barrier" { String::new() } else { bytes };
        write!(text, "\n[[selection]]\ncollective = \"{operation}\"\nalgorithm = \"{name}\"\n{ranks}{bytes}")
            .expect("a text takes all");
        place += same;
    }
}

/// The line of a range from a number to below the next; nothing where all are in it.
fn range(key: &str, (from, below): (u64, Option<u64>), written: impl Fn(u64) -> String) -> String {
    let any = || "\"any\"".to_owned();
    match (from, below) {
        (0, None) => String::new(),
        (0, Some(below)) => format!("{key} = [{}, {}]\n", any(), written(below - 1)),
        (from, below) => {
            format!("{key} = [{}, {}]\n", written(from), below.map_or_else(any, |below| written(below - 1)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_collectives::Preset;
    use weir_units::{Bytes, Duration};

    #[test]
    fn ranks_that_are_not_asked_for() {
        assert_eq!(fourths(512), [2, 8, 32, 128, 512]);
        assert_eq!(fourths(48), [2, 4, 16, 48]);
        assert_eq!(fourths(8), [2, 8]);
        assert_eq!(fourths(3), [2, 3]);
        assert_eq!(fourths(1), [1]);
    }

    /// The best of each cell, with others that take longer or cannot be run.
    fn cell(bytes: u64, ranks: usize, best: &'static str) -> Cell {
        let other = if best == "ring" { "bruck" } else { "ring" };
        let time = |ps| Ok(Duration::from_ps(ps));
        let times = vec![(other, time(9)), ("linear", Err("is not allowed".to_owned())), (best, time(7))];
        Cell {
            operation: "allgather",
            bytes: Bytes(bytes),
            ranks,
            times,
            auto: time(9),
            auto_is: vec![other],
        }
    }

    #[test]
    fn rows_of_what_is_best() {
        let cells = vec![
            cell(8, 2, "ring"),
            cell(8, 8, "bruck"),
            cell(64, 2, "ring"),
            cell(64, 8, "bruck"),
            cell(512, 2, "ring"),
            cell(512, 8, "ring"),
        ];
        // An operation of which nothing can be run has no rows, and takes none of another's.
        let none =
            Cell { operation: "scatter", times: vec![("linear", Err(String::new()))], ..cell(8, 2, "ring") };
        let cells = [cells, vec![none]].concat();
        let contest = AlgorithmComparison { preset: Preset::OpenMpi, cells, left_out: Vec::new() };
        let expected = "\n[[selection]]\ncollective = \"allgather\"\nalgorithm = \"ring\"\nranks = [\"any\", 7]\n\n\
                        [[selection]]\ncollective = \"allgather\"\nalgorithm = \"bruck\"\nranks = [8, \"any\"]\n\
                        bytes = [\"any\", \"511 B\"]\n\n\
                        [[selection]]\ncollective = \"allgather\"\nalgorithm = \"ring\"\nranks = [8, \"any\"]\n\
                        bytes = [\"512 B\", \"any\"]\n";
        assert_eq!(contest.selection(), expected);
    }
}
