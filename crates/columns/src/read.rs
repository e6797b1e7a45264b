//! Reads columns of any table, a row group at a time.

use crate::unless_damaged;
use parquet::basic::LogicalType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;

/// The values of a column in a row group, by row.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Whole numbers; those of 64 bits without a sign that are larger than the largest with one are this.
    Whole(Vec<Option<i64>>),
    /// Floating-point numbers.
    Real(Vec<Option<f64>>),
    /// Texts; empty where there is none.
    Texts(Vec<String>),
    /// Lists of whole numbers; empty where there is none.
    Lists(Vec<Vec<i64>>),
}

/// A file that is read.
#[expect(missing_debug_implementations, reason = "the reader of Parquet has none")]
pub struct TableFile(SerializedFileReader<File>);

impl TableFile {
    /// Opens a file and reads what it says about itself.
    ///
    /// # Errors
    /// When it cannot be opened, or is not Parquet: the reason.
    pub fn open(path: &Path) -> std::result::Result<Self, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        whole(|| SerializedFileReader::new(file).map(Self))
    }

    /// The names of its columns, in their order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let schema = self.0.metadata().file_metadata().schema();
        schema.get_fields().iter().map(|field| field.name().to_owned()).collect()
    }

    /// Notes of its writer: keys and values.
    #[must_use]
    pub fn notes(&self) -> Vec<(String, String)> {
        let notes = self.0.metadata().file_metadata().key_value_metadata();
        let pairs = notes.into_iter().flatten();
        pairs.map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default())).collect()
    }

    /// Its row groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.0.num_row_groups()
    }

    /// A column of a row group.
    ///
    /// # Errors
    /// When there is no such column, it is of a kind that no table of weir has, or the file is damaged: the reason.
    pub fn column(&self, group: usize, name: &str) -> std::result::Result<Column, String> {
        whole(|| self.read(group, name))
    }

    fn read(&self, group: usize, name: &str) -> Result<Column> {
        let schema = self.0.metadata().file_metadata().schema_descr();
        let found = (0..schema.num_columns()).find(|&index| schema.column(index).path().parts()[0] == name);
        let index = found.ok_or_else(|| ParquetError::General(format!("there is no column {name}")))?;
        let column = schema.column(index);
        let unsigned =
            matches!(column.logical_type_ref(), Some(LogicalType::Integer(integer)) if !integer.is_signed);
        let group = self.0.get_row_group(group)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let narrow = |value: i32| if unsigned { i64::from(value.cast_unsigned()) } else { i64::from(value) };
        let long = |value: i64| if unsigned && value < 0 { i64::MAX } else { value };
        let full = column.max_def_level();
        let listed = column.max_rep_level() > 0;
        Ok(match group.get_column_reader(index)? {
            ColumnReader::Int32ColumnReader(reader) if listed => {
                Column::Lists(Cells::read(reader, rows)?.lists(full, narrow))
            }
            ColumnReader::Int64ColumnReader(reader) if listed => {
                Column::Lists(Cells::read(reader, rows)?.lists(full, long))
            }
            ColumnReader::Int32ColumnReader(reader) => {
                Column::Whole(Cells::read(reader, rows)?.values(full, narrow))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                Column::Whole(Cells::read(reader, rows)?.values(full, long))
            }
            ColumnReader::FloatColumnReader(reader) => {
                Column::Real(Cells::read(reader, rows)?.values(full, f64::from))
            }
            ColumnReader::DoubleColumnReader(reader) => {
                Column::Real(Cells::read(reader, rows)?.values(full, |value| value))
            }
            ColumnReader::ByteArrayColumnReader(reader) if !listed => {
                let cells = Cells::read(reader, rows)?;
                let texts = cells.values(full, |text| String::from_utf8_lossy(text.data()).into_owned());
                Column::Texts(texts.into_iter().map(Option::unwrap_or_default).collect())
            }
            _ => {
                return Err(ParquetError::General(format!(
                    "the column {name} is of a kind that is not read"
                )));
            }
        })
    }
}

/// Returns the value that is read, or the reason why it cannot be read.
fn whole<T>(read: impl FnOnce() -> Result<T>) -> std::result::Result<T, String> {
    let found = unless_damaged(read).unwrap_or_else(|| Err(ParquetError::General("it is damaged".into())));
    found.map_err(|error| error.to_string())
}

