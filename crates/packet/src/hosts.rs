//! Endpoints with programs: the ranks of one part, and the interfaces of their nodes.

mod accounting;
mod choosing;
mod lines;
mod pumping;
mod saved;

use crate::crossing::{Delivery, Sink};
use crate::flights::{Departure, FlightId, FlightName, FlightNumbers, Incoming, Outgoing};
use crate::network::PacketNetwork;
use crate::nic::Nics;
use crate::parts::{Endpoints, Saved};
use crate::reports::PartReport;
use crate::routers::{MeasuredPeriod, Measurement, Routers};
use crate::shared::Shared;
use crate::{Counts, Latencies};
use choosing::Load;
use pumping::{Queued, Ring, Sending, Sharing, Stripes, Waiting};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use weir_network::record::{LatencySeries, Pairs, Requested};
use weir_network::{
    Calendar, Chosen, Due, Ended, Event, EventKey, LatencyKind, Message, Moment, NodeMemory, Notice, Pending,
    Placement, Program, Ranks,
};
use weir_pdes::{Division, Letterbox, Letters, Next, Window};
use weir_units::{Duration, Rank, Time};

/// The ranks of one part, with the interfaces of all its nodes.
pub(crate) struct Hosts<'a, P: Program> {
    network: &'a PacketNetwork,
    /// The network when the run began.
    first: &'a PacketNetwork,
    shared: &'a Shared<'a>,
    part: usize,
    placement: &'a Placement,
    mail: &'a Mail<P::Body>,
    ranks: Ranks<'a, P>,
    /// By rank: its place among those of this part.
    place_of: Vec<u32>,
    /// By node: its place among those of this part.
    node_place: Vec<u32>,
    /// The interfaces of this part, those of a node side by side.
    nics: Nics,
    state: State<P::Body>,
    sharing: Sharing,
    awake: Vec<u32>,
    /// By part: messages that have been registered, and those delivered.
    departures: Vec<Vec<Departure<P::Body>>>,
    releases: Vec<Vec<(Rank, FlightId)>>,
    ways: accounting::Ways<'a>,
    counted: MeasuredPeriod,
    /// If samples of intervals are requested.
    latencies: Option<LatencySeries>,
    /// Counts that the watch has been shown.
    reported: [u64; 3],
    /// True if a window after the limit has been run.
    beyond: bool,
    over: bool,
}

/// An event to come for a rank, with the flight of a message.
type HostEvent<B> = Pending<B, Option<FlightId>>;

/// State between two windows, as a checkpoint keeps it: ranks, nodes and interfaces by their places among those of this part.
#[derive(Serialize, Deserialize)]
struct State<B> {
    calendar: Calendar<HostEvent<B>>,
    /// By node: the interface whose turn it is.
    handed_over: Vec<u32>,
    /// By interface: what it has got, where the rule asks for that.
    loads: Vec<Load>,
    /// By interface and service class, a *line* each: the message that it sends, those that it sends in turn with that, and those that wait
    /// behind it. And the tag of the class, if there are several.
    sending: Vec<Option<Sending>>,
    rings: Vec<Ring>,
    queues: Vec<VecDeque<Queued<B>>>,
    tags: Vec<u64>,
    /// Messages that several interfaces send.
    stripes: Stripes,
    outgoing: Outgoing,
    incoming: Incoming<B>,
    /// Load of memory between ranks of one node.
    node_memory: NodeMemory,
    leaving: accounting::Leaving,
    packets: u64,
    latency: Latencies,
    /// The first window in which a packet arrives after the limit, see [`MeasuredPeriod::last`].
    late: Option<u64>,
}

impl<'a, P: Program> Hosts<'a, P> {
    pub(crate) fn new(
        network: &'a PacketNetwork,
        shared: &'a Shared<'a>,
        part: usize,
        placement: &'a Placement,
        mail: &'a Mail<P::Body>,
        ranks: Ranks<'a, P>,
        kept: Measurement<'_>,
    ) -> Self {
        let mut place_of = vec![u32::MAX; placement.ranks()];
        let mut calendar = Calendar::new();
        calendar.add_starts(ranks.numbers());
        (0..).zip(ranks.numbers()).for_each(|(place, rank)| place_of[rank.index()] = place);
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
        let lines = nics.len() * network.services();
        let in_turn = if network.takes_turns() { lines } else { 0 };
        let state = State {
            calendar,
            handed_over: vec![0; nodes as usize],
            loads: vec![Load::default(); if network.counts_loads() { nics.len() } else { 0 }],
            sending: vec![None; lines],
            rings: (0..in_turn).map(|_| Ring::default()).collect(),
            queues: (0..lines).map(|_| VecDeque::new()).collect(),
            tags: vec![0; if network.services.is_some() { lines } else { 0 }],
            stripes: Stripes::default(),
            outgoing: Outgoing::new(part, parts, ranks.len()),
            incoming: Incoming::new(parts),
            node_memory: NodeMemory::new(&network.node.within, ranks.len(), nodes as usize),
            leaving: accounting::Leaving::new(),
            packets: 0,
            latency: Latencies::default(),
            late: None,
        };
        Self {
            network,
            first: network,
            shared,
            part,
            placement,
            mail,
            ranks: ranks.keeping(kept.requested),
            place_of,
            node_place,
            nics,
            state,
            sharing: Sharing::default(),
            awake: Vec::new(),
            departures: (0..parts).map(|_| Vec::new()).collect(),
            releases: vec![Vec::new(); parts],
            ways: accounting::Ways::new(),
            counted: kept.counted,
            latencies: kept.requested.and_then(Requested::of_latencies).map(LatencySeries::new),
            reported: [0; 3],
            beyond: false,
            over: false,
        }
    }

