//! One router, one window.

use super::allocation::channels_of;
use super::arbiter::{First, first_of};
use super::outbox::Ejected;
use super::ruling::{Sent, Undecided};
use super::series::RouterSeries;
use super::states::{Mask, note_queue, room_from};
use super::turns::last_of_service;
use super::waiting::GrantOfJob;
use super::{Entry, NEVER, Outbox, RouterStates, bits};
use crate::crossing::Sink;
use crate::labels::Labels;
use crate::network::{Channel, Crossbar, Output, PacketNetwork};
use crate::prefetch::needed;
use crate::routing::Hop;
use crate::shared::Shared;
use crate::slots::{Departure, Filling, NoCredit, Packet, Slot, Slots};
use weir_pdes::Window;
use weir_units::NodeId;

/// A router with all that belongs to it. `HELD`: packets take virtual channels before the crossbar, see `allocation.rs`. `CLASSED`: there are
/// service classes, see `serving.rs`.
pub(super) struct Router<'r, 'a, const HELD: bool, const CLASSED: bool> {
    pub(super) network: &'a PacketNetwork,
    pub(super) crossbar: &'a Crossbar,
    pub(super) slots: &'a Slots<'a>,
    pub(super) shared: &'a Shared<'a>,
    pub(super) labels: &'a Labels<'a>,
    pub(super) outbox: &'r mut Outbox<'a>,
    pub(super) state: &'r mut RouterStates,
    pub(super) window: &'r Window,
    /// Nothing is granted from this instant on: the window is over, or the run is.
    pub(super) end: u64,
    pub(super) position: u32,
    /// The address by which the routing rule knows it.
    pub(super) address: u32,
    /// The number of its first lane in the machine.
    pub(super) first_lane: u32,
    /// Where its lanes, inputs, outputs and masks begin in the state of the part.
    pub(super) lanes: u32,
    pub(super) lane_count: u32,
    pub(super) inputs: u32,
    pub(super) outputs: u32,
    pub(super) outputs_end: u32,
    pub(super) masks: u32,
}

/// The head packet of a lane, and what it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// When it could be granted, as far as is known. The least goes first, and of equal ones that which the arbiter says.
    pub(super) at: u64,
    pub(super) packet: Packet,
    /// When it can leave, if nothing holds it back.
    pub(super) eligible: u64,
    pub(super) slot: usize,
    pub(super) lane: u16,
    pub(super) input: u16,
    pub(super) output: u16,
    pub(super) class: u8,
    pub(super) vc: u8,
    /// See [`crate::Arbiter::puts_behind`].
    pub(super) is_behind: bool,
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

/// Instants after a grant for those who wait for the same ports.
struct Granted {
    input: u16,
    /// When the crossbar takes the next packet from this input.
    input_free: u64,
    output: u16,
    /// When the output takes the next packet.
    available: u64,
}

impl<const HELD: bool, const CLASSED: bool> Router<'_, '_, HELD, CLASSED> {
    /// Finds the packets that are eligible before the end of the window, and what they need; asks for the outputs.
    #[inline(always)]
    pub(super) fn collect(&mut self, due: &mut Vec<Due>, undecided: &mut Vec<Undecided>) {
        let mut first = 0;
        while first < self.lane_count {
            let word = (self.masks + first / 64) as usize;
            needed(&self.state.masks, word);
            let arrived = self.outbox.arrivals(self.lanes + first, (self.lane_count - first).min(64));
            let Mask { waiting, blocked } = self.state.masks[word];
            let mut waiting = waiting | arrived;
            for bit in bits(waiting & !blocked) {
                match self.head((first + bit) as u16) {
                    Some(Head::Due(head)) => {
                        self.state.prefetch_output(self.output(&head), self.network.vcs);
                        due.push(head);
                    }
                    Some(Head::Undecided(head)) => undecided.push(head),
                    None => waiting &= !(1 << bit),
                }
            }
            self.state.masks[word].waiting = waiting;
            first += 64;
        }
    }

    /// Keeps what could be granted before `end`, each with its key, and asks for the places that they will take. Returns when
    /// the first of the others could be.
    #[inline(always)]
    pub(super) fn aim(&mut self, due: &mut Vec<Due>) -> u64 {
        let (mut next, mut place) = (NEVER, 0);
        while let Some(head) = due.get(place) {
            let ready = self.ready(head);
            // A virtual channel may become free sooner than is known.
            if ready >= self.end && !self.lacks_channel(head) && !CLASSED {
                next = next.min(ready);
                due.swap_remove(place);
                continue;
            }
            let output = self.output(head);
            let port = &self.state.outputs[output];
            if port.to & Output::NODE == 0 {
                let (vc, _) = self.network.class_range(head.class);
                let tail = self.state.tails[output * self.network.vcs as usize + vc as usize];
                self.slots.prefetch(port.lane + vc, tail);
                if let Some(ruling) = &self.state.ruling {
                    ruling.queues.prefetch(output, self.network.vcs, vc);
                }
            }
            due[place].at = self.not_before(ready);
            place += 1;
        }
        next
    }

