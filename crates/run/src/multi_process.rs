//! Runs that several processes carry out together: the part of a process, and how parts become one again.
//!
//! Each process reads and checks the experiment by itself, and has the ranks and routers that belong to it. The first one has the
//! results folder and the whole result; the others write nothing.

use crate::again::{add_max_min, add_tie_sensitivity, check_comparison, check_tie_runs};
use crate::alone::add_alone;
use crate::band::{add_band, check_band};
use crate::budget::check_budget;
use crate::checkpoints::{check_checkpoints, checkpointer};
use crate::folder::begin_folder;
use crate::gpu::check_gpu;
use crate::options::{check_cycles, check_verify};
use crate::simulation::{Around, run_observed};
use crate::{Report, Result, RunError, RunOptions, build};
use serde::{Deserialize, Serialize};
use weir_capi::executable::Kind;
use weir_experiment::{IdealEngine, PreparationProgress, Prepared, Scenario, Workload};
use weir_flow::Compare;
use weir_network::{Checkpoints, Ideal, Outcome, Placement, Watch};
use weir_pdes::{Gathering, Transport};
use weir_units::{Duration, Time};

/// Like [`run`](crate::run), with more than the run itself, and with the results folder if the scenario has one: its tables
/// are written while the run goes on, and `summary.json` when all is done.
///
/// Several processes run it together when each calls this with the same scenario and options, and its end of the transport.
/// The report is whole in the first one, and only that has the folder; how the run ended all of them know.
///
/// # Errors
/// When the program to run cannot be loaded, the options or the processes make no sense for this scenario, the results cannot be
/// written, or a process is lost.
pub fn run_with(
    scenario: &Scenario,
    options: &RunOptions,
    processes: &mut dyn Transport,
    watch: Watch<'_>,
) -> Result<Report> {
    if let Some(limit) = check_processes(scenario, processes)?
        && scenario.prepared.is_ok()
    {
        // There was no time for the machine in another process: nor is there here.
        let mut late = scenario.clone();
        late.prepared = Err(limit);
        return run_agreed(&late, options, processes, watch);
    }
    run_agreed(scenario, options, processes, watch)
}

fn run_agreed(
    scenario: &Scenario,
    options: &RunOptions,
    processes: &mut dyn Transport,
    watch: Watch<'_>,
) -> Result<Report> {
    check_comparison(scenario, options.compare)?;
    check_tie_runs(scenario, options.tie_runs)?;
    check_cycles(scenario, options.keep)?;
    check_verify(scenario, options.verify)?;
    check_band(scenario, processes.processes())?;
    check_checkpoints(scenario, options)?;
    check_gpu(scenario, options, processes.processes())?;
    check_budget_of_all(scenario, options, processes, watch)?;
    PreparationProgress::begin(scenario.limits(), watch).stage("gaps between packets are being sought");
    scenario.own_pacing()?;
    let is_first = processes.process() == 0;
    let mut checkpointer = checkpointer(scenario, options.resume, is_first)?;
    let folder = if is_first { begin_folder(scenario, options.resume)? } else { None };
    let folder = folder.as_ref();
    checkpointer.iter_mut().for_each(|checkpointer| checkpointer.begin(folder));
    let checkpoints = checkpointer.as_mut().map(|checkpointer| checkpointer as &mut dyn Checkpoints);
    let around = Around { folder, observer: None, processes, checkpoints, outside: None };
    let mut report = run_observed(scenario, options, around, watch)?;
    if let Some(checkpointer) = checkpointer {
        let (counts, warning) = checkpointer.end(can_go_on(scenario, &report), &report.summary.counts);
        report.summary.checkpoints = Some(counts);
        report.summary.warnings.extend(warning);
    }
    if options.compare == Compare::WithMaxMin {
        add_max_min(scenario, &mut report)?;
    }
    if scenario.output.alone && is_first {
        add_alone(scenario, &mut report.summary.jobs)?;
    }
    if options.tie_runs > 0 {
        add_tie_sensitivity(scenario, options.tie_runs, &mut report)?;
    }
    if scenario.output.band && is_first {
        add_band(scenario, &mut report)?;
    }
    if let Some(folder) = folder {
        report.summary.write(folder)?;
    }
    Ok(report)
}

fn can_go_on(scenario: &Scenario, report: &Report) -> bool {
    let end = scenario.limits.simulated_time.map(|time| Time::ZERO + time);
    matches!(report.outcome, Outcome::Limit(_)) && end.is_none_or(|end| report.summary.simulated < end)
}

/// Facts that a process knows about a run that it is about to begin.
#[derive(Serialize, Deserialize)]
struct Facts {
    experiment: String,
    build: u64,
    refuses: Option<String>,
    /// The limit that has ended the building of its machine.
    limit: Option<String>,
}

