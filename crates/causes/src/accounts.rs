//! The accounts of all ranks when a run is over, and what is known of them while it goes on.

use crate::steps::{self, DrawnPath, Steps};
use crate::{Cause, Causes, Name, Path};
use std::collections::BTreeMap;
use std::time::{Duration as WallTime, Instant};
use weir_units::{Duration, Rank, Time};

/// The end of a rank when the run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RankEnd {
    /// It has done all it had to do.
    Done,
    /// It waits.
    Waits,
}

/// The account of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RankAccount {
    /// Which rank.
    pub rank: Rank,
    /// Its time by cause.
    pub causes: Causes,
    pub(crate) rank_end: RankEnd,
}

/// The longest chain of work and messages of a run, which ends with it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CriticalPath {
    /// The rank at which it ends.
    pub rank: Rank,
    /// Its sums.
    pub path: Path,
}

/// The accounts of some ranks, by rank, and the longest path among them.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Accounts {
    pub(crate) ranks: Vec<RankAccount>,
    pub(crate) phases: BTreeMap<Name, Causes>,
    pub(crate) critical: CriticalPath,
    /// Steps of paths, where they are kept.
    pub(crate) steps: BTreeMap<Rank, Steps>,
}

impl Accounts {
    /// Takes the critical path of a run that ended then, as far as its last so many steps are known, if steps were kept. Those are forgotten.
    pub fn take_path(&mut self, end: Time, most: usize) -> Option<DrawnPath> {
        let all = std::mem::take(&mut self.steps);
        let last = self.critical.path.place().0;
        (!all.is_empty()).then(|| steps::back(&all, last, end, most))
    }

    /// Those of other ranks, too. Of two paths the longer one counts; of two that are as long, that of the lower rank.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.add(other);
        self.ranks.sort_by_key(|account| account.rank);
        self
    }

    /// Adds those of other ranks, which have higher numbers.
    pub fn add(&mut self, other: Self) {
        self.ranks.extend(other.ranks);
        self.steps.extend(other.steps);
        for (phase, causes) in other.phases {
            self.phases.entry(phase).or_default().join(&causes);
        }
        let order = |critical: &CriticalPath| (std::cmp::Reverse(critical.path.end()), critical.rank);
        if order(&other.critical) < order(&self.critical) {
            self.critical = other.critical;
        }
    }

    /// Closes them at the end of the run: each rank, and the path, add up to that.
    #[must_use]
    pub fn closed(mut self, end: Time) -> Self {
        for RankAccount { causes, rank_end, .. } in &mut self.ranks {
            let (all, end) = (causes.total(), end.since(Time::ZERO));
            causes.take_back(all - end);
            let rest = if *rank_end == RankEnd::Done { Cause::Finished } else { Cause::Other };
            causes.add(rest, end - all);
        }
        self.critical.path.end_at(end);
        self
    }

    /// By rank.
    pub fn ranks(&self) -> &[RankAccount] {
        &self.ranks
    }

    /// Phases that ranks have named, by name: what the time of all ranks went into in each, up to the clock of each.
    pub fn phases(&self) -> impl Iterator<Item = (&'static str, &Causes)> {
        self.phases.iter().map(|(phase, causes)| (phase.text(), causes))
    }

    /// The critical path.
    pub const fn critical(&self) -> &CriticalPath {
        &self.critical
    }

    /// All ranks together.
    pub fn total(&self) -> Causes {
        let mut total = Causes::default();
        self.ranks.iter().for_each(|account| total.join(&account.causes));
        total
    }
}

/// Time of ranks by cause up to an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    /// Up to the clock of each rank; of ranks that are ahead of the instant, up to there.
    pub causes: Causes,
    /// From the clocks of ranks to the instant: they wait, or are done. What for is known when a wait is over.
    pub open: Duration,
}

impl SoFar {
    /// That of other ranks, too.
    pub fn join(&mut self, other: &Self) {
        self.causes.join(&other.causes);
        self.open += other.open;
    }
}

/// When it is summed up over all ranks: twice a second, and less often where that would take more than a hundredth of the time.
#[derive(Debug)]
pub struct SumsDue {
    next: Instant,
}

impl Default for SumsDue {
    /// The first time at once.
    fn default() -> Self {
        Self { next: Instant::now() }
    }
}

impl SumsDue {
    const EVERY: WallTime = WallTime::from_millis(500);
    /// A multiple of the time that summing up takes.
    const TIMES: u32 = 100;

    /// Sums up if that is due.
    pub fn sum_up<T>(&mut self, sum: impl FnOnce() -> T) -> Option<T> {
        let begin = Instant::now();
        if begin < self.next {
            return None;
        }
        let found = sum();
        let end = Instant::now();
        self.next = end + Self::EVERY.max(Self::TIMES * end.duration_since(begin));
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worked(rank: u32, ps: u64, rank_end: RankEnd) -> Accounts {
        let mut causes = Causes::default();
        causes.add(Cause::Compute, Duration::from_ps(ps));
        let mut path = Path::default();
        path.extend(Cause::Compute, Time::from_ps(ps));
        let rank = Rank(rank);
        Accounts {
            ranks: vec![RankAccount { rank, causes, rank_end }],
            phases: BTreeMap::new(),
            critical: CriticalPath { rank, path },
            steps: BTreeMap::new(),
        }
    }

    /// A run that ends at 10: a rank that was done at 4, one that waits since 6, and one whose clock was at 13.
    #[test]
    fn all_add_up_to_the_end() {
        let all = worked(2, 13, RankEnd::Waits)
            .join(worked(0, 4, RankEnd::Done))
            .join(worked(1, 6, RankEnd::Waits))
            .closed(Time::from_ps(10));
        assert!(all.ranks().iter().all(|account| account.causes.total().as_ps() == 10));
        let of = |rank: usize, cause| all.ranks()[rank].causes.of(cause).as_ps();
        assert_eq!([of(0, Cause::Finished), of(1, Cause::Other), of(2, Cause::Compute)], [6, 4, 10]);
        assert_eq!((all.critical().rank, all.critical().path.end()), (Rank(2), Time::from_ps(10)));
        assert_eq!(all.total().total().as_ps(), 30);
    }

    #[test]
    fn what_takes_long_is_done_less_often() {
        let mut due = SumsDue::default();
        assert_eq!((due.sum_up(|| 7), due.sum_up(|| 8)), (Some(7), None));
        due.next = Instant::now();
        let begin = Instant::now();
        assert!(due.sum_up(|| std::thread::sleep(WallTime::from_millis(20))).is_some());
        assert!(due.next - begin >= WallTime::from_secs(2));
    }
}
