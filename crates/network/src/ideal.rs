//! The `ideal` engine: what would happen with no network at all.
//!
//! # Model
//! Messages never meet. With the default parameters they take no time (paper 001, section 2: BSIM-Logger runs a
//! program on a network of zero latency). The parameters are those of LogGP (Alexandrov et al., SPAA 1995) that
//! belong to the network: latency L, message gap g, gap per byte G as a bandwidth; the overhead o belongs to the
//! program. A node's interface injects one message after another: a message of k bytes that gets the interface at
//! time t leaves it at `t + k G`, arrives at `t + k G + L`, and the next one gets it at `t + max(g, k G)`. (LogGP
//! writes k - 1 for k; we charge every byte, so that the time of a message is its size over the bandwidth, as in the
//! other engines.) Ranks of one node reach each other without the interface, by default at once ([`WithinNode`]).
//!
//! Several processes can run it together if there is a latency: in a time as long as that no node concerns another. Such times
//! are the windows in which processes meet, in one process too: when one begins, it is seen whether ranks poll in vain
//! ([`Calendar::is_stuck`]).

mod processes;
mod share;

pub use processes::homes;

use crate::causes::{Cause, Path};
use crate::{
    Calendar, Ended, Message, Neighbors, NodeMemory, Notice, Output, Pending, Placement, Program, Ranks,
    RunContext, WithinNode,
};
use weir_pdes::Width;
use weir_units::{Bandwidth, Duration, Rank, Time};

/// The engine without a network.
#[derive(Clone, Debug, Default)]
pub struct Ideal {
    /// L: from the last byte leaving to the message being there.
    pub latency: Duration,
    /// g: least time between the starts of two messages of one node.
    pub message_gap: Duration,
    /// 1 / G: how fast bytes leave a node; `None` is infinitely fast.
    pub bandwidth: Option<Bandwidth>,
    /// Model of messages between ranks of one node.
    pub within: WithinNode,
}

/// All between the ranks: their nodes, and what is to come.
struct Ways<'a, B> {
    engine: &'a Ideal,
    placement: &'a Placement,
    calendar: Calendar<Pending<B>>,
    /// By node: when its interface gets the next message.
    interface_free: Vec<Time>,
    /// Load of memories, by rank and node.
    memory: NodeMemory,
    /// By node: what led to the end of its interface's last message, where causes are kept.
    busy: Vec<Path>,
}

impl Ideal {
    /// Runs the programs to their end: rank `r` is `programs[r]`. A recorder gets messages and pairs; there are no links.
    pub fn run<P: Program>(&self, programs: &mut [P], context: RunContext<'_>) -> Ended {
        let (causes, path_steps, shows_causes) = (context.causes, context.path_steps, context.shows_causes);
        let RunContext { placement, limits, watch, mut recorder, services, .. } = context;
        let nodes = placement.nodes().iter().map(|node| node.index() + 1).max().unwrap_or(0);
        let requested = recorder.as_ref().map(|recorder| recorder.requested());
        let mut ranks = Ranks::new(programs, limits, watch)
            .keeping(requested)
            .counting(services)
            .accounting(causes, path_steps)
            .showing_causes(shows_causes);
        let mut ways = Ways::new(self, placement, nodes, ranks.numbers());
        ranks.begin();
        let mut window_end = Time::ZERO;
        loop {
            let next = ways.calendar.next_time();
            if ranks.pause_before(next, |rank, timer| ways.calendar.add_output(rank, timer))
                && !ranks.must_end()
            {
                continue;
            }
            let Some(next) = next else { break };
            if next >= window_end {
                if ways.calendar.is_stuck() {
                    break;
                }
                window_end = self.end_of_window(next);
            }
            if ranks.must_end_before(next) {
                break;
            }
            let Some((key, what)) = ways.calendar.take() else { break };
            match what {
                Some(Pending::Injection(message, notice)) => ways.carry(key.at, message, notice),
                what => {
                    let (event, trail) = Pending::event(key, what);
                    ranks.set_cause(trail);
                    ranks.deliver(key.rank, key.at, event, |output| match output {
                        Output::Inject(at, message, notice) if at == key.at || self.is_stateless() => {
                            ways.carry(at, message, notice);
                        }
                        later => ways.calendar.add_output(key.rank, later),
                    });
                }
            }
            if let Some(recorder) = &mut recorder {
                ranks.report(*recorder);
                if recorder.has_failed() {
                    break;
                }
            }
        }
        if let Some(recorder) = recorder {
            ranks.report_rest(recorder);
        }
        ranks.end()
    }

