//! The contents of a profile in a few numbers.

use super::Profile;
use std::collections::BTreeMap;
use weir_operations::{Operation, Step};
use weir_units::{Duration, Rank, Time};

/// The contents of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Number of ranks.
    pub ranks: usize,
    /// Number of events.
    pub events: u64,
    /// Number of communicators beside the world and each rank alone.
    pub communicators: usize,
    /// Messages that programs send one by one; those of collectives depend on algorithms.
    pub messages: u64,
    /// Bytes of these messages.
    pub message_bytes: u64,
    /// Number of events of each kind, in the order of kinds; those that do not occur are left out.
    pub kinds: Vec<KindCount>,
    /// The rank that computes least and the one that computes most, if there are ranks.
    pub compute: Option<(RankSummary, RankSummary)>,
    /// The time all ranks compute together.
    pub compute_total: Duration,
    /// The latest end of all, as logged.
    pub end: Time,
    /// Says whether the profile has logged times.
    pub logged: bool,
}

/// Counts of a kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindCount {
    /// The kind.
    pub name: &'static str,
    /// Number of events.
    pub count: u64,
    /// Bytes that the calling ranks give away, as far as arguments show.
    pub bytes: u64,
    /// Time in these calls, as logged.
    pub time: Duration,
}

/// The work of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankSummary {
    /// The rank in `MPI_COMM_WORLD`.
    pub rank: Rank,
    /// Its own work.
    pub compute: Duration,
}

impl Profile {
    /// Sums up the events.
    pub fn summary(&self) -> Summary {
        let none = |name| KindCount { name, count: 0, bytes: 0, time: Duration::ZERO };
        let mut kinds: BTreeMap<&str, KindCount> = BTreeMap::new();
        let (mut end, mut logged) = (Time::ZERO, false);
        let mut ranks = Vec::new();
        let mut compute_total = Duration::ZERO;
        for rank in (0..self.ranks()).map(Rank::new) {
            let mut compute = Duration::ZERO;
            for step in self.steps(rank) {
                compute += step.compute;
                logged |= step.took.is_some();
                let name = step.operation.name();
                let kind = kinds.entry(name).or_insert_with(|| none(name));
                kind.count += 1;
                kind.bytes = kind.bytes.saturating_add(step.operation.bytes());
                kind.time = Duration::from_ps(kind.time.as_ps().saturating_add(step.time_in_call().as_ps()));
            }
            compute_total = Duration::from_ps(compute_total.as_ps().saturating_add(compute.as_ps()));
            ranks.push(RankSummary { rank, compute });
            end = self.times(rank).last().map_or(end, |(_, last, _)| end.max(last));
        }
        let sends = || {
            let all = (0..self.ranks()).flat_map(|rank| self.steps(Rank::new(rank)));
            all.filter(|Step { operation, .. }| matches!(operation, Operation::Send { to: Some(_), .. }))
        };
        let least = ranks.iter().copied().min_by_key(|rank| (rank.compute, rank.rank));
        let most = ranks.iter().copied().max_by_key(|rank| (rank.compute, std::cmp::Reverse(rank.rank)));
        Summary {
            ranks: self.ranks(),
            events: self.len(),
            communicators: self.communicators.iter().count(),
            messages: sends().count() as u64,
            message_bytes: sends().map(|step| step.operation.bytes()).sum(),
            kinds: Operation::words().filter_map(|word| kinds.get(word).copied()).collect(),
            compute: least.zip(most),
            compute_total,
            end,
            logged,
        }
    }
}
