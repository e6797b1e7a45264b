//! `[node]`: what is inside a node, and its cables to the router.

mod costs;
mod far;
mod fresh_memory;
mod interfaces;
mod local;

use crate::keys::Default::{Value as Is, Words};
use crate::keys::form::{
    CLOCK as CLOCK_FORM, DATA, Either, Number, OfThisComputer, One, OneOf, PerItem, Quantity, RATE, TIME,
    Whole,
};
use crate::keys::keys;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use crate::{TopologySection, Units};
pub(super) use costs::Answers;
pub use costs::NodeCosts;
pub use far::FarCosts;
use interfaces::{read_choice, read_limits, read_nics, read_serving};
pub use local::NodeLocal;
use serde_json::Value;
use std::ops::Bound;
use weir_network::{Choose, Serving, Striping};
use weir_packet::{Nics, NodeModel};
use weir_topology::{NodeCables, NodeLink};
use weir_units::{Bandwidth, Bytes, Duration, Frequency};
use weir_workload::Gap;

/// A node of the machine; all are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSection {
    /// How many interfaces a node has; on the ideal engine one sends everything.
    pub nics: Nics,
    /// How many cables the node of a graph has that has most: each is an interface; else 1.
    pub cables: u32,
    /// Which of them a message takes.
    pub choose: ChooseRule,
    /// How each of them serves its messages; not on the ideal engine.
    pub serving: Serving,
    /// Which messages several of them send together.
    pub striping: Striping,
    /// Whose messages keep a gap between each other.
    pub gap_of: GapOf,
    /// What all of them together send at most; not on the ideal engine.
    pub injection_limit: Option<Bandwidth>,
    /// What all of them together receive at most; likewise.
    pub ejection_limit: Option<Bandwidth>,
    /// Of each injection and ejection link; `None` without a topology, and where nodes have cables of their own.
    pub nic_bandwidth: Option<Bandwidth>,
    /// From node to router and back; likewise.
    pub link_latency: Option<Duration>,
    /// How fast the interface reaches the memory: injection and ejection are not faster. `None` is no limit.
    pub dma_bandwidth: Option<Bandwidth>,
    /// How fast data move within the node; `None` is infinitely fast.
    pub memory_bandwidth: Option<Bandwidth>,
    /// Processor time of each message of an MPI program, once at its sender and once at its receiver, where those below do not say it.
    pub mpi_overhead: Duration,
    /// What messages of MPI programs and the collectives cost beside.
    pub costs: NodeCosts,
    /// What is different for messages within the node.
    pub local: NodeLocal,
    /// How many virtual channels of its link an interface uses; `None`: all. On the packet engine only.
    pub injection_channels: Option<u32>,
    /// Inter-packet gap; on the packet engine only.
    pub packet_gap: PacketGap,
    /// Largest message that is sent without asking the receiver first.
    pub eager_limit: Bytes,
    /// How many of those in a row a rank sends to one receiver before one asks.
    pub eager_messages: u32,
    /// Mean cycles per instruction, for skeletons that count instructions; `None`: not given.
    pub cpi: Option<f64>,
    /// Clock of the processor, likewise.
    pub clock: Option<Frequency>,
}

/// Between whose messages [`NodeCosts::message_gap`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapOf {
    /// Those of a rank.
    #[default]
    Rank,
    /// Those of a rank at each of the interfaces, which it takes in turn.
    Interface,
}

/// How long an interface pauses after each packet, in times that the packet takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PacketGap {
    /// So long after each.
    Fixed(f64),
    /// As its message's max-min fair rate demands (`packet_gap = "max-min"`); patterns and profiles only.
    MaxMin {
        /// By which part of the time between two packets it is more than that.
        margin: f64,
    },
}

/// The values of `node.choose`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChooseRule {
    /// Message after message through the next one.
    #[default]
    RoundRobin,
    /// By the ranks of sender and receiver.
    Hash,
    /// By the node of the receiver.
    ByDestination,
    /// Each message through several.
    Stripe,
    /// The one that is done first.
    LeastLoaded,
}

