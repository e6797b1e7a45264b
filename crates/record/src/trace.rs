//! `trace.perfetto`: what ranks do, and how busy links are, for `ui.perfetto.dev`.
//!
//! # Model
//! One track for each rank, on which calls and the time between them (`compute`) are slices and messages are instants, joined
//! by an arrow from the send to the receive that takes it; one counter for each of the busiest links. Events are written as
//! they are recorded, so that of one instant what brought something about stands before it. Perfetto has whole nanoseconds: instants are cut down to them,
//! which keeps their order. The order of events in the file is not that of time; Perfetto sorts them.
//!
//! An arrow joins instants and not the calls, since Perfetto has arrows point from the slice that begins first: to the sender
//! that comes late.

mod packets;

use crate::calls::CallRow;
use crate::link_series::{self, Sample};
use crate::{BusyLink, RecordError};
use packets::{
    CLEARED, CounterDescriptor, DebugAnnotation, EXPLICIT, InternedData, NEEDED, Name, TracePacket,
    TrackDescriptor, TrackEvent, Type,
};
use prost::Message;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, Rank, Time};

/// Names of tracks, which are numbers here: the group of ranks, that of links, and the first rank.
const RANKS: u64 = 1;
const LINKS: u64 = 2;
const FIRST_RANK: u64 = 16;
/// The first link: behind all ranks.
const FIRST_LINK: u64 = 1 << 40;

/// What is said of an event, by number.
const ARGUMENTS: [&str; 5] = ["peer", "tag", "sent_bytes", "received_bytes", "waited_ps"];
const PEER: u64 = 1;
const TAG: u64 = 2;
const SENT: u64 = 3;
const RECEIVED: u64 = 4;
const WAITED: u64 = 5;

/// What a rank does between calls.
const COMPUTE: &str = "compute";

/// The one sequence of packets that there is.
const SEQUENCE: u32 = 1;

/// A message on its way, for both its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The rank that sends.
    pub from: Rank,
    /// The rank that receives.
    pub to: Rank,
    /// Its number among the messages of its sender.
    pub sequence: u64,
    /// How long it is.
    pub bytes: Bytes,
}

impl Arrow {
    /// A number of its own: ranks and numbers of messages together have 64 bits.
    fn id(&self) -> u64 {
        (u64::from(self.from.0) + 1) << 40 | self.sequence & ((1 << 40) - 1)
    }
}

/// A link whose use is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnLink {
    /// The link, numbered as in the topology.
    pub link: LinkId,
    /// Its ends, for people.
    pub name: String,
    /// Of all its wires together.
    pub capacity: Bandwidth,
}

impl DrawnLink {
    /// How many links are drawn at most.
    pub const MOST: usize = 10;

    /// A link that was busy.
    #[must_use]
    pub fn new(busy: &BusyLink, capacity: Bandwidth) -> Self {
        Self { link: busy.link, name: busy.name.clone(), capacity }
    }
}

/// A trace that is being written, beside the place where it will be when it is whole.
pub(crate) struct Trace {
    path: PathBuf,
    partial: PathBuf,
    out: BufWriter<File>,
    /// Numbers of the names of events.
    names: BTreeMap<&'static str, u64>,
    /// Of each rank.
    standing: Vec<Standing>,
    buffer: Vec<u8>,
}

/// Whether a rank is in a call.
#[derive(Clone, Copy)]
struct Standing {
    /// Calls that are not over: more than one where a rank has threads.
    open: u32,
    /// When the last call was over.
    since: Time,
}

impl Trace {
    /// Where a trace is in a results folder.
    pub(crate) const NAME: &'static str = "trace.perfetto";
    /// Where it is until it is whole.
    pub(crate) const PARTIAL: &'static str = "trace.perfetto.partial";

    /// Begins a trace with a track for each rank.
    pub(crate) fn new(folder: &Path, ranks: usize) -> Result<Self, RecordError> {
        let (path, partial) = (folder.join(Self::NAME), folder.join(Self::PARTIAL));
        let file = File::create(&partial);
        let file = file.map_err(|source| RecordError::File { path: path.clone(), source })?;
        let out = BufWriter::new(file);
        let standing = vec![Standing { open: 0, since: Time::ZERO }; ranks];
        let mut trace = Self { path, partial, out, names: BTreeMap::new(), standing, buffer: Vec::new() };
        trace.begin(ranks)?;
        Ok(trace)
    }

