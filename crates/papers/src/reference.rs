//! What an own value is compared with: who says it, what it should be, and whether it is.

use serde_json::{Value, json};

/// What a value is compared with. Made by the constructor of its [`ReferenceKind`] only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reference {
    /// Who says what the value should be.
    pub kind: ReferenceKind,
    /// What it should be, in the unit of the row.
    pub target: Target,
    /// Paper and section, or formula, or model.
    pub source: &'static str,
}

/// Who says what a value should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceKind {
    /// The paper: a number that it prints, in its text or in a table.
    Published,
    /// The paper, in words: an order, a trend, or a bound.
    Claimed,
    /// Another program that models the same.
    OutsideModel,
    /// A closed form, computed without weir's engines.
    Formula,
    /// Another way of weir's own to the same value: another engine, another rule, the program beside its skeleton.
    SecondWay,
}

/// What a value should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// This number.
    Value(f64, Tolerance),
    /// Not outside these two.
    Between(f64, f64),
    /// Between these two, shown and not judged.
    About(f64, f64),
    /// Less than this; not this itself.
    Below(f64),
    /// More than this; not this itself.
    Above(f64),
}

/// How far off a value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Not at all, but for rounding to picoseconds: 1e-9 of the target.
    Exact,
    /// By this part of the target.
    Relative(f64),
    /// It depends on the computer: the value is shown, not judged.
    NotJudged,
}

/// Whether a value is as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Within,
    /// It is not what the paper states.
    NotReproduced,
    /// It is not what a model, a formula or another way of weir's own says.
    Disagrees,
    /// There is nothing to judge it by, or nothing to be judged.
    NotJudged,
}

/// How the source of a value of a paper begins.
const PAPER: &str = "paper 00";

impl Reference {
    /// A number that the paper prints at that place, which begins with `paper 00`.
    pub(crate) fn published(target: Target, place: &'static str) -> Self {
        assert!(place.starts_with(PAPER), "{place} names no paper");
        assert!(!target.is_one_sided(), "a bound is no number: it is claimed");
        Self { kind: ReferenceKind::Published, target, source: place }
    }

    /// What the paper says in words at that place, which begins with `paper 00`.
    pub(crate) fn claimed(target: Target, place: &'static str) -> Self {
        assert!(place.starts_with(PAPER), "{place} names no paper");
        Self { kind: ReferenceKind::Claimed, target, source: place }
    }

    /// What another program says, which is named.
    pub(crate) fn outside_model(target: Target, model: &'static str) -> Self {
        Self { kind: ReferenceKind::OutsideModel, target, source: model }
    }

    /// What follows from a formula, which is named.
    pub(crate) fn formula(target: Target, formula: &'static str) -> Self {
        Self { kind: ReferenceKind::Formula, target, source: formula }
    }

    /// What another way of weir's own gives, which is named.
    pub(crate) fn second_way(target: Target, way: &'static str) -> Self {
        Self { kind: ReferenceKind::SecondWay, target, source: way }
    }

    pub(crate) fn judge(&self, own: f64) -> Verdict {
        match (self.target.admits(own), self.kind) {
            (None, _) => Verdict::NotJudged,
            (Some(true), _) => Verdict::Within,
            (Some(false), ReferenceKind::Published | ReferenceKind::Claimed) => Verdict::NotReproduced,
            (Some(false), _) => Verdict::Disagrees,
        }
    }
}

impl ReferenceKind {
    /// All of them, in the order of what they prove.
    pub const ALL: [Self; 5] =
        [Self::Published, Self::Claimed, Self::OutsideModel, Self::Formula, Self::SecondWay];

    /// What stands in the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Claimed => "claimed",
            Self::OutsideModel => "outside model",
            Self::Formula => "formula",
            Self::SecondWay => "own second way",
        }
    }

    /// What the values of this kind are called together.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Published => "published numbers",
            Self::Claimed => "published in words (an order, a trend, a bound)",
            Self::OutsideModel => "numbers of an outside model",
            Self::Formula => "formulas",
            Self::SecondWay => "own values had in a second way",
        }
    }
}

impl Target {
    /// This number, but for rounding.
    pub(crate) fn exactly(value: f64) -> Self {
        Self::Value(value, Tolerance::Exact)
    }

    /// This number, or off it by at most that part of it.
    pub(crate) fn near(value: f64, part: f64) -> Self {
        Self::Value(value, Tolerance::Relative(part))
    }

