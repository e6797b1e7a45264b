//! Networks for the tests of this crate: plain capacities and routes.

use crate::crossings::Crossings;
use crate::max_min::{MaxMin, RateChange};
use crate::recomputed::{Iterative, Literal, Recomputed, SinglePass};
use crate::rule::Rule;
use proptest::prelude::*;
use std::collections::BTreeSet;
use weir_units::LinkId;

pub(crate) fn links(numbers: impl IntoIterator<Item = usize>) -> Vec<LinkId> {
    numbers.into_iter().map(LinkId::new).collect()
}

fn crossings(capacities: &[f64], slots: usize) -> Crossings {
    Crossings::new(capacities.iter().copied(), slots)
}

pub(crate) fn max_min(capacities: &[f64], slots: usize) -> Rule {
    Rule::MaxMin(MaxMin::new(crossings(capacities, slots)))
}

pub(crate) fn mode_n(capacities: &[f64], slots: usize, threshold: f64) -> Rule {
    Rule::Iterative(Recomputed::new(crossings(capacities, slots), Iterative::new(threshold)))
}

pub(crate) fn literal(capacities: &[f64], slots: usize, threshold: f64) -> Rule {
    Rule::Literal(Recomputed::new(crossings(capacities, slots), Literal::new(threshold)))
}

pub(crate) fn mode_f(capacities: &[f64], slots: usize) -> Rule {
    Rule::SinglePass(SinglePass::new(crossings(capacities, slots)))
}

/// Settles a rule and reports the rates that changed, but not those of crowds.
pub(crate) fn settle(rule: &mut Rule, mut report: impl FnMut(usize, f64)) -> u64 {
    rule.settle(|change| {
        if let RateChange::Rate(slot, rate) = change {
            report(slot, rate);
        }
    })
}

/// The flow set changes: at slots without a flow one starts on the route, at the others it ends; then rates are
/// shared.
pub(crate) type Change = Vec<(usize, BTreeSet<usize>)>;

/// A network and what happens on it.
#[derive(Clone, Debug)]
pub(crate) struct Story {
    pub(crate) capacities: Vec<f64>,
    pub(crate) slots: usize,
    pub(crate) changes: Vec<Change>,
    /// Those that hops have in turn; none if all are 1.
    pub(crate) weights: Vec<f64>,
}

impl Story {
    fn weights_of(&self, slot: usize, route: &BTreeSet<usize>) -> Vec<f64> {
        if self.weights.is_empty() {
            return Vec::new();
        }
        let weight = |&link: &usize| self.weights[(5 * slot + link) % self.weights.len()];
        let mut weights: Vec<f64> = route.iter().map(weight).collect();
        *weights.last_mut().expect("a route has links") = 1.0;
        weights
    }

    /// Plays the story on a rule; after every change `check` sees the rule and the rates by slot (0: no flow).
    pub(crate) fn play(&self, rule: &mut Rule, mut check: impl FnMut(&Rule, &[f64])) {
        let mut rates = vec![0.0; self.slots];
        for change in &self.changes {
            let seen: BTreeSet<usize> = change.iter().map(|&(slot, _)| slot).collect();
            let (ending, starting): (Vec<_>, Vec<_>) =
                seen.into_iter().partition(|&slot| !rule.crossings().hops(slot).is_empty());
            for slot in ending {
                rule.detach(slot, 0.0);
                rates[slot] = 0.0;
            }
            for slot in starting {
                let route = change.iter().find(|&&(s, _)| s == slot).expect("the slot is in the change");
                rule.attach(slot, &links(route.1.iter().copied()), &self.weights_of(slot, &route.1));
            }
            settle(rule, |slot, rate| rates[slot] = rate);
            check(rule, &rates);
        }
    }
}

/// Random networks: few or many links; equal capacities, small integers (many ties) or reals; routes of 1 to 12 links.
pub(crate) fn story(
    slots: std::ops::Range<usize>,
    changes: std::ops::Range<usize>,
) -> impl Strategy<Value = Story> {
    (slots, 1usize..40, 0u32..3).prop_flat_map(move |(slots, links, kind)| {
        let capacity = match kind {
            0 => Just(1.0).boxed(),
            1 => (1u32..4).prop_map(f64::from).boxed(),
            _ => (0.5f64..2.5).boxed(),
        };
        let route = prop::collection::btree_set(0..links, 1..=links.min(12));
        let change = prop::collection::vec((0..slots, route), 1..5);
        (prop::collection::vec(capacity, links), prop::collection::vec(change, changes.clone()))
            .prop_map(move |(capacities, changes)| Story { capacities, slots, changes, weights: Vec::new() })
    })
}

/// The same with parts of rates: a few that tie, or any.
pub(crate) fn weighted_story(
    slots: std::ops::Range<usize>,
    changes: std::ops::Range<usize>,
) -> impl Strategy<Value = Story> {
    let ties = prop::collection::vec(prop::sample::select(vec![0.125, 0.25, 0.5, 1.0]), 1..9);
    let any = prop::collection::vec(0.02f64..1.0, 1..9);
    (story(slots, changes), prop_oneof![ties, any]).prop_map(|(story, weights)| Story { weights, ..story })
}

/// Use of each link by its flows together.
pub(crate) fn used(rule: &Rule, rates: &[f64]) -> Vec<f64> {
    let crossings = rule.crossings();
    let mut used = vec![0.0; crossings.links.len()];
    for slot in crossings.active() {
        for (link, weight) in crossings.weighted_route(slot) {
            used[link] += weight * rates[slot];
        }
    }
    used
}
