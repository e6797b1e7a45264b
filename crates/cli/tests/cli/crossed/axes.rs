//! What a scenario is made of: one value of each axis, each value keys of an experiment file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Index of an axis, and of a value on it.
pub(super) type Pair = [(u8, u8); 2];

/// An axis: its name, and the keys of each of its values.
#[derive(serde::Deserialize)]
pub(super) struct Axis {
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

pub(super) const MACHINE: usize = 0;
pub(super) const LATENCY: usize = 1;
pub(super) const ENGINE: usize = 2;
pub(super) const MAPPING: usize = 3;
pub(super) const RANKS_PER_NODE: usize = 4;
pub(super) const INTERFACES: usize = 5;
pub(super) const NODE: usize = 6;
pub(super) const ROUTER: usize = 7;
pub(super) const WORKLOAD: usize = 8;
pub(super) const SIZE: usize = 9;
pub(super) const VARIATION: usize = 10;
pub(super) const COLLECTIVES: usize = 11;
pub(super) const STORAGE: usize = 12;
pub(super) const OUTPUT: usize = 13;
pub(super) const LAW: usize = 14;
pub(super) const FAULTS: usize = 15;
pub(super) const WITHIN: usize = 16;
pub(super) const PROGRESS: usize = 17;
pub(super) const COMBINING: usize = 18;
pub(super) const CLASSES: usize = 19;

/// How many axes there are.
pub(super) const COUNT: usize = 20;

/// The axes that axes.toml beside this file has.
pub(super) static AXES: LazyLock<Vec<Axis>> = LazyLock::new(|| {
    let mut table: BTreeMap<String, Vec<Axis>> = toml::from_str(include_str!("axes.toml")).unwrap();
    table.remove("axis").filter(|axes| axes.len() == COUNT).unwrap()
});

/// A value of each axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Case(pub(super) [u8; COUNT]);

impl Case {
    pub(super) fn value(&self, axis: usize) -> &'static str {
        &AXES[axis].values[usize::from(self.0[axis])]
    }

