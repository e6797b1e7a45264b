//! Reads `series/links` back, part by part.

use crate::RecordError;
use std::io;
use std::path::Path;
use weir_columns::{Column, TableFile};
use weir_units::{LinkId, Time};

/// Bytes that a link has carried in an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) start: Time,
    pub(crate) link: LinkId,
    pub(crate) bytes: f64,
}

/// Passes on every row of the table in a results folder, in its order. One row group is in memory at a time.
///
/// # Errors
/// When a part cannot be read.
pub(crate) fn read(folder: &Path, mut take: impl FnMut(Sample)) -> Result<(), RecordError> {
    let paths = (0..).map(|part| folder.join(format!("series/links/{part:05}.parquet")));
    for path in paths.take_while(|path| path.is_file()) {
        part(&path, &mut take)
            .map_err(|error| RecordError::File { path: path.clone(), source: io::Error::other(error) })?;
    }
    Ok(())
}

fn part(path: &Path, take: &mut impl FnMut(Sample)) -> Result<(), String> {
    let file = TableFile::open(path)?;
    for group in 0..file.groups() {
        let [starts, links, bytes] = ["start_ps", "link", "bytes"].map(|name| file.column(group, name));
        let (Column::Whole(starts), Column::Whole(links), Column::Real(bytes)) = (starts?, links?, bytes?)
        else {
            return Err("a column has another type than it was written with".into());
        };
        for ((start, link), bytes) in starts.into_iter().zip(links).zip(bytes) {
            take(Sample {
                start: Time::from_ps(start.unwrap_or_default().cast_unsigned()),
                link: LinkId(link.and_then(|link| link.try_into().ok()).unwrap_or_default()),
                bytes: bytes.unwrap_or_default(),
            });
        }
    }
    Ok(())
}
