//! Tables that are declared once: [`row!`](crate::row) makes of a list of columns the row, its columns in memory, their schema, how they are
//! encoded and how they are written.

use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterPropertiesBuilder};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, TypePtr};
use std::io::Write;
use std::sync::Arc;
use weir_units::{Bytes, Duration, LinkId, NodeId, Rank, RouterId, Time};

/// Encodings and other properties that a column has beside those of every column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// There are few different values: each is written once, and then its number.
    Repeated,
    /// Whole numbers that differ little from row to row: differences are written.
    Steps,
    /// Whole numbers of which differences are written where there are too many different ones to write each once.
    Differences,
    /// Floating-point numbers that have many bytes in common: first bytes are written together, then second ones.
    Split,
    /// Rows are in its order: the file says between which values they are, so that readers skip what they do not need.
    Sorted,
    /// A whole number without the note that says how many bits it has.
    Plain,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct ColumnForm {
    /// Its name.
    pub name: &'static str,
    /// Its type, as Parquet describes it: repetition and physical type, then the logical one.
    pub form: (&'static str, &'static str),
    /// Its properties.
    pub properties: &'static [Property],
}

/// A row group that is being written.
pub use parquet::file::writer::SerializedRowGroupWriter as GroupWriter;

/// A row of a table, made by [`row!`](crate::row). Two of them are one row whose columns stand one after the other.
pub trait Row {
    /// Columns in memory.
    type Columns: Default + Send + 'static;
    /// The name of the table.
    const TABLE: &'static str;

    /// The columns in their order.
    fn forms() -> Vec<ColumnForm>;

    /// Adds the row to columns.
    fn push(self, columns: &mut Self::Columns);

    /// Number of rows in columns.
    fn count(columns: &Self::Columns) -> usize;

    /// Writes columns in their order, and leaves them empty.
    ///
    /// # Errors
    /// Those of the writer of Parquet.
    fn write<W: Write + Send>(columns: &mut Self::Columns, group: &mut GroupWriter<'_, W>) -> Result<()>;

    /// The schema of a file of such rows. Its name is the first part of the table's.
    ///
    /// # Errors
    /// Those of the parser of Parquet.
    fn schema() -> Result<TypePtr> {
        let columns =
            Self::forms().into_iter().map(|ColumnForm { name, form: (physical, logical), properties }| {
                let logical = if properties.contains(&Property::Plain) { ";" } else { logical };
                format!("{physical} {name} {logical}")
            });
        let message = Self::TABLE.split('/').next().unwrap_or_default();
        parse_message_type(&format!("message {message} {{ {} }}", columns.collect::<String>())).map(Arc::new)
    }

    /// Adds the properties of the columns to those of a file.
    fn properties(mut file: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
        for ColumnForm { name, properties, form: (physical, _) } in Self::forms() {
            let is_list = physical.ends_with("GROUP");
            let parts: &[&str] = if is_list { &[name, "list", "element"] } else { &[name] };
            let path = ColumnPath::new(parts.iter().map(|&part| part.to_owned()).collect());
            for property in properties {
                let path = path.clone();
                file = match property {
                    Property::Repeated => file.set_column_dictionary_enabled(path, true),
                    // Differences are packed as closely as they can be: nothing remains to compress.
                    Property::Steps => file
                        .set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED)
                        .set_column_compression(path, Compression::UNCOMPRESSED),
                    Property::Differences => file.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
                    Property::Split => file.set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT),
                    Property::Sorted => file.set_column_statistics_enabled(path, EnabledStatistics::Chunk),
                    Property::Plain => file,
                };
            }
        }
        file
    }
}

impl<A: Row, B: Row> Row for (A, B) {
    type Columns = (A::Columns, B::Columns);
    const TABLE: &'static str = A::TABLE;

    fn forms() -> Vec<ColumnForm> {
        [A::forms(), B::forms()].concat()
    }

    fn push(self, columns: &mut Self::Columns) {
        self.0.push(&mut columns.0);
        self.1.push(&mut columns.1);
    }

    fn count(columns: &Self::Columns) -> usize {
        A::count(&columns.0)
    }

    fn write<W: Write + Send>(columns: &mut Self::Columns, group: &mut GroupWriter<'_, W>) -> Result<()> {
        A::write(&mut columns.0, group)?;
        B::write(&mut columns.1, group)
    }
}

