//! Mistakes in a file, and whatever of it cannot be represented: named with its place, or, where the user says so, left out and counted.

use weir_units::{Bandwidth, Bytes, Duration};

/// A mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// The text at fault, as the file has it; empty where there is none to show.
    pub value: String,
    /// A sentence that says what is wrong.
    pub what: String,
    /// A remedy.
    pub hint: Option<String>,
}

/// Values that stand in for what a file does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// Bandwidth of cables without one.
    pub bandwidth: Option<Bandwidth>,
    /// Latency of cables without one; the time of a cycle where latencies are numbers of cycles.
    pub latency: Option<Duration>,
    /// Operations that a host does in a second, where computations are numbers of them.
    pub speed: Option<f64>,
    /// The whole buffer of a collective, where the file has parts of it.
    pub message_size: Option<Bytes>,
    /// Number of ranks, where the file does not say it.
    pub ranks: Option<u32>,
    /// Number of ranks of the first dimension, by which work is divided.
    pub group: Option<u32>,
    /// Number of processors of a node, where the file counts processors.
    pub processors_per_node: Option<u32>,
    /// Leave out what cannot be represented, and count it.
    pub skip: bool,
}

/// A kind of thing that was left out of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// A sentence.
    pub what: String,
    /// The number of times that it was there.
    pub count: u64,
    /// The first line on which it was.
    pub line: usize,
}

/// The result of reading a file.
#[derive(Debug)]
pub struct Imported<T> {
    /// The machine, pattern or keys.
    pub made: T,
    /// The parts that were left out.
    pub skipped: Vec<Skipped>,
    /// Sentences about what had to be assumed.
    pub notes: Vec<String>,
}

/// The hint about a place that cannot be represented.
pub const LEFT_OUT: &str = "weir convert --skip leaves it out and counts it";

/// More mistakes are not kept: a file of millions of wrong lines costs no memory.
const MOST_MISTAKES: usize = 1000;

/// Collects what is wrong with a file while it is read.
pub(crate) struct Reading {
    pub(crate) given: Given,
    mistakes: Vec<Mistake>,
    skipped: Vec<Skipped>,
    notes: Vec<String>,
}

impl Reading {
    pub(crate) fn new(given: Given) -> Self {
        Self { given, mistakes: Vec::new(), skipped: Vec::new(), notes: Vec::new() }
    }

    pub(crate) fn is_wrong(&self) -> bool {
        !self.mistakes.is_empty()
    }

    pub(crate) fn wrong(&mut self, line: usize, value: &str, what: impl Into<String>) {
        self.mistake(Some(line), value, what.into(), None);
    }

    pub(crate) fn wrong_with(&mut self, line: usize, value: &str, what: impl Into<String>, hint: &str) {
        self.mistake(Some(line), value, what.into(), Some(hint.to_owned()));
    }

    /// Something is wrong with the file as a whole.
    pub(crate) fn wrong_whole(&mut self, what: impl Into<String>, hint: Option<&str>) {
        self.mistake(None, "", what.into(), hint.map(str::to_owned));
    }

    fn mistake(&mut self, line: Option<usize>, value: &str, what: String, hint: Option<String>) {
        // What has no lines says 0.
        let line = line.filter(|&line| line > 0);
        if self.mistakes.len() < MOST_MISTAKES {
            self.mistakes.push(Mistake { line, value: value.chars().take(200).collect(), what, hint });
        }
    }

    /// The file says something that a machine or pattern of weir cannot have: a mistake, unless it may be left out. The sentence is the same for all
    /// such places, which are counted by it.
    pub(crate) fn cannot(&mut self, line: usize, value: &str, what: &str) {
        if !self.given.skip {
            self.wrong_with(line, value, what, LEFT_OUT);
            return;
        }
        match self.skipped.iter_mut().find(|skipped| skipped.what == what) {
            Some(skipped) => skipped.count += 1,
            None => self.skipped.push(Skipped { what: what.to_owned(), count: 1, line }),
        }
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Returns the result, if nothing is wrong. Where there is none a mistake has been named.
    pub(crate) fn finish<T>(mut self, made: Option<T>) -> Result<Imported<T>, Vec<Mistake>> {
        match made {
            Some(made) if self.mistakes.is_empty() => {
                Ok(Imported { made, skipped: self.skipped, notes: self.notes })
            }
            _ => {
                self.mistakes.sort_by_key(|mistake| mistake.line);
                Err(self.mistakes)
            }
        }
    }
}
