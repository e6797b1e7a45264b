//! The folder of a sweep: what is done stays done, whoever is killed.
//!
//! ```text
//!   points.jsonl     a line for each point as soon as it has been run; under the name of its work
//!   points.parquet   the table, when the sweep ends
//!   failures.txt     points that went wrong: why, and the command that repeats each
//!   picture.svg, picture.html
//! ```
//!
//! A point is found again by its work: its experiment with all keys, and the bytes of the files that this reads. So a sweep that is
//! begun again runs what is missing, and one with more values runs those.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const JOURNAL: &str = "points.jsonl";
/// Files that a sweep writes into its folder.
pub(super) const FILES: [&str; 5] =
    [JOURNAL, "points.parquet", "failures.txt", "picture.svg", "picture.html"];
const SCHEMA: u64 = 1;

/// A folder that belongs to this process until it ends.
pub(super) struct Folder {
    path: PathBuf,
    journal: File,
    /// The build that has written to it last.
    build: String,
    /// Results of points that were there when it was opened, by the names of their work.
    lines: BTreeMap<String, Value>,
}

impl Folder {
    /// Opens a folder, or begins it.
    ///
    /// # Errors
    /// When it is another's, damaged, or cannot be written.
    pub(super) fn open(path: &Path, build: &str) -> Result<Self, String> {
        let wrong = |what: String| format!("{}: {what}", path.display());
        let strange = path.is_dir()
            && !path.join(JOURNAL).exists()
            && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if strange {
            return Err(wrong(
                "is not empty, and no folder of a sweep\n\nhint: take another folder".to_owned(),
            ));
        }
        fs::create_dir_all(path).map_err(|error| wrong(error.to_string()))?;
        let journal = path.join(JOURNAL);
        let wrong = |what: String| format!("{}: {what}", journal.display());
        let opened = OpenOptions::new().read(true).append(true).create(true).open(&journal);
        let mut file = opened.map_err(|error| wrong(error.to_string()))?;
        if file.try_lock().is_err() {
            return Err(wrong(
                "another sweep writes here\n\nhint: wait for it, or take another folder".to_owned(),
            ));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| wrong(error.to_string()))?;
        // Whoever was killed may have left half a line.
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            let cut = file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0)));
            cut.map_err(|error| wrong(error.to_string()))?;
        }
        let mut folder =
            Self { path: path.to_owned(), journal: file, build: build.to_owned(), lines: BTreeMap::new() };
        let damaged = |number: usize| wrong(format!("line {number}: is damaged\n\nhint: remove the line"));
        for (number, line) in (1..).zip(text[..whole].split_inclusive(|&byte| byte == b'\n')) {
            let line: Value = serde_json::from_slice(line).map_err(|_| damaged(number))?;
            // A build begins the file, and may have taken it over from another one.
            if number == 1 || !line["schema"].is_null() {
                if line["schema"] != SCHEMA {
                    let hint = "take another folder, or the weir of then";
                    return Err(wrong(format!("was begun by a weir of another form\n\nhint: {hint}")));
                }
                folder.build = line["build"].as_str().ok_or_else(|| damaged(number))?.to_owned();
                continue;
            }
            let work = line["work"].as_str().ok_or_else(|| damaged(number))?.to_owned();
            folder.lines.insert(work, line);
        }
        if whole == 0 {
            folder.keep(&json!({ "schema": SCHEMA, "build": build }))?;
        }
        Ok(folder)
    }

    pub(super) fn is_of_another(&self, build: &str) -> bool {
        self.build != build
    }

    /// From now on it is of this build: the points in it are what this one would come to.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn take_over(&mut self, build: &str) -> Result<(), String> {
        build.clone_into(&mut self.build);
        self.keep(&json!({ "schema": SCHEMA, "build": build }))
    }

    /// The result of a point's work, if it is known.
    pub(super) fn line(&self, work: &str) -> Option<&Value> {
        self.lines.get(work)
    }

    /// Keeps what a point has come to, in one piece: a line is there whole, or is the last. It has the point's `work`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn keep(&mut self, line: &Value) -> Result<(), String> {
        let written = self.journal.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| format!("{}: {error}", self.path.join(JOURNAL).display()))
    }

    /// Forgets what went wrong, so that it is run again.
    pub(super) fn forget_failures(&mut self) {
        self.lines.retain(|_, line| line["why"].is_null());
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_again() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("sweep");
        let mut folder = Folder::open(&path, "b1").unwrap();
        assert!(Folder::open(&path, "b1").is_err_and(|error| error.contains("another sweep writes here")));
        folder.keep(&json!({ "work": "one", "why": null })).unwrap();
        folder.keep(&json!({ "work": "two", "why": "deadlock" })).unwrap();
        drop(folder);
        // Half a line is as good as none, and what is written next is whole.
        let journal = path.join(JOURNAL);
        let text = fs::read_to_string(&journal).unwrap();
        fs::write(&journal, format!("{text}{{\"work\": \"thr")).unwrap();
        let mut folder = Folder::open(&path, "b1").unwrap();
        assert!(folder.line("one").is_some() && folder.line("two").is_some() && folder.line("thr").is_none());
        folder.forget_failures();
        assert!(folder.line("two").is_none());
        folder.keep(&json!({ "work": "three", "why": null })).unwrap();
        drop(folder);
        let folder = Folder::open(&path, "b1").unwrap();
        assert!(folder.line("two").is_some() && folder.line("three").is_some());
        drop(folder);
        let mut folder = Folder::open(&path, "b2").unwrap();
        assert!(folder.is_of_another("b2") && !folder.is_of_another("b1"));
        folder.take_over("b2").unwrap();
        drop(folder);
        let folder = Folder::open(&path, "b1").unwrap();
        assert!(folder.is_of_another("b1") && !folder.is_of_another("b2") && folder.line("three").is_some());
        drop(folder);
        fs::write(&journal, format!("{text}nonsense\n")).unwrap();
        assert!(Folder::open(&path, "b1").is_err_and(|error| error.contains("line 4: is damaged")));
        assert!(
            Folder::open(scratch.path(), "b1").is_err_and(|error| error.contains("no folder of a sweep"))
        );
    }
}
