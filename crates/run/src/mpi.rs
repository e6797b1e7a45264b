//! Runs an MPI program: ranks in coroutines, on the engine like any other programs.

use crate::engine::{Run, Threads, joined};
use crate::engine_result::Ran;
use crate::{Result, RunError, packet};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use weir_capi::executable::Kind;
use weir_capi::remote::Processes;
use weir_capi::{
    Gaps, InstructionTime, Interfaces, LoadedPrograms, Observer, ProcessWorld, ProcessorNames, ProgramToRun,
    RankOfThread, RankProgram, StackSize, ThreadedWorld, Verify, World, WorldError, WorldOptions,
};
use weir_experiment::{FurtherProgram, Prepared, ProgramSection, Scenario};
use weir_message::{Cartesian, Ends};
use weir_network::{Console, Ended, Moment, Outcome, Placement, RunContext, SkeletonCounts};
use weir_record::{ProgramCounts, Remnant};
use weir_topology::Topology;
use weir_units::{NodeId, Rank};

/// Where ranks are, and how many nodes the machine has.
struct Nodes(Placement, usize);

impl ProcessorNames for Nodes {
    fn name(&self, rank: Rank) -> String {
        node_name(self.0.node(rank), self.1)
    }
}

/// The name of a node as programs see it, `node0012`: with as many digits as the machine's last one, and four at least. So names are in the
/// order of their numbers when a program sorts them.
fn node_name(node: NodeId, nodes: usize) -> String {
    let digits = nodes.saturating_sub(1).to_string().len().max(4);
    format!("node{:0digits$}", node.index())
}

/// The programs of a job with so many ranks: the first one has those that the others leave.
pub(crate) fn programs(section: &ProgramSection, ranks: usize) -> Vec<ProgramToRun> {
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
    pub(crate) ran: Ran,
    pub(crate) found: Found,
    pub(crate) grids: Vec<Cartesian>,
}

/// Results of the ranks of a process beside those of the engine; nothing where they are no program.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) counts: Option<ProgramCounts>,
    /// Ranks that ended with something other than 0, and at which events, in their order.
    pub(crate) exit_codes: Vec<(Moment, Rank, i32)>,
    pub(crate) remnants: Option<Vec<Remnant>>,
    pub(crate) skeleton: Option<SkeletonCounts>,
}

