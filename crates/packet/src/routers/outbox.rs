//! Output of routers and interfaces, with the wake-ups that belong to it: packets, deliveries, credits.

use crate::crossing::{Crossing, Delivery, PacketCrossing, Sink, WakeReason, WakeUp};
use crate::labels::{Label, Labels, Numbers};
use crate::network::{PacketNetwork, Sender};
use crate::shared::Shared;
use crate::slots::{Departure, Packet, Size, Slot};
use std::collections::VecDeque;
use std::ops::Range;
use weir_pdes::{Activity, Window};
use weir_units::NodeId;

/// Where a packet goes: a router, one of its lanes, and the place in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) router: u32,
    pub(crate) lane: u32,
    pub(crate) slot: u16,
}

/// A packet that leaves for a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ejected {
    pub(super) node: NodeId,
    pub(super) label: u32,
    /// When its tail is there, in picoseconds.
    pub(super) at: u64,
}

/// Number of packets for nodes that are kept until their labels are near.
const MOST_EJECTED: usize = 32;

/// The outgoing side of a part.
pub(crate) struct Outbox<'a> {
    pub(super) network: &'a PacketNetwork,
    shared: &'a Shared<'a>,
    part: usize,
    /// The routers of this part, and its lanes.
    pub(crate) routers: Range<usize>,
    pub(super) lanes: Range<u32>,
    /// In which lanes packets become eligible when; and, from [`Self::first_unit`] on, which routers are awake when.
    activity: Activity,
    /// Where the units of routers begin.
    first_unit: u32,
    /// Packets put into lanes by the interfaces of this part, less those that its routers have handed to nodes.
    pub(crate) in_buffers: i64,
    /// Packets for nodes that have not been handed over.
    ejected: VecDeque<Ejected>,
    /// Routers of this part, and their outputs, that have got a credit which they lacked.
    pub(super) unblocked: Vec<(u32, u16)>,
    /// Packets for routers that another processor runs, as bytes.
    pub(crate) injected: Vec<u8>,
    /// True if anything has moved in this window.
    pub(super) moved: bool,
    /// True if another part has to learn of something that it may need in the next window.
    mailed: bool,
    /// For endpoints and routers of other parts, by part of this process.
    deliveries: Vec<Vec<Delivery>>,
    calls: Vec<Vec<WakeUp>>,
    /// For interfaces of other parts, by part of this process, see [`Sink::credit`].
    credits: Vec<Vec<(u32, u64)>>,
    /// For parts of other processes, with their numbers.
    crossings: Vec<(usize, Crossing)>,
    /// The first window that concerns one of these.
    crossing_due: u64,
    /// For all other processes: outputs, and words about them.
    announcements: Vec<(u32, u64)>,
    /// Numbers of labels: those that this part gives, and, by part of this process, those that others have given.
    numbers: Numbers,
    foreign_numbers: Vec<Vec<u32>>,
    /// 2^64 over the width of a window, rounded up; 0 if that does not fit.
    per_width: u64,
}

impl<'a> Outbox<'a> {
    pub(super) fn new(network: &'a PacketNetwork, shared: &'a Shared<'a>, part: usize) -> Self {
        let routers = shared.routers(part);
        let lane_of = |router: usize| network.routers[router].input * network.vcs;
        let lanes = lane_of(routers.start)..lane_of(routers.end);
        let width = network.width.duration().as_ps();
        let (local, threads) = (shared.division.local(part), shared.division.threads());
        let first_unit = (lanes.len() as u32).next_multiple_of(64);
        Self {
            network,
            shared,
            part,
            activity: Activity::new(first_unit as usize + routers.len()),
            first_unit,
            routers,
            lanes,
            in_buffers: 0,
            unblocked: Vec::new(),
            ejected: VecDeque::new(),
            injected: Vec::new(),
            moved: false,
            mailed: false,
            deliveries: vec![Vec::new(); threads],
            calls: vec![Vec::new(); threads],
            credits: vec![Vec::new(); threads],
            crossings: Vec::new(),
            crossing_due: u64::MAX,
            announcements: Vec::new(),
            numbers: shared.labels.numbers(local),
            foreign_numbers: vec![Vec::new(); threads],
            per_width: if width > 1 { u64::MAX / width + 1 } else { 0 },
        }
    }

