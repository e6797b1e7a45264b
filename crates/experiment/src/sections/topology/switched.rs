//! Kinds whose routers leave a choice of ways: dragonfly, HyperX, full mesh. A kind is a variant of [`Network`] with its keys.

use super::{SwitchedKind, TopologySection, read_links, sizes};
use crate::keys::form::{DATA, Integer};
use crate::keys::{Key, section};
use crate::source::reader::Section;
use weir_topology::{
    Adaptive, Arrangement, Dragonfly, HyperX, Mistake, NodeLink, Rule, Stage, Switched, Topology, Wiring,
};
use weir_units::Bytes;

/// The largest weight of a queue.
const MOST_WEIGHT: u64 = 1_000_000;
/// More detours than any router compares.
const MOST_CANDIDATES: u64 = 1024;

/// A network of these kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchedSection {
    /// The routers and the cables between them.
    pub network: Network,
    /// Number of nodes of each router.
    pub nodes_per_router: u32,
    /// The cables of each class: of a dragonfly local and global, of the others by dimension.
    pub cables: Vec<Stage>,
    /// Rule of its routes.
    pub rule: Rule,
}

/// The routers of a network and the cables between them.
#[derive(Clone, Debug, PartialEq)]
pub enum Network {
    /// `kind = "dragonfly"`.
    Dragonfly {
        /// Routers of a group, and global cables of each.
        routers: (u32, u32),
        /// Groups, and cables between any two.
        groups: (u32, u32),
        /// Which global cable leads where.
        arrangement: Arrangement,
    },
    /// `kind = "hyperx"`.
    HyperX {
        /// Routers along each dimension, x first.
        shape: Vec<u32>,
        /// Cables between any two routers of a line.
        links_per_pair: u32,
    },
    /// `kind = "full-mesh"`.
    FullMesh {
        /// Number of routers.
        routers: u32,
        /// Cables between any two.
        links_per_pair: u32,
    },
}

section! {
    /// Weights of a rule that compares queues.
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct AdaptiveSection of "topology.adaptive";
    threshold: Bytes = DATA, Is("0"),
        "Bytes by which the queue of a detour has to be shorter: the detour is taken if `minimal_weight` times the bytes that wait on the \
         shortest way are more than `detour_weight` times those that wait on the detour and this together.";
    minimal_weight: u32 = Integer(1, MOST_WEIGHT), Is("1"), "Weight of the bytes that wait on the shortest way, 1 to 1,000,000.";
    detour_weight: u32 = Integer(0, MOST_WEIGHT), Is("2"),
        "Weight of the bytes that wait on the detour, 0 to 1,000,000: 2, as it has twice as many links.";
    candidates: u32 = Integer(1, MOST_CANDIDATES), Is("1"),
        "Number of detours that are drawn, of which the one where fewest bytes wait is compared with the shortest way, 1 to 1,024.";
}

pub(super) fn read(section: &mut Section<'_>, kind: SwitchedKind) -> Option<TopologySection> {
    let nodes_per_router = section.get_required(&super::NODES_PER_ROUTER);
    let network = match kind {
        SwitchedKind::Dragonfly => dragonfly(section),
        SwitchedKind::HyperX => hyper_x(section),
        SwitchedKind::FullMesh => full_mesh(section),
    };
    let rule = read_rule(section, rules_of(kind));
    let (classes, per) = match (kind, &network) {
        (SwitchedKind::Dragonfly, _) => (Some(2), "kind of cables, local and global"),
        (_, network) => (network.as_ref().map(Network::dimensions), "dimension"),
    };
    let cables = read_links(section, (classes, per));
    let made =
        SwitchedSection { network: network?, nodes_per_router: nodes_per_router?, cables: cables?, rule };
    Some(TopologySection::Switched(made))
}

/// The key whose values are the rules that a kind has.
fn rules_of(kind: SwitchedKind) -> &'static Key<Rule> {
    match kind {
        SwitchedKind::Dragonfly => &super::GROUP_ROUTING,
        SwitchedKind::HyperX | SwitchedKind::FullMesh => &super::LINE_ROUTING,
    }
}

