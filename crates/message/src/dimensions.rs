//! How many ranks to put along each side of a grid (MPI 5.0, section 8.5.2, `MPI_Dims_create`).

use crate::MpiError;

/// Fills in the sides that are zero, as equal as the prime factors allow, the longer ones first; the others stay.
///
/// The prime factors are dealt from the largest down, each to the side that is shortest so far, as Open MPI does it, so
/// that programs get the grids that they are used to.
///
/// # Errors
/// `MPI_ERR_DIMS` when a side is negative, `ranks` is not positive, or the given sides do not divide `ranks` (or, with
/// no side left to fill in, do not multiply to it).
pub fn balance(ranks: i32, sides: &mut [i32]) -> Result<(), MpiError> {
    if ranks < 1 {
        return Err(MpiError::Dimensions(format!("{ranks} ranks are to be arranged")));
    }
    let mut rest = ranks;
    for &side in sides.iter().filter(|&&side| side != 0) {
        if side < 0 || rest % side != 0 {
            return Err(MpiError::Dimensions(format!("{ranks} ranks cannot have {side} along one side")));
        }
        rest /= side;
    }
    let free = sides.iter().filter(|&&side| side == 0).count();
    if free == 0 && rest != 1 {
        return Err(MpiError::Dimensions(format!("the given sides do not hold {ranks} ranks")));
    }
    let mut found = vec![1; free];
    for factor in prime_factors(rest).into_iter().rev() {
        let shortest = (0..free).min_by_key(|&side| found[side]);
        if let Some(side) = shortest {
            found[side] *= factor;
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    for (side, found) in sides.iter_mut().filter(|side| **side == 0).zip(found) {
        *side = found;
    }
    Ok(())
}

/// The prime factors of a positive number, from the least up.
fn prime_factors(mut number: i32) -> Vec<i32> {
    let mut factors = Vec::new();
    let mut divisor = 2;
    while divisor <= number / divisor {
        while number % divisor == 0 {
            factors.push(divisor);
            number /= divisor;
        }
        divisor += 1;
    }
    if number > 1 {
        factors.push(number);
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(ranks: i32, sides: &[i32], expected: Option<&[i32]>) {
        let mut found = sides.to_vec();
        let result = balance(ranks, &mut found);
        assert_eq!(result.is_ok(), expected.is_some(), "{ranks} {sides:?}: {result:?}");
        assert_eq!(found, expected.unwrap_or(sides), "{ranks} {sides:?}");
    }

    /// The first four are the standard's own examples.
    #[test]
    fn sides_are_as_equal_as_the_factors_allow() {
        check(6, &[0, 0], Some(&[3, 2]));
        check(7, &[0, 0], Some(&[7, 1]));
        check(6, &[0, 3, 0], Some(&[2, 3, 1]));
        check(7, &[0, 3, 0], None);
        check(12, &[0, 0], Some(&[4, 3]));
        check(64, &[0, 0, 0], Some(&[4, 4, 4]));
        check(24, &[0, 0, 0], Some(&[4, 3, 2]));
        check(1, &[0, 0], Some(&[1, 1]));
        check(8, &[4, 2], Some(&[4, 2]));
        check(8, &[4, 3], None);
        check(8, &[4, 4], None);
        check(8, &[-2, 0], None);
        check(0, &[0], None);
        check(1, &[], Some(&[]));
        check(2, &[], None);
        check(i32::MAX, &[0, 0], Some(&[i32::MAX, 1])); // a prime
    }

    proptest! {
        #[test]
        fn the_sides_hold_all_ranks_and_do_not_grow(ranks in 1..100_000, count in 1..6usize) {
            let mut sides = vec![0; count];
            balance(ranks, &mut sides).unwrap();
            prop_assert_eq!(sides.iter().map(|&side| i64::from(side)).product::<i64>(), i64::from(ranks));
            prop_assert!(sides.is_sorted_by(|a, b| a >= b));
        }
    }
}