    /// Begins a window: fills `awake` with the routers that are awake in it. Outputs that will have a credit are noted.
    pub(super) fn begin(&mut self, window: &Window, awake: &mut Vec<u32>, mut credit: impl FnMut(u32, u16)) {
        self.take_mail(window, &mut credit);
        self.activity.begin(window.number);
        self.activity.list(self.first_unit as usize / 64, awake);
    }

    /// Takes the mail of the turn before a window.
    pub(super) fn take_mail(&mut self, window: &Window, mut credit: impl FnMut(u32, u16)) {
        let (shared, part) = (self.shared, self.part);
        let local = shared.division.local(part);
        shared.calls.take(window.turn, local, |_, call: WakeUp| match call.reason {
            WakeReason::Packet(lane) => self.wake_lane(call.router, lane, call.due),
            WakeReason::Credit(output) => {
                self.wake_in(call.router, call.due);
                credit(call.router, output);
            }
        });
        shared.numbers.take(window.turn, local, |_, number| self.numbers.take_back(number));
        shared.crossings.take(window.turn, part, |_, crossing| self.cross(crossing, window, &mut credit));
    }

    /// Returns whether a router of this part fills a lane.
    pub(super) fn fills(&self, lane: u32) -> bool {
        matches!(self.sender(lane), Sender::Router(router, _) if self.is_own(router))
    }

    /// Repeats here what a part of another process has done with a slot.
    fn cross(&mut self, crossing: Crossing, window: &Window, credit: &mut impl FnMut(u32, u16)) {
        let slots = &self.shared.slots;
        match crossing {
            Crossing::Packet(crossing) => self.take_in(crossing, window),
            Crossing::Freed { lane, slot, departure, from } => {
                let is_awaited = slots.free(slots.place(lane, slot), (departure, from), false);
                if let (true, Sender::Router(router, output)) = (is_awaited, self.sender(lane)) {
                    self.wake_in(router, self.window_of(from.max(window.start.as_ps()), window));
                    credit(router, output);
                }
            }
            Crossing::Awaited { lane, slot } => {
                // If it is free again, the sender learns of it in this turn.
                let place = slots.place(lane, slot);
                if let Slot::Taken(_) = slots.state(place) {
                    slots.mark(place, false);
                }
            }
        }
    }

    /// A packet has come into a slot of this part, or was there before this window: its router wakes in time.
    pub(super) fn take_in(&mut self, crossing: PacketCrossing, window: &Window) {
        let PacketCrossing { router, lane, slot, address, label, lag, eligible, origin, stalled, job } =
            crossing;
        let size = if label.bytes == self.network.mtu { Size::Mtu } else { Size::Labeled };
        let number = self.label(label);
        let Shared { labels: Labels { origins, stalls, jobs, .. }, slots, .. } = self.shared;
        if let (Some(origins), Some(origin)) = (origins, origin) {
            origins.write(number, origin);
        }
        if let Some(stalls) = stalls {
            stalls.write(number, stalled);
        }
        if let Some(jobs) = jobs {
            jobs.write(number, job);
        }
        slots.put(slots.place(lane, slot), Packet::new(address, number, size), lag, eligible);
        let due = self.window_of(eligible.max(window.start.as_ps()), window);
        self.wake_lane(router, lane, due);
    }

    /// Who fills a lane.
    fn sender(&self, lane: u32) -> Sender {
        self.network.inputs[(lane / self.network.vcs) as usize].from
    }

