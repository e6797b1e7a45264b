//! `kind = "packet"`: messages are cut into packets, which wait in buffers.

mod check;
mod routers;
mod run;

pub(crate) use check::warning;
pub use routers::{Buffer, PacketSection};
pub(crate) use routers::{KEYS, PRESETS};
pub(crate) use run::PreparedPacket;
