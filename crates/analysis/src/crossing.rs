//! Which pairs of ranks have routes over given links.

use crate::refused;
use weir_experiment::{AnalysisError, MachineDescription};
use weir_topology::{End, Topology};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId};

/// The first routes that cross a link are kept.
const MOST_ROUTES: usize = 5;

/// Two ranks, and what the first has sent to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankPair {
    /// The sending rank.
    pub from: usize,
    /// The receiving rank.
    pub to: usize,
    /// Bytes that it has sent.
    pub bytes: Bytes,
}

/// The route of a pair of ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct RankRoute {
    /// The pair.
    pub pair: RankPair,
    /// The nodes on which its ranks are.
    pub nodes: (NodeId, NodeId),
    /// The route between them; `None` if failed links leave no way.
    pub route: Option<MachineRoute>,
}

/// The pairs and routes that cross a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// The link.
    pub link: LinkId,
    /// In words.
    pub name: String,
    /// Number of the pairs that have a route over it.
    pub pairs: usize,
    /// Bytes that all these pairs have sent.
    pub bytes: Bytes,
    /// The first of these pairs with their routes, in the order in which the pairs were given.
    pub routes: Vec<(RankPair, MachineRoute)>,
}

/// Which of these pairs have routes over each of these links, with `ranks` ranks placed as the mapping says. Answers
/// have the order of the links. Takes one route per pair.
///
/// # Errors
/// When a link or a rank does not exist, or ranks cannot be placed.
pub fn crossings(
    description: &MachineDescription,
    ranks: usize,
    pairs: &[RankPair],
    links: &[LinkId],
) -> Result<Vec<Crossing>, AnalysisError> {
    let machine = description.topology();
    let node_of = description.place(ranks)?;
    if let Some(&link) = links.iter().find(|link| link.index() >= machine.links()) {
        let last = machine.links().saturating_sub(1);
        return refused(format!("there is no link {link}; links are 0 to {last}"));
    }
    let none = |&link: &LinkId| {
        let name = machine.link_name(link);
        Crossing { link, name, pairs: 0, bytes: Bytes::ZERO, routes: Vec::new() }
    };
    let mut found: Vec<Crossing> = links.iter().map(none).collect();
    let mut asked: Vec<(LinkId, usize)> = links.iter().copied().zip(0..).collect();
    asked.sort_unstable();
    let mut route = Vec::new();
    for &pair in pairs {
        let node = |rank: usize| node_of.get(rank).map_or_else(|| no_rank(rank, ranks), |node| Ok(*node));
        let (from, to) = (node(pair.from)?, node(pair.to)?);
        if !machine.find_route(from, to, &mut route) {
            let RankPair { from, to, .. } = pair;
            return refused(format!("there is no way from rank {from} to rank {to}: links have failed"));
        }
        for link in &route {
            let first = asked.partition_point(|(other, _)| other < link);
            for &(_, place) in asked[first..].iter().take_while(|(other, _)| other == link) {
                let crossing = &mut found[place];
                crossing.pairs += 1;
                crossing.bytes += pair.bytes;
                if crossing.routes.len() < MOST_ROUTES {
                    crossing.routes.extend(MachineRoute::of(&machine, from, to).map(|route| (pair, route)));
                }
            }
        }
    }
    Ok(found)
}

/// The route of each of these pairs, in their order, with `ranks` ranks placed as the mapping says.
///
/// # Errors
/// When a rank does not exist, or ranks cannot be placed.
pub fn routes_of(
    description: &MachineDescription,
    ranks: usize,
    pairs: &[RankPair],
) -> Result<impl Iterator<Item = RankRoute>, AnalysisError> {
    let machine = description.topology();
    let node_of = description.place(ranks)?;
    let rank = pairs.iter().flat_map(|pair| [pair.from, pair.to]).find(|&rank| rank >= ranks);
    if let Some(rank) = rank {
        return no_rank(rank, ranks);
    }
    Ok(pairs.iter().map(move |&pair| {
        let nodes = (node_of[pair.from], node_of[pair.to]);
        RankRoute { pair, nodes, route: MachineRoute::of(&machine, nodes.0, nodes.1) }
    }))
}

fn no_rank<T>(rank: usize, ranks: usize) -> Result<T, AnalysisError> {
    refused(format!("there is no rank {rank}; ranks are 0 to {}", ranks.saturating_sub(1)))
}

/// A link as a route passes it.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteLink {
    /// The link.
    pub id: LinkId,
    /// In words.
    pub name: String,
    /// Where it ends, in words: a router, or at last the node.
    pub to: String,
    /// Bandwidth of the link.
    pub bandwidth: Bandwidth,
    /// Latency of the link.
    pub latency: Duration,
}

/// The route from one node to another: the same for a pair on every run, and the one that messages take.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineRoute {
    /// The node it starts from.
    pub from: NodeId,
    /// The node it leads to.
    pub to: NodeId,
    /// Its links in the order in which they are passed, injection link first, ejection link last; none if both nodes are
    /// the same.
    pub links: Vec<RouteLink>,
}

