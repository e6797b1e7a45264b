//! One router, one window.

use super::allocation::channels_of;
use super::due::{DueHeads, First, Granted};
use super::kinds::Kind;
use super::outbox::Ejected;
use super::ruling::{Sent, Undecided};
use super::states::{Extras, Lane, Mask, OutputPort, PartCounts, longest_queue, room_from};
use super::turns::last_of_service;
use super::{Entry, NEVER, Outbox, bits};
use crate::crossing::Sink;
use crate::labels::{Labels, Stall};
use crate::network::{Channel, Crossbar, Output, PacketNetwork, RouterPlace};
use crate::prefetch::needed;
use crate::routing::Hop;
use crate::shared::Shared;
use crate::slots::{Departure, NoCredit, Packet, Slot, Slots};
use std::marker::PhantomData;
use weir_pdes::Window;
use weir_units::NodeId;

/// A router with all that belongs to it. Lists have its own lanes and ports, but for those of [`Extras`].
pub(super) struct Router<'r, 'a, K: Kind> {
    pub(super) kind: PhantomData<K>,
    pub(super) network: &'a PacketNetwork,
    pub(super) crossbar: &'a Crossbar,
    pub(super) slots: &'a Slots<'a>,
    pub(super) shared: &'a Shared<'a>,
    pub(super) labels: &'a Labels<'a>,
    pub(super) outbox: &'r mut Outbox<'a>,
    pub(super) lanes: &'r mut [Lane],
    /// By lane; empty if that is not kept.
    pub(super) stalls: &'r mut [Stall],
    pub(super) masks: &'r mut [Mask],
    pub(super) inputs: &'r mut [u64],
    pub(super) outputs: &'r mut [OutputPort],
    pub(super) tails: &'r mut [u16],
    pub(super) leaves: &'r mut [u64],
    pub(super) counts: &'r mut PartCounts,
    pub(super) extras: &'r mut Extras,
    pub(super) window: &'r Window,
    /// Nothing is granted from this instant on: the window is over, or the run is.
    pub(super) end: u64,
    pub(super) position: u32,
    /// Where its ports are in the machine, and the address by which the routing rule knows it.
    pub(super) place: RouterPlace,
    /// The number of its first lane in the machine.
    pub(super) first_lane: u32,
    /// Where its lanes, inputs and outputs begin in lists of the part.
    pub(super) before: Before,
}

/// Numbers of lanes, inputs and outputs before those of a router.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) lanes: usize,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

/// The head packet of a lane, and what it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) packet: Packet,
    /// When it can leave, if nothing holds it back.
    pub(super) eligible: u64,
    pub(super) slot: u32,
    pub(super) lane: u16,
    pub(super) input: u16,
    pub(super) output: u16,
    pub(super) class: u8,
    pub(super) vc: u8,
}

/// The head packet of a lane.
pub(super) enum Head {
    Due(Due),
    Undecided(Undecided),
}

impl Head {
    fn eligible(&self) -> u64 {
        match self {
            Self::Due(head) => head.eligible,
            Self::Undecided(head) => head.at,
        }
    }
}

impl<K: Kind> Router<'_, '_, K> {
    /// Finds the packets that could be granted before `end`, and asks for the places that they will take. Returns when the first of the
    /// others that are eligible before the end of the window could be.
    #[inline(always)]
    pub(super) fn look(&mut self, due: &mut DueHeads, undecided: &mut Vec<Undecided>) -> u64 {
        let mut next = NEVER;
        due.begin(self.window.start.as_ps());
        for word in 0..self.masks.len() {
            let first = 64 * word as u32;
            needed(self.masks, word);
            let count = (self.lanes.len() as u32 - first).min(64);
            let arrived = self.outbox.arrivals(self.before.lanes as u32 + first, count);
            let Mask { waiting, blocked } = self.masks[word];
            let mut waiting = waiting | arrived;
            for bit in bits(waiting & !blocked) {
                match self.head((first + bit) as u16) {
                    Some(Head::Due(head)) => {
                        let ready = self.ready(&head);
                        // A virtual channel may become free sooner than is known.
                        if ready < self.end || self.lacks_channel(&head) || K::CLASSED {
                            self.prefetch_place(&head);
                            due.push(head, ready);
                        } else {
                            next = next.min(ready);
                        }
                    }
                    Some(Head::Undecided(head)) => undecided.push(head),
                    None => waiting &= !(1 << bit),
                }
            }
            self.masks[word].waiting = waiting;
        }
        next
    }

