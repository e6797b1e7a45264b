//! The longest chain of work and messages that ends at an instant.

use crate::tally::{Narrowest, Share, Tally, Wires};
use crate::{Carriage, Cause, Causes, Name};
use weir_units::{Duration, Rank, Time};

/// A step of a rank, by its number; 0 is the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Place(u64);

impl Place {
    /// A rank has 24 bits, and a number the rest.
    const BITS: u32 = 40;

    pub(crate) fn new(rank: Rank, step: u64) -> Self {
        Self(u64::from(rank.0) << Self::BITS | step)
    }

    pub(crate) fn rank(self) -> Rank {
        Rank((self.0 >> Self::BITS) as u32)
    }

    pub(crate) fn step(self) -> u64 {
        self.0 & ((1 << Self::BITS) - 1)
    }
}

/// Number of last ranks that are kept.
const RANKS: usize = 8;

/// The call, its site and the phase in which a rank is. Names may be empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct CallContext {
    pub(crate) call: Name,
    pub(crate) site: Name,
    /// The part of its work that it has named.
    pub(crate) phase: Name,
}

/// A chain of work and messages from time zero to an instant, as sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Path {
    /// Its time by cause; adds up to its end.
    pub causes: Causes,
    /// All of `causes` together.
    length: Duration,
    /// Number of messages that it follows from one rank to another.
    pub messages: u64,
    /// Number of links that these messages pass, as far as each has a latency of its own; on the ideal engine 1 for each message to
    /// another node.
    pub links: u64,
    calls: Tally<Name>,
    /// The time of calls by where they were called, as far as that is known.
    pub sites: Tally<Name>,
    /// The time of phases that ranks have named.
    pub phases: Tally<Name>,
    /// The part of it that has been charged to calls, their sites and phases: the rest is that of a message on its way.
    charged: Duration,
    /// Work by rank.
    pub work: Tally<Rank>,
    /// The part of links in it.
    pub wires: Wires,
    /// The last ranks that it has passed, the newest at `passed - 1` modulo their number.
    ranks: [Rank; RANKS],
    passed: u64,
    /// Its last step, where ranks keep those, and when it left that one for the network.
    place: Place,
    left: Time,
}

impl Path {
    /// When it ends.
    pub fn end(&self) -> Time {
        Time::ZERO + self.length
    }

    /// The time of each call, the longest first; of calls beyond the first few together under the name `others`.
    pub fn calls(&self) -> Vec<Share<Name>> {
        let others = self.calls.others() + (self.length - self.charged);
        let others = Share { of: Name::of("others"), time: others };
        let mut calls = self.calls.shares();
        calls.extend(Some(others).filter(|share| share.time > Duration::ZERO));
        calls.sort_by(|one, other| other.time.cmp(&one.time).then(one.of.cmp(&other.of)));
        calls
    }

    /// The last ranks that it passes, in its order, and how many it passes in all (each time anew).
    pub fn ranks(&self) -> (Vec<Rank>, u64) {
        let first = self.passed.saturating_sub(RANKS as u64);
        ((first..self.passed).map(|place| self.ranks[place as usize % RANKS]).collect(), self.passed)
    }

    fn rank(&self) -> Option<Rank> {
        self.passed.checked_sub(1).map(|last| self.ranks[last as usize % RANKS])
    }

    /// Goes on until an instant, for a cause.
    #[inline]
    pub(crate) fn extend(&mut self, cause: Cause, until: Time) {
        let more = until.since(self.end());
        self.causes.add(cause, more);
        self.length += more;
        if cause == Cause::Compute {
            self.work.add(self.rank().unwrap_or_default(), more);
        }
    }

    /// Goes on until an instant, for a cause, if it ends before that.
    #[inline]
    pub fn extend_to(&mut self, cause: Cause, until: Time) {
        if until > self.end() {
            self.extend(cause, until);
        }
    }

    /// The last bit of time of its bytes was because of a link.
    #[inline]
    pub(crate) fn carried_by(&mut self, narrowest: Narrowest, time: Duration) {
        self.wires.carry(narrowest, time);
    }

