//! When a rank that computes answers what the protocols ask of it.
//!
//! ```text
//!   ProgressRule::Always             Calls                            Polls(interval)
//!
//!   rank    network                  rank    network                  rank    network
//!   | call                           | call                           | call
//!   # computes                       # computes                       # computes
//!   #  <--- request to send          #  <--- request to send          #  <--- request to send
//!   #  ---> clearance                #                                #
//!   #                                #                                #  ---> clearance, at a poll
//!   | call                           | call  ---> clearance           | call
//! ```
//! A rank computes before its next call: [`Process::compute`] moves its clock ahead, and what comes until the network has got
//! there finds it computing. So the spans of time in which it computes are known before anything can come in them.

use super::Process;
use crate::ProgressRule;
use std::collections::VecDeque;
use weir_network::causes::Cause;
use weir_units::{Duration, Time};

/// The spans of time ahead of the network in which a rank computes, in their order; nobody calls the library in them.
#[derive(Debug, Default)]
pub(super) struct Computing {
    spans: VecDeque<Span>,
    /// The rank has made no call that makes progress since the last span.
    goes_on: bool,
}

/// From when on, and when the next call begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    from: Time,
    until: Time,
}

impl Computing {
    fn add(&mut self, from: Time, until: Time) {
        match self.spans.back_mut() {
            Some(last) if self.goes_on && last.until == from => last.until = until,
            _ => self.spans.push_back(Span { from, until }),
        }
        self.goes_on = true;
    }

    /// When the rank sees what comes now.
    fn sees(&mut self, rule: ProgressRule, now: Time) -> Time {
        while self.spans.front().is_some_and(|span| span.until <= now) {
            self.spans.pop_front();
        }
        match self.spans.front() {
            Some(span) if span.from <= now => rule.sees(now, (span.from, span.until)),
            _ => now,
        }
    }
}

impl Process {
    /// The rank computes, outside of the library, what takes so long where nothing is said of its work ([`Costs::work`](crate::Costs::work)).
    pub fn compute(&mut self, duration: Duration) {
        self.computed += duration;
        self.keep_busy(self.costs.work.scaled(self.rank, duration));
    }

    /// Threads of the rank have computed this beside the one whose clock this is.
    pub fn has_computed(&mut self, duration: Duration) {
        self.computed += duration;
    }

    /// Time that it has computed, without factors of its work.
    pub const fn computed(&self) -> Duration {
        self.computed
    }

    /// Lets processor time pass outside of the library, however long the rank takes for its work.
    pub fn keep_busy(&mut self, duration: Duration) {
        let from = self.clock;
        self.spend(duration, Cause::Compute);
        if let Some(computing) = &mut self.computing
            && duration > Duration::ZERO
        {
            computing.add(from, self.clock);
        }
    }

    /// The rank has made a call in which the library makes progress: what it computes from now on is a span of its own. Sends,
    /// receives, collectives and the ends of requests say so themselves; an owner says so of a probe.
    #[inline]
    pub fn makes_progress(&mut self) {
        if let Some(computing) = &mut self.computing {
            computing.goes_on = false;
        }
    }

    /// When the library of this rank sees what comes now: at once, unless the rank computes.
    #[inline]
    pub(super) fn sees(&mut self, now: Time) -> Time {
        match &mut self.computing {
            None => now,
            Some(computing) => computing.sees(self.costs.progress, now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Time {
        Time::ZERO + Duration::from_ns(ns)
    }

    /// Computes from 10 to 30 and, without a call between, to 50; calls at 50, and computes to 60.
    fn computing() -> Computing {
        let mut computing = Computing::default();
        computing.add(ns(10), ns(30));
        computing.add(ns(30), ns(50));
        computing.goes_on = false;
        computing.add(ns(50), ns(60));
        computing
    }

    #[test]
    fn what_comes_is_seen_in_the_next_call() {
        let mut computing = computing();
        let found = [0, 9, 10, 29, 30, 49, 50, 59, 60].map(|at| computing.sees(ProgressRule::Calls, ns(at)));
        assert_eq!(found, [0, 9, 50, 50, 50, 50, 60, 60, 60].map(ns));
        assert!(computing.spans.is_empty());
    }

    /// Polls at 10, 22, 34, 46 and then the call at 50; at 50, and the call at 60.
    #[test]
    fn a_poll_sees_what_has_come_since_the_last() {
        let mut computing = computing();
        let rule = ProgressRule::Polls(Duration::from_ns(12));
        let found = [9, 10, 11, 22, 23, 46, 47, 50, 51, 61].map(|at| computing.sees(rule, ns(at)));
        assert_eq!(found, [9, 10, 22, 22, 34, 46, 50, 50, 60, 61].map(ns));
        // No poll but the first, when the rank begins: what comes at that instant is seen, what comes later is not.
        let once = |at| ProgressRule::Polls(Duration::MAX).sees(ns(at), (ns(1), ns(9)));
        assert_eq!([once(1), once(2)], [ns(1), ns(9)]);
    }
}
