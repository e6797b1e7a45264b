//! `kind = "packet"`: messages are cut into packets, which wait in buffers.

mod check;
mod routers;

pub(crate) use check::warning;
pub use routers::{Buffer, PacketSection};
pub(crate) use routers::{KEYS, PRESETS};
use std::sync::Arc;
use weir_packet::PacketNetwork;
use weir_topology::Topology;

/// The packet engine with what it runs on.
#[derive(Clone, Debug)]
pub struct PreparedPacket {
    /// The most threads that may be used; the result does not depend on it.
    pub threads: usize,
    /// The machine.
    pub machine: Arc<Topology>,
    /// Its routers and buffers; if samples are asked for with windows that fit their interval.
    pub network: Arc<PacketNetwork>,
}
