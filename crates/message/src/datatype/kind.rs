//! Kinds of elements, as reductions distinguish them, and basic elements, as a C compiler and the external
//! representation "external32" see them (MPI 5.0, section 15.5.2): big-endian, of fixed sizes, without gaps.

use super::Type;
use std::ops::ControlFlow;

/// A basic element of a type map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basic {
    /// One byte, or a character.
    Byte,
    /// A number of 2, 4 or 8 bytes.
    Number(u8),
    /// Two numbers of 4 or 8 bytes each.
    Complex(u8),
    /// `long`: 8 bytes here, 4 in the external representation.
    Long,
    /// `unsigned long`: as `long`.
    UnsignedLong,
    /// `wchar_t`: 4 bytes here, 2 in the external representation.
    WideCharacter,
    /// `long double`: 16 bytes, of which the processor uses 10.
    LongDouble,
    /// Two `long double`.
    ComplexLongDouble,
}

impl Basic {
    /// Bytes in memory.
    pub const fn size(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Number(bytes) => bytes as usize,
            Self::Complex(bytes) => 2 * bytes as usize,
            Self::Long | Self::UnsignedLong => 8,
            Self::WideCharacter => 4,
            Self::LongDouble => 16,
            Self::ComplexLongDouble => 32,
        }
    }

    /// Where C lets it begin: at multiples of so many bytes.
    pub const fn alignment(self) -> usize {
        match self {
            Self::Complex(bytes) => bytes as usize,
            Self::ComplexLongDouble => 16,
            other => other.size(),
        }
    }

    /// Bytes in the external representation.
    pub const fn external_size(self) -> usize {
        match self {
            Self::Long | Self::UnsignedLong => 4,
            Self::WideCharacter => 2,
            other => other.size(),
        }
    }
}

impl Type {
    /// Bytes of `count` elements in the external representation; `None`: more than can be counted.
    pub fn external_size(&self, count: usize) -> Option<usize> {
        self.totals.external.checked_mul(count)
    }

    /// Converts `count` elements of packed data to the external representation.
    ///
    /// # Panics
    /// When `packed` is shorter than the data, or `external` than their representation.
    pub fn write_external(&self, count: usize, packed: &[u8], external: &mut [u8]) {
        let (mut from, mut to) = (0, 0);
        self.each(count, &mut |basic| {
            let (size, room) = (basic.size(), basic.external_size());
            write(basic, &packed[from..from + size], &mut external[to..to + room]);
            (from, to) = (from + size, to + room);
        });
    }

    /// Converts `count` elements in the external representation to packed data.
    ///
    /// # Panics
    /// Those of [`Self::write_external`].
    pub fn read_external(&self, count: usize, external: &[u8], packed: &mut [u8]) {
        let (mut from, mut to) = (0, 0);
        self.each(count, &mut |basic| {
            let (size, room) = (basic.external_size(), basic.size());
            read(basic, &external[from..from + size], &mut packed[to..to + room]);
            (from, to) = (from + size, to + room);
        });
    }

