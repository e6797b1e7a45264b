//! The best algorithm of each job, collective and size: found or missed.

use super::outcome::{Predicted, Standing};
use crate::measured::Operation;
use std::collections::BTreeMap;

/// A job, a collective and a size, of which at least two algorithms were measured and predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Where.
    pub job: String,
    /// What.
    pub operation: Operation,
    /// How much.
    pub bytes: u64,
    /// How many algorithms there are.
    pub algorithms: usize,
    /// The algorithm whose predicted time is the least.
    pub called_best: String,
    /// The one whose measured time is.
    pub best: String,
    /// The measured time of the first over that of the second: 1 if it was found.
    pub loss: f64,
}

impl Choice {
    /// Whether the algorithm that weir calls best is the measured best.
    #[must_use]
    pub fn is_found(&self) -> bool {
        self.loss <= 1.0
    }
}

/// All choices of the rows that count, in the order of jobs, collectives and sizes.
pub(super) fn choices(rows: &[&Predicted]) -> Vec<Choice> {
    let mut cases: BTreeMap<(&str, &str, u64), Vec<&Predicted>> = BTreeMap::new();
    for predicted in rows.iter().filter(|predicted| predicted.standing == Standing::Counts) {
        let row = &predicted.row;
        cases.entry((&row.job, row.operation.name(), row.bytes)).or_default().push(predicted);
    }
    cases.into_values().filter(|rows| rows.len() > 1).filter_map(|rows| choice(&rows)).collect()
}

fn choice(rows: &[&Predicted]) -> Option<Choice> {
    let called = rows.iter().min_by(|one, other| one.seconds.total_cmp(&other.seconds))?;
    let best = rows.iter().min_by(|one, other| one.row.seconds.total_cmp(&other.row.seconds))?;
    let name = |predicted: &Predicted| predicted.row.algorithm.clone().unwrap_or_default();
    Some(Choice {
        job: best.row.job.clone(),
        operation: best.row.operation,
        bytes: best.row.bytes,
        algorithms: rows.len(),
        called_best: name(called),
        best: name(best),
        loss: called.row.seconds / best.row.seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::Row;

    fn row(algorithm: &str, bytes: u64, measured: f64, predicted: f64, standing: Standing) -> Predicted {
        let row = Row {
            file: String::new(),
            line: 0,
            operation: Operation::Collective("bcast"),
            job: "2x2x2".into(),
            algorithm: Some(algorithm.into()),
            bytes,
            seconds: measured,
            set: Vec::new(),
        };
        Predicted { row, seconds: predicted, standing, calibrates: false, chosen: Vec::new() }
    }

    /// 1 B: binomial is the best in both. 2 B: weir calls chain best, which takes 12 instead of 10. 4 B: a single algorithm is no choice,
    /// and the library's own is none.
    #[test]
    fn found_and_missed() {
        use Standing::{Counts, LibraryChoice};
        let rows = [
            row("binomial", 1, 5.0, 4.0, Counts),
            row("chain", 1, 6.0, 4.5, Counts),
            row("default", 1, 1.0, 1.0, LibraryChoice),
            row("binomial", 2, 10.0, 9.0, Counts),
            row("chain", 2, 12.0, 8.0, Counts),
            row("pipeline", 2, 20.0, 30.0, Counts),
            row("binomial", 4, 1.0, 1.0, Counts),
        ];
        let found = choices(&rows.iter().collect::<Vec<_>>());
        let short: Vec<_> = found
            .iter()
            .map(|choice| {
                (choice.bytes, choice.algorithms, choice.called_best.as_str(), choice.best.as_str())
            })
            .collect();
        assert_eq!(short, [(1, 2, "binomial", "binomial"), (2, 3, "chain", "binomial")]);
        assert!(found[0].is_found() && found[0].loss == 1.0);
        assert!(!found[1].is_found() && found[1].loss == 1.2);
    }
}
