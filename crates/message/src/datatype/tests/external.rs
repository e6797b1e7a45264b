//! The external representation, by hand.

use super::*;

#[test]
fn the_external_representation_is_big_endian() {
    let members = [INT, Basic::Long, Basic::WideCharacter, Basic::Byte, Basic::Complex(4)];
    let types = members.map(basic);
    let one = Type::structure(&[1; 5], &[0, 8, 16, 20, 24], &types).unwrap();
    let mut packed = 0x0102_0304i32.to_ne_bytes().to_vec();
    packed.extend((-2i64).to_ne_bytes());
    packed.extend(0x263au32.to_ne_bytes());
    packed.push(7);
    packed.extend([1.0f32.to_ne_bytes(), (-2.0f32).to_ne_bytes()].concat());
    assert_eq!(one.external_size(1), Some(4 + 4 + 2 + 1 + 8));
    let mut external = vec![0; 19];
    one.write_external(1, &packed, &mut external);
    let expected = [1, 2, 3, 4, 255, 255, 255, 254, 0x26, 0x3a, 7, 0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0];
    assert_eq!(external, expected);
    let mut back = vec![0; packed.len()];
    one.read_external(1, &external, &mut back);
    assert_eq!(back, packed);
}

#[test]
fn long_doubles_travel_as_binary128() {
    let number = basic(Basic::LongDouble);
    #[track_caller]
    fn check(number: &Type, head: u16, significand: u64, quad: u128) {
        let x87 = (u128::from(head) << 64 | u128::from(significand)).to_le_bytes();
        let (mut external, mut back) = ([0; 16], [0; 16]);
        number.write_external(1, &x87, &mut external);
        assert_eq!(u128::from_be_bytes(external), quad, "{head:x} {significand:x}");
        number.read_external(1, &external, &mut back);
        assert_eq!(back, x87, "{head:x} {significand:x}");
    }
    let top = 1 << 63;
    check(&number, 0, 0, 0);
    check(&number, 0x3fff, top, 0x3fff << 112);
    check(&number, 0xc000, top | 1 << 62, 0xc0008 << 108);
    check(&number, 0x7fff, top, 0x7fff << 112);
    check(&number, 0x7fff, top | 1 << 62, 0x7fff8 << 108);
    check(&number, 0, 1, 1 << 49);
    // A leading one with the exponent of subnormal numbers is the smallest normal number.
    let widened = |head: u16, significand: u64| {
        let x87 = (u128::from(head) << 64 | u128::from(significand)).to_le_bytes();
        let mut external = [0; 16];
        number.write_external(1, &x87, &mut external);
        u128::from_be_bytes(external)
    };
    assert_eq!([widened(0, top), widened(0x8000, top | 1)], [1 << 112, 0x8001 << 112 | 1 << 49]);
    assert_eq!([widened(0, top - 1), widened(1, top)], [(1 << 112) - (1 << 49), 1 << 112]);
    // One and half of the last bit that fits: to even, which is down; a bit more: up.
    let mut back = [0; 16];
    let mut narrowed = |quad: u128| {
        number.read_external(1, &quad.to_be_bytes(), &mut back);
        u64::from_le_bytes(back[..8].try_into().unwrap())
    };
    assert_eq!(narrowed(0x3fff << 112 | 1 << 48), top);
    assert_eq!(narrowed(0x3fff << 112 | 1 << 48 | 1), top + 1);
    // One, its last bit and half of that: to even, which is up; a bit less: down.
    assert_eq!(narrowed(0x3fff << 112 | 1 << 49 | 1 << 48), top + 2);
    assert_eq!(narrowed(0x3fff << 112 | 1 << 49 | ((1 << 48) - 1)), top + 1);
    // The largest number below 2 that does not fit is 2, whose exponent is one higher.
    assert_eq!(narrowed(0x3fff << 112 | ((1 << 112) - 1)), top);
    assert_eq!(u128::from_le_bytes(back) >> 64, 0x4000);
    // Subnormal numbers are rounded likewise; the largest that does not fit becomes the smallest normal one.
    let mut narrowed = |quad: u128| {
        number.read_external(1, &quad.to_be_bytes(), &mut back);
        u128::from_le_bytes(back)
    };
    assert_eq!(narrowed(1 << 48 | 1), 1);
    assert_eq!(narrowed(1 << 48), 0);
    assert_eq!(narrowed((1 << 112) - 1), 1 << 64 | u128::from(top));
    // What is no number stays none, whichever bits say so, and infinity stays.
    for bits in [1, 1 << 48, 1 << 49, (1 << 112) - 1] {
        let none = narrowed(0x7fff << 112 | bits);
        assert_eq!(none >> 63, 0xffff, "{bits:x}");
        assert_ne!(none & u128::from(u64::MAX >> 1), 0, "{bits:x}");
    }
    assert_eq!(narrowed(0xffff << 112), 0xffff << 64 | u128::from(top));
}

/// An int, a long and a character are 13 bytes packed, and 9 in the external representation, where a long has four. What is cut
/// short counts in whole elements.
#[test]
fn packed_bytes_of_external_ones() {
    let types = [INT, Basic::Long, Basic::Byte].map(basic);
    let one = Type::structure(&[1; 3], &[0, 8, 16], &types).unwrap();
    assert_eq!((one.size(), one.external_size(2)), (13, Some(18)));
    let found: Vec<usize> = (0..=19).map(|bytes| one.packed_in_external(bytes)).collect();
    let of_one = [0, 0, 0, 0, 4, 4, 4, 4, 12];
    let expected: Vec<usize> =
        of_one.iter().copied().chain(of_one.iter().map(|more| 13 + more)).chain([26, 26]).collect();
    assert_eq!(found, expected);
    let nothing = Type::contiguous_of(0, &one).unwrap();
    assert_eq!([0, 1, 9].map(|bytes| nothing.packed_in_external(bytes)), [0; 3]);
}