impl Found {
    fn join(mut self, other: Self) -> Self {
        if let (Some(own), Some(others)) = (&mut self.counts, other.counts) {
            own.mpi_calls += others.mpi_calls;
            own.context_switches += others.context_switches;
            own.without_mpi += others.without_mpi;
        }
        self.exit_codes.extend(other.exit_codes);
        self.exit_codes.sort_by_key(|(moment, ..)| *moment);
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
    pub(crate) fn none(ran: Ran) -> Self {
        Self { ran, found: Found::default(), grids: Vec::new() }
    }
}

fn remnants(program: &RankProgram) -> impl Iterator<Item = Remnant> {
    let rank = program.number();
    program.remnants().into_iter().map(move |left| {
        let details = left.details.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Remnant { rank, kind: left.kind.to_owned(), details }
    })
}

pub(crate) fn run_mpi(
    run: Run<'_>,
    program: &ProgramSection,
    observer: Option<Observer>,
    mut context: RunContext<'_>,
) -> Result<ProgramResult> {
    let scenario = run.scenario;
    let ranks = scenario.workload.ranks;
    let to_run = programs(program, ranks);
    let world = world_options(run, program, scenario.placement().clone(), to_run, Vec::new());
    let world = WorldOptions { here: context.ranks.map(<[Rank]>::to_vec), observer, ..world };
    if program.kind == Kind::Separate {
        return run_processes(run, &world, context);
    }
    let process = ProcessWorld::claim().map_err(|taken| RunError::Program(taken.to_string()))?;
    let failed = |error: WorldError| RunError::Program(error.to_string());
    let programs = Arc::new(LoadedPrograms::load(&world, process).map_err(failed)?);
    if let Some(threaded) = on_threads(run, &world, &programs, &mut context) {
        return Ok(run_on_threads(run, &threaded, context));
    }
    let world = World::of_programs(world, programs).map_err(failed)?;
    let mut ranks = world.ranks();
    let watcher = world.watched(context.limits);
    let mut divided = context.reborrow();
    divided.console = divided.ranks.map(|_| &*world as &dyn Console);
    let ran = run.programs(&mut ranks, divided);
    drop(watcher);
    Ok(end_of_world(run, &world, ranks.iter(), ran, context))
}

/// Ranks for each thread at least: with fewer, threads wait for each other longer than they work.
const RANKS_PER_THREAD: usize = 16;

/// The worlds of the threads that run the ranks; `None` if one thread runs all. All processes of a run have their ranks on several threads,
/// or none has.
fn on_threads(
    run: Run<'_>,
    world: &WorldOptions,
    programs: &Arc<LoadedPrograms>,
    context: &mut RunContext<'_>,
) -> Option<ThreadedWorld> {
    let Prepared::Packet(packets) = run.engine else { return None };
    // Storage and observers are for ranks in their order.
    let is_alone = world.storage.is_none() && world.observer.is_none();
    let ranks = packet::ranks_by_thread(packets, context);
    let least = ranks.iter().map(Vec::len).min().unwrap_or_default();
    let pays = ranks.len() > 1 && least >= RANKS_PER_THREAD;
    let processes = context.processes.processes();
    let threaded = (is_alone && pays && programs.why_one_thread().is_none())
        .then(|| ThreadedWorld::new(world, programs, ranks, processes > 1).ok())
        .flatten();
    let mut all = [u64::from(threaded.is_some())];
    // A process that is lost here is missed by the run.
    _ = context.processes.meet(&mut all, &mut vec![Vec::new(); processes], &mut |_, _| ());
    threaded.filter(|_| all == [1])
}

fn run_on_threads(run: Run<'_>, threaded: &ThreadedWorld, mut context: RunContext<'_>) -> ProgramResult {
    let mut ranks = threaded.ranks();
    let mut divided = context.reborrow();
    divided.console = Some(threaded);
    let watchers = threaded.watched(divided.limits);
    let ran = run.programs_on(Threads::Any, &mut ranks, divided);
    drop(watchers);
    let (outcome, at) = threaded.end(ran.ended.outcome.clone(), ran.ended.at);
    let until = if outcome == ran.ended.outcome { ran.until } else { at };
    let ran = Ran { until, ended: Ended { outcome, at, ..ran.ended }, ..ran };
    let worlds = threaded.worlds().iter().map(|world| &**world).collect();
    let found = found(run, worlds, ranks.iter().map(RankOfThread::program), &ran);
    ProgramResult { found: joined(context.processes, found, Found::join), ran, grids: threaded.grids() }
}

/// The options of a world of ranks at these places, which run these programs: of several jobs with so many ranks each, or of one.
pub(crate) fn world_options(
    run: Run<'_>,
    section: &ProgramSection,
    placement: Placement,
    programs: Vec<ProgramToRun>,
    jobs: Vec<usize>,
) -> WorldOptions {
    let scenario = run.scenario;
    WorldOptions {
        programs,
        ranks: placement.ranks(),
        jobs,
        here: None,
        stack_size: StackSize(section.stack_size.0 as usize),
        costs: scenario.message_costs_at(&placement).into(),
        choice: scenario.choice(),
        storage: scenario.storage.as_ref().map(|storage| storage.model()),
        moved: section.moved,
        compute: section.compute,
        instruction_time: instruction_time(scenario),
        interfaces: interfaces(scenario),
        processor_names: Arc::new(Nodes(placement, scenario.nodes())),
        verify: run.options.verify,
        observer: None,
    }
}

/// Sums up a world whose ranks have run.
pub(crate) fn end_of_world<'a>(
    run: Run<'_>,
    world: &World,
    ranks: impl Iterator<Item = &'a RankProgram>,
    ran: Ran,
    context: RunContext<'_>,
) -> ProgramResult {
    let found = found(run, vec![world], ranks, &ran);
    ProgramResult { ran, found: joined(context.processes, found, Found::join), grids: world.grids() }
}

/// Sums up the worlds of this process and their ranks at the end of a run.
fn found<'a>(
    run: Run<'_>,
    worlds: Vec<&World>,
    ranks: impl Iterator<Item = &'a RankProgram>,
    ran: &Ran,
) -> Found {
    let of = |world: &&World| {
        let counts = ProgramCounts {
            mpi_calls: world.mpi_calls(),
            context_switches: world.context_switches(),
            without_mpi: world.without_mpi(),
        };
        let (exit_codes, skeleton) = (world.exit_codes(), world.skeleton());
        Found { counts: Some(counts), exit_codes, remnants: None, skeleton }
    };
    let all = worlds.iter().map(of).reduce(Found::join).unwrap_or_default();
    // A run that ends before its time leaves everything behind.
    let asked = run.options.verify == Verify::Yes && ran.ended.outcome == Outcome::Finished;
    Found { remnants: asked.then(|| ranks.flat_map(remnants).collect()), ..all }
}

fn instruction_time(scenario: &Scenario) -> Option<InstructionTime> {
    let (cpi, clock) = scenario.node.cpi.zip(scenario.node.clock)?;
    Some(InstructionTime { cpi, clock_hz: clock.hertz() })
}

pub(crate) fn interfaces(scenario: &Scenario) -> Interfaces {
    match scenario.machine().filter(|_| scenario.engine.has_packets()) {
        Some(machine) => {
            // Every node has those that programs may name.
            let cables = (0..machine.nodes()).map(|node| machine.cables_of(NodeId::new(node))).min();
            let count = scenario.node.nics.count(machine).map(|count| count.max(cables.unwrap_or(1)));
            let count = count.and_then(|count| u16::try_from(count).ok());
            Interfaces { count: count.unwrap_or(1).max(1), gaps: Gaps::PerMessage }
        }
        None => Interfaces::PLAIN,
    }
}

