//! The run: the steps of paper 000, Fig. 1, each for those flows only that it changes.

mod saved;
mod serving;
mod ways;

use crate::accounting::{Accounting, Behind, Latencies};
use crate::arrivals::{ArrivalOrder, LastArrivals};
use crate::flows::Flows;
use crate::interfaces::{Interfaces, Turns};
use crate::lanes::Lanes;
use crate::queues::{Part, Queued, Queues, Stripes};
use crate::services::Services;
use crate::ties::Ties;
use crate::{Change, Flow, FlowEnded, NodeModel};
use saved::Checkpointing;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::causes::Trail;
use weir_network::{
    Calendar, Checkpoints, Chosen, Event, LatencyKind, Limits, Message, Neighbors, NodeMemory, Notice,
    Outcome, Output, Pending, Placement, Program, Ranks, Recorder,
};
use weir_topology::{Shares, Topology};
use weir_units::{Duration, NodeId, Rank, Time};

/// A run: the ranks, and the network between them.
pub(crate) struct Engine<'a, P: Program> {
    ranks: Ranks<'a, P>,
    network: Network<'a, P::Body>,
    resolution: Duration,
    limits: Limits,
}

/// The machine when the run begins, and what it becomes, in the order of instants.
#[derive(Clone, Copy)]
pub(crate) struct Machines<'a> {
    pub(crate) topology: &'a Topology,
    pub(crate) changes: &'a [Change<'a>],
    pub(crate) done: usize,
}

impl<'a> Machines<'a> {
    /// Skips so many changes; `None` if there are fewer.
    fn skip(&mut self, count: usize) -> Option<()> {
        let (skipped, changes) = self.changes.split_at_checked(count)?;
        let topology = skipped.last().map_or(self.topology, |change| change.topology);
        *self = Self { topology, changes, done: self.done + count };
        Some(())
    }
}

/// All between the ranks.
struct Network<'a, B> {
    /// The machine now, and its changes to come.
    machines: Machines<'a>,
    placement: &'a Placement,
    node: NodeModel,
    services: Services<'a>,
    interfaces: Interfaces,
    latencies: Latencies,
    ties: Ties,
    /// Bytes per second of the fastest link.
    fastest: f64,
    state: State<B>,
    finished: Vec<u32>,
    /// The departures of this instant, if they are delivered without going through the calendar.
    departed: Vec<Departure>,
    departed_at_once: bool,
    /// True if an injection of this instant is in the calendar, behind what was due before (there is a resolution).
    injects_later: bool,
    route: Shares,
}

/// State of the network between two instants, as a checkpoint keeps it: nothing that follows from the machine, and nothing that is only used
/// within an instant.
#[derive(Serialize, Deserialize)]
struct State<B> {
    /// Slots whose active message has no bytes, and no way.
    waiting: Vec<u32>,
    /// By pair of nodes: when the last message arrives that will be on its way when the machine changes.
    arrivals: BTreeMap<(NodeId, NodeId), Time>,
    turns: Turns,
    lanes: Lanes,
    order: ArrivalOrder<B>,
    /// If routes of two nodes may have different latencies.
    last_arrivals: Option<LastArrivals>,
    calendar: Calendar<Pending<B>>,
    /// By slot: the active message.
    active: Queues<Queued<B>>,
    /// By interface: the messages that wait until one of its active messages has left.
    queues: Queues<Queued<B>>,
    /// Messages that several interfaces send.
    stripes: Stripes<B>,
    /// By slot: the flow of its active message.
    flows: Flows,
    /// The largest part of its size by which a message has been perturbed.
    jitter: f64,
    /// By slot: the sum of the latencies on the route of its active message.
    route_latency: Vec<Duration>,
    /// Load of memory between ranks of one node that share it with no flow.
    node_memory: NodeMemory,
    accounting: Accounting,
    behind: Behind,
}

/// A departure that is delivered without going through the calendar.
struct Departure {
    /// The sender, and which of its messages.
    of: (Rank, u64),
    trail: Option<Box<Trail>>,
}

