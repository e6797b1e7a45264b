//! Which gap between packets each message should have: from the max-min fair rate that the flow engine gives it.
//!
//! Paper 004 asks how to derive the gap (section 5.3). A message whose fair rate is a part 1/s of its interface's needs s
//! - 1 packet times of pause behind each packet: then the link that s messages share carries exactly what it can.
//!
//! # Model
//! Messages are put into *turns*: in each turn run the next messages of every interface of every node, as many as it sends at once, or what a rank sends
//! when it has waited for what it sent in turn k - 1. All messages of a turn are taken to be there at once, whatever their
//! sizes, and share the links of their routes as [`Snapshot`] does. Interfaces are those of the packet engine, each with
//! an injection and an ejection link of its own, and the limits of a node are links that all of its interfaces share. Messages
//! without bytes, and those within a node, need no gap.
//!
//! Whoever shares fewer links could be faster, and gains nothing by that: the turn is over when its slowest message is
//! there, and what arrives early fills the buffers in front of links that others need. So no message is faster than it must
//! be to end with the slowest of its turn, nor slower than the slowest rate in it. Without this the large model of paper 004
//! takes twice as long.
//!
//! With exactly these gaps the contended links would be loaded to 100 %: a packet that comes late finds no place to catch
//! up. So the *margin* m makes the time between two packets longer by that part: 1 + gap = s (1 + m), a load of 1 / (1 + m).

use crate::{NodeSection, Scenario, Workload};
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_flow::Snapshot;
use weir_formats::profile::Profile;
use weir_network::Choose;
use weir_packet::Nics;
use weir_replay::{Outline, OutlineStep};
use weir_topology::{End, Topology, Wrap};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId, Rank};
use weir_workload::{Entry, Gap, Pattern, Sequence, Totals, WithGaps};

/// The gaps of all messages of a pattern.
#[derive(Clone, Debug, Default)]
pub struct Pacing {
    /// The margin that is in them.
    pub margin: f64,
    /// Messages with the same gap together, the largest gap first.
    pub classes: Vec<GapClass>,
    /// Turns, see the module.
    pub turns: u32,
    /// Time of the messages if each gets its fair rate, turn by turn: the best that pacing can reach.
    pub expected: Duration,
    /// The link that most messages share at a time, and how many.
    pub busiest: Option<(String, usize)>,
    gaps: Arc<Vec<Vec<Option<Gap>>>>,
}

/// Messages with the same gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapClass {
    /// Bandwidth of the interface over the fair rate: among how many the slowest link of the route is shared.
    pub share: f64,
    /// Without margin, to end with the slowest message of the turn: share - 1 at least.
    pub exact: f64,
    /// With the margin; 0 where no message of the turn has to share.
    pub gap: f64,
    /// Number of messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
}

impl Pacing {
    /// Most messages that are looked at; each takes about 100 bytes while it is.
    pub const MOST_MESSAGES: u64 = 20_000_000;
    /// The margin, unless said: a load of 92.6 %. It is from routers that kept the port that was granted last: with 0.01 and 0.02
    /// the small model of paper 004 fell back into congestion there. With turns by the time of waiting a margin costs it just itself.
    pub const MARGIN: f64 = 0.08;

    /// The largest gap, 0 without messages: with this one for all messages no link is loaded beyond the margin either.
    pub fn largest(&self) -> f64 {
        self.classes.first().map_or(0.0, |class| class.gap)
    }

    /// By rank and by entry of the pattern or event of the profile.
    pub fn gaps(&self) -> &[Vec<Option<Gap>>] {
        &self.gaps
    }

    /// A pattern with these gaps.
    pub fn on(&self, pattern: Pattern) -> Pattern {
        Pattern(Arc::new(WithGaps::new(pattern, Arc::clone(&self.gaps))))
    }
}

/// Why a question about a scenario or a machine has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// It makes no sense there: in a sentence, with a hint where there is one.
    #[error("{0}")]
    Refused(String),
    /// A signal has come.
    #[error("interrupted")]
    Interrupted,
}

impl AnalysisError {
    /// Refuses with a sentence.
    ///
    /// # Errors
    /// Always.
    pub fn refused<T>(why: impl Into<String>) -> Result<T, Self> {
        Err(Self::Refused(why.into()))
    }
}

/// Rates this close count as that of the interface itself.
const NO_GAP: f64 = 1e-9;

