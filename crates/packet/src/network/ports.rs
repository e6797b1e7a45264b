//! The ports of all routers and what is attached to them.

use super::crossbars::{by_input, crossbars};
use super::{
    Crossbar, Input, LAST_INSTANT, Nic, Output, POLL_EVERY, PacketNetwork, Plan, Poll, RouterPlace, Sender,
    Wire, counted, pipeline,
};
use crate::rooms::{Rooms, Stretch};
use crate::routing::{by_ends, grid};
use crate::speed::Speed;
use crate::{Refusal, Room, RouterModel};
use std::collections::BTreeMap;
use weir_topology::{End, Link, Topology, Within};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId, RouterId};

/// The ports of all routers, while they are being made.
pub(super) struct Ports {
    pub(super) routers: Vec<RouterPlace>,
    /// By position: the number in the topology.
    pub(super) numbers: Vec<u32>,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    pub(super) wires: Vec<Wire>,
    pub(super) credits: Vec<u64>,
    pub(super) nics: Vec<Nic>,
    pub(super) crossbars: Vec<Crossbar>,
    pub(super) rooms: Rooms,
    pub(super) output_ports: Vec<u16>,
}

impl Ports {
    /// Returns whether all links are as fast as the crossbar, and whether places keep how far a packet lags behind its head: where links are not
    /// alike, or faster than a crossbar.
    pub(super) fn speeds(&self) -> (bool, bool) {
        let links_alike = self.wires.windows(2).all(|pair| pair[0].speed == pair[1].speed);
        let is_alike =
            |crossbar: &Crossbar| Some(&crossbar.speed) == self.wires.first().map(|wire| &wire.speed);
        let alike = links_alike && self.crossbars.iter().all(is_alike);
        let slowest = self.crossbars.iter().map(|crossbar| crossbar.speed.bandwidth()).reduce(Bandwidth::min);
        (alike, !links_alike || self.wires.iter().any(|wire| Some(wire.speed.bandwidth()) > slowest))
    }

    /// `None` if `poll` says so.
    pub(super) fn new(plan: &Plan<'_>, poll: Poll<'_>) -> Option<Self> {
        let topology = plan.topology;
        // The order in which a file has its cables does not count.
        let in_order: Vec<LinkId> = match topology.whole() {
            Topology::Graph(_) => by_ends(topology),
            // Each network has its ports in the order of its own links.
            Topology::Rails(rails) => rails.links_by_network().collect(),
            _ => (0..topology.links()).map(LinkId::new).collect(),
        };
        let numbers = Numbers::new(topology, &in_order, poll)?;
        // Parts are ranges of positions. The order depends on the machine alone, so a checkpoint does not depend on the division.
        let order = topology.compact_order();
        let mut positions = vec![0; order.len()];
        (0..).zip(&order).for_each(|(position, router)| positions[router.index()] = position);
        let mut ports = Self::empty(plan, &numbers, &order);
        ports.attach_all(plan, &in_order, (numbers, &positions), poll)?;
        Some(ports)
    }

    /// All ports, with nothing attached to them.
    fn empty(plan: &Plan<'_>, numbers: &Numbers, order: &[RouterId]) -> Self {
        let (&Plan { topology, model, nics, .. }, each) = (plan, plan.each());
        let Numbers { to_routers, from_routers, out_nodes, in_nodes, .. } = numbers;
        let (_, kinds) = topology.router_kinds();
        let mut places = Vec::with_capacity(topology.routers() + 1);
        let (mut input, mut output, mut mask) = (0, 0, 0);
        for router in order.iter().map(|router| router.index()) {
            let inputs = from_routers[router] + in_nodes[router] * each;
            places.push(RouterPlace { address: 0, input, output, mask, kind: kinds[router].into() });
            input += inputs;
            output += to_routers[router] + out_nodes[router] * each;
            mask += (inputs * model.virtual_channels).div_ceil(64);
        }
        places.push(RouterPlace { address: 0, input, output, mask, kind: 0 });
        let no_input = Input { credit: 0, link: u32::MAX, from: Sender::None };
        let no_output = Output { link: u32::MAX, ..Output::default() };
        Self {
            routers: places,
            numbers: order.iter().map(|router| router.0).collect(),
            inputs: vec![no_input; input as usize],
            outputs: vec![no_output; output as usize],
            wires: Vec::new(),
            credits: Vec::new(),
            nics: vec![Nic::default(); topology.nodes() * nics as usize],
            crossbars: crossbars(model, topology, &kinds),
            rooms: Rooms::Same(model.input_buffer),
            output_ports: Vec::new(),
        }
    }

