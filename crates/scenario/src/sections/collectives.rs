//! `[collectives]`: which algorithm each collective operation of MPI uses.

use crate::keys::form::Named;
use crate::keys::{AnyKey, Default, Key, Row, Table};
use crate::source::reader::Section;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use weir_message::collective::choice::CATALOGUE;

static ALGORITHMS: LazyLock<Vec<Key<Named>>> = LazyLock::new(|| {
    let key = |&(name, names): &(&'static str, &'static [&'static str])| Key {
        row: Row { name, kinds: &[], default: Default::Value("\"auto\""), meaning: "its algorithm" },
        form: Named(names),
    };
    CATALOGUE.iter().map(key).collect()
});

/// A key for each collective of the catalogue.
pub(crate) static KEYS: LazyLock<Table> = LazyLock::new(|| {
    let keys: Vec<&dyn AnyKey> = ALGORITHMS.iter().map(|key| key as &dyn AnyKey).collect();
    Table { name: "collectives", keys: keys.leak() }
});

/// The algorithm of each collective, by the names of [`weir_message::collective::choice::CATALOGUE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectivesSection {
    /// Collective and algorithm, in the order of the catalogue.
    pub algorithms: Vec<(&'static str, &'static str)>,
}

impl CollectivesSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let algorithms = ALGORITHMS.iter().map(|key| (key.name, section.get_or_default(key)));
        Self { algorithms: algorithms.collect() }
    }

    /// The algorithm of the collective with this key.
    ///
    /// # Panics
    /// When there is no such collective.
    pub(crate) fn algorithm_mut(&mut self, collective: &str) -> &mut &'static str {
        let found = self.algorithms.iter_mut().find(|(key, _)| *key == collective);
        &mut found.expect("the catalogue has every collective").1
    }

    pub(crate) fn resolved(&self) -> Value {
        let pairs = self.algorithms.iter();
        Value::Object(pairs.map(|&(key, name)| (key.to_owned(), json!(name))).collect::<Map<_, _>>())
    }
}
