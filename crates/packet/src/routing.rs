//! Which output a packet takes: computed at every router from an address that the packet carries.

mod classes;
mod classify;
mod detours;
pub(crate) mod grid;
mod rails;
pub(crate) mod ruled;
mod stored;
pub(crate) mod tree;

use crate::network::{Channel, Plan, Poll};
use crate::slots::Packet;
use crate::{Classes, Refusal, RouterModel};
pub(crate) use classify::by_ends;
use detours::Detours;
use grid::Grid;
use rails::Rails;
use ruled::{At, Decision, Ruled, View};
use stored::Stored;
use tree::{Crossbars, Tree};
use weir_topology::{Candidates, Rule, Topology, Torus};
use weir_units::NodeId;

/// The virtual channels that a machine under a rule that chooses among ways needs, with a class for each link passed where that is
/// the rule; 1 for other machines. Of several networks the one that needs most decides.
pub fn channels_of(topology: &Topology) -> u32 {
    if let Topology::Rails(rails) = topology.whole() {
        return rails.networks().map(|(network, _)| channels_of(network)).max().unwrap_or(1);
    }
    let Some(network) = topology.chosen() else { return 1 };
    let degraded = topology.degraded().filter(|degraded| degraded.failed().next().is_some());
    if let (Some(torus), Some(degraded)) = (escape_of(topology), degraded) {
        return ruled::escaping::classes_without(torus, degraded).unwrap_or(1);
    }
    let model = RouterModel { virtual_channels: u32::MAX, ..RouterModel::default() };
    Ruled::new((network, escape_of(topology)), &model, 1, false).map_or(1, |ruled| ruled.classes)
}

/// The torus or mesh whose packets have a lane to escape by under a rule.
fn escape_of(topology: &Topology) -> Option<&Torus> {
    if let Topology::Torus(torus) = topology.whole() { Some(torus) } else { None }
}

/// Divides the virtual channels from the first below the second into so many classes, each from the first below the second.
fn channels((first, end): (u32, u32), classes: u32) -> Vec<(u32, u32)> {
    let place = |class: u32| first + class * (end - first) / classes;
    (0..classes).map(|class| (place(class), place(class + 1))).collect()
}

