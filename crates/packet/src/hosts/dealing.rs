//! A message that is handed over is dealt out to the interfaces that send it together.

use super::Hosts;
use super::queued::{Sending, Waiting};
use crate::network::PacketNetwork;
use crate::routers::Routers;
use weir_network::{Program, Striping};
use weir_pdes::Window;
use weir_units::Bytes;

impl PacketNetwork {
    /// Over how many interfaces a message is striped.
    #[inline]
    pub(super) fn parts(&self, bytes: Bytes) -> u32 {
        if self.per_direction { 1 } else { self.striping.parts(bytes, Bytes(u64::from(self.mtu))) }
    }
}

impl<P: Program> Hosts<'_, P> {
    /// A message that several interfaces of a node send has been handed over; `nic` is the first of them.
    pub(super) fn stripe(
        &mut self,
        waiting: Waiting<P::Body>,
        (node, nic): (u32, u32),
        parts: u32,
        window: &Window,
        routers: &mut Routers<'_>,
    ) {
        let nics = self.network.nics_per_node;
        let bytes = waiting.message.bytes;
        let whole = self.take_off(waiting);
        self.stripes.add((whole.from, whole.sequence), parts);
        // The next message begins behind the last of them.
        self.handed_over[node as usize] = (nic + parts) % nics;
        let shares = Striping::shares(parts, bytes, Bytes(u64::from(self.network.mtu)));
        for (behind, share) in (0..).zip(shares) {
            let place = node * nics + (nic + behind) % nics;
            let own = Sending { left: share.0, ..whole };
            self.hand_to(place, own, window, routers);
        }
    }
}
