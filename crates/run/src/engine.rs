//! One run on the engine of its scenario.

use crate::engine_result::EngineResult;
use crate::multi_process::ranks_of;
use crate::{RunOptions, packet};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use weir_experiment::{IdealEngine, Prepared, Scenario};
use weir_network::ideal::homes;
use weir_network::{Ideal, Placement, Program, RunContext};
use weir_pdes::Transport;
use weir_units::Rank;
use weir_workload::{Pattern, Queue};

/// What runs, and what differs from other runs of it.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) engine: &'a Prepared,
    pub(crate) options: &'a RunOptions,
}

impl Run<'_> {
    pub(crate) fn programs<P: Program>(self, programs: &mut [P], context: RunContext<'_>) -> EngineResult
    where
        P::Body: Serialize + DeserializeOwned,
    {
        match self.engine {
            Prepared::Ideal(engine) => self.ideal(engine, programs, context),
            Prepared::Flow(engine, machine) => self.flow(engine, machine, programs, context),
            Prepared::Packet(packets) => packet::run_here(packets, programs, context),
        }
    }

    pub(crate) fn pattern(self, pattern: Arc<Pattern>, context: RunContext<'_>) -> EngineResult {
        match self.engine {
            Prepared::Ideal(engine) => self.ideal(engine, &mut queues(pattern, context.ranks), context),
            Prepared::Flow(engine, machine) => self.flow_pattern(engine, machine, pattern, context),
            Prepared::Packet(packets) => packet::run(packets, &mut queues(pattern, context.ranks), context),
        }
    }

    fn ideal<P: Program>(
        self,
        engine: &IdealEngine,
        programs: &mut [P],
        context: RunContext<'_>,
    ) -> EngineResult
    where
        P::Body: Serialize + DeserializeOwned,
    {
        let IdealEngine { latency, message_gap, bandwidth } = *engine;
        let within = self.scenario.node.within(None);
        let engine = Ideal { latency, message_gap, bandwidth, within };
        let (ended, processes) = engine.run_together(programs, context);
        EngineResult { processes, ..EngineResult::without_links(ended) }
    }
}

/// The ranks of one of several processes; `None` if it is the only one.
pub(crate) fn ranks(
    engine: &Prepared,
    placement: &Placement,
    processes: &mut dyn Transport,
) -> Option<Vec<Rank>> {
    let homes = match engine {
        _ if processes.processes() == 1 => return None,
        Prepared::Ideal(_) => homes(placement, processes.processes()),
        Prepared::Packet(packets) => packet::homes(packets, processes),
        Prepared::Flow(..) => return None,
    };
    Some(ranks_of(placement, &homes, processes.process()))
}

fn queues(pattern: Arc<Pattern>, ranks: Option<&[Rank]>) -> Vec<Queue<Pattern>> {
    match ranks {
        Some(ranks) => Queue::some(pattern, ranks.iter().copied()),
        None => Queue::all(pattern),
    }
}
