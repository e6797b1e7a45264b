//! Tables of patterns, profiles and graphs of work: their metadata say the same, and those of programs must have all their columns.

use crate::collector::{MOST_RANKS, ranks_in};
use crate::lines::versions_text;
use crate::{MistakePlace, Mistakes, quantity};
use parquet::file::reader::FileReader;
use parquet::schema::types::Type;
use std::collections::BTreeMap;
use weir_columns::{Row, TableFile};

const RANKS_KEY: &str = "weir.ranks";
const TITLE_KEY: &str = "weir.title";
const COMMUNICATORS_KEY: &str = "weir.communicators";

/// The key of the version in the metadata of each kind of table that weir reads, and what such a table is.
const KINDS: [(&str, &str); 3] =
    [("weir.pattern", "a pattern"), ("weir.profile", "a profile"), ("weir.graph", "a graph of work")];

/// The kind of table that the metadata name, if they do not have the key of the version that is expected.
pub(crate) fn other_kind(notes: &BTreeMap<String, String>, expected: &str) -> Option<&'static str> {
    let of_key = |&&(key, _): &&(&str, &str)| !notes.contains_key(expected) && notes.contains_key(key);
    KINDS.iter().find(of_key).map(|(_, what)| *what)
}

/// A form of tables.
pub(crate) struct Form {
    /// The words for such a table, as in `a profile`.
    pub(crate) what: &'static str,
    /// The key of the version in the metadata.
    pub(crate) version: &'static str,
    /// The versions that are read; the first is the one that is written.
    pub(crate) versions: &'static [&'static str],
    /// The key of the number of rows.
    pub(crate) rows: &'static str,
    /// The page about it.
    pub(crate) page: &'static str,
    /// The way in which others who write such tables add the metadata, if they may.
    pub(crate) hint: Option<&'static str>,
}

/// The values in the metadata of a table.
#[derive(Default)]
pub(crate) struct Notes {
    /// The number of ranks, if it can be so many.
    pub(crate) ranks: Option<u32>,
    pub(crate) rows: Option<u64>,
    pub(crate) title: String,
    /// A line for each communicator.
    pub(crate) communicators: String,
    /// The table is of another kind, and its rows say nothing here.
    pub(crate) is_other: bool,
}

impl Form {
    /// The metadata with which such a file begins.
    pub(crate) fn begin(&self, ranks: usize, title: String) -> [(&str, String); 3] {
        [(self.version, self.versions[0].to_owned()), (RANKS_KEY, ranks.to_string()), (TITLE_KEY, title)]
    }

    /// Those that stand behind its rows.
    pub(crate) fn end(&self, communicators: String, rows: u64) -> [(&str, String); 2] {
        [(COMMUNICATORS_KEY, communicators), (self.rows, rows.to_string())]
    }

    /// Reads the metadata of a table; `report` gets what is wrong with them.
    pub(crate) fn notes(&self, table: &TableFile, report: &mut dyn FnMut(String)) -> Notes {
        let notes = table.notes();
        let value = |key| notes.get(key).map(String::as_str);
        let other = other_kind(&notes, self.version);
        let missing = |key| self.hint.map(|hint| format!("the metadata of the file have no {key}; {hint}"));
        match value(self.version) {
            Some(version) if self.versions.contains(&version) => {}
            Some(version) => report(format!(
                "{} = {version:?} must be {}: weir knows no other version",
                self.version,
                versions_text(self.versions)
            )),
            None => report(missing(self.version).unwrap_or_else(|| {
                let but = other.map_or_else(String::new, |what| format!(", but {what}"));
                let (version, what) = (self.version, self.what);
                format!("the metadata of the file have no {version}: it is not {what} of weir{but}")
            })),
        }
        let text = value(RANKS_KEY);
        let ranks = text.and_then(ranks_in);
        if ranks.is_none() {
            let what = missing(RANKS_KEY).filter(|_| text.is_none()).unwrap_or_else(|| {
                let text = text.unwrap_or_default();
                format!("{RANKS_KEY} = {text:?} must be a whole number from 1 to {MOST_RANKS}")
            });
            report(what);
        }
        Notes {
            ranks,
            rows: value(self.rows).and_then(quantity::whole),
            title: value(TITLE_KEY).unwrap_or_default().to_owned(),
            communicators: value(COMMUNICATORS_KEY).unwrap_or_default().to_owned(),
            is_other: other.is_some(),
        }
    }

    /// Returns whether the columns are those of the rows, in any order of names; `report` gets what is wrong with them.
    pub(crate) fn fits<R: Row>(&self, table: &TableFile, report: &mut dyn FnMut(String)) -> bool {
        let ours = R::schema().expect("the schema is written above");
        let found = table.0.metadata().file_metadata().schema();
        let describe = |field: &Type| match field.is_primitive() {
            true => format!("{:?}", field.get_physical_type()),
            false => "a list of INT64".to_owned(),
        };
        let mut fits = true;
        for (place, field) in ours.get_fields().iter().enumerate() {
            if found.get_fields().get(place).is_none_or(|other| other != field) {
                fits = false;
                report(format!(
                    "column {place} must be {}, {}: see docs/reference/{}.md",
                    field.name(),
                    describe(field),
                    self.page
                ));
            }
        }
        fits
    }

    /// Compares the number of rows with the one that the metadata name, if they do.
    pub(crate) fn count(&self, notes: &Notes, rows: u64, report: &mut dyn FnMut(String)) {
        if let Some(said) = notes.rows.filter(|&said| said != rows) {
            report(format!("{} = {said}, but there are {rows} rows", self.rows));
        }
    }
}

/// Adds mistakes that are those of the whole file.
pub(crate) fn of_file(mistakes: &mut Mistakes) -> impl FnMut(String) {
    |what| mistakes.add(MistakePlace::File, "", what)
}

/// The key of a communicator in a mistake about it.
pub(crate) fn communicator_text(line: &str) -> String {
    format!("{COMMUNICATORS_KEY}: {line}")
}

/// The mistake of more ranks than rows, where each has some.
pub(crate) fn too_many_ranks(ranks: u32) -> String {
    format!("{RANKS_KEY} = {ranks}: every rank has events, and there are fewer rows")
}
