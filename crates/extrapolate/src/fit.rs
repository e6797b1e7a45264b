//! Fits of numbers: the forms that have all the values that were seen.

use crate::cells::{Cell, FREE, NONE};
use crate::forms::Form;
use crate::quantities::{Grid, HangsOn, Place, Quantity};
use std::collections::BTreeSet;

/// A value at its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) value: i64,
}

/// The number that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking {
    pub(crate) cell: Cell,
    /// The number of loops around it.
    pub(crate) depth: usize,
    /// The grid by whose places the ranks have been divided: neighbors in it need no other reason.
    pub(crate) grid: Option<Grid>,
}

impl Asking {
    fn cost(self, form: &Form) -> u32 {
        match form {
            Form::Neighbor { grid, .. } if Some(*grid) == self.grid => 1,
            _ => form.cost(),
        }
    }
}

/// A form that fits, and others that do as well and are nearly as simple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    pub(crate) form: Form,
    pub(crate) others: Vec<Form>,
    /// True if at least one size shows that the form holds beyond those from which its numbers are.
    pub(crate) is_confirmed: bool,
}

impl Fit {
    fn constant(value: i64) -> Self {
        Self { form: Form::Constant(value), others: Vec::new(), is_confirmed: true }
    }
}

/// A form is named beside the one that is taken if it costs at most so much more.
const BESIDE: u32 = 2;
/// The most that a form may cost: of a rank or of repetitions, and of another number.
const MOST_OF_RANK: u32 = 6;
const MOST: u32 = 9;
/// The values among which three are looked for that say how two quantities are added.
const LOOKED_AT: usize = 96;
/// The values in which forms are looked for; those that are found must have the others, too.
const MOST_SEARCHED: usize = 4096;
/// The most that are kept.
const MOST_OTHERS: usize = 200;

