//! Factors on the work of each rank.

use std::ops::RangeInclusive;
use weir_units::{Duration, Rank};

/// By rank, how many times as long what it computes takes; once where nothing is said. As many numbers as there are rows of ranks,
/// not as many as ranks.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct WorkFactors {
    /// From which rank on which factor holds, in the order of ranks.
    from: Box<[(Rank, f64)]>,
}

impl WorkFactors {
    /// The same, where what these ranks compute takes so many times as long as it did.
    ///
    /// # Panics
    /// When the factor is negative or no number.
    pub fn times(&self, ranks: &[RangeInclusive<u32>], factor: f64) -> Self {
        assert!(factor >= 0.0, "work takes time or none, not {factor} times as long");
        let mut begins: Vec<u32> = self.from.iter().map(|(rank, _)| rank.0).chain([0]).collect();
        begins.extend(ranks.iter().map(|ranks| *ranks.start()));
        begins.extend(ranks.iter().filter_map(|ranks| ranks.end().checked_add(1)));
        begins.sort_unstable();
        begins.dedup();
        let mut ranks: Vec<_> = ranks.iter().map(|ranks| (*ranks.start(), *ranks.end())).collect();
        ranks.sort_unstable();
        // Beyond the last rank of all ranges that have begun there is none, so one number says whether a rank is in any.
        let (mut begun, mut until) = (ranks.into_iter().peekable(), None);
        let mut from: Vec<(Rank, f64)> = Vec::new();
        for rank in begins {
            while let Some((_, end)) = begun.next_if(|(begin, _)| *begin <= rank) {
                until = until.max(Some(end));
            }
            let is_in = until >= Some(rank);
            let factor = self.of(Rank(rank)) * if is_in { factor } else { 1.0 };
            if from.last().map_or(1.0, |&(_, last)| last) != factor {
                from.push((Rank(rank), factor));
            }
        }
        Self { from: from.into() }
    }

    /// Returns whether they change nothing.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }

    /// The factor on the work of a rank. O(log rows).
    pub fn of(&self, rank: Rank) -> f64 {
        let place = self.from.partition_point(|&(first, _)| first <= rank);
        place.checked_sub(1).map_or(1.0, |place| self.from[place].1)
    }

    /// Time of a rank for work of such a time; rounded to a picosecond. A time without end stays one unless there is no work.
    #[inline]
    pub fn scaled(&self, rank: Rank, time: Duration) -> Duration {
        if self.from.is_empty() { time } else { self.scaled_by_its_own(rank, time) }
    }

    #[cold]
    fn scaled_by_its_own(&self, rank: Rank, time: Duration) -> Duration {
        match self.of(rank) {
            1.0 => time,
            factor if time == Duration::MAX && factor > 0.0 => time,
            factor => Duration::from_ps((time.as_ps() as f64 * factor).round() as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_rounded() {
        let work = WorkFactors::default().times(&[1..=1], 0.5).times(&[2..=2], 0.0).times(&[3..=3], 1e6);
        let scaled = |rank, ps| work.scaled(Rank(rank), Duration::from_ps(ps)).as_ps();
        assert_eq!([scaled(0, 3), scaled(1, 3), scaled(1, 4), scaled(2, 3)], [3, 2, 2, 0]);
        // 2^53 + 1 is no floating-point number.
        assert_eq!(scaled(0, (1 << 53) + 1), (1 << 53) + 1);
        assert_eq!([0, 1, 2, 3].map(|rank| scaled(rank, u64::MAX)), [u64::MAX, u64::MAX, 0, u64::MAX]);
    }

    proptest! {
        /// Whatever rows there are, a rank has the product of those that name it.
        #[test]
        fn a_rank_has_the_product_of_its_rows(
            rows in prop::collection::vec((prop::collection::vec((0_u32..8, prop_oneof![0_u32..8, Just(u32::MAX)]), 0..4), 0_u32..5), 0..6)
        ) {
            let mut work = WorkFactors::default();
            let mut expected = [1.0; 9];
            for (ranges, factor) in rows {
                let ranges: Vec<_> = ranges.into_iter().map(|(one, other)| one.min(other)..=one.max(other)).collect();
                let factor = f64::from(factor) / 2.0;
                work = work.times(&ranges, factor);
                for (rank, expected) in (0..).zip(&mut expected) {
                    *expected *= if ranges.iter().any(|range| range.contains(&rank)) { factor } else { 1.0 };
                }
            }
            prop_assert_eq!(work.is_empty(), expected == [1.0; 9]);
            prop_assert_eq!((0..9).map(|rank| work.of(Rank(rank))).collect::<Vec<_>>(), expected);
        }
    }
}
