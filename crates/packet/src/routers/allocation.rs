//! Steps of routers beside the way of a packet: turns of those that could go at the same instant, allocation of virtual channels before the
//! crossbar, the gates of nodes, stays, decisions of rules, and waiting for credits.

use super::NEVER;
use super::arbiter::{First, Wait};
use super::kept::HeldChannels;
use super::router::{Due, Head, Router, least};
use super::ruling::{Ruling, Undecided};
use super::states::{From, NO_OUTPUT};
use crate::Arbiter;
use crate::crossing::Sink;
use crate::labels::Origin;
use crate::network::{Output, PacketNetwork, Sender};
use crate::routing::Hop;
use crate::routing::ruled::{At, Decision, View};
use crate::slots::{Departure, Filling, Packet};
use weir_network::record::PacketStay;
use weir_units::{Bytes, LinkId, RouterId, Time, mix};

/// The least of these goes first of packets that could go at the same instant: whether it is put behind others; the instant since which its
/// port waits for its output, and that since which its virtual channel waits, or twice that at which it started; its lane.
type Rank = (bool, u64, u64, u16);

impl<const HELD: bool, const CLASSED: bool> Router<'_, '_, HELD, CLASSED> {
    /// The rank of a packet: the least goes first.
    pub(super) fn rank(&self, head: &Due) -> Rank {
        let (first, second) = match self.network.arbiter {
            Arbiter::FixedPriority => (0, 0),
            Arbiter::OldestFirst => {
                let birth = self.labels.read(head.packet.label()).birth;
                (birth, birth)
            }
            Arbiter::RoundRobin | Arbiter::TransitFirst | Arbiter::InjectionFirst => {
                let Wait { turn, granted } = self.state.waits[self.own_lane(head)];
                (head.eligible.max(turn), head.eligible.max(granted))
            }
        };
        (head.is_behind, first, second, head.lane)
    }

    /// The place of the packet that goes first of all that could at an instant.
    #[inline(never)]
    pub(super) fn first_in_turn(&self, due: &[Due], now: u64) -> usize {
        let could = due.iter().enumerate().filter(|(_, head)| head.at == now);
        could.min_by_key(|(_, head)| self.rank(head)).map_or(0, |(place, _)| place)
    }

    /// The head packet of a lane has been granted: its port has had its turn at this output.
    #[inline(always)]
    pub(super) fn had_turn(&mut self, head: &Due, now: u64) {
        if self.state.waits.is_empty() {
            return;
        }
        let own = self.own_lane(head);
        let first = own - usize::from(head.vc);
        let of_port = first..first + self.network.vcs as usize;
        let waits = &mut self.state.waits[of_port.clone()];
        for (wait, lane) in waits.iter_mut().zip(&self.state.lanes[of_port]) {
            if (lane.output, lane.class) == (head.output, head.class) {
                wait.turn = now;
            }
        }
        waits[usize::from(head.vc)].granted = now;
        self.state.lanes[own].output = NO_OUTPUT;
    }
}

impl<const HELD: bool, const CLASSED: bool> Router<'_, '_, HELD, CLASSED> {
    /// Returns whether a packet has to take a virtual channel before anything else.
    #[inline(always)]
    pub(super) fn lacks_channel(&self, head: &Due) -> bool {
        HELD && self.needs_channel(head)
    }

    fn needs_channel(&self, head: &Due) -> bool {
        let to_node = self.state.outputs[self.output(head)].to & Output::NODE != 0;
        !to_node && self.state.held.of(self.own_lane(head)).is_none()
    }

    /// From when on a packet could be granted with one of the virtual channels of its class that others have left.
    pub(super) fn channel_free(&self, head: &Due) -> u64 {
        let first = self.output(head) * self.network.vcs as usize;
        let (low, high) = self.network.class_range(head.class);
        let free = &self.state.held.free[first + low as usize..first + high as usize];
        free.iter().copied().min().unwrap_or(NEVER)
    }

    /// The place of the packet that takes a virtual channel first, of all that could at the same instant at the same output as
    /// the one at this place could do something; `None` if there is none. In turn are the lanes, not the ports: an allocator
    /// has a request of every virtual channel, and the one that has waited longest goes first.
    pub(super) fn taker(&self, due: &[Due], place: usize) -> Option<usize> {
        let at = |due: &Due| (due.at, due.output);
        let rank = |head: &Due| {
            let (is_behind, _, since, lane) = self.rank(head);
            (is_behind, since, lane)
        };
        let rivals = due.iter().enumerate();
        let rivals = rivals.filter(|(_, rival)| at(rival) == at(&due[place]) && self.lacks_channel(rival));
        rivals.min_by_key(|(_, rival)| rank(rival)).map(|(place, _)| place)
    }

