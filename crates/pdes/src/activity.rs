//! Which units have something to do in which window.

/// Number of near windows: from the current one on, each has a bit for every unit.
const NEAR: u64 = 16;

/// The wake-ups of the units of one part, numbered from zero.
///
/// A wake-up for one of the next fifteen windows is a bit, one for a later window an entry of a list. A unit that is woken
/// several times for the same window runs once; one that is woken without need finds nothing to do.
#[derive(Debug)]
pub struct Activity {
    /// By window modulo [`NEAR`]: a bit for every unit, and one word more.
    near: [Vec<u64>; NEAR as usize],
    /// A bit for each window modulo [`NEAR`] in which somebody is awake.
    any: u64,
    far: Far,
    /// The window that is being run, or was run last.
    current: u64,
}

impl Activity {
    /// No unit is awake; the current window is the first one.
    pub fn new(units: usize) -> Self {
        let near = std::array::from_fn(|_| vec![0; units.div_ceil(64) + 1]);
        Self { near, any: 0, far: Far::new(), current: 0 }
    }

    /// Wakes a unit in a window: not one before the current one; the current one only before [`Self::begin`] or
    /// [`Self::take`] has been called for it (what comes after `take` is forgotten). O(1), also when its
    /// time comes, but for a factor of at most the bits of a window's number for far ones.
    #[inline(always)]
    pub fn wake(&mut self, unit: u32, window: u64) {
        self.wake_each([unit], window);
    }

    /// Wakes units in the same window, each as [`Self::wake`] does.
    #[inline(always)]
    pub fn wake_each<const N: usize>(&mut self, units: [u32; N], window: u64) {
        debug_assert!(window >= self.current, "window {window} is over");
        if window - self.current < NEAR {
            let place = window % NEAR;
            let words = &mut self.near[place as usize];
            for unit in units {
                words[unit as usize / 64] |= 1 << (unit % 64);
            }
            self.any |= 1 << place;
        } else {
            units.into_iter().for_each(|unit| self.wake_late(unit, window));
        }
    }

    #[cold]
    fn wake_late(&mut self, unit: u32, window: u64) {
        self.far.put(unit, window);
    }

    /// The first window from this one on in which a unit of this part is awake.
    pub fn next(&self, from: u64) -> Option<u64> {
        let horizon = self.current + NEAR;
        let near = (from..horizon.max(from)).find(|window| self.any >> (window % NEAR) & 1 == 1);
        near.or_else(|| self.far.first())
    }

    /// Makes a window the current one: forgets who was awake before it.
    pub fn begin(&mut self, window: u64) {
        debug_assert!(window >= self.current, "window {window} is over");
        if window > self.current {
            self.clear(self.current);
        }
        self.current = window;
        let Self { near, any, far, .. } = self;
        far.take(window + NEAR, |unit, due| {
            let place = due.max(window) % NEAR;
            near[place as usize][unit as usize / 64] |= 1 << (unit % 64);
            *any |= 1 << place;
        });
    }

    /// Which of 1 to 64 units from this one on are awake in the current window: the first one in the lowest bit.
    #[inline(always)]
    pub fn awake(&self, first: u32, count: u32) -> u64 {
        let words = &self.near[(self.current % NEAR) as usize];
        let (word, shift) = (first as usize / 64, first % 64);
        // Twice, because all 64 places cannot be shifted at once.
        let above = words[word + 1] << 1 << (63 - shift);
        (words[word] >> shift | above) & u64::MAX >> (64 - count)
    }

    /// Makes a window the current one and fills `units` with those awake in it, in ascending order. They may be woken
    /// again, in later windows.
    pub fn take(&mut self, window: u64, units: &mut Vec<u32>) {
        self.begin(window);
        self.list(0, units);
        self.clear(window);
    }

