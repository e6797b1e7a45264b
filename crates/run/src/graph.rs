//! Runs graphs of work.

use crate::Result;
use crate::engine::{Run, Threads, joined, only};
use crate::engine_result::Ran;
use crate::mpi::interfaces;
use std::sync::Arc;
use weir_experiment::{Scenario, WorkGraphSection};
use weir_message::Costs;
use weir_network::{EventLogged, RunContext};
use weir_replay::{GraphReplay, GraphSetting, Setting, window_of};

/// All ranks of a graph of work, with these costs of messages.
pub(crate) fn ranks(scenario: &Scenario, section: &WorkGraphSection, costs: Costs) -> Vec<GraphReplay> {
    let graph = &section.graph;
    let setting = GraphSetting {
        replay: Setting {
            costs: costs.into(),
            choice: scenario.choice(),
            interfaces: interfaces(scenario),
            ..Setting::default()
        },
        window: window_of(graph.tasks.ranks()),
    };
    let tasks = Box::new(Arc::clone(&graph.tasks).tasks());
    GraphReplay::all(tasks, &graph.communicators, setting)
}

/// Runs the ranks of a graph of work.
pub(crate) fn run_graph(
    run: Run<'_>,
    section: &WorkGraphSection,
    mut context: RunContext<'_>,
) -> Result<Ran> {
    let graph = &section.graph;
    let ranks = only(context.ranks, ranks(run.scenario, section, run.scenario.message_costs()));
    let done = |ranks: &mut dyn Iterator<Item = &GraphReplay>| ranks.map(GraphReplay::done).sum::<u64>();
    let (ran, ended) = if context.checkpoints.is_some() {
        let mut ranks: Vec<_> = ranks.into_iter().map(EventLogged::new).collect();
        let ran = run.programs_on(Threads::Any, &mut ranks, context.reborrow());
        (ran, done(&mut ranks.iter().map(EventLogged::program)))
    } else {
        let mut ranks = ranks;
        (run.programs_on(Threads::Any, &mut ranks, context.reborrow()), done(&mut ranks.iter()))
    };
    let ended = joined(context.processes, ended, std::ops::Add::add);
    Ok(Ran { replayed: Some(ended as f64 / graph.tasks.len().max(1) as f64), ..ran })
}
