//! Operations of reductions and their elements, by the names that MPI and C have for them.

/// An operation of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum OperationName {
    /// One that MPI has.
    Predefined(Predefined),
    /// A function of the program (`MPI_Op_create`).
    Program,
}

/// Elements of the operands of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ElementName {
    /// An element that the reductions here know.
    Kind(Kind),
    /// `long double`
    LongDouble,
    /// Complex of two `long double`.
    ComplexLongDouble,
    /// `{ long double; int }`
    LongDoubleIndex,
}

/// The operation of a reduction, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Combining {
    /// Its operation.
    pub operation: Option<OperationName>,
    /// Its elements; of a datatype that the program has made of several, nothing is known.
    pub element: Option<ElementName>,
}

/// The predefined operations (MPI 5.0, section 6.9.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)] // the standard's names
pub enum Predefined {
    Sum,
    Min,
    Max,
    Product,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    Xor,
    MinLocation,
    MaxLocation,
}

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
    pub const fn size(self) -> usize {
        match self {
            Self::F64Index | Self::I64Index => 12,
            Self::I16Index => 6,
            other => other.extent(),
        }
    }
}

impl OperationName {
    /// All of them, by the names that MPI has for them, without `MPI_` and in small letters.
    pub const ALL: [(&str, Self); 13] = {
        use Predefined as P;
        [
            ("sum", Self::Predefined(P::Sum)),
            ("prod", Self::Predefined(P::Product)),
            ("max", Self::Predefined(P::Max)),
            ("min", Self::Predefined(P::Min)),
            ("land", Self::Predefined(P::And)),
            ("lor", Self::Predefined(P::Or)),
            ("lxor", Self::Predefined(P::Xor)),
            ("band", Self::Predefined(P::BitAnd)),
            ("bor", Self::Predefined(P::BitOr)),
            ("bxor", Self::Predefined(P::BitXor)),
            ("maxloc", Self::Predefined(P::MaxLocation)),
            ("minloc", Self::Predefined(P::MinLocation)),
            ("user", Self::Program),
        ]
    };

    /// The operation of this name, `sum` or `MPI_SUM`.
    pub fn named(name: &str) -> Option<Self> {
        let of = |&(known, operation): &(&str, Self)| {
            let long = || name.strip_prefix("MPI_").is_some_and(|rest| rest == known.to_uppercase());
            (name == known || operation != Self::Program && long()).then_some(operation)
        };
        Self::ALL.iter().find_map(of)
    }

    /// Its name.
    ///
    /// # Panics
    /// Never: all have one.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, operation)| *operation == self);
        found.expect("all operations have a name").0
    }
}

