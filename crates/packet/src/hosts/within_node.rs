//! Messages between ranks of one node.

use super::Hosts;
use weir_network::{Message, Neighbours, Notice, Program};
use weir_units::{Duration, Time};

impl<P: Program> Hosts<'_, P> {
    pub(super) fn copy_within_node(&mut self, now: Time, mut message: Message<P::Body>, notice: Notice) {
        let Message { from, to, bytes, sequence, .. } = message;
        let node = self.node_place[self.placement.node(to).index()] as usize;
        let [sender, receiver] = [from, to].map(|rank| self.place_of[rank.index()] as usize);
        let between = Neighbours { from: sender, to: receiver, node };
        let (departs, arrives) = self.state.node_memory.pass(&self.network.within, now, bytes, between);
        let alone = self.network.within.time(bytes);
        if notice == Notice::Departed {
            let trail = message.trail.clone().map(|trail| (trail, alone));
            self.state.leaving.extend(trail.map(|trail| ((from, sequence), trail)));
            self.depart(departs, Duration::ZERO, from, sequence);
        }
        if let Some(trail) = &mut message.trail {
            trail.transfer(alone, departs);
            trail.arrive(arrives, 0);
        }
        self.state.calendar.add_arrival(message, arrives, None);
    }
}
