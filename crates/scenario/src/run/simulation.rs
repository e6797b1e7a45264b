//! Runs a scenario and condenses what the engine counted into a summary.

use crate::engine::Prepared;
use crate::run::calls;
use crate::run::context::Context;
use crate::run::engine_result::EngineResult;
use crate::run::memory::peak_memory_bytes;
use crate::run::mpi::ProgramResult;
use crate::run::multi_process::CountingRecorder;
use crate::run::options::{RunOptions, Variation};
use crate::run::preparation::PreparationProgress;
use crate::run::results::{self, MachineTables};
use crate::{RunError, Scenario, Units, Workload};
use std::sync::Arc;
use std::time::Instant;
use weir_capi::Observer;
use weir_flow::Compare;
use weir_network::record::Keep;
use weir_network::{Checkpoints, Limits, Outcome, Recorder, RunContext, Watch};
use weir_pdes::{OneProcess, ProcessCounts, Transport};
use weir_record::{
    Begun, CycleRow, FolderRecorder, LinkCount, LinkUse, MailCounts, RecordError, RunFolder, Summary,
};
use weir_topology::Topology;
use weir_units::{Rank, Time};
use weir_workload::{Pattern, Queue, Subsampled, Totals};

pub(crate) const BUSIEST: usize = 20;

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

impl Scenario {
    /// Builds the programs, runs the engine to the end and sums up. `watch` is shown now and then how far it is. Writes
    /// nothing.
    ///
    /// # Errors
    /// When the program to run cannot be loaded.
    pub fn run(&self, watch: Watch<'_>) -> Result<Report, RunError> {
        self.check_budget(watch)?;
        self.run_once(Variation::default(), None, watch)
    }

    /// Like [`Self::run`], with more than the run itself, and with the results folder if the scenario has one: its tables
    /// are written while the run goes on, and `summary.json` when all is done.
    ///
    /// Several processes run it together when each calls this with the same scenario and options, and its end of the transport.
    /// The report is whole in the first one, and only that has the folder; how the run ended all of them know.
    ///
    /// # Errors
    /// When the program to run cannot be loaded, the options or the processes make no sense for this scenario, the results cannot be
    /// written, or a process is lost.
    pub fn run_with(
        &self,
        options: RunOptions,
        processes: &mut dyn Transport,
        watch: Watch<'_>,
    ) -> Result<Report, RunError> {
        if let Some(limit) = self.check_processes(processes)?
            && self.prepared.is_ok()
        {
            // There was no time for the machine in another process: nor is there here.
            return Self { prepared: Err(limit), ..self.clone() }.run_agreed(options, processes, watch);
        }
        self.run_agreed(options, processes, watch)
    }

    fn run_agreed(
        &self,
        options: RunOptions,
        processes: &mut dyn Transport,
        watch: Watch<'_>,
    ) -> Result<Report, RunError> {
        self.check_comparison(options.compare)?;
        self.check_tie_runs(options.tie_runs)?;
        self.check_cycles(options.keep)?;
        self.check_verify(options.verify)?;
        self.check_band(processes.processes())?;
        self.check_checkpoints(&options)?;
        self.check_budget_of_all(processes, watch)?;
        let RunOptions { compare, keep, verify, .. } = options;
        let variation = Variation { compare, keep, verify, ..Variation::default() };
        PreparationProgress::begin(self.limits(), watch).stage("gaps between packets are being sought");
        self.own_pacing()?;
        let is_first = processes.process() == 0;
        let mut checkpointer = self.checkpointer(options.resume, is_first)?;
        let folder = if is_first { self.begin_folder(options.resume)? } else { None };
        let folder = folder.as_ref();
        checkpointer.iter_mut().for_each(|checkpointer| checkpointer.begin(folder));
        let checkpoints = checkpointer.as_mut().map(|checkpointer| checkpointer as &mut dyn Checkpoints);
        let mut report = self.run_observed(variation, (folder, None), (processes, checkpoints), watch)?;
        if let Some(checkpointer) = checkpointer {
            let (counts, warning) = checkpointer.end(self.can_go_on(&report), &report.summary.counts);
            report.summary.checkpoints = Some(counts);
            report.summary.warnings.extend(warning);
        }
        if options.compare == Compare::WithMaxMin {
            self.add_max_min(&mut report)?;
        }
        if options.tie_runs > 0 {
            self.add_tie_sensitivity(options.tie_runs, &mut report)?;
        }
        if self.output.band && is_first {
            self.add_band(&mut report)?;
        }
        if let Some(folder) = folder {
            report.summary.write(folder)?;
        }
        Ok(report)
    }

