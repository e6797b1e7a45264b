//! Lists of MPI calls as graphs of work: a call begins when the one before it is over, or, where that only starts something, has begun; who is waited for has ended.

use crate::work::{Work, task};
use weir_operations::Operation;
use weir_units::Duration;

/// Where a rank is in its list.
#[derive(Default)]
pub(crate) struct Calls {
    last: Option<(u64, Way)>,
    /// The tasks that were waited for since the last call.
    waited: Vec<u64>,
}

/// Says whether a call comes back at its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Waits,
    GoesOn,
}

impl Calls {
    /// Adds a call, and returns the number of its task.
    pub(crate) fn add(
        &mut self,
        rank: u32,
        operation: Operation,
        way: Way,
        line: usize,
        work: &mut Work<'_>,
    ) -> u64 {
        let number = work.builder.next(weir_units::Rank(rank));
        let (mut ended, mut begun) = (std::mem::take(&mut self.waited), Vec::new());
        match self.last {
            Some((last, Way::Waits)) => ended.push(last),
            Some((last, Way::GoesOn)) if !ended.contains(&last) => begun.push(last),
            _ => {}
        }
        ended.sort_unstable();
        ended.dedup();
        work.add(rank, task(operation, number, ended, begun), line, "");
        self.last = Some((number, way));
        number
    }

    /// Adds a computation, if it takes time.
    pub(crate) fn compute(&mut self, rank: u32, time: Duration, line: usize, work: &mut Work<'_>) {
        if time > Duration::ZERO {
            self.add(rank, Operation::Compute { time }, Way::Waits, line, work);
        }
    }

    /// The next call comes after the end of a task.
    pub(crate) fn wait(&mut self, task: u64) {
        self.waited.push(task);
    }
}

/// The instants of a rank's calls, in the unit of its file.
#[derive(Default)]
pub(crate) struct Clock {
    until: Option<u64>,
}

impl Clock {
    /// A call goes from here to there; returns the time between it and the one before, 0 before the first.
    pub(crate) fn pass(&mut self, begin: u64, end: u64) -> Result<u64, String> {
        if end < begin || self.until.is_some_and(|until| begin < until) {
            let until = self.until.unwrap_or(begin);
            return Err(format!(
                "the call goes from {begin} to {end}, and the one before it until {until}: clocks run backwards"
            ));
        }
        let gap = self.until.map_or(0, |until| begin - until);
        self.until = Some(end);
        Ok(gap)
    }
}
