//! The wires of a machine, and their classes.

use crate::Topology;
use std::collections::BTreeSet;
use weir_units::{Bandwidth, Duration, LinkId, NodeId, RouterId};

/// A one-way wire. A cable is two of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Where data enter.
    pub from: End,
    /// Where data leave.
    pub to: End,
    /// The bandwidth.
    pub capacity: Bandwidth,
    /// The latency of a byte.
    pub latency: Duration,
}

/// An end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The endpoint of a node.
    Node(NodeId),
    /// A router.
    Router(RouterId),
}

impl End {
    /// The number of the router that is known to be there.
    pub(crate) fn router(self) -> u32 {
        match self {
            Self::Router(router) => router.0,
            Self::Node(_) => unreachable!("nodes are joined to routers alone"),
        }
    }
}

/// A cable, two links: that of a node and its router, the injection and the ejection link, or one between routers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeLink {
    /// The bandwidth of each of the two links.
    pub bandwidth: Bandwidth,
    /// Latency of each of the two links.
    pub latency: Duration,
}

/// The common part of the cables of all nodes, where a [`crate::Graph`] has the cable of each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeCables {
    /// The bandwidth of each; `None`: each its own.
    pub bandwidth: Option<Bandwidth>,
    /// The latency of each; `None`: each its own.
    pub latency: Option<Duration>,
    /// None carries more than this; `None`: no limit.
    pub limit: Option<Bandwidth>,
}

impl NodeCables {
    /// A cable as it is with them.
    pub(crate) fn of(self, cable: NodeLink) -> NodeLink {
        let bandwidth = self.bandwidth.unwrap_or(cable.bandwidth);
        let bandwidth = self.limit.map_or(bandwidth, |limit| bandwidth.min(limit));
        NodeLink { bandwidth, latency: self.latency.unwrap_or(cable.latency) }
    }
}

impl NodeLink {
    /// The link from one end to the other.
    pub(crate) fn between(self, from: End, to: End) -> Link {
        Link { from, to, capacity: self.bandwidth, latency: self.latency }
    }
}

/// The classes of a machine's links, at most [`MOST`](Self::MOST): injection links, ejection links, and those between routers, in a grid by
/// dimension, in a fat tree by the stages that they join, in a graph by their speed if there are few, in several networks by network too. Both ways of a cable between routers
/// are of one class, unlike in [`Topology::link_class`], which is about symmetry.
#[derive(Clone, Debug)]
pub struct LinkClasses {
    names: Vec<String>,
    /// The speeds of a graph with links of several speeds between routers, ascending.
    speeds: Vec<u64>,
}

impl LinkClasses {
    /// More classes there are not: of more dimensions, stages or speeds the last ones are one class, or all are.
    pub const MOST: usize = 8;

    /// The classes of a machine.
    pub fn of(topology: &Topology) -> Self {
        let between = Self::MOST - 2;
        let (mut speeds, mut names) = (Vec::new(), Vec::new());
        match topology {
            Topology::Degraded(degraded) => return Self::of(degraded.whole()),
            Topology::Torus(torus) => {
                let count = torus.dimensions().len();
                names.extend((0..count).map(|place| format!("dimension {}", torus.axis_name(place))));
            }
            Topology::Hypercrossbar(machine) => {
                let places = machine.dimensions().enumerate().filter(|(_, dimension)| dimension.size > 1);
                names.extend(places.map(|(place, _)| format!("dimension {}", machine.axis_name(place))));
            }
            Topology::FatTree(tree) => {
                names.extend((1..tree.stages().len()).map(|stage| format!("stages {stage}-{}", stage + 1)));
            }
            Topology::Switched(machine) => names.extend(machine.class_names()),
            Topology::Rails(machine) => names.extend(machine.class_names()),
            Topology::Graph(graph) => {
                let inner = (0..graph.links()).map(LinkId::new).filter(|&id| !graph.is_of_node(id));
                let inner = inner.map(|id| graph.link(id).capacity);
                let different: BTreeSet<u64> = inner.map(speed).collect();
                if (2..=between).contains(&different.len()) {
                    speeds.extend(different);
                    let rate =
                        |&speed: &u64| Bandwidth::new(f64::from_bits(speed)).map(|rate| rate.to_string());
                    names.extend(speeds.iter().filter_map(rate));
                } else {
                    names.push("network".into());
                }
            }
        }
        if names.len() > between {
            names.truncate(between);
            if let Some(last) = names.last_mut() {
                last.push_str(" and on");
            }
        }
        names.splice(0..0, ["injection".into(), "ejection".into()]);
        Self { names, speeds }
    }

