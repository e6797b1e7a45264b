//! `trace.perfetto`: what ranks do, what is on its way, and how busy links are, for `ui.perfetto.dev`.
//!
//! # Model
//! One track for each rank, on which calls and the time between them (`compute`) are slices; arrows from the call that sends a
//! message to the one that receives it ([`arrows`]); counters of the bytes in flight and of the busiest links; the critical path: at which rank it is when, and which messages it follows. Events are written as
//! they are recorded, so that of one instant what brought something about stands before it. Perfetto has whole nanoseconds: instants are cut down to them,
//! which keeps their order. The order of events in the file is not that of time; Perfetto sorts them.
//!
//! ```text
//!   critical path  | rank 3 |          message 3 -> 5          | rank 5 |
//!                           |contention|credits|serial..|lat..|
//! ```
//!
//! The events of ranks have a [`limit`], and a counter has a largest number of values, so that a trace of
//! any run can be opened.

mod arrows;
mod counters;
mod limit;
mod packets;

use crate::error::{RecordError, Result};
use crate::link_use::BusyLink;
use crate::rows::CallRow;
use crate::run_folder::{PARTIAL_TRACE, TRACE};
use arrows::{Arrows, Mark, Open, Order};
use counters::InFlight;
use limit::Limit;
use packets::{
    CLEARED, DebugAnnotation, EXPLICIT, FIRST_RANK, InternedData, NEEDED, Name, TracePacket, TrackDescriptor,
    TrackEvent, Type,
};
use prost::Message;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use weir_network::causes::{Cause, DrawnPath, PathPart, PathPlace};
use weir_network::record::MessageTimes;
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId, Rank, Time};

/// Names of tracks, which are numbers here: the group of ranks, that of links, what is in flight and that by node, what is
/// left out, and the critical path.
const RANKS: u64 = 1;
const LINKS: u64 = 2;
const IN_FLIGHT: u64 = 3;
const NODES: u64 = 4;
const LEFT_OUT: u64 = 5;
const PATH: u64 = 6;
/// The first node: behind all ranks and links.
const FIRST_NODE: u64 = 1 << 41;

/// Names of the details of an event, by number.
const ARGUMENTS: [&str; 7] =
    ["peer", "tag", "sent_bytes", "received_bytes", "waited_ps", "left_out", "awaited_in"];
const PEER: u64 = 1;
const TAG: u64 = 2;
const SENT: u64 = 3;
const RECEIVED: u64 = 4;
const WAITED: u64 = 5;
const TEXT: u64 = 6;
const CALL: u64 = 7;

/// Name of the time between calls.
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
    /// Its length.
    pub bytes: Bytes,
}

impl Arrow {
    /// A number of its own: ranks and numbers of messages together have 64 bits.
    fn id(&self) -> u64 {
        (u64::from(self.from.0) + 1) << 40 | self.sequence & ((1 << 40) - 1)
    }
}

/// Options of a trace.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Most bytes of events of ranks.
    pub most: Bytes,
    /// The node of each rank.
    pub nodes: Vec<NodeId>,
}

/// A link whose use is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnLink {
    /// The link, numbered as in the topology.
    pub link: LinkId,
    /// Its ends, for people.
    pub name: String,
    /// Capacity of all its wires together.
    pub capacity: Bandwidth,
}

impl DrawnLink {
    /// Largest number of links that are drawn.
    pub const MOST: usize = 10;

    /// A link that was busy.
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
    states: Vec<TrackState>,
    arrows: Arrows,
    limit: Limit,
    in_flight: InFlight,
    /// From when on the critical path is drawn, if not from the beginning.
    path_from: Option<Time>,
    buffer: Vec<u8>,
}

#[derive(Default)]
struct TrackState {
    /// The call that is not over, if it is drawn.
    call: Option<(Time, Open)>,
    /// When the last call was over.
    since: Time,
}

