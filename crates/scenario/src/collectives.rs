//! `[collectives]`: which algorithm each collective operation of MPI uses.

use crate::reader::Section;
use serde_json::{Map, Value, json};
use weir_message::collective::choice::CATALOGUE;

/// The algorithm of each collective, by the names of [`weir_message::collective::choice::CATALOGUE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectivesSection {
    /// Collective and algorithm, in the order of the catalogue.
    pub algorithms: Vec<(&'static str, &'static str)>,
}

impl CollectivesSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let algorithms = CATALOGUE.iter().map(|&(collective, names)| {
            let choices: Vec<_> = names.iter().map(|&name| (name, name)).collect();
            (collective, section.choice(collective, &choices, &[]).unwrap_or(names[0]))
        });
        Self { algorithms: algorithms.collect() }
    }

    pub(crate) fn resolved(&self) -> Value {
        let pairs = self.algorithms.iter();
        Value::Object(pairs.map(|&(key, name)| (key.to_owned(), json!(name))).collect::<Map<_, _>>())
    }
}
