//! Text files of the input: read whole, up to a stated size, and only where there is an end.

use crate::source::nearest::nearest;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Experiment and machine files may be this large.
pub(crate) const MOST_KEYS: u64 = 64 << 20;
/// Graphs, routes and mappings may.
pub(crate) const MOST_DATA: u64 = 8 << 30;

pub(crate) struct Unreadable {
    pub(crate) line: Option<usize>,
    pub(crate) what: String,
}

/// Reads a file of at most so many bytes. Pipes are files, too; devices have no end.
pub(crate) fn read(path: &Path, most: u64) -> Result<String, Unreadable> {
    let whole = |what: String| Unreadable { line: None, what };
    let cannot = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => whole(missing(path)),
        _ => whole(format!("cannot be read: {error}")),
    };
    let file = File::open(path).map_err(cannot)?;
    let kind = file.metadata().map_err(cannot)?.file_type();
    if kind.is_char_device() || kind.is_block_device() {
        return Err(whole("is a device; a file was expected".into()));
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > most {
        return Err(whole(format!("is larger than {} MiB, the most that is read here", most >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        Unreadable { line: Some(line), what: "is not UTF-8".into() }
    })
}

/// That there is no such file, and which one may be meant: of the same folder and with the same ending, or `.toml`.
fn missing(path: &Path) -> String {
    const MOST_SEEN: usize = 10_000;
    const MOST_NAMED: usize = 6;
    let ending = path.extension().unwrap_or("toml".as_ref());
    let folder = path.parent().filter(|folder| *folder != "").unwrap_or(".".as_ref());
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(MOST_SEEN).flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| path.extension() == Some(ending));
    let mut names: Vec<String> =
        files.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)).collect();
    names.sort_unstable();
    let written = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    match nearest(&written, names.iter().map(String::as_str)) {
        Some(name) => format!("no such file; did you mean {name}?"),
        None if names.is_empty() => "no such file".to_owned(),
        None => {
            let more = if names.len() > MOST_NAMED { ", ..." } else { "" };
            names.truncate(MOST_NAMED);
            format!("no such file; there are {}{more}", names.join(", "))
        }
    }
}

impl Unreadable {
    pub(crate) fn in_words(&self) -> String {
        match self.line {
            Some(line) => format!("line {line} {}", self.what),
            None => self.what.clone(),
        }
    }
}

pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { text, starts: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect() }
    }

    pub(crate) fn of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// The line of a record of CSV that its reader found from a place on: empty lines and comments before it belong to
    /// the place.
    pub(crate) fn of_record(&self, position: Option<&csv::Position>) -> usize {
        let mut line = position.map_or(1, |position| self.of(position.byte() as usize));
        let skipped = |line: usize| {
            let start = *self.starts.get(line - 1)?;
            let rest = &self.text[start..];
            (rest.starts_with(['#', '\n', '\r'])).then_some(())
        };
        while skipped(line).is_some() {
            line += 1;
        }
        line
    }

    pub(crate) fn of_part(&self, part: &str) -> usize {
        self.of((part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_or_no_text_is_refused() {
        let words = |path: &Path, most| read(path, most).map_err(|error| error.in_words()).unwrap_err();
        assert_eq!(words(Path::new("/dev/zero"), 10), "is a device; a file was expected");
        let folder = tempfile::tempdir().unwrap();
        assert!(words(folder.path(), 10).starts_with("cannot be read"));
        let path = folder.path().join("text");
        std::fs::write(&path, b"one\ntwo\nth\xffree\n").unwrap();
        assert_eq!(words(&path, 100), "line 3 is not UTF-8");
        assert_eq!(words(&path, 3), "is larger than 0 MiB, the most that is read here");
        assert_eq!(words(&folder.path().join("torus"), 3), "no such file");
        std::fs::write(folder.path().join("torus-2d.toml"), "").unwrap();
        std::fs::write(folder.path().join("mesh.toml"), "").unwrap();
        let there = "no such file; there are mesh.toml, torus-2d.toml";
        assert_eq!(words(&folder.path().join("dragonfly"), 3), there);
        assert_eq!(
            words(&folder.path().join("torus2d.toml"), 3),
            "no such file; did you mean torus-2d.toml?"
        );
        std::fs::write(&path, "one").unwrap();
        assert_eq!(read(&path, 3).ok().as_deref(), Some("one"));
    }
}
