//! Graphs: the routes of the topology, stored hop by hop, with virtual channels that keep them free of deadlock.
//!
//! A packet that holds a link and waits for the next one makes the second *depend* on the first. The links are numbered so
//! that as few dependencies as possible lead from a higher number to a lower one (a *descent*): in the reverse order in
//! which a depth-first search over the dependencies leaves them. A packet begins in class 0 and goes up one class at each
//! descent. So within a class dependencies lead only to higher numbers, and from one class only to the next: there is no
//! circle. Where dependencies have no circle in the first place, one class is enough.

use super::{Hop, OutputPorts};
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
    /// When the routes have too many hops, classes or ports.
    pub(crate) fn new(topology: &Topology, nics: u32, outputs: &OutputPorts) -> Result<Self, String> {
        let nodes = topology.nodes();
        let pairs = nodes * nodes;
        if pairs > MOST_HOPS {
            return Err(format!("has {nodes} nodes: the routes of all pairs do not fit into 2 GiB"));
        }
        let numbers = numbers(topology);
        let (mut hops, mut first) = (Vec::new(), Vec::with_capacity(pairs));
        let (mut classes, mut route) = (1, Vec::new());
        for pair in 0..pairs {
            first.push(u32::try_from(hops.len()).expect("there are fewer hops than 2^30"));
            let (from, to) = (NodeId::new(pair / nodes), NodeId::new(pair % nodes));
            topology.route(from, to, &mut route);
            if from == to {
                // To the router and back.
                route.extend(node_links(topology, from));
            }
            let mut class = 0;
            for pair in route.windows(2) {
                let ejection = matches!(topology.link(pair[1]).to, End::Node(_));
                // All virtual channels of an injection link are alike.
                let injected = matches!(topology.link(pair[0]).from, End::Node(_));
                if !ejection && !injected && numbers[pair[1].index()] < numbers[pair[0].index()] {
                    class += 1;
                }
                let port = outputs.of(pair[1]);
                if u32::from(port) + nics > u32::from(MOST_PORTS) || class >= MOST_CLASSES {
                    return Err(format!(
                        "needs more than {MOST_PORTS} ports at a router or {MOST_CLASSES} classes of virtual channels"
                    ));
                }
                let upper = if ejection { EJECTION } else { class as u16 };
                hops.push(port | upper << CLASS_SHIFT);
                classes = classes.max(class + 1);
            }
            if hops.len() > MOST_HOPS {
                return Err(format!("has {nodes} nodes: the routes of all pairs do not fit into 2 GiB"));
            }
        }
        Ok(Self { hops, first, nodes, classes })
    }

    pub(crate) fn classes(&self) -> u32 {
        self.classes
    }

    pub(crate) fn address(&self, from: NodeId, to: NodeId) -> u32 {
        self.first[from.index() * self.nodes + to.index()]
    }

    #[inline]
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

/// The injection and the ejection link of a node.
fn node_links(topology: &Topology, node: NodeId) -> [LinkId; 2] {
    [LinkId(node.0), LinkId::new(topology.nodes() + node.index())]
}

/// By link: its number in an order with few descents. Ejection links come last: nobody waits behind them.
fn numbers(topology: &Topology) -> Vec<u32> {
    let links = topology.links();
    let mut after: Vec<Vec<u32>> = vec![Vec::new(); links];
    let mut route = Vec::new();
    for from in (0..topology.nodes()).map(NodeId::new) {
        for to in (0..topology.nodes()).map(NodeId::new) {
            topology.route(from, to, &mut route);
            for pair in route.windows(2) {
                let behind = &mut after[pair[0].index()];
                if !behind.contains(&pair[1].0) {
                    behind.push(pair[1].0);
                }
            }
        }
    }
    after.iter_mut().for_each(|behind| behind.sort_unstable());
    let mut numbers = vec![u32::MAX; links];
    let mut left = links as u32;
    let mut seen = vec![false; links];
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..links as u32 {
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        path.push((root, 0));
        while let Some((link, next)) = path.last_mut() {
            let link = *link as usize;
            match after[link].get(*next) {
                Some(&behind) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[behind as usize], true) {
                        path.push((behind, 0));
                    }
                }
                None => {
                    left -= 1;
                    numbers[link] = left;
                    path.pop();
                }
            }
        }
    }
    numbers
}
