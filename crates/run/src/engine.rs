//! One run on the engine of its scenario.

use crate::engine_result::{Ran, Saved};
use crate::{RunOptions, packet};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::sync::Arc;
use weir_experiment::{IdealEngine, Prepared, Scenario};
use weir_network::ideal::homes;
use weir_network::{Ideal, Placement, RunContext};
use weir_pdes::{Gathering, Transport};
use weir_units::Rank;
use weir_workload::{Pattern, Queue};

/// A scenario on its engine, and the difference from other runs of it.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) engine: &'a Prepared,
    pub(crate) options: &'a RunOptions,
}

/// Threads of a process that run ranks, where the engine has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// One of them runs all ranks.
    One,
    /// Each runs the ranks on the nodes of its routers.
    Any,
}

impl Run<'_> {
    pub(crate) fn programs<P: Saved>(self, programs: &mut [P], context: RunContext<'_>) -> Ran {
        match self.engine {
            Prepared::Ideal(engine) => self.ideal(engine, programs, context),
            Prepared::Flow(engine, machine) => self.flow(engine, machine, programs, context),
            Prepared::Packet(packets) => packet::run_here(packets, programs, context),
        }
    }

    /// The same for programs that may run on several threads.
    pub(crate) fn programs_on<P: Saved + Send>(
        self,
        threads: Threads,
        programs: &mut [P],
        context: RunContext<'_>,
    ) -> Ran
    where
        P::Body: Send,
    {
        match (threads, self.engine) {
            (Threads::Any, Prepared::Packet(packets)) => packet::run(packets, programs, context),
            _ => self.programs(programs, context),
        }
    }

    pub(crate) fn pattern(self, pattern: Arc<Pattern>, context: RunContext<'_>) -> Ran {
        match self.engine {
            Prepared::Ideal(engine) => self.ideal(engine, &mut queues(pattern, context.ranks), context),
            Prepared::Flow(engine, machine) => self.flow_pattern(engine, machine, pattern, context),
            Prepared::Packet(packets) => packet::run(packets, &mut queues(pattern, context.ranks), context),
        }
    }

    fn ideal<P: Saved>(self, engine: &IdealEngine, programs: &mut [P], context: RunContext<'_>) -> Ran {
        let IdealEngine { latency, message_gap, bandwidth } = *engine;
        let within = self.scenario.node.within(None);
        let engine = Ideal { latency, message_gap, bandwidth, within };
        let (ended, processes) = engine.run_together(programs, context);
        Ran { processes, ..Ran::without_links(ended) }
    }
}

/// The ranks of one of several processes; `None` if it is the only one.
pub(crate) fn ranks(engine: &Prepared, at: &Placement, processes: &mut dyn Transport) -> Option<Vec<Rank>> {
    let homes = match engine {
        _ if processes.processes() == 1 => return None,
        Prepared::Ideal(_) => homes(at, processes.processes()),
        Prepared::Packet(packets) => {
            packet::homes(packets, processes).into_iter().map(|(process, _)| process).collect()
        }
        Prepared::Flow(..) => return None,
    };
    let here = |rank: &Rank| homes[at.node(*rank).index()] as usize == processes.process();
    Some((0..at.ranks()).map(Rank::new).filter(here).collect())
}

pub(crate) fn queues(pattern: Arc<Pattern>, ranks: Option<&[Rank]>) -> Vec<Queue<Pattern>> {
    match ranks {
        Some(ranks) => Queue::some(pattern, ranks.iter().copied()),
        None => Queue::all(pattern),
    }
}

/// The things of these ranks, which are in ascending order; those of all if none are named.
pub(crate) fn only<T>(ranks: Option<&[Rank]>, of_all: Vec<T>) -> Vec<T> {
    let Some(ranks) = ranks else { return of_all };
    let chosen: BTreeSet<Rank> = ranks.iter().copied().collect();
    let numbered = of_all.into_iter().enumerate();
    numbered.filter(|&(rank, _)| chosen.contains(&Rank::new(rank))).map(|(_, thing)| thing).collect()
}

/// The parts of all processes as one, in the first process; in the others their own part.
pub(crate) fn joined<T: Clone + Serialize + DeserializeOwned>(
    processes: &mut dyn Transport,
    own: T,
    join: impl FnMut(T, T) -> T,
) -> T {
    Gathering::new(processes).join(own.clone(), join).unwrap_or(own)
}
