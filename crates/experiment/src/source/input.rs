//! Gathers all sources of an input into one tree: experiment, machine, preset, `--set`, command line, environment.

use crate::Problem;
use crate::engine::packet::PRESETS;
use crate::foreign;
use crate::sections::collectives;
use crate::source::findings::Findings;
use crate::source::nearest::is_name;
use crate::source::overrides;
use crate::source::overrides::Unset;
use crate::source::part;
use crate::source::read_text::{self, Unreadable};
use crate::source::shipped::{Found, Shipped, ShippedKind};
use crate::source::tree::{Entry, Origin, Place, Tree, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a scenario comes from. What is further down is stronger, but a machine file, whether named here or in the
/// experiment, is weaker than the experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The experiment file: TOML, or with the ending `.json` the `experiment` of a summary.
    pub experiment: Option<PathBuf>,
    /// An experiment that is in no file; read if `experiment` names none.
    pub experiment_text: Option<ExperimentText>,
    /// A machine file: the same tables, without what belongs to a single experiment. Replaces the `machine` of the
    /// experiment file.
    pub machine: Option<PathBuf>,
    /// `key=value`, as in `engine.sharing=iterative`, the later ones stronger; or `-key` ([`unset`](crate::unset)), which takes back what files
    /// say.
    pub overrides: Vec<String>,
    /// The program to run.
    pub program: Option<ProgramCommand>,
    /// True where a program outside steps the run: its requests take the place of the work that the experiment has.
    pub is_stepped: bool,
    /// Further programs of the same job, which the last ranks run.
    pub further: Vec<CommandOnRanks>,
    /// Number of ranks, all together.
    pub ranks: Option<usize>,
    /// The results folder, relative to where weir was started.
    pub out: Option<PathBuf>,
    /// Algorithms of collectives, as in `alltoall=bruck,bcast=flat`, where nothing else names one: the weakest source.
    /// Problems call it `WEIR_COLLECTIVES`.
    pub collectives: Option<String>,
    /// Where numbers stand for quantities without a unit.
    pub si_numbers: SiNumbers,
}

/// Where a number that is the value of a key with a unit is in the SI base unit of that key: seconds, bytes, bytes per second,
/// hertz. Times are rounded to the nearest picosecond. Elsewhere it is a mistake, or the unitless form ([`Units`](crate::Units)).
///
/// Never in TOML: these are for experiments that a program makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SiNumbers {
    /// Nowhere.
    #[default]
    Nowhere,
    /// In `overrides`.
    InOverrides,
    /// In `overrides`, and in the experiment, which is in JSON.
    Everywhere,
}

impl Source {
    /// An experiment that is in no file: its name in problems, and its text, of which [`ExperimentText`] says more.
    pub fn of_text(name: &str, text: impl Into<String>) -> Self {
        let text = ExperimentText { name: name.to_owned(), text: text.into() };
        Self { experiment_text: Some(text), ..Self::default() }
    }

    /// The kind of work that is given beside the experiment.
    fn given_kind(&self) -> Option<&'static str> {
        let program = self.program.as_ref().map(|_| "program");
        program.or_else(|| self.is_stepped.then_some("outside"))
    }

    pub(crate) fn default_title(&self) -> Option<String> {
        let program = self.program.as_ref().map(|program| &program.path);
        let path = self.experiment.as_ref().or(program)?;
        Some(path.file_stem()?.to_string_lossy().into_owned())
    }
}

/// An experiment in TOML that is in no file, or in JSON if its name ends in `.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentText {
    /// Name in problems.
    pub name: String,
    /// The text; paths in it are relative to where weir was started.
    pub text: String,
}

/// A program and its arguments as given on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCommand {
    /// The compiled program.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// A program of a job of several, and how many ranks run it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOnRanks {
    /// The program.
    pub program: ProgramCommand,
    /// Number of ranks that run it.
    pub ranks: usize,
}

