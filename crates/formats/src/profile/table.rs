//! The Parquet form: a row per event, those of each rank in their order.
//!
//! The metadata of the file have `weir.profile` (the version, 4), `weir.ranks`, `weir.events`, `weir.title` and
//! `weir.communicators` (a line for each, as in the text form), and a checksum ([`seal`](crate::seal)).

use super::row::Row;
use super::{Collector, Communicators, MOST_RANKS, Profile, VERSIONS};
use crate::collector::ranks_in;
use crate::lines::versions_text;
use crate::seal::{self, Writer};
use crate::{MistakePlace, ReadError, quantity};
use parquet::data_type::{ByteArrayType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::schema::types::Type;
use std::fs::File;
use std::io::{self, Write};
use weir_columns::{Cells, Row as _, TableFile};
use weir_operations::{Operation, Step};
use weir_units::Rank;

const VERSION_KEY: &str = "weir.profile";
const RANKS_KEY: &str = "weir.ranks";
const EVENTS_KEY: &str = "weir.events";
const TITLE_KEY: &str = "weir.title";
const COMMUNICATORS_KEY: &str = "weir.communicators";

/// Events that are kept until they are written: a row group.
const GROUP: usize = 1 << 18;

/// A table on its way into a file.
pub(super) struct Table<W: Write + Send> {
    writer: Writer<Row, W>,
    /// Events that are kept, by rank, and their number.
    pending: Vec<Vec<Step>>,
    count: usize,
}

impl<W: Write + Send> Table<W> {
    pub(super) fn new(ranks: usize, title: String, out: W) -> io::Result<Self> {
        let properties = WriterProperties::builder().set_statistics_enabled(EnabledStatistics::None);
        let metadata =
            [(VERSION_KEY, VERSIONS[0].to_owned()), (RANKS_KEY, ranks.to_string()), (TITLE_KEY, title)];
        let writer = Writer::begin(out, properties, metadata).map_err(io::Error::other)?;
        let mut pending = Vec::new();
        pending.resize_with(ranks, Vec::new);
        Ok(Self { writer, pending, count: 0 })
    }

    pub(super) fn add(&mut self, rank: Rank, step: Step) -> io::Result<()> {
        self.pending[rank.index()].push(step);
        self.count += 1;
        if self.count == GROUP { self.write_group().map_err(io::Error::other) } else { Ok(()) }
    }

    pub(super) fn finish(mut self, communicators: &Communicators, events: u64) -> io::Result<()> {
        self.write_group().map_err(io::Error::other)?;
        let metadata = [(COMMUNICATORS_KEY, communicators.to_text()), (EVENTS_KEY, events.to_string())];
        self.writer.end(&metadata).map_err(io::Error::other)
    }

    /// Writes the events that are kept, rank by rank, and forgets them.
    fn write_group(&mut self) -> Result<()> {
        for (rank, events) in (0..).zip(&mut self.pending) {
            // Memory is kept for as many steps as there were.
            events.drain(..).for_each(|step| self.writer.push(Row::of(rank, step)));
        }
        self.count = 0;
        self.writer.end_group()
    }
}

pub(super) fn read(file: File) -> std::result::Result<Profile, ReadError> {
    seal::read(file, |table| {
        let mut collector = Collector::default();
        let events = read_metadata(table, &mut collector);
        if has_our_columns(table, &mut collector) {
            let mut row = 0;
            table
                .each_batch(Columns::open, |columns, count| columns.read(count, &mut row, &mut collector))?;
            if let Some(events) = events.filter(|&events| events != row) {
                let what = format!("{EVENTS_KEY} = {events}, but there are {row} rows");
                collector.mistakes.add(MistakePlace::File, "", what);
            }
        }
        collector.finish()
    })
}

/// Reads the metadata; returns the number of events that they name.
fn read_metadata(table: &TableFile, collector: &mut Collector) -> Option<u64> {
    let notes = table.notes();
    let value = |key| notes.get(key).map(String::as_str);
    let mut problem = |what: String| collector.mistakes.add(MistakePlace::File, "", what);
    match value(VERSION_KEY) {
        Some(version) if VERSIONS.contains(&version) => {}
        Some(other) => {
            let versions = versions_text(&VERSIONS);
            problem(format!("{VERSION_KEY} = {other:?} must be {versions}: weir knows no other version"));
        }
        None => {
            problem(format!("the metadata of the file have no {VERSION_KEY}: it is not a profile of weir"))
        }
    }
    let text = value(RANKS_KEY).unwrap_or_default();
    match ranks_in(text) {
        Some(ranks)
            if u64::from(ranks) > table.0.metadata().file_metadata().num_rows().max(0).cast_unsigned() =>
        {
            problem(format!("{RANKS_KEY} = {text}: every rank has events, and there are fewer rows"));
        }
        Some(ranks) => collector.set_ranks(ranks),
        None => problem(format!("{RANKS_KEY} = {text:?} must be a whole number from 1 to {MOST_RANKS}")),
    }
    value(TITLE_KEY).unwrap_or_default().clone_into(&mut collector.title);
    for line in value(COMMUNICATORS_KEY).unwrap_or_default().lines() {
        collector.define(line, MistakePlace::File, &format!("{COMMUNICATORS_KEY}: {line}"));
    }
    value(EVENTS_KEY).and_then(quantity::whole)
}

/// Returns whether the columns are those of the schema, in any order of names; else that is a mistake.
fn has_our_columns(table: &TableFile, collector: &mut Collector) -> bool {
    let ours = Row::schema().expect("the schema is written above");
    let found = table.0.metadata().file_metadata().schema();
    let describe = |field: &Type| match field.is_primitive() {
        true => format!("{:?}", field.get_physical_type()),
        false => "a list of INT64".to_owned(),
    };
    let mut fits = true;
    for (place, field) in ours.get_fields().iter().enumerate() {
        let name = field.name();
        let same = found.get_fields().get(place).is_some_and(|other| other == field);
        if !same {
            fits = false;
            let what = format!(
                "column {place} must be {name}, {}: see docs/reference/profile-files.md",
                describe(field)
            );
            collector.mistakes.add(MistakePlace::File, "", what);
        }
    }
    fits
}

/// The columns of a row group.
struct Columns {
    /// Rank, communicator, peer, tag, flags, element and request.
    narrow: [Cells<Int32Type>; 7],
    /// Compute time, time in the call, size and list.
    wide: [Cells<Int64Type>; 4],
    names: Cells<ByteArrayType>,
    /// Kinds that were found: most events are of one of a few.
    known: Vec<&'static str>,
}

impl Columns {
    fn open(group: &dyn RowGroupReader) -> Result<Self> {
        let narrow = |index| Cells::open(group, index);
        let wide = |index| Cells::open(group, index);
        Ok(Self {
            narrow: [narrow(0)?, narrow(4)?, narrow(5)?, narrow(6)?, narrow(7)?, narrow(9)?, narrow(10)?],
            wide: [wide(2)?, wide(3)?, wide(8)?, wide(11)?],
            names: Cells::open(group, 1)?,
            known: Vec::new(),
        })
    }

    fn read(&mut self, count: usize, row: &mut u64, collector: &mut Collector) -> Result<()> {
        self.narrow.iter_mut().try_for_each(|column| column.read(count))?;
        self.wide.iter_mut().try_for_each(|column| column.read(count))?;
        self.names.read(count)?;
        for index in 0..count {
            let place = MistakePlace::Row(*row);
            *row += 1;
            let name = self.names.values()[index].data();
            let kind = kind_among(&mut self.known, name);
            let [peer, tag, request] = [2, 3, 6].map(|column: usize| self.narrow[column].cell().copied());
            let took = self.wide[1].cell().copied();
            let list = self.wide[3].list();
            let narrow = |column: usize| self.narrow[column].values()[index].cast_unsigned();
            let (compute, bytes) = (self.wide[0].values()[index], self.wide[2].values()[index]);
            let of_row = Row {
                rank: narrow(0),
                kind: kind.unwrap_or_default(),
                compute_ps: compute.cast_unsigned(),
                took_ps: took.map(i64::cast_unsigned),
                communicator: narrow(1),
                peer: peer.map(i32::cast_unsigned),
                tag,
                flags: narrow(4),
                bytes: bytes.cast_unsigned(),
                element: narrow(5),
                request: request.map(i32::cast_unsigned),
                list,
            };
            let Some(rank) = collector.rank(of_row.rank.into(), place, "rank") else { continue };
            let step = match (kind, compute, took.unwrap_or_default()) {
                (None, ..) => Err(format!("kind = {:?} is no kind of event", String::from_utf8_lossy(name))),
                (_, compute, took) if compute < 0 || took < 0 => Err(format!(
                    "times run backwards: compute_ps = {compute}, took_ps = {took} must be at least 0"
                )),
                _ => of_row.step(),
            };
            match step {
                Ok(step) => collector.add(rank, step, place, ""),
                Err(what) => collector.mistakes.add(place, "", what),
            }
        }
        Ok(())
    }
}

/// The word of a kind, looked for among those that were found before first.
fn kind_among(known: &mut Vec<&'static str>, name: &[u8]) -> Option<&'static str> {
    let before = known.iter().find(|word| word.as_bytes() == name).copied();
    before.or_else(|| {
        let found = Operation::words().find(|word| word.as_bytes() == name);
        found.inspect(|word| known.push(word))
    })
}
