//! Rows of the tables that grow while a run goes on, and of `pairs.parquet`.

use crate::CallRow;
use weir_columns::row;
use weir_network::LatencyKind;
use weir_network::record::{BufferSample, LatencySample, LinkSample, MessageTimes, PacketStay};
use weir_units::{Bytes, Duration, LinkId, NodeId, Rank, RouterId, Time};

row! {
    pub(crate) struct LinkInterval in "series/links" {
        start_ps: Time [Steps, Sorted],
        link: LinkId [Steps],
        bytes: f64 [Split],
        busy_ps: Option<Duration> [Steps],
        packets: Option<u64> [Steps],
    }
}

impl LinkInterval {
    pub(crate) fn new(start_ps: Time, sample: &LinkSample) -> Self {
        let LinkSample { link, bytes, packets } = *sample;
        let busy_ps = packets.map(|counted| counted.busy);
        Self { start_ps, link, bytes, busy_ps, packets: packets.map(|counted| counted.packets) }
    }
}

row! {
    pub(crate) struct BufferInterval in "series/buffers" {
        start_ps: Time [Steps, Sorted],
        link: LinkId [Steps],
        vc: u32,
        mean_packets: f64 [Repeated, Split],
        max_packets: u32 [Steps],
    }
}

impl BufferInterval {
    pub(crate) fn new(start_ps: Time, sample: &BufferSample, interval: Duration) -> Self {
        let BufferSample { link, vc, held, most } = *sample;
        let mean_packets = held.as_ps() as f64 / interval.as_ps() as f64;
        Self { start_ps, link, vc, mean_packets, max_packets: most }
    }
}

row! {
    /// Messages or packets that arrived in an interval.
    pub(crate) struct LatencyInterval in "series/latencies" {
        start_ps: Time [Steps, Sorted],
        kind: &'static str [Repeated],
        count: u64,
        sum_ps: u64,
        max_ps: Duration,
    }
}

impl LatencyInterval {
    pub(crate) fn new(start_ps: Time, kind: LatencyKind, sample: LatencySample) -> Self {
        let LatencySample { count, sum, most } = sample;
        Self { start_ps, kind: kind_name(kind), count, sum_ps: sum, max_ps: most }
    }
}

pub(crate) const fn kind_name(kind: LatencyKind) -> &'static str {
    match kind {
        LatencyKind::Message => "message",
        LatencyKind::Packet => "packet",
    }
}

row! {
    pub(crate) struct Message in "messages" {
        from: Rank,
        to: Rank,
        sequence: u64,
        bytes: Bytes [Repeated],
        class: &'static str [Repeated],
        posted_ps: Time,
        started_ps: Option<Time>,
        arrived_ps: Option<Time>,
        matched_ps: Option<Time>,
        waited_ps: Option<Duration>,
    }
}

impl From<&MessageTimes> for Message {
    fn from(times: &MessageTimes) -> Self {
        let MessageTimes { from, to, sequence, bytes, class, posted, started, arrived, taken, waited } =
            *times;
        Self {
            from,
            to,
            sequence,
            bytes,
            class: if class.is_data() { "data" } else { "control" },
            posted_ps: posted,
            started_ps: Some(started),
            arrived_ps: Some(arrived),
            matched_ps: taken,
            waited_ps: waited,
        }
    }
}

row! {
    pub(crate) struct Packet in "packets" {
        router: RouterId [Repeated],
        link: LinkId [Repeated],
        vc: u32 [Repeated],
        source: NodeId,
        destination: NodeId,
        sequence: u64,
        bytes: u32 [Repeated],
        in_ps: Time,
        out_ps: Time,
    }
}

impl From<&PacketStay> for Packet {
    fn from(stay: &PacketStay) -> Self {
        let PacketStay { router, link, vc, source, destination, sequence, bytes, entered, left } = *stay;
        let (bytes, in_ps, out_ps) = (bytes.0 as u32, entered, left);
        Self { router, link, vc, source, destination, sequence, bytes, in_ps, out_ps }
    }
}

row! {
    pub(crate) struct Call in "calls" {
        rank: Rank,
        name: &'static str [Repeated],
        start_ps: Time [Steps],
        end_ps: Option<Time> [Steps],
        waited_ps: Option<Duration>,
        peer: Option<i32>,
        tag: Option<i32> [Repeated],
        sent_bytes: Bytes [Repeated],
        received_bytes: Bytes [Repeated],
    }
}

impl From<&CallRow> for Call {
    fn from(call: &CallRow) -> Self {
        let CallRow { rank, name, start, end, peer, tag, sent, received } = *call;
        Self {
            rank,
            name,
            start_ps: start,
            end_ps: end.map(|(at, _)| at),
            waited_ps: end.map(|(_, waited)| waited),
            peer: peer.map(|Rank(peer)| peer.cast_signed()),
            tag,
            sent_bytes: sent,
            received_bytes: received,
        }
    }
}

row! {
    /// Messages between two blocks of ranks.
    pub(crate) struct Pair in "pairs" {
        from: u32,
        to: u32,
        messages: u64 [Repeated],
        bytes: Bytes [Repeated],
    }
}

/// The key of the note in `pairs.parquet` that gives the number of ranks in a block.
pub(crate) const BLOCK_KEY: &str = "weir.ranks_per_block";