impl Facts {
    /// Which process has something else to run than the first one, if one has.
    fn differ(all: &[Self]) -> Option<String> {
        let other = |differs: fn(&Self, &Self) -> bool| all.iter().position(|other| differs(other, &all[0]));
        let build = other(|one, other| one.build != other.build).zip(Some("is another build of weir"));
        let experiment = other(|one, other| one.experiment != other.experiment);
        let (process, what) = build.or(experiment.zip(Some("has another experiment")))?;
        Some(format!("process {process} {what} than process 0"))
    }

    fn first(all: &[Self], of: fn(&Self) -> &Option<String>) -> Option<String> {
        all.iter().find_map(|facts| of(facts).clone())
    }
}

fn lost(gathering: &Gathering<'_>, count: usize) -> RunError {
    let lost = gathering.counts.lost.as_ref().map(|lost| lost.in_words(count));
    RunError::Process(lost.unwrap_or_default())
}

/// Checks that these processes can run it together, and are all about to: each calls this. Returns the limit, in words, if the machine was
/// not built to its end in one of them: the run of all ends with it.
pub(crate) fn check_processes(scenario: &Scenario, processes: &mut dyn Transport) -> Result<Option<String>> {
    let count = processes.processes();
    if count == 1 {
        return Ok(None);
    }
    let own = Facts {
        experiment: scenario.resolved().to_string(),
        build: build(),
        refuses: one_process_only(scenario, count),
        limit: scenario.prepared.as_ref().err().cloned(),
    };
    let mut gathering = Gathering::new(processes);
    let found = |all: Vec<Facts>| {
        let refuses = Facts::first(&all, |facts| &facts.refuses);
        (Facts::differ(&all), refuses, Facts::first(&all, |facts| &facts.limit))
    };
    let all = gathering.gather(own).map(found);
    match gathering.spread(all) {
        Some((None, None, limit)) => Ok(limit),
        Some((Some(why), ..)) => {
            let hint = "start the same command in all processes, with files that are the same on all hosts";
            Err(RunError::Options(format!("{why}\n\nhint: {hint}")))
        }
        Some((None, Some(why), _)) => {
            Err(RunError::Options(format!("{why}\n\nhint: run it without --processes and without mpirun")))
        }
        None => Err(lost(&gathering, count)),
    }
}

fn check_budget_of_all(
    scenario: &Scenario,
    options: &RunOptions,
    processes: &mut dyn Transport,
    watch: Watch<'_>,
) -> Result<()> {
    let count = processes.processes();
    let mut check = || check_budget(scenario, options.gpu.as_ref(), watch);
    if count == 1 {
        return check();
    }
    let own = (processes.process() == 0).then(|| check().map_err(|error| error.to_string()));
    let mut gathering = Gathering::new(processes);
    match gathering.spread(own) {
        Some(allowed) => allowed.map_err(RunError::Budget),
        None => Err(lost(&gathering, count)),
    }
}

/// Why so many processes cannot run it; `None` if they can.
fn one_process_only(scenario: &Scenario, processes: usize) -> Option<String> {
    let why = match (&scenario.prepared, &scenario.workload.kind) {
        (Ok(Prepared::Flow(..)), _) => {
            "engine.kind = \"flow\" runs in one process: the rate of a flow may depend on every other one, at every instant"
        }
        (_, Workload::Program(program)) if program.kind == Kind::Separate => {
            "a program whose ranks are processes of their own is run by one process; build it with weir cc"
        }
        (_, kind) if kind.is_program() && scenario.storage.is_some() => {
            "storage is simulated in one process: all ranks share the disks"
        }
        (_, Workload::Jobs(jobs)) if jobs.any_endless() => {
            "repeat = \"until-others-end\" is followed by one process: the others learn too late that a job is over"
        }
        (_, workload) if workload.has_calls() && scenario.output.kept_calls().is_some() => {
            "calls of ranks (output.calls, output.trace) are kept by one process"
        }
        (Ok(Prepared::Ideal(engine)), _) => return ideal_refuses(engine, processes, scenario.placement()),
        (Ok(Prepared::Packet(packets)), _) => {
            if scenario.node.cables > 1 && processes > 1 {
                let why = "nodes with several cables belong to the parts of a machine that processes divide";
                return Some(why.into());
            }
            let most = packets.network.most_processes();
            return (processes > most).then(|| {
                format!("{processes} processes for {most} routers: each process needs one at least")
            });
        }
        (Err(_), _) => return None,
    };
    Some(why.to_owned())
}

fn ideal_refuses(engine: &IdealEngine, processes: usize, placement: &Placement) -> Option<String> {
    let most = Ideal::most_processes(placement);
    if engine.latency == Duration::ZERO {
        let why = "engine.kind = \"ideal\" runs in one process if messages take no time: ranks of different processes must not \
                   meet at one instant; give engine.latency";
        return Some(why.into());
    }
    let what = if most == 1 { "node" } else { "nodes" };
    (processes > most)
        .then(|| format!("{processes} processes for ranks on {most} {what}: each process needs one at least"))
}
