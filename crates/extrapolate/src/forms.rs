//! Forms: a number of a program as a function of the rank, of how many ranks there are, and of how often loops have repeated.

use crate::cells::NONE;
use crate::quantities::{Grid, HangsOn, Place, Quantity, Size};
use std::fmt;

/// A form with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Always the same.
    Constant(i64),
    /// `sum + times * of`
    Affine { sum: i64, times: i64, of: Quantity },
    /// `sum + of_first * first + times * of`
    Both { sum: i64, of_first: i64, first: Quantity, times: i64, of: Quantity },
    /// `total / by`, rounded down
    Share { total: i64, by: Quantity },
    /// `times * of / by`, rounded down
    Ratio { times: i64, of: Quantity, by: Quantity },
    /// `unit * (times * P / parts)`, rounded down: what fits whole elements of `parts` bytes, or halves.
    Rounded { times: i64, parts: i64, unit: i64 },
    /// The part that a rank has of a total, or that of another one: those of the first ranks are longer by one.
    Part { total: i64, unit: i64, of: Quantity },
    /// `rank + sum + times * of`, around the end of all ranks
    Around { sum: i64, times: i64, of: Option<Quantity> },
    /// `rank + sum + times * of`, and no rank beyond the ends
    Open { sum: i64, times: i64, of: Option<Quantity> },
    /// `sum + times * of`, around the end of all ranks
    Cyclic { sum: i64, times: i64, of: Quantity },
    /// `rank xor (sum + of)`
    Xor { sum: i64, of: Option<Quantity> },
    /// The neighbor in a grid at a distance in each dimension.
    Neighbor { grid: Grid, step: [i64; 3], is_open: bool },
    /// The rank at the place across the diagonal of a grid.
    Transposed(Grid),
}

/// The cost of a number: the larger it is, the more far-fetched.
fn cost_of(number: i64) -> u32 {
    let size = number.unsigned_abs();
    size.min(4) as u32 + 2 * (size / 4).max(1).ilog2()
}

impl Form {
    /// The value at a place.
    pub(crate) fn value(&self, place: &Place<'_>) -> i64 {
        let (local, ranks) = (place.local, place.size.ranks);
        let of_or_none = |of: Option<Quantity>| of.map_or(0, |of| of.value(place));
        match *self {
            Self::Constant(value) => value,
            Self::Affine { sum, times, of } => affine(sum, times, of.value(place)),
            Self::Both { sum, of_first, first, times, of } => {
                affine(affine(sum, of_first, first.value(place)), times, of.value(place))
            }
            Self::Share { total, by } => total / by.value(place).max(1),
            Self::Ratio { times, of, by } => affine(0, times, of.value(place)) / by.value(place).max(1),
            Self::Rounded { times, parts, unit } => unit * (affine(0, times, ranks) / parts),
            Self::Part { total, unit, of } => {
                unit * (total / ranks + i64::from(of.value(place) < total % ranks))
            }
            Self::Around { sum, times, of } => {
                affine(sum, times, of_or_none(of)).wrapping_add(local).rem_euclid(ranks)
            }
            Self::Open { sum, times, of } => {
                let value = affine(sum, times, of_or_none(of)).wrapping_add(local);
                if (0..ranks).contains(&value) { value } else { NONE }
            }
            Self::Cyclic { sum, times, of } => affine(sum, times, of.value(place)).rem_euclid(ranks),
            Self::Xor { sum, of } => local ^ sum.wrapping_add(of_or_none(of)),
            Self::Neighbor { grid, step, is_open } => neighbor(place.size, grid, local, step, is_open),
            Self::Transposed(grid) => {
                let ([_, b, _], [_, x, y]) = (place.size.sides(grid), grid.at(place.size, local));
                y * b + x
            }
        }
    }

    /// Its cost, from 0: the form of the lowest cost that fits is taken.
    pub(crate) fn cost(&self) -> u32 {
        let of_or_none = |of: Option<Quantity>| of.map_or(0, |of| 1 + of.cost());
        match *self {
            Self::Constant(NONE) => 0,
            Self::Constant(value) => cost_of(value).min(4) / 2,
            Self::Affine { sum, times, of } => {
                1 + of.cost() + cost_of(sum).min(4).div_ceil(2) + u32::from(times != 1)
            }
            Self::Both { sum, of_first, first, times, of } => {
                let times = if times.abs() == of_first.abs() { 1 } else { cost_of(times).min(4) };
                let numbers = cost_of(sum).min(3) + times + u32::from(of_first.abs() != 1);
                3 + first.cost() + of.cost() + numbers
            }
            Self::Share { by, .. } => 2 + by.cost() + by.is_logarithm(),
            Self::Ratio { of, by, times } => {
                2 + of.cost() + by.cost() + by.is_logarithm() + u32::from(times != 1)
            }
            Self::Rounded { unit, .. } => 5 + u32::from(unit != 1),
            Self::Part { unit, .. } => 3 + u32::from(unit != 1),
            Self::Around { sum, of, .. } | Self::Open { sum, of, .. } => {
                1 + cost_of(sum) + of_or_none(of) + u32::from(of.is_some() && sum != 0)
            }
            Self::Cyclic { sum, times, of } => 2 + cost_of(sum) + of.cost() + cost_of(times.abs() - times),
            Self::Xor { sum, of } => 2 + cost_of(sum) + of_or_none(of),
            Self::Neighbor { grid, step, .. } => {
                let far: i64 = step.iter().map(|step| step.abs()).sum();
                2 + far as u32 + u32::from(matches!(grid, Grid::TwoReversed | Grid::ThreeReversed))
            }
            Self::Transposed(_) => 4,
        }
    }