/// Values of one column in memory.
pub trait Stored: Default + Send + 'static {
    /// Number of rows.
    fn count(&self) -> usize;

    /// Writes them as the next column, and leaves none.
    ///
    /// # Errors
    /// Those of the writer of Parquet.
    fn write<W: Write + Send>(&mut self, group: &mut GroupWriter<'_, W>) -> Result<()>;
}

/// Values of one column in memory, of which some may be absent, or lists of them.
#[derive(Debug)]
pub struct Values<D: DataType> {
    values: Vec<D::T>,
    /// Where some are absent or there are lists, by value or place of one: how much of what the schema asks for is there.
    levels: Vec<i16>,
    /// Where there are lists, by level: 0 for the first of a list.
    repetitions: Vec<i16>,
}

impl<D: DataType> Default for Values<D> {
    fn default() -> Self {
        Self { values: Vec::new(), levels: Vec::new(), repetitions: Vec::new() }
    }
}

impl<D: DataType> Values<D> {
    /// Adds a value to a column that has all.
    #[inline]
    pub fn push(&mut self, value: D::T) {
        self.values.push(value);
    }

    /// Adds a value, or its absence.
    #[inline]
    pub fn push_some(&mut self, value: Option<D::T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    /// Adds a list; that of an empty one is the level `empty`.
    fn push_list(&mut self, list: impl IntoIterator<Item = D::T>, empty: i16) {
        let before = self.values.len();
        self.values.extend(list);
        let added = self.values.len() - before;
        self.levels.resize(self.levels.len() + added.max(1), if added > 0 { empty + 1 } else { empty });
        self.repetitions.push(0);
        self.repetitions.resize(self.levels.len(), 1);
    }
}

impl<D: DataType> Stored for Values<D> {
    fn count(&self) -> usize {
        let within_lists = self.repetitions.iter().filter(|&&repetition| repetition > 0).count();
        self.values.len().max(self.levels.len()) - within_lists
    }

    fn write<W: Write + Send>(&mut self, group: &mut GroupWriter<'_, W>) -> Result<()> {
        let mut column = group.next_column()?.expect("the schema has as many columns as are written");
        let [levels, repetitions] =
            [&self.levels, &self.repetitions].map(|of| (!of.is_empty()).then_some(of.as_slice()));
        column.typed::<D>().write_batch(&self.values, levels, repetitions)?;
        self.values.clear();
        self.levels.clear();
        self.repetitions.clear();
        column.close()
    }
}

/// Texts in one piece of memory.
#[derive(Debug, Default)]
pub struct Texts {
    all: String,
    /// Index at which each of them ends.
    ends: Vec<usize>,
}

impl Stored for Texts {
    fn count(&self) -> usize {
        self.ends.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut GroupWriter<'_, W>) -> Result<()> {
        let all = ByteArray::from(std::mem::take(&mut self.all).into_bytes());
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let texts = begins.zip(&self.ends).map(|(begin, &end)| all.slice(begin, end - begin)).collect();
        self.ends.clear();
        Values::<ByteArrayType> { values: texts, ..Values::default() }.write(group)
    }
}

/// A value of a row.
pub trait Cell {
    /// Where values of the column are in memory.
    type Stored: Stored;
    /// Its type, as Parquet describes it.
    const FORM: (&'static str, &'static str);

