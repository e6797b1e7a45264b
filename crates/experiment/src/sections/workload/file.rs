//! Files as workload: patterns, and communication profiles (paper 001).

use super::keys;
use crate::Problem;
use crate::foreign;
use crate::source::input::ORDER_OF_PATTERN;
use crate::source::reader::Section;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_foreign::{Given, Imported, ReadWork, Takes};
use weir_formats::graph::{self, GraphFile};
use weir_formats::profile::{self, Profile};
use weir_formats::{Mistake, MistakePlace, Mistakes, ReadError};
use weir_message::CombiningRow;
use weir_operations::{Operation, Step};
use weir_replay::Sources;
use weir_units::Rank;
use weir_workload::{Script, Sequence, Totals};

/// Contents of a pattern file (paper 000, section 3.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternFileSection {
    /// The file.
    pub path: PathBuf,
    /// The messages in it.
    pub script: Arc<Script>,
}

impl PatternFileSection {
    pub(super) fn read(section: &mut Section<'_>) -> Option<Self> {
        let written = section.get(&keys::RANKS);
        let path = section.get_required(&keys::PATTERN_FILE)?;
        let file = weir_formats::read(&path).map_err(|error| refuse(section, &path, &error)).ok()?;
        let script = file.script;
        if let Err(error) = script.check_totals() {
            section.report("file", error.what, error.hint);
            return None;
        }
        let hint = "leave ranks away: the file says how many there are";
        let is_wrong = written.is_some_and(|ranks| ranks != script.ranks() as u64);
        section.report_if(is_wrong, "ranks", format!("the file has {} ranks", script.ranks()), hint);
        Some(Self { path, script: Arc::new(script) })
    }
}

fn refuse(section: &mut Section<'_>, path: &Path, error: &ReadError) {
    match (foreign::data(path), error) {
        (Some(elsewhere), _) => section.report("file", elsewhere, ""),
        (None, ReadError::Unreadable(what)) if what == profile::UNKNOWN_FORMAT && path.is_file() => {
            let hint = "weir convert --formats lists the files of other tools that are read; where weir does not know one by what is in it, convert \
                        takes its name: --from";
            section.report("file", format!("is no graph of work, and {what}: {}", path.display()), hint);
        }
        (None, ReadError::Mistakes(mistakes)) => section.extend(ORDER_OF_PATTERN, problems(path, mistakes)),
        (None, error) => section.report("file", format!("{error}: {}", path.display()), ""),
    }
}

fn problems(path: &Path, mistakes: &Mistakes) -> Vec<Problem> {
    let file = path.display().to_string();
    let problem = |line, value: &str, what| {
        let (file, key, value) = (file.clone(), "workload.file".to_owned(), value.to_owned());
        Problem { file, line, key, value, what, hint: None }
    };
    let of_mistake = |Mistake { place, text, what }: &Mistake| match place {
        MistakePlace::Line(line) => problem(usize::try_from(*line).ok(), text, what.clone()),
        MistakePlace::Row(row) => problem(None, text, format!("row {row}: {what}")),
        MistakePlace::File => problem(None, text, what.clone()),
    };
    let mut problems: Vec<Problem> = mistakes.list().iter().map(of_mistake).collect();
    if mistakes.more() > 0 {
        let line = problems.last().and_then(|last| last.line);
        problems.push(problem(line, "", format!("and {} more mistakes in this file", mistakes.more())));
    }
    problems
}

/// Mistakes in a file of another tool.
fn of_foreign(path: &Path, mistakes: Vec<weir_foreign::Mistake>) -> Vec<Problem> {
    let (file, key) = (path.display().to_string(), "workload.file".to_owned());
    let problem = |weir_foreign::Mistake { line, value, what, hint }| Problem {
        file: file.clone(),
        line,
        key: key.clone(),
        value,
        what,
        hint,
    };
    mistakes.into_iter().map(problem).collect()
}

/// Contents of a graph of work.
#[derive(Clone, Debug)]
pub struct WorkGraphSection {
    /// The file.
    pub path: PathBuf,
    /// Tasks of all ranks.
    pub graph: GraphFile,
    /// Sentences about what was assumed of a file of another tool.
    pub notes: Vec<String>,
}

/// Tasks are compared by their number: those of one file are the same.
impl PartialEq for WorkGraphSection {
    fn eq(&self, other: &Self) -> bool {
        let of = |section: &Self| {
            let GraphFile { title, communicators, tasks } = &section.graph;
            (section.path.clone(), title.clone(), communicators.clone(), tasks.ranks(), tasks.len())
        };
        of(self) == of(other)
    }
}