    /// The names of the classes, by number: `injection`, `ejection`, then `dimension x`, `stages 1-2`, `10 GB/s`, `network`.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The class of a link of that machine. O(dimensions) or O(stages).
    ///
    /// # Panics
    /// When there is no such link.
    pub fn class(&self, topology: &Topology, id: LinkId) -> usize {
        let behind = match topology {
            Topology::Degraded(degraded) => return self.class(degraded.whole(), id),
            Topology::Torus(torus) if id.index() >= 2 * torus.nodes() => torus.dimension_of(id),
            Topology::Hypercrossbar(machine) if id.index() >= 2 * machine.nodes() => machine.dimension_of(id),
            Topology::Switched(machine) if id.index() >= 2 * machine.nodes() => machine.class_of(id),
            Topology::Rails(machine) if let Some(class) = machine.class_of(id) => class,
            Topology::FatTree(tree) => match tree.lower_stage(id) {
                Some(stage) => stage,
                None => return usize::from(id.index() >= tree.nodes()),
            },
            Topology::Graph(graph) if !graph.is_of_node(id) => {
                let speed = speed(graph.link(id).capacity);
                self.speeds.binary_search(&speed).unwrap_or(0)
            }
            _ => return usize::from(matches!(topology.link(id).to, crate::End::Node(_))),
        };
        (2 + behind).min(self.names.len() - 1)
    }

    /// The class of each link of a machine, by its number.
    pub fn by_link(topology: &Topology) -> Vec<u8> {
        let classes = Self::of(topology);
        (0..topology.links()).map(|link| classes.class(topology, LinkId::new(link)) as u8).collect()
    }
}

/// The bits of a positive number, which have its order.
fn speed(capacity: Bandwidth) -> u64 {
    capacity.bytes_per_second().to_bits()
}

impl Topology {
    /// The sizes of the coordinates, x first, if all shifts carry routes into routes; `None` if not.
    ///
    /// A shift adds a vector t to the coordinates of all nodes, each modulo its size. Where it carries the route of every pair
    /// (a, b) into the route of (a + t, b + t), and every link into one of the same capacity and latency, traffic that is the
    /// same for all nodes loads all links of a class alike, and a solver may look at one link of each.
    ///
    /// They do in hypercrossbars, and in tori of which every dimension of more than two routers wraps: with the tie rules
    /// spread and plus in all of them, with the others, which look at the coordinate, only where no ties are, in dimensions of odd
    /// sizes. A line of two routers has no ties. They do in a HyperX, a full mesh as well, of one cable per pair and one node per router
    /// under the rule `minimal`. Other machines have none.
    pub fn translations(&self) -> Option<Vec<u32>> {
        match self {
            Self::Torus(torus) => {
                torus.is_alike().then(|| torus.dimensions().map(|dimension| dimension.size).collect())
            }
            Self::Hypercrossbar(machine) => {
                Some(machine.dimensions().map(|dimension| dimension.size).collect())
            }
            Self::Switched(machine) => machine.alike().map(|hyper_x| hyper_x.shape().collect()),
            Self::FatTree(_) | Self::Rails(_) | Self::Graph(_) | Self::Degraded(_) => None,
        }
    }

