//! Lower bounds of the simulated time of a pattern, from the machine alone.
//!
//! Bytes that have to pass somewhere cannot do so in less than their number divided by the capacity there. That holds for nodes and
//! cuts with any routes, for links with the routes of the machine. And no run is shorter than one of its messages alone.
//!
//! # Model
//! Capacities are those of the links: packets' headers, buffers and what programs compute would make it longer, never
//! shorter. A node with several interfaces has as many injection and ejection links, and all of them together carry what it
//! sends and receives, at most up to its limits; one message passes through one of them, or as many as it is striped over.
//! Messages within a node do not count. The ideal engine knows no links: its runs alone can be faster.

use crate::refused;
use crate::traffic::{Traffic, Watch};
use std::cmp::Reverse;
use weir_experiment::{AnalysisError, Scenario, TopologySection, Workload};
use weir_network::Striping;
use weir_topology::{Cut, End, Link, Through, Topology, Wrap};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId};
use weir_workload::Totals;

/// The reason why a run takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundKind {
    /// Bytes that a node sends, over the injection links of its interfaces.
    Injection,
    /// Bytes that a node receives, over the ejection links of its interfaces.
    Ejection,
    /// Bytes that have to cross a cut.
    Cut,
    /// Bytes on a link.
    Link,
    /// A single message on the idle machine.
    Message,
}

impl BoundKind {
    /// `injection`, `ejection`, `cut`, `link`, `message`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Injection => "injection",
            Self::Ejection => "ejection",
            Self::Cut => "cut",
            Self::Link => "link",
            Self::Message => "message",
        }
    }

    /// Returns whether it holds with any routes; otherwise it holds only with those of the machine.
    pub fn holds_for_any_routes(self) -> bool {
        matches!(self, Self::Injection | Self::Ejection | Self::Cut)
    }
}

/// A lower bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// Kind of the bound.
    pub kind: BoundKind,
    /// Where the machine is that narrow, in words.
    pub at: String,
    /// Bytes that have to pass.
    pub bytes: Bytes,
    /// Capacity of the place.
    pub capacity: Bandwidth,
    /// Latency that comes on top; zero but for a message.
    pub latency: Duration,
    /// The bound, in whole picoseconds like simulated time.
    pub time: Duration,
}

/// All lower bounds of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Messages of the pattern.
    pub messages: u64,
    /// Messages that the bounds count.
    pub counted: u64,
    /// The largest of each kind, in the order of [`BoundKind`]; none where nothing passes.
    pub bounds: Vec<Bound>,
    /// True if no run of the experiment can be faster; false on the ideal engine, which knows no links.
    pub hold: bool,
    /// Formulas of papers, to compare with.
    pub closed_forms: Vec<ClosedForm>,
    /// Sentences that say what has been left out, and who can be faster all the same.
    pub notes: Vec<String>,
}

impl Bounds {
    /// The largest bound, the first of equals; `None` where no byte leaves its node.
    pub fn best(&self) -> Option<&Bound> {
        self.bounds.iter().max_by_key(|bound| (bound.time, Reverse(bound.kind as u8)))
    }

    /// The largest of those that hold with any routes.
    pub fn best_for_any_routes(&self) -> Option<&Bound> {
        let any = self.bounds.iter().filter(|bound| bound.kind.holds_for_any_routes());
        any.max_by_key(|bound| (bound.time, Reverse(bound.kind as u8)))
    }
}

