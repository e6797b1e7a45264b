//! The active flows and how far each is: Steps 6 to 8 of paper 000, section 3.3, for those flows only whose rate
//! changes.
//!
//! The rest of a message is brought up to date when the rate of its flow changes, not at every instant; its finish
//! time stands as long as its rate does.

mod taking;
mod waiting;

use crate::comparison::Comparison;
use crate::crossings::Link;
use crate::crowds::{CrowdChange, Crowds};
use crate::detours::Detours;
use crate::finish::{Finishes, Progress};
use crate::max_min::RateChange;
use crate::rule::Rule;
use crate::series::LinkSeries;
use crate::waits::LinkWaits;
use crate::{Compare, Cycle, FlowEnded, KeepCycles};
use serde::{Deserialize, Serialize};
use std::ops::Range;
pub(crate) use taking::Ways;
use weir_network::{Ended, Recorder};
use weir_topology::Shares;
use weir_units::{Bytes, Duration, NodeId, Time};

/// All active flows, at most one per slot, and what links have carried.
///
/// # What one instant changes
/// The flows that end and start at one instant are one change: [`Flows::share`] takes all that ended off their links
/// and then puts all that started on theirs. A flow that starts in the slot of one that has just ended, to the same
/// destination, takes over its links: the set of flows is as before, and no rate changes. So a stream of
/// messages between two nodes costs the sharing rule as much as one long message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Flows {
    rule: Rule,
    comparison: Option<Comparison>,
    progress: Vec<Progress>,
    rides: Vec<Ride>,
    /// Number of links that are reported: those of the machine. Links of interfaces follow.
    reported: usize,
    finishes: Finishes,
    crowds: Crowds,
    #[serde(skip)]
    due: Vec<u32>,
    active: usize,
    /// Slots whose flow has ended since rates were shared, and slots where one has started on other links.
    ended: Vec<u32>,
    started: Vec<u32>,
    /// Where the rule of the machine weighs queues.
    detours: Option<Box<Detours>>,
    /// Slots whose flow has no way now.
    blocked: Vec<u32>,
    #[serde(skip)]
    route: Shares,
    /// Number of times that rates have been shared among at least one flow.
    cycles: u64,
    keep: KeepCycles,
    kept: Vec<Cycle>,
    /// If samples of intervals are requested; they are in no checkpoint.
    #[serde(skip)]
    series: Option<Box<LinkSeries>>,
    /// If it is asked for whom the flows of jobs wait.
    waits: Option<Box<LinkWaits>>,
    /// The most iterations the rule needed at a time.
    iterations_max: u64,
    iterations: u64,
}

/// The links that a slot's flows use, one flow after the other.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Ride {
    /// Bytes carried on these links by flows that have ended; less what the active one has sent on others before.
    carried: f64,
    /// Where the links lead; [`NOWHERE`] if the slot has none.
    along: u32,
    /// Where the active flow goes; [`NOWHERE`] if there is none. Differs from `along` until links are shared.
    to: u32,
}

const NOWHERE: u32 = u32::MAX;

impl Flows {
    /// No flows yet on the links of the rule, of which the first ones are reported.
    pub(crate) fn new(rule: Rule, reported: usize, compare: Compare, keep: KeepCycles) -> Self {
        let comparison = (compare == Compare::WithMaxMin).then(|| Comparison::new(rule.crossings()));
        let slots = rule.crossings().slots();
        Self {
            rule,
            comparison,
            progress: vec![Progress::default(); slots],
            rides: vec![Ride { carried: 0.0, along: NOWHERE, to: NOWHERE }; slots],
            reported,
            finishes: Finishes::new(slots),
            crowds: Crowds::new(slots),
            due: Vec::new(),
            active: 0,
            ended: Vec::new(),
            started: Vec::new(),
            detours: None,
            blocked: Vec::new(),
            route: Shares::default(),
            cycles: 0,
            keep,
            kept: Vec::new(),
            series: None,
            waits: None,
            iterations_max: 0,
            iterations: 0,
        }
    }

    /// On a machine whose rule weighs queues, with these links between routers.
    pub(crate) fn detouring(self, between: Range<usize>) -> Self {
        let detours = Detours::new(self.rule.crossings(), between);
        Self { detours: Some(Box::new(detours)), ..self }
    }

    /// Returns whether the rule of the machine weighs queues.
    pub(crate) fn weighs(&self) -> bool {
        self.detours.is_some()
    }

    /// With samples of intervals of this length, for [`Flows::close_intervals`].
    pub(crate) fn sampled(self, interval: Duration) -> Self {
        let crossings = self.rule.crossings();
        let series = LinkSeries::new(interval, self.reported, crossings.slots());
        Self { series: Some(Box::new(series)), ..self }
    }

