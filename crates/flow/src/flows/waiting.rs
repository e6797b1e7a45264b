//! Notes of flows for whoever asks for whom those of jobs wait.

use super::Flows;
use crate::crossings::Link;
use crate::crowds::CrowdChange;
use crate::max_min::RateChange;
use crate::waits::LinkWaits;
use std::sync::Arc;
use weir_network::JobRanks;
use weir_units::{Rank, Time};

impl Flows {
    /// Counts for whom the flows of these jobs wait, if there are some.
    pub(crate) fn waiting(self, jobs: Option<Arc<JobRanks>>) -> Self {
        Self { waits: jobs.map(|jobs| Box::new(LinkWaits::new(jobs))), ..self }
    }

    /// The next flow of a slot is of a rank.
    #[inline]
    pub(crate) fn begin_waiting(&mut self, slot: usize, rank: Rank, now: Time) {
        if let Some(waits) = &mut self.waits {
            waits.begin(slot, rank, now);
        }
    }

    /// The link of a slot's route of which all flows there have least if they have equal parts.
    fn most_shared(&self, slot: usize) -> Option<usize> {
        let part = |(number, link, weight): (usize, &Link, f64)| {
            (number, link.capacity / link.count() as f64 / weight)
        };
        let parts = self.links(slot).map(part);
        parts.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(number, _)| number)
    }

    /// Rates have changed.
    #[inline]
    pub(super) fn note_rates(&mut self, changed: &[RateChange], now: Time) {
        let Some(mut waits) = self.waits.take() else { return };
        for change in changed {
            match *change {
                RateChange::Rate(slot, _) => waits.set_rate(slot, self.rate(slot), now),
                RateChange::Crowd(CrowdChange::Join(slot, _) | CrowdChange::Leave(slot)) => {
                    waits.set_rate(slot as usize, self.rate(slot as usize), now);
                }
                RateChange::Crowd(CrowdChange::Rate(link, _)) => {
                    for slot in waits.slots_on(link) {
                        waits.set_rate(slot as usize, self.rate(slot as usize), now);
                    }
                }
            }
        }
        // A rule that keeps no shares has equal ones.
        waits.look(now, |slot| self.held_up_at(slot).or_else(|| self.most_shared(slot)));
        self.waits = Some(waits);
    }
}
