//! Routers and nodes as the user describes them.

use weir_network::{Choose, ServiceClasses, Serving, Striping, WithinNode};
use weir_topology::Topology;
use weir_units::{Bandwidth, Bytes, Duration};

/// The routers of a machine; all are alike but for their crossbars. Defaults are those of table 3 of paper 003.
#[derive(Clone, Debug, PartialEq)]
pub struct RouterModel {
    /// Largest packet; greater than zero.
    pub mtu: Bytes,
    /// Virtual channels of each link, at least 1; with service classes the sum of theirs.
    pub virtual_channels: u32,
    /// The service classes, if there are several.
    pub services: Option<ServiceClasses>,
    /// Room for so many packets in the input buffer of each virtual channel, at least 1.
    pub input_buffer: u32,
    /// Which buffers are larger than that.
    pub room: Room,
    /// Room for so many packets in each output buffer, at least 1. With 1 a packet crosses the crossbar only when the
    /// one before it has left the router, as if there were no output buffer.
    pub output_buffer: u32,
    /// Who goes first.
    pub arbiter: Arbiter,
    /// Time to compute a route.
    pub route_delay: Duration,
    /// Time to allocate a virtual channel.
    pub vc_allocation_delay: Duration,
    /// Time to allocate the crossbar.
    pub switch_allocation_delay: Duration,
    /// From the tail of a packet leaving an input buffer to the next packet of the same virtual channel being ready for the
    /// crossbar, if it was there before. Zero: its route has been computed behind the other one. A router that begins only
    /// when a packet has become the first of its virtual channel takes all or most of the three delays above.
    pub turnaround_delay: Duration,
    /// Time through the crossbar: one for all routers, or one for each [kind](Topology::router_kinds).
    pub switch_delay: Vec<Duration>,
    /// Bandwidth of each port of the crossbar, likewise; none: [`Self::speedup`] times as fast as the fastest link of its kind of router.
    pub switch_bandwidth: Vec<Bandwidth>,
    /// At least 1.
    pub speedup: u32,
    /// Time that a credit takes back to the other side of the link; `None`: the latency of the link.
    pub credit_delay: Option<Duration>,
    /// When a place of an input buffer is given back.
    pub credits: Credits,
    /// When a packet takes a virtual channel of the link that it needs.
    pub vc_allocation: VcAllocation,
    /// Unit of flow control of the modeled routers: a slot of [`Injection::Bernoulli`](crate::Injection), and what
    /// [`Credits::Flit`] waits for. `None`: an eighth of the MTU, rounded up.
    pub flit: Option<Bytes>,
    /// Which class of virtual channels packets have in a dimension that wraps.
    pub dateline: Dateline,
    /// Where classes of the routes of a graph come from.
    pub classes: ClassRule,
    /// Treatment of a machine in which packets can wait for each other in a circle.
    pub deadlock: DeadlockPolicy,
}

impl RouterModel {
    /// The unit of flow control.
    pub fn flit(&self) -> Bytes {
        self.flit.unwrap_or(Bytes(self.mtu.0.div_ceil(8)))
    }
}

/// Which input buffers have room for more packets than [`RouterModel::input_buffer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// None.
    #[default]
    Fixed,
    /// Those of links that carry more in the time in which a credit comes back, bytes and all: they have room for that much
    /// in each virtual channel, up to 65,535 packets, so that one message alone can fill any link.
    RoundTrip,
}

/// When a place of an input buffer is given back. A place holds a packet of any size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Credits {
    /// When the tail of its packet has left it.
    #[default]
    Packet,
    /// When the first flit has left it: the next packet follows the flits of this one into the buffer. That is what
    /// routers do that give back a credit for every flit.
    Flit,
}

/// When a packet takes a virtual channel of the link that it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VcAllocation {
    /// When the crossbar is granted: one with room.
    #[default]
    WithSwitch,
    /// Before it asks for the crossbar, as soon as it is the first one of its own: one that no other packet has, with room or
    /// without. It waits with this one for the crossbar and for room, and no other packet uses it until its tail has gone.
    BeforeSwitch,
}

/// Which of the two classes of virtual channels a packet has in a dimension that wraps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dateline {
    /// 1 up to and with the closing link of the ring, 0 from the crossing on.
    #[default]
    Crossing,
    /// 1 for the whole dimension, if the packet crosses the closing link anywhere in it, else 0.
    Dimension,
}

/// Rule for the class of virtual channels in which a packet is on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classes {
    /// There is only one: the routes have no circles.
    One,
    /// Where the packet is in a ring.
    Dateline(Dateline),
    /// The number of links between routers that the packet has passed.
    LinksPassed,
    /// The result of a search for as few classes as possible.
    Fewest,
    /// The routes say it.
    Given,
    /// One for any shortest way, and those of dimension order to escape by.
    Escape,
}

