//! Fits of numbers: the forms that have all the values that were seen.

use crate::cells::{Cell, FREE, NONE};
use crate::forms::Form;
use crate::quantities::{Grid, HangsOn, Place, Quantity};

/// A value at its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) value: i64,
}

/// A form that fits, and others that do as well and are nearly as simple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    pub(crate) form: Form,
    pub(crate) others: Vec<Form>,
}

/// How much more far-fetched than the form that is taken one may be to be named beside it.
const BESIDE: u32 = 3;
/// The most that are kept.
const MOST_OTHERS: usize = 24;

/// Fits values where they stand in so many loops; `None` if no form has them all.
pub(crate) fn fit(points: &[Point<'_>], cell: Cell, depth: usize) -> Option<Fit> {
    let known: Vec<Point<'_>> = points.iter().filter(|point| point.value != FREE).copied().collect();
    let Some(first) = known.first() else {
        return Some(Fit { form: Form::Constant(if cell == Cell::Tag { 0 } else { NONE }), others: Vec::new() });
    };
    if known.iter().all(|point| point.value == first.value) && !is_rank(cell) {
        // A number that was the same at all sizes is one that the program's text has.
        return Some(Fit { form: Form::Constant(first.value), others: Vec::new() });
    }
    let mut found = Search { points: &known, found: Vec::new() };
    found.search(cell, depth);
    let mut found = found.found;
    found.sort_by_key(Form::cost);
    let form = *found.first()?;
    let most = form.cost() + BESIDE;
    let others = found.into_iter().skip(1).filter(|other| other.cost() <= most).take(MOST_OTHERS).collect();
    Some(Fit { form, others })
}

pub(crate) fn is_rank(cell: Cell) -> bool {
    matches!(cell, Cell::Rank | Cell::FoundRank)
}

struct Search<'a, 'b> {
    points: &'b [Point<'a>],
    found: Vec<Form>,
}

impl Search<'_, '_> {
    /// Keeps a form if it has all values.
    fn keep(&mut self, form: Form) {
        if self.points.iter().all(|point| form.value(&point.place) == point.value) {
            self.found.push(form);
        }
    }

    fn search(&mut self, cell: Cell, depth: usize) {
        let first = self.points[0];
        let is_of_world = std::ptr::eq(first.place.size, first.place.world);
        let quantities = Quantity::all(depth, is_of_world);
        self.keep(Form::Constant(first.value));
        if is_rank(cell) {
            self.ranks(&quantities);
        }
        if self.points.iter().any(|point| point.value == NONE) {
            return;
        }
        for &of in &quantities {
            self.affine(of, None);
        }
        let is_simple = |of: &&Quantity| of.cost() <= 2;
        for &first in quantities.iter().filter(is_simple).filter(|of| of.hangs_on() != HangsOn::Ranks) {
            for &of in quantities.iter().filter(|&&of| of != first) {
                self.affine(of, Some((first, false)));
                self.affine(of, Some((first, true)));
            }
        }
        if cell == Cell::Bytes || cell == Cell::Number {
            self.shares(&quantities);
        }
    }

    /// Looks for `sum + times * of`, with or without another quantity before it.
    fn affine(&mut self, of: Quantity, first: Option<(Quantity, bool)>) {
        let rest = |point: &Point<'_>| {
            let before = first.map_or(0, |(first, is_less)| {
                let value = first.value(&point.place);
                if is_less { -value } else { value }
            });
            (of.value(&point.place), point.value - before)
        };
        let (at, value) = rest(&self.points[0]);
        let Some((other_at, other)) = self.points.iter().map(rest).find(|rest| rest.0 != at) else { return };
        if (other - value) % (other_at - at) != 0 {
            return;
        }
        let times = (other - value) / (other_at - at);
        let sum = value - times * at;
        match first {
            _ if times == 0 => {}
            None => self.keep(Form::Affine { sum, times, of }),
            Some((first, is_less)) => self.keep(Form::Both { sum, first, is_less, times, of }),
        }
    }

    fn ranks(&mut self, quantities: &[Quantity]) {
        let first = self.points[0];
        let Some(known) = self.points.iter().find(|point| point.value != NONE).copied() else { return };
        let ranks = known.place.size.ranks;
        let steps = quantities.iter().filter(|of| of.hangs_on() != HangsOn::Rank).copied().map(Some);
        for of in std::iter::once(None).chain(steps) {
            for times in if of.is_some() { &[1, -1][..] } else { &[0] } {
                let step = of.map_or(0, |of| times * of.value(&known.place));
                let open = known.value - known.place.local - step;
                let around = open.rem_euclid(ranks);
                self.keep(Form::Around { sum: around, times: *times, of });
                self.keep(Form::Around { sum: around - ranks, times: *times, of });
                self.keep(Form::Open { sum: open, times: *times, of });
            }
            if known.value >= 0 {
                let xor = known.value ^ known.place.local;
                self.keep(Form::Xor { sum: xor - of.map_or(0, |of| of.value(&known.place)), of });
            }
        }
        for grid in Grid::ALL {
            let of_first = if grid.first() == 0 { -1..=1 } else { 0..=0 };
            for (a, b, c) in of_first.flat_map(|a| (-1..=1).flat_map(move |b| (-1..=1).map(move |c| (a, b, c)))) {
                if (a, b, c) != (0, 0, 0) {
                    self.keep(Form::Neighbor { grid, step: [a, b, c], is_open: false });
                    self.keep(Form::Neighbor { grid, step: [a, b, c], is_open: true });
                }
            }
            if grid.first() == 1 {
                self.keep(Form::Transposed(grid));
            }
        }
        debug_assert!(first.value == NONE || first.value >= 0, "ranks are numbers");
    }

    fn shares(&mut self, quantities: &[Quantity]) {
        for &by in quantities.iter().filter(|of| of.hangs_on() == HangsOn::Ranks) {
            // Totals that round down to the values.
            let bounds = self.points.iter().map(|point| (by.value(&point.place), point.value));
            let bounds = bounds.map(|(by, value)| (by * value, by * (value + 1)));
            let least = bounds.clone().map(|bounds| bounds.0).max();
            if let Some(total) = least.filter(|&total| total > 0) {
                self.keep(Form::Share { total, by });
            }
        }
        for unit in [1, 2, 4, 8, 16, 32, 64] {
            let whole = self.points.iter().all(|point| point.value % unit == 0);
            // Of a total, rank r of P has total / P, and one more if r < total mod P.
            let bounds = self.points.iter().map(|point| {
                let (ranks, local) = (point.place.size.ranks, point.place.local);
                // total = P * q + m with q = value and m <= local, or q = value - 1 and m > local.
                let value = point.value / unit;
                (ranks * value - (ranks - local - 1), ranks * value + local)
            });
            let least = bounds.clone().map(|bounds| bounds.0).max().unwrap_or(0);
            let most = bounds.map(|bounds| bounds.1).min().unwrap_or(0);
            if whole && least > 0 && least <= most {
                self.keep(Form::Part { total: least, unit });
                if most > least {
                    self.keep(Form::Part { total: most, unit });
                }
            }
        }
    }
}