    /// Its values by their axes, the simplest ones left out.
    pub(super) fn name(&self) -> String {
        let values = (0..AXES.len()).filter(|&axis| self.0[axis] != 0);
        values.map(|axis| format!("{} {}", AXES[axis].name, self.0[axis])).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = Pair> {
        let at = self.0;
        let axes = || 0..AXES.len();
        axes().flat_map(move |a| (a + 1..AXES.len()).map(move |b| [(a as u8, at[a]), (b as u8, at[b])]))
    }

    pub(super) fn has_network(&self) -> bool {
        !self.value(MACHINE).is_empty()
    }

    /// Whether each node has an interface in each of several networks.
    pub(super) fn has_rails(&self) -> bool {
        self.value(MACHINE).starts_with("topology.kind = 'rails'")
    }

    fn kinds_of_routers(&self) -> usize {
        match self.0[MACHINE] {
            7 | 15 | 16 | 17 | 21 => 2,
            4 | 6 | 18 => 3,
            _ => 1,
        }
    }

    pub(super) fn is_on_packets(&self) -> bool {
        self.value(ENGINE).contains("'packet'")
    }

    pub(super) fn is_on_flow(&self) -> bool {
        self.value(ENGINE).contains("'flow'")
    }

    pub(super) fn is_of_kind(&self, kind: &str) -> bool {
        // Asked millions of times until all pairs of values are covered: no text is made for it.
        let behind =
            self.value(WORKLOAD).strip_prefix("workload.kind = '").and_then(|own| own.strip_prefix(kind));
        behind.is_some_and(|rest| rest.starts_with('\''))
    }

    /// Whether ranks make calls, as those of programs and profiles do.
    pub(super) fn makes_calls(&self) -> bool {
        ["program", "profile", "collective"].iter().any(|kind| self.is_of_kind(kind))
    }

    pub(super) fn is_a_pattern(&self) -> bool {
        !self.makes_calls() && !self.is_of_kind("synthetic") && !self.is_of_kind("pattern-file")
    }

    /// How many ranks there are; of synthetic traffic none.
    pub(super) fn ranks(&self) -> usize {
        let (_, behind) = self.value(WORKLOAD).split_once("workload.ranks = ").unwrap_or(("", "12"));
        behind.split(';').next().and_then(|number| number.parse().ok()).expect("it is a number")
    }

    /// Into how many processes weir divides it at most: those of the ideal engine have a node with ranks each.
    pub(super) fn most_processes(&self) -> usize {
        let (_, each) = self.value(RANKS_PER_NODE).split_once(" = ").unwrap_or(("", "1"));
        let nodes = self.ranks().div_ceil(each.parse().expect("it is a number"));
        if self.value(ENGINE).contains("'ideal'") { nodes } else { usize::MAX }
    }

    /// Why weir refuses this, if it does: by its documented rules.
    pub(super) fn refused(&self) -> Option<&'static str> {
        let at = |axis: usize| self.0[axis];
        let (packet, ideal) = (self.is_on_packets(), self.value(ENGINE).contains("'ideal'"));
        let (network, synthetic) = (self.has_network(), self.is_of_kind("synthetic"));
        let passed_on = ["broadcast", "gather", "scatter"].iter().any(|kind| self.is_of_kind(kind))
            || self.value(WORKLOAD).contains("bruck");
        let paced_by_messages = self.is_of_kind("program") || synthetic;
        let output = self.value(OUTPUT);
        let rules = [
            (!network && !ideal, "only the ideal engine needs no machine"),
            (at(INTERFACES) != 0 && self.has_rails(), "each network has an interface of its own"),
            (synthetic && self.has_rails(), "an open loop of one interface"),
            (at(CLASSES) != 0 && [1, 2, 3].contains(&at(ENGINE)), "only max-min shares by classes"),
            (at(CLASSES) != 0 && self.is_on_flow() && at(WITHIN) > 1, "copies within a node have no class"),
            (
                at(CLASSES) != 0 && self.is_on_flow() && [16, 20, 21].contains(&at(MACHINE)),
                "ways around are for messages of one weight",
            ),
            (at(CLASSES) != 0 && packet && at(ROUTER) == 3, "channels are taken in one order"),
            (at(FAULTS) == 3 && ideal, "the ideal engine has no links that could fail"),
            (at(FAULTS) != 0 && !network, "nothing can fail"),
            (at(INTERFACES) == 2 && !packet, "interfaces with a direction are the packet engine's"),
            (
                at(INTERFACES) == 2 && ![0, 1, 2, 3, 5, 10, 11, 19].contains(&at(MACHINE)),
                "only grids have directions",
            ),
            (
                [16, 18, 19, 20, 21].contains(&at(MACHINE)) && [1, 2, 3].contains(&at(ENGINE)),
                "only max-min shares several routes",
            ),
            (
                at(MACHINE) == 19 && packet && [2, 3].contains(&at(ROUTER)),
                "a lane to escape by needs datelines of the place and channels taken with the crossbar",
            ),
            (
                (at(INTERFACES) == 4 || self.has_rails()) && at(ROUTER) == 6,
                "the gap of a message is found for one interface",
            ),
            ((4..7).contains(&at(ROUTER)) && !packet, "gaps and injection channels are the packet engine's"),
            (
                at(ROUTER) == 7 && network && self.kinds_of_routers() != 2
                    || at(ROUTER) == 8 && network && self.kinds_of_routers() != 3,
                "a list has a value for each kind of router",
            ),
            (at(ROUTER) == 6 && paced_by_messages, "gaps by messages that are known before"),
            (at(VARIATION) == 2 && passed_on, "ranks pass on what they got"),
            (synthetic && !packet, "an open loop needs packets"),
            (
                synthetic && (at(INTERFACES) != 0 || at(MAPPING) != 0 || at(RANKS_PER_NODE) != 0),
                "an open loop of nodes",
            ),
            (synthetic && (output.contains("messages") || output.contains("pairs")), "there are no messages"),
            (output.contains("calls") && !self.makes_calls(), "nothing is called"),
            (output.contains("sample_interval") && ideal, "there is nothing to sample"),
            (output.contains("packets") && !packet, "there are no packets"),
        ];
        rules.iter().find(|(holds, _)| *holds).map(|&(_, why)| why)
    }

