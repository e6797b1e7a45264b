//! `[topology]`: the routers and the links between them. One file per family of kinds.

mod fat_tree;
mod graph;
mod grid;
pub(crate) mod rails;
pub(crate) mod switched;

use crate::keys::form::{AsWritten, FLAGS, Integer, OneOf, OneOrMany, PathText, PerItem, RATE, SIZES, TIME};
use crate::keys::keys;
use crate::source::reader::{Per, Section};
use crate::source::tree::Entry;
pub use graph::GraphSection;
pub use rails::{NetworkSection, RailsSection};
use std::path::PathBuf;
pub use switched::{Network, SwitchedSection};
use weir_topology::{
    Adaptive, Arrangement, CrossbarDimension, Dimension, FatTree, FatTreeRouting, Hypercrossbar, Metric,
    Mistake, NodeCables, NodeLink, Rule, Stage, Switches, Tie, Topology, Torus, Wrap, tofu,
};
use weir_units::{Bandwidth, Duration};

/// Kind and parameters of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum TopologySection {
    /// The kinds with coordinates.
    Grid {
        /// Which of them.
        kind: GridKind,
        /// Sizes and links, x first; of a Tofu x, y, z, a, b, c. In a hypercrossbar none wraps.
        dimensions: Vec<Dimension>,
        /// `tie`: which way to go when both are equally long; `plus` where nothing wraps.
        tie: Tie,
        /// Rule of its routes.
        rule: Rule,
    },
    /// `kind = "fat-tree"`.
    FatTree {
        /// The switches of each stage, from the leaves to the top.
        stages: Vec<Switches>,
        /// Number of parallel cables at each port up of each stage but the top one.
        parallel: Vec<u32>,
        /// The cables between neighboring stages, from the leaves up. Where there is only one stage, one whose
        /// bandwidth and latency the nodes' cables take.
        cables: Vec<Stage>,
        /// Rule that chooses the way up.
        routing: FatTreeRouting,
    },
    /// The kinds whose routers leave a choice of ways.
    Switched(SwitchedSection),
    /// `kind = "rails"`.
    Rails(RailsSection),
    /// `kind = "graph"`.
    Graph(GraphSection),
}

/// Kind with coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridKind {
    /// `torus` or `mesh`, and mixtures of both.
    Torus,
    /// `tofu`.
    Tofu,
    /// `hypercrossbar`.
    Hypercrossbar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Grid(GridKind, Wrap),
    FatTree,
    Switched(SwitchedKind),
    Rails,
    Graph,
}

/// Kind whose routers leave a choice of ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SwitchedKind {
    Dragonfly,
    DragonflyPlus,
    HyperX,
    FullMesh,
    SlimFly,
    PolarFly,
}

const SHAPED: &[&str] = &["torus", "mesh", "hypercrossbar", "tofu", "hyperx"];
const WRAPPED: &[&str] = &["torus", "mesh", "tofu"];
const TREE: &[&str] = &["fat-tree"];
const DRAGONFLY: &[&str] = &["dragonfly"];
const DRAGONFLY_PLUS: &[&str] = &["dragonfly-plus"];
const GROUPED: &[&str] = &["dragonfly", "dragonfly-plus"];
const LINES: &[&str] = &["hyperx", "full-mesh"];
const FULL_MESH: &[&str] = &["full-mesh"];
const FLIES: &[&str] = &["slim-fly", "polar-fly"];
const DIRECT: &[&str] = &["dragonfly", "hyperx", "full-mesh", "slim-fly", "polar-fly"];
const PAIRED: &[&str] = &["dragonfly", "dragonfly-plus", "hyperx", "full-mesh"];
const RAILS: &[&str] = &["rails"];
const GRAPH: &[&str] = &["graph"];

/// The weights of a rule until its table has been read.
const WEIGHTS: Adaptive = Adaptive::DEFAULT;