    /// Returns whether messages of one node do not delay each other: then it does not matter who comes first.
    fn is_stateless(&self) -> bool {
        self.bandwidth.is_none() && self.message_gap == Duration::ZERO && self.reaches_neighbors_at_once()
    }

    fn reaches_neighbors_at_once(&self) -> bool {
        self.within == WithinNode::default()
    }

    /// The end of the window that an instant is in; without a latency each event has its own.
    fn end_of_window(&self, at: Time) -> Time {
        if self.latency == Duration::ZERO { Time::ZERO } else { Width::new(self.latency).end(at) }
    }
}

impl<'a, B> Ways<'a, B> {
    /// The ways between so many nodes, and the start of these ranks.
    fn new(
        engine: &'a Ideal,
        placement: &'a Placement,
        nodes: usize,
        ranks: impl Iterator<Item = Rank>,
    ) -> Self {
        let mut calendar = Calendar::new();
        calendar.add_starts(ranks);
        Self {
            engine,
            placement,
            calendar,
            interface_free: vec![Time::ZERO; nodes],
            memory: NodeMemory::new(&engine.within, placement.ranks(), nodes),
            busy: Vec::new(),
        }
    }

    fn carry(&mut self, at: Time, mut message: Message<B>, notice: Notice) {
        let arrives = self.depart(at, &mut message, notice);
        self.calendar.add_arrival(message, arrives, ());
    }

    /// Adds the departure of a message that the interface of its sender's node gets at an instant; returns when it arrives.
    #[inline]
    fn depart(&mut self, at: Time, message: &mut Message<B>, notice: Notice) -> Time {
        let (departs, arrives) = self.times(at, message);
        if message.trail.is_some() {
            self.depart_with_trail((departs, arrives), message, notice);
        } else {
            self.calendar.add_departure(message, notice, departs);
        }
        arrives
    }

    /// Adds the departure of a message that says what led to it, up to its arrival.
    #[inline(never)]
    fn depart_with_trail(
        &mut self,
        (departs, arrives): (Time, Time),
        message: &mut Message<B>,
        notice: Notice,
    ) {
        let node = self.placement.node(message.from);
        let is_within = node == self.placement.node(message.to);
        if self.busy.is_empty() {
            self.busy.resize(self.interface_free.len(), Path::default());
        }
        let busy = &mut self.busy[node.index()];
        let Some(trail) = &mut message.trail else { return };
        if is_within {
            trail.transfer(self.engine.within.time(message.bytes), departs);
        } else {
            if message.started > trail.end() {
                trail.wait_behind(busy);
            }
            trail.extend(Cause::Serialization, departs);
            *busy = *trail.path();
            busy.extend_to(Cause::StartUp, message.started + self.engine.message_gap);
        }
        self.calendar.add_departure(message, notice, departs);
        if let Some(trail) = &mut message.trail {
            trail.arrive(arrives, u64::from(!is_within));
        }
    }

    /// When a message departs and arrives that the interface of its sender's node gets at an instant.
    #[inline]
    fn times(&mut self, at: Time, message: &mut Message<B>) -> (Time, Time) {
        let (engine, node) = (self.engine, self.placement.node(message.from));
        if node == self.placement.node(message.to) {
            if engine.reaches_neighbors_at_once() {
                return (at, at);
            }
            let [from, to] = [message.from, message.to].map(Rank::index);
            let between = Neighbors { from, to, node: node.index() };
            return self.memory.pass(&engine.within, at, message.bytes, between);
        }
        if engine.bandwidth.is_none() && engine.message_gap == Duration::ZERO {
            // It holds up no other, also not one that comes to be carried after it and leaves before it.
            message.started = at;
            return (at, at + engine.latency);
        }
        let free = &mut self.interface_free[node.index()];
        let start = at.max(*free);
        message.started = start;
        let serialization = engine.bandwidth.map_or(Duration::ZERO, |b| b.serialization_time(message.bytes));
        *free = start + serialization.max(engine.message_gap);
        let departs = start + serialization;
        (departs, departs + engine.latency)
    }
}
