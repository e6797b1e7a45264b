//! Deviation of the rates of another rule from max-min, change by change, on the way of that rule.

use crate::crossings::Crossings;
use crate::max_min::MaxMin;
use weir_topology::Shares;
use weir_units::Time;

/// Deviation of the rates of a run from the max-min fair ones of the same flows at the same instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// The least that a flow ever got, as a part of its fair rate: 0.75 is a quarter less.
    pub least: f64,
    /// The most that a flow ever got, as a part of its fair rate.
    pub most: f64,
    /// Throughput of all flows over the whole run, as a part of that of max-min for the same flows: below 1
    /// where bandwidth was left unused.
    pub throughput: f64,
}

/// Shares the links of a run in max-min as well, and compares.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
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
        Self {
            fair: MaxMin::new(crossings.emptied()),
            rates: vec![0.0; crossings.slots()],
            sums: (0.0, 0.0),
            since: Time::ZERO,
            totals: (0.0, 0.0),
            least: 1.0,
            most: 1.0,
        }
    }

    pub(crate) fn add_slot(&mut self) {
        self.fair.add_slot();
        self.rates.push(0.0);
    }

    /// Adds a flow on links where it gets so much at most, in bytes per second.
    pub(crate) fn attach(&mut self, slot: usize, most: f64, mut route: Shares) {
        self.fair.crossings.bound(slot, most, &mut route);
        self.fair.attach(slot, &route.links, &route.weights);
    }

    /// Gives links other capacities, while there are no flows on them.
    pub(crate) fn set_capacities(&mut self, capacity: impl Fn(usize) -> f64) {
        self.fair.crossings.set_capacities(capacity);
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
        for slot in self.fair.crossings.active() {
            let (rate, fair) = (rate_of(slot), self.rates[slot]);
            self.least = self.least.min(rate / fair);
            self.most = self.most.max(rate / fair);
            self.sums.0 += rate;
            self.sums.1 += fair;
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::links;

    /// Two flows on a link of 2 B/s, of which the fair rates are 1 B/s each, get 1/2 and 5/4 for 3 s, then 3/4 and 3/4 for
    /// 1 s: between 1/2 and 5/4 of it, and 3 x 7/4 + 3/2 of 8 bytes.
    #[test]
    fn a_flow_can_get_more_than_its_share() {
        let mut comparison = Comparison::new(&Crossings::new([2.0], 2));
        let route = || Shares { links: links([0]), weights: Vec::new() };
        comparison.attach(0, f64::INFINITY, route());
        comparison.attach(1, f64::INFINITY, route());
        let at = |seconds: u64| Time::from_ps(seconds * 1_000_000_000_000);
        comparison.compare(at(1), |slot| [0.5, 1.25][slot]);
        comparison.compare(at(4), |_| 0.75);
        let expected = Deviation { least: 0.5, most: 1.25, throughput: 6.75 / 8.0 };
        assert_eq!(comparison.end(at(5)), expected);
    }

    /// Without any flow nothing is left unused.
    #[test]
    fn nothing_to_compare() {
        let mut comparison = Comparison::new(&Crossings::new([2.0], 2));
        comparison.compare(Time::ZERO, |_| 1.0);
        assert_eq!(comparison.end(Time::from_ps(7)), Deviation { least: 1.0, most: 1.0, throughput: 1.0 });
    }
}
