//! Mistakes in an input, the form of its quantities, and what holds in it.

use crate::Units;
use crate::source::resolved::Resolved;
use crate::source::tree::{Entry, Place};
use std::borrow::Cow;
use std::fmt;
use weir_units::visible;

#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(super) problems: Vec<(usize, Problem)>,
    pub(crate) form: UnitsForm,
    pub(crate) resolved: Resolved,
}

impl Findings {
    pub(crate) fn add(&mut self, place: &Place, key: &str, value: &str, what: String, hint: Option<String>) {
        let (key, value) = (key.to_owned(), value.to_owned());
        let problem = Problem { key, value, ..place.origin.problem(place.line, what, hint) };
        self.problems.push((place.origin.order, problem));
    }

    pub(super) fn forget(&mut self, key: &str, entry: &Entry) {
        let is_of_entry = |problem: &Problem| {
            problem.key == key && problem.line == entry.place.line && problem.value == entry.written
        };
        self.problems.retain(|(_, problem)| !is_of_entry(problem));
    }

    pub(crate) fn extend(&mut self, order: usize, problems: impl IntoIterator<Item = Problem>) {
        self.problems.extend(problems.into_iter().map(|problem| (order, problem)));
    }

    /// Returns whether something is wrong with a key of one of these tables.
    pub(crate) fn touches(&self, tables: &[&str]) -> bool {
        let table = |key: &str| key.split('.').next().is_some_and(|table| tables.contains(&table));
        self.problems.iter().any(|(_, problem)| table(&problem.key))
    }

    /// The form of the quantities; an input in both forms is a mistake of the first number without a unit.
    pub(crate) fn units(&mut self) -> Units {
        let Some(((key, written, entry), others)) = self.form.without.split_first() else {
            return Units::Written;
        };
        let Some(with) = self.form.with.first() else { return Units::Unitless };
        let what = format!("has no unit, but {with} has one");
        let others: String =
            others.iter().map(|(key, written, _)| format!(", {key} as {written:?}")).collect();
        let hint = format!("write it with its unit, such as {written:?}{others}; or no units anywhere");
        let (key, entry) = (key.clone(), entry.clone());
        self.add(&entry.place, &key, &entry.written, what, Some(hint));
        Units::Written
    }

    /// Returns what was made of the input, if nothing is wrong with it.
    pub(crate) fn into_result<T>(mut self, made: Option<T>) -> Result<T, Problems> {
        if self.problems.is_empty() {
            return Ok(made.expect("what could not be made is a problem"));
        }
        self.problems.sort_by_key(|(order, problem)| (*order, problem.line));
        Err(Problems::new(self.problems.into_iter().map(|(_, problem)| problem).collect()))
    }
}

#[derive(Debug, Default)]
pub(crate) struct UnitsForm {
    with: Vec<String>,
    without: Vec<(String, String, Entry)>,
}

impl UnitsForm {
    pub(crate) fn with_unit(&mut self, key: &str) {
        if self.with.last().is_none_or(|last| last != key) {
            self.with.push(key.to_owned());
        }
    }

    /// A quantity was written as a bare number other than 0, which probably stands for `meant`.
    pub(crate) fn without_unit(&mut self, key: &str, meant: String, entry: &Entry) {
        if self.without.last().is_none_or(|(last, ..)| last != key) {
            self.without.push((key.to_owned(), meant, entry.clone()));
        }
    }
}

/// One mistake in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file it is in as the user named it, or `--set`, or `command line`.
    pub file: String,
    /// The line, from 1; `None` where there is none to name.
    pub line: Option<usize>,
    /// The key with its table: `topology.bandwidth`; empty for a problem of the file as a whole.
    pub key: String,
    /// The value as written; empty for a missing key or a whole table.
    pub value: String,
    /// Sentence that says what is wrong, and what was expected.
    pub what: String,
    /// Advice.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    /// `file:line: key = value: what`, in one line, without the hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        f.write_str(": ")?;
        if !self.key.is_empty() {
            f.write_str(&cut(&self.key, MOST_OF_KEY))?;
            if !self.value.is_empty() {
                write!(f, " = {}", cut(&self.value, MOST_OF_KEY))?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&cut(&self.what, MOST_OF_TEXT))
    }
}