impl<'a, P: Program> Engine<'a, P> {
    pub(crate) fn new(
        flow: &Flow,
        machines: Machines<'a>,
        placement: &'a Placement,
        (node, services): (NodeModel, Services<'a>),
        flows: Flows,
        ranks: Ranks<'a, P>,
        limits: Limits,
    ) -> Self {
        let topology = machines.topology;
        let interfaces = Interfaces::new(topology, &node, placement.ranks(), services.count());
        let state = State {
            waiting: Vec::new(),
            arrivals: BTreeMap::new(),
            turns: interfaces.turns(),
            lanes: interfaces.lanes(),
            order: ArrivalOrder::default(),
            last_arrivals: (flows.weighs() || topology.most_cables() > 1).then(LastArrivals::default),
            calendar: Calendar::new(),
            active: Queues::new(interfaces.slots()),
            queues: Queues::new(interfaces.slots()),
            stripes: Stripes::default(),
            jitter: 0.0,
            route_latency: vec![Duration::ZERO; interfaces.slots()],
            node_memory: NodeMemory::new(&node.within, ranks.len(), topology.nodes()),
            accounting: Accounting::new(topology, &interfaces, ranks.keeps_causes()),
            behind: Behind::default(),
            flows,
        };
        let network = Network {
            machines,
            placement,
            node,
            services,
            interfaces,
            latencies: Latencies::of(topology),
            ties: flow.ties,
            fastest: state.flows.largest_capacity(),
            state,
            finished: Vec::new(),
            departed: Vec::new(),
            departed_at_once: false,
            injects_later: false,
            route: Shares::default(),
        };
        Self { ranks, network, resolution: flow.resolution, limits }
    }

    /// One turn of the loop is one cycle of the paper: Steps 8 and 1 are `finish_flows` and `let_events_act` (what is
    /// left of a message, which message is next), Steps 2 to 6 are `share` (who shares what, until when each needs),
    /// Step 7 is `next_instant`.
    pub(crate) fn run(
        mut self,
        mut recorder: Option<&mut dyn Recorder>,
        checkpoints: Option<&mut dyn Checkpoints>,
    ) -> FlowEnded
    where
        P::Body: Serialize + DeserializeOwned,
    {
        self.network.state.calendar.add_starts(self.ranks.numbers());
        self.ranks.begin();
        let mut keeping = Checkpointing::new(checkpoints);
        let mut last = self.go_on(&mut keeping);
        let mut limit = None;
        loop {
            let next = self.next_instant(last);
            if self.pause_before(next) {
                continue;
            }
            let Some(now) = next else { break };
            if self.network.is_stuck() || self.ranks.must_end_before(now) {
                limit = (now > self.limits.simulated).then_some(self.limits.simulated);
                break;
            }
            if keeping.is_on() && !self.keep_if_due(&mut keeping, last, now) {
                break;
            }
            last = Some(now);
            if let Some(recorder) = &mut recorder {
                self.report(now, *recorder);
                if recorder.has_failed() {
                    break;
                }
            }
            self.network.state.calendar.begin(now);
            self.network.injects_later = false;
            let changes = self.network.change(now);
            self.finish_flows(now);
            self.let_events_act(now);
            if changes {
                let Network { machines, interfaces, state, .. } = &mut self.network;
                state.flows.leave_all(now, |link| interfaces.capacity(machines.topology, link));
            }
            self.network.share(now, &mut self.ranks);
        }
        self.end(last.unwrap_or(Time::ZERO), limit, recorder)
    }

    /// Lets whoever steps the run act before an instant; returns whether what comes next may be another one.
    fn pause_before(&mut self, next: Option<Time>) -> bool {
        let Self { ranks, network, .. } = self;
        let calendar = &mut network.state.calendar;
        ranks.pause_before(next, |rank, timer| calendar.add_output(rank, timer)) && !ranks.must_end()
    }

    /// Reports everything before an instant to the recorder.
    #[inline(never)]
    fn report(&mut self, now: Time, recorder: &mut dyn Recorder) {
        self.network.state.flows.close_intervals(now, recorder);
        let latencies = self.ranks.take_latencies(now);
        latencies.into_iter().for_each(|(start, sample)| {
            recorder.latencies(start, LatencyKind::Message, sample);
        });
        self.ranks.report(recorder);
    }

    /// The next finish, event or change, but not before the resolution has passed. A change alone is nothing to wait for,
    /// unless a message does.
    fn next_instant(&mut self, last: Option<Time>) -> Option<Time> {
        let event = self.network.state.calendar.next_time();
        let finish = self.network.state.flows.next_finish();
        let next = event.into_iter().chain(finish).min();
        let change = self.network.machines.changes.first().map(|change| change.at);
        let matters = next.is_some() || self.network.has_blocked();
        let next = next.into_iter().chain(change.filter(|_| matters)).min()?;
        Some(last.map_or(next, |last| next.max(last + self.resolution)))
    }

    /// Ends the flows that are done and delivers their departures to the senders. Departures come first in a round; so if nothing else is due
    /// but the arrivals that come with them, they need not go through the calendar.
    fn finish_flows(&mut self, now: Time) {
        let Self { ranks, network, .. } = self;
        network.departed_at_once = network.state.calendar.next_time().is_none_or(|next| next > now);
        network.end_flows(now);
        if std::mem::take(&mut network.departed_at_once) {
            network.state.calendar.close_round();
            let mut departed = std::mem::take(&mut network.departed);
            if !departed.is_sorted_by_key(|departure| departure.of) {
                departed.sort_unstable_by_key(|departure| departure.of);
            }
            for Departure { of: (rank, sequence), trail } in departed.drain(..) {
                if ranks.must_end() {
                    break;
                }
                ranks.set_cause(trail);
                ranks.deliver(rank, now, Event::Departed { sequence }, |output| {
                    network.put(now, rank, output)
                });
            }
            network.departed = departed;
        }
    }

    /// All events that are due, and those that they cause at the same instant.
    fn let_events_act(&mut self, now: Time) {
        let Self { ranks, network, .. } = self;
        loop {
            // Ranks that are woken take part in the instant.
            let calendar = &mut network.state.calendar;
            ranks.pause_before(Some(now), |rank, timer| calendar.add_output(rank, timer));
            if ranks.must_end() {
                break;
            }
            let Some((key, what)) = network.state.calendar.take_until(now) else { break };
            match what {
                Some(Pending::Injection(message, notice)) => network.inject(now, message, notice),
                what => {
                    let (event, trail) = Pending::event(key, what);
                    ranks.set_cause(trail);
                    ranks.deliver(key.rank, now, event, |output| network.put(now, key.rank, output));
                }
            }
        }
    }

    fn end(mut self, last: Time, limit: Option<Time>, mut recorder: Option<&mut dyn Recorder>) -> FlowEnded {
        if let Some(recorder) = &mut recorder {
            self.network.state.flows.close_intervals(limit.unwrap_or(last), *recorder);
            self.report(Time::MAX, *recorder);
            self.ranks.report_rest(*recorder);
        }
        let ended = self.ranks.end();
        // Timers that no longer mean anything do not make a run longer, so the last instant is not always its end.
        let until = if matches!(ended.outcome, Outcome::Limit(_)) { limit.unwrap_or(last) } else { ended.at };
        // The rest of the network goes before the results are put together: a large machine has large results.
        let State { flows, jitter, behind, .. } = self.network.state;
        FlowEnded { jitter, behind: behind.found(), ..flows.end(ended, until, recorder) }
    }
}

impl<B> Network<'_, B> {
    /// Returns whether nothing but vain polls remains: a flow on its way is progress.
    fn is_stuck(&self) -> bool {
        self.state.flows.active() == 0 && self.state.waiting.is_empty() && self.state.calendar.is_stuck()
    }

