//! Waiting of a rank: looks in vain, its end, whom it waits for, and how long it has waited.
//!
//! A rank that looks in vain sleeps as long as it did when it was logged, and goes on at the same place among what happens to it.
//!
//! ```text
//!   begin -> time comes up to the rank's clock -> sleep until `time` -> has what came then woken the rank?
//!                                                                        no: over    yes: until it has come
//! ```
//! A message that comes meanwhile finds a rank that sleeps, not one that is ahead. Where several things happen at the instant at which
//! a look is over, what the rank does next comes between them.

use super::{Replay, ReplayState};
use crate::setting::Rounds;
use weir_formats::profile::Profile;
use weir_message::{Actions, AwaitedMessage, Body, RequestId, SharedObserver};
use weir_network::{Peer, Waiting};
use weir_operations::{ALONE, Operation, PollFirst, ReceiveSource, Step, WORLD, WindowOperation};
use weir_units::{Duration, Rank, Time};

/// Nothing that happens ends the look in vain.
pub(super) const NEVER: u64 = u64::MAX;

/// Returns whether a call first lets time come up to the rank's clock.
pub(crate) fn looks(operation: &Operation) -> bool {
    match operation {
        Operation::Poll { .. } | Operation::File { .. } | Operation::See { .. } => true,
        Operation::Wait { look, .. } | Operation::Probe { look, .. } | Operation::Match { look, .. } => {
            *look == PollFirst::Yes
        }
        Operation::Window { operation, .. } => {
            matches!(**operation, WindowOperation::Wait { look: PollFirst::Yes })
        }
        _ => false,
    }
}

/// The requests that an step waits for, or sees the end of.
pub(super) fn ended_by(step: Option<&Step>) -> &[RequestId] {
    match step {
        Some(Step { operation: Operation::Wait { requests, .. } | Operation::See { requests }, .. }) => {
            requests.as_slice()
        }
        _ => &[],
    }
}

impl Replay {
    /// A look in vain: sleeps until an instant, and if something is to come at that instant, until it has come. On another
    /// machine nothing may come then: the look ends a picosecond later, when nothing more can come at the instant.
    pub(super) fn sleep(&mut self, until: Time, actions: &mut Actions) {
        let now = actions.now();
        if until <= now && !self.awaits_more() {
            return self.over();
        }
        let at = if until > now { until } else { now + Duration::from_ps(1) };
        self.tokens += 1;
        actions.set_timer(at, self.tokens);
        self.state = ReplayState::Sleep { until, token: self.tokens };
    }

    /// Returns whether something is still to come that ends the look in vain.
    fn awaits_more(&self) -> bool {
        self.awaited != NEVER && self.process.changes() < self.awaited
    }

    /// The timer of a look in vain fires.
    pub(super) fn end_sleep(&mut self, until: Time, actions: &mut Actions) {
        if actions.now() == until && self.awaits_more() {
            return self.sleep(until, actions);
        }
        self.wake(actions);
        self.over();
    }

    /// Behind the last event: goes back to the first one, if there is another round.
    pub(super) fn begins_again(&mut self) -> bool {
        self.rounds += 1;
        let goes_on = match self.shared.ground.setting.rounds {
            Rounds::Times(times) => self.rounds < times && self.next > 0,
            Rounds::Endless => self.has_waited,
        };
        if goes_on {
            (self.next, self.has_waited) = (0, false);
        }
        goes_on
    }

    /// The rank is at its end: the run comes up to its clock.
    pub(super) fn end(&mut self, actions: &mut Actions) {
        let clock = self.process.clock();
        self.state = ReplayState::Over;
        if clock > actions.now() {
            self.tokens += 1;
            actions.set_timer(clock, self.tokens);
            self.state = ReplayState::Ending(self.tokens);
        }
    }

    /// The same rank, watched: each step is a call with the name of its kind, without the computing before it.
    #[must_use]
    pub fn observed_by(mut self, observer: SharedObserver) -> Self {
        self.process = self.process.observed_by(observer);
        self
    }

