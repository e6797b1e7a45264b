//! Runs a scenario and condenses what the engine counted into a summary.

use crate::again::{add_max_min, add_tie_sensitivity, check_comparison, check_tie_runs};
use crate::band::{add_band, check_band};
use crate::budget::{check_budget, check_memory};
use crate::calls::{self, accounting, call_log, followed};
use crate::checkpoints::{check_checkpoints, checkpointer};
use crate::engine::{Run, ranks};
use crate::engine_result::EngineResult;
use crate::folder::begin_folder;
use crate::log::run_profile;
use crate::mpi::{Found, ProgramResult, grid_warnings, run_mpi};
use crate::multi_process::{CountingRecorder, check_budget_of_all, check_processes};
use crate::options::{check_cycles, check_verify};
use crate::results::{self, MachineTables};
use crate::{RunError, RunOptions, packet};
use std::sync::Arc;
use std::time::{Duration as WallTime, Instant};
use weir_capi::Observer;
use weir_experiment::memory::peak_memory_bytes;
use weir_experiment::{PreparationProgress, Prepared, Scenario, Units, Workload};
use weir_flow::Compare;
use weir_network::record::Keep;
use weir_network::{Checkpoints, Limits, Outcome, Recorder, RunContext, Watch};
use weir_pdes::{OneProcess, ProcessCounts, Transport};
use weir_record::{
    Begun, CycleRow, FolderRecorder, MailCounts, RecordError, RunFolder, Summary, WhereTimeWent,
};
use weir_topology::Topology;
use weir_units::{Rank, Time};
use weir_workload::{Pattern, Queue, Subsampled};

/// Results of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// For `summary.json`.
    pub summary: Summary,
    /// The way in which the run ended, with who waits for whom.
    pub outcome: Outcome,
    /// Ranks of an MPI program that ended with something other than 0, in the order of ending.
    pub exit_codes: Vec<(Rank, i32)>,
    /// The cycles of the flow engine, if they were to be kept.
    pub cycles: Vec<CycleRow>,
    /// The share of its events that a profile has come to, 0 to 1.
    pub replayed: Option<f64>,
}

impl Report {
    pub(crate) fn end_as(&mut self, outcome: Outcome) {
        self.summary.outcome = outcome.clone();
        self.outcome = outcome;
    }
}

/// Builds the programs, runs the engine to the end and sums up. `watch` is shown now and then how far it is. Writes
/// nothing.
///
/// # Errors
/// When the program to run cannot be loaded.
pub fn run(scenario: &Scenario, watch: Watch<'_>) -> Result<Report, RunError> {
    check_budget(scenario, watch)?;
    run_once(scenario, &RunOptions::default(), watch)
}

