//! Views of files: which bytes of a file a rank sees, in which order (MPI 5.0, section 14.3).
//!
//! ```text
//!   displacement    file type   file type   file type
//!        |---------|##--#-----|##--#-----|##--#-----| ...        # data, - hole
//!                   01  2      34  5      67  8                  the rank's own count, in bytes or etypes
//! ```
//! Positions here are bytes of data, counted from the beginning of the view; a program counts them in elementary types.

use crate::datatype::{Piece, Type};
use crate::{FileMistake, MpiError, Result};
use std::rc::Rc;

/// The representation of data in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// The same as in memory.
    Native,
    /// The same as in memory: the library's choice.
    Internal,
    /// "external32": big-endian and of fixed sizes.
    External,
}

impl Representation {
    /// Its name in MPI.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Internal => "internal",
            Self::External => "external32",
        }
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Native, Self::Internal, Self::External].into_iter().find(|known| known.name() == name)
    }

    /// Bytes from one element of a type to the next in a file.
    pub fn extent(self, of: &Type) -> isize {
        // Without gaps the extent follows the sizes; gaps are the program's own, in bytes of the file.
        match (self, of.external_size(1)) {
            (Self::External, Some(size)) if of.contiguous().is_some() => size as isize,
            _ => of.extent(),
        }
    }

    fn size(self, of: &Type) -> Result<u64> {
        let size = match self {
            Self::External => of.external_size(1),
            Self::Native | Self::Internal => Some(of.size()),
        };
        size.map(|size| size as u64).ok_or_else(|| argument("the datatype is too large for a file"))
    }
}

/// The part of a file that one rank sees.
#[derive(Clone, Debug)]
pub struct FileView {
    displacement: u64,
    /// The elementary type.
    pub etype: Rc<Type>,
    /// The file type: which data the rank sees, over and over.
    pub filetype: Rc<Type>,
    /// The representation of the data.
    pub representation: Representation,
    /// Bytes of an elementary type in the file.
    unit: u64,
    tile: Rc<Tile>,
}

#[derive(Debug)]
struct Tile {
    bytes: u64,
    /// Bytes from one to the next.
    extent: u64,
    runs: Vec<Run>,
    /// All tiles together have no gap.
    is_dense: bool,
    /// A byte of the file belongs to two of its data.
    overlaps: bool,
}

#[derive(Debug)]
struct Run {
    /// Bytes of data of the tile that come before.
    before: u64,
    /// Where the first block is.
    at: u64,
    length: u64,
    count: u64,
    stride: u64,
}

impl Run {
    const fn bytes(&self) -> u64 {
        self.length * self.count
    }

    /// Bytes of the run that lie before a place of the tile.
    fn bytes_before(&self, place: u64) -> u64 {
        let Some(distance) = place.checked_sub(self.at) else { return 0 };
        let block = distance.checked_div(self.stride).unwrap_or(0).min(self.count - 1);
        block * self.length + (distance - block * self.stride).min(self.length)
    }
}

fn argument(what: impl Into<String>) -> MpiError {
    MpiError::Argument(what.into())
}

/// A datatype that no file can have; the standard names no class for it, and this is that of the usual library.
fn layout(what: &str) -> MpiError {
    MpiError::OfFile { mistake: FileMistake::Io, what: what.into() }
}

impl Tile {
    fn new(filetype: &Type, representation: Representation) -> Result<Self> {
        let (bytes, native) = (representation.size(filetype)?, filetype.size() as u64);
        if let Some(at) = filetype.contiguous().filter(|_| native > 0) {
            let at = u64::try_from(at).map_err(|_| layout("the file type begins before the file"))?;
            let runs = vec![Run { before: 0, at, length: bytes, count: 1, stride: 0 }];
            return Ok(Self { bytes, extent: bytes, runs, is_dense: true, overlaps: false });
        }
        if bytes != native {
            let what = "file types with gaps and with elements that are shorter in \"external32\"";
            return Err(MpiError::OfFile { mistake: FileMistake::Representation, what: what.into() });
        }
        let extent = u64::try_from(filetype.extent()).map_err(|_| layout("the extent is negative"))?;
        let (mut runs, mut before, mut last, mut mistake) = (Vec::new(), 0, 0, None);
        let (mut end, mut overlaps) = (0, false);
        filetype.pieces(1, filetype.size(), &mut |Piece { offset, length, count, stride }| {
            if offset < last || (count > 1 && stride < 0) {
                mistake = Some(layout("the displacements of the file type decrease or are negative"));
                return;
            }
            overlaps |= offset < end || (count > 1 && stride < length as isize);
            last = offset + (count as isize - 1) * stride;
            end = last + length as isize;
            let (at, length, count, stride) = (offset as u64, length as u64, count as u64, stride as u64);
            let run = Run { before, at, length, count, stride };
            before += run.bytes();
            runs.push(run);
        });
        match mistake {
            Some(mistake) => Err(mistake),
            None => Ok(Self { bytes, extent, runs, is_dense: false, overlaps }),
        }
    }

    fn run_of(&self, byte: u64) -> usize {
        self.runs.partition_point(|run| run.before <= byte) - 1
    }

    fn bytes_before(&self, place: u64) -> u64 {
        self.runs.iter().take_while(|run| run.at < place).map(|run| run.bytes_before(place)).sum()
    }
}