impl ChooseRule {
    const NAMES: [(&str, Self); 5] = [
        ("round-robin", Self::RoundRobin),
        ("hash", Self::Hash),
        ("by-destination", Self::ByDestination),
        ("stripe", Self::Stripe),
        ("least-loaded", Self::LeastLoaded),
    ];

    /// How engines know it; those that stripe take the interfaces in turn.
    pub(crate) fn choose(self) -> Choose {
        match self {
            Self::RoundRobin | Self::Stripe => Choose::RoundRobin,
            Self::Hash => Choose::Hash,
            Self::ByDestination => Choose::ByDestination,
            Self::LeastLoaded => Choose::LeastLoaded,
        }
    }
}

/// The values of `node.interface`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interface {
    Shared,
    InOrder,
}

const INTERFACES: [(&str, Interface); 2] = [("shared", Interface::Shared), ("in-order", Interface::InOrder)];
const UNLIMITED: &str = "unlimited";
const MAX_MIN: &str = "max-min";
const GAPS: [(&str, GapOf); 2] = [("rank", GapOf::Rank), ("interface", GapOf::Interface)];
const PER_DIRECTION: &str = "per-direction";
const FROM_0: Bound<f64> = Bound::Included(0.0);

keys! {
    "node":
    NIC_BANDWIDTH: Quantity<Bandwidth> = "nic_bandwidth", &[], RATE,
        Words("the largest `topology.bandwidth`; graph: that of a node's own cable, or where its router is the same vertex, of the \
               fastest cable of the file"),
        "of each injection and ejection link, also where a graph has other cables of nodes";
    LINK_LATENCY: Quantity<Duration> = "link_latency", &[], TIME,
        Words("`topology.latency` (of the first dimension or stage); graph: that of a node's own cable, or where its router is the same \
               vertex, `topology.latency`, and if that is not said, the least of the fastest cables of the file"),
        "from node to router, and back, also where a graph has other cables of nodes";
    DMA_BANDWIDTH: Quantity<Bandwidth> = "dma_bandwidth", &[], RATE, Words("no limit"),
        "limit on injection and ejection beside `nic_bandwidth`";
    MEMORY_BANDWIDTH: Quantity<Bandwidth> = "memory_bandwidth", &[], RATE, Words("infinite"),
        "of messages within a node, and of the copy of an eager message";
    MPI_OVERHEAD: Quantity<Duration> = "mpi_overhead", &[], TIME, Is("0"),
        "processor time of a message, once at its sender, once at its receiver";
    SEND_OVERHEAD: PerItem<Quantity<Duration>> = "send_overhead", &[], PerItem(TIME), Words("`mpi_overhead`"),
        "processor time of a message at its sender, before it leaves: one value, or one more than `overhead_limits` has";
    RECEIVE_OVERHEAD: PerItem<Quantity<Duration>> = "receive_overhead", &[], PerItem(TIME), Words("`mpi_overhead`"),
        "likewise at its receiver, when it is there";
    OVERHEAD_LIMITS: PerItem<Quantity<Bytes>> = "overhead_limits", &[], PerItem(DATA), Words("none"),
        "sizes beyond which messages have the next overhead of the lists, in ascending order";
    UNEXPECTED_OVERHEAD: Quantity<Duration> = "unexpected_overhead", &[], TIME, Is("0"),
        "processor time more at the receiver of a message that came before it was asked for";
    RENDEZVOUS_OVERHEAD: Quantity<Duration> = "rendezvous_overhead", &[], TIME, Is("0"),
        "from when both sides of a message beyond `eager_limit` are ready to when the receiver lets it go";
    MESSAGE_GAP: Quantity<Duration> = "message_gap", &[], TIME, Is("0"),
        "least time between two messages that a rank hands to its node (g of LogGP)";
    LOCAL_SEND_OVERHEAD: PerItem<Quantity<Duration>> = "local_send_overhead", &[], PerItem(TIME), Words("`send_overhead`"),
        "`send_overhead` of messages within a node";
    LOCAL_RECEIVE_OVERHEAD: PerItem<Quantity<Duration>> = "local_receive_overhead", &[], PerItem(TIME),
        Words("`receive_overhead`"), "`receive_overhead` of messages within a node";
    LOCAL_RENDEZVOUS_OVERHEAD: Quantity<Duration> = "local_rendezvous_overhead", &[], TIME, Words("`rendezvous_overhead`"),
        "`rendezvous_overhead` of messages within a node: `\"0 ns\"` where it stands for registering memory with the interface";
    LOCAL_MESSAGE_GAP: Quantity<Duration> = "local_message_gap", &[], TIME, Words("`message_gap`, among all messages"),
        "least time between two messages of a rank within its node, apart from the others: `\"0 ns\"` where `message_gap` is of the \
         interface";
    LOCAL_EAGER_LIMIT: Quantity<Bytes> = "local_eager_limit", &[], DATA, Words("`eager_limit`"),
        "`eager_limit` of messages within a node";
    LOCAL_LATENCY: Quantity<Duration> = "local_latency", &[], TIME, Is("0"),
        "from the end of a message's copy within a node to its being there";
    LOCAL_BANDWIDTH: Quantity<Bandwidth> = "local_bandwidth", &[], RATE,
        Words("`memory_bandwidth` (ideal engine: infinite), each message by itself"),
        "how fast a rank copies what ranks of its node send it, one message after the other";
    MEMORY_LIMIT: Quantity<Bandwidth> = "memory_limit", &[], RATE, Words("no limit"),
        "what the memory of a node carries together: a byte within the node counts twice, on the flow engine also once what interfaces send \
         or receive ([model](../concepts/model.md#messages-within-a-node)). With it a rank copies one message at a time";
    COMBINE_BANDWIDTH: Quantity<Bandwidth> = "combine_bandwidth", &[], RATE, Words("infinite"),
        "how fast a reduction makes one operand of two, in bytes of one of them";
    COPY_BANDWIDTH: Quantity<Bandwidth> = "copy_bandwidth", &[], RATE, Words("infinite"),
        "how fast a collective copies within a rank's memory, as Bruck's algorithm does when it packs and turns blocks, and a reduction \
         the rank's own operand";
    COPY_OVERHEAD: Quantity<Duration> = "copy_overhead", &[], TIME, Is("0"),
        "how long each such copy takes before its first byte; each piece of several that are packed is one";
    PACK_OVERHEAD: Quantity<Duration> = "pack_overhead", &[], TIME, Is("0"),
        "how long a round of a collective that packs or turns blocks takes before the first of them";
    COLLECTIVE_OVERHEAD: Quantity<Duration> = "collective_overhead", &[], TIME, Is("0"),
        "processor time of a rank that enters a collective";
    HARDWARE_OVERHEAD: Quantity<Duration> = "hardware_overhead", &[], TIME, Words("there is no such hardware"),
        "processor time of a rank that enters a barrier, or a broadcast or reduction of a few bytes, which the interfaces carry out by \
         themselves: the algorithm [`hardware`](collectives.md#hardware)";
    HARDWARE_MESSAGE_TIME: Quantity<Duration> = "hardware_message_time", &[], TIME, Is("0"),
        "with `hardware_overhead`: how long an interface takes for each message that comes to it in such a collective";
    NEAR_PARTNERS: Whole = "near_partners", &[], Whole(1, u32::MAX as u64), Words("no limit"),
        "for how many other ranks, the first that it exchanges messages with, a rank has large buffers; messages to and from others cost `far_overhead`";
    FAR_OVERHEAD: PerItem<Quantity<Duration>> = "far_overhead", &[], PerItem(TIME), Words("`0`"),
        "how much longer a message takes at a rank to which the other one is not near: one value, or one more than `far_limits` has";
    FAR_LIMITS: PerItem<Quantity<Bytes>> = "far_limits", &[], PerItem(DATA), Words("none"),
        "sizes beyond which messages have the next value of `far_overhead`, in ascending order";
    FRESH_MEMORY_FROM: Quantity<Bytes> = "fresh_memory_from", &[], DATA, Words("no limit"),
        "from how much on a block of temporary memory of a collective comes from the operating system in each call";
    FRESH_MEMORY_SEVERAL_FROM: Quantity<Bytes> = "fresh_memory_several_from", &[], DATA, Words("no limit"),
        "from how much of the longest on several shorter blocks do, where all of them together have twice its length or more, as the end \
         of the heap does that GNU's C library gives back \
         ([model](../concepts/model.md#what-processors-spend))";
    FRESH_MEMORY_OVERHEAD: Quantity<Duration> = "fresh_memory_overhead", &[], TIME, Is("0"),
        "how long a rank takes to get such a block, to register it with the interface and to give it back, beside its pages";
    FRESH_MEMORY_BANDWIDTH: Quantity<Bandwidth> = "fresh_memory_bandwidth", &[], RATE, Words("infinite"),
        "how fast the pages of such memory are made when they are first touched";
    PROGRESS: OneOf<Answers> = "progress", &[], OneOf(&Answers::NAMES), Is("\"always\""),
        "who answers requests to send and clearances while a rank computes \
         ([model](../concepts/model.md#who-answers-while-a-rank-computes)): `always`: the interface, at once; `calls`: they wait for the rank's next call; `polls`: a thread that looks every `progress_interval`";
    PROGRESS_INTERVAL: Quantity<Duration> = "progress_interval", &[], TIME, Words("none"),
        "with `progress = \"polls\"`: time from one look of that thread to the next, more than none";
    EAGER_LIMIT: Quantity<Bytes> = "eager_limit", &[], DATA, Is("\"16 KiB\""),
        "longest message that is sent without asking the receiver first";
    EAGER_MESSAGES: Whole = "eager_messages", &[], Whole(1, u32::MAX as u64), Is("16384"),
        "how many of those in a row a rank sends to one receiver that does not receive them; then it waits, so that no rank sends \
         without bound what is not received ([model](../concepts/model.md#messages-of-mpi-programs)). The one after half of \
         them asks first, and its sender goes on: ranks that send and receive in turn never wait. A whole number from 1 to \
         4,294,967,295, of which 1 has no half";
    NICS: Either<Whole, OneOf<Nics>> = "nics", &[],
        Either { one: Whole(1, MOST_NICS), other: OneOf(&[(PER_DIRECTION, Nics::PerDirection)]) }, Is("1"),
        "interfaces of a node, packet and flow engine (on the ideal engine one sends everything): 1 to 16, which messages take in turn, or `\"per-direction\"` on a torus or mesh on \
         packets (a message goes through that of its first hop). Each has links of its own to \
         the router and back, with `nic_bandwidth`. Messages of the same two ranks keep their order. Where nodes of a graph have several \
         cables, each of these is an interface, and this is 1";
    CHOOSE: OneOf<ChooseRule> = "choose", &[], OneOf(&ChooseRule::NAMES), Words("`round-robin`; with `stripe` of 2 or more `stripe`"),
        "which of the interfaces of its node a message takes, packet and flow engine ([model](../concepts/model.md#nodes-with-several-cables)): \
         with `round-robin` the next one; `hash`: one that follows from the ranks of sender and receiver; `by-destination`: from the \
         receiver's node; `stripe`: all, each a share as its bandwidth is; `least-loaded`: the one that has sent all it has first";
    INTERFACE: OneOf<Interface> = "interface", &[], OneOf(&INTERFACES), Is("\"shared\""),
        "how an interface serves the messages that it has been given, on the flow and the packet engine: with `shared` all of them share its \
         link, and what has no data (requests, clearances, acknowledgements) never waits for others; with `in-order` it sends one message \
         after the other, as the interfaces of MFS and NSIM do ([model](../concepts/model.md#interfaces))";
    MESSAGES_AT_ONCE: Either<Whole, OneOf<()>> = "messages_at_once", &[],
        Either { one: Whole(1, u32::MAX as u64 - 1), other: OneOf(&[(UNLIMITED, ())]) }, Is("64"),
        "how many messages with data a shared interface sends at once, or `\"unlimited\"`; those behind them wait in the order in which \
         the interface got them";
    STRIPE: Whole = "stripe", &[], Whole(1, MOST_NICS), Is("1"),
        "over how many of its `nics` a node stripes a message, 1 to 16: each sends a share of it, on packets packet by packet in turn, and it has \
         left, and is there, when all of it has, and is";
    STRIPE_FROM: Quantity<Bytes> = "stripe_from", &[], DATA, Is("0"),
        "with `stripe`: shorter messages go through one interface";
    GAP_OF: OneOf<GapOf> = "gap_of", &[], OneOf(&GAPS), Is("\"rank\""),
        "between whose messages `message_gap` is: all of a `rank`, or those of a rank at each `interface` of its node, which it takes in turn: \
         with `nics = 4` the node gets 4 messages of a rank within a gap";
    INJECTION_LIMIT: Quantity<Bandwidth> = "injection_limit", &[], RATE, Words("what the interfaces can"),
        "what all interfaces of a node send together, flow and packet engine ([model](../concepts/model.md#limits-of-a-node))";
    EJECTION_LIMIT: Quantity<Bandwidth> = "ejection_limit", &[], RATE, Words("what the interfaces can"),
        "likewise what they receive";
    CPI: Number = "cpi", &[],
        Number { within: (Bound::Excluded(0.0), Bound::Unbounded), words: "a number above 0" }, Words("none"),
        "mean cycles per instruction: what an instruction takes in `weir_compute_instructions` \
         ([skeletons](../guide/skeletons.md#estimates)), with `clock`";
    CLOCK: OfThisComputer<Frequency> = "clock", &[], OfThisComputer(&CLOCK_FORM), Words("none"),
        "clock of the processor, likewise (`\"3 GHz\"`, also in the unitless form)";
    PACKET_GAP: Either<Number, OneOf<()>> = "packet_gap", &[],
        Either {
            one: Number {
                within: (FROM_0, Bound::Included(Gap::MOST)),
                words: "a number from 0 to 1000000 packet times",
            },
            other: OneOf(&[(MAX_MIN, ())]),
        }, Is("0"),
        "inter-packet gap, packet engine only: how long an interface pauses after each packet, in times that the packet takes \
         on its link, 0 to 1,000,000; or `\"max-min\"`: each message of a pattern or a profile gets the gap that \
         [`weir advise pacing`](command-line.md#weir-advise-pacing) finds for it";
    INJECTION_CHANNELS: Whole = "injection_channels", &[], Whole(1, 256), Words("all"),
        "how many virtual channels of its link an interface uses, the first ones, packet engine only";
    PACKET_GAP_MARGIN: Number = "packet_gap_margin", &[],
        Number { within: (FROM_0, Bound::Unbounded), words: "a number, 0 or more: 0.08 loads links to 93 %" }, Is("0.08"),
        "with `packet_gap = \"max-min\"`: by which part the time between two packets is longer than the fair rate demands";
}