    fn can_go_on(&self, report: &Report) -> bool {
        let end = self.limits.simulated_time.map(|time| Time::ZERO + time);
        matches!(report.outcome, Outcome::Limit(_)) && end.is_none_or(|end| report.summary.simulated < end)
    }

    /// Number of messages of a run, where that is known before it: in a pattern.
    pub fn messages(&self) -> Option<u64> {
        self.pattern.as_deref().map(Totals::messages)
    }

    pub(crate) fn run_once(
        &self,
        variation: Variation,
        folder: Option<&RunFolder>,
        watch: Watch<'_>,
    ) -> Result<Report, RunError> {
        self.run_observed(variation, (folder, None), (&mut OneProcess, None), watch)
    }

    /// Runs once; `observer` gets what the ranks of an MPI program do.
    pub(crate) fn run_observed(
        &self,
        variation: Variation,
        (folder, observer): (Option<&RunFolder>, Option<Observer>),
        (processes, checkpoints): (&mut dyn Transport, Option<&mut dyn Checkpoints>),
        watch: Watch<'_>,
    ) -> Result<Report, RunError> {
        let start = Instant::now();
        let mut preparing = PreparationProgress::begin(self.limits(), watch);
        preparing.stage("gaps between packets are being sought");
        self.own_pacing()?;
        self.check_memory()?;
        preparing.stage(match self.workload.kind {
            Workload::Program(_) => "the program is being loaded",
            _ => "the run is being prepared",
        });
        let (mut limits, watch) = preparing.end();
        if let Some(after) = variation.ends_after {
            limits.wall = limits.wall.min(limits.spent.saturating_add(after));
        }
        let topology = self.machine.as_deref();
        folder.map(|folder| self.begin_results(folder)).transpose()?;
        std::thread::scope(|scope| {
            let machine = MachineTables::begin(scope, folder, topology, self.wires_of_nodes());
            let around = (processes, checkpoints);
            self.run_recorded(start, machine, variation, (folder, observer), (limits, watch), around)
        })
    }

