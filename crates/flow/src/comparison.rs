//! How far the rates of another rule are from max-min, change by change, on the way of that rule.

use crate::crossings::Crossings;
use crate::max_min::MaxMin;
use weir_units::{LinkId, Time};

/// How far the rates of a run were from the max-min fair ones of the same flows at the same instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// The least that a flow ever got, as a part of its fair rate: 0.75 is a quarter less.
    pub least: f64,
    /// The most that a flow ever got, as a part of its fair rate.
    pub most: f64,
    /// What all flows got over the whole run, as a part of what max-min would have given to the same flows: below 1
    /// where bandwidth was left unused.
    pub throughput: f64,
}

/// Shares the links of a run in max-min as well, and compares.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    fair: MaxMin,
    rates: Vec<f64>,
    /// Since the last change: what all flows get, and what they would get, in bytes per second.
    sums: (f64, f64),
    since: Time,
    /// Up to the last change, in bytes per second times picoseconds.
    totals: (f64, f64),
    least: f64,
    most: f64,
}

impl Comparison {
    /// On the same links, with the same number of slots, and no flows yet.
    pub(crate) fn new(crossings: &Crossings) -> Self {
        let capacities = crossings.links.iter().map(|link| link.capacity);
        Self {
            fair: MaxMin::new(Crossings::new(capacities, crossings.slots())),
            rates: vec![0.0; crossings.slots()],
            sums: (0.0, 0.0),
            since: Time::ZERO,
            totals: (0.0, 0.0),
            least: 1.0,
            most: 1.0,
        }
    }

    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId]) {
        self.fair.attach(slot, route);
    }

    pub(crate) fn detach(&mut self, slot: usize) {
        self.fair.detach(slot, 0.0);
        self.rates[slot] = 0.0;
    }

    /// Compares with the rates that a rule has given from `now` on.
    pub(crate) fn compare(&mut self, now: Time, rate_of: impl Fn(usize) -> f64) {
        let rates = &mut self.rates;
        self.fair.settle(|slot, rate| rates[slot] = rate);
        self.close(now);
        for slot in self.fair.crossings().active() {
            let (rate, fair) = (rate_of(slot), self.rates[slot]);
            self.least = self.least.min(rate / fair);
            self.most = self.most.max(rate / fair);
            self.sums.0 += rate;
            self.sums.1 += fair;
        }
    }

    /// What there is to say when the run has ended at `now`.
    pub(crate) fn end(mut self, now: Time) -> Deviation {
        self.close(now);
        let throughput = if self.totals.1 > 0.0 { self.totals.0 / self.totals.1 } else { 1.0 };
        Deviation { least: self.least, most: self.most, throughput }
    }

    fn close(&mut self, now: Time) {
        let time = now.since(self.since).as_ps() as f64;
        self.totals.0 += self.sums.0 * time;
        self.totals.1 += self.sums.1 * time;
        (self.sums, self.since) = ((0.0, 0.0), now);
    }
}
