//! Tables of rows in Parquet files.

mod parts;

use crate::folder::FILES;
use crate::whole_file::write_soon;
use crate::{RecordError, RunFolder};
use parquet::basic::{Compression, Encoding};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
pub(crate) use parts::{Failed, Parts};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use weir_columns::unless_damaged;
pub(crate) use weir_columns::{Group, Lists, Optional, Texts};

/// Version of the names and meanings in all tables; grows when one of them changes.
pub const TABLE_VERSION: &str = "1";
/// The metadata that say so, and which table it is.
pub(crate) const VERSION_KEY: &str = "weir.schema";
pub(crate) const TABLE_KEY: &str = "weir.table";
/// The metadata that say of which run.
pub(crate) const RUN_KEY: &str = "weir.run";

/// Rows of a kind, column by column, on their way into a file.
pub(crate) trait Table: Default + Send + 'static {
    /// The name of the table.
    const NAME: &'static str;
    /// Its columns, as Parquet describes a message type.
    const SCHEMA: &'static str;
    /// Columns with few different values: each value is written once, and then its number.
    const REPEATED: &'static [&'static str];
    /// Columns of whole numbers that differ little from row to row: differences are written.
    const STEPS: &'static [&'static str] = &[];
    /// Columns of floating-point numbers that have many bytes in common: first bytes are written together, then second ones.
    const SPLIT: &'static [&'static str] = &[];
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
    /// Begins a file of a run, with more metadata than every table has.
    pub(crate) fn new<T: Table>(out: W, run: &str, more: &[(&str, String)]) -> Result<Self> {
        let own = [(VERSION_KEY, TABLE_VERSION), (TABLE_KEY, T::NAME), (RUN_KEY, run)]
            .map(|(key, text)| (key, text.to_owned()));
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
        for column in T::STEPS {
            let path = ColumnPath::from(*column);
            // Differences are packed as closely as they can be: nothing remains to compress.
            properties = properties
                .set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED)
                .set_column_compression(path, Compression::UNCOMPRESSED);
        }
        for column in T::SPLIT {
            let path = ColumnPath::from(*column);
            properties = properties.set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT);
        }
        for column in T::SORTED {
            // Readers skip the columns they do not need.
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
        let mut group = Group::begin(&mut self.0)?;
        rows.write(&mut group)?;
        group.end()
    }

    /// Writes a row group whose first columns are those of another file of the table, as they are, and whose other columns
    /// are given; leaves these empty. The other file has one row group, or no rows.
    pub(crate) fn put_beside<T: Table>(&mut self, first: &File, columns: usize, rows: &mut T) -> Result<()> {
        let read = SerializedFileReader::new(first.try_clone()?)?;
        let Some(from) = read.metadata().row_groups().first() else { return Ok(()) };
        let mut group = self.0.next_row_group()?;
        for column in &from.columns()[..columns] {
            let whole = ColumnCloseResult {
                bytes_written: column.compressed_size().cast_unsigned(),
                rows_written: from.num_rows().cast_unsigned(),
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            group.append_column(first, whole)?;
        }
        let mut group = Group(group);
        rows.write(&mut group)?;
        group.end()
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
    folder: &RunFolder,
    rows: &mut T,
    more: &[(&str, String)],
) -> std::result::Result<(), RecordError> {
    write_file::<T>(folder, more, |file| file.put(rows))
}

/// Writes `NAME.parquet` in a folder anew: its first columns stay as they are, the others are given. Complete or untouched.
pub(crate) fn rewrite_table<T: Table>(
    folder: &RunFolder,
    columns: usize,
    rows: &mut T,
) -> std::result::Result<(), RecordError> {
    let path = folder.path().join(format!("{}.parquet", T::NAME));
    let first = File::open(&path).map_err(|source| RecordError::File { path, source })?;
    write_file::<T>(folder, &[], |file| file.put_beside(&first, columns, rows))
}

fn write_file<T: Table>(
    folder: &RunFolder,
    more: &[(&str, String)],
    put: impl FnOnce(&mut TableFile<&mut BufWriter<File>>) -> Result<()>,
) -> std::result::Result<(), RecordError> {
    assert!(FILES.contains(&T::NAME), "{} is among the files of a results folder", T::NAME);
    let path = folder.path().join(format!("{}.parquet", T::NAME));
    let written = write_soon(&path, |out| {
        let write = || {
            let mut file = TableFile::new::<T>(out, folder.run(), more)?;
            put(&mut file)?;
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
    metadata_of(path).map(|mut found| found.remove(VERSION_KEY))
}

/// The metadata of a file that have values.
///
/// # Errors
/// What is wrong with a file that does not end as a Parquet file does.
pub(crate) fn metadata_of(path: &Path) -> std::result::Result<BTreeMap<String, String>, String> {
    let read = unless_damaged(|| {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let reader =
            SerializedFileReader::new(file).map_err(|error| format!("not Parquet, or damaged: {error}"))?;
        let pairs = reader.metadata().file_metadata().key_value_metadata();
        let pairs = pairs.into_iter().flatten().map(|pair| (pair.key.clone(), pair.value.clone()));
        Ok(pairs.filter_map(|(key, value)| Some((key, value?))).collect())
    });
    read.unwrap_or_else(|| Err("a damaged Parquet file".to_owned()))
}
