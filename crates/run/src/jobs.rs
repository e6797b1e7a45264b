//! Runs several jobs together: each has programs of its own, which know nothing of the others.

use crate::engine::{Run, Threads, joined, only};
use crate::engine_result::Ran;
use crate::graph;
use crate::mpi::{ProgramResult, end_of_world, interfaces, programs, world_options};
use crate::{Result, RunError};
use std::sync::Arc;
use weir_capi::{ProcessWorld, World, WorldOptions};
use weir_experiment::{Job, JobState, JobsSection, Prepared, Repeat, Scenario, Workload};
use weir_message::{Body, Data, Envelope};
use weir_network::causes::Ledger;
use weir_network::record::Keep;
use weir_network::{
    Actions, AwaitedRanks, Console, Ends, Event, EventLogged, JobPlace, JobRanks, JobTraffic, OfJob, Outcome,
    Placement, Program, RunContext, Waiting,
};
use weir_record::{JobCounts, JobWaited};
use weir_replay::{GraphReplay, Replay, Rounds, Setting, Times};
use weir_units::{Duration, Rank, Time};
use weir_workload::{Pattern, Queue, Repeated, Script};

/// The ranks of one job or another, where not all jobs are patterns.
enum OfAny<P> {
    Queue(Queue<Pattern, Body>),
    Replay(Box<Replay>),
    Graph(Box<GraphReplay>),
    Program(P),
}

/// The rank of an MPI program where there is none.
enum NoProgram {}

impl Program for NoProgram {
    type Body = Body;

    fn react(&mut self, _: Event<Body>, _: &mut Actions<Body>) {
        match *self {}
    }
}

impl<P: Program<Body = Body>> OfAny<P> {
    fn program(&self) -> &dyn Program<Body = Body> {
        match self {
            Self::Queue(queue) => queue,
            Self::Replay(replay) => &**replay,
            Self::Graph(graph) => &**graph,
            Self::Program(program) => program,
        }
    }

    fn program_mut(&mut self) -> &mut dyn Program<Body = Body> {
        match self {
            Self::Queue(queue) => queue,
            Self::Replay(replay) => &mut **replay,
            Self::Graph(graph) => &mut **graph,
            Self::Program(program) => program,
        }
    }
}

impl<P: Program<Body = Body>> Program for OfAny<P> {
    type Body = Body;

    fn react(&mut self, event: Event<Body>, actions: &mut Actions<Body>) {
        self.program_mut().react(event, actions);
    }

    fn is_over(&self) -> bool {
        self.program().is_over()
    }

    fn waiting(&self) -> Option<Waiting> {
        self.program().waiting()
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        match self {
            Self::Queue(queue) => queue.ledger(),
            Self::Replay(replay) => replay.ledger(),
            Self::Graph(graph) => graph.ledger(),
            Self::Program(program) => program.ledger(),
        }
    }
}

/// The jobs of a run, and which of them take part.
struct Together<'a> {
    scenario: &'a Scenario,
    jobs: &'a [Job],
    places: Vec<Arc<JobPlace>>,
    takes_part: Vec<bool>,
    /// If it is to be counted for whom they wait.
    ranks: Option<Arc<JobRanks>>,
}

impl<'a> Together<'a> {
    fn new(run: Run<'a>, jobs: &'a [Job]) -> Self {
        let scenario = run.scenario;
        let takes_part: Vec<bool> = jobs.iter().map(|job| job.state == JobState::Runs).collect();
        let is_awaited = |job: &Job| matches!(job.repeat, Repeat::Times(_));
        let taking_part = || jobs.iter().zip(&takes_part).filter(|(_, takes_part)| **takes_part);
        let ranks = taking_part().filter(|(job, _)| is_awaited(job)).map(|(job, _)| job.ranks).sum();
        let ends = taking_part().any(|(job, _)| job.repeat == Repeat::UntilOthersEnd);
        let window = match run.engine {
            Prepared::Packet(packets) => packets.network.window(),
            Prepared::Ideal(_) | Prepared::Flow(..) => Duration::ZERO,
        };
        let awaited = AwaitedRanks::new(ranks, window);
        let mut worlds = 0;
        let place = |(job, takes_part): (&Job, &bool)| {
            let is_program = *takes_part && matches!(job.workload, Workload::Program(_));
            let own_first = if is_program { worlds } else { 0 };
            worlds += if is_program { job.ranks as u32 } else { 0 };
            let ends = match job.repeat {
                Repeat::For(time) if *takes_part => Ends::At(Time::ZERO + job.start + time),
                _ if !takes_part || !ends => Ends::Alone,
                Repeat::For(_) => Ends::Alone,
                Repeat::Times(_) => Ends::Awaited(Arc::clone(&awaited)),
                Repeat::UntilOthersEnd => Ends::WithOthers(Arc::clone(&awaited)),
            };
            let start = if *takes_part { Time::ZERO + job.start } else { Time::ZERO };
            Arc::new(JobPlace { first: job.first as u32, own_first, start, ends })
        };
        let places = jobs.iter().zip(&takes_part).map(place).collect();
        Self { scenario, jobs, places, takes_part, ranks: asked_for_waits(run, jobs) }
    }

