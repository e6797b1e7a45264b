//! Kinds whose routers leave a choice of ways: dragonflies, HyperX, full mesh, Slim Fly, PolarFly. A kind is a variant of [`Network`] with its keys.

use super::{SwitchedKind, TopologySection, read_links, sizes};
use crate::check::{Check, Parts};
use crate::keys::form::{DATA, Integer, OneOf};
use crate::keys::{Key, section};
use crate::source::reader::Section;
use weir_topology::{
    Adaptive, Arrangement, Decide, Dragonfly, DragonflyPlus, HyperX, Mistake, NodeLink, PolarFly, Rule,
    SlimFly, Stage, Switched, Topology, Wiring,
};
use weir_units::Bytes;

/// The largest weight of a queue.
const MOST_WEIGHT: u64 = 1_000_000;
/// More detours than any router compares.
const MOST_CANDIDATES: u64 = 1024;

/// Who decides between a shortest way and one around.
const DECIDE: [(&str, Decide); 3] = [
    ("injection", Decide::Injection),
    ("source-router", Decide::SourceRouter),
    ("each-router", Decide::EachRouter),
];

/// A network of these kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchedSection {
    /// The routers and the cables between them.
    pub network: Network,
    /// Number of nodes of each router that has some.
    pub nodes_per_router: u32,
    /// The cables of each class: of dragonflies and a Slim Fly local and global, of a HyperX by dimension.
    pub cables: Vec<Stage>,
    /// Rule of its routes.
    pub rule: Rule,
    /// Where the rule comes from.
    pub origin: Origin,
}

/// Where a rule comes from, which makes no other network: all are equal.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// From the input.
    Written,
    /// It is that of the kind.
    Kind,
    /// It is `minimal`, as the run cannot have that of the kind: why.
    Instead(&'static str),
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
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
    /// `kind = "dragonfly-plus"`.
    DragonflyPlus {
        /// Leaves and spines of a group, and global cables of each spine.
        routers: (u32, u32, u32),
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
    /// `kind = "slim-fly"`.
    SlimFly {
        /// Prime power of which it is made.
        q: u32,
    },
    /// `kind = "polar-fly"`.
    PolarFly {
        /// Prime power of which it is made.
        q: u32,
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
    detour_weight: u32 = Integer(0, MOST_WEIGHT), Words("`2`; `ugal-g`: `1`"),
        "Weight of the bytes that wait on the detour, 0 to 1,000,000: 2, as it has twice as many links, and 1 where those of all links are added up.";
    candidates: u32 = Integer(1, MOST_CANDIDATES), Is("1"),
        "Number of detours that are drawn, of which the one where fewest bytes wait is compared with the shortest way, 1 to 1,024.";
    decide: Decide = OneOf(&DECIDE), Dependent("\"source-router\""),
        "Who decides under `ugal-l` and `ugal-g`: the interface as it begins to send a packet, by what routers have announced (`injection`), the \
         router of the source (`source-router`), or each router of the shortest way until one takes a detour (`each-router`), which needs more \
         virtual channels. Flows see no difference.";
}

pub(super) fn read(section: &mut Section<'_>, kind: SwitchedKind) -> Option<TopologySection> {
    let nodes = section.get_required(nodes_of(kind));
    let network = match kind {
        SwitchedKind::Dragonfly => dragonfly(section),
        SwitchedKind::DragonflyPlus => dragonfly_plus(section),
        SwitchedKind::HyperX => hyper_x(section),
        SwitchedKind::FullMesh => full_mesh(section),
        SwitchedKind::SlimFly => section.get_required(&super::Q).map(|q| Network::SlimFly { q }),
        SwitchedKind::PolarFly => section.get_required(&super::Q).map(|q| Network::PolarFly { q }),
    };
    let is_written = section.has("routing") || section.has("adaptive");
    let rule = read_rule(section, rules_of(kind));
    let origin = if is_written { Origin::Written } else { Origin::Kind };
    let each = match kind {
        SwitchedKind::Dragonfly | SwitchedKind::DragonflyPlus | SwitchedKind::SlimFly => {
            (Some(2), "kind of cables, local and global")
        }
        SwitchedKind::HyperX => (network.as_ref().map(Network::classes), "dimension"),
        SwitchedKind::FullMesh | SwitchedKind::PolarFly => (Some(1), "kind of cables"),
    };
    let cables = read_links(section, each);
    let made = SwitchedSection { network: network?, nodes_per_router: nodes?, cables: cables?, rule, origin };
    Some(TopologySection::Switched(made))
}

/// The key of the nodes at a router.
fn nodes_of(kind: SwitchedKind) -> &'static Key<u32> {
    if kind == SwitchedKind::DragonflyPlus { &super::NODES_PER_LEAF } else { &super::NODES_PER_ROUTER }
}

/// The key whose values are the rules that a kind has.
fn rules_of(kind: SwitchedKind) -> &'static Key<Rule> {
    match kind {
        SwitchedKind::Dragonfly | SwitchedKind::DragonflyPlus => &super::GROUP_ROUTING,
        SwitchedKind::HyperX | SwitchedKind::FullMesh => &super::LINE_ROUTING,
        SwitchedKind::SlimFly | SwitchedKind::PolarFly => &super::FLY_ROUTING,
    }
}

