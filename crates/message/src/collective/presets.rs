//! Tables of MPI libraries, which decide for `auto`, and their names of algorithms. They are files, one for each library, in the form of
//! `[[selection]]` of an experiment.

mod names;

use super::choice::Named;
use super::parameters::Parameters;
use super::selection::{Condition, ElementCount, FromTo, Row};
pub use names::{Known, Meaning, Name, NameError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;
use toml::Value;

/// A library whose decisions `auto` takes, and whose names of algorithms come before those of the catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preset {
    /// MPICH.
    #[default]
    Mpich,
    /// Open MPI.
    OpenMpi,
    /// Fujitsu MPI on Fugaku, with stand-ins for the algorithms that are not published.
    Fujitsu,
}

impl Preset {
    /// All of them by their names in an experiment file.
    pub const ALL: [(&str, Self); 3] =
        [("mpich", Self::Mpich), ("open-mpi", Self::OpenMpi), ("fujitsu", Self::Fujitsu)];

    /// Its name in an experiment file.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// Its file: `selection` has the table, as an experiment may have it where no library is chosen, and `names` the library's names of
    /// algorithms.
    #[must_use]
    pub const fn file(self) -> &'static str {
        match self {
            Self::Mpich => include_str!("presets/mpich.toml"),
            Self::OpenMpi => include_str!("presets/open-mpi.toml"),
            Self::Fujitsu => include_str!("presets/fujitsu.toml"),
        }
    }

    /// The rows for the collective with this key, in the order of the file; one of them fits every call.
    #[must_use]
    pub fn rows(self, collective: &str) -> &'static [Row<Named>] {
        self.tables().rows.get(collective).map_or(&[], Vec::as_slice)
    }

    fn tables(self) -> &'static Tables {
        static TABLES: [LazyLock<Tables>; 3] = [
            LazyLock::new(|| Tables::read(Preset::Mpich)),
            LazyLock::new(|| Tables::read(Preset::OpenMpi)),
            LazyLock::new(|| Tables::read(Preset::Fujitsu)),
        ];
        &TABLES[self as usize]
    }
}

struct Tables {
    rows: BTreeMap<&'static str, Vec<Row<Named>>>,
    names: Vec<Name>,
}

impl Tables {
    fn read(preset: Preset) -> Self {
        let file: File = toml::from_str(preset.file()).expect("the files of presets have this form");
        let mut tables = Self { rows: BTreeMap::new(), names: Vec::new() };
        for item in &file.selection {
            let row = item.row();
            tables.rows.entry(row.algorithm.collective()).or_default().push(row);
        }
        for item in file.names {
            tables.add_name(item);
        }
        tables
    }

    /// Adds a name, or to the name before it another row.
    fn add_name(&mut self, item: Item) {
        let row = item.algorithm.is_some().then(|| item.row());
        let Item { collective, name, unpublished, .. } = item;
        // A file is read once.
        let names: Vec<&'static str> = name.unwrap_or_default().leak().split(" | ").collect();
        let last = self.names.last_mut().filter(|last| last.names == names && last.collective == collective);
        match (row, last.map(|last| &mut last.meaning)) {
            (Some(row), Some(Meaning::Rows(rows))) => rows.push(row),
            (row, _) => {
                let unpublished = || Meaning::Unpublished(unpublished.unwrap_or_default().leak());
                let meaning = row.map_or_else(unpublished, |row| Meaning::Rows(vec![row]));
                self.names.push(Name { collective: collective.leak(), names, meaning });
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    selection: Vec<Item>,
    #[serde(default)]
    names: Vec<Item>,
}

/// A row of the table, or a name with one of its rows or with the library that has not published it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    collective: String,
    name: Option<String>,
    unpublished: Option<String>,
    algorithm: Option<String>,
    ranks: Option<[Value; 2]>,
    bytes: Option<[Value; 2]>,
    bytes_per_rank: Option<[Value; 2]>,
    power_of_two: Option<bool>,
    commutes: Option<bool>,
    elements: Option<ElementCount>,
    segment_size: Option<Value>,
    fan_out: Option<NonZeroU32>,
}

impl Item {
    fn row(&self) -> Row<Named> {
        let name = self.algorithm.as_deref().unwrap_or_default();
        let range = |range: &Option<[Value; 2]>, least: u64| {
            let [from, to] = range.as_ref()?;
            Some(FromTo { from: number(from).unwrap_or(least), to: number(to).unwrap_or(u64::MAX) })
        };
        let when = Condition {
            ranks: range(&self.ranks, 1),
            bytes: range(&self.bytes, 0),
            bytes_per_rank: range(&self.bytes_per_rank, 0),
            power_of_two: self.power_of_two,
            commutes: self.commutes,
            few: self.elements,
        };
        let segment = self.segment_size.as_ref().and_then(number);
        let segment = segment.and_then(|bytes| NonZeroU32::new(u32::try_from(bytes).ok()?));
        Row {
            when,
            algorithm: Named::new(&self.collective, name)
                .expect("the files name algorithms of the catalogue"),
            parameters: Parameters { segment, fan_out: self.fan_out, ..Parameters::default() },
        }
    }
}

/// A number of ranks or of bytes; `None` for `"any"`.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        Value::String(text) => weir_units::parse::bytes(text).ok().map(|bytes| bytes.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
