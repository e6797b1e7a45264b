//! The purpose of a message that comes: the owner of the rank knows whether the program waits for it.

use super::Process;
use crate::request::Owner;
use crate::{Body, Envelope, RequestId};

/// The purpose of a message that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwaitedMessage<'a> {
    /// This request of the program: a receive that takes it, a send that it clears, a collective of which it is a part.
    Request(RequestId),
    /// No receive that is posted; a probe may look for it.
    Unmatched(&'a Envelope),
}

impl Process {
    /// The purpose of a message that is about to [arrive](Self::arrived); `None` for those of windows and of other
    /// protocols of their own.
    #[must_use]
    pub fn meant<'a>(&self, body: &'a Body) -> Option<AwaitedMessage<'a>> {
        match body {
            Body::Eager { envelope, .. } | Body::RequestToSend { envelope, .. } => {
                let taker = self.matching.taker(envelope);
                Some(taker.map_or(AwaitedMessage::Unmatched(envelope), |id| {
                    AwaitedMessage::Request(self.whole_of(id))
                }))
            }
            Body::ClearToSend { send, .. } => Some(AwaitedMessage::Request(self.whole_of(RequestId(*send)))),
            Body::Data { receive, .. } => Some(AwaitedMessage::Request(self.whole_of(RequestId(*receive)))),
            Body::Ready(body) => self.meant(body),
            Body::Window(_) | Body::Withdraw { .. } | Body::Withdrawn { .. } => None,
        }
    }

    /// The request that a program knows, of which this one is a part, or which it is itself.
    pub(crate) fn whole_of(&self, id: RequestId) -> RequestId {
        match self.requests.get(id).map(|request| request.owner) {
            Some(
                Owner::Part(whole)
                | Owner::Partition(whole)
                | Owner::Full(whole)
                | Owner::Collective { request: whole, .. },
            ) => self.whole_of(whole),
            Some(Owner::Program | Owner::None | Owner::Kept | Owner::Buffered { .. }) | None => id,
        }
    }
}
