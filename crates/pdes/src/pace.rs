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
///
/// A trial is a window of the other mode at least, which may take as long as the favorite needs for many: so another one is due only when
/// all of them together will have cost no more than [`SHARE`] of the run.
///
/// The very first window says nothing. Much of its time goes into memory that is used for the first time, which many threads do faster.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Costs of windows, alone and together.
    cost: [Option<Cost>; 2],
    favorite: Mode,
    /// True if the batch that goes on is to find out about the other mode.
    tries: bool,
    /// Seconds until the other mode is tried again, if that costs little; longer each time that it turns out slower.
    interval: f64,
    /// Seconds since it was tried last, and the cost of the favorite then.
    since: f64,
    then: f64,
    /// Seconds of all batches.
    spent: f64,
    /// Seconds that all trials have taken beyond what the favorite of then would have taken.
    lost: f64,
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
/// The fewest windows of a trial, by mode: the first ones of many threads take longer than those behind them, since what they need is in the
/// caches of another core.
const FEWEST: [u64; 2] = [1, 3];
/// Windows before count as so many at most. Where ranks act together one window costs many times as much as the next, so a trial of a few of
/// them says little by itself.
const LATELY: f64 = 32.0;
/// Seconds between two trials at first, and at most where trials cost little.
const INTERVAL: (f64, f64) = (0.02, 2.0);
/// Windows that cost so many times as much as when the other mode was tried, or so many times less, are other windows: it is tried again soon.
/// The average of a few windows of which one is heavy does not change as much.
const OTHERS: f64 = 8.0;
/// The part of a run that trials may cost, but for the last one, which may cost more than was expected.
const SHARE: f64 = 0.02;
/// Seconds of a batch of the favorite, by mode. Where its windows become dearer the batch goes on to its end all the same, and between two
/// batches threads may fall asleep; one that runs all parts loses nothing there.
const LONGEST: [f64; 2] = [0.001, 0.1];
/// A batch has no more windows than this: its cost may turn out to be another one.
const MOST: f64 = 1e6;

impl Pace {
    pub(crate) fn new() -> Self {
        let (favorite, interval) = (Mode::Alone, INTERVAL.0);
        Self {
            cost: [None, None],
            favorite,
            tries: false,
            interval,
            since: f64::INFINITY,
            then: f64::INFINITY,
            spent: 0.0,
            lost: 0.0,
        }
    }

    /// The windows to run next.
    pub(crate) fn batch(&mut self) -> Batch {
        if self.spent <= 0.0 {
            return Batch { mode: Mode::Together, windows: 1 };
        }
        let windows = |seconds: f64, cost: f64| (seconds / cost).clamp(1.0, MOST) as u64;
        let (favorite, other) = (self.favorite, self.favorite.other());
        let Some(own) = self.mean(favorite) else {
            return Batch { mode: favorite, windows: 1 };
        };
        let change = own / self.then;
        if let (Some(cost), true) = (&mut self.cost[other as usize], change < 1.0 / OTHERS) {
            // Those of the other mode are lighter too, as far as is known.
            *cost = Cost { mean: cost.mean * change, windows: 1.0 };
            self.then = own;
        }
        let interval = if (1.0 / OTHERS..OTHERS).contains(&change) { self.interval } else { INTERVAL.0 };
        let dearer = self.mean(other).map_or(own, |cost| cost.max(own));
        let trial = windows(TRIAL, dearer).max(FEWEST[other as usize]);
        let rest = (interval - self.since).max(self.earning(trial as f64 * (dearer - own)));
        self.tries = rest <= 0.0;
        if self.tries {
            return Batch { mode: other, windows: trial };
        }
        Batch { mode: favorite, windows: windows(rest.min(LONGEST[favorite as usize]), own) }
    }

    /// Notes the time of the windows of a batch, and that in which threads woke up before it.
    pub(crate) fn took(&mut self, mode: Mode, windows: u64, time: Duration, awaking: Duration) {
        let time = time.as_secs_f64().max(1e-9);
        let whole = time + awaking.as_secs_f64();
        self.spent += whole;
        if self.spent <= whole {
            return;
        }
        self.since = if self.tries { 0.0 } else { self.since + whole };
        if let (Some(own), true) = (self.mean(self.favorite), self.tries) {
            self.lost += (whole - own * windows as f64).max(0.0);
        }
        if windows > 0 {
            let before = self.cost[mode as usize].unwrap_or(Cost { mean: 0.0, windows: 0.0 });
            let count = before.windows + windows as f64;
            let mean = ((before.mean * before.windows + time) / count).max(1e-9);
            self.cost[mode as usize] = Some(Cost { mean, windows: count.min(LATELY) });
        }
        if let ([Some(alone), Some(together)], true) = (self.cost, self.tries) {
            let faster = if together.mean < alone.mean { Mode::Together } else { Mode::Alone };
            self.interval =
                if faster == self.favorite { (2.0 * self.interval).min(INTERVAL.1) } else { INTERVAL.0 };
            self.favorite = faster;
            self.then = alone.mean.min(together.mean);
        }
    }

    fn mean(&self, mode: Mode) -> Option<f64> {
        self.cost[mode as usize].map(|cost| cost.mean)
    }

