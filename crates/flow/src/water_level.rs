//! The level of one link: how much each of its flows may take so that together they just fill it.
//!
//! Water is poured into a vessel whose columns are the flows of the link, each as high as the flow's *limit* (what
//! the rest of its route leaves it). A flow takes the smaller of its limit and the level, so the level `s` satisfies
//! `sum of min(limit, s) = capacity`. If all limits together do not fill the link, it has no level: infinity.

/// No hop: the flow's bound is below all levels of its route.
const BOUND: u32 = u32::MAX;

/// Limits that exceed the capacity by less than this part fill it exactly: the excess is rounding.
const FULL: f64 = 1.0 + 1e-12;

/// The level of a link of `capacity` whose flows have these `limits`, beside so many that have none below it; `before` is
/// its level before something changed, a good guess.
///
/// Newton's method. The left side is concave in `s` and piecewise linear, so a step from anywhere ends at or below
/// the level, and steps from there rise until the set of flows below `s` repeats. It may also never repeat: when a
/// limit equals the level to the last digit, rounding moves it in and out of the set; so the search ends as soon as
/// `s` stops rising.
///
/// A link that is just full has two right answers, the largest limit and infinity; the rates are the same.
///
/// # Errors
/// The limits do not fill the link: their sum, or infinity if there are too few flows to ask.
pub(crate) fn water_level(limits: &[f64], unlimited: usize, capacity: f64, before: f64) -> Result<f64, f64> {
    let flows = limits.len() + unlimited;
    let sum = || if unlimited == 0 { limits.iter().sum() } else { f64::INFINITY };
    search(flows, flows as f64, sum, capacity, before, |level| {
        let (below, sum) = below(limits, level);
        (sum, (flows - below) as f64)
    })
}

/// The same for flows that load the link with these parts of their rates: `sum of weight * min(limit, s) = capacity`.
///
/// # Errors
/// Like [`water_level`].
pub(crate) fn weighted_level(
    limits: &[f64],
    weights: &[f64],
    capacity: f64,
    before: f64,
) -> Result<f64, f64> {
    let flows = || limits.iter().zip(weights);
    let sum = || flows().map(|(limit, weight)| limit * weight).sum();
    search(limits.len(), weights.iter().sum(), sum, capacity, before, |level| {
        flows().fold((0.0, 0.0), |(sum, above), (&limit, &weight)| {
            let is_below = limit < level;
            (sum + if is_below { weight * limit } else { 0.0 }, above + if is_below { 0.0 } else { weight })
        })
    })
}

/// The search, for flows of these weights in all. `sum` is that of all limits, and `split` finds for a level the sum of the limits
/// below it, and the weights of the others, which are 0 if there are none.
#[inline(always)]
fn search(
    flows: usize,
    weights: f64,
    sum: impl Fn() -> f64,
    capacity: f64,
    before: f64,
    split: impl Fn(f64) -> (f64, f64),
) -> Result<f64, f64> {
    if flows <= 1 {
        return Err(f64::INFINITY);
    }
    let lowest = capacity / weights;
    let mut level = before;
    let mut rising = false;
    if level == f64::INFINITY {
        let sum = sum();
        if sum <= capacity * FULL {
            return Err(sum);
        }
        (level, rising) = (lowest, true);
    }
    loop {
        let (sum, above) = split(level);
        if above == 0.0 {
            if rising || sum <= capacity * FULL {
                return Err(sum);
            }
            (level, rising) = (lowest, true);
            continue;
        }
        let next = (capacity - sum) / above;
        if next == level || (rising && next < level) {
            return Ok(level);
        }
        (level, rising) = (next, true);
    }
}

/// The lower of two rates, neither of which is not a number.
#[inline]
pub(crate) fn lower(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// Number of limits below `level`, and their sum in the order of the seats.
fn below(limits: &[f64], level: f64) -> (usize, f64) {
    let (mut count, mut sum) = (0, 0.0);
    for &limit in limits {
        // Without branches: which limits are below cannot be foreseen.
        let is_below = limit < level;
        count += usize::from(is_below);
        sum += if is_below { limit } else { 0.0 };
    }
    (count, sum)
}

/// The lowest of `bound` and `levels`, the lowest without the place of the first, and that place (counted from
/// `first`; [`BOUND`] if no level is below the bound).
pub(crate) fn two_lowest(bound: f64, levels: &[f64], first: usize) -> (f64, f64, u32) {
    let (mut lowest, mut second, mut at) = (bound, bound, BOUND);
    for (hop, &level) in (first as u32..).zip(levels) {
        // Without branches: which of the levels is the lowest cannot be foreseen.
        let higher = if level < lowest { lowest } else { level };
        second = if higher < second { higher } else { second };
        at = if level < lowest { hop } else { at };
        lowest = if level < lowest { level } else { lowest };
    }
    (lowest, second, at)
}

/// Numbers in the order in which they were added. Whether something is added often cannot be foreseen, so adding takes
/// a condition instead of a branch around it.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Worklist {
    /// Beyond `len` there is at least one place, for what is not added.
    places: Vec<u32>,
    len: usize,
}

