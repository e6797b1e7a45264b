//! Latencies of messages or packets.

use weir_units::Duration;

/// A distribution of durations: exact sum, least and most; and a histogram whose steps are at most 1/32 of their value.
///
/// Kept in integers, so parts of it can be added in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Latencies {
    count: u64,
    sum: u128,
    least: u64,
    most: u64,
    /// By step, see [`step`].
    steps: Vec<u64>,
}

/// Steps per doubling, as a power of two.
const FINE: u32 = 5;

/// The step of a value: its own below 64, above it the five bits behind the first one count.
fn step(value: u64) -> usize {
    let exponent = (u64::BITS - value.leading_zeros()).saturating_sub(FINE + 1);
    ((u64::from(exponent) << FINE) + (value >> exponent)) as usize
}

/// The largest value of a step.
fn edge(step: usize) -> u64 {
    let exponent = ((step >> FINE) as u32).saturating_sub(1);
    let mantissa = (step - ((exponent as usize) << FINE)) as u128;
    u64::try_from(((mantissa + 1) << exponent) - 1).unwrap_or(u64::MAX)
}

impl Latencies {
    /// The distribution with so many durations in each step, whose sum, least and most are these, in picoseconds; none if there are none.
    pub fn from_steps(mut steps: Vec<u64>, sum: u128, (least, most): (u64, u64)) -> Self {
        let used = steps.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        steps.truncate(used);
        let count = steps.iter().sum();
        if count == 0 { Self::default() } else { Self { count, sum, least, most, steps } }
    }

    /// Adds one, in picoseconds. O(1).
    pub fn add(&mut self, ps: u64) {
        self.least = if self.count == 0 { ps } else { self.least.min(ps) };
        self.most = self.most.max(ps);
        self.count += 1;
        self.sum += u128::from(ps);
        let step = step(ps);
        if step >= self.steps.len() {
            self.steps.resize(step + 1, 0);
        }
        self.steps[step] += 1;
    }

    /// Adds all those of another distribution.
    pub fn join(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.least = if self.count == 0 { other.least } else { self.least.min(other.least) };
        self.most = self.most.max(other.most);
        self.count += other.count;
        self.sum += other.sum;
        self.steps.resize(self.steps.len().max(other.steps.len()), 0);
        self.steps.iter_mut().zip(&other.steps).for_each(|(own, other)| *own += other);
    }

    /// Number of durations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean in seconds, rounded once; 0 without any.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 / 1e12 }
    }

    /// The shortest; zero without any.
    pub fn least(&self) -> Duration {
        Duration::from_ps(self.least)
    }

    /// The longest; zero without any.
    pub fn most(&self) -> Duration {
        Duration::from_ps(self.most)
    }

    /// The least step below which at least this part of them is, by its upper edge, at most [`Self::most`]. The true
    /// quantile is at most 1/32 smaller.
    pub fn quantile(&self, part: f64) -> Duration {
        let needed = (part * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (_, upper, count) in self.ranges() {
            seen += count;
            if seen >= needed {
                return upper.min(self.most());
            }
        }
        self.most()
    }

    /// The steps that have some, in ascending order: the least and the largest duration of the step, and how many.
    pub fn ranges(&self) -> impl Iterator<Item = (Duration, Duration, u64)> + '_ {
        let steps = self.steps.iter().enumerate().filter(|&(_, &count)| count > 0);
        let least = |step: usize| step.checked_sub(1).map_or(0, |before| edge(before) + 1);
        steps
            .map(move |(step, &count)| (Duration::from_ps(least(step)), Duration::from_ps(edge(step)), count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        let mut latencies = Latencies::default();
        [10, 20, 30, 1000].into_iter().for_each(|ps| latencies.add(ps));
        assert_eq!((latencies.count(), latencies.least().as_ps(), latencies.most().as_ps()), (4, 10, 1000));
        assert_eq!(latencies.mean(), 265e-12);
        assert_eq!(Latencies::default().mean(), 0.0, "without any");
        assert_eq!([0.25, 0.5, 0.99].map(|q| latencies.quantile(q).as_ps()), [10, 20, 1000]);
    }

    proptest! {
        #[test]
        fn steps_are_fine_and_in_order(value in prop_oneof![Just(0), 1..u64::MAX / 2]) {
            let upper = edge(step(value));
            prop_assert!(value <= upper && upper - value <= value / 32);
            prop_assert_eq!(step(upper), step(value));
            prop_assert_eq!(step(upper + 1), step(value) + 1);
            let mut latencies = Latencies::default();
            latencies.add(value);
            let (least, most, count) = latencies.ranges().next().expect("one has been added");
            prop_assert_eq!((most.as_ps(), count), (upper, 1));
            prop_assert!(least.as_ps() <= value && step(least.as_ps()) == step(value));
            prop_assert!(least.as_ps() == 0 || step(least.as_ps() - 1) + 1 == step(value));
        }

        #[test]
        fn parts_add_up(values in prop::collection::vec(0u64..1 << 40, 0..50), cut in any::<prop::sample::Index>()) {
            let all = |values: &[u64]| {
                let mut latencies = Latencies::default();
                values.iter().for_each(|&ps| latencies.add(ps));
                latencies
            };
            let (first, second) = values.split_at(cut.index(values.len() + 1));
            let mut joined = all(first);
            joined.join(&all(second));
            prop_assert_eq!(joined, all(&values));
        }
    }
}
