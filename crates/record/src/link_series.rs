//! Reads `series/links` back, part by part.

use crate::RecordError;
use crate::table::into_io;
use parquet::column::reader::ColumnReader;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;
use weir_units::{LinkId, Time};

/// What a link has carried in an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Beginning of the interval.
    pub(crate) start: Time,
    pub(crate) link: LinkId,
    pub(crate) bytes: f64,
}

/// Passes on every row of the table in a results folder, in its order. One part is in memory at a time.
///
/// # Errors
/// When a part cannot be read, or the first error of `take`.
pub(crate) fn read(
    folder: &Path,
    mut take: impl FnMut(Sample) -> std::result::Result<(), RecordError>,
) -> std::result::Result<(), RecordError> {
    let paths = (0..).map(|part| folder.join(format!("series/links/{part:05}.parquet")));
    for path in paths.take_while(|path| path.is_file()) {
        let samples = part(&path);
        let samples =
            samples.map_err(|error| RecordError::File { path: path.clone(), source: into_io(error) })?;
        samples.into_iter().try_for_each(&mut take)?;
    }
    Ok(())
}

fn part(path: &Path) -> Result<Vec<Sample>> {
    let file = File::open(path).map_err(|error| ParquetError::External(Box::new(error)))?;
    let reader = SerializedFileReader::new(file)?;
    let mut samples = Vec::new();
    for number in 0..reader.num_row_groups() {
        group(&*reader.get_row_group(number)?, &mut samples)?;
    }
    Ok(samples)
}

fn group(group: &dyn RowGroupReader, samples: &mut Vec<Sample>) -> Result<()> {
    let rows = group.metadata().num_rows() as usize;
    let (mut starts, mut links, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    // The first three columns, which have a value in every row.
    for column in 0..3 {
        match group.get_column_reader(column)? {
            ColumnReader::Int64ColumnReader(mut values) => {
                values.read_records(rows, None, None, &mut starts)?;
            }
            ColumnReader::Int32ColumnReader(mut values) => {
                values.read_records(rows, None, None, &mut links)?;
            }
            ColumnReader::DoubleColumnReader(mut values) => {
                values.read_records(rows, None, None, &mut bytes)?;
            }
            _ => {
                return Err(ParquetError::General(
                    "a column has another type than it was written with".into(),
                ));
            }
        }
    }
    let rows = starts.into_iter().zip(links).zip(bytes);
    samples.extend(rows.map(|((start, link), bytes): ((i64, i32), f64)| Sample {
        start: Time::from_ps(start.cast_unsigned()),
        link: LinkId(link.cast_unsigned()),
        bytes,
    }));
    Ok(())
}
