//! The Parquet form: a row per entry.
//!
//! Columns: `rank` (unsigned 32 bits), `order` (unsigned 64 bits), `kind` (the text `send`, `post`, `await` or `pause`),
//! `peer` (unsigned 32 bits), `bytes`, `wait_ps` (unsigned 64 bits; 0 in an await), `gap` (a double, empty where the
//! machine says it). The metadata of the file have `weir.pattern` (the version, 1), `weir.ranks`, `weir.title` and a
//! checksum ([`seal`](crate::seal)). Other programs may have written signed numbers, of 32 or 64 bits, and empty cells.

use crate::collector::{self, Collector};
use crate::form::{Form, of_file, other_kind};
use crate::seal::{self, Writer};
use crate::{MistakePlace, PatternFile, ReadError, Written};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io::{self, Write};
use weir_columns::{Column, Kind, Reading, TableFile, open_column, row};
use weir_units::{Bytes, Duration, Rank};
use weir_workload::{Entry, Gap, Sequence};

row! {
    struct EntryRow in "pattern" {
        rank: Rank,
        order: u64,
        kind: &'static str,
        peer: Rank,
        bytes: Bytes,
        wait_ps: Duration,
        gap: Option<f64>,
    }
}

const FORM: Form = Form {
    what: "a pattern",
    version: "weir.pattern",
    versions: &["1"],
    rows: "weir.entries",
    page: "pattern-files",
    hint: Some(
        "with pyarrow: table.replace_schema_metadata({\"weir.pattern\": \"1\", \"weir.ranks\": \"4\"})",
    ),
};

/// Rows that are written at a time: a row group.
const GROUP: usize = 1 << 17;

pub(crate) fn write(order: &dyn Sequence, title: &str, out: impl Write + Send) -> io::Result<Written> {
    write_table(order, title, out).map_err(io::Error::other)
}

fn write_table(order: &dyn Sequence, title: &str, out: impl Write + Send) -> Result<Written> {
    let metadata = FORM.begin(order.ranks(), title.to_owned());
    let mut writer = Writer::begin(out, WriterProperties::builder(), metadata)?;
    let mut written = Written::default();
    for (rank, order, entry, gap) in crate::entries(order) {
        written.count(entry);
        let (kind, peer, bytes, wait_ps) = match entry {
            Entry::Send { to, bytes, wait } => ("send", to, bytes, wait),
            Entry::Post { to, bytes, wait } => ("post", to, bytes, wait),
            Entry::Await { from } => ("await", from, Bytes::ZERO, Duration::ZERO),
            Entry::Pause { time } => ("pause", rank, Bytes::ZERO, time),
        };
        let gap = gap.map(Gap::packet_times);
        writer.push(EntryRow { rank, order, kind, peer, bytes, wait_ps, gap });
        if writer.rows() == GROUP {
            writer.end_group()?;
        }
    }
    writer.end(&[])?;
    Ok(written)
}

pub(crate) fn read(file: File) -> std::result::Result<PatternFile, ReadError> {
    seal::read(file, |table| {
        let mut collector = Collector::default();
        if let Some(what) = other_kind(&table.notes(), FORM.version) {
            let what = format!("it is {what} of weir, and no pattern: its metadata have no {}", FORM.version);
            collector.mistakes.add(MistakePlace::File, "", what);
            return collector.finish();
        }
        let notes = FORM.notes(table, &mut of_file(&mut collector.mistakes));
        notes.ranks.into_iter().for_each(|ranks| collector.set_ranks(ranks));
        collector.title = notes.title;
        if let Some(places) = find(table, &mut collector) {
            read_rows(table, &places, &mut collector)?;
        }
        collector.finish()
    })
}

/// The columns that are read, and whether each has to be there.
const COLUMNS: [(&str, Kind, bool); 7] = [
    ("rank", Kind::Whole, true),
    ("order", Kind::Whole, false),
    ("kind", Kind::Texts, true),
    ("peer", Kind::Whole, true),
    ("bytes", Kind::Whole, true),
    ("wait_ps", Kind::Whole, false),
    ("gap", Kind::Real, false),
];

/// The places of the columns, or nothing if one is missing or of the wrong type, which is a mistake.
fn find(table: &TableFile, collector: &mut Collector) -> Option<[Option<usize>; 7]> {
    let in_words = |kind| match kind {
        Some(Kind::Whole) => "whole numbers",
        Some(Kind::Real) => "floating-point numbers",
        Some(Kind::Texts) => "texts",
        Some(Kind::Lists) | None => "something else",
    };
    let mut is_ours = true;
    let places = COLUMNS.map(|(name, kind, needed)| {
        let what = match table.find(name) {
            Some((place, Some(found))) if found == kind => return Some(place),
            Some((_, found)) => {
                format!("the column {name} must hold {}, not {}", in_words(Some(kind)), in_words(found))
            }
            None if needed => format!("the column {name} is missing"),
            None => return None,
        };
        is_ours = false;
        collector.mistakes.add(MistakePlace::File, "", what);
        None
    });
    is_ours.then_some(places)
}

fn read_rows(table: &TableFile, places: &[Option<usize>; 7], collector: &mut Collector) -> Result<()> {
    let mut place = 0;
    table.each_batch(
        |group| {
            let open = |place: &Option<usize>| place.map(|place| open_column(group, place)).transpose();
            places.iter().map(open).collect::<Result<Vec<_>>>()
        },
        |columns, count| {
            let read = |column: &mut Option<Reading>| column.as_mut().map(|of| of(count)).transpose();
            let columns = columns.iter_mut().map(read).collect::<Result<Vec<_>>>()?;
            for row in 0..count {
                let whole = |column: usize| match &columns[column] {
                    Some(Column::Whole(cells)) => cells[row],
                    _ => None,
                };
                let cells = Row {
                    rank: whole(0),
                    order: columns[1].is_some().then(|| whole(1)),
                    kind: match &columns[2] {
                        Some(Column::Texts(cells)) => cells[row].as_ref().map(|text| text.data()),
                        _ => None,
                    },
                    peer: whole(3),
                    bytes: whole(4),
                    wait: whole(5),
                    gap: if let Some(Column::Real(cells)) = &columns[6] { cells[row] } else { None },
                };
                cells.read(MistakePlace::Row(place), collector);
                place += 1;
            }
            Ok(())
        },
    )
}

/// The cells of a row; `None` where they are empty.
struct Row<'a> {
    rank: Option<i128>,
    /// The outer one is `None` where there is no such column.
    order: Option<Option<i128>>,
    kind: Option<&'a [u8]>,
    peer: Option<i128>,
    bytes: Option<i128>,
    wait: Option<i128>,
    gap: Option<f64>,
}

impl Row<'_> {
    fn read(self, place: MistakePlace, collector: &mut Collector) {
        let rank = number("rank", self.rank, place, collector);
        let rank = rank.and_then(|rank| collector.rank(rank, place, "rank"));
        // A pause has no other side.
        let peer = match self.kind {
            Some(b"pause") => None,
            _ => number("peer", self.peer, place, collector),
        };
        let peer = peer.and_then(|peer| collector.rank(peer, place, "peer"));
        let order = self.order.map(|order| number("order", order, place, collector).ok_or(()));
        let Ok(order) = order.transpose() else { return };
        let Ok(gap) = self.gap.map(|gap| Gap::new(gap).ok_or(())).transpose() else {
            let what = format!("gap must be a number from 0 to {}", Gap::MOST);
            return collector.mistakes.add(place, "", what);
        };
        let entry = match self.kind {
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
