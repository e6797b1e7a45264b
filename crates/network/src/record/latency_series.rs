//! Latencies, interval by interval.

use std::collections::VecDeque;
use weir_units::{Duration, Time};

/// The latencies of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LatencySample {
    /// Number of latencies.
    pub count: u64,
    /// All together, in picoseconds; no more than 2^64 - 1.
    pub sum: u64,
    /// The longest.
    pub most: Duration,
}

impl LatencySample {
    /// Adds those of another one.
    pub fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.most = self.most.max(other.most);
    }
}

/// Latencies by the interval in which they end.
#[derive(Clone, Debug)]
pub struct LatencySeries {
    interval: u64,
    /// The number of the first interval that has not been taken.
    first: u64,
    samples: VecDeque<LatencySample>,
}

impl LatencySeries {
    /// Nothing yet.
    ///
    /// # Panics
    /// When the interval is zero.
    #[must_use]
    pub fn new(interval: Duration) -> Self {
        assert!(interval > Duration::ZERO, "an interval takes time");
        Self { interval: interval.as_ps(), first: 0, samples: VecDeque::new() }
    }

    /// Adds a latency that ends at an instant.
    ///
    /// # Panics
    /// When the interval of that instant has been taken.
    pub fn add(&mut self, at: Time, latency: Duration) {
        let place = (at.as_ps() / self.interval - self.first) as usize;
        if place >= self.samples.len() {
            self.samples.resize(place + 1, LatencySample::default());
        }
        let sample = LatencySample { count: 1, sum: latency.as_ps(), most: latency };
        self.samples[place].join(&sample);
    }

    /// Takes out the intervals that end at an instant or before, each with its beginning, and at [`Time::MAX`] all; those
    /// without anything are left out.
    pub fn take(&mut self, until: Time) -> Vec<(Time, LatencySample)> {
        let end = match until {
            Time::MAX => self.first + self.samples.len() as u64,
            until => until.as_ps() / self.interval,
        };
        let count =
            usize::try_from(end.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.samples.len());
        let (first, interval) = (self.first, self.interval);
        let taken = (first..).zip(self.samples.drain(..count)).filter(|(_, sample)| sample.count > 0);
        let taken = taken.map(|(number, sample)| (Time::from_ps(number * interval), sample)).collect();
        self.first = self.first.max(end);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_belong_to_the_interval_in_which_they_end() {
        let (ps, time) = (Duration::from_ps, Time::from_ps);
        let mut series = LatencySeries::new(ps(10));
        for (at, latency) in [(25, 5), (9, 4), (20, 7), (31, 1)] {
            series.add(time(at), ps(latency));
        }
        let sample = |count, sum, most| LatencySample { count, sum, most: ps(most) };
        assert_eq!(series.take(time(29)), [(time(0), sample(1, 4, 4))]);
        assert_eq!(series.take(time(30)), [(time(20), sample(2, 12, 7))]);
        assert_eq!(series.take(time(30)), []);
        series.add(time(30), ps(2));
        assert_eq!(series.take(Time::MAX), [(time(30), sample(2, 3, 2))]);
        series.add(time(1000), ps(3));
        assert_eq!(series.take(Time::MAX), [(time(1000), sample(1, 3, 3))]);
    }
}
