//! Runs an MPI program: ranks in coroutines, on the engine like any other programs.

use crate::simulation::{Ran, Variation};
use crate::{CollectivesSection, EngineSection, ProgramSection, RunError, Scenario};
use std::rc::Rc;
use weir_capi::executable::Kind;
use weir_capi::remote::Processes;
use weir_capi::{
    BlockCounts, Gaps, InstructionTime, Interfaces, Observer, ProcessWorld, ProcessorNames, RankProgram,
    StackSize, Verify, World, WorldOptions,
};
use weir_message::collective::Choice;
use weir_network::{Outcome, Placement, Recorder, Watch};
use weir_record::{ProgramCounts, Remnant, SkeletonBlock, SkeletonCounts};
use weir_topology::Topology;
use weir_units::Rank;

/// Nodes are called `node5`.
struct Nodes(Placement);

impl ProcessorNames for Nodes {
    fn name(&self, rank: Rank) -> String {
        format!("node{}", self.0.node(rank))
    }
}

/// What a run of a program leaves.
pub(crate) struct RanProgram {
    pub(crate) ran: Ran,
    /// What only programs count.
    pub(crate) counts: ProgramCounts,
    /// Ranks that ended with something other than 0.
    pub(crate) exit_codes: Vec<(Rank, i32)>,
    /// What ranks have left behind, if that was asked for.
    pub(crate) remnants: Option<Vec<Remnant>>,
    /// What clock calls have come to, if there were any.
    pub(crate) skeleton: Option<SkeletonCounts>,
}

/// The counts of a skeleton, for the summary.
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

/// What a rank has left behind.
fn remnants((rank, program): (usize, &RankProgram)) -> impl Iterator<Item = Remnant> {
    let rank = Rank::new(rank);
    program.remnants().into_iter().map(move |left| Remnant { rank, kind: left.kind, details: left.details })
}

impl CollectivesSection {
    /// The algorithms for the message layer.
    pub(crate) fn choice(&self) -> Choice {
        let mut choice = Choice::default();
        for &(collective, algorithm) in &self.algorithms {
            choice.set(collective, algorithm).expect("the section has been checked against the catalogue");
        }
        choice
    }
}

impl Scenario {
    /// Loads the program and runs it.
    pub(crate) fn run_mpi(
        &self,
        topology: Option<&Topology>,
        program: &ProgramSection,
        variation: Variation,
        observer: Option<Observer>,
        watch: Watch<'_>,
        recorder: Option<&mut dyn Recorder>,
    ) -> Result<RanProgram, RunError> {
        let world = WorldOptions {
            program: program.path.clone(),
            args: program.args.iter().map(Into::into).collect(),
            ranks: self.workload.ranks,
            stack_size: StackSize(program.stack_size.0 as usize),
            costs: self.costs(),
            choice: self.collectives.choice(),
            storage: self.storage.as_ref().map(|storage| storage.model.clone()),
            moved: program.moved,
            compute: program.compute,
            instruction_time: self.instruction_time(),
            interfaces: self.interfaces(topology),
            processor_names: Rc::new(Nodes(self.placement())),
            verify: variation.verify,
            observer,
        };
        if program.kind == Kind::Separate {
            return self.run_processes(topology, &world, variation, watch, recorder);
        }
        let process = ProcessWorld::claim().map_err(|taken| RunError::Program(taken.to_string()))?;
        let world = World::load(world, process).map_err(|error| RunError::Program(error.to_string()))?;
        let mut ranks = world.ranks();
        let watcher = world.watched(self.limits.limits());
        let ran = self.run_programs(topology, &mut ranks, variation, watch, recorder);
        drop(watcher);
        let counts = ProgramCounts {
            mpi_calls: world.mpi_calls(),
            context_switches: world.context_switches(),
            without_mpi: world.without_mpi(),
        };
        // A run that ends before its time leaves everything behind.
        let asked = variation.verify == Verify::Yes && ran.ended.outcome == Outcome::Finished;
        let remnants = asked.then(|| ranks.iter().enumerate().flat_map(remnants).collect());
        let skeleton = world.skeleton().map(skeleton);
        Ok(RanProgram { ran, counts, exit_codes: world.exit_codes(), remnants, skeleton })
    }

    /// How long an instruction takes, where the node says both of what that needs.
    fn instruction_time(&self) -> Option<InstructionTime> {
        let (cpi, clock) = self.node.cpi.zip(self.node.clock)?;
        Some(InstructionTime { cpi, clock_hz: clock.hertz() })
    }

    /// What programs may choose of the interfaces of their nodes.
    pub(crate) fn interfaces(&self, topology: Option<&Topology>) -> Interfaces {
        match (&self.engine, topology) {
            (EngineSection::Packet { .. }, Some(topology)) => {
                let count = self.node.nics.count(topology).and_then(|count| u16::try_from(count).ok());
                Interfaces { count: count.unwrap_or(1).max(1), gaps: Gaps::PerMessage }
            }
            _ => Interfaces::PLAIN,
        }
    }

    /// Starts a process for each rank and runs them.
    fn run_processes(
        &self,
        topology: Option<&Topology>,
        world: &WorldOptions,
        variation: Variation,
        watch: Watch<'_>,
        recorder: Option<&mut dyn Recorder>,
    ) -> Result<RanProgram, RunError> {
        let started = Processes::start(world, self.limits.limits())
            .map_err(|error| RunError::Program(error.to_string()));
        let (processes, mut ranks) = started?;
        let ran = self.run_programs(topology, &mut ranks, variation, watch, recorder);
        let counts = ProgramCounts {
            mpi_calls: processes.mpi_calls(),
            context_switches: processes.context_switches(),
            without_mpi: processes.without_mpi(),
        };
        Ok(RanProgram { ran, counts, exit_codes: processes.exit_codes(), remnants: None, skeleton: None })
    }
}
