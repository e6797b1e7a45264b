//! When each job of a list begins where jobs may overtake: EASY backfilling, as schedulers have it.
//!
//! ```text
//!   nodes |#########|=========|        #  runs, and has asked for its nodes until here
//!         |#########|=========|        =  first of those that wait: begins there, its reservation
//!         |++++|    |=========|        +  begins now: it has asked for a time that is over by then, or for nodes
//!         +--------------------> time     that are left over beside the reservation
//! ```
//! The first job that waits has a reservation: the instant from which on it has nodes if all that run go on for as long as they have asked for.
//! Jobs behind it begin before it, in their order, if that leaves its reservation as it is. Source: D. Lifka, The ANL/IBM SP scheduling system,
//! JSSPP 1995. A job that goes on for longer than it has asked for counts as one that is about to end, and may be late for a reservation.

use super::schedule::{Made, Request, Running, Scheduled};
use crate::sections::jobs::Placing;
use crate::sections::jobs::places::FreeNodes;
use std::collections::VecDeque;
use weir_units::{Duration, NodeId};

/// Jobs that wait, and what they wait for.
struct Scheduler<'a, F> {
    requests: &'a [Request],
    placing: F,
    free: FreeNodes<'a>,
    running: Running,
    /// In the order of submission.
    waiting: VecDeque<usize>,
    made: Vec<Option<Made>>,
}

/// Gives each job a start and nodes as [`schedule`](super::schedule::schedule) does; a job may overtake others.
pub(super) fn backfill<'a>(
    requests: &'a [Request],
    free: FreeNodes<'a>,
    placing: impl Fn(usize) -> Placing,
) -> Vec<Made> {
    let made = std::iter::repeat_with(|| None).take(requests.len()).collect();
    let (running, waiting) = (Running::default(), VecDeque::new());
    let mut scheduler = Scheduler { requests, placing, free, running, waiting, made };
    let mut next = 0;
    loop {
        let submit = requests.get(next).map(|request| request.submit);
        let Some(now) = submit.into_iter().chain(scheduler.running.first_end()).min() else { break };
        scheduler.running.release(now, &mut scheduler.free);
        while requests.get(next).is_some_and(|request| request.submit <= now) {
            scheduler.waiting.push_back(next);
            next += 1;
        }
        scheduler.begin_first(now);
        scheduler.overtake(now);
    }
    scheduler.made.into_iter().map(|one| one.expect("each job has had its turn")).collect()
}

impl<F: Fn(usize) -> Placing> Scheduler<'_, F> {
    fn begin(&mut self, job: usize, now: Duration, nodes: Vec<NodeId>) {
        self.running.begin(job, &self.requests[job], now, nodes.clone());
        self.made[job] = Some(Ok(Scheduled { start: now, nodes }));
    }

    /// Jobs begin in their order, as long as there are nodes.
    fn begin_first(&mut self, now: Duration) {
        while let Some(&job) = self.waiting.front() {
            match self.free.take(job, self.requests[job].nodes, &(self.placing)(job)) {
                Ok(nodes) => self.begin(job, now, nodes),
                // More will not be free.
                Err(why) if self.running.is_empty() => self.made[job] = Some(Err((self.free.free(), why))),
                Err(_) => break,
            }
            self.waiting.pop_front();
        }
    }

    /// Jobs behind the first one that waits begin, if its reservation stays.
    fn overtake(&mut self, now: Duration) {
        let Some(&first) = self.waiting.front().filter(|_| self.waiting.len() > 1) else { return };
        let (needs, rule) = (self.requests[first].nodes, (self.placing)(first));
        let (reserved, mut then) = self.running.reservation(now, &self.free, (needs, &rule));
        let mut still_waiting = VecDeque::from([first]);
        for job in self.waiting.split_off(1) {
            let request = &self.requests[job];
            if !self.free.has_room(request.nodes, &(self.placing)(job)) {
                still_waiting.push_back(job);
                continue;
            }
            let is_over = now + request.requested <= reserved;
            let nodes = self.free.take(job, request.nodes, &(self.placing)(job));
            let nodes = nodes.unwrap_or_else(|_| unreachable!("there is room for job {job}"));
            if !is_over {
                then.occupy(job, &nodes);
                if !then.has_room(needs, &rule) {
                    then.release(&nodes);
                    self.free.release(&nodes);
                    still_waiting.push_back(job);
                    continue;
                }
            }
            self.begin(job, now, nodes);
        }
        self.waiting = still_waiting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::job_list::schedule::schedule;
    use weir_topology::{Dimension, NodeLink, Tie, Topology, Torus, Wrap};
    use weir_units::Bandwidth;

    /// Submission, nodes, time asked for and time taken.
    type Row = (u64, usize, u64, u64);

    fn ns(ns: u64) -> Duration {
        Duration::from_ns(ns)
    }

    /// The starts on a machine of ten nodes: by backfilling, and in the order of submission.
    fn starts(rows: &[Row]) -> [Vec<u64>; 2] {
        let capacity = Bandwidth::new(1e9).expect("positive");
        let (bandwidth, latency) = (capacity, Duration::ZERO);
        let line = vec![Dimension { size: 10, wrap: Wrap::Mesh, bandwidth, latency }];
        let line = Torus::new(line, Tie::Plus, NodeLink { bandwidth, latency }).expect("a small line");
        let machine = Topology::Torus(line);
        let request = |&(submit, nodes, requested, duration): &Row| Request {
            submit: ns(submit),
            start: None,
            duration: ns(duration),
            requested: ns(requested),
            nodes,
        };
        let requests: Vec<Request> = rows.iter().map(request).collect();
        let free = || FreeNodes::of(Some(&machine));
        let packed = |_| Placing::Packed;
        [backfill(&requests, free(), packed), schedule(&requests, free(), packed)].map(|made| {
            let start = |one: Made| one.map_or(u64::MAX, |one| one.start.as_ps() / 1000);
            made.into_iter().map(start).collect()
        })
    }

    /// A job that is over before its time leaves the reservation where it was for those behind: the third one may begin, since it has asked for less
    /// than the first one, and the second one is late for it, as first come, first served would not have it; but not later than promised.
    #[test]
    fn a_reservation_is_by_the_times_that_are_asked_for() {
        let rows = [(0, 6, 200, 100), (1, 8, 50, 50), (2, 4, 190, 150)];
        assert_eq!(starts(&rows), [vec![0, 152, 2], vec![0, 100, 150]]);
        // It has asked for less than it takes, and goes on.
        let rows = [(0, 6, 100, 100), (1, 8, 50, 50), (2, 4, 90, 150)];
        assert_eq!(starts(&rows)[0], [0, 152, 2]);
    }

    /// A job that has more nodes than there are is no obstacle for others.
    #[test]
    fn a_job_that_never_fits_is_left_out() {
        assert_eq!(starts(&[(0, 6, 100, 100), (1, 11, 50, 50), (2, 8, 90, 90)])[0], [0, u64::MAX, 100]);
    }

    /// Six of ten nodes are taken until 100, when the second job gets eight. The third one asks for four until 92, and begins at once. The fourth one would
    /// be over at 103, and has two, as are left over then; the fifth, with two as well, would leave the second job seven.
    #[test]
    fn a_reservation_is_kept() {
        let rows = [(0, 6, 100, 100), (1, 8, 50, 50), (2, 4, 90, 90), (3, 2, 100, 100), (3, 2, 98, 98)];
        assert_eq!(starts(&rows), [vec![0, 100, 2, 92, 150], vec![0, 100, 150, 150, 150]]);
    }
}
