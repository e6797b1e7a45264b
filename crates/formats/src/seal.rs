//! Parquet files as weir writes them, with a checksum of all of it in the metadata: a bit that has changed on a disk or on the way
//! changes no result.
//!
//! ```text
//!   pages ... | footer: ..., weir.seal = 16 hexadecimal digits, ... | length, PAR1
//! ```
//! The sum is of all bytes of the file, with dots in the place of the digits. Pages have checksums of their own in the
//! format, which this writer does not write, and the footer has none.
//!
//! Each step of the sum is one to one, in what it has summed up and in what comes next. So two files that differ in eight
//! bytes in a row or less, from a place that eight divides, never have the same sum.

use crate::ReadError;
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use weir_columns::{Row, TableFile, unless_damaged};

const KEY: &str = "weir.seal";
/// The beginning of the name of the writer in files of weir.
const WRITER: &str = concat!("weir ", env!("CARGO_PKG_VERSION_MAJOR"), ".");
const DOTS: &str = "................";
/// At the least so much is searched for the checksum.
const LEAST_END: u64 = 1 << 16;
/// Bytes that are read at a time.
const CHUNK: usize = 1 << 18;

/// A table on its way into a file, a row group after the other.
pub(crate) struct Writer<R: Row, W: Write + Send> {
    file: SerializedFileWriter<Sealed<W>>,
    /// Those of the next row group.
    rows: R::Columns,
}

impl<R: Row, W: Write + Send> Writer<R, W> {
    /// Begins a file with this metadata.
    pub(crate) fn begin(
        out: W,
        properties: WriterPropertiesBuilder,
        metadata: [(&str, String); 3],
    ) -> Result<Self> {
        let pairs = metadata.map(|(key, value)| KeyValue::new(key.to_owned(), value));
        // The checksum stands before all that users write.
        let seal = KeyValue::new(KEY.to_owned(), DOTS.to_owned());
        let properties = R::properties(properties)
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("weir {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some([seal].into_iter().chain(pairs).collect()));
        let file = SerializedFileWriter::new(Sealed::new(out), R::schema()?, Arc::new(properties.build()))?;
        Ok(Self { file, rows: R::Columns::default() })
    }

    pub(crate) fn push(&mut self, row: R) {
        row.push(&mut self.rows);
    }

    /// Number of rows that are kept.
    pub(crate) fn rows(&self) -> usize {
        R::count(&self.rows)
    }

    /// Writes the rows that are kept as a row group, if there are any, and forgets them.
    pub(crate) fn end_group(&mut self) -> Result<()> {
        if self.rows() == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        R::write(&mut self.rows, &mut group)?;
        group.close().map(drop)
    }

    /// Ends the file, with more metadata.
    pub(crate) fn end(mut self, metadata: &[(&str, String)]) -> Result<()> {
        self.end_group()?;
        for (key, value) in metadata {
            self.file.append_key_value_metadata(KeyValue::new((*key).to_owned(), value.clone()));
        }
        self.file.flush()?;
        self.file.inner_mut().hold();
        Ok(self.file.into_inner()?.finish()?.flush()?)
    }
}

/// Reads a file, unless it is damaged.
pub(crate) fn read<T>(
    file: File,
    read: impl FnOnce(&TableFile) -> std::result::Result<T, ReadError>,
) -> std::result::Result<T, ReadError> {
    let unless_cut = || {
        let again = file.try_clone().map_err(|error| ReadError::Unreadable(error.to_string()))?;
        let table = TableFile::of(file)?;
        check(&again).map_err(ReadError::Unreadable)?;
        read(&table)
    };
    unless_damaged(unless_cut)
        .unwrap_or_else(|| Err(ReadError::Unreadable("a damaged Parquet file".to_owned())))
}

impl From<ParquetError> for ReadError {
    fn from(error: ParquetError) -> Self {
        Self::Unreadable(format!("not Parquet, damaged or cut off: {error}"))
    }
}

/// The output of a Parquet file, which sums up its bytes.
struct Sealed<W> {
    out: W,
    sum: Sum,
    /// The end of the file, from [`Self::hold`] on.
    end: Option<Vec<u8>>,
}

impl<W: Write> Sealed<W> {
    fn new(out: W) -> Self {
        Self { out, sum: Sum::default(), end: None }
    }

    /// Begins the end of the file: the footer, and maybe more.
    fn hold(&mut self) {
        self.end.get_or_insert_default();
    }

