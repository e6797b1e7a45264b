//! A results folder: looking whether one is whole.

use crate::rows::{BufferInterval, Call, LatencyInterval, LinkInterval, Message, Packet};
use crate::table::{RUN_KEY, TABLE_VERSION, VERSION_KEY};
use crate::{Begun, SCHEMA_VERSION};
use serde_json::Value;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use weir_columns::Row;

/// Every table, with the part of an experiment that has it recorded: files, then folders of parts. No other one can be written.
pub const TABLES: [(&str, &str); 11] = [
    ("places", "a [topology] in the experiment"),
    ("links", "a [topology] in the experiment"),
    ("latencies", "every run with --out"),
    ("causes", "output.causes = true"),
    ("pairs", "output.pairs = true"),
    (LinkInterval::TABLE, "output.sample_interval = \"10 us\""),
    (BufferInterval::TABLE, "output.sample_interval = \"10 us\" and engine.kind = \"packet\""),
    (LatencyInterval::TABLE, "output.sample_interval = \"10 us\""),
    (Packet::TABLE, "[output.packets] and engine.kind = \"packet\""),
    (Message::TABLE, "output.messages = true"),
    (Call::TABLE, "output.calls = true"),
];

pub(crate) fn files() -> impl Iterator<Item = &'static str> {
    TABLES[..5].iter().map(|(name, _)| *name)
}

pub(crate) fn parted() -> impl Iterator<Item = &'static str> {
    TABLES[5..].iter().map(|(name, _)| *name)
}

/// The number of a complete part.
pub(crate) fn part_number(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?.strip_suffix(".parquet")?;
    name.parse().ok().filter(|_| name.len() >= 5)
}

/// A results folder that is whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// Contents of `summary.json`.
    pub summary: Value,
}

/// Why a folder cannot be read as results.
#[derive(Debug)]
#[non_exhaustive]
pub enum FolderError {
    /// It is not there, or not a folder, or nothing in it is of weir.
    NotResults {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The run that wrote it has not come to its end, or something was removed.
    Incomplete {
        /// The folder.
        path: PathBuf,
        /// Description of the part that is missing.
        missing: String,
    },
    /// A newer weir wrote it.
    Newer {
        /// The file that says so.
        path: PathBuf,
        /// The version that it has.
        version: String,
        /// The version that this weir knows.
        known: String,
    },
    /// A file cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Description of the mistake.
        why: String,
    },
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotResults { path } => {
                write!(f, "{} is not a results folder: there is no summary.json in it", path.display())?;
                write!(f, "\n\nhint: weir run EXPERIMENT --out FOLDER writes one")
            }
            Self::Incomplete { path, missing } => {
                write!(f, "{} is not complete: {missing}", path.display())?;
                write!(
                    f,
                    "\n\nhint: the run may still go on, or it was ended by force; complete parts can be read"
                )
            }
            Self::Newer { path, version, known } => {
                write!(
                    f,
                    "{} has version {version}, newer than {known}, which this weir knows",
                    path.display()
                )?;
                write!(f, "\n\nhint: read it with the weir that wrote it, or a newer one")
            }
            Self::Unreadable { path, why } => write!(f, "{} cannot be read: {why}", path.display()),
        }
    }
}

impl std::error::Error for FolderError {}

impl Folder {
    /// Looks whether a folder has results that are whole: a summary of a version that is known, every table that it names,
    /// and of tables in parts all parts without a gap. Reads the summary and the ends of the tables, not the rows.
    ///
    /// # Errors
    /// Says why it has not.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let summary = read_summary(path)?;
        let folder = Self { path: path.to_owned(), summary };
        let names = folder.summary.get("tables").and_then(Value::as_array);
        for name in names.into_iter().flatten().filter_map(Value::as_str) {
            for file in folder.files_of(name)? {
                check_table(&file, folder.summary.get("run").and_then(Value::as_str))?;
            }
        }
        Ok(folder)
    }

    /// The files of a table, in their order.
    ///
    /// # Errors
    /// When one is missing.
    pub fn files_of(&self, table: &str) -> Result<Vec<PathBuf>, FolderError> {
        let incomplete = |missing| Err(FolderError::Incomplete { path: self.path.clone(), missing });
        let file = self.path.join(format!("{table}.parquet"));
        if file.is_file() {
            return Ok(vec![file]);
        }
        let folder = self.path.join(table);
        let Ok(entries) = fs::read_dir(&folder) else {
            return incomplete(format!("the table {table} is missing"));
        };
        let mut parts: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        parts.retain(|path| part_number(path).is_some());
        parts.sort_by_key(|path| part_number(path));
        let gap = (0..).zip(&parts).find(|(number, path)| part_number(path) != Some(*number));
        match (gap, parts.is_empty()) {
            (Some((number, _)), _) => incomplete(format!("part {number:05} of the table {table} is missing")),
            (None, true) => incomplete(format!("the table {table} is missing")),
            (None, false) => Ok(parts),
        }
    }
}

fn read_summary(folder: &Path) -> Result<Value, FolderError> {
    let path = folder.join("summary.json");
    let unreadable = |why: String| FolderError::Unreadable { path: path.clone(), why };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(_) if is_begun(folder) => {
            let missing = "there are tables, and no summary.json".to_owned();
            return Err(FolderError::Incomplete { path: folder.to_owned(), missing });
        }
        Err(_) if folder.join(Begun::FILE).exists() => {
            let missing = format!("there is {}, and no summary.json", Begun::FILE);
            return Err(FolderError::Incomplete { path: folder.to_owned(), missing });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound || !folder.is_dir() => {
            return Err(FolderError::NotResults { path: folder.to_owned() });
        }
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let summary: Value = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
    match summary.get("schema_version").and_then(Value::as_u64) {
        None => Err(unreadable("it has no schema_version: not a summary of weir".into())),
        Some(version) if version > u64::from(SCHEMA_VERSION) => {
            Err(FolderError::Newer { path, version: version.to_string(), known: SCHEMA_VERSION.to_string() })
        }
        Some(_) => Ok(summary),
    }
}

/// Returns whether there is something that only a run leaves.
fn is_begun(folder: &Path) -> bool {
    let files = files().map(|name| folder.join(format!("{name}.parquet")));
    files.chain(parted().map(|name| folder.join(name))).any(|path| path.exists())
}

/// Checks that a table ends as one, in a version that is known, and is of the run of the summary, if that says which.
fn check_table(path: &Path, run: Option<&str>) -> Result<(), FolderError> {
    let unreadable = |why: String| FolderError::Unreadable { path: path.to_owned(), why };
    let found = crate::table::notes_of(path).map_err(unreadable)?;
    let version = found.get(VERSION_KEY);
    let version =
        version.ok_or_else(|| unreadable("its metadata have no weir.schema: not a table of weir".into()))?;
    if !version.parse::<u32>().is_ok_and(|version| version <= 1) {
        let (version, known) = (version.clone(), TABLE_VERSION.into());
        return Err(FolderError::Newer { path: path.to_owned(), version, known });
    }
    if run.is_some_and(|run| found.get(RUN_KEY).is_none_or(|other| other != run)) {
        return Err(unreadable("it is a table of another run than summary.json".into()));
    }
    Ok(())
}