    /// Asks for the place that a packet takes if it gets the first virtual channel of its class.
    #[inline(always)]
    fn prefetch_place(&self, head: &Due) {
        let port = &self.outputs[usize::from(head.output)];
        if port.to & Output::NODE != 0 {
            return;
        }
        let (vc, _) = self.network.class_range(head.class);
        needed(self.tails, self.first_tail(head));
        self.slots.prefetch(port.lane + vc, self.tails[self.first_tail(head) + vc as usize]);
        if K::MORE
            && let Some(ruling) = &self.extras.ruling
        {
            ruling.queues.prefetch(self.place_of_output(head), self.network.vcs, vc);
        }
    }

    /// Grants the packets that can be granted before `end`, one after the other; `due` are those that could be, and will be
    /// empty, `next` is when another one could.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        (due, undecided): (&mut DueHeads, &mut Vec<Undecided>),
        mut next: u64,
        sink: &mut dyn Sink,
    ) {
        let (mut first, mut hops) = (due.first(), 0);
        loop {
            if K::MORE && !undecided.is_empty() {
                first = self.decide_before(undecided, (due, first));
            }
            let Some(First { mut place, at: now, is_alone }) = first else { break };
            if now >= self.end {
                break;
            }
            if K::MORE {
                self.announce(now);
            }
            if !is_alone {
                place = if K::CLASSED {
                    self.first_by_class(due, now)
                } else {
                    self.ranking().first_in_turn(due, now)
                };
            }
            if K::HELD
                && let Some(taker) = self.taker(due, place)
            {
                self.take_channel(due.head(taker), now);
                first = self.renew(due, now);
                continue;
            }
            if K::MORE
                && let Some(later) = self.wait_for_turn(due, place, now)
            {
                due.set(place, later);
                first = due.first();
                continue;
            }
            let head = *due.head(place);
            match self.grant(&head, now, sink) {
                Ok((granted, bytes)) => {
                    hops += 1;
                    if K::CLASSED {
                        self.note_turn(due, (place, bytes), now);
                    }
                    first = self.follow(&head, (due, place), undecided, (granted, now));
                }
                Err(lack) => {
                    next = next.min(self.lack(&head, (due, place), lack, now));
                    first = due.first();
                }
            }
        }
        if K::MORE {
            undecided.drain(..).for_each(|head| next = next.min(head.at));
        }
        for (at, head) in due.drain() {
            let ready = self.ready(&head);
            // Others may have held it back.
            next = next.min(if K::CLASSED { ready.max(at) } else { ready });
        }
        self.counts.hops += hops;
        self.outbox.moved |= hops > 0;
        if next != NEVER {
            self.outbox.wake(self.position, next, self.window);
        }
        if K::MORE {
            self.end_announcing();
        }
    }

    /// A head packet has been granted at an instant: the one behind it takes its place. Returns which one could be granted first now.
    #[inline(always)]
    fn follow(
        &mut self,
        head: &Due,
        (due, place): (&mut DueHeads, usize),
        undecided: &mut Vec<Undecided>,
        (granted, now): (Granted, u64),
    ) -> Option<First> {
        match self.advance(head.lane, now) {
            Some(Head::Due(head)) => due.replace(place, head, self.ready(&head)),
            Some(Head::Undecided(head)) => {
                due.remove(place);
                undecided.push(Undecided { at: head.at.max(now), ..head });
            }
            None => due.remove(place),
        }
        let first = due.hold_back(&granted);
        if K::HELD || K::CLASSED { self.renew(due, now) } else { first }
    }

    /// A packet has no credit at an instant. Returns when it could be granted, if that is not in this window.
    #[inline(always)]
    fn lack(&mut self, head: &Due, (due, place): (&mut DueHeads, usize), lack: NoCredit, now: u64) -> u64 {
        self.stalls.get_mut(usize::from(head.lane)).into_iter().for_each(|stall| stall.note(now));
        match lack {
            NoCredit::Before(later) => {
                due.set(place, later);
                NEVER
            }
            NoCredit::Later(known) => {
                due.remove(place);
                if known == NEVER { self.block(head) } else { known }
            }
        }
    }

    /// The head packet of a lane, if it is eligible before the end of the window. If it will be later, it is among the
    /// arrivals of another window.
    #[inline(always)]
    pub(super) fn head(&mut self, lane: u16) -> Option<Head> {
        let own = usize::from(lane);
        needed(self.lanes, own);
        let slot = self.slots.place(self.first_lane + u32::from(lane), self.lanes[own].head);
        let (Slot::Taken(eligible), packet) = self.slots.look(slot) else { return None };
        if eligible >= self.window.end.as_ps() {
            return None;
        }
        let nic = self.network.nic_of(packet, self.labels);
        let channel = self.network.channels[own];
        let hop = match &self.extras.ruling {
            Some(ruling) if K::MORE => {
                let place = self.before.lanes + own;
                let decided = ruling.is_decided(place).then(|| ruling.hop(place));
                match decided.or_else(|| self.settle(lane, packet, nic)) {
                    Some(hop) => hop,
                    None => return Some(Head::Undecided(Undecided { at: eligible, lane, packet })),
                }
            }
            _ => self.network.routing.hop(self.place.address, packet.address(), nic, channel),
        };
        let Channel { input, vc, .. } = channel;
        let class = if K::CLASSED { self.network.class_of_service(vc, hop.class) } else { hop.class };
        let Hop { output, .. } = hop;
        self.lanes[own].needs.set(Hop { output, class });
        let slot = slot as u32;
        Some(Head::Due(Due { packet, eligible, slot, lane, input, output, class, vc }))
    }

    /// The head packet of a lane after a grant. Notes how many have waited there.
    #[inline(always)]
    fn advance(&mut self, lane: u16, now: u64) -> Option<Head> {
        let next = self.head(lane);
        let own = &mut self.lanes[usize::from(lane)];
        own.longest = own.longest.max(1);
        match &next {
            // Further ones may be far away in memory: so they are looked at only if there may be more than ever before.
            Some(next) if next.eligible() <= now => {
                own.longest = longest_queue(self.slots, *own, self.first_lane + u32::from(lane), now);
            }
            Some(_) => {}
            None => self.masks[usize::from(lane) / 64].waiting &= !(1 << (lane % 64)),
        }
        next
    }

    /// The place of the output that a packet needs in lists of the part.
    #[inline(always)]
    pub(super) fn place_of_output(&self, head: &Due) -> usize {
        self.before.outputs + usize::from(head.output)
    }

    /// The place of the lane of a packet in lists of the part.
    #[inline(always)]
    pub(super) fn place_of_lane(&self, head: &Due) -> usize {
        self.before.lanes + usize::from(head.lane)
    }

    /// Where the tails of the output that a packet needs begin.
    #[inline(always)]
    pub(super) fn first_tail(&self, head: &Due) -> usize {
        usize::from(head.output) * self.vcs()
    }

    /// The virtual channels of a link.
    #[inline(always)]
    pub(super) fn vcs(&self) -> usize {
        K::vcs(self.network)
    }

    /// When a packet could be granted, if it gets a credit; or take a virtual channel, if it has to do that first.
    #[inline(always)]
    pub(super) fn ready(&self, head: &Due) -> u64 {
        let turned = self.extras.turned.get(self.place_of_lane(head)).filter(|_| K::MORE);
        let own = turned.map_or(head.eligible, |&turned| head.eligible.max(turned));
        if self.lacks_channel(head) {
            return own.max(self.channel_free(head));
        }
        let (input, output) = (usize::from(head.input), usize::from(head.output));
        needed(self.inputs, input);
        needed(self.outputs, output);
        own.max(self.inputs[input]).max(self.outputs[output].available)
    }

    /// Sends the head packet of a lane on its way, if there is a place for it in the next input buffer. Nodes take everything. Returns when
    /// its ports are free, and its bytes.
    #[inline(always)]
    fn grant(&mut self, head: &Due, now: u64, sink: &mut dyn Sink) -> Result<(Granted, u32), NoCredit> {
        let (network, slots) = (self.network, self.slots);
        let &Due { packet, eligible, slot, .. } = head;
        let (output, first_tail) = (usize::from(head.output), self.first_tail(head));
        needed(self.tails, first_tail);
        let to_node = self.outputs[output].to & Output::NODE != 0;
        let vc = if to_node { 0 } else { self.find_credit(head, now)? };
        let opens = if K::MORE { self.gate_opens(head, now) } else { 0 };
        let port = &mut self.outputs[output];
        let wire = &network.wires[port.wire as usize];

        // Crossbar, output buffer, link: paper 003, section 3.1, with its maximum rule for the tail.
        let bytes = network.bytes_of(packet, self.labels);
        let crossbar = self.crossbar;
        let passes = crossbar.speed.time(bytes);
        let (mut sends, mut crossed) = (passes, now + passes);
        if !network.alike {
            sends = wire.speed.time(bytes);
            // Where all links are alike and no port of the crossbar is slower, a packet is as long on every link.
            crossed = crossed.max(eligible - network.pipeline + slots.lag(slot as usize).unwrap_or(sends));
        }
        let starts = port.link_free.max(now + crossbar.delay).max(opens);
        let ends = (starts + sends).max(crossed + crossbar.delay);
        let leaves = room_from(self.leaves, (output, network.output_buffer), ends, port.link_free);
        port.link_free = ends;
        port.available = crossed.max(leaves.saturating_sub(crossbar.delay));
        let available = port.available;
        let granted = Granted { input: head.input, input_free: crossed, output: head.output, available };
        if now >= self.counts.from && port.count(bytes, ends - starts, now - eligible) {
            self.counts.wrapped.push((self.position, head.output));
        }
        if to_node {
            let ejected = Ejected { node: NodeId(port.lane), label: packet.label(), at: ends + wire.latency };
            self.outbox.eject(ejected, sink);
        } else {
            if !K::HELD {
                port.last_vc = vc as u16;
            }
            let tail = &mut self.tails[first_tail + vc as usize];
            let to = Entry { router: port.to, lane: port.lane + vc, slot: *tail };
            *tail = slots.after(to.lane, *tail);
            let packet = match &mut self.extras.ruling {
                Some(ruling) if K::MORE => {
                    let channel = (self.before.outputs + output, vc as usize);
                    let sent = Sent { bytes, channel, vcs: network.vcs as usize, crosses: (now, crossed) };
                    packet.addressed(ruling.goes(
                        self.before.lanes + usize::from(head.lane),
                        &sent,
                        (slots, to.lane),
                    ))
                }
                _ => network.routing.onward(packet),
            };
            let eligible = starts + wire.latency + network.pipeline;
            self.outbox.put(to, packet, ends - starts, eligible, self.window);
        }
        if K::MORE {
            self.note_grant(head, (vc, bytes), [now, crossed, starts, ends]);
        }
        self.had_turn(head, now);
        self.leave_input(head, bytes, (now, passes, crossed), sink);
        Ok((granted, bytes))
    }

    /// The virtual channel that a packet takes on its link to another router.
    #[inline(always)]
    fn find_credit(&mut self, head: &Due, now: u64) -> Result<u32, NoCredit> {
        let (network, extras) = (self.network, &*self.extras);
        let port = &self.outputs[usize::from(head.output)];
        let range = channels_of::<K>(network, &extras.held, head.class, self.place_of_lane(head));
        let last = match &extras.turns {
            Some(_) if K::CLASSED => {
                last_of_service(network, &extras.turns, self.place_of_output(head), head.vc)
            }
            _ => port.last_vc,
        };
        let vc = self.filling(head).find_credit(range, u32::from(last), now, self.end)?;
        if let Some(stall) = self.stalls.get_mut(usize::from(head.lane)) {
            let stalled = stall.end(now);
            self.labels.stalls.iter().for_each(|all| all.add(head.packet.label(), stalled));
        }
        Ok(vc)
    }

    /// The packet of a grant leaves its input buffer.
    #[inline(always)]
    fn leave_input(
        &mut self,
        head: &Due,
        bytes: u32,
        (now, passes, crossed): (u64, u64, u64),
        sink: &mut dyn Sink,
    ) {
        let (network, slots) = (self.network, self.slots);
        let (lane, input) = (usize::from(head.lane), usize::from(head.input));
        // The place in the input buffer is free when the tail has left it, or the first flit.
        self.inputs[input] = crossed;
        let credit = network.credit(self.place.input as usize + input);
        let known = self.crossbar.given_back(now, passes, crossed) + credit;
        let departure = (K::MORE && self.extras.ruling.is_some()).then(|| {
            // Nothing is known sooner than a window later.
            let begins = now + credit.max(network.lookahead.as_ps());
            Departure::new(bytes, begins, known)
        });
        let own = &mut self.lanes[lane];
        let (freed, from) = (own.head, own.needs.from());
        own.head = slots.after(self.first_lane + u32::from(head.lane), freed);
        self.give_back(head, (freed, from), (departure, known), sink);
    }
}
