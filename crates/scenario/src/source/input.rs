//! Gathers all sources of an input into one tree: experiment, machine, preset, `--set`, command line, environment.

use crate::Problem;
use crate::engine::packet::PRESETS;
use crate::keys::form::is_name;
use crate::sections::collectives;
use crate::source::overrides;
use crate::source::part;
use crate::source::read_text::{self, Unreadable};
use crate::source::reader::Findings;
use crate::source::shipped::ShippedMachine;
use crate::source::tree::{Entry, Origin, Place, Tree, Value};
use crate::source::unset::Unset;
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
    /// Further programs of the same job, which the last ranks run.
    pub further: Vec<CommandOnRanks>,
    /// How many ranks, all together.
    pub ranks: Option<usize>,
    /// The results folder, relative to where weir was started.
    pub out: Option<PathBuf>,
    /// Algorithms of collectives, as in `alltoall=bruck,bcast=flat`, where nothing else names one: the weakest source.
    /// Problems call it `WEIR_COLLECTIVES`.
    pub collectives: Option<String>,
}

impl Source {
    /// The name of the experiment file without its ending, or that of the program.
    pub(crate) fn default_title(&self) -> Option<String> {
        let program = self.program.as_ref().map(|program| &program.path);
        let path = self.experiment.as_ref().or(program)?;
        Some(path.file_stem()?.to_string_lossy().into_owned())
    }
}

/// An experiment in TOML that is in no file, or in JSON if its name ends in `.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentText {
    /// What problems call it.
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
    /// How many ranks run it.
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

/// Tables that a machine file may have.
const MACHINE_TABLES: [&str; 12] = [
    "topology",
    "faults",
    "upgrades",
    "node",
    "combining",
    "packet",
    "mapping",
    "engine",
    "collectives",
    "selection",
    "storage",
    "calibrated",
];

/// All sources as one.
pub(crate) struct Input {
    pub(crate) tree: Tree,
    /// Experiment and machine.
    pub(crate) files: Vec<PathBuf>,
    /// The place of what is missing.
    pub(crate) whole: Place,
}

/// Reads all sources. `None` when one of them cannot be read: then there is nothing to check.
pub(crate) fn gather(source: &Source, findings: &mut Findings) -> Option<Input> {
    let command_line = Origin::named(order::COMMAND_LINE, "command line");
    let mut tree = from_command_line(source, &command_line);
    let overrides_origin = Origin::named(order::OVERRIDES, overrides::NAME);
    let (overrides, problems) = overrides::read(&source.overrides, &overrides_origin);
    findings.extend(order::OVERRIDES, problems);
    tree.fill_in(overrides);
    let mut unset = Unset::of(&source.overrides);

    let mut main = command_line;
    let mut files: Vec<PathBuf> = source.experiment.iter().cloned().collect();
    let mut readable = true;
    if let Some(path) = &source.experiment {
        main = experiment_origin(path);
        let experiment = read_file(path, &main, findings);
        readable &= experiment.is_some();
        tree.fill_in(unset.rest_of(experiment));
    } else if let Some(ExperimentText { name, text }) = &source.experiment_text {
        main = Origin::named(order::EXPERIMENT, name);
        let is_json = is_json(Path::new(name));
        let read = if is_json { Tree::from_json(text, &main) } else { Tree::from_toml(text, &main) };
        let experiment = parsed(read, &main, findings);
        readable &= experiment.is_some();
        tree.fill_in(unset.rest_of(experiment));
    }
    if let Some(path) = machine_path(source, &mut tree, findings) {
        let shipped = ShippedMachine::named(&path);
        let origin = match shipped {
            Some(machine) => Origin::named(order::MACHINE, &format!("machine {}", machine.name)),
            None => Origin::file(order::MACHINE, &path),
        };
        if source.experiment.is_none() && source.experiment_text.is_none() {
            main = Arc::clone(&origin);
        }
        let machine = match shipped {
            Some(machine) => parsed(Tree::from_toml(machine.text, &origin), &origin, findings),
            None => {
                let machine = read_file(&path, &origin, findings);
                files.push(path);
                machine
            }
        };
        readable &= machine.is_some();
        let machine = unset.rest_of(machine);
        tree.fill_in(only_machine(machine, findings));
    }
    if readable {
        findings.extend(order::OVERRIDES, unset.problems(order::OVERRIDES));
    }
    fill_in_preset(&mut tree);
    part::fill_in(&mut tree);
    if let Some(text) = &source.collectives {
        let mut weaker = algorithms(text, findings);
        leave_out_parameters(&mut weaker, &tree);
        tree.fill_in(weaker);
    }
    if source.program.is_some() {
        tree.fill_in(kind_program(&Place { origin: Arc::clone(&main), line: None }));
    }
    tree.number_lists();
    readable.then_some(Input { tree, files, whole: Place { origin: main, line: None } })
}