impl Worklist {
    /// Adds a number at the end unless its flag is set, and sets the flag.
    #[inline]
    pub(crate) fn add(&mut self, number: u32, listed: &mut bool) {
        self.add_if(true, number, listed);
    }

    #[inline]
    pub(crate) fn add_if(&mut self, so: bool, number: u32, listed: &mut bool) {
        if self.len == self.places.len() {
            self.places.resize((2 * self.len).max(16), 0);
        }
        self.places[self.len] = number;
        self.len += usize::from(so & !*listed);
        *listed |= so;
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Takes the last number off.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        self.len = self.len.checked_sub(1)?;
        Some(self.places[self.len])
    }

    /// All numbers, first one first.
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.places[..self.len]
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::INFINITY;

    #[track_caller]
    fn check(limits: &[f64], capacity: f64, expected: f64) {
        for before in [NONE, expected, 1e-3, capacity / 2.0, 2.0, 100.0] {
            let level = water_level(limits, 0, capacity, before).unwrap_or(NONE);
            let same = level == expected || (level - expected).abs() <= 1e-15 * expected;
            assert!(same, "{limits:?} on {capacity} from {before}: {level}, not {expected}");
        }
    }

    /// Flows without limits are as good as flows with very high ones.
    #[test]
    fn unlimited_flows() {
        for (limits, unlimited) in [(&[0.1, 0.5][..], 2), (&[], 3), (&[0.01; 5], 40)] {
            let high = [limits, &vec![1e9; unlimited]].concat();
            let expected = water_level(&high, 0, 1.0, NONE).unwrap_or(NONE);
            for before in [NONE, expected, 1e-3, 2.0] {
                let level = water_level(limits, unlimited, 1.0, before).unwrap_or(NONE);
                assert!((level / expected - 1.0).abs() < 1e-15, "{level}, not {expected}");
            }
        }
    }

    #[test]
    fn by_hand() {
        check(&[], 1.0, NONE);
        check(&[5.0], 1.0, NONE); // a flow alone is bounded by the capacity elsewhere
        check(&[5.0, 5.0], 1.0, 0.5);
        check(&[1.0 / 3.0, 5.0], 1.0, 2.0 / 3.0); // the example of paper 000, Step 5
        check(&[0.1, 0.2, 0.3, 9.0], 1.0, 0.4);
        check(&[0.1, 0.2, 0.3], 1.0, NONE);
        check(&[1.0, 1.0, 1.0, 5.0], 1.0, 0.25); // from above, the first step goes below zero
    }

    /// A limit that differs from the level in the last digit: whether it is below changes the level by as much, and
    /// without the rule that the level must rise the search never ends.
    #[test]
    fn a_limit_equal_to_the_level_to_the_last_digit() {
        for flows in 2..40 {
            for numerator in 1..40 {
                let capacity = f64::from(numerator) / 7.0;
                let level = capacity / f64::from(flows);
                for nudge in [f64::next_down(level), level, f64::next_up(level)] {
                    let mut limits = vec![nudge; flows as usize];
                    limits[0] = f64::next_up(level);
                    for before in
                        [NONE, level, f64::next_down(level), f64::next_up(level), 0.9 * level, 2.0 * level]
                    {
                        let found = water_level(&limits, 0, capacity, before).unwrap_or(NONE);
                        assert!(found == NONE || (found - level).abs() < 1e-14 * level * f64::from(flows));
                    }
                }
            }
        }
    }

    #[test]
    fn a_number_is_listed_once() {
        let mut list = Worklist::default();
        let mut listed = [false; 100];
        for number in (0..100).chain(50..100) {
            list.add(number, &mut listed[number as usize]);
        }
        assert_eq!(list.as_slice(), (0..100).collect::<Vec<_>>());
        assert_eq!((list.pop(), list.pop(), list.len()), (Some(99), Some(98), 98));
        list.clear();
        assert_eq!((list.pop(), list.len()), (None, 0));
    }
}
