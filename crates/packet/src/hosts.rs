//! Endpoints with programs: the ranks of one part, and the interfaces of their nodes.

mod accounting;
mod changed;
mod choosing;
mod mail;
mod pumping;
mod queued;
mod saved;
mod stripes;
mod within_node;

use crate::flights::{Departure, FlightId, FlightNumbers, Incoming, Outgoing, SavedFlight};
use crate::meters::Interval;
use crate::network::PacketNetwork;
use crate::nic::Nics;
use crate::parts::{Endpoints, Shared};
use crate::routers::{Counted, Delivery, Kept, Routers, Sink};
use crate::series::{PartReport, Samples};
use crate::{Counts, Latencies};
use choosing::Load;
pub(crate) use mail::Mail;
use pumping::Sharing;
use queued::{Queued, Sending, Waiting};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use stripes::Stripes;
use weir_network::causes::Trail;
use weir_network::record::{LatencySeries, Pairs, Requested};
use weir_network::{
    Calendar, Chosen, Doing, Ended, Event, EventKey, EventKind, LatencyKind, Message, NodeMemory, Notice,
    Placement, Program, Ranks, Way,
};
use weir_pdes::{Next, Window};
use weir_units::{Duration, Rank, Time};

/// The ranks of one part, with the interfaces of all its nodes.
pub(crate) struct Hosts<'a, P: Program> {
    network: &'a PacketNetwork,
    /// What it was when the run began.
    first: &'a PacketNetwork,
    shared: &'a Shared<'a>,
    part: usize,
    placement: &'a Placement,
    mail: &'a Mail<P::Body>,
    ranks: Ranks<'a, P>,
    /// By rank: its place among those of this part.
    place_of: Vec<u32>,
    calendar: Calendar<Happening<P::Body>>,
    /// By node: its place among those of this part.
    node_place: Vec<u32>,
    /// By node of this part: the interface whose turn it is.
    handed_over: Vec<u32>,
    /// By interface of this part: what it has got, where the rule asks for that.
    loads: Vec<Load>,
    /// The interfaces of this part, the message that each sends, and those that wait behind it.
    nics: Nics,
    sending: Vec<Option<Sending>>,
    queues: Vec<VecDeque<Queued<P::Body>>>,
    sharing: Sharing,
    /// Messages that several interfaces send.
    stripes: Stripes,
    awake: Vec<u32>,
    outgoing: Outgoing,
    incoming: Incoming<P::Body>,
    /// By part: messages that have taken off, and those delivered.
    departures: Vec<Vec<Departure<P::Body>>>,
    landings: Vec<Vec<(Rank, FlightId)>>,
    /// What memory has to carry between ranks of one node, by ranks and nodes of this part.
    node_memory: NodeMemory,
    leaving: accounting::Leaving,
    ways: accounting::Ways<'a>,
    counted: Counted,
    packets: u64,
    latency: Latencies,
    /// If samples of intervals are requested.
    latencies: Option<LatencySeries>,
    /// What the watch has been shown.
    reported: [u64; 3],
    /// The first window in which a packet arrives after the limit, see [`Counted::last`].
    late: Option<u64>,
    /// Whether a window after the limit has been run.
    beyond: bool,
    over: bool,
}

/// What an event is beside its key. Starts and departures are nothing but their key.
enum Happening<B> {
    /// A message for an interface of its sender's node.
    Injection(Message<B>, Notice),
    /// A message that has arrived; through the network, or from the same node.
    Arrival(Message<B>, Option<FlightId>),
    /// The token of a timer.
    Timer(u64),
    /// A departure, with what led to it.
    Departure(Box<Trail>),
}

