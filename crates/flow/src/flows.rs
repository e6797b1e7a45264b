//! The active flows and how far each is: Steps 6 to 8 of paper 000, section 3.3, for those flows only whose rate
//! changes.
//!
//! What is left of a message is brought up to date when the rate of its flow changes, not at every instant; its finish
//! time stands as long as its rate does.

use crate::finish::Finishes;
use crate::rule::Rule;
use weir_units::{Bytes, LinkId, Time};

/// A finish time is rounded up to the next picosecond, but for an excess below this part of the whole message's time
/// (and below half a picosecond): that much is rounding of the rates.
const ROUNDING: f64 = 1e-12;

/// A flow may count as finished when at most this part of its message is left (and when a picosecond is left).
const NOTHING: f64 = 1e-9;

/// How far a flow is. An amount is bytes times 1e12, so that an amount over a rate is in picoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    whole: f64,
    left: f64,
    /// Bytes per second since `since`; zero before the first sharing.
    rate: f64,
    /// Picoseconds.
    since: u64,
}

/// All active flows, at most one per slot, and what links have carried.
#[derive(Clone, Debug)]
pub(crate) struct Flows {
    rule: Rule,
    progress: Vec<Progress>,
    finishes: Finishes,
    active: usize,
    /// Whether flows have come or gone since rates were shared.
    changed: Changed,
    /// How often rates have been shared among at least one flow.
    pub(crate) cycles: u64,
    /// The most iterations the rule needed at a time.
    pub(crate) iterations_max: u64,
    /// How many it needed altogether.
    pub(crate) iterations: u64,
    /// Per link: bytes carried by flows that have ended.
    pub(crate) link_bytes: Vec<f64>,
    /// Per link: the most flows at one time.
    pub(crate) link_share: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changed {
    No,
    Yes,
}

const AMOUNT_PER_BYTE: f64 = 1e12;

impl Flows {
    /// No flows yet on the links of the rule.
    pub(crate) fn new(rule: Rule) -> Self {
        let (slots, links) = (rule.crossings().slots(), rule.crossings().links.len());
        Self {
            rule,
            progress: vec![Progress::default(); slots],
            finishes: Finishes::new(slots),
            active: 0,
            changed: Changed::No,
            cycles: 0,
            iterations_max: 0,
            iterations: 0,
            link_bytes: vec![0.0; links],
            link_share: vec![0; links],
        }
    }

    /// How many flows there are.
    pub(crate) fn active(&self) -> usize {
        self.active
    }

    /// A flow of `bytes` starts, on links that are all different; it has a rate after the next [`Flows::share`].
    pub(crate) fn start(&mut self, slot: usize, bytes: Bytes, route: &[LinkId], now: Time) {
        let whole = bytes.as_f64() * AMOUNT_PER_BYTE;
        self.progress[slot] = Progress { whole, left: whole, rate: 0.0, since: now.as_ps() };
        self.rule.attach(slot, route);
        self.active += 1;
        self.changed = Changed::Yes;
        for link in route {
            let most = &mut self.link_share[link.index()];
            *most = (*most).max(self.rule.crossings().links[link.index()].count() as u32);
        }
    }

    /// The links of a flow.
    pub(crate) fn route(&self, slot: usize) -> impl Iterator<Item = usize> + '_ {
        self.rule.crossings().route(slot)
    }

    /// Takes away a flow that has finished: its links have carried its message.
    pub(crate) fn end(&mut self, slot: usize) {
        let bytes = self.progress[slot].whole / AMOUNT_PER_BYTE;
        for link in self.rule.crossings().route(slot) {
            self.link_bytes[link] += bytes;
        }
        self.rule.detach(slot);
        self.finishes.clear(slot);
        self.active -= 1;
        self.changed = Changed::Yes;
    }

    /// Shares the links anew if flows have come or gone.
    pub(crate) fn share(&mut self, now: Time) {
        if self.changed == Changed::No {
            return;
        }
        self.changed = Changed::No;
        let Self { rule, progress, finishes, .. } = self;
        let iterations = rule.settle(|slot, rate| {
            let flow = &mut progress[slot];
            flow.advance(now, rate);
            let (from, at) = flow.finish();
            finishes.set(slot, from, at);
        });
        if self.active > 0 {
            self.cycles += 1;
            self.iterations += iterations;
            self.iterations_max = self.iterations_max.max(iterations);
        }
    }

    /// When the next flow finishes if nothing else happens.
    pub(crate) fn next_finish(&mut self) -> Option<Time> {
        self.finishes.first().map(Time::from_ps)
    }

    /// The flows that count as finished at an instant, in the order of slots.
    pub(crate) fn finished(&mut self, now: Time) -> &[u32] {
        self.finishes.due(now.as_ps())
    }

    /// Adds to `link_bytes` what the flows that are still there have carried until an instant.
    pub(crate) fn count_unfinished(&mut self, until: Time) {
        for slot in self.rule.crossings().active() {
            let flow = &mut self.progress[slot];
            flow.advance(until, flow.rate);
            let bytes = (flow.whole - flow.left.max(0.0)) / AMOUNT_PER_BYTE;
            for link in self.rule.crossings().route(slot) {
                self.link_bytes[link] += bytes;
            }
        }
    }
}

impl Progress {
    /// Takes off what has left since the rate last changed.
    fn advance(&mut self, now: Time, rate: f64) {
        self.left -= self.rate * (now.as_ps() - self.since) as f64;
        self.since = now.as_ps();
        self.rate = rate;
    }

    /// From when on the flow may count as finished, and when it finishes at this rate.
    fn finish(&self) -> (u64, u64) {
        let whole_time = self.whole / self.rate;
        let left_time = self.left / self.rate - (ROUNDING * whole_time).min(0.5);
        let window = (NOTHING * whole_time).max(1.0);
        let at = self.since.saturating_add(ceil(left_time).max(1));
        let from = self.since.saturating_add(ceil(left_time - window));
        (from.min(at - 1), at)
    }
}

/// The next integer; 0 for negative numbers, 2^64 - 1 for those beyond.
fn ceil(x: f64) -> u64 {
    let floor = x as u64;
    floor.saturating_add(u64::from((floor as f64) < x))
}

#[cfg(test)]
mod tests;