fn run_processes(run: Run<'_>, world: &WorldOptions, context: RunContext<'_>) -> Result<ProgramResult> {
    let started =
        Processes::start(world, context.limits).map_err(|error| RunError::Program(error.to_string()));
    let (processes, mut ranks) = started?;
    let ran = run.programs(&mut ranks, context);
    let counts = ProgramCounts {
        mpi_calls: processes.mpi_calls(),
        context_switches: processes.context_switches(),
        without_mpi: processes.without_mpi(),
    };
    // They are in their order.
    let exit_codes = processes.exit_codes().into_iter();
    let exit_codes = exit_codes.map(|(rank, code)| (Moment::after_all(rank), rank, code)).collect();
    let found = Found { counts: Some(counts), exit_codes, ..Found::default() };
    Ok(ProgramResult { found, ..ProgramResult::none(ran) })
}

/// Grids of more ranks are not looked at.
const MOST_RANKS: u32 = 1 << 17;
/// So much farther apart than they could be are neighbors before that is said.
const FAR: f64 = 1.2;

/// Warnings about grids that the program has made: that neighbors would be nearer if the sides were numbered the other
/// way round.
pub(crate) fn grid_warnings(scenario: &Scenario, grids: &[Cartesian]) -> Vec<String> {
    let Some(machine) = scenario.machine() else { return Vec::new() };
    grids.iter().filter_map(|grid| warning(machine, scenario.placement().nodes(), grid)).collect()
}

fn warning(machine: &Topology, nodes: &[NodeId], grid: &Cartesian) -> Option<String> {
    if grid.size() > MOST_RANKS || grid.sides().iter().filter(|side| side.length > 1).count() < 2 {
        return None;
    }
    let given = mean_distance(machine, grid, |rank| nodes[rank])?;
    let turned = mean_distance(machine, grid, |rank| nodes[first_side_fastest(grid, rank)])?;
    let sides: Vec<_> = grid.sides().iter().map(|side| side.length.to_string()).collect();
    (given > FAR * turned).then(|| {
        format!(
            "MPI_Cart_create numbers ranks with the last side fastest: neighbors of the grid {} are {given:.1} links apart on average; with the first \
             side fastest they would be {turned:.1} (weir advise mapping finds and writes such a mapping)",
            sides.join(" x ")
        )
    })
}

/// Links between neighbors, on average over all pairs and ways; `None` where a way is missing, or there are no neighbors.
fn mean_distance(machine: &Topology, grid: &Cartesian, node: impl Fn(usize) -> NodeId) -> Option<f64> {
    let (mut links, mut pairs, mut route) = (0, 0_u64, Vec::new());
    let mut stride = 1;
    for side in grid.sides().iter().rev() {
        let length = side.length as usize;
        for rank in 0..grid.size() as usize {
            let place = rank / stride % length;
            let next = match side.ends {
                _ if place + 1 < length => rank + stride,
                Ends::Joined if length > 2 => rank - place * stride,
                _ => continue,
            };
            let (from, to) = (node(rank), node(next));
            if from != to && !machine.find_route(from, to, &mut route) {
                return None;
            }
            links += if from == to { 0 } else { route.len() as u64 };
            pairs += 1;
        }
        stride *= length;
    }
    (pairs > 0).then(|| links as f64 / pairs as f64)
}

/// The place of a rank of a grid if its first side were numbered fastest.
fn first_side_fastest(grid: &Cartesian, rank: usize) -> usize {
    let (mut rest, mut place, mut stride) = (rank, 0, grid.size() as usize);
    for side in grid.sides().iter().rev() {
        let length = side.length as usize;
        stride /= length;
        place += rest % length * stride;
        rest /= length;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_message::GridSide;

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        let name = |nodes, node| node_name(NodeId::new(node), nodes);
        assert_eq!((name(1, 0), name(10_000, 12)), ("node0000".to_owned(), "node0012".to_owned()));
        assert_eq!(
            (name(10_001, 12), name(10_001, 10_000)),
            ("node00012".to_owned(), "node10000".to_owned())
        );
        let all: Vec<String> = (0..10_001).map(|node| name(10_001, node)).collect();
        assert!(all.is_sorted());
    }

    /// In a grid of 2 x 3, rank 1 is at (0, 1): the third place if the first side is fastest.
    #[test]
    fn the_other_numbering() {
        let sides = [2, 3].map(|length| GridSide { length, ends: Ends::Open });
        let grid = Cartesian::new(&sides, 6).unwrap();
        let places: Vec<_> = (0..6).map(|rank| first_side_fastest(&grid, rank)).collect();
        assert_eq!(places, [0, 2, 4, 1, 3, 5]);
    }
}