keys! {
    "topology":
    KIND: Kind = "kind", &[],
        OneOf(&[
            ("torus", Kind::Grid(GridKind::Torus, Wrap::Torus)), ("mesh", Kind::Grid(GridKind::Torus, Wrap::Mesh)),
            ("fat-tree", Kind::FatTree), ("hypercrossbar", Kind::Grid(GridKind::Hypercrossbar, Wrap::Mesh)),
            ("tofu", Kind::Grid(GridKind::Tofu, Wrap::Torus)), ("dragonfly", Kind::Switched(SwitchedKind::Dragonfly)),
            ("dragonfly-plus", Kind::Switched(SwitchedKind::DragonflyPlus)), ("hyperx", Kind::Switched(SwitchedKind::HyperX)),
            ("full-mesh", Kind::Switched(SwitchedKind::FullMesh)), ("slim-fly", Kind::Switched(SwitchedKind::SlimFly)),
            ("polar-fly", Kind::Switched(SwitchedKind::PolarFly)), ("rails", Kind::Rails), ("graph", Kind::Graph),
        ]),
        Required("write kind = \"torus\", \"mesh\", \"fat-tree\", \"dragonfly\", \"dragonfly-plus\", \"hyperx\", \"full-mesh\", \"slim-fly\", \
                  \"polar-fly\", \"hypercrossbar\", \"tofu\", \"rails\" or \"graph\""),
        "Kind of machine: `torus`, `mesh`, `fat-tree`, `dragonfly`, `dragonfly-plus`, `hyperx`, `full-mesh`, `slim-fly`, `polar-fly`, \
         `hypercrossbar`, `tofu`, `rails` (several of these), `graph`; [networks](../guide/networks.md) says when to take which.";
    BANDWIDTH: OneOrMany<Bandwidth> = "bandwidth", &[], PerItem(RATE),
        Required("write bandwidth = \"1 GB/s\""),
        "Bandwidth of each link, one way. One value, or a list: one per dimension; for a fat tree one per pair of neighboring stages, from \
         the leaves up; for dragonflies those of cables within groups and \
         between them, for a Slim Fly those within racks (of one s and x, in pairs) and between them. Rails: of each of the networks, and not of all. Graph: of cables whose bandwidth the file does not say; not required there.", More(Serialization);
    LATENCY: OneOrMany<Duration> = "latency", &[], PerItem(TIME), Is("0"),
        "Latency of each link. One value or a list, like `bandwidth`.", Less(Latency);
    SHAPE: Vec<u32> = "shape", SHAPED, SIZES,
        Required("write one size per dimension: shape = [16, 16]"),
        "Number of routers in each dimension, x first, each with a node, and `node = x + X (y + Y z)`; of a HyperX each with \
         `nodes_per_router`, and `router = x + X (y + Y z)`. Tofu: groups of 12 nodes along x, y and z.";
    WRAP: Vec<bool> = "wrap", WRAPPED, FLAGS, Words("torus: all, mesh: none, tofu: all but a and c"),
        "List of true and false: which dimensions have wrap-around links.";
    TIE: Tie = "tie", WRAPPED,
        OneOf(&[("spread", Tie::Spread), ("plus", Tie::Plus), ("direct", Tie::Direct), ("parity", Tie::Parity)]), Is("\"spread\""),
        "Way of messages half way round: `spread` (positive way, and in a ring of two routers both cables), `plus` (positive way), `direct` (not over \
         the wrap link), `parity` (positive if the source's coordinate is even).";
    RADIX: u32 = "radix", TREE, Integer::COUNT,
        Required("write the ports per switch: radix = 8 gives 128 nodes"),
        "Ports per switch, even; `radix = 2p` gives `2 p^stages` nodes (three stages: 8: 128, 16: 1,024, 32: 8,192); not with a \
         list of `stages`.";
    STAGES: Entry = "stages", TREE, AsWritten(fat_tree::stages_schema), Is("3"),
        "Number of stages of switches, or a list with one item per stage, from the leaves up.";
    TAPER: Entry = "taper", TREE, AsWritten(fat_tree::taper_schema), Is("1.0"),
        "Cables up per port down, above 0 and at most 1. One value: of the leaf switches (0.5: half bisection bandwidth); a list: \
         of each stage but the top one.";
    PARALLEL: OneOrMany<u32> = "parallel", TREE, PerItem(Integer::COUNT), Is("1"),
        "Number of parallel cables at each port up, all to the same switch: one value, or a list with one per pair of neighboring stages.";
    ROUTING: FatTreeRouting = "routing", TREE,
        OneOf(&[
            ("destination-mod", FatTreeRouting::DestinationMod), ("source-mod", FatTreeRouting::SourceMod),
            ("random-up", FatTreeRouting::RandomUp), ("adaptive-up", FatTreeRouting::AdaptiveUp),
        ]), Is("\"destination-mod\""),
        "Who chooses the way up: the destination (`destination-mod`), the source (`source-mod`), a draw for each packet at every switch \
         (`random-up`), or what waits there (`adaptive-up`); see [rules](../concepts/routing-rules.md).";
    GRID_ROUTING: Rule = "routing", WRAPPED,
        OneOf(&[("minimal", Rule::Minimal), ("minimal-adaptive", Rule::MinimalAdaptive)]), Is("\"minimal\""),
        "[Rule](../concepts/routing-rules.md) that chooses among shortest ways: dimension order (`minimal`), or at every router the dimension where \
         least waits (`minimal-adaptive`).";
    NODES_PER_ROUTER: u32 = "nodes_per_router", DIRECT, Integer::COUNT,
        Required("write how many nodes are at each router: nodes_per_router = 4"),
        "Number of nodes of each router, of which the first has the number of its router times this.";
    NODES_PER_LEAF: u32 = "nodes_per_leaf", DRAGONFLY_PLUS, Integer::COUNT,
        Required("write how many nodes are at each leaf: nodes_per_leaf = 16"),
        "Number of nodes of each leaf, of which the first has the number of its leaf times this.";
    ROUTERS_PER_GROUP: u32 = "routers_per_group", DRAGONFLY, Integer::COUNT,
        Required("write how many routers a group has: routers_per_group = 8"),
        "Number of routers of a group, of which each has a cable to each.";
    LEAVES: u32 = "leaves", DRAGONFLY_PLUS, Integer::COUNT,
        Required("write how many leaves a group has: leaves = 16"),
        "Number of leaves of a group, routers with nodes, of which each has a cable to each spine of the group.";
    SPINES: u32 = "spines", DRAGONFLY_PLUS, Integer::COUNT,
        Required("write how many spines a group has: spines = 16"),
        "Number of spines of a group, routers without nodes that have the cables to other groups.";
    GLOBAL_LINKS: u32 = "global_links", GROUPED, Integer::COUNT,
        Required("write how many cables to other groups a router or spine has: global_links = 4"),
        "Number of ports for cables to other groups, of a router or, with leaves and spines, of a spine; ports of a group that are left over have no cable.";
    GROUPS: u32 = "groups", GROUPED, Integer::COUNT, Words("as many as the global cables allow"),
        "Number of groups: at most 1 more than `links_per_pair` fits into the global ports of a group.";
    ARRANGEMENT: Arrangement = "arrangement", GROUPED,
        OneOf(&[
            ("palm-tree", Arrangement::PalmTree), ("absolute", Arrangement::Absolute), ("relative", Arrangement::Relative),
            ("random", Arrangement::Random),
        ]), Is("\"palm-tree\""),
        "Which global cable of a group leads where: its first one to the group before it and so on backwards (`palm-tree`), to the group behind it \
         and so on (`relative`), to group 0 and so on (`absolute`), or drawn, always the same way (`random`).";
    ROUTERS: u32 = "routers", FULL_MESH, Integer::COUNT,
        Required("write how many routers there are: routers = 8"), "Number of routers, of which each has a cable to each.";
    LINKS_PER_PAIR: u32 = "links_per_pair", PAIRED, Integer::COUNT,
        Words("1; where `groups` is written as many as all groups can have"),
        "Number of parallel cables: between any two groups of a dragonfly, between any two routers of a line of a HyperX, between any two \
         routers of a full mesh.";
    Q: u32 = "q", FLIES, Integer::COUNT,
        Required("write the prime power of which the network is made: q = 5"),
        "Prime power, which gives 2 q^2 routers of a Slim Fly (3 to 43) and q^2 + q + 1 of a PolarFly (2 to 256).";
    GROUP_ROUTING: Rule = "routing", GROUPED,
        OneOf(&[
            ("minimal", Rule::Minimal), ("minimal-random", Rule::MinimalRandom), ("hashed", Rule::Hashed), ("valiant", Rule::Valiant),
            ("valiant-group", Rule::ValiantGroup), ("ugal-l", Rule::UgalL(WEIGHTS)), ("ugal-g", Rule::UgalG(WEIGHTS)),
            ("par", Rule::Par(WEIGHTS)),
            ("minimal-adaptive", Rule::MinimalAdaptive),
        ]), Is("\"ugal-l\""),
        "[Rule](../concepts/routing-rules.md) that chooses among ways: shortest ones (`minimal`, `minimal-random`, `hashed`, `minimal-adaptive`), \
         ways around (`valiant`, `valiant-group`), or one of both by what waits (`ugal-l`, `ugal-g`, `par`).";
    LINE_ROUTING: Rule = "routing", LINES,
        OneOf(&[
            ("minimal", Rule::Minimal), ("minimal-random", Rule::MinimalRandom), ("hashed", Rule::Hashed), ("valiant", Rule::Valiant),
            ("ugal-l", Rule::UgalL(WEIGHTS)), ("ugal-g", Rule::UgalG(WEIGHTS)),
            ("dimwar", Rule::DimWar(WEIGHTS)), ("omniwar", Rule::OmniWar(WEIGHTS)),
            ("minimal-adaptive", Rule::MinimalAdaptive),
        ]), Is("\"dimwar\""),
        "[Rule](../concepts/routing-rules.md) that chooses among ways: shortest ones (`minimal`, `minimal-random`, `hashed`, `minimal-adaptive`), \
         ways around (`valiant`), or one of both by what waits (`ugal-l`, `ugal-g`, `dimwar`, `omniwar`).";
    FLY_ROUTING: Rule = "routing", FLIES,
        OneOf(&[
            ("minimal", Rule::Minimal), ("minimal-random", Rule::MinimalRandom), ("hashed", Rule::Hashed), ("valiant", Rule::Valiant),
            ("ugal-l", Rule::UgalL(WEIGHTS)), ("ugal-g", Rule::UgalG(WEIGHTS)),
            ("minimal-adaptive", Rule::MinimalAdaptive),
        ]), Is("\"ugal-l\""),
        "[Rule](../concepts/routing-rules.md) that chooses among ways: shortest ones (`minimal`, `minimal-random`, `hashed`, `minimal-adaptive`), \
         ways around (`valiant`), or one of both by what waits (`ugal-l`, `ugal-g`).";
    NETWORKS: Entry = "networks", RAILS, AsWritten(rails::schema),
        Required("begin each network with [[topology.networks]]"),
        "List of networks, one for each interface of a node, each with the keys of its kind and [its own](#several-networks-that-share-the-nodes).";
    FILE: PathBuf = "file", GRAPH, PathText,
        Required("name a file of a network: file = \"machine.graphml\", or with the ending .json or .csv"),
        "File of the network: `.graphml`, `.json` (node-link) or `.csv` (edge list), or a [machine of another tool](convert.md); see [graph files](graph-files.md).";
    ROUTES: PathBuf = "routes", GRAPH, PathText, Words("none: shortest routes"),
        "File with the route of every pair of nodes.";
    METRIC: Metric = "metric", GRAPH,
        OneOf(&[("time", Metric::Time), ("latency", Metric::Latency), ("hops", Metric::Hops)]), Is("\"time\""),
        "Measure in which routes are shortest: `time` (of 1 MiB, which takes on each link its latency and 1 MiB / bandwidth), `latency`, or \
         `hops`; among equal ones in hops.";
}