/// As many as the packet engine takes.
const MOST_NICS: u64 = 16;

impl NodeSection {
    /// Fills in what follows from the topology.
    pub(crate) fn read(section: &mut Section<'_>, topology: Option<&TopologySection>) -> Self {
        let nic_bandwidth = section.get(&NIC_BANDWIDTH);
        let link_latency = section.get(&LINK_LATENCY);
        let costs = NodeCosts::read(section);
        let nics = read_nics(section, topology);
        let cables = topology.map_or(1, TopologySection::most_cables);
        let (choose, striping) = read_choice(section, nics, cables);
        let [injection_limit, ejection_limit] = read_limits(section, cables);
        // Where nodes have cables of their own what is not said stays theirs.
        let says = topology.filter(|topology| !topology.has_node_cables());
        Self {
            serving: read_serving(section),
            striping,
            cables,
            choose,
            gap_of: section.get_or_default(&GAP_OF),
            nics,
            injection_limit,
            ejection_limit,
            nic_bandwidth: nic_bandwidth.or(says.map(TopologySection::largest_bandwidth)),
            link_latency: link_latency.or(says.map(TopologySection::first_latency)),
            dma_bandwidth: section.get(&DMA_BANDWIDTH),
            memory_bandwidth: section.get(&MEMORY_BANDWIDTH),
            mpi_overhead: section.get_or_default(&MPI_OVERHEAD),
            local: NodeLocal::read(section, costs.pieces()),
            costs,
            injection_channels: section.get(&INJECTION_CHANNELS).map(|count| count as u32),
            packet_gap: read_packet_gap(section),
            eager_limit: section.get_or_default(&EAGER_LIMIT),
            eager_messages: section.get_or_default(&EAGER_MESSAGES) as u32,
            cpi: section.get(&CPI),
            clock: section.get(&CLOCK),
        }
    }

