//! The Parquet form: a row per entry.
//!
//! Columns: `rank` (unsigned 32 bits), `order` (unsigned 64 bits), `kind` (the text `send`, `post`, `await` or `pause`),
//! `peer` (unsigned 32 bits), `bytes`, `wait_ps` (unsigned 64 bits; 0 in an await), `gap` (a double, empty where the
//! machine says it). The metadata of the file have `weir.pattern` (the version, 1), `weir.ranks`, `weir.title` and a
//! checksum ([`seal`](crate::seal)).

mod columns;
mod ended;
pub(crate) mod file;
mod pages;

use crate::collector::{self, Collector, MOST_RANKS};
use crate::{MistakePlace, PatternFile, ReadError, Written, quantity};
pub(crate) use columns::read_records;
use columns::{Cells, Column, Kind};
pub(crate) use pages::column;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader};
use std::fs::File;
use std::io::{self, Write};
use weir_columns::{Group, Optional};
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

/// Writes a pattern.
pub(crate) fn write(order: &dyn Order, title: &str, out: impl Write + Send) -> io::Result<Written> {
    write_table(order, title, out).map_err(io::Error::other)
}

fn write_table(order: &dyn Order, title: &str, out: impl Write + Send) -> Result<Written> {
    let metadata = [
        (VERSION_KEY, VERSION.to_owned()),
        (RANKS_KEY, order.ranks().to_string()),
        (TITLE_KEY, title.to_owned()),
    ];
    let mut writer = file::begin(out, SCHEMA, WriterProperties::builder(), metadata)?;
    let mut written = Written::default();
    let mut rows = Vec::new();
    for row in crate::entries(order) {
        written.count(row.2);
        rows.push(row);
        if rows.len() == GROUP {
            write_group(&mut rows, &mut writer)?;
        }
    }
    write_group(&mut rows, &mut writer)?;
    file::end(writer)?;
    Ok(written)
}

/// Writes rows as a row group, if there are any, and forgets them.
fn write_group<W: Write + Send>(
    rows: &mut Vec<(Rank, u64, Entry, Option<Gap>)>,
    writer: &mut file::Writer<W>,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut gaps = Optional::default();
    gaps.extend(rows.iter().map(|(.., gap)| gap.map(Gap::packet_times)));
    let mut ranks = rows.iter().map(|(rank, ..)| rank.0.cast_signed()).collect();
    let mut orders = rows.iter().map(|(_, order, ..)| order.cast_signed()).collect();
    let (mut kinds, mut peers) = (Vec::new(), Vec::new());
    let (mut sizes, mut waits) = (Vec::new(), Vec::new());
    for (rank, _, entry, _) in rows.drain(..) {
        let (kind, peer, bytes, wait) = match entry {
            Entry::Send { to, bytes, wait } => ("send", to, bytes, wait),
            Entry::Post { to, bytes, wait } => ("post", to, bytes, wait),
            Entry::Await { from } => ("await", from, Bytes::ZERO, Duration::ZERO),
            Entry::Pause { time } => ("pause", rank, Bytes::ZERO, time),
        };
        kinds.push(kind.into());
        peers.push(peer.0.cast_signed());
        sizes.push(bytes.0.cast_signed());
        waits.push(wait.as_ps().cast_signed());
    }
    let mut group = Group::begin(writer)?;
    group.all::<Int32Type>(&mut ranks)?;
    group.all::<Int64Type>(&mut orders)?;
    group.all::<ByteArrayType>(&mut kinds)?;
    group.all::<Int32Type>(&mut peers)?;
    group.all::<Int64Type>(&mut sizes)?;
    group.all::<Int64Type>(&mut waits)?;
    group.some::<DoubleType>(&mut gaps)?;
    group.end()
}

/// Reads a pattern.
pub(crate) fn read(file: File) -> std::result::Result<PatternFile, ReadError> {
    file::read(file, |reader| {
        let mut collector = Collector::default();
        read_metadata(reader, &mut collector);
        if let Some(columns) = Columns::find(reader, &mut collector) {
            let mut row = 0;
            file::each_batch(
                reader,
                |group| columns.open(group),
                |columns, count| columns.read(count, &mut row, &mut collector),
            )?;
        }
        collector.finish()
    })
}