    /// Attaches every link to its ports. `None` if `poll` says so.
    fn attach_all(
        &mut self,
        plan: &Plan<'_>,
        in_order: &[LinkId],
        (numbers, positions): (Numbers, &[u32]),
        poll: Poll<'_>,
    ) -> Option<()> {
        let (&Plan { topology, model, nics, .. }, each) = (plan, plan.each());
        let Numbers { mut output_ports, input_ports, to_routers, from_routers, .. } = numbers;
        let (mut wires, mut credits) = (Kinds::new(), Kinds::new());
        for &id in in_order {
            if !goes_on(id, poll) {
                return None;
            }
            let link = topology.link(id);
            let key = (link.capacity.bytes_per_second().to_bits(), link.latency);
            let wire = wires.number(key, || Wire::new(&link, model));
            let credit = counted(model.credit_delay.unwrap_or(link.latency));
            let credit = credits.number(credit, || credit);
            let (out, into) = (u32::from(output_ports[id.index()]), u32::from(input_ports[id.index()]));
            match (link.from, link.to) {
                (End::Router(from), End::Router(to)) => {
                    let [sender, receiver] = [from, to].map(|router| positions[router.index()]);
                    let input = Input { credit, link: id.0, from: Sender::Router(sender, out as u16) };
                    let lane = self.attach(receiver, into, input, model);
                    let place = self.routers[sender as usize].output + out;
                    self.outputs[place as usize] = Output { to: receiver, lane, wire, link: id.0 };
                }
                (End::Router(from), End::Node(node)) => {
                    let first = to_routers[from.index()] + out * each;
                    output_ports[id.index()] = first as u16;
                    let begin = self.routers[positions[from.index()] as usize].output + first;
                    let cable = topology.cable_of(id);
                    for nic in 0..each {
                        let place = begin + nic;
                        let (to, lane) = (Output::NODE + cable + nic, node.0);
                        self.outputs[place as usize] = Output { to, lane, wire, link: id.0 };
                    }
                }
                (End::Node(node), End::Router(to)) => {
                    let router = positions[to.index()];
                    for nic in 0..each {
                        let port = from_routers[to.index()] + into * each + nic;
                        let number = node.0 * nics + topology.cable_of(id) + nic;
                        let input = Input { credit, link: id.0, from: Sender::Nic(number) };
                        let lane = self.attach(router, port, input, model);
                        self.nics[number as usize] = Nic { router, lane, wire, link: id.0 };
                    }
                }
                (End::Node(_), End::Node(_)) => {}
            }
        }
        self.stand_in(topology, nics);
        self.output_ports = output_ports;
        (self.wires, self.credits) = (wires.into_all(), credits.into_all());
        if model.room == Room::RoundTrip {
            self.make_room(topology, model);
        }
        Some(())
    }

    /// Nodes with fewer cables than others have their first one in the place of further interfaces, which send nothing.
    fn stand_in(&mut self, topology: &Topology, nics: u32) {
        for node in (0..topology.nodes()).filter(|_| topology.most_cables() > 1) {
            let own = &mut self.nics[node * nics as usize..][..nics as usize];
            let first = own[0];
            own[topology.cables_of(NodeId::new(node)) as usize..].fill(first);
        }
    }

