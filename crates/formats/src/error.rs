//! Why a pattern file or a profile cannot be used.

use std::borrow::Cow;
use std::fmt;
use weir_units::visible;

/// Why a pattern file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The name ends neither in `.pattern` nor in `.parquet`.
    #[error("the name of a pattern file ends in .pattern or .parquet")]
    UnknownFormat,
    /// It cannot be read; says why.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It has mistakes.
    #[error("{0}")]
    Mistakes(Mistakes),
}

/// A mistake in a pattern file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where it is.
    pub place: MistakePlace,
    /// The text there, as written; empty if there is nothing to show.
    pub text: String,
    /// A sentence about it, with what was expected.
    pub what: String,
}

/// Where a mistake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MistakePlace {
    /// In the file as a whole.
    File,
    /// In a line, from 1.
    Line(u64),
    /// In a row of the table, from 0.
    Row(u64),
}

impl fmt::Display for MistakePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => write!(f, "file"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// The mistakes in a pattern file, sorted by place; only the first [`Mistakes::MOST`] that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mistakes {
    list: Vec<Mistake>,
    more: u64,
}

impl Mistakes {
    /// The most that are listed.
    pub const MOST: usize = 20;

    /// Those that are listed.
    pub fn list(&self) -> &[Mistake] {
        &self.list
    }

    /// Number of mistakes that are not listed.
    pub fn more(&self) -> u64 {
        self.more
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn add(&mut self, place: MistakePlace, text: &str, what: impl Into<String>) {
        if self.list.len() < Self::MOST {
            self.list.push(Mistake { place, text: text.to_owned(), what: what.into() });
        } else {
            self.more += 1;
        }
    }

    pub(crate) fn sorted(mut self) -> Self {
        self.list.sort_by_key(|mistake| mistake.place);
        self
    }
}

/// The part that is shown of a text of the file, or of a sentence with a word of it.
fn cut(text: &str) -> Cow<'_, str> {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => Cow::Owned(format!("{}... ({} bytes)", visible(&text[..end]), text.len())),
        None => visible(text),
    }
}

impl fmt::Display for Mistakes {
    /// One line per mistake.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Mistake { place, text, what }) in self.list.iter().enumerate() {
            let line_break = if i == 0 { "" } else { "\n" };
            let text = if text.is_empty() { String::new() } else { format!("{}: ", cut(text)) };
            write!(f, "{line_break}{place}: {text}{}", cut(what))?;
        }
        if self.more > 0 { write!(f, "\nand {} more mistakes", self.more) } else { Ok(()) }
    }
}
