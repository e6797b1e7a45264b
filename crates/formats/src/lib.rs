//! Files of workloads: communication patterns, what every rank sends and awaits, entry by entry (paper 000, section 3.4), and
//! [profiles](profile) of programs.
//!
//! Two formats hold the same: text, for people, `awk` and `diff`; Parquet, for tables. Both are described in
//! `docs/reference/pattern-files.md`. What is written is read back exactly: bytes and picoseconds are whole numbers.
//! Writing goes from entry to entry and keeps none; reading keeps the entries and nothing else.

mod collector;
mod error;
mod form;
pub mod graph;
mod lines;
pub mod profile;
mod quantity;
mod seal;
mod spool;
mod table;
mod text;

pub use collector::MOST_RANKS;
pub use error::{Mistake, MistakePlace, Mistakes, ReadError};
pub use spool::Spooled;

use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use weir_units::Rank;
use weir_workload::{Entry, Gap, Script, Sequence};

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One line per entry or event.
    Text,
    /// One row per entry or event.
    Parquet,
}

impl Format {
    /// The format that the ending of a pattern file's name stands for: `.pattern` or `.parquet`.
    pub fn of_pattern(path: &Path) -> Option<Self> {
        Self::of(path, "pattern")
    }

    /// The format that the ending of a profile's name stands for: `.profile` or `.parquet`.
    pub fn of_profile(path: &Path) -> Option<Self> {
        Self::of(path, "profile")
    }

    fn of(path: &Path, text: &str) -> Option<Self> {
        match path.extension()?.to_str()? {
            "parquet" => Some(Self::Parquet),
            ending if ending == text => Some(Self::Text),
            _ => None,
        }
    }
}

/// A pattern as read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternFile {
    /// The title; empty if the file has none.
    pub title: String,
    /// The entries of every rank.
    pub script: Script,
}

/// Counts of what has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of entries.
    pub entries: u64,
    /// Number of messages among them.
    pub messages: u64,
}

/// Reads a pattern file; the ending of its name says which format it has.
///
/// # Errors
/// When the ending is not known, when the file cannot be read, or with all mistakes in it.
pub fn read(path: &Path) -> Result<PatternFile, ReadError> {
    let format = Format::of_pattern(path).ok_or(ReadError::UnknownFormat)?;
    let file = lines::open(path)?;
    match format {
        Format::Text => text::read(BufReader::new(file)),
        Format::Parquet => table::read(file),
    }
}

/// Writes the entries of all ranks: rank by rank, each in its order. The title is one line of text.
///
/// # Errors
/// When it cannot be written.
pub fn write(form: Format, order: &dyn Sequence, title: &str, out: impl Write + Send) -> io::Result<Written> {
    let title = lines::one_line(title);
    let mut out = BufWriter::new(out);
    let written = match form {
        Format::Text => text::write(order, &title, &mut out)?,
        Format::Parquet => table::write(order, &title, &mut out)?,
    };
    out.flush()?;
    Ok(written)
}

/// All entries, rank by rank, with the rank, the number of the entry and the gap of its message.
fn entries(order: &dyn Sequence) -> impl Iterator<Item = (Rank, u64, Entry, Option<Gap>)> + '_ {
    let ranks = (0..order.ranks()).map(Rank::new);
    let entry = |rank, index| Some((rank, index, order.entry(rank, index)?, order.gap(rank, index)));
    ranks.flat_map(move |rank| (0..).map_while(move |index| entry(rank, index)))
}

impl Written {
    fn count(&mut self, entry: Entry) {
        self.entries += 1;
        self.messages += u64::from(entry.message().is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, pattern: Option<Format>, profile: Option<Format>) {
        let path = Path::new(name);
        assert_eq!((Format::of_pattern(path), Format::of_profile(path)), (pattern, profile), "{name}");
    }

    #[test]
    fn endings_stand_for_formats() {
        check("a.pattern", Some(Format::Text), None);
        check("a.profile", None, Some(Format::Text));
        check("b/a.b.parquet", Some(Format::Parquet), Some(Format::Parquet));
        check("a.csv", None, None);
        check("profile", None, None);
    }
}