    /// Checks that a router has no more ports and virtual channels than can be numbered with 16 bits.
    pub(super) fn check_numbers(&self, virtual_channels: u32) -> Result<(), Refusal> {
        let pairs = self.routers.windows(2);
        let most = pairs.map(|pair| (pair[1].input - pair[0].input).max(pair[1].output - pair[0].output));
        let most = most.max().unwrap_or(0);
        let lanes = u64::from(most) * u64::from(virtual_channels);
        if lanes <= u64::from(u16::MAX) {
            return Ok(());
        }
        let what =
            format!("is {virtual_channels}, and a router has {most} ports: {lanes} virtual channels in all");
        let hint = "a router has at most 65,535; take fewer, or a machine with smaller routers";
        Err(Refusal::new("packet.virtual_channels", what, hint))
    }

    /// Attaches a link to an input port; returns its first lane.
    fn attach(&mut self, router: u32, port: u32, input: Input, model: &RouterModel) -> u32 {
        let place = self.routers[router as usize].input + port;
        self.inputs[place as usize] = input;
        place * model.virtual_channels
    }

    /// Checks that packets do not take too long on their links or through a router to be counted.
    pub(super) fn check_speeds(&self, model: &RouterModel) -> Result<(), Refusal> {
        let links = self.wires.iter().map(|wire| wire.speed.range().1).max().unwrap_or(1);
        let crossbars = self.crossbars.iter().map(|crossbar| crossbar.speed.range().1);
        let longest = crossbars.fold(links, u64::max);
        if longest.saturating_mul(u64::from(model.output_buffer) + 2) <= LAST_INSTANT / 4 {
            return Ok(());
        }
        let what = format!("of {} takes {} at the slowest place", model.mtu, Duration::from_ps(longest));
        let hint = "the packet engine counts up to 26 days: make packets shorter or links faster";
        Err(Refusal::new("packet.mtu", what, hint))
    }

    /// The least time in which a router or an interface can affect another: a packet that is granted is eligible at the
    /// next router, or has arrived at its node; a packet that is sent is eligible at the first router; a place that becomes
    /// free is known to the sender.
    ///
    /// # Errors
    /// When it is zero: says what takes no time.
    pub(super) fn lookahead(&self, model: &RouterModel) -> Result<Duration, Refusal> {
        let pipeline = pipeline(model);
        let Self { routers, crossbars, outputs, inputs, wires, credits, .. } = self;
        let ends = Ends { routers, crossbars, outputs, inputs, wires, credits, pipeline };
        let shortest = |speed: &Speed| speed.range().0;
        let injection = self.nics.iter().map(|nic| self.wires[nic.wire as usize].latency + pipeline);
        let injection = injection.min().unwrap_or(u64::MAX);
        match (ends.forward(shortest), injection) {
            (0, _) => Err(Refusal::new(
                "packet.switch_delay",
                "and all other delays of a hop are 0: a packet would pass any number of routers in no time",
                "set topology.latency, packet.switch_delay or packet.route_delay",
            )),
            (_, 0) => Err(Refusal::new(
                "node.link_latency",
                "and all delays before the crossbar are 0: a packet would be at its first router in no time",
                "set node.link_latency or packet.route_delay",
            )),
            (forward, injection) => {
                let least = forward.min(injection).min(ends.credit(shortest));
                Ok(Duration::from_ps(least.min(LAST_INSTANT)))
            }
        }
    }
}

/// The ends of all links at routers.
struct Ends<'n> {
    routers: &'n [RouterPlace],
    crossbars: &'n [Crossbar],
    outputs: &'n [Output],
    inputs: &'n [Input],
    wires: &'n [Wire],
    credits: &'n [u64],
    pipeline: u64,
}

