//! The machine of a run: its places and links in `places.parquet` and `links.parquet`, its faults in the summary.
//!
//! The links are known when a run begins, what they carried when it ends. So the table is written at the beginning, with
//! nothing known of what was carried: a run that is killed leaves a machine that can be drawn. At the end the columns of
//! the links are taken over as they are, and the others are written.

use crate::error::Result;
use crate::link_use::{LinkCount, LinkTraffic};
use crate::run_folder::RunFolder;
use crate::table::{rewrite, write_table};
use serde::Serialize;
use std::borrow::Cow;
use weir_columns::row;
use weir_units::{Bandwidth, Duration};

/// Kind of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// A node.
    Node,
    /// A router.
    Router,
}

/// A node or a router. Its number among the places is its position in the table: nodes first, then routers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceRow {
    /// Node or router.
    pub kind: PlaceKind,
    /// Its number among the nodes, or among the routers.
    pub number: u32,
    /// Its name for people, different for every place.
    pub name: String,
    /// In a fat tree 0 for nodes, 1 and more for the stages of switches from the nodes on; elsewhere 0 for nodes, 1 for
    /// routers.
    pub level: i32,
    /// In a grid, x first, of nodes in a HyperX those of their router; empty elsewhere.
    pub coordinates: Vec<u32>,
}

row! {
    struct Place<'a> in "places" {
        place: u32 [Steps],
        kind: &'static str [Repeated],
        number: u32 [Steps],
        name: &'a str,
        level: i32 [Repeated, Plain],
        coordinates: &'a [u32],
    }
}

/// Writes `places.parquet` into a folder. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_places(folder: &RunFolder, places: &[PlaceRow]) -> Result<()> {
    let rows = (0..).zip(places).map(|(place, PlaceRow { kind, number, name, level, coordinates })| {
        let kind = match kind {
            PlaceKind::Node => "node",
            PlaceKind::Router => "router",
        };
        Place { place, kind, number: *number, name, level: *level, coordinates }
    });
    write_table(folder, rows, &[])
}

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
) -> Result<()> {
    let name = |place: u32| Cow::from(&places[place as usize].name);
    let rows = (0..).zip(links).map(|(link, row)| {
        let LinkRow { from, to, suffix, kind, capacity, latency: latency_ps, wires } = row;
        let kind = match kind {
            LinkKind::Injection => "injection",
            LinkKind::Ejection => "ejection",
            LinkKind::Network => "network",
        };
        let (name, capacity) =
            ([name(from), " -> ".into(), name(to), suffix.into()], capacity.bytes_per_second());
        (LinkForm { link, name, from, to, kind, capacity, latency_ps, wires }, LinkLoad::default())
    });
    write_table(folder, rows, &[])
}

/// Writes into `links.parquet` of a folder what was counted of the links and their utilization, in the order in which they were given
/// to [`begin_links`]; `None` where the engine counts nothing. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be read or written.
pub fn end_links(
    folder: &RunFolder,
    carried: impl IntoIterator<Item = Option<(LinkCount, f64)>>,
) -> Result<()> {
    let load = |(LinkCount { bytes, share, traffic }, utilization)| LinkLoad {
        bytes: Some(bytes),
        utilization: Some(utilization),
        max_share: traffic.is_none().then_some(share),
        packets: traffic.map(|of: LinkTraffic| of.packets),
        busy_ps: traffic.map(|of| of.busy),
        waited_ps: traffic.map(|of| of.waited),
        max_queue: traffic.map(|of| of.max_queue),
    };
    let loads = carried.into_iter().map(|counted| counted.map_or_else(LinkLoad::default, load));
    rewrite::<LinkForm<'_>, LinkLoad>(folder, loads)
}

/// The faults of a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Faults {
    /// Number of one-way links that have failed.
    pub failed_links: usize,
    /// Number of one-way links that are slow.
    pub slow_links: usize,
    /// Names of the cables, links and routers that have failed.
    pub failed: Vec<String>,
    /// Cables, links and routers that are slow.
    pub slow: Vec<Slow>,
}

/// A cable, link or router that is slow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slow {
    /// Its name.
    pub name: String,
    /// The part of its bandwidth that is left.
    pub speed: f64,
}

/// Names that are written as text for people.
const MOST_NAMED: usize = 8;

impl Faults {
    /// For people: `4 links have failed: router (0,0) - router (1,0)`; one line for what has failed, one for what is slow.
    pub fn in_words(&self) -> Vec<String> {
        let listed = |links: usize, what: &str, names: Vec<String>| {
            let links = if links == 1 { format!("1 link {what}") } else { format!("{links} links {what}") };
            let more = match names.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names: Vec<String> = names.into_iter().take(MOST_NAMED).collect();
            format!("{links}: {}{more}", names.join(", "))
        };
        let mut lines = Vec::new();
        if !self.failed.is_empty() {
            lines.push(listed(self.failed_links, "failed", self.failed.clone()));
        }
        if !self.slow.is_empty() {
            let slow = self.slow.iter().map(|Slow { name, speed }| format!("{name} at {speed}"));
            lines.push(listed(self.slow_links, "slow", slow.collect()));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_and_object() {
        let names = |count: usize| (0..count).map(|number| format!("leaf {number} - middle 0")).collect();
        let slow = vec![Slow { name: "router (1,0)".to_owned(), speed: 0.5 }];
        let mut faults = Faults { failed_links: 4, slow_links: 10, failed: names(2), slow };
        assert_eq!(
            faults.in_words(),
            ["4 links failed: leaf 0 - middle 0, leaf 1 - middle 0", "10 links slow: router (1,0) at 0.5"]
        );
        assert_eq!(
            json!(faults),
            json!({
                "failed_links": 4, "slow_links": 10, "failed": ["leaf 0 - middle 0", "leaf 1 - middle 0"],
                "slow": [{ "name": "router (1,0)", "speed": 0.5 }],
            })
        );
        faults.failed = names(11);
        assert!(faults.in_words()[0].ends_with("leaf 7 - middle 0 and 3 more"));
    }
}
