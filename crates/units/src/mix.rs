//! The one function that mixes bits: for fingerprints, numbers that must not meet, and seeded generators.

/// The number that SplitMix64 adds to its state at each step: 2^64 over the golden ratio, odd.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// One step of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014) from the
/// state `x`: a bijection that spreads every input bit over all output bits. Zero is not a fixed point.
#[must_use]
pub const fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers that SplitMix64 gives from seed 0, as published with it.
    #[test]
    fn is_split_mix() {
        let numbers = [mix(0), mix(GOLDEN), mix(GOLDEN.wrapping_mul(2))];
        assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