impl Ends<'_> {
    /// The least time from a grant of a packet, which takes so long, to its being eligible at the next router, or its arrival at its node.
    fn forward(&self, time: impl Fn(&Speed) -> u64 + Copy) -> u64 {
        let forward = self.routers.windows(2).flat_map(|pair| {
            let delay = self.crossbars[pair[0].kind as usize].delay;
            let outputs = &self.outputs[pair[0].output as usize..pair[1].output as usize];
            outputs.iter().filter(|output| output.link != u32::MAX).map(move |output| {
                let wire = &self.wires[output.wire as usize];
                let behind = if output.to & Output::NODE == 0 { self.pipeline } else { time(&wire.speed) };
                delay + wire.latency + behind
            })
        });
        forward.min().unwrap_or(u64::MAX)
    }

    /// The least time from a grant of a packet, which takes so long, to the sender knowing that its place is free.
    fn credit(&self, time: impl Fn(&Speed) -> u64) -> u64 {
        let credit = by_input(self.routers, self.crossbars).filter_map(|(place, crossbar)| {
            let (input, passes) = (&self.inputs[place], time(&crossbar.speed));
            let given_back = crossbar.given_back(0, passes, passes);
            (input.link != u32::MAX).then(|| self.credits[input.credit as usize] + given_back)
        });
        credit.min().unwrap_or(u64::MAX)
    }
}

impl PacketNetwork {
    /// The same machine with windows as wide as packets of so many bytes allow, for [synthetic traffic](Self::run_synthetic) of these: the longer
    /// a packet, the later others learn of it. A node and its router are run together, the node first, so nothing depends on how long a packet
    /// takes from one to the other. Nothing changes where a rule decides by what waits, or the machine changes during the run: there the
    /// width is that of news.
    #[must_use]
    pub fn for_packets_of(mut self, bytes: Bytes) -> Self {
        if self.routing.decides() || self.routing.announces() || self.change.is_some() {
            return self;
        }
        let Self { routers, crossbars, outputs, inputs, wires, credits, pipeline, .. } = &self;
        let ends = Ends { routers, crossbars, outputs, inputs, wires, credits, pipeline: *pipeline };
        let time = |speed: &Speed| speed.time(bytes.0.min(self.mtu.into()) as u32);
        let least = ends.forward(time).min(ends.credit(time)).min(LAST_INSTANT);
        self.set_width(Duration::from_ps(least));
        self
    }
}

/// The number of each port among those of its router: first those to other routers, then those to nodes, which are counted from
/// 0 here.
struct Numbers {
    /// By link: at the router where it begins, and where it ends.
    output_ports: Vec<u16>,
    input_ports: Vec<u16>,
    /// By router: how many links go to other routers, and come from there.
    to_routers: Vec<u32>,
    from_routers: Vec<u32>,
    /// By router: how many links go to nodes, and come from there.
    out_nodes: Vec<u32>,
    in_nodes: Vec<u32>,
}

impl Numbers {
    /// `None` if `poll` says so.
    fn new(topology: &Topology, in_order: &[LinkId], poll: Poll<'_>) -> Option<Self> {
        let (links, routers) = (topology.links(), topology.routers());
        let (mut to_routers, mut from_routers) = (vec![0_u32; routers], vec![0_u32; routers]);
        let (mut out_nodes, mut in_nodes) = (vec![0_u32; routers], vec![0_u32; routers]);
        let mut output_ports = vec![0_u16; links];
        let mut input_ports = vec![0_u16; links];
        for &id in in_order {
            if !goes_on(id, poll) {
                return None;
            }
            let way = way_of(topology, id);
            match topology.link(id) {
                Link { from: End::Router(from), to: End::Router(to), .. } => {
                    output_ports[id.index()] = way.unwrap_or(to_routers[from.index()] as u16);
                    input_ports[id.index()] = way.unwrap_or(from_routers[to.index()] as u16);
                    to_routers[from.index()] += 1;
                    from_routers[to.index()] += 1;
                }
                Link { from: End::Router(from), .. } => {
                    output_ports[id.index()] = out_nodes[from.index()] as u16;
                    out_nodes[from.index()] += 1;
                }
                Link { to: End::Router(to), .. } => {
                    input_ports[id.index()] = in_nodes[to.index()] as u16;
                    in_nodes[to.index()] += 1;
                }
                Link { .. } => {}
            }
        }
        for router in 0..routers {
            if let Some(ways) = ways(topology, RouterId::new(router)) {
                (to_routers[router], from_routers[router]) = (ways, ways);
            }
        }
        Some(Self { output_ports, input_ports, to_routers, from_routers, out_nodes, in_nodes })
    }
}

