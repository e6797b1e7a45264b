//! Time by key, of the few keys that have most of it.

use weir_units::Duration;

/// The most keys of a tally.
pub(crate) const KEYS: usize = 6;

/// Time of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share<K> {
    /// Whose it is.
    pub of: K,
    /// Its time.
    pub time: Duration,
}

/// Time by key, for at most six keys; the time of the others is together.
///
/// When a seventh comes, all of them give the same time away, until one of them has none left (Misra, Gries: "Finding repeated elements",
/// Science of Computer Programming 2, 1982, with weights). So a key that has more than a seventh of all is among them; each
/// has no more than is said, and as much if there are no others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tally<K> {
    keys: [K; KEYS],
    /// In picoseconds; the entry of a key with none is free.
    times: [u64; KEYS],
    total: u64,
}

impl<K: Copy + Ord> Tally<K> {
    #[inline]
    pub(crate) fn add(&mut self, key: K, time: Duration) {
        let time = time.as_ps();
        if time == 0 {
            return;
        }
        self.total += time;
        // A key whose time is gone gets its place back, so no key has two.
        match self.keys.iter().position(|own| *own == key) {
            Some(place) => self.times[place] += time,
            None => self.add_new(key, time),
        }
    }

    #[inline(never)]
    fn add_new(&mut self, key: K, time: u64) {
        let least = self.times.iter().copied().min().unwrap_or_default();
        let given = least.min(time);
        self.times.iter_mut().for_each(|all| *all -= given);
        if time > given
            && let Some(place) = self.times.iter().position(|time| *time == 0)
        {
            (self.keys[place], self.times[place]) = (key, time - given);
        }
    }

    /// Less time in all, of others first and then of keys, the last ones first.
    pub(crate) fn take_back(&mut self, time: Duration) {
        let mut left = time.as_ps().min(self.total);
        let others = self.others().as_ps();
        self.total -= left;
        left -= left.min(others);
        for time in self.times.iter_mut().rev() {
            let part = left.min(*time);
            (*time, left) = (*time - part, left - part);
        }
    }

    pub(crate) fn take_back_of(&mut self, key: K, time: Duration) {
        if let Some(place) = self.keys.iter().position(|own| *own == key) {
            let less = time.as_ps().min(self.times[place]);
            self.times[place] -= less;
            self.total -= less;
        }
    }

    /// All together.
    #[must_use]
    pub const fn total(&self) -> Duration {
        Duration::from_ps(self.total)
    }

    /// By key, the longest first.
    #[must_use]
    pub fn shares(&self) -> Vec<Share<K>> {
        let all = self.keys.into_iter().zip(self.times).filter(|(_, time)| *time > 0);
        let mut all: Vec<_> = all.map(|(of, ps)| Share { of, time: Duration::from_ps(ps) }).collect();
        all.sort_by(|one, other| other.time.cmp(&one.time).then(one.of.cmp(&other.of)));
        all
    }

    /// Time of keys that are not among them.
    #[must_use]
    pub fn others(&self) -> Duration {
        Duration::from_ps(self.total - self.times.iter().sum::<u64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn tally(entries: &[(u8, u64)]) -> Tally<u8> {
        let mut tally = Tally::default();
        entries.iter().for_each(|&(key, ps)| tally.add(key, Duration::from_ps(ps)));
        tally
    }

    /// Six have 3 each; a seventh with 5 takes 3 of each, so it has 2 and the rest is of others.
    #[test]
    fn a_seventh_makes_the_others_give_way() {
        let mut entries: Vec<_> = (1..=6).map(|key| (key, 3)).collect();
        entries.push((7, 5));
        let found = tally(&entries);
        assert_eq!(found.shares(), [Share { of: 7, time: Duration::from_ps(2) }]);
        assert_eq!(found.others().as_ps(), 21);
    }

    #[test]
    fn what_is_taken_back_is_of_others_first() {
        let mut found = tally(&[(1, 3), (2, 4)]);
        found.take_back(Duration::from_ps(5));
        assert_eq!(found.shares(), [Share { of: 1, time: Duration::from_ps(2) }]);
        found.take_back_of(1, Duration::from_ps(1));
        assert_eq!((found.shares()[0].time.as_ps(), found.total().as_ps()), (1, 1));
    }

    proptest! {
        /// A key has no more than its own time, and all of it if there are at most six; who has more than a seventh is there.
        #[test]
        fn the_bounds_of_misra_and_gries(entries in proptest::collection::vec((0_u8..12, 0_u64..100), 0..60)) {
            let mut exact = BTreeMap::new();
            entries.iter().for_each(|&(key, ps)| *exact.entry(key).or_insert(0) += ps);
            exact.retain(|_, ps| *ps > 0);
            let (found, all) = (tally(&entries), exact.values().sum::<u64>());
            prop_assert_eq!(found.total().as_ps(), all);
            let shares: BTreeMap<u8, u64> =
                found.shares().iter().map(|share| (share.of, share.time.as_ps())).collect();
            prop_assert_eq!(shares.values().sum::<u64>() + found.others().as_ps(), all);
            for (key, ps) in &exact {
                let said = shares.get(key).copied().unwrap_or_default();
                prop_assert!(said <= *ps && *ps - said <= all / 7);
                prop_assert!(exact.len() > KEYS || said == *ps);
            }
        }
    }
}
