//! What is charged for the program's own work: nothing, or what it takes on this computer.
//!
//! # Model
//! Where it is measured, the processor time (`CLOCK_THREAD_CPUTIME_ID`) that a rank spends between two calls of MPI, times
//! a factor, is added to its clock when it calls. Time inside of MPI functions, where other ranks run, is not the rank's;
//! nor is what measuring costs: one reading of the clock per interval, and the clock calls of a skeleton within it.
//! What is measured varies from run to run; so do simulated times and digests then.

use crate::rank::Rank;
use crate::world::World;
use weir_units::Duration;

/// What is charged for the program's own work.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Compute {
    /// Nothing, unless the program says so (paper 003, section 4.1).
    #[default]
    None,
    /// The processor time that it takes here, times this factor.
    Measured(f64),
}

/// When the program's own work began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    since: Duration,
    /// What clock calls had cost until then, those of all ranks; only this one has made any since.
    clock_calls: Duration,
}

/// Processor time of this thread so far.
pub(crate) fn processor_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: our own variable. This is the C library's function, which returns real time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    Duration::from_ns(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
}

/// What reading the processor time costs: the median of several readings in a row.
pub(crate) fn reading_cost() -> Duration {
    const READINGS: usize = 65;
    let mut costs: Vec<Duration> = Vec::with_capacity(READINGS);
    let mut last = processor_time();
    for _ in 0..READINGS {
        let now = processor_time();
        costs.push(Duration::from_ps(now.as_ps() - last.as_ps()));
        last = now;
    }
    costs.sort_unstable();
    costs[READINGS / 2]
}

/// `a - b`, or nothing.
fn less(a: Duration, b: Duration) -> Duration {
    Duration::from_ps(a.as_ps().saturating_sub(b.as_ps()))
}

impl Meter {
    /// The program's own work begins, or goes on.
    pub(crate) fn restart(&mut self, world: &World) {
        // Found out before the clock is read.
        world.reading_cost();
        *self = Self::since(processor_time(), world);
    }

    fn since(now: Duration, world: &World) -> Self {
        Self { since: now, clock_calls: world.skeleton.spent() }
    }

    /// How long the program has worked since, without what the simulator has done in that time: reading the clock, and
    /// clock calls.
    fn taken(self, now: Duration, world: &World) -> Duration {
        let clock_calls = less(world.skeleton.spent(), self.clock_calls);
        less(now, self.since + world.reading_cost() + clock_calls)
    }
}

impl Rank {
    /// The program's own work is interrupted, or over: its clock goes on by what it has taken, and by what its clock calls
    /// have charged.
    #[inline]
    pub(crate) fn charge_own_work(&mut self) {
        self.take_clock_calls();
        if let Compute::Measured(factor) = self.world.compute() {
            self.charge_at_factor(factor);
        }
    }

    /// Charges what the program has worked, times a factor.
    #[cold]
    pub(crate) fn charge_at_factor(&mut self, factor: f64) {
        let now = processor_time();
        self.take_clock_calls();
        let taken = self.compute_meter.taken(now, &self.world);
        self.compute_meter = Meter::since(now, &self.world);
        let charged = Duration::from_secs_f64(taken.as_secs_f64() * factor);
        self.process.compute(charged.unwrap_or(Duration::ZERO));
    }

    /// The program's own work goes on.
    #[inline]
    pub(crate) fn own_work_goes_on(&mut self) {
        if self.world.compute() != Compute::None {
            self.compute_meter.restart(&self.world);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::run;
    use crate::rank::context::Context;

    /// Of what has passed, reading the clock is not the program's work; and there is no negative work.
    #[test]
    fn readings_are_no_work() {
        run(1, |_| {
            let world = std::rc::Rc::clone(&Context::get().unwrap().rank().world);
            let (ns, cost) = (Duration::from_ns, world.reading_cost());
            let meter = Meter { since: ns(5000), clock_calls: Duration::ZERO };
            let taken = |now: u64| meter.taken(ns(now) + cost, &world);
            assert_eq!((taken(5000), taken(5001), taken(1_000_000)), (ns(0), ns(1), ns(995_000)));
            assert_eq!((taken(4000), meter.taken(ns(5000), &world)), (ns(0), ns(0)));
            assert_eq!((less(ns(7), ns(2)), less(ns(2), ns(7))), (ns(5), ns(0)));
        });
    }

    /// The processor time goes on while a thread works, and hardly while it sleeps.
    #[test]
    fn processor_time_is_the_threads_own() {
        let begin = processor_time();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(processor_time().as_ps() - begin.as_ps() < 15_000_000_000);
        let (begin, on_the_wall) = (processor_time(), std::time::Instant::now());
        while processor_time().as_ps() - begin.as_ps() < 2_000_000_000 {}
        assert!(
            on_the_wall.elapsed() >= std::time::Duration::from_millis(1),
            "it is no faster than the wall's"
        );
        assert!(reading_cost() < Duration::from_ns(100_000));
    }
}
