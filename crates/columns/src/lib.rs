//! Columns of Parquet files, for the tables of a run, pattern files and profiles. [`row!`] declares a table.
//!
//! Parquet stores unsigned numbers as the signed ones with the same bits.

mod read;
mod rows;

pub use read::{Column, TableFile};
pub use rows::{Cell, ColumnForm, Property, Row, Stored};

use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type};
use parquet::errors::Result;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the result of `read`, which reads a Parquet file; `None` if the file is so damaged that the reader of Parquet panics.
pub fn unless_damaged<T>(read: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok()
}

/// A row group while it is being written, column by column.
#[expect(missing_debug_implementations, reason = "the writer of Parquet has none")]
pub struct Group<'a, W: Write + Send>(pub SerializedRowGroupWriter<'a, W>);

/// Values of which some may be absent.
#[derive(Debug)]
pub struct Optional<T> {
    values: Vec<T>,
    /// By row: 1 where there is a value.
    levels: Vec<i16>,
}

/// Lists of numbers, one per row.
#[derive(Debug, Default)]
pub struct Lists {
    elements: Vec<i32>,
    /// By element, and one for an empty list: 1 if there is one.
    levels: Vec<i16>,
    /// By element, and one for an empty list: 0 for the first of a list.
    repetitions: Vec<i16>,
}

/// Texts that are all different, in one piece of memory.
#[derive(Debug, Default)]
pub struct Texts {
    all: String,
    /// Index at which each of them ends.
    ends: Vec<usize>,
}

impl Texts {
    /// Adds a text that `write` appends.
    pub fn push(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.all);
        self.ends.push(self.all.len());
    }

    fn take(&mut self) -> Vec<ByteArray> {
        let all = ByteArray::from(std::mem::take(&mut self.all).into_bytes());
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let texts = begins.zip(&self.ends).map(|(begin, &end)| all.slice(begin, end - begin)).collect();
        self.ends.clear();
        texts
    }
}

impl<T> Default for Optional<T> {
    fn default() -> Self {
        Self { values: Vec::new(), levels: Vec::new() }
    }
}

impl<T> Optional<T> {
    /// Adds one, or its absence.
    pub fn push(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }
}

impl<T> Extend<Option<T>> for Optional<T> {
    fn extend<I: IntoIterator<Item = Option<T>>>(&mut self, values: I) {
        let values = values.into_iter();
        let (least, _) = values.size_hint();
        self.values.reserve(least);
        self.levels.reserve(least);
        values.for_each(|value| self.push(value));
    }
}

impl Lists {
    /// Adds a list.
    pub fn push(&mut self, list: &[u32]) {
        if list.is_empty() {
            self.levels.push(0);
            self.repetitions.push(0);
        }
        for (place, &element) in list.iter().enumerate() {
            self.elements.push(element.cast_signed());
            self.levels.push(1);
            self.repetitions.push(i16::from(place > 0));
        }
    }
}

impl<'a, W: Write + Send> Group<'a, W> {
    /// Begins the next one of a file.
    ///
    /// # Errors
    /// Those of the writer of Parquet.
    pub fn begin(file: &'a mut SerializedFileWriter<W>) -> Result<Self> {
        file.next_row_group().map(Self)
    }

    /// Ends it.
    ///
    /// # Errors
    /// Those of the writer of Parquet.
    pub fn end(self) -> Result<()> {
        self.0.close().map(drop)
    }

    /// Writes the next column, by the levels of its values in the schema, and leaves the values empty.
    ///
    /// # Errors
    /// Those of the writer of Parquet.
    ///
    /// # Panics
    /// When the schema has no further column.
    pub fn column<D: DataType>(
        &mut self,
        values: &mut Vec<D::T>,
        levels: Option<&[i16]>,
        repetitions: Option<&[i16]>,
    ) -> Result<()> {
        let mut column = self.0.next_column()?.expect("the schema has as many columns as are written");
        column.typed::<D>().write_batch(values, levels, repetitions)?;
        values.clear();
        column.close()
    }

    /// Writes the next column.
    ///
    /// # Errors
    /// Those of the writer of Parquet.
    pub fn all<D: DataType>(&mut self, values: &mut Vec<D::T>) -> Result<()> {
        self.column::<D>(values, None, None)
    }

    /// Writes the next column, of texts.
    ///
    /// # Errors
    /// Those of the writer of Parquet.
    pub fn texts(&mut self, texts: &mut Texts) -> Result<()> {
        self.column::<ByteArrayType>(&mut texts.take(), None, None)
    }

    /// Writes the next column, in which values may be absent.
    ///
    /// # Errors
    /// Those of the writer of Parquet.
    pub fn some<D: DataType>(&mut self, values: &mut Optional<D::T>) -> Result<()> {
        self.column::<D>(&mut values.values, Some(&values.levels), None)?;
        values.levels.clear();
        Ok(())
    }

    /// Writes the next column, of lists.
    ///
    /// # Errors
    /// Those of the writer of Parquet.
    pub fn lists(&mut self, lists: &mut Lists) -> Result<()> {
        self.column::<Int32Type>(&mut lists.elements, Some(&lists.levels), Some(&lists.repetitions))?;
        lists.levels.clear();
        lists.repetitions.clear();
        Ok(())
    }
}
