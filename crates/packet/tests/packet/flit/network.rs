//! The machine: ports, routes and virtual channels, from the topology alone.

use std::ops::Range;
use weir_packet::Dateline;
use weir_topology::{Dimension, End, Link, Topology, Wrap};
use weir_units::{Bandwidth, Bytes, LinkId, NodeId};

/// Which of several packets goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precedence {
    RoundRobin,
    TransitFirst,
    InjectionFirst,
    OldestFirst,
    FixedPriority,
}

/// What routers and NICs are like. Times in picoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Bytes of a flit; the last one of a packet may be smaller.
    pub(crate) flit: u64,
    pub(crate) mtu: u64,
    pub(crate) virtual_channels: usize,
    /// Packets per virtual channel.
    pub(crate) input_buffer: usize,
    /// Where the link carries more in the round trip of a credit, so much.
    pub(crate) round_trips: bool,
    /// Packets.
    pub(crate) output_buffer: usize,
    pub(crate) precedence: Precedence,
    /// Route computation, allocation of a virtual channel, allocation of the switch.
    pub(crate) pipeline: u64,
    /// From a packet's tail leaving a virtual channel to the next one's head.
    pub(crate) turnaround: u64,
    /// Each kind of router has the next one, and the first one again behind the last one.
    pub(crate) switch_delay: Vec<u64>,
    pub(crate) switch_bandwidth: Vec<Bandwidth>,
    /// `None`: the latency of the link.
    pub(crate) credit_delay: Option<u64>,
    /// In packet times.
    pub(crate) packet_gap: f64,
    /// A NIC sends a packet of each of so many messages in turn, and what has no data first; `None`: one message after the other.
    pub(crate) at_once: Option<usize>,
    /// A place in a buffer is given back when the crossbar has had time for so many bytes of its packet; `None`: when the
    /// packet has left.
    pub(crate) given_back_behind: Option<u64>,
    /// A packet takes a virtual channel before the switch, and can be granted so long after the tail of the one that had it;
    /// `None`: with the switch.
    pub(crate) vc_turnaround: Option<u64>,
    pub(crate) dateline: Dateline,
    /// A NIC uses the first so many virtual channels of its link.
    pub(crate) injection_channels: usize,
}

impl Settings {
    pub(crate) fn delay(&self, kind: u16) -> u64 {
        self.switch_delay[usize::from(kind) % self.switch_delay.len()]
    }

    /// Time of so many bytes in the crossbar of a kind.
    pub(crate) fn crossbar(&self, kind: u16, bytes: u64) -> u64 {
        time_of(bytes, self.switch_bandwidth[usize::from(kind) % self.switch_bandwidth.len()])
    }

    /// For how many packets the buffer at the end of a link has room, in each virtual channel.
    ///
    /// The place of a packet of the MTU is taken when it is granted, and the credit is back after: the crossbar, if the link begins at
    /// one; the wire; whatever is later, the tail, or the pipeline and the next crossbar (of a flit only, if that is what counts); the
    /// credit's way. Then the next packet can take it. So many as begin in that time on the link have places.
    pub(crate) fn room(&self, topology: &Topology, id: LinkId) -> usize {
        let (_, kinds) = topology.router_kinds();
        let kind = |end: End| if let End::Router(router) = end { Some(kinds[router.index()]) } else { None };
        let of = |link: Link| {
            let crossing = kind(link.from).map_or(0, |kind| self.delay(kind));
            let crossbar = |bytes: u64| self.crossbar(kind(link.to).expect("it has a buffer"), bytes);
            let on_wire = time_of(self.mtu, link.capacity);
            let stays = match self.given_back_behind {
                Some(bytes) => self.pipeline + crossbar(bytes.min(self.mtu)),
                None => on_wire.max(self.pipeline + crossbar(self.mtu)),
            };
            let credit = self.credit_delay.unwrap_or(link.latency.as_ps());
            let round_trip = crossing + link.latency.as_ps() + stays + credit;
            (0_u64..).find(|places| places * on_wire >= round_trip).expect("a number") as usize
        };
        if !self.round_trips || matches!(topology.link(id).to, End::Node(_)) {
            return self.input_buffer;
        }
        self.input_buffer.max(of(topology.link(id))).max(of(topology.whole().link(id)))
    }
}