    /// Number of choices that a form of nothing but the number of ranks has: its numbers, and quantities other than the number
    /// of ranks itself. `None` if it hangs on ranks or repetitions, or is a rank.
    pub(crate) fn choices_by_size(&self) -> Option<usize> {
        let of_number = |number: i64, plain: i64| usize::from(number != plain);
        let of_quantity = |of: Quantity| usize::from(of != Quantity::Ranks);
        let (quantities, numbers) = match *self {
            Self::Affine { sum, times, of } => {
                ([of, of], of_quantity(of) + of_number(sum, 0) + of_number(times, 1))
            }
            Self::Both { sum, of_first, first, times, of } => {
                let numbers = of_number(sum, 0) + of_number(of_first, 1) + of_number(times, 1);
                ([first, of], 1 + of_quantity(first) + of_quantity(of) + numbers)
            }
            Self::Share { by, .. } => ([by, by], 1 + of_quantity(by)),
            Self::Ratio { times, of, by } => {
                ([of, by], 1 + of_quantity(of) + of_quantity(by) + of_number(times, 1))
            }
            Self::Rounded { unit, .. } => ([Quantity::Ranks; 2], 2 + of_number(unit, 1)),
            _ => return None,
        };
        quantities.iter().all(|of| of.hangs_on() == HangsOn::Ranks).then_some(numbers)
    }
}

fn affine(sum: i64, times: i64, of: i64) -> i64 {
    sum.wrapping_add(times.wrapping_mul(of))
}

fn neighbor(size: &Size, grid: Grid, rank: i64, step: [i64; 3], is_open: bool) -> i64 {
    let (sides, mut at) = (size.sides(grid), grid.at(size, rank));
    for dimension in 0..3 {
        at[dimension] += step[dimension];
        let is_inside = (0..sides[dimension]).contains(&at[dimension]);
        if is_open && !is_inside {
            return NONE;
        }
        at[dimension] = at[dimension].rem_euclid(sides[dimension]);
    }
    (at[0] * sides[1] + at[1]) * sides[2] + at[2]
}

/// A number with its sign, as it stands behind another one; nothing for 0.
struct Signed(i64);

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, "{:+}", self.0) }
    }
}

/// A quantity some times, as it stands behind another one.
struct Times(i64, Option<Quantity>);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (_, None) => Ok(()),
            (1, Some(of)) => write!(f, "+{of}"),
            (-1, Some(of)) => write!(f, "-{of}"),
            (times, Some(of)) => write!(f, "{times:+}*{of}"),
        }
    }
}

/// A quantity behind a line of division.
struct Divisor(Quantity);

impl fmt::Display for Divisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == Quantity::Ranks { write!(f, "{}", self.0) } else { write!(f, "({})", self.0) }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Constant(NONE) => f.write_str("none"),
            Self::Constant(value) => write!(f, "{value}"),
            Self::Affine { sum, times: 1, of } => write!(f, "{of}{}", Signed(sum)),
            Self::Affine { sum, times, of } => write!(f, "{times}*{of}{}", Signed(sum)),
            Self::Both { sum, of_first, first, times, of } => {
                write!(f, "{of_first}*({first}){}{}", Times(times, Some(of)), Signed(sum))
            }
            Self::Share { total, by } => write!(f, "{total}/{}", Divisor(by)),
            Self::Ratio { times, of, by } => write!(f, "{times}*({of})/{}", Divisor(by)),
            Self::Rounded { times, parts, unit: 1 } => write!(f, "{times}*P/{parts} rounded down"),
            Self::Rounded { times, parts, unit } => write!(f, "{unit}*({times}*P/{parts} rounded down)"),
            Self::Part { total, unit, of } => write!(f, "{unit} times the part of {of} of {total}"),
            Self::Around { sum, times, of } => {
                write!(f, "(rank{}{}) mod P", Times(times, of), Signed(sum))
            }
            Self::Open { sum, times, of } => {
                write!(f, "rank{}{}, none beyond the ends", Times(times, of), Signed(sum))
            }
            Self::Cyclic { sum, times, of } => write!(f, "({}{}) mod P", Times(times, Some(of)), Signed(sum)),
            Self::Xor { sum, of: None } => write!(f, "rank xor {sum}"),
            Self::Xor { sum, of: Some(of) } => write!(f, "rank xor ({of}{})", Signed(sum)),
            Self::Neighbor { grid, step, is_open } => {
                let ends = if is_open { "open ends" } else { "around" };
                write!(f, "neighbor at {:?} in a {grid}, {ends}", &step[grid.first()..])
            }
            Self::Transposed(grid) => write!(f, "place across the diagonal of a {grid}"),
        }
    }
}
