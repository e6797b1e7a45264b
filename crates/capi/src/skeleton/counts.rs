//! Sums of clock calls, and the time that all ranks have charged.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_int, c_long};
use weir_network::{SkeletonBlock, SkeletonCounts};
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
    pub fn seconds(self, instructions: f64) -> f64 {
        instructions * self.cpi / self.clock_hz
    }
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

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Costs {
    /// With seconds, or one that comes to the simulator at once.
    pub(crate) time: Duration,
    pub(crate) instructions: Duration,
}

/// A world's record of its skeleton. Only the rank that runs changes it.
#[derive(Debug, Default)]
pub(crate) struct Skeleton {
    pub(crate) calls: Cell<u64>,
    /// Number of those with instructions that were added up in the program.
    pub(super) instruction_calls: Cell<u64>,
    pub(super) charged_s: Cell<f64>,
    pub(crate) instructions: Cell<f64>,
    /// Cost of a clock call, once that is known.
    pub(crate) costs: Cell<Option<Costs>>,
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

/// Who measures a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every rank its own executions.
    Rank,
    World,
}

/// Number of executions of a block that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampling {
    pub(crate) scope: Scope,
    /// The first so many; `u64::MAX`: all.
    pub(crate) first: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) level: Option<u8>,
    /// `None`: its time is given.
    pub(crate) sampling: Option<Sampling>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Statistics {
    executions: u64,
    /// Time and inner iterations of all of them.
    seconds: f64,
    iterations: f64,
    /// Executions with iterations.
    counted: u64,
    /// Time of an inner iteration in such an execution: mean, and sum of squared differences from it (Welford 1962).
    mean: f64,
    squares: f64,
}

impl Statistics {
    /// One more execution; one without an iteration shows nothing of their time.
    pub(crate) fn add(&mut self, seconds: f64, iterations: f64) {
        self.executions += 1;
        if iterations == 0.0 {
            return;
        }
        self.counted += 1;
        self.seconds += seconds;
        self.iterations += iterations;
        let each = seconds / iterations;
        let difference = each - self.mean;
        self.mean += difference / self.counted as f64;
        self.squares += difference * (each - self.mean);
    }

    pub(crate) fn executions(&self) -> u64 {
        self.executions
    }

    /// Time of an inner iteration: all time over all iterations.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.iterations > 0.0).then(|| self.seconds / self.iterations)
    }

    /// Standard deviation of the time of an inner iteration from execution to execution.
    pub(crate) fn deviation(&self) -> Option<f64> {
        (self.counted > 1).then(|| (self.squares / (self.counted - 1) as f64).sqrt())
    }
}

#[derive(Debug)]
pub(crate) struct Block {
    name: CString,
    rule: Rule,
    executions: u64,
    iterations: f64,
    charged_s: f64,
    pub(crate) statistics: Statistics,
}

/// All blocks, in the order in which ranks first came to them.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    list: Vec<Block>,
    /// Where names were met in the program's memory: addresses, and numbers of blocks.
    met: Vec<(usize, usize)>,
}

impl Blocks {
    /// The number of a block. A name with another rule is another block.
    pub(crate) fn number(&mut self, name: &CStr, rule: Rule) -> usize {
        /// A program that makes up names in changing memory is slow, not wrong.
        const MOST_MET: usize = 64;
        let address = name.as_ptr() as usize;
        let is_it = |block: &Block| block.rule == rule && *block.name == *name;
        let met = self.met.iter().find(|&&(at, number)| at == address && is_it(&self.list[number]));
        if let Some(&(_, number)) = met {
            return number;
        }
        let number = self.list.iter().position(is_it).unwrap_or_else(|| {
            let statistics = Statistics::default();
            let name = name.to_owned();
            self.list.push(Block { name, rule, executions: 0, iterations: 0.0, charged_s: 0.0, statistics });
            self.list.len() - 1
        });
        if self.met.len() < MOST_MET {
            self.met.push((address, number));
        }
        number
    }

    /// One more execution of a block, measured or skipped.
    pub(crate) fn count(&mut self, number: usize, iterations: f64, charged_s: f64) {
        let block = &mut self.list[number];
        block.executions += 1;
        block.iterations += iterations;
        block.charged_s += charged_s;
    }

