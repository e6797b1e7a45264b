//! Tables of rows in Parquet files, and the table of the points of a sweep, whose columns are what the points have.
//!
//! Tables that grow while a run goes on are a folder of closed files, so that a run that is killed leaves what it has written.
//!
//! ```text
//!   the run:      fills a part |  fills the next one |  fills the third
//!   own thread:                |  writes the first   |  writes the second
//! ```
//! So there are two parts of a table in memory at most. Parts are written one after the other, and the same rows become
//! the same bytes whoever is faster.

use crate::error::{self, RecordError};
use crate::files::{write_soon, write_whole};
use crate::run_folder::{RunFolder, TABLES, VERSION_KEY};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use weir_columns::{Row, Stored, Values};
use weir_network::begin_thread;

/// Version of the names and meanings in all tables; grows when one of them changes.
pub const TABLE_VERSION: &str = "1";
/// Keys of the notes in a file beside its version: name of the table, and the run.
const TABLE_KEY: &str = "weir.table";
const RUN_KEY: &str = "weir.run";

/// Begins a file of a run, with more metadata than every table has.
fn begin<R: Row, W: Write + Send>(out: W, run: &str, more: Notes<'_>) -> Result<SerializedFileWriter<W>> {
    let own = [(VERSION_KEY, TABLE_VERSION), (TABLE_KEY, R::TABLE), (RUN_KEY, run)]
        .map(|(key, text)| (key, text.to_owned()));
    let pairs = own.iter().chain(more).map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_created_by(format!("weir {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(pairs.collect()));
    SerializedFileWriter::new(out, R::schema()?, Arc::new(R::properties(properties).build()))
}

/// Writes rows as a row group, if there are any, and leaves them empty.
fn put<R: Row, W: Write + Send>(file: &mut SerializedFileWriter<W>, rows: &mut R::Columns) -> Result<()> {
    if R::count(rows) == 0 {
        return Ok(());
    }
    let mut group = file.next_row_group()?;
    R::write(rows, &mut group)?;
    group.close().map(drop)
}

/// Writes a row group whose first columns are those of another file of the table, as they are, and whose other columns
/// are given. The other file has one row group, or no rows.
fn put_beside<A: Row, B: Row, W: Write + Send>(
    file: &mut SerializedFileWriter<W>,
    first: &File,
    mut rows: B::Columns,
) -> Result<()> {
    let read = SerializedFileReader::new(first.try_clone()?)?;
    let Some(from) = read.metadata().row_groups().first() else { return Ok(()) };
    let mut group = file.next_row_group()?;
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
    B::write(&mut rows, &mut group)?;
    group.close().map(drop)
}

/// Notes in a file: keys and texts.
type Notes<'a> = &'a [(&'a str, String)];

type Written = error::Result<()>;

/// Returns the error of the system within an error of Parquet.
fn into_io(error: ParquetError) -> io::Error {
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
    more: Notes<'_>,
) -> Written {
    write_file::<R>(folder, more, |file| put::<R, _>(file, &mut columns(rows)))
}

/// Writes `NAME.parquet` in a folder anew: its first columns stay as they are, the others are given. Complete or untouched.
pub(crate) fn rewrite<A: Row, B: Row>(folder: &RunFolder, rows: impl IntoIterator<Item = B>) -> Written {
    let path = folder.path().join(format!("{}.parquet", A::TABLE));
    let first = File::open(&path).map_err(|source| RecordError::File { path, source })?;
    write_file::<(A, B)>(folder, &[], |file| put_beside::<A, B, _>(file, &first, columns(rows)))
}

fn is_known<R: Row>() -> bool {
    TABLES.iter().any(|(name, _)| *name == R::TABLE)
}

fn write_file<R: Row>(
    results: &RunFolder,
    more: Notes<'_>,
    put: impl FnOnce(&mut SerializedFileWriter<&mut BufWriter<File>>) -> Result<()>,
) -> Written {
    assert!(is_known::<R>(), "{} is among the tables of a folder", R::TABLE);
    let path = results.path().join(format!("{}.parquet", R::TABLE));
    let written = write_soon(&path, |out| {
        let write = || {
            let mut file = begin::<R, _>(out, results.run(), more)?;
            put(&mut file)?;
            file.close().map(drop)
        };
        write().map_err(into_io)
    });
    written.map_err(|source| RecordError::File { path, source })
}

/// Rows of the first part. Each part has twice as many as the one before it, up to the most: so a short run leaves
/// something too, and a long one few files.
const FIRST: usize = 1 << 12;
/// Rows of a part at most. They are in memory until the part is complete.
const MOST: usize = 1 << 18;

/// True once some part could not be written; shared by all writers of parts of the same folder.
pub(crate) type Failed = Arc<AtomicBool>;

/// A table in parts. A part is written as soon as it has all its rows, by a thread of its own, under the name
/// `00000.parquet.partial` until it is complete.
pub(crate) struct Parts<R: Row> {
    folder: PathBuf,
    /// Name of the run in the tables of the folder.
    run: Arc<str>,
    begun: u32,
    rows: R::Columns,
    requested: usize,
    /// Writes the part before, and returns its columns, which are empty then.
    writer: Option<JoinHandle<error::Result<R::Columns>>>,
    failed: Failed,
}

impl<R: Row> Parts<R> {
    /// No parts yet; makes the folder.
    pub(crate) fn new(folder: &RunFolder, failed: Failed) -> error::Result<Self> {
        assert!(is_known::<R>(), "{} is among the tables of a folder", R::TABLE);
        let (folder, run) = (folder.path().join(R::TABLE), folder.run().into());
        fs::create_dir_all(&folder).map_err(|source| RecordError::Folder { path: folder.clone(), source })?;
        let rows = R::Columns::default();
        Ok(Self { folder, run, begun: 0, rows, requested: FIRST, writer: None, failed })
    }

    /// Adds rows, and has a part written when it is full; waits until the one before it is written.
    pub(crate) fn add(&mut self, rows: impl IntoIterator<Item = R>) -> Written {
        rows.into_iter().for_each(|row| row.push(&mut self.rows));
        if R::count(&self.rows) >= self.requested { self.hand_over() } else { Ok(()) }
    }

    /// Writes what remains. A table without rows gets a part without rows: its columns are known.
    pub(crate) fn end(mut self) -> Written {
        if R::count(&self.rows) > 0 || self.begun == 0 {
            self.hand_over()?;
        }
        self.wait().map(drop)
    }

    /// Waits for the writer; returns the columns that it has emptied.
    fn wait(&mut self) -> error::Result<R::Columns> {
        match self.writer.take().map(JoinHandle::join) {
            None => Ok(R::Columns::default()),
            Some(Ok(written)) => written,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }

    fn hand_over(&mut self) -> Written {
        let empty = self.wait()?;
        let mut rows = std::mem::replace(&mut self.rows, empty);
        let path = self.folder.join(format!("{:05}.parquet", self.begun));
        let (failed, named, run) = (self.failed.clone(), path.clone(), Arc::clone(&self.run));
        let write = move || {
            let written = write_part::<R>(&path, &run, &mut rows);
            failed.fetch_or(written.is_err(), Ordering::Relaxed);
            written.map(|()| rows).map_err(|source| RecordError::File { path, source })
        };
        let writer = begin_thread(write, |thread, write| thread.name(R::TABLE.to_owned()).spawn(write));
        self.writer = Some(writer.map_err(|source| RecordError::File { path: named, source })?);
        self.begun += 1;
        self.requested = (self.requested * 2).min(MOST);
        Ok(())
    }
}

/// No writer is left running when the table is gone.
impl<R: Row> Drop for Parts<R> {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // Another failure has been reported, or a panic goes on.
            let _ = writer.join();
        }
    }
}

fn write_part<R: Row>(path: &Path, run: &str, rows: &mut R::Columns) -> std::io::Result<()> {
    let beside = path.with_extension("parquet.partial");
    write_rows::<R>(&beside, run, rows).and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
        // The first failure is the one to report; a leftover that cannot be removed either adds nothing.
        let _ = fs::remove_file(&beside);
    })
}

fn write_rows<R: Row>(path: &Path, run: &str, rows: &mut R::Columns) -> std::io::Result<()> {
    let out = BufWriter::new(File::create(path)?);
    let write = || {
        let mut file = begin::<R, _>(out, run, &[])?;
        put::<R, _>(&mut file, rows)?;
        file.into_inner()
    };
    let out = write().map_err(into_io)?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(())
}

/// Values of a column, one for each point; `None` where a point has none.
#[derive(Clone, Debug, PartialEq)]
pub enum PointColumn {
    /// Texts.
    Texts(Vec<Option<String>>),
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
}

/// Writes columns of equal length under their names, which are all different. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_points(columns: Vec<(String, PointColumn)>, path: &Path) -> Written {
    let written = write_whole(path, |out| write_to(columns, out).map_err(into_io));
    written.map_err(|source| RecordError::File { path: path.to_owned(), source })
}

