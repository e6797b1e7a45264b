//! The account of one rank while it runs.

use crate::accounts::{Accounts, CriticalPath, RankAccount, RankEnd};
use crate::path::{CallContext, Place};
use crate::steps::Steps;
use crate::{Cause, Causes, Name, Path, SoFar, Trail};
use std::collections::VecDeque;
use weir_units::{Rank, Time};

/// Purpose of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// By the rank, which has come so far; until the interface gets the message this is what time goes into.
    Own(Cause),
    /// By the rank, which has come so far and lets a partner go on that may have waited for it.
    Late,
    /// By a protocol, in reply to what has just come; where this request of the rank was posted ahead of that, from then on.
    Reply(Option<u32>),
}

/// Account of the time of a rank up to its clock, and the path that leads there.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Ledger {
    rank: Rank,
    account: Causes,
    /// Its path is that of the rank. After a wait it is replaced by the path of the awaited message, which is moved, not copied.
    own: Box<Trail>,
    context: CallContext,
    /// By phase, what the time of the rank went into, up to the account that is beside it.
    phases: Vec<(Name, Causes)>,
    in_phases: Causes,
    /// The trail of the last event that had one, until the rank has waited for it.
    lead: Option<Box<Trail>>,
    /// True if that is the event to which the rank reacts now.
    is_fresh: bool,
    /// Memory for the next trail.
    #[serde(skip)]
    spare: Option<Box<Trail>>,
    /// Requests that were posted ahead of the network, in their order, each with when the path ended and what it consisted of: the network has not come
    /// so far. The path has gone on since then by what the rank did itself, for it waits only for what comes later.
    posted: VecDeque<(u32, Time, Causes)>,
    /// The path of the last message, where the next one keeps a gap to it.
    last_send: Option<Box<Path>>,
    has_gaps: bool,
    /// Where paths have come to this rank, if that is kept.
    steps: Option<Steps>,
}

impl Ledger {
    /// Account of a rank at time zero, in no call.
    pub fn new(rank: Rank) -> Self {
        let mut own = Trail::new(&Path::default(), Cause::Other);
        own.path_mut().pass(rank);
        own.be_at(Place::new(rank, 0));
        Self {
            rank,
            account: Causes::default(),
            own,
            context: CallContext::default(),
            phases: Vec::new(),
            in_phases: Causes::default(),
            lead: None,
            is_fresh: false,
            spare: None,
            posted: VecDeque::new(),
            last_send: None,
            has_gaps: false,
            steps: None,
        }
    }

    /// The same for a rank whose messages keep gaps between them.
    #[must_use]
    pub fn with_gaps(self, has_gaps: bool) -> Self {
        Self { has_gaps, ..self }
    }

    /// Keeps the last so many steps of paths at this rank, for whoever draws the critical path; none if it is 0.
    #[must_use]
    pub fn keeping_steps(self, most: usize) -> Self {
        Self { steps: (most > 0).then(|| Steps::new(most)), ..self }
    }

    /// An event begins, with what led to it.
    #[inline]
    pub fn begin_event(&mut self, trail: Option<Box<Trail>>) {
        match trail {
            Some(trail) => {
                self.spare = self.lead.replace(trail).or(self.spare.take());
                self.is_fresh = true;
            }
            None => self.is_fresh = false,
        }
    }

    /// The time of the rank from now on belongs to this call, which was called there (empty if that is not known).
    pub fn enter(&mut self, call: &'static str, site: &'static str) {
        self.own.path_mut().charge(&self.context);
        (self.context.call, self.context.site) = (Name::of(call), Name::of(site));
    }

    /// The time of the rank from now on belongs to this phase; to none if the name is empty.
    pub fn enter_phase(&mut self, phase: &'static str) {
        self.own.path_mut().charge(&self.context);
        self.settle();
        self.context.phase = Name::of(phase);
    }

    /// The account since this was done last belongs to the phase.
    fn settle(&mut self) {
        let more = self.account.since(&self.in_phases);
        self.in_phases = self.account;
        if self.context.phase.is_empty() {
            return;
        }
        match self.phases.iter_mut().find(|(phase, _)| *phase == self.context.phase) {
            Some((_, causes)) => causes.join(&more),
            None => self.phases.push((self.context.phase, more)),
        }
    }

    /// The clock of the rank goes on until an instant, for a cause.
    #[inline]
    pub fn spend(&mut self, until: Time, cause: Cause) {
        let from = self.own.end();
        if until > from {
            self.account.add(cause, until.since(from));
            self.own.path_mut().extend(cause, until);
        }
    }

    /// The rank has waited until an instant: for what led to the event, as far as that is behind its clock; for `rest` otherwise.
    pub fn wait(&mut self, until: Time, rest: Cause) {
        let from = self.own.end();
        if until <= from {
            return;
        }
        let awaited = |trail: &mut Box<Trail>| trail.end() > from && trail.end() <= until;
        if self.is_fresh
            && let Some(mut trail) = self.lead.take_if(awaited)
        {
            self.is_fresh = false;
            for (cause, time) in trail.since(from) {
                self.account.add(cause, time);
            }
            if let Some(steps) = &mut self.steps {
                steps.arrive(self.rank, self.context.call, &mut trail);
            }
            self.spare = Some(std::mem::replace(&mut self.own, trail));
            let path = self.own.path_mut();
            path.charge(&self.context);
            path.pass(self.rank);
        }
        self.spend(until, rest);
    }

    /// Causes of the time of the rank up to an instant.
    pub fn so_far(&self, now: Time) -> SoFar {
        SoFar { causes: self.account, open: now.since(self.own.end().min(now)) }
    }

