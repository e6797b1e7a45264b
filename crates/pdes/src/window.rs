//! Windows of simulated time.

use weir_units::{Duration, Time};

/// Width of windows. Window k is `[k * width, (k + 1) * width)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(u64);

/// A window that is being run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Its number: start = number times width.
    pub number: u64,
    /// Number of windows that were run before it; not larger than `number`, because idle ones are skipped.
    pub turn: u64,
    /// Its first instant.
    pub start: Time,
    /// The first instant after it.
    pub end: Time,
}

impl Width {
    /// Windows of this width.
    ///
    /// # Panics
    /// When the width is zero.
    pub fn new(width: Duration) -> Self {
        assert!(width > Duration::ZERO, "a window takes time");
        Self(width.as_ps())
    }

    /// The width.
    pub const fn duration(self) -> Duration {
        Duration::from_ps(self.0)
    }

    /// The number of the window an instant is in.
    pub const fn number(self, at: Time) -> u64 {
        at.as_ps() / self.0
    }

    /// The first instant after the window that an instant is in.
    pub const fn end(self, at: Time) -> Time {
        self.window(self.number(at), 0).end
    }

    pub(crate) const fn window(self, number: u64, turn: u64) -> Window {
        let start = number.saturating_mul(self.0);
        let end = start.saturating_add(self.0);
        Window { number, turn, start: Time::from_ps(start), end: Time::from_ps(end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_lie_side_by_side() {
        let width = Width::new(Duration::from_ps(10));
        let window = width.window(3, 1);
        assert_eq!((window.start, window.end), (Time::from_ps(30), Time::from_ps(40)));
        assert_eq!([29, 30, 39, 40].map(|ps| width.end(Time::from_ps(ps)).as_ps()), [30, 40, 40, 50]);
        assert_eq!(width.end(Time::MAX), Time::MAX);
        assert_eq!([29, 30, 39, 40].map(|ps| width.number(Time::from_ps(ps))), [2, 3, 3, 4]);
    }
}
