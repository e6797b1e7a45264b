//! Counters that are closed at the end of every interval.
//!
//! An event that is known at one instant may happen later: a packet that is granted leaves the output buffer when the link is
//! free. It is counted at once; what of it happens after the interval is noted beside, and is taken off when the counters
//! are closed. So nothing has to be added again when the next interval begins.

use crate::prefetch::{needed, prefetch_all};

/// The interval whose counters are open, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) length: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Interval {
    pub(crate) fn first(length: u64) -> Self {
        Self { length, start: 0, end: length }
    }

    pub(crate) fn of(self, at: u64) -> Self {
        let start = at - at % self.length;
        Self { start, end: start.saturating_add(self.length), ..self }
    }

    pub(crate) fn next(self) -> Self {
        Self { start: self.end, end: self.end.saturating_add(self.length), ..self }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    pub(crate) busy: u64,
}

impl Load {
    /// Counters may begin again from zero.
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        Self {
            packets: self.packets.wrapping_sub(other.packets),
            bytes: self.bytes.wrapping_sub(other.bytes),
            busy: self.busy.wrapping_sub(other.busy),
        }
    }
}

/// Load of a link so far, and the part of it that belongs to intervals that are over: so a sample is a difference, and
/// nothing is counted twice.
#[derive(Debug)]
pub(crate) struct Loads {
    before: Vec<Load>,
    pub(crate) carry_over: CarryOver,
}

impl Loads {
    pub(crate) fn new(places: usize, interval: Interval) -> Self {
        Self { before: vec![Load::default(); places], carry_over: CarryOver::new(places, interval) }
    }

    /// A packet that is counted now is on the link in this time, which is not empty.
    #[inline(always)]
    pub(crate) fn note(&mut self, place: usize, bytes: u32, from: u64, to: u64) {
        if to > self.carry_over.interval.end {
            self.carry_over.put_off(place, bytes, from, to);
        }
    }

    /// The load of the interval, of a link with this load so far.
    #[inline(always)]
    pub(crate) fn take(&mut self, place: usize, so_far: Load) -> Load {
        let until_now = so_far.less(self.carry_over.take(place));
        let before = std::mem::replace(&mut self.before[place], until_now);
        let mut load = until_now.less(before);
        // Routers count packets with 32 bits.
        load.packets &= u64::from(u32::MAX);
        load
    }
}

/// Time for which things are at some places, all together.
#[derive(Debug)]
pub(crate) struct Occupancy {
    times: Vec<u64>,
    pub(crate) carry_over: CarryOver,
}

impl Occupancy {
    pub(crate) fn new(places: usize, interval: Interval) -> Self {
        Self { times: vec![0; places], carry_over: CarryOver::new(places, interval) }
    }

    /// Something is there from `from`, which is not before the interval, until `to`.
    #[inline(always)]
    pub(crate) fn add(&mut self, place: usize, from: u64, to: u64) {
        needed(&self.times, place);
        self.times[place] += to - from;
        if to > self.carry_over.interval.end {
            self.carry_over.put_off(place, 0, from, to);
        }
    }

    /// Something has been there for so long within the interval.
    pub(crate) fn add_here(&mut self, place: usize, time: u64) {
        self.times[place] += time;
    }

    /// Asks for the counters of some places before they are needed.
    #[inline(always)]
    pub(crate) fn prefetch(&self, first: usize, after: usize) {
        prefetch_all(&self.times, first, after);
    }

    /// Takes out what belongs to the interval.
    #[inline(always)]
    pub(crate) fn take(&mut self, place: usize) -> u64 {
        let later = self.carry_over.take(place).busy;
        std::mem::replace(&mut self.times[place], later) - later
    }
}

/// Counts that belong to instants after the interval.
#[derive(Debug)]
pub(crate) struct CarryOver {
    interval: Interval,
    by_place: Vec<Load>,
    /// Entries that last longer than the next interval.
    long: Vec<Later>,
    /// When the first of all that happens; the largest number if there is nothing.
    first: u64,
}

