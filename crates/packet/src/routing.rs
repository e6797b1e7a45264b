//! Which output a packet takes: computed at every router from an address that the packet carries.

mod classes;
mod classify;
mod detours;
pub(crate) mod grid;
pub(crate) mod ruled;
mod stored;
mod tree;

use crate::network::{Channel, Plan, Poll};
use crate::slots::Packet;
use crate::{Classes, Refusal, RouterModel};
pub(crate) use classify::by_ends;
use detours::Detours;
use grid::Grid;
use ruled::{At, Ruled};
use stored::Stored;
use tree::{Crossbars, Tree};
use weir_topology::{Topology, Torus};
use weir_units::NodeId;

/// The virtual channels that a machine under a rule that chooses among ways needs, with a class for each link passed where that is
/// the rule; 1 for other machines.
pub fn channels_of(topology: &Topology) -> u32 {
    let Some(network) = topology.chosen() else { return 1 };
    let model = RouterModel { virtual_channels: u32::MAX, ..RouterModel::default() };
    Ruled::new((network, escape_of(topology)), &model, 1, false).map_or(1, |ruled| ruled.classes)
}

/// The torus or mesh whose packets have a lane to escape by under a rule.
fn escape_of(topology: &Topology) -> Option<&Torus> {
    if let Topology::Torus(torus) = topology.whole() { Some(torus) } else { None }
}

/// Refuses a machine that the engine cannot run.
fn too_large(what: impl Into<String>) -> Refusal {
    Refusal::new("topology.kind", what, "take a smaller machine, or engine.kind = \"flow\"")
}

/// Next step of a packet at a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) output: u16,
    /// The class of virtual channels on the link behind it.
    pub(crate) class: u8,
}

/// The rule of a machine.
///
/// Virtual channels are divided into as many classes as the rule needs so that packets can never wait for each other in a
/// circle.
#[derive(Clone, Debug)]
pub(crate) enum Routing {
    Grid(Grid),
    Tree(Tree),
    Crossbars(Crossbars),
    Ruled(Ruled),
    Stored(Stored),
    Detours(Detours),
}

impl Routing {
    /// The rule of a topology. `outputs` are the output ports of every link between routers and of every ejection link (the one of
    /// the node's first interface).
    ///
    /// # Errors
    /// When there is too much to store, or given classes do not do what they are for. When `poll` stops it, with anything.
    pub(crate) fn of(plan: &Plan<'_>, outputs: &[u16], poll: Poll<'_>) -> Result<Self, Refusal> {
        let &Plan { topology, model, nics, .. } = plan;
        let degraded = topology.degraded().filter(|degraded| degraded.failed().next().is_some());
        let chosen = topology.chosen();
        if chosen.is_some() && escape_of(topology).is_some() {
            ruled::escaping::check(model)?;
        }
        let rule = match (chosen, topology.whole()) {
            (Some(network), _) => {
                let network = (network, escape_of(topology));
                Self::Ruled(Ruled::new(network, model, nics, degraded.is_some()).map_err(too_large)?)
            }
            (_, Topology::Torus(torus)) => {
                let take_ways_in_turn = plan.takes_ways_in_turn && degraded.is_none();
                Self::Grid(Grid::new(torus, model.dateline, take_ways_in_turn).map_err(too_large)?)
            }
            (_, Topology::FatTree(tree)) => Self::Tree(Tree::new(tree, nics).map_err(too_large)?),
            (_, Topology::Hypercrossbar(network)) => Self::Crossbars(Crossbars::new(network)),
            (_, Topology::Graph(graph)) => {
                let mut stored = Stored::new(plan, outputs, poll).map_err(too_large)?;
                stored.classify(plan, graph, poll)?;
                return Ok(Self::Stored(stored));
            }
            (_, Topology::Switched(_)) => unreachable!("it has a rule"),
            (_, Topology::Degraded(_)) => unreachable!("a whole machine has no faults"),
        };
        let Some(degraded) = degraded else { return Ok(rule) };
        let rule = match rule {
            Self::Ruled(ruled) if !ruled.is_fixed() => {
                return ruled.without(degraded).map(Self::Ruled).map_err(|why| {
                    let name = chosen.map_or("", |network| network.rule().name());
                    let what = format!("is \"{name}\", which {why}");
                    let hint = "a rule of fixed routes takes detours: leave it out";
                    Refusal::new("topology.routing", what, hint)
                });
            }
            rule => rule,
        };
        Detours::new(rule, degraded, nics, outputs, poll).map(Self::Detours)
    }

