//! Tables of rows in Parquet files.

mod columns;
mod parts;

use crate::{RecordError, write_whole};
pub(crate) use columns::{Group, Lists, Optional};
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
pub(crate) use parts::Parts;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Version of the names and meanings in all tables; grows when one of them changes.
pub const TABLE_VERSION: &str = "1";
/// The metadata that say so, and which table it is.
pub(crate) const VERSION_KEY: &str = "weir.schema";
pub(crate) const TABLE_KEY: &str = "weir.table";

/// Rows of a kind, column by column, on their way into a file.
pub(crate) trait Table: Default {
    /// The name of the table.
    const NAME: &'static str;
    /// Its columns, as Parquet describes a message type.
    const SCHEMA: &'static str;
    /// Columns with few different values.
    const REPEATED: &'static [&'static str];
    /// Columns in whose order rows are.
    const SORTED: &'static [&'static str] = &[];

    /// How many rows there are.
    fn rows(&self) -> usize;

    /// Writes the columns in the order of the schema, and leaves them empty.
    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()>;
}

/// A file of rows while it is being written.
pub(crate) struct TableFile<W: Write + Send>(SerializedFileWriter<W>);

impl<W: Write + Send> TableFile<W> {
    /// Begins a file, with more metadata than every table has.
    pub(crate) fn new<T: Table>(out: W, more: &[(&str, String)]) -> Result<Self> {
        let own = [(VERSION_KEY, TABLE_VERSION.to_owned()), (TABLE_KEY, T::NAME.to_owned())];
        let pairs =
            own.iter().chain(more).map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_created_by(format!("weir {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(pairs.collect()));
        for column in T::REPEATED {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(*column), true);
        }
        for column in T::SORTED {
            // Readers skip what they do not want.
            let path = ColumnPath::from(*column);
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::Chunk);
        }
        let schema = Arc::new(parse_message_type(T::SCHEMA)?);
        SerializedFileWriter::new(out, schema, Arc::new(properties.build())).map(Self)
    }

    /// Writes rows as a row group, if there are any, and leaves them empty.
    pub(crate) fn put<T: Table>(&mut self, rows: &mut T) -> Result<()> {
        if rows.rows() == 0 {
            return Ok(());
        }
        let mut group = Group(self.0.next_row_group()?);
        rows.write(&mut group)?;
        group.0.close().map(drop)
    }

    /// Ends the file.
    pub(crate) fn close(self) -> Result<W> {
        self.0.into_inner()
    }
}

/// What the system has said, out of what Parquet makes of it.
pub(crate) fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// Writes a whole table as `NAME.parquet` in a folder: complete or untouched.
pub(crate) fn write_table<T: Table>(
    folder: &Path,
    rows: &mut T,
    more: &[(&str, String)],
) -> std::result::Result<(), RecordError> {
    let path = folder.join(format!("{}.parquet", T::NAME));
    let written = write_whole(&path, |out| {
        let write = || {
            let mut file = TableFile::new::<T>(out, more)?;
            file.put(rows)?;
            file.close().map(drop)
        };
        write().map_err(into_io)
    });
    written.map_err(|source| RecordError::File { path, source })
}

/// What the metadata of a file say of its version.
///
/// # Errors
/// What is wrong with a file that does not end as a Parquet file does.
pub(crate) fn version_of(path: &Path) -> std::result::Result<Option<String>, String> {
    // The reader of Parquet panics on some damaged files; nothing of it is left behind when it does.
    let read = std::panic::catch_unwind(|| {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let reader =
            SerializedFileReader::new(file).map_err(|error| format!("not Parquet, or damaged: {error}"))?;
        let pairs = reader.metadata().file_metadata().key_value_metadata();
        let pair = pairs.into_iter().flatten().find(|pair| pair.key == VERSION_KEY);
        Ok(pair.and_then(|pair| pair.value.clone()))
    });
    read.unwrap_or_else(|_| Err("a damaged Parquet file".to_owned()))
}
