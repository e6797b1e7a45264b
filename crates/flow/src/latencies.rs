//! Latencies of the links on the route of a message: its time beside that of its bytes.

use weir_topology::Topology;
use weir_units::{Duration, LinkId};

/// The latency of every link.
#[derive(Clone, Debug)]
pub(crate) enum Latencies {
    /// All links have the same; most machines, and a machine of a million nodes has millions of links.
    Same(Duration),
    /// By link.
    Each(Vec<Duration>),
}

impl Latencies {
    pub(crate) fn of(topology: &Topology) -> Self {
        let latency = |link| topology.link(LinkId::new(link)).latency;
        let mut all = (0..topology.links()).map(latency);
        let first = all.next().unwrap_or_default();
        if all.all(|latency| latency == first) {
            Self::Same(first)
        } else {
            Self::Each((0..topology.links()).map(latency).collect())
        }
    }

    pub(crate) fn of_link(&self, link: LinkId) -> Duration {
        match self {
            Self::Same(latency) => *latency,
            Self::Each(latencies) => latencies[link.index()],
        }
    }

    /// The sum along a route.
    pub(crate) fn along(&self, route: &[LinkId]) -> Duration {
        match self {
            Self::Same(latency) => *latency * route.len() as u64,
            Self::Each(latencies) => {
                route.iter().fold(Duration::ZERO, |sum, link| sum + latencies[link.index()])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_topology::{Graph, Metric, NodeLink, Vertex, VertexKind, Wire};
    use weir_units::Bandwidth;

    /// Two nodes at a router. Link by link: the four links have the same latency, or one of them another one. A route has the
    /// sum of those that it takes.
    #[test]
    fn one_link_that_is_longer() {
        let capacity = Bandwidth::new(1e9).expect("positive");
        for longer in [None, Some(0), Some(1), Some(2), Some(3)] {
            let vertex = |name: &str, kind| Vertex { name: name.into(), kind };
            let vertices = vec![
                vertex("a", VertexKind::Node),
                vertex("b", VertexKind::Node),
                vertex("r", VertexKind::Router),
            ];
            let ends = [(0, 2), (1, 2), (2, 0), (2, 1)];
            let latency = |wire| Duration::from_ns(if longer == Some(wire) { 7 } else { 5 });
            let wire = |(number, (from, to))| Wire { from, to, capacity, latency: latency(number) };
            let wires: Vec<Wire> = ends.into_iter().enumerate().map(wire).collect();
            let node = NodeLink { bandwidth: capacity, latency: Duration::ZERO };
            let graph = Graph::new(vertices, &wires, Metric::Hops, node).expect("a star");
            let latencies = Latencies::of(&Topology::Graph(graph));
            assert_eq!(matches!(latencies, Latencies::Same(_)), longer.is_none());
            // Injection links by node, then ejection links by node.
            for (route, sum) in [([0, 3], 10), ([1, 2], 10)] {
                let more = if longer.is_some_and(|link| route.contains(&link)) { 2 } else { 0 };
                let route = route.map(LinkId::new);
                assert_eq!(
                    latencies.along(&route),
                    Duration::from_ns(sum + more),
                    "link {longer:?} is longer"
                );
            }
        }
    }
}
