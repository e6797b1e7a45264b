//! Runs a scenario and condenses what the engine counted into a summary.

use crate::building::Building;
use crate::calls;
use crate::engine::Engine;
use crate::peak_memory::peak_memory_bytes;
use crate::results::{self, Carried, MachineTables};
use crate::{EngineSection, Method, Pacing, PacingError, PacketGap, Scenario, Units, Workload, sweep};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;
use weir_capi::executable::Kind;
use weir_capi::{Observer, Verify};
use weir_flow::{Compare, Cycle, Deviation, Flow, KeepCycles, NodeModel, Ties};
use weir_network::{Ended, Latencies, Outcome, Program, Recorder, Watch};
use weir_record::{
    Begun, Buffers, BusyLink, CycleRow, Fairness, FlowCounts, FolderRecorder, LinkUse, PacketCounts,
    RecordError, RunFolder, Summary,
};
use weir_topology::Topology;
use weir_units::{Duration, Rank, Time};
use weir_workload::{Counted, Pattern, Queue};

/// How many of the busiest links a report lists.
pub(crate) const BUSIEST: usize = 20;

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
    /// The cycles of the flow engine, if they were to be kept.
    pub cycles: Vec<CycleRow>,
}

impl Report {
    /// What was asked for beside the run did not come to its end: a limit was reached, or the command was interrupted.
    pub(crate) fn end_as(&mut self, outcome: Outcome) {
        self.summary.outcome = outcome.clone();
        self.outcome = outcome;
    }
}

/// Why a scenario cannot be run although nothing is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum RunError {
    /// The program cannot be loaded; says why.
    Program(String),
    /// What was asked for beside the run makes no sense for this scenario; says why, and what would.
    Options(String),
    /// The results cannot be written; says which file, and why.
    Results(String),
    /// There is not enough memory; says how much is needed, and how much there is.
    Memory(String),
    /// The process of the run was lost; says how it ended.
    Process(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(why)
            | Self::Options(why)
            | Self::Results(why)
            | Self::Memory(why)
            | Self::Process(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for RunError {}

impl From<RecordError> for RunError {
    fn from(error: RecordError) -> Self {
        Self::Results(error.to_string())
    }
}

/// What an engine has counted.
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    /// The instant the run got to: later than the last event where a limit ended it between two events.
    pub(crate) until: Time,
    pub(crate) link_use: LinkUse,
    pub(crate) flow: Option<FlowCounts>,
    pub(crate) packet: Option<PacketCounts>,
    pub(crate) threads: usize,
    pub(crate) cycles: Vec<CycleRow>,
    /// The time in which links were looked at: of synthetic traffic less than the whole.
    pub(crate) measured: Duration,
    /// For the table of links.
    pub(crate) carried: Carried,
    /// How long packets took, where there are packets.
    pub(crate) packet_latency: Option<Latencies>,
}

impl Ran {
    /// Of a run that has counted nothing on links.
    pub(crate) fn without_links(ended: Ended) -> Self {
        Self {
            until: ended.at,
            ended,
            link_use: LinkUse::default(),
            flow: None,
            packet: None,
            threads: 1,
            cycles: Vec::new(),
            measured: Duration::ZERO,
            carried: Carried::Unknown,
            packet_latency: None,
        }
    }
}

/// What is asked for beside the run itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Whether the rates of the sharing rule are compared with max-min all the way, and the simulated time of a pattern
    /// with that of max-min.
    pub compare: Compare,
    /// How many more runs with perturbed ties there are.
    pub tie_runs: usize,
    /// Whether the cycles of the flow engine are kept.
    pub keep: KeepCycles,
    /// Whether an MPI program is asked at its end what it has left behind.
    pub verify: Verify,
}

/// One of the runs that options ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variation {
    pub(crate) compare: Compare,
    pub(crate) ties: Ties,
    pub(crate) keep: KeepCycles,
    pub(crate) verify: Verify,
}

impl Scenario {
    /// Builds the programs, runs the engine to the end and sums up. `watch` is told now and then how far it is. Writes
    /// nothing.
    ///
    /// # Errors
    /// When the program to run cannot be loaded.
    pub fn run(&self, watch: Watch<'_>) -> Result<Report, RunError> {
        self.run_once(Variation::default(), None, watch)
    }

