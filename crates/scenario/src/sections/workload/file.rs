//! A pattern file as workload.

use super::keys;
use crate::Problem;
use crate::foreign;
use crate::source::reader::Section;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_formats::{Mistake, MistakePlace, Mistakes, ReadError};
use weir_workload::{Counted, Order, Script};

/// Contents of a pattern file (paper 000, section 3.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternFileSection {
    /// The file.
    pub path: PathBuf,
    /// The messages in it.
    pub script: Arc<Script>,
}

impl PatternFileSection {
    pub(super) fn ranks(&self) -> usize {
        self.script.ranks()
    }

    pub(super) fn read(section: &mut Section<'_>) -> (Option<Self>, Vec<Problem>) {
        let written = section.get(&keys::RANKS);
        let Some(path) = section.get_required(&keys::PATTERN_FILE) else { return (None, Vec::new()) };
        let script = match weir_formats::read(&path) {
            Ok(file) => file.script,
            Err(error) => return (None, refused(section, &path, &error)),
        };
        if let Err(error) = script.check_totals() {
            section.problem("file", error.to_string(), Some(error.hint().to_owned()));
            return (None, Vec::new());
        }
        if written.is_some_and(|ranks| ranks != script.ranks() as u64) {
            let hint = "leave ranks away: the file says how many there are";
            section.problem("ranks", format!("the file has {} ranks", script.ranks()), Some(hint.to_owned()));
        }
        (Some(Self { path, script: Arc::new(script) }), Vec::new())
    }
}

pub(super) fn refused(section: &mut Section<'_>, path: &Path, error: &ReadError) -> Vec<Problem> {
    match (foreign::data(path), error) {
        (Some(elsewhere), _) => section.problem("file", elsewhere, None),
        (None, ReadError::Mistakes(mistakes)) => return problems(path, mistakes),
        (None, error) => section.problem("file", format!("{error}: {}", path.display()), None),
    }
    Vec::new()
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
