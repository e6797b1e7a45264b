//! The trail of a message: its states over time, and the path that it takes along.

use crate::path::Place;
use crate::tally::{ByClass, Narrowest};
use crate::{Cause, Path};
use weir_units::{Duration, Rank, Time};

/// Number of spans that are kept; of a longer trail the first are left out.
const SPANS: usize = 12;

/// The way of a message to its receiver if it meets no other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Carriage {
    /// Time of its bytes at the narrowest part of the way.
    pub alone: Duration,
    /// The latencies of its way.
    pub latency: Duration,
    /// Number of links that have them.
    pub links: u64,
    /// The latencies of these links, by their class.
    pub by_class: ByClass,
    /// The link that holds up the bytes most.
    pub narrowest: Narrowest,
}

/// States of a message over time, up to an instant, and the path that leads there. A reply of a protocol goes on with the
/// trail of what it replies to.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Trail {
    path: Path,
    /// The cause of the time before the first span, for whoever waits.
    before: Cause,
    ends: [Time; SPANS],
    causes: [Cause; SPANS],
    spans: u8,
    expected: Carriage,
    /// Whose message it is, and since when an interface has had it: where that one has waited behind another one, and the path is
    /// that of the other one until then.
    behind: Option<(Rank, Time)>,
}

impl Trail {
    /// Begins where a path ends; who waited before that waited for this cause.
    pub(crate) fn new(path: &Path, before: Cause) -> Box<Self> {
        let (ends, causes) = ([path.end(); SPANS], [before; SPANS]);
        Box::new(Self {
            path: *path,
            before,
            ends,
            causes,
            spans: 1,
            expected: Carriage::default(),
            behind: None,
        })
    }

    /// Begins anew in the place of another one, of which nothing remains: each message has a trail, so it is written once and not moved.
    pub(crate) fn begin_again(&mut self, path: &Path, before: Cause) {
        self.path = *path;
        self.before = before;
        (self.ends[0], self.causes[0], self.spans) = (path.end(), before, 1);
        self.expected = Carriage::default();
    }

    /// It begins at an instant before the path ends.
    pub(crate) fn cut(&mut self, at: Time) {
        self.path.end_at(at);
        self.ends[0] = at;
    }

    /// The instant up to which it leads.
    pub fn end(&self) -> Time {
        self.path.end()
    }

    /// The path that leads there.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same, for a rank that has taken over the trail of what it waited for, and goes on.
    #[inline]
    pub(crate) const fn path_mut(&mut self) -> &mut Path {
        &mut self.path
    }

    /// Whose message it is, and since when an interface has had it, if it has waited behind another one.
    pub(crate) const fn started(&self) -> Option<(Rank, Time)> {
        self.behind
    }

    /// Its path has come to a step.
    pub(crate) const fn be_at(&mut self, place: Place) {
        self.path.be_at(place);
    }

    /// The message is on its way from here.
    #[inline]
    pub(crate) fn leave(&mut self) {
        self.path.leave();
        self.behind = None;
    }

    /// The message goes on until an instant, for a cause.
    #[inline]
    pub fn extend(&mut self, cause: Cause, until: Time) {
        if until > self.end() {
            self.path.extend(cause, until);
            self.add_span(cause, until);
        }
    }

    /// It has waited at an interface until an instant, behind another message, whose path ends then: that is what it really had to
    /// wait for.
    pub fn wait_behind(&mut self, other: &Path) {
        if other.end() > self.end() {
            let sender = self.behind.map_or_else(|| self.path.place().0.rank(), |(sender, _)| sender);
            self.behind = Some((sender, other.end()));
            self.add_span(Cause::Contention, other.end());
            self.path = *other;
        }
    }

    /// The bytes are on their way until an instant: alone they would take a time, and the rest of it others held them up.
    pub fn transfer(&mut self, alone: Duration, until: Time) {
        self.transfer_with_stalls(alone, Duration::ZERO, until);
    }

    /// Like [`Self::transfer`], where bytes have waited for credits for some of the rest; at most for all of it.
    pub fn transfer_with_stalls(&mut self, alone: Duration, stalled: Duration, until: Time) {
        let all = until.since(self.end().min(until));
        let held_up = all - alone.min(all);
        let from = self.end();
        self.extend(Cause::Contention, from + (held_up - stalled.min(held_up)));
        self.extend(Cause::Credits, from + held_up);
        self.extend(Cause::Serialization, until);
    }

    /// Like [`Self::transfer`] on the way of a carriage: the narrowest link has held up the bytes, and whoever shared it.
    pub fn transfer_along(&mut self, carriage: &Carriage, until: Time) {
        let from = self.end();
        self.transfer(carriage.alone, until);
        self.path.carried_by(carriage.narrowest, self.end().since(from));
    }

    /// The message is there at an instant, behind the latency of so many links.
    pub fn arrive(&mut self, at: Time, links: u64) {
        if at > self.end() {
            self.add_span(Cause::Latency, at);
        }
        self.path.carry(at.max(self.end()), links);
    }

    /// Like [`Self::arrive`] on the way of a carriage.
    pub fn arrive_along(&mut self, at: Time, carriage: &Carriage) {
        if at > self.end() {
            self.add_span(Cause::Latency, at);
        }
        self.path.carry_along(at.max(self.end()), carriage);
    }

    /// The message has got an interface, and would be carried so.
    pub const fn expect(&mut self, carriage: Carriage) {
        self.expected = carriage;
    }

    /// The message, with which an interface began at an instant, is there at another one: what it took beyond what
    /// [was expected](Self::expect) was because of others, and of that it has waited for credits for some time.
    pub fn arrive_as_expected(&mut self, started: Time, at: Time, stalled: Duration) {
        let expected = self.expected;
        let all = at.since(self.end().max(started));
        let latency = expected.latency.min(all);
        let alone = expected.alone.min(all - latency);
        // What others added to it they may have added at another link.
        self.path.carried_by(expected.narrowest, alone);
        self.transfer_with_stalls(alone, stalled, Time::from_ps(at.as_ps() - latency.as_ps()));
        self.arrive_along(at, &expected);
    }

    fn add_span(&mut self, cause: Cause, until: Time) {
        let mut spans = self.spans as usize;
        if spans > 0 && self.causes[spans - 1] == cause {
            self.ends[spans - 1] = until;
            return;
        }
        if spans == SPANS {
            self.ends.rotate_left(1);
            self.causes.rotate_left(1);
            self.causes[0] = self.before;
            spans -= 1;
        }
        (self.ends[spans], self.causes[spans]) = (until, cause);
        self.spans = spans as u8 + 1;
    }

    /// Causes of the time since an instant, up to the end, in its order.
    pub(crate) fn since(&self, from: Time) -> impl Iterator<Item = (Cause, Duration)> + '_ {
        let spans = self.spans as usize;
        let mut start = from;
        self.ends[..spans].iter().zip(&self.causes[..spans]).filter_map(move |(&end, &cause)| {
            let time = (end > start).then(|| end.since(start))?;
            start = end;
            Some((cause, time))
        })
    }
}