/// Lower bounds of the simulated time, without running anything. `watch` is shown now and then how many messages of how
/// many have been looked at. O(messages hops), but no more than a minute or so: beyond 50 million messages there are
/// formulas, or only a part is counted.
///
/// # Errors
/// When the workload is no pattern, or there is no topology.
pub fn bounds(scenario: &Scenario, watch: Watch<'_>) -> Result<Bounds, AnalysisError> {
    let why = match &scenario.workload.kind {
        Workload::Synthetic(_) => {
            "the workload is synthetic traffic: it goes on as long as workload.duration says, and nothing bounds it"
        }
        _ if scenario.pattern.is_some() => {
            "there is no [topology]: without links nothing bounds the time of a run"
        }
        _ => {
            "the ranks of this workload (a program, a profile or a collective) send one message after another, and a pattern alone is \
             bounded\n\nhint: weir pattern writes the messages of a profile or a collective as a pattern; weir log writes a program's profile"
        }
    };
    let parts = scenario.pattern.as_deref().zip(scenario.machine());
    let Some((pattern, machine)) = parts else { return refused(why) };
    // Whatever fails and when, nothing is faster than on the machine without faults; but routes are others.
    let changes = !scenario.changes().is_empty();
    let faultless = scenario.machines.as_ref().filter(|_| changes).map(|machines| &*machines.faultless);
    let machine = faultless.unwrap_or(machine);
    let traffic = Traffic::of(pattern, machine, scenario.placement(), watch);
    let interfaces = scenario.node.nics.count(machine).unwrap_or(1).max(1);
    let wires = Wires { machine, interfaces };
    let by_cables = machine.most_cables() > 1;
    // Behind the last packet that passes a limit nothing waits for it.
    let last = scenario.packet.as_ref().filter(|_| scenario.engine.has_packets());
    let last = last.map_or(Bytes::ZERO, |packet| packet.mtu);
    let limit = |limit: Option<Bandwidth>| limit.map(|limit| (limit, last));
    let found = [
        of_nodes(wires, &traffic.sent, BoundKind::Injection, limit(scenario.node.injection_limit)),
        of_nodes(wires, &traffic.received, BoundKind::Ejection, limit(scenario.node.ejection_limit)),
        of_cuts(wires, &traffic),
        of_links(wires, &traffic).filter(|_| !by_cables),
        of_message(wires, scenario.node.striping, &traffic).filter(|_| !by_cables),
    ];
    let rule = machine.rule().filter(|rule| !rule.is_fixed());
    let holds = |bound: &Bound| !changes && rule.is_none() || bound.kind.holds_for_any_routes();
    let mut notes = traffic.notes;
    if changes {
        let note = "faults come and go while a run goes on: these are bounds of the machine without them";
        notes.push(note.into());
    }
    if let Some(rule) = rule {
        let name = rule.name();
        notes.push(format!("topology.routing = \"{name}\" may take any ways: only nodes and cuts count"));
    }
    if by_cables {
        let note = "which links between routers a message takes follows from the cable by which it leaves: only nodes and cuts count";
        notes.push(note.into());
    }
    let hold = scenario.engine.has_links();
    if !hold {
        notes.push("the ideal engine knows no links: its runs can be faster".into());
    }
    Ok(Bounds {
        messages: pattern.messages(),
        counted: traffic.counted,
        bounds: found.into_iter().flatten().filter(holds).collect(),
        hold,
        closed_forms: all_to_all_on_a_square_torus(scenario).into_iter().collect(),
        notes,
    })
}

/// The links of a machine, of which a node has one each way for every interface.
#[derive(Clone, Copy)]
struct Wires<'a> {
    machine: &'a Topology,
    interfaces: u32,
}