fn write_to(columns: Vec<(String, PointColumn)>, out: impl Write + Send) -> Result<()> {
    let fields = columns.iter().map(|(name, column)| {
        let (physical, logical) = match column {
            PointColumn::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            PointColumn::Numbers(_) => (Physical::DOUBLE, None),
            PointColumn::Whole(_) => (Physical::INT64, None),
        };
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        field.with_logical_type(logical).build().map(Arc::new)
    });
    let schema = Type::group_type_builder("points").with_fields(fields.collect::<Result<_>>()?).build()?;
    let version = KeyValue::new(VERSION_KEY.to_owned(), TABLE_VERSION.to_owned());
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("weir {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(vec![version]))
        .build();
    let mut file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for (_, column) in columns {
        match column {
            PointColumn::Texts(values) => {
                let texts = values.into_iter().map(|text| text.map(|text| text.into_bytes().into()));
                some::<ByteArrayType>(texts).write(&mut group)?;
            }
            PointColumn::Numbers(values) => some::<DoubleType>(values).write(&mut group)?,
            PointColumn::Whole(values) => some::<Int64Type>(values).write(&mut group)?,
        }
    }
    _ = group.close()?;
    file.close().map(drop)
}

fn some<D: DataType>(cells: impl IntoIterator<Item = Option<D::T>>) -> Values<D> {
    let mut values = Values::default();
    cells.into_iter().for_each(|cell| values.push_some(cell));
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("points.parquet");
        let columns = vec![
            ("point".to_owned(), PointColumn::Whole(vec![Some(0), Some(1)])),
            ("node.packet_gap".to_owned(), PointColumn::Numbers(vec![Some(0.5), None])),
            ("label, \"odd\"".to_owned(), PointColumn::Texts(vec![None, Some("ä b".to_owned())])),
        ];
        write_points(columns, &path).unwrap();
        let file = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let rows: Vec<String> = file.into_iter().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(
            rows,
            [
                "{point: 0, node.packet_gap: 0.5, label, \"odd\": null}",
                "{point: 1, node.packet_gap: null, label, \"odd\": \"ä b\"}"
            ]
        );
        assert!(write_points(Vec::new(), &folder.path().join("no/points.parquet")).is_err());
    }
}