    /// Reports the intervals that end at an instant or before; nothing has happened since the last change.
    pub(crate) fn close_intervals(&mut self, until: Time, recorder: &mut dyn Recorder) {
        let Some(mut series) = self.series.take() else { return };
        while series.end() <= until && until != Time::MAX {
            for (slot, ride) in self.rides.iter().enumerate().filter(|(_, ride)| ride.along != NOWHERE) {
                let mut carried = ride.carried;
                if ride.to == ride.along {
                    let flow = self.crowds.peek(slot, series.end());
                    carried += flow.unwrap_or(self.progress[slot]).bytes_sent_at(series.end());
                }
                series.give(slot, carried, self.rule.crossings().weighted_route(slot));
            }
            let (start, samples) = series.close();
            recorder.links(start, &samples);
            if self.active == 0 {
                series.skip_to(until);
            }
        }
        self.series = Some(series);
    }

    /// Takes the place of flows that are there before a run begins; `None` if these are of another machine, or of a run that is asked
    /// for something else.
    pub(crate) fn replace(&mut self, fresh: &mut Self) -> Option<()> {
        let shape = |flows: &Self| {
            let crossings = flows.rule.crossings();
            let asked = (flows.comparison.is_some(), flows.keep, flows.waits.is_some());
            (std::mem::discriminant(&flows.rule), crossings.shared(), asked, flows.detours.is_some())
        };
        let is_alike = shape(self) == shape(fresh) && self.slots() >= fresh.slots();
        (fresh.slots()..self.slots()).for_each(|_| fresh.add_slot());
        self.series = fresh.series.take();
        self.waits.iter_mut().zip(&mut fresh.waits).for_each(|(own, fresh)| own.replace(fresh));
        is_alike.then_some(())
    }

    pub(crate) fn slots(&self) -> usize {
        self.progress.len()
    }

    pub(crate) fn add_slot(&mut self) {
        self.progress.push(Progress::default());
        self.rides.push(Ride { carried: 0.0, along: NOWHERE, to: NOWHERE });
        self.rule.add_slot();
        self.finishes.add_slot();
        self.crowds.add_slot();
        if let Some(comparison) = &mut self.comparison {
            comparison.add_slot();
        }
        if let Some(detours) = &mut self.detours {
            detours.add_slot();
        }
        if let Some(series) = &mut self.series {
            series.add_slot();
        }
    }

    /// Gives a slot a level, see [`Rule::set_levels`].
    pub(crate) fn set_level(&mut self, slot: usize, level: u8) {
        if let Rule::MaxMin(rule) = &mut self.rule {
            rule.set_level(slot, level);
        }
    }

    /// Bytes per second of the fastest link.
    pub(crate) fn largest_capacity(&self) -> f64 {
        let crossings = self.rule.crossings();
        crossings.links[..crossings.shared()].iter().map(|link| link.capacity).fold(0.0, f64::max)
    }

    /// Number of flows.
    pub(crate) fn active(&self) -> usize {
        self.active
    }

    /// Returns whether a flow waits for a way.
    pub(crate) fn has_blocked(&self) -> bool {
        !self.blocked.is_empty()
    }

    /// A flow of so many bytes starts from a slot to a node; it has a rate after the next [`Flows::share`].
    pub(crate) fn start(&mut self, slot: usize, bytes: f64, to: NodeId, now: Time) {
        let ride = &mut self.rides[slot];
        debug_assert!(ride.to == NOWHERE && to.0 != NOWHERE, "a slot has one flow at a time");
        ride.to = to.0;
        let takes_over = ride.along == ride.to;
        let rate = if takes_over { self.progress[slot].rate } else { 0.0 };
        self.progress[slot] = Progress::new(bytes, rate, now);
        if takes_over && self.crowds.has(slot) {
            self.crowds.restart(slot, &self.progress[slot], now);
        } else if takes_over {
            let (from, at) = self.progress[slot].finish();
            self.finishes.set(slot, from, at);
        } else {
            self.started.push(slot as u32);
        }
        self.active += 1;
    }

    /// The links of a flow, with the part of its bytes that passes each.
    pub(crate) fn links(&self, slot: usize) -> impl Iterator<Item = (usize, &Link, f64)> {
        let crossings = self.rule.crossings();
        let scale = crossings.scale(slot);
        crossings
            .weighted_route(slot)
            .filter(|&(number, _)| number < crossings.shared())
            .map(move |(number, weight)| (number, &crossings.links[number], weight / scale))
    }

