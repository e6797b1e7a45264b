//! Charge for the program's own work: nothing, or the time that it takes on this computer.
//!
//! # Model
//! Where it is measured, the processor time (`CLOCK_THREAD_CPUTIME_ID`) that a rank spends between two calls of MPI, times
//! a factor, is added to its clock when it calls. Time inside of MPI functions, where other ranks run, is not the rank's;
//! nor is what measuring costs: one reading of the clock per interval, and the clock calls of a skeleton within it.
//! Measured times vary from run to run; so do simulated times and digests then.

use crate::process::processor_time::processor_time;
use crate::rank::Rank;
use crate::rank::meter::Meter;
use crate::world::options::Compute;
use weir_units::Duration;

impl Rank {
    /// The program's own work is interrupted, or over: its clock goes on by what it has taken, and by what its clock calls
    /// have charged.
    #[inline]
    pub(crate) fn charge_own_work(&mut self) {
        self.take_clock_calls();
        if let Compute::Measured(factor) = self.world.compute()
            && !self.is_open_to_threads
        {
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

    #[inline]
    pub(crate) fn own_work_goes_on(&mut self) {
        if self.world.compute() != Compute::None {
            self.compute_meter.restart(&self.world);
        }
    }
}
