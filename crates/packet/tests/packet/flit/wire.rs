//! Links, and the flits on them.

use super::journey::Passage;
use super::network::time_of;
use super::packet::Packet;
use super::router::Stay;
use std::collections::{BTreeSet, VecDeque};
use weir_topology::Link;

/// A link and the flits on it.
pub(super) struct Wire {
    pub(super) index: usize,
    pub(super) link: Link,
    /// When an edge arrives, its packet, its number, the virtual channel.
    pub(super) edges: VecDeque<(u64, usize, usize, usize)>,
    /// Added to the link's latency: the switch delay, behind a router.
    pub(super) late: u64,
    pub(super) credit_delay: u64,
}

/// Says of what has been put on a wire if it was the tail of its packet.
#[derive(PartialEq, Eq)]
pub(super) enum Last {
    Yes,
    No,
}

/// Puts the next edge of a packet on a link if it can go now; says whether it is the packet's tail.
pub(super) fn put_on_wire(
    wire: &mut Wire,
    stay: &mut Stay,
    packet: &mut Packet,
    agenda: &mut BTreeSet<u64>,
    now: u64,
) -> Option<Last> {
    let times: Vec<_> = packet.flits.iter().map(|&f| time_of(f, wire.link.capacity)).collect();
    let edge = stay.pass(now, &times)?;
    let entered = now + wire.late;
    if edge == 0 {
        let Stay { channel, waited, .. } = *stay;
        packet.passages.push(Passage { link: wire.index, head: entered, tail: entered, channel, waited });
    }
    // The head may be on a later link already.
    let hop = packet.route.iter().position(|&link| link == wire.index).expect("it is on its route");
    packet.passages[hop].tail = entered;
    let at = entered + wire.link.latency.as_ps();
    wire.edges.push_back((at, stay.packet, edge, stay.channel));
    agenda.insert(at);
    agenda.insert(stay.next);
    Some(if edge == packet.flits.len() { Last::Yes } else { Last::No })
}
