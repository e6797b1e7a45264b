//! Time by key, of the few keys that have most of it; and which links a path's time belongs to.

use weir_units::{Duration, LinkId};

/// The most keys of a tally.
const KEYS: usize = 6;

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
    pub const fn total(&self) -> Duration {
        Duration::from_ps(self.total)
    }

    /// By key, the longest first.
    pub fn shares(&self) -> Vec<Share<K>> {
        let all = self.keys.into_iter().zip(self.times).filter(|(_, time)| *time > 0);
        let mut all: Vec<_> = all.map(|(of, ps)| Share { of, time: Duration::from_ps(ps) }).collect();
        all.sort_by(|one, other| other.time.cmp(&one.time).then(one.of.cmp(&other.of)));
        all
    }

    /// Time of keys that are not among them.
    pub fn others(&self) -> Duration {
        Duration::from_ps(self.total - self.times.iter().sum::<u64>())
    }
}

/// The most classes of links; an engine says which link is of which class.
pub const CLASSES: usize = 8;

/// Time by class of link.
pub type ByClass = [Duration; CLASSES];

/// The link of a way that holds up its bytes most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Narrowest {
    /// Its class; none if there are links of several classes that hold them up alike.
    class: Option<u8>,
    /// Which one; none if there are several.
    link: Option<LinkId>,
}

/// Looks for the narrowest of the links of a way.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Narrowing {
    /// Its rate; infinite if there are no links.
    pub rate: f64,
    /// The narrowest link.
    pub narrowest: Narrowest,
}

impl Default for Narrowing {
    fn default() -> Self {
        Self { rate: f64::INFINITY, narrowest: Narrowest::default() }
    }
}

impl Narrowing {
    /// The way takes a link of a class, none if it is no link of the machine; so much of it is there.
    #[inline]
    pub fn pass(&mut self, link: LinkId, class: Option<u8>, rate: f64) {
        // Rates that differ by rounding alone are alike.
        const ALIKE: f64 = 1.0 + 1e-9;
        if rate * ALIKE < self.rate {
            (self.rate, self.narrowest) = (rate, Narrowest { class, link: class.map(|_| link) });
        } else if rate <= self.rate * ALIKE {
            self.narrowest.link = None;
            if self.narrowest.class != class {
                self.narrowest.class = None;
            }
        }
    }
}

/// The part of links in a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Wires {
    /// The latencies of links, by class.
    pub latency: ByClass,
    /// The time of bytes where links of one class are the narrowest of the way, by class. On the flow engine with what messages that share
    /// the link add to it.
    pub bytes: ByClass,
    /// The same where one link alone is, by link.
    pub links: Tally<LinkId>,
}

impl Wires {
    /// Bytes take a time because of a link.
    #[inline]
    pub(crate) fn carry(&mut self, narrowest: Narrowest, time: Duration) {
        if let Some(class) = narrowest.class {
            self.bytes[class as usize] += time;
        }
        if let Some(link) = narrowest.link {
            self.links.add(link, time);
        }
    }

    #[inline]
    pub(crate) fn pass(&mut self, latency: &ByClass) {
        self.latency.iter_mut().zip(latency).for_each(|(all, more)| *all += *more);
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

    #[test]
    fn the_narrowest_link() {
        let found = |rows: &[(u32, u8, f64)]| {
            let mut narrowing = Narrowing::default();
            for &(link, class, rate) in rows {
                narrowing.pass(LinkId(link), Some(class).filter(|class| *class < 9), rate);
            }
            let Narrowest { class, link } = narrowing.narrowest;
            (class, link.map(|link| link.0))
        };
        assert_eq!(found(&[(7, 0, 2.0), (8, 2, 1.0), (9, 1, 2.0)]), (Some(2), Some(8)));
        assert_eq!(found(&[(7, 0, 2.0), (8, 2, 1.0), (9, 2, 1.0)]), (Some(2), None));
        assert_eq!(found(&[(7, 0, 1.0), (8, 2, 1.0), (9, 2, 1.0)]), (None, None));
        assert_eq!(found(&[(7, 0, 1.0), (8, 2, 1.0), (9, 2, 0.5)]), (Some(2), Some(9)));
        assert_eq!(found(&[]), (None, None));
        // Of no class.
        assert_eq!(found(&[(7, 0, 2.0), (8, 9, 1.0)]), (None, None));
        assert_eq!(found(&[(7, 0, 1.0), (8, 9, 1.0)]), (None, None));
    }
}