impl Scenario {
    /// The gap of each message of the pattern or profile on the packet engine. O(messages log links): seconds for a million of them.
    ///
    /// # Errors
    /// When the workload is no pattern and no profile, has too many messages, or the engine has no packets.
    ///
    /// # Panics
    /// When the margin is negative or not finite.
    pub fn advise_pacing(&self, margin: f64) -> Result<Pacing, AnalysisError> {
        assert!(margin >= 0.0 && margin.is_finite(), "a margin is a number, 0 or more");
        let machine = self.machine().filter(|_| self.engine.has_packets());
        let (kind, pattern) = (&self.workload.kind, self.pattern.as_deref());
        let in_turn = self.node.choose.is_none_or(|rule| rule == Some(Choose::RoundRobin));
        let why = match (kind, machine) {
            (Workload::Synthetic(_), _) => {
                "the workload is synthetic traffic: its rate is workload.offered_load already"
            }
            (Workload::Program(_), _) => {
                "the workload is an MPI program: what it sends is known only when it runs\n\nhint: write it down with weir \
                 log, and take workload.kind = \"profile\""
            }
            (Workload::Outside, _) => {
                "the messages are those of a program that steps the run: what it sends is known only then"
            }
            (_, None) => {
                "only the packet engine has gaps between packets; write engine.kind = \"packet\", or --set \
                 engine.kind=packet"
            }
            _ if self.node.striping.over > 1 => {
                "node.stripe is above 1: the gap of a message is found for the one interface that sends it"
            }
            _ if self.node.cables > 1 || !in_turn => {
                "nodes have several cables, or node.choose is another rule than \"round-robin\": gaps are found for interfaces of one \
                 router that messages take in turn"
            }
            (_, Some(machine)) => {
                let mut turns = Turns::new(machine, &self.node);
                match (pattern, kind.profile()) {
                    (None, Some((profile, _))) => turns.look_at_profile(profile, self)?,
                    (Some(pattern), _) if pattern.messages() > Pacing::MOST_MESSAGES => {
                        return too_many(pattern.messages());
                    }
                    (pattern, _) => pattern.into_iter().for_each(|pattern| turns.look_at(pattern, self)),
                }
                return Ok(turns.pace(self.workload.ranks, margin));
            }
        };
        AnalysisError::refused(why)
    }

    /// The gaps that are to be found for the messages of the workload, if they are.
    ///
    /// # Errors
    /// Those of [`Self::advise_pacing`].
    pub fn own_pacing(&self) -> Result<Option<&Pacing>, AnalysisError> {
        let Some(margin) = self.node.packet_gap_margin else { return Ok(None) };
        self.pacing.get_or_init(|| self.advise_pacing(margin)).as_ref().map(Some).map_err(Clone::clone)
    }
}

struct Turned {
    turn: u32,
    rank: Rank,
    entry: u32,
    from: NodeId,
    to: NodeId,
    nic: u32,
    bytes: Bytes,
}

/// Progress of a rank: the first turn in which it can send, and the one behind the last of what it has sent.
#[derive(Default)]
struct Progress {
    ready: u32,
    sent: u32,
}

impl Progress {
    fn waits(&mut self) {
        self.ready = self.sent;
    }
}

struct Turns<'a> {
    machine: &'a Topology,
    rule: Nics,
    nics: u32,
    /// Highest total rates at which the interfaces of a node send and receive.
    limits: [Option<Bandwidth>; 2],
    /// By node: how many messages its interfaces have got.
    handed_over: Vec<u32>,
    at_once: u32,
    /// By node and interface: the last turn in which it sends, and how many messages it sends then.
    last: Vec<(u32, u32)>,
    /// Number of the first link of each way of a grid.
    ways: Vec<u32>,
    route: Vec<LinkId>,
    messages: Vec<Turned>,
}

impl<'a> Turns<'a> {
    fn new(machine: &'a Topology, node: &NodeSection) -> Self {
        let nodes = machine.nodes();
        let nics = node.nics.count(machine).unwrap_or(1);
        Self {
            machine,
            rule: node.nics,
            nics,
            limits: [node.injection_limit, node.ejection_limit],
            handed_over: vec![0; nodes],
            at_once: node.interface.at_once(),
            last: vec![(0, 0); nodes * nics as usize],
            ways: first_links(machine),
            route: Vec::new(),
            messages: Vec::new(),
        }
    }

