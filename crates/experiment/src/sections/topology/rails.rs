//! `kind = "rails"`: several networks that share the nodes, each with the keys of its own kind.

use super::TopologySection;
use crate::check::Check;
use crate::keys::form::{Integer, RATE, TIME};
use crate::keys::{Row, Table, keys};
use crate::source::reader::Section;
use crate::source::tree::{Entry, Tree, Value as Written};
use serde_json::{Value, json};
use weir_topology::{Mistake, NodeCables, NodeLink, Rail, Rails, Topology};
use weir_units::{Bandwidth, Duration};

/// The name of the list.
pub(crate) const NAME: &str = "topology.networks";

keys! {
    "topology.networks":
    DOMAIN: u32 = "domain", &[], Integer::COUNT, Words("none: it joins all nodes"),
        "Number of nodes of a domain, which is that of the network: so many nodes that follow each other have a copy of it, as the GPUs of a server \
         have NVLink, and send each other by the network of the smallest domain that they have in common.";
    STRIDE: u32 = "stride", &[], Integer::COUNT, Is("1"),
        "Distance of nodes at neighboring places of the network: with `stride = 8` the first GPUs of servers of 8 have the first places, the second \
         ones those behind them, as the leaves of rails have them.";
    NIC_BANDWIDTH: Bandwidth = "nic_bandwidth", &[], RATE, Words("`node.nic_bandwidth`, or the largest bandwidth of the network"),
        "Bandwidth of the cables of nodes in this network.", More(Serialization);
    LINK_LATENCY: Duration = "link_latency", &[], TIME, Words("`node.link_latency`, or the first latency of the network"),
        "Latency of the cables of nodes in this network.", Less(Latency);
}

/// The networks of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct RailsSection {
    /// In the order of the interfaces of a node.
    pub networks: Vec<NetworkSection>,
}

/// One of the networks.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSection {
    /// Kind and parameters.
    pub topology: TopologySection,
    /// Number of nodes of a domain; `None`: it joins all.
    pub domain: Option<u32>,
    /// Distance of nodes at neighboring places.
    pub stride: u32,
    /// Bandwidth of the cables of nodes.
    pub nic_bandwidth: Option<Bandwidth>,
    /// Their latency.
    pub link_latency: Option<Duration>,
}

/// A list of tables, of which each has the keys of a topology as well.
pub(super) fn schema() -> Value {
    let is_of_one = |row: &Row| row.kinds != super::RAILS && row.kinds != super::GRAPH;
    let of_topology = super::KEYS.keys().filter(|key| is_of_one(key.row()));
    let mut item = Table::schema_of(KEYS.keys().chain(of_topology));
    item["properties"]["adaptive"] = super::switched::KEYS.schema();
    json!({ "type": "array", "minItems": 1, "items": item })
}

const FORM: &str = "begin each network with [[topology.networks]]; --set topology.networks.0.kind=fat-tree sets a key of the first";

pub(super) fn read(section: &mut Section<'_>) -> Option<TopologySection> {
    section.refuse(&["bandwidth", "latency"], "makes no sense here: each of the networks has its own");
    let networks = section.entry(super::NETWORKS.name);
    let list = match networks.map(|entry| entry.value) {
        Some(Written::List(list)) if !list.is_empty() => list,
        None => {
            section.required::<()>(None, super::NETWORKS.name, FORM);
            return None;
        }
        Some(_) => {
            section.report(super::NETWORKS.name, "must be a list of networks, one at least", FORM);
            return None;
        }
    };
    let mut read = Vec::new();
    for (number, Entry { value, place, .. }) in list.iter().enumerate() {
        let Written::Table(tree) = value else {
            let what = format!("item {number} must be a table");
            section.report(super::NETWORKS.name, what, FORM);
            continue;
        };
        let mut item = section.item(format!("{NAME}.{number}"), tree, place);
        let network = read_network(&mut item, tree);
        item.finish();
        read.push(network);
    }
    let all = read.len() == list.len();
    let networks = read.into_iter().collect::<Option<Vec<_>>>().filter(|_| all)?;
    Some(TopologySection::Rails(RailsSection { networks }))
}