    /// A request is posted, at the clock of the rank: for replies on its behalf.
    pub fn post(&mut self, request: u32, now: Time) {
        // What comes from now on was sent later than those were posted.
        while self.posted.front().is_some_and(|(_, end, _)| *end <= now) {
            self.posted.pop_front();
        }
        if self.own.end() > now {
            self.posted.push_back((request, self.own.end(), self.own.path().causes));
        }
    }

    /// Returns the trail of a message that an interface gets at an instant.
    pub fn send(&mut self, at: Time, sending: Sending) -> Box<Trail> {
        let mut trail = self.lead_to(at, sending);
        trail.leave();
        trail
    }

    fn lead_to(&mut self, at: Time, sending: Sending) -> Box<Trail> {
        let lead = self.lead.as_ref().filter(|_| self.is_fresh).filter(|trail| at >= trail.end());
        match sending {
            Sending::Reply(posted) => {
                // A request of that number may have been posted before, and have had its message.
                let last = |request| self.posted.iter().rev().find(|(posted, ..)| *posted == request);
                let posted = posted.and_then(last);
                let posted = posted.filter(|(_, end, _)| lead.is_none_or(|lead| *end > lead.end()));
                if let Some((_, _, causes)) = posted.filter(|(_, end, _)| *end <= at) {
                    let path = self.own.path().back_to(*causes);
                    let mut trail = Self::begin(&mut self.spare, &path, Cause::LateReceiver);
                    trail.extend(Cause::StartUp, at);
                    return trail;
                }
                if let Some(lead) = lead {
                    let mut trail = lead.clone();
                    if let Some(steps) = &mut self.steps {
                        steps.arrive(self.rank, self.context.call, &mut trail);
                    }
                    trail.extend(Cause::StartUp, at);
                    return trail;
                }
                self.own(at, Cause::LateReceiver, Cause::StartUp)
            }
            Sending::Late => self.own(at, Cause::LateReceiver, Cause::StartUp),
            Sending::Own(cause) if self.has_gaps => self.behind_a_gap(at, cause),
            Sending::Own(cause) => self.own(at, Cause::LateSender, cause),
        }
    }

    /// A message of the rank itself, which has come as far as its clock.
    fn own(&mut self, at: Time, before: Cause, cause: Cause) -> Box<Trail> {
        let mut trail = Self::begin(&mut self.spare, self.own.path(), before);
        if at < trail.end() {
            trail.cut(at);
        }
        trail.extend(cause, at);
        trail
    }

    /// Like `own`, where the message before it may hold it up.
    #[inline(never)]
    fn behind_a_gap(&mut self, at: Time, cause: Cause) -> Box<Trail> {
        let last = self.last_send.take().filter(|last| at > self.own.end() && last.end() <= at);
        let trail = match last {
            Some(last) => {
                let mut trail = Self::begin(&mut self.spare, &last, Cause::LateSender);
                trail.extend(cause, at);
                trail
            }
            None => self.own(at, Cause::LateSender, cause),
        };
        self.last_send = Some(Box::new(*trail.path()));
        trail
    }

    #[inline]
    fn begin(spare: &mut Option<Box<Trail>>, path: &Path, before: Cause) -> Box<Trail> {
        match spare.take() {
            Some(mut spare) => {
                spare.begin_again(path, before);
                spare
            }
            None => Trail::new(path, before),
        }
    }

    /// Closes the account when the run is over.
    pub fn close(mut self, rank_end: RankEnd) -> Accounts {
        self.own.path_mut().charge(&self.context);
        self.settle();
        let mut last = self.lead.filter(|lead| lead.end() > self.own.end());
        if let (Some(steps), Some(last)) = (&mut self.steps, &mut last) {
            steps.arrive(self.rank, self.context.call, last);
        }
        // What came last may have been for a rank that did not wait for it.
        let path = *last.as_ref().unwrap_or(&self.own).path();
        let (rank, causes) = (self.rank, self.account);
        Accounts {
            ranks: vec![RankAccount { rank, causes, rank_end }],
            phases: self.phases.into_iter().collect(),
            critical: CriticalPath { rank, path },
            steps: self.steps.into_iter().map(|steps| (rank, steps)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_units::Duration;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    fn of(causes: &Causes) -> Vec<(Cause, u64)> {
        let all = Cause::ALL.into_iter().map(|cause| (cause, causes.of(cause).as_ps()));
        all.filter(|&(_, time)| time > 0).collect()
    }

    /// A request to send comes at 5; the receive was posted at 8, by a rank that is at 20 already: cleared at 9.
    #[test]
    fn a_reply_begins_when_its_receive_was_posted() {
        let mut ledger = Ledger::new(Rank(0));
        ledger.spend(at(8), Cause::Compute);
        ledger.post(3, at(0));
        ledger.spend(at(20), Cause::Compute);
        let mut asked = Ledger::new(Rank(1)).send(at(0), Sending::Own(Cause::StartUp));
        asked.arrive(at(5), 1);
        (ledger.lead, ledger.is_fresh) = (Some(asked), true);
        let reply = ledger.send(at(9), Sending::Reply(Some(3)));
        assert_eq!(of(&reply.path().causes), [(Cause::Compute, 8), (Cause::StartUp, 1)]);
        assert_eq!(reply.since(at(2)).next(), Some((Cause::LateReceiver, Duration::from_ps(6))));
        // The interface has a message earlier than the clock says.
        let early = ledger.send(at(12), Sending::Own(Cause::StartUp));
        assert_eq!(of(&early.path().causes), [(Cause::Compute, 12)]);
        assert_eq!(early.since(at(2)).next(), Some((Cause::LateSender, Duration::from_ps(10))));
    }
}
