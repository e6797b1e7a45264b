//! The speed of reductions, and which of them MPI has.

use crate::{Combine, PredefinedOperation};
use weir_operations::{Combining, ElementName, Kind, OperationName};
use weir_units::{Bandwidth, Bytes};

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
            self.elements.is_empty() || self.elements.iter().any(|element| is_defined(*operation, *element))
        };
        self.operations.is_empty() || self.operations.iter().any(defined)
    }
}

/// Returns whether the first list names all that the other one names; an empty list names all.
fn contains<T: PartialEq>(list: &[T], other: &[T]) -> bool {
    list.is_empty() || !other.is_empty() && other.iter().all(|one| list.contains(one))
}

/// Returns whether the operation combines such elements.
pub fn is_defined(operation: OperationName, element: ElementName) -> bool {
    let kind = match element {
        ElementName::Kind(kind) => kind,
        ElementName::LongDouble => Kind::F64,
        ElementName::ComplexLongDouble => Kind::ComplexF64,
        ElementName::LongDoubleIndex => Kind::F64Index,
    };
    match operation {
        OperationName::Predefined(predefined) => PredefinedOperation::new(predefined, kind).is_ok(),
        OperationName::Program => true,
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