impl TopologySection {
    pub(crate) fn read(section: &mut Section<'_>) -> Option<Self> {
        let kind = section.kind(&KIND, &KEYS, None);
        match kind {
            Some(Kind::Grid(..) | Kind::FatTree | Kind::Rails | Kind::Graph) => {
                section.refuse(&["adaptive"], switched::REFUSED)
            }
            Some(Kind::Switched(_)) => {}
            None => section.pass(&["adaptive"]),
        }
        let read = match kind {
            Some(Kind::Grid(kind, wrap)) => grid::read(section, kind, wrap),
            Some(Kind::FatTree) => fat_tree::read(section),
            Some(Kind::Switched(kind)) => switched::read(section, kind),
            Some(Kind::Rails) => return rails::read(section),
            Some(Kind::Graph) => return graph::read(section),
            None => {
                read_links(section, (None, "dimension or stage"));
                None
            }
        }?;
        let links = read.links();
        section.settle(&BANDWIDTH, OneOrMany::of(links.iter().map(|link| link.bandwidth).collect()));
        section.settle(&LATENCY, OneOrMany::of(links.iter().map(|link| link.latency).collect()));
        section.put_last("bandwidth latency");
        Some(read)
    }

    /// The machine, with these cables between nodes and routers. Mistakes of one of several networks come with its number.
    pub(crate) fn build(
        &self,
        link: NodeLink,
        wires: NodeCables,
    ) -> Result<Topology, Vec<(Option<usize>, Mistake)>> {
        #[cfg(test)]
        crate::tests::count_built::<Topology>();
        if let Self::Rails(section) = self {
            return section.build(wires);
        }
        self.build_one(link, wires)
            .map_err(|mistakes| mistakes.into_iter().map(|mistake| (None, mistake)).collect())
    }

