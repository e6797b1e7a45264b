//! For whom the flows of jobs wait, and at which links.
//!
//! # Model
//! A flow that has all links of its route to itself has the rate `a` of the narrowest of them. Beside others it has a rate `r`, because
//! one link holds it back: the one where the rule gives a flow least. So in a time `dt` it loses `(1 - r / a) dt`, and it loses that
//! at this link, to the other flows there, to each by its rate. What a flow loses from its start to its finish is its time less
//! what its bytes take alone: the contention of its [trail](weir_network::causes::Trail) under way. For what messages wait at their own
//! interface is no link to blame.
//!
//! A change costs as much as there are flows on the links that it concerns, those of crowds one by one.

use crate::crossings::Crossings;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use weir_network::{JobRanks, JobWaits};
use weir_units::{Duration, LinkId, Rank, Time};

/// The flows and the links they are on, with what has been lost.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LinkWaits {
    /// By slot, as far as there ever was a flow.
    riders: Vec<Rider>,
    links: BTreeMap<u32, SharedLink>,
    /// Links that a change has concerned since it was last known which link holds back whom.
    touched: BTreeSet<u32>,
    /// By the job that waits, the link, and the job that it waits for: picoseconds.
    found: BTreeMap<(u32, u32, u32), f64>,
    #[serde(skip)]
    jobs: Option<Arc<JobRanks>>,
}

/// The flow of a slot.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Rider {
    job: u32,
    /// In bytes per second.
    rate: f64,
    /// The same with all links to itself.
    alone: f64,
    /// The link that holds it back, if one does.
    held_at: Option<u32>,
    /// Its links, with the part of its rate that it has there.
    route: Vec<(u32, f64)>,
}

/// A link with flows.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SharedLink {
    slots: Vec<u32>,
    /// The instant up to which losses are counted.
    counted: Time,
}

impl LinkWaits {
    pub(crate) fn new(jobs: Arc<JobRanks>) -> Self {
        Self { jobs: Some(jobs), ..Self::default() }
    }

    /// Takes from the one that a run has been begun with what is in no checkpoint.
    pub(crate) fn replace(&mut self, fresh: &mut Self) {
        self.jobs = fresh.jobs.take();
    }

    fn rider(&mut self, slot: usize) -> &mut Rider {
        if slot >= self.riders.len() {
            self.riders.resize_with(slot + 1, Rider::default);
        }
        &mut self.riders[slot]
    }

    /// The flow of a slot is of a rank from now on; it may go on over the links of the one before it.
    pub(crate) fn begin(&mut self, slot: usize, rank: Rank, now: Time) {
        let Some(job) = self.jobs.as_ref().map(|jobs| jobs.job(rank)) else { return };
        if self.rider(slot).job != job {
            self.count_route(slot, now);
            self.riders[slot].job = job;
        }
    }

    /// A flow is put onto its links, with no rate yet.
    pub(crate) fn attach(&mut self, slot: usize, crossings: &Crossings, now: Time) {
        let route = crossings.weighted_route(slot).filter(|&(link, _)| link < crossings.shared());
        let route: Vec<(u32, f64)> = route.map(|(link, weight)| (link as u32, weight)).collect();
        let bound = |&(link, weight): &(u32, f64)| crossings.links[link as usize].capacity / weight;
        let alone = route.iter().map(bound).fold(f64::INFINITY, f64::min);
        let job = self.rider(slot).job;
        self.riders[slot] = Rider { job, rate: 0.0, alone, held_at: None, route };
        self.count_route(slot, now);
        for (link, _) in &self.riders[slot].route {
            let shared = self.links.entry(*link).or_insert(SharedLink { slots: Vec::new(), counted: now });
            shared.slots.push(slot as u32);
        }
    }

    /// A flow is taken off its links.
    pub(crate) fn detach(&mut self, slot: usize, now: Time) {
        self.count_route(slot, now);
        let route = std::mem::take(&mut self.riders[slot].route);
        for (link, _) in route {
            let Some(shared) = self.links.get_mut(&link) else { continue };
            shared.slots.retain(|other| *other != slot as u32);
            if shared.slots.is_empty() {
                self.links.remove(&link);
            }
        }
    }

    /// A flow has another rate from now on, in bytes per second.
    pub(crate) fn set_rate(&mut self, slot: usize, rate: f64, now: Time) {
        if self.rider(slot).rate != rate {
            self.count_route(slot, now);
            self.riders[slot].rate = rate;
        }
    }

    /// The flows on a link.
    pub(crate) fn slots_on(&self, link: u32) -> Vec<u32> {
        self.links.get(&link).map(|link| link.slots.clone()).unwrap_or_default()
    }

    /// All rates are known: `held_at` says which link holds back the flow of a slot.
    pub(crate) fn look(&mut self, now: Time, held_at: impl Fn(usize) -> Option<usize>) {
        for link in std::mem::take(&mut self.touched) {
            for slot in self.slots_on(link) {
                let (slot, after) = (slot as usize, held_at(slot as usize).map(|link| link as u32));
                let before = self.riders[slot].held_at;
                if before != after {
                    // Another link may hold a flow back at the same rate as before: up to now it was the old one.
                    before.into_iter().chain(after).for_each(|link| self.count(link, now));
                    self.riders[slot].held_at = after;
                }
            }
        }
    }

    /// Counts what has been lost on the links of a slot up to now.
    fn count_route(&mut self, slot: usize, now: Time) {
        for place in 0..self.riders[slot].route.len() {
            let (link, _) = self.riders[slot].route[place];
            self.touched.insert(link);
            self.count(link, now);
        }
    }

    /// Counts what has been lost on a link up to now.
    fn count(&mut self, link: u32, now: Time) {
        let Some(shared) = self.links.get_mut(&link) else { return };
        let time = now.since(shared.counted).as_ps() as f64;
        shared.counted = now;
        if time == 0.0 {
            return;
        }
        let mut loads: BTreeMap<u32, f64> = BTreeMap::new();
        let load = |rider: &Rider| {
            let on = rider.route.iter().find(|(other, _)| *other == link);
            on.map_or(0.0, |(_, weight)| rider.rate * weight)
        };
        for &slot in &shared.slots {
            let rider = &self.riders[slot as usize];
            *loads.entry(rider.job).or_default() += load(rider);
        }
        let all: f64 = loads.values().sum();
        for &slot in &shared.slots {
            let rider = &self.riders[slot as usize];
            if rider.held_at != Some(link) || rider.rate >= rider.alone {
                continue;
            }
            let lost = time * (1.0 - rider.rate / rider.alone);
            let own = load(rider);
            let others = all - own;
            for (&job, &of_job) in &loads {
                let of_others = if job == rider.job { (of_job - own).max(0.0) } else { of_job };
                // A rule may lose what no other flow has.
                let part = match others > 0.0 {
                    true => of_others / others,
                    false => f64::from(u8::from(job == rider.job)),
                };
                if part > 0.0 {
                    *self.found.entry((rider.job, link, job)).or_default() += lost * part;
                }
            }
        }
    }

    /// Returns what all flows have lost on the first links, those of the machine.
    pub(crate) fn end(self, links: usize) -> JobWaits {
        let mut waits = JobWaits::default();
        for ((job, link, behind), ps) in self.found {
            if (link as usize) < links {
                waits.add((job, LinkId(link)), behind, Duration::from_ps(ps.round() as u64));
            }
        }
        waits
    }
}
