//! Runs a pattern in a parallel sweep (paper 002).

use crate::results::Carried;
use crate::simulation::{Ran, link_use};
use std::time::Duration as WallTime;
use weir_flow::Waiting;
use weir_flow::sweep::{STEPS, Sending, StepTimes, Sweep};
use weir_network::{Digest, Ended, Latencies, Limits, Outcome, Placement, Traffic, Watch};
use weir_record::{FlowCounts, Step};
use weir_topology::Topology;
use weir_units::{NodeId, Rank, Time};
use weir_workload::{Entry, Order, Pattern};

/// Runs a pattern without awaits, one rank on each node at most.
pub(crate) fn run(
    sweep: Sweep,
    topology: &Topology,
    placement: &Placement,
    pattern: &Pattern,
    limits: Limits,
    watch: Watch<'_>,
) -> Ran {
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
    let sweep = Sweep { threads: useful_threads(&sweep, topology.nodes()), ..sweep };
    let ended = sweep.run(topology, &sends, limits, watch);
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
    Ran {
        link_use: link_use(topology, &ended.link_bytes, &ended.link_share, ended.until),
        ended: Ended {
            outcome: ended.limit.map_or(Outcome::Finished, Outcome::Limit),
            at: ended.until,
            traffic,
            digest: Digest(ended.digest),
            latency: Latencies::default(),
        },
        until: ended.until,
        flow: Some(flow),
        packet: None,
        threads: sweep.threads,
        cycles: Vec::new(),
        measured: ended.until.since(Time::ZERO),
        carried: Carried::Flows(ended.link_bytes, ended.link_share),
        packet_latency: None,
    }
}

/// As many of the threads as make a sweep faster: no more than there are cores, and each with nodes enough that its work
/// outweighs the barriers.
fn useful_threads(sweep: &Sweep, nodes: usize) -> usize {
    let nodes_per_thread = match sweep.waiting {
        Waiting::Spin => 512,
        Waiting::Park => 4096,
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    sweep.threads.min(cores).min(nodes / nodes_per_thread).max(1)
}

/// Means over the threads.
fn steps(times: &[StepTimes]) -> Vec<Step> {
    let mean =
        |of: &dyn Fn(&StepTimes) -> WallTime| times.iter().map(of).sum::<WallTime>() / times.len() as u32;
    let step = |(number, name): (usize, &&'static str)| {
        let work = mean(&|thread| thread.work[number]);
        let most = times.iter().map(|thread| thread.work[number]).max().unwrap_or_default();
        let imbalance = if work.is_zero() { 1.0 } else { most.as_secs_f64() / work.as_secs_f64() };
        Step { name, work, wait: mean(&|thread| thread.wait[number]), imbalance }
    };
    STEPS.iter().enumerate().map(step).collect()
}
