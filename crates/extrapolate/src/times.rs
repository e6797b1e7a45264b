//! Times of work between operations, as a function of how many ranks there are.

use crate::quantities::Size;
use std::fmt;

/// The functions that times may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Ranks,
    Inverse,
    Log2,
    Root,
    InverseRoot,
    Square,
    CubeRoot,
    InverseTwoThirds,
}

impl Shape {
    /// The simplest first.
    const ALL: [Self; 8] = [
        Self::Inverse,
        Self::Log2,
        Self::Ranks,
        Self::InverseRoot,
        Self::Root,
        Self::InverseTwoThirds,
        Self::CubeRoot,
        Self::Square,
    ];

    fn of(self, ranks: f64) -> f64 {
        match self {
            Self::Ranks => ranks,
            Self::Inverse => 1.0 / ranks,
            Self::Log2 => ranks.log2(),
            Self::Root => ranks.sqrt(),
            Self::InverseRoot => 1.0 / ranks.sqrt(),
            Self::Square => ranks * ranks,
            Self::CubeRoot => ranks.cbrt(),
            Self::InverseTwoThirds => ranks.powf(-2.0 / 3.0),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ranks => "P",
            Self::Inverse => "1/P",
            Self::Log2 => "log2(P)",
            Self::Root => "sqrt(P)",
            Self::InverseRoot => "1/sqrt(P)",
            Self::Square => "P^2",
            Self::CubeRoot => "cbrt(P)",
            Self::InverseTwoThirds => "1/P^(2/3)",
        }
    }
}

/// A time: a constant, and a function some times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeForm {
    /// Picoseconds.
    sum: f64,
    term: Option<(f64, Shape)>,
    /// The largest distance of a time that was seen from the form, over that time.
    pub(crate) error: f64,
}

/// Times this close to their mean, as a share of it, are called the same.
const SAME: f64 = 0.02;

impl TimeForm {
    /// Fits times in picoseconds, each of so many ranks. With two sizes a form has one number; with more it may have two.
    pub(crate) fn fit(seen: &[(u32, f64)]) -> Self {
        let mean = seen.iter().map(|(_, time)| time).sum::<f64>() / seen.len().max(1) as f64;
        let mut best = Self { sum: mean, term: None, error: 0.0 };
        best.error = best.error_of(seen);
        if best.error <= SAME {
            return best;
        }
        for shape in Shape::ALL {
            let mut forms = vec![proportional(seen, shape)];
            if seen.len() >= 3 {
                forms.push(with_constant(seen, shape));
            }
            for (sum, times) in forms.into_iter().filter(|form| form.0 >= 0.0 && form.1 >= 0.0) {
                let mut form = Self { sum, term: Some((times, shape)), error: 0.0 };
                form.error = form.error_of(seen);
                if form.error < best.error * 0.9 - 1e-9 {
                    best = form;
                }
            }
        }
        best
    }

    fn error_of(&self, seen: &[(u32, f64)]) -> f64 {
        let errors = seen.iter().map(|&(ranks, time)| (self.value(ranks) - time).abs() / time.max(1.0));
        errors.fold(0.0, f64::max)
    }

    fn value(&self, ranks: u32) -> f64 {
        self.sum + self.term.map_or(0.0, |(times, shape)| times * shape.of(ranks.into()))
    }

    /// The time for so many ranks, in picoseconds.
    pub(crate) fn at(&self, size: &Size) -> u64 {
        self.value(size.ranks as u32).max(0.0).round() as u64
    }
}

/// The best multiple of a shape, by the squares of relative errors.
fn proportional(seen: &[(u32, f64)], shape: Shape) -> (f64, f64) {
    let shares =
        seen.iter().filter(|(_, time)| *time > 0.0).map(|&(ranks, time)| shape.of(ranks.into()) / time);
    let (sum, squares) =
        shares.fold((0.0, 0.0), |(sum, squares), share| (sum + share, squares + share * share));
    (0.0, if squares > 0.0 { sum / squares } else { 0.0 })
}

/// The best constant and multiple of a shape, by least squares.
fn with_constant(seen: &[(u32, f64)], shape: Shape) -> (f64, f64) {
    let count = seen.len() as f64;
    let (mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0);
    for &(ranks, time) in seen {
        let at = shape.of(ranks.into());
        (x, y, xx, xy) = (x + at, y + time, xx + at * at, xy + at * time);
    }
    let below = count * xx - x * x;
    if below <= 0.0 {
        return (-1.0, 0.0);
    }
    let times = (count * xy - x * y) / below;
    ((y - times * x) / count, times)
}

impl fmt::Display for TimeForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.term {
            None => f.write_str("the same"),
            Some((_, shape)) if self.sum == 0.0 => write!(f, "as {}", shape.name()),
            Some((_, shape)) => write!(f, "a constant and as {}", shape.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(seen: &[(u32, f64)], target: u32, expected: f64, text: &str) {
        let form = TimeForm::fit(seen);
        assert!((form.value(target) - expected).abs() < 1e-6 * expected.max(1.0), "{form:?}");
        assert_eq!(form.to_string(), text);
    }

    #[test]
    fn times_follow_simple_functions() {
        check(&[(4, 100.0), (8, 100.0)], 16, 100.0, "the same");
        check(&[(4, 100.0), (8, 50.0)], 16, 25.0, "as 1/P");
        check(&[(4, 2e6), (8, 3e6)], 64, 6e6, "as log2(P)");
        // 1000 + 800 / P
        check(&[(4, 1200.0), (8, 1100.0), (16, 1050.0)], 32, 1025.0, "a constant and as 1/P");
        check(&[(4, 0.0), (8, 0.0)], 16, 0.0, "the same");
    }
}
