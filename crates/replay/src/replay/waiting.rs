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
use weir_formats::profile::{
    ALONE, Act, Event, PollFirst, Profile, ReceiveSource, Request, WORLD, WindowAct,
};
use weir_message::{Actions, AwaitedMessage, Body, RequestId, SharedObserver};
use weir_network::{Peer, Waiting};
use weir_units::{Duration, Rank, Time};

/// Nothing that happens ends the look in vain.
pub(super) const NEVER: u64 = u64::MAX;

/// Returns whether a call first lets time come up to the rank's clock.
pub(crate) fn looks(act: &Act) -> bool {
    match act {
        Act::Poll { .. } | Act::File { .. } | Act::See { .. } => true,
        Act::Wait { look, .. } | Act::Probe { look, .. } | Act::Match { look, .. } => *look == PollFirst::Yes,
        Act::Window { act, .. } => matches!(**act, WindowAct::Wait { look: PollFirst::Yes }),
        _ => false,
    }
}

/// The requests that an event waits for, or sees the end of.
pub(super) fn ended_by(event: Option<&Event>) -> &[Request] {
    match event {
        Some(Event { act: Act::Wait { requests, .. } | Act::See { requests }, .. }) => requests.as_slice(),
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

    /// The same rank, watched: each event is a call with the name of its kind, without the computing before it.
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

    /// Returns whether a request is among those that the event under way waits for, from this place on.
    fn awaits_from(&self, place: usize, id: RequestId) -> bool {
        let event = self.shared.profile.events(self.process.rank()).get(self.next);
        ended_by(event)[place..].iter().any(|&Request(number)| self.requests[number as usize] == id)
    }

    pub(super) fn who_is_awaited(&self) -> Option<Waiting> {
        let rank = self.process.rank();
        let event = self.shared.profile.events(rank).get(self.next);
        let (peer, mut details) = match &self.state {
            ReplayState::Over => return None,
            ReplayState::One(id) | ReplayState::Cancel(id) => self.process.explain(&[*id]),
            ReplayState::Several(_) => {
                let ids = ended_by(event).iter().map(|request| self.requests[request.0 as usize]);
                self.process.explain(&ids.collect::<Vec<_>>())
            }
            ReplayState::Window(window, until) => self.process.explain_window(*window, *until),
            ReplayState::Probe(communicator, selector) => {
                self.process.explain_probe(*communicator, selector.source, selector.tag)
            }
            _ => (Peer::Any, Vec::new()),
        };
        let call =
            event.map_or_else(|| "end".into(), |event| format!("{} (event {})", event.act.name(), self.next));
        if let (Some(event), Peer::Rank(peer)) = (event, peer) {
            details.extend(self.both_sides(event, peer).map(|both| ("profile", both)));
        }
        Some(Waiting { rank, call, peer, details })
    }

    /// Number of messages from one rank to the other, and of those that are awaited there, if they differ.
    fn both_sides(&self, event: &Event, peer: Rank) -> Option<String> {
        let own = self.process.rank();
        let profile = &self.shared.profile;
        let (from, to, communicator, tag) = match event.act {
            Act::Send { communicator, tag, .. } => (own, peer, communicator, tag),
            Act::Receive { from: ReceiveSource { tag: Some(tag), .. }, communicator, .. }
            | Act::Probe { from: ReceiveSource { tag: Some(tag), .. }, communicator, .. } => {
                (peer, own, communicator, tag)
            }
            _ => return None,
        };
        let rank_of = |rank| world_rank(profile, communicator, own, rank);
        let counts = |event: &&Event| match event.act {
            Act::Send { to: Some(other), tag: its, communicator: there, .. } => {
                (its, there, rank_of(other)) == (tag, communicator, Some(to))
            }
            _ => false,
        };
        let awaits = |event: &&Event| match event.act {
            Act::Receive { from: asked, communicator: there, .. } => {
                (asked.tag, there, asked.source.and_then(rank_of)) == (Some(tag), communicator, Some(from))
            }
            _ => false,
        };
        let sent = profile.events(from).iter().filter(counts).count();
        let received = profile.events(to).iter().filter(awaits).count();
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
