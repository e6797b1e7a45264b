//! Counters that are closed at the end of every interval.
//!
//! What is known at one instant may happen later: a packet that is granted leaves the output buffer when the link is
//! free. What happens after the interval is kept apart until its own interval has begun.

use crate::prefetch::prefetch;

/// The interval whose counters are open, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) length: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Interval {
    /// The first one of this length.
    pub(crate) fn first(length: u64) -> Self {
        Self { length, start: 0, end: length }
    }

    /// The interval of an instant.
    pub(crate) fn of(self, at: u64) -> Self {
        let start = at - at % self.length;
        Self { start, end: start.saturating_add(self.length), ..self }
    }

    /// The one after it.
    pub(crate) fn next(self) -> Self {
        Self { start: self.end, end: self.end.saturating_add(self.length), ..self }
    }
}

/// What is counted in an interval.
pub(crate) trait Counter: Copy + Default + PartialEq {
    fn add(&mut self, other: Self);

    /// Something has lasted for so long.
    fn last(&mut self, time: u64);
}

/// What a link carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    pub(crate) busy: u64,
}

impl Counter for Load {
    #[inline(always)]
    fn add(&mut self, other: Self) {
        *self = self.zip(other, u64::wrapping_add);
    }

    #[inline(always)]
    fn last(&mut self, time: u64) {
        self.busy = self.busy.wrapping_add(time);
    }
}

impl Load {
    /// All three numbers with those of another one. Differences may be below zero for a while.
    #[inline(always)]
    pub(crate) fn zip(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            packets: with(self.packets, other.packets),
            bytes: with(self.bytes, other.bytes),
            busy: with(self.busy, other.busy),
        }
    }
}

impl Meters<Load> {
    /// Something that has been counted elsewhere lasts until `to`, after the interval: what is after the interval is taken
    /// off here, and added when its interval has begun.
    #[inline(never)]
    pub(crate) fn put_off(&mut self, place: usize, what: Load, from: u64, to: u64) {
        let end = self.interval.end;
        let what = if from < end { Load::default() } else { what };
        let later = Later { place, what, from: from.max(end), to };
        let mut beyond = what;
        beyond.last(to - later.from);
        self.now[place] = self.now[place].zip(beyond, u64::wrapping_sub);
        self.later.push(later);
    }
}

/// What a link has carried so far, and what of that belongs to intervals that are over: so a sample is a difference, and
/// nothing is counted twice.
#[derive(Debug)]
pub(crate) struct Loads {
    meters: Meters<Load>,
    before: Vec<Load>,
    end: u64,
}

impl Loads {
    pub(crate) fn new(places: usize, interval: Interval) -> Self {
        let meters = Meters::new(places, interval);
        Self { meters, before: vec![Load::default(); places], end: interval.end }
    }

    /// A packet that is counted now is on the link in this time, which is not empty.
    #[inline(always)]
    pub(crate) fn note(&mut self, place: usize, bytes: u32, from: u64, to: u64) {
        if to > self.end {
            self.meters.put_off(place, Load { packets: 1, bytes: bytes.into(), busy: 0 }, from, to);
        }
    }

    /// What belongs to the interval, of a link that has carried so much.
    #[inline(always)]
    pub(crate) fn take(&mut self, place: usize, so_far: Load) -> Load {
        let before = std::mem::replace(&mut self.before[place], so_far);
        let mut load = so_far.zip(before, u64::wrapping_sub);
        // Routers count packets with 32 bits.
        load.packets &= u64::from(u32::MAX);
        load.add(self.meters.take(place));
        load
    }

    pub(crate) fn begin(&mut self, interval: Interval) {
        self.meters.begin(interval);
        self.end = interval.end;
    }

    pub(crate) fn first_later(&self) -> Option<u64> {
        self.meters.first_later()
    }
}

/// Time alone.
impl Counter for u64 {
    #[inline(always)]
    fn add(&mut self, other: Self) {
        *self += other;
    }

