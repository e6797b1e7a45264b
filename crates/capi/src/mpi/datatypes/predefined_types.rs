//! Predefined datatypes: what they are to messages, to reductions, and by name.

use crate::headers::HEADERS;
use crate::headers::constants::*;
use std::rc::Rc;
use weir_message::datatype::{Basic, Combiner, Type};
use weir_message::{ElementName, Kind, UNDEFINED};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// One that we know to combine.
    Basic(Kind),
    /// `long double`, its complex, and its pair with an int: the compiled program combines them.
    LongDouble(LongDouble),
    /// Several basic elements: only operations of the program combine them.
    Compound,
}

impl Element {
    /// The name that reductions have for it, if it is one element to them.
    pub(crate) const fn name(self) -> Option<ElementName> {
        match self {
            Self::Basic(kind) => Some(ElementName::Kind(kind)),
            Self::LongDouble(LongDouble::Real) => Some(ElementName::LongDouble),
            Self::LongDouble(LongDouble::Complex) => Some(ElementName::ComplexLongDouble),
            Self::LongDouble(LongDouble::Located) => Some(ElementName::LongDoubleIndex),
            Self::Compound => None,
        }
    }
}

/// The number is for the program's runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LongDouble {
    Real = 0,
    Complex = 1,
    Located = 2,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Predefined {
    /// Bytes of data in one element.
    pub(crate) size: usize,
    /// Bytes from one element to the next.
    pub(crate) extent: usize,
    pub(crate) element: Element,
}

const fn basic(kind: Kind) -> Predefined {
    Predefined { extent: kind.extent(), size: kind.size(), element: Element::Basic(kind) }
}

const fn long_double(extent: usize, size: usize, element: LongDouble) -> Predefined {
    Predefined { extent, size, element: Element::LongDouble(element) }
}

const fn compound(size: usize) -> Predefined {
    Predefined { extent: size, size, element: Element::Compound }
}

/// Where the values of predefined datatypes lie in the standard ABI (MPI 5.0, appendix A.1.1).
const VALUES: std::ops::Range<usize> = 0x200..0x400;

/// The predefined datatypes, by their values from the first on.
static PREDEFINED: [Option<Predefined>; VALUES.end - VALUES.start] = {
    let mut table = [None; VALUES.end - VALUES.start];
    let mut row = 0;
    while row < table.len() {
        table[row] = with_value(VALUES.start + row);
        row += 1;
    }
    table
};

/// The predefined datatype with this value of the standard ABI.
#[inline]
pub(crate) fn predefined(value: usize) -> Option<&'static Predefined> {
    PREDEFINED.get(value.wrapping_sub(VALUES.start))?.as_ref()
}

