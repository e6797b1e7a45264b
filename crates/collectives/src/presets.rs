//! Tables of MPI libraries, which decide for `auto`, and their names of algorithms. They are files, one for each library, in the form of
//! `[[selection]]` of an experiment. A name that a library shares with the catalog may mean another algorithm there, or the same with
//! parameters of its own, or one algorithm for some calls and another for the rest.

use super::choice::{ALIASES, CATALOG, Named, Parameter, Parameters};
use super::selection::{Condition, ElementCount, FromTo, Row};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;
use toml::Value;

/// A library whose decisions `auto` takes, and whose names of algorithms come before those of the catalog.
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
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// Its file: `selection` has the table, as an experiment may have it where no library is chosen, and `names` the library's names of
    /// algorithms.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Mpich => include_str!("presets/mpich.toml"),
            Self::OpenMpi => include_str!("presets/open-mpi.toml"),
            Self::Fujitsu => include_str!("presets/fujitsu.toml"),
        }
    }

    /// The rows for the collective with this key, in the order of the file; one of them fits every call.
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
            algorithm: Named::new(&self.collective, name).expect("the files name algorithms of the catalog"),
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

/// A name of a library for an algorithm of a collective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The key of the collective.
    pub collective: &'static str,
    /// The name there, with hyphens, behind which others may follow that mean the same.
    pub names: Vec<&'static str>,
    /// Its meaning.
    pub meaning: Meaning,
}

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Algorithms of the catalog: of the rows the first that fits a call; the last fits every call.
    Rows(Vec<Row<Named>>),
    /// An algorithm of the library with this name whose steps are not published.
    Unpublished(&'static str),
}

/// The meaning of a name that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRows {
    /// The name as it stands in the table of the library, or in the catalog.
    pub name: &'static str,
    /// Its rows, as in [`Meaning::Rows`].
    pub rows: Vec<Row<Named>>,
}

