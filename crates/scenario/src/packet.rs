//! `[packet]`: routers and buffers in detail. It is checked for every engine, and used by the packet engine.

mod check;
mod run;

use crate::reader::{BANDWIDTH, BYTES, DURATION, Section};
use crate::{Units, name_of};
use serde_json::{Map, Value, json};
use weir_packet::{Arbiter, ClassRule, Credits, Dateline, DeadlockPolicy, RouterModel, VcAllocation};
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
    /// Room per virtual channel where packets come in.
    pub input_buffer: Buffer,
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
    /// How fast the crossbar is; `None` is as fast as the fastest link.
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

const ARBITERS: [(&str, Arbiter); 5] = [
    ("round-robin", Arbiter::RoundRobin),
    ("transit-first", Arbiter::TransitFirst),
    ("injection-first", Arbiter::InjectionFirst),
    ("oldest-first", Arbiter::OldestFirst),
    ("fixed-priority", Arbiter::FixedPriority),
];

const CREDITS: [(&str, Credits); 2] = [("packet", Credits::Packet), ("flit", Credits::Flit)];

const VC_ALLOCATIONS: [(&str, VcAllocation); 2] =
    [("with-switch", VcAllocation::WithSwitch), ("before-switch", VcAllocation::BeforeSwitch)];

const DATELINES: [(&str, Dateline); 2] =
    [("crossing", Dateline::Crossing), ("dimension", Dateline::Dimension)];

const CLASS_RULES: [(&str, ClassRule); 3] = [
    ("automatic", ClassRule::Automatic),
    ("links-passed", ClassRule::LinksPassed),
    ("fewest", ClassRule::Fewest),
];

impl PacketSection {
    /// The largest packet, unless said.
    pub(crate) const MTU: Bytes = Bytes(256);

    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let preset = section.choice("preset", &PRESETS.map(|(name, _)| (name, name)), &[]);
        let delay = |section: &mut Section<'_>, key, default_ns| {
            section.quantity(key, &DURATION).unwrap_or(Duration::from_ns(default_ns))
        };
        let mtu = section.quantity("mtu", &BYTES);
        if mtu == Some(Bytes::ZERO) {
            section.problem("mtu", "must be greater than zero", None);
        }
        let said = section.has("mtu");
        let right = mtu.filter(|&mtu| mtu > Bytes::ZERO).or((!said).then_some(Self::MTU));
        let deadlock = match section.boolean("allow_deadlock") {
            Some(true) => DeadlockPolicy::Allow,
            _ => DeadlockPolicy::Refuse,
        };
        Self {
            preset,
            mtu: right.unwrap_or(Self::MTU),
            virtual_channels: section.integer("virtual_channels", 1..=256).map_or(2, |count| count as u32),
            input_buffer: Buffer::read(section, "input_buffer", right).unwrap_or(Buffer::Packets(16)),
            output_buffer: Buffer::read(section, "output_buffer", right).unwrap_or(Buffer::Packets(2)),
            arbiter: section.choice("arbiter", &ARBITERS, &[]).unwrap_or(Arbiter::RoundRobin),
            route_delay: delay(section, "route_delay", 2),
            vc_allocation_delay: delay(section, "vc_allocation_delay", 2),
            switch_allocation_delay: delay(section, "switch_allocation_delay", 2),
            turnaround_delay: delay(section, "turnaround_delay", 0),
            switch_delay: delay(section, "switch_delay", 140),
            switch_bandwidth: section.quantity("switch_bandwidth", &BANDWIDTH),
            credit_delay: section.quantity("credit_delay", &DURATION),
            credits: section.choice("credits", &CREDITS, &[]).unwrap_or_default(),
            vc_allocation: section.choice("vc_allocation", &VC_ALLOCATIONS, &[]).unwrap_or_default(),
            flit_size: read_flit_size(section, right)
                .unwrap_or(Bytes(right.unwrap_or(Self::MTU).0.div_ceil(8))),
            dateline: section.choice("dateline", &DATELINES, &[]).unwrap_or_default(),
            classes: section.choice("classes", &CLASS_RULES, &[]).unwrap_or_default(),
            deadlock,
        }
    }

    /// The routers for the engine.
    #[must_use]
    pub fn model(&self) -> RouterModel {
        RouterModel {
            mtu: self.mtu,
            virtual_channels: self.virtual_channels,
            input_buffer: self.input_buffer.packets(self.mtu),
            output_buffer: self.output_buffer.packets(self.mtu),
            arbiter: self.arbiter,
            route_delay: self.route_delay,
            vc_allocation_delay: self.vc_allocation_delay,
            switch_allocation_delay: self.switch_allocation_delay,
            turnaround_delay: self.turnaround_delay,
            switch_delay: self.switch_delay,
            switch_bandwidth: self.switch_bandwidth,
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
        let mut object = Map::new();
        let mut put = |key: &str, value| object.insert(key.to_owned(), value);
        if let Some(preset) = self.preset {
            put("preset", json!(preset));
        }
        put("mtu", units.bytes(self.mtu));
        put("virtual_channels", json!(self.virtual_channels));
        put("input_buffer", self.input_buffer.resolved());
        put("output_buffer", self.output_buffer.resolved());
        put("arbiter", json!(name_of(&ARBITERS, self.arbiter)));
        put("route_delay", units.duration(self.route_delay));
        put("vc_allocation_delay", units.duration(self.vc_allocation_delay));
        put("switch_allocation_delay", units.duration(self.switch_allocation_delay));
        put("turnaround_delay", units.duration(self.turnaround_delay));
        put("switch_delay", units.duration(self.switch_delay));
        if let Some(bandwidth) = self.switch_bandwidth {
            put("switch_bandwidth", units.bandwidth(bandwidth));
        }
        if let Some(delay) = self.credit_delay {
            put("credit_delay", units.duration(delay));
        }
        put("credits", json!(name_of(&CREDITS, self.credits)));
        put("vc_allocation", json!(name_of(&VC_ALLOCATIONS, self.vc_allocation)));
        put("flit_size", units.bytes(self.flit_size));
        put("dateline", json!(name_of(&DATELINES, self.dateline)));
        put("classes", json!(name_of(&CLASS_RULES, self.classes)));
        put("allow_deadlock", json!(self.deadlock == DeadlockPolicy::Allow));
        Value::Object(object)
    }
}

