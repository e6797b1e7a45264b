//! Steps of routers beside the way of a packet: turns of those that could go at the same instant, allocation of virtual channels before the
//! crossbar, the gates of nodes, stays, decisions of rules, and waiting for credits.

use super::due::{DueHeads, First};
use super::kept::HeldChannels;
use super::kinds::Kind;
use super::router::{Due, Head, Router};
use super::ruling::{Ruling, Undecided};
use super::series::RouterSeries;
use super::states::{Extras, From, Lane};
use super::waiting::GrantOfJob;
use super::{NEVER, Outbox};
use crate::Arbiter;
use crate::crossing::Sink;
use crate::labels::{Labels, Origin};
use crate::network::{Input, Output, PacketNetwork, Sender};
use crate::routing::Hop;
use crate::routing::ruled::{At, Decision, View};
use crate::slots::{Departure, Filling, Packet};
use weir_network::record::PacketStay;
use weir_units::{Bytes, LinkId, RouterId, Time, mix};

/// The least of these goes first of packets that could go at the same instant: whether it is put behind others; the instant since which its
/// port waits for its output, and that since which its virtual channel waits, or twice that at which it started; its lane.
type Rank = (bool, u64, u64, u16);

/// All that the ranks of the packets of a router depend on.
#[derive(Clone, Copy)]
pub(super) struct Ranking<'r> {
    arbiter: Arbiter,
    labels: &'r Labels<'r>,
    lanes: &'r [Lane],
    /// The input ports of the router.
    inputs: &'r [Input],
}

impl Ranking<'_> {
    /// The rank of a packet: the least goes first.
    pub(super) fn rank(self, head: &Due) -> Rank {
        let (first, second) = match self.arbiter {
            Arbiter::FixedPriority => (0, 0),
            Arbiter::OldestFirst => {
                let birth = self.labels.read(head.packet.label()).birth;
                (birth, birth)
            }
            Arbiter::RoundRobin | Arbiter::TransitFirst | Arbiter::InjectionFirst => {
                let Lane { turn, granted, .. } = self.lanes[usize::from(head.lane)];
                (head.eligible.max(turn), head.eligible.max(granted))
            }
        };
        let from_node = || matches!(self.inputs[usize::from(head.input)].from, Sender::Nic(_));
        (self.arbiter.puts_behind(from_node), first, second, head.lane)
    }

    /// The place of the packet that goes first of all that could at an instant.
    #[inline(never)]
    pub(super) fn first_in_turn(self, due: &DueHeads, now: u64) -> usize {
        due.ready(now).min_by_key(|(_, head)| self.rank(head)).map_or(0, |(place, _)| place)
    }
}

impl<K: Kind> Router<'_, '_, K> {
    #[inline(always)]
    pub(super) fn ranking(&self) -> Ranking<'_> {
        let inputs = &self.network.inputs[self.place.input as usize..];
        Ranking { arbiter: self.network.arbiter, labels: self.labels, lanes: self.lanes, inputs }
    }

    /// The head packet of a lane has been granted: its port has had its turn at this output.
    #[inline(always)]
    pub(super) fn had_turn(&mut self, head: &Due, now: u64) {
        let first = usize::from(head.lane) - usize::from(head.vc);
        let vcs = self.vcs();
        let lanes = &mut self.lanes[first..first + vcs];
        let own = &mut lanes[usize::from(head.vc)];
        let needs = own.needs;
        (own.turn, own.granted) = (now, now);
        own.needs.clear();
        lanes.iter_mut().filter(|lane| lane.needs == needs).for_each(|lane| lane.turn = now);
    }
}

impl<K: Kind> Router<'_, '_, K> {
    /// Returns whether a packet has to take a virtual channel before anything else.
    #[inline(always)]
    pub(super) fn lacks_channel(&self, head: &Due) -> bool {
        K::HELD && self.needs_channel(head)
    }

    fn needs_channel(&self, head: &Due) -> bool {
        let to_node = self.outputs[usize::from(head.output)].to & Output::NODE != 0;
        !to_node && self.extras.held.of(self.place_of_lane(head)).is_none()
    }

    /// From when on a packet could be granted with one of the virtual channels of its class that others have left.
    pub(super) fn channel_free(&self, head: &Due) -> u64 {
        let first = self.place_of_output(head) * self.network.vcs as usize;
        let (low, high) = self.network.class_range(head.class);
        let free = &self.extras.held.free[first + low as usize..first + high as usize];
        free.iter().copied().min().unwrap_or(NEVER)
    }

