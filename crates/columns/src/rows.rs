//! Tables that are declared once: [`row!`](crate::row) makes of a list of columns the row, its columns in memory, their schema, how they are
//! encoded and how they are written.

use crate::{Group, Lists, Optional, Texts};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{DoubleType, Int32Type, Int64Type};
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
    fn write<W: Write + Send>(columns: &mut Self::Columns, group: &mut Group<'_, W>) -> Result<()>;

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
    #[must_use]
    fn properties(mut file: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
        for ColumnForm { name, properties, .. } in Self::forms() {
            for property in properties {
                let path = ColumnPath::from(name);
                file = match property {
                    Property::Repeated => file.set_column_dictionary_enabled(path, true),
                    // Differences are packed as closely as they can be: nothing remains to compress.
                    Property::Steps => file
                        .set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED)
                        .set_column_compression(path, Compression::UNCOMPRESSED),
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

    fn write<W: Write + Send>(columns: &mut Self::Columns, group: &mut Group<'_, W>) -> Result<()> {
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
    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()>;
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

/// Kinds of numbers that Parquet has.
macro_rules! stored {
    ($($number:ty: $kind:ty),*) => {$(
        impl Stored for Vec<$number> {
            fn count(&self) -> usize {
                self.len()
            }

            fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
                group.all::<$kind>(self)
            }
        }

        impl Stored for Optional<$number> {
            fn count(&self) -> usize {
                self.levels.len()
            }

            fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
                group.some::<$kind>(self)
            }
        }
    )*};
}

stored!(i32: Int32Type, i64: Int64Type, f64: DoubleType);

impl Stored for Texts {
    fn count(&self) -> usize {
        self.ends.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.texts(self)
    }
}

impl Stored for Lists {
    fn count(&self) -> usize {
        self.repetitions.iter().filter(|&&repetition| repetition == 0).count()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.lists(self)
    }
}

/// Values that are numbers, and the number that Parquet stores.
macro_rules! numbers {
    ($($value:ty: $number:ty, $physical:literal, $logical:literal, $stored:expr;)*) => {$(
        impl Cell for $value {
            type Stored = Vec<$number>;
            const FORM: (&'static str, &'static str) = (concat!("REQUIRED ", $physical), concat!($logical, ";"));

            fn push(self, column: &mut Self::Stored) {
                let stored: fn($value) -> $number = $stored;
                column.push(stored(self));
            }
        }

        impl Cell for Option<$value> {
            type Stored = Optional<$number>;
            const FORM: (&'static str, &'static str) = (concat!("OPTIONAL ", $physical), concat!($logical, ";"));

            fn push(self, column: &mut Self::Stored) {
                let stored: fn($value) -> $number = $stored;
                column.push(self.map(stored));
            }
        }
    )*};
}

numbers! {
    u32: i32, "INT32", "(INTEGER(32, false))", u32::cast_signed;
    i32: i32, "INT32", "(INTEGER(32, true))", |value| value;
    u64: i64, "INT64", "(INTEGER(64, false))", u64::cast_signed;
    f64: f64, "DOUBLE", "", |value| value;
    Rank: i32, "INT32", "(INTEGER(32, false))", |Rank(number)| number.cast_signed();
    NodeId: i32, "INT32", "(INTEGER(32, false))", |NodeId(number)| number.cast_signed();
    RouterId: i32, "INT32", "(INTEGER(32, false))", |RouterId(number)| number.cast_signed();
    LinkId: i32, "INT32", "(INTEGER(32, false))", |LinkId(number)| number.cast_signed();
    Bytes: i64, "INT64", "(INTEGER(64, false))", |Bytes(number)| number.cast_signed();
    Time: i64, "INT64", "(INTEGER(64, false))", |time| time.as_ps().cast_signed();
    Duration: i64, "INT64", "(INTEGER(64, false))", |time| time.as_ps().cast_signed();
}

/// The parts of a text.
impl<T: AsRef<str>, const N: usize> Cell for [T; N] {
    type Stored = Texts;
    const FORM: (&'static str, &'static str) = ("REQUIRED BYTE_ARRAY", "(STRING);");

    fn push(self, column: &mut Self::Stored) {
        column.push(|text| self.iter().for_each(|part| text.push_str(part.as_ref())));
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
    type Stored = Lists;
    const FORM: (&'static str, &'static str) =
        ("REQUIRED GROUP", "(LIST) { REPEATED GROUP list { REQUIRED INT32 element (INTEGER(32, false)); } }");

    fn push(self, column: &mut Self::Stored) {
        column.push(self);
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
                group: &mut $crate::Group<'_, W>,
            ) -> parquet::errors::Result<()> {
                let ($($column,)+) = columns;
                $($crate::Stored::write($column, group)?;)+
                Ok(())
            }
        }
    };
}
