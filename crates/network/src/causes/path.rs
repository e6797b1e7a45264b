//! Of what the longest chain of work and messages consists that ends at an instant.

use super::{Cause, Causes};
use weir_units::{Duration, Rank, Time};

/// How many calls are counted one by one; the others count together.
const CALLS: usize = 6;
/// How many of the last ranks are kept.
const RANKS: usize = 8;

/// Time of a path that belongs to one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallShare {
    /// The name of the call.
    pub call: &'static str,
    /// How much.
    pub time: Duration,
}

/// A chain of work and messages from time zero to an instant, as sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    causes: Causes,
    /// All of `causes` together.
    length: Duration,
    messages: u64,
    links: u64,
    calls: [CallShare; CALLS],
    /// What belongs to calls beyond those.
    other_calls: Duration,
    /// How much of it belongs to calls: the rest is that of a message on its way.
    in_calls: Duration,
    /// The last ranks that it has passed, the newest at `passed - 1` modulo their number.
    ranks: [Rank; RANKS],
    passed: u64,
}

impl Path {
    /// When it ends.
    #[must_use]
    pub fn end(&self) -> Time {
        Time::ZERO + self.length
    }

    /// What its time went into; adds up to its end.
    #[must_use]
    pub const fn causes(&self) -> &Causes {
        &self.causes
    }

    /// How many messages it follows from one rank to another.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// How many links these messages pass, as far as each has a latency of its own; on the ideal engine 1 for each message to
    /// another node.
    #[must_use]
    pub const fn links(&self) -> u64 {
        self.links
    }

    /// The time of each call, the longest first; of calls beyond the first few together under the name `others`.
    #[must_use]
    pub fn calls(&self) -> Vec<CallShare> {
        let others = CallShare { call: "others", time: self.other_calls + (self.length - self.in_calls) };
        let mut calls: Vec<_> =
            self.calls.into_iter().chain([others]).filter(|share| share.time > Duration::ZERO).collect();
        calls.sort_by(|one, other| other.time.cmp(&one.time).then(one.call.cmp(other.call)));
        calls
    }

    /// The last ranks that it passes, in its order, and how many it passes in all (each time anew).
    #[must_use]
    pub fn ranks(&self) -> (Vec<Rank>, u64) {
        let first = self.passed.saturating_sub(RANKS as u64);
        ((first..self.passed).map(|place| self.ranks[place as usize % RANKS]).collect(), self.passed)
    }

    /// Goes on until an instant, for a cause.
    #[inline]
    pub(crate) fn extend(&mut self, cause: Cause, until: Time) {
        let more = until.since(self.end());
        self.causes.add(cause, more);
        self.length += more;
    }

    /// Goes on until an instant, for a cause, if it ends before that.
    #[inline]
    pub fn extend_to(&mut self, cause: Cause, until: Time) {
        if until > self.end() {
            self.extend(cause, until);
        }
    }

    /// Goes on by the latency of a message to another rank, over so many links.
    #[inline]
    pub(crate) fn carry(&mut self, until: Time, links: u64) {
        self.extend(Cause::Latency, until);
        self.messages += 1;
        self.links += links;
    }

    /// All that belongs to no call yet belongs to this one.
    #[inline]
    pub(crate) fn charge(&mut self, call: &'static str) {
        let more = self.length - self.in_calls;
        if more == Duration::ZERO {
            return;
        }
        self.in_calls = self.length;
        let place = self.calls.iter_mut().find(|share| {
            std::ptr::eq(share.call, call) || share.call == call || share.time == Duration::ZERO
        });
        match place {
            Some(share) => *share = CallShare { call, time: share.time + more },
            None => self.other_calls += more,
        }
    }

    /// It is at a rank.
    #[inline]
    pub(crate) fn pass(&mut self, rank: Rank) {
        let last = self.passed.checked_sub(1).map(|last| self.ranks[last as usize % RANKS]);
        if last == Some(rank) {
            return;
        }
        self.ranks[self.passed as usize % RANKS] = rank;
        self.passed += 1;
    }

    /// Ends at an instant, earlier or later than it does: without what a rank did beyond it, or with nothing known up to it.
    pub(crate) fn end_at(&mut self, end: Time) {
        if end >= self.end() {
            return self.extend(Cause::Other, end);
        }
        let mut causes = self.causes;
        causes.take_back(self.end().since(end));
        *self = self.back_to(causes);
    }

    /// What it was when it consisted of this, and had passed as many messages.
    pub(crate) fn back_to(mut self, causes: Causes) -> Self {
        (self.causes, self.length) = (causes, causes.total());
        let mut left = self.in_calls - self.in_calls.min(self.length);
        self.in_calls = self.in_calls - left;
        for time in self.calls.iter_mut().rev().map(|share| &mut share.time).chain([&mut self.other_calls]) {
            let part = left.min(*time);
            (*time, left) = (*time - part, left - part);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    /// 10 of own work in `a`, then a message of 5 + 7 that `b` waits for; 4 of that are taken back.
    #[test]
    fn a_path_adds_up() {
        let mut path = Path::default();
        path.pass(Rank(3));
        path.extend(Cause::Compute, at(10));
        path.charge("a");
        path.extend(Cause::Serialization, at(15));
        path.carry(at(22), 2);
        assert_eq!((path.messages(), path.links(), path.end()), (1, 2, at(22)));
        path.pass(Rank(1));
        path.charge("b");
        let calls = |path: &Path| -> Vec<_> {
            path.calls().iter().map(|share| (share.call, share.time.as_ps())).collect()
        };
        assert_eq!(calls(&path), [("b", 12), ("a", 10)]);
        assert_eq!(path.ranks(), (vec![Rank(3), Rank(1)], 2));
        path.end_at(at(18));
        assert_eq!((path.causes().total(), path.end()), (Duration::from_ps(18), at(18)));
        assert_eq!(path.causes().of(Cause::Compute).as_ps(), 6);
        assert_eq!(calls(&path), [("a", 10), ("b", 8)]);
    }

    /// Twelve calls: the last six together. Of twelve ranks the last eight.
    #[test]
    fn tables_are_bounded() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let mut path = Path::default();
        for (number, name) in (1..).zip(names) {
            path.pass(Rank(number));
            path.extend(Cause::Compute, at(u64::from(number)));
            path.charge(name);
        }
        let calls = path.calls();
        assert_eq!(calls[0], CallShare { call: "others", time: Duration::from_ps(6) });
        assert_eq!(calls.len(), 7);
        assert_eq!(calls.iter().map(|share| share.time.as_ps()).sum::<u64>(), 12);
        assert_eq!(path.ranks(), ((5..=12).map(Rank).collect(), 12));
    }
}
