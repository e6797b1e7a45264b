//! Rules that compute all rates anew at every change, as the paper has it, and report those that differ.

use crate::crossings::Crossings;
use serde::{Deserialize, Serialize};
use weir_units::LinkId;

/// A rule that computes the rates of all flows, in bytes per second by slot. It finds the rates of the change before, zero of
/// new flows, and returns the number of its iterations.
pub(crate) trait Recompute {
    fn compute(&mut self, crossings: &mut Crossings, rates: &mut [f64]) -> u64;
}

/// The rule, with the flows it shares links among.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recomputed<R> {
    pub(crate) crossings: Crossings,
    /// Per slot, in bytes per second: the rate that was reported last.
    reported: Vec<f64>,
    rates: Vec<f64>,
    rule: R,
}

impl<R: Recompute> Recomputed<R> {
    pub(crate) fn new(crossings: Crossings, rule: R) -> Self {
        let slots = crossings.slots();
        Self { crossings, reported: vec![0.0; slots], rates: vec![0.0; slots], rule }
    }

    pub(crate) fn add_slot(&mut self) {
        self.crossings.add_slot();
        self.reported.push(0.0);
        self.rates.push(0.0);
    }

    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId]) {
        self.crossings.attach(slot, route);
    }

    pub(crate) fn detach(&mut self, slot: usize, bytes: f64) {
        self.crossings.detach(slot, bytes);
        (self.reported[slot], self.rates[slot]) = (0.0, 0.0);
    }

    /// Computes all rates and reports those that changed. Returns the number of iterations.
    pub(crate) fn settle(&mut self, mut report: impl FnMut(usize, f64)) -> u64 {
        let Self { crossings, reported, rates, rule } = self;
        let iterations = rule.compute(crossings, rates);
        for slot in crossings.active() {
            if rates[slot] != reported[slot] {
                reported[slot] = rates[slot];
                report(slot, rates[slot]);
            }
        }
        iterations
    }
}
