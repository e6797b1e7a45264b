//! The flow-level engine: who shares which link (papers 000 and 002, MFS).
//!
//! A message is a fluid. While it is sent it is a *flow* on all links of its route at once, and what decides its rate
//! is who else is on these links. So the cost of a run grows with the changes of the set of flows, not with bytes.
//!
//! # Model
//! An interface sends the messages that are *active*: up to so many at once, or one as in paper 000, section 3
//! ([`Serving`](weir_network::Serving)). The others wait in the order in which the interface got them; any number may arrive at a node at
//! a time. The network is links with capacities, injection and ejection links among them; a router is no bottleneck but by its output
//! links. Routes are fixed, unless the machine [changes](Change). How flows share a link is the [`Sharing`] rule.
//! Where a rule of the topology draws one of several routes for each packet, a flow takes all of them at once, each with the part that
//! falls to it in the mean ([`weir_topology::Shares`]): it loads a link with that part of its rate, and the latency of its message is the
//! mean over the routes. Left out is chance: that packets of several flows meet on one link by it, wait, and
//! overtake each other; and under `minimal-adaptive` that packets avoid full links. Under rules that weigh queues a flow goes around where
//! its shortest ways are full, as far as others have room (`detours.rs`).
//!
//! - A flow starts when its message becomes active, and finishes when its last byte has left. At that instant the
//!   sender may get an event ([`Notice::Departed`](weir_network::Notice)), the next message that waits becomes active, and the
//!   latency of the route (the sum of its links' latencies) later the message has arrived. Messages of the same two ranks are there in
//!   the order in which they were handed over, but for those that [keep no order](weir_network::Message::keeps_order).
//! - Where a node has several interfaces a message may be [striped](weir_network::Striping): each of them sends a share, which is a flow of its
//!   own, and the message has left, and is there, when all shares have, and are.
//! - A message of no bytes makes no flow: it departs as soon as it is active, which is at once where messages share the interface.
//! - Ranks of one node reach each other without the network: in the time that memory takes ([`NodeModel`]), shared
//!   with no other, and without the interface. A rank's messages to its neighbors within the node do not overtake each
//!   other. Where the memory of a node has a limit, what stays within the node, goes out and comes in shares it as flows share a link.
//!
//! - With service classes ([`ServiceClasses`](weir_network::ServiceClasses)) each class of an interface serves its messages by itself. A class of a higher priority shares all links first;
//!   flows of one priority have rates like the weights of their classes, each flow for itself. For [`Sharing::MaxMin`] only.
//!
//! Left out: packets, buffers, flow control, and what they add to a message under contention. All of a route is in
//! use from the start of a flow to its finish; the latency only delays the arrival.
//!
//! # Ties
//! Runs without synchronization amplify every difference in what counts as simultaneous, so it is defined.
//!
//! - Instants are whole picoseconds; what remains of a message and rates are floating point, in bytes and bytes per
//!   second. A flow whose rate `r` was set at `t` with `b` bytes left *finishes at* `t + ceil(b / r)`, in picoseconds,
//!   at least 1; what exceeds a whole picosecond by less than 1e-12 of the time that the whole message would take at
//!   `r` (and by less than half a picosecond) counts as rounding and is dropped before.
//! - The next instant is the smallest finish time, or that of the next event of a program if it is earlier.
//! - At an instant finish all flows that would finish within a picosecond after it, and all that have at most 1e-9 of
//!   their message left.
//! - Everything at one instant is one change: the flows finish, the events act, and what they cause at the same
//!   instant too, until nothing remains to do. Then rates are shared, once.
//! - Events act in the order of [`EventKey`](weir_network::EventKey): departures by rank, then arrivals, then timers. A
//!   node's interface gets messages of one instant in the order of the ranks that send them, unless one is the answer
//!   to another event of that instant.
//! - The floating-point sums of a rule depend on the order in which flows have come and gone, and that is the order
//!   above. Nothing depends on threads or on memory addresses.
//!
//! The influence of ties shows when they are perturbed ([`Ties`]): the spread of a few such runs.
//!
//! # Resolution
//! Paper 000 bounds the number of cycles by a time resolution, `Resolu`: a cycle takes `max(min(remaining / fb), min
//! remaining wait, Resolu)`, the maximum outermost. So with [`Flow::resolution`] above zero the next instant is the one
//! above or the last one plus the resolution, whichever is later, and all that is due until then acts then. What a
//! flow could have sent in the rest of the cycle is lost; its node idles.

mod accounting;
mod arrivals;
mod barrier;
mod comparison;
mod crossings;
mod crowds;
mod detours;
mod engine;
mod finish;
mod flows;
#[cfg(test)]
mod harness;
mod interfaces;
mod lanes;
mod max_min;
mod progressive_filling;
mod queues;
pub mod quotient;
mod recomputed;
mod rule;
mod series;
mod services;
pub mod sweep;
mod ties;
mod waits;
mod water_level;