    /// Like [`Self::run`], with more than the run itself, and with the results folder if the scenario has one: its tables
    /// are written while the run goes on, and `summary.json` when all is done.
    ///
    /// # Errors
    /// When the program to run cannot be loaded, the options make no sense for this scenario, or the results cannot be
    /// written.
    pub fn run_with(&self, options: RunOptions, watch: Watch<'_>) -> Result<Report, RunError> {
        self.check_comparison(options.compare)?;
        self.check_tie_runs(options.tie_runs)?;
        self.check_cycles(options.keep)?;
        self.check_verify(options.verify)?;
        let RunOptions { compare, keep, verify, .. } = options;
        let variation = Variation { compare, keep, verify, ..Variation::default() };
        Building::begin(self.limits.limits(), watch).stage("gaps between packets are being sought");
        self.check_pacing()?;
        let folder = self.begin_folder()?;
        let folder = folder.as_ref();
        let mut report = self.run_once(variation, folder, watch)?;
        if options.compare == Compare::WithMaxMin {
            self.add_max_min(&mut report)?;
        }
        if options.tie_runs > 0 {
            self.add_tie_sensitivity(options.tie_runs, &mut report)?;
        }
        if let Some(folder) = folder {
            report.summary.write(folder)?;
        }
        Ok(report)
    }

    /// How many messages a run has, where that is known before it: in a pattern.
    #[must_use]
    pub fn messages(&self) -> Option<u64> {
        self.workload.kind.pattern(self.workload.ranks).map(|pattern| pattern.messages())
    }

    /// Only the engine itself has cycles to keep.
    fn check_cycles(&self, keep: KeepCycles) -> Result<(), RunError> {
        let method = match self.engine {
            EngineSection::Flow { method, .. } => Some(method),
            EngineSection::Ideal { .. } | EngineSection::Packet { .. } => None,
        };
        if keep == KeepCycles::No || matches!(method, Some(Method::Auto | Method::Incremental)) {
            return Ok(());
        }
        let why = "no list of cycles: only the flow engine with method = \"incremental\" keeps one";
        Err(RunError::Options(why.into()))
    }

    /// Only programs of `weir cc` can be asked.
    fn check_verify(&self, verify: Verify) -> Result<(), RunError> {
        let why = match &self.workload.kind {
            _ if verify == Verify::No => return Ok(()),
            Workload::Program(program) if program.kind == Kind::Separate => {
                "nothing verified: a program whose ranks are processes of their own cannot be asked what it has left \
                 behind; build it with weir cc"
            }
            Workload::Program(_) => return Ok(()),
            _ => "nothing to verify: the workload is not an MPI program",
        };
        Err(RunError::Options(why.into()))
    }

    /// A pattern may have more messages than gaps can be found for.
    fn check_pacing(&self) -> Result<(), RunError> {
        let messages = match self.node.packet_gap {
            PacketGap::MaxMin { margin } if matches!(self.workload.kind, Workload::Profile(_)) => {
                let advice = self.advise_pacing(margin);
                return advice.map(|_| ()).map_err(|error| RunError::Options(error.to_string()));
            }
            PacketGap::MaxMin { .. } => self.workload.kind.pattern(self.workload.ranks).map(|p| p.messages()),
            PacketGap::Fixed(_) => None,
        };
        match messages.filter(|&messages| messages > Pacing::MOST_MESSAGES) {
            Some(messages) => Err(RunError::Options(PacingError::TooManyMessages(messages).to_string())),
            None => Ok(()),
        }
    }

    pub(crate) fn run_once(
        &self,
        variation: Variation,
        folder: Option<&RunFolder>,
        watch: Watch<'_>,
    ) -> Result<Report, RunError> {
        self.run_observed(variation, folder, None, watch)
    }

    /// Runs once; `observer` is told what the ranks of an MPI program do.
    pub(crate) fn run_observed(
        &self,
        variation: Variation,
        folder: Option<&RunFolder>,
        observer: Option<Observer>,
        watch: Watch<'_>,
    ) -> Result<Report, RunError> {
        let start = Instant::now();
        let mut preparing = Building::begin(self.limits.limits(), watch);
        preparing.stage("gaps between packets are being sought");
        self.check_pacing()?;
        preparing.stage("the topology is being built");
        let topology = self.topology();
        let topology = topology.as_ref();
        self.check_memory(topology)?;
        preparing.stage(self.last_stage());
        let (_, watch) = preparing.end();
        folder.map(|folder| self.begin_results(folder, topology)).transpose()?;
        std::thread::scope(|scope| {
            let machine = MachineTables::begin(scope, folder, topology, self.wires_of_nodes(topology));
            self.run_told(start, topology, machine, variation, folder, observer, watch)
        })
    }