    /// Whether the values cannot be said together, or the law has nothing to look at.
    fn is_pointless(&self) -> bool {
        let at = |axis: usize| self.0[axis];
        let has_no_such_key = !self.has_network() && (at(LATENCY) != 0 || at(MAPPING) == 3 || at(NODE) == 2)
            || !self.is_a_pattern() && (at(VARIATION) != 0 || at(SIZE) != 0)
            || !self.makes_calls()
                && [COLLECTIVES, STORAGE, PROGRESS, COMBINING].iter().any(|&axis| at(axis) != 0)
            || self.is_of_kind("synthetic") && at(ROUTER) == 5
            || self.value(WORKLOAD).contains("segments") && at(SIZE) == 1
            || at(VARIATION) == 1 && self.value(WORKLOAD).contains("messages =");
        let written =
            ["synthetic", "pattern-file", "profile", "collective"].iter().any(|kind| self.is_of_kind(kind));
        has_no_such_key
            || self.value(LAW) == "cut" && !self.value(OUTPUT).contains("messages")
            || self.value(LAW) == "written out" && (written || at(STORAGE) != 0)
            || self.value(LAW) == "otherwise" && !(self.is_on_flow() && self.is_a_pattern())
            || self.value(LAW) == "asked" && (!self.is_on_flow() || at(CLASSES) != 0)
            // Where all nodes look alike there are no faults.
            || self.value(LAW) == "otherwise"
                && (at(FAULTS) != 0 || at(INTERFACES) != 0 || at(WITHIN) > 1 || at(CLASSES) != 0)
            // Detours need virtual channels that other axes say, and a cable of the graph is the only way.
            || at(FAULTS) == 2 && (self.is_on_packets() || at(MACHINE) == 8)
            // The larger form of this tree has one more kind of switch.
            || self.value(LAW) == "repeated" && self.is_on_packets() && at(MACHINE) == 7 && at(ROUTER) == 7
            // A pair takes several routes.
            || self.value(LAW) == "otherwise" && at(MACHINE) >= 16
    }

    pub(super) fn can_be_run(&self) -> bool {
        !self.is_pointless() && self.refused().is_none()
    }

    /// Whether it is one that weir has to refuse.
    pub(super) fn is_a_mistake(&self) -> bool {
        !self.is_pointless() && self.refused().is_some()
    }

    /// The same on a machine with so many routers that the packet engine takes two threads, if it has such a form.
    pub(super) fn enlarged(experiment: &str) -> String {
        let sizes = [
            ("shape = [4, 4]", "shape = [16, 4]"),
            ("shape = [5, 3]", "shape = [13, 5]"),
            ("shape = [4, 2, 2]", "shape = [4, 4, 4]"),
            ("shape = [7, 2]", "shape = [33, 2]"),
            ("shape = [4, 3]", "shape = [9, 8]"),
            ("shape = [12]", "shape = [65]"),
            ("shape = [2, 1, 1]", "shape = [3, 2, 1]"),
            ("shape = [3, 2]", "shape = [9, 8]"),
            ("routers_per_group = 2", "routers_per_group = 17"),
            ("leaves = 2", "leaves = 22"),
            ("q = 3", "q = 7"),
            ("parallel = 2 }, { down = 4 }]", "parallel = 2 }, { down = 64 }]"),
            ("radix = 4", "radix = 8"),
            ("radix = 8\ntopology.stages = 2", "radix = 8\ntopology.stages = 3"),
        ];
        sizes.iter().fold(experiment.to_owned(), |text, (small, large)| text.replace(small, large))
    }

    /// The experiment, without what it writes.
    pub(super) fn experiment(&self, fixtures: &str) -> String {
        let mut text = String::from("seed = 7\n");
        for axis in (0..COUNT).filter(|axis| ![OUTPUT, LAW].contains(axis)) {
            let of_patterns = axis == SIZE && !self.is_a_pattern();
            let of_machines = axis == LATENCY && (!self.has_network() || self.has_rails());
            if !of_patterns && !of_machines && !self.value(axis).is_empty() {
                text += &self.value(axis).replace("; ", "\n");
                text.push('\n');
            }
        }
        if self.has_rails() {
            // Each of the networks has it.
            text = text.replace(
                "latency = '100 ns' }",
                &format!("{} }}", &self.value(LATENCY)["topology.".len()..]),
            );
        }
        text.replace("mapping.txt", &format!("mapping-{}.txt", self.ranks())).replace('@', fixtures)
    }
}
