//! The Parquet form: a row per event, those of each rank in their order.
//!
//! The metadata of the file have `weir.profile` (the version, 3), `weir.ranks`, `weir.events`, `weir.title` and
//! `weir.communicators` (a line for each, as in the text form), and a checksum ([`seal`]).

use super::kinds::{ALL_KINDS, kind_name, kind_of};
use super::row::Row;
use super::{Collector, Communicators, Event, MOST_RANKS, Profile};
use crate::seal::{self, Sealed};
use crate::table::Ended;
use crate::{MistakePlace, ReadError, quantity};
use parquet::basic::{Compression, Encoding};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, Type};
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use weir_columns::{Group, Optional, unless_damaged};
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
const VERSION: &str = super::VERSION;
const VERSION_KEY: &str = "weir.profile";
const RANKS_KEY: &str = "weir.ranks";
const EVENTS_KEY: &str = "weir.events";
const TITLE_KEY: &str = "weir.title";
const COMMUNICATORS_KEY: &str = "weir.communicators";

/// Events that are kept until they are written: a row group.
const GROUP: usize = 1 << 18;
/// Rows that are read at a time.
const BATCH: usize = 1 << 13;

/// A table on its way into a file.
pub(super) struct Table<W: Write + Send> {
    writer: SerializedFileWriter<Sealed<W>>,
    pending: Vec<Vec<Event>>,
    /// How many events are kept.
    count: usize,
    columns: Columns,
}

impl<W: Write + Send> Table<W> {
    pub(super) fn new(ranks: usize, title: String, out: W) -> io::Result<Self> {
        let pair = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
        let metadata = vec![
            seal::open(),
            pair(VERSION_KEY, VERSION.to_owned()),
            pair(RANKS_KEY, ranks.to_string()),
            pair(TITLE_KEY, title),
        ];
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_created_by(format!("weir {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(metadata));
        // Where there are too many different numbers for a dictionary, their differences are stored.
        for name in ["compute_ps", "took_ps", "bytes", "peer", "tag", "request"] {
            properties =
                properties.set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
        }
        let schema = Arc::new(parse_message_type(SCHEMA).map_err(io::Error::other)?);
        let writer = SerializedFileWriter::new(Sealed::new(out), schema, Arc::new(properties.build()))
            .map_err(io::Error::other)?;
        let mut pending = Vec::new();
        pending.resize_with(ranks, Vec::new);
        Ok(Self { writer, pending, count: 0, columns: Columns::default() })
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
        self.writer.flush()?;
        self.writer.inner_mut().hold();
        self.writer.into_inner().map_err(io::Error::other)?.finish()?.flush()
    }

    /// Writes the events that are kept, rank by rank, and forgets them.
    fn write_group(&mut self) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        for (rank, events) in (0..).zip(&mut self.pending) {
            events.iter().for_each(|event| self.columns.add(rank, Row::of(event)));
            // Memory is kept for as many events as there were.
            events.clear();
        }
        self.count = 0;
        let mut group = Group::begin(&mut self.writer)?;
        self.columns.write(&mut group)?;
        group.end()
    }
}

/// Rows to be written, column by column.
#[derive(Default)]
struct Columns {
    ranks: Vec<i32>,
    kinds: Vec<ByteArray>,
    names: Vec<ByteArray>,
    compute: Vec<i64>,
    took: Optional<i64>,
    communicators: Vec<i32>,
    peers: Optional<i32>,
    tags: Optional<i32>,
    flags: Vec<i32>,
    bytes: Vec<i64>,
    elements: Vec<i32>,
    requests: Optional<i32>,
    /// Of all lists.
    numbers: Vec<i64>,
    /// By number, and one for an empty or absent list: 2, 1 or 0.
    levels: Vec<i16>,
    /// Whether a number of a list goes on with the row before.
    repeats: Vec<i16>,
}

impl Columns {
    fn add(&mut self, rank: u32, row: Row) {
        if self.names.is_empty() {
            self.names = (0..ALL_KINDS).map(|kind| kind_name(kind).into()).collect();
        }
        self.ranks.push(rank.cast_signed());
        self.kinds.push(self.names[row.kind].clone());
        self.compute.push(row.compute.cast_signed());
        self.took.push(row.took.map(u64::cast_signed));
        self.communicators.push(row.communicator.cast_signed());
        self.peers.push(row.peer.map(u32::cast_signed));
        self.tags.push(row.tag);
        self.flags.push(row.flags.cast_signed());
        self.bytes.push(row.bytes.cast_signed());
        self.elements.push(row.element.cast_signed());
        self.requests.push(row.request.map(u32::cast_signed));
        self.add_list(row.list);
    }

