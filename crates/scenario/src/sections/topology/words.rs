//! A machine in words, for those who read.

use super::TopologySection;
use weir_topology::{FatTreeRouting, Switches, Wrap, tofu};

impl TopologySection {
    /// The value of `topology.kind`: `torus`, `mesh`, `hypercrossbar`, `tofu`, `fat-tree` or `graph`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Torus { dimensions, .. } if dimensions.iter().any(|d| d.wrap == Wrap::Torus) => "torus",
            Self::Torus { .. } => "mesh",
            Self::Tofu { .. } => "tofu",
            Self::Hypercrossbar { .. } => "hypercrossbar",
            Self::FatTree { .. } => "fat-tree",
            Self::Graph(_) => "graph",
        }
    }

    /// Kind and size in a few words: `torus, 8 x 4 x 4`, `fat tree, 2 stages of switches: 4 down 4 up, 8 down`.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Torus { dimensions, .. } => {
                let closed = dimensions.iter().filter(|d| d.wrap == Wrap::Torus).count();
                let sizes = sizes(dimensions.iter().map(|d| d.size));
                if closed == 0 || closed == dimensions.len() {
                    return format!("{}, {sizes}", self.kind());
                }
                let wraps = dimensions.iter().map(|d| if d.wrap == Wrap::Torus { "ring" } else { "line" });
                format!("torus and mesh, {sizes}: {}", wraps.collect::<Vec<_>>().join(" x "))
            }
            Self::Tofu { dimensions, .. } => {
                let [groups, group] = [0..3, 3..6].map(|part| sizes(dimensions[part].iter().map(|d| d.size)));
                let names = tofu::AXES.into_iter().zip(dimensions);
                let rings = names.filter_map(|(name, d)| (d.wrap == Wrap::Torus).then_some(name));
                let rings = rings.collect::<Vec<_>>().join(", ");
                let rings = if rings.is_empty() { "none".to_owned() } else { rings };
                format!("tofu, {groups} groups of {group}; rings: {rings}")
            }
            Self::Hypercrossbar { dimensions } => {
                format!("hypercrossbar, {}", sizes(dimensions.iter().map(|d| d.size)))
            }
            Self::FatTree { stages, routing, .. } => {
                let ports = |&Switches { down, up }: &Switches| match up {
                    0 => format!("{down} down"),
                    up => format!("{down} down {up} up"),
                };
                let ports: Vec<_> = stages.iter().map(ports).collect();
                let plural = if stages.len() == 1 { "" } else { "s" };
                let by = match routing {
                    FatTreeRouting::DestinationMod => "destination",
                    FatTreeRouting::SourceMod => "source",
                };
                let (count, ports) = (stages.len(), ports.join(", "));
                format!("fat tree, {count} stage{plural} of switches: {ports}; up by {by}")
            }
            Self::Graph(section) => format!("graph, from {}", section.file.display()),
        }
    }
}

fn sizes(sizes: impl Iterator<Item = u32>) -> String {
    sizes.map(|size| size.to_string()).collect::<Vec<_>>().join(" x ")
}
