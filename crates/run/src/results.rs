//! Tables of a results folder beside the summary: of the machine and of the traffic on it.

use crate::engine_result::{LinkTotals, Ran};
use std::thread::{Scope, ScopedJoinHandle};
use weir_experiment::OutputSection;
use weir_network::causes::DrawnPath;
use weir_network::{Ended, LatencyKind};
use weir_record::{
    BusyLink, CallSite, DrawnLink, EngineCounts, FlowCounts, LinkCount, LinkKind, LinkRow, LinkUse,
    PlaceKind, PlaceRow, RecordError, RunFolder, WhereTimeWent,
};
use weir_topology::{End, Link, LinkClasses, Switched, Topology, Wiring};
use weir_units::{Bandwidth, Duration, LinkId, NodeId, RouterId, Time};

/// The busiest links of a summary are so many.
pub(crate) const BUSIEST: usize = 20;

/// The tables of a machine, while a thread of their own writes them: the run does not wait for them.
pub(crate) struct MachineTables<'scope>(Option<ScopedJoinHandle<'scope, Result<(), RecordError>>>);

impl<'scope> MachineTables<'scope> {
    /// Begins to write the tables of the machine, if there is a folder and a machine. Links of nodes stand for so many wires
    /// each.
    pub(crate) fn begin<'env>(
        scope: &'scope Scope<'scope, 'env>,
        folder: Option<&'env RunFolder>,
        topology: Option<&'env Topology>,
        wires: u32,
    ) -> Self {
        let write = |(folder, topology)| {
            scope.spawn(move || {
                let places: Vec<PlaceRow> = places(topology).collect();
                weir_record::write_places(folder, &places)?;
                weir_record::begin_links(folder, &places, links(topology, wires))
            })
        };
        Self(folder.zip(topology).map(write))
    }

    pub(crate) fn end(self) -> Result<(), RecordError> {
        match self.0.map(ScopedJoinHandle::join) {
            None => Ok(()),
            Some(Ok(written)) => written,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }
}

/// Writes what every run leaves at its end, when the [tables of the machine](MachineTables) are written, and returns the
/// names of all these tables.
pub(crate) fn write_tables(
    folder: &RunFolder,
    topology: Option<&Topology>,
    ran: &Ran,
    causes: Option<&WhereTimeWent>,
) -> Result<Vec<&'static str>, RecordError> {
    let mut tables = Vec::new();
    if let Some(topology) = topology {
        weir_record::end_links(folder, carried(topology, &ran.carried, ran.measured))?;
        tables.extend(["places", "links"]);
    }
    let mut latencies = vec![(LatencyKind::Message, &ran.ended.latency)];
    latencies.extend(ran.packet_latency.as_ref().map(|latencies| (LatencyKind::Packet, latencies)));
    weir_record::write_latencies(folder, &latencies)?;
    tables.push("latencies");
    if let Some(found) = causes {
        weir_record::write_causes(folder, &found.accounts)?;
        tables.push("causes");
    }
    Ok(tables)
}

pub(crate) fn causes(topology: Option<&Topology>, ran: &Ran) -> Option<WhereTimeWent> {
    let accounts = ran.ended.causes.as_deref()?.clone().closed(ran.until);
    let (mut classes, mut links) = (Vec::new(), Vec::new());
    if let Some(topology) = topology {
        classes.extend_from_slice(LinkClasses::of(topology).names());
        let narrowest = accounts.critical().path.wires.links.shares();
        // Beyond those of the machine are links of interfaces and memories of the flow engine.
        let of_machine =
            narrowest.iter().map(|share| share.of).filter(|link| link.index() < topology.links());
        links.extend(of_machine.map(|link| (link, topology.link_name(link))));
    }
    let sites = accounts.critical().path.sites.shares().into_iter().map(|share| {
        let found = weir_capi::called_in(share.of.text());
        let (at, called_in) = (found.short(), found.to_string());
        CallSite { name: share.of, call: found.call, at, called_in }
    });
    let sites = sites.collect();
    Some(WhereTimeWent { accounts, classes, links, sites })
}

pub(crate) fn drawn_path(ran: &mut Ran, output: &OutputSection) -> Option<DrawnPath> {
    let accounts = ran.ended.causes.as_deref_mut()?;
    accounts.take_path(ran.until, output.most_of_path())
}

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
        coordinates: match topology.whole() {
            Topology::Torus(_) => node_coordinates(topology, number),
            Topology::Switched(machine) => router_coordinates(machine, number),
            _ => Vec::new(),
        },
    });
    nodes.chain(routers)
}

