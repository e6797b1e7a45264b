//! Counters that are closed at the end of every interval.
//!
//! What is known at one instant may happen later: a packet that is granted leaves the output buffer when the link is
//! free. What happens after the interval is kept apart until its own interval has begun.

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
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.busy += other.busy;
    }

    #[inline(always)]
    fn last(&mut self, time: u64) {
        self.busy += time;
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
        if to <= self.interval.end {
            let own = &mut self.now[place];
            own.add(what);
            own.last(to - from);
        } else {
            self.add_beyond(Later { place, what, from, to });
        }
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