/// A flit of packets of up to `mtu` bytes, if that is known.
fn read_flit_size(section: &mut Section<'_>, mtu: Option<Bytes>) -> Option<Bytes> {
    let flit = section.quantity("flit_size", &BYTES)?;
    if flit == Bytes::ZERO {
        section.problem("flit_size", "must be greater than zero", None);
        return None;
    }
    if let Some(mtu) = mtu.filter(|&mtu| flit > mtu) {
        let mtu = crate::exact::bytes_text(mtu);
        section.problem("flit_size", format!("is larger than a packet: packet.mtu is {mtu}"), None);
        return None;
    }
    Some(flit)
}

impl Buffer {
    /// A buffer for packets of up to `mtu` bytes, if that is known; it has room for one at least.
    fn read(section: &mut Section<'_>, key: &'static str, mtu: Option<Bytes>) -> Option<Self> {
        let most = u64::from(u32::MAX);
        let buffer = match section.integer_or_quantity(key, 1..=most, &BYTES)? {
            Ok(packets) => Self::Packets(u32::try_from(packets).ok()?),
            Err(bytes) => Self::Bytes(bytes),
        };
        if buffer == Self::Bytes(Bytes::ZERO) {
            section.problem(key, "must be greater than zero", None);
        } else if let (Self::Bytes(bytes), Some(mtu)) = (buffer, mtu)
            && bytes < mtu
        {
            let mtu = crate::exact::bytes_text(mtu);
            let what = format!("has no room for a packet: packet.mtu is {mtu}, and packets are kept whole");
            let hint = format!("write {key} = \"{mtu}\" or more, or a number of packets: {key} = 1");
            section.problem(key, what, Some(hint));
        }
        Some(buffer)
    }

    /// For how many packets of this size there is room.
    fn packets(self, mtu: Bytes) -> u32 {
        match self {
            Self::Packets(packets) => packets,
            Self::Bytes(bytes) => u32::try_from(bytes.0 / mtu.0).unwrap_or(u32::MAX),
        }
    }

    /// Bytes always carry their unit: a bare number counts packets.
    fn resolved(self) -> Value {
        match self {
            Self::Packets(packets) => json!(packets),
            Self::Bytes(bytes) => json!(crate::exact::bytes_text(bytes)),
        }
    }
}