    fn add_list(&mut self, list: Option<Vec<i64>>) {
        match list {
            Some(list) if !list.is_empty() => {
                self.repeats.push(0);
                self.repeats.resize(self.repeats.len() + list.len() - 1, 1);
                self.levels.resize(self.levels.len() + list.len(), 2);
                self.numbers.extend(list);
            }
            empty => {
                self.repeats.push(0);
                self.levels.push(i16::from(empty.is_some()));
            }
        }
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int32Type>(&mut self.ranks)?;
        group.all::<ByteArrayType>(&mut self.kinds)?;
        group.all::<Int64Type>(&mut self.compute)?;
        group.some::<Int64Type>(&mut self.took)?;
        group.all::<Int32Type>(&mut self.communicators)?;
        group.some::<Int32Type>(&mut self.peers)?;
        group.some::<Int32Type>(&mut self.tags)?;
        group.all::<Int32Type>(&mut self.flags)?;
        group.all::<Int64Type>(&mut self.bytes)?;
        group.all::<Int32Type>(&mut self.elements)?;
        group.some::<Int32Type>(&mut self.requests)?;
        group.column::<Int64Type>(&mut self.numbers, Some(&self.levels), Some(&self.repeats))?;
        self.levels.clear();
        self.repeats.clear();
        Ok(())
    }
}

/// Reads a profile.
pub(super) fn read(file: File) -> std::result::Result<Profile, ReadError> {
    let read = unless_damaged(|| read_table(file));
    read.unwrap_or_else(|| Err(ReadError::Unreadable("a damaged Parquet file".to_owned())))
}

fn read_table(file: File) -> std::result::Result<Profile, ReadError> {
    let unreadable =
        |error: ParquetError| ReadError::Unreadable(format!("not Parquet, damaged or cut off: {error}"));
    let again = file.try_clone().map_err(|error| ReadError::Unreadable(error.to_string()))?;
    let reader = SerializedFileReader::new(Ended(file)).map_err(unreadable)?;
    seal::check(&again).map_err(ReadError::Unreadable)?;
    let mut collector = Collector::default();
    let events = read_metadata(&reader, &mut collector);
    crate::table::check_places(reader.metadata()).map_err(unreadable)?;
    if has_our_columns(reader.metadata(), &mut collector) {
        let mut row = 0;
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(unreadable)?;
            read_group(&*group, &mut row, &mut collector).map_err(unreadable)?;
        }
        if let Some(events) = events.filter(|&events| events != row) {
            let what = format!("{EVENTS_KEY} = {events}, but there are {row} rows");
            collector.mistakes.add(MistakePlace::File, "", what);
        }
    }
    collector.finish()
}

