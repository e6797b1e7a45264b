//! Whom a rank waits for, in words: for the table of a deadlock.

use super::Process;
use crate::collective::Running;
use crate::request::{About, Owner, Request, State};
use crate::{ANY_TAG, CommunicatorId, RequestId};
use weir_network::Peer;
use weir_units::Rank;

impl Process {
    /// Whom the owner of these requests waits for, and what else there is to say: for the table of a deadlock.
    #[must_use]
    pub fn explain(&self, waits_for: &[RequestId]) -> (Peer, Vec<(&'static str, String)>) {
        let open: Vec<&Request> = waits_for
            .iter()
            .filter_map(|&id| self.requests.get(id))
            .filter(|request| !matches!(request.state, State::Complete { .. }))
            .collect();
        match open.as_slice() {
            [request] => match &request.state {
                State::Collective(running) => self.explain_collective(waits_for[0], running),
                _ => self.explain_one(request.about),
            },
            several => (Peer::Several, vec![("requests", several.len().to_string())]),
        }
    }

    /// The same for a probe.
    #[must_use]
    pub fn explain_probe(
        &self,
        communicator: CommunicatorId,
        source: i32,
        tag: i32,
    ) -> (Peer, Vec<(&'static str, String)>) {
        self.explain_one(About { communicator, peer: source, tag })
    }

    fn explain_one(&self, about: About) -> (Peer, Vec<(&'static str, String)>) {
        let comm = self.communicator(about.communicator).ok();
        let peer = comm.and_then(|comm| comm.world_rank(about.peer).ok()).map_or(Peer::Any, Peer::Rank);
        let tag = if about.tag == ANY_TAG { "any".into() } else { about.tag.to_string() };
        let name = comm.map_or_else(|| "freed".into(), |comm| comm.name.clone());
        (peer, vec![("tag", tag), ("communicator", name)])
    }

    fn explain_collective(&self, id: RequestId, running: &Running) -> (Peer, Vec<(&'static str, String)>) {
        let open = self.requests.iter().filter(|request| match request.owner {
            Owner::Collective { request, .. } => request == id,
            _ => false,
        });
        let peers: Vec<Rank> =
            open.filter_map(|request| running.group.member(request.about.peer as u32)).collect();
        let peer = match peers.as_slice() {
            [one] => Peer::Rank(*one),
            _ => Peer::Several,
        };
        let name =
            self.communicator(running.communicator).map_or_else(|_| "freed".into(), |comm| comm.name.clone());
        let round = format!("{} of {}", running.rounds_begun(), running.schedule.rounds());
        (peer, vec![("round", round), ("communicator", name)])
    }
}
