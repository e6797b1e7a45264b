//! Communication profiles: what every rank of a program does, call by call, and how long it computes between (paper 001,
//! section 2).
//!
//! Two formats hold the same: text, for people; Parquet, for millions of calls. Both are described in
//! `docs/reference/profile-files.md`. What is written is read back exactly. Writing goes from step to step and keeps
//! a bounded number of them; reading keeps the steps and nothing else, and checks everything that a replay takes for
//! granted.

mod check;
mod communicators;
mod row;
mod summary;
mod table;
mod text;

pub use crate::Format;
pub use communicators::{Communicators, Groups};
pub use summary::{KindCount, RankSummary, Summary};

use crate::collector::MOST_RANKS;
use crate::{MistakePlace, Mistakes, ReadError};
pub(crate) use check::Checker;
pub(crate) use row::Row;
use std::fs::Metadata;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
pub(crate) use table::Columns;
pub(crate) use text::{check_stream, read_task, write_task};
use weir_operations::{Operation, Step};
use weir_units::{Duration, Rank, Time};

/// Events of all ranks of a program.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The title; empty if the profile has none.
    pub title: String,
    /// Communicators beside the world and each rank alone.
    pub communicators: Communicators,
    /// The steps of each rank, or one list for all.
    lists: Vec<Vec<Step>>,
    ranks: usize,
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        let are_same = |rank| self.steps(rank) == other.steps(rank);
        self.title == other.title
            && self.communicators == other.communicators
            && self.ranks == other.ranks
            && (0..self.ranks).map(Rank::new).all(are_same)
    }
}

impl Eq for Profile {}

/// The versions that are read, first the one that is written: 3 does not say what reductions combine, and how; 2 does not
/// say after which of the things that happened at that instant a look in vain was over; 1 has no `choose`, and no numbers of
/// persistent collectives.
const VERSIONS: [&str; 4] = ["4", "3", "2", "1"];

/// Error text for a name that stands for no format.
pub const UNKNOWN_FORMAT: &str = "the name of a profile ends in .profile (text) or .parquet";

/// Reads a profile; the ending of its name says which format it has.
///
/// # Errors
/// When the ending is not known, when the file cannot be read, or with all mistakes in it.
pub fn read(path: &Path) -> Result<Profile, ReadError> {
    let format = Format::of_profile(path).ok_or_else(|| ReadError::Unreadable(UNKNOWN_FORMAT.to_owned()))?;
    let file = crate::lines::open(path)?;
    match format {
        Format::Text => {
            // A pipe has no length.
            let length = file.metadata().ok().filter(Metadata::is_file).map_or(u64::MAX, |of| of.len());
            text::read(BufReader::new(file), length)
        }
        Format::Parquet => table::read(file),
    }
}

/// Reads a profile in its text form.
///
/// # Errors
/// When it cannot be read, or with all mistakes in it.
pub fn read_text(input: impl io::BufRead) -> Result<Profile, ReadError> {
    text::read(input, u64::MAX)
}

impl Profile {
    /// The profile of these steps, rank by rank.
    ///
    /// # Errors
    /// All mistakes for which a profile in a file would be refused.
    pub fn new(title: &str, communicators: Communicators, ranks: Vec<Vec<Step>>) -> Result<Self, ReadError> {
        let mut collector = Collector { title: title.to_owned(), ..Collector::default() };
        collector.set_ranks(ranks.len() as u32);
        collector.communicators = communicators;
        let mut row = 0;
        for (rank, steps) in ranks.into_iter().enumerate() {
            for step in steps {
                collector.rank(rank as u64, MistakePlace::Row(row), "");
                collector.add(Rank::new(rank), step, MistakePlace::Row(row), "");
                row += 1;
            }
        }
        collector.finish()
    }

    /// The profile of ranks that all do the same, of which nothing names one of them. It takes the memory of one of them.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn of_alike(ranks: usize, steps: Vec<Step>) -> Result<Self, ReadError> {
        let mut collector = Collector::default();
        collector.set_ranks(ranks as u32);
        let with_steps = if steps.is_empty() { 0 } else { ranks as u64 };
        for (row, step) in (0..).zip(steps) {
            collector.add(Rank(0), step, MistakePlace::Row(row), "");
        }
        for rank in 0..with_steps {
            collector.rank(rank, MistakePlace::File, "");
        }
        let mut profile = collector.finish()?;
        profile.lists.truncate(1);
        Ok(profile)
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The steps of a rank in their order.
    ///
    /// # Panics
    /// When there is no such rank.
    pub fn steps(&self, rank: Rank) -> &[Step] {
        assert!(rank.index() < self.ranks, "rank {rank} is one of {}", self.ranks);
        &self.lists[if self.lists.len() == 1 { 0 } else { rank.index() }]
    }

    /// The steps of a rank with the beginning and the end of each; what the profile does not say took no time.
    ///
    /// # Panics
    /// When there is no such rank.
    pub fn times(&self, rank: Rank) -> impl Iterator<Item = (Time, Time, &Step)> {
        self.steps(rank).iter().scan(Time::ZERO, |clock, step| {
            let begin = *clock + step.compute;
            *clock = begin + step.time_in_call();
            Some((begin, *clock, step))
        })
    }

    /// Number of steps.
    pub fn len(&self) -> u64 {
        (0..self.ranks).map(|rank| self.steps(Rank::new(rank)).len() as u64).sum()
    }

