//! Whom a rank waits for, in words: for the table of a deadlock.

use super::Process;
use crate::collective::Running;
use crate::request::{About, Owner, Request, State};
use crate::{ANY_TAG, CommunicatorId, PROC_NULL, RequestId};
use weir_network::Peer;
use weir_units::{Bytes, Rank};

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
                State::Open if request.about.peer == PROC_NULL => {
                    (Peer::Any, vec![("request", "generalised, or of buffered messages".into())])
                }
                State::Combined(open) => self.explain_whole(waits_for[0], open.parts, request.about),
                _ if self.waits_for_room(waits_for[0], request) => {
                    let (peer, mut details) = self.explain_one(request.about);
                    details.push(("eager messages in a row before", self.costs.eager_messages.to_string()));
                    (peer, details)
                }
                _ => self.explain_one(request.about),
            },
            several => (Peer::Several, vec![("requests", several.len().to_string())]),
        }
    }

    fn waits_for_room(&self, id: RequestId, request: &Request) -> bool {
        match &request.state {
            State::AwaitsClearance { to, data, .. } => {
                Bytes(data.length()) <= self.eager_limit(*to) && self.eager_run.asked(*to)
            }
            State::Open => self.requests.iter().any(|send| send.owner == Owner::Full(id)),
            _ => false,
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

    /// A whole waits for its parts; those of a partitioned send that are not ready have not begun.
    fn explain_whole(
        &self,
        id: RequestId,
        parts: usize,
        about: About,
    ) -> (Peer, Vec<(&'static str, String)>) {
        let begun: Vec<About> = self
            .requests
            .iter()
            .filter(|part| part.owner == Owner::Part(id))
            .map(|part| part.about)
            .collect();
        let (peer, mut details) = match begun.as_slice() {
            [first, others @ ..] if others.iter().any(|other| other.peer != first.peer) => {
                (Peer::Several, vec![("requests", begun.len().to_string())])
            }
            _ => self.explain_one(*begun.first().unwrap_or(&about)),
        };
        if parts > begun.len() {
            details.push(("partitions not ready", (parts - begun.len()).to_string()));
        }
        (peer, details)
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