    fn look_at(&mut self, pattern: &Pattern, scenario: &Scenario) {
        let placement = scenario.placement();
        for rank in (0..pattern.ranks()).map(Rank::new) {
            let mut progress = Progress::default();
            let entries = (0_u32..).map_while(|index| Some((index, pattern.entry(rank, u64::from(index))?)));
            for (entry, what) in entries {
                if let Entry::Await { .. } = what {
                    progress.waits();
                }
                let Some((to, bytes)) = what.message() else { continue };
                let ends = (placement.node(rank), placement.node(to));
                let turn = self.send((rank, entry), ends, bytes, &mut progress);
                if let (Some(turn), Entry::Send { .. }) = (turn, what) {
                    progress.ready = turn + 1;
                }
            }
        }
        self.messages.sort_by_key(|message| message.turn);
    }

    /// The messages of a profile: those of an event have the event's number.
    fn look_at_profile(&mut self, profile: &Profile, scenario: &Scenario) -> Result<(), AnalysisError> {
        let placement = scenario.placement();
        for rank in (0..profile.ranks()).map(Rank::new) {
            let mut progress = Progress::default();
            let mut outline = Outline::new(profile, rank, scenario.choice());
            for (event, what) in (0_u32..).zip(profile.steps(rank)) {
                let steps = outline.steps(what);
                for step in steps.or_else(|why| {
                    AnalysisError::refused(format!("what the profile sends is not known: {why}"))
                })? {
                    match step {
                        OutlineStep::Waits => progress.waits(),
                        OutlineStep::Sends(messages) => {
                            for (to, bytes) in messages {
                                let nodes = (placement.node(rank), placement.node(to));
                                self.send((rank, event), nodes, bytes, &mut progress);
                            }
                        }
                    }
                }
                if self.messages.len() as u64 > Pacing::MOST_MESSAGES {
                    return too_many(self.messages.len() as u64);
                }
            }
        }
        self.messages.sort_by_key(|message| message.turn);
        Ok(())
    }

    /// Finds the turn of a message; none where it goes nowhere, or has nothing in it.
    fn send(
        &mut self,
        (rank, entry): (Rank, u32),
        (from, to): (NodeId, NodeId),
        bytes: Bytes,
        progress: &mut Progress,
    ) -> Option<u32> {
        if from == to {
            return None;
        }
        let nic = self.nic(from, to);
        if bytes == Bytes::ZERO {
            return None;
        }
        let last = &mut self.last[from.index() * self.nics as usize + nic as usize];
        let is_full = last.1 >= self.at_once;
        let turn = progress.ready.max(last.0 + u32::from(is_full));
        *last = (turn, if turn > last.0 { 1 } else { last.1 + 1 });
        progress.sent = progress.sent.max(turn + 1);
        self.messages.push(Turned { turn, rank, entry, from, to, nic, bytes });
        Some(turn)
    }

    fn nic(&mut self, from: NodeId, to: NodeId) -> u32 {
        if self.rule == Nics::PerDirection {
            self.machine.route(from, to, &mut self.route);
            let first =
                self.route.iter().find(|&&link| matches!(self.machine.link(link).from, End::Router(_)));
            let first = first.expect("a route between two nodes leaves a router").0;
            return self.ways.partition_point(|&way| way <= first).saturating_sub(1) as u32;
        }
        let count = &mut self.handed_over[from.index()];
        let nic = *count % self.nics;
        *count = nic + 1;
        nic
    }

    fn pace(mut self, ranks: usize, margin: f64) -> Pacing {
        let mut pacing = Pacing { margin, ..Pacing::default() };
        let mut gaps = vec![Vec::new(); ranks];
        let mut classes: BTreeMap<(u64, u64), GapClass> = BTreeMap::new();
        let (mut start, mut seconds) = (0, 0.0);
        let messages = std::mem::take(&mut self.messages);
        while let Some(first) = messages.get(start) {
            let length = messages[start..].partition_point(|message| message.turn == first.turn);
            let turn = &messages[start..start + length];
            start += length;
            pacing.turns += 1;
            let rates = self.rates(turn, &mut pacing.busiest);
            let own = |message: &Turned| {
                self.machine.link(LinkId::new(message.from.index())).capacity.bytes_per_second()
            };
            let (mut longest, mut largest) = (0.0_f64, 0.0_f64);
            for (message, rate) in turn.iter().zip(&rates) {
                longest = longest.max(message.bytes.as_f64() / rate);
                largest = largest.max(own(message) / rate);
            }
            for (message, rate) in turn.iter().zip(rates) {
                let at_the_end = longest * own(message) / message.bytes.as_f64();
                let class = gap_class(own(message) / rate, at_the_end.min(largest), margin);
                let gaps: &mut Vec<Option<Gap>> = &mut gaps[message.rank.index()];
                gaps.resize(gaps.len().max(message.entry as usize + 1), None);
                // Messages of one event have one gap: the largest.
                let gap = &mut gaps[message.entry as usize];
                if gap.is_none_or(|known| known.packet_times() < class.gap) {
                    *gap = Gap::new(class.gap);
                }
                let key = (class.gap.to_bits(), class.share.to_bits());
                let class = classes.entry(key).or_insert(class);
                class.messages += 1;
                class.bytes = Bytes(class.bytes.0.saturating_add(message.bytes.0));
            }
            seconds += longest;
        }
        pacing.expected = Duration::from_secs_f64(seconds).unwrap_or(Duration::MAX);
        // Bits of numbers that are not negative order like the numbers.
        pacing.classes = classes.into_values().rev().collect();
        pacing.gaps = Arc::new(gaps);
        pacing
    }