impl<'a, P: Program> Hosts<'a, P> {
    pub(crate) fn new(
        network: &'a PacketNetwork,
        shared: &'a Shared<'a>,
        part: usize,
        placement: &'a Placement,
        mail: &'a Mail<P::Body>,
        ranks: Ranks<'a, P>,
        kept: Kept<'_>,
    ) -> Self {
        let mut place_of = vec![u32::MAX; placement.ranks()];
        let mut calendar = Calendar::new();
        for (place, rank) in (0..).zip(ranks.numbers()) {
            place_of[rank.index()] = place;
            let key = EventKey { at: Time::ZERO, kind: EventKind::Start, rank, source: rank, sequence: 0 };
            calendar.add_bare(key);
        }
        let mut node_place = vec![u32::MAX; network.nodes()];
        let (mut numbers, mut nodes) = (Vec::new(), 0);
        for node in shared.nodes(network, part) {
            node_place[node.index()] = nodes;
            nodes += 1;
            let first = node.0 * network.nics_per_node;
            numbers.extend(first..first + network.nics_per_node);
        }
        let nics = Nics::new(network, numbers.into_iter(), kept);
        let parts = shared.parts();
        Self {
            network,
            first: network,
            shared,
            part,
            placement,
            mail,
            outgoing: Outgoing::new(part, parts, ranks.len()),
            incoming: Incoming::new(parts),
            node_memory: NodeMemory::new(&network.within, ranks.len(), nodes as usize),
            ranks: ranks.keeping(kept.requested),
            place_of,
            calendar,
            node_place,
            handed_over: vec![0; nodes as usize],
            loads: vec![Load::default(); if network.counts_loads() { nics.len() } else { 0 }],
            sending: vec![None; nics.len()],
            queues: (0..nics.len()).map(|_| VecDeque::new()).collect(),
            sharing: Sharing::new(if network.serving.is_shared() { nics.len() } else { 0 }),
            nics,
            stripes: Stripes::default(),
            awake: Vec::new(),
            departures: (0..parts).map(|_| Vec::new()).collect(),
            landings: vec![Vec::new(); parts],
            leaving: accounting::Leaving::new(),
            ways: accounting::Ways::new(),
            counted: kept.counted,
            packets: 0,
            latency: Latencies::default(),
            latencies: kept.requested.and_then(Requested::of_latencies).map(LatencySeries::new),
            reported: [0; 3],
            late: None,
            beyond: false,
            over: false,
        }
    }

    /// Does what a rank answers to an event.
    fn put(&mut self, rank: Rank, doing: Doing<P::Body>) {
        match doing {
            Doing::Inject(at, message, notice) => {
                let sequence = message.sequence;
                let key = EventKey { at, kind: EventKind::Injected, rank, source: rank, sequence };
                self.calendar.add(key, Happening::Injection(message, notice));
            }
            Doing::Timer(at, kind, sequence, token) => {
                let key = EventKey { at, kind, rank, source: rank, sequence };
                self.calendar.add(key, Happening::Timer(token));
            }
        }
    }

    /// One event of the calendar.
    fn happen(
        &mut self,
        key: EventKey,
        what: Option<Happening<P::Body>>,
        window: &Window,
        routers: &mut Routers<'_>,
    ) {
        let event = match what {
            Some(Happening::Injection(message, notice)) => {
                return self.inject(key.at, message, notice, window, routers);
            }
            Some(Happening::Arrival(message, flight)) => {
                if let Some(id) = flight {
                    self.land(message.from, id);
                }
                Event::Arrived(message)
            }
            Some(Happening::Timer(token)) => Event::Timer { token },
            Some(Happening::Departure(trail)) => {
                self.ranks.lead(Some(trail));
                Event::Departed { sequence: key.sequence }
            }
            None if key.kind == EventKind::Departed => Event::Departed { sequence: key.sequence },
            None => Event::Start,
        };
        self.ranks.take_turn(self.calendar.round(), key.kind);
        let mut doings = Vec::new();
        self.ranks.deliver(key.rank, key.at, event, |doing| doings.push(doing));
        for doing in doings {
            self.put(key.rank, doing);
        }
    }

    /// A message has been delivered: its number can be used again.
    fn land(&mut self, from: Rank, id: FlightId) {
        self.incoming.land(id);
        if id.from == self.part {
            self.outgoing.landed(self.place_of[from.index()] as usize, self.part, id);
        } else {
            self.landings[id.from].push((from, id));
        }
    }