/// Picoseconds that so many bytes need at a bandwidth.
pub(crate) fn time_of(bytes: u64, bandwidth: Bandwidth) -> u64 {
    let time = bandwidth.serialization_time(Bytes(bytes)).as_ps();
    assert_eq!(
        time,
        bytes * bandwidth.serialization_time(Bytes(1)).as_ps(),
        "{bandwidth} has no whole picoseconds per byte"
    );
    time
}

/// Sizes of the flits of a packet. A packet without bytes takes the time of one byte.
pub(crate) fn flits(bytes: u64, flit: u64) -> Vec<u64> {
    let bytes = bytes.max(1);
    (0..bytes).step_by(usize::try_from(flit).expect("a small flit")).map(|at| flit.min(bytes - at)).collect()
}

/// Links from router to router and from router to node have one of the classes of virtual channels of their end.
pub(crate) struct Network<'a> {
    topology: &'a Topology,
    classes: usize,
    virtual_channels: usize,
    dateline: Dateline,
    injection_channels: usize,
}

impl<'a> Network<'a> {
    pub(crate) fn new(topology: &'a Topology, settings: &Settings, decided: Option<usize>) -> Self {
        let &Settings { virtual_channels, dateline, injection_channels, .. } = settings;
        let classes = match topology.whole() {
            Topology::Torus(torus) if torus.dimensions().any(|d| d.size >= 4 && d.wrap == Wrap::Torus) => 2,
            Topology::Torus(_)
            | Topology::FatTree(_)
            | Topology::Hypercrossbar(_)
            | Topology::Switched(_) => 1,
            // By links passed.
            Topology::Graph(_) | Topology::Degraded(_) => longest_route(topology),
            Topology::Rails(_) => unreachable!("several networks are held to each of them alone"),
        };
        let classes = decided.unwrap_or(classes);
        assert!(virtual_channels >= classes, "a class has no virtual channel");
        Self { topology, classes, virtual_channels, dateline, injection_channels }
    }

