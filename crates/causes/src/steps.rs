//! Where paths have come to ranks, for whoever draws the critical path.
//!
//! ```text
//!   rank 3   ===========.                     left: the interface has got the message
//!   behind others        ---.                 started: an interface has begun with it
//!   message                  ~~~~~~~.
//!   rank 5                           =====    arrived: a step of rank 5
//! ```
//! # Model
//! A rank that goes on with the path of a message keeps a [`Step`]: where the path was before, and when it left that. So does a rank for which a
//! protocol replies at once. A path knows its last step and no others; from the end of the critical path the steps lead back to time zero. A rank
//! keeps its last steps, up to a number.

use crate::path::Place;
use crate::{Cause, Name, Trail};
use std::collections::{BTreeMap, VecDeque};
use weir_units::{Duration, Rank, Time};

/// A path has come to a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Step {
    arrived: Time,
    /// Where it was before.
    before: Place,
    /// When it left that.
    left: Time,
    /// Whose message came, and when an interface began with it.
    sender: Rank,
    started: Time,
    /// Number of messages that the path has followed by now.
    messages: u64,
    latency: Duration,
    serialization: Duration,
    credits: Duration,
    call: Name,
}

/// The last steps of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Steps {
    last: VecDeque<Step>,
    /// Number of steps before those.
    dropped: u64,
    most: usize,
}

impl Steps {
    /// Keeps so many, at least one.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// A trail ends at a rank in a call: the path has come there.
    pub(crate) fn arrive(&mut self, rank: Rank, call: Name, trail: &mut Trail) {
        if self.last.len() >= self.most {
            self.last.pop_front();
            self.dropped += 1;
        }
        let (before, left) = trail.path().place();
        let (sender, started) = trail.started().unwrap_or((before.rank(), left));
        let [mut latency, mut serialization, mut credits] = [Duration::ZERO; 3];
        for (cause, time) in trail.since(started) {
            match cause {
                Cause::Latency => latency += time,
                Cause::Serialization => serialization += time,
                Cause::Credits => credits += time,
                _ => {}
            }
        }
        let (arrived, messages) = (trail.end(), trail.path().messages);
        self.last.push_back(Step {
            arrived,
            before,
            left,
            sender,
            started,
            messages,
            latency,
            serialization,
            credits,
            call,
        });
        trail.be_at(Place::new(rank, self.dropped + self.last.len() as u64));
    }

    fn get(&self, step: u64) -> Option<&Step> {
        let place = step.checked_sub(self.dropped + 1)?;
        self.last.get(usize::try_from(place).ok()?)
    }
}

/// Where the critical path is from when to when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPart {
    /// From when.
    pub from: Time,
    /// Until when.
    pub until: Time,
    /// Where.
    pub what: PathPlace,
}

/// Where the critical path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPlace {
    /// At a rank.
    Rank(Rank),
    /// At the interface of a rank's node: behind other messages, or until the rank's own message has left.
    Interface(Rank),
    /// A message is on its way from one rank to another.
    Message {
        /// Who sent it.
        from: Rank,
        /// Who got it.
        to: Rank,
        /// The latencies of its way.
        latency: Duration,
        /// Its bytes.
        serialization: Duration,
        /// Time for which it waited for credits.
        credits: Duration,
        /// The call in which the rank was that got it.
        call: &'static str,
    },
}

/// The critical path, or the last part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnPath {
    /// In the order of time, each from where the one before it ends.
    pub parts: Vec<PathPart>,
    /// From when on it is known.
    pub from: Time,
}