pub use crate::accounting::BehindOthers;
pub use crate::barrier::{BarrierWait, ThreadBarrier};
pub use crate::comparison::Deviation;
use crate::crossings::Crossings;
pub use crate::detours::rates_of_pairs;
use crate::engine::{Engine, Machines};
use crate::flows::Flows;
use crate::interfaces::Interfaces;
use crate::max_min::MaxMin;
pub use crate::progressive_filling::Snapshot;
use crate::recomputed::{Iterative, Literal, Recomputed, SinglePass};
use crate::rule::Rule;
use crate::services::Services;
pub use crate::ties::Ties;
pub use interfaces::NodeModel;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use weir_network::{Ended, JobWaits, Limits, Program, Ranks, Requested, RunContext, Stage, erased};
use weir_topology::Topology;
use weir_units::{Duration, Time};

/// The flow-level engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flow {
    /// Rule by which flows share links.
    pub sharing: Sharing,
    /// `Resolu` of paper 000, the least time between two instants; zero: every instant is its own.
    pub resolution: Duration,
    /// Perturbation of ties, to see their influence.
    pub ties: Ties,
    /// Comparison of rates with max-min all the way.
    pub compare: Compare,
    /// Choice to keep every cycle.
    pub keep: KeepCycles,
}

/// Choice to keep a list of the cycles of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeepCycles {
    /// No.
    #[default]
    No,
    /// Yes: [`FlowEnded::kept`] has them.
    Yes,
}

/// A time in which no flow came or went: one cycle of paper 000, section 3.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// When it began.
    pub at: Time,
    /// Its length: dt of paper 000.
    pub dt: Duration,
    /// Number of flows.
    pub flows: usize,
}

/// Choice to compare the rates of a run with those of max-min, at every change, for the same flows. About doubles its cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    /// No.
    #[default]
    No,
    /// Yes: [`FlowEnded::deviation`] says how far they were.
    WithMaxMin,
}

/// Rule by which flows share links.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Sharing {
    /// Max-min fair, exactly. A change costs what it changes.
    #[default]
    MaxMin,
    /// Mode N of paper 000, Steps 2 to 5, in the form that comes to max-min: equal parts, then what is left over on a
    /// link is divided among all its flows again and again, until no flow changes by more than the threshold and no
    /// link carries more than its capacity by more than that. Every change costs all flows.
    Iterative {
        /// Threshold as a part of a flow's rate, greater than zero; the paper takes 0.01.
        threshold: f64,
    },
    /// Mode N of paper 000 to the letter: what is left over on a link is divided among those of its flows that have
    /// room. Not max-min, but nothing is left over that a flow could use. Every change costs all flows.
    IterativeLiteral {
        /// Threshold as a part of a flow's rate, greater than zero; the paper takes 0.01.
        threshold: f64,
    },
    /// Mode F of paper 000, Steps 2 to 4: equal parts, and what a flow cannot use is lost.
    SinglePass,
}

/// A machine that takes the place of another at an instant: the same nodes, routers and links, some of which have failed, are
/// slow, or are whole again.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// When.
    pub at: Time,
    /// From then on.
    pub topology: &'a Topology,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct FlowEnded {
    /// The end of the run, and the counts of every engine.
    pub ended: Ended,
    /// The last instant the run got to; a limit of simulated time, if that ended it. Not before [`Ended::at`].
    pub until: Time,
    /// Number of times that rates were shared among at least one flow: the instants at which flows came or went.
    pub cycles: u64,
    /// Number of iterations that the rule needed altogether: links looked at in max-min, repetitions of Step 5 in Mode N, 0 in
    /// Mode F.
    pub solver_iterations: u64,
    /// The most iterations for one cycle.
    pub solver_iterations_max: u64,
    /// The most flows that shared one link at one time.
    pub max_link_share: u32,
    /// Per [`LinkId`](weir_units::LinkId): bytes carried, by all interfaces of a node together, up to [`FlowEnded::until`], those of unfinished messages included.
    pub link_bytes: Vec<f64>,
    /// Per [`LinkId`](weir_units::LinkId): the most flows at one time.
    pub link_share: Vec<u32>,
    /// Deviation of rates from max-min, if that was asked for.
    pub deviation: Option<Deviation>,
    /// All cycles in their order, if they were to be kept.
    pub kept: Vec<Cycle>,
    /// By which part of its size a message was made larger or smaller at most, if ties were perturbed.
    pub jitter: f64,
    /// Short messages that crossed links which long ones filled: queues, of which this engine knows nothing.
    pub behind: Option<BehindOthers>,
    /// For whom the flows of jobs have waited at links, if that was asked for: for each link the time by which a flow was longer
    /// because of others there, all flows together.
    pub waits: JobWaits,
}