    /// The messages of a job: of one that does not take part none; `None` where they are not known before it runs.
    fn pattern(&self, job: usize) -> Option<Arc<Pattern>> {
        let of = &self.jobs[job];
        let pattern = match (&of.pattern, of.repeat) {
            _ if !self.takes_part[job] => {
                let nothing = Script::new(vec![Vec::new(); of.ranks]).unwrap_or_default();
                Pattern(Arc::new(nothing))
            }
            (Some(pattern), Repeat::Times(1)) => pattern.clone(),
            (Some(pattern), Repeat::Times(times)) => Pattern(Arc::new(Repeated::new(pattern.clone(), times))),
            (Some(pattern), Repeat::UntilOthersEnd | Repeat::For(_)) => {
                Pattern(Arc::new(Repeated::new(pattern.clone(), u64::MAX)))
            }
            (None, _) => return None,
        };
        Some(Arc::new(pattern))
    }

    /// These ranks of a job, as it numbers them, with their programs.
    fn of_job<P: Program>(
        &self,
        job: usize,
        ranks: impl IntoIterator<Item = Rank>,
        programs: impl IntoIterator<Item = P>,
    ) -> Vec<OfJob<P>> {
        let place = &self.places[job];
        let ranks = ranks.into_iter().zip(programs);
        ranks.map(|(rank, program)| OfJob::new(program, Arc::clone(place), rank)).collect()
    }

    /// Which ranks of a job are among these ranks of the run, as the job numbers them, in ascending order; all if none are named.
    fn here(&self, job: usize, ranks: Option<&[Rank]>) -> Vec<Rank> {
        let Job { first, ranks: count, .. } = self.jobs[job];
        let own = (0..count).map(Rank::new);
        let Some(ranks) = ranks else { return own.collect() };
        own.filter(|rank| ranks.binary_search(&Rank::new(first + rank.index())).is_ok()).collect()
    }

    /// Which ranks of the world of MPI programs are among these ranks of the run, as the world numbers them.
    fn here_in_world(&self, ranks: &[Rank]) -> Vec<Rank> {
        let programs = (0..self.jobs.len())
            .filter(|&job| self.takes_part[job] && matches!(self.jobs[job].workload, Workload::Program(_)));
        let of_job = |job: usize| {
            let own_first = self.places[job].own_first;
            self.here(job, Some(ranks)).into_iter().map(move |rank| Rank(rank.0 + own_first))
        };
        programs.flat_map(of_job).collect()
    }

    fn replays(&self, job: usize) -> Vec<Replay> {
        let of = &self.jobs[job];
        let Some((profile, sources)) = of.workload.profile() else { return Vec::new() };
        let setting = Setting {
            costs: self.scenario.message_costs_at(&Placement::new(of.nodes.clone())).into(),
            choice: self.scenario.choice(),
            sources,
            times: Times::No,
            interfaces: interfaces(self.scenario),
            ways: None,
            rounds: match of.repeat {
                Repeat::Times(times) => Rounds::Times(times),
                Repeat::UntilOthersEnd | Repeat::For(_) => Rounds::Endless,
            },
        };
        Replay::all(Arc::clone(profile), setting)
    }

    /// For whom a job waited, if that was counted.
    fn waited(&self, job: u32, ran: &Ran) -> Option<JobWaited> {
        let machine = self.ranks.as_ref().and(self.scenario.machine())?;
        let name = |job: u32| self.jobs[job as usize].name.clone();
        let link_name = |link| machine.link_name(link);
        Some(JobWaited::new(job, ran.waits.of_job(job), name, link_name))
    }

    /// Counts of each job, whole in the first process.
    fn counted<P: Program>(
        &self,
        ranks: &[OfJob<P>],
        ran: &Ran,
        context: &mut RunContext<'_>,
    ) -> Vec<JobCounts> {
        let mut traffic = vec![JobTraffic::default(); self.jobs.len()];
        let mut job = 0;
        for rank in ranks {
            // The ranks follow each other as their jobs do.
            while !Arc::ptr_eq(&self.places[job], rank.shared_place()) {
                job += 1;
            }
            traffic[job] = traffic[job].join(rank.traffic());
        }
        let join = |one: Vec<JobTraffic>, other: Vec<JobTraffic>| {
            one.into_iter().zip(other).map(|(one, other)| one.join(other)).collect()
        };
        let traffic = joined(context.processes, traffic, join);
        self.jobs
            .iter()
            .zip(&self.places)
            .zip(traffic)
            .map(|((job, place), traffic)| counts(job, place, traffic, ran))
            .zip(0..)
            .map(|(counts, job)| JobCounts { waited: self.waited(job, ran), ..counts })
            .collect()
    }
}

