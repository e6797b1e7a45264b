//! The clock of a rank, and what its time goes into: every step of the clock has a cause. Messages cost time by the node of the other rank,
//! its own or another, and by how well the two know each other.

use super::Process;
use super::sending::Copies;
use crate::request::Running;
use crate::{Actions, Costs, Data, Overhead, RequestId};
use weir_network::causes::{Cause, Ledger, Sending};
use weir_units::{Bytes, Duration, Rank, Time};

/// The call that a rank is in outside of all calls.
pub(crate) const OWN_WORK: &str = "own work";

impl Process {
    /// An event begins: to be called by the owner of the process before it passes the event on. What led to it is kept, if what
    /// time goes into is asked for.
    #[inline]
    pub fn begin_event(&mut self, actions: &mut Actions) {
        if actions.keeps_causes() {
            self.account_for_event(actions);
        }
    }

    #[inline(never)]
    fn account_for_event(&mut self, actions: &mut Actions) {
        // Of several jobs the run has one account, in which ranks are numbered as in the run.
        let (rank, has_gaps) = (actions.rank(), self.costs.gap > Duration::ZERO);
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
    pub fn keeps_causes(&self) -> bool {
        self.ledger.is_some()
    }

    #[inline]
    pub(crate) fn enter_call(&mut self, name: &'static str, site: &'static str) {
        if let Some(ledger) = &mut self.ledger {
            ledger.enter(name, site);
        }
    }

    /// The rank enters this phase of the program; none if the name is empty.
    pub fn enter_phase(&mut self, phase: &'static str) {
        if let Some(ledger) = &mut self.ledger {
            ledger.enter_phase(phase);
        }
    }

    /// The message sent last takes along what led to it: it is the rank's own.
    #[inline]
    pub(super) fn account_for_send(&mut self, actions: &mut Actions) {
        self.account_for(actions, Sending::Own(Cause::StartUp));
    }

    /// The same for one that a protocol sends because of the message that has just come.
    #[inline]
    pub(super) fn account_for_reply(&mut self, actions: &mut Actions) {
        self.account_for(actions, Sending::Reply(None));
    }

    #[inline]
    pub(super) fn account_for(&mut self, actions: &mut Actions, sending: Sending) {
        if let Some(ledger) = &mut self.ledger {
            actions.attach(|at| ledger.send(at, sending));
        }
    }

    /// A receive is posted, and nothing has come for it.
    #[inline]
    pub(super) fn account_for_posting(&mut self, actions: &Actions, receive: RequestId) {
        if let Some(ledger) = &mut self.ledger {
            ledger.post(receive.0, actions.now());
        }
    }

    /// Processor time of a message to a rank, without a copy.
    #[inline]
    pub(super) fn send_time(&self, to: Rank, bytes: Bytes) -> Duration {
        let Costs { send, .. } = &*self.costs;
        self.costs.between(self.rank, to).map_or(send, |local| &local.send).of(bytes)
    }

    /// Processor time of handing a message over, its copy included.
    #[inline(always)] // so that a message asks once for what several of its costs depend on
    pub(super) fn handing_time(&self, to: Rank, copies: Copies, bytes: Bytes) -> Duration {
        let copy = match copies {
            Copies::None => Duration::ZERO,
            Copies::One => self.costs.eager_copy(bytes),
        };
        self.send_time(to, bytes) + copy
    }

    /// Up to how many bytes a message to a rank goes without asking it.
    #[inline]
    pub(super) fn eager_limit(&self, to: Rank) -> Bytes {
        self.costs.between(self.rank, to).map_or(self.costs.eager_limit, |local| local.eager_limit)
    }

    /// From when both are ready to when this rank lets a message of so many bytes of another one go.
    pub(super) fn rendezvous_time(&self, from: Rank, bytes: Bytes) -> Duration {
        let local = self.costs.between(self.rank, from);
        local.map_or(&self.costs.rendezvous, |local| &local.rendezvous).of(bytes)
    }

    /// The rank has seen that these data are there. Those that nobody has sent cost as much as those of another node.
    #[inline(always)] // so that a message asks once for what several of its costs depend on
    pub(super) fn pay_for_receive(&mut self, from: Option<Rank>, data: &Data) {
        let local = from.and_then(|from| self.costs.between(self.rank, from));
        let receive: &Overhead = local.map_or(&self.costs.receive, |local| &local.receive);
        self.spend(receive.of(Bytes(data.length())), Cause::StartUp);
    }

    /// A message of a collective is there: the rank has seen that, or its interface, where the interfaces carry it out.
    pub(super) fn pay_for_part(&mut self, running: &Running, from: Option<Rank>, data: &Data) {
        if running.is_of_interfaces() {
            self.spend(self.costs.hardware_message, Cause::StartUp);
        } else {
            self.pay_for_receive(from, data);
        }
    }

    /// When the node gets a message that this rank has ready; an eager one has so many bytes.
    #[inline(always)] // so that a message asks once for what several of its costs depend on
    pub(super) fn hand_over(&mut self, to: Rank, eager: Option<Bytes>) -> Time {
        let ready = if self.costs.are_neighbors(self.rank, to) { self.clock } else { self.fetch(eager) };
        let local = self.costs.between(self.rank, to).and_then(|local| local.gap);
        if local.is_none() && self.costs.gap_turns > 1 {
            return self.hand_over_in_turn(ready);
        }
        let next = if local.is_some() { &mut self.next_local } else { &mut self.next_message };
        let at = ready.max(*next);
        *next = at + local.unwrap_or(self.costs.gap);
        at
    }

    /// When the interface has a message that this rank has ready, behind those before it.
    #[inline]
    fn fetch(&mut self, eager: Option<Bytes>) -> Time {
        let latency = eager.map_or(Duration::ZERO, |bytes| self.costs.eager_latency.of(bytes));
        self.fetched = self.fetched.max(self.clock + latency);
        self.fetched
    }

    /// The same where several interfaces take turns: that of this message has got the one so many before it.
    fn hand_over_in_turn(&mut self, ready: Time) -> Time {
        let turns = &mut self.rare.get_or_insert_default().next_by_turn;
        let free = if turns.len() < self.costs.gap_turns as usize { None } else { turns.pop_front() };
        let at = ready.max(free.unwrap_or(Time::ZERO));
        turns.push_back(at + self.costs.gap);
        at
    }
}

/// The first so many ranks that messages have come from or gone to, for which a rank keeps large buffers; further ones are not kept, so memory
/// is bounded.
#[derive(Debug, Default)]
pub(super) struct Partners {
    /// Sorted.
    near: Vec<Rank>,
}

impl Partners {
    /// Returns whether `other` is among the first `most`; if there are fewer yet, it becomes one of them.
    pub(super) fn is_near(&mut self, other: Rank, most: u32) -> bool {
        match self.near.binary_search(&other) {
            Ok(_) => true,
            Err(place) if self.near.len() < most as usize => {
                self.near.insert(place, other);
                true
            }
            Err(_) => false,
        }
    }
}
