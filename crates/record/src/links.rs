//! `links.parquet`: the links and what each carried over the whole run.
//!
//! The links are known when a run begins, what they carried when it ends. So the table is written at the beginning, with
//! nothing known of what was carried: a run that is killed leaves a machine that can be drawn. At the end the columns of
//! the links are taken over as they are, and the others are written.

use crate::table::{rewrite_table, write_table};
use crate::{PlaceRow, RecordError, RunFolder};
use std::borrow::Cow;
use weir_columns::row;
use weir_units::{Bandwidth, Duration};

/// Kinds of places that a link joins.
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
    /// End of its name, behind those of its ends, so that all are different; mostly nothing.
    pub suffix: String,
    /// Kinds of its ends.
    pub kind: LinkKind,
    /// Bandwidth of all its wires together.
    pub capacity: Bandwidth,
    /// Time that a byte is on its way.
    pub latency: Duration,
    /// Number of wires that it stands for: one for each interface of its node, or 1.
    pub wires: u32,
}

/// Load of a link, as far as the engine counts that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkCarried {
    /// The engine has no links.
    Unknown,
    /// Counted by the flow engine.
    Flows {
        /// Bytes, and parts of bytes.
        bytes: f64,
        /// Bytes over what it could have carried, 0 to 1.
        utilization: f64,
        /// Most flows that shared it at a time.
        max_share: u32,
    },
    /// Counted by the packet engine.
    Packets {
        /// Bytes over what it could have carried, 0 to 1.
        utilization: f64,
        /// Traffic of all its wires together.
        traffic: crate::LinkTraffic,
    },
}

row! {
    /// A link, as it is known when a run begins.
    struct LinkForm<'a> in "links" {
        link: u32 [Steps],
        name: [Cow<'a, str>; 4],
        from: u32 [Steps],
        to: u32 [Steps],
        kind: &'static str [Repeated],
        capacity: f64 [Repeated],
        latency_ps: Duration [Repeated],
        wires: u32 [Repeated],
    }
}

row! {
    #[derive(Default)]
    struct LinkLoad in "links" {
        bytes: Option<f64>,
        utilization: Option<f64>,
        max_share: Option<u32>,
        packets: Option<u64>,
        busy_ps: Option<Duration>,
        waited_ps: Option<Duration>,
        max_queue: Option<u32>,
    }
}

impl From<LinkCarried> for LinkLoad {
    fn from(carried: LinkCarried) -> Self {
        match carried {
            LinkCarried::Unknown => Self::default(),
            LinkCarried::Flows { bytes, utilization, max_share } => Self {
                bytes: Some(bytes),
                utilization: Some(utilization),
                max_share: Some(max_share),
                ..Self::default()
            },
            LinkCarried::Packets { utilization, traffic } => Self {
                bytes: Some(traffic.bytes.as_f64()),
                utilization: Some(utilization),
                max_share: None,
                packets: Some(traffic.packets),
                busy_ps: Some(traffic.busy),
                waited_ps: Some(traffic.waited),
                max_queue: Some(traffic.max_queue),
            },
        }
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
) -> Result<(), RecordError> {
    let name = |place: u32| Cow::from(&places[place as usize].name);
    let rows = (0..).zip(links).map(|(link, row)| {
        let known = LinkForm {
            link,
            name: [name(row.from), " -> ".into(), name(row.to), row.suffix.into()],
            from: row.from,
            to: row.to,
            kind: match row.kind {
                LinkKind::Injection => "injection",
                LinkKind::Ejection => "ejection",
                LinkKind::Network => "network",
            },
            capacity: row.capacity.bytes_per_second(),
            latency_ps: row.latency,
            wires: row.wires,
        };
        (known, LinkLoad::default())
    });
    write_table(folder, rows, &[])
}

/// Writes into `links.parquet` of a folder what the links have carried, in the order in which they were given to
/// [`begin_links`]. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be read or written.
pub fn end_links(
    folder: &RunFolder,
    carried: impl IntoIterator<Item = LinkCarried>,
) -> Result<(), RecordError> {
    rewrite_table::<LinkForm<'_>, LinkLoad>(folder, carried.into_iter().map(LinkLoad::from))
}
