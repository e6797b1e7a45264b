//! Waiting of jobs for each other: at which links, and behind whose messages.
//!
//! An engine that is given the [ranks of jobs](JobRanks) adds up for which time the messages of each job wait at each link, and
//! divides it among the jobs whose messages are in their way. The messages of a job may be in each other's way: so a job is among those that
//! it waits for.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_units::{Duration, LinkId, Rank};

/// Ranks of a run by job: those of each job follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRanks {
    firsts: Vec<u32>,
}

impl JobRanks {
    /// Jobs with these first ranks, ascending, of which the first one is 0. Jobs without ranks begin where the next one does.
    pub fn new(firsts: impl IntoIterator<Item = u32>) -> Self {
        let firsts: Vec<u32> = firsts.into_iter().collect();
        debug_assert!(firsts.is_sorted() && firsts.first().is_none_or(|first| *first == 0), "{firsts:?}");
        Self { firsts }
    }

    /// The number of the job of a rank. O(log jobs).
    #[inline]
    pub fn job(&self, rank: Rank) -> u32 {
        self.firsts.partition_point(|first| *first <= rank.0).saturating_sub(1) as u32
    }
}

/// Times for which messages of a job wait, by the job that they wait for.
pub type WaitsByJob = BTreeMap<u32, Duration>;

/// Waiting of all jobs of a run, by the number of the job that waits and the link where it does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobWaits(BTreeMap<(u32, LinkId), WaitsByJob>);

impl JobWaits {
    /// Messages of the job `waits` wait for another time at a link for those of `behind`.
    pub fn add(&mut self, (waits, link): (u32, LinkId), behind: u32, time: Duration) {
        if time > Duration::ZERO {
            *self.0.entry((waits, link)).or_default().entry(behind).or_default() += time;
        }
    }

    /// Adds those that another part of the run has counted.
    pub fn join(&mut self, other: &Self) {
        for (&at, by_job) in &other.0 {
            by_job.iter().for_each(|(&behind, &time)| self.add(at, behind, time));
        }
    }

    /// The links at which a job waits, ascending, and for whom.
    pub fn of_job(&self, job: u32) -> impl Iterator<Item = (LinkId, &WaitsByJob)> {
        let links = (job, LinkId(0))..=(job, LinkId(u32::MAX));
        self.0.range(links).map(|(&(_, link), by_job)| (link, by_job))
    }

    /// Returns whether no job waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks 0 to 2, none, 3 and 4.
    #[test]
    fn a_rank_is_of_the_last_job_that_begins_before_it() {
        let jobs = JobRanks::new([0, 3, 3]);
        assert_eq!([0, 2, 3, 4].map(|rank| jobs.job(Rank(rank))), [0, 0, 2, 2]);
    }

    #[test]
    fn parts_of_a_run_are_added() {
        let time = Duration::from_ps;
        let [mut one, mut other] = [JobWaits::default(), JobWaits::default()];
        one.add((1, LinkId(7)), 0, time(5));
        one.add((1, LinkId(7)), 1, time(0));
        other.add((1, LinkId(7)), 0, time(2));
        other.add((1, LinkId(2)), 1, time(4));
        other.add((0, LinkId(7)), 1, time(3));
        one.join(&other);
        let of_one: Vec<_> = one.of_job(1).map(|(link, by_job)| (link.0, by_job.clone())).collect();
        assert_eq!(of_one, [(2, WaitsByJob::from([(1, time(4))])), (7, WaitsByJob::from([(0, time(7))]))]);
        assert_eq!(one.of_job(0).count(), 1);
    }
}
