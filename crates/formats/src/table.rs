//! The Parquet form: a row per entry.
//!
//! Columns: `rank` (unsigned 32 bits), `order` (unsigned 64 bits), `kind` (the text `send`, `post`, `await` or `pause`),
//! `peer` (unsigned 32 bits), `bytes`, `wait_ps` (unsigned 64 bits; 0 in an await), `gap` (a double, empty where the
//! machine says it). The metadata of the file have `weir.pattern` (the
//! version, 1), `weir.ranks`, `weir.title` and a checksum ([`seal`]).

mod columns;
mod ended;
mod pages;

use crate::collector::{Collector, MOST_RANKS, Row};
use crate::{MistakePlace, PatternFile, ReadError, Written, quantity, seal};
use columns::{Column, Kind, Numbers, Reals, Texts};
pub(crate) use ended::Ended;
pub(crate) use pages::column;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use weir_columns::{Group, Optional, unless_damaged};
use weir_units::{Bytes, Duration, Rank};
use weir_workload::{Entry, Gap, Order};

const SCHEMA: &str = "message pattern {
    REQUIRED INT32 rank (INTEGER(32, false));
    REQUIRED INT64 order (INTEGER(64, false));
    REQUIRED BYTE_ARRAY kind (STRING);
    REQUIRED INT32 peer (INTEGER(32, false));
    REQUIRED INT64 bytes (INTEGER(64, false));
    REQUIRED INT64 wait_ps (INTEGER(64, false));
    OPTIONAL DOUBLE gap;
}";
const VERSION_KEY: &str = "weir.pattern";
const VERSION: &str = "1";
const RANKS_KEY: &str = "weir.ranks";
const TITLE_KEY: &str = "weir.title";
const METADATA_HINT: &str =
    "with pyarrow: table.replace_schema_metadata({\"weir.pattern\": \"1\", \"weir.ranks\": \"4\"})";

/// Rows that are written at a time: a row group.
const GROUP: usize = 1 << 17;
/// Rows that are read at a time.
const BATCH: usize = 1 << 13;

/// Writes a pattern.
pub(crate) fn write(order: &dyn Order, title: &str, out: impl Write + Send) -> io::Result<Written> {
    write_table(order, title, out).map_err(io::Error::other)
}

fn write_table(order: &dyn Order, title: &str, out: impl Write + Send) -> Result<Written> {
    let pair = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    let metadata = vec![
        seal::open(),
        pair(VERSION_KEY, VERSION.to_owned()),
        pair(RANKS_KEY, order.ranks().to_string()),
        pair(TITLE_KEY, title.to_owned()),
    ];
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("weir {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(metadata))
        .build();
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut writer = SerializedFileWriter::new(seal::Sealed::new(out), schema, Arc::new(properties))?;
    let mut written = Written::default();
    let mut rows = Rows::default();
    for (rank, index, entry, gap) in crate::entries(order) {
        written.count(entry);
        rows.add(rank, index, entry, gap);
        if rows.ranks.len() == GROUP {
            rows.write(&mut writer)?;
        }
    }
    rows.write(&mut writer)?;
    writer.flush()?;
    writer.inner_mut().hold();
    writer.into_inner()?.finish()?;
    Ok(written)
}

/// Rows to be written, column by column.
#[derive(Default)]
struct Rows {
    ranks: Vec<i32>,
    orders: Vec<i64>,
    kinds: Vec<ByteArray>,
    peers: Vec<i32>,
    bytes: Vec<i64>,
    waits: Vec<i64>,
    /// Of the messages that have one.
    gaps: Optional<f64>,
}

impl Rows {
    fn add(&mut self, rank: Rank, order: u64, entry: Entry, gap: Option<Gap>) {
        let (kind, peer, bytes, wait) = match entry {
            Entry::Send { to, bytes, wait } => ("send", to, bytes, wait),
            Entry::Post { to, bytes, wait } => ("post", to, bytes, wait),
            Entry::Await { from } => ("await", from, Bytes::ZERO, Duration::ZERO),
            Entry::Pause { time } => ("pause", rank, Bytes::ZERO, time),
        };
        self.gaps.push(gap.map(Gap::packet_times));
        self.ranks.push(rank.0.cast_signed());
        self.orders.push(order.cast_signed());
        self.kinds.push(kind.into());
        self.peers.push(peer.0.cast_signed());
        self.bytes.push(bytes.0.cast_signed());
        self.waits.push(wait.as_ps().cast_signed());
    }

    /// Writes the rows as a row group, if there are any, and forgets them.
    fn write<W: Write + Send>(&mut self, writer: &mut SerializedFileWriter<W>) -> Result<()> {
        if self.ranks.is_empty() {
            return Ok(());
        }
        let mut group = Group::begin(writer)?;
        group.all::<Int32Type>(&mut self.ranks)?;
        group.all::<Int64Type>(&mut self.orders)?;
        group.all::<ByteArrayType>(&mut self.kinds)?;
        group.all::<Int32Type>(&mut self.peers)?;
        group.all::<Int64Type>(&mut self.bytes)?;
        group.all::<Int64Type>(&mut self.waits)?;
        group.some::<DoubleType>(&mut self.gaps)?;
        group.end()
    }
}

/// Reads a pattern.
pub(crate) fn read(file: File) -> std::result::Result<PatternFile, ReadError> {
    let read = unless_damaged(|| read_table(file));
    read.unwrap_or_else(|| Err(ReadError::Unreadable("a damaged Parquet file".to_owned())))
}

fn read_table(file: File) -> std::result::Result<PatternFile, ReadError> {
    let unreadable = |error: ParquetError| ReadError::Unreadable(format!("not Parquet, or damaged: {error}"));
    let again = file.try_clone().map_err(|error| ReadError::Unreadable(error.to_string()))?;
    let reader = SerializedFileReader::new(Ended(file)).map_err(unreadable)?;
    seal::check(&again).map_err(ReadError::Unreadable)?;
    let mut collector = Collector::default();
    read_metadata(&reader, &mut collector);
    check_places(reader.metadata()).map_err(unreadable)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let columns = Columns::find(schema, &mut collector);
    if let Some(columns) = columns {
        let mut row = 0;
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(unreadable)?;
            read_group(&*group, &columns, &mut row, &mut collector).map_err(unreadable)?;
        }
    }
    collector.finish()
}