impl ElementName {
    /// All of them: the name that is written, and others of C, MPI and Fortran for the same element, with ` | ` between them.
    pub const ALL: [(&str, Self, &str); 26] = [
        ("int8", Self::Kind(Kind::I8), "int8_t | signed char | MPI_INT8_T | MPI_SIGNED_CHAR | MPI_INTEGER1"),
        ("int16", Self::Kind(Kind::I16), "int16_t | short | MPI_SHORT | MPI_INT16_T | MPI_INTEGER2"),
        (
            "int32",
            Self::Kind(Kind::I32),
            "int | int32_t | MPI_INT | MPI_INT32_T | MPI_INTEGER | MPI_INTEGER4",
        ),
        (
            "int64",
            Self::Kind(Kind::I64),
            "long | long long | int64_t | MPI_LONG | MPI_LONG_LONG | MPI_LONG_LONG_INT | MPI_INT64_T | MPI_AINT | MPI_COUNT | MPI_OFFSET | MPI_INTEGER8",
        ),
        ("uint8", Self::Kind(Kind::U8), "uint8_t | unsigned char | MPI_UINT8_T | MPI_UNSIGNED_CHAR"),
        ("uint16", Self::Kind(Kind::U16), "uint16_t | unsigned short | MPI_UINT16_T | MPI_UNSIGNED_SHORT"),
        ("uint32", Self::Kind(Kind::U32), "unsigned | unsigned int | uint32_t | MPI_UNSIGNED | MPI_UINT32_T"),
        (
            "uint64",
            Self::Kind(Kind::U64),
            "unsigned long | unsigned long long | uint64_t | MPI_UNSIGNED_LONG | MPI_UNSIGNED_LONG_LONG | MPI_UINT64_T",
        ),
        ("float", Self::Kind(Kind::F32), "float32 | MPI_FLOAT | MPI_REAL | MPI_REAL4"),
        ("double", Self::Kind(Kind::F64), "float64 | MPI_DOUBLE | MPI_DOUBLE_PRECISION | MPI_REAL8"),
        (
            "complex-float",
            Self::Kind(Kind::ComplexF32),
            "float _Complex | MPI_C_COMPLEX | MPI_C_FLOAT_COMPLEX | MPI_CXX_FLOAT_COMPLEX | MPI_COMPLEX | MPI_COMPLEX8",
        ),
        (
            "complex-double",
            Self::Kind(Kind::ComplexF64),
            "double _Complex | MPI_C_DOUBLE_COMPLEX | MPI_CXX_DOUBLE_COMPLEX | MPI_DOUBLE_COMPLEX | MPI_COMPLEX16",
        ),
        ("bool", Self::Kind(Kind::Bool), "_Bool | MPI_C_BOOL | MPI_CXX_BOOL"),
        ("logical", Self::Kind(Kind::Logical32), "MPI_LOGICAL | MPI_LOGICAL4"),
        ("byte", Self::Kind(Kind::Byte), "MPI_BYTE | MPI_PACKED"),
        ("char", Self::Kind(Kind::Character), "MPI_CHAR | MPI_CHARACTER"),
        ("float-int", Self::Kind(Kind::F32Index), "MPI_FLOAT_INT"),
        ("double-int", Self::Kind(Kind::F64Index), "MPI_DOUBLE_INT"),
        ("long-int", Self::Kind(Kind::I64Index), "MPI_LONG_INT"),
        ("2int", Self::Kind(Kind::I32Index), "MPI_2INT | MPI_2INTEGER"),
        ("short-int", Self::Kind(Kind::I16Index), "MPI_SHORT_INT"),
        ("2real", Self::Kind(Kind::F32Pair), "MPI_2REAL"),
        ("2double-precision", Self::Kind(Kind::F64Pair), "MPI_2DOUBLE_PRECISION"),
        ("long-double", Self::LongDouble, "long double | MPI_LONG_DOUBLE"),
        (
            "complex-long-double",
            Self::ComplexLongDouble,
            "long double _Complex | MPI_C_LONG_DOUBLE_COMPLEX | MPI_CXX_LONG_DOUBLE_COMPLEX",
        ),
        ("long-double-int", Self::LongDoubleIndex, "MPI_LONG_DOUBLE_INT"),
    ];

    /// The element of this name, one of those it has in [`Self::ALL`].
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL
            .iter()
            .find(|(known, _, others)| name == *known || others.split(" | ").any(|other| other == name));
        found.map(|&(_, element, _)| element)
    }

    /// The first of its names.
    ///
    /// # Panics
    /// Never: all have one.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, element, _)| *element == self);
        found.expect("all elements have a name").0
    }

    /// Bytes of data in one: without padding, which does not travel. `long double` as on x86-64.
    pub const fn size(self) -> usize {
        match self {
            Self::Kind(kind) => kind.size(),
            Self::LongDouble => 16,
            Self::ComplexLongDouble => 32,
            Self::LongDoubleIndex => 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_stand_for_one_thing() {
        for (name, operation) in OperationName::ALL {
            assert_eq!((OperationName::named(name), operation.name()), (Some(operation), name));
        }
        assert_eq!(OperationName::named("MPI_BXOR"), OperationName::named("bxor"));
        assert_eq!([OperationName::named("MPI_USER"), OperationName::named("SUM")], [None; 2]);
        let mut names: Vec<&str> = ElementName::ALL
            .iter()
            .flat_map(|(name, _, others)| [name].into_iter().copied().chain(others.split(" | ")))
            .collect();
        for (name, element, others) in ElementName::ALL {
            assert_eq!(element.name(), name);
            assert!(others.split(" | ").all(|other| ElementName::named(other) == Some(element)));
        }
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert_eq!(ElementName::named("Double"), None);
    }
}
