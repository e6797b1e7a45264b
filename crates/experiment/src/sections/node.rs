//! `[node]`: what is inside a node, and its cables to the router.

mod checks;
mod models;

use crate::TopologySection;
use crate::keys::form::{
    Ascending, CLOCK, DATA, Integer, Number, NumberOr, OfThisComputer, OneOf, PerItem, RATE, TIME,
};
use crate::keys::section;
use crate::source::reader::Section;
use std::ops::Bound;
use weir_message::ProgressRule;
use weir_network::{Choose, Serving, Striping};
use weir_packet::Nics;
use weir_units::{Bandwidth, Bytes, Duration, Frequency};
use weir_workload::Gap;

/// The messages between which `node.message_gap` lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapOf {
    /// Those of a rank.
    #[default]
    Rank,
    /// Those of a rank at each of the interfaces, which it takes in turn.
    Interface,
}

/// Pause of an interface after each packet, in times that the packet takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PacketGap {
    /// The same after each packet.
    Fixed(f64),
    /// The pause follows from the max-min fair rate of the message (`packet_gap = "max-min"`); patterns and profiles only.
    MaxMin,
}

/// A value of `node.choose`: a rule for the next message, or none where several interfaces send each (`stripe`).
pub type ChooseRule = Option<Choose>;

const STRIPE: ChooseRule = None;

const FROM_0: Bound<f64> = Bound::Included(0.0);
/// The most that the packet engine takes.
const MOST_NICS: u64 = 16;

const COUNT_OR_PER_DIRECTION: NumberOr<u32, Nics> = NumberOr {
    number: &Integer(1, MOST_NICS),
    make: Nics::Several,
    number_of: |nics| if let Nics::Several(count) = nics { count } else { 1 },
    names: OneOf(&[("per-direction", Nics::PerDirection)]),
    words: "a whole number from 1 to 16, or \"per-direction\"",
};
const COUNT_OR_UNLIMITED: NumberOr<u32, u32> = NumberOr {
    number: &Integer(1, u32::MAX as u64 - 1),
    make: |count| count,
    number_of: |count| count,
    names: OneOf(&[("unlimited", u32::MAX)]),
    words: "a whole number from 1 to 4294967294, or \"unlimited\"",
};
const GAP_OR_MAX_MIN: NumberOr<f64, PacketGap> = NumberOr {
    number: &Number {
        within: (FROM_0, Bound::Included(Gap::MOST)),
        words: "a number from 0 to 1000000 packet times",
    },
    // A negative zero is a zero, also when it is written.
    make: |gap| PacketGap::Fixed(gap + 0.0),
    number_of: |gap| if let PacketGap::Fixed(gap) = gap { gap } else { 0.0 },
    names: OneOf(&[("max-min", PacketGap::MaxMin)]),
    words: "\"max-min\" or a number from 0 to 1000000 packet times",
};

