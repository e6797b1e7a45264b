//! Predefined datatypes: what they are to messages, to reductions, and by name.

use crate::table::HEADERS;
use std::rc::Rc;
use weir_message::Kind;
use weir_message::datatype::{Basic, Type};

/// Elements as the reductions know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// One that we know to combine.
    Basic(Kind),
    /// `long double`, its complex, and its pair with an int: the compiled program combines them.
    LongDouble(LongDouble),
    /// Several basic elements: only operations of the program combine them.
    Compound,
}

/// The number tells the program's runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LongDouble {
    Real = 0,
    Complex = 1,
    Located = 2,
}

/// A predefined datatype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predefined {
    /// Bytes of data in one element.
    pub(crate) size: usize,
    /// Bytes from one element to the next.
    pub(crate) extent: usize,
    /// What the reductions know of it.
    pub(crate) element: Element,
}

const fn basic(kind: Kind) -> Predefined {
    Predefined { extent: kind.extent(), size: kind.size(), element: Element::Basic(kind) }
}

const fn long_double(extent: usize, size: usize, element: LongDouble) -> Predefined {
    Predefined { extent, size, element: Element::LongDouble(element) }
}

const LONG: usize = 0x20a;
const UNSIGNED_LONG: usize = 0x20e;
const WCHAR: usize = 0x23c;

/// The predefined datatype with this value of the standard ABI.
pub(crate) fn predefined(value: usize) -> Option<Predefined> {
    Some(match value {
        0x201..=0x203 | LONG | 0x20b | 0x258 => basic(Kind::I64), // AINT COUNT OFFSET LONG LONG_LONG INT64_T
        0x207 | 0x247 => basic(Kind::Byte),                       // PACKED BYTE
        0x208 | 0x248 | 0x2c9 => basic(Kind::I16),                // SHORT INT16_T INTEGER2
        0x209 | 0x219 | 0x250 | 0x2d1 => basic(Kind::I32),        // INT INTEGER INT32_T INTEGER4
        0x20c | 0x249 => basic(Kind::U16),                        // UNSIGNED_SHORT UINT16_T
        0x20d | 0x251 => basic(Kind::U32),                        // UNSIGNED UINT32_T
        UNSIGNED_LONG | 0x20f | 0x259 => basic(Kind::U64),        // UNSIGNED_LONG(_LONG) UINT64_T
        0x210 | 0x21a | 0x2d2 => basic(Kind::F32),                // FLOAT REAL REAL4
        0x212 | 0x213 | 0x21b | 0x2db => basic(Kind::ComplexF32), // C_(FLOAT_)COMPLEX CXX_.. COMPLEX COMPLEX8
        0x214 | 0x21c | 0x2da => basic(Kind::F64),                // DOUBLE DOUBLE_PRECISION REAL8
        0x216 | 0x217 | 0x21d | 0x2e3 => basic(Kind::ComplexF64), // C_DOUBLE_COMPLEX CXX_.. DOUBLE_COMPLEX COMPLEX16
        0x218 | 0x2d0 => basic(Kind::Logical32),                  // LOGICAL LOGICAL4
        0x21e | 0x243 => basic(Kind::Character),                  // CHARACTER CHAR
        0x220 => long_double(16, 16, LongDouble::Real),
        0x224 | 0x225 => long_double(32, 32, LongDouble::Complex),
        0x228 => basic(Kind::F32Index),
        0x229 => basic(Kind::F64Index),
        0x22a => basic(Kind::I64Index),
        0x22b | 0x232 => basic(Kind::I32Index), // 2INT 2INTEGER
        0x22c => basic(Kind::I16Index),
        0x22d => long_double(32, 20, LongDouble::Located),
        0x238 | 0x239 => basic(Kind::Bool), // C_BOOL CXX_BOOL
        // An int to the compiler, no operation to MPI.
        WCHAR => Predefined { element: Element::Compound, ..basic(Kind::I32) },
        0x240 | 0x244 | 0x2c1 => basic(Kind::I8), // INT8_T SIGNED_CHAR INTEGER1
        0x241 | 0x245 => basic(Kind::U8),         // UINT8_T UNSIGNED_CHAR
        0x2d9 => basic(Kind::I64),                // INTEGER8
        _ => return None,
    })
}