/// Goes back from the step `last`, at whose rank the run ended at `end`, over so many steps at most.
pub(crate) fn back(all: &BTreeMap<Rank, Steps>, last: Place, end: Time, most: usize) -> DrawnPath {
    let mut parts = Vec::new();
    let (mut place, mut until) = (last, end);
    let mut add = |from: Time, until: Time, what: PathPlace| {
        // Clocks of ranks may be ahead of the end of a run that did not finish.
        let (from, until) = (from.min(end), until.min(end));
        if from < until || matches!(what, PathPlace::Message { .. }) {
            parts.push(PathPart { from, until, what });
        }
    };
    for _ in 0..most {
        let rank = place.rank();
        if place.step() == 0 {
            add(Time::ZERO, until, PathPlace::Rank(rank));
            until = Time::ZERO;
            break;
        }
        let Some(step) = all.get(&rank).and_then(|steps| steps.get(place.step())) else { break };
        add(step.arrived, until, PathPlace::Rank(rank));
        let before = messages_at(all, step.before);
        let is_message = before.is_none_or(|before| step.messages > before);
        let &Step { sender, latency, serialization, credits, call, .. } = step;
        let call = call.text();
        let what = if is_message {
            PathPlace::Message { from: sender, to: rank, latency, serialization, credits, call }
        } else {
            PathPlace::Interface(sender)
        };
        add(step.started, step.arrived, what);
        add(step.left, step.started, PathPlace::Interface(step.before.rank()));
        (place, until) = (step.before, step.left);
    }
    parts.reverse();
    DrawnPath { parts, from: until.min(end) }
}

/// Number of messages that a path at a step has followed, if that is known.
fn messages_at(all: &BTreeMap<Rank, Steps>, place: Place) -> Option<u64> {
    if place.step() == 0 { Some(0) } else { Some(all.get(&place.rank())?.get(place.step())?.messages) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::contradiction;
    use crate::{Accounts, Ledger, RankEnd, Sending};

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    /// Two ranks send each other a message in turn, which takes 10; then the receiver works for 5. Each keeps so many steps.
    fn played(rounds: u64, most: usize) -> Accounts {
        let mut ledgers = [0, 1].map(|rank| Ledger::new(Rank(rank)).keeping_steps(most));
        for round in 0..rounds {
            let (from, now) = ((round % 2) as usize, 15 * round);
            let mut trail = ledgers[from].send(at(now), Sending::Own(Cause::StartUp));
            trail.arrive(at(now + 10), 1);
            let to = &mut ledgers[1 - from];
            to.begin_event(Some(trail));
            to.wait(at(now + 10), Cause::Other);
            to.spend(at(now + 15), Cause::Compute);
        }
        let [one, other] = ledgers.map(|ledger| ledger.close(RankEnd::Done));
        one.join(other)
    }

    #[test]
    fn a_path_is_known_as_far_back_as_steps_are_kept() {
        let end = at(90);
        let of = |steps, most| {
            let mut accounts = played(6, steps);
            let drawn = accounts.take_path(end, most).expect("steps are kept");
            assert_eq!(contradiction(&drawn, &accounts.critical().path), None, "{drawn:?}");
            assert_eq!(accounts.take_path(end, most), None);
            (drawn.parts.len(), drawn.from)
        };
        // A message and the work behind it, six times; the start of a rank has no time here.
        assert_eq!(of(3, 7), (12, at(0)));
        assert_eq!(of(2, 7), (8, at(30)));
        assert_eq!(of(3, 2), (4, at(60)));
        assert_eq!(played(6, 0).take_path(end, 7), None);
    }

    /// A run that ended before its clocks: what is beyond is not drawn.
    #[test]
    fn nothing_is_drawn_beyond_the_end() {
        let drawn = played(2, 9).take_path(at(27), 9).expect("steps are kept");
        let last = PathPart { from: at(25), until: at(27), what: PathPlace::Rank(Rank(0)) };
        assert_eq!((drawn.parts.len(), drawn.parts[3]), (4, last));
    }

    #[test]
    fn parts_that_do_not_add_up_are_found() {
        let mut accounts = played(3, 9);
        let drawn = accounts.take_path(at(45), 9).expect("steps are kept");
        let path = &accounts.critical().path;
        for change in [
            |drawn: &mut DrawnPath| _ = drawn.parts.remove(2),
            |drawn: &mut DrawnPath| drawn.parts[0].what = PathPlace::Rank(Rank(0)),
            |drawn: &mut DrawnPath| drawn.from = at(1),
        ] {
            let mut other = drawn.clone();
            change(&mut other);
            assert_ne!(contradiction(&other, path), None, "{other:?}");
        }
    }
}
