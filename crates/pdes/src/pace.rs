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
    /// Costs of windows, alone and together.
    cost: [Option<Cost>; 2],
    favorite: Mode,
    /// True if the batch that goes on is to find out about the other mode.
    tries: bool,
    /// Seconds until the other mode is tried again; longer each time that it turns out slower.
    interval: f64,
}

/// The cost of windows lately.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// Seconds a window, on average.
    mean: f64,
    /// It is the average of so many windows, [`LATELY`] at most.
    windows: f64,
}

/// Time for which the other mode is tried, in seconds, as far as is known. The threads that wait meanwhile lose as much, each of them.
const TRIAL: f64 = 0.000_5;
/// Windows before count as so many at most. Where ranks act together one window costs many times as much as the next, so a trial of a few of
/// them says little by itself.
const LATELY: f64 = 16.0;
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
        let cost = |mode: Mode| self.cost[mode as usize].map(|cost| cost.mean);
        let Some(own) = cost(favorite) else {
            return Batch { mode: favorite, windows: 1 };
        };
        let dearer = cost(other).map_or(own, |cost| cost.max(own));
        self.tries = !self.tries;
        if self.tries {
            return Batch { mode: other, windows: windows(TRIAL, dearer) };
        }
        Batch { mode: favorite, windows: windows(self.interval, own) }
    }

    /// Notes the time of a batch of windows.
    pub(crate) fn took(&mut self, mode: Mode, windows: u64, time: Duration) {
        if windows > 0 {
            let before = self.cost[mode as usize].unwrap_or(Cost { mean: 0.0, windows: 0.0 });
            let (count, time) = (before.windows + windows as f64, time.as_secs_f64());
            let mean = ((before.mean * before.windows + time) / count).max(1e-9);
            self.cost[mode as usize] = Some(Cost { mean, windows: count.min(LATELY) });
        }
        if let ([Some(alone), Some(together)], true) = (self.cost, self.tries) {
            let faster = if together.mean < alone.mean { Mode::Together } else { Mode::Alone };
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
    /// Sixteen threads that are ten times as fast as one lose little by trials, however long a window takes: while one runs all, fifteen wait.
    #[test]
    fn trials_of_one_thread_cost_many_threads_little() {
        for alone in [30e-6, 260e-6, 27e-3] {
            let windows = (5.0 / alone) as u64;
            let best = windows as f64 * alone / 10.0;
            let spent = spent(windows, |_| [alone, alone / 10.0]);
            assert!(spent <= 1.01 * best + 4.0 * alone, "{alone} alone: {spent} for {best}");
        }
    }

    /// In one window of sixteen the ranks act, which takes a hundred times as long; in both modes.
    #[test]
    fn a_trial_of_light_windows_does_not_decide() {
        for together in [0.25, 0.5, 2.0, 4.0] {
            let cost = |number: u64| if number % 16 == 8 { 10e-3 } else { 100e-6 };
            let spent = spent(8_000, |number| [cost(number), together * cost(number)]);
            let best: f64 = (0..8_000).map(cost).sum::<f64>() * f64::min(1.0, together);
            assert!(spent <= 1.1 * best, "{together} together: {spent} for {best}");
        }
    }
}
