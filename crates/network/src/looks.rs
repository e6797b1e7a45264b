//! When a run looks at the clock on the wall.

use std::time::{Duration as WallTime, Instant};

/// When a run in windows looks at the clock on the wall: after so many steps that it costs nothing, and so few that a limit holds
/// also where a step takes long. A step is a window, or less.
#[derive(Debug)]
pub struct Looks {
    last: Instant,
    /// After this step, and after how many more behind it; at most so many.
    next: u64,
    every: u64,
    most: u64,
}

impl Default for Looks {
    /// The first one after the first step.
    fn default() -> Self {
        Self { last: Instant::now(), next: 0, every: 1, most: 256 }
    }
}

impl Looks {
    const OFTEN: WallTime = WallTime::from_millis(50);

    /// For steps that are events, counted from one. The first event is followed by a look: building the machine may have taken all the
    /// time there is.
    pub(crate) fn of_events() -> Self {
        Self { next: 1, most: 4096, ..Self::default() }
    }

    /// Returns whether to look after this step, counted from zero, and plans the next look.
    #[inline]
    pub fn are_due(&mut self, step: u64) -> bool {
        let is_due = self.is_due(step);
        if is_due {
            self.plan(step);
        }
        is_due
    }

    #[inline]
    pub(crate) fn is_due(&self, step: u64) -> bool {
        step >= self.next
    }

    /// Plans the next look after one at this step.
    pub(crate) fn plan(&mut self, step: u64) {
        let now = Instant::now();
        let quick = now.duration_since(self.last) < Self::OFTEN;
        self.every = if quick { (2 * self.every).min(self.most) } else { (self.every / 4).max(1) };
        (self.last, self.next) = (now, step + self.every);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    /// While windows are quick the clock is looked at after twice as many each time, up to 256; where one takes long, after a
    /// quarter of them.
    #[test]
    fn looks_at_the_clock() {
        let mut looks = Looks::default();
        let mut due = |turns: Range<u64>, ago: WallTime| -> Vec<u64> {
            let is_due = |&turn: &u64| {
                // In the future: nothing is quicker.
                looks.last = Instant::now() + WallTime::from_secs(3600) - ago;
                looks.are_due(turn)
            };
            turns.filter(is_due).collect()
        };
        let (quick, slow) = (WallTime::ZERO, WallTime::from_secs(3601));
        assert_eq!(due(0..1200, quick), [0, 2, 6, 14, 30, 62, 126, 254, 510, 766, 1022]);
        // Due at 1278: 64 more, 16 more and so on, and one more each time in the end.
        assert_eq!(due(1200..1370, slow), [1278, 1342, 1358, 1362, 1363, 1364, 1365, 1366, 1367, 1368, 1369]);
        assert_eq!(due(1370..1390, quick), [1370, 1372, 1376, 1384]);
    }
}
