//! Runs a pattern in a parallel sweep (paper 002).

use crate::engine_result::{EngineResult, LinkTotals};
use crate::results::link_use;
use std::time::Duration as WallTime;
use weir_experiment::{FlowEngine, cores};
use weir_flow::BarrierWait;
use weir_flow::sweep::{STEPS, Sending, StepTimes, Sweep};
use weir_network::{Digest, Ended, Latencies, Outcome, RunContext, Traffic};
use weir_record::{EngineCounts, FlowCounts, SweepStep};
use weir_topology::Topology;
use weir_units::{NodeId, Rank, Time};
use weir_workload::{Entry, Pattern, Sequence};

/// Runs a pattern without awaits, one rank on each node at most.
pub(crate) fn run(
    engine: &FlowEngine,
    waiting: BarrierWait,
    topology: &Topology,
    pattern: &Pattern,
    context: RunContext<'_>,
) -> EngineResult {
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
    let traffic = Traffic {
        messages: ended.messages,
        bytes: ended.bytes,
        control_messages: 0,
        events: placement.ranks() as u64 + 2 * ended.messages,
    };
    let flow = FlowCounts {
        method: "sweep",
        cycles: ended.cycles,
        steps: steps(&ended.times),
        ..FlowCounts::default()
    };
    let whole = Ended {
        outcome: ended.limit.map_or(Outcome::Finished, Outcome::Limit),
        at: ended.until,
        traffic,
        digest: Digest(ended.digest),
        latency: Latencies::default(),
        causes: None,
    };
    EngineResult {
        link_use: link_use(topology, 1, (&ended.link_bytes, &ended.link_share), ended.until),
        counts: EngineCounts::Flow(flow),
        threads,
        measured: ended.until.since(Time::ZERO),
        carried: LinkTotals::Flows(ended.link_bytes, ended.link_share, 1),
        ..EngineResult::without_links(whole)
    }
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
