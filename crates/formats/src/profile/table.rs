//! The Parquet form: a row per event, those of each rank in their order.
//!
//! The metadata of the file have `weir.profile` (the version, 4), `weir.ranks`, `weir.events`, `weir.title` and
//! `weir.communicators` (a line for each, as in the text form), and a checksum ([`seal`](crate::seal)).

use super::kinds::{KINDS, kind_of};
use super::row::Row;
use super::{Collector, Communicators, Event, MOST_RANKS, Profile, VERSIONS};
use crate::lines::versions_text;
use crate::table::{column, file, read_records};
use crate::{MistakePlace, ReadError, quantity};
use parquet::basic::Encoding;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, Type};
use std::fs::File;
use std::io::{self, Write};
use weir_columns::{Group, Optional};
use weir_units::Rank;

const SCHEMA: &str = "message profile {
    REQUIRED INT32 rank (INTEGER(32, false));
    REQUIRED BYTE_ARRAY kind (STRING);
    REQUIRED INT64 compute_ps;
    OPTIONAL INT64 took_ps;
    REQUIRED INT32 communicator (INTEGER(32, false));
    OPTIONAL INT32 peer (INTEGER(32, false));
    OPTIONAL INT32 tag;
    REQUIRED INT32 flags (INTEGER(32, false));
    REQUIRED INT64 bytes (INTEGER(64, false));
    REQUIRED INT32 element (INTEGER(32, false));
    OPTIONAL INT32 request (INTEGER(32, false));
    OPTIONAL group list (LIST) {
        REPEATED group list {
            REQUIRED INT64 element;
        }
    }
}";
const VERSION_KEY: &str = "weir.profile";
const RANKS_KEY: &str = "weir.ranks";
const EVENTS_KEY: &str = "weir.events";
const TITLE_KEY: &str = "weir.title";
const COMMUNICATORS_KEY: &str = "weir.communicators";

/// Events that are kept until they are written: a row group.
const GROUP: usize = 1 << 18;

/// A table on its way into a file.
pub(super) struct Table<W: Write + Send> {
    writer: file::Writer<W>,
    /// Events that are kept, by rank, and their number.
    pending: Vec<Vec<Event>>,
    count: usize,
}

impl<W: Write + Send> Table<W> {
    pub(super) fn new(ranks: usize, title: String, out: W) -> io::Result<Self> {
        let mut properties = WriterProperties::builder().set_statistics_enabled(EnabledStatistics::None);
        // Where there are too many different numbers for a dictionary, their differences are stored.
        for name in ["compute_ps", "took_ps", "bytes", "peer", "tag", "request"] {
            properties =
                properties.set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
        }
        let metadata =
            [(VERSION_KEY, VERSIONS[0].to_owned()), (RANKS_KEY, ranks.to_string()), (TITLE_KEY, title)];
        let writer = file::begin(out, SCHEMA, properties, metadata).map_err(io::Error::other)?;
        let mut pending = Vec::new();
        pending.resize_with(ranks, Vec::new);
        Ok(Self { writer, pending, count: 0 })
    }

    pub(super) fn add(&mut self, rank: Rank, event: Event) -> io::Result<()> {
        self.pending[rank.index()].push(event);
        self.count += 1;
        if self.count == GROUP { self.write_group().map_err(io::Error::other) } else { Ok(()) }
    }

    pub(super) fn finish(mut self, communicators: &Communicators, events: u64) -> io::Result<()> {
        self.write_group().map_err(io::Error::other)?;
        for (key, value) in [(COMMUNICATORS_KEY, communicators.to_text()), (EVENTS_KEY, events.to_string())] {
            self.writer.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
        }
        file::end(self.writer).map_err(io::Error::other)
    }

