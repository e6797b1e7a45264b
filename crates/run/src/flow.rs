//! Runs on the flow engine, and what they leave.

use crate::RunOptions;
use crate::engine::Run;
use crate::engine_result::{EngineResult, LinkTotals};
use crate::results::link_use;
use crate::{quotient, sweep};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use weir_experiment::{FlowEngine, Method};
use weir_flow::{BehindOthers, Change, Cycle, Deviation, Flow};
use weir_network::record::Keep;
use weir_network::{Program, RunContext};
use weir_record::{CycleRow, EngineCounts, Fairness, FlowCounts};
use weir_topology::Topology;
use weir_units::Time;
use weir_workload::{Pattern, Queue};

impl Run<'_> {
    /// Runs a pattern: in a sweep, by one node for all, or as any programs.
    pub(crate) fn flow_pattern(
        self,
        engine: &FlowEngine,
        machine: &Topology,
        pattern: Arc<Pattern>,
        context: RunContext<'_>,
    ) -> EngineResult {
        if let Method::Sweep { barrier } = engine.method {
            return sweep::run(engine, barrier, machine, &pattern, context);
        }
        let RunOptions { sharing, compare, ties, keep, .. } = *self.options;
        let fixed =
            self.scenario.changes().is_empty() && (sharing, compare, ties, keep) == Default::default();
        // One node for all follows no single messages.
        let plain = fixed && context.recorder.is_none() && self.scenario.output.causes == Keep::No;
        let uniform = engine.uniform(machine, &pattern, self.scenario).filter(|_| plain);
        match uniform.and_then(|uniform| quotient::ready(machine, uniform)) {
            Some(quotient) => quotient.run(context.limits, context.watch),
            None => self.flow(engine, machine, &mut Queue::all(pattern), context),
        }
    }

    pub(crate) fn flow<P: Program>(
        self,
        engine: &FlowEngine,
        machine: &Topology,
        programs: &mut [P],
        context: RunContext<'_>,
    ) -> EngineResult
    where
        P::Body: Serialize + DeserializeOwned,
    {
        let (scenario, &RunOptions { sharing, compare, ties, keep, .. }) = (self.scenario, self.options);
        let sharing = sharing.unwrap_or(engine.sharing);
        let engine = Flow { sharing, resolution: engine.resolution, compare, ties, keep };
        let node = scenario.node.flow_model();
        let changes = scenario.changes().iter().map(|(at, topology)| Change { at: *at, topology });
        let changes: Vec<Change<'_>> = changes.collect();
        let run = engine.run_changing(machine, &changes, programs, &node, context);
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