    fn build_one(&self, link: NodeLink, wires: NodeCables) -> Result<Topology, Vec<Mistake>> {
        match self {
            Self::Grid { kind: kind @ (GridKind::Torus | GridKind::Tofu), dimensions, tie, rule } => {
                let made = match kind {
                    GridKind::Tofu => {
                        let six = dimensions[..].try_into().expect("a Tofu has six dimensions");
                        tofu::machine(six, *tie, link)
                    }
                    _ => Torus::new(dimensions.clone(), *tie, link),
                };
                let chosen =
                    |made: Torus| if *rule == Rule::Minimal { made } else { made.with_chosen_ways() };
                made.map(chosen).map(Topology::Torus)
            }
            Self::Grid { kind: GridKind::Hypercrossbar, dimensions, .. } => {
                let dimension = |&Dimension { size, bandwidth, latency, .. }: &Dimension| CrossbarDimension {
                    size,
                    bandwidth,
                    latency,
                };
                let dimensions = dimensions.iter().map(dimension).collect();
                Hypercrossbar::new(dimensions, link).map(Topology::Hypercrossbar)
            }
            Self::FatTree { stages, parallel, cables, routing } => {
                let between = &cables[..stages.len() - 1];
                let made = FatTree::with_parallel_cables(stages, parallel, between, *routing, link);
                made.map(Topology::FatTree)
            }
            Self::Switched(section) => section.build(link),
            Self::Rails(_) => unreachable!("none of several networks is several itself"),
            Self::Graph(section) => {
                Ok(Topology::Graph(section.graph.with_node_link(link).with_node_cables(wires)))
            }
        }
    }

