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
    /// The time that it has asked for, which a scheduler knows before it begins.
    pub(super) requested: Duration,
    pub(super) nodes: usize,
}

/// A job with its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scheduled {
    pub(super) start: Duration,
    pub(super) nodes: Vec<NodeId>,
}

/// A job with its start and nodes, or how many nodes were free and why that does not do.
pub(super) type Made = Result<Scheduled, (usize, NoPlace)>;

/// The jobs that run, in the order of their ends; a job ends before another one begins at the same instant.
#[derive(Default)]
pub(super) struct Running(BTreeMap<(Duration, usize), RunningJob>);

struct RunningJob {
    /// When it is over if it takes the time that it has asked for.
    expected: Duration,
    nodes: Vec<NodeId>,
}

impl Running {
    pub(super) fn release(&mut self, until: Duration, free: &mut FreeNodes<'_>) {
        while let Some(first) = self.0.first_entry()
            && first.key().0 <= until
        {
            free.release(&first.remove().nodes);
        }
    }

    pub(super) fn begin(&mut self, job: usize, request: &Request, now: Duration, nodes: Vec<NodeId>) {
        let running = RunningJob { expected: now + request.requested, nodes };
        self.0.insert((now + request.duration, job), running);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn first_end(&self) -> Option<Duration> {
        self.0.first_key_value().map(|(&(end, _), _)| end)
    }

    /// When a job that needs so many nodes by this rule has them, if all that run take the time that they have asked for, and
    /// who has which nodes then.
    pub(super) fn reservation<'a>(
        &self,
        now: Duration,
        free: &FreeNodes<'a>,
        (needs, rule): (usize, &Placing),
    ) -> (Duration, FreeNodes<'a>) {
        let (mut then, mut at) = (free.clone(), now);
        let mut expected: Vec<&RunningJob> = self.0.values().collect();
        expected.sort_by_key(|running| running.expected);
        for running in expected {
            // All that end at the instant give their nodes back.
            if then.has_room(needs, rule) && running.expected > at {
                break;
            }
            at = running.expected.max(now);
            then.release(&running.nodes);
        }
        (at, then)
    }
}

/// Gives each job a start and nodes, by a rule that may differ from job to job. The requests are in the order of submission, and so are the results.
/// An error says what the job lacks: that with the number of nodes that were free.
pub(super) fn schedule(
    requests: &[Request],
    mut free: FreeNodes<'_>,
    placing: impl Fn(usize) -> Placing,
) -> Vec<Made> {
    let mut order: Vec<usize> = (0..requests.len()).collect();
    order.sort_by_key(|&job| requests[job].start);
    let mut running = Running::default();
    let mut now = Duration::ZERO;
    let mut made: Vec<Option<Made>> = std::iter::repeat_with(|| None).take(requests.len()).collect();
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
            match running.first_end() {
                Some(end) if request.start.is_none() => {
                    now = end;
                    running.release(now, &mut free);
                }
                _ => break Err((free.free(), why)),
            }
        };
        made[job] = Some(result.map(|nodes| {
            running.begin(job, request, now, nodes.clone());
            Scheduled { start: now, nodes }
        }));
    }
    made.into_iter().map(|one| one.expect("each job has had its turn")).collect()
}