impl WorkGraphSection {
    pub(super) fn read(section: &mut Section<'_>) -> Option<Self> {
        let written = section.get(&keys::RANKS);
        let path = section.get_required(&keys::GRAPH)?;
        let reader = foreign::work(&path);
        let given = given(section, reader.and_then(ReadWork::takes), written);
        let (graph, notes) = match reader {
            Some(reader) => {
                let own = |mistakes| section.extend(ORDER_OF_PATTERN, of_foreign(&path, mistakes));
                let Imported { made, notes, .. } = reader.read(&path, given).map_err(own).ok()?;
                (made, notes)
            }
            None => (graph::read(&path).map_err(|error| refuse(section, &path, &error)).ok()?, Vec::new()),
        };
        let hint = "leave ranks away: the graph says how many there are";
        let is_wrong = written.is_some_and(|ranks| ranks != graph.tasks.ranks() as u64);
        section.report_if(is_wrong, "ranks", format!("the graph has {} ranks", graph.tasks.ranks()), hint);
        Some(Self { path, graph, notes })
    }

    pub(crate) fn warning(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| format!("{}: {}", self.path.display(), self.notes.join("; ")))
    }
}

/// Values that a file of another tool takes; those that say nothing to it are mistakes.
fn given(section: &mut Section<'_>, takes: Option<Takes>, ranks: Option<u64>) -> Given {
    let (speed, message_size) = (section.get(&keys::SPEED), section.get(&keys::BUFFER));
    let group = section.get(&keys::FIRST_DIMENSION);
    let keys = [
        (
            speed.is_some(),
            Takes::Speed,
            "speed",
            "traces of SimGrid have computations that are numbers of operations, others have times",
        ),
        (
            message_size.is_some(),
            Takes::MessageSize,
            "message_size",
            "algorithms of MSCCL have parts of a buffer, others have sizes",
        ),
        (group.is_some(), Takes::Ranks, "group", "training steps of ASTRA-sim are divided by it"),
    ];
    for (is_given, what, key, hint) in keys {
        let hint = format!("{hint}: leave it away");
        section.report_if(is_given && takes != Some(what), key, "says nothing to this file", &hint);
    }
    let ranks = ranks.filter(|_| takes == Some(Takes::Ranks)).and_then(|ranks| u32::try_from(ranks).ok());
    Given { speed, message_size, ranks, group, ..Given::default() }
}

/// Contents of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileSection {
    /// The file.
    pub path: PathBuf,
    /// Calls of all ranks.
    pub profile: Arc<Profile>,
    /// From whom a receive takes that asked for any source.
    pub sources: Sources,
}

impl ProfileSection {
    pub(super) fn read(section: &mut Section<'_>) -> Option<Self> {
        let written = section.get(&keys::RANKS);
        let sources = section.get_or_default(&keys::SOURCES);
        let path = section.get_required(&keys::PROFILE)?;
        let profile = profile::read(&path).map_err(|error| refuse(section, &path, &error)).ok()?;
        let hint = "leave ranks away: the profile says how many there are";
        let is_wrong = written.is_some_and(|ranks| ranks != profile.ranks() as u64);
        section.report_if(is_wrong, "ranks", format!("the profile has {} ranks", profile.ranks()), hint);
        section.put_last("file sources");
        Some(Self { path, profile: Arc::new(profile), sources })
    }

    fn uses_files(&self) -> bool {
        let mut events = (0..self.profile.ranks()).flat_map(|rank| self.profile.steps(Rank::new(rank)));
        events.any(|event| matches!(event.operation, Operation::File { .. }))
    }

    /// Returns whether it is not known of any reduction what it combines, or how, as in profiles before version 4.
    fn has_unknown_reductions(&self) -> bool {
        let unknown = |event: &Step| match &event.operation {
            Operation::Collective { collective, .. } => {
                collective.function.combines() && collective.combines.operation.is_none()
            }
            _ => false,
        };
        (0..self.profile.ranks()).any(|rank| self.profile.steps(Rank::new(rank)).iter().any(unknown))
    }

    pub(crate) fn combining_warning(&self, rows: &[CombiningRow]) -> Option<String> {
        let by_name = rows.iter().any(|row| !row.operations.is_empty() || !row.elements.is_empty());
        (by_name && self.has_unknown_reductions()).then(|| {
            format!(
                "{} does not say of all its reductions what they combine: rows of [[combining]] with an operation or a type do not fit \
                 those, and node.combine_bandwidth holds; log the program anew (weir log), or write op and type into the profile",
                self.path.display()
            )
        })
    }

    pub(crate) fn warning(&self, disks: bool) -> Option<String> {
        (disks && self.uses_files()).then(|| {
            format!(
                "[storage] does nothing here: in a profile files take as long as when it was logged, in {}; to try other \
                 disks, log the program anew with them (weir log --machine FILE)",
                self.path.display()
            )
        })
    }
}