/// Where the classes of virtual channels of the routes of a graph come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassRule {
    /// None where the routes have no circles; else [`Self::LinksPassed`], where there are virtual channels enough; else
    /// [`Self::Fewest`]. Routes that say their classes have these.
    #[default]
    Automatic,
    /// The class is the number of links between routers that the packet has passed.
    LinksPassed,
    /// The fewest classes that a search finds.
    Fewest,
}

/// Who goes first when several packets could go at the same instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arbiter {
    /// The input port that has waited longest for the output, and of its virtual channels that which has waited longest: those that always
    /// have packets take turns. A port waits anew after a packet of the same class has gone by it.
    #[default]
    RoundRobin,
    /// The rule of [`Self::RoundRobin`] among packets that come from other routers, and then among those that come from nodes of
    /// this one. These may wait for ever.
    TransitFirst,
    /// The other way round: a router serves its own nodes before the packets that pass.
    InjectionFirst,
    /// The packet that has been in the network longest.
    OldestFirst,
    /// The input port with the lowest number.
    FixedPriority,
}

/// Choice to run a machine that can deadlock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadlockPolicy {
    /// It is refused.
    #[default]
    Refuse,
    /// It is run with the virtual channels it has; a run that gets stuck ends as a deadlock.
    Allow,
}

impl Default for RouterModel {
    fn default() -> Self {
        Self {
            mtu: Bytes(256),
            virtual_channels: 2,
            services: None,
            input_buffer: 16,
            room: Room::default(),
            output_buffer: 2,
            arbiter: Arbiter::default(),
            route_delay: Duration::from_ns(2),
            vc_allocation_delay: Duration::from_ns(2),
            switch_allocation_delay: Duration::from_ns(2),
            turnaround_delay: Duration::ZERO,
            switch_delay: vec![Duration::from_ns(140)],
            switch_bandwidth: Vec::new(),
            speedup: 1,
            credit_delay: None,
            credits: Credits::default(),
            vc_allocation: VcAllocation::default(),
            flit: None,
            dateline: Dateline::default(),
            classes: ClassRule::default(),
            deadlock: DeadlockPolicy::default(),
        }
    }
}

/// Model of a node for its messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeModel {
    /// Model of messages between its ranks. A [limit](WithinNode::memory_limit) is for these alone: packets do not need memory.
    pub within: WithinNode,
    /// The interfaces, each with a cable of its own to the router; one where nodes have several cables of their own, which are the
    /// interfaces then.
    pub nics: Nics,
    /// Highest rate at which all of them together send; `None`: what they can. They must be at one router.
    pub injection_limit: Option<Bandwidth>,
    /// Highest rate at which all of them together receive; `None`: what they can. They must be at one router.
    pub ejection_limit: Option<Bandwidth>,
    /// Which of them a message takes, unless it is that of a direction.
    pub choose: Choose,
    /// Order in which each of them serves its messages: where they share it, a packet of each in turn.
    pub serving: Serving,
    /// Which messages several of them send together, packet by packet in turn; none with [`Nics::PerDirection`].
    pub striping: Striping,
    /// Pause of an interface after each packet, in times that the packet takes; zero or more. A gap that a message itself
    /// [asks for](weir_network::SendOptions::gap) is between its own packets where messages share the interface, and others may use it.
    pub packet_gap: f64,
    /// Number of virtual channels of its injection link that an interface uses, the first ones; `None`: all.
    pub injection_channels: Option<u32>,
}

/// The interfaces of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nics {
    /// A number of interfaces, 1 to 16.
    Several(u32),
    /// One for each direction in which links leave the router of a grid: a message goes through the one of its first hop.
    PerDirection,
}

impl Nics {
    /// Number of interfaces of a node of this machine; `None` where links have no directions to have one each.
    pub fn count(self, topology: &Topology) -> Option<u32> {
        match (self, topology.whole()) {
            (Self::Several(count), _) => Some(count),
            (Self::PerDirection, Topology::Torus(torus)) => {
                Some(2 * torus.dimensions().filter(|d| d.size > 1).count() as u32)
            }
            (Self::PerDirection, _) => None,
        }
    }
}

impl Default for NodeModel {
    fn default() -> Self {
        Self {
            within: WithinNode::default(),
            nics: Nics::Several(1),
            injection_limit: None,
            ejection_limit: None,
            choose: Choose::default(),
            serving: Serving::default(),
            striping: Striping::default(),
            packet_gap: 0.0,
            injection_channels: None,
        }
    }
}

/// Why a machine cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The key of an experiment that says it, with its section: `packet.mtu`.
    pub key: &'static str,
    /// The reason.
    pub what: String,
    /// A remedy.
    pub hint: String,
}

impl Refusal {
    pub(crate) fn new(key: &'static str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { key, what: what.into(), hint: hint.into() }
    }
}

impl From<Refusal> for Vec<Refusal> {
    fn from(refusal: Refusal) -> Self {
        vec![refusal]
    }
}
