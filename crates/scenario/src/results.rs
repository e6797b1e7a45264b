//! What a run leaves in its results folder beside the summary: tables of the machine and of what it carried.

use crate::simulation::Ran;
use std::path::Path;
use weir_network::LatencyKind;
use weir_record::{
    BusyLink, DrawnLink, LinkCarried, LinkKind, LinkRow, LinkTraffic, PlaceKind, PlaceRow, RecordError,
};
use weir_topology::{End, Link, Topology};
use weir_units::{Bandwidth, Duration, LinkId, NodeId, RouterId};

/// What an engine has counted by link, for the table of links.
pub(crate) enum Carried {
    /// The engine has no links.
    Unknown,
    /// Bytes, and the most flows that shared the link at a time.
    Flows(Vec<f64>, Vec<u32>),
    /// What the wires of the link carried together, and how many wires the links of nodes have.
    Packets(Vec<LinkTraffic>, u32),
}

/// Writes the tables that every run leaves, and returns their names.
pub(crate) fn write_tables(
    folder: &Path,
    topology: Option<&Topology>,
    ran: &Ran,
) -> Result<Vec<&'static str>, RecordError> {
    let mut tables = Vec::new();
    if let Some(topology) = topology {
        weir_record::write_places(folder, places(topology))?;
        weir_record::write_links(folder, links(topology, &ran.carried, ran.measured))?;
        tables.extend(["places", "links"]);
    }
    let mut latencies = vec![(LatencyKind::Message, &ran.ended.latency)];
    latencies.extend(ran.packet_latency.as_ref().map(|latencies| (LatencyKind::Packet, latencies)));
    weir_record::write_latencies(folder, &latencies)?;
    tables.push("latencies");
    Ok(tables)
}

/// Nodes, then routers.
fn places(topology: &Topology) -> impl Iterator<Item = PlaceRow> + '_ {
    let nodes = (0..topology.nodes()).map(|number| PlaceRow {
        kind: PlaceKind::Node,
        number: number as u32,
        name: topology.node_name(NodeId::new(number)),
        level: 0,
        coordinates: node_coordinates(topology, number),
    });
    let levels = levels(topology);
    let routers = (0..topology.routers()).map(move |number| PlaceRow {
        kind: PlaceKind::Router,
        number: number as u32,
        name: topology.router_name(RouterId::new(number)),
        level: 1 + levels.partition_point(|&end| end <= number) as i32,
        coordinates: match topology {
            Topology::Torus(_) => node_coordinates(topology, number),
            _ => Vec::new(),
        },
    });
    nodes.chain(routers)
}

/// Where the switches of each stage of a fat tree end; elsewhere there is one stage.
fn levels(topology: &Topology) -> Vec<usize> {
    let Topology::FatTree(tree) = topology else { return Vec::new() };
    // Of each stage: nodes below one of its switches, and how many switches have the same nodes below them.
    let (mut below, mut alike, mut end) = (1, 1, 0);
    let ends = tree.stages().map(|stage| {
        below *= stage.down as usize;
        end += topology.nodes() / below * alike;
        alike *= stage.up as usize;
        end
    });
    ends.collect()
}

/// In a grid, with a place in every dimension.
fn node_coordinates(topology: &Topology, number: usize) -> Vec<u32> {
    let grid: Vec<u32> = match topology {
        Topology::Torus(torus) => torus.dimensions().map(|dimension| dimension.size).collect(),
        Topology::Hypercrossbar(machine) => machine.dimensions().map(|dimension| dimension.size).collect(),
        Topology::FatTree(_) | Topology::Graph(_) => return Vec::new(),
    };
    weir_topology::coordinates::place_of(number as u32, &grid)
}

fn kind(from: End, to: End) -> LinkKind {
    match (from, to) {
        (End::Node(_), _) => LinkKind::Injection,
        (_, End::Node(_)) => LinkKind::Ejection,
        _ => LinkKind::Network,
    }
}

/// How many wires a link has, and what they can carry together.
fn wires(kind: LinkKind, capacity: Bandwidth, carried: &Carried) -> (u32, Bandwidth) {
    let wires = match carried {
        Carried::Packets(_, interfaces) if kind != LinkKind::Network => *interfaces,
        _ => 1,
    };
    (wires, Bandwidth::new(capacity.bytes_per_second() * f64::from(wires)).unwrap_or(capacity))
}

/// The busiest links, for the trace.
pub(crate) fn drawn_links(topology: Option<&Topology>, ran: &Ran) -> Vec<DrawnLink> {
    let Some(topology) = topology else { return Vec::new() };
    let drawn = |busy: &BusyLink| {
        let Link { from, to, capacity, .. } = topology.link(busy.link);
        DrawnLink::new(busy, wires(kind(from, to), capacity, &ran.carried).1)
    };
    ran.link_use.busiest.iter().take(DrawnLink::MOST).map(drawn).collect()
}

fn links<'a>(
    topology: &'a Topology,
    carried: &'a Carried,
    measured: Duration,
) -> impl Iterator<Item = LinkRow> + 'a {
    let nodes = topology.nodes() as u32;
    let place = move |end| match end {
        End::Node(node) => node.0,
        End::Router(router) => nodes + router.0,
    };
    (0..topology.links()).map(move |number| {
        let id = LinkId::new(number);
        let Link { from, to, capacity, latency } = topology.link(id);
        let kind = kind(from, to);
        let (wires, all) = wires(kind, capacity, carried);
        let utilization = |bytes: f64| {
            let could = all.bytes_per_second() * measured.as_secs_f64();
            // What counts as finished may be the last picosecond's bytes too early.
            if could > 0.0 { (bytes / could).min(1.0) } else { 0.0 }
        };
        let carried = match carried {
            Carried::Unknown => LinkCarried::Unknown,
            Carried::Flows(bytes, shares) => LinkCarried::Flows {
                bytes: bytes[number],
                utilization: utilization(bytes[number]),
                max_share: shares[number],
            },
            Carried::Packets(links, _) => {
                let traffic = links[number];
                LinkCarried::Packets { utilization: utilization(traffic.bytes.as_f64()), traffic }
            }
        };
        let name = topology.link_name(id);
        LinkRow { name, from: place(from), to: place(to), kind, capacity: all, latency, wires, carried }
    })
}
