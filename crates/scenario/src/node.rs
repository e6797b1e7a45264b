//! `[node]`: what is inside a node, and its cables to the router.

use crate::reader::{BANDWIDTH, BYTES, DURATION, Section};
use crate::{TopologySection, Units};
use serde_json::{Map, Value, json};
use weir_topology::NodeLink;
use weir_units::{Bandwidth, Bytes, Duration};

/// A node of the machine; all are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSection {
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
    /// Largest message that is sent without asking the receiver first.
    pub eager_limit: Bytes,
}

impl NodeSection {
    const EAGER_LIMIT: Bytes = Bytes(16 * 1024);

    /// Fills in what follows from the topology.
    pub(crate) fn read(section: &mut Section<'_>, topology: Option<&TopologySection>) -> Self {
        section.choice("nics", &[("1", ())], &["per-direction"]);
        let one = "0: gaps between packets belong to kind = \"packet\", which is not in this version";
        section.number("packet_gap", |gap| gap == 0.0, one);
        let nic_bandwidth = section.quantity("nic_bandwidth", &BANDWIDTH);
        let link_latency = section.quantity("link_latency", &DURATION);
        Self {
            nic_bandwidth: nic_bandwidth.or(topology.map(TopologySection::largest_bandwidth)),
            link_latency: link_latency.or(topology.map(TopologySection::first_latency)),
            dma_bandwidth: section.quantity("dma_bandwidth", &BANDWIDTH),
            memory_bandwidth: section.quantity("memory_bandwidth", &BANDWIDTH),
            mpi_overhead: section.quantity("mpi_overhead", &DURATION).unwrap_or_default(),
            eager_limit: section.quantity("eager_limit", &BYTES).unwrap_or(Self::EAGER_LIMIT),
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

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value| object.insert(key.to_owned(), value);
        put("nics", json!(1));
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
        put("packet_gap", json!(0));
        put("eager_limit", units.bytes(self.eager_limit));
        Value::Object(object)
    }
}