    /// Writes the events that are kept, rank by rank, and forgets them.
    fn write_group(&mut self) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let (mut ranks, mut rows) = (Vec::with_capacity(self.count), Vec::with_capacity(self.count));
        for (rank, events) in (0..).zip(&mut self.pending) {
            ranks.resize(ranks.len() + events.len(), rank);
            rows.extend(events.iter().map(Row::of));
            // Memory is kept for as many events as there were.
            events.clear();
        }
        self.count = 0;
        let names: Vec<ByteArray> = KINDS.iter().map(|kind| kind.name.into()).collect();
        let narrow = |cell: fn(&Row) -> u32| rows.iter().map(|row| cell(row).cast_signed()).collect();
        let wide = |cell: fn(&Row) -> u64| rows.iter().map(|row| cell(row).cast_signed()).collect();
        let mut group = Group::begin(&mut self.writer)?;
        group.all::<Int32Type>(&mut ranks)?;
        group.all::<ByteArrayType>(&mut rows.iter().map(|row| names[row.kind].clone()).collect())?;
        group.all::<Int64Type>(&mut wide(|row| row.compute))?;
        group.some::<Int64Type>(&mut some(&rows, |row| row.took.map(u64::cast_signed)))?;
        group.all::<Int32Type>(&mut narrow(|row| row.communicator))?;
        group.some::<Int32Type>(&mut some(&rows, |row| row.peer.map(u32::cast_signed)))?;
        group.some::<Int32Type>(&mut some(&rows, |row| row.tag))?;
        group.all::<Int32Type>(&mut narrow(|row| row.flags))?;
        group.all::<Int64Type>(&mut wide(|row| row.bytes))?;
        group.all::<Int32Type>(&mut narrow(|row| row.element))?;
        group.some::<Int32Type>(&mut some(&rows, |row| row.request.map(u32::cast_signed)))?;
        write_lists(rows, &mut group)?;
        group.end()
    }
}

fn some<T>(rows: &[Row], cell: impl Fn(&Row) -> Option<T>) -> Optional<T> {
    let mut cells = Optional::default();
    cells.extend(rows.iter().map(cell));
    cells
}

fn write_lists<W: Write + Send>(rows: Vec<Row>, group: &mut Group<'_, W>) -> Result<()> {
    let mut numbers = Vec::new();
    // By number, and one for an empty or absent list: 2, 1 or 0; and whether a number goes on with the row before.
    let (mut levels, mut repeats) = (Vec::new(), Vec::new());
    for list in rows.into_iter().map(|row| row.list) {
        repeats.push(0);
        match list {
            Some(list) if !list.is_empty() => {
                repeats.resize(repeats.len() + list.len() - 1, 1);
                levels.resize(levels.len() + list.len(), 2);
                numbers.extend(list);
            }
            empty => levels.push(i16::from(empty.is_some())),
        }
    }
    group.column::<Int64Type>(&mut numbers, Some(&levels), Some(&repeats))
}

/// Reads a profile.
pub(super) fn read(file: File) -> std::result::Result<Profile, ReadError> {
    file::read(file, |reader| {
        let mut collector = Collector::default();
        let events = read_metadata(reader, &mut collector);
        if has_our_columns(reader, &mut collector) {
            let mut row = 0;
            file::each_batch(reader, Columns::open, |columns, count| {
                columns.read(count, &mut row, &mut collector)
            })?;
            if let Some(events) = events.filter(|&events| events != row) {
                let what = format!("{EVENTS_KEY} = {events}, but there are {row} rows");
                collector.mistakes.add(MistakePlace::File, "", what);
            }
        }
        collector.finish()
    })
}

/// Reads the metadata; returns the number of events that they name.
fn read_metadata(reader: &file::Reader, collector: &mut Collector) -> Option<u64> {
    let value = |key| file::value(reader, key);
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
    match quantity::whole(text).filter(|ranks| (1..=MOST_RANKS).contains(ranks)) {
        Some(ranks) if ranks > reader.metadata().file_metadata().num_rows().max(0).cast_unsigned() => {
            problem(format!("{RANKS_KEY} = {text}: every rank has events, and there are fewer rows"));
        }
        Some(ranks) => collector.set_ranks(u32::try_from(ranks).expect("the range fits")),
        None => problem(format!("{RANKS_KEY} = {text:?} must be a whole number from 1 to {MOST_RANKS}")),
    }
    value(TITLE_KEY).unwrap_or_default().clone_into(&mut collector.title);
    for line in value(COMMUNICATORS_KEY).unwrap_or_default().lines() {
        collector.define(line, MistakePlace::File, &format!("{COMMUNICATORS_KEY}: {line}"));
    }
    value(EVENTS_KEY).and_then(quantity::whole)
}

/// Returns whether the columns are those of the schema, in any order of names; else that is a mistake.
fn has_our_columns(reader: &file::Reader, collector: &mut Collector) -> bool {
    let ours = parse_message_type(SCHEMA).expect("the schema is written above");
    let found = reader.metadata().file_metadata().schema();
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

/// The cells of a column, batch by batch.
struct Cells<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
    levels: Vec<i16>,
    repeats: Vec<i16>,
    /// The next level and the next value.
    level: usize,
    value: usize,
}

