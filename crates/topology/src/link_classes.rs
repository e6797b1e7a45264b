//! Links by what they do in their machine: those of nodes, of a dimension, between two stages, of a speed.

use crate::Topology;
use std::collections::BTreeSet;
use weir_units::{Bandwidth, LinkId};

/// The classes of a machine's links, at most [`MOST`](Self::MOST): injection links, ejection links, and those between routers, in a grid by
/// dimension, in a fat tree by the stages that they join, in a graph by their speed if there are few. Both ways of a cable between routers
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
    #[must_use]
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
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The class of a link of that machine. O(dimensions) or O(stages).
    ///
    /// # Panics
    /// When there is no such link.
    #[must_use]
    pub fn class(&self, topology: &Topology, id: LinkId) -> usize {
        let behind = match topology {
            Topology::Degraded(degraded) => return self.class(degraded.whole(), id),
            Topology::Torus(torus) if id.index() >= 2 * torus.nodes() => torus.dimension_of(id),
            Topology::Hypercrossbar(machine) if id.index() >= 2 * machine.nodes() => machine.dimension_of(id),
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
    #[must_use]
    pub fn by_link(topology: &Topology) -> Vec<u8> {
        let classes = Self::of(topology);
        (0..topology.links()).map(|link| classes.class(topology, LinkId::new(link)) as u8).collect()
    }
}

/// The bits of a positive number, which have its order.
fn speed(capacity: Bandwidth) -> u64 {
    capacity.bytes_per_second().to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{as_graph, fat_tree, grid, hypercrossbar};
    use crate::{End, FatTreeRouting};
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
}