impl Wires<'_> {
    fn is_of_node(self, id: LinkId) -> bool {
        let Link { from, to, .. } = self.machine.link(id);
        matches!(from, End::Node(_)) || matches!(to, End::Node(_))
    }

    /// One link of a node stands for those of all interfaces: which of them a message takes is known only
    /// when it is sent.
    fn capacity(self, id: LinkId) -> Bandwidth {
        let one = self.machine.link(id).capacity;
        if self.is_of_node(id) { self.together(one) } else { one }
    }

    /// Total capacity of the cables of a node to which this link belongs, out or in, where it has several.
    fn of_node(self, id: LinkId) -> Option<Bandwidth> {
        let link = self.machine.link(id);
        let (node, out) = match (link.from, link.to) {
            (End::Node(node), _) => (node, true),
            (_, End::Node(node)) => (node, false),
            _ => return None,
        };
        let cables = self.machine.cables_of(node);
        let by = |cable| {
            let id = if out {
                self.machine.injection_by(node, cable)
            } else {
                self.machine.ejection_by(node, cable)
            };
            self.machine.link(id).capacity.bytes_per_second()
        };
        (cables > 1).then(|| Bandwidth::new((0..cables).map(by).sum()))?
    }

    /// The link of the other one of two cables between two routers, which the interfaces of a node take in turn.
    fn beside(self, id: LinkId) -> Option<LinkId> {
        match self.machine.whole() {
            Topology::Torus(torus) if self.interfaces > 1 => torus.beside(id),
            _ => None,
        }
    }

    fn name(self, id: LinkId) -> String {
        let name = self.machine.link_name(id);
        match self.interfaces {
            many @ 2.. if self.is_of_node(id) => format!("{name}, {many} interfaces"),
            _ if self.beside(id).is_some() => format!("{name}, both cables"),
            _ => name,
        }
    }

    fn together(self, one: Bandwidth) -> Bandwidth {
        Bandwidth::new(one.bytes_per_second() * f64::from(self.interfaces)).unwrap_or(one)
    }
}

fn longest<T>(all: impl Iterator<Item = (u64, Bandwidth, T)>) -> Option<(Bytes, Bandwidth, T)> {
    let mut best: Option<(f64, (Bytes, Bandwidth, T))> = None;
    for (bytes, capacity, what) in all.filter(|(bytes, ..)| *bytes > 0) {
        let seconds = bytes as f64 / capacity.bytes_per_second();
        if best.as_ref().is_none_or(|(most, _)| seconds > *most) {
            best = Some((seconds, (Bytes(bytes), capacity, what)));
        }
    }
    best.map(|(_, best)| best)
}

fn bound(kind: BoundKind, at: String, bytes: Bytes, capacity: Bandwidth) -> Bound {
    let time = capacity.serialization_time(bytes);
    Bound { kind, at, bytes, capacity, latency: Duration::ZERO, time }
}

/// Bound by the bytes that nodes send or receive, over their links, or up to the limit of a node where that takes longer. A limit
/// comes with the bytes of a node that need not wait for it.
fn of_nodes(
    wires: Wires<'_>,
    bytes: &[u64],
    kind: BoundKind,
    limit: Option<(Bandwidth, Bytes)>,
) -> Option<Bound> {
    let link = |node| match kind {
        BoundKind::Injection => LinkId::new(node),
        _ => wires.machine.ejection(NodeId::new(node)),
    };
    let capacity = |id| wires.of_node(id).unwrap_or_else(|| wires.capacity(id));
    let all = bytes.iter().enumerate().map(|(node, &bytes)| (bytes, capacity(link(node)), link(node)));
    let (most, links, id) = longest(all)?;
    let by_links = bound(kind, wires.name(id), most, links);
    let by_limit = limit.and_then(|(limit, free)| {
        let (most, limit, node) = longest(bytes.iter().zip(0..).map(|(&bytes, node)| (bytes, limit, node)))?;
        let at = format!("{}, node.{}_limit", wires.machine.node_name(NodeId::new(node)), kind.name());
        let waits = Bytes(most.0.saturating_sub(free.0));
        Some(Bound { bytes: most, ..bound(kind, at, waits, limit) })
    });
    [Some(by_links), by_limit].into_iter().flatten().reduce(|a, b| if b.time > a.time { b } else { a })
}

fn of_cuts(wires: Wires<'_>, traffic: &Traffic) -> Option<Bound> {
    let ways = |(cut, &[forward, backward]): (&Cut, &[u64; 2])| {
        let cables = if cut.through == Through::Nodes { wires.interfaces } else { 1 };
        [
            (forward, cut.forward * f64::from(cables), (cut.name.clone(), "first to second side")),
            (backward, cut.backward * f64::from(cables), (cut.name.clone(), "second to first side")),
        ]
    };
    let all = traffic.cuts.iter().zip(&traffic.crossing).flat_map(ways);
    let all = all.filter_map(|(bytes, capacity, what)| Some((bytes, Bandwidth::new(capacity)?, what)));
    let (bytes, capacity, (name, way)) = longest(all)?;
    Some(bound(BoundKind::Cut, format!("{name}; {way}"), bytes, capacity))
}

