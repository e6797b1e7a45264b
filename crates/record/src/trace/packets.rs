//! The messages of Perfetto's trace format that are written here, with the numbers of their fields: those of
//! `protos/perfetto/trace/` of Perfetto, `trace.proto`, `trace_packet.proto`, `interned_data/interned_data.proto` and, in
//! `track_event/`, `track_event.proto`, `track_descriptor.proto`, `counter_descriptor.proto` and `debug_annotation.proto`.
//! With them, ranks that are not drawn are taken out of a trace that has been written.

use prost::Message;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use weir_units::Rank;

/// The tracks of the first rank, and of the first link: behind all ranks.
pub(super) const FIRST_RANK: u64 = 16;
pub(super) const FIRST_LINK: u64 = 1 << 40;

/// Field 1, with a length: what stands before each packet.
pub(super) const PACKET: u8 = 1 << 3 | 2;

/// Declares messages: `message! { Name { field: Type = (how prost writes it), number; ... } }`.
macro_rules! messages {
    ($($(#[$about:meta])* $Name:ident { $($field:ident: $Type:ty = ($($how:tt)+), $tag:literal;)+ })+) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, prost::Message)]
        pub(super) struct $Name {
            $(#[prost($($how)+, tag = $tag)] pub(super) $field: $Type,)+
        }
    )+};
}

messages! {
    /// A packet, field 1 of a `Trace`, which has nothing else: its time is simulated, in nanoseconds; its flags are [`CLEARED`] and
    /// [`NEEDED`].
    TracePacket {
        timestamp: Option<u64> = (uint64, optional), "8";
        trusted_packet_sequence_id: Option<u32> = (uint32, optional), "10";
        track_event: Option<TrackEvent> = (message, optional), "11";
        interned_data: Option<InternedData> = (message, optional), "12";
        sequence_flags: Option<u32> = (uint32, optional), "13";
        track_descriptor: Option<TrackDescriptor> = (message, optional), "60";
    }

    /// An event, whose name is a number, or a text where it is there once.
    TrackEvent {
        debug_annotations: Vec<DebugAnnotation> = (message, repeated), "4";
        r#type: Option<i32> = (enumeration = "Type", optional), "9";
        name_iid: Option<u64> = (uint64, optional), "10";
        track_uuid: Option<u64> = (uint64, optional), "11";
        name: Option<String> = (string, optional), "23";
        double_counter_value: Option<f64> = (double, optional), "44";
        flow_ids: Vec<u64> = (fixed64, repeated, packed = "false"), "47";
        terminating_flow_ids: Vec<u64> = (fixed64, repeated, packed = "false"), "48";
    }

    DebugAnnotation {
        name_iid: Option<u64> = (uint64, optional), "1";
        uint_value: Option<u64> = (uint64, optional), "3";
        int_value: Option<i64> = (int64, optional), "4";
        string_value: Option<String> = (string, optional), "6";
    }

    InternedData {
        event_names: Vec<Name> = (message, repeated), "2";
        debug_annotation_names: Vec<Name> = (message, repeated), "3";
    }

    /// `EventName` and `DebugAnnotationName`, which are alike.
    Name {
        iid: Option<u64> = (uint64, optional), "1";
        name: Option<String> = (string, optional), "2";
    }

    /// A track, whose children have an order: see [`EXPLICIT`].
    TrackDescriptor {
        uuid: Option<u64> = (uint64, optional), "1";
        name: Option<String> = (string, optional), "2";
        parent_uuid: Option<u64> = (uint64, optional), "5";
        counter: Option<CounterDescriptor> = (message, optional), "8";
        child_ordering: Option<i32> = (int32, optional), "11";
        sibling_order_rank: Option<i32> = (int32, optional), "12";
    }

    /// Its unit is [`IN_BYTES`], or has a name.
    CounterDescriptor {
        unit: Option<i32> = (int32, optional), "3";
        unit_name: Option<String> = (string, optional), "6";
    }
}

/// `SEQ_INCREMENTAL_STATE_CLEARED`: names written before are not valid any more.
pub(super) const CLEARED: u32 = 1;
/// `SEQ_NEEDS_INCREMENTAL_STATE`: the packet has numbers that stand for names.
pub(super) const NEEDED: u32 = 2;
/// `ChildTracksOrdering`: children in the order of their `sibling_order_rank`.
pub(super) const EXPLICIT: i32 = 3;
/// `UNIT_SIZE_BYTES`.
pub(super) const IN_BYTES: i32 = 3;

/// `TrackEvent.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(super) enum Type {
    SliceBegin = 1,
    SliceEnd = 2,
    Instant = 3,
    Counter = 4,
}

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