    fn address_bits(&self) -> u32 {
        match self {
            Self::Grid(grid) => grid.address_bits(),
            Self::Tree(tree) => tree.address_bits(),
            Self::Crossbars(network) => network.address_bits(),
            Self::Ruled(ruled) => ruled.address_bits(),
            Self::Stored(_) | Self::Detours(_) => u32::BITS,
        }
    }

    /// The place of a channel, which is an output of a router with a class, in an order in which every packet goes up: see
    /// [`detours`].
    ///
    /// # Panics
    /// When the output leads to a node, or routes are stored.
    fn order(&self, router: u32, output: u16, class: u8) -> u32 {
        match self {
            Self::Grid(grid) => grid.order(router, output, class),
            Self::Tree(tree) => tree.order(router, output),
            Self::Crossbars(network) => network.order(router, output),
            Self::Ruled(ruled) => ruled.order(router, output, class),
            Self::Stored(_) | Self::Detours(_) => panic!("stored routes have no order of channels"),
        }
    }

    /// Number of classes of virtual channels that it needs.
    pub(crate) fn classes(&self) -> u32 {
        match self {
            Self::Grid(grid) => grid.classes,
            Self::Tree(_) | Self::Crossbars(_) => 1,
            Self::Ruled(ruled) => ruled.classes,
            Self::Stored(stored) => stored.classes,
            Self::Detours(detours) => detours.classes,
        }
    }

    pub(crate) fn class_rule(&self) -> Classes {
        match self {
            Self::Grid(grid) if grid.classes > 1 => Classes::Dateline(grid.dateline),
            Self::Grid(_) | Self::Tree(_) | Self::Crossbars(_) => Classes::One,
            Self::Ruled(ruled) => ruled.class_rule,
            Self::Stored(stored) => stored.rule,
            Self::Detours(detours) => detours.whole.class_rule(),
        }
    }

    /// Address of a packet from an interface of a node to another node.
    pub(crate) fn address(&self, from: NodeId, nic: u32, to: NodeId) -> u32 {
        match self {
            Self::Grid(grid) => grid.address(from, to),
            Self::Tree(tree) => tree.address(from, to),
            Self::Crossbars(_) => to.0,
            Self::Ruled(ruled) => ruled.address(from, nic, to),
            Self::Stored(stored) => stored.address(from, nic, to),
            Self::Detours(detours) => detours.address(from, to),
        }
    }

    /// Asks for an address before it is needed.
    #[inline]
    pub(crate) fn prefetch(&self, from: NodeId, to: NodeId) {
        if let Self::Stored(stored) = self {
            stored.prefetch(from, to);
        }
    }

    /// Address of a router: in a grid that of its node, else its number in the topology.
    pub(crate) fn address_of(&self, router: u32) -> u32 {
        match self {
            Self::Grid(grid) => grid.place(NodeId(router)),
            Self::Detours(detours) => detours.whole.address_of(router),
            Self::Tree(_) | Self::Crossbars(_) | Self::Ruled(_) | Self::Stored(_) => router,
        }
    }

    /// The rule, if it decides for each packet.
    #[inline(always)]
    pub(crate) fn deciding(&self) -> Option<&Ruled> {
        if let Self::Ruled(ruled) = self { Some(ruled).filter(|ruled| ruled.decides()) } else { None }
    }

    /// Returns whether its rule weighs queues of other routers.
    pub(crate) fn looks_far(&self) -> bool {
        self.deciding().is_some_and(Ruled::looks_far)
    }

    /// Next step at a router of a packet that has this address, came from this interface of its node, and is in this
    /// virtual channel now.
    #[inline(always)]
    pub(crate) fn hop(&self, here: u32, address: u32, nic: u32, channel: Channel) -> Hop {
        match self {
            Self::Grid(grid) => grid.hop(here, address, nic, channel),
            Self::Tree(tree) => tree.hop(here, address, nic),
            Self::Crossbars(network) => network.hop(here, address, nic),
            Self::Ruled(ruled) => ruled.hop(At { router: here, channel, address, nic }),
            Self::Stored(stored) => stored.hop(address, nic),
            Self::Detours(detours) => detours.hop(here, address, nic, channel),
        }
    }

    /// A packet as it goes on from a router.
    #[inline]
    pub(crate) fn onward(&self, packet: Packet) -> Packet {
        match self {
            Self::Stored(stored) => packet.addressed(stored.onward(packet.address())),
            Self::Detours(detours) => packet.addressed(detours.onward(packet.address())),
            _ => packet,
        }
    }
}
