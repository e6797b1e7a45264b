//! `[packet]`: routers and buffers in detail. It is checked for every engine, and used by the packet engine.

use crate::keys::form::{Choice, DATA, Form, Integer, OneOf, PerItem, RATE, TIME};
use crate::keys::{KeyPath, section};
use crate::sections::class_rows::services;
use crate::source::quantity_text::bytes_text;
use crate::source::reader::Section;
use crate::source::tree::{Entry, Value};
use crate::{ClassRow, Units};
use serde_json::{Value as Json, json};
use weir_packet::{
    Arbiter, ClassRule, Credits, Dateline, DeadlockPolicy, Room, RouterModel, VcAllocation, channels_of,
};
use weir_topology::Topology;
use weir_units::{Bandwidth, Bytes, Duration};

/// Room for packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Number of packets of any size.
    Packets(u32),
    /// Bytes with their packets.
    Bytes(Bytes),
}

/// The tables of paper 003 by name: 3 (torus) and 2 (InfiniBand).
pub(crate) const PRESETS: [(&str, &str); 2] = [
    ("nsim-torus", include_str!("presets/nsim-torus.toml")),
    ("nsim-infiniband", include_str!("presets/nsim-infiniband.toml")),
];

/// Packets for which each virtual channel has room, unless said, whatever a link needs.
const LEAST_ROOM: u32 = 16;
/// Virtual channels of a link, unless said, whatever the routes need.
const LEAST_CHANNELS: u32 = 2;
/// Bandwidth of each port of the crossbar over that of the fastest link, unless said.
const SPEEDUP: u32 = 2;

