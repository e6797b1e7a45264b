//! Columns of whole numbers, of real numbers and of texts, as other programs may have written them: signed or not, 32 or 64
//! bits, with or without empty cells.

use parquet::basic::{LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::SchemaDescriptor;

/// The type of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whole numbers of 32 or 64 bits.
    Numbers,
    /// Floating-point numbers of 32 or 64 bits.
    Reals,
    Texts,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Numbers => "whole numbers",
            Self::Reals => "floating-point numbers",
            Self::Texts => "texts",
        }
    }
}

/// The place of a column, and the form of its cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    index: usize,
    can_be_empty: bool,
    unsigned: bool,
}

/// Reads the next so many cells of a column.
pub(super) type Cells<V> = Box<dyn FnMut(usize) -> Result<Vec<Option<V>>>>;

impl Column {
    /// The column of this name, if there is one.
    ///
    /// # Errors
    /// Says what is wrong when it is of another type.
    pub(super) fn find(
        schema: &SchemaDescriptor,
        name: &str,
        expected: Kind,
    ) -> std::result::Result<Option<Self>, String> {
        let Some(index) = schema.columns().iter().position(|column| column.path().string() == name) else {
            return Ok(None);
        };
        let column = schema.column(index);
        let found = match column.physical_type() {
            Type::BYTE_ARRAY => Some(Kind::Texts),
            Type::INT32 | Type::INT64 => Some(Kind::Numbers),
            Type::FLOAT | Type::DOUBLE => Some(Kind::Reals),
            _ => None,
        };
        if found != Some(expected) || column.max_rep_level() > 0 || column.max_def_level() > 1 {
            let found = found.map_or("something else", Kind::name);
            return Err(format!("the column {name} must hold {}, not {found}", expected.name()));
        }
        let unsigned =
            matches!(column.logical_type_ref(), Some(LogicalType::Integer(integer)) if !integer.is_signed);
        Ok(Some(Self { index, can_be_empty: column.max_def_level() == 1, unsigned }))
    }

    pub(super) fn numbers(self, group: &dyn RowGroupReader) -> Result<Cells<i128>> {
        let narrow = move |n: i32| if self.unsigned { i128::from(n.cast_unsigned()) } else { i128::from(n) };
        let wide = move |n: i64| if self.unsigned { i128::from(n.cast_unsigned()) } else { i128::from(n) };
        Ok(match super::column(group, self.index)? {
            ColumnReader::Int32ColumnReader(reader) => self.cells(reader, narrow),
            ColumnReader::Int64ColumnReader(reader) => self.cells(reader, wide),
            _ => unreachable!("the type has been checked when the column was found"),
        })
    }

    pub(super) fn reals(self, group: &dyn RowGroupReader) -> Result<Cells<f64>> {
        Ok(match super::column(group, self.index)? {
            ColumnReader::FloatColumnReader(reader) => self.cells(reader, f64::from),
            ColumnReader::DoubleColumnReader(reader) => self.cells(reader, |real| real),
            _ => unreachable!("the type has been checked when the column was found"),
        })
    }

    pub(super) fn texts(self, group: &dyn RowGroupReader) -> Result<Cells<ByteArray>> {
        match super::column(group, self.index)? {
            ColumnReader::ByteArrayColumnReader(reader) => Ok(self.cells(reader, |text| text)),
            _ => unreachable!("the type has been checked when the column was found"),
        }
    }

    fn cells<T: DataType, V>(
        self,
        mut reader: ColumnReaderImpl<T>,
        value: impl Fn(T::T) -> V + 'static,
    ) -> Cells<V> {
        Box::new(move |count| {
            let (mut values, mut levels) = (Vec::with_capacity(count), Vec::new());
            read_records(&mut reader, count, &mut values, &mut levels, None)?;
            let mut values = values.into_iter().map(&value);
            if !self.can_be_empty {
                return Ok(values.map(Some).collect());
            }
            Ok(levels.into_iter().map(|level| if level == 1 { values.next() } else { None }).collect())
        })
    }
}

/// Reads so many rows of a column behind those that `values`, `levels` and `repeats` hold.
pub(crate) fn read_records<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    values: &mut Vec<T::T>,
    levels: &mut Vec<i16>,
    mut repeats: Option<&mut Vec<i16>>,
) -> Result<()> {
    let mut records = 0;
    while records < count {
        let (read, _, _) =
            reader.read_records(count - records, Some(levels), repeats.as_deref_mut(), values)?;
        if read == 0 {
            return Err(ParquetError::General("a column is too short".into()));
        }
        records += read;
    }
    Ok(())
}
