//! Targets, and what is reached.

use super::best::{self, Choice};
use super::outcome::{Predicted, Standing, Validation};
use super::study::{Goal, Rows, Target};
use super::tally::{Tally, within};

/// What has become of a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// Which.
    pub target: Target,
    /// How many rows, or choices of an algorithm, it is about.
    pub of: usize,
    /// The median error, or the share; `None` where there is nothing.
    pub value: Option<f64>,
}

impl Reached {
    /// Whether the target is reached.
    #[must_use]
    pub fn is_met(&self) -> bool {
        match (self.target.goal, self.value) {
            (_, None) => false,
            (Goal::Median(most), Some(value)) => value <= most,
            (Goal::RowsWithin { at_least, .. } | Goal::BestWithin { at_least, .. }, Some(value)) => {
                value >= at_least
            }
        }
    }
}

impl Validation {
    /// Errors of the rows that count, among these.
    #[must_use]
    pub fn tally(&self, rows: &Rows) -> Option<Tally> {
        Tally::of(self.counted(rows).iter().map(|predicted| predicted.error()))
    }

    /// The rows that count, among these.
    pub(super) fn counted(&self, rows: &Rows) -> Vec<&Predicted> {
        let counts =
            |predicted: &&Predicted| predicted.standing == Standing::Counts && rows.have(&predicted.row);
        self.rows.iter().filter(counts).collect()
    }

    /// The best algorithm of each job, collective and size of these rows.
    #[must_use]
    pub fn choices(&self, rows: &Rows) -> Vec<Choice> {
        best::choices(&self.counted(rows))
    }

    /// All targets. Rows that calibrate are in none of those about errors.
    #[must_use]
    pub fn reached(&self) -> Vec<Reached> {
        self.study.targets.iter().map(|target| self.reach(target)).collect()
    }

    fn reach(&self, target: &Target) -> Reached {
        let judged = self.counted(&target.rows).into_iter().filter(|predicted| predicted.is_judged());
        let errors: Vec<f64> = judged.map(Predicted::error).collect();
        let share = |part: usize, of: usize| (of > 0).then(|| part as f64 / of as f64);
        let (of, value) = match target.goal {
            Goal::Median(_) => (errors.len(), Tally::of(errors.iter().copied()).map(|tally| tally.median)),
            Goal::RowsWithin { within: limit, .. } => {
                (errors.len(), share(within(&errors, limit), errors.len()))
            }
            Goal::BestWithin { within: limit, .. } => {
                let choices = self.choices(&target.rows);
                let good = choices.iter().filter(|choice| choice.loss <= 1.0 + limit).count();
                (choices.len(), share(good, choices.len()))
            }
        };
        Reached { target: target.clone(), of, value }
    }
}
