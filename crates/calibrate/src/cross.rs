//! Cross-validation: how far off are rows that the fit has not seen.

use crate::fit::{Fitted, Task};
use crate::measured::Row;
use crate::mistake::CalibrationError;
use crate::request::FoldBy;

/// The fold of each row, from 0; not more than `folds` of them.
pub(crate) fn folds(rows: &[Row], folds: usize, by: FoldBy) -> Vec<usize> {
    let mut seen = Vec::new();
    let mut group = |row: &Row| {
        let group = (row.operation, row.algorithm.clone());
        seen.iter().position(|known| *known == group).unwrap_or_else(|| {
            seen.push(group);
            seen.len() - 1
        })
    };
    let number = |(at, row)| match by {
        FoldBy::Rows => at,
        FoldBy::Algorithm => group(row),
    };
    rows.iter().enumerate().map(number).map(|number| number % folds).collect()
}

/// Errors of all rows, each predicted with what is fitted without its fold; `None` where there are too few rows or a single
/// fold.
pub(crate) fn validate(
    task: &Task<'_>,
    fitted: &Fitted,
    folds: &[usize],
) -> Result<Option<Vec<f64>>, CalibrationError> {
    let most = folds.iter().copied().max().unwrap_or(0);
    let of = |fold: usize, inside: bool| -> Vec<usize> {
        (0..folds.len()).filter(|&row| (folds[row] == fold) == inside).collect()
    };
    if most == 0 || (0..=most).any(|fold| of(fold, false).len() <= fitted.u.len()) {
        return Ok(None);
    }
    let mut errors = vec![0.0; folds.len()];
    for fold in 0..=most {
        let without = task.fit(&fitted.u, &of(fold, false), &|_| ())?;
        let left_out = of(fold, true);
        let unseen = task.errors(&task.values(&without.u), &left_out)?;
        left_out.into_iter().zip(unseen).for_each(|(row, error)| errors[row] = error);
    }
    Ok(Some(errors))
}