    /// Fills `units` with those awake in the current window, in ascending order, from 64 times `first` on; the numbers are counted from there.
    pub fn list(&self, first: usize, units: &mut Vec<u32>) {
        units.clear();
        let place = self.current % NEAR;
        if self.any >> place & 1 == 0 {
            return;
        }
        let words = &self.near[place as usize];
        for (place, &word) in words[first..].iter().enumerate() {
            let mut left = word;
            while left > 0 {
                units.push(place as u32 * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    fn clear(&mut self, window: u64) {
        let place = window % NEAR;
        if self.any >> place & 1 == 1 {
            self.near[place as usize].fill(0);
            self.any &= !(1 << place);
        }
    }
}

/// A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan: "Faster algorithms for the shortest path problem", J. ACM 37(2), 1990):
/// what is taken out never goes back in time, so nothing need be in order that is not needed soon.
///
/// A wake-up lies in the bucket of the highest bit in which its window differs from `last`. Buckets are lists, gone through
/// from end to end, where a binary heap of as many wake-ups would jump about in memory.
#[derive(Debug)]
pub(crate) struct Far {
    buckets: Vec<Bucket>,
    /// A window not after that of any wake-up.
    last: u64,
}

#[derive(Clone, Debug)]
struct Bucket {
    wakes: Vec<(u64, u32)>,
    /// The first window in it.
    first: u64,
}

const EMPTY: Bucket = Bucket { wakes: Vec::new(), first: u64::MAX };

impl Far {
    pub(crate) fn new() -> Self {
        Self { buckets: vec![EMPTY; u64::BITS as usize + 1], last: 0 }
    }

    /// A unit will be awake in a window, which is not before any up to which wake-ups have been taken.
    pub(crate) fn put(&mut self, unit: u32, window: u64) {
        debug_assert!(window >= self.last, "window {window} is over");
        let bucket = &mut self.buckets[(u64::BITS - (window ^ self.last).leading_zeros()) as usize];
        bucket.first = bucket.first.min(window);
        bucket.wakes.push((window, unit));
    }

    /// The first window in which a unit will be awake.
    pub(crate) fn first(&self) -> Option<u64> {
        // Whatever differs from `last` in a lower bit only is earlier.
        self.buckets.iter().find(|bucket| !bucket.wakes.is_empty()).map(|bucket| bucket.first)
    }

    pub(crate) fn take(&mut self, before: u64, mut take: impl FnMut(u32, u64)) {
        while let Some(first) = self.first().filter(|&first| first < before) {
            let place = (u64::BITS - (first ^ self.last).leading_zeros()) as usize;
            let mut bucket = std::mem::replace(&mut self.buckets[place], EMPTY);
            self.last = first;
            for (window, unit) in bucket.wakes.drain(..) {
                if window < before {
                    take(unit, window);
                } else {
                    self.put(unit, window);
                }
            }
            // Its memory is used again.
            self.buckets[place].wakes = bucket.wakes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const UNITS: u32 = 200;

    /// A wake-up that is given when a window is due: just before it, for this window or a later one, or just after it has
    /// begun, for a later one.
    #[derive(Clone, Copy, Debug)]
    enum Wake {
        Before(u32, u64),
        After(u32, u64),
    }

    fn wakes() -> impl Strategy<Value = Vec<Vec<Wake>>> {
        let one = (0..UNITS, 0..3 * NEAR, any::<bool>());
        let one = one.prop_map(|(unit, ahead, before)| match before {
            true => Wake::Before(unit, ahead),
            false => Wake::After(unit, ahead + 1),
        });
        prop::collection::vec(prop::collection::vec(one, 0..6), 0..40)
    }

    /// Runs windows until no unit is awake later and no wake-ups remain: those that are needed, and others, so that no two
    /// are further apart than `step`, as if other parts needed them. `awake` says who is awake in a window.
    fn check(wakes: &[Vec<Wake>], step: u64, awake: impl Fn(&mut Activity, u64) -> Vec<u32>) {
        let mut activity = Activity::new(UNITS as usize);
        let mut expected: BTreeSet<(u64, u32)> = BTreeSet::new();
        let (mut wakes, mut from) = (wakes.iter(), 0);
        loop {
            let first = expected.first().map(|&(window, _)| window);
            assert_eq!(activity.next(from), first);
            let now: &[Wake] = wakes.next().map_or(&[], Vec::as_slice);
            if first.is_none() && now.is_empty() && wakes.len() == 0 {
                return;
            }
            let window = first.map_or(from + step - 1, |first| first.min(from + step - 1));
            let mut give = |activity: &mut Activity, unit, ahead| {
                activity.wake(unit, window + ahead);
                expected.insert((window + ahead, unit));
            };
            for wake in now {
                if let Wake::Before(unit, ahead) = *wake {
                    give(&mut activity, unit, ahead);
                }
            }
            let found = awake(&mut activity, window);
            for wake in now {
                if let Wake::After(unit, ahead) = *wake {
                    give(&mut activity, unit, ahead);
                }
            }
            let later = expected.split_off(&(window + 1, 0));
            let due = std::mem::replace(&mut expected, later);
            assert_eq!(found, due.into_iter().map(|(_, unit)| unit).collect::<Vec<_>>(), "window {window}");
            from = window + 1;
        }
    }

    /// The units whose bit is set, among the given number of units from this one on.
    fn numbers(activity: &Activity, first: u32, count: u32) -> impl Iterator<Item = u32> {
        let bits = activity.awake(first, count);
        (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| first + bit)
    }

    proptest! {
        /// Whoever was woken for a window is in its list, once and in order, whether the window is near or far, and no
        /// window is left out.
        #[test]
        fn every_wake_up_comes_in_its_window(wakes in wakes(), step in 1..3 * NEAR) {
            check(&wakes, step, |activity, window| {
                // What was in it before does not matter.
                let mut units = vec![7];
                activity.take(window, &mut units);
                units
            });
        }

        /// The same with bits, however many units are asked for at a time and wherever their words end.
        #[test]
        fn every_wake_up_is_a_bit_in_its_window(wakes in wakes(), step in 1..3 * NEAR, count in 1_u32..=64) {
            check(&wakes, step, |activity, window| {
                activity.begin(window);
                let firsts = (0..UNITS).step_by(count as usize);
                firsts.flat_map(|first| numbers(activity, first, count.min(UNITS - first))).collect()
            });
        }
    }

    proptest! {
        /// The same, some words of units as bits and the others as a list.
        #[test]
        fn every_wake_up_is_a_bit_or_listed(wakes in wakes(), step in 1..3 * NEAR, words in 0..=UNITS / 64) {
            check(&wakes, step, |activity, window| {
                activity.begin(window);
                let mut units = vec![7];
                activity.list(words as usize, &mut units);
                let bits = (0..words).flat_map(|word| numbers(activity, 64 * word, 64));
                bits.chain(units.iter().map(|unit| 64 * words + unit)).collect()
            });
        }
    }

    /// Units are woken together as each by itself, for a window that is near or far.
    #[test]
    fn units_are_woken_together() {
        for ahead in [0, 5, NEAR, 3 * NEAR] {
            let (mut activity, mut units) = (Activity::new(UNITS as usize), Vec::new());
            activity.take(7, &mut units);
            activity.wake_each([3, 130], 8 + ahead);
            assert_eq!(activity.next(8), Some(8 + ahead));
            activity.take(8 + ahead, &mut units);
            assert_eq!(units, [3, 130]);
        }
    }

    /// A wake-up for a window that has been taken does not come in the one that shares its place.
    #[test]
    fn what_comes_too_late_is_forgotten() {
        let (mut activity, mut units) = (Activity::new(1), Vec::new());
        activity.take(3, &mut units);
        activity.wake(0, 3);
        assert_eq!(activity.next(4), None);
        for window in [4, 3 + NEAR] {
            activity.take(window, &mut units);
            assert_eq!((&units, activity.next(window + 1)), (&vec![], None));
        }
    }

    /// The bits of a window stay until the next one begins, whoever is woken for that.
    #[test]
    fn bits_stay_until_the_next_window() {
        let mut activity = Activity::new(130);
        activity.wake(2, 0);
        activity.begin(0);
        assert_eq!(
            activity.awake(0, 64),
            0b100,
            "also those of the first window, which is there from the beginning"
        );
        for unit in [0, 63, 64, 129] {
            activity.wake(unit, 3);
        }
        activity.begin(3);
        activity.wake(65, 4);
        activity.wake(1, 3 + NEAR);
        for _ in 0..2 {
            assert_eq!(activity.awake(0, 64), 1 << 63 | 1);
            assert_eq!(activity.awake(63, 64), 0b11);
            assert_eq!(activity.awake(62, 3), 0b110);
            assert_eq!(activity.awake(66, 64), 1 << 63);
            assert_eq!(activity.awake(129, 1), 1);
        }
        assert_eq!(activity.next(4), Some(4));
        activity.begin(4);
        assert_eq!([activity.awake(0, 64), activity.awake(64, 64), activity.awake(128, 2)], [0, 0b10, 0]);
        assert_eq!(activity.next(5), Some(3 + NEAR));
        // The place of window 3 is that of the far one now.
        activity.begin(3 + NEAR);
        assert_eq!([activity.awake(0, 64), activity.awake(64, 64)], [0b10, 0]);
        assert_eq!(activity.next(4 + NEAR), None);
    }

    proptest! {
        /// Everything comes out, what is before the window, and as it was put.
        #[test]
        fn agrees_with_a_sorted_list(
            steps in prop::collection::vec((0u64..300, prop::collection::vec((0u64..2000, any::<u32>()), 0..8)), 1..40),
        ) {
            let (mut far, mut list, mut now) = (Far::new(), Vec::new(), 0);
            for (step, wakes) in steps {
                for (ahead, unit) in wakes {
                    far.put(unit, now + ahead);
                    list.push((now + ahead, unit));
                }
                prop_assert_eq!(far.first(), list.iter().map(|wake| wake.0).min());
                now += step;
                let mut taken = Vec::new();
                far.take(now, |unit, window| taken.push((window, unit)));
                taken.sort_unstable();
                let (mut expected, left): (Vec<_>, Vec<_>) = list.into_iter().partition(|wake| wake.0 < now);
                expected.sort_unstable();
                prop_assert_eq!(taken, expected);
                list = left;
            }
        }
    }
}
