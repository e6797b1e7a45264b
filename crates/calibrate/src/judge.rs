//! Judges how well the data determine each parameter.
//!
//! With J the slopes of the errors over the logarithms of parameters and s^2 the sum of squared errors over the degrees of freedom, the
//! covariance of the logarithms is s^2 (J^T J)^-1 (Seber and Wild, "Nonlinear Regression", 1989, section 2.1), here from
//! the singular values of J. With another loss than squares, rows have the weights by which least squares would come to the same values
//! (Holland and Welsch 1977). The interval is Student's t times the square root of a variance to both sides.
//!
//! # Model
//! Errors of rows are taken as independent of each other. Where weir's model of an algorithm is wrong, all its rows err
//! alike, and intervals are too narrow: cross-validation by algorithm shows that.

use crate::fit::Bound;
use nalgebra::DMatrix;

/// The least error that a measurement is taken to have: times that fit without any do not make intervals vanish.
const LEAST_ERROR: f64 = 1e-4;
/// A singular value this much smaller than the largest is none: differences are not more precise.
const SINGULAR: f64 = 1e-5;
/// A slope less than this is none.
const NO_SLOPE: f64 = 1e-6;
/// The ratio of the ends of an interval to its middle up to which a parameter is determined.
pub const DETERMINED: f64 = 2.0;
/// Parameters whose estimates correlate more than this are named together.
pub const CORRELATED: f64 = 0.95;

/// Judgment of the data on a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its interval is within a factor of two.
    Determined,
    /// No row depends on it.
    NoEffect,
    /// It ran to the end of what it may be.
    AtBound(Bound),
    /// Its interval is wider than a factor of two to either side.
    Undetermined,
}

/// An estimate's precision.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    /// The verdict.
    pub verdict: Verdict,
    /// The 95 % interval is from the value divided by this to the value times this, at least 1; infinite where nothing is known.
    pub factor: f64,
    /// Parameters whose estimates go up or down with this one, and the correlation.
    pub with: Vec<(usize, f64)>,
}

/// Judges all parameters by the slopes and the errors at their values, both times the square roots of the weights that the loss gives to the
/// rows; `bounds` says which are at one.
pub(crate) fn judge(slopes: &DMatrix<f64>, errors: &[f64], bounds: &[Option<Bound>]) -> Vec<Precision> {
    let (rows, parameters) = slopes.shape();
    let freedom = rows.saturating_sub(parameters).max(1);
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    let error = (squares / freedom as f64).sqrt().max(LEAST_ERROR);
    let covariance = covariance(slopes);
    let quantile = student(freedom);
    let deviation = |at: usize| covariance[(at, at)].sqrt();
    let judged = |at: usize| {
        let factor = (quantile * error * deviation(at)).exp();
        let no_effect = slopes.column(at).amax() < NO_SLOPE;
        let verdict = match bounds[at] {
            _ if no_effect => Verdict::NoEffect,
            Some(bound) => Verdict::AtBound(bound),
            None if factor > DETERMINED => Verdict::Undetermined,
            None => Verdict::Determined,
        };
        let correlation = |other: usize| {
            (other, covariance[(at, other)] / (deviation(at) * deviation(other)).max(f64::MIN_POSITIVE))
        };
        let others = (0..parameters).filter(|&other| other != at && !no_effect);
        let with =
            others.map(correlation).filter(|(_, correlation)| correlation.abs() > CORRELATED).collect();
        Precision { verdict, factor: if no_effect { f64::INFINITY } else { factor }, with }
    };
    (0..parameters).map(judged).collect()
}

/// (J^T J)^-1, where a direction that is not determined has the variance of the smallest singular value that counts: so
/// large that whatever depends on it is not determined.
fn covariance(slopes: &DMatrix<f64>) -> DMatrix<f64> {
    let parameters = slopes.ncols();
    let decomposed = slopes.clone().svd(false, true);
    let directions = decomposed.v_t.expect("it was asked for");
    let largest = decomposed.singular_values.max().max(f64::MIN_POSITIVE);
    let mut covariance = DMatrix::zeros(parameters, parameters);
    for (direction, value) in directions.row_iter().zip(decomposed.singular_values.iter()) {
        let value = value.max(largest * SINGULAR);
        covariance += direction.transpose() * direction / (value * value);
    }
    covariance
}

/// The 97.5 % quantile of Student's distribution: Abramowitz and Stegun, 26.7.5, but for few degrees of freedom.
fn student(freedom: usize) -> f64 {
    const FEW: [f64; 4] = [12.706, 4.303, 3.182, 2.776];
    if let Some(exact) = FEW.get(freedom.saturating_sub(1)) {
        return *exact;
    }
    let (x, n) = (1.959_964_f64, freedom as f64);
    let x3 = x.powi(3);
    let x5 = x.powi(5);
    let x7 = x.powi(7);
    x + (x3 + x) / (4.0 * n)
        + (5.0 * x5 + 16.0 * x3 + 3.0 * x) / (96.0 * n.powi(2))
        + (3.0 * x7 + 19.0 * x5 + 17.0 * x3 - 15.0 * x) / (384.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, quantile) in
            [(1, 12.706), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)]
        {
            assert!((student(freedom) - quantile).abs() < 0.005, "{freedom}: {}", student(freedom));
        }
    }

    /// A line through four points: y = a + b x at x = -1.5, -0.5, 0.5, 1.5 with errors 0.1, -0.1, -0.1, 0.1. s^2 =
    /// 0.04 / 2, var a = s^2 / 4, var b = s^2 / 5; t = 4.303.
    #[test]
    fn intervals_of_a_line() {
        let slopes = DMatrix::from_row_slice(4, 2, &[1.0, -1.5, 1.0, -0.5, 1.0, 0.5, 1.0, 1.5]);
        let judged = judge(&slopes, &[0.1, -0.1, -0.1, 0.1], &[None; 2]);
        let expected = [4.0, 5.0].map(|part: f64| (4.303 * (0.02 / part).sqrt()).exp());
        for (precision, expected) in judged.iter().zip(expected) {
            assert!((precision.factor - expected).abs() < 1e-9, "{judged:?}");
            assert_eq!((precision.verdict, precision.with.len()), (Verdict::Determined, 0));
        }
    }

    #[test]
    fn what_is_not_determined_is_found() {
        // The first two only as a sum, the third well, the fourth not at all.
        let rows = [[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]].concat().repeat(3);
        let slopes = DMatrix::from_row_slice(9, 4, &rows);
        let judged = judge(&slopes, &[0.01; 9], &[None; 4]);
        let verdicts: Vec<Verdict> = judged.iter().map(|precision| precision.verdict).collect();
        use Verdict::{Determined, NoEffect, Undetermined};
        assert_eq!(verdicts, [Undetermined, Undetermined, Determined, NoEffect]);
        assert_eq!(judged[0].with.len(), 1);
        assert!(judged[0].with[0].0 == 1 && judged[0].with[0].1 < -0.99, "{judged:?}");
        assert!(judged[2].with.is_empty());
        let bounded = judge(&slopes, &[0.01; 9], &[None, None, Some(Bound::Lower), None]);
        assert_eq!(bounded[2].verdict, Verdict::AtBound(Bound::Lower));
    }
}