const fn with_value(value: usize) -> Option<Predefined> {
    Some(match value {
        MPI_AINT | MPI_COUNT | MPI_OFFSET | MPI_LONG | MPI_LONG_LONG_INT | MPI_INT64_T | MPI_INTEGER8 => {
            basic(Kind::I64)
        }
        MPI_PACKED | MPI_BYTE => basic(Kind::Byte),
        MPI_SHORT | MPI_INT16_T | MPI_INTEGER2 => basic(Kind::I16),
        MPI_INT | MPI_INTEGER | MPI_INT32_T | MPI_INTEGER4 => basic(Kind::I32),
        MPI_UNSIGNED_SHORT | MPI_UINT16_T => basic(Kind::U16),
        MPI_UNSIGNED | MPI_UINT32_T => basic(Kind::U32),
        MPI_UNSIGNED_LONG | MPI_UNSIGNED_LONG_LONG | MPI_UINT64_T => basic(Kind::U64),
        MPI_FLOAT | MPI_REAL | MPI_REAL4 => basic(Kind::F32),
        MPI_C_COMPLEX | MPI_CXX_FLOAT_COMPLEX | MPI_COMPLEX | MPI_COMPLEX8 => basic(Kind::ComplexF32),
        MPI_DOUBLE | MPI_DOUBLE_PRECISION | MPI_REAL8 => basic(Kind::F64),
        MPI_C_DOUBLE_COMPLEX | MPI_CXX_DOUBLE_COMPLEX | MPI_DOUBLE_COMPLEX | MPI_COMPLEX16 => {
            basic(Kind::ComplexF64)
        }
        MPI_LOGICAL | MPI_LOGICAL4 => basic(Kind::Logical32),
        MPI_CHARACTER | MPI_CHAR => basic(Kind::Character),
        MPI_LONG_DOUBLE => long_double(16, 16, LongDouble::Real),
        MPI_C_LONG_DOUBLE_COMPLEX | MPI_CXX_LONG_DOUBLE_COMPLEX => long_double(32, 32, LongDouble::Complex),
        MPI_FLOAT_INT => basic(Kind::F32Index),
        MPI_DOUBLE_INT => basic(Kind::F64Index),
        MPI_LONG_INT => basic(Kind::I64Index),
        MPI_2INT | MPI_2INTEGER => basic(Kind::I32Index),
        MPI_SHORT_INT => basic(Kind::I16Index),
        MPI_LONG_DOUBLE_INT => long_double(32, 20, LongDouble::Located),
        MPI_2REAL => basic(Kind::F32Pair),
        MPI_2DOUBLE_PRECISION => basic(Kind::F64Pair),
        MPI_C_BOOL | MPI_CXX_BOOL => basic(Kind::Bool),
        // An int to the compiler, no operation to MPI.
        MPI_WCHAR => Predefined { element: Element::Compound, ..basic(Kind::I32) },
        MPI_INT8_T | MPI_SIGNED_CHAR | MPI_INTEGER1 => basic(Kind::I8),
        MPI_UINT8_T | MPI_UNSIGNED_CHAR => basic(Kind::U8),
        // Data to messages; no operation knows them.
        MPI_LOGICAL1 => compound(1),
        MPI_LOGICAL2 => compound(2),
        MPI_LOGICAL8 => compound(8),
        MPI_LOGICAL16 | MPI_INTEGER16 | MPI_REAL16 => compound(16),
        MPI_COMPLEX32 => compound(32),
        MPI_LB | MPI_UB => compound(0),
        _ => return None,
    })
}

