//! Reads columns of any table, a batch of rows or a row group at a time.
//!
//! The reader of Parquet takes for granted what a file says about itself. So at the end of a file reading is a mistake, or it
//! would skip what it does not know, element by element, as many as a damaged count says there are; and no dictionary has more
//! values than bytes, or room would be made for all that it only claims to have.

use bytes::Bytes;
use parquet::basic::{LogicalType, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, FileReader, Length, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Returns the result of `read`, which reads a Parquet file; `None` if the file is so damaged that the reader of Parquet panics.
pub fn unless_damaged<T>(read: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok()
}

fn general<T>(what: impl Into<String>) -> Result<T> {
    Err(ParquetError::General(what.into()))
}

/// Returns the value that is read, or the reason why it cannot be read.
fn whole<T>(read: impl FnOnce() -> Result<T>) -> std::result::Result<T, String> {
    unless_damaged(read).unwrap_or_else(|| general("it is damaged")).map_err(|error| error.to_string())
}

/// The type of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers of 32 or 64 bits, with a sign or without.
    Whole,
    /// Floating-point numbers of 32 or 64 bits.
    Real,
    /// Texts.
    Texts,
    /// Lists of whole numbers.
    Lists,
}

impl Kind {
    /// The kind of a column; `None` if no table of weir has such a one.
    pub fn of(column: &ColumnDescriptor) -> Option<Self> {
        let flat = column.max_rep_level() == 0;
        match column.physical_type() {
            Physical::INT32 | Physical::INT64 if !flat => Some(Self::Lists),
            _ if !flat || column.max_def_level() > 1 => None,
            Physical::INT32 | Physical::INT64 => Some(Self::Whole),
            Physical::FLOAT | Physical::DOUBLE => Some(Self::Real),
            Physical::BYTE_ARRAY => Some(Self::Texts),
            _ => None,
        }
    }
}

/// The values of a column in some rows, by row.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Whole numbers.
    Whole(Vec<Option<i128>>),
    /// Floating-point numbers.
    Real(Vec<Option<f64>>),
    /// Texts.
    Texts(Vec<Option<ByteArray>>),
    /// Lists of whole numbers; empty where there is none.
    Lists(Vec<Vec<i128>>),
}

impl Column {
    /// Texts, empty where there is none; `None` for another kind of column.
    pub fn into_texts(self) -> Option<Vec<String>> {
        let Self::Texts(texts) = self else { return None };
        let text = |text: ByteArray| String::from_utf8_lossy(text.data()).into_owned();
        Some(texts.into_iter().map(|cell| cell.map_or_else(String::new, text)).collect())
    }
}

/// A file that is read.
#[expect(missing_debug_implementations, reason = "the reader of Parquet has none")]
pub struct TableFile(pub SerializedFileReader<Ended>);

impl TableFile {
    /// Rows in a batch, at most.
    pub const BATCH: usize = 1 << 13;

    /// Opens a file and reads what it says about itself.
    ///
    /// # Errors
    /// When it cannot be opened, or is not Parquet: the reason.
    pub fn open(path: &Path) -> std::result::Result<Self, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        whole(|| Self::of(file))
    }

    /// Reads what an open file says about itself.
    ///
    /// # Errors
    /// When it is not Parquet.
    pub fn of(file: File) -> Result<Self> {
        SerializedFileReader::new(Ended(file)).map(Self)
    }

    /// The names of its columns, in their order.
    pub fn names(&self) -> Vec<String> {
        let schema = self.0.metadata().file_metadata().schema();
        schema.get_fields().iter().map(|field| field.name().to_owned()).collect()
    }

    /// Notes of its writer: keys and values.
    pub fn notes(&self) -> BTreeMap<String, String> {
        let notes = self.0.metadata().file_metadata().key_value_metadata().into_iter().flatten();
        notes.filter_map(|pair| Some((pair.key.clone(), pair.value.clone()?))).collect()
    }

    /// Its row groups.
    pub fn groups(&self) -> usize {
        self.0.num_row_groups()
    }

    /// The place and the kind of the column of this name, if there is one.
    pub fn find(&self, name: &str) -> Option<(usize, Option<Kind>)> {
        let schema = self.0.metadata().file_metadata().schema_descr();
        let place = schema.columns().iter().position(|column| column.path().parts()[0] == name)?;
        Some((place, Kind::of(&schema.column(place))))
    }

    /// A column of a row group.
    ///
    /// # Errors
    /// When there is no such column, it is of a kind that no table of weir has, or the file is damaged: the reason.
    pub fn column(&self, group: usize, name: &str) -> std::result::Result<Column, String> {
        whole(|| {
            let Some((place, _)) = self.find(name) else {
                return general(format!("there is no column {name}"));
            };
            let group = self.0.get_row_group(group)?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            open_column(&*group, place)?(rows)
        })
    }

    /// Reads one row group after the other in batches: `take` gets the columns that `open` has found and a number of rows.
    ///
    /// # Errors
    /// Those of reading, and of `take`.
    pub fn each_batch<C>(
        &self,
        open: impl Fn(&dyn RowGroupReader) -> Result<C>,
        mut take: impl FnMut(&mut C, usize) -> Result<()>,
    ) -> Result<()> {
        for group in 0..self.groups() {
            let group = self.0.get_row_group(group)?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let mut columns = open(&*group)?;
            for start in (0..rows).step_by(Self::BATCH) {
                take(&mut columns, Self::BATCH.min(rows - start))?;
            }
        }
        Ok(())
    }
}