fn dragonfly(section: &mut Section<'_>) -> Option<Network> {
    let routers = section.get_required(&super::ROUTERS_PER_GROUP);
    let global = section.get_required(&super::GLOBAL_LINKS);
    let groups = read_groups(section, routers.zip(global));
    let arrangement = section.get_or_default(&super::ARRANGEMENT);
    Some(Network::Dragonfly { routers: (routers?, global?), groups: groups?, arrangement })
}

fn dragonfly_plus(section: &mut Section<'_>) -> Option<Network> {
    let leaves = section.get_required(&super::LEAVES);
    let spines = section.get_required(&super::SPINES);
    let global = section.get_required(&super::GLOBAL_LINKS);
    let groups = read_groups(section, spines.zip(global));
    let arrangement = section.get_or_default(&super::ARRANGEMENT);
    Some(Network::DragonflyPlus { routers: (leaves?, spines?, global?), groups: groups?, arrangement })
}

/// Groups, and cables between any two, where a group has so many routers with so many global cables each. Where `groups` is absent
/// there are as many as these allow; where it is there and `links_per_pair` is not, as many cables as all pairs can have.
fn read_groups(section: &mut Section<'_>, global: Option<(u32, u32)>) -> Option<(u32, u32)> {
    let groups = section.get(&super::GROUPS);
    let per_pair = section.get(&super::LINKS_PER_PAIR);
    let is_wrong =
        (section.has("groups") && groups.is_none()) || (section.has("links_per_pair") && per_pair.is_none());
    let (routers, each) = global.filter(|_| !is_wrong)?;
    let cables = routers.saturating_mul(each);
    let most_per_pair = |groups: u32| cables.checked_div(groups - 1).unwrap_or(1).max(1);
    let per_pair = per_pair.unwrap_or_else(|| groups.map_or(1, most_per_pair));
    let groups = groups.unwrap_or_else(|| (cables / per_pair).saturating_add(1));
    section.settle(&super::GROUPS, groups);
    section.settle(&super::LINKS_PER_PAIR, per_pair);
    Some((groups, per_pair))
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
    if !section.is_right("routing") {
        section.pass(&["adaptive"]);
        return rule;
    }
    if rule.adaptive().is_none() {
        section.refuse(&["adaptive"], REFUSED);
        return rule;
    }
    section.table("adaptive");
    let name = format!("{}.adaptive", section.name());
    let mut table = section.inner("adaptive", name);
    let mut read = AdaptiveSection::read_keys(&mut table).expect("no key is required");
    let detour_weight = read.detour_weight.unwrap_or(if let Rule::UgalG(_) = rule { 1 } else { 2 });
    table.settle(&key::detour_weight, detour_weight);
    let fits = match rule {
        Rule::UgalL(_) | Rule::UgalG(_) => Ok(()),
        Rule::Par(_) => Err(
            "belongs to ugal-l and ugal-g: by par the router of the source decides, and one more of its group; leave it out",
        ),
        _ => Err("belongs to ugal-l and ugal-g: by dimwar and omniwar each router decides; leave it out"),
    };
    table.depend(&key::decide, &mut read.decide, fits);
    table.finish();
    let adaptive = Adaptive {
        threshold: read.threshold.0,
        minimal_weight: read.minimal_weight,
        detour_weight,
        candidates: read.candidates,
        decide: read.decide.unwrap_or_default(),
    };
    match rule {
        Rule::UgalL(_) => Rule::UgalL(adaptive),
        Rule::UgalG(_) => Rule::UgalG(adaptive),
        Rule::Par(_) => Rule::Par(adaptive),
        Rule::DimWar(_) => Rule::DimWar(adaptive),
        Rule::OmniWar(_) => Rule::OmniWar(adaptive),
        fixed => fixed,
    }
}

/// Why the table of weights is refused.
pub(super) const REFUSED: &str = "belongs to the rules that weigh a detour: topology.routing = \"ugal-l\", \"ugal-g\", \"par\", \"dimwar\" or \"omniwar\"";

