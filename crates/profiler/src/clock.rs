//! Clocks of ranks, aligned with that of rank 0.

use crate::file::{Comparison, Head};

/// Turns times of a rank's clock into picoseconds since the beginning of the recording.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// At this time of the rank's clock so much is added, and by so much more for each nanosecond behind it.
    at: i64,
    ahead: i64,
    drift: f64,
    /// When the recording began, on the clock of rank 0.
    zero: i64,
}

impl Clock {
    /// The clock of a rank. That of a process on the same computer as rank 0, since the same boot, is the same clock; others are
    /// ahead or behind, by what was measured behind `MPI_Init` and before `MPI_Finalize`, and between them on a straight line. Where the
    /// rank has not come to its end, the clock is taken to run as that of rank 0.
    pub(crate) fn of(head: &Head, first: &Head) -> Self {
        let same = !head.boot.is_empty() && head.boot == first.boot && head.host == first.host;
        if same {
            return Self { at: 0, ahead: 0, drift: 0.0, zero: 0 };
        }
        let (start, end) = (head.at_start, head.at_end);
        let drift = match head.end {
            Some(_) if end.at > start.at => (end.ahead - start.ahead) as f64 / (end.at - start.at) as f64,
            _ => 0.0,
        };
        Self { at: start.at, ahead: start.ahead, drift, zero: 0 }
    }

    /// The same clock, with another beginning of all times.
    pub(crate) fn since(self, zero: i64) -> Self {
        Self { zero, ..self }
    }

    /// A time of the rank's clock on that of rank 0, in nanoseconds.
    pub(crate) fn aligned(&self, time: i64) -> i64 {
        time + self.ahead + ((time - self.at) as f64 * self.drift).round() as i64
    }

    /// Picoseconds since the beginning.
    pub(crate) fn time(&self, time: i64) -> u64 {
        (self.aligned(time) - self.zero).max(0) as u64 * 1000
    }
}

impl Comparison {
    /// The most by which the clocks may differ from what was measured, in nanoseconds: half of the way there and back.
    pub(crate) fn error(&self) -> i64 {
        self.trip / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Constants;

    fn head(boot: &str, at_start: Comparison, at_end: Comparison, end: Option<i64>) -> Head {
        Head {
            rank: 0,
            size: 2,
            start: 0,
            end,
            at_start,
            at_end,
            calls: None,
            cost: 0,
            stopped: None,
            constants: Constants::default(),
            host: "node".into(),
            boot: boot.into(),
            failed: Vec::new(),
            counted: Vec::new(),
        }
    }

    fn compared(at: i64, ahead: i64) -> Comparison {
        Comparison { at, ahead, trip: 10 }
    }

    /// A clock that is 5 s behind, and loses 10 microseconds in each second: between both measurements, and behind the second.
    #[test]
    fn clocks_are_aligned_on_a_straight_line() {
        let first = head("a", compared(0, 0), compared(0, 0), Some(1));
        let other = head(
            "b",
            compared(1_000_000_000, 5_000_000_000),
            compared(3_000_000_000, 5_000_020_000),
            Some(3),
        );
        let clock = Clock::of(&other, &first);
        for (time, expected) in [
            (1_000_000_000, 6_000_000_000),
            (2_000_000_000, 7_000_010_000),
            (3_000_000_000, 8_000_020_000),
            (4_000_000_000, 9_000_030_000),
        ] {
            assert_eq!(clock.aligned(time), expected, "{time}");
        }
        assert_eq!(clock.since(6_000_000_000).time(2_000_000_000), 1_000_010_000_000);
        assert_eq!(clock.since(7_000_000_000).time(1_000_000_000), 0, "nothing was before the beginning");
    }

    #[test]
    fn a_clock_of_the_same_computer_is_the_same_whatever_was_measured() {
        let first = head("a", compared(0, 0), compared(0, 0), None);
        let other = head("a", compared(5, 300), compared(10, 200), Some(10));
        assert_eq!(Clock::of(&other, &first).aligned(7), 7);
    }

    #[test]
    fn a_rank_that_died_has_the_difference_of_its_beginning() {
        let first = head("a", compared(0, 0), compared(0, 0), None);
        let other = head("b", compared(5, 300), Comparison::default(), None);
        assert_eq!(Clock::of(&other, &first).aligned(1_000), 1_300);
    }
}
