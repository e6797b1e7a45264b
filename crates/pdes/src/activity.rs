//! Which units have something to do in which window.

use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many windows lie near: from the current one on, each has a bit for every unit.
const NEAR: u64 = 16;

/// The wake-ups of the units of one part, numbered from zero.
///
/// A wake-up for one of the next fifteen windows is a bit, one for a later window an entry of a heap. A unit that is woken
/// several times for the same window runs once; one that is woken without need finds nothing to do.
#[derive(Debug)]
pub struct Activity {
    /// By window modulo [`NEAR`]: a bit for every unit, and one word more.
    near: Vec<u64>,
    /// Words for each window.
    stride: usize,
    /// A bit for each window modulo [`NEAR`] in which somebody is awake.
    any: u64,
    far: BinaryHeap<Reverse<(u64, u32)>>,
    /// The window that is being run, or was run last.
    current: u64,
}

impl Activity {
    /// Nobody is awake; the current window is the first one.
    #[must_use]
    pub fn new(units: usize) -> Self {
        let stride = units.div_ceil(64) + 1;
        Self { near: vec![0; stride * NEAR as usize], stride, any: 0, far: BinaryHeap::new(), current: 0 }
    }

    /// Wakes a unit in a window: not one before the current one; the current one only before [`Self::begin`] or
    /// [`Self::take`] has been called for it. O(1) for near windows, else O(log n).
    #[inline(always)]
    pub fn wake(&mut self, unit: u32, window: u64) {
        debug_assert!(window >= self.current, "window {window} is over");
        if window - self.current < NEAR {
            let place = window % NEAR;
            self.near[place as usize * self.stride + unit as usize / 64] |= 1 << (unit % 64);
            self.any |= 1 << place;
        } else {
            self.wake_late(unit, window);
        }
    }

    #[cold]
    fn wake_late(&mut self, unit: u32, window: u64) {
        self.far.push(Reverse((window, unit)));
    }

    /// The first window from this one on in which a unit of this part is awake.
    #[must_use]
    pub fn next(&self, from: u64) -> Option<u64> {
        let horizon = self.current + NEAR;
        let near = (from..horizon.max(from)).find(|window| self.any >> (window % NEAR) & 1 == 1);
        near.or_else(|| self.far.peek().map(|first| first.0.0))
    }

    /// Makes a window the current one: forgets who was awake before it.
    pub fn begin(&mut self, window: u64) {
        debug_assert!(window >= self.current, "window {window} is over");
        if window > self.current {
            self.clear(self.current);
        }
        self.current = window;
        while let Some(&Reverse((due, unit))) = self.far.peek()
            && due < window + NEAR
        {
            self.far.pop();
            self.wake(unit, due.max(window));
        }
    }

    /// Which of 1 to 64 units from this one on are awake in the current window: the first one in the lowest bit.
    #[inline(always)]
    #[must_use]
    pub fn awake(&self, first: u32, count: u32) -> u64 {
        let words = &self.near[(self.current % NEAR) as usize * self.stride..][..self.stride];
        let (word, shift) = (first as usize / 64, first % 64);
        // Twice, because all 64 places cannot be shifted at once.
        let above = words[word + 1] << 1 << (63 - shift);
        (words[word] >> shift | above) & u64::MAX >> (64 - count)
    }