/// Returns whether to go on, which is asked now and then.
fn goes_on(id: LinkId, poll: Poll<'_>) -> bool {
    !id.index().is_multiple_of(POLL_EVERY) || poll().is_continue()
}

/// Different things of type `T`, distinguished by keys. As many as there are links in a machine fit, for links have numbers of
/// 32 bits too.
pub(crate) struct Kinds<K, T> {
    numbers: BTreeMap<K, u32>,
    all: Vec<T>,
}

impl<K: Ord, T> Kinds<K, T> {
    pub(crate) fn new() -> Self {
        Self { numbers: BTreeMap::new(), all: Vec::new() }
    }

    /// The number of the thing with a key, which is made if it is new. O(log n).
    ///
    /// # Panics
    /// When there are 2^32 different ones.
    pub(crate) fn number(&mut self, key: K, make: impl FnOnce() -> T) -> u32 {
        let Self { numbers, all } = self;
        *numbers.entry(key).or_insert_with(|| {
            all.push(make());
            u32::try_from(all.len() - 1).expect("no more kinds than links")
        })
    }

    pub(crate) fn into_all(self) -> Vec<T> {
        self.all
    }
}

impl Ports {
    /// Makes buffers as large as their links need them: as they were before they slowed down, or as they are if they are faster.
    fn make_room(&mut self, topology: &Topology, model: &RouterModel) {
        let rooms = by_input(&self.routers, &self.crossbars).map(|(place, crossbar)| {
            let input = &self.inputs[place];
            let crossing = input.from.crossing(&self.routers, &self.crossbars);
            let room = |machine: &Topology| {
                let wire = Wire::new(&machine.link(LinkId(input.link)), model);
                crossbar.trips.room(wire.stretch(self.credits[input.credit as usize], crossing))
            };
            let is_link = input.link != u32::MAX;
            is_link.then(|| room(topology).max(room(topology.whole())).max(model.input_buffer))
        });
        let rooms: Vec<_> = rooms.collect();
        self.rooms = Rooms::new(rooms.into_iter(), model.input_buffer);
    }
}

impl Wire {
    /// Its part of a round trip, behind a crossbar that takes so long; none behind an interface.
    pub(crate) fn stretch(&self, credit: u64, crossing: u64) -> Stretch {
        Stretch { crossing, latency: self.latency, sends: self.speed.range().1, credit }
    }
}

/// The port at both ends of a link between two routers of a grid, in which all routers have the same ports: so a route can name them
/// without looking.
fn way_of(topology: &Topology, link: LinkId) -> Option<u16> {
    match topology.whole() {
        Topology::Torus(torus) => grid::way_of(torus, topology, link),
        Topology::Rails(rails) => {
            let Within { network, id, .. } = rails.link_within(link);
            way_of(rails.network(network), id)
        }
        _ => None,
    }
}

/// Number of ports of a router of a grid that lead to others.
fn ways(topology: &Topology, router: RouterId) -> Option<u32> {
    match topology.whole() {
        Topology::Torus(torus) => Some(2 * torus.dimensions().filter(|d| d.size > 1).count() as u32),
        Topology::Rails(rails) => {
            let Within { network, id, .. } = rails.router_within(router);
            ways(rails.network(network), id)
        }
        _ => None,
    }
}
