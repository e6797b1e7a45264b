//! Which interfaces of its node send a message.
//!
//! The load of an interface at an instant is counted as of that instant, whatever the window has sent by now: interfaces send ahead
//! of events, and a message counts until its tail has left.

use super::pumping::Until;
use super::{Hosts, Queued, Sending, State, Waiting};
use crate::network::{Channel, PacketNetwork};
use crate::routers::Routers;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use weir_network::{Candidates, Choice, Choose, Chosen, Message, Program};
use weir_pdes::Window;
use weir_units::{Bytes, Time};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Load {
    /// Bytes of messages that have not left, and of those below.
    bytes: u64,
    /// Messages that have left, or will: when their tails do, in picoseconds, and their bytes.
    gone: VecDeque<(u64, u64)>,
}

impl Load {
    pub(super) fn add(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    pub(super) fn leaves(&mut self, tail: u64, bytes: u64) {
        self.gone.push_back((tail, bytes));
    }

    /// Bytes that have not left at an instant, which is not before the last one asked for.
    fn at(&mut self, at: u64) -> u64 {
        while let Some(&(_, bytes)) = self.gone.front().filter(|(tail, _)| *tail <= at) {
            self.bytes -= bytes;
            self.gone.pop_front();
        }
        self.bytes
    }
}

impl PacketNetwork {
    pub(super) fn counts_loads(&self) -> bool {
        self.node.choose == Choose::LeastLoaded && self.nics_per_node > 1
    }
}

impl<'a, P: Program> Hosts<'a, P> {
    /// The machine as it is at an instant. The network may become that one only later, when it is empty, and in which window depends on how
    /// wide windows are.
    pub(super) fn network_at(&self, at: Time) -> &'a PacketNetwork {
        let mut network = self.first;
        while network.changes_at() <= at.as_ps() {
            network = network.changed();
        }
        network
    }

    /// The interfaces of a node that send a message which it has got at an instant: the one that it asks for if it does.
    pub(super) fn choose(
        &mut self,
        at: Time,
        message: &Message<P::Body>,
        routers: &mut Routers<'_>,
    ) -> Chosen {
        if self.network.nics_per_node == 1 {
            return Chosen::One(0);
        }
        let [from, to] = [message.from, message.to].map(|rank| self.placement.node(rank));
        let node = self.node_place[from.index()];
        let requested = message.way.as_deref().and_then(|way| way.nic).map(u32::from);
        if requested.is_none() && self.network.per_direction {
            let here = self.network.routers[self.network.router_of(from)].address;
            let address = self.network.routing.address(from, 0, to);
            return Chosen::One(self.network.routing.hop(here, address, 0, Channel::OF_A_NODE).output.into());
        }
        let network = self.network_at(at);
        let count = network.interfaces_of(from);
        assert!(requested.is_none_or(|nic| nic < count), "programs choose among the interfaces of a node");
        let usable = network.interfaces_to(from, to);
        if let Some(nic) = requested {
            return Chosen::One(usable.iter().copied().find(|&usable| usable >= nic).unwrap_or(usable[0]));
        }
        let loads = if network.counts_loads() { self.loads_of(at, node, count, routers) } else { Vec::new() };
        let speed = |nic: u32| {
            let own = &network.nics[(from.0 * network.nics_per_node + nic) as usize];
            network.wires[own.wire as usize].speed.bandwidth().bytes_per_second()
        };
        let load = |nic: u32| loads.get(nic as usize).copied().unwrap_or(0);
        let candidates = Candidates { usable: &usable, count, load: &load, speed: &speed };
        let choice = Choice { choose: network.node.choose, striping: network.node.striping };
        let unit = Bytes(u64::from(network.mtu));
        choice.choose(message, to, unit, &mut self.state.handed_over[node as usize], &candidates)
    }

    /// By interface of a node: the bytes that have not left at an instant.
    fn loads_of(&mut self, at: Time, node: u32, count: u32, routers: &mut Routers<'_>) -> Vec<u64> {
        let until = Until { at: at.as_ps(), is_all: false };
        let first = node * self.network.nics_per_node;
        for place in (first..first + count).filter(|_| self.network.takes_turns()) {
            let from = self.pump_in_turn(place, until, routers);
            self.list(place, if from == u64::MAX { 0 } else { from }, routers);
        }
        (first..first + count).map(|place| self.state.loads[place as usize].at(at.as_ps())).collect()
    }
}

impl<P: Program> Hosts<'_, P> {
    /// Messages that wait at interfaces get their addresses on the machine as it is from now on. Interfaces open at an instant, in
    /// picoseconds, not before the window.
    pub(super) fn follow(&mut self, opens: u64, window: &Window) {
        self.network = self.network.changed();
        let Self { network, nics, placement, state: State { sending, queues, rings, .. }, .. } = self;
        nics.open(opens, network);
        let services = network.services() as u32;
        let mut rings = rings.iter_mut();
        for (place, (sending, queue)) in (0_u32..).zip(sending.iter_mut().zip(queues)) {
            let in_turn =
                rings.next().into_iter().flat_map(|ring| ring.control.iter_mut().chain(&mut ring.others));
            let mut active: Vec<&mut Sending> = sending.iter_mut().chain(in_turn).collect();
            let Some(ready) = active.iter().map(|sending| sending.ready).min() else { continue };
            let place = place / services;
            let nic = nics.of_node(place as usize);
            let queued = queue.iter_mut().filter_map(|queued| match queued {
                Queued::InFlight(sending) => Some(sending),
                Queued::Waiting(Waiting { message, address, .. }) => {
                    *address = network.address(placement.node(message.from), nic, placement.node(message.to));
                    None
                }
            });
            active.extend(queued);
            for Sending { address, from, to, .. } in active {
                *address = network.address(placement.node(*from), nic, *to);
            }
            let at = nics.soonest(place as usize, ready).max(window.start.as_ps());
            nics.wake_first(place, at);
        }
    }
}