    /// A flow has finished: its links have carried its message.
    pub(crate) fn finish(&mut self, slot: usize, now: Time) {
        if self.crowds.has(slot) {
            self.crowds.take(slot, now);
        }
        let ride = &mut self.rides[slot];
        ride.carried += self.progress[slot].whole_bytes();
        ride.to = NOWHERE;
        self.ended.push(slot as u32);
        self.active -= 1;
    }

    /// Shares the links anew if flows have come or gone. `ways` finds the links from a slot to a node, all
    /// different, or none if there is no way: then the flow waits for [`Flows::leave_all`]. If it breaks off, the run is about
    /// to end, and nothing is shared.
    pub(crate) fn share(&mut self, now: Time, ways: &mut impl Ways) {
        if self.ended.is_empty() && self.started.is_empty() {
            return;
        }
        if !self.ended.is_empty() {
            self.leave_links(now);
        }
        if !self.started.is_empty() && self.take_links(now, ways).is_break() {
            return;
        }
        self.detour(now, ways);
        let Self { rule, progress, finishes, crowds, waits, .. } = self;
        let mut changed = Vec::new();
        let iterations = rule.settle(|change| {
            if waits.is_some() {
                changed.push(change);
            }
            match change {
                RateChange::Rate(slot, rate) => {
                    let flow = &mut progress[slot];
                    flow.advance(now, rate);
                    // Those of a higher priority may leave nothing.
                    if rate > 0.0 {
                        let (from, at) = flow.finish();
                        finishes.set(slot, from, at);
                    } else {
                        finishes.clear(slot);
                    }
                }
                RateChange::Crowd(CrowdChange::Join(slot, link)) => {
                    let flow = &mut progress[slot as usize];
                    flow.advance(now, 0.0);
                    finishes.clear(slot as usize);
                    crowds.join(slot, link, flow, now);
                }
                RateChange::Crowd(CrowdChange::Leave(slot)) => {
                    if let Some(flow) = crowds.take(slot as usize, now) {
                        progress[slot as usize] = flow;
                    }
                    crowds.forget(slot as usize);
                }
                RateChange::Crowd(CrowdChange::Rate(link, rate)) => crowds.set_rate(link, rate, now),
            }
        });
        self.note_rates(&changed, now);
        if let Some(comparison) = &mut self.comparison {
            comparison.compare(now, |slot| self.progress[slot].rate);
        }
        if self.keep == KeepCycles::Yes {
            self.keep_cycle(now);
        }
        if self.active > 0 {
            self.cycles += 1;
            self.iterations += iterations;
            self.iterations_max = self.iterations_max.max(iterations);
        }
    }

    /// The last cycle ends, and another one begins if there are flows.
    fn keep_cycle(&mut self, now: Time) {
        if let Some(last) = self.kept.last_mut().filter(|last| last.dt == Duration::ZERO) {
            last.dt = now.since(last.at);
        }
        if self.active > 0 {
            self.kept.push(Cycle { at: now, dt: Duration::ZERO, flows: self.active });
        }
    }

    /// Takes flows that have ended off their links, unless another one has taken them over.
    fn leave_links(&mut self, now: Time) {
        let mut ended = std::mem::take(&mut self.ended);
        for slot in ended.drain(..).map(|slot| slot as usize) {
            let ride = &mut self.rides[slot];
            if ride.to == ride.along {
                continue;
            }
            let carried = std::mem::take(&mut ride.carried);
            self.take_off(slot, carried, now);
        }
        self.ended = ended;
    }

    /// Takes a flow that has carried so many bytes off its links.
    #[inline]
    fn take_off(&mut self, slot: usize, carried: f64, now: Time) {
        self.rides[slot].along = NOWHERE;
        if let Some(series) = &mut self.series {
            series.give(slot, carried, self.rule.crossings().weighted_route(slot));
            series.leave(slot);
        }
        if let Some(waits) = &mut self.waits {
            waits.detach(slot, now);
        }
        self.rule.detach(slot, carried);
        if let Some(comparison) = &mut self.comparison {
            comparison.detach(slot);
        }
        if let Some(detours) = &mut self.detours {
            detours.detach(slot);
        }
        self.finishes.clear(slot);
        self.crowds.forget(slot);
    }

    /// Takes a flow that goes on off its links, with what it has sent.
    fn leave_with_rest(&mut self, slot: usize, now: Time) {
        let flow = &mut self.progress[slot];
        if let Some(in_crowd) = self.crowds.take(slot, now) {
            *flow = in_crowd;
        }
        flow.advance(now, 0.0);
        let sent = flow.bytes_sent();
        let carried = std::mem::replace(&mut self.rides[slot].carried, -sent) + sent;
        self.take_off(slot, carried, now);
    }

