//! The files of a trace: one with the actions of all ranks, or a list of one for each rank.

use crate::reading::Reading;
use crate::sample::{self, Sample};
use crate::work;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use weir_formats::MOST_RANKS;

/// No line is longer: numbers of a collective for each rank.
const MOST_OF_A_LINE: u64 = 64 << 20;

/// Files, and the number of ranks in them.
pub(super) struct Traces {
    files: Vec<PathBuf>,
    /// A list names them; else it is the file itself.
    pub(super) is_listed: bool,
    pub(super) ranks: u32,
}

/// Where a line stands.
pub(super) struct Place<'a> {
    pub(super) line: usize,
    /// Its file, if that is one of a list.
    pub(super) file: Option<&'a Path>,
}

impl Place<'_> {
    /// A sentence about it, which names its file where a reader would take another one for it.
    pub(super) fn named(&self, what: String) -> String {
        match self.file {
            Some(file) => format!("{}:{}: {what}", file.display(), self.line),
            None => what,
        }
    }

    /// Its line in the file that was asked for; 0 where it is in another one.
    pub(super) const fn of_whole(&self) -> usize {
        if self.file.is_some() { 0 } else { self.line }
    }
}

/// Returns whether a file is a list of traces: names of files, the first of which is one.
pub(crate) fn is_list(sample: &Sample<'_>) -> bool {
    let first = sample.first();
    let name = first.split_whitespace().next().unwrap_or_default();
    !name.is_empty() && first == name && beside(sample.path(), name).is_some_and(|trace| is_trace(&trace))
}

fn is_trace(path: &Path) -> bool {
    sample::begin(path).is_some_and(|bytes| Sample::new(path, &bytes).is_actions())
}

/// A file that a list names: from the folder of the list on, or from the one above it, where SimGrid's own tests are run.
fn beside(list: &Path, name: &str) -> Option<PathBuf> {
    let folder = list.parent()?;
    let above =
        if folder.as_os_str().is_empty() { Path::new("..") } else { folder.parent().unwrap_or(folder) };
    [folder.join(name), above.join(name)].into_iter().find(|path| path.is_file())
}

impl Traces {
    pub(super) fn of(path: &Path, reading: &mut Reading) -> Option<Self> {
        let bytes = sample::begin(path).unwrap_or_default();
        if !is_list(&Sample::new(path, &bytes)) {
            let files = vec![path.to_owned()];
            let (mut last, mut lines) = (0, 0);
            work::open(path, reading)?;
            let count = |_: &Place<'_>, text: &str| {
                let rank = text.split_whitespace().next().and_then(|word| word.parse::<u32>().ok());
                lines += 1;
                last = last.max(rank.filter(|&rank| rank < MOST_RANKS).unwrap_or(0));
            };
            Self { files: files.clone(), is_listed: false, ranks: 0 }
                .each(count)
                .map_err(|(line, why)| reading.wrong(line, "", why))
                .ok()?;
            // Before there is anything of so many ranks.
            if last >= lines {
                let what = format!(
                    "a line is of rank {last}, and with {lines} lines not every rank before it has one"
                );
                reading.wrong_whole(what, None);
                return None;
            }
            return Some(Self { files, is_listed: false, ranks: last + 1 });
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| reading.wrong_whole(error.to_string(), None))
            .ok()?;
        let mut files = Vec::new();
        for (line, name) in (1..).zip(text.lines()).filter(|(_, name)| !name.trim().is_empty()) {
            match beside(path, name.trim()) {
                Some(file) => files.push(file),
                None => reading.wrong_with(
                    line,
                    name.trim(),
                    "there is no such file",
                    "names are from the folder of the list on",
                ),
            }
        }
        if reading.is_wrong() {
            return None;
        }
        let ranks = files.len() as u32;
        Some(Self { files, is_listed: true, ranks })
    }

    /// Goes from line to line, from file to file. The line and why, where a file cannot be read.
    pub(super) fn each(&self, mut line: impl FnMut(&Place<'_>, &str)) -> Result<(), (usize, String)> {
        for path in &self.files {
            let name = path.display();
            let cannot = |error: io::Error, line| (line, format!("{name} cannot be read: {error}"));
            let mut input =
                BufReader::with_capacity(1 << 16, File::open(path).map_err(|error| cannot(error, 0))?);
            let (mut text, mut number) = (String::new(), 0);
            loop {
                text.clear();
                number += 1;
                let read = io::Read::take(&mut input, MOST_OF_A_LINE).read_line(&mut text);
                if read.map_err(|error| cannot(error, number))? == 0 {
                    break;
                }
                line(&Place { line: number, file: self.is_listed.then_some(path.as_path()) }, &text);
            }
        }
        Ok(())
    }
}
