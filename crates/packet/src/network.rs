//! Everything about the network of a machine that does not change during a run.

mod changing;
pub(crate) mod check;
mod crossbars;
mod ports;

use crate::labels::Labels;
use crate::rooms::Rooms;
use crate::routers::NodeLimits;
use crate::routing::{Routing, classes_by_channel};
use crate::services::Services;
use crate::slots::{Packet, Size};
use crate::speed::Speed;
use crate::{Arbiter, Classes, DeadlockPolicy, Nics, NodeModel, Refusal, RouterModel, VcAllocation};
use changing::{Cables, Change};
use check::{check_places, check_places_of, nics, ports};
pub(crate) use crossbars::{Crossbar, by_input};
use ports::Ports;
use std::ops::ControlFlow;
use weir_network::{Limits, Placement};
use weir_pdes::Width;
use weir_topology::{Link, LinkClasses, Topology};
use weir_units::{Bytes, Duration, NodeId, Time};

/// The network of a machine, ready for runs: its ports, lanes, delays and routing rule, all as numbers.
///
/// Routers are numbered by their *positions* in an order in which neighbors stand together ([`Topology::compact_order`]), so that
/// ranges of them are parts with little between them; a list has the numbers that they have in the topology. A
/// *lane* is one virtual channel of one input port; lanes are numbered router by router, within a router port by port.
/// Input ports of a router are its links from other routers and then those from its nodes; output ports likewise. In a grid
/// links between routers have the port of their way; in a graph they are in the order of the routers at their other ends,
/// elsewhere in that of their numbers.
#[derive(Clone, Debug)]
pub struct PacketNetwork {
    pub(crate) arbiter: Arbiter,
    pub(crate) mtu: u32,
    pub(crate) vcs: u32,
    /// Packets per lane.
    pub(crate) rooms: Rooms,
    pub(crate) output_buffer: u32,
    /// Delay of everything before the crossbar.
    pub(crate) pipeline: u64,
    /// From the tail of a packet leaving an input buffer to a grant of the next one in its lane.
    pub(crate) turnaround: u64,
    /// If packets take a virtual channel before the crossbar: from the tail of one leaving to a grant of the next one that
    /// takes the same.
    pub(crate) vc_turnaround: Option<u64>,
    /// Size of a flit on the injection link of a node.
    pub(crate) flit: Bytes,
    /// By kind of router.
    pub(crate) crossbars: Vec<Crossbar>,
    /// True if all links and the crossbar are equally fast: then a packet is never stretched.
    pub(crate) alike: bool,
    /// True if slots keep how far a tail is behind its head. Where all links are equally fast and the crossbar is no slower, that
    /// is the time on a link.
    pub(crate) keeps_lags: bool,
    pub(crate) routing: Routing,
    /// By position, and one more where all ends.
    pub(crate) routers: Vec<RouterPlace>,
    /// By position: the number in the topology.
    pub(crate) numbers: Vec<u32>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) wires: Vec<Wire>,
    /// From a place in an input buffer becoming free to the sender knowing, in picoseconds: all that there are.
    pub(crate) credits: Vec<u64>,
    /// By node times interfaces plus interface.
    pub(crate) nics: Vec<Nic>,
    pub(crate) nics_per_node: u32,
    /// Interfaces use so many virtual channels.
    pub(crate) injection_vcs: u32,
    pub(crate) per_direction: bool,
    /// If nodes have several cables of their own.
    pub(crate) cables: Option<Box<Cables>>,
    pub(crate) node: NodeModel,
    pub(crate) limits: NodeLimits,
    pub(crate) links: usize,
    /// The class of each, for where time goes.
    pub(crate) link_classes: Vec<u8>,
    /// By lane of a router. By class, those of each service class behind those of the one before it: its virtual channels, from the first
    /// below the second.
    pub(crate) channels: Vec<Channel>,
    pub(crate) classes_of: Vec<(u32, u32)>,
    /// If there are several.
    pub(crate) services: Option<Box<Services>>,
    pub(crate) width: Width,
    /// The widest that windows can be.
    pub(crate) lookahead: Duration,
    /// The machine to come, and when.
    pub(crate) change: Option<Box<Change>>,
    /// If there are nodes without a way between them: the machine, to ask for ways.
    pub(crate) ways: Option<Box<Topology>>,
}

/// A lane of a router.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    pub(crate) input: u16,
    /// Virtual channel of the input port.
    pub(crate) vc: u8,
    /// The class to which the virtual channel belongs on links between routers.
    pub(crate) class: u8,
}