    fn begin(&mut self, ranks: usize) -> Result<(), RecordError> {
        let name = |(place, name): (usize, &&str)| Name {
            iid: Some(place as u64 + 1),
            name: Some((*name).to_owned()),
        };
        let debug_annotation_names = ARGUMENTS.iter().enumerate().map(name).collect();
        let interned_data = Some(InternedData { debug_annotation_names, ..InternedData::default() });
        self.put(&TracePacket { interned_data, sequence_flags: Some(CLEARED), ..packet() })?;
        self.group(RANKS, "ranks")?;
        (0..ranks).try_for_each(|rank| {
            self.describe(TrackDescriptor {
                uuid: Some(FIRST_RANK + rank as u64),
                name: Some(format!("rank {rank}")),
                parent_uuid: Some(RANKS),
                sibling_order_rank: i32::try_from(rank).ok(),
                ..TrackDescriptor::default()
            })
        })
    }

    /// A rank begins a call; what it did since the last one was over is a slice of its own.
    pub(crate) fn begin_call(&mut self, rank: Rank, name: &'static str, at: Time) -> Result<(), RecordError> {
        let standing = &mut self.standing[rank.0 as usize];
        let Standing { open, since } = *standing;
        standing.open += 1;
        if open == 0 && since < at {
            let name_iid = Some(self.name(COMPUTE)?);
            self.event(since, TrackEvent { name_iid, ..event(rank, Type::SliceBegin) })?;
            self.event(at, event(rank, Type::SliceEnd))?;
        }
        let name_iid = Some(self.name(name)?);
        self.event(at, TrackEvent { name_iid, ..event(rank, Type::SliceBegin) })
    }

    /// The call is over.
    pub(crate) fn end_call(&mut self, call: &CallRow) -> Result<(), RecordError> {
        let Some((at, waited)) = call.end else { return Ok(()) };
        let standing = &mut self.standing[call.rank.0 as usize];
        *standing = Standing { open: standing.open.saturating_sub(1), since: at };
        let bytes = |name, Bytes(bytes)| (bytes > 0).then(|| unsigned(name, bytes));
        let arguments = [
            call.peer.map(|peer| unsigned(PEER, u64::from(peer.0))),
            call.tag.map(|tag| signed(TAG, i64::from(tag))),
            bytes(SENT, call.sent),
            bytes(RECEIVED, call.received),
            (waited > Duration::ZERO).then(|| unsigned(WAITED, waited.as_ps())),
        ];
        let debug_annotations = arguments.into_iter().flatten().collect();
        self.event(at, TrackEvent { debug_annotations, ..event(call.rank, Type::SliceEnd) })
    }

    /// A message leaves its rank.
    pub(crate) fn sent(&mut self, arrow: &Arrow, at: Time) -> Result<(), RecordError> {
        let name_iid = Some(self.name("message sent")?);
        let debug_annotations = vec![unsigned(PEER, u64::from(arrow.to.0)), unsigned(SENT, arrow.bytes.0)];
        let flow_ids = vec![arrow.id()];
        let sent = event(arrow.from, Type::Instant);
        self.event(at, TrackEvent { name_iid, debug_annotations, flow_ids, ..sent })
    }

    /// A receive takes a message.
    pub(crate) fn taken(&mut self, arrow: &Arrow, at: Time) -> Result<(), RecordError> {
        let name_iid = Some(self.name("message received")?);
        let debug_annotations =
            vec![unsigned(PEER, u64::from(arrow.from.0)), unsigned(RECEIVED, arrow.bytes.0)];
        let terminating_flow_ids = vec![arrow.id()];
        let taken = event(arrow.to, Type::Instant);
        self.event(at, TrackEvent { name_iid, debug_annotations, terminating_flow_ids, ..taken })
    }