    /// Processes one event of the calendar.
    fn process(&mut self, key: EventKey, what: Option<HostEvent<P::Body>>, routers: &mut Routers<'_>) {
        match Pending::due(key, what) {
            Due::Inject(message, notice) => self.inject(key.at, message, notice, routers),
            Due::Deliver(event, trail, flight) => {
                if let (Event::Arrived(message), Some(id)) = (&event, flight) {
                    self.release(message.from, id);
                }
                let Self { ranks, state: State { calendar, .. }, .. } = self;
                ranks.set_cause(trail);
                ranks.take_turn(calendar.round(), key.kind);
                ranks.deliver(key.rank, key.at, event, |output| calendar.add_output(key.rank, output));
            }
        }
    }

    /// A message has been delivered: its number can be used again.
    fn release(&mut self, from: Rank, id: FlightId) {
        self.state.incoming.release(id);
        if id.from == self.part {
            self.state.outgoing.release(self.place_of[from.index()] as usize, self.part, id);
        } else {
            self.releases[id.from].push((from, id));
        }
    }

    /// A message reaches the interfaces of its sender's node.
    fn inject(&mut self, at: Time, mut message: Message<P::Body>, notice: Notice, routers: &mut Routers<'_>) {
        let (from, to) = (self.placement.node(message.from), self.placement.node(message.to));
        if from == to {
            return self.copy_within_node(at, message, notice);
        }
        let chosen = self.choose(at, &message, routers);
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
            let whole = self.register(waiting);
            self.state.stripes.add((whole.from, whole.sequence), shares.len() as u32);
            for (nic, share) in shares {
                let address = self.network.address(from, nic, to);
                let own = Sending { left: share.0, share: share.0, address, ..whole };
                self.hand_to(first + nic, own, routers);
            }
            return;
        }
        // Another interface, or in turns the same one, might send a later message of the same pair first: so their order is passed on
        // now.
        if nics == 1 && !self.network.takes_turns() && self.state.sending[place as usize].is_some() {
            return self.state.queues[place as usize].push_back(Queued::Waiting(waiting));
        }
        let sending = self.register(waiting);
        self.hand_to(place, sending, routers);
    }

    /// Lets the part of the receiver know that a message is on its way.
    fn register(&mut self, waiting: Waiting<P::Body>) -> Sending {
        let Waiting { message, notice, ready, address } = waiting;
        let Message { from, sequence, bytes, .. } = message;
        let own_gap = message.way.as_deref().and_then(|way| way.gap);
        let is_in_order = !self.network.node.serving.is_shared() || message.keeps_order();
        let service = self.network.service_of(from, bytes, message.class);
        let destination = self.placement.node(message.to);
        let to = self.shared.home(destination);
        let rank = self.place_of[from.index()] as usize;
        let packets = bytes.0.div_ceil(u64::from(self.network.mtu)).max(1);
        let departure = self.state.outgoing.register(rank, to, message, packets, is_in_order);
        let flight = departure.id().to_word();
        if to == self.part {
            self.state.incoming.announce(departure);
        } else {
            self.departures[to].push(departure);
        }
        Sending {
            ready,
            left: bytes.0,
            share: bytes.0,
            to: destination,
            address,
            service,
            gap: own_gap.unwrap_or(self.network.node.packet_gap),
            has_own_gap: own_gap.is_some(),
            stalled: 0,
            flight,
            from,
            sequence,
            notice,
        }
    }

    fn send_mail(&mut self, window: &Window) {
        for part in 0..self.shared.parts() {
            self.mail.departures.put(window.turn, self.part, part, &mut self.departures[part]);
            self.mail.releases.put(window.turn, self.part, part, &mut self.releases[part]);
        }
        let traffic = self.ranks.traffic();
        let now = [traffic.messages, traffic.bytes.0, traffic.events];
        let new = std::array::from_fn(|count| now[count] - self.reported[count]);
        self.shared.done.add(self.shared.division.local(self.part), new);
        self.reported = now;
        self.answer_so_far(window);
    }

    /// Adds what has been counted, and says how it ended for these ranks.
    pub(crate) fn end(self, counts: &mut Counts) -> Ended {
        counts.packets += self.state.packets;
        counts.latency.join(&self.state.latency);
        self.nics.count(self.network, counts);
        self.ranks.end()
    }
}

