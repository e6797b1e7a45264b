//! Reasons why the GPU cannot run a scenario: all of them, by key, before anything runs.

use super::{GpuProcessor, Work};
use crate::{Result, RunError, RunOptions};
use serde_json::Value;
use weir_experiment::{Prepared, Problem, Problems, Scenario, Workload};
use weir_gpu::GpuError;
use weir_network::record::Keep;
use weir_packet::{FlatMessages, FlatRun, Refusal};
use weir_units::Bytes;

/// The option that all of it is about, in place of a file.
const OPTION: &str = "--gpu";
const WITHOUT: &str = "run it without --gpu";

/// Checks a run of so many processes, if it is to be on the GPU.
pub(crate) fn check_gpu(scenario: &Scenario, options: &RunOptions, processes: usize) -> Result<()> {
    options.gpu.as_ref().map_or(Ok(()), |gpu| check(gpu, scenario, processes, Runs::Alone))
}

/// The runs beside one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    Alone,
    SideBySide,
}

pub(super) fn check(gpu: &GpuProcessor, scenario: &Scenario, processes: usize, runs: Runs) -> Result<()> {
    let mut problems = of_experiment(scenario, runs);
    if processes > 1 {
        let what = format!("is used by one process, and {processes} are to run this together");
        problems.push(problem(["", ""], what, "run it without --processes and without mpirun"));
    }
    match gpu.opened() {
        Ok(gpu) => {
            let (takes, has) = (memory(scenario), gpu.gpu().memory());
            if takes > has {
                let (takes, has) = (Bytes(takes), Bytes(has));
                let what =
                    format!("is a machine that takes {takes} on a GPU, and {} has {has}", gpu.gpu().name());
                problems.push(problem(
                    ["topology", ""],
                    what,
                    "take a smaller machine, a longer output.sample_interval if there is one, or run it without --gpu",
                ));
            }
        }
        Err(error) => problems.push(of_computer(error)),
    }
    refused(problems)
}

pub(super) fn refused(problems: Vec<Problem>) -> Result<()> {
    if problems.is_empty() {
        return Ok(());
    }
    Err(RunError::Options(Problems::new(problems).to_string()))
}

fn problem([key, value]: [&str; 2], what: impl Into<String>, hint: &str) -> Problem {
    Problem {
        file: OPTION.to_owned(),
        line: None,
        key: key.to_owned(),
        value: value.to_owned(),
        what: what.into(),
        hint: Some(hint.to_owned()),
    }
}

/// The text of a key, and of none in a table.
fn value_of(resolved: &Value, key: &str) -> String {
    match key.split('.').try_fold(resolved, |value, part| value.get(part)) {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => value.to_string(),
        _ => String::new(),
    }
}

/// The reasons that lie in the experiment.
pub(super) fn of_experiment(scenario: &Scenario, runs: Runs) -> Vec<Problem> {
    let resolved = scenario.resolved();
    let refuse = |key: &str, what: &str, hint: &str| problem([key, &value_of(&resolved, key)], what, hint);
    let mut problems = Vec::new();
    if !scenario.engine.has_packets() {
        let what = "does not run on a GPU, which has routers of the packet engine";
        problems.push(refuse("engine.kind", what, "write engine.kind = \"packet\", or run it without --gpu"));
    }
    let is_synthetic = matches!(scenario.workload.kind, Workload::Synthetic(_));
    if !is_synthetic && !is_pattern(scenario) {
        let key = if matches!(scenario.workload.kind, Workload::Jobs(_)) { "jobs" } else { "workload.kind" };
        let what = "does not run on a GPU: only synthetic traffic and patterns do";
        let hint =
            "write workload.kind = \"synthetic\" with offered_load and duration, or run it without --gpu";
        problems.push(refuse(key, what, hint));
    } else if !is_synthetic && runs == Runs::SideBySide {
        let what = "has ranks, and points of a sweep with ranks do not run side by side on a GPU";
        problems.push(refuse(
            "workload.kind",
            what,
            "leave out --gpu, or run the points one by one by weir run --gpu",
        ));
    }
    let output = &scenario.output;
    // Samples stay on the GPU until the run is over.
    let takes_samples = is_synthetic && runs == Runs::Alone;
    let asked = [
        ("output.sample_interval", output.sample_interval.is_some() && !takes_samples),
        ("output.packets", output.packets.is_some()),
        ("output.messages", output.messages == Keep::Yes),
        ("output.pairs", output.pairs == Keep::Yes),
        ("output.calls", output.calls == Keep::Yes),
        ("output.trace", output.trace == Keep::Yes),
        ("output.causes", output.causes == Keep::Yes),
    ];
    for (key, _) in asked.into_iter().filter(|(_, is_asked)| *is_asked) {
        let what =
            "asks for what happens while the run goes on, and a GPU gives only what is counted at its end";
        problems.push(refuse(key, what, "leave it out, or run it without --gpu"));
    }
    if output.checkpoint_every.is_some() {
        let what = "asks for checkpoints, and the memory of a GPU is in none";
        problems.push(refuse("output.checkpoint_every", what, "leave it out, or run it without --gpu"));
    }
    for (key, _) in
        [("output.band", output.band), ("output.alone", output.alone)].into_iter().filter(|one| one.1)
    {
        let what = "asks for further runs, and these are not made on a GPU";
        problems.push(refuse(key, what, "leave it out, or run it without --gpu"));
    }
    let of_traffic = || work(scenario).and_then(|work| flat(work).err());
    let of_messages = || messages(scenario).and_then(Result::err);
    let refusals = if is_synthetic { of_traffic() } else { of_messages() };
    problems.extend(refusals.into_iter().flatten().map(of_refusal));
    problems
}

