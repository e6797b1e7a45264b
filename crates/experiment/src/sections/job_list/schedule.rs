//! When each job of a list begins, and at which nodes: first come, first served.
//!
//! The time for which a job has its nodes is known before it begins. So nothing that happens in the network changes a start, and the schedule is made
//! before the run. A job never overtakes one that was submitted before it, even where nodes for it are free.

use crate::sections::jobs::Placing;
use crate::sections::jobs::places::{FreeNodes, NoPlace};
use std::collections::BTreeMap;
use weir_units::{Duration, NodeId};

/// A job that asks for nodes.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) submit: Duration,
    /// When it is to begin whatever is free then; `None`: as soon as it can.
    pub(super) start: Option<Duration>,
    pub(super) duration: Duration,
    pub(super) nodes: usize,
}

/// A job with its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scheduled {
    pub(super) start: Duration,
    pub(super) nodes: Vec<NodeId>,
}

/// The nodes of jobs that run, in the order of their ends; a job ends before another one begins at the same instant.
#[derive(Default)]
struct Running(BTreeMap<(Duration, usize), Vec<NodeId>>);

impl Running {
    fn release(&mut self, until: Duration, free: &mut FreeNodes<'_>) {
        while let Some(first) = self.0.first_entry()
            && first.key().0 <= until
        {
            free.release(&first.remove());
        }
    }
}

/// Gives each job a start and nodes, by a rule that may differ from job to job. The requests are in the order of submission, and so are the results.
/// An error says what the job lacks: that with the number of nodes that were free.
pub(super) fn schedule(
    requests: &[Request],
    mut free: FreeNodes<'_>,
    placing: impl Fn(usize) -> Placing,
) -> Vec<Result<Scheduled, (usize, NoPlace)>> {
    let mut order: Vec<usize> = (0..requests.len()).collect();
    order.sort_by_key(|&job| requests[job].start);
    let mut running = Running::default();
    let mut now = Duration::ZERO;
    let mut made: Vec<Option<Result<Scheduled, (usize, NoPlace)>>> = vec_of_none(requests.len());
    for job in order {
        let request = &requests[job];
        now = request.start.unwrap_or_else(|| request.submit.max(now));
        running.release(now, &mut free);
        let placing = placing(job);
        let result = loop {
            let why = match free.take(job, request.nodes, &placing) {
                Ok(nodes) => break Ok(nodes),
                Err(why) => why,
            };
            match running.0.first_key_value() {
                Some((&(end, _), _)) if request.start.is_none() => {
                    now = end;
                    running.release(now, &mut free);
                }
                _ => break Err((free.free(), why)),
            }
        };
        made[job] = Some(result.map(|nodes| {
            running.0.insert((now + request.duration, job), nodes.clone());
            Scheduled { start: now, nodes }
        }));
    }
    made.into_iter().map(|one| one.expect("each job has had its turn")).collect()
}

fn vec_of_none<T>(count: usize) -> Vec<Option<T>> {
    std::iter::repeat_with(|| None).take(count).collect()
}
