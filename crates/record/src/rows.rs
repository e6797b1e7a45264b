//! Rows of the tables of a results folder but those of the machine.

use crate::error::Result;
use crate::run_folder::RunFolder;
use crate::table::write_table;
use weir_columns::row;
use weir_network::causes::{Accounts, Cause};
use weir_network::record::{BufferSample, LatencySample, LinkSample, MessageTimes, PacketStay};
use weir_network::{Latencies, LatencyKind};
use weir_units::{Bytes, Duration, LinkId, NodeId, Rank, RouterId, Time};

/// A call of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The rank that calls, in `MPI_COMM_WORLD`.
    pub rank: Rank,
    /// The function.
    pub name: &'static str,
    /// Instant at which it began, by the rank's own clock.
    pub start: Time,
    /// Instant at which it was over, and the time in which the rank had nothing to do meanwhile. `None`: it was not over when the run
    /// ended.
    pub end: Option<(Time, Duration)>,
    /// The rank of the world on the other side, if there is just one.
    pub peer: Option<Rank>,
    /// The tag, if there is just one.
    pub tag: Option<i32>,
    /// Bytes of the messages that it has sent.
    pub sent: Bytes,
    /// Bytes of the messages of the requests that it has ended.
    pub received: Bytes,
}

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

const fn kind_name(kind: LatencyKind) -> &'static str {
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
        let MessageTimes { from, to, sequence, bytes, .. } = *times;
        let class = if times.class.is_data() { "data" } else { "control" };
        let (posted_ps, matched_ps, waited_ps) = (times.posted, times.taken, times.waited);
        let (started_ps, arrived_ps) = (Some(times.started), Some(times.arrived));
        Self { from, to, sequence, bytes, class, posted_ps, started_ps, arrived_ps, matched_ps, waited_ps }
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
        let CallRow { rank, name, start: start_ps, tag, .. } = *call;
        let (end_ps, waited_ps) = call.end.unzip();
        let peer = call.peer.map(|Rank(peer)| peer.cast_signed());
        let (sent_bytes, received_bytes) = (call.sent, call.received);
        Self { rank, name, start_ps, end_ps, waited_ps, peer, tag, sent_bytes, received_bytes }
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

row! {
    /// Messages or packets that took about as long.
    struct LatencyRange in "latencies" {
        kind: &'static str [Repeated],
        from_ps: u64,
        to_ps: u64,
        count: u64,
    }
}

/// Writes `latencies.parquet` into a folder, the kinds in their order. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_latencies(folder: &RunFolder, latencies: &[(LatencyKind, &Latencies)]) -> Result<()> {
    let rows = latencies.iter().flat_map(|(kind, latencies)| {
        latencies.ranges().map(|(least, most, count)| LatencyRange {
            kind: kind_name(*kind),
            from_ps: least.as_ps(),
            to_ps: most.as_ps().saturating_add(1),
            count,
        })
    });
    write_table(folder, rows, &[])
}

row! {
    struct RankCauses in "causes" {
        rank: Rank [Sorted],
        compute_ps: Duration,
        start_up_ps: Duration,
        late_sender_ps: Duration,
        late_receiver_ps: Duration,
        latency_ps: Duration,
        serialization_ps: Duration,
        contention_ps: Duration,
        credits_ps: Duration,
        other_ps: Duration,
        finished_ps: Duration,
    }
}

/// Writes `causes.parquet` into a folder, by rank. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_causes(folder: &RunFolder, accounts: &Accounts) -> Result<()> {
    let rows = accounts.ranks().iter().map(|account| {
        let time = |cause| account.causes.of(cause);
        RankCauses {
            rank: account.rank,
            compute_ps: time(Cause::Compute),
            start_up_ps: time(Cause::StartUp),
            late_sender_ps: time(Cause::LateSender),
            late_receiver_ps: time(Cause::LateReceiver),
            latency_ps: time(Cause::Latency),
            serialization_ps: time(Cause::Serialization),
            contention_ps: time(Cause::Contention),
            credits_ps: time(Cause::Credits),
            other_ps: time(Cause::Other),
            finished_ps: time(Cause::Finished),
        }
    });
    write_table(folder, rows, &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_columns::Row;

    /// The columns of the table are the causes, in their order.
    #[test]
    fn each_cause_has_its_column() {
        let names: Vec<_> = RankCauses::forms().iter().map(|column| column.name).collect();
        assert_eq!(names[1..], Cause::ALL.map(|cause| format!("{}_ps", cause.name())));
    }
}
