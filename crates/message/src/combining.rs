//! Operations of reductions by the names that MPI and C have for them, and their speed.

use crate::{Combine, Kind, Operation, Predefined};
use weir_units::{Bandwidth, Bytes};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Combining {
    /// Its operation.
    pub operation: Option<OperationName>,
    /// Its elements; of a datatype that the program has made of several, nothing is known.
    pub element: Option<ElementName>,
}

/// Sizes on which it depends what a reduction takes to combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandSizes {
    /// Bytes of the operand.
    pub operand: Bytes,
    /// Bytes of the whole vector that the collective reduces, of which the operand is all or a part.
    pub vector: Bytes,
}

/// The speed at which operands are combined, for some reductions.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CombiningRow {
    /// The operations it is for; empty: all, and what is not known.
    pub operations: Vec<OperationName>,
    /// The elements it is for; empty: all, and what is not known.
    pub elements: Vec<ElementName>,
    /// The largest operand it is for: beyond a cache, combining is slower; `None`: any.
    pub up_to: Option<Bytes>,
    /// The largest vector it is for, of which operands may be parts: those of a vector beyond a cache come from the memory, however short
    /// they are; `None`: any.
    pub vector_up_to: Option<Bytes>,
    /// Bytes of one operand in a second.
    pub bandwidth: Bandwidth,
}

impl CombiningRow {
    /// Returns whether the row is for operands of this size in this reduction.
    pub fn fits(&self, combining: Combining, sizes: OperandSizes) -> bool {
        let operation = self.operations.is_empty()
            || combining.operation.is_some_and(|operation| self.operations.contains(&operation));
        let element = self.elements.is_empty()
            || combining.element.is_some_and(|element| self.elements.contains(&element));
        let of_size = self.up_to.is_none_or(|up_to| sizes.operand <= up_to)
            && self.vector_up_to.is_none_or(|up_to| sizes.vector <= up_to);
        operation && element && of_size
    }

    /// Returns whether the row is for every reduction that another one is for.
    pub fn covers(&self, other: &Self) -> bool {
        // An operand is no larger than its vector.
        let operands = [other.up_to, other.vector_up_to].into_iter().flatten().min();
        contains(&self.operations, &other.operations)
            && contains(&self.elements, &other.elements)
            && self.up_to.is_none_or(|most| operands.is_some_and(|up_to| up_to <= most))
            && self.vector_up_to.is_none_or(|most| other.vector_up_to.is_some_and(|up_to| up_to <= most))
    }

    /// Returns whether MPI has a reduction that it is for (MPI 5.0, section 6.9.2).
    pub fn has_any(&self) -> bool {
        let defined = |operation: &OperationName| {
            self.elements.is_empty() || self.elements.iter().any(|element| operation.is_defined_for(*element))
        };
        self.operations.is_empty() || self.operations.iter().any(defined)
    }
}

/// Returns whether the first list names all that the other one names; an empty list names all.
fn contains<T: PartialEq>(list: &[T], other: &[T]) -> bool {
    list.is_empty() || !other.is_empty() && other.iter().all(|one| list.contains(one))
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

    /// Returns whether it combines such elements.
    pub fn is_defined_for(self, element: ElementName) -> bool {
        let kind = match element {
            ElementName::Kind(kind) => kind,
            ElementName::LongDouble => Kind::F64,
            ElementName::ComplexLongDouble => Kind::ComplexF64,
            ElementName::LongDoubleIndex => Kind::F64Index,
        };
        match self {
            Self::Predefined(operation) => Operation::new(operation, kind).is_ok(),
            Self::Program => true,
        }
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

/// Stands for the operation of a reduction where there are no data, so that nothing is combined but time passes.
#[derive(Clone, Copy, Debug)]
pub struct WithoutData(pub Combining);

impl Combine for WithoutData {
    fn combine(&self, _from: &[u8], _into: &mut [u8]) {}

    fn commutes(&self) -> bool {
        true
    }

    fn combining(&self) -> Combining {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(operations: &[&str], elements: &[&str]) -> CombiningRow {
        CombiningRow {
            operations: operations.iter().map(|name| OperationName::named(name).unwrap()).collect(),
            elements: elements.iter().map(|name| ElementName::named(name).unwrap()).collect(),
            up_to: None,
            vector_up_to: None,
            bandwidth: Bandwidth::new(1e9).unwrap(),
        }
    }

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

    #[test]
    fn what_rows_fit_and_cover() {
        let of = |operation: &str, element: &str| Combining {
            operation: OperationName::named(operation),
            element: ElementName::named(element),
        };
        let of_size =
            |operand: u64, vector: u64| OperandSizes { operand: Bytes(operand), vector: Bytes(vector) };
        let sums = row(&["sum", "prod"], &["double"]);
        assert!(sums.fits(of("prod", "MPI_DOUBLE"), of_size(8, 8)));
        assert!(
            !sums.fits(of("prod", "float"), of_size(8, 8)) && !sums.fits(of("max", "double"), of_size(8, 8))
        );
        assert!(
            !sums.fits(of("sum", "a structure"), of_size(8, 8))
                && !sums.fits(Combining::default(), of_size(8, 8))
        );
        assert!(row(&[], &[]).fits(Combining::default(), of_size(8, 8)));
        let short = CombiningRow { up_to: Some(Bytes(7)), ..row(&[], &[]) };
        assert!(
            short.fits(Combining::default(), of_size(7, 9))
                && !short.fits(Combining::default(), of_size(8, 8))
        );
        assert!(row(&[], &[]).covers(&short) && short.covers(&short) && !short.covers(&row(&[], &[])));
        let of_short = CombiningRow { vector_up_to: Some(Bytes(7)), ..row(&[], &[]) };
        assert!(of_short.fits(Combining::default(), of_size(1, 7)));
        assert!(!of_short.fits(Combining::default(), of_size(1, 8)));
        assert!(short.covers(&of_short) && !of_short.covers(&short) && row(&[], &[]).covers(&of_short));
        assert!(row(&["user"], &[]).fits(of("user", "a structure"), of_size(8, 8)));
        for (one, other, covers) in [
            (row(&[], &[]), row(&[], &[]), true),
            (row(&[], &[]), row(&["sum"], &["int"]), true),
            (row(&["sum"], &[]), row(&[], &[]), false),
            (row(&["sum"], &[]), row(&["sum"], &["int"]), true),
            (row(&["sum", "max"], &["int"]), row(&["max"], &["MPI_INT"]), true),
            (row(&["sum"], &["int"]), row(&["sum", "max"], &["int"]), false),
            (row(&["sum"], &["int"]), row(&["sum"], &[]), false),
        ] {
            assert_eq!(one.covers(&other), covers, "{one:?} {other:?}");
        }
        assert!(row(&["maxloc"], &["double-int"]).has_any() && row(&["maxloc"], &[]).has_any());
        assert!(row(&["maxloc", "sum"], &["double"]).has_any() && row(&["user"], &["byte"]).has_any());
        assert!(!row(&["maxloc", "band"], &["double"]).has_any());
    }
}