    /// One per dimension, pair of stages or class of cables; none for a graph.
    fn links(&self) -> Vec<Stage> {
        match self {
            Self::Grid { dimensions, .. } => {
                dimensions.iter().map(|d| Stage { bandwidth: d.bandwidth, latency: d.latency }).collect()
            }
            Self::FatTree { cables, .. } => cables.clone(),
            Self::Switched(section) => section.cables.clone(),
            Self::Rails(_) | Self::Graph(_) => Vec::new(),
        }
    }

    /// Returns whether cables of nodes differ among each other, or are said in a file.
    pub(crate) fn has_node_cables(&self) -> bool {
        match self {
            Self::Rails(_) => true,
            Self::Graph(section) => section.graph.has_node_cables(),
            _ => false,
        }
    }

    pub(crate) fn warning(&self) -> Option<String> {
        match self {
            Self::Graph(section) => section.warning(),
            Self::Switched(section) => section.warning(),
            Self::Rails(_) | Self::Grid { .. } | Self::FatTree { .. } => None,
        }
    }

    /// The rule that chooses among ways, where there is one; several networks have theirs.
    pub(crate) fn rule(&self) -> Option<Rule> {
        match self {
            Self::Grid { rule, .. } => Some(*rule),
            Self::FatTree { routing, .. } => routing.rule(),
            Self::Switched(section) => Some(section.rule),
            Self::Rails(_) | Self::Graph(_) => None,
        }
    }

