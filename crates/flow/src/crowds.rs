//! Crowds: the many flows of one link that nothing else holds back, such as those of an incast.
//!
//! They all have the rate of the link, so they differ only in how much each still has to carry. A crowd counts what every
//! one of its flows has got so far, and a flow finishes when that count has risen by what it had left when it joined. So
//! a change of the rate costs one crowd, however many flows are in it, and a flow that comes or goes O(log flows).

use crate::finish::Progress;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use weir_units::Time;

/// Change of a crowd in max-min.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum CrowdChange {
    /// The flow of a slot joins the crowd of a link.
    Join(u32, u32),
    /// The flow of a slot leaves its crowd, and has a rate of its own from then on.
    Leave(u32),
    /// The flows in the crowd of a link have another rate, in bytes per second.
    Rate(u32, f64),
}

/// All crowds of a run, by link, and who is in which.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Crowds {
    crowds: BTreeMap<u32, Crowd>,
    /// Per slot: the link of its crowd, or [`NONE`].
    of_slot: Vec<u32>,
}

/// Amounts are those of [`Progress`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Crowd {
    /// Amount that each flow has got since the crowd was empty, up to `since`.
    each: f64,
    rate: f64,
    /// The simulated time, in picoseconds, up to which `each` counts.
    since: u64,
    /// By the amount at which a flow may count as finished, as bits, which order like the numbers since none is
    /// negative; then by slot. With the amount at which it finishes and that of its whole message.
    flows: BTreeMap<(u64, u32), (f64, f64)>,
    /// By slot: the first part of its key in `flows`.
    keys: BTreeMap<u32, u64>,
    /// Result of [`Crowd::ahead`], until something changes: then the crowd counts first.
    #[serde(skip)]
    found: OnceCell<Option<Ahead>>,
}

/// The next finish in a crowd.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// The picosecond before which no flow may count as finished.
    from: u64,
    /// When the first flow finishes, in picoseconds.
    at: u64,
}

const NONE: u32 = u32::MAX;

impl Crowd {
    /// Counts up to an instant.
    fn advance(&mut self, now: Time) {
        self.found.take();
        self.each += self.rate * (now.as_ps() - self.since) as f64;
        self.since = now.as_ps();
    }

    fn progress(&self, finishes: f64, whole: f64) -> Progress {
        Progress { whole, remaining: finishes - self.each, rate: self.rate, since: self.since }
    }

    /// Flows that may count as finished at `now`, with when they finish: those whose amount is reached within two more
    /// picoseconds are looked at.
    fn due(&self, now: u64) -> impl Iterator<Item = (u32, u64)> + '_ {
        let reached = self.each + self.rate * ((now - self.since) as f64 + 2.0);
        let up_to = self.flows.range(..=(reached.to_bits(), NONE));
        up_to.filter_map(move |(&(_, slot), &(finishes, whole))| {
            let (from, at) = self.progress(finishes, whole).finish();
            (from <= now).then_some((slot, at))
        })
    }

    /// The next finish; `None` if there are no flows.
    fn ahead(&self) -> Option<Ahead> {
        *self.found.get_or_init(|| {
            let (_, &(finishes, whole)) = self.flows.first_key_value()?;
            let (from, at) = self.progress(finishes, whole).finish();
            let at = self.due(at).map(|(_, at)| at).min().unwrap_or(at);
            // Others may come as much earlier as amounts are rounded to picoseconds.
            Some(Ahead { from: from.saturating_sub(3), at })
        })
    }

    fn add(&mut self, slot: u32, left: &Progress) {
        let &Progress { whole, remaining: left, .. } = left;
        let finishes = self.each + left.max(0.0);
        let key = (finishes - Progress::NOTHING * whole).max(0.0).to_bits();
        self.flows.insert((key, slot), (finishes, whole));
        self.keys.insert(slot, key);
    }

    fn take(&mut self, slot: u32) -> Option<Progress> {
        let key = self.keys.remove(&slot)?;
        let (finishes, whole) = self.flows.remove(&(key, slot))?;
        Some(self.progress(finishes, whole))
    }
}

impl Crowds {
    pub(crate) fn new(slots: usize) -> Self {
        Self { crowds: BTreeMap::new(), of_slot: vec![NONE; slots] }
    }

    pub(crate) fn add_slot(&mut self) {
        self.of_slot.push(NONE);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.crowds.is_empty()
    }

    pub(crate) fn has(&self, slot: usize) -> bool {
        self.of_slot[slot] != NONE
    }

    /// A flow joins the crowd of a link; its progress is up to date.
    pub(crate) fn join(&mut self, slot: u32, link: u32, progress: &Progress, now: Time) {
        self.of_slot[slot as usize] = link;
        let crowd = self.crowds.entry(link).or_default();
        if crowd.flows.is_empty() {
            (crowd.each, crowd.since) = (0.0, now.as_ps());
        }
        crowd.advance(now);
        crowd.add(slot, progress);
    }

    /// The next message of a flow whose last one [`Crowds::take`] has taken out begins on the same links.
    pub(crate) fn restart(&mut self, slot: usize, progress: &Progress, now: Time) {
        self.join(slot as u32, self.of_slot[slot], progress, now);
    }

    /// Takes a flow out of its crowd, for good only with [`Crowds::forget`]: how far it is.
    pub(crate) fn take(&mut self, slot: usize, now: Time) -> Option<Progress> {
        let crowd = self.crowds.get_mut(&self.of_slot[slot])?;
        crowd.advance(now);
        crowd.take(slot as u32)
    }

    /// Progress of the flow of a slot that is in a crowd at a later instant if nothing changes.
    pub(crate) fn peek(&self, slot: usize, at: Time) -> Option<Progress> {
        let crowd = self.crowds.get(&self.of_slot[slot])?;
        let key = crowd.keys.get(&(slot as u32))?;
        let &(finishes, whole) = crowd.flows.get(&(*key, slot as u32))?;
        let mut progress = crowd.progress(finishes, whole);
        progress.advance(at, crowd.rate);
        Some(progress)
    }

    /// The flow of a slot is no longer in a crowd.
    pub(crate) fn forget(&mut self, slot: usize) {
        let link = std::mem::replace(&mut self.of_slot[slot], NONE);
        if self.crowds.get(&link).is_some_and(|crowd| crowd.flows.is_empty()) {
            self.crowds.remove(&link);
        }
    }

    /// All flows in the crowd of a link have another rate from now on.
    pub(crate) fn set_rate(&mut self, link: u32, rate: f64, now: Time) {
        if let Some(crowd) = self.crowds.get_mut(&link) {
            crowd.advance(now);
            crowd.rate = rate;
        }
    }

    /// The rate of the flow of a slot that is in a crowd, in bytes per second.
    pub(crate) fn rate(&self, slot: usize) -> Option<f64> {
        self.crowds.get(&self.of_slot[slot]).map(|crowd| crowd.rate)
    }

    /// When the first flow in a crowd finishes.
    pub(crate) fn first(&self) -> Option<u64> {
        self.crowds.values().filter_map(|crowd| Some(crowd.ahead()?.at)).min()
    }

    /// Adds the slots whose flows count as finished, in no order.
    pub(crate) fn due(&self, now: u64, slots: &mut Vec<u32>) {
        for crowd in self.crowds.values() {
            if crowd.ahead().is_some_and(|ahead| ahead.from <= now) {
                slots.extend(crowd.due(now).map(|(slot, _)| slot));
            }
        }
    }
}
