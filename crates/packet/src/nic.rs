//! Interfaces: each sends packets one after the other into its injection link.

use crate::counts::Counts;
use crate::labels::Label;
use crate::machine::Machine;
use crate::prefetch::prefetch;
use crate::routers::{Counted, Entry, Routers};
use crate::slots::{NoCredit, Packet, Size, Slots, find_credit};
use weir_pdes::Window;
use weir_units::Duration;

/// The sending sides of the interfaces of a part.
#[derive(Clone, Debug)]
pub(crate) struct Nics {
    nics: Vec<Nic>,
    /// By interface and virtual channel: the place it fills next.
    tails: Vec<u16>,
    count_from: u64,
}

#[derive(Clone, Debug)]
struct Nic {
    /// When it can send the next packet, in picoseconds.
    free: u64,
    /// What its injection link has carried.
    packets: u64,
    bytes: u64,
    busy: u64,
    /// Its number in [`Machine::nics`].
    number: u32,
    /// Its number at its node.
    of_node: u32,
    last_vc: u16,
}

/// A packet that an interface is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel {
    /// For the routing rule.
    pub(crate) address: u32,
    /// What it belongs to.
    pub(crate) message: u32,
    /// At most the MTU.
    pub(crate) bytes: u32,
}

/// What has become of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It is on its way; its tail leaves the interface at this instant.
    At(u64),
    /// It cannot leave before this instant, which is not in this window.
    NotBefore(u64),
    /// There is no place for it in this window; as far as is known there is one at this instant, which may be never.
    NoCredit(u64),
}

impl Nics {
    /// The interfaces with these numbers in [`Machine::nics`].
    pub(crate) fn new(machine: &Machine, numbers: impl Iterator<Item = u32>, counted: Counted) -> Self {
        let nic = |number| {
            let of_node = number % machine.nics_per_node;
            Nic { number, of_node, free: 0, last_vc: 0, packets: 0, bytes: 0, busy: 0 }
        };
        let nics: Vec<Nic> = numbers.map(nic).collect();
        Self { tails: vec![0; nics.len() * machine.vcs as usize], nics, count_from: counted.from }
    }

    pub(crate) fn len(&self) -> usize {
        self.nics.len()
    }

    /// Sends a packet as soon as possible: not before `ready`, nor before the one before it and its gap have passed, and in
    /// this window only.
    #[inline]
    pub(crate) fn send(
        &mut self,
        place: usize,
        parcel: Parcel,
        ready: u64,
        end: u64,
        window: &Window,
        routers: &mut Routers<'_>,
    ) -> Sent {
        let machine = routers.machine;
        let slots = &routers.shared.slots;
        let own = &mut self.nics[place];
        let tails = &mut self.tails[place * machine.vcs as usize..][..machine.vcs as usize];
        let nic = &machine.nics[own.number as usize];
        let mut now = ready.max(own.free);
        let vc = loop {
            if now >= end {
                return Sent::NotBefore(now);
            }
            let last = u32::from(own.last_vc);
            match find_credit(slots, (nic.lane, tails), (0, machine.vcs), last, now, end) {
                Ok(vc) => break vc,
                Err(NoCredit::Before(later)) => now = later,
                Err(NoCredit::Later(later)) => return Sent::NoCredit(later),
            }
        };
        let wire = &machine.wires[usize::from(nic.wire)];
        let Parcel { address, message, bytes } = parcel;
        let time = wire.speed.time(bytes);
        let tail = &mut tails[vc as usize];
        let slot = std::mem::replace(tail, slots.after(*tail));
        own.last_vc = vc as u16;
        if now >= self.count_from {
            own.packets += 1;
            own.bytes += u64::from(bytes);
            own.busy += time;
        }
        let pause = if machine.gap == 0.0 { 0 } else { (time as f64 * machine.gap).round() as u64 };
        own.free = now + time + pause;
        let to = Entry { router: nic.router, lane: nic.lane + vc, slot };
        let eligible = now + wire.latency + machine.pipeline;
        let label = routers.post.label(Label { message, bytes, nic: own.of_node, birth: now });
        let size = if bytes == machine.mtu { Size::Mtu } else { Size::Labelled };
        routers.post.put(to, Packet::new(address, label, size), time, eligible, window);
        Sent::At(now + time)
    }

    /// Asks for what an interface needs to send, before it is needed.
    #[inline]
    pub(crate) fn ask_for(&self, place: usize, machine: &Machine) {
        prefetch(&self.nics, place);
        prefetch(&machine.nics, self.nics.get(place).map_or(0, |nic| nic.number as usize));
    }

    /// Asks for the places that an interface will fill next.
    #[inline]
    pub(crate) fn ask_for_slots(&self, place: usize, machine: &Machine, slots: &Slots<'_>) {
        let lane = machine.nics[self.nics[place].number as usize].lane;
        for vc in 0..machine.vcs {
            slots.ask_for(lane + vc, self.tails[place * machine.vcs as usize + vc as usize]);
        }
    }

    /// Adds what the injection links have carried.
    pub(crate) fn count(&self, machine: &Machine, counts: &mut Counts) {
        for nic in &self.nics {
            let counts = &mut counts.links[machine.nics[nic.number as usize].link as usize];
            counts.packets += nic.packets;
            counts.bytes += nic.bytes;
            counts.busy += Duration::from_ps(nic.busy);
        }
    }
}
