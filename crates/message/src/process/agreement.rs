//! Agreement of ranks on the collectives they call. Every message of a collective carries its number and which one it
//! is; one that fits no collective of this rank shows that another rank calls something else.
//!
//! Messages do not show counts that differ without one too long, and other operations, which the owner of all
//! processes can compare; and a rank that calls no collective at all (that is a deadlock, which says where everybody
//! waits).

use super::Process;
use crate::matching::Unexpected;
use crate::request::{Owner, Request, State};
use crate::{Actions, Completion, Data, Envelope, MpiError, RequestId, Result, Status};
use smallvec::SmallVec;
use weir_collectives::{Call, unmarked};

/// The collectives that a rank has begun. Most ranks have one communicator and one collective at a time.
#[derive(Debug, Default)]
pub(super) struct Begun {
    /// The last one of each communicator: context without a mark, and number.
    pub(super) last: SmallVec<[(u64, i32); 1]>,
    open: SmallVec<[(Envelope, RequestId); 1]>,
}

impl Begun {
    pub(super) fn begin(&mut self, envelope: Envelope, id: RequestId) {
        let context = unmarked(envelope.context);
        let in_order = envelope.tag & RESERVED == 0;
        match self.last.iter_mut().find(|(known, _)| *known == context) {
            _ if !in_order => {}
            Some((_, last)) => *last = envelope.tag,
            None => self.last.push((context, envelope.tag)),
        }
        self.open.push((envelope, id));
    }

    /// A communicator is freed: no collective begins on it any more. `context` is that of its collectives.
    pub(super) fn forget(&mut self, context: u64) {
        self.last.retain(|(known, _)| *known != unmarked(context));
    }

    pub(super) fn end(&mut self, id: RequestId) {
        self.open.retain(|(_, open)| *open != id);
    }
}

/// Set in the tags of collectives with a reserved number.
const RESERVED: i32 = 1 << 30;

/// The tag of the messages of the collective at this place among those of a communicator.
pub(super) const fn tag_in_order(place: u64) -> i32 {
    place as i32 & (RESERVED - 1)
}

/// The tag of the messages of a collective with a reserved number. It is the same each time the collective is started: a
/// rank starts it anew when its own part is over, and what others send for the next time comes after all of this time.
pub(super) const fn tag_of_reserved(number: u32) -> i32 {
    number as i32 & (RESERVED - 1) | RESERVED
}

fn same_place(one: &Envelope, other: &Envelope) -> bool {
    one.tag == other.tag && unmarked(one.context) == unmarked(other.context)
}

/// The collective that a message belongs to, in words.
fn called(envelope: &Envelope) -> String {
    Call::marked(envelope.context).map_or_else(String::new, |call| call.to_string())
}

/// The error when a message shows that its sender calls something else.
fn mismatch(message: &Unexpected, own: &Envelope) -> MpiError {
    let (rank, theirs, own) = (message.from.0, called(&message.envelope), called(own));
    MpiError::Other(format!("rank {rank} calls {theirs}, where this rank calls {own}"))
}

impl Process {
    /// Keeps a message that no receive has matched yet, unless it shows that its sender is in another collective.
    pub(super) fn keep(&mut self, actions: &mut Actions, message: Unexpected) {
        let envelope = message.envelope;
        if Call::marked(envelope.context).is_none() {
            return self.matching.keep(message);
        }
        match self.begun.open.iter().find(|(open, _)| same_place(open, &envelope)) {
            Some((open, _)) if open.context == envelope.context => {}
            Some(&(open, id)) => return self.fail(actions, id, mismatch(&message, &open)),
            None if envelope.tag & RESERVED != 0 => {}
            None => {
                let context = unmarked(envelope.context);
                let last = self.begun.last.iter().find(|(known, _)| *known == context);
                // Numbers begin again after 2^30; the difference of the two shows which is ahead.
                let behind = |last: i32| last.wrapping_sub(envelope.tag) & (RESERVED - 1);
                if last.is_some_and(|&(_, last)| behind(last) < RESERVED / 2) {
                    let (call, from, rank) = (called(&envelope), message.from.0, self.rank.0);
                    actions.stop(format!(
                        "the collectives of rank {from} and rank {rank} differ: a message of {call} came when rank \
                         {rank} had ended the collective in its place"
                    ));
                }
            }
        }
        self.matching.keep(message);
    }

    /// Checks that others have called the collective that begins with this envelope in its place.
    pub(super) fn check_agreement(&self, own: &Envelope) -> Result<()> {
        let differs = |message: &Unexpected| {
            same_place(&message.envelope, own)
                && message.envelope.context != own.context
                && Call::marked(message.envelope.context).is_some()
        };
        self.matching
            .waiting()
            .find(|message| differs(message))
            .map_or(Ok(()), |message| Err(mismatch(message, own)))
    }

    /// Ends a collective with an error: its messages are not waited for.
    fn fail(&mut self, actions: &mut Actions, id: RequestId, error: MpiError) {
        let is_part =
            |request: &Request| matches!(request.owner, Owner::Collective { request, .. } if request == id);
        for part in self.requests.which(is_part) {
            if self.matching.cancel(part) {
                self.requests.remove(part);
            } else if let Some(request) = self.requests.get_mut(part) {
                request.owner = Owner::None;
            }
        }
        let workspace = match self.requests.get_mut(id).map(|request| &mut request.state) {
            Some(State::Collective(Some(running))) => std::mem::take(&mut running.workspace),
            _ => Data::default(),
        };
        let status = Status { error: Some(Box::new(error)), ..Status::empty() };
        self.begun.end(id);
        self.complete(actions, id, self.clock, Completion { status, data: workspace, from: None });
    }
}
