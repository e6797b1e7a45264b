//! Mistakes in an input, the form of its quantities, and what holds in it.

use crate::source::resolved::Resolved;
use crate::source::tree::{Entry, Place};
use crate::source::units_form::{Mixture, UnitsForm};
use crate::{Problem, Problems, Units};

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

    pub(crate) fn units(&mut self) -> Units {
        self.form.units().unwrap_or_else(|mixture| {
            let Mixture { key, entry, what, hint } = *mixture;
            self.add(&entry.place, &key, &entry.written, what, Some(hint));
            Units::Written
        })
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
