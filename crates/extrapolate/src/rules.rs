//! Rules: a number of a program as a form, or as one form for each repetition of a loop that repeats the same number of times everywhere.

use crate::cells::Cell;
use crate::fit::{Fit, Point, fit};
use crate::forms::Form;
use crate::quantities::Place;
use std::collections::BTreeMap;

/// A number of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// One form for all.
    One(Fit),
    /// A rule for each repetition of the loop at this level.
    ByIndex { level: usize, rules: Vec<Rule> },
}

/// The most repetitions that have a form each.
const MOST_REPETITIONS: u32 = 256;

impl Rule {
    /// Fits values that stand in so many loops, of which some levels repeat the same number of times everywhere.
    pub(crate) fn fit(points: &[Point<'_>], cell: Cell, depth: usize, fixed: &[usize]) -> Option<Self> {
        let one = fit(points, cell, depth);
        let far_fetched = one.as_ref().is_none_or(|fit| fit.form.cost() > 5);
        if far_fetched && let Some(by_index) = by_index(points, cell, depth, fixed) {
            let most = by_index.cost();
            if one.as_ref().is_none_or(|fit| fit.form.cost() > most + 2) {
                return Some(by_index);
            }
        }
        one.map(Self::One)
    }

    /// The cost of the most far-fetched of its forms.
    pub(crate) fn cost(&self) -> u32 {
        match self {
            Self::One(fit) => fit.form.cost(),
            Self::ByIndex { rules, .. } => rules.iter().map(Self::cost).max().unwrap_or(0),
        }
    }

    /// The fit that holds at a place.
    pub(crate) fn at(&self, place: &Place<'_>) -> Option<&Fit> {
        match self {
            Self::One(fit) => Some(fit),
            Self::ByIndex { level, rules } => rules.get(place.index[*level] as usize)?.at(place),
        }
    }

    /// All forms, in the order of repetitions.
    pub(crate) fn forms(&self, visit: &mut dyn FnMut(Form)) {
        match self {
            Self::One(fit) => visit(fit.form),
            Self::ByIndex { rules, .. } => rules.iter().for_each(|rule| rule.forms(visit)),
        }
    }
}

fn by_index(points: &[Point<'_>], cell: Cell, depth: usize, fixed: &[usize]) -> Option<Rule> {
    let (&level, rest) = fixed.split_last()?;
    let mut parts: BTreeMap<u32, Vec<Point<'_>>> = BTreeMap::new();
    for point in points {
        parts.entry(point.place.index[level]).or_default().push(*point);
    }
    let count = parts.last_key_value()?.0 + 1;
    let is_whole = parts.len() == count as usize && count <= MOST_REPETITIONS;
    let rules = is_whole
        .then(|| parts.values().map(|points| Rule::fit(points, cell, depth, rest)).collect::<Option<_>>())
        .flatten();
    match rules {
        Some(rules) => Some(Rule::ByIndex { level, rules }),
        // Another loop around may be the one.
        None => by_index(points, cell, depth, rest),
    }
}
