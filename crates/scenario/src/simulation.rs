//! Runs a scenario and condenses what the engine counted into a summary.

use crate::Scenario;
use crate::engine::Engine;
use crate::peak_memory::peak_memory_bytes;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;
use weir_flow::NodeModel;
use weir_network::{Ended, Outcome, Program, Watch};
use weir_record::{BusyLink, FlowCounts, LinkUse, Summary};
use weir_topology::Topology;
use weir_units::{Rank, Time};
use weir_workload::Queue;

/// How many of the busiest links a report lists.
const BUSIEST: usize = 20;

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct Report {
    /// For `summary.json`.
    pub summary: Summary,
    /// How the run ended, with who waits for whom.
    pub outcome: Outcome,
    /// The links that were used most, the busiest first.
    pub busiest_links: Vec<BusyLink>,
    /// Ranks of an MPI program that ended with something other than 0, in the order of ending.
    pub exit_codes: Vec<(Rank, i32)>,
}

/// Why a scenario cannot be run although nothing is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// The program cannot be loaded; says why.
    Program(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for RunError {}

/// What an engine has counted.
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    /// The instant the run got to: later than the last event where a limit ended it between two events.
    until: Time,
    link_use: LinkUse,
    flow: Option<FlowCounts>,
}

impl Scenario {
    /// Builds the programs, runs the engine to the end and sums up. `watch` is told now and then how far it is.
    ///
    /// # Errors
    /// When the program to run cannot be loaded.
    pub fn run(&self, watch: Watch<'_>) -> Result<Report, RunError> {
        let start = Instant::now();
        let topology = self.topology();
        let (ran, program, exit_codes) = match self.workload.kind.pattern(self.workload.ranks) {
            Ok(pattern) => {
                let mut queues = Queue::all(Arc::new(pattern));
                (self.run_programs(topology.as_ref(), &mut queues, watch), None, Vec::new())
            }
            Err(program) => {
                let run = self.run_mpi(topology.as_ref(), program, watch)?;
                (run.ran, Some(run.counts), run.exit_codes)
            }
        };
        let Ran { ended, until, link_use, flow } = ran;
        let outcome = ended.outcome.clone();
        let busiest_links = link_use.busiest.clone();
        let summary = Summary {
            title: self.title.clone(),
            outcome: ended.outcome,
            engine: self.engine.name(),
            nodes: self.nodes(),
            routers: topology.as_ref().map_or(0, Topology::routers),
            links: topology.as_ref().map_or(0, Topology::links),
            ranks: self.workload.ranks,
            traffic: ended.traffic,
            simulated: until,
            wall: start.elapsed(),
            peak_memory_bytes: peak_memory_bytes(),
            threads: 1,
            processes: 1,
            digest: ended.digest,
            link_use,
            experiment: self.resolved(),
            flow,
            program,
        };
        Ok(Report { summary, outcome, busiest_links, exit_codes })
    }

    /// Runs one program per rank on the engine.
    pub(crate) fn run_programs<P: Program>(
        &self,
        topology: Option<&Topology>,
        programs: &mut [P],
        watch: Watch<'_>,
    ) -> Ran {
        let placement = self.placement();
        let limits = self.limits.limits();
        match self.engine.build() {
            Engine::Ideal(engine) => {
                let ended = engine.run(&placement, programs, limits, watch);
                Ran { until: ended.at, ended, link_use: LinkUse::default(), flow: None }
            }
            Engine::Flow(engine) => {
                let topology = topology.expect("the check has made sure of a topology");
                let node = NodeModel { memory_bandwidth: self.node.memory_bandwidth };
                let run = engine.run(topology, &placement, programs, &node, limits, watch);
                let link_use = LinkUse::measure(
                    &run.link_bytes,
                    &run.link_share,
                    run.until.since(Time::ZERO),
                    |link| topology.link(link).capacity,
                    |link| topology.link_name(link),
                    BUSIEST,
                );
                let flow = FlowCounts {
                    cycles: run.cycles,
                    solver_iterations: run.solver_iterations,
                    solver_iterations_max: run.solver_iterations_max,
                };
                Ran { ended: run.ended, until: run.until, link_use, flow: Some(flow) }
            }
        }
    }
}
