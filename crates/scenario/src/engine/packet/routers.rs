//! `[packet]`: routers and buffers in detail. It is checked for every engine, and used by the packet engine.

use crate::Units;
use crate::keys::Default::{Value as Is, Words};
use crate::keys::form::{DATA, Either, Flag, One, OneOf, Quantity, RATE, TIME, Whole};
use crate::keys::resolved::Resolved;
use crate::keys::{Key, keys};
use crate::source::reader::Section;
use serde_json::Value;
use weir_packet::{Arbiter, ClassRule, Credits, Dateline, DeadlockPolicy, Room, RouterModel, VcAllocation};
use weir_units::{Bandwidth, Bytes, Duration};

/// The routers in detail.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketSection {
    /// The published table that fills in what the input does not say, here and in `[topology]` and `[node]`.
    pub preset: Option<&'static str>,
    /// Largest packet.
    pub mtu: Bytes,
    /// Buffers that share a link.
    pub virtual_channels: u32,
    /// Room per virtual channel where packets come in; `None`: 16 packets, or more where a link needs it.
    pub input_buffer: Option<Buffer>,
    /// Room where packets go out.
    pub output_buffer: Buffer,
    /// Who goes first.
    pub arbiter: Arbiter,
    /// Time to compute a route.
    pub route_delay: Duration,
    /// Time to allocate a virtual channel.
    pub vc_allocation_delay: Duration,
    /// Time to allocate the crossbar.
    pub switch_allocation_delay: Duration,
    /// Time between two packets of a virtual channel, from the tail of one to the head of the next.
    pub turnaround_delay: Duration,
    /// Time through the crossbar.
    pub switch_delay: Duration,
    /// How fast the crossbar is; `None` is twice as fast as the fastest link.
    pub switch_bandwidth: Option<Bandwidth>,
    /// Time a credit takes back; `None` is the link's latency.
    pub credit_delay: Option<Duration>,
    /// When a place of an input buffer is given back.
    pub credits: Credits,
    /// When a packet takes a virtual channel of the link that it needs.
    pub vc_allocation: VcAllocation,
    /// Unit of flow control.
    pub flit_size: Bytes,
    /// Which class packets have in a dimension that wraps.
    pub dateline: Dateline,
    /// Where the classes of routes of a graph come from.
    pub classes: ClassRule,
    /// `allow_deadlock`: what becomes of routers and routes that can deadlock.
    pub deadlock: DeadlockPolicy,
}

/// Room for packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// So many packets of any size.
    Packets(u32),
    /// So many bytes.
    Bytes(Bytes),
}

/// The tables of paper 003 by name: 3 (torus) and 2 (InfiniBand).
pub(crate) const PRESETS: [(&str, &str); 2] = [
    ("nsim-torus", include_str!("presets/nsim-torus.toml")),
    ("nsim-infiniband", include_str!("presets/nsim-infiniband.toml")),
];

/// Room for so many packets in each virtual channel, unless said, whatever a link needs.
const LEAST_ROOM: u32 = 16;
/// So many times as fast as the fastest link is each port of the crossbar, unless said.
const SPEEDUP: u32 = 2;

const ARBITERS: [(&str, Arbiter); 5] = [
    ("round-robin", Arbiter::RoundRobin),
    ("transit-first", Arbiter::TransitFirst),
    ("injection-first", Arbiter::InjectionFirst),
    ("oldest-first", Arbiter::OldestFirst),
    ("fixed-priority", Arbiter::FixedPriority),
];

const CREDIT_RULES: [(&str, Credits); 2] = [("packet", Credits::Packet), ("flit", Credits::Flit)];

const VC_ALLOCATIONS: [(&str, VcAllocation); 2] =
    [("with-switch", VcAllocation::WithSwitch), ("before-switch", VcAllocation::BeforeSwitch)];

const DATELINES: [(&str, Dateline); 2] =
    [("crossing", Dateline::Crossing), ("dimension", Dateline::Dimension)];

const CLASS_RULES: [(&str, ClassRule); 3] = [
    ("automatic", ClassRule::Automatic),
    ("links-passed", ClassRule::LinksPassed),
    ("fewest", ClassRule::Fewest),
];