/// The ranks of each job, if it is to be counted for whom they wait: causes are, there are links, and several jobs.
fn asked_for_waits(run: Run<'_>, jobs: &[Job]) -> Option<Arc<JobRanks>> {
    let counts_links = !matches!(run.engine, Prepared::Ideal(_));
    let asks = run.scenario.output.causes == Keep::Yes && jobs.len() > 1 && counts_links;
    asks.then(|| Arc::new(JobRanks::new(jobs.iter().map(|job| job.first as u32))))
}

fn counts(job: &Job, place: &JobPlace, traffic: JobTraffic, ran: &Ran) -> JobCounts {
    let mut nodes = job.nodes.clone();
    nodes.sort_unstable();
    nodes.dedup();
    let mean = |sum: u128| Duration::from_ps((sum / u128::from(traffic.messages)) as u64);
    let fixed_end = if let Ends::At(end) = place.ends { Some(end) } else { None };
    JobCounts {
        name: job.name.clone(),
        first_rank: job.first,
        ranks: job.ranks,
        nodes: nodes.len(),
        submit: job.submit.map(|submit| Time::ZERO + submit),
        start: place.start,
        end: fixed_end.unwrap_or(traffic.last),
        is_over: match fixed_end {
            Some(end) => ran.ended.outcome == Outcome::Finished || end <= ran.until,
            None => traffic.over == job.ranks as u64,
        },
        is_endless: job.repeat == Repeat::UntilOthersEnd,
        messages: traffic.messages,
        bytes: traffic.bytes,
        latency: (traffic.messages > 0).then(|| [mean(traffic.latency_ps), traffic.latency_most]),
        digest: traffic.digest,
        alone: None,
        alone_messages: None,
        waited: None,
    }
}

/// The end of a run of several jobs, in which ranks that are named have their jobs beside them, and their numbers there.
pub(crate) fn with_jobs(outcome: Outcome, jobs: &[JobCounts]) -> Outcome {
    let job_of = |rank: Rank| {
        let own = |job: &JobCounts| rank.index().checked_sub(job.first_rank).filter(|own| *own < job.ranks);
        jobs.iter().find_map(|job| Some((&job.name, own(job)?)))
    };
    match outcome {
        Outcome::Deadlock(mut waiting) => {
            for one in &mut waiting {
                if let Some((name, own)) = job_of(one.rank) {
                    one.details.insert(0, ("job", format!("{name}, rank {own}")));
                }
            }
            Outcome::Deadlock(waiting)
        }
        Outcome::Aborted { rank, why } => {
            let of =
                job_of(rank).map_or_else(String::new, |(name, own)| format!(" (rank {own} of job {name})"));
            Outcome::Aborted { rank, why: why + &of }
        }
        Outcome::Finished | Outcome::Limit(_) => outcome,
    }
}

/// Runs the jobs together.
pub(crate) fn run_jobs(
    run: Run<'_>,
    JobsSection(jobs): &JobsSection,
    context: RunContext<'_>,
) -> Result<ProgramResult> {
    let together = Together::new(run, jobs);
    let context = context.jobs(together.ranks.clone());
    let patterns: Option<Vec<Arc<Pattern>>> = (0..jobs.len()).map(|job| together.pattern(job)).collect();
    match patterns {
        Some(patterns) => Ok(ProgramResult::none(run_patterns(run, &together, patterns, context))),
        None => run_mixed(run, &together, context),
    }
}

fn run_patterns(
    run: Run<'_>,
    together: &Together<'_>,
    patterns: Vec<Arc<Pattern>>,
    mut context: RunContext<'_>,
) -> Ran {
    let ranks = patterns.into_iter().enumerate();
    let ranks =
        ranks.flat_map(|(job, pattern)| together.of_job(job, (0..).map(Rank), Queue::all(pattern))).collect();
    let mut ranks = only(context.ranks, ranks);
    let ran = run.programs_on(Threads::Any, &mut ranks, context.reborrow());
    Ran { jobs: together.counted(&ranks, &ran, &mut context), ..ran }
}

