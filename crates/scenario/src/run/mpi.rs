//! Runs an MPI program: ranks in coroutines, on the engine like any other programs.

use crate::run::context::Context;
use crate::run::engine_result::EngineResult;
use crate::run::multi_process::joined;
use crate::run::node_names::NodeNames;
use crate::{CollectivesSection, Experiment, FurtherProgram, ProgramSection, RunError, Scenario};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use weir_capi::executable::Kind;
use weir_capi::remote::Processes;
use weir_capi::{
    BlockCounts, Gaps, InstructionTime, Interfaces, Observer, ProcessWorld, ProcessorNames, ProgramToRun,
    RankProgram, StackSize, Verify, World, WorldOptions,
};
use weir_message::Cartesian;
use weir_message::collective::Choice;
use weir_network::{Console, Outcome, Placement};
use weir_record::{ProgramCounts, Remnant, SkeletonBlock, SkeletonCounts};
use weir_units::{NodeId, Rank};

struct Nodes(Placement, NodeNames);

impl ProcessorNames for Nodes {
    fn name(&self, rank: Rank) -> String {
        self.1.name(self.0.node(rank))
    }
}

/// The programs of a job with so many ranks: the first one has those that the others leave.
fn programs(section: &ProgramSection, ranks: usize) -> Vec<ProgramToRun> {
    let words = |args: &[String]| args.iter().map(Into::into).collect();
    let further = section.further.iter().map(|FurtherProgram { path, args, ranks }| ProgramToRun {
        path: path.clone(),
        args: words(args),
        ranks: *ranks,
    });
    let theirs: usize = section.further.iter().map(|further| further.ranks).sum();
    let (path, args) = (section.path.clone(), words(&section.args));
    std::iter::once(ProgramToRun { path, args, ranks: ranks - theirs }).chain(further).collect()
}

pub(crate) struct ProgramResult {
    pub(crate) ran: EngineResult,
    pub(crate) counts: Option<ProgramCounts>,
    pub(crate) exit_codes: Vec<(Rank, i32)>,
    pub(crate) remnants: Option<Vec<Remnant>>,
    pub(crate) skeleton: Option<SkeletonCounts>,
    pub(crate) grids: Vec<Cartesian>,
}

#[derive(Clone, Serialize, Deserialize)]
struct PerProcess {
    counts: ProgramCounts,
    exit_codes: Vec<(Rank, i32)>,
    remnants: Option<Vec<Remnant>>,
    skeleton: Option<SkeletonCounts>,
}

impl PerProcess {
    fn join(mut self, other: Self) -> Self {
        self.counts.mpi_calls += other.counts.mpi_calls;
        self.counts.context_switches += other.counts.context_switches;
        self.counts.without_mpi += other.counts.without_mpi;
        self.exit_codes.extend(other.exit_codes);
        if let (Some(own), Some(others)) = (&mut self.remnants, other.remnants) {
            own.extend(others);
            own.sort_by_key(|remnant| remnant.rank);
        }
        self.skeleton = match (self.skeleton, other.skeleton) {
            (Some(own), Some(other)) => Some(own.join(other)),
            (own, other) => own.or(other),
        };
        self
    }
}

impl ProgramResult {
    pub(crate) fn none(ran: EngineResult) -> Self {
        Self { ran, counts: None, exit_codes: Vec::new(), remnants: None, skeleton: None, grids: Vec::new() }
    }
}

fn skeleton(counts: weir_capi::SkeletonCounts) -> SkeletonCounts {
    let block = |block: BlockCounts| SkeletonBlock {
        name: block.name,
        level: block.level,
        executions: block.executions,
        measured: block.measured,
        iterations: block.iterations,
        mean_s: block.mean_s,
        deviation_s: block.deviation_s,
        charged_s: block.charged_s,
    };
    SkeletonCounts {
        clock_calls: counts.clock_calls,
        charged_s: counts.charged_s,
        call_cost_s: counts.call_cost_s,
        instructions: counts.instructions,
        blocks: counts.blocks.into_iter().map(block).collect(),
    }
}

fn remnants(program: &RankProgram) -> impl Iterator<Item = Remnant> {
    let rank = program.number();
    program.remnants().into_iter().map(move |left| {
        let details = left.details.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Remnant { rank, kind: left.kind.to_owned(), details }
    })
}