    fn has_blocked(&self) -> bool {
        self.state.flows.has_blocked() || !self.state.waiting.is_empty()
    }

    /// The machine becomes what it is at this instant; whether that is another one. Flows follow when rates are shared.
    fn change(&mut self, now: Time) -> bool {
        let due = self.machines.changes.iter().take_while(|change| change.at <= now).count();
        if due == 0 || self.machines.skip(due).is_none() {
            return false;
        }
        self.state.arrivals.retain(|_, at| *at > now);
        for slot in std::mem::take(&mut self.state.waiting) {
            self.activate(now, slot as usize);
        }
        true
    }

    /// Does what a rank answers to an event.
    fn put(&mut self, now: Time, rank: Rank, output: Output<B>) {
        match output {
            // With nothing older in the calendar it would be the next to be taken out: events of one instant that inform a
            // rank something come after all injections, but for starts, and these come in the order of ranks.
            Output::Inject(at, message, notice)
                if at == now
                    && !self.injects_later
                    && self.state.calendar.next_time().is_none_or(|t| t >= now) =>
            {
                self.inject(now, message, notice);
            }
            later => {
                self.injects_later |= matches!(later, Output::Inject(at, ..) if at == now);
                self.state.calendar.add_output(rank, later);
            }
        }
    }

    /// A message reaches the interface of its sender's node.
    fn inject(&mut self, now: Time, message: Message<B>, notice: Notice) {
        let (from, to) = (self.placement.node(message.from), self.placement.node(message.to));
        if from == to {
            return self.copy_within_node(now, message, notice);
        }
        if self.interfaces.has_to_be_ordered(&message) {
            self.state.order.hand_over(&message);
        }
        let shares =
            match self.interfaces.choose(self.machines.topology, &mut self.state.turns, (from, to), &message)
            {
                Chosen::One(interface) => {
                    self.state.turns.load(interface as usize, message.bytes);
                    let slot = self.interfaces.slot(interface, self.services.of(&message));
                    return self.queue(now, slot, Queued::Whole(message, notice));
                }
                Chosen::Several(shares) => shares,
            };
        let (of, to, service) = ((message.from, message.sequence), message.to, self.services.of(&message));
        self.state.stripes.add(message, notice, shares.len() as u32);
        for &(interface, bytes) in &shares {
            self.state.turns.load(interface as usize, bytes);
        }
        for (interface, bytes) in shares {
            let slot = self.interfaces.slot(interface, service);
            self.queue(now, slot, Queued::Part(Part { of, to, bytes }));
        }
    }

