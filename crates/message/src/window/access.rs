//! Accesses: what one rank asks of another's memory.

use crate::Data;
use crate::datatype::Piece;
use std::slice;
use weir_operations::Access as What;

/// Where data are in memory, from a place on that is named elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Layout {
    /// In one run of blocks.
    One(Piece),
    /// In several, in the order in which their data travel.
    Many(Box<[Piece]>),
}

impl Layout {
    /// Contiguous bytes.
    pub const fn contiguous(bytes: usize) -> Self {
        Self::One(Piece { offset: 0, length: bytes, count: 1, stride: 0 })
    }

    /// These pieces.
    pub fn new(pieces: Vec<Piece>) -> Self {
        match pieces.as_slice() {
            [only] => Self::One(*only),
            _ => Self::Many(pieces.into()),
        }
    }

    /// The pieces, in the order in which their data travel.
    pub fn pieces(&self) -> &[Piece] {
        match self {
            Self::One(piece) => slice::from_ref(piece),
            Self::Many(pieces) => pieces,
        }
    }

    /// Bytes of data. O(pieces).
    pub fn bytes(&self) -> usize {
        self.pieces().iter().map(|piece| piece.length * piece.count).sum()
    }

    /// The first byte, and the one behind the last; none if there are no data. O(pieces).
    pub fn bounds(&self) -> Option<(i128, i128)> {
        let of_piece = |piece: &Piece| {
            let last = (piece.count as i128 - 1) * piece.stride as i128;
            let start = piece.offset as i128;
            (start + last.min(0), start + last.max(0) + piece.length as i128)
        };
        let full = self.pieces().iter().filter(|piece| piece.length > 0 && piece.count > 0);
        full.map(of_piece).reduce(|(lower, upper), (from, to)| (lower.min(from), upper.max(to)))
    }
}

/// The combination of data with those in memory: numbers that the owners of the memories understand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Update {
    /// The operation.
    pub operation: u32,
    /// The type of the elements.
    pub element: u32,
}

/// An access of one rank to another's memory.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Access {
    /// Its kind.
    pub what: What,
    /// The combination, of accesses that combine data; it means nothing in others.
    pub update: Update,
    /// Where: in units of the target's window, from its beginning on.
    pub displacement: i64,
    /// Where the data are from there on.
    pub layout: Layout,
    /// The data that come with it; none for a get.
    pub data: Data,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        let piece = |offset, length, count, stride| Piece { offset, length, count, stride };
        for (pieces, bytes, bounds) in [
            (vec![], 0, None),
            (vec![piece(8, 0, 1, 0)], 0, None),
            (vec![piece(-4, 4, 1, 0)], 4, Some((-4, 0))),
            (vec![piece(0, 4, 3, 10)], 12, Some((0, 24))),
            (vec![piece(0, 4, 3, -10)], 12, Some((-20, 4))),
            (vec![piece(16, 2, 2, 4), piece(-1, 1, 1, 0)], 5, Some((-1, 22))),
        ] {
            let layout = Layout::new(pieces);
            assert_eq!((layout.bytes(), layout.bounds()), (bytes, bounds), "{layout:?}");
        }
        assert_eq!(Layout::contiguous(7).bounds(), Some((0, 7)));
    }
}