/// Paths in a resolved experiment are relative to where weir was started, and so are those read from it.
fn experiment_origin(path: &Path) -> Arc<Origin> {
    if is_json(path) {
        Origin::named(order::EXPERIMENT, &path.display().to_string())
    } else {
        Origin::file(order::EXPERIMENT, path)
    }
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

fn read_file(path: &Path, origin: &Arc<Origin>, findings: &mut Findings) -> Option<Tree> {
    let text = match read_text::read(path, read_text::MOST_KEYS) {
        Ok(text) => text,
        Err(Unreadable { line, what }) => {
            let problem = origin.problem(line, what, None);
            findings.extend(origin.order, [problem]);
            return None;
        }
    };
    let tree = if is_json(path) { Tree::from_json(&text, origin) } else { Tree::from_toml(&text, origin) };
    parsed(tree, origin, findings)
}

fn parsed(tree: Result<Tree, Vec<Problem>>, origin: &Origin, findings: &mut Findings) -> Option<Tree> {
    tree.map_err(|problems| findings.extend(origin.order, problems)).ok()
}

/// The machine file of the command line, or else that of the experiment, whose key is taken out.
fn machine_path(source: &Source, tree: &mut Tree, findings: &mut Findings) -> Option<PathBuf> {
    let named = tree.entries.remove("machine").and_then(|entry| match &entry.value {
        Value::Text(text) if !text.is_empty() => Some(entry.place.origin.folder.join(text)),
        other => {
            let hint = Some("name a machine file: machine = \"machines/torus.toml\"".to_owned());
            let is_text = matches!(other, Value::Text(_));
            let what = if is_text { "must not be empty" } else { "must be a text in quotes" };
            findings.add(&entry.place, "machine", &entry.written, what.into(), hint);
            None
        }
    });
    source.machine.clone().or(named)
}

/// What a machine file may say.
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
    let Some(Value::Text(name)) = tree.find("packet", "preset").map(|entry| &entry.value) else { return };
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
    let Some(Value::Table(stronger)) = stronger.entries.get(table).map(|entry| &entry.value) else { return };
    let Some(Value::Table(weaker)) = weaker.entries.get_mut(table).map(|entry| &mut entry.value) else {
        return;
    };
    let is_left_out =
        |key: &str| stronger.entries.keys().any(|named| collectives::is_parameter_of(key, named));
    weaker.entries.retain(|key, _| !is_left_out(key));
}

fn from_command_line(source: &Source, origin: &Arc<Origin>) -> Tree {
    let entry =
        |value, written| Entry { value, written, place: Place { origin: Arc::clone(origin), line: None } };
    let text = |text: &str| entry(Value::Text(text.to_owned()), text.to_owned());
    let mut workload = Tree::default();
    if let Some(ranks) = source.ranks {
        workload.entries.insert("ranks".into(), entry(Value::Integer(ranks as i128), ranks.to_string()));
    }
    if let Some(program) = &source.program {
        workload.entries.insert("program".into(), text(&program.path.display().to_string()));
        let args = program.args.iter().map(|arg| text(arg)).collect();
        workload.entries.insert("args".into(), entry(Value::List(args), program.args.join(" ")));
        // None at all, too, where the experiment has some: they belong to the program that is replaced.
        let further = source.further.iter().map(|further| {
            let CommandOnRanks { program: ProgramCommand { path, args }, ranks } = further;
            let args = entry(Value::List(args.iter().map(|arg| text(arg)).collect()), args.join(" "));
            let ranks = entry(Value::Integer(*ranks as i128), ranks.to_string());
            let keys = [("program", text(&path.display().to_string())), ("args", args), ("ranks", ranks)];
            let entries = keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            entry(Value::Table(Tree { entries }), String::new())
        });
        workload.entries.insert("further".into(), entry(Value::List(further.collect()), String::new()));
    }
    let mut tree = Tree::default();
    if let Some(out) = &source.out {
        let output = Tree { entries: [("dir".to_owned(), text(&out.display().to_string()))].into() };
        tree.entries.insert("output".into(), entry(Value::Table(output), String::new()));
    }
    if !workload.entries.is_empty() {
        tree.entries.insert("workload".into(), entry(Value::Table(workload), String::new()));
    }
    tree
}

/// A program on the command line needs no `[workload]`.
fn kind_program(place: &Place) -> Tree {
    let entry = |value| Entry { value, written: String::new(), place: place.clone() };
    let kind = Tree { entries: [("kind".to_owned(), entry(Value::Text("program".into())))].into() };
    Tree { entries: [("workload".to_owned(), entry(Value::Table(kind)))].into() }
}
