//! `links.parquet`: the links and what each carried over the whole run.
//!
//! The links are known when a run begins, what they carried when it ends. So the table is written at the beginning, with
//! nothing known of what was carried: a run that is killed leaves a machine that can be drawn. At the end the columns of
//! the links are taken over as they are, and the others are written.

use crate::table::{Group, Optional, Table, Texts, rewrite_table, write_table};
use crate::{PlaceRow, RecordError, RunFolder};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::Result;
use std::io::Write;
use weir_units::{Bandwidth, Duration};

/// What a link joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// A node to its router.
    Injection,
    /// A router to its node.
    Ejection,
    /// Two routers.
    Network,
}

/// A one-way link. Its number is its position in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRow {
    /// The place where it begins, as in `places.parquet`.
    pub from: u32,
    /// The place where it ends.
    pub to: u32,
    /// What its name has behind those of its ends, so that all are different; mostly nothing.
    pub suffix: String,
    /// What it joins.
    pub kind: LinkKind,
    /// What it can carry; of all its wires together.
    pub capacity: Bandwidth,
    /// How long a byte is on its way.
    pub latency: Duration,
    /// How many wires it stands for: one for each interface of its node, or 1.
    pub wires: u32,
}

/// What a link carried, as far as the engine counts that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkCarried {
    /// The engine has no links.
    Unknown,
    /// Of the flow engine.
    Flows {
        /// Bytes, and parts of bytes.
        bytes: f64,
        /// Bytes over what it could have carried, 0 to 1.
        utilization: f64,
        /// Most flows that shared it at a time.
        max_share: u32,
    },
    /// Of the packet engine.
    Packets {
        /// Bytes over what it could have carried, 0 to 1.
        utilization: f64,
        /// All its wires together.
        traffic: crate::LinkTraffic,
    },
}

/// The columns of what is known when a run begins.
#[derive(Default)]
struct Known {
    links: Vec<i32>,
    names: Texts,
    from: Vec<i32>,
    to: Vec<i32>,
    kinds: Vec<ByteArray>,
    capacities: Vec<f64>,
    latencies: Vec<i64>,
    wires: Vec<i32>,
}

/// How many columns these are.
const KNOWN: usize = 8;

#[derive(Default)]
struct Links {
    /// Nothing if the table has them already.
    known: Option<Known>,
    bytes: Optional<f64>,
    utilizations: Optional<f64>,
    shares: Optional<i32>,
    packets: Optional<i64>,
    busy: Optional<i64>,
    waited: Optional<i64>,
    queues: Optional<i32>,
}

impl Table for Links {
    const NAME: &'static str = "links";
    const SCHEMA: &'static str = "message links {
        REQUIRED INT32 link (INTEGER(32, false));
        REQUIRED BYTE_ARRAY name (STRING);
        REQUIRED INT32 from (INTEGER(32, false));
        REQUIRED INT32 to (INTEGER(32, false));
        REQUIRED BYTE_ARRAY kind (STRING);
        REQUIRED DOUBLE capacity;
        REQUIRED INT64 latency_ps (INTEGER(64, false));
        REQUIRED INT32 wires (INTEGER(32, false));
        OPTIONAL DOUBLE bytes;
        OPTIONAL DOUBLE utilization;
        OPTIONAL INT32 max_share (INTEGER(32, false));
        OPTIONAL INT64 packets (INTEGER(64, false));
        OPTIONAL INT64 busy_ps (INTEGER(64, false));
        OPTIONAL INT64 waited_ps (INTEGER(64, false));
        OPTIONAL INT32 max_queue (INTEGER(32, false));
    }";
    const REPEATED: &'static [&'static str] = &["kind", "capacity", "latency_ps", "wires"];
    const STEPS: &'static [&'static str] = &["link", "from", "to"];

    fn rows(&self) -> usize {
        self.known.as_ref().map_or(0, |known| known.links.len())
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        if let Some(mut known) = self.known.take() {
            group.all::<Int32Type>(&mut known.links)?;
            group.texts(&mut known.names)?;
            group.all::<Int32Type>(&mut known.from)?;
            group.all::<Int32Type>(&mut known.to)?;
            group.all::<ByteArrayType>(&mut known.kinds)?;
            group.all::<DoubleType>(&mut known.capacities)?;
            group.all::<Int64Type>(&mut known.latencies)?;
            group.all::<Int32Type>(&mut known.wires)?;
        }
        group.some::<DoubleType>(&mut self.bytes)?;
        group.some::<DoubleType>(&mut self.utilizations)?;
        group.some::<Int32Type>(&mut self.shares)?;
        group.some::<Int64Type>(&mut self.packets)?;
        group.some::<Int64Type>(&mut self.busy)?;
        group.some::<Int64Type>(&mut self.waited)?;
        group.some::<Int32Type>(&mut self.queues)
    }
}

impl Links {
    fn push(&mut self, carried: LinkCarried) {
        let (bytes, utilization, share, traffic) = match carried {
            LinkCarried::Unknown => (None, None, None, None),
            LinkCarried::Flows { bytes, utilization, max_share } => {
                (Some(bytes), Some(utilization), Some(max_share), None)
            }
            LinkCarried::Packets { utilization, traffic } => {
                (Some(traffic.bytes.as_f64()), Some(utilization), None, Some(traffic))
            }
        };
        self.bytes.push(bytes);
        self.utilizations.push(utilization);
        self.shares.push(share.map(u32::cast_signed));
        self.packets.push(traffic.map(|traffic| traffic.packets.cast_signed()));
        self.busy.push(traffic.map(|traffic| traffic.busy.as_ps().cast_signed()));
        self.waited.push(traffic.map(|traffic| traffic.waited.as_ps().cast_signed()));
        self.queues.push(traffic.map(|traffic| traffic.max_queue.cast_signed()));
    }
}

/// Writes `links.parquet` into a folder, with nothing known of what links carry, which begin and end at these places. The
/// file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
///
/// # Panics
/// When there is no such place.
pub fn begin_links(
    folder: &RunFolder,
    places: &[PlaceRow],
    links: impl IntoIterator<Item = LinkRow>,
) -> std::result::Result<(), RecordError> {
    let (mut table, mut known) = (Links::default(), Known::default());
    let [injection, ejection, network] = ["injection", "ejection", "network"].map(ByteArray::from);
    for (link, row) in (0_i32..).zip(links) {
        known.links.push(link);
        known.names.push(|out| {
            for part in [&places[row.from as usize].name, " -> ", &places[row.to as usize].name, &row.suffix]
            {
                out.push_str(part);
            }
        });
        known.from.push(row.from.cast_signed());
        known.to.push(row.to.cast_signed());
        known.kinds.push(match row.kind {
            LinkKind::Injection => injection.clone(),
            LinkKind::Ejection => ejection.clone(),
            LinkKind::Network => network.clone(),
        });
        known.capacities.push(row.capacity.bytes_per_second());
        known.latencies.push(row.latency.as_ps().cast_signed());
        known.wires.push(row.wires.cast_signed());
        table.push(LinkCarried::Unknown);
    }
    table.known = Some(known);
    write_table(folder, &mut table, &[])
}

/// Writes into `links.parquet` of a folder what the links have carried, in the order in which they were given to
/// [`begin_links`]. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be read or written.
pub fn end_links(
    folder: &RunFolder,
    carried: impl IntoIterator<Item = LinkCarried>,
) -> std::result::Result<(), RecordError> {
    let mut table = Links::default();
    carried.into_iter().for_each(|carried| table.push(carried));
    rewrite_table(folder, KNOWN, &mut table)
}
