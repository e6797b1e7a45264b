//! Loading a machine to look at.

use std::path::PathBuf;
use weir_scenario::{Machine, Source};

/// The machine of a machine file or an experiment; `None` when that is refused, which has been said then.
pub(crate) fn load(file: PathBuf, set: Vec<String>) -> Option<Machine> {
    let source = Source { experiment: Some(file), overrides: set, ..Source::default() };
    Machine::load(&source).map_err(|problems| eprintln!("error: {problems}")).ok()
}