    /// What is done last before the engine begins.
    fn last_stage(&self) -> &'static str {
        match (&self.workload.kind, &self.engine) {
            (Workload::Program(_), _) => "the program is being loaded",
            (_, EngineSection::Packet { .. }) => "the routers are being made",
            _ => "the run is being prepared",
        }
    }

    /// Runs once, in a folder that has been begun.
    #[allow(clippy::too_many_arguments, reason = "what one run is asked for, and what has been made for it")]
    fn run_told(
        &self,
        start: Instant,
        topology: Option<&Topology>,
        machine: MachineTables<'_>,
        variation: Variation,
        folder: Option<&RunFolder>,
        observer: Option<Observer>,
        watch: Watch<'_>,
    ) -> Result<Report, RunError> {
        let mut recorder = folder.and_then(|folder| self.recorder(folder, topology)).transpose()?;
        let told = recorder.as_mut().map(|recorder| recorder as &mut dyn Recorder);
        let calls = folder.and_then(|folder| self.call_log(folder)).transpose()?;
        let observer = calls::watched(observer, calls.as_ref());
        let mut skeleton = None;
        let (ran, program, exit_codes, remnants) = match &self.workload.kind {
            Workload::Program(program) => {
                let run = self.run_mpi(topology, program, variation, observer, watch, told)?;
                skeleton = run.skeleton;
                (run.ran, Some(run.counts), run.exit_codes, run.remnants)
            }
            Workload::Synthetic(traffic) => {
                let topology = topology.expect("the check has made sure of a topology");
                (self.run_synthetic(topology, traffic, watch, told), None, Vec::new(), None)
            }
            Workload::Profile(profile) => {
                let ran = self.run_profile(topology, profile, variation, observer, watch, told);
                (ran, None, Vec::new(), None)
            }
            Workload::Pattern(_) | Workload::File(_) => {
                let pattern = self.workload.kind.pattern(self.workload.ranks).expect("these are patterns");
                (self.run_pattern(topology, pattern, variation, watch, told), None, Vec::new(), None)
            }
        };
        let told = recorder.map(FolderRecorder::end).transpose()?.unwrap_or_default();
        let end = |calls| calls::end(calls, &results::drawn_links(topology, &ran), &self.output);
        let called = calls.map(end).transpose()?.unwrap_or_default();
        machine.end()?;
        let write = |folder| results::write_tables(folder, topology, &ran);
        let tables = folder.map(write).transpose()?.map(|tables| [tables, told, called].concat());
        let Ran { ended, until, link_use, flow, packet, threads, cycles, .. } = ran;
        let outcome = ended.outcome.clone();
        let busiest_links = link_use.busiest.clone();
        let summary = Summary {
            title: self.title.clone(),
            outcome: ended.outcome,
            engine: self.engine.name(),
            nodes: self.nodes(),
            routers: topology.map_or(0, Topology::routers),
            links: topology.map_or(0, Topology::links),
            ranks: self.workload.ranks,
            traffic: ended.traffic,
            simulated: until,
            wall: start.elapsed(),
            peak_memory_bytes: peak_memory_bytes(),
            threads,
            processes: 1,
            digest: ended.digest,
            link_use,
            experiment: self.resolved(),
            flow,
            packet,
            program,
            skeleton,
            remnants,
            units: (self.units == Units::Unitless).then_some("none"),
            warnings: self.warnings(),
            tables,
        };
        Ok(Report { summary, outcome, busiest_links, exit_codes, cycles })
    }

    /// Writes what is known of the run when it begins.
    fn begin_results(&self, folder: &RunFolder, topology: Option<&Topology>) -> Result<(), RecordError> {
        let begun = Begun {
            title: self.title.clone(),
            engine: self.engine.name(),
            nodes: self.nodes(),
            routers: topology.map_or(0, Topology::routers),
            links: topology.map_or(0, Topology::links),
            ranks: self.workload.ranks,
            experiment: self.resolved(),
        };
        begun.write(folder)
    }

    /// How many wires a link of a node stands for.
    fn wires_of_nodes(&self, topology: Option<&Topology>) -> u32 {
        match self.engine {
            EngineSection::Packet { .. } => {
                topology.and_then(|machine| self.node.nics.count(machine)).unwrap_or(1)
            }
            EngineSection::Ideal { .. } | EngineSection::Flow { .. } => 1,
        }
    }

    /// Who keeps what the engine tells, if anything is asked for.
    fn recorder(
        &self,
        folder: &RunFolder,
        topology: Option<&Topology>,
    ) -> Option<Result<FolderRecorder, RecordError>> {
        let buffers = match self.engine {
            EngineSection::Packet { .. } => Buffers::Sampled,
            EngineSection::Ideal { .. } | EngineSection::Flow { .. } => Buffers::None,
        };
        self.output.asks().then(|| FolderRecorder::new(folder, self.output.wanted(topology), buffers))
    }

    /// The pattern, with the gaps that are to be found for it.
    fn paced(&self, pattern: Pattern) -> Pattern {
        let PacketGap::MaxMin { margin } = self.node.packet_gap else { return pattern };
        self.advise_pacing(margin).expect("the check has made sure of patterns and packets").on(pattern)
    }

    fn run_pattern(
        &self,
        topology: Option<&Topology>,
        pattern: Pattern,
        variation: Variation,
        watch: Watch<'_>,
        recorder: Option<&mut dyn Recorder>,
    ) -> Ran {
        match (self.engine.build(), topology) {
            (Engine::Sweep(sweep), Some(topology)) => {
                return sweep::run(sweep, topology, &self.placement(), &pattern, self.limits.limits(), watch);
            }
            (Engine::Packet { threads }, Some(topology)) => {
                let mut queues = Queue::all(Arc::new(self.paced(pattern)));
                return self.run_packets(topology, &mut queues, watch, threads, recorder);
            }
            _ => {}
        }
        if let Some(topology) = topology
            && variation == Variation::default()
            && recorder.is_none()
            && let Some(quotient) = self.quotient(topology, &pattern)
        {
            return quotient.run(self.limits.limits(), watch);
        }
        let mut queues = Queue::all(Arc::new(pattern));
        self.run_programs(topology, &mut queues, variation, watch, recorder)
    }

    /// Runs one program per rank on the engine.
    pub(crate) fn run_programs<P: Program>(
        &self,
        topology: Option<&Topology>,
        programs: &mut [P],
        variation: Variation,
        watch: Watch<'_>,
        recorder: Option<&mut dyn Recorder>,
    ) -> Ran {
        let placement = self.placement();
        let limits = self.limits.limits();
        match self.engine.build() {
            Engine::Ideal(engine) => {
                let ended = engine.run_recorded(&placement, programs, limits, watch, recorder);
                Ran::without_links(ended)
            }
            Engine::Flow(engine) => {
                let Variation { compare, ties, keep, .. } = variation;
                let engine = Flow { compare, ties, keep, ..engine };
                let topology = topology.expect("the check has made sure of a topology");
                let node = NodeModel { memory_bandwidth: self.node.memory_bandwidth };
                let run = engine.run_recorded(topology, &placement, programs, &node, limits, watch, recorder);
                let fairness = |deviation: Deviation| Fairness {
                    least_rate: deviation.least,
                    most_rate: deviation.most,
                    throughput: deviation.throughput,
                    max_min: None,
                };
                let flow = FlowCounts {
                    method: "incremental",
                    cycles: run.cycles,
                    solver_iterations: run.solver_iterations,
                    solver_iterations_max: run.solver_iterations_max,
                    fairness: run.deviation.map(fairness),
                    jitter: run.jitter,
                    ..FlowCounts::default()
                };
                let link_use = link_use(topology, &run.link_bytes, &run.link_share, run.until);
                let row = |cycle: Cycle| CycleRow { at: cycle.at, dt: cycle.dt, flows: cycle.flows };
                let cycles = run.kept.into_iter().map(row).collect();
                Ran {
                    ended: run.ended,
                    until: run.until,
                    link_use,
                    flow: Some(flow),
                    packet: None,
                    threads: 1,
                    cycles,
                    measured: run.until.since(Time::ZERO),
                    carried: Carried::Flows(run.link_bytes, run.link_share),
                    packet_latency: None,
                }
            }
            Engine::Packet { threads } => {
                let topology = topology.expect("the check has made sure of a topology");
                self.run_packets_here(topology, programs, watch, threads, recorder)
            }
            Engine::Sweep(_) => unreachable!("the check has made sure that a sweep gets a pattern"),
        }
    }
}

/// What a run leaves of its links.
pub(crate) fn link_use(topology: &Topology, bytes: &[f64], share: &[u32], until: Time) -> LinkUse {
    LinkUse::measure(
        bytes,
        share,
        until.since(Time::ZERO),
        |link| topology.link(link).capacity,
        |link| topology.link_name(link),
        BUSIEST,
    )
}
