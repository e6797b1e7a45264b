//! Wake-ups for windows that are far away.

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