    pub(crate) fn get(&mut self, number: usize) -> &mut Block {
        &mut self.list[number]
    }

    pub(crate) fn name(&self, number: usize) -> String {
        self.list[number].name.to_string_lossy().into_owned()
    }

    pub(crate) fn counts(&self) -> Vec<SkeletonBlock> {
        let counts = |block: &Block| SkeletonBlock {
            name: block.name.to_string_lossy().into_owned(),
            level: block.rule.level,
            executions: block.executions,
            measured: block.statistics.executions(),
            iterations: block.iterations,
            mean_s: block.statistics.mean(),
            deviation_s: block.statistics.deviation(),
            charged_s: block.charged_s,
        };
        self.list.iter().map(counts).collect()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(super) open: Option<Open>,
    /// Measurements of the rank itself, by number of block.
    pub(super) own: Vec<Statistics>,
}

#[derive(Debug)]
pub(super) enum Open {
    Measured(Execution),
    /// Its beginning was a mistake.
    Refused,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Execution {
    pub(super) block: usize,
    pub(super) scope: Scope,
    pub(super) iterations: f64,
    /// The rank's computing time until the block began, where nothing is said of its work.
    pub(super) computed: Duration,
    pub(super) mpi_calls: u64,
}

impl Samples {
    pub(super) fn own(&mut self, block: usize) -> &mut Statistics {
        if self.own.len() <= block {
            self.own.resize(block + 1, Statistics::default());
        }
        &mut self.own[block]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 s for 1 iteration, 2 s for 4: the mean is 4 s / 5, the deviation that of 2 and 0.5.
    #[test]
    fn the_mean_is_time_over_iterations() {
        let mut statistics = Statistics::default();
        assert_eq!((statistics.mean(), statistics.deviation()), (None, None));
        statistics.add(2.0, 1.0);
        assert_eq!((statistics.mean(), statistics.deviation()), (Some(2.0), None));
        statistics.add(2.0, 4.0);
        assert_eq!(statistics.mean(), Some(0.8));
        let deviation = statistics.deviation().unwrap();
        assert!((deviation - (0.75_f64 * 0.75 * 2.0).sqrt()).abs() < 1e-15, "{deviation}");
    }

    /// Executions without an iteration count, and say nothing of its time: of 1, 2 and 6 s the deviation is that of these three.
    #[test]
    fn executions_without_iterations_show_nothing() {
        let mut statistics = Statistics::default();
        for (seconds, iterations) in [(9.0, 0.0), (1.0, 1.0), (0.0, 0.0), (4.0, 2.0), (7.0, 0.0), (6.0, 1.0)]
        {
            statistics.add(seconds, iterations);
            assert_eq!(statistics.deviation().is_some(), statistics.iterations > 1.0);
        }
        assert_eq!((statistics.executions(), statistics.mean()), (6, Some(11.0 / 4.0)));
        let deviation = statistics.deviation().unwrap();
        assert!((deviation - 7.0_f64.sqrt()).abs() < 1e-12, "{deviation}");
    }

    #[test]
    fn names_and_rules_make_blocks() {
        let mut blocks = Blocks::default();
        let (given, sampled) = (
            Rule { level: Some(1), sampling: None },
            Rule { level: None, sampling: Some(Sampling { scope: Scope::Rank, first: 3 }) },
        );
        let name = CString::new("a").unwrap();
        let elsewhere = CString::new("a").unwrap();
        assert_eq!(blocks.number(&name, given), 0);
        assert_eq!(blocks.number(&name, sampled), 1);
        assert_eq!(blocks.number(&elsewhere, given), 0);
        assert_eq!(blocks.number(c"b", given), 2);
        assert_eq!(blocks.number(&name, given), 0);
        blocks.count(1, 2.0, 0.5);
        let counts = blocks.counts();
        assert_eq!((counts[1].executions, counts[1].iterations, counts[1].charged_s), (1, 2.0, 0.5));
        assert_eq!((counts[0].level, counts[1].level, counts[2].name.as_str()), (Some(1), None, "b"));
    }
}