/// Order of reading, for sorting problems.
mod order {
    pub(super) const EXPERIMENT: usize = 0;
    pub(super) const MACHINE: usize = 1;
    pub(super) const PRESET: usize = 2;
    pub(super) const OVERRIDES: usize = 3;
    pub(super) const COMMAND_LINE: usize = 4;
    pub(super) const COLLECTIVES: usize = 5;
}

/// Problems of the files that the input names come last.
pub(crate) const ORDER_OF_GRAPH: usize = 6;
pub(crate) const ORDER_OF_MAPPING: usize = 7;

/// Problems in a pattern file come behind those.
pub(crate) const ORDER_OF_PATTERN: usize = 7;

const MACHINE_TABLES: [&str; 13] = [
    "topology",
    "faults",
    "upgrades",
    "node",
    "combining",
    "packet",
    "classes",
    "mapping",
    "engine",
    "collectives",
    "selection",
    "storage",
    "calibrated",
];

/// Tables that only an experiment has beside those; those of a summary, where it has one.
const BESIDE_MACHINE: [&str; 11] = [
    "title", "seed", "machine", "units", "work", "workload", "jobs", "job_list", "limits", "output", "study",
];

/// The first words of an experiment or a machine file: by one of them a file is known as such.
fn known() -> impl Iterator<Item = &'static str> {
    BESIDE_MACHINE.into_iter().chain(MACHINE_TABLES)
}

pub(crate) struct Input {
    pub(crate) tree: Tree,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) shipped: Vec<&'static str>,
    pub(crate) whole: Place,
}

/// Reads all sources. `None` when one of them cannot be read: then there is nothing to check.
pub(crate) fn gather(source: &Source, findings: &mut Findings) -> Option<Input> {
    let command_line = Origin::named(order::COMMAND_LINE, "command line");
    let mut tree = from_command_line(source, &command_line);
    let overrides_origin = Origin::named(order::OVERRIDES, overrides::NAME)
        .with_si_numbers(source.si_numbers != SiNumbers::Nowhere);
    let has_si_numbers = source.si_numbers == SiNumbers::Everywhere;
    let (overrides, problems) = overrides::read(&source.overrides, &overrides_origin);
    findings.extend(order::OVERRIDES, problems);
    tree.fill_in(overrides);
    let mut unset = Unset::of(&source.overrides);

    let mut main = command_line;
    let mut taken = Taken { files: Vec::new(), shipped: Vec::new(), findings };
    let mut readable = true;
    if let Some(path) = &source.experiment {
        let found = Found::of(path);
        main = found_origin(&found, order::EXPERIMENT).with_si_numbers(has_si_numbers);
        let mut experiment = taken.read(found, &main, &EXPERIMENTS);
        readable &= experiment.is_some();
        if let Some(kind) = source.given_kind() {
            experiment.iter_mut().for_each(|tree| leave_out_work(tree, kind));
        }
        fill_in(&mut tree, unset.rest_of(experiment));
    } else if let Some(ExperimentText { name, text }) = &source.experiment_text {
        main = Origin::named(order::EXPERIMENT, name).with_si_numbers(has_si_numbers);
        let is_json = is_json(Path::new(name));
        let read = if is_json { Tree::from_json(text, &main) } else { Tree::from_toml(text, &main) };
        let mut experiment = parsed(read, &main, taken.findings);
        readable &= experiment.is_some();
        if source.is_stepped {
            experiment.iter_mut().for_each(|tree| leave_out_work(tree, "outside"));
        }
        fill_in(&mut tree, unset.rest_of(experiment));
    }
    if let Some(found) = machine(source, &mut tree, taken.findings) {
        let origin = match &found {
            Found::File(path) => Origin::file(order::MACHINE, path),
            Found::Shipped(shipped) => Origin::shipped(order::MACHINE, shipped),
        };
        if source.experiment.is_none() && source.experiment_text.is_none() {
            main = Arc::clone(&origin);
        }
        let machine = taken.read(found, &origin, &[ShippedKind::Machine]);
        readable &= machine.is_some();
        let machine = unset.rest_of(machine);
        fill_in(&mut tree, only_machine(machine, taken.findings));
    }
    if readable {
        taken.findings.extend(order::OVERRIDES, unset.problems(order::OVERRIDES));
    }
    fill_in_preset(&mut tree);
    part::fill_in(&mut tree);
    if let Some(text) = &source.collectives {
        let mut weaker = algorithms(text, taken.findings);
        leave_out_parameters(&mut weaker, &tree);
        tree.fill_in(weaker);
    }
    if let Some(kind) = source.given_kind() {
        // A program on the command line, or one that steps the run, needs no `[workload]`.
        let place = Place { origin: Arc::clone(&main), line: None };
        let kind = Entry { value: Value::Text(kind.into()), written: String::new(), place: place.clone() };
        tree.fill_in(Tree::of("workload", Entry::of_table(Tree::of("kind", kind), &place)));
    }
    tree.number_lists();
    let Taken { files, shipped, .. } = taken;
    readable.then_some(Input { tree, files, shipped, whole: Place { origin: main, line: None } })
}