    /// The cables to the router: as fast as the interface, and not faster than it reaches the memory.
    pub(crate) fn link(&self, topology: &TopologySection) -> NodeLink {
        let nic = self.nic_bandwidth.unwrap_or_else(|| topology.largest_bandwidth());
        NodeLink {
            bandwidth: self.dma_bandwidth.map_or(nic, |dma| nic.min(dma)),
            latency: self.link_latency.unwrap_or_else(|| topology.first_latency()),
        }
    }

    /// What the cables of nodes that have their own have in common.
    pub(crate) fn cables(&self) -> NodeCables {
        NodeCables { bandwidth: self.nic_bandwidth, latency: self.link_latency, limit: self.dma_bandwidth }
    }

    /// Whether its interfaces are one, with nothing beside its cable that limits them.
    pub(crate) fn sends_one_message(&self) -> bool {
        let limits = [self.injection_limit, self.ejection_limit, self.local.memory_limit];
        self.nics == Nics::Several(1) && self.cables == 1 && limits.iter().all(Option::is_none)
    }

    /// The node for the flow engine.
    pub(crate) fn flow_model(&self) -> weir_flow::NodeModel {
        let interfaces = if let Nics::Several(count) = self.nics { count } else { 1 };
        let (injection_limit, ejection_limit) = (self.injection_limit, self.ejection_limit);
        weir_flow::NodeModel {
            within: self.within(self.memory_bandwidth),
            interfaces,
            choose: self.choose.choose(),
            serving: self.serving,
            striping: self.striping,
            injection_limit,
            ejection_limit,
        }
    }

