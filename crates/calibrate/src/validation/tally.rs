//! How far off predictions are: numbers that say it of many rows.

/// The error of a prediction: |predicted / measured - 1|.
#[must_use]
pub fn error(predicted: f64, measured: f64) -> f64 {
    (predicted / measured - 1.0).abs()
}

/// Errors of rows, in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    /// How many rows.
    pub rows: usize,
    /// The least error that half of the rows are within.
    pub median: f64,
    /// The least error that nine of ten are within.
    pub ninth: f64,
    /// How many are within 10 %.
    pub within_10: usize,
    /// How many are within 20 %.
    pub within_20: usize,
}

impl Tally {
    /// Of these errors; `None` where there are none.
    #[must_use]
    pub fn of(errors: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut errors: Vec<f64> = errors.into_iter().collect();
        errors.sort_unstable_by(f64::total_cmp);
        let last = errors.len().checked_sub(1)?;
        let at = |part: f64| errors[((errors.len() as f64 * part).ceil() as usize).clamp(1, last + 1) - 1];
        Some(Self {
            rows: errors.len(),
            median: at(0.5),
            ninth: at(0.9),
            within_10: within(&errors, 0.1),
            within_20: within(&errors, 0.2),
        })
    }
}

/// How many errors are not above the limit.
pub(super) fn within(errors: &[f64], limit: f64) -> usize {
    errors.iter().filter(|&&error| error <= limit).count()
}

/// The middle of these numbers, the lower one of two; `None` where there are none.
pub(super) fn middle(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_predicted_as_measured_has_no_error() {
        assert_eq!(error(3.25e-6, 3.25e-6), 0.0);
        assert_eq!(error(0.5, 1.0), 0.5);
        assert_eq!(error(3.0, 1.0), 2.0);
    }

    /// Of ten errors 0.01, 0.02, 0.03, 0.04, 0.10, 0.15, 0.19, 0.20, 0.5, 3.0: the fifth and the ninth; 5 and 8 within.
    #[test]
    fn numbers_of_ten_errors() {
        let errors = [0.2, 3.0, 0.01, 0.03, 0.02, 0.5, 0.04, 0.15, 0.1, 0.19];
        let tally = Tally { rows: 10, median: 0.1, ninth: 0.5, within_10: 5, within_20: 8 };
        assert_eq!(Tally::of(errors), Some(tally));
    }

    #[test]
    fn one_row_is_all_of_them_and_none_says_nothing() {
        let tally = Tally { rows: 1, median: 0.15, ninth: 0.15, within_10: 0, within_20: 1 };
        assert_eq!(Tally::of([0.15]), Some(tally));
        assert_eq!(Tally::of([]), None);
        assert_eq!(middle(vec![4.0, 1.0, 3.0, 2.0]), Some(2.0));
        assert_eq!(middle(Vec::new()), None);
    }
}
