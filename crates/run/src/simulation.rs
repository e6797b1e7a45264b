//! Runs a scenario and condenses what the engine counted into a summary.

use crate::calls::{self, accounting, call_log, followed};
use crate::engine::{Run, ranks};
use crate::engine_result::Ran;
use crate::graph;
use crate::jobs::{run_jobs, with_jobs};
use crate::mpi::{Found, ProgramResult, grid_warnings, run_mpi};
use crate::profile::run_profile;
use crate::results::{self, MachineTables};
use crate::verdict::verdict;
use crate::{Result, RunError, RunOptions, gpu, packet};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration as WallTime, Instant};
use weir_capi::Observer;
use weir_experiment::memory::{peak_memory_bytes, shortage};
use weir_experiment::{PreparationProgress, Prepared, Scenario, Units, Workload};
use weir_network::record::Keep;
use weir_network::{
    Checkpoints, Digest, Limits, Outcome, Recorder, RunContext, SkeletonCounts, Traffic, Watch,
};
use weir_pdes::{OneProcess, ProcessCounts, Transport};
use weir_record::{
    Begun, ClassCounts, CycleRow, FolderRecorder, MailCounts, RecordError, RunFolder, StuckChannel, Summary,
    WhereTimeWent,
};
use weir_topology::Topology;
use weir_units::{Rank, Time};
use weir_workload::{Pattern, Queue, Subsampled};

/// Why a run cannot do without its program.
const NOT_ALONE: &str = "the ranks of workload.kind = \"outside\" do what a program says that steps the run\n\nhint: open the experiment \
                                    with weir.Backend in Python, or with weir_backend_open in C, or take another kind of workload";

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

/// Results of a run that are kept by those who make many, each in a process of its own if need be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunDigest {
    /// The way in which it ended.
    pub outcome: Outcome,
    /// Ranks that ended with something other than 0, in the order of ending.
    pub exit_codes: Vec<(Rank, i32)>,
    /// Number of ranks.
    pub ranks: usize,
    /// The instant the run got to.
    pub simulated: Time,
    /// Time on the clock on the wall.
    pub wall: WallTime,
    /// Processor time of the thread that ran it, in seconds; `None` where the system does not report it.
    pub processor_s: Option<f64>,
    /// Messages and bytes that were carried.
    pub traffic: Traffic,
    /// Fingerprint of all events in their order.
    pub digest: Digest,
    /// Counts of MPI programs that let time pass for code left out.
    pub skeleton: Option<SkeletonCounts>,
    /// Ranks of an MPI program that ended without a call of MPI.
    pub without_mpi: usize,
    /// Virtual channels whose packets wait for each other.
    pub stuck: Vec<StuckChannel>,
    /// The object of `summary.json`.
    pub summary: Value,
}

impl RunDigest {
    /// The results that are kept of a run that took so much processor time.
    pub fn new(report: Report, processor_s: Option<f64>) -> Self {
        let Report { summary, outcome, exit_codes, .. } = report;
        Self {
            outcome,
            exit_codes,
            ranks: summary.ranks,
            simulated: summary.simulated,
            wall: summary.wall,
            processor_s,
            traffic: summary.traffic.clone(),
            digest: summary.digest,
            summary: summary.to_json(),
            skeleton: summary.skeleton,
            without_mpi: summary.program.map_or(0, |program| program.without_mpi),
            stuck: summary.counts.stuck().to_vec(),
        }
    }
}

/// Where results go, who sees what ranks do, and who else runs it.
pub(crate) struct Around<'a> {
    pub(crate) folder: Option<&'a RunFolder>,
    /// Gets what the ranks of an MPI program do.
    pub(crate) observer: Option<Observer>,
    pub(crate) processes: &'a mut dyn Transport,
    pub(crate) checkpoints: Option<&'a mut dyn Checkpoints>,
    /// Runs the ranks of a program that steps the run.
    pub(crate) outside: Option<Outside<'a>>,
}

