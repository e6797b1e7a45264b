//! Counts of programs that let time pass for code that was left out (paper 001, section 3.3).

use serde::{Deserialize, Serialize};

/// Clock calls of an MPI program, all ranks together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkeletonCounts {
    /// Number of times that a rank let time pass for code that was left out: calls of `weir_compute` and its kin, and executions of
    /// blocks that were skipped.
    pub clock_calls: u64,
    /// Simulated time that they have charged, in seconds.
    pub charged_s: f64,
    /// Processor time that one of them costs on this computer, in seconds.
    pub call_cost_s: f64,
    /// Instructions charged.
    pub instructions: f64,
    /// Named blocks, in the order in which ranks first came to them.
    pub blocks: Vec<SkeletonBlock>,
}

/// A named block of a skeleton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkeletonBlock {
    /// Its name in the program.
    pub name: String,
    /// Level of abstraction, 1 to 5, where the program states it.
    pub level: Option<u8>,
    /// Number of times that ranks came to it.
    pub executions: u64,
    /// Number of times that it was executed and measured.
    pub measured: u64,
    /// Inner iterations of all executions.
    pub iterations: f64,
    /// Mean time of an inner iteration where it was measured, in seconds.
    pub mean_s: Option<f64>,
    /// Standard deviation of that, from execution to execution.
    pub deviation_s: Option<f64>,
    /// Simulated time of all executions, in seconds.
    pub charged_s: f64,
}

impl SkeletonBlock {
    fn join(&mut self, other: &Self) {
        let moments = |block: &Self| {
            let (mean, deviation) = (block.mean_s.unwrap_or(0.0), block.deviation_s.unwrap_or(0.0));
            let count = block.measured as f64;
            [count, count * mean, count * (mean * mean + deviation * deviation)]
        };
        let (own, others) = (moments(self), moments(other));
        let [count, sum, squares] = [0, 1, 2].map(|which: usize| own[which] + others[which]);
        if count > 0.0 {
            let mean = sum / count;
            self.deviation_s = self
                .deviation_s
                .or(other.deviation_s)
                .map(|_| (squares / count - mean * mean).max(0.0).sqrt());
            self.mean_s = Some(mean);
        }
        self.executions += other.executions;
        self.measured += other.measured;
        self.iterations += other.iterations;
        self.charged_s += other.charged_s;
    }
}

impl SkeletonCounts {
    /// With those of ranks of another process; blocks of the same name are one.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        let calls = self.clock_calls + other.clock_calls;
        if calls > 0 {
            self.call_cost_s = (self.cost_s() + other.cost_s()) / calls as f64;
        }
        self.clock_calls = calls;
        self.charged_s += other.charged_s;
        self.instructions += other.instructions;
        for block in other.blocks {
            match self.blocks.iter_mut().find(|own| (&own.name, own.level) == (&block.name, block.level)) {
                Some(own) => own.join(&block),
                None => self.blocks.push(block),
            }
        }
        self
    }

    /// Processor time that all clock calls have cost on this computer, in seconds.
    pub fn cost_s(&self) -> f64 {
        self.clock_calls as f64 * self.call_cost_s
    }

    /// Returns whether clock calls cost more than the code that they stand for would take on a computer as fast as the simulated
    /// one.
    pub fn costs_more_than_it_saves(&self) -> bool {
        self.cost_s() > self.charged_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 calls of 5 ns cost 500 ns.
    #[test]
    fn calls_cost_more_than_they_save_where_they_charge_less() {
        let counts = |charged_s| SkeletonCounts {
            clock_calls: 100,
            charged_s,
            call_cost_s: 5e-9,
            ..SkeletonCounts::default()
        };
        assert!((counts(0.0).cost_s() - 500e-9).abs() < 1e-18);
        assert!(counts(499e-9).costs_more_than_it_saves());
        assert!(!counts(501e-9).costs_more_than_it_saves());
    }

    /// Two processes that have measured a block are like one that has measured all; and one of them has a block of its own.
    #[test]
    fn counts_of_two_processes_are_those_of_one() {
        let block = |name: &str, times: &[f64]| {
            let mean =
                |of: fn(f64) -> f64| times.iter().map(|time| of(*time)).sum::<f64>() / times.len() as f64;
            let mean_s = Some(mean(|time| time)).filter(|_| !times.is_empty());
            let deviation_s = mean_s.map(|average| (mean(|time| time * time) - average * average).sqrt());
            let (name, measured, level) = (name.to_owned(), times.len() as u64, Some(2));
            let (executions, iterations, charged_s) = (2 * measured + 1, 0.5, 10.0);
            SkeletonBlock { name, level, executions, measured, iterations, mean_s, deviation_s, charged_s }
        };
        let counts = |clock_calls, call_cost_s, blocks| {
            let (charged_s, instructions) = (3.0, 7.0);
            SkeletonCounts { clock_calls, charged_s, call_cost_s, instructions, blocks }
        };
        let first = counts(1, 8.0, vec![block("a", &[1.0, 3.0, 8.0]), block("none", &[])]);
        let other = counts(3, 4.0, vec![block("b", &[2.0]), block("a", &[4.0]), block("none", &[])]);
        let all = block("a", &[1.0, 3.0, 8.0, 4.0]);
        let joined = |block| SkeletonBlock { executions: 10, iterations: 1.0, charged_s: 20.0, ..block };
        let none = SkeletonBlock { executions: 2, ..joined(block("none", &[])) };
        let expected = counts(4, 5.0, vec![joined(all), none, block("b", &[2.0])]);
        assert_eq!(first.join(other), SkeletonCounts { charged_s: 6.0, instructions: 14.0, ..expected });
    }
}