#[derive(Clone, Copy, Debug)]
struct Later {
    place: usize,
    bytes: u32,
    from: u64,
    to: u64,
}

impl CarryOver {
    fn new(places: usize, interval: Interval) -> Self {
        Self { interval, by_place: vec![Load::default(); places], long: Vec::new(), first: u64::MAX }
    }

    /// Something is over after the interval.
    #[inline(never)]
    fn put_off(&mut self, place: usize, bytes: u32, from: u64, to: u64) {
        let end = self.interval.end;
        let own = &mut self.by_place[place];
        if from >= end {
            own.packets += 1;
            own.bytes += u64::from(bytes);
        }
        let start = from.max(end);
        own.busy += to - start;
        self.first = self.first.min(start);
        if to - end > self.interval.length {
            self.long.push(Later { place, bytes, from, to });
        }
    }

    #[inline(always)]
    fn take(&mut self, place: usize) -> Load {
        std::mem::take(&mut self.by_place[place])
    }

    /// Begins another interval, when all counters have been taken out. What was put off is counted in it, unless it lasts
    /// longer than the interval after the last one: then it is divided again.
    pub(crate) fn begin(&mut self, interval: Interval) {
        self.interval = interval;
        self.first = u64::MAX;
        for Later { place, bytes, from, to } in std::mem::take(&mut self.long) {
            if to > interval.end {
                self.put_off(place, bytes, from, to);
            }
        }
    }

    /// The first instant after the interval at which something is known to happen.
    pub(crate) fn first_later(&self) -> Option<u64> {
        (self.first < u64::MAX).then_some(self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Whatever is added, each interval has what began in it and the time that lasted in it; intervals in which nothing
        /// is known to happen may be left out.
        #[test]
        fn time_is_divided_among_intervals(
            all in prop::collection::vec((0usize..3, 0u64..200, 1u64..70), 0..30), length in 1u64..40,
        ) {
            let mut sorted = all.clone();
            sorted.sort_by_key(|&(_, from, _)| from);
            let mut interval = Interval::first(length);
            let (mut loads, mut stays) = (Loads::new(3, interval), Occupancy::new(3, interval));
            let mut so_far = [Load::default(); 3];
            let mut expected: BTreeMap<(u64, usize), Load> = BTreeMap::new();
            let mut found = expected.clone();
            for &(place, from, time) in &sorted {
                let first = expected.entry((from / length * length, place)).or_default();
                (first.packets, first.bytes) = (first.packets + 1, first.bytes + from);
                for at in from..from + time {
                    expected.entry((at / length * length, place)).or_default().busy += 1;
                }
            }
            let mut next = sorted.into_iter().peekable();
            while next.peek().is_some() || interval.start < 300 {
                // Known one interval before it happens, if it is not the first.
                while let Some((place, from, time)) = next.next_if(|&(_, from, _)| from < interval.end + length) {
                    let Load { packets, bytes, busy } = so_far[place];
                    so_far[place] = Load { packets: packets + 1, bytes: bytes + from, busy: busy + time };
                    loads.note(place, from as u32, from, from + time);
                    stays.add(place, from, from + time);
                }
                let (mut nothing, start) = (true, interval.start);
                for (place, &so_far) in so_far.iter().enumerate() {
                    let load = loads.take(place, so_far);
                    prop_assert_eq!(stays.take(place), load.busy);
                    if load != Load::default() {
                        found.insert((start, place), load);
                        nothing = false;
                    }
                }
                prop_assert_eq!(loads.carry_over.first_later(), stays.carry_over.first_later());
                prop_assert!(loads.carry_over.first_later().is_none_or(|at| at >= interval.end));
                // What is not known yet is not left out.
                let unknown = next.peek().map_or(400, |&(_, from, _)| from);
                interval = interval.next();
                if nothing {
                    interval = interval.of(loads.carry_over.first_later().unwrap_or(unknown).min(unknown).max(interval.start));
                }
                loads.carry_over.begin(interval);
                stays.carry_over.begin(interval);
            }
            prop_assert_eq!(found, expected);
        }
    }
}