/// Most letters that are shown of a key or a value, and of a sentence, which may have words of the input in it.
const MOST_OF_KEY: usize = 200;
const MOST_OF_TEXT: usize = 1000;
/// Most mistakes that are shown; others are counted.
const MOST_SHOWN: usize = 20;

fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}... ({} bytes)", visible(&text[..end]), text.len())),
        None => visible(text),
    }
}

/// A mistake in a file that an input names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileMistake {
    /// From 1; `None` for the file as a whole.
    pub(crate) line: Option<usize>,
    /// The written value; empty if there is nothing to show.
    pub(crate) value: String,
    pub(crate) what: String,
    pub(crate) hint: Option<String>,
}

impl FileMistake {
    pub(crate) fn new(line: impl Into<Option<usize>>, value: &str, what: impl Into<String>) -> Self {
        Self { line: line.into(), value: value.into(), what: what.into(), hint: None }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(crate) fn problem(self, file: &str, key: &str) -> Problem {
        let Self { line, value, what, hint } = self;
        Problem { file: file.to_owned(), line, key: key.to_owned(), value, what, hint }
    }
}

/// All mistakes of an input, at least one: by file in the order of reading, then by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    list: Vec<Problem>,
}

impl Problems {
    /// These mistakes, in their order.
    ///
    /// # Panics
    /// When there is none.
    pub fn new(list: Vec<Problem>) -> Self {
        assert!(!list.is_empty(), "an input without problems is not refused");
        Self { list }
    }

    /// The mistakes in their order.
    pub fn list(&self) -> &[Problem] {
        &self.list
    }
}

impl fmt::Display for Problems {
    /// One line per mistake, of many the first 20 and how many more there are; then, after a blank line, one line per hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.list[..self.list.len().min(MOST_SHOWN)];
        for (i, problem) in shown.iter().enumerate() {
            let line_break = if i == 0 { "" } else { "\n" };
            write!(f, "{line_break}{problem}")?;
        }
        if self.list.len() > shown.len() {
            write!(f, "\nand {} more mistakes", self.list.len() - shown.len())?;
        }
        let mut hints: Vec<_> =
            shown.iter().filter_map(|problem| Some((&problem.key, problem.hint.as_ref()?))).collect();
        hints.dedup();
        for (i, (key, hint)) in hints.into_iter().enumerate() {
            let line_break = if i == 0 { "\n\n" } else { "\n" };
            let colon = if key.is_empty() { "" } else { ": " };
            write!(f, "{line_break}hint: {}{colon}{}", cut(key, MOST_OF_KEY), cut(hint, MOST_OF_TEXT))?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_follow_after_a_blank_line() {
        let problem = |key: &str, line, value: &str, hint: Option<&str>| Problem {
            file: "torus.toml".into(),
            line,
            key: key.into(),
            value: value.into(),
            what: "is wrong".into(),
            hint: hint.map(Into::into),
        };
        let problems = Problems::new(vec![
            problem("topology.shape", Some(3), "[0]", Some("make it larger")),
            problem("workload.kind", None, "", None),
            problem("", None, "", Some("look at the examples")),
        ]);
        let expected = "torus.toml:3: topology.shape = [0]: is wrong\ntorus.toml: workload.kind: is wrong\n\
                        torus.toml: is wrong\n\nhint: topology.shape: make it larger\nhint: look at the examples";
        assert_eq!(problems.to_string(), expected);
        let strange = Problems::new(vec![problem("a\u{1b}[2Jb", None, "\u{7}", Some("\u{1b}c"))]).to_string();
        assert_eq!(strange, "torus.toml: a\\u{1b}[2Jb = \\u{7}: is wrong\n\nhint: a\\u{1b}[2Jb: \\u{1b}c");
        let long = "x".repeat(10_000_000);
        let many = (0..200_000).map(|_| problem(&long[..300], None, "", Some("see")));
        let text = Problems::new(many.chain([problem("", None, "", Some(&long))]).collect()).to_string();
        assert_eq!(text.lines().count(), 20 + 1 + 1 + 1, "{text}");
        assert!(text.contains("\nand 199981 more mistakes\n\nhint: ") && text.len() < 10_000, "{text}");
    }
}
