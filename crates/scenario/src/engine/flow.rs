//! `kind = "flow"`: messages share links.

mod again;
mod quotient;
mod sweep;

use super::{BARRIER, METHOD, RESOLUTION, SHARING, THRESHOLD, WorkFacts};
use crate::Workload;
use crate::run::context::Context;
use crate::run::engine_result::EngineResult;
use crate::run::engine_result::LinkTotals;
use crate::run::options::Variation;
use crate::run::simulation::link_use;
use crate::source::reader::Section;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use weir_flow::{BarrierWait, BehindOthers, Change, Cycle, Deviation, Flow, Sharing};
use weir_network::Program;
use weir_network::record::Keep;
use weir_record::{CycleRow, EngineCounts, Fairness, FlowCounts};
use weir_topology::Topology;
use weir_units::{Duration, Time};
use weir_workload::{Pattern, Queue, Sequence, Totals};

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
        if sharing != Sharing::SinglePass {
            let what = "sweep shares links in a single pass, as the parallel MFS paper does";
            section.problem("method", what, "write sharing = \"single-pass\"");
        }
        method
    }

    /// Runs a pattern: in a sweep, by one node for all, or as any programs.
    pub(super) fn run_pattern(
        &self,
        machine: &Topology,
        pattern: Arc<Pattern>,
        context: Context<'_>,
    ) -> EngineResult {
        if let Method::Sweep { barrier } = self.method {
            return sweep::run(self, barrier, machine, &pattern, context);
        }
        let Variation { ends_after, .. } = context.variation;
        let alone = Variation { ends_after, ..Variation::default() };
        let fixed = context.scenario.changes().is_empty();
        let plain = fixed && context.variation == alone && context.run.recorder.is_none();
        // One node for all follows no single messages.
        let plain = plain && context.scenario.output.causes == Keep::No;
        match self
            .quotient(machine, &pattern, &context.scenario.mapping, &context.scenario.node)
            .filter(|_| plain)
        {
            Some(quotient) => quotient.run(context.run.limits, context.run.watch),
            None => self.run(machine, &mut Queue::all(pattern), context),
        }
    }

    pub(super) fn run<P: Program>(
        &self,
        machine: &Topology,
        programs: &mut [P],
        context: Context<'_>,
    ) -> EngineResult
    where
        P::Body: Serialize + DeserializeOwned,
    {
        let Context { scenario, variation, run, .. } = context;
        let Variation { sharing, compare, ties, keep, .. } = variation;
        let sharing = sharing.unwrap_or(self.sharing);
        let engine = Flow { sharing, resolution: self.resolution, compare, ties, keep };
        let node = scenario.node.flow_model();
        let changes = scenario.changes().iter().map(|(at, topology)| Change { at: *at, topology });
        let changes: Vec<Change<'_>> = changes.collect();
        let run = engine.run(machine, &changes, programs, &node, run);
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
        let unseen = run.behind.and_then(|behind| unseen(behind, machine));
        EngineResult {
            warnings: unseen.into_iter().collect(),
            until: run.until,
            link_use: link_use(machine, node.interfaces, (&run.link_bytes, &run.link_share), run.until),
            counts: EngineCounts::Flow(flow),
            cycles: run.kept.into_iter().map(row).collect(),
            measured: run.until.since(Time::ZERO),
            carried: LinkTotals::Flows(run.link_bytes, run.link_share, node.interfaces),
            ..EngineResult::without_links(run.ended)
        }
    }
}

impl FlowEngine {
    pub(super) fn refuses_workload(&self, work: &WorkFacts<'_>) -> Option<String> {
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

/// Short messages are worth a word from one in so many on.
const ONE_IN: u64 = 100;

/// Number of short messages that met links that long ones filled, and where; `None` if these were few among all.
fn unseen(behind: BehindOthers, machine: &Topology) -> Option<String> {
    let BehindOthers { crossed, short, link, there } = behind;
    let (least, most) = (BehindOthers::LONG.0 / 1024, BehindOthers::SHORT.0 / 1024);
    let percent = 100.0 * crossed as f64 / short as f64;
    (crossed * ONE_IN >= short).then(|| {
        format!(
            "{crossed} of {short} messages of up to {most} KiB ({percent:.0} %) crossed links that messages of {least} KiB and more filled, {there} of them {}: \
             their latency is that of an empty network; engine.kind = \"packet\" sees the queues",
            machine.link_name(link)
        )
    })
}
