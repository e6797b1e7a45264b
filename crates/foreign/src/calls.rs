//! Lists of MPI calls as graphs of work: a call begins when the one before it is over, or, where that only starts something, has begun; who is waited for has ended.

use crate::work::{Work, task};
use weir_operations::Operation;

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

    /// The next call comes after the end of a task.
    pub(crate) fn wait(&mut self, task: u64) {
        self.waited.push(task);
    }
}