/// Whether places and counts in the file are numbers that can be: the reader takes that for granted.
pub(crate) fn check_places(metadata: &ParquetMetaData) -> Result<()> {
    for group in metadata.row_groups() {
        for column in group.columns() {
            let first = column.dictionary_page_offset().unwrap_or(0);
            let numbers = [first, column.data_page_offset(), column.compressed_size(), column.num_values()];
            if group.num_rows() < 0 || numbers.iter().any(|&number| number < 0) {
                return Err(ParquetError::General("a place or a count is negative".into()));
            }
        }
    }
    Ok(())
}

fn read_metadata(reader: &SerializedFileReader<Ended>, collector: &mut Collector) {
    let pairs = reader.metadata().file_metadata().key_value_metadata();
    let value = |key: &str| {
        let pair = pairs.into_iter().flatten().find(|pair| pair.key == key)?;
        pair.value.as_deref()
    };
    match value(VERSION_KEY) {
        Some(VERSION) => {}
        Some(other) => {
            let what = format!("{VERSION_KEY} = {other:?} must be {VERSION:?}: weir knows no other version");
            collector.mistakes.add(MistakePlace::File, "", what);
        }
        None => no_metadata(VERSION_KEY, collector),
    }
    match value(RANKS_KEY) {
        Some(text) => match quantity::whole(text).filter(|ranks| (1..=MOST_RANKS).contains(ranks)) {
            Some(ranks) => collector.set_ranks(u32::try_from(ranks).expect("the range fits")),
            None => {
                let what = format!("{RANKS_KEY} = {text:?} must be a whole number from 1 to {MOST_RANKS}");
                collector.mistakes.add(MistakePlace::File, "", what);
            }
        },
        None => no_metadata(RANKS_KEY, collector),
    }
    value(TITLE_KEY).unwrap_or_default().clone_into(&mut collector.title);
}

fn no_metadata(key: &str, collector: &mut Collector) {
    let what = format!("the metadata of the file have no {key}; {METADATA_HINT}");
    collector.mistakes.add(MistakePlace::File, "", what);
}

/// Where the columns are.
struct Columns {
    rank: Column,
    order: Option<Column>,
    kind: Column,
    peer: Column,
    bytes: Column,
    wait: Option<Column>,
    gap: Option<Column>,
}

impl Columns {
    /// `None` if one is missing or of the wrong type, which is a mistake.
    fn find(schema: &parquet::schema::types::SchemaDescriptor, collector: &mut Collector) -> Option<Self> {
        let mut find = |name, kind, needed| match Column::find(schema, name, kind) {
            Ok(None) if needed => {
                collector.mistakes.add(MistakePlace::File, "", format!("the column {name} is missing"));
                None
            }
            Ok(column) => Some(column),
            Err(what) => {
                collector.mistakes.add(MistakePlace::File, "", what);
                None
            }
        };
        let found = [
            find("rank", Kind::Numbers, true),
            find("order", Kind::Numbers, false),
            find("kind", Kind::Texts, true),
            find("peer", Kind::Numbers, true),
            find("bytes", Kind::Numbers, true),
            find("wait_ps", Kind::Numbers, false),
            find("gap", Kind::Reals, false),
        ];
        let [rank, order, kind, peer, bytes, wait, gap] = found;
        Some(Self {
            rank: rank??,
            order: order?,
            kind: kind??,
            peer: peer??,
            bytes: bytes??,
            wait: wait?,
            gap: gap?,
        })
    }
}