    /// A message reaches the interfaces of its sender's node.
    fn inject(
        &mut self,
        at: Time,
        mut message: Message<P::Body>,
        notice: Notice,
        window: &Window,
        routers: &mut Routers<'_>,
    ) {
        let (from, to) = (self.placement.node(message.from), self.placement.node(message.to));
        if from == to {
            return self.copy_within_node(at, message, notice);
        }
        let chosen = self.choose(at, (from, to), &message, window, routers);
        let nics = self.network.nics_per_node;
        let first = self.node_place[from.index()] * nics;
        let nic = match &chosen {
            Chosen::One(nic) => *nic,
            Chosen::Several(shares) => shares[0].0,
        };
        self.account_for_injection(at, &mut message, notice, from.0 * nics + nic);
        let address = self.network.address(from, nic, to);
        let waiting = Waiting { message, notice, ready: at.as_ps(), address };
        let place = first + nic;
        if let Chosen::Several(shares) = chosen {
            let whole = self.take_off(waiting);
            self.stripes.add((whole.from, whole.sequence), shares.len() as u32);
            for (nic, share) in shares {
                let address = self.network.address(from, nic, to);
                let own = Sending { left: share.0, share: share.0, address, ..whole };
                self.hand_to(first + nic, own, window, routers);
            }
            return;
        }
        // Another interface, or in turns the same one, might send a later message of the same pair first: so their order is passed on
        // now.
        let is_busy = self.sending[place as usize].is_some();
        if is_busy && nics == 1 && !self.network.serving.is_shared() {
            return self.queues[place as usize].push_back(Queued::Waiting(waiting));
        }
        let sending = self.take_off(waiting);
        self.hand_to(place, sending, window, routers);
    }

    /// Lets the part of the receiver know that a message is on its way.
    fn take_off(&mut self, waiting: Waiting<P::Body>) -> Sending {
        let Waiting { message, notice, ready, address } = waiting;
        let Message { from, sequence, bytes, .. } = message;
        let own_gap = message.way.as_deref().and_then(Way::gap);
        let is_in_order = !self.network.serving.is_shared() || message.keeps_order();
        let destination = self.placement.node(message.to);
        let to = self.shared.home(destination);
        let rank = self.place_of[from.index()] as usize;
        let packets = bytes.0.div_ceil(u64::from(self.network.mtu)).max(1);
        let departure = self.outgoing.take_off(rank, to, message, packets, is_in_order);
        let flight = departure.id().to_word();
        if to == self.part {
            self.incoming.expect(departure);
        } else {
            self.departures[to].push(departure);
        }
        Sending {
            ready,
            left: bytes.0,
            share: bytes.0,
            to: destination,
            address,
            gap: own_gap.unwrap_or(self.network.gap),
            has_own_gap: own_gap.is_some(),
            stalled: 0,
            flight,
            from,
            sequence,
            notice,
        }
    }

    fn arrive(&mut self, at: Time, message: Message<P::Body>, flight: Option<FlightId>) {
        self.calendar.add(EventKey::of_arrival(at, &message), Happening::Arrival(message, flight));
    }

    fn take_mail(&mut self, window: &Window) {
        let Self { mail, incoming, outgoing, place_of, part, .. } = self;
        mail.departures.take(window.turn, *part, |_, departure| incoming.expect(departure));
        mail.landings.take(window.turn, *part, |from, (rank, id)| {
            outgoing.landed(place_of[rank.index()] as usize, from, id);
        });
    }

    fn send_mail(&mut self, window: &Window) {
        for part in 0..self.shared.parts() {
            self.mail.departures.put(window.turn, self.part, part, &mut self.departures[part]);
            self.mail.landings.put(window.turn, self.part, part, &mut self.landings[part]);
        }
        let traffic = self.ranks.traffic();
        let now = [traffic.messages, traffic.bytes.0, traffic.events];
        let [messages, bytes, events] = [0, 1, 2].map(|count: usize| now[count] - self.reported[count]);
        self.shared.done.add(messages, bytes, events);
        self.reported = now;
        self.answer_so_far(window);
    }

    /// Adds what has been counted, and says how it ended for these ranks.
    pub(crate) fn end(self, counts: &mut Counts) -> Ended {
        counts.packets += self.packets;
        counts.latency.join(&self.latency);
        self.nics.count(self.network, counts);
        self.ranks.end()
    }
}

