//! Records of a file of OTF2: a kind, the length of its content, and numbers in it, of which most are shortened.
//!
//! A file is made of chunks: a head (3, the order of bytes, two numbers of 64 bits), records, and the kind 2 at the end. The last chunk is followed by 1, others by the next chunk, which begins
//! at a multiple of their size. The beginning and the end of a region (12, 13) have no length, and a time (5) of events has none either.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

const HEAD: u8 = 3;
const END_OF_CHUNK: u8 = 2;
const END_OF_FILE: u8 = 1;
const TIME: u8 = 5;
pub(super) const ENTER: u8 = 12;
pub(super) const LEAVE: u8 = 13;
/// No record is longer: a group of ranks.
const MOST: u64 = 1 << 30;

pub(super) struct Records {
    input: BufReader<File>,
    at: u64,
    chunk: u64,
    is_little: bool,
    has_events: bool,
    /// The content of the last record.
    pub(super) content: Vec<u8>,
    /// The time of the last event.
    pub(super) time: u64,
    pub(super) number: u64,
}

fn cut(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file ends within a record: it is cut off".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

impl Records {
    pub(super) fn open(path: &Path, chunk: u64, has_events: bool) -> Result<Self, String> {
        let input = BufReader::with_capacity(1 << 16, File::open(path).map_err(|error| cut(&error))?);
        let (content, is_little) = (Vec::new(), true);
        let mut records = Self { input, at: 0, chunk, is_little, has_events, content, time: 0, number: 0 };
        if records.byte()? != HEAD {
            return Err("the file does not begin as one of OTF2".into());
        }
        records.head()?;
        Ok(records)
    }

    /// Where the next record stands.
    pub(super) fn place(&self) -> String {
        format!("record {} before byte {}", self.number, self.at)
    }

    fn byte(&mut self) -> Result<u8, String> {
        let mut byte = [0];
        self.input.read_exact(&mut byte).map_err(|error| cut(&error))?;
        self.at += 1;
        Ok(byte[0])
    }

    fn long(&mut self) -> Result<u64, String> {
        let mut bytes = [0; 8];
        self.input.read_exact(&mut bytes).map_err(|error| cut(&error))?;
        self.at += 8;
        Ok(if self.is_little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) })
    }

    fn head(&mut self) -> Result<(), String> {
        self.is_little = match self.byte()? {
            b'B' => true,
            b'#' => false,
            _ => return Err("the order of bytes is neither of the two of OTF2: the file is damaged".into()),
        };
        self.long().and_then(|_| self.long()).map(|_| ())
    }

    /// Reads the next record; `None` behind the last.
    pub(super) fn next(&mut self) -> Result<Option<u8>, String> {
        loop {
            let kind = self.byte()?;
            match kind {
                END_OF_CHUNK => {
                    match self.byte()? {
                        END_OF_FILE => return Ok(None),
                        HEAD => self.head()?,
                        _ => {
                            while !self.at.is_multiple_of(self.chunk) {
                                self.byte()?;
                            }
                            if self.byte()? != HEAD {
                                return Err("a chunk does not begin where the one before it ends: the file is damaged".into());
                            }
                            self.head()?;
                        }
                    }
                }
                TIME if self.has_events => self.time = self.long()?,
                _ => {
                    self.number += 1;
                    self.content.clear();
                    let length = match kind {
                        ENTER | LEAVE if self.has_events => {
                            let count = self.byte()?;
                            self.content.push(count);
                            if count == u8::MAX { 0 } else { u64::from(count) }
                        }
                        _ => match self.byte()? {
                            u8::MAX => self.long()?,
                            length => length.into(),
                        },
                    };
                    if length > MOST {
                        return Err(format!("a record of {length} bytes: the file is damaged"));
                    }
                    let read = (&mut self.input).take(length).read_to_end(&mut self.content);
                    if read.map_err(|error| cut(&error))? as u64 != length {
                        return Err("the file ends within a record: it is cut off".into());
                    }
                    self.at += length;
                    return Ok(Some(kind));
                }
            }
        }
    }

    /// The numbers of the last record.
    pub(super) const fn numbers(&self) -> Numbers<'_> {
        Numbers { rest: self.content.as_slice(), is_little: self.is_little }
    }
}

/// Numbers of a record, one after the other.
pub(super) struct Numbers<'a> {
    pub(super) rest: &'a [u8],
    is_little: bool,
}

const SHORT: &str =
    "a record is shorter than its kind: the file is damaged, or of a version that is not known";

impl Numbers<'_> {
    pub(super) fn byte(&mut self) -> Result<u8, String> {
        let (&first, rest) = self.rest.split_first().ok_or(SHORT)?;
        self.rest = rest;
        Ok(first)
    }

    /// A number behind the number of its bytes; all bits are set where it is undefined.
    pub(super) fn number(&mut self) -> Result<u64, String> {
        let count = match self.byte()? {
            u8::MAX => return Ok(u64::MAX),
            count @ 0..=8 => usize::from(count),
            _ => return Err("a number of more than 8 bytes: the file is damaged".into()),
        };
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or(SHORT)?;
        self.rest = rest;
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Ok(if self.is_little { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) })
    }

    pub(super) fn rank(&mut self) -> Result<u32, String> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| format!("{number} is no rank"))
    }
}