    /// The place of the packet that takes a virtual channel first, of all that could at the same instant at the same output as
    /// the one at this place could do something; `None` if there is none. In turn are the lanes, not the ports: an allocator
    /// has a request of every virtual channel, and the one that has waited longest goes first.
    pub(super) fn taker(&self, due: &DueHeads, place: usize) -> Option<usize> {
        let output = due.head(place).output;
        let rank = |head: &Due| {
            let (is_behind, _, since, lane) = self.ranking().rank(head);
            (is_behind, since, lane)
        };
        let rivals = due.ready(due.at(place));
        let rivals = rivals.filter(|(_, rival)| rival.output == output && self.lacks_channel(rival));
        rivals.min_by_key(|(_, rival)| rank(rival)).map(|(place, _)| place)
    }

    /// Takes the first virtual channel that is free, beginning after the last one taken.
    pub(super) fn take_channel(&mut self, head: &Due, now: u64) {
        let (output, lane) = (self.place_of_output(head), self.place_of_lane(head));
        let (low, high) = self.network.class_range(head.class);
        let port = &mut self.outputs[usize::from(head.output)];
        let last = u32::from(port.last_vc);
        let first = if (low..high).contains(&last) { last + 1 } else { low };
        let of_output = &mut self.extras.held.free[output * self.network.vcs as usize..];
        let free = (first..high).chain(low..first).find(|&vc| of_output[vc as usize] <= now);
        if let Some(vc) = free {
            of_output[vc as usize] = NEVER;
            port.last_vc = vc as u16;
            self.extras.held.of_lanes[lane] = vc as u16;
        }
    }

    /// After a virtual channel has changed hands, or a class has had its turn: all instants anew, from this one on. Returns which packet could be
    /// granted first.
    pub(super) fn renew(&self, due: &mut DueHeads, now: u64) -> Option<First> {
        for place in 0..due.len() {
            due.set(place, self.ready(due.head(place)).max(now));
        }
        due.first()
    }
}

impl<K: Kind> Router<'_, '_, K> {
    /// Until when a packet waits that could cross at an instant, but for one of a higher priority, or the limit of the node that sends it.
    #[inline(always)]
    pub(super) fn wait_for_turn(&mut self, due: &DueHeads, place: usize, now: u64) -> Option<u64> {
        let reserved = if K::CLASSED { self.reserved(due, place, now) } else { None };
        let is_limited = self.extras.gates.is_some();
        reserved.or_else(|| if is_limited { self.wait_at_gate(due.head(place), now) } else { None })
    }

    /// When a packet that crosses at an instant may leave, if it leaves for a node with a limit; takes its turn there.
    #[inline(always)]
    pub(super) fn gate_opens(&mut self, head: &Due, now: u64) -> u64 {
        if self.extras.gates.is_some() { self.turn_at_receiver(head, now) } else { 0 }
    }

    #[cold]
    #[inline(never)]
    fn turn_at_receiver(&mut self, head: &Due, now: u64) -> u64 {
        let output = self.place_of_output(head);
        if self.outputs[usize::from(head.output)].to & Output::NODE == 0 {
            return 0;
        }
        let (bytes, at) = (self.network.bytes_of(head.packet, self.labels), now + self.crossbar.delay);
        self.extras.gates.as_mut().map_or(0, |gates| gates.receive(output, bytes, at))
    }

    #[cold]
    #[inline(never)]
    fn wait_at_gate(&mut self, head: &Due, now: u64) -> Option<u64> {
        let bytes = self.network.bytes_of(head.packet, self.labels);
        let (lane, input) = (self.place_of_lane(head), self.before.inputs + usize::from(head.input));
        let later = self.extras.gates.as_mut()?.hold_back((lane, input), bytes, now)?;
        self.extras.turned[lane] = self.extras.turned[lane].max(later);
        Some(later)
    }

    /// Notes the stay of a packet that has been granted at an instant, if it is requested: from when until when.
    #[inline(never)]
    pub(super) fn note_stay(&mut self, head: &Due, (now, entered, left): (u64, u64, u64)) {
        let (network, labels, position) = (self.network, self.labels, self.position);
        let (Some(history), Some(origins)) = (&mut self.extras.history, &labels.origins) else { return };
        if !history.keeps(position, entered, left) {
            return;
        }
        let port = self.place.input + u32::from(head.input);
        let Origin { source, destination, sequence } = origins.read(head.packet.label());
        let stay = PacketStay {
            router: RouterId(network.numbers[position as usize]),
            link: LinkId(network.inputs[port as usize].link),
            vc: u32::from(head.lane) - u32::from(head.input) * network.vcs,
            source,
            destination,
            sequence,
            bytes: Bytes(network.bytes_of(head.packet, labels).into()),
            entered: Time::from_ps(entered),
            left: Time::from_ps(left),
        };
        history.stays.push((Time::from_ps(now), stay));
    }
}