/// Cells as Parquet has them.
struct Cells<T> {
    values: Vec<T>,
    levels: Vec<i16>,
    repeats: Vec<i16>,
}

impl<T> Cells<T> {
    fn read<D: DataType<T = T>>(mut reader: ColumnReaderImpl<D>, rows: usize) -> Result<Self> {
        let mut cells = Self { values: Vec::new(), levels: Vec::new(), repeats: Vec::new() };
        let mut done = 0;
        while done < rows {
            let Self { values, levels, repeats } = &mut cells;
            let (read, _, _) = reader.read_records(rows - done, Some(levels), Some(repeats), values)?;
            if read == 0 {
                return Err(ParquetError::General("a column is too short".into()));
            }
            done += read;
        }
        Ok(cells)
    }

    /// One value a row; the level `full` is that of one that is there.
    fn values<V>(self, full: i16, value: impl Fn(T) -> V) -> Vec<Option<V>> {
        let mut values = self.values.into_iter().map(value);
        if full == 0 {
            return values.map(Some).collect();
        }
        self.levels.iter().map(|&level| if level == full { values.next() } else { None }).collect()
    }

    fn lists<V>(self, full: i16, value: impl Fn(T) -> V) -> Vec<Vec<V>> {
        let mut values = self.values.into_iter().map(value);
        let mut lists: Vec<Vec<V>> = Vec::new();
        for (&level, &repeat) in self.levels.iter().zip(&self.repeats) {
            if repeat == 0 {
                lists.push(Vec::new());
            }
            if level == full
                && let Some(list) = lists.last_mut()
            {
                list.extend(values.next());
            }
        }
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Group, Lists, Optional, Texts};
    use parquet::data_type::{DoubleType, Int32Type, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    /// Every kind of column, in two row groups, with and without values.
    #[test]
    fn columns_come_back() {
        let schema = "message all {
            REQUIRED INT32 narrow (INTEGER(32, false));
            OPTIONAL INT64 long (INTEGER(64, true));
            OPTIONAL DOUBLE real;
            REQUIRED BYTE_ARRAY text (STRING);
            REQUIRED GROUP list (LIST) { REPEATED GROUP list { REQUIRED INT32 element (INTEGER(32, false)); } }
        }";
        let path = std::env::temp_dir().join(format!("weir-columns-{}.parquet", std::process::id()));
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let file = File::create(&path).unwrap();
        let properties = Arc::new(WriterProperties::builder().build());
        let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
        for _ in 0..2 {
            let mut group = Group::begin(&mut writer).unwrap();
            group.all::<Int32Type>(&mut vec![1, u32::MAX.cast_signed(), 3]).unwrap();
            let mut long = Optional::default();
            long.extend([Some(-7), None, Some(i64::MAX)]);
            group.some::<Int64Type>(&mut long).unwrap();
            let mut real = Optional::default();
            real.extend([None, Some(0.5), None]);
            group.some::<DoubleType>(&mut real).unwrap();
            let mut texts = Texts::default();
            ["a", "", "é"].iter().for_each(|text| texts.push(|all| all.push_str(text)));
            group.texts(&mut texts).unwrap();
            let mut lists = Lists::default();
            [&[1, 2][..], &[], &[u32::MAX]].iter().for_each(|list| lists.push(list));
            group.lists(&mut lists).unwrap();
            group.end().unwrap();
        }
        writer.close().unwrap();

        let table = TableFile::open(&path).unwrap();
        assert_eq!(table.names(), ["narrow", "long", "real", "text", "list"]);
        assert_eq!(table.groups(), 2);
        let most = i64::from(u32::MAX);
        for group in 0..2 {
            let column = |name| table.column(group, name).unwrap();
            assert_eq!(column("narrow"), Column::Whole(vec![Some(1), Some(most), Some(3)]));
            assert_eq!(column("long"), Column::Whole(vec![Some(-7), None, Some(i64::MAX)]));
            assert_eq!(column("real"), Column::Real(vec![None, Some(0.5), None]));
            assert_eq!(column("text"), Column::Texts(["a", "", "é"].map(String::from).to_vec()));
            assert_eq!(column("list"), Column::Lists(vec![vec![1, 2], vec![], vec![most]]));
            assert!(table.column(group, "other").unwrap_err().contains("no column other"));
        }
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(TableFile::open(&path).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