impl CollectivesSection {
    pub(crate) fn choice(&self) -> Choice {
        let grid = self.grid.clone().into();
        let mut choice = Choice { preset: self.preset, grid, ..Choice::default() };
        for &(collective, algorithm) in &self.algorithms {
            choice.set(collective, algorithm).expect("the section has been checked against the catalogue");
        }
        for &(collective, parameters) in &self.parameters {
            if let Some(place) = choice.parameters.of(collective) {
                *place = parameters;
            }
        }
        choice
    }
}

impl Experiment {
    pub(crate) fn choice(&self) -> Choice {
        Choice { selection: self.selection.clone().into(), ..self.collectives.choice() }
    }
}

impl Scenario {
    pub(crate) fn run_mpi(
        &self,
        program: &ProgramSection,
        observer: Option<Observer>,
        mut context: Context<'_>,
    ) -> Result<ProgramResult, RunError> {
        let verify = context.variation.verify;
        let world = WorldOptions {
            programs: programs(program, self.workload.ranks),
            ranks: self.workload.ranks,
            here: context.run.ranks.map(<[Rank]>::to_vec),
            stack_size: StackSize(program.stack_size.0 as usize),
            costs: self.message_costs().into(),
            choice: self.choice(),
            storage: self.storage.as_ref().map(|storage| storage.model()),
            moved: program.moved,
            compute: program.compute,
            instruction_time: self.instruction_time(),
            interfaces: self.interfaces(),
            processor_names: Rc::new(Nodes(self.placement().clone(), NodeNames::of(self.nodes()))),
            verify,
            observer,
        };
        if program.kind == Kind::Separate {
            return self.run_processes(&world, context);
        }
        let process = ProcessWorld::claim().map_err(|taken| RunError::Program(taken.to_string()))?;
        let world = World::load(world, process).map_err(|error| RunError::Program(error.to_string()))?;
        let mut ranks = world.ranks();
        let watcher = world.watched(context.run.limits);
        let mut divided = context.reborrow();
        divided.run.console = divided.run.ranks.map(|_| &*world as &dyn Console);
        let ran = divided.engine.run(&mut ranks, divided);
        drop(watcher);
        let counts = ProgramCounts {
            mpi_calls: world.mpi_calls(),
            context_switches: world.context_switches(),
            without_mpi: world.without_mpi(),
        };
        // A run that ends before its time leaves everything behind.
        let asked = verify == Verify::Yes && ran.ended.outcome == Outcome::Finished;
        let remnants = asked.then(|| ranks.iter().flat_map(remnants).collect());
        let skeleton = world.skeleton().map(skeleton);
        let own = PerProcess { counts, exit_codes: world.exit_codes(), remnants, skeleton };
        let PerProcess { counts, exit_codes, remnants, skeleton } =
            joined(context.run.processes, own, PerProcess::join);
        let grids = world.grids();
        Ok(ProgramResult { ran, counts: Some(counts), exit_codes, remnants, skeleton, grids })
    }

    fn instruction_time(&self) -> Option<InstructionTime> {
        let (cpi, clock) = self.node.cpi.zip(self.node.clock)?;
        Some(InstructionTime { cpi, clock_hz: clock.hertz() })
    }

    pub(crate) fn interfaces(&self) -> Interfaces {
        match self.machine.as_deref().filter(|_| self.engine.engine().has_packets()) {
            Some(machine) => {
                // Every node has those that programs may name.
                let cables = (0..machine.nodes()).map(|node| machine.cables_of(NodeId::new(node))).min();
                let count = self.node.nics.count(machine).map(|count| count.max(cables.unwrap_or(1)));
                let count = count.and_then(|count| u16::try_from(count).ok());
                Interfaces { count: count.unwrap_or(1).max(1), gaps: Gaps::PerMessage }
            }
            None => Interfaces::PLAIN,
        }
    }

    fn run_processes(&self, world: &WorldOptions, context: Context<'_>) -> Result<ProgramResult, RunError> {
        let started =
            Processes::start(world, context.run.limits).map_err(|error| RunError::Program(error.to_string()));
        let (processes, mut ranks) = started?;
        let ran = context.engine.run(&mut ranks, context);
        let counts = ProgramCounts {
            mpi_calls: processes.mpi_calls(),
            context_switches: processes.context_switches(),
            without_mpi: processes.without_mpi(),
        };
        let exit_codes = processes.exit_codes();
        Ok(ProgramResult { counts: Some(counts), exit_codes, ..ProgramResult::none(ran) })
    }
}