/// Like [`run`], with more than the run itself, and with the results folder if the scenario has one: its tables
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
) -> Result<Report, RunError> {
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
) -> Result<Report, RunError> {
    check_comparison(scenario, options.compare)?;
    check_tie_runs(scenario, options.tie_runs)?;
    check_cycles(scenario, options.keep)?;
    check_verify(scenario, options.verify)?;
    check_band(scenario, processes.processes())?;
    check_checkpoints(scenario, options)?;
    check_budget_of_all(scenario, processes, watch)?;
    PreparationProgress::begin(scenario.limits(), watch).stage("gaps between packets are being sought");
    scenario.own_pacing()?;
    let is_first = processes.process() == 0;
    let mut checkpointer = checkpointer(scenario, options.resume, is_first)?;
    let folder = if is_first { begin_folder(scenario, options.resume)? } else { None };
    let folder = folder.as_ref();
    checkpointer.iter_mut().for_each(|checkpointer| checkpointer.begin(folder));
    let checkpoints = checkpointer.as_mut().map(|checkpointer| checkpointer as &mut dyn Checkpoints);
    let around = Around { folder, observer: None, processes, checkpoints };
    let mut report = run_observed(scenario, options, around, watch)?;
    if let Some(checkpointer) = checkpointer {
        let (counts, warning) = checkpointer.end(can_go_on(scenario, &report), &report.summary.counts);
        report.summary.checkpoints = Some(counts);
        report.summary.warnings.extend(warning);
    }
    if options.compare == Compare::WithMaxMin {
        add_max_min(scenario, &mut report)?;
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

/// Where results go, who sees what ranks do, and who else runs it.
pub(crate) struct Around<'a> {
    pub(crate) folder: Option<&'a RunFolder>,
    /// Gets what the ranks of an MPI program do.
    pub(crate) observer: Option<Observer>,
    pub(crate) processes: &'a mut dyn Transport,
    pub(crate) checkpoints: Option<&'a mut dyn Checkpoints>,
}

pub(crate) fn run_once(
    scenario: &Scenario,
    options: &RunOptions,
    watch: Watch<'_>,
) -> Result<Report, RunError> {
    let around = Around { folder: None, observer: None, processes: &mut OneProcess, checkpoints: None };
    run_observed(scenario, options, around, watch)
}

/// Runs once.
pub(crate) fn run_observed(
    scenario: &Scenario,
    options: &RunOptions,
    around: Around<'_>,
    watch: Watch<'_>,
) -> Result<Report, RunError> {
    let start = Instant::now();
    let mut preparing = PreparationProgress::begin(scenario.limits(), watch);
    preparing.stage("gaps between packets are being sought");
    scenario.own_pacing()?;
    check_memory(scenario)?;
    preparing.stage(match scenario.workload.kind {
        Workload::Program(_) => "the program is being loaded",
        _ => "the run is being prepared",
    });
    let (mut limits, watch) = preparing.end();
    if let Some(after) = options.ends_after {
        limits.wall = limits.wall.min(limits.spent.saturating_add(after));
    }
    let (folder, topology) = (around.folder, scenario.machine.as_deref());
    folder.map(|folder| begin_results(scenario, folder)).transpose()?;
    std::thread::scope(|scope| {
        let machine = MachineTables::begin(scope, folder, topology, scenario.wires_of_nodes());
        let recorded = run_recorded(scenario, options, (around, machine), (limits, watch))?;
        Ok(summed_up(scenario, start.elapsed(), recorded))
    })
}

/// Runs once with this recorder in place of a results folder, and returns how the run ended.
///
/// # Errors
/// When the program to run cannot be loaded.
pub fn run_into(scenario: &Scenario, recorder: &mut dyn Recorder) -> Result<Outcome, RunError> {
    let options = &RunOptions::default();
    let engine = match &scenario.prepared {
        Ok(engine) => engine,
        Err(limit) => return Ok(Outcome::Limit(limit.clone())),
    };
    let context = RunContext::new(scenario.placement()).limits(scenario.limits()).recorder(Some(recorder));
    let context = accounting(scenario, options, context);
    let result = run_workload(Run { scenario, engine, options }, None, context)?;
    Ok(result.ran.ended.outcome)
}

/// What a run has counted and written.
struct Recorded {
    ran: EngineResult,
    found: Found,
    causes: Option<WhereTimeWent>,
    tables: Option<Vec<&'static str>>,
    warnings: Vec<String>,
}

/// Runs once, in a folder that has been begun.
fn run_recorded(
    scenario: &Scenario,
    options: &RunOptions,
    (Around { folder, observer, processes, checkpoints }, machine): (Around<'_>, MachineTables<'_>),
    (limits, watch): (Limits, Watch<'_>),
) -> Result<Recorded, RunError> {
    let topology = scenario.machine.as_deref();
    let mut recorder = folder.and_then(|folder| recorder(scenario, folder)).transpose()?;
    let records = processes.process() > 0 && scenario.output.dir.is_some() && scenario.output.asks();
    let mut elsewhere = records.then(|| CountingRecorder(scenario.output.requested(topology)));
    let reporting = match (&mut recorder, &mut elsewhere) {
        (Some(recorder), _) => Some(recorder as &mut dyn Recorder),
        (None, elsewhere) => elsewhere.as_mut().map(|recorder| recorder as &mut dyn Recorder),
    };
    let calls = folder.and_then(|folder| call_log(scenario, folder)).transpose()?;
    let follower = options.follow.as_ref();
    let mut followed = reporting.map(|recorder| followed(scenario, recorder, (follower, calls.as_ref())));
    let observer = calls::watched(observer, calls.as_ref());
    let ProgramResult { mut ran, found, grids } = match &scenario.prepared {
        Ok(engine) => {
            let ranks = ranks(engine, scenario.placement(), processes);
            let recorder = followed.as_mut().map(|recorder| recorder as &mut dyn Recorder);
            let context =
                RunContext::new(scenario.placement()).limits(limits).watch(watch).recorder(recorder);
            let context = context.processes(processes, ranks.as_deref()).checkpoints(checkpoints);
            let context = accounting(scenario, options, context);
            run_workload(Run { scenario, engine, options }, observer, context)?
        }
        Err(limit) => ProgramResult::none(EngineResult::not_begun(limit)),
    };
    if let Some(lost) = &ran.processes.lost {
        return Err(RunError::Process(lost.in_words(ran.processes.processes)));
    }
    drop(followed);
    let recorded = recorder.map(FolderRecorder::end).transpose()?.unwrap_or_default();
    let path = results::drawn_path(&mut ran, &scenario.output);
    let links = results::drawn_links(topology, &ran);
    let end = |log| calls::end(log, &links, path.as_ref(), &scenario.output);
    let (called, left_out) = calls.map(end).transpose()?.unwrap_or_default();
    machine.end()?;
    let causes = results::causes(topology, &ran);
    let write = |folder| results::write_tables(folder, topology, &ran, causes.as_ref());
    let tables = folder.map(write).transpose()?.map(|tables| [tables, recorded, called].concat());
    let unseen = std::mem::take(&mut ran.warnings);
    let warnings = [grid_warnings(scenario, &grids), unseen, left_out.into_iter().collect()].concat();
    Ok(Recorded { ran, found, causes, tables, warnings })
}

fn summed_up(scenario: &Scenario, wall: WallTime, recorded: Recorded) -> Report {
    let topology = scenario.machine.as_deref();
    let Recorded { ran, found, causes, tables, warnings } = recorded;
    let EngineResult { ended, until, link_use, counts, threads, cycles, replayed, repetitions, .. } = ran;
    let summary = Summary {
        title: scenario.title.clone(),
        outcome: ended.outcome,
        engine: scenario.engine.name(),
        nodes: scenario.nodes(),
        routers: topology.map_or(0, Topology::routers),
        links: topology.map_or(0, Topology::links),
        faults: scenario.machines.as_ref().and_then(|machines| machines.facts()),
        ranks: scenario.workload.ranks,
        traffic: ended.traffic,
        simulated: until,
        wall,
        peak_memory_bytes: peak_memory_bytes(),
        threads,
        processes: ran.processes.processes,
        mail: mail(&ran.processes),
        checkpoints: None,
        digest: ended.digest,
        link_use,
        experiment: scenario.resolved(),
        assumed: scenario.assumed().to_vec(),
        counts,
        program: found.counts,
        skeleton: found.skeleton,
        remnants: found.remnants,
        repetitions,
        band: None,
        causes,
        units: (scenario.units == Units::Unitless).then_some("none"),
        warnings: [scenario.warnings(), warnings].concat(),
        shipped: scenario.shipped.clone(),
        tables,
    };
    let outcome = summary.outcome.clone();
    Report { summary, outcome, exit_codes: found.exit_codes, cycles, replayed }
}

fn run_workload(
    run: Run<'_>,
    observer: Option<Observer>,
    context: RunContext<'_>,
) -> Result<ProgramResult, RunError> {
    let Run { scenario, engine, options } = run;
    let ran = match (&scenario.workload.kind, &scenario.pattern, engine) {
        (Workload::Program(program), ..) => return run_mpi(run, program, observer, context),
        (kind, ..) if let Some(profile) = kind.profile() => run_profile(run, profile, observer, context)?,
        (Workload::Synthetic(traffic), _, Prepared::Packet(packets)) => {
            packet::run_synthetic(packets, traffic, context)
        }
        (_, Some(pattern), _) => {
            let pattern = match scenario.own_pacing()? {
                Some(pacing) => Arc::new(pacing.on(Pattern::clone(pattern))),
                None => Arc::clone(pattern),
            };
            match options.one_of {
                Some(one_of) => {
                    let order = Arc::new(Subsampled::new(pattern, one_of));
                    run.programs(&mut Queue::all(order), context)
                }
                None => run.pattern(pattern, context),
            }
        }
        (_, None, _) => return Err(RunError::Options("there is nothing to run".into())),
    };
    Ok(ProgramResult::none(ran))
}

fn begin_results(scenario: &Scenario, folder: &RunFolder) -> Result<(), RecordError> {
    let topology = scenario.machine.as_deref();
    let begun = Begun {
        title: scenario.title.clone(),
        engine: scenario.engine.name(),
        nodes: scenario.nodes(),
        routers: topology.map_or(0, Topology::routers),
        links: topology.map_or(0, Topology::links),
        ranks: scenario.workload.ranks,
        experiment: scenario.resolved(),
        assumed: scenario.assumed().to_vec(),
    };
    begun.write(folder)
}

fn recorder(scenario: &Scenario, folder: &RunFolder) -> Option<Result<FolderRecorder, RecordError>> {
    let (requested, buffers) =
        (scenario.output.requested(scenario.machine.as_deref()), scenario.engine.buffers());
    let asks = scenario.output.asks() || scenario.output.trace == Keep::Yes;
    asks.then(|| FolderRecorder::new(folder, requested, buffers))
}

fn mail(processes: &ProcessCounts) -> Option<MailCounts> {
    let &ProcessCounts { meetings, mail, mail_bytes, waited, .. } = processes;
    (processes.processes > 1).then_some(MailCounts { meetings, things: mail, bytes: mail_bytes, waited })
}
