//! Loading what a command is about: an experiment, or a machine to look at. `None` when it is refused, which has been
//! said then.

use std::path::PathBuf;
use weir_scenario::{Machine, Scenario, Source};

/// An experiment from any source.
pub(crate) fn scenario(source: &Source) -> Option<Scenario> {
    Scenario::load(source).map_err(|problems| eprintln!("error: {problems}")).ok()
}

/// The experiment of a file.
pub(crate) fn experiment(file: PathBuf, set: Vec<String>) -> Option<Scenario> {
    scenario(&source(file, set))
}

/// The machine of a machine file or an experiment.
pub(crate) fn machine(file: PathBuf, set: Vec<String>) -> Option<Machine> {
    Machine::load(&source(file, set)).map_err(|problems| eprintln!("error: {problems}")).ok()
}

fn source(file: PathBuf, set: Vec<String>) -> Source {
    Source { experiment: Some(file), overrides: set, ..Source::default() }
}