keys! {
    "packet":
    PRESET: OneOf<&'static str> = "preset", &[],
        OneOf(&[("nsim-torus", "nsim-torus"), ("nsim-infiniband", "nsim-infiniband")]), Words("none"),
        "`nsim-torus` (the NSIM paper, table 3) or `nsim-infiniband` (table 2): fills in `[topology]` (bandwidth, latency), `[node]` \
         and `[packet]`. This part works with every engine";
    MTU: Quantity<Bytes> = "mtu", &[], DATA, Is("\"4096 B\""),
        "largest packet, up to 1,048,575 B; messages are cut into packets of this size and a rest. 4,096 B are the largest packets of \
         InfiniBand. Presets: 256 B (torus), 2,048 B (InfiniBand)";
    VIRTUAL_CHANNELS: Whole = "virtual_channels", &[], Whole(1, 256), Is("2"), "of each link, 1 to 256";
    INPUT_BUFFER: Capacity = "input_buffer", &[], CAPACITY,
        Words("16 packets; at the end of a link that carries more in the round trip of a credit, so much; presets: 16"),
        "for each virtual channel of an input port: packets (a number), or bytes (with a unit), which hold floor(bytes / `mtu`) \
         packets. Room for one packet at least. A link whose credits come back after it could have carried more than its buffer \
         holds is never full; a run, `--dry-run` and `weir topology` say so \
         ([what a link needs](../concepts/model.md#what-a-buffer-has-to-hold))";
    OUTPUT_BUFFER: Capacity = "output_buffer", &[], CAPACITY, Is("2"),
        "for each output port: packets, or bytes, as for `input_buffer`";
    ARBITER: OneOf<Arbiter> = "arbiter", &[], OneOf(&ARBITERS), Is("\"round-robin\""),
        "who goes first: `round-robin` (each input port in turn, and each virtual channel of a port in turn: a router serves its \
         own node no more than each neighbour), `transit-first` (in turn, but packets of the router's own nodes only when none \
         that passes could go: under load they may wait for ever), `injection-first` (the other way round), `oldest-first` (who \
         is in the network longest), `fixed-priority` (the lowest number)";
    ROUTE_DELAY: Quantity<Duration> = "route_delay", &[], TIME, Is("\"2 ns\""), "to compute a route";
    VC_ALLOCATION_DELAY: Quantity<Duration> = "vc_allocation_delay", &[], TIME, Is("\"2 ns\""),
        "to allocate a virtual channel";
    SWITCH_ALLOCATION_DELAY: Quantity<Duration> = "switch_allocation_delay", &[], TIME, Is("\"2 ns\""),
        "to allocate the crossbar";
    TURNAROUND_DELAY: Quantity<Duration> = "turnaround_delay", &[], TIME, Is("0"),
        "from the tail of a packet leaving its virtual channel to the head of the next one that may cross; 0: routes are \
         computed ahead, behind others (the NSIM paper)";
    SWITCH_DELAY: Quantity<Duration> = "switch_delay", &[], TIME, Is("\"140 ns\""), "through the crossbar";
    SWITCH_BANDWIDTH: Quantity<Bandwidth> = "switch_bandwidth", &[], RATE,
        Words("twice that of the fastest link; presets: 8 GB/s (torus), 4 GB/s (InfiniBand)"),
        "of each port of the crossbar. With that of a link, a packet that is still arriving keeps its input port from the \
         others: a HyperX of 4 x 4 routers saturates at 0.81, a dragonfly at 0.71 of the injection bandwidth; with twice as \
         much, which many routers have, at 0.93 and 0.91";
    CREDIT_DELAY: Quantity<Duration> = "credit_delay", &[], TIME, Words("the link's latency"),
        "for a credit to come back";
    CREDITS: OneOf<Credits> = "credits", &[], OneOf(&CREDIT_RULES), Is("\"packet\""),
        "when a place of an input buffer is given back: `packet` (the tail of its packet has left it) or `flit` (the first flit \
         has: routers with a credit for every flit). With buffers of one or two packets `packet` costs the time of a packet on \
         each turn of a place; with larger ones there is no difference";
    VC_ALLOCATION: OneOf<VcAllocation> = "vc_allocation", &[], OneOf(&VC_ALLOCATIONS), Is("\"with-switch\""),
        "when a packet takes a virtual channel of the next link: `with-switch` (when it crosses: one with room) or \
         `before-switch` (as soon as it is the first of its own: one that no other packet has, each virtual channel of each \
         input in turn; it waits with this one for the crossbar and for room, and keeps it until its tail has gone: textbook \
         routers, BookSim2). [What it costs](../concepts/model.md#beside-other-simulators)";
    FLIT_SIZE: Quantity<Bytes> = "flit_size", &[], DATA, Words("an eighth of `mtu`, rounded up"),
        "unit of flow control: a slot of `injection = \"bernoulli\"`, and what `credits = \"flit\"` waits for";
    DATELINE: OneOf<Dateline> = "dateline", &[], OneOf(&DATELINES), Is("\"crossing\""),
        "torus, Tofu: which packets have the second class of virtual channels in a dimension that wraps: `crossing` (up to the \
         link that closes the ring) or `dimension` (all the way in the dimension, if they cross that link; as in BookSim2) \
         ([what it costs](../concepts/model.md#beside-other-simulators))";
    CLASSES: OneOf<ClassRule> = "classes", &[], OneOf(&CLASS_RULES), Is("\"automatic\""),
        "graph: what decides on the class of a packet, unless the routes say it: `automatic` (none where the routes have no \
         circles; else links passed, where there are virtual channels enough; else as few as a search finds), `links-passed`, \
         `fewest`";
    ALLOW_DEADLOCK: Flag = "allow_deadlock", &[], Flag, Is("false"),
        "`false`: a machine in which packets could wait for each other in a circle is refused. `true`: it runs; if packets do \
         stop moving, the run ends with outcome `deadlock` and the circle";
}