impl Flow {
    /// Runs the programs to their end: rank `r` is `programs[r]` and runs on `placement.node(r)`.
    ///
    /// A change of the flow set costs in max-min what it changes: some microseconds, independent of the size of the
    /// machine unless contention spreads. Memory: some hundred bytes per node and per active flow, some dozens per
    /// link and per waiting message. A recorder gets no buffers and packets; an interval costs as much as there are flows
    /// at its end. What a run has reached is kept between two instants; what is recorded is no part of it.
    ///
    /// The machine becomes others while the run goes on, in the order of their instants, which are later than zero. At such an
    /// instant flows that are due finish; what remains of the others goes on over the routes of the new machine, or waits for the
    /// next change if there is no way. Messages do not overtake those of the same pair of nodes that are on their way. A change
    /// costs O(links + nodes), and what it costs all flows to start.
    ///
    /// # Panics
    /// When `placement` has fewer ranks than there are programs or names a node that the topology does not have, when
    /// a program sends to a rank that does not exist, when the threshold of Mode N is not greater than zero, or a node has no
    /// interface, or when the machines have different numbers of nodes and links. When the topology's rule lets packets of
    /// a pair go different ways ([`weir_topology::Rule::decides`]) and the sharing is not max-min.
    pub fn run<P: Program>(
        &self,
        topology: &Topology,
        changes: &[Change<'_>],
        programs: &mut [P],
        node: &NodeModel,
        context: RunContext<'_>,
    ) -> FlowEnded
    where
        P::Body: Serialize + DeserializeOwned,
    {
        for rule in topology.rules() {
            assert!(!rule.decides() || self.sharing == Sharing::MaxMin, "only max-min shares several routes");
        }
        let size = |topology: &Topology| (topology.nodes(), topology.links());
        assert!(changes.iter().all(|change| size(change.topology) == size(topology)), "another machine");
        let (causes, path_steps, shows_causes) = (context.causes, context.path_steps, context.shows_causes);
        let RunContext { placement, limits, watch, recorder, checkpoints, services, jobs, .. } = context;
        let started = Instant::now();
        let stage = Stage { what: "the tables of the flow engine are being made", limits, since: started };
        let classes = Services::new(services);
        let interfaces = Interfaces::new(topology, node, placement.ranks(), classes.count());
        let capacity = |link: usize| {
            if link.is_multiple_of(LOOK_EVERY) {
                watch(stage.into());
            }
            interfaces.capacity(topology, link)
        };
        let crossings = Crossings::new((0..interfaces.links()).map(capacity), interfaces.slots());
        let spreads = topology.rules().iter().any(|rule| rule.decides());
        let weighs = topology.rules().iter().any(|rule| rule.weighs());
        let is_weighted = spreads || classes.are_weighted() || classes.have_levels();
        let crossings = if weighs { crossings.bounded() } else { crossings };
        let mut rule = self.sharing.on(if is_weighted { crossings.weighted() } else { crossings });
        if classes.have_levels() {
            rule.set_levels(|slot| classes.level(interfaces.service(slot)));
        }
        let flows = Flows::new(rule, topology.links(), self.compare, self.keep);
        let flows = if weighs { flows.detouring(topology.links_of_nodes()..topology.links()) } else { flows };
        let flows = flows.waiting(jobs);
        let requested = recorder.as_ref().map(|recorder| recorder.requested().clone());
        let flows = match requested.as_ref().and_then(Requested::of_links) {
            Some(interval) => flows.sampled(interval),
            None => flows,
        };
        let limits = Limits { spent: limits.spent.saturating_add(started.elapsed()), ..limits };
        let mut programs = erased(programs);
        let ranks = Ranks::new(&mut programs, limits, watch)
            .keeping(requested.as_ref())
            .counting(services)
            .accounting(causes, path_steps)
            .showing_causes(shows_causes);
        let machines = Machines { topology, changes, done: 0 };
        Engine::new(self, machines, placement, (*node, classes), flows, ranks, limits)
            .run(recorder, checkpoints)
    }
}

/// Number of links that are made ready between two looks at the progress.
const LOOK_EVERY: usize = 1 << 18;

/// From how many flows on a link max-min looks for a crowd: below, looking at each costs less.
const CROWD: usize = 64;

impl Sharing {
    fn on(self, crossings: Crossings) -> Rule {
        match self {
            Self::MaxMin => Rule::MaxMin(MaxMin::with_crowds(crossings, CROWD)),
            Self::Iterative { threshold } => {
                Rule::Iterative(Recomputed::new(crossings, Iterative::new(threshold)))
            }
            Self::IterativeLiteral { threshold } => {
                Rule::Literal(Recomputed::new(crossings, Literal::new(threshold)))
            }
            Self::SinglePass => Rule::SinglePass(SinglePass::new(crossings)),
        }
    }
}
