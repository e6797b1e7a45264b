//! Routers that another processor runs, for the interfaces and programs of this one.
//!
//! Interfaces write packets into the buffers behind their links, and learn from these when there is room again. So those buffers are here as
//! well, as they are for routers of another process: a packet that an interface sends is put into its place here and there, and
//! a place that the routers have freed becomes free here too. What routers do in a window is known at interfaces and programs in a later one, so
//! nothing depends on when within a window all this is passed on.

use crate::crossing::Sink;
use crate::network::Sender;
use crate::routers::{Entry, Routers};
use crate::slots::{BYTES_BITS, Packet};
use weir_units::{NodeId, Time};

/// A packet that an interface has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injected {
    /// The lane and the place in its ring.
    pub lane: u32,
    /// See above.
    pub slot: u16,
    /// For the routing rule.
    pub address: u32,
    /// Comes back when it has arrived.
    pub message: u32,
    /// When it has left its interface, in picoseconds.
    pub birth: u64,
    /// The distance of its tail behind its head, in picoseconds, above its bytes in the lowest 20 bits.
    pub lag: u64,
    /// When it could leave the router, in picoseconds.
    pub eligible: u64,
}

/// A packet that has reached a node at an instant, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// The number of the node.
    pub node: u32,
    /// See [`Injected::message`].
    pub message: u32,
    /// When its tail is there.
    pub at: u64,
}

/// A place behind an interface that is free from an instant on, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freed {
    /// The lane and the place in its ring.
    pub lane: u32,
    /// See above.
    pub slot: u16,
    /// When the interface knows.
    pub from: u64,
}

/// The results of a window, in any order.
#[derive(Clone, Debug, Default)]
pub struct RemoteWindow {
    /// Packets that have reached nodes.
    pub delivered: Vec<Delivered>,
    /// Places that are free.
    pub freed: Vec<Freed>,
    /// Packets that were granted.
    pub hops: u64,
    /// True if the other processor has failed: the run ends, and its results are none.
    pub has_failed: bool,
}

/// The load of an output, in packets, bytes and picoseconds; and when its link is free.
#[derive(Clone, Copy, Debug, Default)]
pub struct RemoteLoad {
    /// When the last packet has left.
    pub link_free: u64,
    /// See [`LinkCounts`](crate::LinkCounts).
    pub packets: u64,
    /// See there.
    pub bytes: u64,
    /// See there.
    pub busy: u64,
    /// See there.
    pub waited: u64,
}

/// The counts of all routers.
#[derive(Clone, Debug, Default)]
pub struct RemoteCounts {
    /// By output of the machine.
    pub outputs: Vec<RemoteLoad>,
    /// By lane: the most packets that have waited there at a grant.
    pub longest: Vec<u16>,
}

/// A processor that runs routers.
pub trait RemoteRouters: Send {
    /// Runs all routers in the window with a number, in which these packets come in, and returns what leaves them.
    fn window(&mut self, number: u64, injected: &[Injected]) -> RemoteWindow;

    /// All that they have counted.
    fn counts(&mut self) -> RemoteCounts;
}

/// A packet that an interface has just sent: its bytes, when its head has left and how far its tail is behind that, and when it could leave
/// the router, in picoseconds.
pub(crate) struct Sent {
    pub(crate) bytes: u32,
    pub(crate) birth: u64,
    pub(crate) lag: u64,
    pub(crate) eligible: u64,
}

impl Routers<'_> {
    /// Lets the other processor run the window.
    #[cold]
    pub(crate) fn run_remote(&mut self, sink: &mut dyn Sink) {
        let Some(remote) = &mut self.remote else { return };
        let injected = std::mem::take(&mut self.outbox.injected);
        let RemoteWindow { delivered, freed, hops, has_failed } =
            remote.window(self.window.number, &injected);
        self.outbox.injected = injected;
        self.outbox.injected.clear();
        let slots = &self.shared.slots;
        for Freed { lane, slot, from } in freed {
            let is_awaited = slots.free(slots.place(lane, slot), (None, from), false);
            let sender = self.network.inputs[(lane / self.network.vcs) as usize].from;
            if let (true, Sender::Nic(nic)) = (is_awaited, sender) {
                sink.credit(nic, self.network.width.number(Time::from_ps(from)));
            }
        }
        for Delivered { node, message, at } in delivered {
            self.outbox.take_delivered(NodeId(node), Packet::of_rest(message).label(), at, sink);
        }
        if has_failed {
            self.outbox.in_buffers = 0;
        }
        self.outbox.end_remote(hops > 0, &self.window, sink);
    }

    /// Puts a packet of an interface into the input buffer of a router.
    #[inline(always)]
    pub(crate) fn put(&mut self, to: Entry, packet: Packet, sent: &Sent) {
        let &Sent { lag, eligible, .. } = sent;
        if self.remote.is_some() {
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
        self.outbox.injected.push(Injected { lane, slot, address, message, birth, lag, eligible });
    }

    /// When all is over: takes over what the other processor has counted.
    pub(crate) fn take_remote_counts(&mut self) {
        if let Some(remote) = &mut self.remote {
            let counts = remote.counts();
            self.take_counts(&counts);
        }
    }
}