    /// Returns whether a router belongs to this process.
    #[inline]
    pub(super) fn is_here(&self, router: u32) -> bool {
        self.shared.division.is_here(self.shared.part_of(router))
    }

    /// A slot of this part that a router of another process fills is free from an instant on.
    #[cold]
    pub(super) fn free_ghost(
        &mut self,
        (lane, slot): (u32, u16),
        (departure, from): (Option<Departure>, u64),
        is_awaited: bool,
        window: &Window,
    ) {
        if let Sender::Router(router, _) = self.sender(lane) {
            self.crossings
                .push((self.shared.part_of(router), Crossing::Freed { lane, slot, departure, from }));
            if is_awaited {
                self.crossing_due = self.crossing_due.min(self.window_of(from, window));
            }
        }
    }

    /// A packet waits for a slot of a router of another process to be free. That one may have freed it in this window.
    pub(super) fn await_ghost(&mut self, router: u32, lane: u32, slot: u16) {
        self.crossings.push((self.shared.part_of(router), Crossing::Awaited { lane, slot }));
        self.mailed = true;
    }

    /// Writes what waits for an output, for all processes.
    #[cold]
    pub(super) fn announce(&mut self, output: u32, word: u64) {
        self.shared.announced.note(output, word);
        if self.shared.division.processes() > 1 {
            self.announcements.push((output, word));
        }
    }

    /// The window of an instant that is not before this one.
    #[inline(always)]
    fn window_of(&self, at: u64, window: &Window) -> u64 {
        let ahead = at - window.start.as_ps();
        // Exact for a dividend below 2^32, whatever the divisor.
        let quotient = if ahead < 1 << 32 && self.per_width != 0 {
            ((u128::from(ahead) * u128::from(self.per_width)) >> 64) as u64
        } else {
            ahead / self.network.width.duration().as_ps()
        };
        window.number + quotient
    }

    /// Writes the label of a packet that sets out.
    #[inline]
    pub(crate) fn label(&mut self, label: Label) -> u32 {
        let number = self.numbers.give();
        self.shared.labels.write(number, label);
        number
    }

    /// A label is not needed any more.
    #[inline]
    fn take_back(&mut self, number: u32) {
        let division = self.shared.division;
        match division.threads() {
            1 => self.numbers.take_back(number),
            _ => match self.shared.labels.part(number) {
                local if local == division.local(self.part) => self.numbers.take_back(number),
                local => self.foreign_numbers[local].push(number),
            },
        }
    }

    /// The number of this part among those of its process.
    pub(super) fn thread(&self) -> usize {
        self.shared.division.local(self.part)
    }

    /// Returns whether this part has the endpoint of a node.
    pub(super) fn is_home(&self, node: NodeId) -> bool {
        self.shared.home(node) == self.part
    }

    /// Returns whether a router belongs to this part.
    #[inline(always)]
    pub(crate) fn is_own(&self, router: u32) -> bool {
        self.routers.contains(&(router as usize))
    }

    /// Puts a packet into the input buffer of a router, which may be one of another part, and wakes it in time.
    #[inline(always)]
    pub(crate) fn put(&mut self, to: Entry, packet: Packet, lag: u64, eligible: u64, window: &Window) {
        let slots = &self.shared.slots;
        slots.put(slots.place(to.lane, to.slot), packet, lag, eligible);
        let due = self.window_of(eligible, window);
        if self.is_own(to.router) {
            self.wake_lane(to.router, to.lane, due);
        } else if self.is_here(to.router) {
            self.call(WakeUp { router: to.router, due, reason: WakeReason::Packet(to.lane) });
        } else {
            self.put_ghost(to, packet, lag, eligible);
            self.crossing_due = self.crossing_due.min(due);
        }
    }

    /// An interface has put a packet into a lane.
    #[inline]
    pub(crate) fn note_injected(&mut self) {
        self.in_buffers += 1;
        self.moved = true;
    }