    /// Runs once, in a folder that has been begun.
    fn run_recorded(
        &self,
        start: Instant,
        machine: MachineTables<'_>,
        variation: Variation,
        (folder, observer): (Option<&RunFolder>, Option<Observer>),
        (limits, watch): (Limits, Watch<'_>),
        (processes, checkpoints): (&mut dyn Transport, Option<&mut dyn Checkpoints>),
    ) -> Result<Report, RunError> {
        let topology = self.machine.as_deref();
        let mut recorder = folder.and_then(|folder| self.recorder(folder)).transpose()?;
        let records = processes.process() > 0 && self.output.dir.is_some() && self.output.asks();
        let mut elsewhere = records.then(|| CountingRecorder(self.output.requested(topology)));
        let reporting = match (&mut recorder, &mut elsewhere) {
            (Some(recorder), _) => Some(recorder as &mut dyn Recorder),
            (None, elsewhere) => elsewhere.as_mut().map(|recorder| recorder as &mut dyn Recorder),
        };
        let calls = folder.and_then(|folder| self.call_log(folder)).transpose()?;
        let mut followed = reporting.map(|recorder| self.followed(recorder, calls.as_ref()));
        let observer = calls::watched(observer, calls.as_ref());
        let ProgramResult { mut ran, found, grids } = match &self.prepared {
            Ok(engine) => {
                let ranks = engine.ranks(self.placement(), processes);
                let recorder = followed.as_mut().map(|recorder| recorder as &mut dyn Recorder);
                let run = RunContext::new(self.placement()).limits(limits).watch(watch).recorder(recorder);
                let run = run.processes(processes, ranks.as_deref()).checkpoints(checkpoints);
                let run = self.accounting(run);
                self.run_workload(observer, Context { scenario: self, engine, variation, run })?
            }
            Err(limit) => ProgramResult::none(EngineResult::not_begun(limit)),
        };
        if let Some(lost) = &ran.processes.lost {
            return Err(RunError::Process(lost.in_words(ran.processes.processes)));
        }
        drop(followed);
        let recorded = recorder.map(FolderRecorder::end).transpose()?.unwrap_or_default();
        let path = results::drawn_path(&mut ran, &self.output);
        let end = |log| calls::end(log, &results::drawn_links(topology, &ran), path.as_ref(), &self.output);
        let (called, left_out) = calls.map(end).transpose()?.unwrap_or_default();
        machine.end()?;
        let causes = results::causes(topology, &ran);
        let write = |folder| results::write_tables(folder, topology, &ran, causes.as_ref());
        let tables = folder.map(write).transpose()?.map(|tables| [tables, recorded, called].concat());
        let unseen = std::mem::take(&mut ran.warnings);
        let EngineResult { ended, until, link_use, counts, threads, cycles, replayed, repetitions, .. } = ran;
        let summary = Summary {
            title: self.title.clone(),
            outcome: ended.outcome,
            engine: self.engine.name(),
            nodes: self.nodes(),
            routers: topology.map_or(0, Topology::routers),
            links: topology.map_or(0, Topology::links),
            faults: self.machines.as_ref().and_then(|machines| machines.facts()),
            ranks: self.workload.ranks,
            traffic: ended.traffic,
            simulated: until,
            wall: start.elapsed(),
            peak_memory_bytes: peak_memory_bytes(),
            threads,
            processes: ran.processes.processes,
            mail: mail(&ran.processes),
            checkpoints: None,
            digest: ended.digest,
            link_use,
            experiment: self.resolved(),
            assumed: self.assumed.clone(),
            counts,
            program: found.counts,
            skeleton: found.skeleton,
            remnants: found.remnants,
            repetitions,
            band: None,
            causes,
            units: (self.units == Units::Unitless).then_some("none"),
            warnings: [self.warnings(), self.grid_warnings(&grids), unseen, left_out.into_iter().collect()]
                .concat(),
            shipped: self.shipped.clone(),
            tables,
        };
        let outcome = summary.outcome.clone();
        Ok(Report { summary, outcome, exit_codes: found.exit_codes, cycles, replayed })
    }

    fn run_workload(
        &self,
        observer: Option<Observer>,
        context: Context<'_>,
    ) -> Result<ProgramResult, RunError> {
        let ran = match (&self.workload.kind, &self.pattern, context.engine) {
            (Workload::Program(program), ..) => return self.run_mpi(program, observer, context),
            (kind, ..) if let Some(profile) = kind.profile() => {
                self.run_profile(profile, observer, context)?
            }
            (Workload::Synthetic(traffic), _, Prepared::Packet(packets)) => {
                packets.run_synthetic(traffic, context)
            }
            (_, Some(pattern), engine) => {
                let pattern = match self.own_pacing()? {
                    Some(pacing) => Arc::new(pacing.on(Pattern::clone(pattern))),
                    None => Arc::clone(pattern),
                };
                match context.variation.one_of {
                    Some(one_of) => {
                        let order = Arc::new(Subsampled::new(pattern, one_of));
                        engine.run(&mut Queue::all(order), context)
                    }
                    None => engine.run_pattern(pattern, context),
                }
            }
            (_, None, _) => return Err(RunError::Options("there is nothing to run".into())),
        };
        Ok(ProgramResult::none(ran))
    }

    fn begin_results(&self, folder: &RunFolder) -> Result<(), RecordError> {
        let topology = self.machine.as_deref();
        let begun = Begun {
            title: self.title.clone(),
            engine: self.engine.name(),
            nodes: self.nodes(),
            routers: topology.map_or(0, Topology::routers),
            links: topology.map_or(0, Topology::links),
            ranks: self.workload.ranks,
            experiment: self.resolved(),
            assumed: self.assumed.clone(),
        };
        begun.write(folder)
    }

    pub(crate) fn wires_of_nodes(&self) -> u32 {
        let machine = self.machine.as_deref().filter(|_| self.engine.has_links());
        machine.and_then(|machine| self.node.nics.count(machine)).unwrap_or(1)
    }

    fn recorder(&self, folder: &RunFolder) -> Option<Result<FolderRecorder, RecordError>> {
        let (requested, buffers) = (self.output.requested(self.machine.as_deref()), self.engine.buffers());
        let asks = self.output.asks() || self.output.trace == Keep::Yes;
        asks.then(|| FolderRecorder::new(folder, requested, buffers))
    }
}

fn mail(processes: &ProcessCounts) -> Option<MailCounts> {
    let &ProcessCounts { meetings, mail, mail_bytes, waited, .. } = processes;
    (processes.processes > 1).then_some(MailCounts { meetings, things: mail, bytes: mail_bytes, waited })
}

/// Use of the links of a run; those of nodes stand for `wires` wires.
pub(crate) fn link_use(
    topology: &Topology,
    wires: u32,
    (bytes, share): (&[f64], &[u32]),
    until: Time,
) -> LinkUse {
    LinkUse::measure(
        bytes.len(),
        |k| LinkCount { bytes: bytes[k], share: share[k], traffic: None },
        until.since(Time::ZERO),
        |link| results::capacity(topology, link, wires),
        |link| topology.link_name(link),
        BUSIEST,
    )
}
