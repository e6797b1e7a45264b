//! Causes of the time of ranks, while the run goes on.

use crate::Causes;
use std::time::{Duration as WallTime, Instant};
use weir_units::Duration;

/// Time of ranks by cause up to an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    /// Up to the clock of each rank; of ranks that are ahead of the instant, up to there.
    pub causes: Causes,
    /// From the clocks of ranks to the instant: they wait, or are done. What for is known when a wait is over.
    pub open: Duration,
}

impl SoFar {
    /// That of other ranks, too.
    pub fn join(&mut self, other: &Self) {
        self.causes.join(&other.causes);
        self.open += other.open;
    }
}

/// When it is summed up over all ranks: twice a second, and less often where that would take more than a hundredth of the time.
#[derive(Debug)]
pub struct SumsDue {
    next: Instant,
}

impl Default for SumsDue {
    /// The first time at once.
    fn default() -> Self {
        Self { next: Instant::now() }
    }
}

impl SumsDue {
    const EVERY: WallTime = WallTime::from_millis(500);
    /// A multiple of the time that summing up takes.
    const TIMES: u32 = 100;

    /// Sums up if that is due.
    pub fn sum_up<T>(&mut self, sum: impl FnOnce() -> T) -> Option<T> {
        let begin = Instant::now();
        if begin < self.next {
            return None;
        }
        let found = sum();
        let end = Instant::now();
        self.next = end + Self::EVERY.max(Self::TIMES * end.duration_since(begin));
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_done_less_often() {
        let mut due = SumsDue::default();
        assert_eq!((due.sum_up(|| 7), due.sum_up(|| 8)), (Some(7), None));
        due.next = Instant::now();
        let begin = Instant::now();
        assert!(due.sum_up(|| std::thread::sleep(WallTime::from_millis(20))).is_some());
        assert!(due.next - begin >= WallTime::from_secs(2));
    }
}