    /// Takes the first virtual channel that is free, beginning after the last one taken.
    pub(super) fn take_channel(&mut self, head: &Due, now: u64) {
        let (output, lane) = (self.output(head), self.own_lane(head));
        let (low, high) = self.network.class_range(head.class);
        let port = &mut self.state.outputs[output];
        let last = u32::from(port.last_vc);
        let first = if (low..high).contains(&last) { last + 1 } else { low };
        let of_output = &mut self.state.held.free[output * self.network.vcs as usize..];
        let free = (first..high).chain(low..first).find(|&vc| of_output[vc as usize] <= now);
        if let Some(vc) = free {
            of_output[vc as usize] = NEVER;
            port.last_vc = vc as u16;
            self.state.held.of_lanes[lane] = vc as u16;
        }
    }

    /// After a virtual channel has changed hands: all keys anew, from an instant on.
    pub(super) fn renew(&self, due: &mut [Due], now: u64) {
        for head in due {
            head.at = self.ready(head).max(now);
        }
    }
}

impl<const HELD: bool, const CLASSED: bool> Router<'_, '_, HELD, CLASSED> {
    /// Until when a packet waits that could cross at an instant, but for the limit of the node that sends it.
    #[inline(always)]
    pub(super) fn hold_back(&mut self, head: &Due, now: u64) -> Option<u64> {
        if self.state.gates.is_some() { self.wait_at_gate(head, now) } else { None }
    }

    /// When a packet that crosses at an instant may leave, if it leaves for a node with a limit; takes its turn there.
    #[inline(always)]
    pub(super) fn gate_opens(&mut self, head: &Due, now: u64) -> u64 {
        if self.state.gates.is_some() { self.turn_at_receiver(head, now) } else { 0 }
    }

    #[cold]
    #[inline(never)]
    fn turn_at_receiver(&mut self, head: &Due, now: u64) -> u64 {
        let output = self.output(head);
        if self.state.outputs[output].to & Output::NODE == 0 {
            return 0;
        }
        let (bytes, at) = (self.network.bytes_of(head.packet, self.labels), now + self.crossbar.delay);
        self.state.gates.as_mut().map_or(0, |gates| gates.receive(output, bytes, at))
    }

    #[cold]
    #[inline(never)]
    fn wait_at_gate(&mut self, head: &Due, now: u64) -> Option<u64> {
        let bytes = self.network.bytes_of(head.packet, self.labels);
        let (lane, input) = (self.own_lane(head), (self.inputs + u32::from(head.input)) as usize);
        let later = self.state.gates.as_mut()?.hold_back((lane, input), bytes, now)?;
        self.state.turned[lane] = self.state.turned[lane].max(later);
        Some(later)
    }

