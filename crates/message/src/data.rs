//! Data of a message: its bytes, or only their number.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Deref, DerefMut, Range};

/// The data of a message, packed. A run without data (paper 003, section 4.1) has messages of the same lengths whose bytes
/// are nowhere; everything takes as long as with data.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Data {
    /// The bytes.
    Bytes(Packed),
    /// The number of bytes, which are not kept.
    Length(u64),
}

impl Data {
    /// Zeros, or only their number if `like` moves only lengths.
    pub fn room(like: Moved, bytes: usize) -> Self {
        match like {
            Moved::Data => Self::Bytes(Packed::zeros(bytes)),
            Moved::LengthsOnly => Self::Length(bytes as u64),
        }
    }

    /// The number of bytes, kept or not.
    pub fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Length(length) => *length,
        }
    }

    /// The bytes; none if only their number is known.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Length(_) => &[],
        }
    }

    /// The bytes of a range; none if only their number is known.
    ///
    /// # Panics
    /// When they are not within the data.
    pub fn slice(&self, range: Range<usize>) -> &[u8] {
        match self {
            Self::Bytes(bytes) => &bytes[range],
            Self::Length(_) => &[],
        }
    }

    /// A copy of a range.
    ///
    /// # Panics
    /// When it is not within the data.
    pub fn part(&self, range: Range<usize>) -> Self {
        match self {
            Self::Bytes(bytes) => Self::Bytes(bytes[range].into()),
            Self::Length(_) => Self::Length(range.len() as u64),
        }
    }

    /// Its beginning, at most so many bytes.
    #[must_use]
    pub fn limited(self, limit: u64) -> Self {
        match self {
            whole if whole.length() <= limit => whole,
            Self::Bytes(bytes) => Self::Bytes(bytes[..limit as usize].into()),
            Self::Length(_) => Self::Length(limit),
        }
    }

    /// Copies other data to a place within; nothing where one of the two has no bytes.
    ///
    /// # Panics
    /// When they do not fit there.
    pub fn put(&mut self, place: usize, data: &[u8]) {
        if let Self::Bytes(bytes) = self {
            bytes[place..place + data.len()].copy_from_slice(data);
        }
    }
}

impl Default for Data {
    fn default() -> Self {
        Self::Bytes(Packed::zeros(0))
    }
}

impl From<Box<[u8]>> for Data {
    fn from(bytes: Box<[u8]>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl From<&[u8]> for Data {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl From<Vec<u8>> for Data {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into_boxed_slice().into())
    }
}

/// Extent to which data of messages are moved: all, or only their lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Moved {
    /// Data arrive.
    #[default]
    Data,
    /// Received data have their lengths, and receive buffers stay as they are (paper 003, section 4.1).
    LengthsOnly,
}

/// The bytes of a message, in place where they are few.
#[derive(Clone)]
pub struct Packed(Storage);

#[derive(Clone)]
enum Storage {
    InPlace { length: u8, bytes: [u8; Packed::MOST_IN_PLACE] },
    OnHeap(Box<[u8]>),
}

impl Packed {
    /// The most bytes that are kept in place. Programs send many messages of a number or two, for which a piece of the heap would
    /// take longer than the copy.
    pub const MOST_IN_PLACE: usize = 22;

    /// Zeros.
    pub fn zeros(length: usize) -> Self {
        match u8::try_from(length) {
            Ok(few) if length <= Self::MOST_IN_PLACE => {
                Self(Storage::InPlace { length: few, bytes: [0; Self::MOST_IN_PLACE] })
            }
            _ => Self(Storage::OnHeap(vec![0; length].into_boxed_slice())),
        }
    }
}

impl Deref for Packed {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::InPlace { length, bytes } => &bytes[..usize::from(*length)],
            Storage::OnHeap(bytes) => bytes,
        }
    }
}

impl DerefMut for Packed {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Storage::InPlace { length, bytes } => &mut bytes[..usize::from(*length)],
            Storage::OnHeap(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for Packed {
    #[inline]
    fn from(bytes: &[u8]) -> Self {
        if bytes.len() > Self::MOST_IN_PLACE {
            return Self(Storage::OnHeap(bytes.into()));
        }
        let mut packed = Self::zeros(bytes.len());
        packed.copy_from_slice(bytes);
        packed
    }
}

impl From<Box<[u8]>> for Packed {
    fn from(bytes: Box<[u8]>) -> Self {
        Self(Storage::OnHeap(bytes))
    }
}

impl PartialEq for Packed {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Packed {}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<[u8]>::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_bytes() {
        let bytes = Data::from(vec![1, 2, 3, 4]);
        let length = Data::Length(4);
        for data in [bytes.clone(), length.clone()] {
            assert_eq!(data.length(), 4);
            assert_eq!(data.part(1..3).length(), 2);
            assert_eq!(data.clone().limited(3).length(), 3);
            assert_eq!(data.limited(9).length(), 4);
        }
        assert_eq!(bytes.part(1..3).bytes(), [2, 3]);
        assert_eq!(bytes.clone().limited(1).bytes(), [1]);
        assert_eq!(length.bytes(), [0; 0]);
        let mut place = Data::room(Moved::Data, 6);
        place.put(1, bytes.bytes());
        assert_eq!(place.bytes(), [0, 1, 2, 3, 4, 0]);
        assert_eq!(Data::room(Moved::LengthsOnly, 6), Data::Length(6));
    }

    /// That few bytes are kept in place takes a word more of every message under way.
    #[test]
    fn data_take_three_words() {
        assert_eq!(size_of::<Data>(), 3 * size_of::<usize>());
    }

    #[test]
    fn bytes_are_the_same_in_place_and_on_the_heap() {
        assert_eq!(size_of::<Packed>(), 24);
        let most = Packed::MOST_IN_PLACE;
        for length in [0, 1, most - 1, most, most + 1, 300] {
            let bytes: Vec<u8> = (0..length).map(|byte| (byte as u8).wrapping_add(1)).collect();
            let copied = Packed::from(&bytes[..]);
            let moved = Packed::from(bytes.clone().into_boxed_slice());
            assert_eq!((&*copied, &copied), (&bytes[..], &moved));
            let mut zeros = Packed::zeros(length);
            assert_eq!(&*zeros, vec![0; length]);
            zeros.copy_from_slice(&bytes);
            assert_eq!(zeros, copied);
            assert_eq!(format!("{copied:?}"), format!("{bytes:?}"));
        }
    }
}
