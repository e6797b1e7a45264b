//! Another processor runs the routers of a part: the part leaves packets for it and takes what comes back, see [`crate::remote`].

use super::{Entry, Routers};
use crate::crossing::Sink;
use crate::network::Sender;
use crate::remote::{Delivered, Freed, Injected, Sent};
use crate::slots::{BYTES_BITS, Packet};
use weir_units::{NodeId, Time};

impl Routers<'_> {
    /// Takes what has left the routers in the window before, as far as it is for the nodes of this part.
    #[cold]
    pub(crate) fn take_remote(&mut self, sink: &mut dyn Sink) {
        let Some(mail) = &self.shared.remote else { return };
        let left = mail.left();
        let (slots, vcs) = (&self.shared.slots, self.network.vcs);
        for Freed { lane, slot, from } in left.freed().filter(|freed| self.outbox.lanes.contains(&freed.lane))
        {
            let is_awaited = slots.free(slots.place(lane, slot), (None, from), false);
            let sender = self.network.inputs[(lane / vcs) as usize].from;
            if let (true, Sender::Nic(nic)) = (is_awaited, sender) {
                sink.credit(nic, self.network.width.number(Time::from_ps(from)));
            }
        }
        for Delivered { node, message, at } in left.delivered() {
            let node = NodeId(node);
            if self.outbox.is_home(node) {
                self.outbox.take_delivered(node, Packet::of_rest(message).label(), at, sink);
            }
        }
        self.outbox.hand_over_all(sink);
    }

    /// Leaves the packets that interfaces have sent for the other processor.
    #[cold]
    pub(super) fn run_remote(&mut self) {
        let Some(mail) = &self.shared.remote else { return };
        mail.leave(self.outbox.thread(), self.window.number, &mut self.outbox.injected);
        self.outbox.send(&self.window);
    }

    /// Puts a packet of an interface into the input buffer of a router.
    #[inline(always)]
    pub(crate) fn put(&mut self, to: Entry, packet: Packet, sent: &Sent) {
        let &Sent { lag, eligible, .. } = sent;
        if self.shared.remote.is_some() {
            return self.put_remote(to, packet, sent);
        }
        self.outbox.put(to, packet, lag, eligible, &self.window);
    }

    #[cold]
    fn put_remote(&mut self, to: Entry, packet: Packet, &Sent { bytes, birth, lag, eligible }: &Sent) {
        let Entry { lane, slot, .. } = to;
        let slots = &self.shared.slots;
        slots.put(slots.place(lane, slot), packet, lag, eligible);
        let (address, message) = (packet.address(), packet.rest());
        let lag = lag << BYTES_BITS | u64::from(bytes);
        let injected = Injected { lane, slot, address, message, birth, lag, eligible };
        self.outbox.injected.extend_from_slice(&injected.bytes());
    }
}
