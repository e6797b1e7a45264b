//! An interface: sends packets one after the other into the injection link.

use crate::counts::Counts;
use crate::machine::Machine;
use crate::routers::{Counted, Entry, Routers};
use crate::slots::{Credit, Packet, find_credit};
use weir_pdes::Window;
use weir_units::Duration;

/// The sending side of an interface.
#[derive(Clone, Debug)]
pub(crate) struct Nic {
    /// Its number in [`Machine::nics`].
    number: u32,
    /// When it can send the next packet, in picoseconds.
    free: u64,
    /// By virtual channel: the place it fills next.
    tails: Vec<u16>,
    last_vc: u16,
    count_from: u64,
    packets: u64,
    bytes: u64,
    busy: u64,
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

impl Nic {
    pub(crate) fn new(machine: &Machine, number: u32, counted: Counted) -> Self {
        let tails = vec![0; machine.vcs as usize];
        Self { number, free: 0, tails, last_vc: 0, count_from: counted.from, packets: 0, bytes: 0, busy: 0 }
    }

    /// Sends a packet as soon as possible: not before `ready`, nor before the one before it and its gap have passed, and in
    /// this window only. Its birth is filled in.
    #[inline]
    pub(crate) fn send(
        &mut self,
        packet: Packet,
        ready: u64,
        gap: f64,
        end: u64,
        window: &Window,
        routers: &mut Routers<'_>,
    ) -> Sent {
        let machine = routers.machine;
        let nic = machine.nics[self.number as usize];
        let mut now = ready.max(self.free);
        let vc = loop {
            if now >= end {
                return Sent::NotBefore(now);
            }
            let last = u32::from(self.last_vc);
            match find_credit(
                &routers.shared.slots,
                (nic.lane, &self.tails),
                (0, machine.vcs),
                last,
                now,
                end,
            ) {
                Credit::Now(vc) => break vc,
                Credit::At(later) => now = later,
                Credit::Later(later) => return Sent::NoCredit(later),
            }
        };
        let wire = &machine.wires[usize::from(nic.wire)];
        let time = wire.speed.time(packet.bytes());
        let slot = self.tails[vc as usize];
        self.tails[vc as usize] = routers.shared.slots.after(slot);
        self.last_vc = vc as u16;
        let to =
            Entry { router: nic.router, mask: nic.mask, lane: nic.lane + vc, slot, bit: nic.bit + vc as u16 };
        let eligible = now + wire.latency + machine.pipeline;
        routers.post.put(to, packet.born(now >> machine.tick), time, eligible, window);
        if now >= self.count_from {
            self.packets += 1;
            self.bytes += u64::from(packet.bytes());
            self.busy += time;
        }
        let pause = if gap == 0.0 { 0 } else { (time as f64 * gap).round() as u64 };
        self.free = now + time + pause;
        Sent::At(now + time)
    }

    /// Adds what the injection link has carried.
    pub(crate) fn count(&self, machine: &Machine, counts: &mut Counts) {
        let link = machine.nics[self.number as usize].link;
        let counts = &mut counts.links[link as usize];
        counts.packets += self.packets;
        counts.bytes += self.bytes;
        counts.busy += Duration::from_ps(self.busy);
    }
}
