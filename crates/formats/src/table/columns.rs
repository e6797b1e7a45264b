//! Columns of whole numbers, of real numbers and of texts, as other programs may have written them: signed or not, 32 or 64 bits, with or
//! without empty cells.

use parquet::basic::{LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::SchemaDescriptor;

/// What a column holds.
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

/// Where a column is, and what is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    index: usize,
    can_be_empty: bool,
    unsigned: bool,
}

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

    /// The next cells.
    fn cells<T: DataType>(self, reader: &mut ColumnReaderImpl<T>, count: usize) -> Result<Vec<Option<T::T>>> {
        let (mut values, mut levels) = (Vec::with_capacity(count), Vec::new());
        let mut records = 0;
        while records < count {
            let (read, _, _) = reader.read_records(count - records, Some(&mut levels), None, &mut values)?;
            if read == 0 {
                return Err(ParquetError::General("a column is too short".into()));
            }
            records += read;
        }
        if !self.can_be_empty {
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        Ok(levels.into_iter().map(|level| if level == 1 { values.next() } else { None }).collect())
    }
}

/// A column of whole numbers.
pub(super) struct Numbers {
    column: Column,
    reader: Width,
}

enum Width {
    Int32(ColumnReaderImpl<Int32Type>),
    Int64(ColumnReaderImpl<Int64Type>),
}

impl Numbers {
    pub(super) fn open(group: &dyn RowGroupReader, column: Column) -> Result<Self> {
        let reader = match super::column(group, column.index)? {
            ColumnReader::Int32ColumnReader(reader) => Width::Int32(reader),
            ColumnReader::Int64ColumnReader(reader) => Width::Int64(reader),
            _ => unreachable!("the type has been checked when the column was found"),
        };
        Ok(Self { column, reader })
    }

    /// The next so many numbers.
    pub(super) fn read(&mut self, count: usize) -> Result<Vec<Option<i128>>> {
        let unsigned = self.column.unsigned;
        Ok(match &mut self.reader {
            Width::Int32(reader) => {
                let whole = |n: i32| if unsigned { i128::from(n.cast_unsigned()) } else { i128::from(n) };
                self.column.cells(reader, count)?.into_iter().map(|cell| cell.map(whole)).collect()
            }
            Width::Int64(reader) => {
                let whole = |n: i64| if unsigned { i128::from(n.cast_unsigned()) } else { i128::from(n) };
                self.column.cells(reader, count)?.into_iter().map(|cell| cell.map(whole)).collect()
            }
        })
    }
}

/// A column of floating-point numbers.
pub(super) struct Reals {
    column: Column,
    reader: Precision,
}

enum Precision {
    Single(ColumnReaderImpl<FloatType>),
    Double(ColumnReaderImpl<DoubleType>),
}

impl Reals {
    pub(super) fn open(group: &dyn RowGroupReader, column: Column) -> Result<Self> {
        let reader = match super::column(group, column.index)? {
            ColumnReader::FloatColumnReader(reader) => Precision::Single(reader),
            ColumnReader::DoubleColumnReader(reader) => Precision::Double(reader),
            _ => unreachable!("the type has been checked when the column was found"),
        };
        Ok(Self { column, reader })
    }

    /// The next so many numbers.
    pub(super) fn read(&mut self, count: usize) -> Result<Vec<Option<f64>>> {
        Ok(match &mut self.reader {
            Precision::Single(reader) => {
                self.column.cells(reader, count)?.into_iter().map(|cell| cell.map(f64::from)).collect()
            }
            Precision::Double(reader) => self.column.cells(reader, count)?,
        })
    }
}

/// A column of texts.
pub(super) struct Texts {
    column: Column,
    reader: ColumnReaderImpl<ByteArrayType>,
}

impl Texts {
    pub(super) fn open(group: &dyn RowGroupReader, column: Column) -> Result<Self> {
        match super::column(group, column.index)? {
            ColumnReader::ByteArrayColumnReader(reader) => Ok(Self { column, reader }),
            _ => unreachable!("the type has been checked when the column was found"),
        }
    }

    /// The next so many texts.
    pub(super) fn read(&mut self, count: usize) -> Result<Vec<Option<ByteArray>>> {
        self.column.cells(&mut self.reader, count)
    }
}