/// Runs jobs of several kinds: on all threads, if none of them is an MPI program.
fn run_mixed(run: Run<'_>, together: &Together<'_>, mut context: RunContext<'_>) -> Result<ProgramResult> {
    let Some(world) = world(run, together, context.ranks)? else {
        let ranks = mixed::<NoProgram>(run, together, Vec::new(), context.ranks);
        let (ran, ranks) = if context.checkpoints.is_some() {
            let mut ranks: Vec<_> = ranks.into_iter().map(EventLogged::new).collect();
            let ran = run.programs_on(Threads::Any, &mut ranks, context.reborrow());
            (ran, ranks.into_iter().map(EventLogged::into_program).collect())
        } else {
            let mut ranks = ranks;
            (run.programs_on(Threads::Any, &mut ranks, context.reborrow()), ranks)
        };
        let jobs = together.counted(&ranks, &ran, &mut context);
        return Ok(ProgramResult::none(Ran { jobs, ..ran }));
    };
    let ranks = mixed(run, together, world.ranks(), context.ranks);
    let watcher = world.watched(context.limits);
    let mut divided = context.reborrow();
    divided.console = divided.ranks.map(|_| &*world as &dyn Console);
    let (ran, ranks) = if divided.checkpoints.is_some() {
        let mut ranks: Vec<_> = ranks.into_iter().map(EventLogged::new).collect();
        let ran = run.programs(&mut ranks, divided);
        (ran, ranks.into_iter().map(EventLogged::into_program).collect())
    } else {
        let mut ranks = ranks;
        (run.programs(&mut ranks, divided), ranks)
    };
    drop(watcher);
    let ran = Ran { jobs: together.counted(&ranks, &ran, &mut context), ..ran };
    let programs = ranks.iter().filter_map(|rank| match rank.program() {
        OfAny::Program(program) => Some(program),
        OfAny::Queue(_) | OfAny::Replay(_) | OfAny::Graph(_) => None,
    });
    Ok(end_of_world(run, &world, programs, ran, context))
}

/// The ranks of all jobs; `programs` are those of MPI programs.
fn mixed<P: Program<Body = Body>>(
    run: Run<'_>,
    together: &Together<'_>,
    programs: Vec<P>,
    of_process: Option<&[Rank]>,
) -> Vec<OfJob<OfAny<P>>> {
    let (mut programs, mut ranks) = (programs.into_iter(), Vec::new());
    for (job, of) in together.jobs.iter().enumerate() {
        let here = together.here(job, of_process);
        let one: Vec<OfAny<P>> = match (together.pattern(job), &of.workload) {
            (Some(pattern), _) => {
                let queue = |&rank| Queue::new(Arc::clone(&pattern), rank, unseen());
                here.iter().map(|rank| OfAny::Queue(queue(rank))).collect()
            }
            (None, Workload::Program(_)) => programs.by_ref().take(here.len()).map(OfAny::Program).collect(),
            (None, Workload::Graph(section)) => {
                let costs = run.scenario.message_costs_at(&Placement::new(of.nodes.clone()));
                let ranks = only(Some(&here), graph::ranks(run.scenario, section, costs));
                ranks.into_iter().map(|one| OfAny::Graph(Box::new(one))).collect()
            }
            (None, _) => {
                let ranks = only(Some(&here), together.replays(job));
                ranks.into_iter().map(|one| OfAny::Replay(Box::new(one))).collect()
            }
        };
        ranks.extend(together.of_job(job, here, one));
    }
    ranks
}

/// The contents of messages of a pattern, which are not looked at.
fn unseen() -> Body {
    let envelope = Envelope { context: 0, source: 0, tag: 0 };
    Body::Eager { envelope, data: Data::Length(0) }
}

/// The world of all MPI programs, in which each job has its own `MPI_COMM_WORLD`, with those of these ranks of the run that are in it; `None` if
/// there are none in any process.
fn world(
    run: Run<'_>,
    together: &Together<'_>,
    ranks: Option<&[Rank]>,
) -> Result<Option<std::rc::Rc<World>>> {
    let mut nodes = Vec::new();
    let (mut to_run, mut sizes, mut first) = (Vec::new(), Vec::new(), None);
    for (job, takes_part) in together.jobs.iter().zip(&together.takes_part) {
        let (Workload::Program(program), true) = (&job.workload, *takes_part) else { continue };
        to_run.extend(programs(program, job.ranks));
        nodes.extend(job.nodes.iter().copied());
        sizes.push(job.ranks);
        first.get_or_insert(program);
    }
    let Some(first) = first else { return Ok(None) };
    let options = world_options(run, first, Placement::new(nodes), to_run, sizes);
    let options = WorldOptions { here: ranks.map(|ranks| together.here_in_world(ranks)), ..options };
    let process = ProcessWorld::claim().map_err(|taken| RunError::Program(taken.to_string()))?;
    let world = World::load(options, process).map_err(|error| RunError::Program(error.to_string()))?;
    Ok(Some(world))
}
