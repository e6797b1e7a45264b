//! Basic elements: single values, as a C compiler and the external representation see them.

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
    #[must_use]
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
    #[must_use]
    pub const fn alignment(self) -> usize {
        match self {
            Self::Complex(bytes) => bytes as usize,
            Self::ComplexLongDouble => 16,
            other => other.size(),
        }
    }

    /// Bytes in the external representation.
    #[must_use]
    pub const fn external_size(self) -> usize {
        match self {
            Self::Long | Self::UnsignedLong => 4,
            Self::WideCharacter => 2,
            other => other.size(),
        }
    }
}