impl Trace {
    /// Begins a trace with a track for each rank.
    pub(crate) fn new(folder: &Path, drawn: Drawn) -> Result<Self> {
        let (path, partial) = (folder.join(TRACE), folder.join(PARTIAL_TRACE));
        let file = File::create(&partial);
        let file = file.map_err(|source| RecordError::File { path: path.clone(), source })?;
        let ranks = drawn.nodes.len();
        let mut trace = Self {
            path,
            partial,
            out: BufWriter::new(file),
            names: BTreeMap::new(),
            states: std::iter::repeat_with(TrackState::default).take(ranks).collect(),
            arrows: Arrows::default(),
            limit: Limit::new(drawn.most, ranks),
            in_flight: InFlight::new(drawn.nodes),
            path_from: None,
            buffer: Vec::new(),
        };
        trace.begin(ranks)?;
        Ok(trace)
    }

    fn begin(&mut self, ranks: usize) -> Result<()> {
        let name = |(place, name): (usize, &&str)| Name {
            iid: Some(place as u64 + 1),
            name: Some((*name).to_owned()),
        };
        let debug_annotation_names = ARGUMENTS.iter().enumerate().map(name).collect();
        let interned_data = Some(InternedData { debug_annotation_names, ..InternedData::default() });
        self.put(&TracePacket { interned_data, sequence_flags: Some(CLEARED), ..packet() })?;
        self.group(RANKS, "ranks")?;
        (0..ranks).try_for_each(|rank| {
            self.describe(child(RANKS, rank, FIRST_RANK + rank as u64, format!("rank {rank}")))
        })
    }

    /// A rank begins a call; what it did since the last one was over is a slice of its own.
    pub(crate) fn begin_call(&mut self, rank: Rank, name: &'static str, at: Time) -> Result<()> {
        if !self.limit.draws_call(rank, at) {
            return Ok(());
        }
        let state = &mut self.states[rank.index()];
        let since = state.since;
        state.call = Some((at, Open::default()));
        if since < at {
            let name_iid = Some(self.name(COMPUTE)?);
            self.event(rank, since, TrackEvent { name_iid, ..event(rank, Type::SliceBegin) })?;
            self.event(rank, at, event(rank, Type::SliceEnd))?;
        }
        let name_iid = Some(self.name(name)?);
        self.event(rank, at, TrackEvent { name_iid, ..event(rank, Type::SliceBegin) })
    }

    /// The call is over, or will not be over any more.
    pub(crate) fn end_call(&mut self, call: &CallRow) -> Result<()> {
        let rank = call.rank;
        let Some((start, open)) = self.states[rank.index()].call.take() else { return Ok(()) };
        let ends = self.arrows.end(open, start, call.end.map(|(at, _)| at));
        ends.marks.into_iter().try_for_each(|mark| self.mark(mark))?;
        let Some((at, waited)) = call.end else { return Ok(()) };
        self.states[rank.index()].since = at;
        let bytes = |name, Bytes(bytes)| (bytes > 0).then(|| unsigned(name, bytes));
        let arguments = [
            call.peer.map(|peer| unsigned(PEER, u64::from(peer.0))),
            call.tag.map(|tag| signed(TAG, i64::from(tag))),
            bytes(SENT, call.sent),
            bytes(RECEIVED, call.received),
            (waited > Duration::ZERO).then(|| unsigned(WAITED, waited.as_ps())),
        ];
        let debug_annotations = arguments.into_iter().flatten().collect();
        let (flow_ids, terminating_flow_ids) = (ends.from, ends.to);
        let end = event(rank, Type::SliceEnd);
        self.event(rank, at, TrackEvent { debug_annotations, flow_ids, terminating_flow_ids, ..end })
    }

    pub(crate) fn sent(&mut self, arrow: &Arrow, at: Time) -> Result<()> {
        let open = self.states[arrow.from.index()].call.as_mut().map(|(_, open)| open);
        if !self.limit.draws(arrow.from) || open.is_none() && !self.limit.draws_call(arrow.from, at) {
            return Ok(());
        }
        self.arrows.sent(*arrow, at, open).map_or(Ok(()), |mark| self.mark(mark))
    }