/// The cells of a column of a row group, of the type that the column has: a batch of rows at a time.
#[expect(missing_debug_implementations, reason = "the reader of Parquet has none")]
pub struct Cells<D: DataType> {
    reader: ColumnReaderImpl<D>,
    /// The level of a value that is there; 0 where all are.
    full: i16,
    values: Vec<D::T>,
    levels: Vec<i16>,
    repetitions: Vec<i16>,
    /// The next value and the next level.
    value: usize,
    level: usize,
}

impl<D: DataType> Cells<D> {
    /// Opens the column at a place.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn open(group: &dyn RowGroupReader, place: usize) -> Result<Self> {
        let column = group.metadata().column(place);
        let first = column.dictionary_page_offset().unwrap_or(0);
        let numbers = [first, column.data_page_offset(), column.compressed_size(), column.num_values()];
        if group.metadata().num_rows() < 0 || numbers.iter().any(|&number| number < 0) {
            return general("a place or a count is negative");
        }
        let pages = Box::new(Pages(group.get_column_page_reader(place)?));
        let reader = ColumnReaderImpl::new(column.column_descr_ptr(), pages);
        let (full, values) = (column.column_descr().max_def_level(), Vec::new());
        let (levels, repetitions) = (Vec::new(), Vec::new());
        Ok(Self { reader, full, values, levels, repetitions, value: 0, level: 0 })
    }

    /// Reads the next rows, so many.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn read(&mut self, rows: usize) -> Result<()> {
        let Self { reader, values, levels, repetitions, .. } = self;
        values.clear();
        levels.clear();
        repetitions.clear();
        (self.value, self.level) = (0, 0);
        let mut done = 0;
        while done < rows {
            let (read, ..) = reader.read_records(rows - done, Some(levels), Some(repetitions), values)?;
            if read == 0 {
                return general("a column is too short");
            }
            done += read;
        }
        Ok(())
    }

    /// The values of the rows that were read, where none is empty.
    pub fn values(&self) -> &[D::T] {
        &self.values
    }

    #[inline]
    fn next_value(&mut self) -> Option<&D::T> {
        self.value += 1;
        self.values.get(self.value - 1)
    }

    /// The cell of the next row that was read; `None` if it is empty.
    #[inline]
    pub fn cell(&mut self) -> Option<&D::T> {
        if self.full > 0 {
            self.level += 1;
            if self.levels.get(self.level - 1) != Some(&self.full) {
                return None;
            }
        }
        self.next_value()
    }

    /// The list of the next row that was read; `None` if there is none, not even an empty one.
    pub fn list(&mut self) -> Option<Vec<D::T>> {
        let level = self.levels.get(self.level).copied().unwrap_or(0);
        self.level += 1;
        if level < self.full {
            return (level + 1 == self.full).then(Vec::new);
        }
        let mut list: Vec<D::T> = self.next_value().cloned().into_iter().collect();
        while self.repetitions.get(self.level) == Some(&1) {
            self.level += 1;
            list.extend(self.next_value().cloned());
        }
        Some(list)
    }
}

/// Reads the next rows of a column of any kind, so many; fails when the file is damaged.
pub type Reading = Box<dyn FnMut(usize) -> Result<Column>>;