    /// The class of a link, from `0 .. link_classes()`: two links are of one class exactly if a shift carries one into the
    /// other. Injection links are class 0, ejection links class 1; then come two classes for each dimension of more
    /// than one router, but only one for a line of two; in a HyperX one for each distance along a dimension. Each class has as many links
    /// as there are nodes.
    ///
    /// # Panics
    /// When there is no such link, or [`Self::translations`] is `None`.
    pub fn link_class(&self, id: LinkId) -> usize {
        match self {
            Self::Torus(torus) if torus.is_alike() => torus.link_class(id),
            Self::Hypercrossbar(machine) => machine.link_class(id),
            Self::Switched(machine) if machine.alike().is_some() => machine.symmetry_class(id),
            _ => panic!("the links of this machine have no classes"),
        }
    }

    /// Number of classes of links.
    ///
    /// # Panics
    /// When [`Self::translations`] is `None`.
    pub fn link_classes(&self) -> usize {
        match self {
            Self::Torus(torus) if torus.is_alike() => torus.link_classes(),
            Self::Hypercrossbar(machine) => machine.link_classes(),
            Self::Switched(machine) if machine.alike().is_some() => machine.links() / machine.nodes(),
            _ => panic!("the links of this machine have no classes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::networks::{self, hyper_x};
    use crate::harness::{as_graph, fat_tree, grid, hypercrossbar, route};
    use crate::{End, FatTreeRouting, Rule, Tie, coordinates};
    use proptest::prelude::*;

    /// The names of a machine's classes, each with how many links it has.
    fn counted(topology: &Topology) -> Vec<(String, usize)> {
        let classes = LinkClasses::of(topology);
        let mut counts = vec![0; classes.names().len()];
        (0..topology.links()).for_each(|id| counts[classes.class(topology, LinkId::new(id))] += 1);
        classes.names().iter().cloned().zip(counts).collect()
    }

    #[test]
    fn classes_have_names() {
        let of = |machine: &Topology| -> Vec<(String, usize)> { counted(machine) };
        let expected = |rows: &[(&str, usize)]| -> Vec<_> {
            rows.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
        };
        // 3 x 2 routers, the second dimension a line: 12 links along x, 6 along y.
        let torus = grid(&[(3, true), (2, false)], crate::Tie::Plus);
        let rows = [("injection", 6), ("ejection", 6), ("dimension x", 12), ("dimension y", 6)];
        assert_eq!(of(&torus), expected(&rows));
        // Of three sizes the second has no crossbar.
        let crossbars = hypercrossbar(&[2, 1, 3]);
        let rows = [("injection", 6), ("ejection", 6), ("dimension x", 12), ("dimension z", 12)];
        assert_eq!(of(&crossbars), expected(&rows));
        let tree = fat_tree(&[(2, 2), (2, 1), (2, 0)], FatTreeRouting::DestinationMod);
        let rows = [("injection", 8), ("ejection", 8), ("stages 1-2", 16), ("stages 2-3", 8)];
        assert_eq!(of(&tree), expected(&rows));
        // Nine dimensions: the last four are one class.
        let many = counted(&grid(&[(2, false); 9], crate::Tie::Plus));
        assert_eq!((many.len(), many[7].0.as_str(), many[7].1), (8, "dimension d5 and on", 4 * 512));
        // The same torus as a graph: its dimensions have different speeds.
        let graph = counted(&as_graph(&torus));
        assert_eq!(graph.iter().map(|(_, count)| *count).sum::<usize>(), 30);
        assert!(graph[2..].iter().all(|(name, _)| name.ends_with("B/s")), "{graph:?}");
    }

    proptest! {
        /// Links of nodes have their classes, and links of one class have one speed, in machines of which each dimension or stage has
        /// its own.
        #[test]
        fn a_class_has_one_speed(machine in crate::harness::machines(), as_a_graph in any::<bool>()) {
            let machine = if as_a_graph { as_graph(&machine) } else { machine };
            let classes = LinkClasses::of(&machine);
            let mut speeds = vec![None; classes.names().len()];
            for id in (0..machine.links()).map(LinkId::new) {
                let (link, class) = (machine.link(id), classes.class(&machine, id));
                let expected = match (link.from, link.to) {
                    (End::Node(_), _) => Some(0),
                    (_, End::Node(_)) => Some(1),
                    _ => None,
                };
                prop_assert_eq!(expected, Some(class).filter(|class| *class < 2));
                prop_assert_eq!(*speeds[class].get_or_insert(link.capacity), link.capacity);
            }
        }
    }

    #[test]
    fn who_has_translations() {
        let check = |machine: &Topology, expected: Option<&[u32]>| {
            assert_eq!(machine.translations().as_deref(), expected);
        };
        check(&grid(&[(4, true), (3, true)], Tie::Plus), Some(&[4, 3]));
        check(&grid(&[(5, true), (3, true)], Tie::Parity), Some(&[5, 3]));
        check(&grid(&[(4, true), (3, true)], Tie::Parity), None);
        check(&grid(&[(2, true)], Tie::Direct), None);
        check(&grid(&[(2, true), (4, true)], Tie::Spread), Some(&[2, 4]));
        check(&grid(&[(4, true), (3, false)], Tie::Plus), None);
        check(&grid(&[(4, true), (1, false)], Tie::Plus), Some(&[4, 1]));
        check(&grid(&[(4, true), (2, false)], Tie::Plus), Some(&[4, 2]));
        check(&grid(&[(3, true), (2, false)], Tie::Direct), Some(&[3, 2]));
        check(&hypercrossbar(&[4, 3]), Some(&[4, 3]));
        check(&fat_tree(&[(2, 2), (4, 1)], FatTreeRouting::SourceMod), None);
        check(&as_graph(&hypercrossbar(&[4, 3])), None);
        let network = |wiring, per_router, rule| networks::made(wiring, per_router, rule);
        check(&network(hyper_x(&[4, 1, 3], 1), 1, Rule::Minimal), Some(&[4, 1, 3]));
        check(&network(hyper_x(&[4, 3], 2), 1, Rule::Minimal), None);
        check(&network(hyper_x(&[4, 3], 1), 2, Rule::Minimal), None);
        check(&network(hyper_x(&[4, 3], 1), 1, Rule::Hashed), None);
        check(&network(networks::slim_fly(3), 1, Rule::Minimal), None);
    }

    /// The node that a shift, given by the node it carries node 0 to, carries a node to.
    fn shifted(shape: &[u32], node: u32, shift: u32) -> u32 {
        coordinates::shifted(node, &coordinates::place_of(shift, shape), shape)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn shifts_carry_routes_into_routes(
            wraps in proptest::collection::vec((1_u32..=6, any::<bool>()), 1..=3),
            kind in 0..3,
            tie in prop_oneof![Just(Tie::Spread), Just(Tie::Plus), Just(Tie::Direct), Just(Tie::Parity)],
            (a, b, t) in any::<(u32, u32, u32)>(),
        ) {
            let wraps: Vec<_> = wraps.into_iter().map(|(size, wraps)| (size, wraps || size > 2)).collect();
            let shape: Vec<_> = wraps.iter().map(|&(size, _)| size).collect();
            let machine = match kind {
                0 => hypercrossbar(&shape),
                1 => networks::made(hyper_x(&shape, 1), 1, Rule::Minimal),
                _ => grid(&wraps, tie),
            };
            let Some(found) = machine.translations() else { return Ok(()) };
            prop_assert_eq!(&found, &shape);
            let nodes = machine.nodes() as u32;
            let (a, b, t) = (a % nodes, b % nodes, t % nodes);
            let of_classes = |from, to| -> Vec<usize> {
                route(&machine, from, to).into_iter().map(|id| machine.link_class(id)).collect()
            };
            prop_assert_eq!(of_classes(a, b), of_classes(shifted(&shape, a, t), shifted(&shape, b, t)));

            let mut members = vec![Vec::new(); machine.link_classes()];
            (0..machine.links()).map(LinkId::new).for_each(|id| members[machine.link_class(id)].push(machine.link(id)));
            for class in members {
                prop_assert_eq!(class.len(), machine.nodes());
                prop_assert!(class.iter().all(|l| (l.capacity, l.latency) == (class[0].capacity, class[0].latency)));
            }
        }
    }
}