    /// Grants the packets that can be granted before `end`, one after the other; `due` are those that could be, and will be
    /// empty, `next` is when another one could.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        (due, undecided): (&mut Vec<Due>, &mut Vec<Undecided>),
        mut next: u64,
        sink: &mut impl Sink,
    ) {
        let mut first = least(due);
        loop {
            if !undecided.is_empty() {
                first = self.decide_before(undecided, (due, first));
            }
            let Some(First { mut place, at: now, is_alone }) = first else { break };
            if now >= self.end {
                break;
            }
            self.announce(now);
            if !is_alone {
                place = if CLASSED { self.first_by_class(due, now) } else { self.first_in_turn(due, now) };
            }
            if HELD && let Some(taker) = self.taker(due, place) {
                self.take_channel(&due[taker], now);
                self.renew(due, now);
                first = least(due);
                continue;
            }
            let reserved = if CLASSED { self.reserved(due, place, now) } else { None };
            if let Some(later) = reserved.or_else(|| self.hold_back(&due[place], now)) {
                due[place].at = self.not_before(later);
                first = least(due);
                continue;
            }
            let bytes = if CLASSED { self.network.bytes_of(due[place].packet, self.labels) } else { 0 };
            match self.grant(&due[place], now, sink) {
                Ok(granted) => {
                    if CLASSED {
                        self.note_turn(due, (place, bytes), now);
                    }
                    match self.advance(due[place].lane, now) {
                        Some(Head::Due(mut head)) => {
                            head.at = self.not_before(self.ready(&head));
                            due[place] = head;
                        }
                        Some(Head::Undecided(head)) => {
                            due.swap_remove(place);
                            undecided.push(Undecided { at: head.at.max(now), ..head });
                        }
                        None => drop(due.swap_remove(place)),
                    }
                    first = hold_back(due, &granted);
                    if HELD || CLASSED {
                        self.renew(due, now);
                        first = least(due);
                    }
                }
                Err(lack) => {
                    next = next.min(self.lack((due, place), lack, now));
                    first = least(due);
                }
            }
        }
        for head in undecided.drain(..) {
            next = next.min(head.at);
        }
        for head in due.drain(..) {
            let ready = self.ready(&head);
            // Others may have held it back.
            next = next.min(if CLASSED { ready.max(head.at) } else { ready });
        }
        if next != NEVER {
            self.outbox.wake(self.position, next, self.window);
        }
        self.end_announcing();
    }

    /// A packet has no credit at an instant. Returns when it could be granted, if that is not in this window.
    #[inline(always)]
    fn lack(&mut self, (due, place): (&mut Vec<Due>, usize), lack: NoCredit, now: u64) -> u64 {
        let own = self.own_lane(&due[place]);
        self.state.stalls.get_mut(own).into_iter().for_each(|stall| stall.note(now));
        match lack {
            NoCredit::Before(later) => {
                due[place].at = self.not_before(later);
                NEVER
            }
            NoCredit::Later(known) => {
                let head = due.swap_remove(place);
                if known == NEVER { self.block(&head) } else { known }
            }
        }
    }

    /// The head packet of a lane, if it is eligible before the end of the window. If it will be later, it is among the
    /// arrivals of another window.
    #[inline(always)]
    pub(super) fn head(&mut self, lane: u16) -> Option<Head> {
        let own = (self.lanes + u32::from(lane)) as usize;
        needed(&self.state.lanes, own);
        let slot = self.slots.place(self.first_lane + u32::from(lane), self.state.lanes[own].head);
        match self.slots.state(slot) {
            Slot::Taken(eligible) if eligible < self.window.end.as_ps() => {
                let packet = self.slots.packet(slot);
                let nic = self.network.nic_of(packet, self.labels);
                let channel = self.network.channels[usize::from(lane)];
                let Hop { output, class } = match &self.state.ruling {
                    None => self.network.routing.hop(self.address, packet.address(), nic, channel),
                    Some(ruling) if ruling.is_decided(own) => ruling.hop(own),
                    Some(_) => match self.settle(lane, packet, nic) {
                        Some(hop) => hop,
                        None => return Some(Head::Undecided(Undecided { at: eligible, lane, packet })),
                    },
                };
                let Channel { input, vc, .. } = channel;
                let class = if CLASSED { self.network.class_of_service(vc, class) } else { class };
                let is_behind = self.network.arbiter.puts_behind(|| self.is_injection(input));
                let waiting = &mut self.state.lanes[own];
                (waiting.output, waiting.class) = (output, class);
                let at = 0;
                Some(Head::Due(Due { at, packet, eligible, slot, lane, input, output, class, vc, is_behind }))
            }
            _ => None,
        }
    }

    /// The head packet of a lane after a grant. Notes how many have waited there.
    #[inline(always)]
    fn advance(&mut self, lane: u16, now: u64) -> Option<Head> {
        let next = self.head(lane);
        let number = self.first_lane + u32::from(lane);
        let own = &mut self.state.lanes[(self.lanes + u32::from(lane)) as usize];
        own.longest = own.longest.max(1);
        match &next {
            // Further ones may be far away in memory: so they are looked at only if there may be more than ever before.
            Some(next) if next.eligible() <= now => note_queue(self.slots, own, number, now),
            Some(_) => {}
            None => {
                self.state.masks[self.masks as usize + usize::from(lane) / 64].waiting &= !(1 << (lane % 64))
            }
        }
        next
    }

    /// The place of the output that a packet needs.
    #[inline(always)]
    pub(super) fn output(&self, head: &Due) -> usize {
        (self.outputs + u32::from(head.output)) as usize
    }

    /// The place of the lane of a packet.
    #[inline(always)]
    pub(super) fn own_lane(&self, head: &Due) -> usize {
        (self.lanes + u32::from(head.lane)) as usize
    }

    /// When a packet could be granted, if it gets a credit; or take a virtual channel, if it has to do that first.
    #[inline(always)]
    pub(super) fn ready(&self, head: &Due) -> u64 {
        let own = self
            .state
            .turned
            .get(self.own_lane(head))
            .map_or(head.eligible, |&turned| head.eligible.max(turned));
        if self.lacks_channel(head) {
            return own.max(self.channel_free(head));
        }
        let input = (self.inputs + u32::from(head.input)) as usize;
        needed(&self.state.inputs, input);
        needed(&self.state.outputs, self.output(head));
        let free = self.state.inputs[input];
        own.max(free).max(self.state.outputs[self.output(head)].available)
    }

    /// The instant in this window from which on a packet can be granted that could have been before. After a limit an instant may lie
    /// before the window.
    #[inline(always)]
    pub(super) fn not_before(&self, ready: u64) -> u64 {
        ready.max(self.window.start.as_ps())
    }

    /// Sends the head packet of a lane on its way, if there is a place for it in the next input buffer. Nodes take everything.
    #[inline(always)]
    fn grant(&mut self, head: &Due, now: u64, sink: &mut impl Sink) -> Result<Granted, NoCredit> {
        let (network, slots, window) = (self.network, self.slots, self.window);
        let &Due { packet, eligible, slot, input, output, class, vc: own_vc, .. } = head;
        let (place, own, opens) = (self.output(head), self.own_lane(head), self.gate_opens(head, now));
        let RouterStates { outputs, tails, leaves, stalls, held, ruling, turns, counts, series, .. } =
            &mut *self.state;
        needed(tails, place * network.vcs as usize);
        let port = &mut outputs[place];
        let (to_node, vcs) = (port.to & Output::NODE != 0, network.vcs as usize);
        let tails = &mut tails[place * vcs..][..vcs];
        let mut vc = 0;
        if !to_node {
            let range = channels_of::<HELD>(network, held, class, own);
            let filling = Filling { slots, first_lane: port.lane, tails };
            let last = if CLASSED { last_of_service(network, turns, place, own_vc) } else { port.last_vc };
            vc = filling.find_credit(range, u32::from(last), now, self.end)?;
            if let Some(all) = &self.labels.stalls {
                all.add(packet.label(), stalls[own].end(now));
            }
        }
        let wire = &network.wires[port.wire as usize];

        // Crossbar, output buffer, link: paper 003, section 3.1, with its maximum rule for the tail.
        let bytes = network.bytes_of(packet, self.labels);
        let crossbar = self.crossbar;
        let passes = crossbar.speed.time(bytes);
        let (mut sends, mut crossed) = (passes, now + passes);
        if !network.alike {
            sends = wire.speed.time(bytes);
            // Where all links are alike and no port of the crossbar is slower, a packet is as long on every link.
            crossed = crossed.max(eligible - network.pipeline + slots.lag(slot).unwrap_or(sends));
        }
        let starts = port.link_free.max(now + crossbar.delay).max(opens);
        let ends = (starts + sends).max(crossed + crossbar.delay);
        let leaves = room_from(leaves, (place, network.output_buffer), ends, port.link_free);
        port.link_free = ends;
        port.available = crossed.max(leaves.saturating_sub(crossbar.delay));
        if CLASSED && let Some(turns) = turns {
            turns.note(network, place, own_vc, vc as u16);
        }
        if now >= counts.from {
            if port.count(bytes, ends - starts, now - eligible) {
                counts.wrapped.push((self.position, output));
            }
            if let Some(RouterSeries { outputs: Some(links), .. }) = series.as_deref_mut() {
                links.note(place, bytes, starts, ends);
            }
        }
        counts.hops += 1;
        let available = port.available;
        if to_node {
            let ejected = Ejected { node: NodeId(port.lane), label: packet.label(), at: ends + wire.latency };
            self.outbox.eject(ejected, sink);
        } else {
            if HELD {
                let free = crossed + network.vc_turnaround.unwrap_or(0);
                held.release(own, place * vcs + vc as usize, free);
            } else {
                port.last_vc = vc as u16;
            }
            let tail = &mut tails[vc as usize];
            let to = Entry { router: port.to, lane: port.lane + vc, slot: *tail };
            *tail = slots.after(to.lane, *tail);
            let packet = match ruling {
                None => network.routing.onward(packet),
                Some(ruling) => {
                    let (channel, crosses) = ((place, vc as usize), (now, crossed));
                    let sent = Sent { bytes, channel, vcs, crosses };
                    packet.addressed(ruling.goes(own, &sent, (slots, to.lane)))
                }
            };
            self.outbox.put(to, packet, ends - starts, starts + wire.latency + network.pipeline, window);
        }

        self.note_waits(head, now);
        self.had_turn(head, now);
        self.leave_input(head, bytes, (now, passes, crossed), sink);
        Ok(Granted { input, input_free: crossed, output, available })
    }

    /// The head packet of a lane has been granted: for whom it has waited, if that is asked for.
    #[inline(always)]
    pub(super) fn note_waits(&mut self, head: &Due, now: u64) {
        if let (Some(waits), Some(jobs)) = (&mut self.state.waits_of_jobs, &self.labels.jobs) {
            let (lane, output) =
                ((self.lanes + u32::from(head.lane)) as usize, self.outputs + u32::from(head.output));
            let (job, eligible) = (jobs.read(head.packet.label()), head.eligible);
            let grant = GrantOfJob { lane, output: output as usize, job, eligible, now };
            waits.grant(grant, now >= self.state.counts.from);
        }
    }

    /// The packet of a grant leaves its input buffer.
    #[inline(always)]
    fn leave_input(
        &mut self,
        head: &Due,
        bytes: u32,
        (now, passes, crossed): (u64, u64, u64),
        sink: &mut impl Sink,
    ) {
        let (network, slots) = (self.network, self.slots);
        let &Due { eligible, lane, input, .. } = head;
        let (own, first_input) = (self.own_lane(head), self.state.first.input as usize);
        let RouterStates { inputs, lanes, turned, ruling, series, .. } = &mut *self.state;
        // The place in the input buffer is free when the tail has left it, or the first flit.
        let port = (self.inputs + u32::from(input)) as usize;
        inputs[port] = crossed;
        let credit = network.credit(first_input + port);
        let known = self.crossbar.given_back(now, passes, crossed) + credit;
        let departure = ruling.is_some().then(|| {
            // Nothing is known sooner than a window later.
            let begins = now + credit.max(network.lookahead.as_ps());
            Departure::new(bytes, begins, known)
        });
        turned.get_mut(own).into_iter().for_each(|turned| *turned = crossed + network.turnaround);
        if let Some(RouterSeries { lanes: Some(stays), start, .. }) = series.as_deref_mut() {
            stays.add(own, eligible.max(*start), crossed);
        }
        if let Some(ruling) = ruling {
            ruling.ends(own);
        }
        let own = &mut lanes[own];
        let (freed, from) = (own.head, own.from);
        own.head = slots.after(self.first_lane + u32::from(lane), freed);
        self.give_back(head, (freed, from), (departure, known), sink);
        if self.state.history.is_some() {
            self.note_stay(head, (now, eligible - network.pipeline, crossed));
        }
    }
}

/// The packet that could be granted first.
#[inline(always)]
pub(super) fn least(due: &[Due]) -> Option<First> {
    first_of(due.len(), |place| due[place].at)
}

/// Packets that wait for the same input port or the same output port as a packet that has been granted wait longer now. Then as
/// [`least`].
#[inline(always)]
fn hold_back(due: &mut [Due], granted: &Granted) -> Option<First> {
    first_of(due.len(), |place| {
        let head = &mut due[place];
        // All bits set where a port is the same.
        let [output, input] = [head.output == granted.output, head.input == granted.input]
            .map(|same| u64::from(same).wrapping_neg());
        head.at = head.at.max(granted.available & output).max(granted.input_free & input);
        head.at
    })
}