    /// The time that the run has to take further until a trial may cost so many seconds. One that is expected to cost nothing waits for none.
    fn earning(&self, cost: f64) -> f64 {
        if cost > 0.0 { (self.lost + cost) / SHARE - self.spent } else { 0.0 }
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
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// A run whose windows have costs alone and together, in seconds, that follow from their numbers.
    #[derive(Debug, Default)]
    struct Run {
        /// Seconds, and those that windows have taken longer than in the favorite of then, on trial.
        spent: f64,
        trials: f64,
        /// The most that one trial has taken longer.
        dearest: f64,
    }

    fn run(windows: u64, costs: impl Fn(u64) -> [f64; 2]) -> Run {
        let (mut pace, mut done, mut run) = (Pace::new(), 0, Run::default());
        while done < windows {
            let Batch { mode, windows: most } = pace.batch();
            let end = windows.min(done + most);
            let sum = |mode: Mode| (done..end).map(|number| costs(number)[mode as usize]).sum::<f64>();
            let time = sum(mode);
            if mode != pace.favorite {
                let longer = (time - sum(pace.favorite)).max(0.0);
                run.trials += longer;
                run.dearest = run.dearest.max(longer);
            }
            pace.took(mode, end - done, Duration::from_secs_f64(time), Duration::ZERO);
            run.spent += time;
            done = end;
        }
        run
    }

    fn spent(windows: u64, costs: impl Fn(u64) -> [f64; 2]) -> f64 {
        run(windows, costs).spent
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

    /// A window takes 1 ms alone and 2 ms together, which is tried for 3 windows: behind 1 window, and when the trials together cost a fiftieth of
    /// 300 ms and of 450 ms; then behind 160 ms, 320 ms, and so on up to 2 s. The very first window takes 100 ms, from which nothing follows.
    #[test]
    fn the_slower_mode_is_tried_less_and_less() {
        let mut pace = Pace::new();
        assert_eq!(pace.batch(), Batch { mode: Mode::Together, windows: 1 });
        pace.took(Mode::Together, 1, Duration::from_millis(100), Duration::ZERO);
        for expected in [1_u64, 193, 144, 160, 320, 640, 1280, 2000, 2000] {
            let mut alone = 0;
            let mut batch = pace.batch();
            while batch.mode == Mode::Alone {
                assert!(batch.windows <= 1, "{batch:?}");
                alone += batch.windows;
                pace.took(batch.mode, batch.windows, Duration::from_millis(batch.windows), Duration::ZERO);
                batch = pace.batch();
            }
            assert!(alone.abs_diff(expected) <= 1, "{alone}, not {expected}");
            assert_eq!(batch, Batch { mode: Mode::Together, windows: 3 });
            pace.took(Mode::Together, 3, Duration::from_millis(6), Duration::ZERO);
        }
    }

    proptest! {
        /// However dear windows are: trials cost a fiftieth of the run, and one trial more for each time that the costs change; and the first window.
        #[test]
        fn trials_cost_little(phases in vec(([-6.0..-0.5_f64, -6.0..-0.5_f64], 1_u64..20_000), 1..6)) {
            let costs: Vec<_> = phases.iter().map(|(powers, _)| powers.map(|power| 10_f64.powf(power))).collect();
            let ends: Vec<_> = phases
                .iter()
                .scan(0, |end, (_, windows)| { *end += windows; Some(*end) })
                .collect();
            let run = run(ends[ends.len() - 1], |number| costs[ends.partition_point(|&end| end <= number)]);
            let most = SHARE * run.spent + (1 + phases.len()) as f64 * run.dearest;
            prop_assert!(run.trials <= most, "{} of {}", run.trials, run.spent);
        }
    }

    /// Threads run together ten times as fast as one, until other programs take their cores: within half a second one thread runs all, and before
    /// it trials had cost little.
    #[test]
    fn the_slower_mode_is_left_soon() {
        for alone in [30e-6, 260e-6, 27e-3] {
            let (mut pace, mut spent) = (Pace::new(), 0.0);
            let mut go_on = |seconds: f64, together: f64| {
                let until = spent + seconds;
                while spent < until {
                    let Batch { mode, windows } = pace.batch();
                    let cost = if mode == Mode::Alone { alone } else { together };
                    let time = windows as f64 * cost;
                    pace.took(mode, windows, Duration::from_secs_f64(time), Duration::ZERO);
                    spent += time;
                }
                pace.favorite
            };
            assert_eq!(go_on(5.0, alone / 10.0), Mode::Together);
            // The batch that goes on has windows for a while that are as many times as long.
            assert_eq!(go_on(LONGEST[1] * 20.0 + 0.5, 2.0 * alone), Mode::Alone, "{alone}");
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

    /// A network fills during the first 60 of 200 windows, until one takes 30 ms of one thread and a tenth of that of sixteen: it is run by one
    /// thread for the first window and once more.
    #[test]
    fn trials_cost_a_short_run_little() {
        let alone = |number: u64| 0.5e-3 * (number.min(60) + 1) as f64;
        let run = run(200, |number| [alone(number), alone(number) / 10.0]);
        let best: f64 = (0..200).map(|number| alone(number) / 10.0).sum();
        assert!(run.spent <= best + 32e-3, "{run:?} for {best}");
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
