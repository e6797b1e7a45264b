//! `kind = "packet"`: messages are cut into packets, which wait in buffers.

mod check;
mod routers;

pub use routers::{Buffer, PacketSection};
pub(crate) use routers::{KEYS, PRESETS};
use std::sync::Arc;
use weir_packet::{PacketNetwork, Throttle};
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

/// The worst of the links that buffers hold up, how many there are, and what would do; `None` if there are none.
pub(crate) fn warning(network: &PacketNetwork, machine: &Topology) -> Option<String> {
    /// The most packets of a buffer.
    const MOST: u64 = u16::MAX as u64;
    let Throttle { link, holds, needs, share, links: (held, all), room } = network.throttle()?;
    let percent = 100.0 * share;
    let percent = if percent < 1.0 { format!("{percent:.2}") } else { format!("{percent:.0}") };
    let others = match held - 1 {
        0 => format!("no other of {all} links is held up so"),
        others => format!("{others} others of {all} links are held up as well"),
    };
    let remedy = if room > MOST {
        "larger packets (packet.mtu) would carry more".to_owned()
    } else {
        format!("packet.input_buffer = {room} would carry all")
    };
    Some(format!(
        "the buffers of {} hold {holds}, a round trip of a credit carries {needs}: at most {percent} % of its bandwidth; {others}; {remedy}",
        machine.link_name(link)
    ))
}