    /// The fair rates of the messages of a turn, in bytes per second.
    fn rates(&mut self, turn: &[Turned], busiest: &mut Option<(String, usize)>) -> Vec<f64> {
        let (links, nics) = (self.machine.links(), self.nics as usize);
        let capacity = |link: usize| self.machine.link(LinkId::new(link)).capacity.bytes_per_second();
        // Behind the links of the machine: an injection and an ejection link for each interface. Those of the machine that
        // they stand for carry nothing.
        let of_nodes =
            (0..self.machine.nodes()).flat_map(|node| std::iter::repeat_n(capacity(node), 2 * nics));
        let limits = |side: usize| {
            let of_node = self.limits[side].map(Bandwidth::bytes_per_second);
            std::iter::repeat_n(of_node, self.machine.nodes()).flatten()
        };
        let capacities = (0..links).map(capacity).chain(of_nodes).chain(limits(0)).chain(limits(1));
        let mut snapshot = Snapshot::new(capacities, turn.len());
        let own = |node: NodeId, nic: u32, side: usize| {
            LinkId::new(links + 2 * (node.index() * nics + nic as usize) + side)
        };
        let sent = links + 2 * self.machine.nodes() * nics;
        let received = sent + limits(0).count();
        for (flow, message) in turn.iter().enumerate() {
            self.machine.route(message.from, message.to, &mut self.route);
            if let [first, .., last] = &mut self.route[..] {
                (*first, *last) = (own(message.from, message.nic, 0), own(message.to, message.nic, 1));
                let limited = [(sent, message.from), (received, message.to)].into_iter().zip(self.limits);
                let limited =
                    limited.filter_map(|((first, node), limit)| limit.map(|_| first + node.index()));
                self.route.extend(limited.map(LinkId::new));
            }
            snapshot.add(flow, &self.route);
        }
        let shares = (0..links).map(|link| snapshot.share(LinkId::new(link)));
        let most = busiest.as_ref().map_or(0, |(_, share)| *share);
        let larger = shares.enumerate().filter(|(_, share)| *share > most);
        // Of equals the first.
        if let Some((link, share)) = larger.rev().max_by_key(|(_, share)| *share) {
            *busiest = Some((self.machine.link_name(LinkId::new(link)), share));
        }
        snapshot.max_min_rates()
    }
}

fn too_many<T>(messages: u64) -> Result<T, AnalysisError> {
    let most = Pacing::MOST_MESSAGES;
    AnalysisError::refused(format!("the pattern has {messages} messages; at most {most} are looked at"))
}

/// The gap of a message with this share that is to be as slow as if it had the other.
fn gap_class(share: f64, slowed: f64, margin: f64) -> GapClass {
    // Sums of rates round: the shares of links that are shared alike would differ in the last digits.
    let rounded = |share: f64| (share * 1e9).round() / 1e9;
    let (share, slowed) = (rounded(share), rounded(slowed.max(share)));
    let exact = (slowed - 1.0).max(0.0);
    let gap = if exact <= NO_GAP { 0.0 } else { (slowed * (1.0 + margin) - 1.0).min(Gap::MOST) };
    GapClass { share, exact, gap, messages: 0, bytes: Bytes::ZERO }
}

/// The number of the first link of each way of a grid, as [`weir_topology::Torus`] numbers them.
fn first_links(machine: &Topology) -> Vec<u32> {
    let Topology::Torus(torus) = machine.whole() else { return Vec::new() };
    let nodes = machine.nodes() as u32;
    let mut first = 2 * nodes;
    let mut ways = Vec::new();
    for dimension in torus.dimensions().filter(|dimension| dimension.size > 1) {
        let count = match dimension.wrap {
            Wrap::Torus => nodes,
            Wrap::Mesh => nodes / dimension.size * (dimension.size - 1),
        };
        ways.extend([first, first + count]);
        first += 2 * count;
    }
    ways
}
