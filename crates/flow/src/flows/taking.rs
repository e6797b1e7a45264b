//! Flows take links: those of their routes, and of ways around.

use super::Flows;
use crate::crossings::Seat;
use crate::detours::Pair;
use std::ops::ControlFlow;
use weir_topology::Shares;
use weir_units::{LinkId, NodeId, Time};

/// The ways of flows.
pub(crate) trait Ways {
    /// Finds the links of shortest ways from a slot to a node, and where the rule weighs queues the pair of routers between which they lead, the
    /// same twice within a node. Breaks off if the run is about to end.
    fn find(&mut self, slot: usize, to: NodeId, route: &mut Shares, pair: &mut Pair) -> ControlFlow<()>;

    /// The flow of a slot takes these links.
    fn take(&mut self, slot: usize, route: &mut Shares);

    /// The ways around from a slot to a node, each as its links between routers.
    fn around(&mut self, slot: usize, to: NodeId) -> Vec<Vec<LinkId>>;
}

impl Flows {
    pub(super) fn take_links(&mut self, now: Time, ways: &mut impl Ways) -> ControlFlow<()> {
        let mut started = std::mem::take(&mut self.started);
        let mut go_on = ControlFlow::Continue(());
        for slot in started.drain(..).map(|slot| slot as usize) {
            let mut pair = Pair::default();
            go_on = ways.find(slot, NodeId(self.rides[slot].to), &mut self.route, &mut pair);
            if self.route.links.is_empty() {
                self.blocked.push(slot as u32);
            } else {
                let mut most = f64::INFINITY;
                if let Some(detours) = &mut self.detours {
                    detours.attach(slot, pair, &self.route);
                    most = detours.shares(slot, &mut self.route);
                }
                self.put_on_links(slot, most, now, ways);
            }
            if go_on.is_break() {
                break;
            }
        }
        self.started = started;
        go_on
    }

    /// Puts the flow of a slot on the links of its route, where it gets so much at most, in bytes per second.
    fn put_on_links(&mut self, slot: usize, most: f64, now: Time, ways: &mut impl Ways) {
        ways.take(slot, &mut self.route);
        self.rides[slot].along = self.rides[slot].to;
        if let Some(comparison) = &mut self.comparison {
            comparison.attach(slot, most, self.route.clone());
        }
        self.rule.bound(slot, most, &mut self.route);
        self.rule.attach(slot, &self.route.links, &self.route.weights);
        if let Some(waits) = &mut self.waits {
            waits.attach(slot, self.rule.crossings(), now);
        }
    }

    /// Finds what goes around now; flows of which another part does change their links.
    pub(super) fn detour(&mut self, now: Time, ways: &mut impl Ways) {
        let Some(mut detours) = self.detours.take() else { return };
        let crossings = self.rule.crossings();
        let carries = |seat: &Seat| crossings.weight(seat.hop as usize) * self.rate(seat.slot as usize);
        let load = |link: usize| crossings.seats[crossings.links[link].seats()].iter().map(carries).sum();
        let changed = detours.settle(load, |slot| ways.around(slot, NodeId(self.rides[slot].to)));
        for slot in changed.into_iter().map(|slot| slot as usize) {
            self.leave_with_rest(slot, now);
            let most = detours.shares(slot, &mut self.route);
            self.put_on_links(slot, most, now, ways);
        }
        self.detours = Some(detours);
    }
}
