//! Which pairs of ranks have routes over given links.

use crate::sections::mapping;
use crate::sections::mapping::file::Unopened;
use crate::{FileMapping, MachineDescription, MachineRoute, Mapping, Problem};
use weir_units::{Bytes, LinkId, NodeId};

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

/// Why the question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CrossingError {
    /// There is no link of this number; also how many there are.
    #[error("there is no link {0}; links are 0 to {last}", last = .1.saturating_sub(1))]
    NoLink(LinkId, usize),
    /// A pair names this rank, and there are only so many.
    #[error("there is no rank {0}; ranks are 0 to {last}", last = .1.saturating_sub(1))]
    NoRank(usize, usize),
    /// These ranks cannot reach each other: links have failed.
    #[error("there is no way from rank {0} to rank {1}: links have failed")]
    NoWay(usize, usize),
    /// Number of ranks that do not fit the nodes, and of these nodes.
    #[error("{0} ranks do not fit {1} nodes; mapping.ranks_per_node says how many share one")]
    NoRoom(usize, usize),
    /// Number of ranks that do not fit mapping.kind = "nicam" on this machine.
    #[error(
        "mapping.kind = \"nicam\" has no place for {0} ranks on this machine: it folds 10 M^2 ranks onto a torus of \
         5 x 2M x M or 40 x M/2 x M/2; say how many ranks there are with --ranks"
    )]
    NoFolding(usize),
    /// The job does not fit the machine: why.
    #[error("the job {0}")]
    Job(String),
    /// The file of the mapping cannot be used; says why.
    #[error("mapping.file cannot be used: {0}")]
    MappingFile(String),
}