fn read_metadata(reader: &file::Reader, collector: &mut Collector) {
    match file::value(reader, VERSION_KEY) {
        Some(VERSION) => {}
        Some(other) => {
            let what = format!("{VERSION_KEY} = {other:?} must be {VERSION:?}: weir knows no other version");
            collector.mistakes.add(MistakePlace::File, "", what);
        }
        None => no_metadata(VERSION_KEY, collector),
    }
    match file::value(reader, RANKS_KEY) {
        Some(text) => match quantity::whole(text).filter(|ranks| (1..=MOST_RANKS).contains(ranks)) {
            Some(ranks) => collector.set_ranks(u32::try_from(ranks).expect("the range fits")),
            None => {
                let what = format!("{RANKS_KEY} = {text:?} must be a whole number from 1 to {MOST_RANKS}");
                collector.mistakes.add(MistakePlace::File, "", what);
            }
        },
        None => no_metadata(RANKS_KEY, collector),
    }
    file::value(reader, TITLE_KEY).unwrap_or_default().clone_into(&mut collector.title);
}

fn no_metadata(key: &str, collector: &mut Collector) {
    let what = format!("the metadata of the file have no {key}; {METADATA_HINT}");
    collector.mistakes.add(MistakePlace::File, "", what);
}

/// The columns of a table: their places, or the cells that are to be read.
struct Columns<Numbers, Texts, Reals> {
    rank: Numbers,
    order: Option<Numbers>,
    kind: Texts,
    peer: Numbers,
    bytes: Numbers,
    wait: Option<Numbers>,
    gap: Option<Reals>,
}

impl Columns<Column, Column, Column> {
    /// `None` if one is missing or of the wrong type, which is a mistake.
    fn find(reader: &file::Reader, collector: &mut Collector) -> Option<Self> {
        let schema = reader.metadata().file_metadata().schema_descr();
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

    fn open(&self, group: &dyn RowGroupReader) -> Result<Columns<Cells<i128>, Cells<ByteArray>, Cells<f64>>> {
        let numbers = |column: Column| column.numbers(group);
        Ok(Columns {
            rank: numbers(self.rank)?,
            order: self.order.map(numbers).transpose()?,
            kind: self.kind.texts(group)?,
            peer: numbers(self.peer)?,
            bytes: numbers(self.bytes)?,
            wait: self.wait.map(numbers).transpose()?,
            gap: self.gap.map(|column| column.reals(group)).transpose()?,
        })
    }
}

impl Columns<Cells<i128>, Cells<ByteArray>, Cells<f64>> {
    fn read(&mut self, count: usize, row: &mut u64, collector: &mut Collector) -> Result<()> {
        /// The cells of a column that may be missing.
        fn optional<V>(cells: &mut Option<Cells<V>>, count: usize) -> Result<std::vec::IntoIter<Option<V>>> {
            Ok(cells.as_mut().map(|read| read(count)).transpose()?.unwrap_or_default().into_iter())
        }
        let mut orders = optional(&mut self.order, count)?;
        let mut kinds = (self.kind)(count)?.into_iter();
        let mut peers = (self.peer)(count)?.into_iter();
        let mut sizes = (self.bytes)(count)?.into_iter();
        let mut waits = optional(&mut self.wait, count)?;
        let mut gaps = optional(&mut self.gap, count)?;
        for rank in (self.rank)(count)? {
            let cells = Row {
                rank,
                order: orders.next(),
                kind: kinds.next().flatten(),
                peer: peers.next().flatten(),
                bytes: sizes.next().flatten(),
                wait: waits.next().flatten(),
                gap: gaps.next().flatten(),
            };
            cells.read(MistakePlace::Row(*row), collector);
            *row += 1;
        }
        Ok(())
    }
}

/// The cells of a row; `None` where they are empty.
struct Row {
    rank: Option<i128>,
    /// The outer one is `None` where there is no such column.
    order: Option<Option<i128>>,
    kind: Option<ByteArray>,
    peer: Option<i128>,
    bytes: Option<i128>,
    wait: Option<i128>,
    gap: Option<f64>,
}

impl Row {
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
            collector.add(rank, collector::Row { number: order, entry, gap }, place, "");
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