/// Why a name stands for nothing that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// No library has it, nor has the catalog.
    Unknown,
    /// Libraries have it whose names do not count: their presets.
    OfOthers(Vec<&'static str>),
    /// The library with this name has it, but its steps are not published.
    Unpublished(&'static str),
}

impl Name {
    /// Its rows if all are of this algorithm.
    fn rows_of_only(&self, named: Named) -> Option<Vec<Row<Named>>> {
        let Meaning::Rows(rows) = &self.meaning else { return None };
        rows.iter().all(|row| row.algorithm == named).then(|| rows.clone())
    }
}

impl Preset {
    /// The names of the library; none where they are those of the catalog.
    pub fn names(self) -> &'static [Name] {
        &self.tables().names
    }

    /// The meaning of a name that is written for an algorithm of the collective with this key: that of the library,
    /// or else that of the catalog; there may be underscores for hyphens. Parameters that the library has for an
    /// algorithm hold under all names of the algorithm.
    ///
    /// # Errors
    /// When it stands for nothing that can be run.
    pub fn known(self, collective: &str, name: &str) -> Result<NamedRows, NameError> {
        let name = match name.replace('_', "-") {
            // What measurements call the library's own choice.
            name if name == "default" && self != Self::Mpich => "auto".to_owned(),
            name => name,
        };
        if let Some(there) = self.there(collective, &name) {
            return match &there.meaning {
                Meaning::Rows(rows) => Ok(NamedRows { name: there.names[0], rows: rows.clone() }),
                Meaning::Unpublished(library) => Err(NameError::Unpublished(library)),
            };
        }
        let named = Named::new(collective, &name).ok_or_else(|| self.of_others(collective, &name))?;
        let here = named.algorithm().name;
        let rows = self.there(collective, here).and_then(|there| there.rows_of_only(named));
        Ok(NamedRows { name: here, rows: rows.unwrap_or_else(|| vec![Row::always(named)]) })
    }

    fn there(self, collective: &str, name: &str) -> Option<&'static Name> {
        self.names().iter().find(|known| known.collective == collective && known.names.contains(&name))
    }

    fn of_others(self, collective: &str, name: &str) -> NameError {
        let others =
            Self::ALL.iter().filter_map(|&(preset, other)| Some((preset, other.there(collective, name)?)));
        let mut presets = Vec::new();
        for (preset, there) in others {
            match there.meaning {
                Meaning::Unpublished(library) => return NameError::Unpublished(library),
                Meaning::Rows(_) => presets.push(preset),
            }
        }
        if presets.is_empty() { NameError::Unknown } else { NameError::OfOthers(presets) }
    }

    /// A name that stands for the algorithm where this preset holds, and for no other: that of the catalog, if the library
    /// calls nothing else so.
    ///
    /// # Panics
    /// When an algorithm has no such name; the tests go over all.
    pub fn name_of(self, named: Named) -> &'static str {
        let (collective, here) = (named.collective(), named.algorithm().name);
        let others = ALIASES.iter().filter(|(key, _, name)| (*key, *name) == (collective, here));
        let mut names = std::iter::once(here).chain(others.map(|&(_, alias, _)| alias));
        // Of several rows, those before the last are for calls that the algorithm hands to another.
        let stands_for_it = |name: &&str| {
            let known = self.known(collective, name);
            known.is_ok_and(|known| known.rows.last().is_some_and(|row| row.algorithm == named))
        };
        names.find(stands_for_it).expect("every algorithm has a name with every preset")
    }

    /// Names of all that can be run of a collective with this preset, each algorithm once: those of the library, then those
    /// of the catalog for what the library does not have.
    pub fn names_of(self, collective: &str) -> Vec<&'static str> {
        let there = self.names().iter().filter(|name| name.collective == collective);
        let published = there.filter(|name| matches!(name.meaning, Meaning::Rows(_)));
        let mut names: Vec<&'static str> = published.map(|name| name.names[0]).collect();
        let here = CATALOG.iter().filter(|(key, _)| *key == collective).flat_map(|(_, names)| *names);
        let here = here.filter_map(|name| Named::new(collective, name)).map(|named| self.name_of(named));
        let rows = |name: &str| self.known(collective, name).map(|known| known.rows);
        for name in here {
            if !names.iter().any(|there| rows(there) == rows(name)) {
                names.push(name);
            }
        }
        names
    }
}

impl NamedRows {
    /// The rows with parameters that the user has chosen in place of the library's, where the algorithm of a row uses them.
    /// Rows before the last that say the same as the last are left out.
    pub fn with(self, chosen: Parameters) -> Vec<Row<Named>> {
        let mut rows = self.rows;
        for row in &mut rows {
            let uses = |parameter| row.algorithm.algorithm().parameters.contains(&parameter);
            let of_algorithm = Parameters {
                segment: chosen.segment.filter(|_| uses(Parameter::Segment)),
                fan_out: chosen.fan_out.filter(|_| uses(Parameter::FanOut)),
                trees: chosen.trees.filter(|_| uses(Parameter::Trees)),
                rings: chosen.rings.filter(|_| uses(Parameter::Rings)),
            };
            row.parameters = of_algorithm.or(row.parameters);
        }
        let Some(last) = rows.pop() else { return rows };
        while rows
            .pop_if(|row| (row.algorithm, row.parameters) == (last.algorithm, last.parameters))
            .is_some()
        {}
        rows.push(last);
        rows
    }

    /// Returns whether an algorithm that it stands for uses the parameter.
    pub fn uses(&self, parameter: Parameter) -> bool {
        self.rows.iter().any(|row| row.algorithm.algorithm().parameters.contains(&parameter))
    }
}

impl NameError {
    /// The mistake in a name that is written for an algorithm of the collective with this key.
    pub fn what(&self, collective: &str) -> String {
        match self {
            Self::Unknown => format!("{collective} has no algorithm of this name"),
            Self::OfOthers(presets) => format!(
                "{collective} has an algorithm of this name only with collectives.preset = {}",
                presets.join(" or ")
            ),
            Self::Unpublished(library) => {
                format!("is an algorithm of {library} whose steps are not published")
            }
        }
    }
}

#[cfg(test)]
mod tests;