pub(crate) fn type_of(value: usize) -> Option<Rc<Type>> {
    match value {
        MPI_LB => return Some(Type::lower_marker(MPI_LB)),
        MPI_UB => return Some(Type::upper_marker(MPI_UB)),
        _ => {}
    }
    let int = Basic::Number(4);
    let one = |basic| vec![(0, basic)];
    let pair = |basic, at| vec![(0, basic), (at, int)];
    let double = Basic::Number(8);
    let elements = match (value, predefined(value)?.element) {
        (MPI_LONG, _) => one(Basic::Long),
        (MPI_UNSIGNED_LONG, _) => one(Basic::UnsignedLong),
        (MPI_LOGICAL1, _) => one(Basic::Byte),
        (MPI_LOGICAL2, _) => one(Basic::Number(2)),
        (MPI_LOGICAL8, _) => one(Basic::Number(8)),
        (MPI_LOGICAL16 | MPI_INTEGER16 | MPI_REAL16, _) => one(Basic::Number(16)),
        (MPI_COMPLEX32, _) => one(Basic::Complex(16)),
        (_, Element::Compound) => one(Basic::WideCharacter),
        (_, Element::LongDouble(LongDouble::Real)) => one(Basic::LongDouble),
        (_, Element::LongDouble(LongDouble::Complex)) => one(Basic::ComplexLongDouble),
        (_, Element::LongDouble(LongDouble::Located)) => pair(Basic::LongDouble, 16),
        (_, Element::Basic(kind)) => match kind {
            Kind::I8 | Kind::U8 | Kind::Bool | Kind::Byte | Kind::Character => one(Basic::Byte),
            Kind::I16 | Kind::U16 => one(Basic::Number(2)),
            Kind::I32 | Kind::U32 | Kind::F32 | Kind::Logical32 => one(int),
            Kind::I64 | Kind::U64 | Kind::F64 => one(double),
            Kind::ComplexF32 => one(Basic::Complex(4)),
            Kind::ComplexF64 => one(Basic::Complex(8)),
            Kind::F32Index | Kind::I32Index | Kind::F32Pair => pair(int, 4),
            Kind::F64Index => pair(double, 8),
            Kind::F64Pair => vec![(0, double), (8, double)],
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

/// Which predefined datatypes have a size; integers, reals and complex numbers are distinguished by `class`.
pub(crate) fn match_size(class: i32, size: i32) -> Option<usize> {
    Some(match (class, size) {
        (MPI_TYPECLASS_INTEGER, 1) => MPI_INTEGER1,
        (MPI_TYPECLASS_INTEGER, 2) => MPI_INTEGER2,
        (MPI_TYPECLASS_INTEGER, 4) => MPI_INTEGER4,
        (MPI_TYPECLASS_INTEGER, 8) => MPI_INTEGER8,
        (MPI_TYPECLASS_INTEGER, 16) => MPI_INTEGER16,
        (MPI_TYPECLASS_REAL, 4) => MPI_REAL4,
        (MPI_TYPECLASS_REAL, 8) => MPI_REAL8,
        (MPI_TYPECLASS_REAL, 16) => MPI_REAL16,
        (MPI_TYPECLASS_COMPLEX, 8) => MPI_COMPLEX8,
        (MPI_TYPECLASS_COMPLEX, 16) => MPI_COMPLEX16,
        (MPI_TYPECLASS_COMPLEX, 32) => MPI_COMPLEX32,
        _ => return None,
    })
}

/// The predefined datatype of Fortran's numbers with at least so many decimal digits (`precision`) and decimal powers
/// (`range`), each of which may be undefined, and no more than needed (MPI 5.0, section 19.1.9).
pub(crate) fn chosen(combiner: Combiner, precision: i32, range: i32) -> Option<usize> {
    /// Precision and range of gfortran's kinds, and their datatypes.
    const REALS: [(i32, i32, usize, usize); 3] = [
        (6, 37, MPI_REAL4, MPI_COMPLEX8),
        (15, 307, MPI_REAL8, MPI_COMPLEX16),
        (33, 4931, MPI_REAL16, MPI_COMPLEX32),
    ];
    const INTEGERS: [(i32, usize); 5] =
        [(2, MPI_INTEGER1), (4, MPI_INTEGER2), (9, MPI_INTEGER4), (18, MPI_INTEGER8), (38, MPI_INTEGER16)];
    let fits = |requested: i32, most: i32| requested == UNDEFINED || (0..=most).contains(&requested);
    if combiner == Combiner::F90Integer {
        return INTEGERS.iter().find(|&&(most, _)| fits(range, most)).map(|&(_, found)| found);
    }
    if precision == UNDEFINED && range == UNDEFINED {
        return None;
    }
    let found = REALS.iter().find(|&&(digits, powers, ..)| fits(precision, digits) && fits(range, powers));
    found.map(|&(.., real, complex)| if combiner == Combiner::F90Real { real } else { complex })
}

/// The predefined datatype of pairs of a value and an index, as the operations for largest and smallest with their
/// places take them; `DATATYPE_NULL` if there is none.
pub(crate) fn value_index(value: usize, index: usize) -> usize {
    match (value, index) {
        (MPI_FLOAT, MPI_INT) => MPI_FLOAT_INT,
        (MPI_DOUBLE, MPI_INT) => MPI_DOUBLE_INT,
        (MPI_LONG, MPI_INT) => MPI_LONG_INT,
        (MPI_INT, MPI_INT) => MPI_2INT,
        (MPI_SHORT, MPI_INT) => MPI_SHORT_INT,
        (MPI_LONG_DOUBLE, MPI_INT) => MPI_LONG_DOUBLE_INT,
        _ => MPI_DATATYPE_NULL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_maps_fit_sizes_and_extents() {
        let known: Vec<usize> = (0x200..0x400).filter(|&value| predefined(value).is_some()).collect();
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
    }

    /// Machine files name elements by the datatypes of `mpi.h`: each stands for the element that it is.
    #[test]
    fn elements_are_known_by_the_names_of_datatypes() {
        for value in VALUES {
            let (Some(known), Some(name)) = (predefined(value), name_of(value)) else { continue };
            assert_eq!(ElementName::named(name), known.element.name(), "{name}");
            if let Some(element) = known.element.name() {
                assert_eq!(element.size(), known.size, "{name}");
            }
        }
    }

    /// All but the null one, and reals of two bytes, which gfortran has not.
    #[test]
    fn every_datatype_of_the_header_is_known() {
        let named: Vec<usize> = (0x200..0x400).filter(|&value| name_of(value).is_some()).collect();
        let unknown = named.iter().filter(|&&value| predefined(value).is_none());
        let unknown: Vec<_> = unknown.map(|&value| name_of(value)).collect();
        let refused = ["MPI_DATATYPE_NULL", "MPI_REAL2", "MPI_COMPLEX4"];
        assert_eq!(unknown, refused.map(Some));
    }

    /// By the names in `mpi.h`: a class and a size, or a precision and a range, give a datatype.
    #[test]
    fn datatypes_are_chosen() {
        let name = |value: Option<usize>| value.and_then(name_of).unwrap_or("none");
        for (class, prefix, sizes) in [
            (192, "MPI_INTEGER", &[1, 2, 4, 8, 16][..]),
            (193, "MPI_REAL", &[4, 8, 16]),
            (194, "MPI_COMPLEX", &[8, 16, 32]),
            (191, "", &[]),
        ] {
            for size in 0..40 {
                let expected =
                    if sizes.contains(&size) { format!("{prefix}{size}") } else { "none".to_owned() };
                assert_eq!(name(match_size(class, size)), expected, "{class}, {size}");
            }
        }
        for (digits, powers, real) in [
            (6, 37, "MPI_REAL4"),
            (0, UNDEFINED, "MPI_REAL4"),
            (UNDEFINED, 37, "MPI_REAL4"),
            (7, 37, "MPI_REAL8"),
            (6, 38, "MPI_REAL8"),
            (15, 307, "MPI_REAL8"),
            (16, UNDEFINED, "MPI_REAL16"),
            (UNDEFINED, 308, "MPI_REAL16"),
            (33, 4931, "MPI_REAL16"),
            (34, 1, "none"),
            (1, 4932, "none"),
            (-1, 1, "none"),
            (UNDEFINED, UNDEFINED, "none"),
        ] {
            assert_eq!(name(chosen(Combiner::F90Real, digits, powers)), real, "{digits}, {powers}");
            let complex = ["4", "8", "16"].into_iter().find(|size| real == format!("MPI_REAL{size}"));
            let complex = complex
                .map_or("none".into(), |size| format!("MPI_COMPLEX{}", 2 * size.parse::<u32>().unwrap()));
            assert_eq!(name(chosen(Combiner::F90Complex, digits, powers)), complex, "{digits}, {powers}");
        }
        for (most, expected) in
            [(0, 1), (2, 1), (3, 2), (4, 2), (5, 4), (9, 4), (10, 8), (18, 8), (19, 16), (38, 16)]
        {
            let integer = name(chosen(Combiner::F90Integer, UNDEFINED, most));
            assert_eq!(integer, format!("MPI_INTEGER{expected}"), "{most}");
        }
        assert_eq!(chosen(Combiner::F90Integer, UNDEFINED, 39), None);
        for name in ["FLOAT", "DOUBLE", "LONG", "INT", "SHORT", "LONG_DOUBLE"] {
            let value = Some(format!("MPI_{name}"));
            let value = (0x200..0x400).find(|&known| name_of(known) == value.as_deref()).unwrap();
            let pair = if name == "INT" { "MPI_2INT".to_owned() } else { format!("MPI_{name}_INT") };
            assert_eq!(name_of(value_index(value, MPI_INT)), Some(&*pair));
        }
        assert_eq!(value_index(MPI_INT, MPI_LONG), MPI_DATATYPE_NULL);
        assert_eq!(value_index(0x243, MPI_INT), MPI_DATATYPE_NULL);
    }
}
