//! The results folder of a run that goes on: one run writes into it, and nothing that is not of weir is removed.
//!
//! The lock is the operating system's, on the folder itself: it ends with the process, however that ends, and leaves no
//! file. Where the file system knows no such locks (some network file systems), the run goes on without; tables of two
//! runs are still distinguished, because each says which run it is of.

use crate::error::{RecordError, Result};
use serde_json::Value;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_columns::TableFile;

/// Every table, with the part of an experiment that has it recorded: files, then folders of parts. No other one can be written.
pub const TABLES: [(&str, &str); 11] = [
    ("places", "a [topology] in the experiment"),
    ("links", "a [topology] in the experiment"),
    ("latencies", "every run with --out"),
    ("causes", "output.causes = true"),
    ("pairs", "output.pairs = true"),
    ("series/links", "output.sample_interval = \"10 us\""),
    ("series/buffers", "output.sample_interval = \"10 us\" and engine.kind = \"packet\""),
    ("series/latencies", "output.sample_interval = \"10 us\""),
    ("packets", "[output.packets] and engine.kind = \"packet\""),
    ("messages", "output.messages = true"),
    ("calls", "output.calls = true"),
];

fn files() -> impl Iterator<Item = &'static str> {
    TABLES[..5].iter().map(|(name, _)| *name)
}

fn parted() -> impl Iterator<Item = &'static str> {
    TABLES[5..].iter().map(|(name, _)| *name)
}

/// The number of a complete part.
fn part_number(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?.strip_suffix(".parquet")?;
    name.parse().ok().filter(|_| name.len() >= 5)
}

/// Facts of a run that are known when it begins.
pub(crate) const BEGUN: &str = "begun.json";
/// The trace, and where it is until it is whole.
pub(crate) const TRACE: &str = "trace.perfetto";
pub(crate) const PARTIAL_TRACE: &str = "trace.perfetto.partial";
/// The note in a table that says the version of its names and meanings.
pub(crate) const VERSION_KEY: &str = "weir.schema";
/// Says what is in a checkpoint.
pub(crate) const ABOUT: &str = "checkpoint.json";
/// The state of a checkpoint, by turns.
pub(crate) const STATES: [&str; 2] = ["checkpoint-0.state", "checkpoint-1.state"];
/// First bytes of a state.
pub(crate) const MAGIC: &[u8] = b"weir state 1\n";

/// Most files in the way that are named.
const MOST_NAMED: usize = 20;

/// A folder into which one run writes, until it is dropped.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    run: Arc<str>,
    /// Locked as long as the run goes on.
    _lock: Arc<File>,
}

impl RunFolder {
    /// Begins a results folder: makes it, and removes what an earlier run has left of the files that weir writes. As long
    /// as there is no `summary.json` the folder is not whole. `run` is what its tables and its summary call the run.
    ///
    /// # Errors
    /// When it cannot be made, when another run writes into it, when there is something of another origin in the place of
    /// a file that weir writes, or what is in it cannot be removed.
    pub fn begin(path: &Path, run: &str) -> Result<Self> {
        Self::open(path, run, |_| false)
    }

    /// The same as [`Self::begin`] for a run that goes on from the checkpoint in it, which stays.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    pub fn go_on(path: &Path, run: &str) -> Result<Self> {
        let checkpoint = [ABOUT].into_iter().chain(STATES);
        let kept: Vec<PathBuf> = checkpoint.map(|name| path.join(name)).collect();
        Self::open(path, run, |path| kept.iter().any(|kept| kept == path))
    }

    fn open(path: &Path, run: &str, stays: impl Fn(&Path) -> bool) -> Result<Self> {
        let unmade = |source| RecordError::Folder { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(unmade)?;
        let lock = File::open(path).map_err(unmade)?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(RecordError::Busy(path.to_owned()));
        }
        let Earlier { left, strange } = Earlier::in_folder(path)?;
        if !strange.is_empty() {
            return Err(RecordError::Strange { path: path.to_owned(), what: strange });
        }
        for path in left.into_iter().filter(|path| !stays(path)) {
            if let Err(source) = fs::remove_file(&path)
                && source.kind() != io::ErrorKind::NotFound
            {
                return Err(RecordError::File { path, source });
            }
        }
        for table in parted() {
            // It stays if somebody has put something else into it.
            let _ = fs::remove_dir(path.join(table));
        }
        Ok(Self { path: path.to_owned(), run: run.into(), _lock: Arc::new(lock) })
    }

    /// Returns whether a folder has the results of a run that has ended, which [`Self::begin`] would remove.
    pub fn has_results(path: &Path) -> bool {
        let summary = path.join("summary.json");
        summary.is_file() && why_strange(&summary).is_none()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Name of the run in its tables and its summary.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns whether weir writes, and so removes, a file of this path when it begins the folder.
    pub fn is_written(folder: &Path, file: &Path) -> bool {
        let Ok(inside) = file.strip_prefix(folder) else { return false };
        let parted = parted().any(|name| inside.parent() == Some(Path::new(name)));
        parted && part_number(file).is_some() || names().any(|name| inside == Path::new(&name))
    }
}