/// Reads the metadata; returns how many events there should be.
fn read_metadata(reader: &SerializedFileReader<Ended>, collector: &mut Collector) -> Option<u64> {
    let pairs = reader.metadata().file_metadata().key_value_metadata();
    let value = |key: &str| {
        let pair = pairs.into_iter().flatten().find(|pair| pair.key == key)?;
        pair.value.as_deref()
    };
    let mut problem = |what: String| collector.mistakes.add(MistakePlace::File, "", what);
    match value(VERSION_KEY) {
        Some(version) if super::is_read(version) => {}
        Some(other) => {
            let versions = super::versions();
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

/// Whether the columns are those of the schema, in any order of names; else that is a mistake.
fn has_our_columns(metadata: &ParquetMetaData, collector: &mut Collector) -> bool {
    let ours = parse_message_type(SCHEMA).expect("the schema is written above");
    let found = metadata.file_metadata().schema();
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
}

impl<T: DataType> Cells<T> {
    fn open(
        group: &dyn RowGroupReader,
        index: usize,
        typed: fn(ColumnReader) -> Option<ColumnReaderImpl<T>>,
    ) -> Result<Self> {
        let reader = typed(crate::table::column(group, index)?);
        let reader = reader.ok_or_else(|| ParquetError::General("a column of another type".into()))?;
        Ok(Self { reader, values: Vec::new(), levels: Vec::new(), repeats: Vec::new() })
    }

    fn read(&mut self, count: usize) -> Result<()> {
        self.values.clear();
        self.levels.clear();
        self.repeats.clear();
        let mut records = 0;
        while records < count {
            let Self { reader, values, levels, repeats } = self;
            let (read, _, _) = reader.read_records(count - records, Some(levels), Some(repeats), values)?;
            if read == 0 {
                return Err(ParquetError::General("a column is too short".into()));
            }
            records += read;
        }
        Ok(())
    }
}

fn int32(reader: ColumnReader) -> Option<ColumnReaderImpl<Int32Type>> {
    if let ColumnReader::Int32ColumnReader(reader) = reader { Some(reader) } else { None }
}

fn int64(reader: ColumnReader) -> Option<ColumnReaderImpl<Int64Type>> {
    if let ColumnReader::Int64ColumnReader(reader) = reader { Some(reader) } else { None }
}

fn texts(reader: ColumnReader) -> Option<ColumnReaderImpl<ByteArrayType>> {
    if let ColumnReader::ByteArrayColumnReader(reader) = reader { Some(reader) } else { None }
}

fn read_group(group: &dyn RowGroupReader, row: &mut u64, collector: &mut Collector) -> Result<()> {
    let narrow = |index| Cells::open(group, index, int32);
    let wide = |index| Cells::open(group, index, int64);
    let (mut ranks, mut kinds) = (narrow(0)?, Cells::open(group, 1, texts)?);
    let (mut compute, mut took, mut communicators) = (wide(2)?, wide(3)?, narrow(4)?);
    let (mut peers, mut tags, mut flags) = (narrow(5)?, narrow(6)?, narrow(7)?);
    let (mut bytes, mut elements, mut requests, mut lists) = (wide(8)?, narrow(9)?, narrow(10)?, wide(11)?);
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    // Most kinds follow one of a few others.
    let mut known: Vec<(ByteArray, usize)> = Vec::new();
    for start in (0..rows).step_by(BATCH) {
        let count = BATCH.min(rows - start);
        for column in
            [&mut ranks, &mut communicators, &mut peers, &mut tags, &mut flags, &mut elements, &mut requests]
        {
            column.read(count)?;
        }
        for column in [&mut compute, &mut took, &mut bytes, &mut lists] {
            column.read(count)?;
        }
        kinds.read(count)?;
        let mut peer = Next::of(&peers);
        let (mut tag, mut request, mut time) = (Next::of(&tags), Next::of(&requests), Next::of(&took));
        let mut list = Next::of(&lists);
        for index in 0..count {
            let place = MistakePlace::Row(*row);
            *row += 1;
            let name = &kinds.values[index];
            let kind = known.iter().find(|(known, _)| known.data() == name.data()).map(|&(_, kind)| kind);
            let kind = kind.or_else(|| {
                let kind = kind_of(name.data())?;
                known.push((name.clone(), kind));
                Some(kind)
            });
            let (took, list) = (time.cell(), list.list());
            let of_row = Row {
                kind: kind.unwrap_or(0),
                compute: compute.values[index].cast_unsigned(),
                took: took.map(i64::cast_unsigned),
                communicator: communicators.values[index].cast_unsigned(),
                peer: peer.cell().map(i32::cast_unsigned),
                tag: tag.cell(),
                flags: flags.values[index].cast_unsigned(),
                bytes: bytes.values[index].cast_unsigned(),
                element: elements.values[index].cast_unsigned(),
                request: request.cell().map(i32::cast_unsigned),
                list,
            };
            let Some(rank) = collector.rank(ranks.values[index].cast_unsigned().into(), place, "rank") else {
                continue;
            };
            let mut refuse = |what: String| collector.mistakes.add(place, "", what);
            if kind.is_none() {
                refuse(format!("kind = {:?} is no kind of event", String::from_utf8_lossy(name.data())));
                continue;
            }
            if compute.values[index] < 0 || took.is_some_and(|took| took < 0) {
                let (compute, took) = (compute.values[index], took.unwrap_or(0));
                refuse(format!(
                    "times run backwards: compute_ps = {compute}, took_ps = {took} must be at least 0"
                ));
                continue;
            }
            match of_row.event() {
                Ok(event) => collector.add(rank, event, place, ""),
                Err(what) => refuse(what),
            }
        }
    }
    Ok(())
}

/// Goes through the cells of a column in which some are empty, or through lists.
struct Next<'a, T: DataType> {
    cells: &'a Cells<T>,
    level: usize,
    value: usize,
}

impl<'a, T: DataType> Next<'a, T>
where
    T::T: Copy,
{
    fn of(cells: &'a Cells<T>) -> Self {
        Self { cells, level: 0, value: 0 }
    }

    fn value(&mut self) -> Option<T::T> {
        self.value += 1;
        self.cells.values.get(self.value - 1).copied()
    }

    fn cell(&mut self) -> Option<T::T> {
        self.level += 1;
        if self.cells.levels.get(self.level - 1) == Some(&1) { self.value() } else { None }
    }

    fn list(&mut self) -> Option<Vec<T::T>> {
        let level = self.cells.levels.get(self.level).copied().unwrap_or(0);
        self.level += 1;
        match level {
            0 => None,
            1 => Some(Vec::new()),
            _ => {
                let mut list: Vec<T::T> = self.value().into_iter().collect();
                while self.cells.repeats.get(self.level) == Some(&1) {
                    self.level += 1;
                    list.extend(self.value());
                }
                Some(list)
            }
        }
    }
}