impl<T: DataType> Cells<T> {
    /// Opens a column, whose type [`has_our_columns`] has checked.
    fn open(group: &dyn RowGroupReader, index: usize) -> Result<Self> {
        let reader = get_typed_column_reader(column(group, index)?);
        let (levels, repeats) = (Vec::new(), Vec::new());
        Ok(Self { reader, values: Vec::new(), levels, repeats, level: 0, value: 0 })
    }

    fn read(&mut self, count: usize) -> Result<()> {
        self.values.clear();
        self.levels.clear();
        self.repeats.clear();
        (self.level, self.value) = (0, 0);
        let Self { reader, values, levels, repeats, .. } = self;
        read_records(reader, count, values, levels, Some(repeats))
    }
}

impl<T: DataType<T: Copy>> Cells<T> {
    fn value(&mut self) -> Option<T::T> {
        self.value += 1;
        self.values.get(self.value - 1).copied()
    }

    /// The next cell of a column in which some are empty.
    fn cell(&mut self) -> Option<T::T> {
        self.level += 1;
        if self.levels.get(self.level - 1) == Some(&1) { self.value() } else { None }
    }

    /// The next cell of a column of lists.
    fn list(&mut self) -> Option<Vec<T::T>> {
        let level = self.levels.get(self.level).copied().unwrap_or(0);
        self.level += 1;
        match level {
            0 => None,
            1 => Some(Vec::new()),
            _ => {
                let mut list: Vec<T::T> = self.value().into_iter().collect();
                while self.repeats.get(self.level) == Some(&1) {
                    self.level += 1;
                    list.extend(self.value());
                }
                Some(list)
            }
        }
    }
}

/// The columns of a row group.
struct Columns {
    /// Rank, communicator, peer, tag, flags, element and request.
    narrow: [Cells<Int32Type>; 7],
    /// Compute time, time in the call, size and list.
    wide: [Cells<Int64Type>; 4],
    names: Cells<ByteArrayType>,
    /// Kinds that were found: most events are of one of a few.
    known: Vec<(ByteArray, usize)>,
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

    fn kind(&mut self, index: usize) -> Option<usize> {
        let name = &self.names.values[index];
        let known = self.known.iter().find(|(known, _)| known.data() == name.data());
        known.map(|&(_, kind)| kind).or_else(|| {
            let kind = kind_of(name.data())?;
            self.known.push((name.clone(), kind));
            Some(kind)
        })
    }

    fn read(&mut self, count: usize, row: &mut u64, collector: &mut Collector) -> Result<()> {
        self.narrow.iter_mut().try_for_each(|column| column.read(count))?;
        self.wide.iter_mut().try_for_each(|column| column.read(count))?;
        self.names.read(count)?;
        for index in 0..count {
            let place = MistakePlace::Row(*row);
            *row += 1;
            let kind = self.kind(index);
            let [ranks, communicators, peers, tags, flags, elements, requests] = &mut self.narrow;
            let [compute, took, bytes, lists] = &mut self.wide;
            let times = (compute.values[index], took.cell());
            let of_row = Row {
                kind: kind.unwrap_or(0),
                compute: times.0.cast_unsigned(),
                took: times.1.map(i64::cast_unsigned),
                communicator: communicators.values[index].cast_unsigned(),
                peer: peers.cell().map(i32::cast_unsigned),
                tag: tags.cell(),
                flags: flags.values[index].cast_unsigned(),
                bytes: bytes.values[index].cast_unsigned(),
                element: elements.values[index].cast_unsigned(),
                request: requests.cell().map(i32::cast_unsigned),
                list: lists.list(),
            };
            let Some(rank) = collector.rank(ranks.values[index].cast_unsigned().into(), place, "rank") else {
                continue;
            };
            let event = match (kind, times) {
                (None, _) => {
                    let name = String::from_utf8_lossy(self.names.values[index].data());
                    Err(format!("kind = {name:?} is no kind of event"))
                }
                (_, (compute, took)) if compute < 0 || took.is_some_and(|took| took < 0) => {
                    let took = took.unwrap_or(0);
                    Err(format!(
                        "times run backwards: compute_ps = {compute}, took_ps = {took} must be at least 0"
                    ))
                }
                _ => of_row.event(),
            };
            match event {
                Ok(event) => collector.add(rank, event, place, ""),
                Err(what) => collector.mistakes.add(place, "", what),
            }
        }
        Ok(())
    }
}
