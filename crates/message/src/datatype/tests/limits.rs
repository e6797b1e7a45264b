//! How far the data of a type may be: bounds up to 2^62 bytes away, and apart; not a byte farther.

use super::*;

const FAR: isize = 1 << 62;

#[test]
fn bounds_have_a_limit() {
    let byte = basic(Basic::Byte);
    let bytes_at =
        |displacements: &[isize]| Type::hindexed(&vec![1; displacements.len()], displacements, &byte);
    let resized = |lower, extent| Type::resized_by::<i32>(&byte, lower, extent);
    let cases: [(Result<Rc<Type>, MpiError>, bool); 11] = [
        (bytes_at(&[FAR - 1]), true),
        (bytes_at(&[FAR]), false),
        (bytes_at(&[-FAR]), true),
        (bytes_at(&[-FAR - 1]), false),
        (bytes_at(&[0, FAR - 1]), true),
        (bytes_at(&[-1, FAR - 1]), false),
        (resized(-FAR, FAR), true),
        (resized(-FAR - 1, FAR), false),
        (resized(-1, FAR + 1), false),
        (resized(1, FAR - 1), true),
        (resized(1, FAR), false),
    ];
    for (case, (made, allowed)) in cases.into_iter().enumerate() {
        let found = made.map(|of| (of.lower_bound(), of.extent()));
        assert_eq!(found.is_ok(), allowed, "case {case}: {found:?}");
    }
}

/// 2^61 elements of 4 bytes each are 2^63 bytes, more than can be counted; so are their bytes in a file.
#[test]
fn sizes_have_a_limit() {
    let int = basic(INT);
    let mut of = Type::contiguous_of(1 << 30, &int).unwrap();
    assert_eq!((of.size(), of.elements(), of.external_size(1)), (1 << 32, 1 << 30, Some(1 << 32)));
    of = Type::contiguous_of(1 << 29, &of).unwrap();
    assert_eq!((of.size(), of.external_size(2), of.external_size(8)), (1 << 61, Some(1 << 62), None));
    assert!(Type::contiguous_of(4, &of).is_err(), "its upper bound would be 2^63");
}
