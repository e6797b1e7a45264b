//! Parquet files as weir writes them: metadata, properties and checksum; and what is checked before one is read.

use super::ended::Ended;
use crate::ReadError;
use crate::seal::{self, Sealed};
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use weir_columns::unless_damaged;

pub(crate) type Writer<W> = SerializedFileWriter<Sealed<W>>;
pub(crate) type Reader = SerializedFileReader<Ended>;

/// Rows that are read at a time.
pub(crate) const BATCH: usize = 1 << 13;

/// Begins a file with these columns and metadata.
pub(crate) fn begin<W: Write + Send>(
    out: W,
    schema: &str,
    properties: WriterPropertiesBuilder,
    metadata: [(&str, String); 3],
) -> Result<Writer<W>> {
    let pairs = metadata.map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let properties = properties
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("weir {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some([seal::open()].into_iter().chain(pairs).collect()));
    let schema = Arc::new(parse_message_type(schema)?);
    SerializedFileWriter::new(Sealed::new(out), schema, Arc::new(properties.build()))
}

/// Ends a file.
pub(crate) fn end<W: Write + Send>(mut writer: Writer<W>) -> Result<()> {
    writer.flush()?;
    writer.inner_mut().hold();
    Ok(writer.into_inner()?.finish()?.flush()?)
}

/// Reads a file, unless it is damaged.
pub(crate) fn read<T>(
    file: File,
    read: impl FnOnce(&Reader) -> std::result::Result<T, ReadError>,
) -> std::result::Result<T, ReadError> {
    let unless_cut = || {
        let again = file.try_clone().map_err(|error| ReadError::Unreadable(error.to_string()))?;
        let reader = SerializedFileReader::new(Ended(file)).map_err(unreadable)?;
        seal::check(&again).map_err(ReadError::Unreadable)?;
        check_places(reader.metadata()).map_err(unreadable)?;
        read(&reader)
    };
    unless_damaged(unless_cut)
        .unwrap_or_else(|| Err(ReadError::Unreadable("a damaged Parquet file".to_owned())))
}

fn unreadable(error: ParquetError) -> ReadError {
    ReadError::Unreadable(format!("not Parquet, damaged or cut off: {error}"))
}

/// Checks that places and counts in the file are possible: the reader of Parquet takes that for granted.
fn check_places(metadata: &ParquetMetaData) -> Result<()> {
    for group in metadata.row_groups() {
        for column in group.columns() {
            let first = column.dictionary_page_offset().unwrap_or(0);
            let numbers = [first, column.data_page_offset(), column.compressed_size(), column.num_values()];
            if group.num_rows() < 0 || numbers.iter().any(|&number| number < 0) {
                return Err(ParquetError::General("a place or a count is negative".into()));
            }
        }
    }
    Ok(())
}

/// The value of a key in the metadata of a file.
pub(crate) fn value<'a>(reader: &'a Reader, key: &str) -> Option<&'a str> {
    let pairs = reader.metadata().file_metadata().key_value_metadata();
    pairs.into_iter().flatten().find(|pair| pair.key == key)?.value.as_deref()
}

/// Reads one row group after the other, each in batches: `take` gets the columns that `open` has found and a number of rows.
pub(crate) fn each_batch<C>(
    reader: &Reader,
    open: impl Fn(&dyn RowGroupReader) -> Result<C>,
    mut take: impl FnMut(&mut C, usize) -> Result<()>,
) -> std::result::Result<(), ReadError> {
    let mut groups = || -> Result<()> {
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group)?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let mut columns = open(&*group)?;
            for start in (0..rows).step_by(BATCH) {
                take(&mut columns, BATCH.min(rows - start))?;
            }
        }
        Ok(())
    };
    groups().map_err(unreadable)
}