    #[cold]
    fn call(&mut self, call: WakeUp) {
        let part = self.shared.part_of(call.router);
        self.calls[self.shared.division.local(part)].push(call);
    }

    /// A packet has been put into a slot of a router of another process, which gives it a label of its own.
    #[cold]
    fn put_ghost(&mut self, to: Entry, packet: Packet, lag: u64, eligible: u64) {
        let crossing = self.written(to, packet, lag, eligible);
        self.take_back(packet.label());
        self.crossings.push((self.shared.part_of(to.router), Crossing::Packet(crossing)));
    }

    /// A packet in a slot, with all that it says.
    pub(super) fn written(&self, at: Entry, packet: Packet, lag: u64, eligible: u64) -> PacketCrossing {
        let Labels { origins, stalls, jobs, .. } = &self.shared.labels;
        let (Entry { router, lane, slot }, number) = (at, packet.label());
        PacketCrossing {
            router,
            lane,
            slot,
            address: packet.address(),
            label: self.shared.labels.read(number),
            lag,
            eligible,
            origin: origins.as_ref().map(|origins| origins.read(number)),
            stalled: stalls.as_ref().map_or(0, |stalls| stalls.read(number)),
            job: jobs.as_ref().map_or(0, |jobs| jobs.read(number)),
        }
    }

    /// Takes a packet for a node. It is handed over, in its turn, when its label is near.
    #[inline]
    pub(super) fn eject(&mut self, ejected: Ejected, sink: &mut dyn Sink) {
        self.in_buffers -= 1;
        self.shared.labels.prefetch(ejected.label);
        self.ejected.push_back(ejected);
        if self.ejected.len() > MOST_EJECTED {
            self.hand_over(sink);
        }
    }

    /// Another processor has brought a packet to a node.
    pub(crate) fn take_delivered(&mut self, node: NodeId, label: u32, at: u64, sink: &mut dyn Sink) {
        self.eject(Ejected { node, label, at }, sink);
    }

    /// Hands over all packets for nodes.
    pub(super) fn hand_over_all(&mut self, sink: &mut dyn Sink) {
        while !self.ejected.is_empty() {
            self.hand_over(sink);
        }
    }

    /// Hands the oldest packet for a node to the endpoint there, which may be in another part.
    #[inline]
    fn hand_over(&mut self, sink: &mut dyn Sink) {
        let Some(Ejected { node, label: number, at }) = self.ejected.pop_front() else { return };
        let stalled = self.shared.labels.stalls.as_ref().map_or(0, |stalls| stalls.read(number));
        let delivery = Delivery { node, label: self.shared.labels.read(number), at, stalled };
        self.take_back(number);
        match self.shared.home(node) {
            home if home == self.part => sink.deliver(delivery),
            home => self.deliveries[self.shared.division.local(home)].push(delivery),
        }
    }

    /// Sends the sender behind an input port, which may be one of another part, the instant from which it has a credit that it lacks.
    #[inline(never)]
    pub(super) fn send_credit(&mut self, sender: Sender, at: u64, window: &Window, sink: &mut dyn Sink) {
        let due = self.window_of(at, window);
        match sender {
            Sender::Nic(nic) => match self.shared.home(self.network.node_of(nic)) {
                home if home == self.part => sink.credit(nic, due),
                home => self.credits[self.shared.division.local(home)].push((nic, due)),
            },
            Sender::Router(router, output) if self.is_own(router) => {
                self.wake_in(router, due);
                self.unblocked.push((router, output));
            }
            Sender::Router(router, output) => {
                self.call(WakeUp { router, due, reason: WakeReason::Credit(output) });
            }
            Sender::None => {}
        }
    }

    /// Wakes a router of this part at an instant after this window. After a limit, where windows are run in which nothing
    /// happens, the instant may lie before it: then the next one will do.
    #[inline(always)]
    pub(super) fn wake(&mut self, router: u32, at: u64, window: &Window) {
        let due = self.window_of(at.max(window.start.as_ps()), window).max(window.number + 1);
        self.wake_in(router, due);
    }