/// By virtual channel: its class, where those of each service class are divided into so many.
pub(crate) fn classes_by_channel(services: &[(u32, u32)], classes: u32) -> Vec<u8> {
    let of_service = |&(first, end): &(u32, u32)| {
        let ranges = channels((first, end), classes.min(end - first));
        (first..end).map(move |vc| ranges.iter().rposition(|range| range.0 <= vc).unwrap_or(0) as u8)
    };
    services.iter().flat_map(of_service).collect()
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
///
/// The kind of the rule is a byte of its own, because it is looked at for each packet at each router.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(crate) enum Routing {
    Grid(Grid),
    Tree(Tree),
    Crossbars(Crossbars),
    Ruled(Ruled),
    Rails(Box<Rails>),
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
        let &Plan { topology, nics, .. } = plan;
        let degraded = topology.degraded().filter(|degraded| degraded.failed().next().is_some());
        let graph = match topology.whole() {
            Topology::Graph(graph) => Some(graph),
            _ => None,
        };
        let has_detours = degraded.is_some() && matches!(topology.whole(), Topology::Rails(_));
        if let (true, Some(rule)) =
            (has_detours, topology.rules().iter().find(|rule| **rule != Rule::Minimal))
        {
            let what = format!("is \"{}\", and links of one of several networks have failed", rule.name());
            let hint = "detours around failed links are known there under routing = \"minimal\" alone";
            return Err(Refusal::new("topology.routing", what, hint));
        }
        if graph.is_some() || has_detours {
            let mut stored = Stored::new(plan, outputs, poll).map_err(too_large)?;
            stored.classify(plan, graph, poll)?;
            return Ok(Self::Stored(stored));
        }
        let rule = Self::by_formula(topology.whole(), plan)?;
        let Some(degraded) = degraded else { return Ok(rule) };
        match rule {
            Self::Ruled(ruled) if !ruled.is_fixed() => {
                ruled.without(degraded, (nics, outputs), poll).map(Self::Ruled)
            }
            rule => Detours::new(rule, degraded, nics, outputs, poll).map(Self::Detours),
        }
    }

    /// The rule of a machine without faults that has a formula.
    fn by_formula(machine: &Topology, plan: &Plan<'_>) -> Result<Self, Refusal> {
        let &Plan { topology, model, nics, .. } = plan;
        let has_detours = topology.degraded().is_some_and(|degraded| degraded.failed().next().is_some());
        if let Some(network) = machine.chosen() {
            let torus = escape_of(machine);
            if torus.is_some() {
                ruled::escaping::check(model)?;
            }
            return Ruled::new((network, torus), model, nics, has_detours)
                .map(Self::Ruled)
                .map_err(too_large);
        }
        Ok(match machine {
            Topology::Torus(torus) => {
                let take_ways_in_turn = plan.takes_ways_in_turn && !has_detours;
                Self::Grid(Grid::new(torus, model.dateline, take_ways_in_turn).map_err(too_large)?)
            }
            Topology::FatTree(tree) => Self::Tree(Tree::new(tree, nics).map_err(too_large)?),
            Topology::Hypercrossbar(network) => Self::Crossbars(Crossbars::new(network)),
            Topology::Rails(rails) => {
                // A cable of a node is one of its interfaces, where there are several networks.
                let is_one = rails.networks().len() == 1;
                let nics = if is_one { nics } else { 1 };
                let plan = Plan { nics, takes_ways_in_turn: plan.takes_ways_in_turn && is_one, ..*plan };
                let routings = rails.networks().map(|(machine, _)| Self::by_formula(machine, &plan));
                let routings = routings.collect::<Result<Vec<_>, Refusal>>()?;
                let classes: u32 = routings.iter().map(Self::classes).sum();
                if classes > u8::MAX.into() {
                    return Err(too_large(format!(
                        "has networks of {classes} classes of virtual channels in all"
                    )));
                }
                Self::Rails(Box::new(Rails::new(rails, routings, &model.service_channels())))
            }
            Topology::Graph(_) | Topology::Degraded(_) | Topology::Switched(_) => {
                unreachable!("a machine with a formula, whose rule chooses nothing")
            }
        })
    }

    fn address_bits(&self) -> u32 {
        match self {
            Self::Grid(grid) => grid.address_bits(),
            Self::Tree(tree) => tree.address_bits(),
            Self::Crossbars(network) => network.address_bits(),
            Self::Ruled(ruled) => ruled.address_bits(),
            Self::Rails(_) | Self::Stored(_) | Self::Detours(_) => u32::BITS,
        }
    }

    /// The place of a channel, which is an output of a router with a class, in an order in which every packet goes up: see
    /// [`detours`].
    ///
    /// # Panics
    /// When the output leads to a node, or routes are stored or of several networks.
    fn order(&self, router: u32, output: u16, class: u8) -> u32 {
        match self {
            Self::Grid(grid) => grid.order(router, output, class),
            Self::Tree(tree) => tree.order(router, output),
            Self::Crossbars(network) => network.order(router, output),
            Self::Ruled(ruled) => ruled.order(router, output, class),
            Self::Rails(_) | Self::Stored(_) | Self::Detours(_) => {
                panic!("these routes have no order of channels")
            }
        }
    }

    /// Number of classes of virtual channels that it needs.
    pub(crate) fn classes(&self) -> u32 {
        match self {
            Self::Grid(grid) => grid.classes,
            Self::Tree(_) | Self::Crossbars(_) => 1,
            Self::Ruled(ruled) => ruled.classes,
            Self::Rails(rails) => rails.classes(),
            Self::Stored(stored) => stored.classes,
            Self::Detours(detours) => detours.classes,
        }
    }

    /// Number of classes that are numbered apart: those of all networks.
    pub(crate) fn numbered(&self) -> u32 {
        if let Self::Rails(rails) = self { rails.numbered() } else { self.classes() }
    }

    /// The virtual channels of each class, as numbers from the first below the second.
    pub(crate) fn class_ranges(&self, vcs: u32) -> Vec<(u32, u32)> {
        if let Self::Rails(rails) = self {
            return rails.class_ranges(vcs);
        }
        // Where too few are allowed the last classes share one.
        let ranges = channels((0, vcs), self.classes().min(vcs));
        (0..self.classes() as usize).map(|class| ranges[class.min(ranges.len() - 1)]).collect()
    }

    pub(crate) fn class_rule(&self) -> Classes {
        match self {
            Self::Grid(grid) if grid.classes > 1 => Classes::Dateline(grid.dateline),
            Self::Grid(_) | Self::Tree(_) | Self::Crossbars(_) => Classes::One,
            Self::Ruled(ruled) => ruled.class_rule,
            Self::Rails(rails) => rails.class_rule(),
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
            Self::Rails(rails) => rails.address(from, nic, to),
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
            Self::Tree(_) | Self::Crossbars(_) | Self::Ruled(_) | Self::Rails(_) | Self::Stored(_) => router,
        }
    }

    /// Returns whether it decides for each packet.
    pub(crate) fn decides(&self) -> bool {
        match self {
            Self::Ruled(ruled) => ruled.decides(),
            Self::Rails(rails) => rails.decides(),
            _ => false,
        }
    }

    /// The next step of a packet; where nothing is decided, its hop. `None` if it depends on what is seen at an instant, and there is no
    /// view.
    pub(crate) fn decide(&self, at: At, found: &mut Candidates, view: Option<View<'_>>) -> Option<Decision> {
        match self {
            Self::Ruled(ruled) if ruled.decides() => ruled.decide(at, found, view),
            Self::Rails(rails) => rails.decide(at, found, view),
            _ => {
                let Hop { output, class } = self.hop(at.router, at.address, at.nic, at.channel);
                Some(Decision { output, class, is_made: true, address: at.address })
            }
        }
    }

    /// The node to which a packet at a router goes, where its way cannot be followed because it is decided.
    pub(crate) fn destination(&self, here: u32, address: u32) -> Option<NodeId> {
        match self {
            Self::Ruled(ruled) if ruled.decides() => Some(ruled.destination(address)),
            Self::Rails(rails) => rails.destination(here, address),
            _ => None,
        }
    }

    /// Returns whether routers announce their queues, for others or for interfaces.
    pub(crate) fn announces(&self) -> bool {
        match self {
            Self::Ruled(ruled) => ruled.announces(),
            Self::Rails(rails) => rails.announces(),
            _ => false,
        }
    }

    /// The address with which a packet leaves its interface, that of a router: decided there, where the rule says so, with a number
    /// that is drawn for it and by what routers have announced.
    #[inline]
    pub(crate) fn injected(&self, at: At, draw: u64, far: &dyn Fn(u32, u16) -> u64) -> u32 {
        match self {
            Self::Ruled(ruled) => ruled.injected(at, draw, far),
            Self::Rails(rails) => rails.injected(at, draw, far),
            _ => at.address,
        }
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
            Self::Rails(rails) => rails.hop(here, address, nic, channel),
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
