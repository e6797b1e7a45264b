//! A file at whose end reading is a mistake.
//!
//! The reader of Parquet skips what it does not know, element by element, as many as the file says there are; at the end of
//! the file it takes nothing for an element. A damaged count of two thousand million would keep it busy for minutes.

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read};

/// See above.
pub(crate) struct Ended(pub(crate) File);

impl Read for Ended {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(into)?;
        if read == 0 && !into.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends too early"));
        }
        Ok(read)
    }
}

impl Length for Ended {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Ended {
    type T = BufReader<Self>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(Self(self.0.get_read(start)?.into_inner())))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}