/// Takes in what a weaker source says, but for what belongs to a kind that is replaced.
fn fill_in(tree: &mut Tree, mut weaker: Tree) {
    part::leave_out_other_kinds(&mut weaker, tree);
    tree.fill_in(weaker);
}

/// Paths in a resolved experiment are relative to where weir was started, and so are those read from it.
fn found_origin(found: &Found, order: usize) -> Arc<Origin> {
    match found {
        Found::File(path) if is_json(path) => Origin::named(order, &path.display().to_string()),
        Found::File(path) => Origin::file(order, path),
        Found::Shipped(shipped) => Origin::shipped(order, shipped),
    }
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

const EXPERIMENTS: [ShippedKind; 3] = [ShippedKind::Experiment, ShippedKind::Study, ShippedKind::Machine];

struct Taken<'a> {
    files: Vec<PathBuf>,
    shipped: Vec<&'static str>,
    findings: &'a mut Findings,
}

impl Taken<'_> {
    /// Reads experiment or machine; where there is none, those of these kinds that ship are named.
    fn read(&mut self, found: Found, origin: &Arc<Origin>, kinds: &[ShippedKind]) -> Option<Tree> {
        match found {
            Found::File(path) => {
                let tree = read_file(&path, origin, kinds);
                let tree = parsed(tree, origin, self.findings);
                self.files.push(path);
                tree
            }
            Found::Shipped(shipped) => {
                self.shipped.push(shipped.path);
                parsed(Tree::from_toml(shipped.text, origin), origin, self.findings)
            }
        }
    }
}

const NO_EXPERIMENT: &str = "is no experiment and no machine, which weir reads as TOML with tables such as [topology] and [workload] (weir \
                             examples ring prints one)";

fn read_file(path: &Path, origin: &Arc<Origin>, kinds: &[ShippedKind]) -> Result<Tree, Vec<Problem>> {
    let has_no_ending = !path.extension().is_some_and(|ending| ending == "toml" || ending == "json");
    let (mut was_read, mut has_our_tables) = (false, false);
    let read = read_text::read(path, read_text::MOST_KEYS).map_err(|Unreadable { line, what }| {
        // Bytes that are no text have been read, too.
        was_read = line.is_some();
        let hint = (!path.exists()).then(|| Shipped::hint(&path.display().to_string(), kinds));
        vec![origin.problem(line, what, hint)]
    });
    let header = |line: &str| {
        line.trim()
            .strip_prefix('[')
            .is_some_and(|rest| known().any(|key| rest.trim_start_matches('[').starts_with(key)))
    };
    let read = read.and_then(|text| {
        was_read = true;
        has_our_tables = text.lines().any(header);
        if is_json(path) { Tree::from_json(&text, origin) } else { Tree::from_toml(&text, origin) }
    });
    let is_text = was_read && has_no_ending && path.is_file();
    // A list is no table of ours: `"topology": ["Ring"]` is ASTRA-sim's.
    let is_known = |(key, entry): (&String, &Entry)| {
        known().any(|known| known == key) && !matches!(entry.value, Value::List(_))
    };
    let is_ours = |tree: &Tree| tree.entries.iter().any(is_known);
    let elsewhere = match &read {
        Ok(tree) if is_ours(tree) => None,
        _ if has_our_tables => None,
        Ok(_) => foreign::file(path),
        Err(_) => foreign::file(path).or(is_text.then_some(NO_EXPERIMENT)),
    };
    elsewhere.map_or(read, |what| Err(vec![origin.problem(None, what.to_owned(), None)]))
}

