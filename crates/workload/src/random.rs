//! Numbers that look random and follow from where they are used.

use weir_units::{Rank, mix};

/// The purpose of a random number: the same place gives other bits for another purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Choice = 1,
    Destination = 2,
    Size = 3,
    Start = 4,
}

/// 64 bits that follow from the seed, the rank, the number of its entry and the purpose.
pub(crate) fn bits(seed: u64, rank: Rank, index: u64, purpose: Purpose) -> u64 {
    let of_rank = mix(mix(seed ^ purpose as u64) ^ u64::from(rank.0));
    mix(mix(of_rank) ^ index)
}

/// Bits as a number from 0 on, below 1, in steps of 2^-53.
pub(crate) fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 * (0.5_f64).powi(53)
}

/// Bits as a whole number below `n`. The bias is below n / 2^64.
pub(crate) fn below(bits: u64, n: u32) -> u32 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_their_range() {
        assert_eq!((fraction(0), below(0, 7), below(u64::MAX, 7)), (0.0, 0, 6));
        assert!(fraction(u64::MAX) < 1.0);
        assert_eq!(fraction(1 << 63), 0.5);
    }

    #[test]
    fn every_argument_counts() {
        let all = [
            bits(1, Rank(0), 0, Purpose::Choice),
            bits(2, Rank(0), 0, Purpose::Choice),
            bits(1, Rank(1), 0, Purpose::Choice),
            bits(1, Rank(0), 1, Purpose::Choice),
            bits(1, Rank(0), 0, Purpose::Size),
        ];
        assert!((1..all.len()).all(|i| !all[..i].contains(&all[i])));
    }
}
