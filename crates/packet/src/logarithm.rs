//! The natural logarithm, with the same bits on every processor.

/// 2 / (2k + 1) for k from 1 on: the series of ln((1 + s) / (1 - s)) / s in s², behind its first term. With |s| < 0.1716 the next
/// term is below half of the last digit.
const SERIES: [f64; 11] = [
    2.0 / 3.0,
    2.0 / 5.0,
    2.0 / 7.0,
    2.0 / 9.0,
    2.0 / 11.0,
    2.0 / 13.0,
    2.0 / 15.0,
    2.0 / 17.0,
    2.0 / 19.0,
    2.0 / 21.0,
    2.0 / 23.0,
];

/// ln 2 in two parts. The first has 33 digits, so that its products with exponents are exact.
const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);

/// The natural logarithm of a positive, normal number, to within two units of its last digit.
///
/// Libraries of different processors differ in the last digit, and times that are drawn would with them. This has sums, products
/// and a quotient alone, in one order, and so the same result everywhere; `crates/gpu/kernels/numbers.h` has the same steps.
pub(crate) fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64 - 1023;
    let significand = f64::from_bits(bits & ((1 << 52) - 1) | 1.0_f64.to_bits());
    let halves = significand > std::f64::consts::SQRT_2;
    let (m, exponent) = if halves { (significand * 0.5, exponent + 1) } else { (significand, exponent) };
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let series = SERIES.iter().rev().fold(0.0, |sum, term| sum * z + term);
    let k = exponent as f64;
    k * LN_2.0 + (2.0 * s + (s * z * series + k * LN_2.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use weir_units::mix;

    proptest! {
        /// The logarithm of the library is within one unit.
        #[test]
        fn is_the_logarithm(number in 1_u64..=1 << 53) {
            let x = number as f64 * 2f64.powi(-53);
            let (own, library) = (ln(x), x.ln());
            prop_assert!((own - library).abs() <= 3.0 * f64::EPSILON * library.abs(), "{own} {library}");
        }
    }

    /// The kernels for GPUs have the same bits: see `tests/packet/flat.rs`.
    #[test]
    fn bits_are_those_of_the_kernels() {
        let bits = |number: u64| ln(((mix(number) >> 11) + 1) as f64 * 2f64.powi(-53)).to_bits();
        let all = (0..100_000).map(bits).fold(0, |sum, bits| mix(sum ^ bits));
        assert_eq!(all, 2_425_060_202_461_711_706);
    }

    #[test]
    fn ends() {
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(ln(0.5), -std::f64::consts::LN_2);
        assert!((ln(2f64.powi(-53)) + 53.0 * std::f64::consts::LN_2).abs() < 1e-14);
    }
}