/// Packets, or bytes.
type Capacity = Either<Whole, Quantity<Bytes>>;
const CAPACITY: Capacity = Either { one: Whole(1, u32::MAX as u64), other: DATA };

impl PacketSection {
    /// The largest packet, unless said.
    pub(crate) fn default_mtu() -> Bytes {
        MTU.default_value()
    }

    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let preset = section.get(&PRESET);
        let mtu = section.get(&MTU);
        if mtu == Some(Bytes::ZERO) {
            section.problem("mtu", "must be greater than zero", None);
        }
        let right =
            mtu.filter(|&mtu| mtu > Bytes::ZERO).or_else(|| (!section.has("mtu")).then(Self::default_mtu));
        let some_mtu = right.unwrap_or_else(Self::default_mtu);
        let deadlock = if section.get_or_default(&ALLOW_DEADLOCK) {
            DeadlockPolicy::Allow
        } else {
            DeadlockPolicy::Refuse
        };
        Self {
            preset,
            mtu: some_mtu,
            virtual_channels: section.get_or_default(&VIRTUAL_CHANNELS) as u32,
            input_buffer: section
                .get(&INPUT_BUFFER)
                .map(|read| Buffer::checked(section, &INPUT_BUFFER, read, right)),
            output_buffer: {
                let read = section.get_or_default(&OUTPUT_BUFFER);
                Buffer::checked(section, &OUTPUT_BUFFER, read, right)
            },
            arbiter: section.get_or_default(&ARBITER),
            route_delay: section.get_or_default(&ROUTE_DELAY),
            vc_allocation_delay: section.get_or_default(&VC_ALLOCATION_DELAY),
            switch_allocation_delay: section.get_or_default(&SWITCH_ALLOCATION_DELAY),
            turnaround_delay: section.get_or_default(&TURNAROUND_DELAY),
            switch_delay: section.get_or_default(&SWITCH_DELAY),
            switch_bandwidth: section.get(&SWITCH_BANDWIDTH),
            credit_delay: section.get(&CREDIT_DELAY),
            credits: section.get_or_default(&CREDITS),
            vc_allocation: section.get_or_default(&VC_ALLOCATION),
            flit_size: read_flit_size(section, right).unwrap_or(Bytes(some_mtu.0.div_ceil(8))),
            dateline: section.get_or_default(&DATELINE),
            classes: section.get_or_default(&CLASSES),
            deadlock,
        }
    }

    /// The routers for the engine.
    #[must_use]
    pub fn model(&self) -> RouterModel {
        RouterModel {
            mtu: self.mtu,
            virtual_channels: self.virtual_channels,
            input_buffer: self.input_buffer.map_or(LEAST_ROOM, |buffer| buffer.packets(self.mtu)),
            room: if self.input_buffer.is_some() { Room::Fixed } else { Room::RoundTrip },
            output_buffer: self.output_buffer.packets(self.mtu),
            arbiter: self.arbiter,
            route_delay: self.route_delay,
            vc_allocation_delay: self.vc_allocation_delay,
            switch_allocation_delay: self.switch_allocation_delay,
            turnaround_delay: self.turnaround_delay,
            switch_delay: self.switch_delay,
            switch_bandwidth: self.switch_bandwidth,
            speedup: SPEEDUP,
            credit_delay: self.credit_delay,
            credits: self.credits,
            vc_allocation: self.vc_allocation,
            flit: Some(self.flit_size),
            dateline: self.dateline,
            classes: self.classes,
            deadlock: self.deadlock,
        }
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut packet = Resolved::new(units);
        packet.put_some(&PRESET, self.preset);
        packet.put(&MTU, self.mtu);
        packet.put(&VIRTUAL_CHANNELS, self.virtual_channels);
        packet.put_some(&INPUT_BUFFER, self.input_buffer);
        packet.put(&OUTPUT_BUFFER, self.output_buffer);
        packet.put(&ARBITER, self.arbiter);
        packet.put(&ROUTE_DELAY, self.route_delay);
        packet.put(&VC_ALLOCATION_DELAY, self.vc_allocation_delay);
        packet.put(&SWITCH_ALLOCATION_DELAY, self.switch_allocation_delay);
        packet.put(&TURNAROUND_DELAY, self.turnaround_delay);
        packet.put(&SWITCH_DELAY, self.switch_delay);
        packet.put_some(&SWITCH_BANDWIDTH, self.switch_bandwidth);
        packet.put_some(&CREDIT_DELAY, self.credit_delay);
        packet.put(&CREDITS, self.credits);
        packet.put(&VC_ALLOCATION, self.vc_allocation);
        packet.put(&FLIT_SIZE, self.flit_size);
        packet.put(&DATELINE, self.dateline);
        packet.put(&CLASSES, self.classes);
        packet.put(&ALLOW_DEADLOCK, self.deadlock == DeadlockPolicy::Allow);
        packet.into_value()
    }
}