    /// The machine becomes another one, in which links have these capacities: all flows leave their links with what they have
    /// sent, and take those of their new routes when links are shared next.
    #[cold]
    pub(crate) fn leave_all(&mut self, now: Time, capacity: impl Fn(usize) -> f64) {
        self.leave_links(now);
        let new = std::mem::take(&mut self.started);
        for slot in 0..self.rides.len() {
            if self.rides[slot].along == NOWHERE {
                continue;
            }
            self.leave_with_rest(slot, now);
            self.started.push(slot as u32);
        }
        self.blocked.sort_unstable();
        self.started.append(&mut self.blocked);
        self.started.extend(new);
        self.rule.set_capacities(&capacity);
        if let Some(comparison) = &mut self.comparison {
            comparison.set_capacities(&capacity);
        }
        if let Some(detours) = &mut self.detours {
            detours.set_capacities(&capacity);
        }
    }

    /// When the next flow finishes if nothing else happens.
    pub(crate) fn next_finish(&mut self) -> Option<Time> {
        let first = self.finishes.first();
        first.into_iter().chain(self.crowds.first()).min().map(Time::from_ps)
    }

    /// The flows that count as finished at an instant, in the order of slots.
    pub(crate) fn finished(&mut self, now: Time) -> &[u32] {
        let due = self.finishes.due(now.as_ps());
        if self.crowds.is_empty() {
            return due;
        }
        self.due.clear();
        self.due.extend_from_slice(due);
        self.crowds.due(now.as_ps(), &mut self.due);
        self.due.sort_unstable();
        &self.due
    }

    /// A flow of at least so many bytes on a link that is not that of a slot, among the first two: its slot, and the part of it there.
    pub(crate) fn long_on(&self, link: usize, but: usize, least: Bytes) -> Option<(usize, f64)> {
        let crossings = self.rule.crossings();
        let seats = &crossings.seats[crossings.links[link].seats()];
        let is_long =
            |slot: usize| self.progress[slot].whole_bytes() * crossings.scale(slot) >= least.as_f64();
        let mut slots =
            seats.iter().take(2).map(|seat| (seat.slot as usize, crossings.weight(seat.hop as usize)));
        slots.find(|&(slot, _)| slot != but && self.rides[slot].to != NOWHERE && is_long(slot))
    }

    /// The link that holds back the flow of a slot, if one does.
    pub(crate) fn held_up_at(&self, slot: usize) -> Option<usize> {
        let narrowest = self.links(slot).min_by(|(_, a, _), (_, b, _)| a.share.total_cmp(&b.share))?;
        (narrowest.1.share < f64::INFINITY).then_some(narrowest.0)
    }

    /// Rate of the flow of a slot, in bytes per second.
    pub(crate) fn rate(&self, slot: usize) -> f64 {
        self.crowds.rate(slot).unwrap_or(self.progress[slot].rate)
    }

    /// Result of a run that has ended like this at `until`.
    pub(crate) fn end(mut self, ended: Ended, until: Time, recorder: Option<&mut dyn Recorder>) -> FlowEnded {
        self.leave_unfinished(until);
        if let (Some(recorder), Some(series)) = (recorder, &mut self.series) {
            let (start, samples) = series.close();
            recorder.links(start, &samples);
        }
        self.active = 0;
        self.keep_cycle(until);
        let deviation = self.comparison.map(|comparison| comparison.end(until));
        let waits = self.waits.map(|waits| waits.end(self.reported)).unwrap_or_default();
        let (mut link_bytes, mut link_share) = self.rule.into_link_use();
        link_bytes.truncate(self.reported);
        link_share.truncate(self.reported);
        FlowEnded {
            ended,
            until,
            cycles: self.cycles,
            solver_iterations: self.iterations,
            solver_iterations_max: self.iterations_max,
            max_link_share: link_share.iter().copied().max().unwrap_or(0),
            link_bytes,
            link_share,
            deviation,
            kept: self.kept,
            jitter: 0.0,
            behind: None,
            waits,
        }
    }

    /// Takes the flows that are still there off their links, with what they have carried until an instant.
    fn leave_unfinished(&mut self, until: Time) {
        for (slot, ride) in self.rides.iter().enumerate().filter(|(_, ride)| ride.along != NOWHERE) {
            let mut bytes = ride.carried;
            if ride.to == ride.along {
                let flow = &mut self.progress[slot];
                match self.crowds.take(slot, until) {
                    Some(in_crowd) => *flow = in_crowd,
                    None => flow.advance(until, flow.rate),
                }
                bytes += flow.bytes_sent();
            }
            if let Some(series) = &mut self.series {
                series.give(slot, bytes, self.rule.crossings().weighted_route(slot));
            }
            if let Some(waits) = &mut self.waits {
                waits.detach(slot, until);
            }
            self.rule.detach(slot, bytes);
        }
    }
}

#[cfg(test)]
mod tests;
