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

/// The most turns of jobs at an output that are remembered; what is older counts as the oldest of them.
const MOST_TURNS: usize = 512;

/// Turns of jobs at an output: each with the instant at which it begins, in picoseconds, and the number of a job.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct TurnsOfJobs(VecDeque<(u64, u32)>);

impl TurnsOfJobs {
    /// A turn of a job begins, and goes on until that of another one does.
    fn begin(&mut self, at: u64, job: u32) {
        if self.0.back().is_some_and(|(_, last)| *last == job) {
            return;
        }
        if self.0.len() == MOST_TURNS {
            self.0.pop_front();
        }
        self.0.push_back((at, job));
    }

    /// Who had the output between two instants, in order: ends of turns and jobs. What was before the first turn is that of `own`.
    fn between(&self, from: u64, until: u64, own: u32) -> Vec<(u64, u32)> {
        let mut turns = Vec::new();
        let mut end = until;
        for &(at, job) in self.0.iter().rev() {
            if end <= from {
                break;
            }
            if at < end {
                turns.push((end, job));
                end = at;
            }
        }
        if end > from {
            turns.push((end, own));
        }
        turns.reverse();
        turns
    }
}

/// Times by job, in ascending order of jobs: there are few.
type Times = Vec<(u32, u64)>;

fn add(times: &mut Times, job: u32, time: u64) {
    match times.binary_search_by_key(&job, |(job, _)| *job) {
        Ok(place) => times[place].1 += time,
        Err(place) => times.insert(place, (job, time)),
    }
}

/// For whom the packets at the head of a virtual channel have waited.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct HeadWaits {
    /// When the last one was granted, in picoseconds.
    last: u64,
    /// Waiting of all of them.
    all: Times,
    /// Those that have waited, as far as packets behind them were there meanwhile.
    heads: VecDeque<HeadWait>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct HeadWait {
    granted: u64,
    /// Ends of turns and jobs that it waited for, in order.
    turns: Vec<(u64, u32)>,
    /// Waiting of all up to its grant.
    after: Times,
}

impl HeadWaits {
    /// For whom a packet has waited that is the next to be granted here, while it was behind others: from an instant on.
    fn behind_others(&mut self, eligible: u64) -> Times {
        // Whoever comes later was not there either.
        while self.heads.front().is_some_and(|head| head.granted <= eligible) {
            self.heads.pop_front();
        }
        let Some(first) = self.heads.front() else { return Times::new() };
        let mut waited = self.all.clone();
        let before = |job: u32| first.after.iter().find(|(of, _)| *of == job).map_or(0, |(_, time)| *time);
        waited.iter_mut().for_each(|(job, time)| *time -= before(*job));
        let mut begin = eligible;
        for &(end, job) in &first.turns {
            if end > begin {
                add(&mut waited, job, end - begin);
                begin = end;
            }
        }
        waited.retain(|(_, time)| *time > 0);
        waited
    }

    /// A packet is granted that has waited at the head of the channel for these turns, from an instant on.
    fn granted(&mut self, now: u64, from: u64, turns: Vec<(u64, u32)>) {
        self.last = now;
        let mut begin = from;
        for &(end, job) in &turns {
            add(&mut self.all, job, end - begin);
            begin = end;
        }
        if !turns.is_empty() {
            self.heads.push_back(HeadWait { granted: now, turns, after: self.all.clone() });
        }
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
    pub(super) lanes: Vec<HeadWaits>,
    /// By output: whose packets it was granted.
    pub(super) outputs: Vec<TurnsOfJobs>,
    /// By output: picoseconds, by the job that waits and the one that it waits for.
    pub(super) waits: Vec<BTreeMap<(u32, u32), u64>>,
}

impl RouterWaits {
    pub(super) fn new(lanes: usize, outputs: usize) -> Box<Self> {
        Box::new(Self {
            lanes: vec![HeadWaits::default(); lanes],
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
        let mut waited = lane.behind_others(eligible);
        let first = eligible.max(lane.last);
        let turns = port.between(first, now, job);
        let mut begin = first;
        for &(end, behind) in &turns {
            add(&mut waited, behind, end - begin);
            begin = end;
        }
        lane.granted(now, first, turns);
        port.begin(now, job);
        if counts {
            let waits = &mut self.waits[output];
            waited.into_iter().for_each(|(behind, time)| *waits.entry((job, behind)).or_default() += time);
        }
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