impl<P: Program> Sink for Hosts<'_, P> {
    fn deliver(&mut self, delivery: Delivery) {
        let Delivery { label, at, stalled, .. } = delivery;
        if at > self.counted.last {
            let window = self.network.width.number(Time::from_ps(at));
            self.late = Some(self.late.map_or(window, |late| late.min(window)));
            return;
        }
        self.packets += 1;
        self.latency.add(at - label.birth);
        if let Some(latencies) = &mut self.latencies {
            latencies.add(Time::from_ps(at), Duration::from_ps(at - label.birth));
        }
        let mut complete = None;
        let (id, packet) = (FlightId::from_word(label.message), (label.birth, stalled));
        self.incoming.arrive(id, packet, at, |id, mut message, at, stalled| {
            Self::account_for_arrival(&mut message, at, stalled);
            complete.get_or_insert_with(Vec::new).push((id, message, at));
        });
        for (id, message, at) in complete.into_iter().flatten() {
            self.arrive(at, message, Some(id));
        }
    }

    fn credit(&mut self, nic: u32, window: u64) {
        self.nics.credit(nic, window);
    }
}

impl<P: Program> Endpoints for Hosts<'_, P>
where
    P::Body: Serialize + DeserializeOwned,
{
    fn run(&mut self, window: &Window, routers: &mut Routers<'_>) {
        self.take_mail(window);
        self.over |= self.shared.polling.is_in_vain(window.turn, self.part);
        self.send_and_react(window, routers);
        // Nothing happens after the limit. So if the network needs a second window after it, something would happen; the
        // first one may only have been for those without a credit.
        if window.start.as_ps() > self.counted.last && std::mem::replace(&mut self.beyond, true) {
            self.ranks.must_end_before(window.start);
        }
        self.over |= self.ranks.must_end();
        let idle = self.calendar.idle().filter(|_| self.outgoing.is_empty());
        self.shared.polling.say(window.turn, self.part, idle);
        self.send_mail(window);
    }

    fn next(&mut self, from: u64) -> Next {
        let event = self.calendar.next_time().map(|at| self.network.width.number(at));
        let due = event.into_iter().chain(self.late).map(|window| window.max(from));
        let next = due.chain(self.nics.next(from)).min();
        if self.over { Next::Stop } else { next.map_or(Next::Nothing, Next::Window) }
    }

    fn waits(&self) -> bool {
        self.has_packets()
    }

    fn change(&mut self, opens: u64, window: &Window) {
        self.follow(opens, window);
    }

    fn remains(&self) -> (bool, Time) {
        (self.has_packets(), self.nics.last())
    }

    fn close(&mut self, samples: &mut Samples) {
        self.nics.close(samples);
    }

    fn begin(&mut self, interval: Interval) {
        self.nics.begin_interval(interval);
    }

    fn first_later(&self) -> Option<u64> {
        self.nics.first_later()
    }

    fn close_latencies(&mut self, until: Time, report: &mut PartReport) {
        report.latencies(LatencyKind::Message, self.ranks.take_latencies(until));
        let packets = self.latencies.as_mut();
        report.latencies(LatencyKind::Packet, packets.map(|series| series.take(until)).unwrap_or_default());
    }

    fn report(&mut self, report: &mut PartReport) {
        report.messages.extend(self.ranks.take_messages());
    }

    fn report_rest(&mut self, report: &mut PartReport) {
        report.messages.extend(self.ranks.take_kept().into_iter().map(|(_, message)| (Time::MAX, message)));
    }

    fn pairs(&mut self) -> Option<Pairs> {
        self.ranks.take_pairs()
    }

    fn take_mail(&mut self, window: &Window) {
        self.take_mail(window);
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn save(&mut self) -> (Vec<SavedFlight>, Vec<u8>) {
        let ranks = self.ranks.save();
        self.saved(ranks)
    }

    fn restore(
        &mut self,
        saved: &[(&[SavedFlight], &[u8])],
        numbers: &FlightNumbers,
        window: &Window,
    ) -> Option<()> {
        self.empty();
        saved.iter().try_for_each(|(flights, _)| self.take_over_flights(flights, numbers))?;
        // A part of then without endpoints has kept nothing.
        let mut all = (0..).zip(saved).filter(|(_, (_, bytes))| !bytes.is_empty());
        all.try_for_each(|(from, (_, bytes))| self.take_over(from, bytes, numbers, window))
    }
}