section! {
    /// The routers in detail.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PacketSection of "packet";
    preset: &'static str = OneOf(&[("nsim-torus", "nsim-torus"), ("nsim-infiniband", "nsim-infiniband")]), Words("none"),
        "`nsim-torus` (the NSIM paper, table 3) or `nsim-infiniband` (table 2): fills in `[topology]` (bandwidth, latency), `[node]` \
         and `[packet]`. This part works with every engine.";
    mtu: Bytes = DATA, Is("\"4096 B\""),
        "Largest packet, up to 1,048,575 B; messages are cut into packets of this size and a rest. 4,096 B are the largest packets of \
         InfiniBand. Presets: 256 B (torus), 2,048 B (InfiniBand).";
    virtual_channels: u32 = Integer(1, 256), Words("2, or as many as `topology.routing` needs, if that is more"),
        "Number of buffers that share each link, 1 to 256; with `[[classes]]` those of each class that does not say its own.";
    input_buffer: Buffer = Capacity,
        Words("16 packets; at the end of a link that carries more in the round trip of a credit, so much; presets: 16"),
        "Room for each virtual channel of an input port: packets (a number), or bytes (with a unit), which hold floor(bytes / `mtu`) \
         packets. Room for one packet at least. A link whose credits come back after it could have carried more than its buffer \
         holds is never full; a run, `--dry-run` and `weir topology` say so \
         ([what a link needs](../concepts/model.md#what-a-buffer-has-to-hold)).";
    output_buffer: Buffer = Capacity, Is("2"), "Room for each output port: packets, or bytes, as for `input_buffer`.";
    arbiter: Arbiter =
        OneOf(&[
            ("round-robin", Arbiter::RoundRobin), ("transit-first", Arbiter::TransitFirst),
            ("injection-first", Arbiter::InjectionFirst), ("oldest-first", Arbiter::OldestFirst),
            ("fixed-priority", Arbiter::FixedPriority),
        ]), Is("\"round-robin\""),
        "Who goes first: `round-robin` (the input port that has waited longest for the output, and of its virtual channels that which has \
         waited longest: ports that always have packets take turns, and a router serves its own node no more than each neighbor), `transit-first` (in turn, but packets of the router's own nodes only when none \
         that passes could go: under load they may wait for ever), `injection-first` (the other way round), `oldest-first` (who \
         is in the network longest), `fixed-priority` (the lowest number).";
    route_delay: Duration = TIME, Is("\"2 ns\""), "Time to compute a route.", Less(Latency);
    vc_allocation_delay: Duration = TIME, Is("\"2 ns\""), "Time to allocate a virtual channel.", Less(Latency);
    switch_allocation_delay: Duration = TIME, Is("\"2 ns\""), "Time to allocate the crossbar.", Less(Latency);
    turnaround_delay: Duration = TIME, Is("0"),
        "Time from the tail of a packet leaving its virtual channel to the head of the next one that may cross; 0: routes are \
         computed ahead, behind others (the NSIM paper).";
    switch_delay: Vec<Duration> = PerItem(TIME), Is("\"140 ns\""),
        "Time through the crossbar. One value, or a list with one for each kind of router, which `weir topology` names: the stages of a \
         fat tree from the leaves up, the leaves and the spines of a dragonfly-plus, the routers and the crossbars of each dimension of a \
         hypercrossbar, for rails those of each network in turn.", Less(Latency);
    switch_bandwidth: Vec<Bandwidth> = PerItem(RATE),
        Words("twice that of the fastest link of its kind of router; presets: 8 GB/s (torus), 4 GB/s (InfiniBand)"),
        "Bandwidth of each port of the crossbar: one value, or a list like `switch_delay`. With that of a link, a packet that is still arriving keeps its input port from the \
         others: a HyperX of 4 x 4 routers saturates at 0.81, a dragonfly at 0.71 of the injection bandwidth; with twice as \
         much, which many routers have, at 0.93 and 0.91.", More(Serialization);
    credit_delay: Duration = TIME, Words("the link's latency"), "Time that a credit takes to come back.";
    credits: Credits = OneOf(&[("packet", Credits::Packet), ("flit", Credits::Flit)]), Is("\"packet\""),
        "When a place of an input buffer is given back: `packet` (the tail of its packet has left it) or `flit` (the first flit \
         has: routers with a credit for every flit). With buffers of one or two packets `packet` costs the time of a packet on \
         each turn of a place; with larger ones there is no difference.";
    vc_allocation: VcAllocation =
        OneOf(&[("with-switch", VcAllocation::WithSwitch), ("before-switch", VcAllocation::BeforeSwitch)]), Is("\"with-switch\""),
        "When a packet takes a virtual channel of the next link: `with-switch` (when it crosses: one with room) or \
         `before-switch` (as soon as it is the first of its own: one that no other packet has, each virtual channel of each \
         input in turn; it waits with this one for the crossbar and for room, and keeps it until its tail has gone: textbook \
         routers, BookSim2). [What it costs](../concepts/model.md#beside-other-simulators).";
    flit_size: Bytes = DATA, Words("an eighth of `mtu`, rounded up"),
        "Unit of flow control: a slot of `injection = \"bernoulli\"`, and what `credits = \"flit\"` waits for.";
    dateline: Dateline = OneOf(&[("crossing", Dateline::Crossing), ("dimension", Dateline::Dimension)]), Is("\"crossing\""),
        "Torus, Tofu: which packets have the second class of virtual channels in a dimension that wraps: `crossing` (up to the \
         link that closes the ring) or `dimension` (all the way in the dimension, if they cross that link; as in BookSim2) \
         ([what it costs](../concepts/model.md#beside-other-simulators)).";
    classes: ClassRule =
        OneOf(&[("automatic", ClassRule::Automatic), ("links-passed", ClassRule::LinksPassed), ("fewest", ClassRule::Fewest)]), Is("\"automatic\""),
        "Graph: what decides on the class of a packet, unless the routes say it: `automatic` (none where the routes have no \
         circles; else links passed, where there are virtual channels enough; else as few as a search finds), `links-passed`, \
         `fewest`.";
    allow_deadlock: DeadlockPolicy = Choice(DeadlockPolicy::Refuse, DeadlockPolicy::Allow), Is("false"),
        "`false`: a machine in which packets could wait for each other in a circle is refused. `true`: it runs; if packets do \
         stop moving, the run ends with outcome `deadlock` and the circle.";
}