/// Runs the ranks of a program outside.
pub(crate) type Outside<'a> = &'a mut (dyn FnMut(Run<'_>, RunContext<'_>) -> Ran + 'a);

pub(crate) fn run_once(scenario: &Scenario, options: &RunOptions, watch: Watch<'_>) -> Result<Report> {
    let around =
        Around { folder: None, observer: None, processes: &mut OneProcess, checkpoints: None, outside: None };
    run_observed(scenario, options, around, watch)
}

pub(crate) fn check_memory(scenario: &Scenario) -> Result<()> {
    let Some(shortage) = shortage(scenario.least_memory(), scenario.limits.memory) else { return Ok(()) };
    let machine = scenario.machine().map_or(String::new(), |machine| {
        format!("a machine of {} nodes and {} links with ", machine.nodes(), machine.links())
    });
    Err(RunError::Budget(format!(
        "{machine}{} ranks takes {shortage}\n\nhint: take a smaller machine or fewer ranks, or a computer (or a limit: \
         ulimit -v) with more memory",
        scenario.workload.ranks
    )))
}

pub(crate) fn run_observed(
    scenario: &Scenario,
    options: &RunOptions,
    around: Around<'_>,
    watch: Watch<'_>,
) -> Result<Report> {
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
    let (folder, topology) = (around.folder, scenario.machine());
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
pub fn run_into(scenario: &Scenario, recorder: &mut dyn Recorder) -> Result<Outcome> {
    let options = &RunOptions::default();
    let engine = match &scenario.prepared {
        Ok(engine) => engine,
        Err(limit) => return Ok(Outcome::Limit(limit.clone())),
    };
    let services = scenario.services();
    let context = RunContext::new(scenario.placement()).limits(scenario.limits()).recorder(Some(recorder));
    let context = context.services(services.as_ref());
    let run = Run { scenario, engine, options };
    Ok(run_workload(run, None, None, accounting(run, context))?.ran.ended.outcome)
}

/// Counts of a run, and tables that it has written.
struct Recorded {
    ran: Ran,
    found: Found,
    causes: Option<WhereTimeWent>,
    tables: Option<Vec<&'static str>>,
    warnings: Vec<String>,
}

/// Runs once, in a folder that has been begun.
fn run_recorded(
    scenario: &Scenario,
    options: &RunOptions,
    (Around { folder, observer, processes, checkpoints, outside }, machine): (Around<'_>, MachineTables<'_>),
    (limits, watch): (Limits, Watch<'_>),
) -> Result<Recorded> {
    let (topology, services) = (scenario.machine(), scenario.services());
    let mut recorder = folder.and_then(|folder| recorder(scenario, folder)).transpose()?;
    let records = processes.process() > 0 && scenario.output.dir.is_some() && scenario.output.asks();
    // What the first process records is counted here, and sent there.
    let mut elsewhere = records.then(|| scenario.output.requested(topology));
    let reporting = match (&mut recorder, &mut elsewhere) {
        (Some(recorder), _) => Some(recorder as &mut dyn Recorder),
        (None, elsewhere) => elsewhere.as_mut().map(|recorder| recorder as &mut dyn Recorder),
    };
    let calls = folder.and_then(|folder| call_log(scenario, folder)).transpose()?;
    let follower = options.follow.as_ref();
    let observer = calls::watched(observer, calls.as_ref());
    let ProgramResult { mut ran, found, grids } = match &scenario.prepared {
        Ok(engine) => {
            let ranks = ranks(engine, scenario.placement(), processes);
            let mut followed =
                reporting.map(|recorder| followed(scenario, recorder, (follower, calls.as_ref())));
            let recorder = followed.as_mut().map(|recorder| recorder as &mut dyn Recorder);
            let context =
                RunContext::new(scenario.placement()).limits(limits).watch(watch).recorder(recorder);
            let context = context.processes(processes, ranks.as_deref()).checkpoints(checkpoints);
            let context = context.services(services.as_ref());
            let run = Run { scenario, engine, options };
            run_workload(run, observer, outside, accounting(run, context))?
        }
        Err(limit) => ProgramResult::none(Ran::not_begun(limit)),
    };
    if let Some(lost) = &ran.processes.lost {
        return Err(RunError::Process(lost.in_words(ran.processes.processes)));
    }
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

/// The report of a run without a folder that has taken so long.
pub(crate) fn report_of(scenario: &Scenario, wall: WallTime, ran: Ran) -> Report {
    let ran = Recorded { ran, found: Found::default(), causes: None, tables: None, warnings: Vec::new() };
    summed_up(scenario, wall, ran)
}

fn summed_up(scenario: &Scenario, wall: WallTime, recorded: Recorded) -> Report {
    let topology = scenario.machine();
    let Recorded { ran, found, causes, tables, warnings } = recorded;
    let Ran { ended, until, link_use, counts, threads, cycles, replayed, repetitions, jobs, gpu, .. } = ran;
    let mut summary = Summary {
        title: scenario.title.clone(),
        outcome: with_jobs(ended.outcome, &jobs),
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
        gpu,
        checkpoints: None,
        digest: ended.digest,
        link_use,
        experiment: scenario.resolved(),
        assumed: scenario.assumed().to_vec(),
        counts,
        classes: scenario
            .services()
            .map_or_else(Vec::new, |classes| ClassCounts::of(&classes, &ended.services)),
        program: found.counts,
        skeleton: found.skeleton,
        remnants: found.remnants,
        jobs,
        repetitions,
        band: None,
        causes,
        verdict: Vec::new(),
        units: (scenario.units == Units::Unitless).then_some("none"),
        warnings: [scenario.warnings(), warnings].concat(),
        shipped: scenario.shipped.clone(),
        tables,
    };
    summary.verdict = verdict(&summary, scenario);
    let exit_codes = found.exit_codes.into_iter().map(|(_, rank, code)| (rank, code)).collect();
    let outcome = summary.outcome.clone();
    Report { summary, outcome, exit_codes, cycles, replayed }
}

fn run_workload(
    run: Run<'_>,
    observer: Option<Observer>,
    outside: Option<Outside<'_>>,
    context: RunContext<'_>,
) -> Result<ProgramResult> {
    let Run { scenario, engine, options } = run;
    let ran = match (&scenario.workload.kind, &scenario.pattern, engine) {
        (Workload::Jobs(jobs), ..) => return run_jobs(run, jobs, context),
        (Workload::Program(program), ..) => return run_mpi(run, program, observer, context),
        (Workload::Outside, ..) => match outside {
            Some(outside) => outside(run, context),
            None => return Err(RunError::Options(NOT_ALONE.into())),
        },
        (Workload::Graph(section), ..) => graph::run_graph(run, section, context)?,
        (kind, ..) if let Some(profile) = kind.profile() => run_profile(run, profile, observer, context)?,
        (Workload::Synthetic(traffic), _, Prepared::Packet(packets)) => match &options.gpu {
            Some(gpu) => gpu::run_synthetic(gpu, packets, traffic, context)?,
            None => packet::run_synthetic(packets, traffic, context),
        },
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
                None => match (&options.gpu, engine) {
                    (Some(gpu), Prepared::Packet(packets)) => {
                        gpu::run_pattern(gpu, packets, pattern, context)?
                    }
                    _ => run.pattern(pattern, context),
                },
            }
        }
        (_, None, _) => return Err(RunError::Options("there is nothing to run".into())),
    };
    Ok(ProgramResult::none(ran))
}

fn begin_results(scenario: &Scenario, folder: &RunFolder) -> Result<(), RecordError> {
    let topology = scenario.machine();
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
    let (requested, buffers) = (scenario.output.requested(scenario.machine()), scenario.engine.buffers());
    let asks = scenario.output.asks() || scenario.output.trace == Keep::Yes;
    asks.then(|| FolderRecorder::new(folder, requested, buffers))
}

fn mail(processes: &ProcessCounts) -> Option<MailCounts> {
    let &ProcessCounts { meetings, mail, mail_bytes, waited, .. } = processes;
    (processes.processes > 1).then_some(MailCounts { meetings, things: mail, bytes: mail_bytes, waited })
}