fn parsed(tree: Result<Tree, Vec<Problem>>, origin: &Origin, findings: &mut Findings) -> Option<Tree> {
    tree.map_err(|problems| findings.extend(origin.order, problems)).ok()
}

/// The machine of the command line, or else that of the experiment, whose key is taken out.
fn machine(source: &Source, tree: &mut Tree, findings: &mut Findings) -> Option<Found> {
    let named = tree.entries.remove("machine").and_then(|entry| match &entry.value {
        Value::Text(text) if !text.is_empty() => Some(beside(&entry.place.origin, text)),
        other => {
            let hint = Some("name a machine file: machine = \"machines/torus.toml\"".to_owned());
            let is_text = matches!(other, Value::Text(_));
            let what = if is_text { "must not be empty" } else { "must be a text in quotes" };
            findings.add(&entry.place, "machine", &entry.written, what.into(), hint);
            None
        }
    });
    source.machine.as_deref().map(Found::of).or(named)
}

/// The file of a name: something beside it, or something that ships. A file that ships names what ships.
fn beside(origin: &Origin, text: &str) -> Found {
    // In the current folder `torus` is a name, however the experiment beside it was named.
    let path = origin.folder.strip_prefix(".").unwrap_or(&origin.folder).join(text);
    match Found::of(&path) {
        _ if origin.ships && Shipped::at(&path).is_some() => {
            Shipped::at(&path).map(Found::Shipped).expect("it ships")
        }
        Found::File(file) if !file.exists() => {
            Found::shipped(Path::new(text)).map_or(Found::File(file), Found::Shipped)
        }
        found => found,
    }
}

/// Takes the work out of an experiment beside which work of this kind is given, but how many ranks do it.
fn leave_out_work(tree: &mut Tree, given: &str) {
    let Some(work) = tree.table_mut("workload") else { return };
    if work.entries.contains_key("kind") && !work.text("kind").is_some_and(|kind| is_name(given, kind)) {
        work.entries.retain(|key, _| key == "ranks");
    }
}

fn only_machine(tree: Tree, findings: &mut Findings) -> Tree {
    let (kept, refused): (Vec<_>, Vec<_>) =
        tree.entries.into_iter().partition(|(key, _)| MACHINE_TABLES.contains(&key.as_str()));
    for (key, entry) in refused {
        let what = "does not belong into a machine file".to_owned();
        let hint = format!("a machine file has the tables {}", MACHINE_TABLES.join(", "));
        findings.add(&entry.place, &key, &entry.written, what, Some(hint));
    }
    Tree { entries: kept.into_iter().collect() }
}

/// The preset that the tree names fills in what the tree does not say; a machine without a topology gets none.
fn fill_in_preset(tree: &mut Tree) {
    let Some(name) = tree.table("packet").and_then(|packet| packet.text("preset")) else { return };
    let Some((name, text)) = PRESETS.into_iter().find(|(preset, _)| is_name(preset, name)) else { return };
    let origin = Origin::named(order::PRESET, &format!("preset {name}"));
    let mut preset = Tree::from_toml(text, &origin).expect("presets are TOML");
    if !tree.entries.contains_key("topology") {
        preset.entries.remove("topology");
    }
    tree.fill_in(preset);
}

