//! Kinds of elements, as reductions distinguish them, and basic elements, as a C compiler and the external representation see them.

/// Kind of a basic element. Several names of C and Fortran share a kind (`MPI_INT` and `MPI_INT32_T`, for example).
/// Long double is not here: only the compiled program knows what it is on its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Kind {
    /// Signed integers of 8 bits.
    I8,
    /// Signed integers of 16 bits.
    I16,
    /// Signed integers of 32 bits.
    I32,
    /// Signed integers of 64 bits.
    I64,
    /// Unsigned integers of 8 bits.
    U8,
    /// Unsigned integers of 16 bits.
    U16,
    /// Unsigned integers of 32 bits.
    U32,
    /// Unsigned integers of 64 bits.
    U64,
    /// Floating point of 32 bits.
    F32,
    /// Floating point of 64 bits.
    F64,
    /// Complex of two `F32`.
    ComplexF32,
    /// Complex of two `F64`.
    ComplexF64,
    /// C's `bool`, one byte.
    Bool,
    /// Fortran's `LOGICAL`, 32 bits.
    Logical32,
    /// Uninterpreted bytes: bitwise operations only.
    Byte,
    /// Characters: to operations, signed integers of 8 bits.
    Character,
    /// `{ float; int }`
    F32Index,
    /// `{ double; int }`, 16 bytes
    F64Index,
    /// `{ long; int }`, 16 bytes
    I64Index,
    /// `{ int; int }`
    I32Index,
    /// `{ short; int }`, 8 bytes
    I16Index,
    /// Fortran's two `REAL`: the second says where the first is.
    F32Pair,
    /// Fortran's two `DOUBLE PRECISION`.
    F64Pair,
}

impl Kind {
    /// Bytes from one element to the next (the extent; with the padding a C compiler puts in).
    #[must_use]
    pub const fn extent(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool | Self::Byte | Self::Character => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 | Self::Logical32 => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::ComplexF32 => 8,
            Self::F32Index | Self::I32Index | Self::I16Index | Self::F32Pair => 8,
            Self::ComplexF64 | Self::F64Index | Self::I64Index | Self::F64Pair => 16,
        }
    }

    /// Bytes of data in one element (without padding).
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::F64Index | Self::I64Index => 12,
            Self::I16Index => 6,
            other => other.extent(),
        }
    }
}

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