    pub(crate) fn taken(&mut self, arrow: &Arrow, at: Time) -> Result<()> {
        let open = self.states[arrow.to.index()].call.as_mut().map(|(_, open)| open);
        if !self.limit.draws(arrow.to) || open.is_none() && !self.limit.draws_call(arrow.to, at) {
            self.arrows.forget(arrow);
            return Ok(());
        }
        let marks = self.arrows.taken(arrow, at, open);
        marks.into_iter().flatten().try_for_each(|mark| self.mark(mark))
    }

    pub(crate) fn arrived(&mut self, messages: &[MessageTimes]) {
        messages.iter().for_each(|message| self.in_flight.add(message));
    }

    fn mark(&mut self, mark: Mark) -> Result<()> {
        let rank = mark.rank();
        let instant = event(rank, Type::Instant);
        let said =
            |peer: Rank, name, Bytes(bytes)| vec![unsigned(PEER, u64::from(peer.0)), unsigned(name, bytes)];
        match mark {
            Mark::Sent(arrow, at) => {
                let name_iid = Some(self.name("message sent")?);
                let debug_annotations = said(arrow.to, SENT, arrow.bytes);
                let flow_ids = vec![arrow.id()];
                self.event(rank, at, TrackEvent { name_iid, debug_annotations, flow_ids, ..instant })
            }
            Mark::Received(arrow, at, order) => {
                let name_iid = Some(self.name("message received")?);
                let debug_annotations = said(arrow.from, RECEIVED, arrow.bytes);
                let id = vec![arrow.id()];
                // Perfetto takes no notice of the end of an arrow that has not begun.
                let (flow_ids, terminating_flow_ids) = match order {
                    Order::InOrder => (Vec::new(), id),
                    Order::Early => (id, Vec::new()),
                };
                let event =
                    TrackEvent { name_iid, debug_annotations, flow_ids, terminating_flow_ids, ..instant };
                self.event(rank, at, event)
            }
        }
    }

    pub(crate) fn path(&mut self, path: &DrawnPath) -> Result<()> {
        self.path_from = Some(path.from).filter(|from| *from > Time::ZERO);
        self.describe(track(PATH, "critical path".to_owned()))?;
        path.parts.iter().try_for_each(|part| self.path_part(part))
    }

    fn path_part(&mut self, part: &PathPart) -> Result<()> {
        let (name, debug_annotations) = match part.what {
            PathPlace::Rank(rank) => (format!("rank {rank}"), Vec::new()),
            PathPlace::Interface(rank) => (format!("interface of rank {rank}"), Vec::new()),
            PathPlace::Message { from, to, call, .. } => {
                let call = DebugAnnotation { string_value: Some(call.to_owned()), ..annotation(CALL) };
                (format!("message {from} -> {to}"), vec![call])
            }
        };
        let begin = TrackEvent { name: Some(name), debug_annotations, ..on_track(PATH, Type::SliceBegin) };
        self.put_event(part.from, begin)?;
        if let PathPlace::Message { latency, serialization, credits, .. } = part.what {
            let contention = part.until.since(part.from) - latency - serialization - credits;
            let causes = [
                (Cause::Contention, contention),
                (Cause::Credits, credits),
                (Cause::Serialization, serialization),
                (Cause::Latency, latency),
            ];
            let mut from = part.from;
            for (cause, time) in causes.into_iter().filter(|(_, time)| *time > Duration::ZERO) {
                let name_iid = Some(self.name(cause.name())?);
                self.put_event(from, TrackEvent { name_iid, ..on_track(PATH, Type::SliceBegin) })?;
                from += time;
                self.put_event(from, on_track(PATH, Type::SliceEnd))?;
            }
        }
        self.put_event(part.until, on_track(PATH, Type::SliceEnd)).map(|_| ())
    }