    /// The node for the packet engine.
    pub(crate) fn model(&self) -> NodeModel {
        let packet_gap = match self.packet_gap {
            PacketGap::Fixed(gap) => gap,
            PacketGap::MaxMin { .. } => 0.0,
        };
        NodeModel {
            within: self.within(self.memory_bandwidth),
            nics: self.nics,
            injection_limit: self.injection_limit,
            ejection_limit: self.ejection_limit,
            choose: self.choose.choose(),
            serving: self.serving,
            striping: self.striping,
            packet_gap,
            injection_channels: self.injection_channels,
        }
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut node = Resolved::new(units);
        self.put_interfaces(&mut node);
        node.put_some(&GAP_OF, (self.gap_of != GapOf::Rank).then_some(self.gap_of));
        node.put_some(&INJECTION_LIMIT, self.injection_limit);
        node.put_some(&EJECTION_LIMIT, self.ejection_limit);
        node.put_some(&NIC_BANDWIDTH, self.nic_bandwidth);
        node.put_some(&LINK_LATENCY, self.link_latency);
        node.put_some(&DMA_BANDWIDTH, self.dma_bandwidth);
        node.put_some(&MEMORY_BANDWIDTH, self.memory_bandwidth);
        node.put(&MPI_OVERHEAD, self.mpi_overhead);
        self.costs.put(&mut node);
        self.local.put(&mut node);
        node.put_some(&INJECTION_CHANNELS, self.injection_channels);
        match self.packet_gap {
            PacketGap::Fixed(gap) => node.put(&PACKET_GAP, One::Of(gap)),
            PacketGap::MaxMin { margin } => {
                node.put(&PACKET_GAP_MARGIN, margin);
                node.put(&PACKET_GAP, One::Or(()));
            }
        }
        node.put(&EAGER_LIMIT, self.eager_limit);
        node.put(&EAGER_MESSAGES, self.eager_messages);
        node.put_some(&CPI, self.cpi);
        node.put_some(&CLOCK, self.clock);
        node.into_value()
    }
}

fn read_packet_gap(section: &mut Section<'_>) -> PacketGap {
    match section.get_or_default(&PACKET_GAP) {
        One::Or(()) => PacketGap::MaxMin { margin: section.get_or_default(&PACKET_GAP_MARGIN) },
        One::Of(gap) => {
            section.refuse(&["packet_gap_margin"], "belongs to packet_gap = \"max-min\"");
            // A negative zero is a zero, also when it is written.
            PacketGap::Fixed(gap + 0.0)
        }
    }
}
