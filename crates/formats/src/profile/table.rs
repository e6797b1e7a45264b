//! The Parquet form: a row per event, those of each rank in their order.
//!
//! The metadata of the file have `weir.profile` (the version, 4), `weir.ranks`, `weir.events`, `weir.title` and
//! `weir.communicators` (a line for each, as in the text form), and a checksum ([`seal`](crate::seal)).

use super::row::Row;
use super::{Collector, Communicators, Profile, VERSIONS};
use crate::form::{self, Form, Notes, of_file};
use crate::seal::{self, Writer};
use crate::{MistakePlace, ReadError};
use parquet::data_type::{ByteArrayType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader};
use std::fs::File;
use std::io::{self, Write};
use weir_columns::{Cells, TableFile};
use weir_operations::{Operation, Step};
use weir_units::Rank;

const FORM: Form = Form {
    what: "a profile",
    version: "weir.profile",
    versions: &VERSIONS,
    rows: "weir.events",
    page: "profile-files",
    hint: None,
};

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
        let writer = Writer::begin(out, properties, FORM.begin(ranks, title)).map_err(io::Error::other)?;
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
        self.writer.end(&FORM.end(communicators.to_text(), events)).map_err(io::Error::other)
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
        let notes = read_metadata(table, &mut collector);
        let fits = FORM.fits::<Row>(table, &mut of_file(&mut collector.mistakes));
        if fits && !notes.is_other {
            let mut row = 0;
            table.each_batch(Columns::open, |columns, count| {
                read_rows(columns, count, &mut row, &mut collector)
            })?;
            FORM.count(&notes, row, &mut of_file(&mut collector.mistakes));
        }
        collector.finish()
    })
}

fn read_metadata(table: &TableFile, collector: &mut Collector) -> Notes {
    let notes = FORM.notes(table, &mut of_file(&mut collector.mistakes));
    let rows = table.0.metadata().file_metadata().num_rows().max(0).cast_unsigned();
    match notes.ranks {
        Some(ranks) if u64::from(ranks) > rows => {
            of_file(&mut collector.mistakes)(form::too_many_ranks(ranks));
        }
        Some(ranks) => collector.set_ranks(ranks),
        None => {}
    }
    notes.title.clone_into(&mut collector.title);
    for line in notes.communicators.lines() {
        collector.define(line, MistakePlace::File, &form::communicator_text(line));
    }
    notes
}

fn read_rows(columns: &mut Columns, count: usize, row: &mut u64, collector: &mut Collector) -> Result<()> {
    columns.read(count)?;
    for index in 0..count {
        let place = MistakePlace::Row(*row);
        *row += 1;
        let (rank, of_row) = columns.row(index);
        let Some(rank) = collector.rank(rank.into(), place, "rank") else { continue };
        match of_row.and_then(Row::step) {
            Ok(step) => collector.add(rank, step, place, ""),
            Err(what) => collector.mistakes.add(place, "", what),
        }
    }
    Ok(())
}

/// The columns of a row group, of which the first are those of steps.
pub(crate) struct Columns {
    /// Rank, communicator, peer, tag, flags, element and request.
    narrow: [Cells<Int32Type>; 7],
    /// Compute time, time in the call, size and list.
    wide: [Cells<Int64Type>; 4],
    names: Cells<ByteArrayType>,
    /// Kinds that were found: most events are of one of a few.
    known: Vec<&'static str>,
}

impl Columns {
    /// Opens them.
    pub(crate) fn open(group: &dyn RowGroupReader) -> Result<Self> {
        let narrow = |index| Cells::open(group, index);
        let wide = |index| Cells::open(group, index);
        Ok(Self {
            narrow: [narrow(0)?, narrow(4)?, narrow(5)?, narrow(6)?, narrow(7)?, narrow(9)?, narrow(10)?],
            wide: [wide(2)?, wide(3)?, wide(8)?, wide(11)?],
            names: Cells::open(group, 1)?,
            known: Vec::new(),
        })
    }

    /// Reads the next rows, so many.
    pub(crate) fn read(&mut self, count: usize) -> Result<()> {
        self.narrow.iter_mut().try_for_each(|column| column.read(count))?;
        self.wide.iter_mut().try_for_each(|column| column.read(count))?;
        self.names.read(count)
    }

    /// The rank of the next of these rows, which has this place among them, and its cells, or what is wrong with them.
    pub(crate) fn row(&mut self, index: usize) -> (u32, std::result::Result<Row, String>) {
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
        let checked = match (kind, compute, took.unwrap_or_default()) {
            (None, ..) => Err(format!("kind = {:?} is no kind of event", String::from_utf8_lossy(name))),
            (_, compute, took) if compute < 0 || took < 0 => Err(format!(
                "times run backwards: compute_ps = {compute}, took_ps = {took} must be at least 0"
            )),
            _ => Ok(of_row),
        };
        (narrow(0), checked)
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