/// A flit of packets of up to `mtu` bytes, if that is known.
fn read_flit_size(section: &mut Section<'_>, mtu: Option<Bytes>) -> Option<Bytes> {
    let flit = section.get(&FLIT_SIZE)?;
    if flit == Bytes::ZERO {
        section.problem("flit_size", "must be greater than zero", None);
        return None;
    }
    if let Some(mtu) = mtu.filter(|&mtu| flit > mtu) {
        let mtu = crate::source::exact::bytes_text(mtu);
        section.problem("flit_size", format!("is larger than a packet: packet.mtu is {mtu}"), None);
        return None;
    }
    Some(flit)
}

impl Buffer {
    /// A buffer for packets of up to `mtu` bytes, if that is known; it has room for one at least.
    fn checked(
        section: &mut Section<'_>,
        key: &'static Key<Capacity>,
        read: One<u64, Bytes>,
        mtu: Option<Bytes>,
    ) -> Self {
        let buffer = match read {
            One::Of(packets) => Self::Packets(u32::try_from(packets).expect("the row has the range")),
            One::Or(bytes) => Self::Bytes(bytes),
        };
        if buffer == Self::Bytes(Bytes::ZERO) {
            section.problem(key.name, "must be greater than zero", None);
        } else if let (Self::Bytes(bytes), Some(mtu)) = (buffer, mtu)
            && bytes < mtu
        {
            let (name, mtu) = (key.name, crate::source::exact::bytes_text(mtu));
            let what = format!("has no room for a packet: packet.mtu is {mtu}, and packets are kept whole");
            let hint = format!("write {name} = \"{mtu}\" or more, or a number of packets: {name} = 1");
            section.problem(name, what, Some(hint));
        }
        buffer
    }

    /// For how many packets of this size there is room.
    fn packets(self, mtu: Bytes) -> u32 {
        match self {
            Self::Packets(packets) => packets,
            Self::Bytes(bytes) => u32::try_from(bytes.0 / mtu.0).unwrap_or(u32::MAX),
        }
    }
}

impl From<Buffer> for One<u64, Bytes> {
    fn from(buffer: Buffer) -> Self {
        match buffer {
            Buffer::Packets(packets) => Self::Of(packets.into()),
            Buffer::Bytes(bytes) => Self::Or(bytes),
        }
    }
}
