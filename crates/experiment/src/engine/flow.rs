//! `kind = "flow"`: messages share links.

use super::{BARRIER, METHOD, RESOLUTION, SHARING, THRESHOLD, WorkFacts};
use crate::source::reader::Section;
use crate::{Experiment, Mapping, MappingSection, NodeSection, Workload};
use weir_flow::{BarrierWait, Sharing};
use weir_topology::{Rule, Topology};
use weir_units::Duration;
use weir_workload::{Pattern, Sequence, Totals, Uniform};

/// Bytes for each link: capacity, load, and the list of those that use it, among others.
const OF_LINK: u64 = 40;
/// Bytes of a link where only its result is kept: what it has carried, and the most flows on it.
const OF_RESULT: u64 = 12;
/// From so many messages on one node stands for all where it can, without being asked: the whole machine would take minutes.
const MANY: u64 = 100_000_000;

/// Its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowEngine {
    /// Rule by which messages share links.
    pub sharing: Sharing,
    /// Least time between two changes of rates; 0 is exact.
    pub resolution: Duration,
    /// Method by which the rates are found.
    pub method: Method,
    /// The most threads that may be used; the result does not depend on it.
    pub threads: usize,
}

/// Method by which the flow engine finds its rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// No `method`: incremental, or quotient for what would take the other more than some minutes.
    Auto,
    /// One thread computes the rates that change.
    Incremental,
    /// One node stands for all, where all do the same on a machine that looks the same from all of them.
    Quotient,
    /// `method = "sweep"`: everything is computed anew in every cycle, in parallel, as paper 002 does it. Mode F only.
    Sweep {
        /// `barrier`: how threads wait for each other.
        barrier: BarrierWait,
    },
}

/// Why a method that computes by node refuses a machine.
const ONE_INTERFACE: &str =
    "it takes nodes of one interface, without injection_limit, ejection_limit and memory_limit";

impl FlowEngine {
    pub(super) fn read(section: &mut Section<'_>, threads: usize) -> Self {
        let sharing = Self::read_sharing(section);
        let resolution = section.get_or_default(&RESOLUTION);
        let method = Self::read_method(section, sharing);
        Self { sharing, resolution, method, threads }
    }

    fn read_sharing(section: &mut Section<'_>) -> Sharing {
        let mut sharing = section.get_or_default(&SHARING);
        match &mut sharing {
            Sharing::Iterative { threshold } | Sharing::IterativeLiteral { threshold } => {
                *threshold = section.get_or_default(&THRESHOLD);
            }
            _ if section.is_right("sharing") => {
                let what = "belongs to sharing = \"iterative\" and \"iterative-literal\"";
                section.refuse(&["threshold"], what);
            }
            _ => section.pass(&["threshold"]),
        }
        sharing
    }

    fn read_method(section: &mut Section<'_>, sharing: Sharing) -> Method {
        let mut method = section.get(&METHOD).unwrap_or(Method::Auto);
        let Method::Sweep { barrier } = &mut method else {
            section.refuse(&["barrier"], "belongs to method = \"sweep\"");
            return method;
        };
        *barrier = section.get_or_default(&BARRIER);
        let what = "sweep shares links in a single pass, as the parallel MFS paper does";
        section.report_if(sharing != Sharing::SinglePass, "method", what, "write sharing = \"single-pass\"");
        method
    }

    /// Messages of every node, if one of them stands for all: if that is asked for, or the messages are many.
    pub fn uniform(&self, topology: &Topology, pattern: &Pattern, of: &Experiment) -> Option<Uniform> {
        let is_asked = match self.method {
            Method::Quotient => true,
            Method::Auto => pattern.messages() >= MANY,
            Method::Incremental | Method::Sweep { .. } => false,
        };
        let fits = || {
            of.classes.len() < 2
                && obstacle(topology, pattern, &of.mapping, &of.node, self.resolution).is_none()
        };
        if is_asked && fits() { pattern.uniform() } else { None }
    }

    pub(super) fn refuses_workload(&self, work: &WorkFacts<'_>) -> Option<String> {
        match (self.method, work.pattern, work.machine) {
            (Method::Auto | Method::Incremental, ..) | (Method::Quotient, Some(_), None) => None,
            (Method::Quotient, Some(pattern), Some(machine)) => {
                obstacle(machine, pattern, work.mapping, work.node, self.resolution)
            }
            (_, None, _) if matches!(work.workload, Workload::Synthetic(_)) => None,
            (_, None, _) => Some("it runs patterns, not MPI programs or profiles".into()),
            (Method::Sweep { .. }, Some(pattern), _) if pattern.awaits() => {
                Some("it runs patterns in which no rank waits for a message".into())
            }
            (Method::Sweep { .. }, Some(pattern), _) if !pattern.only_sends() => {
                Some("it runs patterns in which ranks send one message after the other".into())
            }
            (Method::Sweep { .. }, ..) if work.mapping.ranks_per_node > 1 => {
                Some("it runs one rank on each node".into())
            }
            (Method::Sweep { .. }, ..) => (!work.node.sends_one_message()).then(|| ONE_INTERFACE.into()),
        }
    }