impl<K: Kind> Router<'_, '_, K> {
    /// Decides for the packets whose turn comes before that of the next one that could be granted, or at the same instant. Returns which
    /// one could be granted next.
    #[inline(never)]
    pub(super) fn decide_before(
        &mut self,
        undecided: &mut Vec<Undecided>,
        (due, mut first): (&mut DueHeads, Option<First>),
    ) -> Option<First> {
        let start = self.window.start.as_ps();
        // Of one instant by lane, since a decision may take the last room that another one counts on.
        let next = |undecided: &Vec<Undecided>| {
            (0..undecided.len()).min_by_key(|&place| (undecided[place].at, undecided[place].lane))
        };
        while let Some(place) = next(undecided) {
            let at = undecided[place].at;
            let granted = first.map_or(self.end, |first| self.end.min(first.at.saturating_add(1)));
            // After a limit an instant may lie before the window.
            let at = at.max(start);
            if at >= granted {
                break;
            }
            let head = undecided.swap_remove(place);
            self.decide(&head, at);
            if let Some(Head::Due(head)) = self.head(head.lane) {
                due.push(head, self.ready(&head).max(at));
            }
            first = due.first();
        }
        first
    }

    fn at(&self, lane: u16, packet: Packet, nic: u32) -> At {
        let channel = self.network.channels[usize::from(lane)];
        At { router: self.place.address, channel, address: packet.address(), nic }
    }

    /// The way of a head packet that does not depend on what it sees.
    #[inline(never)]
    pub(super) fn settle(&mut self, lane: u16, packet: Packet, nic: u32) -> Option<Hop> {
        let at = self.at(lane, packet, nic);
        let ruling = self.extras.ruling.as_mut()?;
        let decision = self.network.routing.decide(at, &mut ruling.found, None)?;
        let own = self.before.lanes + usize::from(lane);
        ruling.decided[own] = decision;
        Some(ruling.hop(own))
    }

    /// Decides where a head packet goes on, by what it sees now.
    fn decide(&mut self, head: &Undecided, now: u64) {
        self.announce(now);
        let network = self.network;
        let at = self.at(head.lane, head.packet, network.nic_of(head.packet, self.labels));
        let Some(ruling) = &mut self.extras.ruling else { return };
        let Ruling { decided, queues, found, .. } = &mut **ruling;
        let (outputs, slots, vcs) = (&*self.outputs, self.slots, network.vcs as usize);
        let mut queue = |output: u16| {
            let lane = outputs[usize::from(output)].lane;
            queues.at(self.before.outputs + usize::from(output), vcs, (slots, lane), now)
        };
        let announced = &self.shared.announced;
        let far = |router: u32, output: u16| announced.view((router, output), now, network);
        let draw = mix(mix(u64::from(self.place.address) << 16 | u64::from(head.lane)).wrapping_add(now));
        let own = self.before.lanes..self.before.lanes + self.lanes.len();
        // There is room for a packet if there is for those as well that have been decided for it before.
        let mut room = |output: u16, class: u8| {
            let of_service = network.class_of_service(at.channel.vc, class);
            let (place, (low, high)) = (usize::from(output), network.class_range(of_service));
            let (tails, first_tail) = (&*self.tails, place * vcs);
            let filling = Filling { slots, first_lane: outputs[place].lane, tails, first_tail };
            let for_it = |other: &&Decision| other.is_made && (other.output, other.class) == (output, class);
            let before = decided[own.clone()].iter().filter(for_it).count();
            (low..high).map(|vc| filling.places(vc, before + 1, now)).sum::<usize>() > before
        };
        let view = View { draw, queue: &mut queue, far: &far, room: &mut room };
        let decision = network.routing.decide(at, found, Some(view)).expect("a view suffices");
        decided[own][usize::from(head.lane)] = decision;
    }

    /// A packet without a credit waits until a place that it could take becomes free. Returns when, if that is known by now.
    #[inline(always)]
    pub(super) fn block(&mut self, head: &Due) -> u64 {
        let range = channels_of::<K>(self.network, &self.extras.held, head.class, self.place_of_lane(head));
        let (port, first_tail) = (&self.outputs[usize::from(head.output)], self.first_tail(head));
        let filling = Filling { slots: self.slots, first_lane: port.lane, tails: self.tails, first_tail };
        let soonest = wait_for_credit(self.outbox, port.to, filling, range);
        if soonest == NEVER {
            self.masks[usize::from(head.lane) / 64].blocked |= 1 << (head.lane % 64);
        }
        soonest
    }

