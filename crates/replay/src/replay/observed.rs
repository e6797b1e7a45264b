//! Observers of a rank of a replay: they get its events as calls, and how long it has waited for messages.

use super::{Replay, ReplayState};
use weir_formats::profile::{Act, Event, Request};
use weir_message::{AwaitedMessage, Body, RequestId, SharedObserver};
use weir_network::Actions;
use weir_units::Duration;

impl Replay {
    /// The same rank, watched: each event is a call with the name of its kind, without the computing before it.
    #[must_use]
    pub fn observed_by(mut self, observer: SharedObserver) -> Self {
        self.process = self.process.observed_by(observer);
        self
    }

    /// Notes how long the rank has waited for a message that is about to arrive, if it waits for what that is part of.
    pub(super) fn note_waiting(&self, body: &Body, actions: &mut Actions<Body>) {
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
        let Some(Event { act: Act::Wait { requests, .. } | Act::See { requests }, .. }) = event else {
            return false;
        };
        requests.as_slice()[place..].iter().any(|&Request(number)| self.requests[number as usize] == id)
    }
}