    #[inline(always)]
    fn last(&mut self, time: u64) {
        *self += time;
    }
}

/// A counter for each of some places.
#[derive(Debug)]
pub(crate) struct Meters<C> {
    interval: Interval,
    now: Vec<C>,
    later: Vec<Later<C>>,
}

#[derive(Clone, Copy, Debug)]
struct Later<C> {
    place: usize,
    what: C,
    from: u64,
    to: u64,
}

impl<C: Counter> Meters<C> {
    pub(crate) fn new(places: usize, interval: Interval) -> Self {
        Self { interval, now: vec![C::default(); places], later: Vec::new() }
    }

    /// Something happens at `from`, which is not before the interval, and lasts until `to`.
    #[inline(always)]
    pub(crate) fn add(&mut self, place: usize, what: C, from: u64, to: u64) {
        if to <= self.interval.end && from < self.interval.end {
            let own = &mut self.now[place];
            own.add(what);
            own.last(to - from);
        } else {
            self.add_beyond(Later { place, what, from, to });
        }
    }

    /// Something has happened within the interval.
    pub(crate) fn add_here(&mut self, place: usize, what: C) {
        self.now[place].add(what);
    }

    #[inline(never)]
    fn add_beyond(&mut self, mut later: Later<C>) {
        let end = self.interval.end;
        if later.from < end {
            let own = &mut self.now[later.place];
            own.add(std::mem::take(&mut later.what));
            own.last(end - later.from);
            later.from = end;
        }
        self.later.push(later);
    }

    /// Asks for the counters of some places before they are needed.
    #[inline(always)]
    pub(crate) fn ask_for(&self, first: usize, after: usize) {
        let mut place = first;
        while place < after {
            prefetch(&self.now, place);
            place += 64 / size_of::<C>();
        }
    }

    /// Takes out the counter of a place.
    #[inline(always)]
    pub(crate) fn take(&mut self, place: usize) -> C {
        std::mem::take(&mut self.now[place])
    }

    /// Begins another interval, when all counters have been taken out.
    pub(crate) fn begin(&mut self, interval: Interval) {
        self.interval = interval;
        for Later { place, what, from, to } in std::mem::take(&mut self.later) {
            self.add(place, what, from, to);
        }
    }

    /// The first instant after the interval at which something is known to happen.
    pub(crate) fn first_later(&self) -> Option<u64> {
        self.later.iter().map(|later| later.from).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Whatever is added, each interval has what began in it and the time that lasted in it.
        #[test]
        fn time_is_divided_among_intervals(
            all in prop::collection::vec((0usize..3, 0u64..200, 0u64..70), 0..30), length in 1u64..40,
        ) {
            let mut sorted = all.clone();
            sorted.sort_by_key(|&(_, from, _)| from);
            let mut interval = Interval::first(length);
            let mut meters = Meters::<Load>::new(3, interval);
            let mut expected: BTreeMap<(u64, usize), Load> = BTreeMap::new();
            let mut found = expected.clone();
            for &(place, from, time) in &sorted {
                let whole = Load { packets: 1, bytes: from, busy: 0 };
                expected.entry((from / length * length, place)).or_default().add(whole);
                for at in from..from + time {
                    expected.entry((at / length * length, place)).or_default().last(1);
                }
            }
            let mut next = sorted.into_iter().peekable();
            for _ in 0..300 {
                // Known one interval before it happens, if it is not the first.
                while let Some((place, from, time)) = next.next_if(|&(_, from, _)| from < interval.end + length) {
                    meters.add(place, Load { packets: 1, bytes: from, busy: 0 }, from, from + time);
                }
                for place in 0..3 {
                    let load = meters.take(place);
                    if load != Load::default() {
                        found.insert((interval.start, place), load);
                    }
                }
                prop_assert!(meters.first_later().is_none_or(|at| at >= interval.end));
                interval = interval.next();
                meters.begin(interval);
            }
            prop_assert_eq!(found, expected);
        }
    }
}
