//! The sharing rules behind one face.

use crate::crossings::Crossings;
use crate::max_min::{MaxMin, RateChange};
use crate::recomputed::{Iterative, Literal, Recomputed, SinglePass};
use serde::{Deserialize, Serialize};
use weir_topology::Shares;
use weir_units::LinkId;

/// One of the rules, with the flows it shares links among.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Rule {
    MaxMin(MaxMin),
    Iterative(Recomputed<Iterative>),
    Literal(Recomputed<Literal>),
    SinglePass(SinglePass),
}

/// The same expression for whichever rule it is.
macro_rules! each {
    ($own:expr, $rule:ident => $does:expr) => {
        match $own {
            Rule::MaxMin($rule) => $does,
            Rule::Iterative($rule) => $does,
            Rule::Literal($rule) => $does,
            Rule::SinglePass($rule) => $does,
        }
    };
}

impl Rule {
    pub(crate) fn crossings(&self) -> &Crossings {
        each!(self, rule => &rule.crossings)
    }

    /// Adds a slot, behind all others.
    pub(crate) fn add_slot(&mut self) {
        each!(self, rule => rule.add_slot());
    }

    /// Gives each slot a level: slots with lower ones share links first.
    ///
    /// # Panics
    /// When it is not max-min.
    pub(crate) fn set_levels(&mut self, level: impl Fn(usize) -> u8) {
        let Self::MaxMin(rule) = self else { panic!("only max-min has levels") };
        rule.set_levels(level);
    }

    /// Gives links other capacities, while there are no flows on them.
    pub(crate) fn set_capacities(&mut self, capacity: impl Fn(usize) -> f64) {
        each!(self, rule => rule.crossings.set_capacities(capacity));
    }

    /// Per link: bytes carried, and the most flows at one time. Everything else goes first.
    pub(crate) fn into_link_use(self) -> (Vec<f64>, Vec<u32>) {
        let Crossings { links, link_bytes, .. } = each!(self, rule => rule.crossings);
        (link_bytes, links.iter().map(|link| link.most).collect())
    }

    /// Adds a flow; its rate is known after [`Rule::settle`]. Only max-min knows weights.
    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId], weights: &[f64]) {
        each!(self, rule => rule.attach(slot, route, weights));
    }

    /// Adds the link of a slot alone to the route of its next flow, which gets at most this rate there, in bytes per second.
    pub(crate) fn bound(&mut self, slot: usize, most: f64, route: &mut Shares) {
        each!(self, rule => rule.crossings.bound(slot, most, route));
    }

    /// Takes a flow away, of which its links have carried so many bytes.
    pub(crate) fn detach(&mut self, slot: usize, bytes: f64) {
        each!(self, rule => rule.detach(slot, bytes));
    }

    /// Shares the links among the flows there are now, and reports the slots whose rate is another than before (bytes
    /// per second; every new flow is among them). Returns the number of iterations.
    pub(crate) fn settle(&mut self, mut report: impl FnMut(RateChange)) -> u64 {
        match self {
            Self::MaxMin(rule) => rule.settle_reporting(report),
            Self::Iterative(rule) => rule.settle(|slot, rate| report(RateChange::Rate(slot, rate))),
            Self::Literal(rule) => rule.settle(|slot, rate| report(RateChange::Rate(slot, rate))),
            Self::SinglePass(rule) => rule.settle(|slot, rate| report(RateChange::Rate(slot, rate))),
        }
    }
}

#[cfg(test)]
mod tests;