    /// A message to a rank of the same node: a flow where memory is shared.
    fn copy_within_node(&mut self, now: Time, mut message: Message<B>, notice: Notice) {
        if let Some(memory) = self.interfaces.memory() {
            return self.queue(now, memory.slot(message.to), Queued::Whole(message, notice));
        }
        let [from, to] = [message.from, message.to].map(Rank::index);
        let between = Neighbors { from, to, node: self.placement.node(message.to).index() };
        let (departs, arrives) = self.state.node_memory.pass(&self.node.within, now, message.bytes, between);
        if let Some(trail) = &mut message.trail {
            trail.transfer(self.node.within.time(message.bytes), departs);
        }
        self.state.calendar.add_departure(&message, notice, departs);
        if let Some(trail) = &mut message.trail {
            trail.arrive(arrives, 0);
        }
        self.state.calendar.add_arrival(message, arrives, ());
    }

    /// Ends the flows that are done, and starts those of the next messages that wait at their interfaces.
    fn end_flows(&mut self, now: Time) {
        let due = self.state.flows.finished(now);
        if due.is_empty() {
            return;
        }
        let mut finished = std::mem::take(&mut self.finished);
        finished.clear();
        finished.extend_from_slice(due);
        for &slot in &finished {
            self.note_end(slot as usize);
            self.state.flows.finish(slot as usize, now);
            self.depart(now, slot as usize, self.state.route_latency[slot as usize]);
        }
        for &slot in &finished {
            self.take_next(slot as usize);
            self.activate(now, slot as usize);
        }
        self.finished = finished;
    }

    /// The active message of a slot has left it.
    fn depart(&mut self, now: Time, slot: usize, latency: Duration) {
        let home = self.state.lanes.home(slot);
        let left = self.state.active.pop(slot).expect("a flow belongs to the message of its slot");
        let takes_place = self.state.lanes.takes_place(home, left.bytes());
        if takes_place {
            self.state.lanes.leave(slot);
        }
        self.state.turns.unload(self.interfaces.interface(home), left.bytes());
        let (mut message, bytes, notice, arrives) = match left {
            Queued::Whole(message, notice) => {
                let bytes = message.bytes;
                (message, bytes, notice, now + latency)
            }
            // It departs with its last part.
            Queued::Part(part) => match self.state.stripes.leaves(&part, now + latency) {
                Some((message, notice, arrives)) => (message, part.bytes, notice, arrives),
                None => return,
            },
        };
        let carriage = message
            .trail
            .is_some()
            .then(|| self.state.accounting.carriage(slot, (bytes, latency), self.state.flows.links(slot)));
        if let Some(carriage) = &carriage {
            let next = self.state.queues.front(home).filter(|_| takes_place).and_then(Queued::whole);
            let next = next.and_then(|next| next.trail.as_deref_mut());
            Accounting::leave(&mut message, next, now, carriage);
        }
        if !self.departed_at_once {
            self.state.calendar.add_departure(&message, notice, now);
        } else if notice == Notice::Departed {
            let of = (message.from, message.sequence);
            self.departed.push(Departure { of, trail: message.trail.clone() });
        }
        if let Some(carriage) = &carriage {
            Accounting::arrive(&mut message, now, carriage);
        }
        if self.interfaces.is_of_memory(home) {
            self.state.calendar.add_arrival(message, arrives, ());
            return;
        }
        let arrives = self.in_order(self.interfaces.node(home), &message, arrives);
        let Self { interfaces, state: State { order, last_arrivals, calendar, .. }, .. } = self;
        let mut add = |message: Message<B>, at| {
            let last = last_arrivals.as_mut().filter(|_| message.keeps_order());
            let at = last.map_or(at, |last| last.behind(&message, at, now));
            calendar.add_arrival(message, at, ());
        };
        if interfaces.has_to_be_ordered(&message) {
            order.leave(message, arrives, add);
        } else {
            add(message, arrives);
        }
    }

    /// When a message arrives that would at an instant: not before another one of the same nodes that departed earlier, on a
    /// longer route. Only those count that are on their way when the machine changes.
    fn in_order(&mut self, node: NodeId, message: &Message<B>, arrives: Time) -> Time {
        let next = self.machines.changes.first().map_or(Time::MAX, |change| change.at);
        if self.state.arrivals.is_empty() && arrives <= next {
            return arrives;
        }
        let pair = (node, self.placement.node(message.to));
        let arrives = self.state.arrivals.get(&pair).map_or(arrives, |&last| last.max(arrives));
        if arrives > next {
            self.state.arrivals.insert(pair, arrives);
        }
        arrives
    }
}
