//! What other processes of the computer use meanwhile: run times are those of a quiet computer, or none.

use std::fs;
use std::time::Duration;

/// What others may use of the processors without being noticed in a run time: this much, and so much more for each processor.
const FREE: f64 = 0.1;
const FREE_OF_EACH: f64 = 0.01;
/// The system counts in hundredths of a second: shorter times say little.
const LEAST: u64 = 100;

/// How long is looked before something is run.
const LOOK: Duration = Duration::from_millis(1500);

/// From now on, what others use.
#[derive(Clone, Debug)]
pub struct Others {
    begun: Option<Ticks>,
}

/// The part of the processors that other processes have used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Used {
    /// As if so many were theirs alone.
    pub processors: f64,
    /// How many there are for this process.
    pub of: usize,
}

/// The clock of the system: what the processors of this process have done, in hundredths of a second of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    /// Whatever they did.
    all: u64,
    /// Without waiting for work.
    busy: u64,
    /// For this process and those that it has started and that have ended.
    own: u64,
    processors: usize,
}

impl Others {
    /// Begins to look.
    #[must_use]
    pub fn watch() -> Self {
        Self { begun: Ticks::now() }
    }

    /// Looks for a moment in which this process does nothing.
    #[must_use]
    pub fn look() -> Option<Used> {
        let others = Self::watch();
        std::thread::sleep(LOOK);
        others.used()
    }

    /// What others have used since; `None` if that was less than a second ago, or the system does not say it.
    #[must_use]
    pub fn used(&self) -> Option<Used> {
        Used::between(self.begun?, Ticks::now()?)
    }
}

impl Used {
    fn between(begun: Ticks, now: Ticks) -> Option<Self> {
        let all = now.all.checked_sub(begun.all)?;
        let busy = now.busy.checked_sub(begun.busy)?.saturating_sub(now.own.checked_sub(begun.own)?);
        let of = now.processors;
        (all >= LEAST * of as u64).then(|| Self { processors: busy as f64 * of as f64 / all as f64, of })
    }

    /// Whether it is so much that runs take longer by it.
    #[must_use]
    pub fn is_much(&self) -> bool {
        self.processors > FREE + FREE_OF_EACH * self.of as f64
    }
}

impl std::fmt::Display for Used {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} of the {} processors", self.processors, self.of)
    }
}

impl Ticks {
    fn now() -> Option<Self> {
        let allowed = rustix::thread::sched_getaffinity(None).ok()?;
        let (system, process) =
            (fs::read_to_string("/proc/stat").ok()?, fs::read_to_string("/proc/self/stat").ok()?);
        Self::read(&system, &process, |processor| allowed.is_set(processor))
    }

    /// From the two files, of the processors that are allowed.
    fn read(system: &str, process: &str, is_allowed: impl Fn(usize) -> bool) -> Option<Self> {
        let mut ticks = Self { all: 0, busy: 0, own: 0, processors: 0 };
        for line in system.lines() {
            let mut words = line.split_whitespace();
            let Some(processor) = words.next().and_then(|word| word.strip_prefix("cpu")?.parse().ok()) else {
                continue;
            };
            if !is_allowed(processor) {
                continue;
            }
            // user, nice, system, idle, iowait, irq, softirq, steal; guests are counted in the first two.
            let numbers: Vec<u64> = words.take(8).map(|word| word.parse().ok()).collect::<Option<_>>()?;
            let [_, _, _, idle, waits, ..] = numbers[..] else { return None };
            let all: u64 = numbers.iter().sum();
            ticks.all += all;
            ticks.busy += all - idle - waits;
            ticks.processors += 1;
        }
        // The name of the program may have spaces: user, system, and the same of children that have ended.
        let (_, rest) = process.rsplit_once(')')?;
        let own = rest.split_whitespace().skip(11).take(4).map(|word| word.parse::<u64>().ok());
        ticks.own = own.sum::<Option<u64>>()?;
        (ticks.processors > 0).then_some(ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three processors two are allowed; the name of the program has a bracket and spaces.
    #[test]
    fn ticks_are_read() {
        let system = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 10 20 30 400 5 1 2 3 7 0\ncpu1 9 9 9 9 9 9 9 9\ncpu2 1 0 0 100 0 0 0 0 0 0\nintr 5\n";
        let process = "7 (a (b) c) R 1 7 7 0 -1 4194304 102 0 0 0 11 12 -0 2 20 0 1 0\n";
        let ticks = Ticks::read(system, &process.replace("-0", "1"), |processor| processor != 1);
        assert_eq!(ticks, Some(Ticks { all: 471 + 101, busy: 66 + 1, own: 26, processors: 2 }));
        assert_eq!(Ticks::read("cpu 1 2 3\n", process, |_| true), None);
    }

    /// Ten seconds of two processors, of which this process has used 12 and others 3: they had 0.3 of the two.
    #[test]
    fn what_is_not_own_is_of_others() {
        let at = |all: u64, busy: u64, own: u64| Ticks { all, busy, own, processors: 2 };
        let used =
            |busy: u64, own: u64| Used::between(at(500, 100, 50), at(2500, 100 + busy, 50 + own)).unwrap();
        assert_eq!(used(1500, 1200), Used { processors: 0.3, of: 2 });
        assert!(used(1500, 1200).is_much() && !used(1200, 1200).is_much() && !used(1210, 1200).is_much());
        // Clocks of a process and of the processors differ a little.
        assert_eq!(used(1200, 1203).processors, 0.0);
        assert_eq!(Used::between(at(500, 0, 0), at(600, 100, 0)), None, "half a second says little");
        assert_eq!(used(1500, 1200).to_string(), "0.30 of the 2 processors");
    }

    /// A process beside this one that computes is noticed.
    #[test]
    fn who_computes_is_noticed() {
        let others = Others::watch();
        let mut busy = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        std::thread::sleep(LOOK * 2);
        let used = others.used();
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert!(used.unwrap().is_much(), "{used:?}");
    }
}