impl Channel {
    /// The channel of a packet that has not left its node.
    pub(crate) const OF_A_NODE: Self = Self { input: u16::MAX, vc: 0, class: 0 };
}

/// Where the parts of a router are; the next router's parts begin where these end.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct RouterPlace {
    /// The address by which the routing rule knows it, see [`Routing::address_of`].
    pub(crate) address: u32,
    pub(crate) input: u32,
    pub(crate) output: u32,
    /// First word of its masks of lanes, each for up to 64 of them.
    pub(crate) mask: u32,
    /// Which of [`PacketNetwork::crossbars`].
    pub(crate) kind: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    pub(crate) link: u32,
    /// Which of [`PacketNetwork::credits`].
    pub(crate) credit: u32,
    pub(crate) from: Sender,
}

/// Who is at the other end of the link of an input port.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sender {
    /// A router, by its position, through this output port.
    Router(u32, u16),
    /// An interface, by its number in [`PacketNetwork::nics`].
    Nic(u32),
    /// There is no link.
    None,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Output {
    /// Position of a router, or [`Output::NODE`] plus the interface at which the link ends.
    pub(crate) to: u32,
    /// First lane of the input port at which it ends, or the node.
    pub(crate) lane: u32,
    pub(crate) wire: u32,
    pub(crate) link: u32,
}

impl Output {
    pub(crate) const NODE: u32 = 1 << 31;
}

/// Links of the same speed and latency.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    pub(crate) speed: Speed,
    pub(crate) latency: u64,
}

impl Wire {
    fn new(link: &Link, model: &RouterModel) -> Self {
        Self { speed: Speed::new(link.capacity, model.mtu.0 as u32), latency: counted(link.latency) }
    }
}

/// Where an interface is attached.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nic {
    /// Its position.
    pub(crate) router: u32,
    pub(crate) lane: u32,
    pub(crate) wire: u32,
    pub(crate) link: u32,
}

/// The last instant that the engine counts, in picoseconds: a slot keeps instants in 62 bits, and needs room for sums.
pub(crate) const LAST_INSTANT: u64 = 1 << 61;

/// A machine whose network is being built.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) topology: &'a Topology,
    pub(crate) model: &'a RouterModel,
    /// Interfaces of a node.
    pub(crate) nics: u32,
    /// True if they take both cables between two routers of a torus in turn.
    pub(crate) takes_ways_in_turn: bool,
}

impl Plan<'_> {
    /// For how many interfaces a link of a node stands: for all, or it is the cable of one.
    pub(crate) fn each(&self) -> u32 {
        if self.topology.most_cables() > 1 { 1 } else { self.nics }
    }
}

/// Is asked now and then while a network is built whether to go on.
pub(crate) type Poll<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// Number of links or routes between two polls.
pub(crate) const POLL_EVERY: usize = 1 << 14;

impl PacketNetwork {
    /// The network of these routers and nodes.
    ///
    /// # Errors
    /// All reasons why it cannot be run.
    pub fn new(routers: &RouterModel, node: &NodeModel, topology: &Topology) -> Result<Self, Vec<Refusal>> {
        let built = Self::build(routers, node, topology, &mut || ControlFlow::Continue(()));
        built.map(|network| network.expect("it has not been interrupted"))
    }