impl Network {
    /// The value of `topology.kind`.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Dragonfly { .. } => "dragonfly",
            Self::DragonflyPlus { .. } => "dragonfly-plus",
            Self::HyperX { .. } => "hyperx",
            Self::FullMesh { .. } => "full-mesh",
            Self::SlimFly { .. } => "slim-fly",
            Self::PolarFly { .. } => "polar-fly",
        }
    }

    /// Number of classes of cables.
    fn classes(&self) -> usize {
        match self {
            Self::Dragonfly { .. } | Self::DragonflyPlus { .. } | Self::SlimFly { .. } => 2,
            Self::HyperX { shape, .. } => shape.len(),
            Self::FullMesh { .. } | Self::PolarFly { .. } => 1,
        }
    }

    fn wiring(&self) -> Result<Wiring, Vec<Mistake>> {
        match self {
            &Self::Dragonfly { routers, groups, arrangement } => {
                Dragonfly::new(routers, groups, arrangement).map(Wiring::Dragonfly)
            }
            &Self::DragonflyPlus { routers, groups, arrangement } => {
                DragonflyPlus::new(routers, groups, arrangement).map(Wiring::DragonflyPlus)
            }
            &Self::SlimFly { q } => SlimFly::new(q).map(Wiring::SlimFly),
            &Self::PolarFly { q } => PolarFly::new(q).map(Wiring::PolarFly),
            Self::HyperX { shape, links_per_pair } => HyperX::new(shape, *links_per_pair).map(Wiring::HyperX),
            &Self::FullMesh { routers, links_per_pair } => {
                let made = HyperX::new(&[routers], links_per_pair).map(Wiring::HyperX);
                made.map_err(|mistakes| renamed(mistakes, "shape", "routers"))
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
            Self::DragonflyPlus { routers: (leaves, spines, _), groups, .. } => {
                let (groups, cables) = (groups.0, cables(groups.1));
                format!("dragonfly+, {groups} groups of {leaves} leaves and {spines} spines{cables}")
            }
            Self::HyperX { shape, links_per_pair } => {
                format!("HyperX, {} routers{}", sizes(shape.iter().copied()), cables(*links_per_pair))
            }
            Self::FullMesh { routers, links_per_pair } => {
                format!("full mesh, {routers} routers{}", cables(*links_per_pair))
            }
            Self::SlimFly { q } => format!("Slim Fly of {q}, {} routers", 2 * q * q),
            Self::PolarFly { q } => format!("PolarFly of {q}, {} routers", q * q + q + 1),
        }
    }
}

/// Mistakes of which those of one key are those of another.
fn renamed(mistakes: Vec<Mistake>, from: &str, to: &'static str) -> Vec<Mistake> {
    let name = |mistake: Mistake| if mistake.key == from { Mistake { key: to, ..mistake } } else { mistake };
    mistakes.into_iter().map(name).collect()
}

impl SwitchedSection {
    /// The rule of the kind gives way to `minimal`, also in the resolved experiment.
    pub(crate) fn take_minimal(&mut self, why: &'static str, section: &mut Section<'_>) {
        (self.rule, self.origin) = (Rule::Minimal, Origin::Instead(why));
        section.settle(&super::FLY_ROUTING, Rule::Minimal);
        section.forget_table(KEYS.name);
    }

    pub(super) fn build(&self, link: NodeLink) -> Result<Topology, Vec<Mistake>> {
        let cables =
            self.cables.iter().map(|&Stage { bandwidth, latency }| NodeLink { bandwidth, latency }).collect();
        let made = Switched::new(self.network.wiring()?, self.nodes_per_router, cables, link, self.rule);
        made.map(Topology::Switched)
            .map_err(|mistakes| renamed(mistakes, "nodes_per_router", self.nodes_key()))
    }

    /// Says that another rule than that of the kind holds.
    pub(super) fn warning(&self) -> Option<String> {
        let Origin::Instead(why) = self.origin else { return None };
        Some(format!("routes are shortest ways, as with topology.routing = \"minimal\": {why}"))
    }

