//! For whose packets the packets of jobs wait at the routers of a part.
//!
//! # Model
//! A packet waits from when it is eligible until it is granted, and the link that it leaves by counts that ([`LinkCounts::waited`](crate::LinkCounts)).
//! This divides it among jobs. As the first one of its virtual channel a packet waits for the job whose packet was granted the same output
//! last; before there was one, for its own. Behind others in its virtual channel it waits for whom the first one waits for there: that may
//! be a packet for another link.
//!
//! Which grants there were is known to the router alone, and it makes them one after the other: so nothing depends on threads.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The most turns of jobs that are remembered; what is older counts as the oldest of them.
const MOST_TURNS: usize = 512;

/// Turns of jobs at an output, or at the head of a virtual channel: each with an instant, in picoseconds, and the number of a job, one
/// after the other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct TurnsOfJobs(VecDeque<(u64, u32)>);

impl TurnsOfJobs {
    fn push(&mut self, at: u64, job: u32) {
        if self.0.len() == MOST_TURNS {
            self.0.pop_front();
        }
        self.0.push_back((at, job));
    }

    /// A turn of a job begins, and goes on until that of another one does.
    fn begin(&mut self, at: u64, job: u32) {
        if self.0.back().is_none_or(|(_, last)| *last != job) {
            self.push(at, job);
        }
    }

    /// A turn of a job ends; it has begun when the last one ended.
    fn end(&mut self, at: u64, job: u32) {
        match self.0.back_mut() {
            Some((last, of)) if *of == job => *last = at.max(*last),
            _ => self.push(at, job),
        }
    }

    /// The turns between two instants, where each has its beginning, the last one first: their jobs, beginnings and ends. What was before the first
    /// turn has no job.
    fn begun(&self, from: u64, until: u64) -> impl Iterator<Item = (Option<u32>, u64, u64)> {
        let turns = self.0.iter().rev().map(|&(at, job)| (Some(job), at));
        let mut end = until;
        turns.chain([(None, from)]).filter_map(move |(job, at)| {
            let begin = at.max(from);
            (begin < end).then(|| (job, begin, std::mem::replace(&mut end, begin)))
        })
    }

    /// The turns after an instant, where each has its end, the last one first: their jobs and lengths.
    fn ended(&self, from: u64) -> impl Iterator<Item = (u32, u64)> {
        let before = self.0.iter().rev().skip(1).map(|(at, _)| *at).chain([0]);
        let turns = self.0.iter().rev().zip(before).take_while(move |((end, _), _)| *end > from);
        turns.map(move |(&(end, job), begin)| (job, end - begin.max(from)))
    }
}

/// A packet that is granted: for the lane that it leaves and the output that it takes, numbered in the part.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrantOfJob {
    pub(super) lane: usize,
    pub(super) output: usize,
    pub(super) job: u32,
    /// Since when it could have been granted, and when it is, in picoseconds.
    pub(super) eligible: u64,
    pub(super) now: u64,
}

/// Waiting at the outputs of a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RouterWaits {
    /// By lane: for whom the packets at its head have waited, up to their grants.
    pub(super) lanes: Vec<TurnsOfJobs>,
    /// By output: whose packets it was granted.
    pub(super) outputs: Vec<TurnsOfJobs>,
    /// By output: picoseconds, by the job that waits and the one that it waits for.
    pub(super) waits: Vec<BTreeMap<(u32, u32), u64>>,
}

impl RouterWaits {
    pub(super) fn new(lanes: usize, outputs: usize) -> Box<Self> {
        Box::new(Self {
            lanes: vec![TurnsOfJobs::default(); lanes],
            outputs: vec![TurnsOfJobs::default(); outputs],
            waits: vec![BTreeMap::new(); outputs],
        })
    }

    /// For whom packets have waited at an output, in picoseconds, by the job that waits and the one that it waits for.
    pub(super) fn of_output(&self, output: usize) -> impl Iterator<Item = ((u32, u32), u64)> {
        self.waits[output].iter().map(|(&jobs, &ps)| (jobs, ps))
    }

    /// A packet is granted. If it `counts`, so does its waiting.
    #[inline(never)]
    pub(super) fn grant(&mut self, grant: GrantOfJob, counts: bool) {
        let GrantOfJob { lane, output, job, eligible, now } = grant;
        let (lane, port) = (&mut self.lanes[lane], &mut self.outputs[output]);
        let mut add = |behind: u32, time: u64| {
            if counts {
                *self.waits[output].entry((job, behind)).or_default() += time;
            }
        };
        lane.ended(eligible).for_each(|(behind, time)| add(behind, time));
        let first = lane.0.back().map_or(eligible, |(last, _)| eligible.max(*last));
        let mut waits: Vec<(u32, u64)> = Vec::new();
        for (behind, begin, end) in port.begun(first, now) {
            let behind = behind.unwrap_or(job);
            add(behind, end - begin);
            waits.push((behind, end));
        }
        waits.into_iter().rev().for_each(|(behind, end)| lane.end(end, behind));
        if lane.0.back().is_none_or(|(last, _)| *last < now) {
            lane.end(now, job);
        }
        port.begin(now, job);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(lane: usize, output: usize, job: u32, eligible: u64, now: u64) -> GrantOfJob {
        GrantOfJob { lane, output, job, eligible, now }
    }

    /// Job 0 has the output from 10 on and job 1 from 30 on; a packet of job 2 that could have gone at 5 goes at 50: for 5 there was none, then
    /// 20 and 20. Behind it in its channel one of job 1 for another output, eligible at 45 and granted at 55: for 5 it waited for whom the
    /// first one did, and then for itself.
    #[test]
    fn a_packet_waits_for_who_has_the_output() {
        let mut waits = RouterWaits::new(4, 2);
        waits.grant(grant(0, 0, 0, 10, 10), true);
        waits.grant(grant(1, 0, 1, 30, 30), true);
        waits.grant(grant(2, 0, 2, 5, 50), true);
        waits.grant(grant(2, 1, 1, 45, 55), true);
        assert_eq!(waits.waits[0], BTreeMap::from([((2, 0), 20), ((2, 1), 20), ((2, 2), 5)]));
        assert_eq!(waits.waits[1], BTreeMap::from([((1, 1), 10)]));
    }

    /// The head waits for job 3; the two behind it wait for that as well, and then the last one for the output, which job 0 has.
    #[test]
    fn a_packet_behind_others_waits_for_what_these_wait_for() {
        let mut waits = RouterWaits::new(2, 1);
        waits.grant(grant(1, 0, 3, 10, 10), true);
        waits.grant(grant(0, 0, 0, 20, 100), true);
        waits.grant(grant(0, 0, 0, 30, 110), true);
        // Before all is counted.
        waits.grant(grant(0, 0, 0, 40, 120), false);
        assert_eq!(waits.waits[0], BTreeMap::from([((0, 3), 80 + 70), ((0, 0), 10)]));
    }
}
