//! Rules: a number of a program as a form, or as one form for each repetition of a loop that repeats the same number of times everywhere.

use crate::fit::{Asking, Fit, Point, fit};
use crate::forms::Form;
use crate::quantities::Place;
use std::collections::BTreeMap;

/// A number of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// One form for all.
    One(Fit),
    /// A rule for each repetition of the loop at this level.
    ByIndex { level: usize, rules: BTreeMap<u32, Rule> },
    /// A rule for each of the first repetitions of the loop at this level, and one for all behind them, counted from there.
    Behind { level: usize, front: Vec<Rule>, rest: Box<Rule> },
}

/// Up to so many repetitions, they are better described one by one.
const FEW: usize = 4;
/// The most repetitions that have a form each.
const MOST_REPETITIONS: usize = 256;

impl Rule {
    /// Fits values that stand in loops, of which some levels repeat the same number of times everywhere.
    pub(crate) fn fit(points: &[Point<'_>], asking: Asking, fixed: &[usize]) -> Option<Self> {
        let one = fit(points, asking);
        let cost = one.as_ref().map_or(u32::MAX, |fit| fit.form.cost());
        let by_index = if cost > 2 { by_index(points, asking, fixed) } else { None };
        // Few repetitions do not show that something grows with them.
        let is_simpler = |rule: &Self| match rule {
            Self::ByIndex { rules, .. } if rules.len() <= FEW => cost > rule.cost(),
            _ => cost > 5 && cost > rule.cost() + 2,
        };
        if let Some(by_index) = by_index.filter(is_simpler) {
            return Some(by_index);
        }
        one.map(Self::One).or_else(|| (0..asking.depth).rev().find_map(|level| behind(points, asking, level)))
    }

    /// The cost of the most far-fetched of its forms.
    pub(crate) fn cost(&self) -> u32 {
        match self {
            Self::One(fit) => fit.form.cost(),
            Self::ByIndex { rules, .. } => rules.values().map(Self::cost).max().unwrap_or(0),
            Self::Behind { front, rest, .. } => front.iter().map(Self::cost).fold(rest.cost(), u32::max),
        }
    }

    /// The fit that holds at a place, and the place as the fit has it.
    pub(crate) fn at<'a>(&self, place: &Place<'a>) -> Option<(&Fit, Place<'a>)> {
        match self {
            Self::One(fit) => Some((fit, *place)),
            Self::ByIndex { level, rules } => rules.get(&place.index[*level])?.at(place),
            Self::Behind { level, front, rest } => match front.get(place.index[*level] as usize) {
                Some(rule) => rule.at(place),
                None => rest.at(&moved(place, *level, front.len() as u32)),
            },
        }
    }

    /// All forms, in the order of repetitions.
    pub(crate) fn forms(&self, visit: &mut dyn FnMut(Form)) {
        match self {
            Self::One(fit) => visit(fit.form),
            Self::ByIndex { rules, .. } => rules.values().for_each(|rule| rule.forms(visit)),
            Self::Behind { front, rest, .. } => {
                front.iter().for_each(|rule| rule.forms(visit));
                rest.forms(visit);
            }
        }
    }
}

fn by_index(points: &[Point<'_>], asking: Asking, fixed: &[usize]) -> Option<Rule> {
    let (&level, rest) = fixed.split_last()?;
    let mut parts: BTreeMap<u32, Vec<Point<'_>>> = BTreeMap::new();
    for point in points {
        parts.entry(point.place.index[level]).or_default().push(*point);
    }
    let rule = |(index, points): (&u32, &Vec<Point<'_>>)| Some((*index, Rule::fit(points, asking, rest)?));
    let rules =
        (parts.len() <= MOST_REPETITIONS).then(|| parts.iter().map(rule).collect::<Option<_>>()).flatten();
    match rules {
        Some(rules) => Some(Rule::ByIndex { level, rules }),
        // Another loop around may be the one.
        None => by_index(points, asking, rest),
    }
}

/// The most repetitions that are unlike those behind them.
const MOST_IN_FRONT: u32 = 2;

fn moved<'a>(place: &Place<'a>, level: usize, by: u32) -> Place<'a> {
    let mut moved = *place;
    moved.index[level] = moved.index[level].saturating_sub(by);
    moved
}

fn behind(points: &[Point<'_>], asking: Asking, level: usize) -> Option<Rule> {
    (1..=MOST_IN_FRONT).find_map(|count| {
        let rest: Vec<Point<'_>> = points
            .iter()
            .filter(|point| point.place.index[level] >= count)
            .map(|point| Point { place: moved(&point.place, level, count), ..*point })
            .collect();
        let first = rest.first()?;
        // Whatever is behind must be repeated more than once, or two numbers would be a rule.
        if rest.iter().all(|point| point.place.index[level] == first.place.index[level]) {
            return None;
        }
        let rest = Rule::One(fit(&rest, asking)?).into();
        let front = (0..count).map(|index| {
            let points: Vec<Point<'_>> =
                points.iter().filter(|point| point.place.index[level] == index).copied().collect();
            Some(Rule::One(fit(&points, asking)?))
        });
        Some(Rule::Behind { level, front: front.collect::<Option<_>>()?, rest })
    })
}