    /// Like [`Self::new`], and asks many times a second whether to go on, for the routes of a large graph take their time;
    /// `None` if not.
    ///
    /// # Errors
    /// All reasons why it cannot be run.
    pub fn build(
        routers: &RouterModel,
        node: &NodeModel,
        topology: &Topology,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Self>, Vec<Refusal>> {
        let mut interrupted = false;
        let mut poll = || {
            let go_on = go_on();
            interrupted |= go_on.is_break();
            go_on
        };
        let built = Self::build_polled(routers, node, topology, &mut poll);
        if interrupted { Ok(None) } else { built.map(Some) }
    }

    /// If `poll` stops it, whatever is returned is not to be looked at.
    fn build_polled(
        routers: &RouterModel,
        node: &NodeModel,
        topology: &Topology,
        poll: Poll<'_>,
    ) -> Result<Self, Vec<Refusal>> {
        let nics = nics(routers, node, topology)?;
        check_places_of(ports(topology, nics), routers)?;
        // The interface of a direction follows from the way, and not the way from it.
        let takes_ways_in_turn = node.nics != Nics::PerDirection && nics > 1;
        let plan = Plan { topology, model: routers, nics, takes_ways_in_turn };
        let Some(mut ports) = Ports::new(&plan, poll) else { return Err(Vec::new()) };
        ports.check_numbers(routers.virtual_channels)?;
        check_places(ports.rooms.places(ports.inputs.len(), routers.virtual_channels) as u64, routers)?;
        let of_one = routers.of_one_service();
        let routing = Routing::of(&Plan { model: &of_one, ..plan }, &ports.output_ports, poll)?;
        let numbered = ports.routers.iter_mut().zip(&ports.numbers);
        numbered.for_each(|(place, &number)| place.address = routing.address_of(number));
        let classes = classes(&routing, topology, &of_one)?;
        let services = Services::new(routers, node, routing.numbered())?;
        ports.check_speeds(routers)?;
        let width = ports.lookahead(routers)?;
        let vcs = routers.virtual_channels;
        let own = routers.service_channels();
        let class_of = classes_by_channel(&own, classes);
        let lane = |input, vc| Channel { input, vc: vc as u8, class: class_of[vc as usize] };
        let of_routes = |&(first, end): &(u32, u32)| {
            let ranges = routing.class_ranges(end - first).into_iter();
            ranges.map(move |(low, high)| (first + low, first + high))
        };
        let inputs = ports.routers.windows(2).map(|pair| pair[1].input - pair[0].input);
        let most_inputs = inputs.max().unwrap_or(0) as u16;
        let (alike, keeps_lags) = ports.speeds();
        Ok(Self {
            arbiter: routers.arbiter,
            mtu: routers.mtu.0 as u32,
            vcs: routers.virtual_channels,
            rooms: ports.rooms,
            output_buffer: routers.output_buffer,
            pipeline: pipeline(routers),
            turnaround: counted(routers.turnaround_delay),
            vc_turnaround: (routers.vc_allocation == VcAllocation::BeforeSwitch)
                .then(|| counted(routers.switch_allocation_delay)),
            flit: routers.flit(),
            alike,
            keeps_lags,
            crossbars: ports.crossbars,
            routers: ports.routers,
            numbers: ports.numbers,
            inputs: ports.inputs,
            outputs: ports.outputs,
            wires: ports.wires,
            credits: ports.credits,
            nics: ports.nics,
            nics_per_node: nics,
            injection_vcs: node.injection_channels.unwrap_or(vcs).min(vcs),
            per_direction: node.nics == Nics::PerDirection,
            cables: Cables::of(topology),
            limits: NodeLimits::new([node.injection_limit, node.ejection_limit], routers.mtu.0 as u32),
            node: *node,
            links: topology.links(),
            link_classes: LinkClasses::by_link(topology),
            channels: (0..most_inputs).flat_map(|input| (0..vcs).map(move |vc| lane(input, vc))).collect(),
            classes_of: own.iter().flat_map(of_routes).collect(),
            services,
            width: Width::new(width),
            lookahead: width,
            change: None,
            ways: None,
            routing,
        })
    }

    /// Width of the windows of simulated time.
    pub fn window(&self) -> Duration {
        self.width.duration()
    }

    /// The same network with narrower windows. The results are the same; for tests, and to see what a window costs.
    ///
    /// # Panics
    /// When they would be wider than the lookahead of the machine, or zero.
    #[must_use]
    pub fn with_window(mut self, width: Duration) -> Self {
        assert!(width <= self.width.duration(), "wider than the lookahead");
        self.set_width(width);
        self
    }

    /// For how many interfaces the links of a node stand.
    pub fn interfaces(&self) -> u32 {
        if self.cables.is_some() { 1 } else { self.nics_per_node }
    }

    /// Number of virtual channels that keep packets from waiting for each other in a circle.
    pub fn classes(&self) -> u32 {
        self.routing.classes()
    }

    /// Rule for the class of a packet on a link.
    pub fn class_rule(&self) -> Classes {
        self.routing.class_rule()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nics.len() / self.nics_per_node as usize
    }

    pub(crate) fn routers(&self) -> usize {
        self.routers.len() - 1
    }

    pub(crate) fn lanes(&self) -> usize {
        self.inputs.len() * self.vcs as usize
    }

    /// The interface that a packet left from.
    #[inline(always)]
    pub(crate) fn nic_of(&self, packet: Packet, labels: &Labels<'_>) -> u32 {
        if self.nics_per_node == 1 { 0 } else { labels.read(packet.label()).nic }
    }

    #[inline(always)]
    pub(crate) fn bytes_of(&self, packet: Packet, labels: &Labels<'_>) -> u32 {
        match packet.size() {
            Size::Mtu => self.mtu,
            Size::Labeled => labels.read(packet.label()).bytes,
        }
    }

    /// Number of labels that a part needs at most: one for each place in all input buffers, and as many for packets that have
    /// arrived in another part, which gives their numbers back a window later.
    pub(crate) fn labels(&self) -> usize {
        2 * self.places()
    }

    /// Places for packets in all input buffers.
    pub(crate) fn places(&self) -> usize {
        self.rooms.places(self.inputs.len(), self.vcs)
    }

    /// The virtual channels of a class, as numbers from `.0` below `.1`.
    #[inline]
    pub(crate) fn class_range(&self, class: u8) -> (u32, u32) {
        self.classes_of[usize::from(class)]
    }

    /// The crossbar of a router, by its position.
    #[inline(always)]
    pub(crate) fn crossbar(&self, router: usize) -> &Crossbar {
        &self.crossbars[self.routers[router].kind as usize]
    }

    /// From a place in a buffer of an input port becoming free to the sender knowing.
    #[inline(always)]
    pub(crate) fn credit(&self, input: usize) -> u64 {
        match self.credits[..] {
            [all] => all,
            _ => self.credits[self.inputs[input].credit as usize],
        }
    }

    pub(crate) fn node_of(&self, nic: u32) -> NodeId {
        NodeId(nic / self.nics_per_node)
    }

    pub(crate) fn router_of(&self, node: NodeId) -> usize {
        self.nics[node.index() * self.nics_per_node as usize].router as usize
    }

    /// The limits of a run: none goes beyond what the engine counts.
    pub(crate) fn within(limits: Limits) -> Limits {
        Limits { simulated: limits.simulated.min(Time::from_ps(LAST_INSTANT)), ..limits }
    }

    /// The limit that ended a run, in words: this one, or the end of what the engine counts.
    pub(crate) fn limit_in_words(limit: String, asked: Limits, reached: Time) -> String {
        let beyond = reached.as_ps() >= LAST_INSTANT && asked.simulated > reached;
        if beyond {
            "the simulated time exceeds 26 days (2^61 ps), the most the packet engine counts".into()
        } else {
            limit
        }
    }

    pub(crate) fn check_placement(&self, placement: &Placement) {
        let fits = placement.nodes().iter().all(|node| node.index() < self.nodes());
        assert!(fits, "a rank is on a node that the machine does not have");
    }
}

/// Number of classes of virtual channels.
///
/// # Errors
/// When there are more than virtual channels.
fn classes(routing: &Routing, topology: &Topology, routers: &RouterModel) -> Result<u32, Refusal> {
    let classes = match routers.deadlock {
        DeadlockPolicy::Refuse => routing.classes(),
        // Routers would announce for ever what waits in a circle.
        DeadlockPolicy::Allow if routing.announces() => routing.classes(),
        DeadlockPolicy::Allow => routing.classes().min(routers.virtual_channels),
    };
    if routers.virtual_channels < classes {
        let rules = topology.rules();
        let names: Vec<_> = rules.iter().filter(|rule| !rule.is_fixed()).map(|rule| rule.name()).collect();
        let under = match &*names {
            [] => String::new(),
            names => format!(", which follow topology.routing = \"{}\"", names.join("\", \"")),
        };
        if routers.services.is_some() {
            let what = format!(
                "are {} in the class with the fewest: its packets could wait for each other in a circle and never move again, as the routes of this machine go",
                routers.virtual_channels
            );
            let hint = format!(
                "{classes} virtual channels in each class are enough for these routes{under}; leave channels out for as many"
            );
            return Err(Refusal::new("classes.channels", what, hint));
        }
        let what = format!(
            "is {}: packets could wait for each other in a circle and never move again, as the routes of this machine go",
            routers.virtual_channels
        );
        let all_the_same =
            if routing.announces() { "" } else { "; packet.allow_deadlock = true runs it all the same" };
        let hint = format!("{classes} virtual channels are enough for these routes{under}{all_the_same}");
        return Err(Refusal::new("packet.virtual_channels", what, hint));
    }
    Ok(classes)
}

fn pipeline(routers: &RouterModel) -> u64 {
    counted(routers.route_delay + routers.vc_allocation_delay + routers.switch_allocation_delay)
}

/// A delay as the engine counts it: a longer one than a run can be ends no sooner than the run. So a sum of several of them and
/// an instant is a number.
fn counted(delay: Duration) -> u64 {
    delay.as_ps().min(LAST_INSTANT)
}

#[cfg(test)]
mod tests;
