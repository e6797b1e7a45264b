//! `[packet]`: routers and buffers in detail. Only the packet engine reads it; here it is checked and kept.

use crate::reader::{BYTES, DURATION, Section};
use crate::{Units, name_of};
use serde_json::{Map, Value, json};
use weir_units::{Bytes, Duration};

/// The routers in detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketSection {
    /// The published table that fills in what the input does not say, here and in `[topology]` and `[node]`.
    pub preset: Option<&'static str>,
    /// Largest packet.
    pub mtu: Bytes,
    /// Buffers that share a link.
    pub virtual_channels: u64,
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
    /// Time through the crossbar.
    pub switch_delay: Duration,
    /// Time a credit takes back; `None` is the link's latency.
    pub credit_delay: Option<Duration>,
}

/// Room for packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// So many packets of any size.
    Packets(u64),
    /// So many bytes.
    Bytes(Bytes),
}

/// Who goes first when several want the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbiter {
    /// Each in turn.
    RoundRobin,
    /// Whoever waits longest.
    OldestFirst,
    /// The one with the lowest number.
    FixedPriority,
}

/// The tables of paper 003 by name: 3 (torus) and 2 (InfiniBand).
pub(crate) const PRESETS: [(&str, &str); 2] = [
    ("nsim-torus", include_str!("presets/nsim-torus.toml")),
    ("nsim-infiniband", include_str!("presets/nsim-infiniband.toml")),
];

const ARBITERS: [(&str, Arbiter); 3] = [
    ("round-robin", Arbiter::RoundRobin),
    ("oldest-first", Arbiter::OldestFirst),
    ("fixed-priority", Arbiter::FixedPriority),
];

impl PacketSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        let preset = section.choice("preset", &PRESETS.map(|(name, _)| (name, name)), &[]);
        let delay = |section: &mut Section<'_>, key, default_ns| {
            section.quantity(key, &DURATION).unwrap_or(Duration::from_ns(default_ns))
        };
        let mtu = section.quantity("mtu", &BYTES);
        if mtu == Some(Bytes::ZERO) {
            section.problem("mtu", "must be greater than zero", None);
        }
        Self {
            preset,
            mtu: mtu.unwrap_or(Bytes(256)),
            virtual_channels: section.integer("virtual_channels", 1..=256).unwrap_or(2),
            input_buffer: Buffer::read(section, "input_buffer").unwrap_or(Buffer::Packets(16)),
            output_buffer: Buffer::read(section, "output_buffer").unwrap_or(Buffer::Packets(2)),
            arbiter: section.choice("arbiter", &ARBITERS, &[]).unwrap_or(Arbiter::RoundRobin),
            route_delay: delay(section, "route_delay", 2),
            vc_allocation_delay: delay(section, "vc_allocation_delay", 2),
            switch_allocation_delay: delay(section, "switch_allocation_delay", 2),
            switch_delay: delay(section, "switch_delay", 140),
            credit_delay: section.quantity("credit_delay", &DURATION),
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
        put("switch_delay", units.duration(self.switch_delay));
        if let Some(delay) = self.credit_delay {
            put("credit_delay", units.duration(delay));
        }
        Value::Object(object)
    }
}

impl Buffer {
    fn read(section: &mut Section<'_>, key: &'static str) -> Option<Self> {
        let buffer = match section.integer_or_quantity(key, 1..=u64::MAX, &BYTES)? {
            Ok(packets) => Self::Packets(packets),
            Err(bytes) => Self::Bytes(bytes),
        };
        if buffer == Self::Bytes(Bytes::ZERO) {
            section.problem(key, "must be greater than zero", None);
        }
        Some(buffer)
    }

    /// Bytes always carry their unit: a bare number counts packets.
    fn resolved(self) -> Value {
        match self {
            Self::Packets(packets) => json!(packets),
            Self::Bytes(bytes) => json!(crate::exact::bytes_text(bytes)),
        }
    }
}