    /// Writes the end, with the sum in it.
    fn finish(mut self) -> io::Result<W> {
        let mut end = self.end.take().unwrap_or_default();
        self.sum.add(&end);
        let place = place_of(&end).ok_or_else(|| io::Error::other("the footer has no weir.seal"))?;
        end[place..place + DOTS.len()].copy_from_slice(self.sum.digits().as_bytes());
        self.out.write_all(&end)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Sealed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.end {
            Some(end) => end.extend_from_slice(bytes),
            None => {
                self.out.write_all(bytes)?;
                self.sum.add(bytes);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Where the digits are in an end: behind the first place that has the key. The value follows with at most a length between.
fn place_of(end: &[u8]) -> Option<usize> {
    let key = end.windows(KEY.len()).position(|bytes| bytes == KEY.as_bytes())?;
    // One byte for the field and one for the length.
    let place = key + KEY.len() + 2;
    (place + DOTS.len() <= end.len()).then_some(place)
}

/// Checks that a file of weir is as it was written. Files that others have written, or have changed on purpose, pass: there the
/// name of weir as the writer is missing. The footer is searched and not read: one bit can make a reader pass over a part of
/// it.
fn check(mut file: &File) -> std::result::Result<(), String> {
    let unreadable = |error: io::Error| error.to_string();
    let length = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    let mut tail = [0; 4];
    file.seek(SeekFrom::Start(length.saturating_sub(8))).map_err(unreadable)?;
    file.read_exact(&mut tail).map_err(unreadable)?;
    // More than the footer, lest its length be wrong.
    let footer = 8 + u64::from(u32::from_le_bytes(tail));
    let pages = length.saturating_sub(footer.max(LEAST_END));
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let (mut sum, mut chunk) = (Sum::default(), vec![0; CHUNK]);
    let mut pages = file.take(pages);
    loop {
        match pages.read(&mut chunk).map_err(unreadable)? {
            0 => break,
            read => sum.add(&chunk[..read]),
        }
    }
    let mut end = Vec::new();
    file.read_to_end(&mut end).map_err(unreadable)?;
    let own = end.windows(WRITER.len()).any(|bytes| bytes == WRITER.as_bytes());
    let Some(place) = place_of(&end).filter(|_| own) else { return Ok(()) };
    let seal = String::from_utf8_lossy(&end[place..place + DOTS.len()]).into_owned();
    end[place..place + DOTS.len()].copy_from_slice(DOTS.as_bytes());
    sum.add(&end);
    if sum.digits() == seal {
        return Ok(());
    }
    Err(format!("it is damaged: its checksum ({KEY}) is {seal:?}, that of its bytes {:?}", sum.digits()))
}

/// A sum of bytes, wherever they are cut into pieces.
#[derive(Default)]
struct Sum {
    state: u64,
    bytes: u64,
    /// Fewer than eight that have not been added.
    rest: Vec<u8>,
}

impl Sum {
    fn add(&mut self, mut bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if !self.rest.is_empty() {
            let (more, others) = bytes.split_at(bytes.len().min(8 - self.rest.len()));
            self.rest.extend_from_slice(more);
            bytes = others;
            if self.rest.len() < 8 {
                return;
            }
            let eight = std::mem::take(&mut self.rest);
            self.state = step(self.state, word(&eight));
        }
        let mut eights = bytes.chunks_exact(8);
        self.state = eights.by_ref().fold(self.state, |state, eight| step(state, word(eight)));
        self.rest.extend_from_slice(eights.remainder());
    }

    fn digits(&self) -> String {
        format!("{:016x}", step(step(self.state, word(&self.rest)), self.bytes))
    }
}

fn word(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(eight)
}

/// One to one in both: an odd factor and a shift lose nothing.
fn step(state: u64, word: u64) -> u64 {
    let next = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    next ^ next >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_pieces() {
        let bytes: Vec<u8> = (0..100).collect();
        let whole = |pieces: &[&[u8]]| {
            let mut sum = Sum::default();
            pieces.iter().for_each(|piece| sum.add(piece));
            sum.digits()
        };
        let expected = whole(&[&bytes]);
        for cut in 0..bytes.len() {
            assert_eq!(whole(&[&bytes[..cut], &bytes[cut..cut], &bytes[cut..]]), expected);
        }
        assert_eq!(whole(&bytes.chunks(3).collect::<Vec<_>>()), expected);
        assert_ne!(whole(&[&bytes, &[0]]), expected);
        // As other versions have it.
        assert_eq!(expected, "8a7864de9ce52aa7");
    }

    #[test]
    fn digits_are_behind_the_key() {
        let end = ["before", KEY, "..", DOTS].concat();
        assert_eq!(place_of(end.as_bytes()), Some(end.len() - DOTS.len()));
        assert_eq!(place_of(&end.as_bytes()[..end.len() - 1]), None);
    }
}