    /// Goes on by the latency of a message to another rank.
    #[inline]
    pub(crate) fn carry(&mut self, until: Time, links: u64) {
        self.extend(Cause::Latency, until);
        self.messages += 1;
        self.links += links;
    }

    /// Like `carry`, on the way of a carriage.
    #[inline]
    pub(crate) fn carry_along(&mut self, until: Time, carriage: &Carriage) {
        self.carry(until, carriage.links);
        self.wires.pass(&carriage.by_class);
    }

    /// All that belongs to nothing yet belongs to this, as far as it has names.
    #[inline(never)]
    pub(crate) fn charge(&mut self, context: &CallContext) {
        let more = self.length - self.charged;
        self.charged = self.length;
        self.calls.add(context.call, more);
        for (tally, name) in [(&mut self.sites, context.site), (&mut self.phases, context.phase)] {
            if !name.is_empty() {
                tally.add(name, more);
            }
        }
    }

    /// Its last step, and when it left that.
    pub(crate) const fn place(&self) -> (Place, Time) {
        (self.place, self.left)
    }

    /// It has come to a step.
    pub(crate) const fn be_at(&mut self, place: Place) {
        self.place = place;
    }

    /// It leaves its last step where it ends.
    #[inline]
    pub(crate) fn leave(&mut self) {
        self.left = self.end();
    }

    #[inline]
    pub(crate) fn pass(&mut self, rank: Rank) {
        if self.rank() != Some(rank) {
            self.ranks[self.passed as usize % RANKS] = rank;
            self.passed += 1;
        }
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

    /// Returns the path when it had these causes, and had passed as many messages.
    pub(crate) fn back_to(mut self, causes: Causes) -> Self {
        let work = self.causes.of(Cause::Compute) - causes.of(Cause::Compute);
        self.work.take_back_of(self.rank().unwrap_or_default(), work);
        (self.causes, self.length) = (causes, causes.total());
        let less = self.charged - self.charged.min(self.length);
        self.charged = self.charged - less;
        for tally in [&mut self.calls, &mut self.sites, &mut self.phases] {
            tally.take_back(less);
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

    /// 10 of own work in `a`, then 12 of a message that `b` waits for; 14 of that are taken back, work first. What comes then is
    /// of `c`.
    #[test]
    fn the_end_is_taken_back() {
        let mut path = Path::default();
        path.pass(Rank(3));
        let of = |call| CallContext { call: Name::of(call), ..CallContext::default() };
        path.extend(Cause::Compute, at(10));
        path.charge(&of("a"));
        path.carry(at(22), 2);
        path.charge(&of("b"));
        let sums = |path: &Path| {
            let calls = path.calls().into_iter().map(|share| (share.of.text(), share.time.as_ps()));
            (path.end(), path.work.total().as_ps(), calls.collect::<Vec<_>>())
        };
        path.end_at(at(18));
        assert_eq!(sums(&path), (at(18), 6, vec![("a", 10), ("b", 8)]));
        path.end_at(at(8));
        path.extend(Cause::Compute, at(11));
        path.charge(&of("c"));
        assert_eq!(sums(&path), (at(11), 3, vec![("a", 8), ("c", 3)]));
    }

    /// Twelve calls of equal time: each gives way to one of the last six. Of twelve ranks the last eight.
    #[test]
    fn tables_are_bounded() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let mut path = Path::default();
        for (number, name) in (1..).zip(names) {
            path.pass(Rank(number));
            path.extend(Cause::Compute, at(u64::from(number)));
            path.charge(&CallContext { call: Name::of(name), ..CallContext::default() });
        }
        let calls = path.calls();
        assert_eq!(calls[0].of, Name::of("others"));
        assert!(calls.len() <= 7);
        assert_eq!(calls.iter().map(|share| share.time.as_ps()).sum::<u64>(), 12);
        assert_eq!(path.ranks(), ((5..=12).map(Rank).collect(), 12));
    }
}