    /// Sizes of the dimensions, x first, where nodes stand on a grid.
    pub(crate) fn shape(&self) -> Option<Vec<u32>> {
        match self {
            Self::Grid { dimensions, .. } => Some(dimensions.iter().map(|d| d.size).collect()),
            Self::FatTree { .. } | Self::Switched(_) | Self::Rails(_) | Self::Graph(_) => None,
        }
    }

    pub(crate) fn largest_bandwidth(&self) -> Bandwidth {
        match self {
            Self::Graph(section) => return section.largest_bandwidth(),
            Self::Rails(RailsSection { networks }) => {
                let all = networks.iter().map(|network| network.topology.largest_bandwidth());
                return all.reduce(Bandwidth::max).expect("there is a network");
            }
            _ => {}
        }
        let bandwidths = self.links().into_iter().map(|link| link.bandwidth);
        bandwidths.reduce(Bandwidth::max).expect("a machine has at least one dimension or stage")
    }

    pub(crate) fn first_latency(&self) -> Duration {
        match self {
            Self::Graph(section) => return section.first_latency(),
            Self::Rails(section) => return section.networks[0].topology.first_latency(),
            _ => {}
        }
        self.links().first().expect("a machine has at least one dimension or stage").latency
    }

    pub(crate) fn with_room_for(&self, nodes: u64) -> String {
        match self {
            Self::Grid { kind, dimensions, .. } => grid::with_room_for(*kind, dimensions, nodes),
            Self::FatTree { stages, parallel, .. } => fat_tree::with_room_for(stages, parallel, nodes),
            Self::Switched(section) => section.with_room_for(nodes),
            Self::Rails(_) => format!("topology.networks of {nodes} nodes"),
            Self::Graph(_) => format!("a topology.file with {nodes} nodes"),
        }
    }

