//! Runs on the flow engine, and what they leave.

use crate::RunOptions;
use crate::engine::Run;
use crate::engine_result::{Ran, Saved, ended};
use crate::results::of_flows;
use std::sync::Arc;
use std::time::Duration as WallTime;
use weir_experiment::{FlowEngine, Method, cores};
use weir_flow::quotient::{Quotient, Steps};
use weir_flow::sweep::{STEPS, Sending, StepTimes, Sweep};
use weir_flow::{BarrierWait, BehindOthers, Change, Cycle, Deviation, Flow};
use weir_network::record::Keep;
use weir_network::{Digest, Ended, Limits, Outcome, RunContext, Traffic, Watch};
use weir_record::{CycleRow, Fairness, FlowCounts, SweepStep};
use weir_topology::Topology;
use weir_units::{Bytes, NodeId, Rank, Time};
use weir_workload::{Entry, Pattern, Queue, Sequence, Uniform};

impl Run<'_> {
    /// Runs a pattern: in a sweep, by one node for all, or as any programs.
    pub(crate) fn flow_pattern(
        self,
        engine: &FlowEngine,
        machine: &Topology,
        pattern: Arc<Pattern>,
        context: RunContext<'_>,
    ) -> Ran {
        if let Method::Sweep { barrier } = engine.method {
            return swept(engine, barrier, machine, &pattern, context);
        }
        let RunOptions { sharing, compare, ties, keep, .. } = *self.options;
        let fixed =
            self.scenario.changes().is_empty() && (sharing, compare, ties, keep) == Default::default();
        // One node for all follows no single messages.
        let plain = fixed && context.recorder.is_none() && self.scenario.output.causes == Keep::No;
        let uniform = engine.uniform(machine, &pattern, self.scenario).filter(|_| plain);
        let divided = uniform.and_then(|uniform| Some((Quotient::of(machine, &uniform.grid)?, uniform)));
        match divided {
            Some(divided) => by_one_node(machine, divided, (context.limits, context.watch)),
            None => self.flow(engine, machine, &mut Queue::all(pattern), context),
        }
    }

    pub(crate) fn flow<P: Saved>(
        self,
        engine: &FlowEngine,
        machine: &Topology,
        programs: &mut [P],
        context: RunContext<'_>,
    ) -> Ran {
        let (scenario, &RunOptions { sharing, compare, ties, keep, .. }) = (self.scenario, self.options);
        let sharing = sharing.unwrap_or(engine.sharing);
        let engine = Flow { sharing, resolution: engine.resolution, compare, ties, keep };
        let node = scenario.node.flow_model();
        let changes = scenario.changes().iter().map(|(at, topology)| Change { at: *at, topology });
        let changes: Vec<Change<'_>> = changes.collect();
        let run = engine.run(machine, &changes, programs, &node, context);
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
        let (carried, ended) = ((run.link_bytes, run.link_share), (run.ended, run.until));
        Ran {
            warnings: unseen.into_iter().collect(),
            cycles: run.kept.into_iter().map(row).collect(),
            waits: run.waits,
            ..of_flows(machine, node.interfaces, carried, ended, flow)
        }
    }
}

/// Runs a pattern in which all ranks do the same, on a machine that looks the same from all nodes: one node stands for all.
fn by_one_node(
    topology: &Topology,
    (quotient, uniform): (Quotient<'_>, Uniform),
    (limits, watch): (Limits, Watch<'_>),
) -> Ran {
    let Uniform { steps, bytes, awaited, .. } = uniform;
    let steps = Steps { steps, bytes, awaited, displacement: &|step| uniform.displacement(step) };
    let ended = quotient.run(&steps, limits, watch);
    let bytes = Bytes(ended.messages.saturating_mul(bytes.0));
    let whole =
        whole(ended.limit, ended.until, traffic(topology.nodes(), ended.messages, bytes), ended.digest);
    let flow = FlowCounts { method: "quotient", cycles: ended.cycles, ..FlowCounts::default() };
    of_flows(topology, 1, (ended.link_bytes, ended.link_share), (whole, ended.until), flow)
}

/// Runs a pattern without awaits, one rank on each node at most, in a parallel sweep (paper 002).
fn swept(
    engine: &FlowEngine,
    waiting: BarrierWait,
    topology: &Topology,
    pattern: &Pattern,
    context: RunContext<'_>,
) -> Ran {
    let placement = context.placement;
    let mut rank_of: Vec<Option<Rank>> = vec![None; topology.nodes()];
    for rank in (0..placement.ranks()).map(Rank::new) {
        rank_of[placement.node(rank).index()] = Some(rank);
    }
    let sends = |node: NodeId, index| match pattern.entry(rank_of[node.index()]?, index)? {
        Entry::Send { to, bytes, wait } => Some(Sending { to: placement.node(to), bytes, wait }),
        Entry::Post { .. } | Entry::Await { .. } | Entry::Pause { .. } => {
            unreachable!("the check refuses patterns in which ranks do not only send")
        }
    };
    let threads = useful_threads(engine.threads, waiting, topology.nodes());
    let sweep = Sweep { threads, waiting, resolution: engine.resolution };
    let ended = sweep.run(topology, &sends, context.limits, context.watch);
    let traffic = traffic(placement.ranks(), ended.messages, ended.bytes);
    let whole = whole(ended.limit, ended.until, traffic, ended.digest);
    let steps = steps(&ended.times);
    let flow = FlowCounts { method: "sweep", cycles: ended.cycles, steps, ..FlowCounts::default() };
    let carried = (ended.link_bytes, ended.link_share);
    Ran { threads, ..of_flows(topology, 1, carried, (whole, ended.until), flow) }
}

/// An event for each that begins, and two for each message.
fn traffic(begun: usize, messages: u64, bytes: Bytes) -> Traffic {
    Traffic { messages, bytes, control_messages: 0, events: begun as u64 + 2 * messages }
}

fn whole(limit: Option<String>, at: Time, traffic: Traffic, digest: u64) -> Ended {
    ended(limit.map_or(Outcome::Finished, Outcome::Limit), at, traffic, Digest(digest))
}

/// The threads that make a sweep faster: no more than there are cores, and each with nodes enough that its work
/// outweighs the barriers.
fn useful_threads(threads: usize, waiting: BarrierWait, nodes: usize) -> usize {
    let nodes_per_thread = match waiting {
        BarrierWait::Spin => 512,
        BarrierWait::Park => 4096,
    };
    threads.min(cores()).min(nodes / nodes_per_thread).max(1)
}

fn steps(times: &[StepTimes]) -> Vec<SweepStep> {
    let mean =
        |of: &dyn Fn(&StepTimes) -> WallTime| times.iter().map(of).sum::<WallTime>() / times.len() as u32;
    let step = |(number, name): (usize, &&'static str)| {
        let work = mean(&|thread| thread.work[number]);
        let most = times.iter().map(|thread| thread.work[number]).max().unwrap_or_default();
        let imbalance = if work.is_zero() { 1.0 } else { most.as_secs_f64() / work.as_secs_f64() };
        SweepStep { name, work, wait: mean(&|thread| thread.wait[number]), imbalance }
    };
    STEPS.iter().enumerate().map(step).collect()
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