    /// Wakes all routers of this part in this window.
    pub(super) fn wake_all(&mut self, window: &Window) {
        self.routers.clone().for_each(|router| self.wake_in(router as u32, window.number));
    }

    #[inline(always)]
    fn wake_in(&mut self, router: u32, window: u64) {
        self.activity.wake(self.first_unit + (router - self.routers.start as u32), window);
    }

    /// Wakes a router of this part in the window in which a packet becomes eligible in one of its lanes.
    #[inline(always)]
    fn wake_lane(&mut self, router: u32, lane: u32, window: u64) {
        let router = self.first_unit + (router - self.routers.start as u32);
        self.activity.wake_each([lane - self.lanes.start, router], window);
    }

    /// In which of up to 64 lanes of this part, from this one on, packets become eligible in this window.
    #[inline(always)]
    pub(super) fn arrivals(&self, first: u32, count: u32) -> u64 {
        self.activity.awake(first, count)
    }

    pub(super) fn send(&mut self, window: &Window) {
        let shared = self.shared;
        let own = shared.division.local(self.part);
        for part in (0..shared.division.threads()).filter(|&part| part != own) {
            self.mailed |= !self.deliveries[part].is_empty()
                || !self.calls[part].is_empty()
                || !self.credits[part].is_empty();
            shared.deliveries.put(window.turn, own, part, &mut self.deliveries[part]);
            shared.calls.put(window.turn, own, part, &mut self.calls[part]);
            shared.credits.put(window.turn, own, part, &mut self.credits[part]);
            // These can wait for any window.
            shared.numbers.put(window.turn, own, part, &mut self.foreign_numbers[part]);
        }
        shared.crossings.send_away(self.part, &mut self.crossings);
        shared.announced.send_away(&mut self.announcements);
        if std::mem::take(&mut self.moved) {
            shared.moved.note(window.turn);
        }
    }

    pub(super) fn next(&mut self, from: u64) -> Option<u64> {
        // Another part takes what is sent to it in the next window.
        if std::mem::take(&mut self.mailed) {
            self.crossing_due = u64::MAX;
            return Some(from);
        }
        let due = std::mem::replace(&mut self.crossing_due, u64::MAX);
        let crossing = (due != u64::MAX).then(|| due.max(from));
        crossing.into_iter().chain(self.activity.next(from)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::grid;
    use crate::shared::Homes;
    use crate::{NodeModel, RouterModel};
    use weir_topology::Wrap;
    use weir_units::{Duration, Time};

    /// The window of an instant is that of a division, however far ahead, for any width.
    #[test]
    fn windows_of_instants() {
        let topology = grid(&[2], Wrap::Mesh, 8e9, (100, 100));
        let network =
            PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), &topology).expect("a machine");
        for width in [1, 2, 3, 7, 125, 1 << 15, 99_999, 100_125] {
            let network = network.clone().with_window(Duration::from_ps(width));
            let division = network.division(1, 0, 1);
            let mut memory = Shared::memory(&network, division);
            let shared = Shared::new(&mut memory, &network, division, Homes::WithRouters);
            let outbox = Outbox::new(&network, &shared, 0);
            let start = Time::from_ps(1000 * width);
            let window = Window { number: 1000, turn: 10, start, end: start + Duration::from_ps(width) };
            let near = (0..9).chain([width - 1, width, width + 1, 5 * width - 1, 5 * width]);
            let far = [(1 << 32) - 1, 1 << 32, (1 << 32) + width, 77 << 40, (77 << 40) / width * width - 1];
            for ahead in near.chain(far) {
                let found = outbox.window_of(start.as_ps() + ahead, &window);
                assert_eq!(found, 1000 + ahead / width, "{ahead} ps ahead, {width} ps wide");
            }
        }
    }
}
