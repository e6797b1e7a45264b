//! Whom a rank of a replay waits for, in words: for the table of a deadlock.

use super::{Replay, ReplayState};
use weir_formats::profile::{ALONE, Act, Event, Profile, ReceiveSource, WORLD};
use weir_message::RequestId;
use weir_network::{Peer, Waiting};
use weir_units::Rank;

impl Replay {
    pub(super) fn who_is_awaited(&self) -> Option<Waiting> {
        let rank = self.process.rank();
        let event = self.shared.profile.events(rank).get(self.next);
        let (peer, mut details) = match (&self.state, event) {
            (ReplayState::Over, _) => return None,
            (ReplayState::One(id), _) => self.process.explain(&[*id]),
            (
                ReplayState::Several(_),
                Some(Event { act: Act::Wait { requests, .. } | Act::See { requests }, .. }),
            ) => {
                let ids: Vec<RequestId> =
                    requests.as_slice().iter().map(|request| self.requests[request.0 as usize]).collect();
                self.process.explain(&ids)
            }
            (ReplayState::Cancel(id), _) => self.process.explain(&[*id]),
            (ReplayState::Window(window, until), _) => self.process.explain_window(*window, *until),
            (ReplayState::Probe(communicator, selector), _) => {
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
        let counts = |event: &&Event| match event.act {
            Act::Send { to: Some(other), tag: its, communicator: there, .. } => {
                (its, there, world_rank(profile, communicator, own, other)) == (tag, communicator, Some(to))
            }
            _ => false,
        };
        let awaits = |event: &&Event| match event.act {
            Act::Receive {
                from: ReceiveSource { source: Some(other), tag: its, .. },
                communicator: there,
                ..
            } => {
                (its, there, world_rank(profile, communicator, own, other))
                    == (Some(tag), communicator, Some(from))
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