impl<P: Program> Sink for Hosts<'_, P> {
    fn deliver(&mut self, delivery: Delivery) {
        let Delivery { label, at, stalled, .. } = delivery;
        if at > self.counted.last {
            let window = self.network.width.number(Time::from_ps(at));
            self.state.late = Some(self.state.late.map_or(window, |late| late.min(window)));
            return;
        }
        self.state.packets += 1;
        self.state.latency.add(at - label.birth);
        if let Some(latencies) = &mut self.latencies {
            latencies.add(Time::from_ps(at), Duration::from_ps(at - label.birth));
        }
        let mut complete = None;
        let (id, packet) = (FlightId::from_word(label.message), (label.birth, stalled));
        self.state.incoming.arrive(id, packet, at, |id, mut message, at, stalled| {
            Self::account_for_arrival(&mut message, at, stalled);
            complete.get_or_insert_with(Vec::new).push((id, message, at));
        });
        for (id, message, at) in complete.into_iter().flatten() {
            self.state.calendar.add_arrival(message, at, Some(id));
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
    fn run(&mut self, routers: &mut Routers<'_>) {
        let window = routers.window;
        self.take_mail(&window);
        self.over |= self.shared.polling.is_in_vain(window.turn, self.part);
        self.send_and_react(routers);
        // Nothing happens after the limit. So if the network needs a second window after it, something would happen; the
        // first one may only have been for those without a credit.
        if window.start.as_ps() > self.counted.last && std::mem::replace(&mut self.beyond, true) {
            self.ranks.must_end_before(window.start);
        }
        self.over |= self.ranks.must_end();
        let idle = self.state.calendar.idle().filter(|_| self.state.outgoing.is_empty());
        self.shared.polling.say(window.turn, self.part, idle);
        self.send_mail(&window);
    }

    fn next(&mut self, from: u64) -> Next {
        let event = self.state.calendar.next_time().map(|at| self.network.width.number(at));
        let pause = Some(self.ranks.next_pause()).filter(|&pause| pause < Time::MAX);
        let pause = pause.map(|at| self.network.width.number(at));
        let due = event.into_iter().chain(self.state.late).chain(pause).map(|window| window.max(from));
        let next = due.chain(self.nics.next(from)).min();
        if self.over { Next::Stop } else { next.map_or(Next::Nothing, Next::Window) }
    }

    fn waits(&self) -> bool {
        let has_control = self.state.rings.iter().any(|ring| !ring.control.is_empty());
        has_control || self.state.sending.iter().any(Option::is_some)
    }

    fn change(&mut self, opens: u64, window: &Window) {
        self.follow(opens, window);
    }

    fn remains(&self) -> (bool, Time) {
        (self.waits(), self.nics.last())
    }

    fn nics(&mut self) -> Option<&mut Nics> {
        Some(&mut self.nics)
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
        report.messages.extend(self.ranks.take_kept().into_iter().map(|message| (Time::MAX, message)));
    }

    fn pairs(&mut self) -> Option<Pairs> {
        self.ranks.take_pairs()
    }

    fn take_mail(&mut self, window: &Window) {
        let Self { mail, state: State { incoming, outgoing, .. }, place_of, part, .. } = self;
        mail.departures.take(window.turn, *part, |_, departure| incoming.announce(departure));
        mail.releases.take(window.turn, *part, |from, (rank, id)| {
            outgoing.release(place_of[rank.index()] as usize, from, id);
        });
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn stopped_at(&self) -> Option<Moment> {
        self.ranks.stopped_at()
    }

    fn save(&mut self) -> (Vec<FlightName>, Vec<u8>) {
        self.saved()
    }

    fn restore(&mut self, saved: &Saved<'_>, numbers: &FlightNumbers, window: &Window) -> Option<()> {
        self.state.calendar = Calendar::new();
        saved.iter().try_for_each(|(flights, _)| self.take_over_names(flights, numbers))?;
        // A part of then without endpoints has kept nothing.
        let mut all = (0..).zip(saved).filter(|(_, (_, bytes))| !bytes.is_empty());
        all.try_for_each(|(from, (_, bytes))| self.take_over(from, bytes, numbers, window))
    }
}

pub(crate) struct Mail<B> {
    departures: Letterbox<Departure<B>>,
    /// Whose messages have been delivered.
    releases: Letterbox<(Rank, FlightId)>,
}

impl<B: Serialize + DeserializeOwned> Mail<B> {
    pub(crate) fn new(division: Division) -> Self {
        Self { departures: Letterbox::new(division), releases: Letterbox::new(division) }
    }

    /// All boxes with mail for other processes.
    pub(crate) fn boxes(&self) -> [&dyn Letters; 2] {
        [&self.departures, &self.releases]
    }
}
