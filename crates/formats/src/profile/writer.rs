//! Writes a profile event by event.

use super::communicators::Groups;
use super::{Communicators, Event, Format, Profile, table, text};
use std::io::{self, BufWriter, Write};
use weir_units::Rank;

/// Counts of what has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenProfile {
    /// Number of events.
    pub events: u64,
}

/// A profile on its way into a file. Events of different ranks come in any order, those of each rank in theirs. What is
/// written before [`Writer::finish`] is no whole profile.
pub struct Writer<W: Write + Send> {
    form: Form<W>,
    communicators: Communicators,
    written: WrittenProfile,
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
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut out = BufWriter::with_capacity(1 << 16, out);
        let form = match format {
            Format::Text => {
                text::head().write(ranks, &title, &mut out)?;
                Form::Text(out)
            }
            Format::Parquet => Form::Parquet(Box::new(table::Table::new(ranks, title, out)?)),
        };
        Ok(Self { form, communicators: Communicators::default(), written: WrittenProfile::default() })
    }

    /// Defines a communicator, before the first event that names it; its number is at least 2, and new.
    ///
    /// # Errors
    /// When it cannot be written.
    ///
    /// # Panics
    /// When the number is taken.
    pub fn define(&mut self, number: u32, members: Vec<Rank>) -> io::Result<()> {
        self.define_groups(number, (members, Vec::new()))
    }

    /// The same for a communicator between two groups.
    ///
    /// # Errors
    /// When it cannot be written.
    ///
    /// # Panics
    /// When the number is taken.
    pub fn define_between(&mut self, number: u32, first: Vec<Rank>, second: Vec<Rank>) -> io::Result<()> {
        self.define_groups(number, (first, second))
    }

    fn define_groups(&mut self, number: u32, groups: Groups) -> io::Result<()> {
        let mut one = Communicators::default();
        one.define_groups(number, groups.clone());
        if let Form::Text(out) = &mut self.form {
            text::define(&one, out)?;
        }
        assert!(self.communicators.define_groups(number, groups), "communicator {number} is defined once");
        Ok(())
    }

    /// Adds an event behind those of its rank.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, rank: Rank, event: Event) -> io::Result<()> {
        self.written.events += 1;
        match &mut self.form {
            Form::Text(out) => text::event(rank, &event, out),
            Form::Parquet(table) => table.add(rank, event),
        }
    }

    /// Ends the file: it is a whole profile now.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> io::Result<WrittenProfile> {
        match self.form {
            Form::Text(mut out) => out.flush()?,
            Form::Parquet(table) => table.finish(&self.communicators, self.written.events)?,
        }
        Ok(self.written)
    }
}

impl Profile {
    /// Writes all of it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, format: Format, out: impl Write + Send) -> io::Result<WrittenProfile> {
        let mut writer = Writer::new(format, self.ranks(), &self.title, out)?;
        for (number, members) in self.communicators.iter() {
            match self.communicators.between(number) {
                None => writer.define(number, members.to_vec())?,
                Some((first, second)) => writer.define_between(number, first.to_vec(), second.to_vec())?,
            }
        }
        for (rank, events) in self.ranks.iter().enumerate() {
            for event in events {
                writer.add(Rank::new(rank), event.clone())?;
            }
        }
        writer.finish()
    }
}