    /// Adds it to its column.
    fn push(self, column: &mut Self::Stored);
}

/// Values that are numbers, and the number that Parquet stores.
macro_rules! numbers {
    ($($value:ty: $kind:ty, $physical:literal, $logical:literal, $stored:expr;)*) => {$(
        impl Cell for $value {
            type Stored = Values<$kind>;
            const FORM: (&'static str, &'static str) = (concat!("REQUIRED ", $physical), concat!($logical, ";"));

            fn push(self, column: &mut Self::Stored) {
                let stored: fn($value) -> <$kind as DataType>::T = $stored;
                column.push(stored(self));
            }
        }

        impl Cell for Option<$value> {
            type Stored = Values<$kind>;
            const FORM: (&'static str, &'static str) = (concat!("OPTIONAL ", $physical), concat!($logical, ";"));

            fn push(self, column: &mut Self::Stored) {
                let stored: fn($value) -> <$kind as DataType>::T = $stored;
                column.push_some(self.map(stored));
            }
        }
    )*};
}

numbers! {
    u32: Int32Type, "INT32", "(INTEGER(32, false))", u32::cast_signed;
    i32: Int32Type, "INT32", "(INTEGER(32, true))", |value| value;
    u64: Int64Type, "INT64", "(INTEGER(64, false))", u64::cast_signed;
    f64: DoubleType, "DOUBLE", "", |value| value;
    Rank: Int32Type, "INT32", "(INTEGER(32, false))", |Rank(number)| number.cast_signed();
    NodeId: Int32Type, "INT32", "(INTEGER(32, false))", |NodeId(number)| number.cast_signed();
    RouterId: Int32Type, "INT32", "(INTEGER(32, false))", |RouterId(number)| number.cast_signed();
    LinkId: Int32Type, "INT32", "(INTEGER(32, false))", |LinkId(number)| number.cast_signed();
    Bytes: Int64Type, "INT64", "(INTEGER(64, false))", |Bytes(number)| number.cast_signed();
    Time: Int64Type, "INT64", "(INTEGER(64, false))", |time| time.as_ps().cast_signed();
    Duration: Int64Type, "INT64", "(INTEGER(64, false))", |time| time.as_ps().cast_signed();
}

/// The parts of a text.
impl<T: AsRef<str>, const N: usize> Cell for [T; N] {
    type Stored = Texts;
    const FORM: (&'static str, &'static str) = ("REQUIRED BYTE_ARRAY", "(STRING);");

    fn push(self, column: &mut Self::Stored) {
        self.iter().for_each(|part| column.all.push_str(part.as_ref()));
        column.ends.push(column.all.len());
    }
}

impl Cell for &str {
    type Stored = Texts;
    const FORM: (&'static str, &'static str) = <[&str; 1]>::FORM;

    fn push(self, column: &mut Self::Stored) {
        [self].push(column);
    }
}

impl Cell for &[u32] {
    type Stored = Values<Int32Type>;
    const FORM: (&'static str, &'static str) =
        ("REQUIRED GROUP", "(LIST) { REPEATED GROUP list { REQUIRED INT32 element (INTEGER(32, false)); } }");

    fn push(self, column: &mut Self::Stored) {
        column.push_list(self.iter().map(|number| number.cast_signed()), 0);
    }
}

impl Cell for Option<Vec<i64>> {
    type Stored = Values<Int64Type>;
    const FORM: (&'static str, &'static str) =
        ("OPTIONAL GROUP", "(LIST) { REPEATED GROUP list { REQUIRED INT64 element; } }");

    fn push(self, column: &mut Self::Stored) {
        let empty = i16::from(self.is_some());
        column.push_list(self.unwrap_or_default(), empty);
    }
}

/// Declares a row of a table: `row! { struct Name in "table" { column: Type [Property, Property], ... } }`. A column has the name
/// of its field.
#[macro_export]
macro_rules! row {
    (
        $(#[$about:meta])*
        $seen:vis struct $Row:ident $(<$life:lifetime>)? in $table:literal {
            $($(#[$what:meta])* $column:ident: $Value:ty $([$($property:ident),+])?,)+
        }
    ) => {
        $(#[$about])*
        $seen struct $Row $(<$life>)? {
            $($(#[$what])* $seen $column: $Value,)+
        }

        impl $(<$life>)? $crate::Row for $Row $(<$life>)? {
            type Columns = ($(<$Value as $crate::Cell>::Stored,)+);
            const TABLE: &'static str = $table;

            fn forms() -> Vec<$crate::ColumnForm> {
                vec![$($crate::ColumnForm {
                    name: stringify!($column),
                    form: <$Value as $crate::Cell>::FORM,
                    properties: &[$($($crate::Property::$property),+)?],
                }),+]
            }

            fn push(self, columns: &mut Self::Columns) {
                let ($($column,)+) = columns;
                $($crate::Cell::push(self.$column, $column);)+
            }

            fn count(columns: &Self::Columns) -> usize {
                $crate::Stored::count(&columns.0)
            }

            fn write<W: std::io::Write + Send>(
                columns: &mut Self::Columns,
                group: &mut $crate::GroupWriter<'_, W>,
            ) -> parquet::errors::Result<()> {
                let ($($column,)+) = columns;
                $($crate::Stored::write($column, group)?;)+
                Ok(())
            }
        }
    };
}
