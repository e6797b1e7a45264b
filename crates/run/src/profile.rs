//! Runs profiles.

use crate::Result;
use crate::engine::{Run, Threads, joined, only};
use crate::engine_result::Ran;
use crate::mpi::interfaces;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use weir_capi::Observer;
use weir_experiment::{CollectiveSection, Pacing, Workload};
use weir_formats::profile::Profile;
use weir_network::{EventLogged, RunContext, SendOptions};
use weir_replay::{Replay, Rounds, Setting, Sources, Times};
use weir_units::Duration;
use weir_workload::Gap;

/// Runs the ranks of a profile. Of a collective, the time of each repetition is that of the rank that took longest; a repetition that
/// not all ranks have ended has none.
pub(crate) fn run_profile(
    run: Run<'_>,
    (profile, sources): (&Arc<Profile>, Sources),
    observer: Option<Observer>,
    mut context: RunContext<'_>,
) -> Result<Ran> {
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
        rounds: Rounds::default(),
    };
    let ranks = Replay::all(Arc::clone(profile), setting);
    let watched = |rank: Replay| match &observer {
        Some(Observer(observer)) => rank.observed_by(Arc::clone(observer)),
        None => rank,
    };
    let ranks = only(context.ranks, ranks);
    let ranks = ranks.into_iter().map(watched);
    // What is seen of ranks is in the order in which one thread runs them.
    let threads = if observer.is_some() { Threads::One } else { Threads::Any };
    let (ran, ended): (Ran, Progress) = if context.checkpoints.is_some() {
        let mut ranks: Vec<_> = ranks.map(EventLogged::new).collect();
        let ran = run.programs_on(threads, &mut ranks, context.reborrow());
        (ran, Progress::of(ranks.iter().map(EventLogged::program), measured))
    } else {
        let mut ranks: Vec<Replay> = ranks.collect();
        (run.programs_on(threads, &mut ranks, context.reborrow()), Progress::of(ranks.iter(), measured))
    };
    let Progress { done, repetitions } = joined(context.processes, ended, Progress::joined);
    let repetitions = repetitions.unwrap_or_default();
    Ok(Ran { replayed: Some(done as f64 / profile.len().max(1) as f64), repetitions, ..ran })
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
