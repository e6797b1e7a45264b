//! What is charged for the program's own work: nothing, or what it takes on this computer.
//!
//! # Model
//! Where it is measured, the processor time (`CLOCK_THREAD_CPUTIME_ID`) that a rank spends between two calls of MPI, times
//! a factor, is added to its clock when it calls. Time inside of MPI functions, where other ranks run, is not the rank's.
//! What is measured varies from run to run; so do simulated times and digests then.

use crate::rank::Rank;
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
pub(crate) struct Meter(Duration);

/// Processor time of this thread so far.
fn processor_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: our own variable. This is the C library's function, which tells real time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    Duration::from_ns(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
}

impl Meter {
    /// The program's own work begins, or goes on.
    pub(crate) fn restart(&mut self) {
        *self = Self(processor_time());
    }
}

impl Rank {
    /// The program's own work is interrupted, or over: its clock goes on by what it has taken.
    #[inline]
    pub(crate) fn charge_own_work(&mut self) {
        if let Compute::Measured(factor) = self.world.compute() {
            self.charge_measured(factor);
        }
    }

    #[cold]
    fn charge_measured(&mut self, factor: f64) {
        let now = processor_time();
        let taken = now - self.compute_meter.0;
        self.compute_meter = Meter(now);
        let charged = Duration::from_secs_f64(taken.as_secs_f64() * factor);
        self.process.compute(charged.unwrap_or(Duration::ZERO));
    }

    /// The program's own work goes on.
    #[inline]
    pub(crate) fn own_work_goes_on(&mut self) {
        if self.world.compute() != Compute::None {
            self.compute_meter.restart();
        }
    }
}