impl PacketSection {
    /// The largest packet where nothing is said.
    pub fn default_mtu() -> Bytes {
        key::mtu.default_value()
    }

    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let mut packet = Self::read_keys(section).expect("no key is required");
        let is_right = packet.mtu > Bytes::ZERO && section.is_right("mtu");
        if packet.mtu == Bytes::ZERO {
            section.report("mtu", "must be greater than zero", "");
            packet.mtu = Self::default_mtu();
        }
        let mtu = is_right.then_some(packet.mtu);
        let buffers = packet.input_buffer.map(|buffer| ("input_buffer", buffer));
        for (key, buffer) in buffers.into_iter().chain([("output_buffer", packet.output_buffer)]) {
            buffer.check(section, key, mtu);
        }
        let hint = "write one value, or one for each kind of router";
        section.report_if(packet.switch_delay.is_empty(), "switch_delay", "must not be empty", hint);
        let is_empty = packet.switch_bandwidth.as_ref().is_some_and(Vec::is_empty);
        section.report_if(is_empty, "switch_bandwidth", "must not be empty", hint);
        check_flit_size(section, packet.flit_size, mtu);
        packet.flit_size.get_or_insert(Bytes(packet.mtu.0.div_ceil(8)));
        section.settle(&key::flit_size, packet.flit_size);
        packet
    }

    /// The routers with these service classes for the engine; without a machine it is not known how many virtual channels its routes need.
    pub fn model(&self, machine: Option<&Topology>, classes: &[ClassRow]) -> RouterModel {
        let needed = || machine.map_or(LEAST_CHANNELS, |machine| channels_of(machine).max(LEAST_CHANNELS));
        let channels = self.virtual_channels.unwrap_or_else(needed);
        let of_all = classes.iter().map(|class| class.channels.unwrap_or(channels));
        RouterModel {
            mtu: self.mtu,
            virtual_channels: if classes.is_empty() { channels } else { of_all.sum() },
            services: services(classes, channels),
            input_buffer: self.input_buffer.map_or(LEAST_ROOM, |buffer| buffer.packets(self.mtu)),
            room: if self.input_buffer.is_some() { Room::Fixed } else { Room::RoundTrip },
            output_buffer: self.output_buffer.packets(self.mtu),
            arbiter: self.arbiter,
            route_delay: self.route_delay,
            vc_allocation_delay: self.vc_allocation_delay,
            switch_allocation_delay: self.switch_allocation_delay,
            turnaround_delay: self.turnaround_delay,
            switch_delay: self.switch_delay.clone(),
            switch_bandwidth: self.switch_bandwidth.clone().unwrap_or_default(),
            speedup: SPEEDUP,
            credit_delay: self.credit_delay,
            credits: self.credits,
            vc_allocation: self.vc_allocation,
            flit: self.flit_size,
            dateline: self.dateline,
            classes: self.classes,
            deadlock: self.allow_deadlock,
        }
    }
}

/// Checks a flit of packets of up to `mtu` bytes, if that is known.
fn check_flit_size(section: &mut Section<'_>, flit: Option<Bytes>, mtu: Option<Bytes>) {
    let Some(flit) = flit else { return };
    if flit == Bytes::ZERO {
        section.report("flit_size", "must be greater than zero", "");
    } else if let Some(mtu) = mtu.filter(|&mtu| flit > mtu) {
        let what = format!("is larger than a packet: packet.mtu is {}", bytes_text(mtu));
        section.report("flit_size", what, "");
    }
}

impl Buffer {
    /// Checks that it has room for a packet of up to `mtu` bytes, if that is known.
    fn check(self, section: &mut Section<'_>, name: &str, mtu: Option<Bytes>) {
        if self == Self::Bytes(Bytes::ZERO) {
            section.report(name, "must be greater than zero", "");
        } else if let (Self::Bytes(bytes), Some(mtu)) = (self, mtu)
            && bytes < mtu
        {
            let mtu = bytes_text(mtu);
            let what = format!("has no room for a packet: packet.mtu is {mtu}, and packets are kept whole");
            let hint = format!("write {name} = \"{mtu}\" or more, or a number of packets: {name} = 1");
            section.report(name, what, hint);
        }
    }

    fn packets(self, mtu: Bytes) -> u32 {
        match self {
            Self::Packets(packets) => packets,
            Self::Bytes(bytes) => u32::try_from(bytes.0 / mtu.0).unwrap_or(u32::MAX),
        }
    }
}

/// The form of buffers: packets if it is a number, else bytes with their unit.
struct Capacity;

impl Form<Buffer> for Capacity {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<Buffer> {
        if let Value::Text(_) = entry.value {
            return DATA.read(at, entry).map(Buffer::Bytes);
        }
        Integer::COUNT.of(entry).map(Buffer::Packets).or_else(|| {
            let (number, example) = (Integer::COUNT.in_words(), DATA.example);
            at.wrong(entry, format!("must be {number}, or a quantity such as {example:?}"))
        })
    }

    fn write(&self, _: Units, buffer: &Buffer) -> Json {
        match buffer {
            Buffer::Packets(packets) => json!(packets),
            Buffer::Bytes(bytes) => DATA.write(Units::Written, bytes),
        }
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [Integer::COUNT.schema(), { "type": "string", "examples": [DATA.example] }] })
    }
}