section! {
    /// A node of the machine; all are alike.
    #[derive(Clone, Debug, PartialEq)]
    pub struct NodeSection of "node";
    nic_bandwidth: Bandwidth = RATE,
        Words("the largest `topology.bandwidth`; graph: that of a node's own cable, or where its router is the same vertex, of the \
               fastest cable of the file"),
        "Bandwidth of each injection and ejection link, also where a graph has other cables of nodes.", More(Serialization);
    link_latency: Duration = TIME,
        Words("`topology.latency` (of the first dimension or stage); graph: that of a node's own cable, or where its router is the same \
               vertex, `topology.latency`, and if that is not said, the least of the fastest cables of the file"),
        "Latency from node to router, and back, also where a graph has other cables of nodes.", Less(Latency);
    dma_bandwidth: Bandwidth = RATE, Words("no limit"),
        "Limit on injection and ejection beside `nic_bandwidth`: how fast an interface reaches the memory.", More(Serialization);
    memory_bandwidth: Bandwidth = RATE, Words("infinite"),
        "Bandwidth of messages within a node, and of the copy of an eager message.", More(Serialization);
    mpi_overhead: Duration = TIME, Is("0"),
        "Processor time of a message, once at its sender, once at its receiver.", Less(StartUp);
    send_overhead: Vec<Duration> = PerItem(TIME), Words("`mpi_overhead`"),
        "Processor time of a message at its sender, before it leaves: one value, or one more than `overhead_limits` has.", Less(StartUp);
    receive_overhead: Vec<Duration> = PerItem(TIME), Words("`mpi_overhead`"),
        "Processor time of a message at its receiver, when it is there: one value, or one more than `overhead_limits` has.", Less(StartUp);
    overhead_limits: Vec<Bytes> = Ascending(PerItem(DATA)), Words("none"),
        "Sizes beyond which messages have the next overhead of the lists, in ascending order.";
    unexpected_overhead: Vec<Duration> = PerItem(TIME), Words("`0`"),
        "Additional processor time at the receiver of a message that came before it was asked for: one value, or one more than `overhead_limits` has.", Less(StartUp);
    rendezvous_overhead: Vec<Duration> = PerItem(TIME), Words("`0`"),
        "Time from when both sides of a message beyond `eager_limit` are ready to when the receiver lets it go: one value, or one more than \
         `overhead_limits` has.", Less(StartUp);
    rendezvous_bandwidth: Vec<Bandwidth> = PerItem(RATE), Words("infinite"),
        "Rate at which the memory of such a message is made ready before it goes, in addition to `rendezvous_overhead`, as when an interface \
         registers it: one value, or one more than `overhead_limits` has.", More(StartUp);
    eager_latency: Vec<Duration> = PerItem(TIME), Words("`0`"),
        "Time from when a message up to `eager_limit` to another node has been handed over to when it leaves, while the interface fetches it and no processor is busy: one value, \
         or one more than `overhead_limits` has.", Less(Latency);
    message_gap: Duration = TIME, Omitted("0"),
        "Least time between two messages that a rank hands to its node (g of LogGP).", Less(StartUp);
    local_send_overhead: Vec<Duration> = PerItem(TIME), Words("`send_overhead`"),
        "The `send_overhead` of messages within a node.", Less(StartUp);
    local_receive_overhead: Vec<Duration> = PerItem(TIME), Words("`receive_overhead`"),
        "The `receive_overhead` of messages within a node.", Less(StartUp);
    local_rendezvous_overhead: Duration = TIME, Words("`rendezvous_overhead`"),
        "The `rendezvous_overhead` of messages within a node, of any size, without `rendezvous_bandwidth`: `\"0 ns\"` where it stands for registering memory with the interface.", Less(StartUp);
    local_message_gap: Duration = TIME, Words("`message_gap`, among all messages"),
        "Least time between two messages of a rank within its node, apart from the others: `\"0 ns\"` where `message_gap` is of the \
         interface.", Less(StartUp);
    local_eager_limit: Bytes = DATA, Words("`eager_limit`"), "The `eager_limit` of messages within a node.";
    local_latency: Duration = TIME, Omitted("0"),
        "Time from the end of a message's copy within a node to its being there.", Less(Latency);
    local_bandwidth: Bandwidth = RATE, Words("`memory_bandwidth` (ideal engine: infinite), each message by itself"),
        "Bandwidth at which a rank copies messages that ranks of its node send it, one after the other.", More(Serialization);
    memory_limit: Bandwidth = RATE, Words("no limit"),
        "Total rate of the memory of a node: a byte within the node counts twice, on the flow engine also once what interfaces send \
         or receive ([model](../concepts/model.md#messages-within-a-node)). With it a rank copies one message at a time.", More(Serialization);
    combine_bandwidth: Bandwidth = RATE, Words("infinite"),
        "Rate at which a reduction makes one operand of two, in bytes of one of them.", More(StartUp);
    copy_bandwidth: Vec<Bandwidth> = PerItem(RATE), Words("infinite"),
        "Rate at which a collective copies within a rank's memory, as Bruck's algorithm does when it packs and turns blocks, and a reduction \
         the rank's own operand, by the size of a copy: one value, or one more than `overhead_limits` has.", More(StartUp);
    copy_overhead: Duration = TIME, Omitted("0"),
        "Time that a copy within a collective takes before its first byte; each of several pieces that are packed is a copy.", Less(StartUp);
    pack_overhead: Duration = TIME, Omitted("0"),
        "Time that a round of a collective that packs or turns blocks takes before the first of them.", Less(StartUp);
    collective_overhead: Duration = TIME, Omitted("0"), "Processor time of a rank that enters a collective.", Less(StartUp);
    wait_overhead: Duration = TIME, Omitted("0"),
        "Processor time at the end of a round of a collective in which a rank has waited for messages, until it sees that they are through: once, \
         however many there are.", Less(StartUp);
    hardware_overhead: Duration = TIME, Words("there is no such hardware"),
        "Processor time of a rank that enters a barrier, or a broadcast or reduction of a few bytes, which the interfaces carry out by \
         themselves: the algorithm [`hardware`](collectives.md#hardware).", Less(StartUp);
    hardware_message_time: Duration = TIME, Dependent("0"),
        "With `hardware_overhead`: time that an interface takes for each message that comes to it in a collective that interfaces carry out.", Less(StartUp);
    near_partners: u32 = Integer::COUNT, Words("no limit"),
        "Number of other ranks, the first that it exchanges messages with, for which a rank has large buffers; messages to and from others cost `far_overhead`.";
    far_overhead: Vec<Duration> = PerItem(TIME), Words("`0`"),
        "Additional time of a message at a rank to which the other one is not near: one value, or one more than `far_limits` has.", Less(StartUp);
    far_receive_overhead: Vec<Duration> = PerItem(TIME), Words("`far_overhead`"),
        "The `far_overhead` of messages at their receivers: `\"0 ns\"` where interfaces share receive buffers among all partners.", Less(StartUp);
    far_limits: Vec<Bytes> = Ascending(PerItem(DATA)), Words("none"),
        "Sizes beyond which messages have the next value of `far_overhead`, in ascending order.";
    fresh_memory_from: Bytes = DATA, Words("no limit"),
        "Size from which on a block of temporary memory of a collective comes from the operating system in each call.";
    fresh_memory_several_from: Bytes = DATA, Words("no limit"),
        "Size of the longest of several blocks of temporary memory from which on these come from the operating system in each call, if all \
         together have twice its length or more, since GNU's C library gives back the end of its heap then \
         ([model](../concepts/model.md#what-processors-spend)).";
    fresh_memory_overhead: Duration = TIME, Omitted("0"),
        "Time that a rank takes to get a block from the operating system (`fresh_memory_from`), to register it with the interface and to give it back, beside its pages.", Less(StartUp);
    fresh_memory_bandwidth: Bandwidth = RATE, Words("infinite"),
        "Rate at which pages of memory from the operating system (`fresh_memory_from`) are made when they are first touched.", More(StartUp);
    progress: ProgressRule =
        OneOf(&[("always", ProgressRule::Always), ("calls", ProgressRule::Calls), ("polls", ProgressRule::Polls(Duration::ZERO))]), Omitted("\"always\""),
        "Who answers requests to send and clearances while a rank computes \
         ([model](../concepts/model.md#who-answers-while-a-rank-computes)): `always`: the interface, at once; `calls`: they wait for the rank's next call; `polls`: a thread that looks every `progress_interval`.";
    progress_interval: Duration = TIME, Words("none"),
        "With `progress = \"polls\"`: time from one look of that thread to the next, more than none.";
    eager_limit: Bytes = DATA, Is("\"16 KiB\""), "Longest message that is sent without asking the receiver first.";
    eager_messages: u32 = Integer::COUNT, Is("16384"),
        "Number of eager messages in a row that a rank sends to a receiver that does not receive them; then it waits, so that no rank sends \
         without bound ([model](../concepts/model.md#messages-of-mpi-programs)). The one after half of \
         them asks first, and its sender goes on: ranks that send and receive in turn never wait. A whole number from 1 to \
         4,294,967,295, of which 1 has no half.";
    nics: Nics = COUNT_OR_PER_DIRECTION, Is("1"),
        "Number of interfaces of a node, packet and flow engine (on the ideal engine one sends everything): 1 to 16, which messages take in turn, or `\"per-direction\"` on a torus or mesh on \
         packets (a message goes through that of its first hop). Each has links of its own to \
         the router and back, with `nic_bandwidth`. Messages of the same two ranks keep their order. Where nodes of a graph have several \
         cables, each of these is an interface, and this is 1.";
    choose: ChooseRule =
        OneOf(&[
            ("round-robin", Some(Choose::RoundRobin)), ("hash", Some(Choose::Hash)), ("by-destination", Some(Choose::ByDestination)),
            ("stripe", STRIPE), ("least-loaded", Some(Choose::LeastLoaded)),
        ]), Words("`round-robin`; with `stripe` of 2 or more `stripe`"),
        "Which of the interfaces of its node a message takes, packet and flow engine ([model](../concepts/model.md#nodes-with-several-cables)): \
         with `round-robin` the next one; `hash`: one that follows from the ranks of sender and receiver; `by-destination`: from the \
         receiver's node; `stripe`: all, each a share as its bandwidth is; `least-loaded`: the one that has sent all it has first.";
    interface: Serving = OneOf(&[("shared", Serving::Shared { at_once: 0 }), ("in-order", Serving::InOrder)]), Is("\"shared\""),
        "How an interface serves the messages that it has been given, on the flow and the packet engine: with `shared` all of them share its \
         link, and what has no data (requests, clearances, acknowledgements) never waits for others; with `in-order` it sends one message \
         after the other, as the interfaces of MFS and NSIM do ([model](../concepts/model.md#interfaces)).";
    messages_at_once: u32 = COUNT_OR_UNLIMITED, Dependent("64"),
        "Number of messages with data that a shared interface sends at once, or `\"unlimited\"`; those behind them wait in the order in which \
         the interface got them.";
    stripe: u32 = Integer(1, MOST_NICS), Words("`1`"),
        "Number of its `nics` over which a node stripes a message, 1 to 16: each sends a share of it, on packets packet by packet in turn, and it has \
         left, and is there, when all of it has, and is.";
    stripe_from: Bytes = DATA, Dependent("0"), "With `stripe`: shorter messages go through one interface.";
    gap_of: GapOf = OneOf(&[("rank", GapOf::Rank), ("interface", GapOf::Interface)]), Omitted("\"rank\""),
        "Between whose messages `message_gap` is: all of a `rank`, or those of a rank at each `interface` of its node, which it takes in turn: \
         with `nics = 4` the node gets 4 messages of a rank within a gap.";
    injection_limit: Bandwidth = RATE, Words("what the interfaces can"),
        "Highest total rate at which the interfaces of a node send, flow and packet engine ([model](../concepts/model.md#limits-of-a-node)).", More(Serialization);
    ejection_limit: Bandwidth = RATE, Words("what the interfaces can"),
        "Highest total rate at which the interfaces of a node receive, flow and packet engine.", More(Serialization);
    cpi: f64 = Number { within: (Bound::Excluded(0.0), Bound::Unbounded), words: "a number above 0" }, Words("none"),
        "Mean cycles per instruction: what an instruction takes in `weir_compute_instructions` \
         ([skeletons](../guide/skeletons.md#estimates)), with `clock`.";
    clock: Frequency = OfThisComputer(&CLOCK), Words("none"),
        "Clock of the processor, for instructions with `cpi` (`\"3 GHz\"`, also in the unitless form).";
    packet_gap: PacketGap = GAP_OR_MAX_MIN, Is("0"),
        "Inter-packet gap, packet engine only: how long an interface pauses after each packet, in times that the packet takes \
         on its link, 0 to 1,000,000; or `\"max-min\"`: each message of a pattern or a profile gets the gap that \
         [`weir advise pacing`](command-line.md#weir-advise-pacing) finds for it.";
    injection_channels: u32 = Integer(1, 256), Words("all"),
        "Number of virtual channels of its link that an interface uses, the first ones, packet engine only.";
    packet_gap_margin: f64 =
        Number { within: (FROM_0, Bound::Unbounded), words: "a number, 0 or more: 0.08 loads links to 93 %" }, Dependent("0.08"),
        "With `packet_gap = \"max-min\"`: by which part the time between two packets is longer than the fair rate demands.";
    +
    /// Number of cables of the node of a graph that has most, or of networks: each is an interface; else 1.
    cables: u32 = 1;
    /// The messages that several interfaces send together.
    striping: Striping = Striping::default();
}

impl NodeSection {
    pub(crate) fn read(section: &mut Section<'_>, topology: Option<&TopologySection>) -> Self {
        let mut node = Self::read_keys(section).expect("no key is required");
        node.cables = topology.map_or(1, TopologySection::most_cables);
        node.check_costs(section);
        node.check_interfaces(section, topology);
        // Where nodes have cables of their own what is not said stays theirs.
        let says = topology.filter(|topology| !topology.has_node_cables());
        node.nic_bandwidth = node.nic_bandwidth.or(says.map(TopologySection::largest_bandwidth));
        node.link_latency = node.link_latency.or(says.map(TopologySection::first_latency));
        section.settle(&key::nic_bandwidth, node.nic_bandwidth);
        section.settle(&key::link_latency, node.link_latency);
        node
    }
}
