//! Packets, and how messages are cut into them.

use super::journey::{Message, Passage};
use super::network::{Network, Settings, flits};
use std::ops::Range;
use weir_units::{NodeId, RouterId};

/// Where a packet goes, beside its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Open,
    By(RouterId),
    Straight,
}

/// A packet on its way.
#[derive(Debug)]
pub(crate) struct Packet {
    pub(super) message: usize,
    pub(super) handed_over: u64,
    pub(super) bytes: u64,
    pub(super) flits: Vec<u64>,
    /// Links as indices.
    pub(crate) route: Vec<usize>,
    /// Where it goes, if a rule decides.
    pub(super) to: NodeId,
    pub(super) way: Way,
    /// Where it may go at the end of each link; nothing to choose at a node.
    pub(crate) channels: Vec<Option<Range<usize>>>,
    /// When it started on the injection link.
    pub(crate) started: u64,
    pub(super) passages: Vec<Passage>,
    pub(super) arrived: u64,
    pub(super) done: bool,
}

/// All messages cut into packets, in the order of their times, and for each message its node and the numbers of its packets.
pub(super) fn cut_messages(
    network: &Network<'_>,
    settings: &Settings,
    messages: &[Message],
    is_decided: bool,
) -> (Vec<Packet>, Vec<(u32, Range<usize>)>) {
    let (mut packets, mut handed_over) = (Vec::new(), Vec::new());
    let mut by_time: Vec<_> = messages.iter().enumerate().collect();
    by_time.sort_by_key(|(_, message)| message.at);
    for (number, &Message { at, from, to, bytes }) in by_time {
        assert_ne!(from, to, "a message that needs no network");
        let (route, channels) = ways(network, from, to, is_decided);
        let first = packets.len();
        for part in flits(bytes, settings.mtu) {
            let part = part.min(bytes);
            packets.push(Packet {
                message: number,
                handed_over: at,
                bytes: part,
                flits: flits(part, settings.flit),
                to: NodeId(to),
                way: Way::Open,
                channels: channels.clone(),
                route: route.clone(),
                started: 0,
                passages: Vec::new(),
                arrived: 0,
                done: false,
            });
        }
        handed_over.push((from, first..packets.len()));
    }
    (packets, handed_over)
}

/// The links of a way, and where packets may go at the end of each.
pub(super) fn ways(
    network: &Network<'_>,
    from: u32,
    to: u32,
    is_decided: bool,
) -> (Vec<usize>, Vec<Option<Range<usize>>>) {
    let route = network.route(from, to);
    if is_decided {
        return (vec![route[0].index()], vec![Some(network.channels(&route, 0))]);
    }
    let channels = |hop| (hop + 1 < route.len()).then(|| network.channels(&route, hop));
    let channels = (0..route.len()).map(channels).collect();
    (route.iter().map(|link| link.index()).collect(), channels)
}
