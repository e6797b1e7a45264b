//! Sums of clock calls, and the time that all ranks have charged.

use crate::skeleton::blocks::{BlockCounts, Blocks};
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_long};
use weir_units::Duration;

/// Time that an instruction takes: cycles per instruction and the clock of the simulated processor, whose product with a
/// number of instructions is time (paper 001, equation 2: T = IC x CPI x CCT).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstructionTime {
    /// Mean cycles per instruction; positive and finite.
    pub cpi: f64,
    /// Cycles per second, 1 / CCT; positive and finite.
    pub clock_hz: f64,
}

impl InstructionTime {
    /// Seconds that so many instructions take.
    #[must_use]
    pub fn seconds(self, instructions: f64) -> f64 {
        instructions * self.cpi / self.clock_hz
    }
}

/// Time that the skeletons of all ranks have charged, for the end of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkeletonCounts {
    /// Number of times that a rank let time pass for code that was left out: calls of `weir_compute` and its kin, and executions of
    /// blocks that were skipped.
    pub clock_calls: u64,
    /// Time that they have charged, all ranks together, in seconds of simulated time.
    pub charged_s: f64,
    /// Mean cost of one of these calls on this computer, in seconds of processor time; 0 if there was none.
    pub call_cost_s: f64,
    /// Instructions charged by `weir_compute_instructions`.
    pub instructions: f64,
    /// Named blocks, in the order in which ranks first came to them.
    pub blocks: Vec<BlockCounts>,
}

/// Sums of clock calls until the clock is needed: `struct weir_clock_sums_` of `weir.h`, a global of the program.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(super) seconds: f64,
    /// Instructions, where a call has no whole number of them, or very many.
    pub(super) instructions: f64,
    pub(super) whole_instructions: u64,
    /// Calls with seconds, and calls with instructions.
    pub(super) calls: u64,
    pub(super) instruction_calls: u64,
    /// True if the inline functions may add: the cost of a call and the time of an instruction are known.
    pub(super) is_ready: c_int,
    pub(super) has_instruction_time: c_int,
}

/// Variables of a program for its clock calls; none where it was built by an older `weir cc`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockCalls {
    pub(crate) sums: *mut Sums,
    /// Make so many clock calls: with seconds, with instructions.
    pub(crate) rows: [extern "C" fn(c_long); 2],
}

/// Cost of one clock call on this computer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// With seconds, or one that comes to the simulator at once.
    pub(super) time: Duration,
    /// With instructions.
    pub(super) instructions: Duration,
}

/// A world's record of its skeleton. Only the rank that runs changes it.
#[derive(Debug, Default)]
pub(crate) struct Skeleton {
    pub(super) calls: Cell<u64>,
    /// Number of those with instructions that were added up in the program.
    pub(super) instruction_calls: Cell<u64>,
    pub(super) charged_s: Cell<f64>,
    pub(super) instructions: Cell<f64>,
    /// Cost of a clock call, once that is known.
    pub(super) costs: Cell<Option<Costs>>,
    pub(crate) blocks: RefCell<Blocks>,
}

impl Skeleton {
    pub(crate) fn cost_is_known(&self) -> bool {
        self.costs.get().is_some()
    }

    /// Cost of all clock calls so far, as far as it is known.
    pub(crate) fn spent(&self) -> Duration {
        let costs = self.costs.get().unwrap_or_default();
        let with_instructions = self.instruction_calls.get();
        costs.time * (self.calls.get() - with_instructions) + costs.instructions * with_instructions
    }

    #[inline]
    pub(crate) fn count(&self, duration: Duration) {
        self.calls.set(self.calls.get() + 1);
        self.charged_s.set(self.charged_s.get() + duration.as_secs_f64());
    }

    /// Time that all ranks have charged so far; `None` where there is no skeleton at all.
    pub(crate) fn counts(&self) -> Option<SkeletonCounts> {
        let blocks = self.blocks.borrow().counts();
        let counts = SkeletonCounts {
            clock_calls: self.calls.get(),
            charged_s: self.charged_s.get(),
            call_cost_s: match self.calls.get() {
                0 => self.costs.get().unwrap_or_default().time.as_secs_f64(),
                calls => self.spent().as_secs_f64() / calls as f64,
            },
            instructions: self.instructions.get(),
            blocks,
        };
        (counts.clock_calls > 0 || !counts.blocks.is_empty()).then_some(counts)
    }
}

/// Does the same as [`Duration::from_secs_f64`], without a call of the C library's for what is short.
#[inline]
pub(super) fn duration(seconds: f64) -> Option<Duration> {
    let ps = seconds * 1e12;
    match ps {
        // Half a picosecond is exact there.
        0.0..4.0e15 => Some(Duration::from_ps((ps + 0.5) as u64)),
        _ => Duration::from_secs_f64(seconds),
    }
}
