//! A machine that becomes others while a run goes on: see [`crate::changes`] for how.

use super::PacketNetwork;
use weir_pdes::Width;
use weir_topology::Topology;
use weir_units::{Duration, NodeId, Time};

#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) at: Time,
    pub(crate) network: PacketNetwork,
}

impl PacketNetwork {
    /// This machine, that of a topology, which becomes others at these instants: the same routers, nodes and links, some of which have failed, are
    /// slow, or are whole again. A run stops sending at such an instant, and goes on when the network is empty. A message without a
    /// way waits at its interface. Windows are as wide as all of them allow.
    ///
    /// # Panics
    /// When the instants do not ascend, or the machines differ in more than their routes and the speed of links.
    #[must_use]
    pub fn becoming<'t>(
        mut self,
        topology: &'t Topology,
        changes: impl IntoIterator<Item = (Time, Self, &'t Topology)>,
    ) -> Self {
        let mut all: Vec<(Time, Self)> = Vec::new();
        for (at, mut network, topology) in changes {
            assert!(at > all.last().map_or(Time::ZERO, |&(before, _)| before), "changes follow each other");
            assert!(self.is_like(&network), "another machine");
            network.note_ways(topology);
            all.push((at, network));
        }
        if all.is_empty() {
            return self;
        }
        self.note_ways(topology);
        let networks = || std::iter::once(&self).chain(all.iter().map(|(_, network)| network));
        let lookahead = networks().map(|network| network.lookahead).min().expect("there is the first one");
        let alike = networks().all(|network| network.alike);
        let keeps_lags = networks().any(|network| network.keeps_lags);
        // A buffer is as large as it has to be at any time.
        let rooms =
            networks().skip(1).fold(self.rooms.clone(), |rooms, network| rooms.larger(&network.rooms));
        let fit = |network: &mut Self| {
            (network.alike, network.lookahead, network.width) = (alike, lookahead, Width::new(lookahead));
            (network.keeps_lags, network.rooms) = (keeps_lags, rooms.clone());
        };
        let last = all.into_iter().rev().fold(None, |next, (at, mut network)| {
            fit(&mut network);
            network.change = next;
            Some(Box::new(Change { at, network }))
        });
        fit(&mut self);
        self.change = last;
        self
    }

    /// The same, of a machine on which not all nodes reach each other: what has no way waits.
    fn note_ways(&mut self, topology: &Topology) {
        let all = (0..topology.nodes()).map(NodeId::new);
        let is_cut = topology.degraded().is_some_and(|degraded| degraded.unreachable(all).is_some());
        self.ways = is_cut.then(|| Box::new(topology.clone()));
    }

    fn is_like(&self, other: &Self) -> bool {
        let sizes = |network: &Self| {
            let Self { routers, inputs, outputs, nics, vcs, links, .. } = network;
            (routers.len(), inputs.len(), outputs.len(), nics.len(), *vcs, *links)
        };
        sizes(self) == sizes(other)
    }

    /// This machine and what it becomes, in the order of instants.
    pub fn stages(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |network| Some(&network.change.as_ref()?.network))
    }

    /// When it changes, in picoseconds; never if it does not.
    pub(crate) fn changes_at(&self) -> u64 {
        self.change.as_ref().map_or(u64::MAX, |change| change.at.as_ps())
    }

    /// The machine after the change.
    ///
    /// # Panics
    /// When it does not change.
    pub(crate) fn changed(&self) -> &Self {
        &self.change.as_ref().expect("it changes").network
    }

    /// Makes windows so wide, of all machines.
    pub(crate) fn set_width(&mut self, width: Duration) {
        self.width = Width::new(width);
        if let Some(change) = &mut self.change {
            change.network.set_width(width);
        }
    }

    /// Address of a packet from an interface of a node to another node; `None` if there is no way now.
    #[inline]
    pub(crate) fn address(&self, from: NodeId, nic: u32, to: NodeId) -> Option<u32> {
        let is_cut = self.ways.as_ref().is_some_and(|topology| !has_way(topology, from, to));
        (!is_cut && self.leads(from, nic, to)).then(|| self.routing.address(from, nic, to))
    }
}

#[cold]
fn has_way(topology: &Topology, from: NodeId, to: NodeId) -> bool {
    let attached = |node| topology.degraded().is_none_or(|degraded| degraded.is_attached(node));
    if from == to { attached(from) } else { topology.find_route(from, to, &mut Vec::new()) }
}

/// The cables of nodes, where they have several.
#[derive(Clone, Debug)]
pub(crate) struct Cables {
    /// By node.
    counts: Vec<u32>,
    /// If some of them do not lead to all nodes: the machine, to ask for ways.
    topology: Option<Topology>,
}

impl Cables {
    /// Cables of a machine; `None` if each node has one.
    pub(super) fn of(topology: &Topology) -> Option<Box<Self>> {
        let counts = || (0..topology.nodes()).map(|node| topology.cables_of(NodeId::new(node))).collect();
        let asked = || (!topology.cables_reach_all()).then(|| topology.clone());
        (topology.most_cables() > 1).then(|| Box::new(Self { counts: counts(), topology: asked() }))
    }
}

impl PacketNetwork {
    #[inline]
    pub(crate) fn interfaces_of(&self, node: NodeId) -> u32 {
        self.cables.as_ref().map_or(self.nics_per_node, |cables| cables.counts[node.index()])
    }

    /// The interfaces of a node by which a message can be sent to another one.
    pub(crate) fn interfaces_to(&self, from: NodeId, to: NodeId) -> Vec<u32> {
        match self.cables.as_ref().and_then(|cables| cables.topology.as_ref()) {
            Some(topology) => topology.cables_to(from, to),
            None => (0..self.interfaces_of(from)).collect(),
        }
    }

    /// Returns whether an interface leads to a node, where that is not so of all.
    pub(crate) fn leads(&self, from: NodeId, nic: u32, to: NodeId) -> bool {
        let asked = self.cables.as_ref().and_then(|cables| cables.topology.as_ref());
        asked.is_none_or(|topology| topology.leads_by(from, nic, to))
    }

    /// The number of an interface at its node as the rule of routes knows it: the ports of cables are in the routes themselves.
    #[inline]
    pub(crate) fn nic_of_route(&self, nic: u32) -> u32 {
        if self.cables.is_some() { 0 } else { nic }
    }
}
