//! Counts numbers by their bits.

/// Counts the numbers of `0 .. n` that have this bit set, counted from the lowest. Each full period of 2^(bit + 1) numbers
/// has 2^bit of them, the half that comes last.
///
/// # Panics
/// When the bit is not below 32.
pub(crate) fn numbers_with_bit(n: u32, bit: u32) -> u64 {
    assert!(bit < 32, "a rank has 32 bits");
    let (n, period) = (u64::from(n), 2_u64 << bit);
    n / period * (period / 2) + (n % period).saturating_sub(period / 2)
}

/// All bits that are set in the numbers `0 .. n` together.
pub(crate) fn bits_below(n: u32) -> u64 {
    (0..32).map(|bit| numbers_with_bit(n, bit)).sum()
}

/// Number of bits of the numbers `0 .. n`: ceil(log2 n).
pub(crate) fn bits_for(n: u32) -> u32 {
    n.saturating_sub(1).checked_ilog2().map_or(0, |highest| highest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_numbers() {
        for n in 0..70 {
            for bit in 0..8 {
                let expected = (0..n).filter(|number| number >> bit & 1 == 1).count() as u64;
                assert_eq!(numbers_with_bit(n, bit), expected, "{n} {bit}");
            }
            assert_eq!(bits_below(n), (0..n).map(|number| u64::from(number.count_ones())).sum::<u64>());
        }
        assert_eq!([0, 1, 2, 3, 4, 5, 8, 9].map(bits_for), [0, 0, 1, 2, 2, 3, 3, 4]);
        assert_eq!(numbers_with_bit(u32::MAX, 31), (1 << 31) - 1);
    }
}