impl FileView {
    /// The view of a file that has just been opened: all its bytes.
    pub fn whole(byte: &Rc<Type>) -> Self {
        Self::new(0, byte, byte, Representation::Native).expect("a byte has no gaps")
    }

    /// Data of `filetype` over and over, from `displacement` bytes on.
    ///
    /// # Errors
    /// When the displacement is negative, the file type is not made of whole elementary types or not in the order of
    /// the file, or the representation cannot have it.
    pub fn new(
        displacement: i64,
        etype: &Rc<Type>,
        filetype: &Rc<Type>,
        representation: Representation,
    ) -> Result<Self> {
        let displacement = u64::try_from(displacement)
            .map_err(|_| argument(format!("the displacement {displacement} is negative")))?;
        let unit = representation.size(etype)?;
        if unit == 0 || !filetype.size().is_multiple_of(etype.size()) {
            return Err(argument("the file type is not made of whole elementary types"));
        }
        let tile = Rc::new(Tile::new(filetype, representation)?);
        let (etype, filetype) = (Rc::clone(etype), Rc::clone(filetype));
        Ok(Self { displacement, etype, filetype, representation, unit, tile })
    }

    /// Refuses a view through which a byte of the file would be written twice.
    ///
    /// # Errors
    /// When parts of the file type overlap.
    pub fn may_write(&self) -> Result<()> {
        if self.tile.overlaps {
            return Err(layout("parts of the file type overlap, and the file is open for writing"));
        }
        Ok(())
    }

    /// Where the view begins, in bytes of the file.
    pub fn displacement(&self) -> i64 {
        self.displacement as i64
    }

    /// Bytes of an elementary type in the file.
    pub const fn unit(&self) -> u64 {
        self.unit
    }

    /// The position of elementary type `offset`, with room for so many bytes of data behind it.
    ///
    /// # Errors
    /// When the offset is negative, the bytes reach farther than files do, or the view has no data at all.
    pub fn position(&self, offset: i64, bytes: u64) -> Result<u64> {
        let number =
            u64::try_from(offset).map_err(|_| argument(format!("the offset {offset} is negative")))?;
        if bytes > 0 && self.tile.bytes == 0 {
            return Err(argument("the file type has no data"));
        }
        let (tile, start) = (&*self.tile, u128::from(number) * u128::from(self.unit));
        let tiles = (start + u128::from(bytes)) / u128::from(tile.bytes.max(1)) + 1;
        let reach = tile.runs.last().map_or(0, |run| {
            u128::from(run.at) + u128::from(run.stride) * u128::from(run.count) + u128::from(run.length)
        });
        let end = tiles * u128::from(tile.extent) + u128::from(self.displacement) + reach;
        if start.max(end) > i64::MAX as u128 {
            return Err(argument(format!("the offset {offset} lies beyond what files can have")));
        }
        Ok(number * self.unit)
    }

    /// Where in the file the byte of data at a position is.
    pub fn byte_offset(&self, position: u64) -> u64 {
        if self.tile.bytes == 0 {
            return self.displacement;
        }
        let mut found = 0;
        self.ranges(position, 1, &mut |at, _| found = at);
        found
    }

    /// Calls `take` with where `bytes` bytes of data from a position on are in the file, in their order: beginning and
    /// length. What touches is one range. The position comes from [`Self::position`].
    pub fn ranges(&self, position: u64, bytes: u64, take: &mut impl FnMut(u64, u64)) {
        let tile = &*self.tile;
        if bytes == 0 || tile.bytes == 0 {
            return;
        }
        if tile.is_dense {
            return take(self.displacement + tile.runs[0].at + position, bytes);
        }
        let mut start = self.displacement + position / tile.bytes * tile.extent;
        let mut rest = bytes;
        let mut inside = position % tile.bytes;
        let mut pending = (0, 0);
        while rest > 0 {
            for run in &tile.runs[tile.run_of(inside)..] {
                let mut byte = inside.saturating_sub(run.before);
                while rest > 0 && byte < run.bytes() {
                    let (block, skipped) = (byte / run.length, byte % run.length);
                    let length = (run.length - skipped).min(rest);
                    let at = start + run.at + block * run.stride + skipped;
                    if pending.0 + pending.1 == at {
                        pending.1 += length;
                    } else {
                        if pending.1 > 0 {
                            take(pending.0, pending.1);
                        }
                        pending = (at, length);
                    }
                    byte += length;
                    rest -= length;
                }
            }
            inside = 0;
            start += tile.extent;
        }
        take(pending.0, pending.1);
    }

    /// The number of elementary types of the view in a file of so many bytes; one that is cut short counts.
    ///
    /// # Model
    /// Exact where the tiles of the view do not overlap, as the standard requires.
    pub fn units_in(&self, file_bytes: u64) -> i64 {
        let tile = &*self.tile;
        let first = tile.runs.first().map_or(0, |run| run.at);
        let inside = file_bytes.saturating_sub(self.displacement).saturating_sub(first);
        let bytes = if tile.is_dense {
            inside
        } else {
            let tiles = inside.checked_div(tile.extent).unwrap_or(0);
            tiles * tile.bytes + tile.bytes_before(first + inside - tiles * tile.extent)
        };
        bytes.div_ceil(self.unit) as i64
    }
}

#[cfg(test)]
mod tests;