/// The type map of a predefined datatype.
pub(crate) fn type_of(value: usize) -> Option<Rc<Type>> {
    const INT: Basic = Basic::Number(4);
    let one = |basic| vec![(0, basic)];
    let pair = |basic, at| vec![(0, basic), (at, INT)];
    let elements = match (value, predefined(value)?.element) {
        (LONG, _) => one(Basic::Long),
        (UNSIGNED_LONG, _) => one(Basic::UnsignedLong),
        (_, Element::Compound) => one(Basic::WideCharacter),
        (_, Element::LongDouble(LongDouble::Real)) => one(Basic::LongDouble),
        (_, Element::LongDouble(LongDouble::Complex)) => one(Basic::ComplexLongDouble),
        (_, Element::LongDouble(LongDouble::Located)) => pair(Basic::LongDouble, 16),
        (_, Element::Basic(kind)) => match kind {
            Kind::I8 | Kind::U8 | Kind::Bool | Kind::Byte | Kind::Character => one(Basic::Byte),
            Kind::I16 | Kind::U16 => one(Basic::Number(2)),
            Kind::I32 | Kind::U32 | Kind::F32 | Kind::Logical32 => one(INT),
            Kind::I64 | Kind::U64 | Kind::F64 => one(Basic::Number(8)),
            Kind::ComplexF32 => one(Basic::Complex(4)),
            Kind::ComplexF64 => one(Basic::Complex(8)),
            Kind::F32Index | Kind::I32Index => pair(INT, 4),
            Kind::F64Index => pair(Basic::Number(8), 8),
            Kind::I64Index => pair(Basic::Long, 8),
            Kind::I16Index => pair(Basic::Number(2), 4),
        },
    };
    Some(Type::named(value, &elements))
}

/// The name of a predefined datatype in `mpi.h`.
pub(crate) fn name_of(value: usize) -> Option<&'static str> {
    let handle = format!("((MPI_Datatype){value:#x})");
    let (_, mpi) = HEADERS[0];
    mpi.lines().filter(|line| line.contains(&handle)).find_map(|line| line.split_whitespace().nth(1))
}

/// Which predefined datatypes have a size; integers, reals and complex numbers are told apart by `class`.
pub(crate) fn match_size(class: i32, size: i32) -> Option<usize> {
    const INTEGER: i32 = 192;
    const REAL: i32 = 193;
    const COMPLEX: i32 = 194;
    Some(match (class, size) {
        (INTEGER, 1) => 0x2c1,
        (INTEGER, 2) => 0x2c9,
        (INTEGER, 4) => 0x2d1,
        (INTEGER, 8) => 0x2d9,
        (REAL, 4) => 0x2d2,
        (REAL, 8) => 0x2da,
        (COMPLEX, 8) => 0x2db,
        (COMPLEX, 16) => 0x2e3,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_maps_fit_sizes_and_extents() {
        let known: Vec<usize> = (0x200..0x300).filter(|&value| predefined(value).is_some()).collect();
        assert!(known.len() > 50, "{}", known.len());
        for value in known {
            let (short, full) = (predefined(value).unwrap(), type_of(value).unwrap());
            assert_eq!(
                (short.size, short.extent as isize, 0),
                (full.size(), full.extent(), full.lower_bound()),
                "{value:#x}"
            );
            assert!(name_of(value).is_some_and(|name| name.starts_with("MPI_")), "{value:#x}");
        }
        assert_eq!(name_of(0x209), Some("MPI_INT"));
        for (class, size) in [(192, 1), (192, 2), (192, 4), (192, 8), (193, 4), (193, 8), (194, 8), (194, 16)]
        {
            assert_eq!(predefined(match_size(class, size).unwrap()).unwrap().size, size as usize);
        }
    }
}