fn read_group(
    group: &dyn RowGroupReader,
    columns: &Columns,
    row: &mut u64,
    collector: &mut Collector,
) -> Result<()> {
    let mut ranks = Numbers::open(group, columns.rank)?;
    let mut orders = columns.order.map(|column| Numbers::open(group, column)).transpose()?;
    let mut kinds = Texts::open(group, columns.kind)?;
    let mut peers = Numbers::open(group, columns.peer)?;
    let mut sizes = Numbers::open(group, columns.bytes)?;
    let mut waits = columns.wait.map(|column| Numbers::open(group, column)).transpose()?;
    let mut gaps = columns.gap.map(|column| Reals::open(group, column)).transpose()?;
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    for start in (0..rows).step_by(BATCH) {
        let count = BATCH.min(rows - start);
        let ranks = ranks.read(count)?;
        let mut orders =
            orders.as_mut().map(|orders| orders.read(count)).transpose()?.unwrap_or_default().into_iter();
        let mut kinds = kinds.read(count)?.into_iter();
        let mut peers = peers.read(count)?.into_iter();
        let mut sizes = sizes.read(count)?.into_iter();
        let mut waits =
            waits.as_mut().map(|waits| waits.read(count)).transpose()?.unwrap_or_default().into_iter();
        let mut gaps =
            gaps.as_mut().map(|gaps| gaps.read(count)).transpose()?.unwrap_or_default().into_iter();
        for rank in ranks {
            let cells = Cells {
                rank,
                order: columns.order.and(orders.next()),
                kind: kinds.next().flatten(),
                peer: peers.next().flatten(),
                bytes: sizes.next().flatten(),
                wait: waits.next().flatten(),
                gap: gaps.next().flatten(),
            };
            cells.read(MistakePlace::Row(*row), collector);
            *row += 1;
        }
    }
    Ok(())
}

/// The cells of a row; `None` where they are empty.
struct Cells {
    rank: Option<i128>,
    /// The outer one is `None` where there is no such column.
    order: Option<Option<i128>>,
    kind: Option<ByteArray>,
    peer: Option<i128>,
    bytes: Option<i128>,
    wait: Option<i128>,
    gap: Option<f64>,
}

impl Cells {
    fn read(self, place: MistakePlace, collector: &mut Collector) {
        let rank = number("rank", self.rank, place, collector);
        let rank = rank.and_then(|rank| collector.rank(rank, place, "rank"));
        let kind = self.kind.as_ref().map(ByteArray::data);
        // A pause has no other side.
        let peer = match kind {
            Some(b"pause") => None,
            _ => number("peer", self.peer, place, collector),
        };
        let peer = peer.and_then(|peer| collector.rank(peer, place, "peer"));
        let order = match self.order {
            Some(order) => match number("order", order, place, collector) {
                Some(order) => Some(order),
                None => return,
            },
            None => None,
        };
        let gap = match self.gap.map(Gap::new) {
            Some(None) => {
                let what = format!("gap must be a number from 0 to {}", Gap::MOST);
                return collector.mistakes.add(place, "", what);
            }
            Some(gap) => gap,
            None => None,
        };
        let entry = match kind {
            Some(kind @ (b"send" | b"post")) => {
                let bytes = number("bytes", self.bytes, place, collector);
                let wait = number("wait_ps", self.wait.or(Some(0)), place, collector);
                let (Some(to), Some(bytes), Some(wait)) = (peer, bytes, wait) else { return };
                let (bytes, wait) = (Bytes(bytes), Duration::from_ps(wait));
                if kind == b"post" {
                    Entry::Post { to, bytes, wait }
                } else {
                    Entry::Send { to, bytes, wait }
                }
            }
            Some(b"await") => {
                if self.bytes.unwrap_or(0) != 0 || self.wait.unwrap_or(0) != 0 || gap.is_some() {
                    let what = "an await has neither bytes nor wait_ps nor gap: they must be 0 or empty";
                    collector.mistakes.add(place, "", what);
                }
                let Some(from) = peer else { return };
                Entry::Await { from }
            }
            Some(b"pause") => {
                if self.bytes.unwrap_or(0) != 0 || gap.is_some() {
                    let what = "a pause has neither bytes nor gap: they must be 0 or empty";
                    collector.mistakes.add(place, "", what);
                }
                let Some(time) = number("wait_ps", self.wait, place, collector) else { return };
                Entry::Pause { time: Duration::from_ps(time) }
            }
            other => {
                let text = String::from_utf8_lossy(other.unwrap_or_default());
                let what = format!("kind = {text:?} must be \"send\", \"post\", \"await\" or \"pause\"");
                return collector.mistakes.add(place, "", what);
            }
        };
        if let Some(rank) = rank {
            collector.add(rank, Row { number: order, entry, gap }, place, "");
        }
    }
}

/// A number that is not negative; anything else is a mistake.
fn number(name: &str, cell: Option<i128>, place: MistakePlace, collector: &mut Collector) -> Option<u64> {
    let number = cell.and_then(|cell| u64::try_from(cell).ok());
    if number.is_none() {
        let what = match cell {
            Some(cell) => format!("{name} = {cell} must be a whole number, at least 0"),
            None => format!("{name} is empty"),
        };
        collector.mistakes.add(place, "", what);
    }
    number
}