/// Opens the column at a place.
///
/// # Errors
/// When it is of a kind that no table of weir has, or the file is damaged.
pub fn open_column(group: &dyn RowGroupReader, place: usize) -> Result<Reading> {
    let column = group.metadata().schema_descr().column(place);
    let unsigned =
        matches!(column.logical_type_ref(), Some(LogicalType::Integer(integer)) if !integer.is_signed);
    let narrow = move |n: i32| if unsigned { i128::from(n.cast_unsigned()) } else { i128::from(n) };
    let wide = move |n: i64| if unsigned { i128::from(n.cast_unsigned()) } else { i128::from(n) };
    match (Kind::of(&column), column.physical_type()) {
        (Some(Kind::Lists), Physical::INT32) => lists::<Int32Type>(group, place, narrow),
        (Some(Kind::Lists), _) => lists::<Int64Type>(group, place, wide),
        (Some(Kind::Whole), Physical::INT32) => cells::<Int32Type, _>(group, place, narrow, Column::Whole),
        (Some(Kind::Whole), _) => cells::<Int64Type, _>(group, place, wide, Column::Whole),
        (Some(Kind::Real), Physical::FLOAT) => cells::<FloatType, _>(group, place, f64::from, Column::Real),
        (Some(Kind::Real), _) => cells::<DoubleType, _>(group, place, |n| n, Column::Real),
        (Some(Kind::Texts), _) => cells::<ByteArrayType, _>(group, place, |n| n, Column::Texts),
        (None, _) => general(format!("the column {} is of a kind that is not read", column.name())),
    }
}

fn cells<D: DataType, V: 'static>(
    group: &dyn RowGroupReader,
    place: usize,
    value: impl Fn(D::T) -> V + 'static,
    column: fn(Vec<Option<V>>) -> Column,
) -> Result<Reading> {
    let mut cells = Cells::<D>::open(group, place)?;
    Ok(Box::new(move |rows| {
        cells.read(rows)?;
        Ok(column((0..rows).map(|_| cells.cell().cloned().map(&value)).collect()))
    }))
}

fn lists<D: DataType>(
    group: &dyn RowGroupReader,
    place: usize,
    value: impl Fn(D::T) -> i128 + 'static,
) -> Result<Reading> {
    let mut cells = Cells::<D>::open(group, place)?;
    Ok(Box::new(move |rows| {
        cells.read(rows)?;
        let list = |_| cells.list().into_iter().flatten().map(&value).collect();
        Ok(Column::Lists((0..rows).map(list).collect()))
    }))
}

/// A file at whose end reading is a mistake.
#[derive(Debug)]
pub struct Ended(File);

impl Read for Ended {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(into)?;
        if read == 0 && !into.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends too early"));
        }
        Ok(read)
    }
}

impl Length for Ended {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Ended {
    type T = BufReader<Self>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(Self(self.0.get_read(start)?.into_inner())))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

/// The pages of a column, of which no dictionary has more values than bytes.
struct Pages(Box<dyn PageReader>);

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        match self.0.get_next_page()? {
            Some(Page::DictionaryPage { buf, num_values, .. }) if num_values as usize > buf.len() => {
                general(format!("a dictionary of {num_values} values in {} bytes", buf.len()))
            }
            page => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Row, row};
    use parquet::basic::Encoding;
    use parquet::file::properties::{EnabledStatistics, WriterProperties};
    use parquet::file::writer::SerializedFileWriter;
    use std::sync::Arc;

    row! {
        /// Every kind of column.
        struct All in "all" {
            narrow: u32 [Steps, Sorted],
            long: Option<u64> [Plain],
            real: Option<f64> [Split],
            text: &'static str [Repeated],
        }
    }

    row! {
        /// Lists.
        struct Lists in "lists" {
            list: &'static [u32],
            perhaps: Option<Vec<i64>>,
        }
    }

    const TEXTS: [&str; 5] = ["a", "", "\u{e9}", "long", "b"];
    const NUMBERS: [u32; 4] = [1, u32::MAX, 7, 8];

    /// Row number `n` of the test.
    fn row(n: usize) -> (All, Lists) {
        let long = (!n.is_multiple_of(3)).then_some((1 << 63) + n as u64);
        let real = n.is_multiple_of(7).then_some(n as f64 / 2.0);
        let perhaps =
            (!n.is_multiple_of(4)).then(|| (1..n as i64 % 4).map(|place| place - n as i64).collect());
        let all = All { narrow: u32::MAX - n as u32, long, real, text: TEXTS[n % TEXTS.len()] };
        (all, Lists { list: &NUMBERS[..n % 5], perhaps })
    }

