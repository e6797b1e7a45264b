//! `kind = "flow"`: messages share links.

mod fairness;
mod quotient;
mod sweep;
mod tie_sensitivity;
mod unseen;

use super::{BARRIER, Engine, METHOD, RESOLUTION, SHARING, THRESHOLD, WorkFacts};
use crate::Workload;
use crate::keys::resolved::Resolved;
use crate::run::options::Variation;
use crate::run::results::Carried;
use crate::run::simulation::{Context, Ran, link_use};
use crate::source::reader::Section;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use weir_flow::{BarrierWait, Change, Cycle, Deviation, Flow, Sharing};
use weir_network::Program;
use weir_network::RunContext;
use weir_network::record::Keep;
use weir_record::{CycleRow, EngineCounts, Fairness, FlowCounts};
use weir_topology::Topology;
use weir_units::{Duration, Time};
use weir_workload::{Counted, Order, Pattern, Queue};

/// Bytes for each link: capacity, load, and the list of those that use it, among others.
const OF_LINK: u64 = 40;
/// Bytes of a link where only its result is kept: what it has carried, and the most flows on it.
const OF_RESULT: u64 = 12;
/// From so many messages on one node stands for all where it can, without being asked: the whole machine would take minutes.
const MANY: u64 = 100_000_000;

/// Its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowEngine {
    /// How messages share links.
    pub sharing: Sharing,
    /// Least time between two changes of rates; 0 is exact.
    pub resolution: Duration,
    /// How the rates are found.
    pub method: Method,
    /// The most threads that may be used; the result does not depend on it.
    pub threads: usize,
}

/// How the flow engine finds its rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// No `method`: incremental, or quotient for what would take the other more than some minutes.
    Auto,
    /// What changes is computed, by one thread.
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

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    MaxMin,
    Iterative,
    IterativeLiteral,
    SinglePass,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Incremental,
    Quotient,
    Sweep,
}

pub(super) const RULES: [(&str, Rule); 4] = [
    ("max-min", Rule::MaxMin),
    ("iterative", Rule::Iterative),
    ("iterative-literal", Rule::IterativeLiteral),
    ("single-pass", Rule::SinglePass),
];
pub(super) const METHODS: [(&str, Way); 3] =
    [("incremental", Way::Incremental), ("quotient", Way::Quotient), ("sweep", Way::Sweep)];
pub(super) const BARRIERS: [(&str, BarrierWait); 2] =
    [("spin", BarrierWait::Spin), ("park", BarrierWait::Park)];
impl FlowEngine {
    pub(super) fn read(section: &mut Section<'_>, threads: usize) -> Self {
        let sharing = Self::read_sharing(section);
        let resolution = section.get_or_default(&RESOLUTION);
        let method = Self::read_method(section, sharing);
        Self { sharing, resolution, method, threads }
    }

    fn read_sharing(section: &mut Section<'_>) -> Sharing {
        let absent = !section.has("sharing");
        match section.get(&SHARING) {
            Some(Rule::Iterative) => Sharing::Iterative { threshold: section.get_or_default(&THRESHOLD) },
            Some(Rule::IterativeLiteral) => {
                Sharing::IterativeLiteral { threshold: section.get_or_default(&THRESHOLD) }
            }
            rule => {
                if rule.is_some() || absent {
                    let what = "belongs to sharing = \"iterative\" and \"iterative-literal\"";
                    section.refuse(&["threshold"], what);
                } else {
                    section.pass(&["threshold"]);
                }
                if rule == Some(Rule::SinglePass) { Sharing::SinglePass } else { Sharing::MaxMin }
            }
        }
    }

    fn read_method(section: &mut Section<'_>, sharing: Sharing) -> Method {
        let way = section.get(&METHOD);
        if way != Some(Way::Sweep) {
            section.refuse(&["barrier"], "belongs to method = \"sweep\"");
        }
        match way {
            None => return Method::Auto,
            Some(Way::Incremental) => return Method::Incremental,
            Some(Way::Quotient) => return Method::Quotient,
            Some(Way::Sweep) => {}
        }
        if sharing != Sharing::SinglePass {
            let what = "sweep shares links in a single pass, as the parallel MFS paper does".to_owned();
            section.problem("method", what, Some("write sharing = \"single-pass\"".into()));
        }
        Method::Sweep { barrier: section.get_or_default(&BARRIER) }
    }

    /// Runs a pattern: in a sweep, by one node for all, or as any programs.
    pub(super) fn run_pattern(&self, machine: &Topology, pattern: Arc<Pattern>, context: Context<'_>) -> Ran {
        if let Method::Sweep { barrier } = self.method {
            return sweep::run(self, barrier, machine, &pattern, context);
        }
        let Variation { ends_after, .. } = context.variation;
        let alone = Variation { ends_after, ..Variation::default() };
        let fixed = context.scenario.changes().is_empty();
        let plain = fixed && context.variation == alone && context.recorder.is_none();
        // One node for all follows no single messages.
        let plain = plain && context.scenario.output.causes == Keep::No;
        match self
            .quotient(machine, &pattern, &context.scenario.mapping, &context.scenario.node)
            .filter(|_| plain)
        {
            Some(quotient) => quotient.run(context.limits, context.watch),
            None => self.run(machine, &mut Queue::all(pattern), context),
        }
    }

