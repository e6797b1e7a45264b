//! Choice of the faster way: the threads run their parts at the same time, or one of them runs all.
//!
//! Threads meet after each window. Where windows have little in them, or other programs need the cores, the meetings cost
//! more than the help is worth: a hundred times more, at worst. What is faster is measured while the run goes on, for it
//! changes with the traffic and with the computer. The result never depends on it.

use std::time::Duration;

/// Who runs the windows of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The calling thread, all parts one after the other; the other threads sleep.
    Alone,
    /// Each thread its own part.
    Together,
}

/// Windows that are run in one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) mode: Mode,
    /// The most windows.
    pub(crate) windows: u64,
}

/// Decides from what windows have cost in each mode.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Seconds a window, alone and together, as measured last.
    cost: [Option<f64>; 2],
    favorite: Mode,
    /// True if the batch that goes on is to find out about the other mode.
    tries: bool,
    /// Seconds until the other mode is tried again; longer each time that it turns out slower.
    interval: f64,
}

/// Time for which the other mode is tried, in seconds at the cost of the favorite.
const TRIAL: f64 = 0.000_5;
/// Seconds between two trials at first, and at most.
const INTERVAL: (f64, f64) = (0.02, 2.0);
/// A batch has no more windows than this: its cost may turn out to be another one.
const MOST: f64 = 1e6;

impl Pace {
    pub(crate) fn new() -> Self {
        Self { cost: [None, None], favorite: Mode::Alone, tries: false, interval: INTERVAL.0 }
    }

    /// The windows to run next.
    pub(crate) fn batch(&mut self) -> Batch {
        let windows = |seconds: f64, cost: f64| (seconds / cost).clamp(1.0, MOST) as u64;
        let (favorite, other) = (self.favorite, self.favorite.other());
        let Some(cost) = self.cost[favorite as usize] else {
            return Batch { mode: favorite, windows: 1 };
        };
        self.tries = !self.tries;
        if self.tries {
            return Batch { mode: other, windows: windows(TRIAL, cost) };
        }
        Batch { mode: favorite, windows: windows(self.interval, cost) }
    }

    /// Notes the time of a batch of windows.
    pub(crate) fn took(&mut self, mode: Mode, windows: u64, time: Duration) {
        if windows > 0 {
            self.cost[mode as usize] = Some((time.as_secs_f64() / windows as f64).max(1e-9));
        }
        if let ([Some(alone), Some(together)], true) = (self.cost, self.tries) {
            let faster = if together < alone { Mode::Together } else { Mode::Alone };
            self.interval =
                if faster == self.favorite { (2.0 * self.interval).min(INTERVAL.1) } else { INTERVAL.0 };
            self.favorite = faster;
        }
    }
}

impl Mode {
    const fn other(self) -> Self {
        match self {
            Self::Alone => Self::Together,
            Self::Together => Self::Alone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds spent on windows whose costs alone and together, in seconds, follow from their numbers.
    fn spent(windows: u64, costs: impl Fn(u64) -> [f64; 2]) -> f64 {
        let (mut pace, mut done, mut spent) = (Pace::new(), 0, 0.0);
        while done < windows {
            let Batch { mode, windows } = pace.batch();
            let time: f64 = (done..done + windows).map(|number| costs(number)[mode as usize]).sum();
            pace.took(mode, windows, Duration::from_secs_f64(time));
            spent += time;
            done += windows;
        }
        spent / done as f64 * windows as f64
    }

    #[test]
    fn the_faster_mode_is_found() {
        for [alone, together] in [[1e-6, 2e-5], [1e-6, 0.7e-6], [1e-3, 0.6e-3], [1e-6, 1e-6], [0.2, 0.12]] {
            let windows = (5.0 / alone) as u64;
            let best = windows as f64 * f64::min(alone, together);
            let spent = spent(windows, |_| [alone, together]);
            assert!(
                spent <= 1.06 * best + 3.0 * alone,
                "{alone} alone, {together} together: {spent} for {best}"
            );
        }
    }

    /// A window takes 1 ms alone and 2 ms together, which is tried behind 1 window, 40 ms, 80 ms, and so on up to 2 s.
    #[test]
    fn the_slower_mode_is_tried_less_and_less() {
        let mut pace = Pace::new();
        for expected in [1_u64, 40, 80, 160, 320, 640, 1280, 2000, 2000] {
            let alone = pace.batch();
            assert!(
                alone.mode == Mode::Alone && alone.windows.abs_diff(expected) <= 1,
                "{alone:?}, not {expected}"
            );
            pace.took(alone.mode, alone.windows, Duration::from_millis(alone.windows));
            assert_eq!(pace.batch(), Batch { mode: Mode::Together, windows: 1 });
            pace.took(Mode::Together, 1, Duration::from_millis(2));
        }
    }

    #[test]
    fn it_is_found_again_when_it_changes() {
        // Light windows for two seconds, then heavy ones for six, and back.
        let heavy = |number: u64| (1_000_000..1_010_000).contains(&number);
        let costs = |number| if heavy(number) { [6e-4, 3.2e-4] } else { [2e-6, 4e-6] };
        let best = 2.0 * 1_000_000.0 * 2e-6 + 10_000.0 * 3.2e-4;
        let spent = spent(2_010_000, costs);
        assert!(spent <= 1.25 * best, "{spent} for {best}");
    }
}
