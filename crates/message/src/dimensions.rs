//! Numbers of ranks along the sides of a grid (MPI 5.0, section 8.5.2, `MPI_Dims_create`).

use crate::{MpiError, Result};

/// Fills in the sides that are zero, as close to each other as can be, the longer ones first; the others stay.
///
/// Among all grids, the difference of the longest and the shortest side is least; among those, the shortest side is as
/// long as can be, then the next one, and so on: the grids that MPICH makes.
///
/// # Errors
/// `MPI_ERR_DIMS` when a side is negative, `ranks` is not positive, or the given sides do not divide `ranks` (or, with
/// no side left to fill in, do not multiply to it).
pub fn balance(ranks: i32, sides: &mut [i32]) -> Result<()> {
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
    let found = Search::closest(i64::from(rest), free);
    for (side, found) in sides.iter_mut().filter(|side| **side == 0).zip(found) {
        *side = found as i32;
    }
    Ok(())
}

/// The search for the sides of a grid, from the shortest up. Sides are tried from the longest that can be the next one
/// down, and given up as soon as the longest side of all has to be too long: few ways remain then, even of numbers with
/// a thousand divisors.
struct Search {
    /// From the least up.
    divisors: Vec<i64>,
    primes: Vec<i64>,
    tried: Vec<i64>,
    /// The best so far, from the shortest side up.
    best: Option<Vec<i64>>,
}

impl Search {
    /// The sides, from the longest down.
    fn closest(number: i64, count: usize) -> Vec<i64> {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for divisor in (1..).take_while(|divisor| divisor * divisor <= number) {
            if number % divisor == 0 {
                low.push(divisor);
                high.push(number / divisor);
            }
        }
        if low.last() == high.last() {
            high.pop();
        }
        low.extend(high.into_iter().rev());
        let mut search = Self { divisors: low, primes: primes(number), tried: Vec::new(), best: None };
        if count > 0 {
            search.divide(number, count);
        }
        let mut sides = search.best.unwrap_or_default();
        sides.reverse();
        sides
    }

    /// Divides `rest` into `count` sides that are no shorter than those which are tried already.
    fn divide(&mut self, rest: i64, count: usize) {
        let shortest = self.tried.last().copied().unwrap_or(1);
        if count == 1 {
            if rest >= shortest && self.is_better(rest, rest) {
                self.best = Some(self.tried.iter().copied().chain([rest]).collect());
            }
            return;
        }
        // One side has to hold the largest prime factor.
        let prime = self.primes.iter().copied().rfind(|prime| rest % prime == 0).unwrap_or(1);
        let others = count as u32 - 1;
        for index in (0..self.divisors.partition_point(|&side| side <= rest)).rev() {
            let side = self.divisors[index];
            if side < shortest {
                break;
            }
            let least = side.saturating_pow(others).saturating_mul(side.max(prime));
            if least > rest || rest % side != 0 {
                continue;
            }
            let longest = root_from_above(rest / side, others).max(prime);
            if !self.is_better(side, longest) {
                break;
            }
            self.tried.push(side);
            self.divide(rest / side, count - 1);
            self.tried.pop();
        }
    }

    /// Returns whether the sides come closer to each other than the best ones, if the next is `side` and the longest is `longest`.
    fn is_better(&self, side: i64, longest: i64) -> bool {
        let shortest = self.tried.first().copied().unwrap_or(side);
        let best = self.best.as_ref().and_then(|best| Some(best.last()? - best.first()?));
        best.is_none_or(|best| longest - shortest < best)
    }
}

/// The least number whose power is no less than `number`, which is positive.
fn root_from_above(number: i64, power: u32) -> i64 {
    let mut root = (number as f64).powf(1.0 / f64::from(power)) as i64;
    while root.saturating_pow(power) >= number {
        root -= 1;
    }
    while root.saturating_pow(power) < number {
        root += 1;
    }
    root
}

/// The primes that divide a number, from the least up.
fn primes(mut number: i64) -> Vec<i64> {
    let mut primes = Vec::new();
    let mut divisor = 2;
    while divisor * divisor <= number {
        if number % divisor == 0 {
            primes.push(divisor);
        }
        while number % divisor == 0 {
            number /= divisor;
        }
        divisor += 1;
    }
    if number > 1 {
        primes.push(number);
    }
    primes
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
    fn sides_are_as_close_as_the_divisors_allow() {
        check(6, &[0, 0], Some(&[3, 2]));
        check(7, &[0, 0], Some(&[7, 1]));
        check(6, &[0, 3, 0], Some(&[2, 3, 1]));
        check(7, &[0, 3, 0], None);
        check(12, &[0, 0], Some(&[4, 3]));
        check(64, &[0, 0, 0], Some(&[4, 4, 4]));
        check(24, &[0, 0, 0], Some(&[4, 3, 2]));
        check(72, &[0, 0], Some(&[9, 8]));
        check(72, &[0, 3, 0], Some(&[6, 3, 4]));
        check(16, &[0, 0, 0], Some(&[4, 2, 2]));
        // Of 74 x 48 x 39 and 72 x 52 x 37, with the same difference, the one with the longer shortest side.
        check(138_528, &[0, 0, 0], Some(&[74, 48, 39]));
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

    /// The divisions of a number into sides, from the shortest up.
    fn all(number: i64, count: usize, shortest: i64) -> Vec<Vec<i64>> {
        if count == 1 {
            return if number >= shortest { vec![vec![number]] } else { Vec::new() };
        }
        let first = (shortest..=number).filter(|side| number % side == 0);
        let with = |side: i64| {
            let rest = all(number / side, count - 1, side).into_iter();
            rest.map(move |rest| [vec![side], rest].concat())
        };
        first.flat_map(with).collect()
    }

    /// Numbers with very many divisors, with large primes, and powers; a search through all ways would take hours.
    #[test]
    fn large_numbers_take_no_time() {
        for ranks in [2_095_133_040, 1 << 30, 1_396_755_360, 30_030 * 65_521, 2310 * 929 * 997, 1_937_102_445]
        {
            for count in 1..24 {
                let mut sides = vec![0; count];
                balance(ranks, &mut sides).unwrap();
                assert_eq!(sides.iter().map(|&side| i64::from(side)).product::<i64>(), i64::from(ranks));
            }
        }
    }

    proptest! {
        #[test]
        fn no_other_sides_are_closer(ranks in 1..3000i32, count in 1..5usize) {
            let mut sides = vec![0; count];
            balance(ranks, &mut sides).unwrap();
            let key = |sides: &Vec<i64>| (sides[count - 1] - sides[0], sides.iter().map(|side| -side).collect::<Vec<_>>());
            let best = all(i64::from(ranks), count, 1).into_iter().min_by_key(key).unwrap();
            let found: Vec<i64> = sides.iter().rev().map(|&side| i64::from(side)).collect();
            prop_assert_eq!(found, best);
        }

        #[test]
        fn the_sides_hold_all_ranks_and_do_not_grow(ranks in 1..100_000, count in 1..6usize) {
            let mut sides = vec![0; count];
            balance(ranks, &mut sides).unwrap();
            prop_assert_eq!(sides.iter().map(|&side| i64::from(side)).product::<i64>(), i64::from(ranks));
            prop_assert!(sides.is_sorted_by(|a, b| a >= b));
        }
    }
}