    /// Runs programs.
    pub(super) fn run<P: Program>(&self, machine: &Topology, programs: &mut [P], context: Context<'_>) -> Ran
    where
        P::Body: Serialize + DeserializeOwned,
    {
        let Context { scenario, variation, limits, watch, recorder, checkpoints, .. } = context;
        let Variation { sharing, compare, ties, keep, .. } = variation;
        let sharing = sharing.unwrap_or(self.sharing);
        let engine = Flow { sharing, resolution: self.resolution, compare, ties, keep };
        let node = scenario.node.flow_model();
        let changes = scenario.changes().iter().map(|(at, topology)| Change { at: *at, topology });
        let changes: Vec<Change<'_>> = changes.collect();
        let context = RunContext::new(scenario.placement()).limits(limits).watch(watch).recorder(recorder);
        let context = scenario.accounting(context);
        let run = engine.run_changing(machine, &changes, programs, &node, context.checkpoints(checkpoints));
        let fairness = |deviation: Deviation| Fairness {
            least_rate: deviation.least,
            most_rate: deviation.most,
            throughput: deviation.throughput,
            max_min: None,
        };
        let flow = FlowCounts {
            method: "incremental",
            cycles: run.cycles,
            solver_iterations: run.solver_iterations,
            solver_iterations_max: run.solver_iterations_max,
            fairness: run.deviation.map(fairness),
            jitter: run.jitter,
            ..FlowCounts::default()
        };
        let row = |cycle: Cycle| CycleRow { at: cycle.at, dt: cycle.dt, flows: cycle.flows };
        let unseen = run.behind.and_then(|behind| unseen::warning(behind, machine));
        Ran {
            warnings: unseen.into_iter().collect(),
            until: run.until,
            link_use: link_use(machine, node.interfaces, (&run.link_bytes, &run.link_share), run.until),
            counts: EngineCounts::Flow(flow),
            cycles: run.kept.into_iter().map(row).collect(),
            measured: run.until.since(Time::ZERO),
            carried: Carried::Flows(run.link_bytes, run.link_share, node.interfaces),
            ..Ran::without_links(run.ended)
        }
    }
}

impl Engine for FlowEngine {
    fn name(&self) -> &'static str {
        "flow"
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn resolve(&self, section: &mut Resolved) {
        let rule = match self.sharing {
            Sharing::MaxMin => Rule::MaxMin,
            Sharing::Iterative { .. } => Rule::Iterative,
            Sharing::IterativeLiteral { .. } => Rule::IterativeLiteral,
            Sharing::SinglePass => Rule::SinglePass,
        };
        section.put(&SHARING, rule);
        if let Sharing::Iterative { threshold } | Sharing::IterativeLiteral { threshold } = self.sharing {
            section.put(&THRESHOLD, threshold);
        }
        section.put(&RESOLUTION, self.resolution);
        let way = match self.method {
            Method::Auto => None,
            Method::Incremental => Some(Way::Incremental),
            Method::Quotient => Some(Way::Quotient),
            Method::Sweep { .. } => Some(Way::Sweep),
        };
        section.put_some(&METHOD, way);
        if let Method::Sweep { barrier } = self.method {
            section.put(&BARRIER, barrier);
        }
    }

    fn refuses_workload(&self, work: &WorkFacts<'_>) -> Option<String> {
        match (self.method, work.pattern, work.machine) {
            (Method::Auto | Method::Incremental, ..) | (Method::Quotient, Some(_), None) => None,
            (Method::Quotient, Some(pattern), Some(machine)) => {
                quotient::obstacle(machine, pattern, work.mapping, work.node, self.resolution)
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

    fn refuses_changes(&self) -> Option<&'static str> {
        let why =
            "does not fit engine.method: only \"incremental\" follows a machine that changes while it runs";
        matches!(self.method, Method::Sweep { .. } | Method::Quotient).then_some(why)
    }

    fn refuses_output(&self, key: &str) -> Option<(String, &'static str)> {
        match (key, self.method) {
            ("checkpoint_every", Method::Auto | Method::Incremental) => None,
            ("checkpoint_every", _) => Some((
                "is not for this engine.method, of which no checkpoint is written".into(),
                "leave out engine.method, or write \"incremental\"",
            )),
            ("packets", _) => Some(super::packet::no_stays(self.name())),
            (_, Method::Sweep { .. } | Method::Quotient) => Some((
                "is not recorded with this engine.method, which does not follow single messages".into(),
                "leave out engine.method: \"incremental\" records everything",
            )),
            _ => None,
        }
    }

    fn refuses_comparison(&self) -> Option<&'static str> {
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

    fn refuses_perturbed_ties(&self) -> Option<&'static str> {
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

    fn lists_cycles(&self) -> bool {
        matches!(self.method, Method::Auto | Method::Incremental)
    }

    fn least_memory(&self, work: &WorkFacts<'_>) -> (u64, bool) {
        let few = work.pattern.is_none_or(|pattern| pattern.messages() < MANY);
        let each = self.method == Method::Incremental || (self.method == Method::Auto && few);
        let links = work.machine.map_or(0, |machine| machine.links() as u64);
        (links * if each { OF_LINK } else { OF_RESULT }, each)
    }
}