fn read_network(item: &mut Section<'_>, tree: &Tree) -> Option<NetworkSection> {
    let domain = item.get(&DOMAIN);
    let stride = item.get_or_default(&STRIDE);
    let (nic_bandwidth, link_latency) = (item.get(&NIC_BANDWIDTH), item.get(&LINK_LATENCY));
    let is_right = item.is_right(DOMAIN.name) && item.is_right(STRIDE.name);
    let hint =
        "write the kinds of networks with numbers of their own: \"fat-tree\", \"dragonfly\", \"torus\"";
    for (kind, what) in [
        ("rails", "cannot be \"rails\": there is one list of networks"),
        ("graph", "cannot be \"graph\": a graph has the cables of nodes in all its networks"),
    ] {
        if tree.text(super::KIND.name) == Some(kind) {
            item.pass_all(&super::KEYS);
            item.report(super::KIND.name, what, hint);
            return None;
        }
    }
    let topology = TopologySection::read(item)?;
    is_right.then_some(NetworkSection { topology, domain, stride, nic_bandwidth, link_latency })
}

impl RailsSection {
    /// The machine; one network that joins all nodes in their order is that alone. Mistakes come with the number of their network.
    pub(super) fn build(&self, wires: NodeCables) -> Result<Topology, Vec<(Option<usize>, Mistake)>> {
        let (mut made, mut mistakes) = (Vec::new(), Vec::new());
        for (number, network) in self.networks.iter().enumerate() {
            match network.build(wires) {
                Ok(rail) => made.push(rail),
                Err(found) => mistakes.extend(found.into_iter().map(|mistake| (Some(number), mistake))),
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        if let [Rail { machine, domain: None, stride: 1 }] = &made[..] {
            return Ok(machine.clone());
        }
        let numbered = |(number, mistake)| (Some(number), mistake);
        Rails::new(made).map(Topology::Rails).map_err(|found| found.into_iter().map(numbered).collect())
    }

    /// `rails of 9 networks: ...`, equal ones that follow each other once.
    pub(super) fn in_words(&self) -> String {
        let networks = self.networks.chunk_by(|a, b| a == b).map(|alike| {
            let words = alike[0].in_words();
            if alike.len() > 1 { format!("{} of {words}", alike.len()) } else { words }
        });
        let networks = networks.collect::<Vec<_>>().join("; ");
        format!(
            "rails, {} network{}: {networks}",
            self.networks.len(),
            if self.networks.len() == 1 { "" } else { "s" }
        )
    }
}

impl NetworkSection {
    fn build(&self, wires: NodeCables) -> Result<Rail, Vec<Mistake>> {
        let bandwidth =
            self.nic_bandwidth.or(wires.bandwidth).unwrap_or_else(|| self.topology.largest_bandwidth());
        let cable = NodeLink {
            bandwidth: wires.limit.map_or(bandwidth, |limit| bandwidth.min(limit)),
            latency: self.link_latency.or(wires.latency).unwrap_or_else(|| self.topology.first_latency()),
        };
        let machine = self.topology.build_one(cable, wires)?;
        Ok(Rail { machine, domain: self.domain, stride: self.stride })
    }

    fn in_words(&self) -> String {
        let mut words = self.topology.in_words();
        if let Some(domain) = self.domain {
            words += &format!(", for each {domain} nodes");
        }
        if self.stride > 1 {
            words += &format!(", nodes {} apart", self.stride);
        }
        words
    }
}

impl Check<'_> {
    /// Reports a mistake of a key of the topology, or of one of its networks.
    pub(crate) fn report_in_network(
        &mut self,
        network: Option<usize>,
        key: &str,
        what: String,
        hint: String,
    ) {
        match network.and_then(|number| self.item(NAME, number)) {
            Some(mut item) => item.report(key, what, hint),
            None => self.section("topology").report(key, what, hint),
        }
    }
}

impl TopologySection {
    /// The parts that have rules of their own: the machine, or each of several networks with its number.
    pub(crate) fn networks(&self) -> Vec<(Option<usize>, &Self)> {
        match self {
            Self::Rails(section) => section
                .networks
                .iter()
                .enumerate()
                .map(|(number, network)| (Some(number), &network.topology))
                .collect(),
            whole => vec![(None, whole)],
        }
    }

    pub(crate) fn most_cables(&self) -> u32 {
        match self {
            Self::Rails(section) => section.networks.len() as u32,
            Self::Graph(section) => section.graph.most_cables(),
            _ => 1,
        }
    }
}
