//! The law: an extrapolated program has the messages that it has at the larger size, or something is said.

use crate::program::{Element, Size, Verdict, verdict};
use proptest::prelude::*;

fn size() -> impl Strategy<Value = Size> {
    prop_oneof![
        (1_u64..5000).prop_map(Size::Fixed),
        (1_u64..100).prop_map(|bytes| Size::Shared(bytes * 1024)),
        (1_u64..64).prop_map(Size::PerRank),
        (50_u64..2000).prop_map(Size::Part),
    ]
}

fn element() -> impl Strategy<Value = Element> {
    let leaf = prop_oneof![
        (-3_i64..=3, any::<bool>(), size()).prop_map(|(by, is_open, bytes)| Element::Shift {
            by,
            is_open,
            bytes
        }),
        size().prop_map(Element::Hypercube),
        size().prop_map(Element::All),
        (any::<bool>(), size()).prop_map(|(is_open, bytes)| Element::Square { is_open, bytes }),
        size().prop_map(Element::Tree),
        (any::<bool>(), size()).prop_map(|(is_last, bytes)| Element::Gather { is_last, bytes }),
        size().prop_map(Element::Allreduce),
        (0_u32..3, size()).prop_map(|(root, bytes)| Element::Broadcast { root, bytes }),
        (0_u64..500, any::<bool>())
            .prop_map(|(microseconds, is_shared)| Element::Work { microseconds, is_shared }),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        (1_u32..5, prop::collection::vec(inner, 1..4)).prop_map(|(count, body)| Element::Repeat(count, body))
    })
}

fn sizes() -> impl Strategy<Value = (Vec<i64>, i64)> {
    prop_oneof![
        Just((vec![4, 8, 16], 32)),
        Just((vec![4, 16], 64)),
        Just((vec![4, 8], 16)),
        Just((vec![9, 16, 25], 36)),
        Just((vec![3, 5, 8], 12)),
        Just((vec![6, 9], 15)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_extrapolation_is_wrong_in_silence(
        elements in prop::collection::vec(element(), 1..4),
        (sizes, target) in sizes(),
    ) {
        let _: Verdict = verdict(&elements, &sizes, target);
    }
}