/// Where `groups` is absent there are as many as the global cables allow, and where it is there they take all cables that fit evenly.
fn dragonfly(section: &mut Section<'_>) -> Option<Network> {
    let routers = section.get_required(&super::ROUTERS_PER_GROUP);
    let global = section.get_required(&super::GLOBAL_LINKS);
    let groups = section.get(&super::GROUPS);
    let per_pair = section.get(&super::LINKS_PER_PAIR);
    let arrangement = section.get_or_default(&super::ARRANGEMENT);
    let is_wrong =
        (section.has("groups") && groups.is_none()) || (section.has("links_per_pair") && per_pair.is_none());
    let (routers, global) = routers.zip(global).filter(|_| !is_wrong)?;
    let cables = routers.saturating_mul(global);
    let most_per_pair = |groups: u32| cables.checked_div(groups - 1).unwrap_or(1).max(1);
    let per_pair = per_pair.unwrap_or_else(|| groups.map_or(1, most_per_pair));
    let groups = groups.unwrap_or_else(|| (cables / per_pair).saturating_add(1));
    section.settle(&super::GROUPS, groups);
    section.settle(&super::LINKS_PER_PAIR, per_pair);
    Some(Network::Dragonfly { routers: (routers, global), groups: (groups, per_pair), arrangement })
}

fn hyper_x(section: &mut Section<'_>) -> Option<Network> {
    let shape = section.get_required(&super::SHAPE);
    let links_per_pair = section.get_or(&super::LINKS_PER_PAIR, 1);
    Some(Network::HyperX { shape: shape?, links_per_pair })
}

fn full_mesh(section: &mut Section<'_>) -> Option<Network> {
    let routers = section.get_required(&super::ROUTERS);
    let links_per_pair = section.get_or(&super::LINKS_PER_PAIR, 1);
    Some(Network::FullMesh { routers: routers?, links_per_pair })
}

/// `routing`, and `[topology.adaptive]` for a rule that compares queues.
fn read_rule(section: &mut Section<'_>, routing: &'static Key<Rule>) -> Rule {
    let rule = section.get_or_default(routing);
    if rule.adaptive().is_none() {
        match section.is_right("routing") {
            true => section.refuse(&["adaptive"], REFUSED),
            false => section.pass(&["adaptive"]),
        }
        return rule;
    }
    section.table("adaptive");
    let mut table = section.inner("adaptive", KEYS.name);
    let read = AdaptiveSection::read_keys(&mut table).expect("no key is required");
    table.finish();
    let adaptive = Adaptive {
        threshold: read.threshold.0,
        minimal_weight: read.minimal_weight,
        detour_weight: read.detour_weight,
        candidates: read.candidates,
    };
    match rule {
        Rule::UgalL(_) => Rule::UgalL(adaptive),
        Rule::Par(_) => Rule::Par(adaptive),
        Rule::DimWar(_) => Rule::DimWar(adaptive),
        Rule::OmniWar(_) => Rule::OmniWar(adaptive),
        fixed => fixed,
    }
}

/// Why the table of weights is refused.
pub(super) const REFUSED: &str = "belongs to the rules that weigh a detour: topology.routing = \"ugal-l\", \"par\", \"dimwar\" or \"omniwar\"";

impl Network {
    /// The value of `topology.kind`.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Dragonfly { .. } => "dragonfly",
            Self::HyperX { .. } => "hyperx",
            Self::FullMesh { .. } => "full-mesh",
        }
    }

    fn dimensions(&self) -> usize {
        if let Self::HyperX { shape, .. } = self { shape.len() } else { 1 }
    }

    fn wiring(&self) -> Result<Wiring, Vec<Mistake>> {
        match self {
            &Self::Dragonfly { routers, groups, arrangement } => {
                Dragonfly::new(routers, groups, arrangement).map(Wiring::Dragonfly)
            }
            Self::HyperX { shape, links_per_pair } => HyperX::new(shape, *links_per_pair).map(Wiring::HyperX),
            &Self::FullMesh { routers, links_per_pair } => {
                let made = HyperX::new(&[routers], links_per_pair).map(Wiring::HyperX);
                let name = |mistake: Mistake| match mistake.key {
                    "shape" => Mistake { key: "routers", ..mistake },
                    _ => mistake,
                };
                made.map_err(|mistakes| mistakes.into_iter().map(name).collect())
            }
        }
    }

    /// Routers and cables in words.
    fn in_words(&self) -> String {
        let cables =
            |links: u32| if links == 1 { String::new() } else { format!(" with {links} cables a pair") };
        match self {
            Self::Dragonfly { routers, groups, .. } => {
                format!("dragonfly, {} groups of {} routers{}", groups.0, routers.0, cables(groups.1))
            }
            Self::HyperX { shape, links_per_pair } => {
                format!("HyperX, {} routers{}", sizes(shape.iter().copied()), cables(*links_per_pair))
            }
            Self::FullMesh { routers, links_per_pair } => {
                format!("full mesh, {routers} routers{}", cables(*links_per_pair))
            }
        }
    }
}

