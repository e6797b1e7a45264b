//! Writes what a program does as a profile, and runs profiles.

use crate::engine::Run;
use crate::engine_result::EngineResult;
use crate::folder::begin_folder;
use crate::mpi::interfaces;
use crate::multi_process::{joined, only};
use crate::simulation::{Around, run_observed};
use crate::{Report, Resume, RunError, RunOptions};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use weir_capi::Observer;
use weir_capi::executable::Kind;
use weir_experiment::{CollectiveSection, Pacing, Scenario, Workload};
use weir_formats::profile::{Format, Profile, UNKNOWN_FORMAT};
use weir_message::SharedObserver;
use weir_network::{EventLogged, Outcome, RunContext, SendOptions, Watch};
use weir_pdes::OneProcess;
use weir_replay::{LogError, Logger, Replay, Setting, Sources, Times};
use weir_units::Duration;
use weir_workload::Gap;

/// Result of logging a program.
#[derive(Clone, Debug)]
pub struct Logged {
    /// Report of the run.
    pub report: Report,
    /// Number of events of the profile that was written; `None` where the run did not finish.
    pub written: Option<u64>,
}

/// Runs the program and writes what its ranks do as a profile into a file, in the format that its name stands for. A
/// run that does not finish leaves no file. Of the options those count that are for the run itself.
///
/// # Errors
/// When the workload is no program of `weir cc`, when the name of the file has another ending, when the file cannot
/// be written, or when the program cannot be loaded.
pub fn log(
    scenario: &Scenario,
    path: &Path,
    options: &RunOptions,
    watch: Watch<'_>,
) -> Result<Logged, RunError> {
    let refused = |why: String| Err(RunError::Options(why));
    match &scenario.workload.kind {
        Workload::Program(program) if program.kind == Kind::Loadable => {}
        Workload::Program(_) => {
            return refused(
                "a program whose ranks are processes of their own cannot be logged: build it with weir cc"
                    .into(),
            );
        }
        _ => return refused("the workload is not an MPI program, and only those are logged".into()),
    }
    let Some(format) = Format::of_profile(path) else {
        return refused(format!("{}: {}", path.display(), UNKNOWN_FORMAT));
    };
    let unwritable = |error: std::io::Error| RunError::Results(format!("{}: {error}", path.display()));
    let folder = begin_folder(scenario, Resume::No)?;
    let folder = folder.as_ref();
    let part = beside(path);
    let file = File::create(&part).map_err(unwritable)?;
    let logger = Logger::new(format, scenario.workload.ranks, &scenario.title, file).map_err(unwritable)?;
    let logger = Rc::new(RefCell::new(logger));
    let observer = Observer(Rc::clone(&logger) as SharedObserver);
    let observer = Some(observer);
    let around = Around { folder, observer, processes: &mut OneProcess, checkpoints: None };
    let result = run_observed(scenario, options, around, watch);
    let logger = Rc::into_inner(logger).expect("the run is over and has let go of its observer");
    let finished = match &result {
        Ok(report) if report.outcome == Outcome::Finished => match logger.into_inner().finish() {
            Ok(written) => fs::rename(&part, path).map(|()| Some(written)).map_err(unwritable),
            Err(LogError::Write(error)) => Err(unwritable(error)),
            Err(error) => Err(RunError::Options(error.to_string())),
        },
        _ => Ok(None),
    };
    if !matches!(finished, Ok(Some(_))) {
        // The run says why; what remains of the file is of no use.
        _ = fs::remove_file(&part);
    }
    let logged = Logged { report: result?, written: finished? };
    if let Some(folder) = folder {
        logged.report.summary.write(folder)?;
    }
    Ok(logged)
}

/// Runs the ranks of a profile. Of a collective, the time of each repetition is that of the rank that took longest; a repetition that
/// not all ranks have ended has none.
pub(crate) fn run_profile(
    run: Run<'_>,
    (profile, sources): (&Arc<Profile>, Sources),
    observer: Option<Observer>,
    mut context: RunContext<'_>,
) -> Result<EngineResult, RunError> {
    let scenario = run.scenario;
    let measured = match &scenario.workload.kind {
        Workload::Collective(collective) => Some(collective),
        _ => None,
    };
    let setting = Setting {
        costs: scenario.message_costs().into(),
        choice: scenario.choice(),
        sources,
        times: if measured.is_some() { Times::Kept } else { Times::No },
        interfaces: interfaces(scenario),
        ways: scenario.own_pacing()?.map(profile_ways),
    };
    let ranks = Replay::all(Arc::clone(profile), setting);
    let watched = |rank: Replay| match &observer {
        Some(Observer(observer)) => rank.observed_by(Rc::clone(observer)),
        None => rank,
    };
    let ranks = only(context.ranks, ranks);
    let ranks = ranks.into_iter().map(watched);
    let (ran, ended): (EngineResult, Progress) = if context.checkpoints.is_some() {
        let mut ranks: Vec<_> = ranks.map(EventLogged::new).collect();
        let ran = run.programs(&mut ranks, context.reborrow());
        (ran, Progress::of(ranks.iter().map(EventLogged::program), measured))
    } else {
        let mut ranks: Vec<Replay> = ranks.collect();
        (run.programs(&mut ranks, context.reborrow()), Progress::of(ranks.iter(), measured))
    };
    let Progress { done, repetitions } = joined(context.processes, ended, Progress::joined);
    let repetitions = repetitions.unwrap_or_default();
    Ok(EngineResult { replayed: Some(done as f64 / profile.len().max(1) as f64), repetitions, ..ran })
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct Progress {
    done: u64,
    /// The longest time of each repetition that all have ended.
    /// `None` where there are no ranks that know it.
    repetitions: Option<Vec<Duration>>,
}

impl Progress {
    fn of<'a>(ranks: impl Iterator<Item = &'a Replay>, measured: Option<&CollectiveSection>) -> Self {
        let of_rank = |rank: &Replay| Self {
            done: rank.done() as u64,
            repetitions: measured.and_then(|measured| measured.repetitions_of(rank.rank(), rank.times())),
        };
        ranks.map(of_rank).fold(Self::default(), Self::joined)
    }

    fn joined(self, other: Self) -> Self {
        let repetitions = match (self.repetitions, other.repetitions) {
            (Some(one), Some(other)) => {
                Some(one.into_iter().zip(other).map(|(one, other)| one.max(other)).collect())
            }
            (one, other) => one.or(other),
        };
        Self { done: self.done + other.done, repetitions }
    }
}

fn profile_ways(pacing: &Pacing) -> Arc<Vec<Vec<SendOptions>>> {
    let way = |gap: &Option<Gap>| SendOptions::default().with_gap(gap.map(Gap::packet_times));
    Arc::new(pacing.gaps().iter().map(|gaps| gaps.iter().map(way).collect()).collect())
}

/// Where a file is written until it is whole.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}