    /// The link that a packet needs, as its sender sees it.
    #[inline(always)]
    pub(super) fn filling(&self, head: &Due) -> Filling<'_> {
        let first_lane = self.outputs[usize::from(head.output)].lane;
        Filling { slots: self.slots, first_lane, tails: self.tails, first_tail: self.first_tail(head) }
    }

    /// The place of a packet that leaves is free from the instant `known` on; a sender that lacks it is sent the credit.
    #[inline(always)]
    pub(super) fn give_back(
        &mut self,
        head: &Due,
        (freed, from): (u16, From),
        (departure, known): (Option<Departure>, u64),
        sink: &mut dyn Sink,
    ) {
        let is_awaited = self.slots.free(head.slot as usize, (departure, known), from == From::Thread);
        if from == From::Process {
            let lane = self.first_lane + u32::from(head.lane);
            self.outbox.free_ghost((lane, freed), (departure, known), is_awaited, self.window);
        } else if is_awaited {
            let sender = self.network.inputs[self.place.input as usize + usize::from(head.input)].from;
            self.outbox.send_credit(sender, known, self.window, sink);
        }
    }
}

impl<K: Kind> Router<'_, '_, K> {
    /// Notes a grant in what few machines and runs keep: when it was, when the packet has crossed, and from when until when it is on the link.
    #[inline(always)]
    pub(super) fn note_grant(
        &mut self,
        head: &Due,
        (vc, bytes): (u32, u32),
        [now, crossed, starts, ends]: [u64; 4],
    ) {
        let (network, counts_from) = (self.network, self.counts.from);
        let (lane, output) = (self.place_of_lane(head), self.place_of_output(head));
        let to_node = self.outputs[usize::from(head.output)].to & Output::NODE != 0;
        let Extras { turned, gates, ruling, turns, held, series, history, .. } = &mut *self.extras;
        if let Some(turns) = turns {
            turns.note(network, output, head.vc, vc as u16);
        }
        if K::HELD && !to_node {
            let free = crossed + network.vc_turnaround.unwrap_or(0);
            held.release(lane, output * network.vcs as usize + vc as usize, free);
        }
        turned.get_mut(lane).into_iter().for_each(|turned| *turned = crossed + network.turnaround);
        if let Some(RouterSeries { outputs, lanes, start, .. }) = series.as_deref_mut() {
            if let (Some(links), true) = (outputs, now >= counts_from) {
                links.note(output, bytes, starts, ends);
            }
            if let Some(stays) = lanes {
                stays.add(lane, head.eligible.max(*start), crossed);
            }
        }
        if let Some(ruling) = ruling {
            ruling.ends(lane);
        }
        gates.iter_mut().for_each(|gates| gates.went(lane));
        let keeps_stays = history.is_some();
        self.note_waits(head, now);
        if keeps_stays {
            self.note_stay(head, (now, head.eligible - network.pipeline, crossed));
        }
    }

    /// The head packet of a lane has been granted: for whom it has waited, if that is asked for.
    #[inline(always)]
    pub(super) fn note_waits(&mut self, head: &Due, now: u64) {
        let (lane, output) = (self.place_of_lane(head), self.place_of_output(head));
        if let (Some(waits), Some(jobs)) = (&mut self.extras.waits_of_jobs, &self.labels.jobs) {
            let (job, eligible) = (jobs.read(head.packet.label()), head.eligible);
            let grant = GrantOfJob { lane, output, job, eligible, now };
            waits.grant(grant, now >= self.counts.from);
        }
    }
}

/// Marks the places that a link to a router fills next, in some virtual channels, as awaited. Returns when the first of them is free, if that is
/// known by now.
#[cold]
fn wait_for_credit(outbox: &mut Outbox<'_>, to: u32, filling: Filling<'_>, range: (u32, u32)) -> u64 {
    let between_threads = !outbox.is_own(to);
    let soonest = filling.mark_all(range, between_threads);
    if soonest == NEVER && between_threads && !outbox.is_here(to) {
        for vc in range.0..range.1 {
            outbox.await_ghost(to, filling.first_lane + vc, filling.tail(vc));
        }
    }
    soonest
}

/// The virtual channels that the head packet of a lane may take: the one that it has, or those of its class.
#[inline(always)]
pub(super) fn channels_of<K: Kind>(
    network: &PacketNetwork,
    held: &HeldChannels,
    class: u8,
    lane: usize,
) -> (u32, u32) {
    let class = network.class_range(class);
    if K::HELD { held.of(lane).map_or(class, |vc| (vc, vc + 1)) } else { class }
}