    /// Draws links out of the table of what they carried in intervals, in per cent of what they could have carried.
    pub(crate) fn links(
        &mut self,
        folder: &Path,
        links: &[DrawnLink],
        interval: Duration,
    ) -> Result<(), RecordError> {
        if links.is_empty() {
            return Ok(());
        }
        self.group(LINKS, "busiest links")?;
        for (place, link) in links.iter().enumerate() {
            self.describe(TrackDescriptor {
                uuid: Some(FIRST_LINK + place as u64),
                name: Some(link.name.clone()),
                parent_uuid: Some(LINKS),
                counter: Some(CounterDescriptor { unit_name: Some("%".into()) }),
                sibling_order_rank: i32::try_from(place).ok(),
                ..TrackDescriptor::default()
            })?;
        }
        // Of each link, when the last interval ended in which it carried something, and the value there. A value holds until
        // the next one.
        let mut last = vec![(None, 0.0); links.len()];
        link_series::read(folder, |Sample { start, link, bytes }| {
            let Some(place) = links.iter().position(|drawn| drawn.link == link) else { return Ok(()) };
            let (end, mut known) = last[place];
            if let Some(end) = end.filter(|&end| end < start) {
                self.count(place, end, 0.0)?;
                known = 0.0;
            }
            let could = links[place].capacity.bytes_per_second() * interval.as_secs_f64();
            let value = 100.0 * bytes / could;
            last[place] = (Some(start + interval), value);
            if value == known { Ok(()) } else { self.count(place, start, value) }
        })?;
        let ends = last.into_iter().map(|(end, _)| end).enumerate();
        ends.filter_map(|(place, end)| Some((place, end?)))
            .try_for_each(|(place, end)| self.count(place, end, 0.0))
    }

    /// Ends the trace, which is whole now.
    pub(crate) fn end(mut self) -> Result<(), RecordError> {
        let ended = self.out.flush().and_then(|()| fs::rename(&self.partial, &self.path));
        ended.map_err(|source| self.failed(source))
    }

    fn count(&mut self, place: usize, at: Time, value: f64) -> Result<(), RecordError> {
        self.event(
            at,
            TrackEvent {
                r#type: Some(Type::Counter.into()),
                track_uuid: Some(FIRST_LINK + place as u64),
                double_counter_value: Some(value),
                ..TrackEvent::default()
            },
        )
    }

    fn group(&mut self, uuid: u64, name: &str) -> Result<(), RecordError> {
        self.describe(TrackDescriptor {
            uuid: Some(uuid),
            name: Some(name.to_owned()),
            child_ordering: Some(EXPLICIT),
            ..TrackDescriptor::default()
        })
    }

    fn describe(&mut self, track: TrackDescriptor) -> Result<(), RecordError> {
        self.put(&TracePacket { track_descriptor: Some(track), ..packet() })
    }

    /// The number of a name of events; a new name is written first.
    fn name(&mut self, name: &'static str) -> Result<u64, RecordError> {
        if let Some(&known) = self.names.get(name) {
            return Ok(known);
        }
        let iid = self.names.len() as u64 + 1;
        self.names.insert(name, iid);
        let event_names = vec![Name { iid: Some(iid), name: Some(name.to_owned()) }];
        let interned_data = Some(InternedData { event_names, ..InternedData::default() });
        self.put(&TracePacket { interned_data, sequence_flags: Some(NEEDED), ..packet() })?;
        Ok(iid)
    }

    fn event(&mut self, at: Time, event: TrackEvent) -> Result<(), RecordError> {
        let timestamp = Some(at.as_ps() / 1000);
        let sequence_flags = Some(NEEDED);
        self.put(&TracePacket { timestamp, sequence_flags, track_event: Some(event), ..packet() })
    }

    fn put(&mut self, packet: &TracePacket) -> Result<(), RecordError> {
        /// Field 1, with a length.
        const PACKET: u8 = 1 << 3 | 2;
        self.buffer.clear();
        self.buffer.push(PACKET);
        packet.encode_length_delimited(&mut self.buffer).expect("a vector has room");
        self.out.write_all(&self.buffer).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> RecordError {
        RecordError::File { path: self.path.clone(), source }
    }
}

fn packet() -> TracePacket {
    TracePacket { trusted_packet_sequence_id: Some(SEQUENCE), ..TracePacket::default() }
}

fn event(rank: Rank, kind: Type) -> TrackEvent {
    let track_uuid = Some(FIRST_RANK + u64::from(rank.0));
    TrackEvent { r#type: Some(kind.into()), track_uuid, ..TrackEvent::default() }
}

fn unsigned(name: u64, value: u64) -> DebugAnnotation {
    DebugAnnotation { name_iid: Some(name), uint_value: Some(value), int_value: None }
}

fn signed(name: u64, value: i64) -> DebugAnnotation {
    DebugAnnotation { name_iid: Some(name), uint_value: None, int_value: Some(value) }
}