    /// The value of `topology.kind`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Grid { kind: GridKind::Tofu, .. } => "tofu",
            Self::Grid { kind: GridKind::Hypercrossbar, .. } => "hypercrossbar",
            Self::Grid { dimensions, .. } if dimensions.iter().any(|d| d.wrap == Wrap::Torus) => "torus",
            Self::Grid { .. } => "mesh",
            Self::FatTree { .. } => "fat-tree",
            Self::Switched(section) => section.network.kind(),
            Self::Rails(_) => "rails",
            Self::Graph(_) => "graph",
        }
    }

    /// Kind and size in a few words: `torus, 8 x 4 x 4`, `fat tree, 2 stages of switches: 4 down 4 up, 8 down`.
    pub fn in_words(&self) -> String {
        match self {
            Self::Grid { kind, dimensions, tie, rule } if *rule != Rule::Minimal => {
                let (kind, dimensions) = (*kind, dimensions.clone());
                let fixed = Self::Grid { kind, dimensions, tie: *tie, rule: Rule::Minimal };
                format!("{}; routes: {}", fixed.in_words(), rule.name())
            }
            Self::Grid { kind: GridKind::Torus, dimensions, .. } => {
                let closed = dimensions.iter().filter(|d| d.wrap == Wrap::Torus).count();
                let sizes = sizes(dimensions.iter().map(|d| d.size));
                if closed == 0 || closed == dimensions.len() {
                    return format!("{}, {sizes}", self.kind());
                }
                let wraps = dimensions.iter().map(|d| if d.wrap == Wrap::Torus { "ring" } else { "line" });
                format!("torus and mesh, {sizes}: {}", wraps.collect::<Vec<_>>().join(" x "))
            }
            Self::Grid { kind: GridKind::Tofu, dimensions, .. } => {
                let [groups, group] = [0..3, 3..6].map(|part| sizes(dimensions[part].iter().map(|d| d.size)));
                let names = tofu::AXES.into_iter().zip(dimensions);
                let rings = names.filter_map(|(name, d)| (d.wrap == Wrap::Torus).then_some(name));
                let rings = rings.collect::<Vec<_>>().join(", ");
                let rings = if rings.is_empty() { "none".to_owned() } else { rings };
                format!("tofu, {groups} groups of {group}; rings: {rings}")
            }
            Self::Grid { kind: GridKind::Hypercrossbar, dimensions, .. } => {
                format!("hypercrossbar, {}", sizes(dimensions.iter().map(|d| d.size)))
            }
            Self::FatTree { stages, parallel, routing, .. } => {
                let ports = |(&Switches { down, up }, cables): (&Switches, &u32)| match (up, cables) {
                    (0, _) => format!("{down} down"),
                    (up, 1) => format!("{down} down {up} up"),
                    (up, cables) => format!("{down} down {up} up with {cables} cables each"),
                };
                let ports: Vec<_> = stages.iter().zip(parallel.iter().chain([&1])).map(ports).collect();
                let plural = if stages.len() == 1 { "" } else { "s" };
                let by = match routing {
                    FatTreeRouting::DestinationMod => "up by destination",
                    FatTreeRouting::SourceMod => "up by source",
                    FatTreeRouting::RandomUp => "routes: random-up",
                    FatTreeRouting::AdaptiveUp => "routes: adaptive-up",
                };
                let (count, ports) = (stages.len(), ports.join(", "));
                format!("fat tree, {count} stage{plural} of switches: {ports}; {by}")
            }
            Self::Switched(section) => section.in_words(),
            Self::Rails(section) => section.in_words(),
            Self::Graph(section) => format!("graph, from {}", section.file.display()),
        }
    }
}

fn sizes(sizes: impl Iterator<Item = u32>) -> String {
    sizes.map(|size| size.to_string()).collect::<Vec<_>>().join(" x ")
}

/// `bandwidth` and `latency`, for each dimension or stage. Where they are wrong something stands in for them, so that
/// what depends on the number of nodes can be checked all the same.
fn read_links(section: &mut Section<'_>, each: Per<'_>) -> Option<Vec<Stage>> {
    let count = each.0;
    let bandwidths = section.get_required(&BANDWIDTH);
    let bandwidths = bandwidths.and_then(|written| section.for_each(&BANDWIDTH, written, each));
    let latencies = section.get(&LATENCY);
    let latencies = latencies.and_then(|written| section.for_each(&LATENCY, written, each));
    let bandwidths = bandwidths.unwrap_or(vec![stand_in(); count?]);
    let latencies = latencies.unwrap_or(vec![Duration::ZERO; count?]);
    let both = bandwidths.into_iter().zip(latencies);
    Some(both.map(|(bandwidth, latency)| Stage { bandwidth, latency }).collect())
}

/// Takes the place of a bandwidth that is wrong: the input is refused anyway.
fn stand_in() -> Bandwidth {
    Bandwidth::new(1.0).expect("1 is positive")
}
