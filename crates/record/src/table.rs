//! Tables of rows in Parquet files.

mod parts;

use crate::folder;
use crate::whole_file::write_soon;
use crate::{RecordError, RunFolder};
use parquet::basic::Compression;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
pub(crate) use parts::{Failed, Parts};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use weir_columns::{Group, Row};

/// Version of the names and meanings in all tables; grows when one of them changes.
pub const TABLE_VERSION: &str = "1";
/// Keys of the notes in a file: version, name of the table, and the run.
pub(crate) const VERSION_KEY: &str = "weir.schema";
pub(crate) const TABLE_KEY: &str = "weir.table";
pub(crate) const RUN_KEY: &str = "weir.run";

pub(crate) struct TableFile<W: Write + Send>(SerializedFileWriter<W>);

impl<W: Write + Send> TableFile<W> {
    /// Begins a file of a run, with more metadata than every table has.
    pub(crate) fn new<R: Row>(out: W, run: &str, more: &[(&str, String)]) -> Result<Self> {
        let own = [(VERSION_KEY, TABLE_VERSION), (TABLE_KEY, R::TABLE), (RUN_KEY, run)]
            .map(|(key, text)| (key, text.to_owned()));
        let pairs =
            own.iter().chain(more).map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_created_by(format!("weir {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(pairs.collect()));
        let properties = Arc::new(R::properties(properties).build());
        SerializedFileWriter::new(out, R::schema()?, properties).map(Self)
    }

    /// Writes rows as a row group, if there are any, and leaves them empty.
    pub(crate) fn put<R: Row>(&mut self, rows: &mut R::Columns) -> Result<()> {
        if R::count(rows) == 0 {
            return Ok(());
        }
        let mut group = Group::begin(&mut self.0)?;
        R::write(rows, &mut group)?;
        group.end()
    }

    /// Writes a row group whose first columns are those of another file of the table, as they are, and whose other columns
    /// are given. The other file has one row group, or no rows.
    fn put_beside<A: Row, B: Row>(&mut self, first: &File, mut rows: B::Columns) -> Result<()> {
        let read = SerializedFileReader::new(first.try_clone()?)?;
        let Some(from) = read.metadata().row_groups().first() else { return Ok(()) };
        let mut group = self.0.next_row_group()?;
        for column in &from.columns()[..A::forms().len()] {
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
        B::write(&mut rows, &mut group)?;
        group.end()
    }

    pub(crate) fn close(self) -> Result<W> {
        self.0.into_inner()
    }
}

/// Returns the error of the system within an error of Parquet.
pub(crate) fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

fn columns<R: Row>(rows: impl IntoIterator<Item = R>) -> R::Columns {
    let mut columns = R::Columns::default();
    rows.into_iter().for_each(|row| row.push(&mut columns));
    columns
}

/// Writes a whole table as `NAME.parquet` in a folder: complete or untouched.
pub(crate) fn write_table<R: Row>(
    folder: &RunFolder,
    rows: impl IntoIterator<Item = R>,
    more: &[(&str, String)],
) -> std::result::Result<(), RecordError> {
    write_file::<R>(folder, more, |file| file.put::<R>(&mut columns(rows)))
}

/// Writes `NAME.parquet` in a folder anew: its first columns stay as they are, the others are given. Complete or untouched.
pub(crate) fn rewrite_table<A: Row, B: Row>(
    folder: &RunFolder,
    rows: impl IntoIterator<Item = B>,
) -> std::result::Result<(), RecordError> {
    let path = folder.path().join(format!("{}.parquet", A::TABLE));
    let first = File::open(&path).map_err(|source| RecordError::File { path, source })?;
    write_file::<(A, B)>(folder, &[], |file| file.put_beside::<A, B>(&first, columns(rows)))
}

fn write_file<R: Row>(
    results: &RunFolder,
    more: &[(&str, String)],
    put: impl FnOnce(&mut TableFile<&mut BufWriter<File>>) -> Result<()>,
) -> std::result::Result<(), RecordError> {
    assert!(
        folder::files().any(|name| name == R::TABLE),
        "{} is among the files of a results folder",
        R::TABLE
    );
    let path = results.path().join(format!("{}.parquet", R::TABLE));
    let written = write_soon(&path, |out| {
        let write = || {
            let mut file = TableFile::new::<R>(out, results.run(), more)?;
            put(&mut file)?;
            file.close().map(drop)
        };
        write().map_err(into_io)
    });
    written.map_err(|source| RecordError::File { path, source })
}

/// The notes of the writer of a file.
///
/// # Errors
/// Says what is wrong with a file that does not end as a Parquet file does.
pub(crate) fn notes_of(path: &Path) -> std::result::Result<BTreeMap<String, String>, String> {
    let file = weir_columns::TableFile::open(path);
    let file = file.map_err(|why| format!("not Parquet, or damaged: {why}"))?;
    Ok(file.notes().into_iter().collect())
}