/// The table `[collectives]` of a text like `alltoall=bruck,bcast=flat`.
fn algorithms(text: &str, findings: &mut Findings) -> Tree {
    let origin = Origin::named(order::COLLECTIVES, "WEIR_COLLECTIVES");
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let (pairs, wrong): (Vec<_>, Vec<_>) = pairs.partition(|pair| pair.contains('='));
    for pair in wrong {
        let hint = "write collective=algorithm, such as alltoall=bruck,bcast=flat".to_owned();
        let problem = origin.problem(None, "has no =".to_owned(), Some(hint));
        findings.extend(order::COLLECTIVES, [Problem { key: pair.to_owned(), ..problem }]);
    }
    let pairs: Vec<String> = pairs.into_iter().map(|pair| format!("collectives.{pair}")).collect();
    let (tree, problems) = overrides::read(&pairs, &origin);
    findings.extend(order::COLLECTIVES, problems);
    tree
}

/// Takes the parameters out of algorithms that `stronger` names: they are for others.
fn leave_out_parameters(weaker: &mut Tree, stronger: &Tree) {
    let table = collectives::KEYS.name;
    let (Some(stronger), Some(weaker)) = (stronger.table(table), weaker.table_mut(table)) else { return };
    let is_left_out =
        |key: &str| stronger.entries.keys().any(|named| collectives::is_parameter_of(key, named));
    weaker.entries.retain(|key, _| !is_left_out(key));
}

fn from_command_line(source: &Source, origin: &Arc<Origin>) -> Tree {
    let place = Place { origin: Arc::clone(origin), line: None };
    let entry = |value, written| Entry { value, written, place: place.clone() };
    let text = |text: &str| entry(Value::Text(text.to_owned()), text.to_owned());
    // A program with its arguments, and how many ranks there are.
    let command = |program: Option<&ProgramCommand>, ranks: Option<usize>| {
        let mut tree = Tree::default();
        if let Some(ranks) = ranks {
            tree.entries.insert("ranks".into(), entry(Value::Integer(ranks as i128), ranks.to_string()));
        }
        if let Some(ProgramCommand { path, args }) = program {
            tree.entries.insert("program".into(), text(&path.display().to_string()));
            let list = Value::List(args.iter().map(|arg| text(arg)).collect());
            tree.entries.insert("args".into(), entry(list, args.join(" ")));
        }
        tree
    };
    let mut workload = command(source.program.as_ref(), source.ranks);
    if source.program.is_some() {
        // None at all, too, where the experiment has some: they belong to the program that is replaced.
        let further = source.further.iter().map(|CommandOnRanks { program, ranks }| {
            Entry::of_table(command(Some(program), Some(*ranks)), &place)
        });
        workload.entries.insert("further".into(), entry(Value::List(further.collect()), String::new()));
    }
    let mut tree = Tree::default();
    if let Some(out) = &source.out {
        let output = Tree::of("dir", text(&out.display().to_string()));
        tree.entries.insert("output".into(), Entry::of_table(output, &place));
    }
    if !workload.entries.is_empty() {
        tree.entries.insert("workload".into(), Entry::of_table(workload, &place));
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::known;

    /// Each table and each key outside of tables makes a file one of weir's; what a machine file may say, an experiment may, too.
    #[test]
    fn every_section_is_known() {
        let of_key = |key: &String| key.split('.').next().unwrap_or_default().to_owned();
        let sections: std::collections::BTreeSet<String> =
            crate::keys::pages::keys().iter().map(of_key).collect();
        assert!(sections.len() > 15, "{sections:?}");
        for section in sections {
            assert!(known().any(|known| known == section), "{section}");
        }
        let twice = known().filter(|known| super::known().filter(|other| other == known).count() > 1);
        assert_eq!(twice.collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
