//! Measures the time of a rank's own work.

use crate::process::processor_time;
use crate::world::World;
use weir_units::Duration;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    since: Duration,
    /// Cost of the clock calls of all ranks until then; only this one has made any since.
    clock_calls: Duration,
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

    pub(super) fn since(now: Duration, world: &World) -> Self {
        Self { since: now, clock_calls: world.skeleton.spent() }
    }

    /// Time that the program has worked since, without the simulator's own work: reading the clock, and clock calls.
    pub(super) fn taken(self, now: Duration, world: &World) -> Duration {
        let clock_calls = less(world.skeleton.spent(), self.clock_calls);
        less(now, self.since + world.reading_cost() + clock_calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::run;
    use crate::rank::context::Context;
    use crate::skeleton::counts::Costs;

    /// Reading the clock is not the program's work, and there is no negative work.
    #[test]
    fn readings_are_no_work() {
        run(1, |_| {
            let world = std::rc::Rc::clone(&Context::get().unwrap().rank().world);
            let (ns, cost) = (Duration::from_ns, world.reading_cost());
            let meter = Meter { since: ns(5000), clock_calls: Duration::ZERO };
            let taken = |now: u64| meter.taken(ns(now) + cost, &world);
            assert_eq!((taken(5000), taken(5001), taken(1_000_000)), (ns(0), ns(1), ns(995_000)));
            assert_eq!((taken(4000), meter.taken(ns(5000), &world)), (ns(0), ns(0)));
            let costs = Costs { time: ns(10), ..Costs::default() };
            world.skeleton.costs.set(Some(costs));
            (0..3).for_each(|_| world.skeleton.count(ns(100)));
            assert_eq!((taken(5029), taken(5031)), (ns(0), ns(1)), "three clock calls were made since");
            assert_eq!((less(ns(7), ns(2)), less(ns(2), ns(7))), (ns(5), ns(0)));
        });
    }
}
