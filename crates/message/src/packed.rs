//! The bytes of a message.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Deref, DerefMut};

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
    #[must_use]
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