    /// Notes how long the rank has waited for a message that is about to arrive, if it waits for what that is part of.
    pub(super) fn note_waiting(&self, body: &Body, actions: &mut Actions) {
        if !actions.are_noted() {
            return;
        }
        let waits = match (self.process.meant(body), &self.state) {
            (None, _) => return,
            (Some(AwaitedMessage::Request(id)), ReplayState::One(awaited) | ReplayState::Cancel(awaited)) => {
                id == *awaited
            }
            (Some(AwaitedMessage::Request(id)), ReplayState::Several(place)) => self.awaits_from(*place, id),
            (Some(AwaitedMessage::Unmatched(envelope)), ReplayState::Probe(_, selector)) => {
                selector.takes(envelope)
            }
            _ => false,
        };
        let waited = if waits { actions.now().since(self.process.clock()) } else { Duration::ZERO };
        actions.note_waited(waited);
    }

    /// Returns whether a request is among those that the step under way waits for, from this place on.
    fn awaits_from(&self, place: usize, id: RequestId) -> bool {
        let step = self.shared.profile.steps(self.process.rank()).get(self.next);
        ended_by(step)[place..].iter().any(|&RequestId(number)| self.requests[number as usize] == id)
    }

    pub(super) fn who_is_awaited(&self) -> Option<Waiting> {
        let rank = self.process.rank();
        let step = self.shared.profile.steps(rank).get(self.next);
        let (peer, mut details) = match &self.state {
            ReplayState::Over => return None,
            ReplayState::One(id) | ReplayState::Cancel(id) => self.process.explain(&[*id]),
            ReplayState::Several(_) => {
                let ids = ended_by(step).iter().map(|request| self.requests[request.0 as usize]);
                self.process.explain(&ids.collect::<Vec<_>>())
            }
            ReplayState::Window(window, until) => self.process.explain_window(*window, *until),
            ReplayState::Probe(communicator, selector) => {
                self.process.explain_probe(*communicator, selector.source, selector.tag)
            }
            _ => (Peer::Any, Vec::new()),
        };
        let call = step
            .map_or_else(|| "end".into(), |step| format!("{} (event {})", step.operation.name(), self.next));
        if let (Some(step), Peer::Rank(peer)) = (step, peer) {
            details.extend(self.both_sides(step, peer).map(|both| ("profile", both)));
        }
        Some(Waiting { rank, call, peer, details })
    }

    /// Number of messages from one rank to the other, and of those that are awaited there, if they differ.
    fn both_sides(&self, step: &Step, peer: Rank) -> Option<String> {
        let own = self.process.rank();
        let profile = &self.shared.profile;
        let (from, to, communicator, tag) = match step.operation {
            Operation::Send { communicator, tag, .. } => (own, peer, communicator, tag),
            Operation::Receive { from: ReceiveSource { tag: Some(tag), .. }, communicator, .. }
            | Operation::Probe { from: ReceiveSource { tag: Some(tag), .. }, communicator, .. } => {
                (peer, own, communicator, tag)
            }
            _ => return None,
        };
        let rank_of = |rank| world_rank(profile, communicator, own, rank);
        let counts = |step: &&Step| match step.operation {
            Operation::Send { to: Some(other), tag: its, communicator: there, .. } => {
                (its, there, rank_of(other)) == (tag, communicator, Some(to))
            }
            _ => false,
        };
        let awaits = |step: &&Step| match step.operation {
            Operation::Receive { from: asked, communicator: there, .. } => {
                (asked.tag, there, asked.source.and_then(rank_of)) == (Some(tag), communicator, Some(from))
            }
            _ => false,
        };
        let sent = profile.steps(from).iter().filter(counts).count();
        let received = profile.steps(to).iter().filter(awaits).count();
        (sent != received).then(|| {
            format!("rank {from} sends {sent} such messages to rank {to}, which receives {received} of them by name")
        })
    }
}

/// The rank of the world that a communicator's rank is, as `own` sees it.
fn world_rank(profile: &Profile, communicator: u32, own: Rank, rank: u32) -> Option<Rank> {
    match communicator {
        WORLD => Some(Rank(rank)),
        ALONE => Some(own),
        number => profile.communicators.members(number)?.get(rank as usize).copied(),
    }
}