impl MachineDescription {
    /// Which of these pairs have routes over each of these links, with `ranks` ranks placed as the mapping says. Answers
    /// have the order of the links. Takes one route per pair.
    ///
    /// # Errors
    /// When a link or a rank does not exist, or ranks cannot be placed.
    pub fn crossings(
        &self,
        ranks: usize,
        pairs: &[RankPair],
        links: &[LinkId],
    ) -> Result<Vec<Crossing>, CrossingError> {
        let machine = self.topology();
        let node_of = self.place(ranks, &machine)?;
        if let Some(&link) = links.iter().find(|link| link.index() >= machine.links()) {
            return Err(CrossingError::NoLink(link, machine.links()));
        }
        let mut found: Vec<Crossing> = links.iter().map(|&link| Crossing::none(&machine, link)).collect();
        let mut asked: Vec<(LinkId, usize)> = links.iter().copied().zip(0..).collect();
        asked.sort_unstable();
        let mut route = Vec::new();
        for &pair in pairs {
            let node = |rank: usize| node_of.get(rank).copied().ok_or(CrossingError::NoRank(rank, ranks));
            let (from, to) = (node(pair.from)?, node(pair.to)?);
            if !machine.find_route(from, to, &mut route) {
                return Err(CrossingError::NoWay(pair.from, pair.to));
            }
            for link in &route {
                let first = asked.partition_point(|(other, _)| other < link);
                for &(_, place) in asked[first..].iter().take_while(|(other, _)| other == link) {
                    let crossing = &mut found[place];
                    crossing.pairs += 1;
                    crossing.bytes += pair.bytes;
                    if crossing.routes.len() < MOST_ROUTES {
                        crossing
                            .routes
                            .extend(MachineRoute::of(&machine, from, to).map(|route| (pair, route)));
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
        &self,
        ranks: usize,
        pairs: &[RankPair],
    ) -> Result<impl Iterator<Item = RankRoute>, CrossingError> {
        let machine = self.topology();
        let node_of = self.place(ranks, &machine)?;
        let rank = pairs.iter().flat_map(|pair| [pair.from, pair.to]).find(|&rank| rank >= ranks);
        if let Some(rank) = rank {
            return Err(CrossingError::NoRank(rank, ranks));
        }
        Ok(pairs.iter().map(move |&pair| {
            let nodes = (node_of[pair.from], node_of[pair.to]);
            RankRoute { pair, nodes, route: MachineRoute::of(&machine, nodes.0, nodes.1) }
        }))
    }

    fn place(&self, ranks: usize, machine: &weir_topology::Topology) -> Result<Vec<NodeId>, CrossingError> {
        let per_node = self.mapping.ranks_per_node;
        let is_file = matches!(self.mapping.kind, Mapping::File(_));
        if !is_file && ranks.div_ceil(per_node) > machine.nodes() {
            return Err(CrossingError::NoRoom(ranks, machine.nodes()));
        }
        match &self.mapping.kind {
            Mapping::File(file) => self.place_by(file.clone(), ranks, machine),
            Mapping::Nicam { .. } => {
                mapping::nicam_nodes(ranks, machine).ok_or(CrossingError::NoFolding(ranks))
            }
            Mapping::Folded { folding, .. } => {
                let (nodes, _) = folding.nodes(machine).map_err(CrossingError::Job)?;
                let places = self.mapping.in_places(ranks, &nodes);
                match places.len() == ranks {
                    true => Ok(places),
                    false => Err(CrossingError::NoRoom(ranks, nodes.len())),
                }
            }
            Mapping::Linear | Mapping::Cyclic | Mapping::Random { .. } => {
                Ok(self.mapping.place(ranks, machine.nodes()))
            }
        }
    }

    fn place_by(
        &self,
        mut file: FileMapping,
        ranks: usize,
        machine: &weir_topology::Topology,
    ) -> Result<Vec<NodeId>, CrossingError> {
        let path = file.path.display().to_string();
        let refused = |problems: Vec<Problem>| {
            let words = problems.into_iter().next().map(|Problem { line, what, .. }| match line {
                Some(line) => format!("line {line}: {what}"),
                None => what,
            });
            CrossingError::MappingFile(format!("{path}: {}", words.unwrap_or_default()))
        };
        file.open().map_err(|error| match error {
            Unopened::Unreadable(why) => CrossingError::MappingFile(why),
            Unopened::Wrong(problems) => refused(problems),
        })?;
        file.seat(ranks, machine, self.mapping.ranks_per_node).map_err(refused)?;
        Ok(file.node_of)
    }
}

impl Crossing {
    fn none(machine: &weir_topology::Topology, link: LinkId) -> Self {
        Self { link, name: machine.link_name(link), pairs: 0, bytes: Bytes::ZERO, routes: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExperimentText, Source};

    /// A ring of four nodes; links as in `weir routes`: 0 to 3 injection, 4 to 7 ejection, then + and - of each router.
    fn ring(mapping: &str) -> MachineDescription {
        let text = format!(
            "[topology]\nkind = \"torus\"\nshape = [4]\nbandwidth = \"1 GB/s\"\nlatency = \"100 ns\"\n{mapping}"
        );
        let experiment_text = Some(ExperimentText { name: "ring".into(), text });
        MachineDescription::load(&Source { experiment_text, ..Source::default() }).unwrap()
    }

    fn pair(from: usize, to: usize, bytes: u64) -> RankPair {
        RankPair { from, to, bytes: Bytes(bytes) }
    }

    #[track_caller]
    fn check(mapping: &str, pairs: &[RankPair], name: &str, expected: (usize, u64)) {
        let machine = ring(mapping);
        let topology = machine.topology();
        let links: Vec<LinkId> = (0..topology.links()).map(LinkId::new).collect();
        let all = machine.crossings(4, pairs, &links).unwrap();
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
        let experiment_text = Some(ExperimentText { name: "nicam".into(), text: text.into() });
        let machine = MachineDescription::load(&Source { experiment_text, ..Source::default() }).unwrap();
        let nodes = mapping::nicam_nodes(40, &machine.topology()).unwrap();
        let pairs = [pair(0, 39, 7)];
        let first = LinkId(nodes[0].0);
        let found = machine.crossings(40, &pairs, &[first]).unwrap();
        assert_eq!((found[0].pairs, found[0].bytes), (1, Bytes(7)));
    }

    #[test]
    fn the_first_routes_are_kept() {
        let machine = ring("");
        let many = vec![pair(0, 1, 1); 9];
        let injection = machine.crossings(4, &many, &[LinkId::new(0)]).unwrap();
        assert_eq!((injection[0].pairs, injection[0].routes.len()), (9, MOST_ROUTES));
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        let machine = ring("");
        let links = machine.topology().links();
        let ask = |ranks, pairs: &[RankPair], link| machine.crossings(ranks, pairs, &[LinkId::new(link)]);
        assert_eq!(ask(4, &[], links), Err(CrossingError::NoLink(LinkId::new(links), links)));
        assert_eq!(ask(4, &[pair(0, 4, 1)], 0), Err(CrossingError::NoRank(4, 4)));
        assert_eq!(ask(5, &[], 0), Err(CrossingError::NoRoom(5, 4)));
        let nicam = ring("[mapping]\nkind = \"nicam\"");
        let error = nicam.crossings(4, &[pair(0, 1, 1)], &[LinkId::new(0)]).unwrap_err();
        assert!(error.to_string().contains("has no place for 4 ranks"), "{error}");
    }
}