    /// Bytes of packed data that so many bytes in the external representation are, in whole basic elements.
    pub fn packed_in_external(&self, external: usize) -> usize {
        let one = self.totals.external;
        if one == 0 {
            return 0;
        }
        let (mut packed, mut rest) = (external / one * self.size(), external % one);
        _ = self.tree.each_basic(&mut |basic| match rest.checked_sub(basic.external_size()) {
            Some(less) => {
                packed += basic.size();
                rest = less;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        });
        packed
    }

    fn each(&self, count: usize, take: &mut impl FnMut(Basic)) {
        for _ in 0..count {
            _ = self.tree.each_basic(&mut |basic| {
                take(basic);
                ControlFlow::Continue(())
            });
        }
    }
}

/// Copies numbers of so many bytes from the order of this computer to big-endian order, or back.
fn swap(bytes: usize, from: &[u8], to: &mut [u8]) {
    for (from, to) in from.chunks_exact(bytes).zip(to.chunks_exact_mut(bytes)) {
        to.copy_from_slice(from);
        if cfg!(target_endian = "little") {
            to.reverse();
        }
    }
}

fn eight(bytes: &[u8]) -> [u8; 8] {
    bytes.try_into().expect("a long has eight bytes")
}

fn four(bytes: &[u8]) -> [u8; 4] {
    bytes.try_into().expect("half a long has four bytes")
}

fn write(basic: Basic, from: &[u8], to: &mut [u8]) {
    match basic {
        Basic::Byte => to.copy_from_slice(from),
        Basic::Number(bytes) | Basic::Complex(bytes) => swap(bytes.into(), from, to),
        Basic::Long | Basic::UnsignedLong => {
            to.copy_from_slice(&(u64::from_ne_bytes(eight(from)) as u32).to_be_bytes());
        }
        Basic::WideCharacter => to.copy_from_slice(&(u32::from_ne_bytes(four(from)) as u16).to_be_bytes()),
        Basic::LongDouble | Basic::ComplexLongDouble => {
            for (from, to) in from.chunks_exact(16).zip(to.chunks_exact_mut(16)) {
                to.copy_from_slice(&widen(from).to_be_bytes());
            }
        }
    }
}

fn read(basic: Basic, from: &[u8], to: &mut [u8]) {
    match basic {
        Basic::Byte => to.copy_from_slice(from),
        Basic::Number(bytes) | Basic::Complex(bytes) => swap(bytes.into(), from, to),
        Basic::Long => to.copy_from_slice(&i64::from(i32::from_be_bytes(four(from))).to_ne_bytes()),
        Basic::UnsignedLong => to.copy_from_slice(&u64::from(u32::from_be_bytes(four(from))).to_ne_bytes()),
        Basic::WideCharacter => {
            to.copy_from_slice(&u32::from(u16::from_be_bytes([from[0], from[1]])).to_ne_bytes());
        }
        Basic::LongDouble | Basic::ComplexLongDouble => {
            for (from, to) in from.chunks_exact(16).zip(to.chunks_exact_mut(16)) {
                let number = u128::from_be_bytes(from.try_into().expect("chunks have their length"));
                to.copy_from_slice(&narrow(number).to_le_bytes());
            }
        }
    }
}

/// Bits of the fraction that binary128 has and the x87 format has not.
const EXTRA: u32 = 49;

/// A number in the x87 format (little-endian: 64 bits of significand with its leading one, 15 of exponent, the sign, 48
/// unused) as binary128, which has the same exponents. It is exact.
fn widen(x87: &[u8]) -> u128 {
    let bits = u128::from_le_bytes(x87.try_into().expect("a long double has 16 bytes"));
    let (head, significand) = (bits >> 64 & 0xffff, bits as u64);
    let fraction = u128::from(significand & (u64::MAX >> 1));
    // A significand with its leading one at exponent 0 is the smallest normal number.
    let head = if head & 0x7fff == 0 && significand >> 63 == 1 { head | 1 } else { head };
    head << 112 | fraction << EXTRA
}

/// The nearest number in the x87 format, to even if there are two.
fn narrow(quad: u128) -> u128 {
    let (head, fraction) = (quad >> 112, quad & ((1 << 112) - 1));
    let infinite = head & 0x7fff == 0x7fff;
    let (kept, lost) = (fraction >> EXTRA, fraction & ((1 << EXTRA) - 1));
    let half = 1 << (EXTRA - 1);
    let up = lost > half || (lost == half && kept & 1 == 1);
    // Rounding up may carry into the exponent, as it should; what is no number stays none.
    let rounded = (head << 63 | kept) + u128::from(up && !infinite);
    let (head, kept) = (rounded >> 63, rounded & ((1 << 63) - 1));
    let none = u128::from(infinite && fraction != 0 && kept == 0);
    let leading = u128::from(head & 0x7fff != 0);
    head << 64 | leading << 63 | kept | none
}
