//! Own values and what they are compared with.

use crate::Plot;
use serde_json::{Value, json};

/// What an item has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Number of the paper: `000`.
    pub paper: &'static str,
    /// Name of the item: `figure-2`.
    pub item: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What the first column is: `nodes`.
    pub x: &'static str,
    /// One value each, in the order of the table.
    pub rows: Vec<Row>,
    /// At least one.
    pub plots: Vec<Plot>,
    /// What a reader should know of the values, in full sentences.
    pub notes: Vec<String>,
}

/// One own value, and what it is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The point it belongs to: `54`; or `all`.
    pub x: String,
    /// What it is: `random / regular, Mode F`.
    pub what: String,
    /// Its unit; empty for ratios and counts.
    pub unit: &'static str,
    /// The own value.
    pub own: f64,
    /// What it is compared with; `None` for values that only complete the picture.
    pub reference: Option<Reference>,
}

/// What a value is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Where it comes from.
    pub origin: Origin,
    /// What the value should be, in the unit of the row.
    pub target: Target,
    /// How far off it may be.
    pub tolerance: Tolerance,
    /// Paper and section, or formula, or model.
    pub source: &'static str,
}

/// Who says what a value should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The paper, in its text or in a table.
    Published,
    /// A formula, or a second, independent model of what the paper describes.
    Expected,
}

/// What a value should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// This number.
    Value(f64),
    /// Not outside these two.
    Between(f64, f64),
    /// Less than this.
    Below(f64),
    /// More than this.
    Above(f64),
}

/// How far off a value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Not at all, but for rounding to picoseconds: 1e-9 of the target.
    Exact,
    /// By this part of the target.
    Relative(f64),
    /// Nobody says: the value is shown, not judged.
    NotStated,
}

/// Whether a value is as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the tolerance.
    Within,
    /// Outside.
    Outside,
    /// There is nothing to judge it by.
    NotStated,
}

impl Row {
    /// A value that is compared with nothing.
    pub(crate) fn new(x: impl ToString, what: impl Into<String>, unit: &'static str, own: f64) -> Self {
        Self { x: x.to_string(), what: what.into(), unit, own, reference: None }
    }

    /// Compares it with what the paper states there.
    pub(crate) fn published(self, target: Target, tolerance: Tolerance, source: &'static str) -> Self {
        let reference = Reference { origin: Origin::Published, target, tolerance, source };
        Self { reference: Some(reference), ..self }
    }

    /// Compares it with a formula or a second model.
    pub(crate) fn expected(self, target: Target, tolerance: Tolerance, source: &'static str) -> Self {
        let reference = Reference { origin: Origin::Expected, target, tolerance, source };
        Self { reference: Some(reference), ..self }
    }

    /// Whether the value is as it should be.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.reference.as_ref().map_or(Verdict::NotStated, |reference| reference.judge(self.own))
    }

    /// How far the value is from its target, as a part of the target; `None` without a single target number.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        match self.reference.as_ref()?.target {
            Target::Value(value) if value != 0.0 => Some(self.own / value - 1.0),
            _ => None,
        }
    }

    fn to_json(&self) -> Value {
        let mut row = json!({ "x": self.x, "what": self.what, "unit": self.unit, "own": self.own });
        if let Some(reference) = &self.reference {
            row[reference.origin.name()] = match reference.target {
                Target::Value(value) => json!(value),
                Target::Between(least, most) => json!({ "at_least": least, "at_most": most }),
                Target::Below(value) => json!({ "below": value }),
                Target::Above(value) => json!({ "above": value }),
            };
            row["source"] = json!(reference.source);
            row["tolerance"] = json!(reference.tolerance.part());
        }
        row["difference"] = json!(self.difference());
        row["within_tolerance"] = json!(self.verdict().name());
        row
    }
}

