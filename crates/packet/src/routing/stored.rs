//! Graphs: the routes of the topology, stored hop by hop, with virtual channels that keep them free of deadlock.

use super::classes::Dependencies;
use super::{Hop, OutputPorts};
use crate::machine::{POLL_EVERY, Poll};
use weir_topology::{End, Topology};
use weir_units::{LinkId, NodeId};

/// An address is the place of the next hop in the list of all routes.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// Output port, and the class in the upper four bits.
    hops: Vec<u16>,
    /// By source and destination: the place of the first hop.
    first: Vec<u32>,
    nodes: usize,
    classes: u32,
}

const CLASS_SHIFT: u32 = 12;
/// What a hop can say.
const MOST_PORTS: u16 = 1 << CLASS_SHIFT;
const MOST_CLASSES: u32 = 15;
/// In the place of a class: the hop leads to the node.
const EJECTION: u16 = 15;
/// So many hops take 2 GiB.
const MOST_HOPS: usize = 1 << 30;

impl Stored {
    /// # Errors
    /// When the routes have too many hops, classes or ports, or `poll` stops it.
    pub(crate) fn new(
        topology: &Topology,
        nics: u32,
        outputs: &OutputPorts,
        poll: Poll<'_>,
    ) -> Result<Self, String> {
        let nodes = topology.nodes();
        let pairs = nodes * nodes;
        if pairs > MOST_HOPS {
            return Err(format!("has {nodes} nodes: the routes of all pairs do not fit into 2 GiB"));
        }
        let (mut hops, mut first) = (Vec::new(), Vec::with_capacity(pairs));
        let mut route = Vec::new();
        for pair in 0..pairs {
            check(pair, poll)?;
            first.push(u32::try_from(hops.len()).expect("there are fewer hops than 2^30"));
            route_of(topology, pair, &mut route);
            for &link in &route[1..] {
                let port = outputs.of(link);
                if u32::from(port) + nics > u32::from(MOST_PORTS) {
                    return Err(format!("needs more than {MOST_PORTS} ports at a router"));
                }
                let ejection = matches!(topology.link(link).to, End::Node(_));
                hops.push(if ejection { port | EJECTION << CLASS_SHIFT } else { port });
            }
            if hops.len() > MOST_HOPS {
                return Err(format!("has {nodes} nodes: the routes of all pairs do not fit into 2 GiB"));
            }
        }
        let classes = classify(topology, &mut hops, &first, poll)?;
        Ok(Self { hops, first, nodes, classes })
    }

    pub(crate) fn classes(&self) -> u32 {
        self.classes
    }

    pub(crate) fn address(&self, from: NodeId, to: NodeId) -> u32 {
        self.first[from.index() * self.nodes + to.index()]
    }

    #[inline(never)]
    pub(crate) fn hop(&self, address: u32, nic: u32) -> Hop {
        let hop = self.hops[address as usize];
        let (port, class) = (hop & (MOST_PORTS - 1), hop >> CLASS_SHIFT);
        if class == EJECTION {
            Hop { output: port + nic as u16, class: 0 }
        } else {
            Hop { output: port, class: class as u8 }
        }
    }
}

/// # Errors
/// When it is this pair's turn to poll, and that stops everything.
fn check(pair: usize, poll: Poll<'_>) -> Result<(), String> {
    let stops = pair.is_multiple_of(POLL_EVERY) && poll().is_break();
    if stops { Err("is not built to its end".into()) } else { Ok(()) }
}

/// The links of a pair of nodes; from a node to itself, to the router and back.
fn route_of(topology: &Topology, pair: usize, route: &mut Vec<LinkId>) {
    let (from, to) = (NodeId::new(pair / topology.nodes()), NodeId::new(pair % topology.nodes()));
    topology.route(from, to, route);
    if from == to {
        route.extend([LinkId(from.0), LinkId::new(topology.nodes() + from.index())]);
    }
}

/// Writes the class of each hop, as far as it leads to another router; returns how many classes there are.
///
/// # Errors
/// When there are too many, or `poll` stops it.
fn classify(topology: &Topology, hops: &mut [u16], first: &[u32], poll: Poll<'_>) -> Result<u32, String> {
    // Parts of routes that are in this class at least: the pair of nodes, and which of the links between routers.
    let mut route = Vec::new();
    let mut open = Vec::new();
    for pair in 0..first.len() as u32 {
        check(pair as usize, poll)?;
        let links = route_between_routers(topology, pair, &mut route);
        if links.len() > 1 {
            open.push((pair, 0, links.len() as u32));
        }
    }
    let mut classes = 1;
    while !open.is_empty() {
        let mut dependencies = Dependencies::new(topology.links());
        for (place, &(pair, begin, end)) in open.iter().enumerate() {
            check(place, poll)?;
            let links = route_between_routers(topology, pair, &mut route);
            links[begin as usize..end as usize]
                .windows(2)
                .for_each(|pair| dependencies.add(pair[0].0, pair[1].0));
        }
        let components = dependencies.cut();
        let order = dependencies.order();
        let mut higher = Vec::new();
        for (place, (pair, begin, end)) in open.into_iter().enumerate() {
            check(place, poll)?;
            let links = &route_between_routers(topology, pair, &mut route)[begin as usize..end as usize];
            let mut begin = begin;
            for piece in links.chunk_by(|a, b| components[a.index()] == components[b.index()]) {
                let end = begin + piece.len() as u32;
                let down = piece.windows(2).position(|pair| order[pair[1].index()] < order[pair[0].index()]);
                if let Some(place) = down {
                    let higher_from = begin + place as u32 + 1;
                    let hops = &mut hops[first[pair as usize] as usize..];
                    let rest = &mut hops[higher_from as usize..end as usize];
                    rest.iter_mut().for_each(|hop| *hop += 1 << CLASS_SHIFT);
                    higher.push((pair, higher_from, end));
                }
                begin = end;
            }
        }
        classes += u32::from(!higher.is_empty());
        if classes > MOST_CLASSES {
            return Err(format!("needs more than {MOST_CLASSES} classes of virtual channels"));
        }
        open = higher;
    }
    Ok(classes)
}

/// The links of a pair between routers. All virtual channels of an injection link are alike, and nobody waits behind an
/// ejection link.
fn route_between_routers<'a>(topology: &Topology, pair: u32, route: &'a mut Vec<LinkId>) -> &'a [LinkId] {
    route_of(topology, pair as usize, route);
    &route[1..route.len() - 1]
}