    fn nodes_key(&self) -> &'static str {
        if let Network::DragonflyPlus { .. } = self.network { "nodes_per_leaf" } else { "nodes_per_router" }
    }

    pub(super) fn in_words(&self) -> String {
        let whose = if let Network::DragonflyPlus { .. } = self.network { "a leaf" } else { "a router" };
        let (nodes, plural) = (self.nodes_per_router, if self.nodes_per_router == 1 { "" } else { "s" });
        format!("{}, {nodes} node{plural} {whose}; routes: {}", self.network.in_words(), self.rule.name())
    }

    /// More groups or a longer last dimension, if that is possible; else more nodes at each router.
    pub(super) fn with_room_for(&self, nodes: u64) -> String {
        let per_router = u64::from(self.nodes_per_router);
        let routers = nodes.div_ceil(per_router);
        let denser =
            |there_are: u64| format!("topology.{} = {}", self.nodes_key(), nodes.div_ceil(there_are));
        let larger = |homes: u32, cables: (u32, u32), (groups, per_pair): (u32, u32)| {
            let needed = routers.div_ceil(homes.into());
            let most = |per_pair: u32| u64::from(cables.0) * u64::from(cables.1) / u64::from(per_pair) + 1;
            if needed <= most(per_pair) {
                format!("topology.groups = {needed}")
            } else if needed <= most(1) {
                format!("topology.groups = {needed} and links_per_pair = 1")
            } else {
                denser(u64::from(homes) * u64::from(groups))
            }
        };
        match &self.network {
            &Network::Dragonfly { routers, groups, .. } => larger(routers.0, routers, groups),
            &Network::DragonflyPlus { routers: (leaves, spines, global), groups, .. } => {
                larger(leaves, (spines, global), groups)
            }
            Network::HyperX { shape, .. } => {
                let (last, others) = shape.split_last().expect("a shape has a dimension");
                let others = others.iter().map(|&size| u64::from(size)).collect::<Vec<_>>();
                let longer = routers.div_ceil(others.iter().product()).max(u64::from(*last));
                format!("topology.shape = {:?}", [others, vec![longer]].concat())
            }
            Network::FullMesh { .. } => format!("topology.routers = {routers}"),
            &Network::SlimFly { q } => denser(2 * u64::from(q) * u64::from(q)),
            &Network::PolarFly { q } => denser(u64::from(q) * u64::from(q) + u64::from(q) + 1),
        }
    }
}

/// Why the flow engine cannot follow a rule that weighs queues where messages have different weights or priorities, and what would do.
const TURNS: (&str, &str) = (
    "is a rule whose ways around are found, with engine.kind = \"flow\", for messages that all have the same weight and priority",
    "write routing = \"minimal-adaptive\", give all [[classes]] one weight and priority, or write engine.kind = \"packet\"",
);

impl Check<'_> {
    /// Refuses a rule that is written and that the run cannot have; the rule of a kind gives way.
    pub(crate) fn rule_fits(&mut self, parts: &mut Parts) {
        let takes_turns = parts.take_turns_as_flows();
        let (Some(topology), Some(engine)) = (&mut parts.topology, &parts.engine) else { return };
        let refused =
            |rule: Rule| engine.refuses_rule(rule).or((takes_turns && rule.weighs()).then_some(TURNS));
        if let TopologySection::Switched(switched) = topology
            && matches!(switched.origin, Origin::Kind)
        {
            let why = if engine.refuses_rule(switched.rule).is_some() {
                Some("other rules need engine.sharing = \"max-min\" and no engine.method")
            } else if refused(switched.rule).is_some() {
                Some("ways around are found for messages that all have the same weight and priority")
            } else {
                None
            };
            if let Some(why) = why {
                switched.take_minimal(why, &mut self.section("topology"));
            }
        }
        for (network, part) in topology.networks() {
            if let Some((what, hint)) = part.rule().and_then(refused) {
                self.report_in_network(network, "routing", what.into(), hint.into());
            }
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
        let all = Rule::all(Adaptive::default());
        let arrangement = Arrangement::Absolute;
        let networks = [
            (SwitchedKind::Dragonfly, Network::Dragonfly { routers: (2, 1), groups: (3, 1), arrangement }),
            (
                SwitchedKind::DragonflyPlus,
                Network::DragonflyPlus { routers: (2, 2, 1), groups: (3, 1), arrangement },
            ),
            (SwitchedKind::HyperX, Network::HyperX { shape: vec![2, 2], links_per_pair: 1 }),
            (SwitchedKind::FullMesh, Network::FullMesh { routers: 3, links_per_pair: 1 }),
            (SwitchedKind::SlimFly, Network::SlimFly { q: 3 }),
            (SwitchedKind::PolarFly, Network::PolarFly { q: 2 }),
        ];
        let link = NodeLink { bandwidth: Bandwidth::new(1.0).unwrap(), latency: Duration::ZERO };
        for (kind, network) in networks {
            let names = AnyKey::schema(rules_of(kind))["enum"].as_array().unwrap().clone();
            for rule in all {
                let cables = vec![link; network.classes()];
                let made = Switched::new(network.wiring().unwrap(), 1, cables, link, rule);
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