/// Files at the top of a folder.
fn names() -> impl Iterator<Item = String> {
    let tables = files().map(|name| format!("{name}.parquet"));
    OTHERS.into_iter().map(str::to_owned).chain(tables)
}

/// The page that `weir report` makes of these results, so it goes with them.
const REPORT: &str = "report.html";
/// Bytes near the beginning of a page of weir.
const PAGE: &[u8] = b"<meta name=\"generator\" content=\"weir";

fn is_page(path: &Path) -> bool {
    let mut begins = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut begins));
    let is_file = fs::symlink_metadata(path).is_ok_and(|there| there.is_file());
    is_file && read.is_ok() && begins.windows(PAGE.len()).any(|window| window == PAGE)
}

const OTHERS: [&str; 7] = ["summary.json", BEGUN, TRACE, PARTIAL_TRACE, ABOUT, STATES[0], STATES[1]];

/// Files in a folder before a run begins, in the places of its own files.
#[derive(Default)]
struct Earlier {
    /// Files of an earlier run.
    left: Vec<PathBuf>,
    /// Files of another origin: path and description.
    strange: Vec<String>,
}

impl Earlier {
    fn in_folder(folder: &Path) -> Result<Self> {
        let mut found = Self::default();
        for name in names().filter(|name| name != TRACE) {
            found.look_at(folder.join(name));
        }
        let is_strange = |place: &&Path| fs::symlink_metadata(place).is_ok_and(|there| !there.is_dir());
        for table in parted() {
            let path = folder.join(table);
            let series = path.parent().filter(|&parent| parent != folder);
            if let Some(place) = series.into_iter().chain([path.as_path()]).find(is_strange) {
                found.note(place, "is no folder, or a symbolic link");
                continue;
            }
            let Ok(entries) = fs::read_dir(&path) else { continue };
            let files = entries.collect::<Result<Vec<_>, _>>();
            let files = files.map_err(|source| RecordError::Folder { path: path.clone(), source })?;
            for path in files.iter().map(fs::DirEntry::path).filter(|path| is_part(path)) {
                found.look_at(path);
            }
        }
        let trace = folder.join(TRACE);
        if fs::symlink_metadata(&trace).is_ok() && found.left.is_empty() {
            found.note(&trace, "is beside nothing that weir has written");
        } else {
            found.look_at(trace);
        }
        // A page of another origin is no output of a run: it stays.
        found.left.extend(Some(folder.join(REPORT)).filter(|page| is_page(page)));
        found.strange.dedup();
        Ok(found)
    }

    fn look_at(&mut self, path: PathBuf) {
        let Ok(there) = fs::symlink_metadata(&path) else { return };
        if !there.is_file() {
            return self.note(&path, "is no ordinary file");
        }
        match why_strange(&path) {
            None => self.left.push(path),
            Some(why) => self.note(&path, why),
        }
    }

    fn note(&mut self, path: &Path, what: &str) {
        match self.strange.len() {
            0..MOST_NAMED => self.strange.push(format!("{} {what}", path.display())),
            MOST_NAMED => self.strange.push("...".to_owned()),
            _ => {}
        }
    }
}

/// Returns whether a file in the folder of a table is a part, or one that has not been completed.
fn is_part(path: &Path) -> bool {
    let partial = path.extension().is_some_and(|extension| extension == "partial");
    part_number(path).is_some() || partial && part_number(&path.with_extension("")).is_some()
}

/// Why weir has not written a file that has the name of one of its own.
fn why_strange(path: &Path) -> Option<&'static str> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name.ends_with(".parquet") {
        let is_table = TableFile::open(path).is_ok_and(|table| table.notes().contains_key(VERSION_KEY));
        return (!is_table).then_some("is no table of weir");
    }
    if name.ends_with(".json") {
        let read = fs::read(path).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        let is_summary = read.is_some_and(|object| object.get("weir_version").is_some());
        return (!is_summary).then_some("is no summary of weir");
    }
    if name.ends_with(".state") {
        let mut begins = vec![0; MAGIC.len()];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut begins));
        return (read.is_err() || begins != MAGIC).then_some("is no state of a run");
    }
    // A trace; a part or a trace that was not completed.
    None
}