fn of_refusal(Refusal { key, what, hint }: Refusal) -> Problem {
    let hint = if hint.is_empty() { WITHOUT } else { &hint };
    problem([key, ""], what, hint)
}

/// The error of routers that a GPU cannot run.
pub(super) fn refusals(refusals: Vec<Refusal>) -> RunError {
    RunError::Options(Problems::new(refusals.into_iter().map(of_refusal).collect()).to_string())
}

/// Returns whether the ranks of a scenario follow a pattern, and nothing else.
fn is_pattern(scenario: &Scenario) -> bool {
    let kind = &scenario.workload.kind;
    let has_programs =
        matches!(kind, Workload::Jobs(_) | Workload::Program(_) | Workload::Outside | Workload::Graph(_));
    !has_programs && kind.profile().is_none() && scenario.pattern.is_some()
}

/// The routers of a pattern on packets; `None` of another engine or workload.
fn messages(scenario: &Scenario) -> Option<Result<FlatMessages<'_>, Vec<Refusal>>> {
    match &scenario.prepared {
        Ok(Prepared::Packet(packets)) if is_pattern(scenario) => {
            Some(packets.network.flat_messages(scenario.limits()))
        }
        _ => None,
    }
}

/// Why this computer has none that can be used: in a line, however many its words take.
fn of_computer(error: &GpuError) -> Problem {
    let text = error.to_string();
    let (what, hint) = text.split_once("\n\nhint: ").unwrap_or((&text, WITHOUT));
    let mut lines = what.lines().map(str::trim);
    let first = lines.next().unwrap_or_default().to_owned();
    let others = lines.collect::<Vec<_>>().join("; ");
    let what = if others.is_empty() { first } else { format!("{first} {others}") };
    problem(["", ""], what, hint)
}

/// The work of a GPU; `None` of another engine or workload, and where time was over before the machine was built.
pub(super) fn work(scenario: &Scenario) -> Option<Work<'_>> {
    match (&scenario.prepared, &scenario.workload.kind) {
        (Ok(Prepared::Packet(packets)), Workload::Synthetic(traffic)) => {
            let interval = scenario.output.sample_interval;
            Some(Work { packets, traffic, limits: scenario.limits(), interval })
        }
        _ => None,
    }
}

pub(super) fn flat(work: Work<'_>) -> Result<FlatRun<'_>, Vec<Refusal>> {
    let run = work.packets.network.flat(work.traffic, work.limits)?;
    Ok(match work.interval {
        Some(interval) => run.sampled(interval),
        None => run,
    })
}

/// Bytes that its state takes on a GPU; zero of what does not run there.
pub(super) fn memory(scenario: &Scenario) -> u64 {
    let traffic = work(scenario).and_then(|work| flat(work).ok()).map(|run| run.memory());
    let messages = || messages(scenario)?.ok().map(|routers| routers.memory());
    traffic.or_else(messages).unwrap_or(0)
}