    /// Notes the stay of a packet that has been granted at an instant, if it is requested: from when until when.
    #[inline(never)]
    pub(super) fn note_stay(&mut self, head: &Due, (now, entered, left): (u64, u64, u64)) {
        let (network, labels, position) = (self.network, self.labels, self.position);
        let (Some(history), Some(origins)) = (&mut self.state.history, &labels.origins) else { return };
        if !history.keeps(position, entered, left) {
            return;
        }
        let port = self.first_lane / network.vcs + u32::from(head.input);
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

impl<const HELD: bool, const CLASSED: bool> Router<'_, '_, HELD, CLASSED> {
    /// Decides for the packets whose turn comes before that of the next one that could be granted, or at the same instant. Returns which
    /// one could be granted next.
    #[inline(never)]
    pub(super) fn decide_before(
        &mut self,
        undecided: &mut Vec<Undecided>,
        (due, mut first): (&mut Vec<Due>, Option<First>),
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
            if let Some(Head::Due(mut head)) = self.head(head.lane) {
                head.at = self.ready(&head).max(at);
                due.push(head);
            }
            first = least(due);
        }
        first
    }

    fn at(&self, lane: u16, packet: Packet, nic: u32) -> At {
        let channel = self.network.channels[usize::from(lane)];
        At { router: self.address, channel, address: packet.address(), nic }
    }

    /// The way of a head packet that does not depend on what it sees.
    #[inline(never)]
    pub(super) fn settle(&mut self, lane: u16, packet: Packet, nic: u32) -> Option<Hop> {
        let at = self.at(lane, packet, nic);
        let ruling = self.state.ruling.as_mut()?;
        let decision = self.network.routing.decide(at, &mut ruling.found, None)?;
        let own = (self.lanes + u32::from(lane)) as usize;
        ruling.decided[own] = decision;
        Some(ruling.hop(own))
    }

    /// Decides where a head packet goes on, by what it sees now.
    fn decide(&mut self, head: &Undecided, now: u64) {
        self.announce(now);
        let network = self.network;
        let at = self.at(head.lane, head.packet, network.nic_of(head.packet, self.labels));
        let Some(ruling) = &mut self.state.ruling else { return };
        let Ruling { decided, queues, found, .. } = &mut **ruling;
        let (outputs, slots, first, vcs) =
            (&self.state.outputs, self.slots, self.outputs, network.vcs as usize);
        let mut queue = |output: u16| {
            let place = (first + u32::from(output)) as usize;
            queues.at(place, vcs, (slots, outputs[place].lane), now)
        };
        let announced = &self.shared.announced;
        let far = |router: u32, output: u16| announced.view((router, output), now, network);
        let draw = mix(mix(u64::from(self.address) << 16 | u64::from(head.lane)).wrapping_add(now));
        let own = self.lanes as usize..(self.lanes + self.lane_count) as usize;
        // There is room for a packet if there is for those as well that have been decided for it before.
        let mut room = |output: u16, class: u8| {
            let of_service = network.class_of_service(at.channel.vc, class);
            let (place, (low, high)) =
                ((first + u32::from(output)) as usize, network.class_range(of_service));
            let tails = &self.state.tails[place * vcs..][..vcs];
            let filling = Filling { slots, first_lane: outputs[place].lane, tails };
            let for_it = |other: &&Decision| other.is_made && (other.output, other.class) == (output, class);
            let before = decided[own.clone()].iter().filter(for_it).count();
            (low..high).map(|vc| filling.places(vc, before + 1, now)).sum::<usize>() > before
        };
        let view = View { draw, queue: &mut queue, far: &far, room: &mut room };
        let decision = network.routing.decide(at, found, Some(view)).expect("a view suffices");
        decided[own][usize::from(head.lane)] = decision;
    }

    /// Returns whether a node sends to an input port.
    #[cold]
    #[inline(never)]
    pub(super) fn is_injection(&self, input: u16) -> bool {
        let place = self.state.first.input + self.inputs + u32::from(input);
        matches!(self.network.inputs[place as usize].from, Sender::Nic(_))
    }

    /// A packet without a credit waits until a place that it could take becomes free. Returns when, if that is known by now.
    #[cold]
    pub(super) fn block(&mut self, head: &Due) -> u64 {
        let (network, output) = (self.network, self.output(head));
        let port = &self.state.outputs[output];
        let tails = &self.state.tails[output * network.vcs as usize..][..network.vcs as usize];
        let between_threads = !self.outbox.is_own(port.to);
        let range = channels_of::<HELD>(network, &self.state.held, head.class, self.own_lane(head));
        let filling = Filling { slots: self.slots, first_lane: port.lane, tails };
        let soonest = filling.mark_all(range, between_threads);
        if soonest == NEVER {
            if between_threads && !self.outbox.is_here(port.to) {
                for vc in range.0..range.1 {
                    self.outbox.await_ghost(port.to, port.lane + vc, tails[vc as usize]);
                }
            }
            let word = self.masks as usize + usize::from(head.lane) / 64;
            self.state.masks[word].blocked |= 1 << (head.lane % 64);
        }
        soonest
    }

    /// The place of a packet that leaves is free from the instant `known` on; a sender that lacks it is sent the credit.
    #[inline(always)]
    pub(super) fn give_back(
        &mut self,
        head: &Due,
        (freed, from): (u16, From),
        (departure, known): (Option<Departure>, u64),
        sink: &mut impl Sink,
    ) {
        let own = self.own_lane(head);
        self.state.gates.iter_mut().for_each(|gates| gates.went(own));
        let is_awaited = self.slots.free(head.slot, (departure, known), from == From::Thread);
        if from == From::Process {
            let lane = self.first_lane + u32::from(head.lane);
            self.outbox.free_ghost((lane, freed), (departure, known), is_awaited, self.window);
        } else if is_awaited {
            self.send_credit(head.input, known, sink);
        }
    }

    /// Sends the sender behind an input port, if it lacks a credit, the instant from which there is one.
    #[inline(never)]
    pub(super) fn send_credit(&mut self, input: u16, known: u64, sink: &mut impl Sink) {
        let place = self.state.first.input + self.inputs + u32::from(input);
        match self.network.inputs[place as usize].from {
            Sender::Nic(nic) => self.outbox.credit_nic(nic, known, self.window, sink),
            Sender::Router(router, output) => {
                if self.outbox.credit(router, output, known, self.window) {
                    self.state.unblock(self.network, router, output);
                }
            }
            Sender::None => {}
        }
    }
}

/// The virtual channels that the head packet of a lane may take: the one that it has, or those of its class.
#[inline(always)]
pub(super) fn channels_of<const HELD: bool>(
    network: &PacketNetwork,
    held: &HeldChannels,
    class: u8,
    lane: usize,
) -> (u32, u32) {
    let class = network.class_range(class);
    if HELD { held.of(lane).map_or(class, |vc| (vc, vc + 1)) } else { class }
}