/// Fits values; `None` if no form has them all.
pub(crate) fn fit(points: &[Point<'_>], asking: Asking) -> Option<Fit> {
    let cell = asking.cell;
    let known: Vec<Point<'_>> = points.iter().filter(|point| point.value != FREE).copied().collect();
    let Some(first) = known.first() else {
        return Some(Fit::constant(if cell == Cell::Tag { 0 } else { NONE }));
    };
    if known.iter().all(|point| point.value == first.value) && !is_rank(cell) {
        // A number that was the same at all sizes is one that the program's text has.
        return Some(Fit::constant(first.value));
    }
    let mut found = Search { points: &known[..known.len().min(MOST_SEARCHED)], found: Vec::new() };
    found.search(cell, asking.depth);
    let mut found = found.found;
    if known.len() > MOST_SEARCHED {
        found.retain(|form| known.iter().all(|point| form.value(&point.place) == point.value));
    }
    let bound = match cell {
        Cell::Rank | Cell::FoundRank | Cell::Repetitions => MOST_OF_RANK,
        _ => MOST,
    };
    found.retain(|form| asking.cost(form) <= bound && !is_strange(form, cell));
    found.sort_by_key(|form| asking.cost(form));
    let form = *found.first()?;
    let most = asking.cost(&form) + BESIDE;
    let others =
        found.into_iter().skip(1).filter(|other| asking.cost(other) <= most).take(MOST_OTHERS).collect();
    Some(Fit { form, others, is_confirmed: is_confirmed(&form, &known) })
}

/// Returns whether there are more sizes than a form of nothing but the number of ranks has choices. Whatever hangs on ranks or
/// repetitions has more values than any form has choices.
fn is_confirmed(form: &Form, points: &[Point<'_>]) -> bool {
    form.choices_by_size().is_none_or(|choices| {
        let sizes: BTreeSet<_> =
            points.iter().map(|point| (point.place.size.ranks, point.place.world.ranks)).collect();
        choices < sizes.len()
    })
}

/// Returns whether a number is counted around the own rank that is no rank, or a rank is a multiple of something.
fn is_strange(form: &Form, cell: Cell) -> bool {
    match *form {
        Form::Affine { of: Quantity::Skipping(_), sum, times } => !is_rank(cell) || (sum, times) != (0, 1),
        Form::Affine { times, .. } => is_rank(cell) && times.abs() > 2,
        Form::Ratio { of, by, .. } => [of, by].iter().any(|of| matches!(of, Quantity::Skipping(_))),
        _ => false,
    }
}

fn difference((more, less): (i64, i64)) -> i128 {
    i128::from(more) - i128::from(less)
}

fn common_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

/// `(a - b) / (c - d)`, if that is a whole number.
fn quotient(a: i64, b: i64, c: i64, d: i64) -> Option<i64> {
    let (above, below) = (difference((a, b)), difference((c, d)));
    if above % below == 0 { i64::try_from(above / below).ok() } else { None }
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
            self.affine(of);
        }
        let summands: Vec<Quantity> = quantities.iter().copied().filter(|of| of.is_summand()).collect();
        for (place, &of) in summands.iter().enumerate() {
            summands[..place].iter().for_each(|&first| self.both(first, of));
        }
        if matches!(cell, Cell::Bytes | Cell::Elements | Cell::Number | Cell::Repetitions) {
            self.shares(&quantities, cell);
        }
    }

    /// Looks for `sum + times * of`.
    fn affine(&mut self, of: Quantity) {
        let rest = |point: &Point<'_>| (of.value(&point.place), point.value);
        let (at, value) = rest(&self.points[0]);
        let Some((other_at, other)) = self.points.iter().map(rest).find(|rest| rest.0 != at) else { return };
        let Some(times) = quotient(other, value, other_at, at).filter(|&times| times != 0) else { return };
        if let Some(sum) = times.checked_mul(at).and_then(|product| value.checked_sub(product)) {
            self.keep(Form::Affine { sum, times, of });
        }
    }

    /// Looks for `sum + of_first * first + times * of`: three equations.
    fn both(&mut self, first: Quantity, of: Quantity) {
        let start = self.points[0];
        let (start_first, start_of) = (first.value(&start.place), of.value(&start.place));
        let mut rows = self.points.iter().take(LOOKED_AT).map(|point| {
            let row = [(first.value(&point.place), start_first), (of.value(&point.place), start_of)];
            (row.map(difference), difference((point.value, start.value)))
        });
        let Some(([a, b], left)) = rows.find(|(row, _)| *row != [0, 0]) else { return };
        let Some(([c, d], right)) = rows.find(|([c, d], _)| a * d != b * c) else { return };
        let below = a * d - b * c;
        let (of_first, times) = (left * d - b * right, a * right - left * c);
        if of_first % below == 0 && times % below == 0 && of_first != 0 && times != 0 {
            let (of_first, times) = (of_first / below, times / below);
            let sum =
                i128::from(start.value) - of_first * i128::from(start_first) - times * i128::from(start_of);
            if let (Ok(of_first), Ok(times), Ok(sum)) =
                (of_first.try_into(), times.try_into(), sum.try_into())
            {
                self.keep(Form::Both { sum, of_first, first, times, of });
            }
        }
    }

    fn ranks(&mut self, quantities: &[Quantity]) {
        let Some(known) = self.points.iter().find(|point| point.value != NONE).copied() else { return };
        let ranks = known.place.size.ranks;
        let is_step = |of: &&Quantity| match of {
            Quantity::LowBit | Quantity::HighBit => true,
            Quantity::Skipping(_) => false,
            of => of.hangs_on() != HangsOn::Rank,
        };
        let steps = quantities.iter().filter(is_step).copied().map(Some);
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
        for &of in quantities.iter().filter(|of| matches!(of, Quantity::Index(_))) {
            for times in [1, -1] {
                let sum = (known.value - times * of.value(&known.place)).rem_euclid(ranks);
                self.keep(Form::Cyclic { sum, times, of });
                self.keep(Form::Cyclic { sum: sum - ranks, times, of });
            }
        }
        for grid in Grid::ALL {
            let of_first = if grid.first() == 0 { -1..=1 } else { 0..=0 };
            for (a, b, c) in
                of_first.flat_map(|a| (-1..=1).flat_map(move |b| (-1..=1).map(move |c| (a, b, c))))
            {
                if (a, b, c) != (0, 0, 0) {
                    self.keep(Form::Neighbor { grid, step: [a, b, c], is_open: false });
                    self.keep(Form::Neighbor { grid, step: [a, b, c], is_open: true });
                }
            }
            if grid.first() == 1 {
                self.keep(Form::Transposed(grid));
            }
        }
    }

    fn shares(&mut self, quantities: &[Quantity], cell: Cell) {
        let is_divisor =
            |of: &&Quantity| of.hangs_on() == HangsOn::Ranks || matches!(of, Quantity::PowerOfIndex(_));
        let first = self.points[0];
        for &by in quantities.iter().filter(is_divisor) {
            for &of in quantities.iter().filter(|&&of| of != by && of.cost() <= 2) {
                let (above, below) = (of.value(&first.place), by.value(&first.place));
                let product = first.value.checked_mul(below).filter(|_| above != 0 && below != 0);
                if let Some(product) = product.filter(|product| product % above == 0 && *product != 0) {
                    self.keep(Form::Ratio { times: product / above, of, by });
                }
            }
            // Totals that round down to the values.
            let bounds = self.bounds(|point| {
                let by = by.value(&point.place).max(1);
                let least = by.saturating_mul(point.value);
                (least, least.saturating_add(by - 1))
            });
            if let Some((total, _)) = bounds.filter(|&(total, _)| total > 0) {
                self.keep(Form::Share { total, by });
            }
        }
        if cell == Cell::Repetitions {
            return;
        }
        for parts in [2, 4, 8] {
            self.rounded(parts, 1);
            self.rounded(parts, parts);
        }
        let common = self.points.iter().fold(0, |common, point| common_divisor(common, point.value));
        let mut units = vec![1, 2, 4, 8, 16, 32, 64];
        // Parts of which none is longer than another are shares.
        let differs = |one: &Point<'_>| {
            let first = self.points[0];
            one.place.size.ranks == first.place.size.ranks && one.value != first.value
        };
        if common > 0 && !units.contains(&common) && self.points.iter().any(differs) {
            units.push(common);
        }
        for &of in quantities.iter().filter(|of| matches!(of, Quantity::Rank | Quantity::Index(_))) {
            units.iter().for_each(|&unit| self.part(unit, of));
        }
    }

    /// The least and the most that is within the bounds of all points, if anything is.
    fn bounds(&self, of: impl Fn(&Point<'_>) -> (i64, i64)) -> Option<(i64, i64)> {
        self.points.iter().map(of).try_fold((i64::MIN, i64::MAX), |(least, most), (low, high)| {
            let (least, most) = (least.max(low), most.min(high));
            (least <= most).then_some((least, most))
        })
    }

    /// Looks for the multiples of the number of ranks that have all values when they are divided and rounded down: the least and the most.
    fn rounded(&mut self, parts: i64, unit: i64) {
        // times * P / parts = q is times from q * parts / P to below (q + 1) * parts / P.
        let bounds = self.bounds(|point| {
            let (ranks, whole) = (point.place.size.ranks, (point.value / unit).saturating_mul(parts));
            ((whole + ranks - 1).div_euclid(ranks), (whole.saturating_add(parts) - 1).div_euclid(ranks))
        });
        let Some((least, most)) = bounds.filter(|(least, _)| 0 < *least) else { return };
        self.keep(Form::Rounded { times: least, parts, unit });
        if most > least {
            self.keep(Form::Rounded { times: most, parts, unit });
        }
    }

    /// Looks for a total of which rank r of P has total / P, and one more if r < total mod P.
    fn part(&mut self, unit: i64, of: Quantity) {
        // total = P * q + m with q = value and m <= r, or q = value - 1 and m > r.
        let bounds = self.bounds(|point| {
            let (ranks, at) = (point.place.size.ranks, of.value(&point.place));
            let value = point.value / unit;
            let whole = ranks.saturating_mul(value);
            (whole.saturating_sub(ranks - at - 1), whole.saturating_add(at))
        });
        let Some((least, most)) = bounds.filter(|(least, _)| 0 < *least) else { return };
        if self.points.iter().all(|point| point.value % unit == 0) {
            self.keep(Form::Part { total: least, unit, of });
            if most > least {
                self.keep(Form::Part { total: most, unit, of });
            }
        }
    }
}
