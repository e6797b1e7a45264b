//! `[node]`: what is inside a node, and its cables to the router.

use crate::exact::number;
use crate::reader::{BANDWIDTH, BYTES, DURATION, FREQUENCY, Section};
use crate::{Pacing, TopologySection, Units};
use serde_json::{Map, Value, json};
use weir_message::Costs;
use weir_packet::{Nics, NodeModel};
use weir_topology::NodeLink;
use weir_units::{Bandwidth, Bytes, Duration, Frequency};
use weir_workload::Gap;

/// A node of the machine; all are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSection {
    /// How many interfaces a node has; more than one on the packet engine only.
    pub nics: Nics,
    /// Of each injection and ejection link; `None` only without a topology.
    pub nic_bandwidth: Option<Bandwidth>,
    /// From node to router and back; `None` only without a topology.
    pub link_latency: Option<Duration>,
    /// How fast the interface reaches the memory: injection and ejection are not faster. `None` is no limit.
    pub dma_bandwidth: Option<Bandwidth>,
    /// How fast data move within the node; `None` is infinitely fast.
    pub memory_bandwidth: Option<Bandwidth>,
    /// Processor time of each message of an MPI program, once at its sender and once at its receiver.
    pub mpi_overhead: Duration,
    /// How many virtual channels of its link an interface uses; `None`: all. On the packet engine only.
    pub injection_channels: Option<u32>,
    /// Inter-packet gap; on the packet engine only.
    pub packet_gap: PacketGap,
    /// Largest message that is sent without asking the receiver first.
    pub eager_limit: Bytes,
    /// How many of those in a row a rank sends to one receiver before one asks.
    pub eager_messages: u32,
    /// Mean cycles per instruction, for skeletons that count instructions; `None`: nobody has said.
    pub cpi: Option<f64>,
    /// Clock of the processor, likewise.
    pub clock: Option<Frequency>,
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

const MAX_MIN: &str = "max-min";
const PER_DIRECTION: &str = "per-direction";
/// As many as the packet engine takes.
const MOST_NICS: u64 = 16;

impl NodeSection {
    const EAGER_LIMIT: Bytes = Bytes(16 * 1024);

    /// Fills in what follows from the topology.
    pub(crate) fn read(section: &mut Section<'_>, topology: Option<&TopologySection>) -> Self {
        let nic_bandwidth = section.quantity("nic_bandwidth", &BANDWIDTH);
        let link_latency = section.quantity("link_latency", &DURATION);
        Self {
            nics: read_nics(section, topology),
            nic_bandwidth: nic_bandwidth.or(topology.map(TopologySection::largest_bandwidth)),
            link_latency: link_latency.or(topology.map(TopologySection::first_latency)),
            dma_bandwidth: section.quantity("dma_bandwidth", &BANDWIDTH),
            memory_bandwidth: section.quantity("memory_bandwidth", &BANDWIDTH),
            mpi_overhead: section.quantity("mpi_overhead", &DURATION).unwrap_or_default(),
            injection_channels: section.integer("injection_channels", 1..=256).map(|count| count as u32),
            packet_gap: read_packet_gap(section),
            eager_limit: section.quantity("eager_limit", &BYTES).unwrap_or(Self::EAGER_LIMIT),
            eager_messages: section
                .integer("eager_messages", 1..=u64::from(u32::MAX))
                .map_or(Costs::EAGER_MESSAGES, |count| count as u32),
            cpi: section.number("cpi", |cpi| cpi > 0.0 && cpi.is_finite(), "a number above 0"),
            clock: section.real_quantity("clock", &FREQUENCY),
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

    /// How fast a node's cable to its router is, if that is known.
    pub(crate) fn injection_bandwidth(&self) -> Option<Bandwidth> {
        self.nic_bandwidth.map(|nic| self.dma_bandwidth.map_or(nic, |dma| nic.min(dma)))
    }

    /// The node for the packet engine.
    pub(crate) fn model(&self) -> NodeModel {
        let packet_gap = match self.packet_gap {
            PacketGap::Fixed(gap) => gap,
            PacketGap::MaxMin { .. } => 0.0,
        };
        NodeModel {
            memory_bandwidth: self.memory_bandwidth,
            nics: self.nics,
            packet_gap,
            injection_channels: self.injection_channels,
        }
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value| object.insert(key.to_owned(), value);
        put(
            "nics",
            match self.nics {
                Nics::Several(count) => json!(count),
                Nics::PerDirection => json!(PER_DIRECTION),
            },
        );
        if let Some(bandwidth) = self.nic_bandwidth {
            put("nic_bandwidth", units.bandwidth(bandwidth));
        }
        if let Some(latency) = self.link_latency {
            put("link_latency", units.duration(latency));
        }
        if let Some(bandwidth) = self.dma_bandwidth {
            put("dma_bandwidth", units.bandwidth(bandwidth));
        }
        if let Some(bandwidth) = self.memory_bandwidth {
            put("memory_bandwidth", units.bandwidth(bandwidth));
        }
        put("mpi_overhead", units.duration(self.mpi_overhead));
        if let Some(channels) = self.injection_channels {
            put("injection_channels", json!(channels));
        }
        match self.packet_gap {
            PacketGap::Fixed(gap) => put("packet_gap", number(gap)),
            PacketGap::MaxMin { margin } => {
                put("packet_gap_margin", number(margin));
                put("packet_gap", json!(MAX_MIN))
            }
        };
        put("eager_limit", units.bytes(self.eager_limit));
        put("eager_messages", json!(self.eager_messages));
        if let Some(cpi) = self.cpi {
            put("cpi", number(cpi));
        }
        if let Some(clock) = self.clock {
            put("clock", json!(format!("{} Hz", number(clock.hertz()))));
        }
        Value::Object(object)
    }
}

fn read_packet_gap(section: &mut Section<'_>) -> PacketGap {
    let in_words = "from 0 to 1000000 packet times";
    let gap =
        section.number_or_choice("packet_gap", |gap| Gap::new(gap).is_some(), in_words, &[(MAX_MIN, ())]);
    if gap == Some(Err(())) {
        let in_words = "a number, 0 or more: 0.08 loads links to 93 %";
        let margin = section.number("packet_gap_margin", |m| m >= 0.0 && m.is_finite(), in_words);
        return PacketGap::MaxMin { margin: margin.unwrap_or(Pacing::MARGIN) };
    }
    section.refuse(&["packet_gap_margin"], "belongs to packet_gap = \"max-min\"");
    PacketGap::Fixed(gap.and_then(Result::ok).unwrap_or(0.0))
}

fn read_nics(section: &mut Section<'_>, topology: Option<&TopologySection>) -> Nics {
    match section.integer_or_choice("nics", 1..=MOST_NICS, &[(PER_DIRECTION, Nics::PerDirection)]) {
        None => Nics::Several(1),
        Some(Ok(count)) => Nics::Several(u32::try_from(count).expect("the reader checks the range")),
        Some(Err(per_direction)) => {
            if topology.is_some_and(|topology| !has_directions(topology)) {
                let what = "belongs to kind = \"torus\" or \"mesh\", where links have directions";
                section.problem("nics", what, Some("write how many: nics = 4".into()));
            }
            per_direction
        }
    }
}

/// Whether the links of every router lead into the directions of a grid.
fn has_directions(topology: &TopologySection) -> bool {
    match topology {
        TopologySection::Torus { .. } | TopologySection::Tofu { .. } => true,
        TopologySection::Hypercrossbar { .. }
        | TopologySection::FatTree { .. }
        | TopologySection::Graph(_) => false,
    }
}
