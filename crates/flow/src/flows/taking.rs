//! Flows take links: those of their routes, and of ways around.

use super::{Flows, NOWHERE};
use crate::crossings::Seat;
use crate::detours::Around;
use std::ops::ControlFlow;
use weir_topology::Shares;
use weir_units::{LinkId, NodeId, Time};

/// The ways of flows.
pub(crate) trait Ways {
    /// Finds the links from a slot to a node, of which a part may go around. Breaks off if the run is about to end.
    fn find(
        &mut self,
        slot: usize,
        to: NodeId,
        around: Option<&Around>,
        route: &mut Shares,
    ) -> ControlFlow<()>;

    /// The ways around from a slot to a node, each as its links between routers.
    fn around(&mut self, slot: usize, to: NodeId) -> Vec<Vec<LinkId>>;
}

impl Flows {
    pub(super) fn take_links(&mut self, ways: &mut impl Ways) -> ControlFlow<()> {
        let mut started = std::mem::take(&mut self.started);
        let mut go_on = ControlFlow::Continue(());
        for slot in started.drain(..).map(|slot| slot as usize) {
            go_on = self.take_route(slot, ways, None);
            if let Some(detours) = self.detours.as_mut().filter(|_| self.rides[slot].along != NOWHERE) {
                detours.attach(slot, &self.route);
            }
            if go_on.is_break() {
                break;
            }
        }
        self.started = started;
        go_on
    }

    /// Puts the flow of a slot on its links, of which a part may go around.
    fn take_route(&mut self, slot: usize, ways: &mut impl Ways, around: Option<&Around>) -> ControlFlow<()> {
        let ride = &mut self.rides[slot];
        let go_on = ways.find(slot, NodeId(ride.to), around, &mut self.route);
        if self.route.links.is_empty() {
            self.blocked.push(slot as u32);
            return go_on;
        }
        ride.along = ride.to;
        self.rule.attach(slot, &self.route.links, &self.route.weights);
        if let Some(comparison) = &mut self.comparison {
            comparison.attach(slot, &self.route.links, &self.route.weights);
        }
        go_on
    }

    /// Finds what goes around now; flows of which another part does change their links.
    pub(super) fn detour(&mut self, now: Time, ways: &mut impl Ways) -> ControlFlow<()> {
        let Some(mut detours) = self.detours.take() else { return ControlFlow::Continue(()) };
        let crossings = self.rule.crossings();
        let carries = |seat: &Seat| crossings.weight(seat.hop as usize) * self.rate(seat.slot as usize);
        let load = |link: usize| crossings.seats[crossings.links[link].seats()].iter().map(carries).sum();
        let changed = detours.settle(load, |slot| ways.around(slot, NodeId(self.rides[slot].to)));
        let mut go_on = ControlFlow::Continue(());
        for slot in changed.into_iter().map(|slot| slot as usize) {
            self.leave_with_rest(slot, now);
            go_on = self.take_route(slot, ways, detours.around(slot).as_ref());
            if go_on.is_break() {
                break;
            }
        }
        self.detours = Some(detours);
        go_on
    }
}