/// Where the switches of each stage of a fat tree end; elsewhere there is one stage.
fn levels(topology: &Topology) -> Vec<usize> {
    let Topology::FatTree(tree) = topology.whole() else { return Vec::new() };
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
    let grid: Vec<u32> = match topology.whole() {
        Topology::Torus(torus) => torus.dimensions().map(|dimension| dimension.size).collect(),
        Topology::Hypercrossbar(machine) => machine.dimensions().map(|dimension| dimension.size).collect(),
        Topology::Switched(machine) => {
            return router_coordinates(machine, machine.home(NodeId::new(number)).index());
        }
        _ => return Vec::new(),
    };
    weir_topology::coordinates::place_of(number as u32, &grid)
}

/// The place of a router in every dimension, if it stands on a grid.
fn router_coordinates(machine: &Switched, router: usize) -> Vec<u32> {
    let Wiring::HyperX(hyper_x) = machine.wiring() else { return Vec::new() };
    weir_topology::coordinates::place_of(router as u32, &hyper_x.shape().collect::<Vec<_>>())
}

pub(crate) fn drawn_links(topology: Option<&Topology>, ran: &Ran) -> Vec<DrawnLink> {
    let Some(topology) = topology else { return Vec::new() };
    let of_nodes = match ran.carried {
        LinkTotals::Packets(_, wires) | LinkTotals::Flows(.., wires) => wires,
        LinkTotals::Unknown => 1,
    };
    let drawn = |busy: &BusyLink| DrawnLink::new(busy, capacity(topology, busy.link, of_nodes));
    ran.link_use.busiest.iter().take(DrawnLink::MOST).map(drawn).collect()
}

fn links(topology: &Topology, wires: u32) -> impl Iterator<Item = LinkRow> + '_ {
    let nodes = topology.nodes() as u32;
    let place = move |end| match end {
        End::Node(node) => node.0,
        End::Router(router) => nodes + router.0,
    };
    (0..topology.links()).map(move |number| {
        let id = LinkId::new(number);
        let link = topology.link(id);
        let kind = kind_of(&link);
        let wires = wires_of(kind, wires);
        LinkRow {
            from: place(link.from),
            to: place(link.to),
            suffix: topology.link_suffix(id),
            kind,
            capacity: together(link.capacity, wires),
            latency: link.latency,
            wires,
        }
    })
}

pub(crate) fn kind_of(link: &Link) -> LinkKind {
    match (link.from, link.to) {
        (End::Node(_), _) => LinkKind::Injection,
        (_, End::Node(_)) => LinkKind::Ejection,
        _ => LinkKind::Network,
    }
}

/// For how many wires a link stands, where the links of nodes stand for so many.
fn wires_of(kind: LinkKind, of_nodes: u32) -> u32 {
    if kind == LinkKind::Network { 1 } else { of_nodes }
}

/// Capacity of a link where the links of nodes stand for `of_nodes` wires.
fn capacity(topology: &Topology, link: LinkId, of_nodes: u32) -> Bandwidth {
    let link = topology.link(link);
    together(link.capacity, wires_of(kind_of(&link), of_nodes))
}

fn together(capacity: Bandwidth, wires: u32) -> Bandwidth {
    Bandwidth::new(capacity.bytes_per_second() * f64::from(wires)).unwrap_or(capacity)
}

fn carried<'a>(
    topology: &'a Topology,
    carried: &'a LinkTotals,
    measured: Duration,
) -> impl Iterator<Item = Option<(LinkCount, f64)>> + 'a {
    (0..topology.links()).map(move |number| {
        let (count, wires) = match carried {
            LinkTotals::Unknown => return None,
            LinkTotals::Flows(bytes, shares, wires) => {
                (LinkCount { bytes: bytes[number], share: shares[number], traffic: None }, *wires)
            }
            LinkTotals::Packets(links, wires) => (links[number].into(), *wires),
        };
        let capacity = capacity(topology, LinkId::new(number), wires);
        Some((count, weir_record::utilization(count.bytes, capacity, measured)))
    })
}

/// The result of a run of flows, by what links have carried and the most flows on each; those of nodes stand for `wires` wires.
pub(crate) fn of_flows(
    topology: &Topology,
    wires: u32,
    (bytes, share): (Vec<f64>, Vec<u32>),
    (ended, until): (Ended, Time),
    counts: FlowCounts,
) -> Ran {
    let measured = until.since(Time::ZERO);
    let count = |k: usize| LinkCount { bytes: bytes[k], share: share[k], traffic: None };
    let capacity = |link| capacity(topology, link, wires);
    let name = |link| topology.link_name(link);
    Ran {
        until,
        link_use: LinkUse::measure(bytes.len(), count, measured, capacity, name, BUSIEST),
        counts: EngineCounts::Flow(counts),
        measured,
        carried: LinkTotals::Flows(bytes, share, wires),
        ..Ran::without_links(ended)
    }
}
