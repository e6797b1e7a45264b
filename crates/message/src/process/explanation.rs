//! Whom a rank waits for, in words, for the table of a deadlock, and what remains of it when its program is over: requests that it has not
//! completed, messages that it has not received. Nothing here is looked at unless somebody asks.

use super::Process;
use crate::matching::Unexpected;
use crate::request::{About, Owner, Request, Running, State};
use crate::window::Until;
use crate::{ANY_SOURCE, ANY_TAG, Communicator, CommunicatorId, PROC_NULL, RequestId};
use weir_network::Peer;
use weir_units::{Bytes, Rank};

/// Facts about something, each with its name.
pub type Details = Vec<(&'static str, String)>;

/// Whom a rank waits for, and what else there is to say.
pub type Explained = (Peer, Details);

/// The end of a request that the program has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is complete; the program has neither waited for it nor freed it.
    Complete,
    /// It is not complete.
    Open,
    /// The program has freed it, and it is not complete.
    Freed,
}

/// A request that the program has not ended.
#[derive(Clone, Debug)]
pub struct OpenRequest {
    /// Which request.
    pub id: RequestId,
    /// Its end.
    pub fate: Fate,
    /// On the other side, with its names: rank in the communicator, tag, communicator.
    pub details: Details,
}

fn named(comm: Option<&Communicator>) -> String {
    comm.map_or_else(|| "freed".into(), |comm| comm.name.to_string())
}

fn one_or_several(ranks: &[Rank]) -> Peer {
    if let [one] = ranks { Peer::Rank(*one) } else { Peer::Several }
}

/// `None` if the program has ended it.
fn fate(request: &Request) -> Option<Fate> {
    match (request.owner, matches!(request.state, State::Complete { .. })) {
        (Owner::Program, true) => Some(Fate::Complete),
        (Owner::Program, false) => Some(Fate::Open),
        (Owner::None, false) => Some(Fate::Freed),
        _ => None,
    }
}

impl Process {
    /// Whom the owner of these requests waits for, and what else there is to say: for the table of a deadlock.
    pub fn explain(&self, waits_for: &[RequestId]) -> Explained {
        let open: Vec<&Request> = waits_for
            .iter()
            .filter_map(|&id| self.requests.get(id))
            .filter(|request| !matches!(request.state, State::Complete { .. }))
            .collect();
        match open.as_slice() {
            [request] => match &request.state {
                State::Collective(Some(running)) => self.explain_collective(waits_for[0], running),
                State::Open if request.about.peer == PROC_NULL => {
                    (Peer::Any, vec![("request", "generalized, or of buffered messages".into())])
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
    pub fn explain_probe(&self, communicator: CommunicatorId, source: i32, tag: i32) -> Explained {
        self.explain_one(About { communicator, peer: source, tag })
    }

    fn explain_one(&self, about: About) -> Explained {
        let comm = self.communicator(about.communicator).ok();
        let peer = comm.and_then(|comm| comm.world_rank(about.peer).ok()).map_or(Peer::Any, Peer::Rank);
        let tag = if about.tag == ANY_TAG { "any".into() } else { about.tag.to_string() };
        (peer, vec![("tag", tag), ("communicator", named(comm))])
    }

    /// A whole waits for its parts; those of a partitioned send that are not ready have not begun.
    fn explain_whole(&self, id: RequestId, parts: usize, about: About) -> Explained {
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

    fn explain_collective(&self, id: RequestId, running: &Running) -> Explained {
        let is_part =
            |request: &&Request| matches!(request.owner, Owner::Collective { request, .. } if request == id);
        let open = self.requests.iter().filter(is_part);
        let peers: Vec<Rank> =
            open.filter_map(|request| running.group.member(request.about.peer as u32)).collect();
        let round = format!("{} of {}", running.rounds_begun, running.schedule.rounds());
        let on = named(self.communicator(running.communicator).ok());
        (one_or_several(&peers), vec![("round", round), ("communicator", on)])
    }

    /// The explanation of a rank that waits for others to change the memory of its window.
    pub fn explain_change(&self, id: CommunicatorId) -> Explained {
        let window = named(self.communicator(id).ok());
        (Peer::Any, vec![("waits for", "a change of its memory".into()), ("window", window)])
    }

    /// Whom this rank waits for at a window, and what for.
    pub fn explain_window(&self, id: CommunicatorId, until: Until) -> Explained {
        let missing = self.window(id).map(|window| window.missing(until).collect::<Vec<Rank>>());
        let what = match until {
            Until::Done(_) | Until::DoneHere(_) => "the end of accesses",
            Until::Granted => "the lock",
            Until::Posted => "MPI_Win_post",
            Until::Completed => "MPI_Win_complete",
        };
        let window = named(self.communicator(id).ok());
        (one_or_several(&missing.unwrap_or_default()), vec![("waits for", what.into()), ("window", window)])
    }

    /// Requests that the program has neither completed nor freed, in the order of their numbers, and those it has freed
    /// that are not complete.
    pub fn open_requests(&self) -> impl Iterator<Item = OpenRequest> + '_ {
        self.requests.numbered().filter_map(|(id, request)| {
            Some(OpenRequest { id, fate: fate(request)?, details: self.other_side(request.about) })
        })
    }

    /// Numbers of the requests that the program has not ended, those included that it has freed and that go on.
    pub fn open_request_ids(&self) -> impl Iterator<Item = RequestId> + '_ {
        self.requests.numbered().filter(|(_, request)| fate(request).is_some()).map(|(id, _)| id)
    }

    fn other_side(&self, about: About) -> Details {
        let About { communicator, peer, tag } = about;
        let name = |number: i32, any: i32| if number == any { "any".into() } else { number.to_string() };
        let mut details = Vec::new();
        if peer != PROC_NULL {
            details.push(("peer", name(peer, ANY_SOURCE)));
            details.push(("tag", name(tag, ANY_TAG)));
        }
        details.push(("communicator", named(self.communicator(communicator).ok())));
        details
    }

    /// Messages that have come and were not received, in the order in which they came: source and tag, communicator,
    /// bytes.
    pub fn unreceived(&self) -> impl Iterator<Item = Details> + '_ {
        let matched = self.rare.iter().flat_map(|rare| rare.matched.iter().flatten());
        self.matching.waiting().chain(matched).map(|message| self.message(message))
    }

    fn message(&self, message: &Unexpected) -> Details {
        let envelope = message.envelope;
        let known = self.communicators.iter().flatten().find(|comm| comm.context == envelope.context & !1);
        let mut details = vec![("source", envelope.source.to_string())];
        // Messages of collectives have tags of their own.
        let of = if envelope.context & 1 == 0 {
            details.push(("tag", envelope.tag.to_string()));
            named(known)
        } else {
            format!("{}, in a collective", named(known))
        };
        details.push(("communicator", of));
        details.push(("bytes", message.bytes().to_string()));
        details
    }

    /// Communicators that the program has made and not freed.
    pub fn communicators_left(&self) -> usize {
        self.communicators.iter().skip(2).flatten().count()
    }
}