    pub(crate) fn links(&self) -> impl Iterator<Item = (LinkId, Link)> + '_ {
        (0..self.topology.links()).map(|id| (LinkId::new(id), self.topology.link(LinkId::new(id))))
    }

    /// The number of a port at a router among `links` that all begin or all end there, for each in turn. Those of nodes come
    /// last. In a grid the others have two numbers for each dimension of more than one router, the positive way first, also
    /// where a border has no such link; elsewhere they are in the order of their links.
    pub(crate) fn ports(&self, links: &[LinkId]) -> Vec<usize> {
        let of_node = |&id: &LinkId| {
            let Link { from, to, .. } = self.topology.link(id);
            matches!(from, End::Node(_)) || matches!(to, End::Node(_))
        };
        let grid = match self.topology {
            Topology::Torus(torus) => Some(torus.dimensions().collect::<Vec<_>>()),
            _ => None,
        };
        let others = links.iter().filter(|link| !of_node(link)).count();
        let ways = grid.as_ref().map(|grid| 2 * grid.iter().filter(|d| d.size > 1).count());
        let (mut router_ports, mut node_ports) = (0.., ways.unwrap_or(others)..);
        if let Topology::Graph(_) = self.topology {
            // By the ends, then as they are numbered; at one router those of a list have one end in common.
            let router = |end| if let End::Router(router) = end { router.0 } else { u32::MAX };
            let ends =
                |id: LinkId| (router(self.topology.link(id).from), router(self.topology.link(id).to), id);
            let others: Vec<_> = links.iter().filter(|id| !of_node(id)).map(|&id| ends(id)).collect();
            let place = |id: &LinkId| others.iter().filter(|&&other| other < ends(*id)).count();
            let port = |id| if of_node(id) { node_ports.next().expect("endless") } else { place(id) };
            return links.iter().map(port).collect();
        }
        let port = |id: &LinkId| match &grid {
            _ if of_node(id) => node_ports.next().expect("endless"),
            Some(grid) => {
                let Step { dimension, plus, .. } = self.step(grid, *id).expect("it joins routers");
                2 * grid[..dimension].iter().filter(|d| d.size > 1).count() + usize::from(!plus)
            }
            None => router_ports.next().expect("endless"),
        };
        links.iter().map(port).collect()
    }

    /// How many virtual channels the buffer at the end of a link has; nodes take everything.
    pub(crate) fn channels_of(&self, link: Link) -> usize {
        match link.to {
            End::Node(_) => 0,
            End::Router(_) => self.virtual_channels,
        }
    }

    pub(crate) fn route(&self, from: u32, to: u32) -> Vec<LinkId> {
        let mut route = Vec::new();
        self.topology.route(NodeId(from), NodeId(to), &mut route);
        route
    }

    /// The virtual channels a packet may take at the end of the link `route[hop]`: at the first router those of injection.
    pub(crate) fn channels(&self, route: &[LinkId], hop: usize) -> Range<usize> {
        let link = self.topology.link(route[hop]);
        if matches!(link.from, End::Node(_)) {
            return 0..self.injection_channels.min(self.virtual_channels);
        }
        let class = self.class(route, hop);
        let first = |class: usize| class * self.virtual_channels / self.classes;
        first(class)..first(class + 1)
    }

    /// In a grid 1 on the links of a dimension of which a route has the wrap-around link: on those before it and on this one, or
    /// on all. In a graph the number of links passed.
    fn class(&self, route: &[LinkId], hop: usize) -> usize {
        if self.classes == 1 || hop + 1 == route.len() {
            return 0;
        }
        let torus = match self.topology.whole() {
            Topology::Torus(torus) => torus,
            Topology::Graph(_) | Topology::Switched(_) => return hop - 1,
            _ => return 0,
        };
        let dimensions: Vec<_> = torus.dimensions().collect();
        let Some(Step { dimension: here, .. }) = self.step(&dimensions, route[hop]) else { return 0 };
        let from = match self.dateline {
            Dateline::Crossing => hop,
            Dateline::Dimension => 0,
        };
        let links = route[from..].iter().filter_map(|&link| self.step(&dimensions, link));
        usize::from(links.into_iter().any(|step| step.dimension == here && step.closes))
    }

    /// What a link between routers of a grid is; `None` if it is a node's.
    fn step(&self, dimensions: &[Dimension], id: LinkId) -> Option<Step> {
        let Link { from: End::Router(from), to: End::Router(to), .. } = self.topology.link(id) else {
            return None;
        };
        let (mut from, mut to) = (from.0, to.0);
        for (dimension, Dimension { size, wrap, .. }) in dimensions.iter().enumerate() {
            let (here, there) = (from % size, to % size);
            if here != there {
                let plus = match (wrap, size) {
                    (Wrap::Mesh, _) => there > here,
                    // Two cables join the two routers; the second is the one of the negative way.
                    (Wrap::Torus, 2) => self.topology.parallel_before(id) == 0,
                    (Wrap::Torus, _) => there == (here + 1) % size,
                };
                return Some(Step { dimension, plus, closes: plus != (there > here) });
            }
            (from, to) = (from / size, to / size);
        }
        panic!("link {id} leads nowhere")
    }
}

/// The most links between routers of a route.
pub(crate) fn longest_route(topology: &Topology) -> usize {
    let mut route = Vec::new();
    let nodes = 0..topology.nodes() as u32;
    let pairs = nodes.clone().flat_map(|from| nodes.clone().map(move |to| (from, to)));
    let links = |(from, to)| {
        topology.route(NodeId(from), NodeId(to), &mut route);
        route.len().saturating_sub(2)
    };
    pairs.map(links).max().unwrap_or(0).max(1)
}

/// A link between routers of a grid.
struct Step {
    dimension: usize,
    /// Whether it leads in the positive way.
    plus: bool,
    /// Whether it closes a ring.
    closes: bool,
}