impl Reference {
    fn judge(&self, own: f64) -> Verdict {
        let Some(part) = self.tolerance.part() else { return Verdict::NotStated };
        let within = match self.target {
            Target::Value(value) => (own - value).abs() <= part * value.abs(),
            Target::Between(least, most) => {
                own >= least - part * least.abs() && own <= most + part * most.abs()
            }
            Target::Below(value) => own < value + part * value.abs(),
            Target::Above(value) => own > value - part * value.abs(),
        };
        if within { Verdict::Within } else { Verdict::Outside }
    }
}

impl Tolerance {
    /// As a part of the target; `None` if nobody says.
    #[must_use]
    pub fn part(self) -> Option<f64> {
        match self {
            Self::Exact => Some(1e-9),
            Self::Relative(part) => Some(part),
            Self::NotStated => None,
        }
    }
}

impl Origin {
    /// Name of the column.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Expected => "expected",
        }
    }
}

impl Verdict {
    /// What stands in the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Within => "yes",
            Self::Outside => "no",
            Self::NotStated => "not stated",
        }
    }
}

impl Comparison {
    /// The rows that lie outside their tolerance.
    pub fn outside(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.verdict() == Verdict::Outside)
    }

    /// One object: names and values as in the table, and the series of the plots.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "paper": self.paper,
            "item": self.item,
            "title": self.title,
            "within_tolerance": self.outside().next().is_none(),
            "x": self.x,
            "rows": self.rows.iter().map(Row::to_json).collect::<Vec<_>>(),
            "plots": self.plots.iter().map(Plot::to_json).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(own: f64, target: Target, tolerance: Tolerance, expected: Verdict) {
        let row = Row::new(1, "value", "", own).published(target, tolerance, "section 1");
        assert_eq!(row.verdict(), expected, "{own} {target:?} {tolerance:?}");
    }

    #[test]
    fn verdicts() {
        use Verdict::{NotStated, Outside, Within};
        check(10.0, Target::Value(10.0), Tolerance::Exact, Within);
        check(10.000_000_1, Target::Value(10.0), Tolerance::Exact, Outside);
        check(10.5, Target::Value(10.0), Tolerance::Relative(0.05), Within);
        check(9.4, Target::Value(10.0), Tolerance::Relative(0.05), Outside);
        check(99.0, Target::Value(10.0), Tolerance::NotStated, NotStated);
        check(0.0, Target::Between(0.0, 0.04), Tolerance::Exact, Within);
        check(0.041, Target::Between(0.0, 0.04), Tolerance::Exact, Outside);
        check(0.99, Target::Below(1.0), Tolerance::Exact, Within);
        check(1.1, Target::Below(1.0), Tolerance::Exact, Outside);
        check(1.1, Target::Above(1.0), Tolerance::Exact, Within);
        check(0.9, Target::Above(1.0), Tolerance::Exact, Outside);
        check(f64::NAN, Target::Value(1.0), Tolerance::Relative(1.0), Outside);
        assert_eq!(Row::new(1, "value", "", 1.0).verdict(), NotStated);
    }

    #[test]
    fn difference_is_a_part_of_a_single_number() {
        let row = |target| Row::new(1, "value", "", 3.0).expected(target, Tolerance::Exact, "formula");
        assert_eq!(row(Target::Value(2.0)).difference(), Some(0.5));
        assert_eq!(row(Target::Below(2.0)).difference(), None);
        assert_eq!(Row::new(1, "value", "", 1.0).difference(), None);
    }

    #[test]
    fn the_object_says_who_says_what() {
        let row = Row::new(54, "random / regular", "", 2.4).published(
            Target::Value(2.5),
            Tolerance::Relative(0.1),
            "section 4.2",
        );
        let expected = json!({
            "x": "54", "what": "random / regular", "unit": "", "own": 2.4, "published": 2.5, "source": "section 4.2",
            "tolerance": 0.1, "difference": 2.4 / 2.5 - 1.0, "within_tolerance": "yes",
        });
        assert_eq!(row.to_json(), expected);
    }
}
