//! Lines of a text file.

use crate::{MistakePlace, Mistakes, ReadError};
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The longest line that is read, in bytes.
const LONGEST: u64 = 256 << 20;

/// Opens a file that has an end.
pub(crate) fn open(path: &Path) -> Result<File, ReadError> {
    let unreadable = |error: io::Error| ReadError::Unreadable(error.to_string());
    let file = File::open(path).map_err(unreadable)?;
    let kind = file.metadata().map_err(unreadable)?.file_type();
    if kind.is_char_device() || kind.is_block_device() {
        return Err(ReadError::Unreadable("a device; a file was expected".into()));
    }
    Ok(file)
}

/// A title as one line.
pub(crate) fn one_line(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Hands each line to `take`, with its number, from 1, and without the blanks around it, until `take` breaks off; `None` is
/// a line that is not UTF-8.
pub(crate) fn each(
    mut input: impl BufRead,
    mut take: impl FnMut(u64, Option<&str>) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let unreadable = |error: io::Error| ReadError::Unreadable(error.to_string());
        if input.by_ref().take(LONGEST + 1).read_until(b'\n', &mut bytes).map_err(unreadable)? == 0 {
            break;
        }
        if bytes.len() as u64 > LONGEST {
            let what = format!("line {line} has more than {} MiB, the most that is read", LONGEST >> 20);
            return Err(ReadError::Unreadable(what));
        }
        if take(line, std::str::from_utf8(&bytes).ok().map(str::trim)).is_break() {
            break;
        }
    }
    Ok(())
}

/// The part of a text file that all forms share: header, title and comments, and where the reader is.
#[derive(Debug)]
pub(crate) struct Head {
    /// The first word of the first line.
    header: &'static str,
    /// The versions that are read; the first is the one that is written.
    versions: &'static [&'static str],
    pub(crate) title: String,
    /// Number of the line, from 1.
    pub(crate) line: u64,
    has_header: bool,
    /// Set where nothing that follows can be read.
    pub(crate) is_over: bool,
}

impl Head {
    pub(crate) fn new(header: &'static str, versions: &'static [&'static str]) -> Self {
        Self { header, versions, title: String::new(), line: 0, has_header: false, is_over: false }
    }

    pub(crate) fn write(&self, ranks: usize, title: &str, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{} {}", self.header, self.versions[0])?;
        if !title.is_empty() {
            writeln!(out, "title {title}")?;
        }
        writeln!(out, "ranks {ranks}")
    }

    /// Takes in a line. Returns it without its comment, and its words, unless the file's head or nothing stands in it.
    pub(crate) fn words<'a>(
        &mut self,
        line: u64,
        text: Option<&'a str>,
        mistakes: &mut Mistakes,
    ) -> Option<(&'a str, Vec<&'a str>)> {
        self.line = line;
        let Some(text) = text else {
            mistakes.add(self.place(), "", "is not UTF-8");
            return None;
        };
        if let Some(title) = text.strip_prefix("title").filter(|rest| rest.starts_with([' ', '\t'])) {
            self.need_header(mistakes);
            title.trim().clone_into(&mut self.title);
            return None;
        }
        let text = text.split('#').next().unwrap_or_default().trim_end();
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            [] => None,
            [first, ref version @ ..] if first == self.header && !self.has_header => {
                self.has_header = true;
                if !matches!(version, [version] if self.versions.contains(version)) {
                    self.is_over = true;
                    let versions = versions_text(self.versions);
                    let what = format!("must be {first} {versions}: weir knows no other version");
                    mistakes.add(self.place(), text, what);
                }
                None
            }
            _ => {
                self.need_header(mistakes);
                Some((text, words))
            }
        }
    }

    pub(crate) fn need_header(&mut self, mistakes: &mut Mistakes) {
        if !std::mem::replace(&mut self.has_header, true) {
            let first = format!("{} {}", self.header, self.versions[0]);
            mistakes.add(self.place(), "", format!("the header is missing: the first line must be {first}"));
        }
    }

    pub(crate) fn place(&self) -> MistakePlace {
        MistakePlace::Line(self.line)
    }

    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The versions that are read, in words.
pub(crate) fn versions_text(versions: &[&str]) -> String {
    match versions {
        [only] => (*only).to_owned(),
        _ => format!("{} (or {})", versions[0], versions[1..].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_and_no_blanks_around_them() {
        let mut seen = Vec::new();
        let input: &[u8] = b" one \n\n\xff\nfour\nfive";
        let read = each(input, |line, text| {
            seen.push((line, text.map(str::to_owned)));
            if line == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(read, Ok(()));
        let texts = [Some("one"), Some(""), None, Some("four")];
        assert_eq!(seen, (1..).zip(texts.map(|text| text.map(str::to_owned))).collect::<Vec<_>>());
    }
}
