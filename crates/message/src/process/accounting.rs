//! The clock of a rank, and what its time goes into: every step of the clock has a cause.

use super::Process;
use super::matched_by::MatchedBy;
use crate::{Body, RequestId};
use weir_network::Actions;
use weir_network::causes::{Cause, Ledger, Sending};
use weir_units::{Duration, Time};

/// The call that a rank is in outside of all calls.
const OWN_WORK: &str = "own work";

impl Process {
    /// An event begins: to be called by the owner of the process before it passes the event on. What led to it is kept, if what
    /// time goes into is asked for.
    #[inline]
    pub fn begin_event(&mut self, actions: &mut Actions<Body>) {
        if actions.keeps_causes() {
            self.account_for_event(actions);
        }
    }

    #[inline(never)]
    fn account_for_event(&mut self, actions: &mut Actions<Body>) {
        let (rank, has_gaps) = (self.rank, self.costs.gap > Duration::ZERO);
        let path_steps = actions.path_steps();
        let ledger = self.ledger.get_or_insert_with(|| {
            let mut ledger = Ledger::new(rank).with_gaps(has_gaps).keeping_steps(path_steps);
            ledger.enter(OWN_WORK, "");
            Box::new(ledger)
        });
        ledger.begin_event(actions.take_trail());
    }

    /// Where the account of this rank is, if it keeps one.
    pub const fn ledger(&mut self) -> &mut Option<Box<Ledger>> {
        &mut self.ledger
    }

    /// The rank does something now: its clock is not behind.
    #[inline]
    pub fn wake(&mut self, now: Time) {
        self.wait_until(now, Cause::Other);
    }

    /// Sets the clock of a rank of several threads to that of the one whose call it is; what it was. No account is kept of it.
    pub fn set_clock(&mut self, clock: Time) -> Time {
        std::mem::replace(&mut self.clock, clock)
    }

    /// The rank has waited for a request that is complete since `at`: what it did not wait for a message is start-up.
    #[inline]
    pub(super) fn wait_for_completion(&mut self, at: Time) {
        self.wait_until(at, Cause::StartUp);
    }

    #[inline]
    fn wait_until(&mut self, until: Time, rest: Cause) {
        if until > self.clock {
            if self.is_observed() {
                self.observe_waiting(until);
            }
            self.clock = until;
            if let Some(ledger) = &mut self.ledger {
                ledger.wait(until, rest);
            }
        }
    }

    #[inline]
    pub(super) fn spend(&mut self, time: Duration, cause: Cause) {
        self.clock += time;
        if let Some(ledger) = &mut self.ledger {
            ledger.spend(self.clock, cause);
        }
    }

    /// Returns whether the causes of its time are kept.
    #[inline]
    #[must_use]
    pub fn keeps_causes(&self) -> bool {
        self.ledger.is_some()
    }

    #[inline]
    pub(crate) fn enter_call(&mut self, name: &'static str, site: &'static str) {
        if let Some(ledger) = &mut self.ledger {
            ledger.enter(name, site);
        }
    }

    /// The rank leaves the call: what it does now is its own work.
    #[inline]
    pub(crate) fn leave_call(&mut self) {
        self.enter_call(OWN_WORK, "");
    }

    /// The rank enters this phase of the program; none if the name is empty.
    pub fn enter_phase(&mut self, phase: &'static str) {
        if let Some(ledger) = &mut self.ledger {
            ledger.enter_phase(phase);
        }
    }

    /// The message sent last takes along what led to it: it is the rank's own.
    #[inline]
    pub(super) fn account_for_send(&mut self, actions: &mut Actions<Body>) {
        self.account_for(actions, Sending::Own(Cause::StartUp));
    }

    /// The same for one that a protocol sends because of the message that has just come.
    #[inline]
    pub(super) fn account_for_reply(&mut self, actions: &mut Actions<Body>) {
        self.account_for(actions, Sending::Reply(None));
    }

    /// The same for the clearance of a message that a receive has taken.
    #[inline]
    pub(super) fn account_for_clearance(
        &mut self,
        actions: &mut Actions<Body>,
        receive: RequestId,
        found: MatchedBy,
    ) {
        let sending = match found {
            MatchedBy::Receive => Sending::Late,
            MatchedBy::Message => Sending::Reply(Some(receive.0)),
        };
        self.account_for(actions, sending);
    }

    #[inline]
    pub(super) fn account_for(&mut self, actions: &mut Actions<Body>, sending: Sending) {
        if let Some(ledger) = &mut self.ledger {
            actions.attach(|at| ledger.send(at, sending));
        }
    }

    /// A receive is posted, and nothing has come for it.
    #[inline]
    pub(super) fn account_for_posting(&mut self, actions: &Actions<Body>, receive: RequestId) {
        if let Some(ledger) = &mut self.ledger {
            ledger.post(receive.0, actions.now());
        }
    }
}