    /// Returns whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The line of a step in the text form, without its work and its time.
pub fn line(rank: Rank, step: &Step) -> String {
    let step = Step { compute: Duration::ZERO, took: None, operation: step.operation.clone() };
    let mut line = Vec::new();
    text::step(rank, step, &mut line).expect("memory takes it");
    String::from_utf8_lossy(&line).trim_end().to_owned()
}

/// The steps of a file so far.
#[derive(Debug, Default)]
struct Collector {
    title: String,
    mistakes: Mistakes,
    communicators: Communicators,
    checker: Option<Checker>,
    ranks: Vec<Vec<Step>>,
}

impl Collector {
    /// Sets the number of ranks; to be called once, before the first step.
    fn set_ranks(&mut self, ranks: u32) {
        self.checker = Some(Checker::new(ranks));
        self.ranks.resize_with(ranks as usize, Vec::new);
    }

    /// Reads the definition of a communicator.
    fn define(&mut self, line: &str, place: MistakePlace, text: &str) {
        let read = self.communicators.read(line, self.ranks.len() as u32);
        read.unwrap_or_else(|what| self.mistakes.add(place, text, what));
    }

    /// Returns whether this is the number of a rank; if not, that is a mistake.
    fn rank(&mut self, number: u64, place: MistakePlace, text: &str) -> Option<Rank> {
        let ranks = self.ranks.len() as u64;
        if number < ranks {
            let rank = Rank(u32::try_from(number).expect("there are less than 2^32 ranks"));
            if let Some(checker) = &mut self.checker {
                checker.saw(rank);
            }
            return Some(rank);
        }
        if self.checker.is_some() {
            let what = format!("there is no rank {number}: the profile has {ranks} ranks, counted from 0");
            self.mistakes.add(place, text, what);
        }
        None
    }

    fn add(&mut self, rank: Rank, step: Step, place: MistakePlace, text: &str) {
        let Self { checker: Some(checker), mistakes, communicators, .. } = self else { return };
        if let Operation::Compute { .. } = step.operation {
            return mistakes.add(place, text, "compute is work before an event, in its column, and no event");
        }
        checker.check(rank, &step, communicators, &mut |what| mistakes.add(place, text, what));
        self.ranks[rank.index()].push(step);
    }

    fn finish(mut self) -> Result<Profile, ReadError> {
        if let Some(checker) = &self.checker {
            checker.finish(&mut self.mistakes);
        }
        if !self.mistakes.is_empty() {
            return Err(ReadError::Mistakes(self.mistakes.sorted()));
        }
        self.ranks.iter_mut().for_each(Vec::shrink_to_fit);
        let Self { title, communicators, ranks: lists, .. } = self;
        Ok(Profile { title, communicators, ranks: lists.len(), lists })
    }
}

/// A profile on its way into a file. Events of different ranks come in any order, those of each rank in theirs. What is
/// written before [`Writer::finish`] is no whole profile.
pub struct Writer<W: Write + Send> {
    form: Form<W>,
    communicators: Communicators,
    /// Number of steps so far.
    steps: u64,
}

enum Form<W: Write + Send> {
    Text(BufWriter<W>),
    Parquet(Box<table::Table<BufWriter<W>>>),
}

impl<W: Write + Send> Writer<W> {
    /// Begins a profile of so many ranks. The title is one line of text.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(format: Format, ranks: usize, title: &str, out: W) -> io::Result<Self> {
        let title = crate::lines::one_line(title);
        let mut out = BufWriter::with_capacity(1 << 16, out);
        let form = match format {
            Format::Text => {
                text::head().write(ranks, &title, &mut out)?;
                Form::Text(out)
            }
            Format::Parquet => Form::Parquet(Box::new(table::Table::new(ranks, title, out)?)),
        };
        Ok(Self { form, communicators: Communicators::default(), steps: 0 })
    }

    /// Defines a communicator, before the first step that names it; its number is at least 2, and new.
    ///
    /// # Errors
    /// When it cannot be written.
    ///
    /// # Panics
    /// When the number is taken.
    pub fn define(&mut self, number: u32, groups: Groups) -> io::Result<()> {
        if let Form::Text(out) = &mut self.form {
            let mut one = Communicators::default();
            one.define(number, groups.clone());
            one.to_text().lines().try_for_each(|line| writeln!(out, "communicator {line}"))?;
        }
        assert!(self.communicators.define(number, groups), "communicator {number} is defined once");
        Ok(())
    }

    /// Adds an step behind those of its rank.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, rank: Rank, step: Step) -> io::Result<()> {
        self.steps += 1;
        match &mut self.form {
            Form::Text(out) => text::step(rank, step, out),
            Form::Parquet(table) => table.add(rank, step),
        }
    }

    /// Ends the file: it is a whole profile now. Returns the number of steps.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> io::Result<u64> {
        match self.form {
            Form::Text(mut out) => out.flush()?,
            Form::Parquet(table) => table.finish(&self.communicators, self.steps)?,
        }
        Ok(self.steps)
    }
}

impl Profile {
    /// Writes all of it; returns the number of steps.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, format: Format, out: impl Write + Send) -> io::Result<u64> {
        let mut writer = Writer::new(format, self.ranks(), &self.title, out)?;
        for (number, members) in self.communicators.iter() {
            let (first, second) = self.communicators.between(number).unwrap_or((members, &[]));
            writer.define(number, (first.to_vec(), second.to_vec()))?;
        }
        for rank in (0..self.ranks).map(Rank::new) {
            for step in self.steps(rank) {
                writer.add(rank, step.clone())?;
            }
        }
        writer.finish()
    }
}