impl MachineRoute {
    /// The route of a machine; `None` if failed links leave no way.
    ///
    /// # Panics
    /// When one of the nodes does not exist.
    pub fn of(machine: &Topology, from: NodeId, to: NodeId) -> Option<Self> {
        let mut route = Vec::new();
        if !machine.find_route(from, to, &mut route) {
            return None;
        }
        let passed = |id| {
            let link = machine.link(id);
            let to = match link.to {
                End::Node(node) => machine.node_name(node),
                End::Router(router) => machine.router_name(router),
            };
            let name = machine.link_name(id);
            RouteLink { id, name, to, bandwidth: link.capacity, latency: link.latency }
        };
        Some(Self { from, to, links: route.into_iter().map(passed).collect() })
    }

    /// Links between routers.
    pub fn hops(&self) -> usize {
        self.links.len().saturating_sub(2)
    }

    /// The latencies of all links together: how long a byte is on its way where nothing else is.
    pub fn zero_load_latency(&self) -> Duration {
        self.links.iter().fold(Duration::ZERO, |sum, link| sum + link.latency)
    }

    /// The bandwidth of the slowest link; `None` within a node.
    pub fn narrowest(&self) -> Option<Bandwidth> {
        self.links.iter().map(|link| link.bandwidth).reduce(Bandwidth::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_experiment::Source;

    /// A ring of four nodes; links as in `weir routes`: 0 to 3 injection, 4 to 7 ejection, then + and - of each router.
    fn ring(mapping: &str) -> MachineDescription {
        let text = format!(
            "[topology]\nkind = \"torus\"\nshape = [4]\nbandwidth = \"1 GB/s\"\nlatency = \"100 ns\"\n{mapping}"
        );
        MachineDescription::load(&Source::of_text("ring", text)).unwrap()
    }

    fn pair(from: usize, to: usize, bytes: u64) -> RankPair {
        RankPair { from, to, bytes: Bytes(bytes) }
    }

    #[track_caller]
    fn check(mapping: &str, pairs: &[RankPair], name: &str, expected: (usize, u64)) {
        let machine = ring(mapping);
        let topology = machine.topology();
        let links: Vec<LinkId> = (0..topology.links()).map(LinkId::new).collect();
        let all = crossings(&machine, 4, pairs, &links).unwrap();
        let crossing = all.iter().find(|crossing| crossing.name == name).unwrap();
        assert_eq!((crossing.pairs, crossing.bytes), (expected.0, Bytes(expected.1)), "{name}");
        for (_, route) in &crossing.routes {
            assert!(route.links.iter().any(|link| link.id == crossing.link));
        }
    }

    #[test]
    fn pairs_are_counted_on_the_links_of_their_routes() {
        let pairs = [pair(0, 1, 10), pair(0, 2, 100), pair(3, 1, 1000), pair(2, 2, 10_000)];
        // Half way round goes in the direction of plus: 0 -> 1 -> 2 and 3 -> 0 -> 1.
        check("", &pairs, "router (0) -> router (1)", (3, 1110));
        check("", &pairs, "router (1) -> router (2)", (1, 100));
        check("", &pairs, "router (1) -> router (0)", (0, 0));
        check("", &pairs, "node 0 -> router (0)", (2, 110));
        // Two ranks on a node: 0 and 1 on node 0, 2 and 3 on node 1.
        check("[mapping]\nranks_per_node = 2", &pairs, "router (0) -> router (1)", (1, 100));
        check("[mapping]\nranks_per_node = 2", &pairs, "router (1) -> router (0)", (1, 1000));
    }

    /// Ranks of NICAM lie as in a run: rank 0 is on the node where the mapping puts it.
    #[test]
    fn ranks_of_nicam() {
        let text = "[topology]\nkind = \"torus\"\nshape = [5, 4, 2]\nbandwidth = \"1 GB/s\"\n[mapping]\nkind = \"nicam\"";
        let machine = MachineDescription::load(&Source::of_text("nicam", text)).unwrap();
        let nodes = machine.place(40).unwrap();
        let pairs = [pair(0, 39, 7)];
        let first = LinkId(nodes[0].0);
        let found = crossings(&machine, 40, &pairs, &[first]).unwrap();
        assert_eq!((found[0].pairs, found[0].bytes), (1, Bytes(7)));
    }

    #[test]
    fn the_first_routes_are_kept() {
        let machine = ring("");
        let many = vec![pair(0, 1, 1); 9];
        let injection = crossings(&machine, 4, &many, &[LinkId::new(0)]).unwrap();
        assert_eq!((injection[0].pairs, injection[0].routes.len()), (9, MOST_ROUTES));
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        let machine = ring("");
        let links = machine.topology().links();
        let ask = |ranks, pairs: &[RankPair], link| {
            crossings(&machine, ranks, pairs, &[LinkId::new(link)]).unwrap_err().to_string()
        };
        let last = links - 1;
        assert_eq!(ask(4, &[], links), format!("there is no link {links}; links are 0 to {last}"));
        assert_eq!(ask(4, &[pair(0, 4, 1)], 0), "there is no rank 4; ranks are 0 to 3");
        assert!(ask(5, &[], 0).starts_with("5 ranks do not fit 4 nodes"));
        let nicam = ring("[mapping]\nkind = \"nicam\"");
        let error = crossings(&nicam, 4, &[pair(0, 1, 1)], &[LinkId::new(0)]).unwrap_err();
        assert!(error.to_string().contains("has no place for 4 ranks"), "{error}");
    }
}
