//! Operations of reductions, by the names of the message layer and of profiles, which are the same.

use std::rc::Rc;
use weir_formats::profile::{Combines, Element, Operation};
use weir_message::collective::Reduction;
use weir_message::{Combining, ElementName, OperationName, WithoutData};

pub(super) fn of(combining: Combining) -> Combines {
    Combines {
        operation: combining.operation.and_then(|operation| Operation::named(operation.name())),
        element: combining.element.and_then(|element| Element::named(element.name())),
    }
}

/// The reduction of a profile, which has no data; `None` where nothing is known of one.
pub(crate) fn reduction(combines: Combines) -> Reduction {
    let combining = Combining {
        operation: combines.operation.and_then(|operation| OperationName::named(operation.name())),
        element: combines.element.and_then(|element| ElementName::named(element.name())),
    };
    (combining != Combining::default()).then(|| Rc::new(WithoutData(combining)) as _)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Profiles know every operation and element of the message layer, and the other way round.
    #[test]
    fn names_are_the_same() {
        let operations = OperationName::ALL.map(|(name, _)| name);
        assert_eq!(Combines::operations(), operations);
        assert_eq!(Combines::elements(), ElementName::ALL.map(|(name, ..)| name));
    }
}
