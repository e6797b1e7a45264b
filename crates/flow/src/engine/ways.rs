//! The ways of flows on the machine as it is now, with what is kept of each.

use super::{Network, State};
use crate::NodeModel;
use crate::accounting::{Accounting, Latencies};
use crate::detours::{self, Pair};
use crate::flows::Ways;
use crate::interfaces::Interfaces;
use crate::lanes::Lanes;
use crate::services::Services;
use std::ops::ControlFlow;
use weir_network::{Program, Ranks};
use weir_topology::{Shares, Topology};
use weir_units::{Duration, LinkId, NodeId, Time};

impl<B> Network<'_, B> {
    /// Shares the links among the flows there are now.
    pub(super) fn share<P: Program>(&mut self, now: Time, ranks: &mut Ranks<'_, P>) {
        let Self { machines, latencies, interfaces, services, node, state, .. } = self;
        let State { flows, route_latency, lanes, accounting, .. } = state;
        let topology = machines.topology;
        let mut finding = Finding {
            topology,
            weighs: flows.weighs(),
            latencies,
            interfaces,
            services,
            node,
            route_latency,
            lanes,
            accounting,
            ranks,
        };
        flows.share(now, &mut finding);
        accounting.look(|slot| flows.links(slot));
    }
}

/// Finds ways, and keeps latencies and causes of them.
struct Finding<'s, 'r, P: Program> {
    topology: &'s Topology,
    weighs: bool,
    latencies: &'s Latencies,
    interfaces: &'s Interfaces,
    services: &'s Services<'s>,
    node: &'s NodeModel,
    route_latency: &'s mut [Duration],
    lanes: &'s Lanes,
    accounting: &'s mut Accounting,
    ranks: &'s mut Ranks<'r, P>,
}

impl<P: Program> Ways for Finding<'_, '_, P> {
    fn find(&mut self, slot: usize, to: NodeId, route: &mut Shares, pair: &mut Pair) -> ControlFlow<()> {
        let Self { topology, interfaces, .. } = self;
        let home = self.lanes.home(slot);
        match interfaces.memory().filter(|_| interfaces.is_of_memory(home)) {
            Some(memory) => {
                route.weights.clear();
                memory.route(home, to, &mut route.links);
            }
            None => {
                // Without changes there is always a way.
                let (from, interface) = (interfaces.node(home), interfaces.number(home));
                let leads = topology.find_shares_by(from, interface, to, route);
                if leads && self.weighs {
                    *pair = detours::pair(topology, &route.links);
                }
                interfaces.extend(home, to, &mut route.links);
                route.frame();
            }
        }
        // Finding a route through a large graph takes its time.
        self.ranks.look_if_due();
        if self.ranks.must_end() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn take(&mut self, slot: usize, route: &mut Shares) {
        let Self { topology, latencies, interfaces, services, node, accounting, .. } = self;
        let home = self.lanes.home(slot);
        if interfaces.is_of_memory(home) {
            self.route_latency[slot] = node.within.latency;
            if accounting.is_on() {
                accounting.take_way_within(slot, node.within.bandwidth);
            }
            return;
        }
        self.route_latency[slot] = latencies.along(route, topology.links());
        if accounting.is_on() {
            accounting.take_way(slot, (route, self.route_latency[slot]), latencies);
        }
        route.scale(services.weight(interfaces.service(home)));
    }

    fn around(&mut self, slot: usize, to: NodeId) -> Vec<Vec<LinkId>> {
        let home = self.lanes.home(slot);
        // What stays within a node passes its memory alone.
        if self.interfaces.is_of_memory(home) {
            return Vec::new();
        }
        self.topology.detours(self.interfaces.node(home), self.interfaces.number(home), to)
    }
}