fn of_links(wires: Wires<'_>, traffic: &Traffic) -> Option<Bound> {
    let loads = traffic.on_link.as_deref().unwrap_or_default();
    let all = loads.iter().enumerate().map(|(id, &bytes)| {
        let id = LinkId::new(id);
        // Which of these two a message takes follows from its interface.
        match wires.beside(id) {
            Some(other) => {
                let both = Bandwidth::new(2.0 * wires.capacity(id).bytes_per_second());
                (bytes + loads[other.index()], both.unwrap_or(wires.capacity(id)), id)
            }
            None => (bytes, wires.capacity(id), id),
        }
    });
    let (bytes, capacity, id) = longest(all)?;
    Some(bound(BoundKind::Link, wires.name(id), bytes, capacity))
}

/// The message that takes longest through one interface. What several send together is as much faster as they are more.
fn of_message(wires: Wires<'_>, striping: Striping, traffic: &Traffic) -> Option<Bound> {
    let message = traffic.slowest?;
    let machine = wires.machine;
    let mut narrowest = message.narrowest;
    if striping.over > 1 && message.bytes >= striping.from {
        let mut route = Vec::new();
        machine.route(message.from, message.to, &mut route);
        let capacity = |id: LinkId| {
            let one = machine.link(id).capacity.bytes_per_second();
            if wires.is_of_node(id) { one * f64::from(striping.over) } else { one }
        };
        let least = route.into_iter().map(capacity).fold(f64::INFINITY, f64::min);
        narrowest = Bandwidth::new(least)?;
    }
    let (from, to) = (machine.node_name(message.from), machine.node_name(message.to));
    let alone = bound(BoundKind::Message, format!("{from} to {to}"), message.bytes, narrowest);
    Some(Bound { latency: message.latency, time: alone.time + message.latency, ..alone })
}

/// A time by a formula of a paper.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedForm {
    /// The formula.
    pub formula: &'static str,
    /// Where it is from.
    pub source: &'static str,
    /// Time that the formula gives here.
    pub time: Duration,
    /// Why no run needs to be slower than this, although the paper calls it a minimum; `None` where it is a bound.
    pub not_a_bound: Option<&'static str>,
}

/// Paper 000, section 5.1: on an n x n torus half of the n^2 nodes send to the other half over 2 n links, (n^2/2 x
/// n^2/2) / (2 n) = n^3/8 messages one after the other. An odd n has no halves: (n^2 - n)/2 x (n^2 + n)/2 messages over 2 n
/// links are n (n^2 - 1)/8, so that the formula is a little more than what the cut says.
fn all_to_all_on_a_square_torus(scenario: &Scenario) -> Option<ClosedForm> {
    let TopologySection::Grid { dimensions, .. } = scenario.topology.as_ref()? else { return None };
    let [x, y] = dimensions.as_slice() else { return None };
    let square = x.size == y.size && x.size > 1 && x.bandwidth == y.bandwidth;
    let wraps = x.wrap == Wrap::Torus && y.wrap == Wrap::Torus;
    let pattern = scenario.pattern.as_deref().filter(|pattern| pattern.is_all_to_all())?;
    let ranks = scenario.workload.ranks;
    let full = scenario.mapping.ranks_per_node == 1 && ranks == scenario.nodes();
    if !(square && wraps && full) {
        return None;
    }
    let of_pair = pattern.bytes_total().as_f64() / (ranks * (ranks - 1)) as f64;
    let bytes = f64::from(x.size).powi(3) / 8.0 * of_pair;
    let odd = "n is odd: there are no halves, and the cut says n (n^2 - 1)/8";
    Some(ClosedForm {
        formula: "n^3/8",
        source: "the MFS paper, section 5.1",
        time: Duration::from_secs_f64(bytes / x.bandwidth.bytes_per_second())?,
        not_a_bound: (x.size % 2 == 1).then_some(odd),
    })
}