    pub(super) fn refuses_rule(&self, rule: Rule) -> Option<(&'static str, &'static str)> {
        let follows = match self.method {
            Method::Sweep { .. } | Method::Quotient => rule.is_fixed(),
            Method::Auto | Method::Incremental => !rule.decides() || self.sharing == Sharing::MaxMin,
        };
        (!follows).then_some((
            "is a rule that only max-min without engine.method can follow: a pair of nodes may take several routes",
            "leave out engine.method and engine.sharing, or write routing = \"minimal\"",
        ))
    }

    /// Why it cannot share links by service classes, and what would do.
    pub(crate) fn refuses_classes(&self) -> Option<(&'static str, &'static str, &'static str)> {
        if let Method::Sweep { .. } | Method::Quotient = self.method {
            let what = "does not fit [[classes]]: only \"incremental\" shares links by classes";
            return Some(("method", what, "leave it out"));
        }
        (self.sharing != Sharing::MaxMin).then_some((
            "sharing",
            "does not fit [[classes]]: only max-min shares links by classes",
            "leave it out",
        ))
    }

    pub(super) fn refuses_output(&self, key: &str) -> Option<(&'static str, &'static str)> {
        match (key, self.method) {
            ("checkpoint_every", Method::Auto | Method::Incremental) => None,
            ("checkpoint_every", _) => Some((
                "is not for this engine.method, of which no checkpoint is written",
                "leave out engine.method, or write \"incremental\"",
            )),
            (_, Method::Sweep { .. } | Method::Quotient) => Some((
                "is not recorded with this engine.method, which does not follow single messages",
                "leave out engine.method: \"incremental\" records everything",
            )),
            _ => None,
        }
    }

    pub(super) fn refuses_comparison(&self) -> Option<&'static str> {
        match (self.method, self.sharing) {
            (Method::Sweep { .. }, _) => Some(
                "engine.method = \"sweep\" cannot be compared on the way; without it single-pass has the same results",
            ),
            (Method::Quotient, _) => {
                Some("with engine.method = \"quotient\" one node stands for all, and all rules give the same")
            }
            (_, Sharing::MaxMin) => Some("engine.sharing is max-min already"),
            _ => None,
        }
    }

    pub(super) fn refuses_perturbed_ties(&self) -> Option<&'static str> {
        match self.method {
            Method::Sweep { .. } => Some(
                "engine.method = \"sweep\" does not perturb ties; without it single-pass has the same results",
            ),
            Method::Quotient => {
                Some("with engine.method = \"quotient\" one node stands for all, and there are no ties")
            }
            Method::Auto | Method::Incremental => None,
        }
    }

    pub(super) fn least_memory(&self, work: &WorkFacts<'_>) -> (u64, bool) {
        let few = work.pattern.is_none_or(|pattern| pattern.messages() < MANY);
        let each = self.method == Method::Incremental || (self.method == Method::Auto && few);
        let links = work.machine.map_or(0, |machine| machine.links() as u64);
        (links * if each { OF_LINK } else { OF_RESULT }, each)
    }
}

/// Why one node cannot stand for all; `None` if it can, as far as the description shows.
fn obstacle(
    topology: &Topology,
    pattern: &Pattern,
    mapping: &MappingSection,
    node: &NodeSection,
    resolution: Duration,
) -> Option<String> {
    let Some(uniform) = pattern.uniform() else {
        return Some("the pattern is not the same for all ranks".into());
    };
    let Some(shape) = topology.translations() else {
        let which = "a hypercrossbar does, and a torus of which every dimension wraps or has two routers, with \
                     tie = \"spread\" or \"plus\"";
        return Some(format!("the machine does not look the same from all nodes ({which})"));
    };
    let wide = |sizes: &[u32]| -> Vec<u32> { sizes.iter().copied().filter(|&size| size > 1).collect() };
    if wide(&shape) != wide(&uniform.grid) {
        let grid = &uniform.grid;
        return Some(format!("the pattern is the same on the grid {grid:?}, not on the machine's {shape:?}"));
    }
    if mapping.kind != Mapping::Linear || mapping.ranks_per_node != 1 || pattern.ranks() != topology.nodes() {
        return Some("it takes the linear mapping with one rank on each node".into());
    }
    if !node.sends_one_message() {
        return Some(ONE_INTERFACE.into());
    }
    (resolution > Duration::ZERO).then(|| "it takes engine.resolution = 0".into())
}
