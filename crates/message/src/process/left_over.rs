//! Remains of a rank when its program is over: requests that it has not completed, messages that it has not
//! received. Nothing here is looked at unless somebody asks.

use super::Process;
use crate::matching::Unexpected;
use crate::request::{About, Owner, Request, State};
use crate::{ANY_SOURCE, ANY_TAG, Communicator, PROC_NULL, RequestId};

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
    pub details: Vec<(&'static str, String)>,
}

fn named(comm: Option<&Communicator>) -> String {
    comm.map_or_else(|| "freed".into(), |comm| comm.name.clone())
}

impl Process {
    /// Requests that the program has neither completed nor freed, in the order of their numbers, and those it has freed
    /// that are not complete.
    pub fn open_requests(&self) -> impl Iterator<Item = OpenRequest> + '_ {
        self.requests.numbered().filter_map(|(id, request)| {
            let is_complete = matches!(request.state, State::Complete { .. });
            let fate = match (request.owner, is_complete) {
                (Owner::Program, true) => Fate::Complete,
                (Owner::Program, false) => Fate::Open,
                (Owner::None, false) => Fate::Freed,
                _ => return None,
            };
            Some(OpenRequest { id, fate, details: self.other_side(request.about) })
        })
    }

    /// Numbers of the requests that the program has not ended, those included that it has freed and that go on.
    pub fn open_request_ids(&self) -> impl Iterator<Item = RequestId> + '_ {
        let is_open = |request: &Request| match request.owner {
            Owner::Program => true,
            Owner::None => !matches!(request.state, State::Complete { .. }),
            _ => false,
        };
        self.requests.numbered().filter(move |(_, request)| is_open(request)).map(|(id, _)| id)
    }

    fn other_side(&self, about: About) -> Vec<(&'static str, String)> {
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
    pub fn unreceived(&self) -> impl Iterator<Item = Vec<(&'static str, String)>> + '_ {
        let matched = self.rare.iter().flat_map(|rare| rare.matched.iter().flatten());
        self.matching.waiting().chain(matched).map(|message| self.message(message))
    }

    fn message(&self, message: &Unexpected) -> Vec<(&'static str, String)> {
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
    #[must_use]
    pub fn communicators_left(&self) -> usize {
        self.communicators.iter().skip(2).flatten().count()
    }
}