    /// Makes a window the current one and fills `units` with those awake in it, in ascending order. They may be woken
    /// again, in later windows.
    pub fn take(&mut self, window: u64, units: &mut Vec<u32>) {
        self.begin(window);
        units.clear();
        let place = window % NEAR;
        if self.any >> place & 1 == 0 {
            return;
        }
        let words = &self.near[place as usize * self.stride..][..self.stride];
        for (place, &word) in words.iter().enumerate() {
            let mut left = word;
            while left > 0 {
                units.push(place as u32 * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        self.clear(window);
    }

    fn clear(&mut self, window: u64) {
        let place = window % NEAR;
        if self.any >> place & 1 == 1 {
            self.near[place as usize * self.stride..][..self.stride].fill(0);
            self.any &= !(1 << place);
        }
    }
}

/// Wake-ups from other parts for the units of one part.
///
/// Near ones are bits, far ones entries of a list, as in [`Activity`]. The bits of a window are written while earlier
/// windows are run, and read when it is run itself; the list is taken over in every window.
#[derive(Debug)]
pub struct Alarms {
    near: Vec<SharedBits>,
    far: Mutex<Vec<(u64, u32)>>,
}

#[derive(Debug)]
struct SharedBits {
    words: Vec<AtomicU64>,
    any: AtomicBool,
}

impl Alarms {
    /// For a part of so many units.
    #[must_use]
    pub fn new(units: usize) -> Self {
        let bits = || SharedBits {
            words: (0..units.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            any: AtomicBool::new(false),
        };
        Self { near: (0..NEAR).map(|_| bits()).collect(), far: Mutex::new(Vec::new()) }
    }

    /// Wakes a unit in a window after `current`, the one that is being run. Returns the window: the waking part has to ask
    /// for it, or for an earlier one, as its next one after the current, because the part that is woken may not see it
    /// before.
    pub fn wake(&self, unit: u32, window: u64, current: u64) -> u64 {
        debug_assert!(window > current, "window {window} is being run");
        // The window after the last near one would share its bits with the current one.
        if window - current < NEAR {
            let bits = &self.near[(window % NEAR) as usize];
            bits.words[unit as usize / 64].fetch_or(1 << (unit % 64), Ordering::Relaxed);
            bits.any.store(true, Ordering::Relaxed);
        } else {
            self.open_far(|far| far.push((window, unit)));
        }
        window
    }

    /// The first near window with wake-ups from this one on, of those that were given before the last window was run.
    #[must_use]
    pub fn next(&self, from: u64) -> Option<u64> {
        (from..from + NEAR - 1).find(|window| self.near[(window % NEAR) as usize].any.load(Ordering::Relaxed))
    }

    /// Moves the wake-ups for a window that is about to be run, and all far ones, to the part's own.
    pub fn hand_over(&self, window: u64, activity: &mut Activity) {
        self.open_far(|far| far.drain(..).for_each(|(due, unit)| activity.wake(unit, due)));
        let bits = &self.near[(window % NEAR) as usize];
        if !bits.any.swap(false, Ordering::Relaxed) {
            return;
        }
        for (place, word) in bits.words.iter().enumerate() {
            let mut left =
                if word.load(Ordering::Relaxed) == 0 { 0 } else { word.swap(0, Ordering::Relaxed) };
            while left > 0 {
                activity.wake(place as u32 * 64 + left.trailing_zeros(), window);
                left &= left - 1;
            }
        }
    }

    fn open_far(&self, work: impl FnOnce(&mut Vec<(u64, u32)>)) {
        // A thread that panics while it holds the lock ends the run; until then the list is whole.
        work(&mut self.far.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Whoever was woken for a window runs in it, once and in order, whether the window is near or far, and no
        /// window is left out.
        #[test]
        fn every_wake_up_comes_in_its_window(
            wakes in prop::collection::vec((0u32..200, 0u64..100, any::<bool>()), 0..100),
        ) {
            let (mut activity, alarms) = (Activity::new(200), Alarms::new(200));
            let mut expected: BTreeSet<(u64, u32)> = BTreeSet::new();
            for &(unit, window, foreign) in &wakes {
                if foreign && window > 0 {
                    alarms.wake(unit, window, 0);
                } else {
                    activity.wake(unit, window);
                }
                expected.insert((window, unit));
            }
            let mut found = BTreeSet::new();
            let mut units = Vec::new();
            let mut window = 0;
            loop {
                alarms.hand_over(window, &mut activity);
                activity.take(window, &mut units);
                prop_assert!(units.is_sorted());
                found.extend(units.iter().map(|&unit| (window, unit)));
                let next = activity.next(window + 1).into_iter().chain(alarms.next(window + 1)).min();
                let Some(next) = next else { break };
                window = next;
            }
            prop_assert_eq!(found, expected);
        }
    }
}
