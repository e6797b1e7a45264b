//! Detours: between a shortest way and one around by what waits, as formulas of docs/concepts/routing-rules.md say.

use super::{Deciding, Phase, Ruled, View};
use weir_topology::{Adaptive, Candidates};
use weir_units::{RouterId, pick};

impl Deciding<'_, '_> {
    /// The bytes that wait on the best of the shortest ways to a router and on from there, and its first port: those for that port, or where
    /// the rule looks far those on all of the way.
    fn best(&mut self, via: RouterId, home: RouterId) -> Option<(u64, u16)> {
        let (network, here) = (&self.ruled.network, RouterId(self.at.router));
        self.ruled.candidates(here, via, self.found);
        if !self.ruled.looks_far() {
            return self.shortest();
        }
        let ports = std::mem::take(&mut self.found.ports);
        let View { draw, queue, far, .. } = self.view.as_mut()?;
        let (before, behind) = ports.split_at(pick(*draw, ports.len()));
        let beyond = waits_on(self.ruled, far, (via, home));
        let on_way = |&port: &u16| {
            let next = network.neighbor(here, port);
            (queue(port) + waits_on(self.ruled, far, (next, via)) + beyond, port)
        };
        behind.iter().chain(before).map(on_way).min_by_key(|&(waits, _)| waits)
    }

    /// A shortest way, or the best of those around that are drawn and `fits` admits.
    pub(super) fn weigh(
        &mut self,
        home: RouterId,
        weights: Adaptive,
        fits: impl Fn(RouterId) -> bool,
    ) -> Option<(u16, Phase)> {
        let here = RouterId(self.at.router);
        self.view.as_ref()?;
        let ruled = self.ruled;
        if !ruled.leads(here, home) {
            let via = self.drawn_for(home)?;
            return Some((self.best(via, home)?.1, Phase::Around(via.0)));
        }
        let (least, port) = self.best(home, home)?;
        let mut best: Option<(u64, u16, u32)> = None;
        if u64::from(weights.minimal_weight) * least > weights.threshold {
            for number in 0..weights.candidates.into() {
                let via = self.drawn(number)?;
                if via == here || via == home || !fits(via) || !ruled.fits(here, via, home) {
                    continue;
                }
                let (queue, port) = self.best(via, home)?;
                if best.is_none_or(|(least, ..)| queue < least) {
                    best = Some((queue, port, via.0));
                }
            }
        }
        Some(match best.filter(|&(queue, ..)| is_better(weights, least, queue)) {
            Some((_, port, via)) => (port, Phase::Around(via)),
            None => (port, Phase::Straight(0)),
        })
    }

    /// A shortest way, or another link within its dimension, or where any will do in one of those that differ; whether it is a detour
    /// is the number of the phase. Where links have failed one of both is left.
    pub(super) fn detour(&mut self, home: RouterId, weights: Adaptive, may: bool) -> Option<(u16, Phase)> {
        let (ruled, here) = (self.ruled, RouterId(self.at.router));
        if may {
            self.view.as_ref()?;
        }
        let (shortest, target) = ruled.along_lines((here, home), self.found);
        if let (false, &[only]) = (may, &*self.found.ports) {
            return Some((only, Phase::Straight(0)));
        }
        // Where links have failed there may be none.
        let straight = if self.found.ports.is_empty() { None } else { Some(self.shortest()?) };
        let is_good = |(least, _): (u64, u16)| u64::from(weights.minimal_weight) * least <= weights.threshold;
        if let Some((_, port)) = straight.filter(|&straight| !may || is_good(straight)) {
            return Some((port, Phase::Straight(0)));
        }
        self.found.ports = ruled.beside(here, &shortest.ports, target).collect();
        let detour = if self.found.ports.is_empty() { None } else { self.shortest() };
        let is_taken =
            |&(queue, _): &(u64, u16)| straight.is_none_or(|(least, _)| is_better(weights, least, queue));
        let detour = detour.filter(is_taken).map(|(_, port)| (port, Phase::Straight(1)));
        detour.or(straight.map(|(_, port)| (port, Phase::Straight(0))))
    }
}

/// The bytes that have been announced to wait on a shortest way from one router to another, router by router the best port.
fn waits_on(ruled: &Ruled, far: &dyn Fn(u32, u16) -> u64, (from, to): (RouterId, RouterId)) -> u64 {
    let (mut here, mut waits, mut found) = (from, 0, Candidates::default());
    while here != to {
        ruled.candidates(here, to, &mut found);
        let ports = found.ports.iter().map(|&port| (far(here.0, port), port));
        let (least, port) = ports.min().expect("there is a way to every router");
        (here, waits) = (ruled.network.neighbor(here, port), waits + least);
    }
    waits
}

/// Returns whether a detour is taken.
fn is_better(weights: Adaptive, minimal: u64, detour: u64) -> bool {
    let Adaptive { threshold, minimal_weight, detour_weight, .. } = weights;
    u64::from(minimal_weight) * minimal > (u64::from(detour_weight) * detour).saturating_add(threshold)
}
