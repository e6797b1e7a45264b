//! The messages of Perfetto's trace format that are written here, with the numbers of their fields: those of
//! `protos/perfetto/trace/` of Perfetto, `trace.proto`, `trace_packet.proto`, `interned_data/interned_data.proto` and, in
//! `track_event/`, `track_event.proto`, `track_descriptor.proto`, `counter_descriptor.proto` and `debug_annotation.proto`.
//! With them, ranks that are not drawn are taken out of a trace that has been written.

use super::{FIRST_LINK, FIRST_RANK};
use prost::Message;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use weir_units::Rank;

/// Field 1, with a length: what stands before each packet.
pub(super) const PACKET: u8 = 1 << 3 | 2;

/// A packet: field 1 of a `Trace`, which has nothing else.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TracePacket {
    /// Simulated time, in nanoseconds.
    #[prost(uint64, optional, tag = "8")]
    pub(super) timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    pub(super) trusted_packet_sequence_id: Option<u32>,
    #[prost(message, optional, tag = "11")]
    pub(super) track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "12")]
    pub(super) interned_data: Option<InternedData>,
    /// See [`CLEARED`] and [`NEEDED`].
    #[prost(uint32, optional, tag = "13")]
    pub(super) sequence_flags: Option<u32>,
    #[prost(message, optional, tag = "60")]
    pub(super) track_descriptor: Option<TrackDescriptor>,
}

/// `SEQ_INCREMENTAL_STATE_CLEARED`: names written before are not valid any more.
pub(super) const CLEARED: u32 = 1;
/// `SEQ_NEEDS_INCREMENTAL_STATE`: the packet has numbers that stand for names.
pub(super) const NEEDED: u32 = 2;

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    pub(super) debug_annotations: Vec<DebugAnnotation>,
    #[prost(enumeration = "Type", optional, tag = "9")]
    pub(super) r#type: Option<i32>,
    #[prost(uint64, optional, tag = "10")]
    pub(super) name_iid: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    pub(super) track_uuid: Option<u64>,
    /// A name that is there once.
    #[prost(string, optional, tag = "23")]
    pub(super) name: Option<String>,
    #[prost(double, optional, tag = "44")]
    pub(super) double_counter_value: Option<f64>,
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub(super) flow_ids: Vec<u64>,
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    pub(super) terminating_flow_ids: Vec<u64>,
}

/// `TrackEvent.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(super) enum Type {
    SliceBegin = 1,
    SliceEnd = 2,
    Instant = 3,
    Counter = 4,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct DebugAnnotation {
    #[prost(uint64, optional, tag = "1")]
    pub(super) name_iid: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    pub(super) uint_value: Option<u64>,
    #[prost(int64, optional, tag = "4")]
    pub(super) int_value: Option<i64>,
    #[prost(string, optional, tag = "6")]
    pub(super) string_value: Option<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct InternedData {
    #[prost(message, repeated, tag = "2")]
    pub(super) event_names: Vec<Name>,
    #[prost(message, repeated, tag = "3")]
    pub(super) debug_annotation_names: Vec<Name>,
}

/// `EventName` and `DebugAnnotationName`, which are alike.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Name {
    #[prost(uint64, optional, tag = "1")]
    pub(super) iid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    pub(super) uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
    #[prost(uint64, optional, tag = "5")]
    pub(super) parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    pub(super) counter: Option<CounterDescriptor>,
    /// `ChildTracksOrdering`: see [`EXPLICIT`].
    #[prost(int32, optional, tag = "11")]
    pub(super) child_ordering: Option<i32>,
    #[prost(int32, optional, tag = "12")]
    pub(super) sibling_order_rank: Option<i32>,
}

/// Children in the order of their `sibling_order_rank`.
pub(super) const EXPLICIT: i32 = 3;

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CounterDescriptor {
    /// `CounterDescriptor.Unit`: see [`IN_BYTES`].
    #[prost(int32, optional, tag = "3")]
    pub(super) unit: Option<i32>,
    #[prost(string, optional, tag = "6")]
    pub(super) unit_name: Option<String>,
}

/// `UNIT_SIZE_BYTES`.
pub(super) const IN_BYTES: i32 = 3;

/// Moves what remains of a file to its beginning, packet by packet, and cuts off the rest: nothing is written before it has
/// been read.
pub(super) fn thin(path: &Path, draws: impl Fn(Rank) -> bool) -> io::Result<()> {
    let mut from = BufReader::new(File::open(path)?);
    let file = OpenOptions::new().write(true).open(path)?;
    let mut to = BufWriter::new(&file);
    let (mut packet, mut length) = (Vec::new(), 0);
    while !from.fill_buf()?.is_empty() {
        packet.clear();
        let mut byte = [0];
        from.read_exact(&mut byte)?;
        debug_assert_eq!(byte[0], PACKET, "packets stand one after the other");
        packet.push(byte[0]);
        while {
            from.read_exact(&mut byte)?;
            packet.push(byte[0]);
            byte[0] & 0x80 != 0
        } {}
        let bytes = prost::decode_length_delimiter(&packet[1..])?;
        let start = packet.len();
        packet.resize(start + bytes, 0);
        from.read_exact(&mut packet[start..])?;
        if rank_of(&packet[start..])?.is_none_or(&draws) {
            to.write_all(&packet)?;
            length += packet.len() as u64;
        }
    }
    to.flush()?;
    drop(to);
    file.set_len(length)
}

fn rank_of(packet: &[u8]) -> io::Result<Option<Rank>> {
    let packet = TracePacket::decode(packet)?;
    let event = packet.track_event.and_then(|event| event.track_uuid);
    let track = event.or_else(|| packet.track_descriptor.and_then(|track| track.uuid));
    let rank = track.filter(|track| (FIRST_RANK..FIRST_LINK).contains(track));
    Ok(rank.and_then(|track| u32::try_from(track - FIRST_RANK).ok()).map(Rank))
}