    /// All columns of rows, as they are read.
    fn columns(rows: std::ops::Range<usize>) -> [Column; 6] {
        let rows = || rows.clone().map(row);
        let signed = |long: Option<u64>| long.map(|number| i128::from(number.cast_signed()));
        let whole = |list: Vec<i64>| list.into_iter().map(i128::from).collect();
        [
            Column::Whole(rows().map(|(all, _)| Some(all.narrow.into())).collect()),
            Column::Whole(rows().map(|(all, _)| signed(all.long)).collect()),
            Column::Real(rows().map(|(all, _)| all.real).collect()),
            Column::Texts(rows().map(|(all, _)| Some(all.text.into())).collect()),
            Column::Lists(
                rows().map(|(_, lists)| lists.list.iter().copied().map(i128::from).collect()).collect(),
            ),
            Column::Lists(rows().map(|(_, lists)| lists.perhaps.map_or_else(Vec::new, whole)).collect()),
        ]
    }

    /// Every kind of column, with and without values, in row groups of several sizes: a group at once, and batch by batch.
    #[test]
    fn columns_come_back() {
        const NAMES: [&str; 6] = ["narrow", "long", "real", "text", "list", "perhaps"];
        let path = std::env::temp_dir().join(format!("weir-columns-{}.parquet", std::process::id()));
        let simple = WriterProperties::builder().set_dictionary_enabled(false);
        let properties =
            <(All, Lists)>::properties(simple.set_statistics_enabled(EnabledStatistics::None)).build();
        let schema = <(All, Lists)>::schema().unwrap();
        let mut writer =
            SerializedFileWriter::new(File::create(&path).unwrap(), schema, Arc::new(properties)).unwrap();
        let groups = [0..3, 3..3, 3..20_000, 20_000..20_008];
        let mut memory = <(All, Lists) as Row>::Columns::default();
        for rows in groups.clone() {
            rows.clone().for_each(|n| row(n).push(&mut memory));
            assert_eq!(<(All, Lists)>::count(&memory), rows.len());
            assert_eq!(
                [crate::Stored::count(&memory.0.3), crate::Stored::count(&memory.1.0)],
                [rows.len(); 2]
            );
            let mut group = writer.next_row_group().unwrap();
            <(All, Lists)>::write(&mut memory, &mut group).unwrap();
            group.close().unwrap();
        }
        writer.close().unwrap();

        let table = TableFile::open(&path).unwrap();
        assert_eq!((table.names(), table.groups()), (NAMES.map(str::to_owned).to_vec(), 4));
        let written = table.0.metadata().row_group(2);
        let has = |place: usize, encoding| written.column(place).encodings().any(|found| found == encoding);
        let has = |encoding| (0..6).filter(|&place| has(place, encoding)).collect::<Vec<_>>();
        let encodings =
            [Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT, Encoding::RLE_DICTIONARY];
        assert_eq!(encodings.map(has), [[0], [2], [3]]);
        let bounded = (0..6).filter(|&place| written.column(place).statistics().is_some());
        assert_eq!(bounded.collect::<Vec<_>>(), [0]);
        for (group, rows) in groups.into_iter().enumerate() {
            for (name, expected) in NAMES.iter().zip(columns(rows)) {
                assert_eq!(table.column(group, name), Ok(expected), "{name}, group {group}");
            }
            assert!(table.column(group, "other").unwrap_err().contains("no column other"));
        }
        let mut read = 0;
        let open = |group: &dyn RowGroupReader| {
            (0..6).map(|place| open_column(group, place)).collect::<Result<Vec<_>>>()
        };
        let batch = |readings: &mut Vec<Reading>, rows: usize| {
            for (reading, expected) in readings.iter_mut().zip(columns(read..read + rows)) {
                assert_eq!(reading(rows)?, expected);
            }
            read += rows;
            Ok(())
        };
        table.each_batch(open, batch).unwrap();
        assert_eq!(read, 20_008);
        let mut lists = Cells::<Int64Type>::open(&*table.0.get_row_group(0).unwrap(), 5).unwrap();
        lists.read(3).unwrap();
        assert_eq!([0; 3].map(|_| lists.list()), [None, Some(vec![]), Some(vec![-1])]);
        let texts = table.column(0, "text").unwrap().into_texts();
        assert_eq!(texts, Some(TEXTS[..3].iter().map(|&text| text.to_owned()).collect()));
        assert_eq!(table.column(0, "narrow").unwrap().into_texts(), None);

        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(TableFile::open(&path).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