    /// Description of the parts that have been left out of the trace, for people.
    fn left_out(&self) -> Option<String> {
        let path = self.path_from.map(|from| format!("the critical path before {from} is left out"));
        let parts: Vec<String> = self.limit.left_out().into_iter().chain(path).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Ends the trace, which is whole now; returns what has been left out of it.
    pub(crate) fn end(mut self) -> Result<Option<String>> {
        self.put_in_flight()?;
        let left_out = self.left_out();
        if let Some(text) = &left_out {
            self.say_left_out(text)?;
        }
        let ended = self.out.flush().and_then(|()| {
            if self.limit.has_dropped() {
                packets::thin(&self.partial, |rank| self.limit.draws(rank))?;
            }
            fs::rename(&self.partial, &self.path)
        });
        ended.map_err(|source| self.failed(source))?;
        Ok(left_out)
    }

    fn say_left_out(&mut self, text: &str) -> Result<()> {
        self.describe(track(LEFT_OUT, format!("not all is drawn: {text}")))?;
        let name_iid = Some(self.name("left out of this trace")?);
        let said = DebugAnnotation { string_value: Some(text.to_owned()), ..annotation(TEXT) };
        let instant =
            TrackEvent { name_iid, debug_annotations: vec![said], ..on_track(LEFT_OUT, Type::Instant) };
        self.put_event(Time::ZERO, instant).map(|_| ())
    }

    fn group(&mut self, uuid: u64, name: &str) -> Result<()> {
        self.describe(TrackDescriptor { child_ordering: Some(EXPLICIT), ..track(uuid, name.to_owned()) })
    }

    fn describe(&mut self, track: TrackDescriptor) -> Result<()> {
        self.put(&TracePacket { track_descriptor: Some(track), ..packet() })
    }

    /// The number of a name of events; a new name is written first.
    fn name(&mut self, name: &'static str) -> Result<u64> {
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

    /// An event of a rank that is drawn; of another one, nothing.
    fn event(&mut self, rank: Rank, at: Time, event: TrackEvent) -> Result<()> {
        if !self.limit.draws(rank) {
            return Ok(());
        }
        let bytes = self.put_event(at, event)?;
        self.limit.count(rank, bytes, at);
        Ok(())
    }

    fn put_event(&mut self, at: Time, event: TrackEvent) -> Result<usize> {
        let timestamp = Some(at.as_ps() / 1000);
        let sequence_flags = Some(NEEDED);
        self.put(&TracePacket { timestamp, sequence_flags, track_event: Some(event), ..packet() })?;
        Ok(self.buffer.len())
    }

    fn put(&mut self, packet: &TracePacket) -> Result<()> {
        self.buffer.clear();
        self.buffer.push(packets::PACKET);
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

fn track(uuid: u64, name: String) -> TrackDescriptor {
    TrackDescriptor { uuid: Some(uuid), name: Some(name), ..TrackDescriptor::default() }
}

/// A track in a group, at this place.
fn child(group: u64, place: usize, uuid: u64, name: String) -> TrackDescriptor {
    let sibling_order_rank = i32::try_from(place).ok();
    TrackDescriptor { parent_uuid: Some(group), sibling_order_rank, ..track(uuid, name) }
}

fn on_track(track: u64, kind: Type) -> TrackEvent {
    TrackEvent { r#type: Some(kind.into()), track_uuid: Some(track), ..TrackEvent::default() }
}

fn event(rank: Rank, kind: Type) -> TrackEvent {
    on_track(FIRST_RANK + u64::from(rank.0), kind)
}

fn annotation(name: u64) -> DebugAnnotation {
    DebugAnnotation { name_iid: Some(name), ..DebugAnnotation::default() }
}

fn unsigned(name: u64, value: u64) -> DebugAnnotation {
    DebugAnnotation { uint_value: Some(value), ..annotation(name) }
}

fn signed(name: u64, value: i64) -> DebugAnnotation {
    DebugAnnotation { int_value: Some(value), ..annotation(name) }
}