impl SwitchedSection {
    pub(super) fn build(&self, link: NodeLink) -> Result<Topology, Vec<Mistake>> {
        let cables =
            self.cables.iter().map(|&Stage { bandwidth, latency }| NodeLink { bandwidth, latency }).collect();
        let made = Switched::new(self.network.wiring()?, self.nodes_per_router, cables, link, self.rule);
        made.map(Topology::Switched)
    }

    pub(super) fn in_words(&self) -> String {
        let nodes = match self.nodes_per_router {
            1 => "a node each".to_owned(),
            nodes => format!("{nodes} nodes each"),
        };
        format!("{}, {nodes}; routes: {}", self.network.in_words(), self.rule.name())
    }

    /// More groups or a longer last dimension, if that is possible; else more nodes at each router.
    pub(super) fn with_room_for(&self, nodes: u64) -> String {
        let per_router = u64::from(self.nodes_per_router);
        let routers = nodes.div_ceil(per_router);
        match &self.network {
            Network::Dragonfly { routers: (each, global), groups: (groups, per_pair), .. } => {
                let needed = routers.div_ceil(u64::from(*each));
                let most = |per_pair: u32| u64::from(*each) * u64::from(*global) / u64::from(per_pair) + 1;
                if needed <= most(*per_pair) {
                    return format!("topology.groups = {needed}");
                } else if needed <= most(1) {
                    return format!("topology.groups = {needed} and links_per_pair = 1");
                }
                let there_are = u64::from(*each) * u64::from(*groups);
                format!("topology.nodes_per_router = {}", nodes.div_ceil(there_are))
            }
            Network::HyperX { shape, .. } => {
                let (last, others) = shape.split_last().expect("a shape has a dimension");
                let product: u64 = others.iter().map(|&size| u64::from(size)).product();
                let mut shape = shape.clone();
                let longer = routers.div_ceil(product).max(u64::from(*last));
                shape.pop();
                let shape: Vec<u64> = shape.into_iter().map(u64::from).chain([longer]).collect();
                format!("topology.shape = {shape:?}")
            }
            Network::FullMesh { .. } => format!("topology.routers = {routers}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::AnyKey;
    use weir_units::{Bandwidth, Duration};

    /// The rules that a kind takes are those that its network has, and no others.
    #[test]
    fn rules_are_those_of_the_networks() {
        let adaptive = Adaptive::default();
        let all = [
            Rule::Minimal,
            Rule::MinimalRandom,
            Rule::Hashed,
            Rule::Valiant,
            Rule::ValiantGroup,
            Rule::UgalL(adaptive),
            Rule::Par(adaptive),
            Rule::DimWar(adaptive),
            Rule::OmniWar(adaptive),
            Rule::MinimalAdaptive,
        ];
        let networks = [
            (
                SwitchedKind::Dragonfly,
                Network::Dragonfly { routers: (2, 1), groups: (3, 1), arrangement: Arrangement::Absolute },
            ),
            (SwitchedKind::HyperX, Network::HyperX { shape: vec![2, 2], links_per_pair: 1 }),
            (SwitchedKind::FullMesh, Network::FullMesh { routers: 3, links_per_pair: 1 }),
        ];
        let link = NodeLink { bandwidth: Bandwidth::new(1.0).unwrap(), latency: Duration::ZERO };
        for (kind, network) in networks {
            let names = AnyKey::schema(rules_of(kind))["enum"].as_array().unwrap().clone();
            for rule in all {
                let classes = if kind == SwitchedKind::Dragonfly { 2 } else { network.dimensions() };
                let made = Switched::new(network.wiring().unwrap(), 1, vec![link; classes], link, rule);
                assert_eq!(
                    made.is_ok(),
                    names.contains(&rule.name().into()),
                    "{} of {}",
                    rule.name(),
                    network.kind()
                );
            }
        }
    }
}