    /// This number, beside which the value is shown and not judged.
    pub(crate) fn shown(value: f64) -> Self {
        Self::Value(value, Tolerance::NotJudged)
    }

    /// Whether the value is as it should be; `None` if that is not judged.
    fn admits(self, own: f64) -> Option<bool> {
        match self {
            Self::Value(value, tolerance) => Some((own - value).abs() <= tolerance.part()? * value.abs()),
            Self::Between(least, most) => Some(own >= least && own <= most),
            Self::About(..) => None,
            Self::Below(value) => Some(own < value),
            Self::Above(value) => Some(own > value),
        }
    }

    pub(crate) fn is_one_sided(self) -> bool {
        matches!(self, Self::Below(_) | Self::Above(_))
    }

    /// The one number, if it is one.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Value(value, _) => Some(value),
            _ => None,
        }
    }

    /// How far off the one number a value may be, if it is one.
    #[must_use]
    pub fn tolerance(self) -> Option<Tolerance> {
        match self {
            Self::Value(_, tolerance) => Some(tolerance),
            _ => None,
        }
    }

    pub(crate) fn to_json(self) -> Value {
        match self {
            Self::Value(value, _) => json!(value),
            Self::Between(least, most) | Self::About(least, most) => {
                json!({ "at_least": least, "at_most": most })
            }
            Self::Below(value) => json!({ "below": value }),
            Self::Above(value) => json!({ "above": value }),
        }
    }
}

impl Tolerance {
    /// As a part of the target; `None` if it is not judged.
    #[must_use]
    pub fn part(self) -> Option<f64> {
        match self {
            Self::Exact => Some(1e-9),
            Self::Relative(part) => Some(part),
            Self::NotJudged => None,
        }
    }
}

impl Verdict {
    /// What stands in the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Within => "yes",
            Self::NotReproduced => "not reproduced",
            Self::Disagrees => "no",
            Self::NotJudged => "not judged",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(own: f64, target: Target, expected: Option<bool>) {
        assert_eq!(target.admits(own), expected, "{own} {target:?}");
    }

    #[test]
    fn targets() {
        check(10.0, Target::exactly(10.0), Some(true));
        check(10.000_000_1, Target::exactly(10.0), Some(false));
        check(10.5, Target::near(10.0, 0.05), Some(true));
        check(9.4, Target::near(10.0, 0.05), Some(false));
        check(99.0, Target::shown(10.0), None);
        check(f64::NAN, Target::near(1.0, 1.0), Some(false));
        check(0.0, Target::Between(0.0, 0.04), Some(true));
        check(0.041, Target::Between(0.0, 0.04), Some(false));
        check(7.0, Target::About(0.0, 0.04), None);
    }

    /// Less than 1 is not 1, however it is rounded.
    #[test]
    fn one_sided_targets_are_strict() {
        check(1.0 - f64::EPSILON, Target::Below(1.0), Some(true));
        check(1.0, Target::Below(1.0), Some(false));
        check(1.0 + f64::EPSILON, Target::Above(1.0), Some(true));
        check(1.0, Target::Above(1.0), Some(false));
        check(f64::NAN, Target::Below(1.0), Some(false));
        check(f64::NAN, Target::Above(1.0), Some(false));
    }

    /// What the paper states and is not had is not reproduced; everything else that disagrees is an error.
    #[test]
    fn verdicts() {
        let (off, on) = (Target::exactly(2.0), Target::exactly(1.0));
        let place = "paper 000, section 4.2";
        assert_eq!(Reference::published(off, place).judge(1.0), Verdict::NotReproduced);
        assert_eq!(Reference::claimed(Target::Above(2.0), place).judge(1.0), Verdict::NotReproduced);
        for wrong in [Reference::outside_model, Reference::formula, Reference::second_way] {
            assert_eq!(wrong(off, "another").judge(1.0), Verdict::Disagrees);
            assert_eq!(wrong(on, "another").judge(1.0), Verdict::Within);
        }
        assert_eq!(Reference::published(Target::About(1.0, 2.0), place).judge(9.0), Verdict::NotJudged);
    }

    #[test]
    #[should_panic(expected = "names no paper")]
    fn a_published_number_has_its_place() {
        _ = Reference::published(Target::exactly(1.0), "section 4.2");
    }

    #[test]
    #[should_panic(expected = "a bound is no number")]
    fn a_bound_is_no_published_number() {
        _ = Reference::published(Target::Below(1.0), "paper 000, section 4.2");
    }
}
